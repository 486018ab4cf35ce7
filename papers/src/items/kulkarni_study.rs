//! Records about a geodesic on the sphere and private geodesics from the published scheme: the basis of figures 1, 2, 3
//! and 6.

use crate::Failure;
use crate::baseline::sequential::{
    Chain, Data, Geodesic, Run, angle, dot, fit, footpoints, gradients, norm, scales, velocities,
};
use crate::item::{Context, summary};
use karcher::Manifold;
use karcher::manifold::Sphere;
use karcher::sampler::Generator;
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// Records in figures 1, 2, 3 and 5.
pub const N: usize = 20;
/// The length of the shooting vector, which the paper does not state: the constants `cos 1` and `sin 1` are for this
/// one.
pub const LENGTH: f64 = 1.0;
/// Budget of each of the two releases.
pub const EPSILON: f64 = 1.0;
/// Variance of the errors in each coordinate.
const VARIANCE: f64 = 0.001;

/// Settings of records and chains.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Number of records.
    pub n: usize,
    /// Length of the true shooting vector.
    pub length: f64,
    /// Footpoints, and shooting vectors of each.
    pub draws: usize,
    /// Steps before the first of them.
    pub burn_in: usize,
    /// Radii of the steps of both chains. Left out they are `2σ` and `6σ`: appendix A has them proportional to `σ`.
    pub radii: Option<(f64, f64)>,
}

/// Private geodesics compared with the least squares one.
pub struct Study {
    /// The geodesic about which the records are drawn.
    pub truth: Geodesic,
    /// The records.
    pub data: Data,
    /// The least squares geodesic.
    pub fitted: Geodesic,
    /// One private geodesic.
    pub private: Geodesic,
    /// Distances of private footpoints from the fitted one.
    pub distances: Vec<f64>,
    /// Angles of the shooting vectors of the first footpoint, in degrees.
    pub angles: Vec<f64>,
    /// For each footpoint the mean absolute error, averaged over its shooting vectors.
    pub errors: Vec<f64>,
    /// Mean absolute error of the least squares geodesic.
    pub least: f64,
    /// Radii of the steps of both chains.
    pub radii: (f64, f64),
    /// Shares of accepted candidates: of footpoints, and of shooting vectors.
    pub acceptance: (f64, f64),
}

/// Figures 2 and 3 for one set of records.
pub fn study(context: &Context, sphere: &Sphere, setting: Setting) -> Result<Study, Failure> {
    let Setting { n, draws, .. } = setting;
    let mut generator = context.generator("records", n);
    let scheme = Scheme::new(sphere, setting, &mut generator)?;
    let footpoints = scheme.footpoints(sphere, draws, &mut generator)?;
    let each = footpoints.states.par_iter().enumerate().map(|(i, start)| -> Result<_, Failure> {
        let mut generator = context.generator(&format!("velocities, n = {n}"), i);
        let chain = scheme.velocities(sphere, start, &mut generator)?;
        let errors = chain.states.iter().map(|geodesic| error(sphere, geodesic, &scheme.data));
        let errors = errors.collect::<Result<Vec<f64>, Failure>>()?;
        Ok((angles(start, &chain.states), summary(&errors).0, chain.states[draws - 1].clone(), chain.acceptance))
    });
    let each = each.collect::<Result<Vec<_>, Failure>>()?;
    let acceptance: Vec<f64> = each.iter().map(|(.., acceptance)| *acceptance).collect();
    Ok(Study {
        distances: footpoints.states.iter().map(|state| sphere.dist(&scheme.fitted.p, &state.p)).collect(),
        angles: each[0].0.clone(),
        errors: each.iter().map(|(_, error, ..)| *error).collect(),
        least: error(sphere, &scheme.fitted, &scheme.data)?,
        private: each[draws - 1].2.clone(),
        radii: scheme.radii,
        acceptance: (footpoints.acceptance, summary(&acceptance).0),
        truth: scheme.truth,
        fitted: scheme.fitted,
        data: scheme.data,
    })
}

/// For each of so many sets of records: the standard deviation of the angles at one private footpoint, as in figure 2,
/// and the mean absolute error of least squares.
pub fn repeated(context: &Context, sphere: &Sphere, setting: Setting, sets: usize) -> Result<Vec<(f64, f64)>, Failure> {
    let one = |i| {
        let mut generator = context.generator("repeated", i); // the same errors for every length
        let scheme = Scheme::new(sphere, setting, &mut generator)?;
        let footpoint = &scheme.footpoints(sphere, 1, &mut generator)?.states[0];
        let chain = scheme.velocities(sphere, footpoint, &mut generator)?;
        Ok((summary(&angles(footpoint, &chain.states)).1, error(sphere, &scheme.fitted, &scheme.data)?))
    };
    (0..sets).into_par_iter().map(one).collect()
}

/// The published scheme for one set of records.
struct Scheme {
    setting: Setting,
    truth: Geodesic,
    data: Data,
    fitted: Geodesic,
    scales: (f64, f64),
    radii: (f64, f64),
}

impl Scheme {
    fn new(sphere: &Sphere, setting: Setting, generator: &mut Generator) -> Result<Self, Failure> {
        let (truth, data) = records(sphere, setting.n, setting.length, generator);
        let fitted = fit(sphere, &truth, &data)?;
        let tau = gradients(sphere, &fitted, &data)?.residuals.into_iter().fold(0.0, f64::max);
        let scales = scales(tau, setting.n, EPSILON);
        let radii = setting.radii.unwrap_or((2.0 * scales.0, 6.0 * scales.1));
        Ok(Self { setting, truth, data, fitted, scales, radii })
    }

    fn footpoints(&self, sphere: &Sphere, keep: usize, generator: &mut Generator) -> Result<Chain, Failure> {
        let run = Run { radius: self.radii.0, burn_in: self.setting.burn_in, keep };
        footpoints(sphere, &self.fitted, &self.data, self.scales.0, &run, generator)
    }

    fn velocities(&self, sphere: &Sphere, start: &Geodesic, generator: &mut Generator) -> Result<Chain, Failure> {
        let run = Run { radius: self.radii.1, burn_in: self.setting.burn_in, keep: self.setting.draws };
        velocities(sphere, start, &self.data, self.scales.1, &run, generator)
    }
}

/// A random geodesic, points along it at equal steps, and normal errors, normalised (section 4.1).
pub fn records(sphere: &Sphere, n: usize, length: f64, generator: &mut Generator) -> (Geodesic, Data) {
    let mut normal = || -> [f64; 3] { std::array::from_fn(|_| generator.sample(StandardNormal)) };
    let unit = |v: [f64; 3]| v.map(|c| c / norm(&v));
    let p = unit(normal());
    let u = normal();
    let along = dot(&u, &p);
    let v = unit(std::array::from_fn(|i| u[i] - along * p[i])).map(|c| length * c);
    let x: Vec<f64> = (0..n).map(|i| i as f64 / (n - 1) as f64).collect();
    let y = x
        .iter()
        .map(|x| {
            let mut at = [0.0; 3];
            sphere.exp(&p, &v.map(|c| x * c), &mut at);
            let error = normal();
            unit(std::array::from_fn(|i| at[i] + VARIANCE.sqrt() * error[i]))
        })
        .collect();
    (Geodesic { p, v }, Data { x, y })
}

/// Mean distance of the records from the geodesic's predictions.
fn error(sphere: &Sphere, geodesic: &Geodesic, data: &Data) -> Result<f64, Failure> {
    Ok(summary(&gradients(sphere, geodesic, data)?.residuals).0)
}

/// Angles of shooting vectors with the fitted one, which `start` has at the same footpoint.
fn angles(start: &Geodesic, states: &[Geodesic]) -> Vec<f64> {
    states.iter().map(|state| angle(&start.p, &start.v, &state.v)).collect()
}
