//! Draws from probability laws on manifolds, exact wherever that is possible: a proof of pure differential privacy
//! needs an exact draw, a Markov chain adds an unknown error. [`Metropolis`] is for what has no exact sampler.

mod averaged;
pub mod diagnostics;
mod distance;
mod isotropic;
mod log_concave;
mod metropolis;
mod walk;
#[allow(dead_code)] // used by the chart mechanism
mod wrapped;

pub use crate::numerics::Generator;
pub use distance::DistanceLaw;
pub use isotropic::{Isotropic, Law};
pub use metropolis::{Chains, Metropolis};
pub use walk::{ManifoldWalk, RandomWalk, TangentBundleWalk};
#[allow(unused_imports)] // used by the chart mechanism
pub(crate) use wrapped::wrapped_distance;
