//! The published sensitivities on the sphere against the change by one record: figure 5, pairs that exceed them, and
//! the resulting privacy loss.

use super::kulkarni_study::{EPSILON, records};
use crate::Failure;
use crate::baseline::sequential::{
    Data, Geodesic, cross, dot, fit, footpoint_potential, gradients, moved, norm, scales,
};
use crate::item::Context;
use karcher::Manifold;
use karcher::manifold::Sphere;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Two sets of records that share all but one: published bounds over the changes of the gradients.
pub struct Pair {
    /// `r_p`, of the footpoint.
    pub footpoint: f64,
    /// `r_v`, of the shooting vector.
    pub velocity: f64,
    /// The same with the part of the change along the geodesic alone.
    pub along: f64,
    /// And with the part across it alone.
    pub across: f64,
}

/// Random pairs as in appendix B: of `n + 1` records the first set lacks the last and the second one the first.
/// Compared at the geodesic fitted to the first set.
pub fn pairs(
    context: &Context,
    sphere: &Sphere,
    n: usize,
    length: f64,
    numbers: std::ops::Range<usize>,
) -> Result<Vec<Pair>, Failure> {
    let one = |i| {
        let (truth, all) = records(sphere, n + 1, length, &mut context.generator("figure 5", i));
        let part = |from: usize| Data { x: all.x[from..from + n].to_vec(), y: all.y[from..from + n].to_vec() };
        let (first, second) = (part(0), part(1));
        compare(sphere, &fit(sphere, &truth, &first)?, &first, &second)
    };
    numbers.into_par_iter().map(one).collect()
}

fn compare(sphere: &Sphere, at: &Geodesic, first: &Data, second: &Data) -> Result<Pair, Failure> {
    let (a, b) = (gradients(sphere, at, first)?, gradients(sphere, at, second)?);
    let tau = a.residuals.iter().chain(&b.residuals).copied().fold(0.0, f64::max);
    let (bound_p, bound_v) = scales(tau, first.x.len(), 1.0);
    let change = |a: &[f64; 3], b: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|i| a[i] - b[i]) };
    let (footpoint, velocity) = (change(&a.footpoint, &b.footpoint), change(&a.velocity, &b.velocity));
    let along = dot(&footpoint, &at.v) / norm(&at.v);
    let across = dot(&footpoint, &cross(&at.p, &at.v)) / norm(&at.v);
    Ok(Pair {
        footpoint: bound_p / norm(&footpoint),
        velocity: bound_v / norm(&velocity),
        along: bound_p / along.abs(),
        across: bound_p / across.abs(),
    })
}

/// Where a record lies: its predictor, and its residual along the geodesic and across it.
pub type Place = (f64, f64, f64);

/// A pair whose other `n − 1` records lie on a geodesic of that length and whose last one lies in one or the other
/// place.
pub fn extreme(sphere: &Sphere, n: usize, length: f64, first: Place, second: Place) -> Result<Pair, Failure> {
    let geodesic = Geodesic { p: [0.0, 0.0, 1.0], v: [length, 0.0, 0.0] };
    let with = |last: Place| -> Result<Data, Failure> {
        let places = (0..n - 1).map(|i| (i as f64 / (n - 1) as f64, 0.0, 0.0)).chain([last]);
        let mut data = Data { x: vec![], y: vec![] };
        for place in places {
            data.x.push(place.0);
            data.y.push(record(sphere, &geodesic, place)?);
        }
        Ok(data)
    };
    compare(sphere, &geodesic, &with(first)?, &with(second)?)
}

/// The response with that residual.
fn record(sphere: &Sphere, geodesic: &Geodesic, (x, along, across): Place) -> Result<[f64; 3], Failure> {
    let mut at = [0.0; 3];
    sphere.exp(&geodesic.p, &geodesic.v.map(|c| x * c), &mut at);
    let direction = moved(sphere, geodesic, at)?.v.map(|c| c / norm(&geodesic.v));
    let beside = cross(&at, &direction);
    let mut y = [0.0; 3];
    let residual: [f64; 3] = std::array::from_fn(|i| along * direction[i] + across * beside[i]);
    sphere.exp(&at, &residual, &mut y);
    Ok(y)
}

/// The privacy loss of one footpoint, drawn from the limit of its chain, between two sets of records. The first record
/// lies behind its prediction in one set and before it in the other, both times at the largest residual. The loss is
/// taken at the footpoint fitted to the former set.
pub fn loss(sphere: &Sphere, fitted: &Geodesic, data: &Data) -> Result<f64, Failure> {
    let tau = gradients(sphere, fitted, data)?.residuals.into_iter().fold(0.0, f64::max);
    let with_first = |along: f64| -> Result<Data, Failure> {
        let mut y = data.y.clone();
        y[0] = record(sphere, fitted, (data.x[0], along, 0.0))?;
        Ok(Data { x: data.x.clone(), y })
    };
    let (behind, before) =
        (Footpoints::new(sphere, fitted, with_first(-tau)?)?, Footpoints::new(sphere, fitted, with_first(tau)?)?);
    let at = behind.fitted.p;
    Ok(behind.log_density(sphere, at)? - before.log_density(sphere, at)?)
}

/// The law of footpoints for one set of records.
struct Footpoints {
    data: Data,
    fitted: Geodesic,
    sigma: f64,
    log_mass: f64,
}

impl Footpoints {
    fn new(sphere: &Sphere, start: &Geodesic, data: Data) -> Result<Self, Failure> {
        let fitted = fit(sphere, start, &data)?;
        let tau = gradients(sphere, &fitted, &data)?.residuals.into_iter().fold(0.0, f64::max);
        let sigma = scales(tau, data.x.len(), EPSILON).0;
        let mut law = Self { data, fitted, sigma, log_mass: 0.0 };
        law.log_mass = law.mass(sphere)?.ln();
        Ok(law)
    }

    fn log_density(&self, sphere: &Sphere, p: [f64; 3]) -> Result<f64, Failure> {
        Ok(-footpoint_potential(sphere, &moved(sphere, &self.fitted, p)?, &self.data, self.sigma)? - self.log_mass)
    }

    /// `∫ e^{−‖∇_p E‖/σ}` in polar coordinates about the fitted footpoint, up to `60σ`: the potential grows by more
    /// than a half for each `σ`.
    fn mass(&self, sphere: &Sphere) -> Result<f64, Failure> {
        const RINGS: usize = 600;
        const SECTORS: usize = 48;
        let width = 60.0 * self.sigma / RINGS as f64;
        let mut mass = 0.0;
        for ring in 0..RINGS {
            let radius = (ring as f64 + 0.5) * width;
            for sector in 0..SECTORS {
                let angle = TAU * sector as f64 / SECTORS as f64;
                let (mut v, mut p) = ([0.0; 3], [0.0; 3]);
                sphere.from_frame(&self.fitted.p, &[radius * angle.cos(), radius * angle.sin()], &mut v);
                sphere.exp(&self.fitted.p, &v, &mut p);
                mass += self.log_density(sphere, p)?.exp() * radius.sin() * width * TAU / SECTORS as f64;
            }
        }
        Ok(mass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `r = 2·cos 1/(1 + cos 1)` for residuals across the geodesic at both ends, and so on: the Jacobi fields' factors
    /// are 1 along the geodesic, `cos x‖v‖` and `sin(x‖v‖)/‖v‖` across.
    #[test]
    fn extreme_pairs_have_the_ratios_of_the_jacobi_fields() {
        let sphere = Sphere::new(2).unwrap();
        let (cos, sin) = (1.0_f64.cos(), 1.0_f64.sin());
        let cases = [
            ((1.0, 0.1, 0.0), (1.0, -0.1, 0.0), 1.0, cos, Some(sin)),
            ((0.0, 0.0, 0.1), (1.0, 0.0, -0.1), 1.0, 2.0 * cos / (1.0 + cos), Some(2.0)),
            ((0.0, 0.0, 0.1), (0.0, 0.0, -0.1), 1.0, cos, None),
            ((1.0, 0.0, 0.1), (1.0, 0.0, -0.1), 1.0, 1.0, Some(1.0)),
            ((1.0, 0.0, 0.1), (1.0, 0.0, -0.1), 0.5, cos / 0.5_f64.cos(), Some(0.5 * sin / 0.5_f64.sin())),
        ];
        for (first, second, length, footpoint, velocity) in cases {
            let pair = extreme(&sphere, 20, length, first, second).unwrap();
            assert!((pair.footpoint - footpoint).abs() < 1e-9, "{first:?}: {} {footpoint}", pair.footpoint);
            assert!(velocity.is_none_or(|v| (pair.velocity - v).abs() < 1e-9), "{first:?}: {}", pair.velocity);
            let (all, none) = if first.1 == 0.0 { (pair.across, pair.along) } else { (pair.along, pair.across) };
            assert!((all - pair.footpoint).abs() < 1e-9 && none > 1e6, "{first:?}: {all} {none}");
        }
    }

    /// For records in one point `∇_p E = −Log_p y` at `v = 0`, so the law is the Laplace law, whose mass on the sphere
    /// is `2πσ²(1 + e^{−π/σ})/(1 + σ²)`.
    #[test]
    fn mass_is_that_of_the_laplace_law() {
        let sphere = Sphere::new(2).unwrap();
        let fitted = Geodesic { p: [0.0, 0.0, 1.0], v: [0.0; 3] };
        let data = Data { x: vec![0.0, 1.0], y: vec![fitted.p; 2] };
        let sigma = 0.01_f64;
        let mass = Footpoints { data, fitted, sigma, log_mass: 0.0 }.mass(&sphere).unwrap();
        let exact = TAU * sigma * sigma / (1.0 + sigma * sigma);
        assert!((mass / exact - 1.0).abs() < 1e-3, "{mass} {exact}");
    }
}
