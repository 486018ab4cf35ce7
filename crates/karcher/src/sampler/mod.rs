//! Draws from probability laws on manifolds, exact wherever that is possible: a proof of pure differential privacy needs
//! an exact draw, a Markov chain would add an unknown error.

mod generator;
mod isotropic;
mod log_concave;

pub use generator::Generator;
pub use isotropic::{Isotropic, Law};
