//! Lists of numbers as vectors of `R^n`, and their sums in one order on every machine.

use crate::linalg::dispatch_wide;
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

/// Numbers of single precision as those of double precision, exactly.
///
/// ```
/// assert_eq!(karcher_geometry::vector::widened(&[0.5, 3.0]), [0.5, 3.0]);
/// ```
pub fn widened(a: &[f32]) -> Vec<f64> {
    let mut out = vec![0.0; a.len()];
    widen(a, &mut out);
    out
}

/// Writes [`widened`] numbers, to a slice of the same length.
///
/// ```
/// let mut out = [0.0];
/// karcher_geometry::vector::widen(&[0.5], &mut out);
/// assert_eq!(out, [0.5]);
/// ```
pub fn widen(a: &[f32], out: &mut [f64]) {
    dispatch_wide(Widen { a, out });
}

/// Wide registers ask for more of memory at a time.
struct Widen<'a> {
    a: &'a [f32],
    out: &'a mut [f64],
}

impl pulp::WithSimd for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        for (out, a) in self.out.iter_mut().zip(self.a) {
            *out = f64::from(*a);
        }
    }
}
