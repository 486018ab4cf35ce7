#![doc = include_str!("../README.md")]

mod bessel;
mod calibration;
mod composition;
mod conversion;
mod curved;
mod error;
mod filter;
mod fixed;
mod flat_laplace;
mod guarantee;
mod interval;
mod laplace_divergence;
#[cfg(feature = "manifolds")]
mod manifolds;
pub mod noise;
mod normal;
mod parallel;
mod profile;
mod quadrature;
#[cfg(test)]
mod reference;
pub mod remembered;
pub mod rounding;
mod search;
mod shuffle;

pub use calibration::{GaussianCalibration, gaussian_guarantee_flat, gaussian_scale, laplace_guarantee, laplace_scale};
pub use composition::{compose, compose_at};
pub use conversion::{
    mu_for, mu_for_range, pure_epsilon_for, pure_epsilon_for_rho, range_for_mu, range_for_rho, rho_for, rho_for_range,
};
pub use error::{Error, Result};
pub use filter::Filter;
pub use flat_laplace::{flat_laplace_delta, flat_laplace_epsilon, flat_laplace_guarantee, flat_laplace_scale};
pub use guarantee::{Definition, Guarantee};
pub use laplace_divergence::{flat_laplace_concentrated, flat_laplace_epsilon_for_rho};
#[cfg(feature = "manifolds")]
pub use manifolds::{curved_gaussian_guarantee, curved_gaussian_scale};
pub use parallel::parallel;
pub use profile::{ConstantCurvature, Profile};
pub use shuffle::{shuffled, shuffled_directions, shuffled_rounds};
