//! Draws from probability laws on manifolds, exact wherever that is possible: a proof of pure differential privacy needs
//! an exact draw, a Markov chain would add an unknown error.

mod distance;
mod generator;
mod isotropic;
mod log_concave;

pub use distance::DistanceLaw;
pub use generator::Generator;
pub use isotropic::{Isotropic, Law};
