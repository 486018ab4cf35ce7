//! Differentially private statistics of records that live on Riemannian manifolds.

pub mod error;
#[allow(dead_code, unused_imports)]
pub(crate) mod linalg;
pub mod manifold;
pub mod points;

pub use error::{Error, Result};
pub use manifold::{Manifold, Space};
pub use points::{Points, PointsView};
