//! Effects of a regression on features: each with its interval. So every space has a picture of a regression.

use super::frame::{self, Sample, Words};
use super::page::Page;
use super::rows::{self, Row};
use super::subject;
use karcher::features::Features;
use karcher::release::{PrivateFeatureRegression, PublishedRelease};

/// The picture: effects of terms with a sign where there is one, and the lengths of coefficients of a matrix.
pub fn draw(release: &PublishedRelease, found: &PrivateFeatureRegression) -> Page {
    let rows = rows(found);
    let mut page = frame::page(release);
    page.panels.extend(rows::panels(&rows));
    frame::add_words(&mut page, words(release, found, rows.len()), false);
    page
}

fn rows(found: &PrivateFeatureRegression) -> Vec<Row> {
    if found.features.is_matrix() {
        let length = |tangent: &Vec<f64>| tangent.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rows = Features::names(&found.features).into_iter().zip(&found.coefficients);
        return rows
            .map(|(name, tangent)| Row { name, number: length(tangent), interval: None, ink: frame::value() })
            .collect();
    }
    let of = |effect: &karcher::release::Effect| {
        let shown = effect.shown();
        let term = found.features.terms().iter().find(|term| term.to_string() == effect.term);
        let columns = term.map_or_else(|| effect.term.clone(), |term| term.columns().join(" × "));
        let name = format!("{columns}: {} to {}", effect.from, effect.to);
        Row { name, number: shown.value, interval: Some(shown.interval), ink: frame::value() }
    };
    found.effects.iter().map(of).collect()
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
        words.explain(Sample::Line(rows::interval(frame::value())), "its interval, of 95 % confidence");
    }
    words.left_out(count);
    words.say(format!("ball's radius {}", subject::length(how, how.ball.radius())));
    words.facts(how);
    words
}
