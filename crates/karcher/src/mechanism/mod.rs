//! Mechanisms: a statistic, its sensitivity and a sampler make a [`Release`](crate::Release).
//!
//! ```
//! use karcher::{Ball, Points, manifold::Sphere, mechanism::{PrivateFrechetMean, laplace}, sampler::Generator};
//! let sphere = Sphere::new(2)?;
//! let records = Points::new(&sphere, [0.6, 0.0, 0.8].repeat(100))?;
//! let ball = Ball::new(&sphere, vec![0.0, 0.0, 1.0], 0.7)?; // public: chosen without looking at the records
//! let summary = PrivateFrechetMean::new(&sphere, ball).summarize(&records)?;
//! let noise = laplace(&sphere, summary.sensitivity().value(), 1.0)?;
//! let release = summary.release(&noise, &mut Generator::from_os()?)?;
//! println!("{:?}, off by {} on average", release.value(), release.expected_distance());
//! # Ok::<(), karcher::Error>(())
//! ```

mod auto;
mod centered;
mod certain;
mod clipped;
mod contraction;
mod gaussian;
mod karcher_flow;
mod kng;
mod laplace;
mod lattice;
mod noise;
mod regression;
mod summary;

pub use auto::{Candidate, Prepared, auto, best, candidates};
pub use gaussian::{gaussian, gaussian_of_scale};
pub use karcher_flow::{KarcherFlow, Step};
pub use kng::{KNormGradient, Rehearsal};
pub use laplace::{laplace, laplace_for, laplace_of_scale};
pub(crate) use lattice::Lattice;
pub use noise::Noise;
pub use regression::{
    JointRegression, LinearRegression, PredictorRange, PreparedRegression, PrivateRegression, RegressionDescent,
};
pub use summary::{PrivateFrechetMean, Summary};
