//! A private mean or median, in words.

use super::expected_error::at_most_of;
use super::numbers::{point, point_rows};
use super::{Described, Kept, Lengths, Lines, components, extrinsic, line, located_ball, spread};
use crate::manifold::Shape;
use crate::release::{MechanismName, PrivatePoint, Provenance, StatisticName};

/// What a region of a mean holds.
pub const MEAN: &str = "the mean of the clipped records";
/// What a region of an extrinsic mean holds.
pub const EXTRINSIC: &str = "the extrinsic mean of the records";

/// The point that the expected error of a release is a distance to, and the bias.
pub fn accuracy(how: &Provenance, radius: Lengths) -> (&'static str, Option<String>) {
    match (how.bias_bound, how.statistic) {
        (Some(bias), _) => (MEAN, Some(format!("at most about {} in addition", radius.words_up(bias)))),
        (None, StatisticName::FrechetMean) if how.mechanism == MechanismName::KarcherFlow => (
            "where the flow ends without noise",
            Some("unknown: in so large a ball the flow may end far from the mean".to_owned()),
        ),
        (None, StatisticName::FrechetMean) => (MEAN, None),
        (None, StatisticName::ExtrinsicMean) => (EXTRINSIC, None),
        (None, StatisticName::FeatureRegression) if is_mean(how) => {
            ("the mean of the clipped records in the basis", None)
        }
        (None, StatisticName::FeatureRegression | StatisticName::GeodesicRegression) => {
            ("the predictions of least squares", None)
        }
        (None, StatisticName::GeometricMedian) => ("the geometric median, simulated", None),
        (None, StatisticName::Minimizer) => ("where the descent ends without noise", None),
        (None, StatisticName::Ball | StatisticName::KMeans) => ("the center without noise", None),
        (None, StatisticName::FrechetVariance | StatisticName::Count | StatisticName::Record) => {
            ("the number without noise", None)
        }
    }
}

/// Whether a regression is the mean in the span of a basis.
fn is_mean(how: &Provenance) -> bool {
    let features = how.spec.as_ref().and_then(|spec| spec.features.as_ref());
    features.is_some_and(|features| features.is_constant())
}

/// Rows of numbers below one name.
fn below(name: &str, rows: Vec<String>) -> Lines {
    std::iter::once(name).chain(std::iter::repeat("")).zip(rows).map(|(name, row)| line(name, row)).collect()
}

pub(super) fn describe(of: &Described<'_>, found: &PrivatePoint) -> Lines {
    let (how, style, radius, value) = (of.how, of.style, of.style.lengths, &found.value[..]);
    let row = of.row(value);
    // a matrix as a matrix
    let is_plane = of.space.is_some_and(|space| matches!(space.shape(), Shape::Landmarks(_)));
    let rows = |numbers: &[f64], abridged: bool| match is_plane {
        true => vec![point(numbers, row, abridged)],
        false => point_rows(numbers, row, abridged),
    };
    // the center of the located ball, should there be no mean in it
    let name = match how.statistic {
        StatisticName::ExtrinsicMean => "extrinsic mean",
        statistic => statistic.description().point,
    };
    let mut lines = below(name, rows(value, style.kept.name().is_some()));
    lines.extend(of.abridged(value));
    // what other places do not hold
    let kept = matches!(style.kept, Kept::All(_));
    lines.extend(found.logarithm.iter().flat_map(|logarithm| below("its logarithm", rows(logarithm, kept))));
    lines.extend(of.told(value).map(|place| line("", place)));
    let noisy = found.noisy_value.as_ref().filter(|noisy| **noisy != value);
    lines.extend(noisy.iter().flat_map(|noisy| below("before denoising", rows(noisy, kept))));
    lines.extend(of.promise());
    lines.extend(of.noise(""));
    if let Some(extrinsic) = &found.extrinsic {
        lines.extend(extrinsic::describe(of, found, extrinsic));
        return lines;
    }
    lines.extend(balls(of, found));
    let at_most = at_most_of(how);
    let expected = match at_most {
        "" => radius.words(how.expected_distance),
        _ => radius.words_up(how.expected_distance),
    };
    let expected = format!("{at_most}{expected} on average{}", of.guessed());
    let (truth, bias) = accuracy(how, radius);
    lines.push(line("expected error", format!("{expected}, the distance to {truth}")));
    lines.extend(bias.map(|bias| line("bias", bias)));
    lines.extend(spread::describe(found, radius));
    lines.extend(found.components.iter().flat_map(|found| components::describe(found, radius)));
    lines
}

/// The ball of the mean, and how it was located.
fn balls(of: &Described<'_>, found: &PrivatePoint) -> Lines {
    let (ball, radius) = (&of.how.ball, of.style.lengths);
    let Some(located) = &of.how.located else { return vec![of.ball()] };
    let is_reduced = ball.radius() < located.ball.radius;
    let reduced = if is_reduced { ": the largest for a mean, as the located radius is too large" } else { "" };
    let size = ball.radius_in_words(|r| radius.words(r));
    let (outer, sought) = (located_ball::within(of, &located.within), located_ball::radius(&located.ball, radius));
    vec![
        line("ball", format!("{size}{}{reduced}", of.around(ball, ""))),
        line("located", format!("within {outer}; radius {sought}")),
        line("spent", located_ball::spent(&located.ball, found.spread.is_some())),
    ]
}
