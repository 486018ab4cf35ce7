//! What everything above computes with: matrices, the source of randomness. Knows nothing of manifolds.

mod generator;
pub(crate) mod linalg;

pub use generator::Generator;
pub(crate) use generator::unit_vector;
