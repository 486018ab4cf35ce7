//! Linear algebra of small matrices: symmetric ones, one at a time and many of one size, and singular values.

mod affine;
mod chebyshev;
mod cholesky;
mod complex;
mod congruences;
mod eigen;
mod exponentials;
mod graded;
mod hermitian;
mod householder;
mod interleaved;
mod jacobi;
mod lanes;
mod logarithms;
mod poles;
mod rational;
mod singular;
mod symmetric;
mod transpose;
mod tridiagonal;
mod two_sided;
mod whitening;

pub(crate) use affine::{Operation, affine, clearly_positive_definite};
pub(crate) use cholesky::{cholesky, congruence};
pub(crate) use congruences::congruences;
pub use eigen::{Eigen, eigen};
pub(crate) use hermitian::{clearly_hermitian_definite, hermitian_distances};
pub(crate) use lanes::{Lanes, dispatch, dispatch_wide, vectorize, vectorize_wide};
pub(crate) use logarithms::{add_certain_logs, logs};
pub(crate) use singular::{Singular, singular};
pub(crate) use symmetric::are_symmetric;
pub(crate) use transpose::{one_by_one, side_by_side};
pub(crate) use tridiagonal::{eigenvalues, tridiagonal_eigenvalues};
pub(crate) use whitening::Whitening;

#[cfg(test)]
mod tests;
