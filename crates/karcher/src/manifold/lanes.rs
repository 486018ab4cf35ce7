//! Logarithms of many points at once: eight points go through the same operations side by side.
//!
//! Every operation is one of IEEE 754 (`+ − × ÷ √`, never fused), or a function of the `libm` crate, which is made of
//! such operations. So a point's numbers are the same on every machine, whichever vector instructions it has, and
//! neither the other points nor the place among them matter.

use crate::numerics::linalg::dispatch;
use pulp::{Simd, WithSimd};

/// Points that are computed side by side.
const LANES: usize = 8;

/// One number of each point.
pub(super) type Lane = [f64; LANES];

/// Makes the coordinates of points' logarithms at a fixed base.
pub(super) trait Kernel {
    /// Turns the numbers of some points into vectors in the directions of their logarithms, and returns the factors
    /// that make logarithms of them. What the numbers are afterwards does not matter.
    fn directions(&self, x: &mut [Lane], vectors: &mut [Lane]) -> Lane;
}

/// Applies a kernel to points of `point_len` numbers each, one after the other, which have `dim` coordinates each.
pub(super) fn logs(kernel: &impl Kernel, point_len: usize, points: &[f64], dim: usize, coordinates: &mut [f64]) {
    dispatch(Logs { kernel, point_len, points, dim, coordinates });
}

struct Logs<'a, K> {
    kernel: &'a K,
    point_len: usize,
    points: &'a [f64],
    dim: usize,
    coordinates: &'a mut [f64],
}

impl<K: Kernel> WithSimd for Logs<'_, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { kernel, point_len, points, dim, coordinates } = self;
        let (mut x, mut c) = (vec![[0.0; LANES]; point_len], vec![[0.0; LANES]; dim]);
        for (points, coordinates) in points.chunks(LANES * point_len).zip(coordinates.chunks_mut(LANES * dim)) {
            // lanes without a point hold an earlier one's numbers, or zeros; nobody looks at what becomes of them
            for (l, point) in points.chunks_exact(point_len).enumerate() {
                x.iter_mut().zip(point).for_each(|(lane, x)| lane[l] = *x);
            }
            let factors = kernel.directions(&mut x, &mut c);
            for (l, own) in coordinates.chunks_exact_mut(dim).enumerate() {
                own.iter_mut().zip(&c).for_each(|(own, lane)| *own = factors[l] * lane[l]);
            }
        }
    }
}

/// One number for every point from its own.
#[inline(always)]
pub(super) fn each(f: impl Fn(usize) -> f64) -> Lane {
    let mut lane = [0.0; LANES];
    lane.iter_mut().enumerate().for_each(|(l, x)| *x = f(l));
    lane
}

/// `lane ← lane + f`.
#[inline(always)]
pub(super) fn add(lane: &mut Lane, f: impl Fn(usize) -> f64) {
    lane.iter_mut().enumerate().for_each(|(l, x)| *x += f(l));
}

/// The factors that give vectors the lengths of the logarithms whose directions they have: `angle` of a vector's length
/// is the other length, in a ratio that is near 1 where both are near 0. `length_squared` are Euclidean.
#[inline(always)]
pub(super) fn stretch(length_squared: &Lane, angle: impl Fn(usize, f64) -> f64) -> Lane {
    let length = each(|l| length_squared[l].sqrt());
    each(|l| match angle(l, length[l]) {
        arc if arc == 0.0 && length[l] == 0.0 => 1.0,
        arc => arc / length[l],
    })
}
