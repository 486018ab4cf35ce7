//! Draws from probability laws on manifolds, exact wherever that is possible: a proof of pure differential privacy
//! needs an exact draw, a Markov chain adds an unknown error. [`Metropolis`] is for what has no exact sampler.

mod averaged;
pub mod diagnostics;
mod distance;
mod isotropic;
mod log_concave;
mod metropolis;
mod walk;

pub use crate::numerics::Generator;
pub use distance::DistanceLaw;
pub use isotropic::{Isotropic, Law};
pub use metropolis::{Chains, Metropolis};
pub use walk::{ManifoldWalk, RandomWalk, TangentBundleWalk};

/// Stand-in.
pub(crate) fn wrapped_distance(
    manifold: &std::sync::Arc<dyn crate::manifold::Manifold>, _radius: f64, law: Law, scale: f64,
) -> crate::Result<DistanceLaw> {
    let flat = std::sync::Arc::new(crate::manifold::Euclidean::new(manifold.dim())?);
    Ok(Isotropic::new(flat, law, scale)?.distance()?.within(manifold.diameter()))
}
