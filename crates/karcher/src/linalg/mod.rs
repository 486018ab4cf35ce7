//! Linear algebra of small symmetric matrices: one at a time and many of one size.

mod batch;
mod cholesky;
mod eigen;
mod interleaved;
mod jacobi;
mod lanes;

pub(crate) use batch::{NotPositiveDefinite, Whitening, log_sum, logs};
pub(crate) use cholesky::{cholesky, congruence, inverse_lower, solve_lower};
pub(crate) use eigen::{Eigen, eigen};

#[cfg(test)]
mod tests;
