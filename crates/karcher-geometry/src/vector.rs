//! Lists of numbers as vectors of `R^n`, and their sums in one order on every machine.

use crate::manifold::vector;
pub use crate::manifold::vector::unit_vector;

/// `Σ aᵢbᵢ`, of slices of one length.
///
/// ```
/// assert_eq!(karcher_geometry::vector::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    vector::dot(a, b)
}

/// The Euclidean norm `‖a‖`.
///
/// ```
/// assert_eq!(karcher_geometry::vector::norm(&[3.0, 4.0]), 5.0);
/// ```
#[inline]
pub fn norm(a: &[f64]) -> f64 {
    vector::norm(a)
}

/// `‖a − b‖`, of slices of one length.
///
/// ```
/// assert_eq!(karcher_geometry::vector::norm_of_difference(&[3.0, 4.0], &[0.0, 0.0]), 5.0);
/// ```
#[inline]
pub fn norm_of_difference(a: &[f64], b: &[f64]) -> f64 {
    vector::norm_of_difference(a, b)
}

/// `a += αb`, of slices of one length.
///
/// ```
/// let mut a = [1.0, 2.0];
/// karcher_geometry::vector::add_scaled(&mut a, 2.0, &[1.0, 1.0]);
/// assert_eq!(a, [3.0, 4.0]);
/// ```
#[inline]
pub fn add_scaled(a: &mut [f64], alpha: f64, b: &[f64]) {
    vector::add_scaled(a, alpha, b);
}
