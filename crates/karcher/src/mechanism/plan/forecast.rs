//! Forecasts of a release, from public quantities.

use crate::release::MechanismName;
use serde::Serialize;

/// Expected errors of the companion statistics of a mean, from public quantities.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{ErrorForecast, PrivateFrechetMean, Request, Spread}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let request = Request::new(mean, 1_000, Guarantee::pure(1.0)?).spread(Some(Spread::default()));
/// let [ErrorForecast::Spread { mean_square, .. }] = request.plan()?.forecasts()[..] else { panic!("a spread was asked for") };
/// // Laplace noise of scale c²/(n·ε/8), c = 2r = 1, exceeds ln 20 times that with 5 %
/// assert!((mean_square / (20.0_f64.ln() * 8.0 / 1_000.0) - 1.0).abs() < 1e-6);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorForecast {
    /// Forecast of a [`PrivateSpread`](crate::release::PrivateSpread).
    Spread {
        /// Bound at which distances are cut off.
        clip: f64,
        /// Error of the mean square that noise exceeds with a probability of at most 5 %: a squared distance.
        mean_square: f64,
        /// The same for the fraction of the records outside the ball.
        fraction_outside: f64,
    },
    /// Forecast of [`PrivateComponents`](crate::release::PrivateComponents).
    Components {
        /// Length to which logarithms are shortened.
        clip: f64,
        /// The scale of the noise on the second moment, a squared distance.
        scale: f64,
        /// Approximate size of the largest variance that noise alone produces.
        noise_level: f64,
    },
}

impl ErrorForecast {
    /// The smallest distance that exceeds the noise level: a smaller spread, or deviation along a component, may be
    /// noise.
    pub fn told_from_noise(&self) -> f64 {
        match self {
            ErrorForecast::Spread { mean_square, .. } => mean_square.sqrt(),
            ErrorForecast::Components { noise_level, .. } => noise_level.sqrt(),
        }
    }
}

/// A rehearsal of a mean in a located ball, with a made-up cloud. All of it is public. Its numbers are estimates, not
/// bounds.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{Plan, PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher::release::MechanismName;
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 100.0)?)?;
/// let plan = Request::new(mean, 10_000, Guarantee::pure(1.0)?).expected_spread(Some(2.0))?.plan()?;
/// let rehearsed = plan.summary().rehearsed.ok_or("a smaller ball pays")?;
/// assert_eq!((plan.name(), rehearsed.mechanism), (MechanismName::TwoStage, MechanismName::Laplace));
/// assert!(rehearsed.center < 1.0 && rehearsed.radius < 6.0 && plan.expected_distance() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RehearsedBall {
    /// The root mean square distance of the cloud from its mean: the request's expected spread.
    pub expected_spread: f64,
    /// Root mean square distance between the located center and the cloud's median.
    pub center: f64,
    /// Median of the located radius.
    pub radius: f64,
    /// The expected error of the mean in the ball, relative to the mean of the clipped records.
    pub noise: f64,
    /// Distance by which clipping to the ball moves the mean.
    pub clipping: f64,
    /// The mechanism of the mean in a ball of that radius.
    pub mechanism: MechanismName,
}

/// Behaviour of chains of a release's length on made-up records. It shows how well they converge; the same figures of
/// the private chain would depend on the records.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{KNormGradient, Plan, PrivateFrechetMean}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let kng = KNormGradient::new(&mean, 1_000, Guarantee::pure(1.0)?)?;
/// // steps are taken if and only if there is something to rehearse
/// assert_eq!(kng.rehearsal_steps() > 0, !kng.is_exact());
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Rehearsal {
    /// Number of chains.
    pub chains: usize,
    /// Steps before a chain's state is released.
    pub steps: usize,
    /// Split-R̂ of the distance from the mean: 1 for chains that have forgotten their start; more than 1.01 is bad.
    pub r_hat: f64,
    /// Effective sample size of as many further steps of all chains, for the law's center.
    pub ess_bulk: f64,
    /// The same for its tails.
    pub ess_tail: f64,
}
