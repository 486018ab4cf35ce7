//! Effects of a regression on features: each with its interval. So every space has a picture of a regression.

use super::frame::{self, MAP, Sample, Words};
use super::page::{BLACK, BLUE, Form, GREY, Ink, PALE, Page, Panel, Rectangle};
use super::subject;
use super::view::{View, label, ticks};
use karcher::features::Features;
use karcher::release::{PrivateFeatureRegression, PublishedRelease};

/// Effects beyond these are counted only.
const MOST: usize = 16;
/// The height of a row, and the size of its words.
const ROW: f64 = 27.0;
const SIZE: f64 = 11.5;

/// A row: its name, the number, and the ends of its interval if there is one.
struct Row {
    name: String,
    number: f64,
    interval: Option<[f64; 2]>,
}

/// The picture: effects of terms with a sign where there is one, and the lengths of coefficients of a matrix.
pub fn draw(release: &PublishedRelease, found: &PrivateFeatureRegression) -> Page {
    let rows = rows(found);
    let lengths = rows.iter().flat_map(|row| row.interval.into_iter().flatten().chain([row.number, 0.0]));
    let (low, high) = lengths.filter(|x| x.is_finite()).fold((0.0_f64, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let room = 0.04 * (high - low).max(f64::MIN_POSITIVE);
    let drawn = rows.len().min(MOST);
    let window =
        Rectangle { left: MAP.left + 170.0, top: MAP.top, width: MAP.width - 170.0, height: ROW * drawn.max(1) as f64 };
    // the shorter side of a view is what its half is about
    let half = 0.5 * (high - low) + room;
    let half = half * window.width.min(window.height) / window.width;
    let view = View { window, middle: [0.5 * (low + high), 0.0], half };
    let (mut panel, mut names) = (Panel::new(window), Panel::default());
    let bottom = window.top + window.height;
    for tick in ticks((low - room, high + room), window.width / 60.0) {
        let [x, _] = view.on_page([tick, 0.0]);
        let ink = Ink::line(if tick == 0.0 { GREY } else { PALE }, if tick == 0.0 { 1.2 } else { 0.8 });
        panel.add("grid", Form::Path(vec![[x, window.top], [x, bottom]], false), ink);
        let text = label(tick);
        names.say([x - 3.0 * text.chars().count() as f64, bottom + 16.0], 10.5, GREY, text);
    }
    for (i, row) in rows.iter().take(MOST).enumerate() {
        let y = window.top + ROW * (i as f64 + 0.5);
        let x = |number: f64| view.on_page([number, 0.0])[0];
        if let Some([from, to]) = row.interval {
            panel.add("interval", Form::Path(vec![[x(from), y], [x(to), y]], false), Ink::line(BLUE, 2.0));
        }
        panel.add("effect", Form::Circle([x(row.number), y], 4.5), frame::value());
        names.say([MAP.left, y + 4.0], SIZE, BLACK, shortened(&row.name));
    }
    frame::border(&mut panel, &window, GREY);
    let mut page = frame::page(release);
    page.panels.extend([panel, names]);
    frame::add_words(&mut page, words(release, found, rows.len()), false);
    page
}

fn rows(found: &PrivateFeatureRegression) -> Vec<Row> {
    if found.features.is_matrix() {
        let length = |tangent: &Vec<f64>| tangent.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rows = Features::names(&found.features).into_iter().zip(&found.coefficients);
        return rows.map(|(name, tangent)| Row { name, number: length(tangent), interval: None }).collect();
    }
    let of = |effect: &karcher::release::Effect| {
        let shown = effect.shown();
        let term = found.features.terms().iter().find(|term| term.to_string() == effect.term);
        let columns = term.map_or_else(|| effect.term.clone(), |term| term.columns().join(" × "));
        let name = format!("{columns}: {} to {}", effect.from, effect.to);
        Row { name, number: shown.value, interval: Some(shown.interval) }
    };
    found.effects.iter().map(of).collect()
}

/// As many letters as there is room for.
fn shortened(name: &str) -> String {
    const LETTERS: usize = 27;
    match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

fn words(release: &PublishedRelease, found: &PrivateFeatureRegression, count: usize) -> Words {
    let (how, mut words) = (&release.provenance, Words::default());
    if found.is_mean() {
        words.say("no terms, so no effects: the mean in a basis");
    } else if found.features.is_matrix() {
        words.explain(Sample::Dot(frame::value()), "length of a column's coefficient");
    } else {
        let has_sign = found.effects.iter().all(|effect| effect.change.is_some());
        words.explain(
            Sample::Dot(frame::value()),
            if has_sign { "change of the prediction" } else { "length of the change of the prediction" },
        );
        words.explain(Sample::Line(Ink::line(BLUE, 2.0)), "its interval, of 95 % confidence");
    }
    if count > MOST {
        words.say(format!("{} more are not drawn", count - MOST));
    }
    words.say(format!("ball's radius {}", subject::length(how, how.ball.radius())));
    words.facts(how);
    words
}
