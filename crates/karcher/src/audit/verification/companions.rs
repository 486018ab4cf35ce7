//! The numbers that are released with a point, and variances: a private count, a spread, components.

use super::finding::Findings;
use super::place::multiple;
use super::planned::Planned;
use super::value::region;
use crate::mechanism::PlanSummary;
use crate::mechanism::plan::again::Precision;
use crate::release::{
    NoiseDraw, NoiseOf, NoisyNumber, PrivateComponents, PrivatePoint, PrivateSpread, PrivateVariance, Provenance,
    PublishedRelease, UniformSpread, Value,
};

/// Largest deviation of directions from unit length and from right angles.
const ANGLE: f64 = 1e-6;

/// The private count follows from its noisy number.
pub(super) fn count(planned: &Planned, how: &Provenance, found: &mut Findings) {
    let Some(stated) = &how.private_count else { return };
    // far beyond the guess, and without a number of records that is confidential, nothing follows
    let Some(again) = planned.plan.count_again(stated.noisy_value) else { return };
    let size = stated.noisy_value.abs() + again.scale;
    found.about("private_count.noisy_value", stated.noisy_value, again.noisy_value, size);
    found.noise("private_count.scale", stated.scale, again.scale);
    if found.version == super::version::Version::This {
        found.about("private_count.value", stated.value, again.value, size);
        found.about("private_count.interval[0]", stated.interval[0], again.interval[0], size);
        found.about("private_count.interval[1]", stated.interval[1], again.interval[1], size.max(again.interval[1]));
    }
}

/// Numbers that a release states twice are the same: scales, and values that are noisy ones brought into a range.
pub(super) fn agrees_with_draws(release: &PublishedRelease, found: &mut Findings) {
    let how = &release.provenance;
    let scale_of = |of: NoiseOf| how.noise.iter().find(|draw| draw.quantity == of).map(|draw| draw.scale);
    if let Some(count) = &how.private_count {
        found.number("private_count.value", count.value, count.noisy_value.max(0.0));
        // where several parties add noise, a draw is that of one of them
        if let Some(scale) = scale_of(NoiseOf::Count).filter(|_| how.trust.is_none()) {
            found.number("private_count.scale", count.scale, scale);
        }
    }
    match &release.value {
        Value::Point(PrivatePoint { spread, components, .. }) => {
            if let Some(spread) = spread {
                let square = (0.0, spread.clip * spread.clip);
                in_range("spread.mean_square", &spread.mean_square, square, scale_of(NoiseOf::MeanSquare), found);
                let outside = scale_of(NoiseOf::FractionOutside);
                in_range("spread.fraction_outside", &spread.fraction_outside, (0.0, 1.0), outside, found);
            }
            if let (Some(components), Some(scale)) = (components, scale_of(NoiseOf::SecondMoment)) {
                found.number("components.scale", components.scale, scale);
            }
        }
        Value::Variance(variance) => {
            let square = (0.0, variance.clip * variance.clip);
            // of all parties that add noise
            let scale = if how.trust.is_some() { Some(how.scale) } else { scale_of(NoiseOf::Value) };
            in_range("mean_square", &variance.mean_square, square, scale, found);
        }
        Value::Geodesic(_) | Value::Features(_) | Value::Ball(_) | Value::Clusters(_) | Value::Record(_) => (),
    }
}

/// A number is the noisy one brought into its range, with the scale of its draw.
fn in_range(field: &str, number: &NoisyNumber, (low, high): (f64, f64), scale: Option<f64>, found: &mut Findings) {
    found.number(&format!("{field}.value"), number.value, number.noisy_value.min(high).max(low));
    match scale {
        Some(scale) => found.number(&format!("{field}.scale"), number.scale, scale),
        None => found.add(format!("{field}.scale"), "the release lists no draw of noise on this number"),
    }
}

/// A number with noise must be the one that follows from its noisy value.
pub(super) fn number(field: &str, stated: &NoisyNumber, again: &NoisyNumber, found: &mut Findings) {
    let of = |name: &str| format!("{field}.{name}");
    multiple(&of("noisy_value"), stated.noisy_value, again.noisy_value, found);
    found.number(&of("value"), stated.value, again.value);
    found.number(&of("scale"), stated.scale, again.scale);
    found.same(&of("mechanism"), stated.mechanism.name(), again.mechanism.name());
    found.guarantee(&of("guarantee"), stated.guarantee, again.guarantee);
    ends(&of("interval"), stated.interval, again.interval, found);
}

/// Both ends of an interval.
fn ends(field: &str, stated: [f64; 2], again: [f64; 2], found: &mut Findings) {
    let size = again.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    found.about(&format!("{field}[0]"), stated[0], again[0], size);
    found.about(&format!("{field}[1]"), stated[1], again[1], size);
}

/// The numbers of records that are spread evenly.
fn uniform(field: &str, stated: Option<&UniformSpread>, again: Option<&UniformSpread>, found: &mut Findings) {
    let mut compare = |name: &str, of: fn(&UniformSpread) -> f64| {
        found.optional(&format!("{field}.{name}"), stated.map(of), again.map(of));
    };
    compare("mean_square", |uniform| uniform.mean_square);
    compare("root_mean_square", |uniform| uniform.root_mean_square);
    compare("fraction_outside", |uniform| uniform.fraction_outside);
}

/// A spread and components are there if and only if the plan has draws for them.
pub(super) fn are_there(point: &PrivatePoint, noise: &[NoiseDraw], found: &mut Findings) {
    for (field, is_there, of) in [
        ("spread", point.spread.is_some(), NoiseOf::MeanSquare),
        ("components", point.components.is_some(), NoiseOf::SecondMoment),
    ] {
        if is_there != noise.iter().any(|draw| draw.quantity == of) {
            found.presence(field, is_there);
        }
    }
}

/// A variance follows from its noisy mean square.
pub(super) fn variance(stated: &PrivateVariance, again: &PrivateVariance, found: &mut Findings) {
    found.number("clip", stated.clip, again.clip);
    number("mean_square", &stated.mean_square, &again.mean_square, found);
    found.number("root_mean_square", stated.root_mean_square, again.root_mean_square);
    ends("root_mean_square_interval", stated.root_mean_square_interval, again.root_mean_square_interval, found);
    uniform("uniform", stated.uniform.as_ref(), again.uniform.as_ref(), found);
    found.same("consistent_with_uniform", stated.consistent_with_uniform, again.consistent_with_uniform);
}

/// A spread follows from its two noisy numbers.
pub(super) fn spread(stated: Option<&PrivateSpread>, again: Option<&PrivateSpread>, found: &mut Findings) {
    let (Some(stated), Some(again)) = (stated, again) else {
        if stated.is_some() != again.is_some() {
            found.presence("spread", stated.is_some());
        }
        return;
    };
    let intervals = [stated, again].map(|spread| spread.root_mean_square_interval);
    found.number("spread.clip", stated.clip, again.clip);
    number("spread.mean_square", &stated.mean_square, &again.mean_square, found);
    number("spread.fraction_outside", &stated.fraction_outside, &again.fraction_outside, found);
    found.number("spread.root_mean_square", stated.root_mean_square, again.root_mean_square);
    ends("spread.root_mean_square_interval", intervals[0], intervals[1], found);
    uniform("spread.uniform", stated.uniform.as_ref(), again.uniform.as_ref(), found);
    found.same("spread.consistent_with_uniform", stated.consistent_with_uniform, again.consistent_with_uniform);
    found.guarantee("spread.mean_guarantee", stated.mean_guarantee, again.mean_guarantee);
    found.optional("spread.clipping", stated.clipping, again.clipping);
    let regions = [stated, again].map(|spread| spread.population_region.as_ref());
    region("spread.population_region", regions[0], regions[1], found);
}

/// Components follow from their variances. Directions are unit vectors at right angles, tangent at the value.
pub(super) fn components(
    point: &PrivatePoint,
    again: Option<&PrivateComponents>,
    summary: &PlanSummary,
    found: &mut Findings,
) {
    let stated = point.components.as_deref();
    let (Some(stated), Some(again)) = (stated, again) else {
        if stated.is_some() != again.is_some() {
            found.presence("components", stated.is_some());
        }
        return;
    };
    let is_falling = stated.variances.windows(2).all(|pair| pair[0] >= pair[1]);
    found.require("components.variances", is_falling, "the largest must come first");
    let is_complete = stated.variances.len() == summary.manifold.dim();
    found.require("components.variances", is_complete, "there must be one for each dimension of the space");
    found.number("components.clip", stated.clip, again.clip);
    found.count(
        "components.explained_variance_ratio",
        "numbers",
        stated.explained_variance_ratio.len(),
        again.explained_variance_ratio.len(),
    );
    for (i, (stated, again)) in stated.explained_variance_ratio.iter().zip(&again.explained_variance_ratio).enumerate()
    {
        found.number(&format!("components.explained_variance_ratio[{i}]"), *stated, *again);
    }
    found.count("components.shrunk_variances", "numbers", stated.shrunk_variances.len(), again.shrunk_variances.len());
    for (i, (own, made)) in stated.shrunk_variances.iter().zip(&again.shrunk_variances).enumerate() {
        found.number(&format!("components.shrunk_variances[{i}]"), *own, *made);
    }
    found.number("components.scale", stated.scale, again.scale);
    found.same("components.mechanism", stated.mechanism.name(), again.mechanism.name());
    found.number("components.noise_level", stated.noise_level, again.noise_level);
    found.guarantee("components.guarantee", stated.guarantee, again.guarantee);
    found.guarantee("components.mean_guarantee", stated.mean_guarantee, again.mean_guarantee);
    directions(&point.value, &stated.directions, summary, found);
    let (Some(region), Some(expected)) = (&stated.population_region, &again.population_region) else {
        if stated.population_region.is_some() != again.population_region.is_some() {
            found.presence("components.population_region", stated.population_region.is_some());
        }
        return;
    };
    found.number("components.population_region.probability", region.probability, expected.probability);
    found.same("components.population_region.coverage", region.coverage, expected.coverage);
    found.count("components.population_region.semi_axes", "numbers", region.semi_axes.len(), expected.semi_axes.len());
    for (i, (stated, again)) in region.semi_axes.iter().zip(&expected.semi_axes).enumerate() {
        found.number(&format!("components.population_region.semi_axes[{i}]"), *stated, *again);
    }
}

/// Directions are an orthonormal basis of the tangent space.
fn directions(value: &[f64], directions: &[Vec<f64>], summary: &PlanSummary, found: &mut Findings) {
    let manifold = &*summary.manifold;
    let is_complete = directions.len() == manifold.dim() && manifold.check_point(value).is_ok();
    let is_basis = is_complete
        && directions.iter().enumerate().all(|(i, v)| {
            let at_right_angles = |(j, w): (usize, &Vec<f64>)| {
                let expected = f64::from(u8::from(i == j));
                (manifold.inner(value, v, w) - expected).abs() <= ANGLE
            };
            manifold.check_tangent(value, v).is_ok() && directions[..=i].iter().enumerate().all(at_right_angles)
        });
    // far out, numbers hold no directions
    let is_basis = is_basis || (is_complete && !Precision::of(summary, value).is_told());
    found.require("components.directions", is_basis, "they must be unit tangent vectors at right angles");
}
