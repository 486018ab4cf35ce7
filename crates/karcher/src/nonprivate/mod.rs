//! Statistics without privacy, usable alone.

mod descent;
mod frechet_mean;
mod geodesic_regression;
mod geometric_median;
mod iterated;
mod linear_regression;
mod persons;
mod persons_in_parts;
mod reread;
mod sums;
mod uniform_distance;
mod weights;

pub use crate::manifold::Geodesic;
pub(crate) use descent::Descent;
pub use frechet_mean::FrechetMean;
pub(crate) use frechet_mean::mean_log;
pub use geodesic_regression::GeodesicRegression;
pub(crate) use geodesic_regression::advance;
pub use geometric_median::GeometricMedian;
pub use iterated::Iterated;
pub use persons::Persons;
pub use persons_in_parts::{EachKeyed, KeyedBatches, Part, PersonsInParts};
pub use reread::{Reread, Rereadable};
pub use uniform_distance::UniformDistance;
