//! Statistics without privacy, usable alone.

mod frechet_mean;

pub use frechet_mean::FrechetMean;
