//! Forecasts of plans against their results on data that they do not know.

use super::*;
use crate::manifold::Euclidean;
use crate::noise::Law;
use crate::nonprivate::GeodesicRegression;
use crate::points::Points;
use crate::records::{Observations, PredictorRange};
use crate::sampler::Isotropic;
use crate::statistics::geodesic_regression::rehearsal::squared_distance;
use crate::{Ball, ReleaseContext, Space};
use rand::RngExt;
use std::sync::Arc;

/// Different records; plans are made for many times as many, which matters for the noise alone.
const RECORDS: usize = 60;

const RELEASES: usize = 120;

/// Space, radius, slope bound, residual bound; distance of the footpoint from the center, slope and root mean square
/// residual of the data.
type Kind = (&'static str, [f64; 3], [f64; 3]);

const KINDS: [Kind; 5] = [
    ("sphere:2", [0.8, 0.5, f64::INFINITY], [0.1, 0.1, 0.3]),
    ("sphere:2", [1.0, 1.5, 1.2], [0.4, 1.2, 0.4]),
    ("spd-affine-invariant:2", [2.0, 2.0, 1.0], [1.0, 1.0, 0.5]),
    ("kendall:4", [0.4, 0.4, f64::INFINITY], [0.1, 0.3, 0.15]),
    ("hyperbolic:2", [2.5, 2.0, 1.5], [1.0, 1.2, 0.6]),
];

struct Example {
    regression: PrivateRegression,
    records: Points,
    predictors: Vec<f64>,
    fit: Geodesic,
}

impl Example {
    fn new(manifold: &Arc<dyn Manifold>, (_, bounds, truth): Kind) -> Self {
        let space = &**manifold;
        let (d, mut generator) = (space.dim(), Generator::seeded(1));
        let gauss = Isotropic::new(Arc::new(Euclidean::new(d).unwrap()), Law::Gaussian, 1.0).unwrap();
        let mut random = |length: f64, exactly: bool| {
            let mut c = vec![0.0; d];
            gauss.add_flat_noise(&mut c, &mut generator);
            let unit = if exactly { crate::vector::norm(&c) } else { (d as f64).sqrt() };
            c.iter_mut().for_each(|c| *c *= length / unit);
            c
        };
        let ball = Ball::at_origin(space, bounds[0]).unwrap();
        let start = Geodesic { footpoint: ball.center().to_vec(), velocity: vec![0.0; space.point_len()] };
        let place = [random(truth[0], true), random(truth[1], true)].concat();
        let truth_geodesic = advance(space, &start, &place, 1.0).unwrap();
        let mut uniform = Generator::seeded(2);
        let xs: Vec<f64> = (0..RECORDS).map(|_| uniform.random::<f64>().powf(0.7) - 0.5).collect();
        let values = xs.iter().flat_map(|x| {
            let at = Geodesic { footpoint: truth_geodesic.at(space, *x), velocity: start.velocity.clone() };
            let aside = [random(truth[2], false), vec![0.0; d]].concat();
            let mut y = advance(space, &at, &aside, 1.0).unwrap().footpoint;
            space.repair(&mut y);
            y
        });
        let records = ball.clip_all(space, &Points::new(space, values.collect()).unwrap()).unwrap();
        let fit = GeodesicRegression::new(space).tolerance(1e-9).fit(records.view(), &xs).unwrap();
        let range = PredictorRange::new(-0.5, 0.5).unwrap();
        let mut regression = PrivateRegression::new(Arc::clone(manifold), ball, range, bounds[1]).unwrap();
        if bounds[2].is_finite() {
            regression = regression.residual_bound(bounds[2]).unwrap();
        }
        Self { regression, records, predictors: xs, fit }
    }

    /// Root mean square distance to least squares of a plan made for any number of records.
    fn seen(&self, mut plan: RegressionDescent) -> f64 {
        plan.summary.n = RECORDS;
        let records = Observations::new(&self.records).with_predictors(&self.predictors).unwrap();
        let mut context = ReleaseContext::seeded(3);
        let squares = (0..RELEASES).map(|_| {
            let private = plan.run(&records, &mut context).unwrap().geodesic().unwrap().geodesic();
            squared_distance(&**self.regression.manifold(), &private, &self.fit)
        });
        (squares.sum::<f64>() / RELEASES as f64).sqrt()
    }
}

/// Raising n and ε by ten in turn, from a release of pure noise to one with hardly any noise. Each time the observed
/// error decreases, to a third at least once the release is informative. It is within 1.5 of the best number of steps,
/// and within 1.7 of the forecast.
///
/// A root mean square over 120 releases has a standard error of 5 %: in four dimensions the square of Laplace noise has
/// a standard deviation of about its mean. A quotient of two has one of 7 %. The largest quotient here is 1.2, and
/// forecasts are off by a factor of 1.4 at most, so another seed would fail with a probability below 1 %. Plans made
/// from worst cases were off by factors of up to 24.
#[test]
fn more_records_and_more_budget_make_for_less_error_and_no_number_of_steps_is_much_better() {
    for kind in KINDS {
        let space = kind.0.parse::<Space>().unwrap().manifold().unwrap();
        let example = Example::new(&space, kind);
        let mut before = f64::INFINITY;
        for (times, epsilon) in [(1, 2.0), (10, 2.0), (10, 20.0), (100, 20.0), (100, 200.0)] {
            let (n, budget) = (times * RECORDS, Guarantee::pure(epsilon).unwrap());
            let auto = RegressionDescent::new(&example.regression, n, budget).unwrap();
            let (promised, steps) = (auto.expected_distance(), auto.corrections.len() + 1);
            let seen = example.seen(auto);
            let place = format!("{}, n = {n}, ε = {epsilon}, {steps} steps: {seen} {promised}", kind.0);
            assert!(
                seen < before / if before < 0.1 * example.regression.reach() { 3.0 } else { 1.0 },
                "{place} {before}"
            );
            assert!(seen < 1.7 * promised && promised < 1.7 * seen, "{place}");
            let other = |steps| RegressionDescent::with_steps(&example.regression, n, budget, steps).unwrap();
            for (steps, seen_there) in (1..=5).map(|steps| (steps, example.seen(other(steps)))) {
                assert!(seen < 1.5 * seen_there, "{place}; with {steps}: {seen_there}");
            }
            before = seen;
        }
    }
}

/// The clip of residuals beyond the user's bound is no shorter than any possible residual, and not much longer than the
/// longest.
#[test]
fn no_residual_is_longer_than_what_it_is_clipped_to() {
    for (name, radius, slope) in
        [("euclidean:2", 1.0, 2.0), ("sphere:2", 0.5, 0.5), ("hyperbolic:2", 1.5, 2.0), ("kendall:4", 0.25, 0.2)]
    {
        let space = name.parse::<Space>().unwrap().manifold().unwrap();
        let kind = (name, [radius, slope, f64::INFINITY], [0.3 * radius, 0.5 * slope, 0.2 * radius]);
        let example = Example::new(&space, kind);
        let descent = RegressionDescent::new(&example.regression, RECORDS, Guarantee::pure(1.0).unwrap()).unwrap();
        let center = example.regression.ball.center();
        let mut generator = Generator::seeded(4);
        for i in 0..200 {
            let law = Isotropic::new(Arc::clone(&space), Law::Gaussian, 1.0).unwrap();
            let mut point = |from: &[f64], length: f64| {
                let mut to = from.to_vec();
                law.sample(from, &mut generator, &mut to).unwrap();
                let mut v = to.clone();
                space.log(from, &to, &mut v).unwrap();
                let scale = length / space.norm(from, &v);
                v.iter_mut().for_each(|v| *v *= scale);
                space.exp(from, &v, &mut to);
                space.repair(&mut to);
                (to, v)
            };
            let (footpoint, _) = point(center, 0.1 * f64::from(i % 10) * radius);
            let (_, velocity) = point(&footpoint, slope);
            let at = Geodesic { footpoint, velocity };
            let clip = descent.longest_residual(&*space, center, &at);
            let mut longest: f64 = 0.0;
            for x in [-0.5, -0.2, 0.1, 0.5] {
                let prediction = at.at(&*space, x);
                // the record on the far side of the center, and any other
                let mut across = prediction.clone();
                space.log(center, &prediction, &mut across).unwrap();
                let back = -radius / space.norm(center, &across);
                across.iter_mut().for_each(|v| *v *= back);
                let mut far = center.to_vec();
                space.exp(center, &across, &mut far);
                let (any, _) = point(center, radius);
                longest = longest.max(space.dist(&prediction, &far)).max(space.dist(&prediction, &any));
            }
            let grain = example.regression.longest_residual() / CLIPS;
            assert!(longest <= clip * (1.0 + 1e-12) && clip < longest + 1.01 * grain, "{name}: {longest} {clip}");
        }
    }
}
