//! What everything above computes with: matrices, directed rounding, searches, integrals, the source of randomness.
//! Knows nothing of manifolds.

pub(crate) mod elementary;
mod generator;
pub(crate) mod linalg;
pub(crate) mod quadrature;
pub(crate) mod rounding;
pub(crate) mod search;

pub use generator::Generator;
pub(crate) use generator::unit_vector;
