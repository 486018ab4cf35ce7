//! Points and tangent vectors of karcher as cartan holds them.

use nalgebra::{Quaternion, SMatrix, UnitQuaternion, Vector3};

/// How cartan holds the points of a space.
pub struct Form<const R: usize, const C: usize> {
    /// A point.
    pub point: fn(&[f64]) -> SMatrix<f64, R, C>,
    /// A tangent vector at a point.
    pub tangent: fn(&[f64], &[f64]) -> SMatrix<f64, R, C>,
    /// Numbers of a point that are the same for all its representatives.
    pub numbers: fn(&SMatrix<f64, R, C>) -> Vec<f64>,
    /// Whether cartan's transport is that of the Levi-Civita connection.
    pub transports: bool,
    /// The largest difference of two results, relative to the largest number in them.
    pub agree: f64,
}

/// To rounding.
const ROUNDING: f64 = 1e-12;

fn numbers<const R: usize, const C: usize>(x: &SMatrix<f64, R, C>) -> Vec<f64> {
    x.as_slice().to_vec()
}

/// Vectors.
pub fn vector<const N: usize>() -> Form<N, 1> {
    Form {
        point: SMatrix::from_column_slice,
        tangent: |_, v| SMatrix::from_column_slice(v),
        numbers,
        transports: true,
        agree: ROUNDING,
    }
}

/// Symmetric matrices.
pub fn matrix<const K: usize>() -> Form<K, K> {
    Form {
        point: SMatrix::from_column_slice,
        tangent: |_, v| SMatrix::from_column_slice(v),
        numbers,
        transports: true,
        agree: ROUNDING,
    }
}

/// Orthonormal bases, which karcher holds row by row; the subspace is its projector.
pub fn basis<const N: usize, const K: usize>() -> Form<N, K> {
    Form {
        point: SMatrix::from_row_slice,
        tangent: |_, v| SMatrix::from_row_slice(v),
        numbers: |x| (x * x.transpose()).as_slice().to_vec(),
        transports: true,
        agree: 1e-8, // cartan is off by as much (tests/grassmannian.rs)
    }
}

/// Rotations: quaternions here, matrices there. cartan translates vectors from the left.
pub fn rotation() -> Form<3, 3> {
    Form { point: turn, tangent: |q, v| turn(q) * velocity(q, v), numbers, transports: false, agree: ROUNDING }
}

fn quaternion(q: &[f64]) -> Quaternion<f64> {
    Quaternion::new(q[0], q[1], q[2], q[3])
}

fn turn(q: &[f64]) -> SMatrix<f64, 3, 3> {
    UnitQuaternion::from_quaternion(quaternion(q)).to_rotation_matrix().into_inner()
}

/// The skew matrix of `2·Im(q̄v)`.
fn velocity(q: &[f64], v: &[f64]) -> SMatrix<f64, 3, 3> {
    let half: Vector3<f64> = (quaternion(q).conjugate() * quaternion(v)).imag();
    (2.0 * half).cross_matrix()
}
