#![doc = include_str!("../README.md")]

pub mod audit;
pub mod error;
pub mod facts;
pub mod features;
pub mod field;
pub mod key;
pub mod list;
pub mod mechanism;
pub mod nonprivate;
pub mod records;
mod registry;
pub mod release;
pub mod sampler;
pub mod sensitivity;
pub mod series;
pub mod spec;
pub mod statistics;
pub mod synthesis;

pub use error::{Error, Result};
pub use karcher_geometry as geometry;
#[cfg(feature = "laws")]
pub use karcher_geometry::laws;
pub use karcher_geometry::{
    Ball, Embedding, Lattice, Manifold, Points, PointsView, Space, ball, embedding, linalg, manifold, points, vector,
};
pub use karcher_privacy as privacy;
pub use karcher_privacy::noise;
pub use key::Key;
pub use records::PredictorRange;
pub use release::{BudgetReservation, Release, ReleaseContext};
pub use spec::ReleaseSpec;

/// The Rust code of the repository's README, which `cargo test` compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;

/// The Rust code of the guide's chapter on releases.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/releases.md")]
struct GuideOnReleases;

/// The Rust code of the guide's page on regression on features.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/regression-on-features.md")]
struct GuideOnFeatures;
