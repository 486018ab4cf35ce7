//! Rehearsal of a descent on made-up records: the effect of curvature (user guide, R3).
//!
//! Two quantities depend on where records are: the distance of the tangent regression from least squares, and the
//! fraction of an error that a correction leaves. Bounds that hold for all records are too large by an order of
//! magnitude, so plans made by them are bad. A few made-up data sets of the size that the public bounds allow, the same
//! for everyone, show the typical values. They depend on public quantities alone: space, radius, slope bound and
//! residual bound.

use super::linear::{Design, newton_step, tangent_fit};
use super::{PrivateRegression, score};
use crate::error::Result;
use crate::manifold::{Euclidean, Manifold};
use crate::noise::{Generator, Law};
use crate::nonprivate::{Geodesic, GeodesicRegression, advance};
use crate::points::Points;
use crate::records::shorten;
use crate::release::PredictorVariance;
use crate::sampler::Isotropic;
use crate::vector::norm;
use std::sync::Arc;

/// Made-up data sets.
const SCENES: u64 = 4;

/// Records of each.
const RECORDS: usize = 24;

/// Distance of the footpoint from the center, and size of residuals, in units of their bounds.
const WITHIN: f64 = 0.5;

/// Length of the velocity, in units of its bound.
const SLOPE: f64 = 0.75;

/// Results for the made-up records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rehearsal {
    /// Root mean square distance, over the range, from the tangent regression to least squares, without any noise.
    pub(crate) bias: f64,
    /// The step size `η` of the best correction.
    pub(super) step_size: f64,
    /// The fraction of an earlier error that such a correction leaves.
    pub(super) left: f64,
}

impl Rehearsal {
    /// On flat spaces there is nothing to rehearse.
    pub(crate) fn new(regression: &PrivateRegression) -> Self {
        if regression.manifold.flat_chart().is_some() {
            return Self { bias: 0.0, step_size: 1.0, left: 0.0 };
        }
        let stand_in = regression.manifold.stand_in();
        let space = stand_in.as_deref().unwrap_or(&*regression.manifold);
        let played: Vec<Scene> = (0..SCENES).filter_map(|seed| Scene::play(regression, space, seed).ok()).collect();
        let mean = |of: fn(&Scene) -> f64| played.iter().map(of).sum::<f64>() / played.len() as f64;
        let bias = mean(|s| s.bias).sqrt();
        let average = [mean(|s| s.after[0]), mean(|s| s.after[1]), mean(|s| s.after[2])];
        let (slope, bend) = parabola(average);
        let step_size = (-0.5 * slope / bend).clamp(0.05, 1.5);
        // from the scene in which such a step leaves the most: too much confidence costs a plan more than too little
        let leaves = |after: [f64; 3]| {
            let (slope, bend) = parabola(after);
            ((after[0] + step_size * (slope + step_size * bend)) / after[0]).max(0.0).sqrt()
        };
        let left = played.iter().map(|s| leaves(s.after)).fold(0.0, f64::max);
        if bias.is_finite() && step_size.is_finite() && left.is_finite() {
            Self { bias: regression.at_most(bias), step_size, left: left.min(1.0) }
        } else {
            // bounds so wide that least squares has no answer
            Self { bias: regression.reach(), step_size: 0.5, left: 1.0 }
        }
    }

    /// Approximate distance of the ends of the made-up geodesics from the center.
    pub(super) fn extent(regression: &PrivateRegression) -> f64 {
        (WITHIN * regression.ball.radius()).hypot(0.5 * SLOPE * regression.slope_bound)
    }
}

/// `(a, b)` of the parabola `y + aη + bη²` through the values at `η` = 0, ½ and 1.
fn parabola([none, half, whole]: [f64; 3]) -> (f64, f64) {
    (4.0 * half - 3.0 * none - whole, 2.0 * (whole + none - 2.0 * half))
}

/// Squared distances to the least-squares geodesic of a made-up data set.
struct Scene {
    /// Distance of the tangent regression.
    bias: f64,
    /// Distances of a perturbed geodesic after steps of sizes 0, ½ and 1.
    after: [f64; 3],
}

impl Scene {
    fn play(regression: &PrivateRegression, space: &dyn Manifold, seed: u64) -> Result<Self> {
        let (d, radius) = (space.dim(), regression.ball.radius());
        let mut generator = Generator::seeded(seed);
        let gauss = Isotropic::new(Arc::new(Euclidean::new(d)?), Law::Gaussian, 1.0)?;
        let mut normal = |length: f64| {
            let mut c = vec![0.0; d];
            gauss.add_flat_noise(&mut c, &mut generator);
            let scale = length / (d as f64).sqrt();
            c.iter_mut().for_each(|c| *c *= scale);
            c
        };
        let mut center = vec![0.0; space.point_len()];
        space.origin(&mut center);
        let at_center = Geodesic { velocity: vec![0.0; center.len()], footpoint: center.clone() };
        let place = [of_length(normal(1.0), WITHIN * radius), of_length(normal(1.0), SLOPE * regression.slope_bound)];
        let truth = advance(space, &at_center, &place.concat(), 1.0)?;

        let xs: Vec<f64> = (0..RECORDS).map(|i| (i as f64 + 0.5) / RECORDS as f64 - 0.5).collect();
        let spread = WITHIN * radius.min(regression.residual_bound);
        let mut values = Vec::with_capacity(RECORDS * center.len());
        for x in &xs {
            let prediction = truth.at(space, *x);
            let residual = moved(space, &prediction, &normal(spread));
            values.extend(within(space, &center, residual, radius)?);
        }
        let records = Points::new(space, values)?;
        let fit = GeodesicRegression::new(space).tolerance(1e-6 * radius).iterations(100).fit(records.view(), &xs)?;

        let tangent = tangent_fit(regression, space, &center, records.view(), &xs)?;
        let bias = squared_distance(space, &tangent, &fit);

        let off = 0.1 * radius;
        let aside = [of_length(normal(1.0), off), of_length(normal(1.0), 12.0_f64.sqrt() * off)].concat();
        let there = advance(space, &fit, &aside, 1.0)?;
        let (weight, longest) = (regression.weight(), regression.longest_residual());
        let length = longest * regression.leverage();
        let score = score(space, &there, (records.view(), &xs), longest, weight, length)?;
        let variance = xs.iter().map(|x| x * x).sum::<f64>() / RECORDS as f64;
        let noisy = PredictorVariance { value: variance, deviation: 0.0 };
        let design = Design { mean: 0.0, variance, noisy };
        let [step, turn] = newton_step(&score, weight, design);
        let direction = [step, turn].concat();
        let mut after = [0.0; 3];
        for (after, size) in after.iter_mut().zip([0.0, 0.5, 1.0]) {
            *after = squared_distance(space, &advance(space, &there, &direction, size)?, &fit);
        }
        Ok(Self { bias, after })
    }
}

fn of_length(mut c: Vec<f64>, length: f64) -> Vec<f64> {
    let size = norm(&c);
    c.iter_mut().for_each(|c| *c *= length / size);
    c
}

/// `Exp_p` of the vector with these coordinates in the frame at `p`.
fn moved(space: &dyn Manifold, p: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut q) = (p.to_vec(), p.to_vec());
    space.from_frame(p, coordinates, &mut v);
    space.exp(p, &v, &mut q);
    space.repair(&mut q);
    q
}

/// The point, moved to the edge of the ball towards the center if it is outside.
fn within(space: &dyn Manifold, center: &[f64], point: Vec<f64>, radius: f64) -> Result<Vec<f64>> {
    if space.dist(center, &point) <= radius {
        return Ok(point);
    }
    let (mut v, mut c) = (point.clone(), vec![0.0; space.dim()]);
    space.log(center, &point, &mut v)?;
    space.to_frame(center, &v, &mut c);
    shorten(&mut c, radius);
    Ok(moved(space, center, &c))
}

/// The mean squared distance between two geodesics over the range of the predictor.
pub(super) fn squared_distance(space: &dyn Manifold, a: &Geodesic, b: &Geodesic) -> f64 {
    const PLACES: usize = 8;
    let place = |i: usize| (i as f64 + 0.5) / PLACES as f64 - 0.5;
    let squares = (0..PLACES).map(place).map(|x| space.dist(&a.at(space, x), &b.at(space, x)).powi(2));
    squares.sum::<f64>() / PLACES as f64
}
