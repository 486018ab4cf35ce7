#![doc = include_str!("../README.md")]

pub mod ball;
mod elementary;
pub mod embedding;
pub mod error;
mod lattice;
#[cfg(any(test, feature = "laws"))]
pub mod laws;
pub mod linalg;
pub mod manifold;
pub mod points;
mod space;
pub mod vector;

pub use ball::Ball;
pub use embedding::Embedding;
pub use error::{Error, Result};
pub use lattice::Lattice;
pub use manifold::{Manifold, ln_sinc};
pub use points::{Points, PointsView};
pub use space::Space;
