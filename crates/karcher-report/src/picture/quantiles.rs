//! Quantiles: a box with a band for each pair of levels, and below the levels over their quantiles with intervals.

use super::frame::{self, MAP, Sample, Words};
use super::page::{BLACK, BLUE, Form, GREY, Ink, PALE, Page, Panel, Rectangle};
use super::subject;
use super::view::{View, label, ticks};
use karcher::release::{PositionKind, PublishedRelease, ReleasedQuantiles};

/// The height of the box, and of the gap below it.
const BOX: f64 = 90.0;
const GAP: f64 = 26.0;

/// Most levels with a name of their own.
const MOST: usize = 12;

/// A band between two quantiles.
fn band() -> Ink {
    Ink::fill(BLUE, 0.22)
}

fn interval() -> Ink {
    Ink::line(BLUE, 2.0)
}

fn of_population() -> Ink {
    Ink::line(BLUE, 1.0).dashed()
}

/// The picture of a release.
pub fn draw(release: &PublishedRelease, found: &ReleasedQuantiles) -> Page {
    let how = &release.provenance;
    let unit = match found.positions {
        PositionKind::Angle => subject::angle_unit(how, how.manifold.as_str() == "sphere:1"),
        PositionKind::Number | PositionKind::Distance => 1.0,
    };
    let left = MAP.left + 40.0;
    let upper = Rectangle { left, top: MAP.top, width: MAP.width - 40.0, height: BOX };
    let top = MAP.top + BOX + GAP;
    let lower = Rectangle { top, height: MAP.top + MAP.height - top - 20.0, ..upper };
    let view = |window: Rectangle| {
        let [low, high] = shown(found).map(|end| unit * end);
        // the shorter side of a window is what half is about
        let half = (0.5 * (high - low)).max(f64::MIN_POSITIVE) * window.width.min(window.height) / window.width;
        View { window, middle: [0.5 * (low + high), 0.0], half }
    };
    let x = |view: &View, position: f64| view.on_page([unit * position, 0.0])[0];

    let (mut panel, of_box) = (Panel::new(upper), view(upper));
    let bottom = upper.top + upper.height;
    grid(&mut panel, &of_box);
    for (i, (low, high)) in pairs(&found.quantiles).enumerate() {
        // wider bands are thinner
        let height = upper.height * (0.35 + 0.45 * (i + 1) as f64 / pairs(&found.quantiles).count() as f64);
        let (from, to) = (x(&of_box, low), x(&of_box, high));
        let area = Rectangle { left: from, top: upper.top + 0.5 * (upper.height - height), width: to - from, height };
        panel.add("band", Form::Path(area.corners(), true), band().with_line(BLUE, 1.0));
    }
    if let Some(middle) = middle(&found.quantiles) {
        let at = x(&of_box, middle);
        let line = vec![[at, upper.top + 0.1 * upper.height], [at, bottom - 0.1 * upper.height]];
        panel.add("value", Form::Path(line, false), Ink::line(BLUE, 3.0));
    }
    frame::border(&mut panel, &upper, GREY);

    let (mut levels, of_levels, mut names) = (Panel::new(lower), view(lower), Panel::default());
    grid(&mut levels, &of_levels);
    for tick in ticks(of_levels.range(0), lower.width / 60.0) {
        let text = label(tick);
        let [at, _] = of_levels.on_page([tick, 0.0]);
        names.say([at - 3.0 * text.chars().count() as f64, lower.top + lower.height + 15.0], 10.5, GREY, text);
    }
    let height = |level: f64| lower.top + lower.height * (1.0 - level);
    let numbers = found.levels.iter().zip(&found.quantiles).zip(&found.intervals).zip(&found.population_intervals);
    let of_each = (found.levels.len() as f64 / MOST as f64).ceil().max(1.0) as usize;
    for (i, (((level, value), sample), population)) in numbers.enumerate() {
        let y = height(*level);
        let line = |ends: &[f64; 2]| Form::Path(ends.map(|end| [x(&of_levels, end), y]).to_vec(), false);
        levels.add("population", line(population), of_population());
        levels.add("interval", line(sample), interval());
        levels.add("quantile", Form::Circle([x(&of_levels, *value), y], 4.0), frame::value());
        if i.is_multiple_of(of_each) {
            names.say([MAP.left - 4.0, y + 4.0], 10.5, BLACK, label(*level));
        }
    }
    frame::border(&mut levels, &lower, GREY);

    let mut page = frame::page(release);
    page.panels.extend([panel, levels, names]);
    frame::add_words(&mut page, words(release, found), false);
    page
}

/// Vertical lines at round numbers.
fn grid(panel: &mut Panel, view: &View) {
    let (window, bottom) = (view.window, view.window.top + view.window.height);
    for tick in ticks(view.range(0), window.width / 60.0) {
        let [x, _] = view.on_page([tick, 0.0]);
        panel.add("grid", Form::Path(vec![[x, window.top], [x, bottom]], false), Ink::line(PALE, 0.8));
    }
}

/// The part of the range that intervals reach, with some room.
fn shown(found: &ReleasedQuantiles) -> [f64; 2] {
    let ends = found.intervals.iter().chain(&found.population_intervals).flatten().chain(&found.quantiles);
    let finite = ends.copied().filter(|x| x.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    if low > high {
        return found.position_range;
    }
    let room = 0.05 * (high - low).max(1e-3 * (found.position_range[1] - found.position_range[0]));
    [low - room, high + room]
}

/// Quantiles of levels that are as far from both ends of the list, the outer pairs first.
fn pairs(quantiles: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    let half = quantiles.len() / 2;
    quantiles.iter().take(half).copied().zip(quantiles.iter().rev().copied())
}

/// The one in the middle of the list, if there is one.
fn middle(quantiles: &[f64]) -> Option<f64> {
    (quantiles.len() % 2 == 1).then(|| quantiles[quantiles.len() / 2])
}

fn words(release: &PublishedRelease, found: &ReleasedQuantiles) -> Words {
    let (how, mut words) = (&release.provenance, Words::default());
    words.say(format!("quantiles of {}", found.positions.noun()));
    words.explain(Sample::Dot(frame::value()), "a quantile, at the height of its level");
    words.explain(Sample::Line(interval()), "its interval, of 95 % confidence");
    words.explain(Sample::Line(of_population()), "the same for a population");
    if found.levels.len() > 1 {
        words.explain(Sample::Area(band()), "between the quantiles of a pair of levels");
    }
    words.say(format!("ball's radius {}", subject::length(how, how.ball.radius())));
    words.facts(how);
    words
}
