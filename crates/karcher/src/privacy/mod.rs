//! What is promised: definitions of privacy, what one implies of another, what many releases add up to, and the noise
//! that a promise needs.
//!
//! Rounding goes outward throughout. A reported guarantee is never below the true one, and a calibrated scale never
//! below the one that is needed, as far as the arithmetic of this module is concerned; the error bounds of the special
//! functions in use are stated where they are used.
//!
//! ```
//! use karcher::privacy::{GaussianCalibration, Guarantee, compose, gaussian_guarantee_flat, gaussian_scale};
//!
//! let request = Guarantee::approximate(1.0, 1e-6)?;
//! let scale = gaussian_scale(0.01, &request, GaussianCalibration::Analytic)?;
//! let once = gaussian_guarantee_flat(0.01, scale)?;
//! assert!(once.delta(1.0)? <= 1e-6);
//!
//! let twice = compose(&[once, once])?;
//! assert!(twice.delta(1.0)? > 1e-6);
//! # Ok::<(), karcher::Error>(())
//! ```

mod calibration;
mod composition;
mod conversion;
mod curved;
mod filter;
mod fixed;
mod guarantee;
mod normal;
mod parallel;
mod profile;
#[cfg(test)]
mod reference;

pub use calibration::{GaussianCalibration, gaussian_guarantee_flat, gaussian_scale, laplace_guarantee, laplace_scale};
pub use composition::{compose, compose_at};
pub use conversion::{mu_for, pure_epsilon_for, pure_epsilon_for_rho, rho_for};
pub(crate) use curved::curved_laplace_scale;
pub use curved::{curved_gaussian_guarantee, curved_gaussian_scale};
pub use filter::Filter;
pub use guarantee::{Definition, Guarantee};
pub use parallel::parallel;
pub use profile::{ConstantCurvature, Profile};
