//! Statistics without privacy, usable alone.

mod descent;
mod frechet_mean;
mod geodesic;
mod geodesic_regression;
mod linear_regression;

pub(crate) use descent::Descent;
pub use frechet_mean::FrechetMean;
pub(crate) use frechet_mean::mean_log;
pub use geodesic::Geodesic;
pub use geodesic_regression::GeodesicRegression;
pub(crate) use geodesic_regression::{Pull, advance, check_predictors};
