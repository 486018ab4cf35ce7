#![doc = include_str!("../README.md")]

pub mod audit;
pub mod ball;
pub mod error;
mod linalg;
pub mod manifold;
pub mod mechanism;
pub mod points;
pub mod privacy;
pub mod regression_release;
pub mod release;
pub mod sampler;
pub mod sensitivity;
pub mod statistic;

pub use ball::Ball;
pub use error::{Error, Result};
pub use manifold::{Manifold, Space};
pub use points::{Points, PointsView};
pub use regression_release::RegressionRelease;
pub use release::Release;

/// The Rust code of the repository's README, which `cargo test` compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;
