//! A private mean or median, in words.

use super::{components, extrinsic, spread};
use crate::length::Length;
use crate::output::{digits_down, digits_up, point, point_rows, told};
use crate::releasing::{Described, Lines, guessed, line};
use crate::saving::Saving;
use crate::{center, located};
use karcher::manifold::Shape;
use karcher::release::{MechanismName, StatisticName};
use karcher::{Release, ReleaseSpec};

pub const MEAN: &str = "the mean of the clipped records";
const IN_BASIS: &str = "the mean of the clipped records in the basis";
pub const EXTRINSIC: &str = "the extrinsic mean of the records";
const PREDICTIONS: &str = "the predictions of least squares";
const MEDIAN: &str = "the geometric median, by a rehearsal, which is no bound";
const END_OF_DESCENT: &str = "where the descent ends without noise";
const CENTER: &str = "the center without noise";
const OWN: &str = "the number without noise";
const END_OF_FLOW: &str = "where the flow ends without noise";
const UNKNOWN_BIAS: &str = "unknown: in so large a ball the flow may end far from the mean";

/// The point that the expected error of a release is a distance to, and the bias.
pub fn accuracy(release: &Release, radius: Length) -> (&'static str, Option<String>) {
    match (release.bias_bound(), release.statistic()) {
        (Some(bias), _) => (MEAN, Some(format!("at most about {} in addition", radius.words(bias)))),
        (None, StatisticName::FrechetMean) if release.mechanism() == MechanismName::KarcherFlow => {
            (END_OF_FLOW, Some(UNKNOWN_BIAS.to_owned()))
        }
        (None, StatisticName::FrechetMean) => (MEAN, None),
        (None, StatisticName::ExtrinsicMean) => (EXTRINSIC, None),
        (None, StatisticName::FeatureRegression) if release.on_features().is_some_and(|value| value.is_mean()) => {
            (IN_BASIS, None)
        }
        (None, StatisticName::FeatureRegression | StatisticName::GeodesicRegression) => (PREDICTIONS, None),
        (None, StatisticName::GeometricMedian) => (MEDIAN, None),
        (None, StatisticName::Minimizer) => (END_OF_DESCENT, None),
        (None, StatisticName::Ball | StatisticName::KMeans) => (CENTER, None),
        (None, StatisticName::FrechetVariance | StatisticName::Count | StatisticName::Record) => (OWN, None),
    }
}

/// The release in words, with its companion statistics.
pub fn describe(described: &Described<'_>, spec: &ReleaseSpec) -> Lines {
    let Described { release, manifold, layout, told: known, saving } = described;
    let (value, radius) = (release.value(), known.radius);
    let row = manifold.shape().row_len();
    let (whole, abridged) = (point(value, row, false), point(value, row, saving.is_some()));
    // a matrix as a matrix
    let rows = |numbers: &[f64], abridged: bool| match manifold.shape() {
        Shape::Landmarks(_) => vec![point(numbers, row, abridged)],
        _ => point_rows(numbers, row, abridged),
    };
    // the center of the located ball, should there be no mean in it
    let name = match release.statistic() {
        StatisticName::ExtrinsicMean => "extrinsic mean",
        statistic => statistic.description().point,
    };
    let below = |name: &'static str| std::iter::once(name).chain(std::iter::repeat(""));
    let printed = below(name).zip(rows(value, saving.is_some()));
    let mut lines: Lines = printed.map(|(name, row)| line(name, row)).collect();
    if let Some(saving) = saving.filter(|_| whole != abridged) {
        lines.push(line("", format!("(abridged: all {} numbers are in {})", value.len(), saving.name())));
    }
    // what the other formats do not hold
    let kept = saving.is_some_and(Saving::is_whole);
    if let Some(logarithm) = release.logarithm() {
        lines.extend(below("its logarithm").zip(rows(logarithm, kept)).map(|(name, row)| line(name, row)));
    }
    lines.extend(told(layout, value).map(|place| line("", place)));
    if let Some(noisy) = release.noisy_value().filter(|noisy| *noisy != value) {
        lines.extend(below("before denoising").zip(rows(noisy, kept)).map(|(name, row)| line(name, row)));
    }
    lines.extend(described.promise());
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    if let Some(extrinsic) = release.extrinsic() {
        lines.extend(extrinsic::describe(release, extrinsic, spec, radius));
        return lines;
    }
    let ball = release.ball();
    let located = release.provenance().located.as_ref();
    let is_default = known.is_default_center && located.is_none();
    let around = center::around(ball, *manifold, layout, is_default);
    let is_reduced = located.is_some_and(|located| ball.radius() < located.ball.radius);
    let reduced = if is_reduced { ": the largest for a mean, as the located radius is too large" } else { "" };
    lines.push(line("ball", format!("{}{around}{reduced}", ball.radius_in_words(|r| radius.words(r)))));
    if let Some(located) = located {
        let outer = located::within(&located.within, *manifold, layout, radius, known.is_default_center);
        lines.push(line("located", format!("within {outer}; radius {}", located::radius(&located.ball, radius))));
        lines.push(line("spent", located::spent(&located.ball, release.spread().is_some())));
    }
    let at_most = match release.mechanism() {
        MechanismName::Kng => "at most ",
        MechanismName::MedianFlow if spec.expected_spread.is_some() => "about ",
        MechanismName::MedianFlow => "at most about ",
        _ => "",
    };
    let expected = format!("{at_most}{} on average{}", radius.words(release.expected_distance()), guessed(spec));
    let (truth, bias) = accuracy(release, radius);
    lines.push(line("expected error", format!("{expected}, the distance to {truth}")));
    lines.extend(bias.map(|bias| line("bias", bias)));
    lines.extend(spread::describe(release, radius));
    lines.extend(release.components().map(|found| components::describe(found, radius)).unwrap_or_default());
    lines
}
