//! The private value: its noisy numbers lie on the lattice, and the others follow from them.

use super::finding::Findings;
use super::planned::Planned;
use super::version::Version;
use super::{clusters, companions, extrinsic, features, located, not_planned, place};
use crate::manifold::has_linear_numbers;
use crate::mechanism::noise::exact::multiple;
use crate::mechanism::plan::again::{Precision, may_wrap, nearest};
use crate::mechanism::{Denoising, PlanSummary};
use crate::release::{Flag, PrivateGeodesic, PrivatePoint, Provenance, PublishedRelease, Region, StatisticName, Value};
use crate::vector::norm;
use std::iter;

/// Relative slack of a bound, for rounding and the lattice.
const BOUND: f64 = 1e-6;

/// Compares the value with the one that the plan makes again from its noisy numbers. The flags that follow from it.
pub(super) fn compare(
    planned: &Planned,
    release: &PublishedRelease,
    probability: f64,
    found: &mut Findings,
) -> Vec<Flag> {
    let (plan, how) = (&planned.plan, &release.provenance);
    let (summary, count) = (plan.summary(), how.private_count.as_ref());
    companions::count(planned, how, found);
    if !in_space(release, planned, found) {
        return vec![];
    }
    if found.version == Version::Another {
        of_another_version(planned, release, found);
        return vec![];
    }
    let (again, mut flags) = match plan.again(&release.value, count) {
        Ok(again) => again,
        Err(error) => {
            found.add("value", not_planned(&error));
            return vec![];
        }
    };
    let is_beyond = how.flags.contains(&Flag::BeyondPrecision);
    match (&release.value, &again) {
        (Value::Point(stated), Value::Point(again)) if summary.statistic == StatisticName::ExtrinsicMean => {
            extrinsic::compare(stated, again, summary.ball.center(), found);
        }
        (Value::Point(stated), Value::Point(again)) => {
            point(stated, again, summary, is_beyond, found);
            region("region", stated.region.as_ref(), plan.region_of(count, probability).as_ref(), found);
            companions::are_there(stated, &planned.plan.summary().noise, found);
            companions::spread(stated.spread.as_deref(), again.spread.as_deref(), found);
            companions::components(stated, again.components.as_deref(), summary, found);
        }
        (Value::Geodesic(stated), Value::Geodesic(again)) => geodesic(stated, again, summary, found),
        (Value::Features(stated), Value::Features(again)) => {
            features::compare(stated, again, summary.ball.radius(), found)
        }
        (Value::Ball(stated), Value::Ball(again)) => {
            if let Some(locate) = plan.as_location() {
                located::compare("", stated, again, locate, is_beyond, found);
            }
        }
        (Value::Variance(stated), Value::Variance(again)) => companions::variance(stated, again, found),
        (Value::Clusters(stated), Value::Clusters(again)) => clusters::compare(stated, again, count, found),
        (Value::Record(stated), Value::Record(again)) => {
            let same = stated.coordinates.len() == summary.manifold.dim();
            found.require("coordinates", same, "there must be one for each dimension of the space");
            for (i, (stated, again)) in stated.coordinates.iter().zip(&again.coordinates).enumerate() {
                place::multiple(&format!("coordinates[{i}]"), *stated, *again, found);
            }
        }
        _ => found.add("value", "it has the fields of another statistic"),
    }
    match &release.value {
        Value::Point(point) if point.noisy_coordinates.is_none() => {
            edge_as_stated(how, Precision::of(summary, &point.value), &mut flags);
        }
        Value::Ball(ball) => edge_as_stated(how, Precision::of(summary, &ball.center), &mut flags),
        Value::Point(_)
        | Value::Geodesic(_)
        | Value::Features(_)
        | Value::Variance(_)
        | Value::Clusters(_)
        | Value::Record(_) => (),
    }
    flags.extend(beyond_precision(planned, release, is_beyond, found));
    flags
}

/// The flag of the edge is taken as it is stated where a point does not tell its coordinates.
pub(super) fn edge_as_stated(how: &Provenance, precision: Precision, flags: &mut Vec<Flag>) {
    if !precision.is_told() {
        flags.retain(|flag| *flag != Flag::CenterAtEdge);
        flags.extend(how.flags.iter().copied().filter(|flag| *flag == Flag::CenterAtEdge));
    }
}

/// The flag of digits that a double does not hold, where that is clear. Where it is clear that it does, the flag is a
/// finding.
fn beyond_precision(
    planned: &Planned,
    release: &PublishedRelease,
    is_beyond: bool,
    found: &mut Findings,
) -> Option<Flag> {
    let summary = planned.plan.summary();
    let count = release.provenance.private_count.as_ref();
    let (own, mut all): (Vec<&[f64]>, Vec<Precision>) = match &release.value {
        Value::Point(point) => (
            iter::once(&point.value).chain(&point.noisy_value).map(Vec::as_slice).collect(),
            Precision::of_both(&*planned.plan, point, count).to_vec(),
        ),
        Value::Ball(ball) => (vec![&ball.center], vec![Precision::of(summary, &ball.center)]),
        Value::Geodesic(_) | Value::Features(_) | Value::Variance(_) | Value::Clusters(_) | Value::Record(_) => {
            (vec![], vec![])
        }
    };
    all.extend(planned.located.as_ref().map(|located| located.precision));
    // where no double holds a point, the center of the ball is published in its place
    let is_center = own.iter().any(|point| *point == summary.ball.center());
    let is_held = !is_center && all.iter().all(|precision| precision.is_held());
    found.require(
        "flags",
        !(is_beyond && is_held),
        "the release states \"beyond-precision\", and its numbers hold all of the value",
    );
    // the noisy value has no flag of its own
    let is_clear = all.first().is_some_and(|precision| precision.is_beyond());
    is_clear.then_some(Flag::BeyondPrecision)
}

/// Whether the value is of the space, so that it can be computed with. A median, a geodesic and the center of a ball
/// keep their public bounds.
fn in_space(release: &PublishedRelease, planned: &Planned, found: &mut Findings) -> bool {
    let (summary, lattice) = (planned.plan.summary(), planned.plan.lattice());
    match &release.value {
        Value::Point(point) if !coordinates(point, planned, &release.provenance, found) => false,
        Value::Point(point) if summary.statistic == StatisticName::GeometricMedian => {
            in_ball("value", &point.value, summary, lattice, found)
        }
        Value::Point(point) => {
            let noisy = point.noisy_value.as_ref().is_none_or(|noisy| is_point("noisy_value", noisy, summary, found));
            let size = summary.manifold.point_len();
            let is_whole = point.logarithm.as_ref().is_none_or(|logarithm| logarithm.len() == size);
            found.require("logarithm", is_whole, "it has another size than the value");
            is_point("value", &point.value, summary, found) && noisy && is_whole
        }
        Value::Geodesic(line) => {
            let is_place = in_ball("footpoint", &line.footpoint, summary, lattice, found);
            if is_place && is_told(line, summary) {
                let (v, d) = (&line.shooting_vector, summary.manifold.dim() as f64);
                match summary.manifold.check_tangent(&line.footpoint, v) {
                    Err(error) if !is_rounding(v, &line.footpoint) => {
                        found.add("shooting_vector", error.to_string());
                        return false;
                    }
                    Ok(()) | Err(_) => {
                        let is_short =
                            summary.manifold.norm(&line.footpoint, v) <= line.slope_bound * (1.0 + BOUND) + d * lattice;
                        found.require("shooting_vector", is_short, "it is longer than the slope bound");
                    }
                }
            }
            is_place
        }
        Value::Ball(ball) => in_ball("center", &ball.center, summary, lattice, found),
        Value::Clusters(clusters) => {
            let spec = release.provenance.spec.as_ref().and_then(|spec| spec.clusters.as_ref());
            clusters::in_space(clusters, spec.map(|asked| asked.number), (summary, lattice), found)
        }
        Value::Variance(_) | Value::Record(_) | Value::Features(_) => true,
    }
}

/// Whether noisy coordinates are there only where the plan states them, and one for each dimension. They are multiples
/// of the lattice.
fn coordinates(point: &PrivatePoint, planned: &Planned, how: &Provenance, found: &mut Findings) -> bool {
    let (summary, field) = (planned.plan.summary(), "noisy_coordinates");
    let Some(stated) = &point.noisy_coordinates else { return true };
    if !summary.states_coordinates() {
        found.presence(field, true);
        return false;
    }
    let step = if found.version == Version::This { planned.plan.lattice() } else { how.lattice };
    for (i, stated) in stated.iter().enumerate() {
        place::multiple(&format!("{field}[{i}]"), *stated, multiple(*stated, step), found);
    }
    let is_whole = stated.len() == summary.manifold.dim();
    found.require(field, is_whole, "there must be one for each dimension of the space");
    let is_in = summary.statistic != StatisticName::GeometricMedian || norm(stated) <= farthest(summary, step);
    found.require(field, is_in, "they lie outside the public ball");
    is_whole
}

/// Whether numbers are a point of the space.
fn is_point(field: &str, x: &[f64], summary: &PlanSummary, found: &mut Findings) -> bool {
    let checked = summary.manifold.check_point(x);
    if let Err(error) = &checked {
        found.add(field, error.to_string());
    }
    checked.is_ok()
}

/// Whether numbers are a point, which must be in the public ball. Rounding to a lattice may lead out of it.
pub(super) fn in_ball(field: &str, x: &[f64], summary: &PlanSummary, lattice: f64, found: &mut Findings) -> bool {
    if !is_point(field, x, summary, found) {
        return false;
    }
    // where numbers end, a distance says nothing; the point does not decide whether they do
    let farthest = farthest(summary, lattice);
    let is_in = summary.manifold.dist(summary.ball.center(), x) <= farthest
        || !Precision::within(summary, x, farthest).is_told();
    found.require(field, is_in, "it lies outside the public ball");
    true
}

/// The largest distance from the center of a point that was rounded in the public ball.
fn farthest(summary: &PlanSummary, lattice: f64) -> f64 {
    summary.ball.radius() * (1.0 + BOUND) + lattice * (summary.manifold.dim() as f64).sqrt()
}

/// A point of another version lies on the lattice that the release states.
fn of_another_version(planned: &Planned, release: &PublishedRelease, found: &mut Findings) {
    let summary = planned.plan.summary();
    let how = &release.provenance;
    let Value::Point(point) = &release.value else { return };
    if summary.statistic == StatisticName::ExtrinsicMean {
        return; // its lattice is that of the embedded mean
    }
    let noisy = point.noisy_value.as_ref().unwrap_or(&point.value);
    let is_told = Precision::of(summary, noisy).is_told() && !may_wrap(summary, how.private_count.as_ref());
    let is_beyond = how.flags.contains(&Flag::BeyondPrecision);
    if point.noisy_coordinates.is_none() && (is_beyond || !is_told) {
        return;
    }
    match nearest(summary, how.lattice, point) {
        Ok(again) => place::same("value", noisy, &again, summary.ball.center(), found),
        Err(error) => found.add("value", not_planned(&error)),
    }
}

/// A point, its noisy point and its logarithm follow from the noisy coordinates.
fn point(stated: &PrivatePoint, again: &PrivatePoint, summary: &PlanSummary, is_beyond: bool, found: &mut Findings) {
    let center = summary.ball.center();
    let is_denoised = summary.denoising != Denoising::None;
    if stated.noisy_value.is_some() != is_denoised {
        found.presence("noisy_value", stated.noisy_value.is_some());
    }
    let has_flag = is_beyond || stated.logarithm.is_none();
    found.require("logarithm", has_flag, "only a release that states \"beyond-precision\" has one");
    if stated.noisy_coordinates.is_none() && summary.states_coordinates() {
        found.presence("noisy_coordinates", false);
        return;
    }
    // a draw on a curved space, which nothing follows from, may be too far out for its numbers
    let is_exact = has_linear_numbers(&*summary.manifold) || stated.noisy_coordinates.is_some();
    if !is_exact && (is_beyond || !Precision::of(summary, &stated.value).is_told()) {
        return;
    }
    place::same("value", &stated.value, &again.value, center, found);
    if let (Some(stated), Some(again)) = (&stated.noisy_value, &again.noisy_value) {
        place::same("noisy_value", stated, again, center, found);
    }
    match (&stated.logarithm, &again.logarithm) {
        (Some(stated), Some(again)) => place::same("logarithm", stated, again, &[], found),
        (Some(_), None) => found.presence("logarithm", true),
        // where it is clear that there must be one, the flag is missing too
        (None, _) => (),
    }
}

/// A geodesic follows from the lattice, unless it is so far out that its numbers do not tell where, and has the public
/// bounds.
fn geodesic(stated: &PrivateGeodesic, again: &PrivateGeodesic, summary: &PlanSummary, found: &mut Findings) {
    if is_told(stated, summary) {
        let mut size = [summary.ball.center(), &stated.footpoint].concat();
        // digits that numbers which grow with the distance lose in a difference
        let most = size.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        size.extend((!has_linear_numbers(&*summary.manifold)).then_some(most * most));
        place::same("footpoint", &stated.footpoint, &again.footpoint, &size, found);
        place::same("shooting_vector", &stated.shooting_vector, &again.shooting_vector, &size, found);
    }
    found.same("predictor_range", stated.predictor_range, again.predictor_range);
    found.number("slope_bound", stated.slope_bound, again.slope_bound);
    found.number("residual_bound", stated.residual_bound, again.residual_bound);
    let deviations = [stated, again].map(|line| line.predictor_variance.map(|variance| variance.deviation));
    found.optional("predictor_variance.deviation", deviations[0], deviations[1]);
}

/// Whether a vector is so short that its numbers are those of rounding the point: it is compared all the same.
fn is_rounding(v: &[f64], at: &[f64]) -> bool {
    let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    largest(v) < 1e-6 * largest(at)
}

/// Whether numbers tell where a geodesic in the public bounds is, whose direction is that of the stated one.
fn is_told(line: &PrivateGeodesic, summary: &PlanSummary) -> bool {
    let (manifold, bound) = (&*summary.manifold, line.slope_bound * (1.0 + BOUND));
    let mut short = line.clone();
    let part = bound / manifold.norm(&line.footpoint, &line.shooting_vector);
    short.shooting_vector.iter_mut().for_each(|x| *x *= part.min(1.0));
    let (middle, farthest) = (short.geodesic().at(manifold, 0.5), farthest(summary, 0.0));
    Precision::within(summary, &line.footpoint, farthest).is_told()
        && Precision::within(summary, &middle, farthest + 0.5 * bound).is_told()
}

/// A region must be the one of the plan.
pub(super) fn region(field: &str, stated: Option<&Region>, expected: Option<&Region>, found: &mut Findings) {
    match (stated, expected) {
        (Some(stated), Some(expected)) => {
            found.number(&format!("{field}.probability"), stated.probability, expected.probability);
            found.number(&format!("{field}.radius"), stated.radius, expected.radius);
            found.same(&format!("{field}.center"), stated.center, expected.center);
            found.same(&format!("{field}.coverage"), stated.coverage, expected.coverage);
        }
        (None, None) => (),
        (stated, _) => found.presence(field, stated.is_some()),
    }
}
