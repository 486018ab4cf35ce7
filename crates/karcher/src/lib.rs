#![doc = include_str!("../README.md")]

pub mod audit;
pub mod ball;
pub mod error;
#[cfg(any(test, feature = "laws"))]
pub mod laws;
pub mod manifold;
pub mod mechanism;
pub mod noise;
mod numerics;
pub mod points;
pub mod privacy;
pub mod records;
pub mod release;
pub mod sampler;
pub mod sensitivity;
mod space;
pub mod statistic;

pub use ball::Ball;
pub use error::{Error, Result};
pub use manifold::Manifold;
pub use points::{Points, PointsView};
pub use records::PredictorRange;
pub use release::{Door, Permit, Release};
pub use space::Space;

/// The Rust code of the repository's README, which `cargo test` compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;

/// The Rust code of the guide's chapter on releases.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/releases.md")]
struct GuideOnReleases;
