//! Draws from probability laws on manifolds, exact wherever that is possible: a proof of pure differential privacy
//! needs an exact draw, and a Markov chain adds an unknown error. [`Metropolis`] is for laws without an exact sampler.

mod averaged;
pub mod diagnostics;
mod distance;
mod isotropic;
mod log_concave;
mod metropolis;
mod walk;
mod wrapped;

pub use crate::noise::{Generator, Law};
pub use distance::DistanceLaw;
pub use isotropic::Isotropic;
pub use metropolis::{Chains, Metropolis};
pub use walk::{ManifoldWalk, RandomWalk, TangentBundleWalk};
pub(crate) use wrapped::wrapped_distance;
