//! Linear algebra of small matrices: symmetric ones, one at a time and many of one size, and singular values.

mod batch;
mod cholesky;
mod eigen;
mod interleaved;
mod jacobi;
mod lanes;
mod singular;
mod tridiagonal;

pub(crate) use batch::{Whitening, logs};
pub(crate) use cholesky::{cholesky, congruence};
pub(crate) use eigen::{Eigen, eigen};
pub(crate) use lanes::dispatch;
pub(crate) use singular::{Singular, singular};
pub(crate) use tridiagonal::{eigenvalues, tridiagonal_eigenvalues};

#[cfg(test)]
mod tests;
