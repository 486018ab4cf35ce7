//! Differentially private statistics of records that live on Riemannian manifolds.

pub mod error;
pub mod manifold;
pub mod points;
pub mod privacy;

pub use error::{Error, Result};
pub use manifold::{Manifold, Space};
pub use points::{Points, PointsView};
pub use privacy::Guarantee;
