//! Mechanisms: a statistic, its sensitivity and a sampler make a [`Release`](crate::Release).

mod gaussian;
mod laplace;
mod summary;

pub use gaussian::{expected_distance as gaussian_expected_distance, gaussian};
pub use laplace::{expected_distance as laplace_expected_distance, laplace};
pub use summary::{PrivateFrechetMean, Summary};
