//! The collector's mean of records that were randomized at home; it processes public values (user guide, U4).
//!
//! The mean `v̄ + N̄` of the vectors estimates `v̄ = (1/n)·Σ clip_r(Log_{m₀} xᵢ)`. `Exp_{m₀} v̄`, one gradient step
//! from the center, approximates the mean of the clipped records. On flat spaces it is that mean; otherwise it has a
//! bias that no number of records removes.

use crate::audit::check_records;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::{CurvatureBounds, Manifold};
use crate::mechanism::noise::published::published;
use crate::mechanism::{Plan, Randomizer};
use crate::noise::Law;
use crate::release::{Collected, Flag, PublishedRelease, RandomizedRecord, StatisticName, Value};
use crate::sampler::wrapped_distance;
use crate::vector::norm;
use std::f64::consts::{FRAC_PI_2, PI};

/// The mean of randomized records of different people. It spends no budget.
///
/// The mean vector is projected onto the ball, which brings it no farther from the one without noise. The guarantee of
/// each person's own record protects that person, whatever the collector does.
///
/// # Errors
/// [`Error::Geometry`] for no reports. [`Error::Incomparable`] for a report that
/// [contradicts](PublishedRelease::verify) what it states. Also [`Error::Incomparable`] for releases of another kind,
/// by different randomizers (in space, ball or budget), and for records and persons together. The same release twice is
/// refused too, except for directions in one dimension, where reports of different people are often equal.
pub fn collect(reports: &[PublishedRelease]) -> Result<Collected> {
    let refused = |reason: String| Error::Incomparable { reason };
    let first = &reports.first().ok_or(GeometryError::NoRecords)?.provenance;
    let manifold = first.manifold.manifold()?;
    let randomizer = Randomizer::new(manifold, first.ball.clone(), first.guarantee)?;
    let summary = randomizer.summary();
    let mut sum = vec![0.0; summary.manifold.dim()];
    for (i, report) in reports.iter().enumerate() {
        let (how, place) = (&report.provenance, i + 1);
        let Value::Record(RandomizedRecord { coordinates }) = &report.value else {
            let reason = format!("release {place} is a {}, not a {}", how.statistic, StatisticName::Record);
            return Err(refused(format!("{reason}: collect only releases of karcher randomize")));
        };
        if (&how.manifold, &how.ball, how.guarantee) != (&first.manifold, &first.ball, first.guarantee) {
            return Err(refused(format!(
                "release {place} is of another space, ball or budget than the first: all people must randomize with \
                 the same public parameters"
            )));
        }
        if how.unit != first.unit {
            return Err(refused(format!(
                "release {place} protects a {}, the first a {}: all must randomize with --person, or all without",
                how.unit, first.unit
            )));
        }
        // a number from a file may be one unit off in the last place
        let same_scale = (how.scale / summary.scale - 1.0).abs() < 1e-12;
        if !same_scale || coordinates.len() != sum.len() {
            return Err(refused(format!("release {place} has another noise scale than its budget requires")));
        }
        sum.iter_mut().zip(coordinates).for_each(|(sum, c)| *sum += c);
    }
    if !randomizer.repeats() {
        check_different(reports)?;
    }
    check_records(reports)?;
    let n = reports.len() as f64;
    let mut mean: Vec<f64> = sum.iter().map(|sum| sum / n).collect();
    let (radius, length) = (summary.ball.radius(), norm(&mean));
    if length > radius {
        mean.iter_mut().for_each(|c| *c *= radius / length);
    }
    // the sum of as many errors as there are reports is nearly normal
    let scale = randomizer.deviation() / n.sqrt();
    let expected_distance = wrapped_distance(&summary.manifold, radius, Law::Gaussian, scale)?.mean();
    let mut flags = flags_of(reports);
    flags.extend((expected_distance > radius).then_some(Flag::NoiseExceedsBall)); // no report has it
    Ok(Collected {
        statistic: "collected-mean".into(),
        manifold: first.manifold.clone(),
        n: reports.len(),
        guarantee: first.guarantee,
        unit: first.unit,
        ball: first.ball.clone(),
        scale: summary.scale,
        value: published(randomizer.mean().centered(), &mean, expected_distance / 1024.0).value,
        expected_distance,
        bias_bound: one_step_bias(&*summary.manifold, radius),
        flags,
    })
}

/// The flags of all releases.
fn flags_of(reports: &[PublishedRelease]) -> Vec<Flag> {
    let mut flags = vec![];
    for flag in reports.iter().flat_map(|report| &report.provenance.flags) {
        if !flags.contains(flag) {
            flags.push(*flag);
        }
    }
    flags
}

/// Rejects a release that occurs twice: noise that is the same to the last bit is one draw.
fn check_different(reports: &[PublishedRelease]) -> Result<()> {
    let bits = |report: &PublishedRelease| {
        let Value::Record(record) = &report.value else { return vec![] };
        record.coordinates.iter().map(|c| c.to_bits()).collect::<Vec<_>>()
    };
    let mut all: Vec<(Vec<u64>, usize)> = reports.iter().map(bits).zip(1..).collect();
    all.sort();
    match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => {
            let reason = format!("releases {} and {} are the same: give each release once", pair[0].1, pair[1].1);
            Err(Error::Incomparable { reason })
        }
    }
}

/// An upper bound of the distance from `Exp_{m₀} v̄` to the mean of records in the ball, `v̄` their mean logarithm at
/// the center (user guide, U4). `None` where the mean need not be unique, so that nothing is proved.
///
/// With `w = Log_{m₀} x̄` and `H(t)` the mean Hessian of `½ρ²(·, xᵢ)` on the way from the center to the mean,
/// `v̄ − w = ∫ (H(t) − 1)w dt`. Its eigenvalues are from `g(s)` to `a·s·coth(a·s)`, averaged over the distances
/// `s ≤ 2r` of the records. Where `2r ≤ π/(2√κ)` the objective decreases on that way, so that the mean square of `s` is
/// `r²` at most, and by Jensen's inequality `1 − H ≤ (1 − g(2r))/4` and `H − 1 ≤ a·r·coth(a·r) − 1`. `Exp` stretches
/// the remaining difference by no more than `sinh(a·r)/(a·r)`.
pub(super) fn one_step_bias(manifold: &dyn Manifold, radius: f64) -> Option<f64> {
    if manifold.flat_chart().is_some() {
        return Some(0.0);
    }
    let CurvatureBounds { lower, upper } = manifold.curvature();
    let radius = radius * (1.0 + 1e-9);
    let (x, y) = (upper.max(0.0).sqrt() * radius, (-lower).max(0.0).sqrt() * radius);
    if 2.0 * x >= PI || 2.0 * radius >= manifold.injectivity_radius() {
        return None;
    }
    let missing = |s: f64| if s > 0.0 { 1.0 - s / s.tan() } else { 0.0 };
    let excess = |s: f64| if s > 0.0 { s / s.tanh() - 1.0 } else { 0.0 };
    let off = match 2.0 * x <= FRAC_PI_2 {
        true => (0.25 * missing(2.0 * x)).max(excess(y)),
        false => missing(2.0 * x).max(excess(2.0 * y)),
    };
    let stretch = if y > 0.0 { y.sinh() / y } else { 1.0 };
    // no two points of the ball are farther apart
    Some((radius * off * stretch).min(2.0 * radius))
}
