//! The same geodesics on the sphere, released with a proof: \[R1\] and \[R3\].

use crate::Failure;
use crate::baseline::sequential::{Data, Geodesic, angle, cross, fit, moved};
use crate::item::Context;
use karcher::manifold::Sphere;
use karcher::mechanism::{PrivateRegression, Request};
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::release::MechanismName;
use karcher::{Ball, BudgetReservation, Manifold, Points, PredictorRange, ReleaseContext};
use rayon::prelude::*;
use std::sync::Arc;

/// Names of the mechanisms.
pub const MECHANISMS: [&str; 2] = ["[R3], exact", "[R1], by a chain"];

/// Public knowledge: records lie in a ball of this radius, the geodesic is no longer than this, and residuals are
/// clipped to this length.
pub const RADIUS: f64 = 0.8;
/// A bound of the length of the shooting vector.
pub const SLOPE: f64 = 1.2;
/// A bound of the residuals.
pub const RESIDUAL: f64 = 0.15;
/// Distance of the ball's center from the geodesic.
pub const OFF: f64 = 0.2;

/// A private geodesic compared with the least squares one.
pub struct Released {
    /// The geodesic from predictor 0.
    pub geodesic: Geodesic,
    /// Distance of the footpoints at predictor 0.
    pub distance: f64,
    /// Angle of the shooting vectors there, in degrees.
    pub angle: f64,
    /// Mean distance of the records from the geodesic's predictions.
    pub error: f64,
}

/// Geodesics released by each mechanism at a total of `ε`. The center of the ball is [`OFF`] away from the middle of
/// the true geodesic.
pub fn releases(
    context: &Context,
    sphere: &Sphere,
    truth: &Geodesic,
    data: &Data,
    epsilon: f64,
    runs: usize,
) -> Result<[Vec<Released>; MECHANISMS.len()], Failure> {
    let n = data.x.len();
    let (p, v) = (truth.p, truth.v);
    let (mut middle, mut center) = ([0.0; 3], [0.0; 3]);
    sphere.exp(&p, &v.map(|c| 0.5 * c), &mut middle);
    sphere.exp(&middle, &cross(&p, &v).map(|c| OFF * c), &mut center);
    let ball = Ball::new(sphere, center.to_vec(), RADIUS)?;
    let regression = PrivateRegression::new(Arc::new(sphere.clone()), ball, PredictorRange::new(0.0, 1.0)?, SLOPE)?
        .residual_bound(RESIDUAL)?;
    let request = Request::new(regression, n, Guarantee::pure(epsilon)?);
    let points = Points::new(sphere, data.y.concat())?;
    let fitted = fit(sphere, truth, data)?;
    let by = |name: &str, mechanism: MechanismName| -> Result<Vec<Released>, Failure> {
        let plan = request.plan_by(mechanism)?;
        let one = |i| {
            let mut context =
                ReleaseContext::new(BudgetReservation::untracked(), context.generator(&format!("{name}, n = {n}"), i));
            let release = plan.run(&Observations::new(&points).with_predictors(&data.x)?, &mut context)?;
            let private = release.geodesic().ok_or("a regression releases a geodesic")?;
            let start = private.geodesic().moved(sphere, -0.5)?; // the footpoint of a release is in the middle
            let geodesic = Geodesic { p: three(&start.footpoint), v: three(&start.velocity) };
            let distances = data.x.iter().zip(&data.y).map(|(x, y)| sphere.dist(&private.predict(sphere, *x), y));
            Ok(Released {
                distance: sphere.dist(&fitted.p, &geodesic.p),
                angle: angle(&geodesic.p, &moved(sphere, &fitted, geodesic.p)?.v, &geodesic.v),
                error: distances.sum::<f64>() / n as f64,
                geodesic,
            })
        };
        (0..runs).into_par_iter().map(one).collect()
    };
    Ok([by("descent", MechanismName::GradientDescent)?, by("joint", MechanismName::Kng)?])
}

fn three(x: &[f64]) -> [f64; 3] {
    std::array::from_fn(|i| x[i])
}
