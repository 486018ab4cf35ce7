//! Statistics without privacy, usable alone.

mod frechet_mean;

pub use frechet_mean::FrechetMean;
pub(crate) use frechet_mean::mean_log;
