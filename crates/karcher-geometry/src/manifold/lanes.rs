//! Logarithms of many points at once: eight points go through the same operations side by side.
//!
//! Every operation is one of IEEE 754 (`+ − × ÷ √`, never fused), or a function of `elementary.rs`, which is made of
//! such operations. So a point's numbers are the same on every machine, whichever vector instructions it has, and
//! neither the other points nor the place among them matter.

use crate::linalg::dispatch;
use pulp::{Simd, WithSimd};

/// Points that are computed side by side.
const LANES: usize = 8;

/// One number of each point.
pub(super) type Lane = [f64; LANES];

/// Makes the coordinates of points' logarithms at a fixed base.
pub(super) trait Kernel {
    /// Turns the numbers of some points into vectors in the directions of their logarithms. Returns the squares of the
    /// vectors' Euclidean lengths, and the second argument of [`angle`](Kernel::angle). Leaves `x` unspecified.
    fn directions(&self, x: &mut [Lane], vectors: &mut [Lane]) -> [Lane; 2];

    /// The length of the logarithm, from that of the vector; their ratio is near 1 where both are near 0. Without
    /// branches.
    fn angle(&self, length: f64, cosine: f64) -> f64;
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
        // common lengths are compiled each by itself, for processors with vector registers
        match (point_len, dim) {
            (2, 1) if S::F64_LANES > 1 => {
                blocks(kernel, &mut [[0.0; LANES]; 2], points, &mut [[0.0; LANES]; 1], coordinates)
            }
            (3, 2) if S::F64_LANES > 1 => {
                blocks(kernel, &mut [[0.0; LANES]; 3], points, &mut [[0.0; LANES]; 2], coordinates)
            }
            (4, 3) if S::F64_LANES > 1 => {
                blocks(kernel, &mut [[0.0; LANES]; 4], points, &mut [[0.0; LANES]; 3], coordinates)
            }
            _ => {
                let (mut x, mut c) = (vec![[0.0; LANES]; point_len], vec![[0.0; LANES]; dim]);
                blocks(kernel, &mut x, points, &mut c, coordinates);
            }
        }
    }
}

/// Points whose angles are computed in one loop.
const BLOCK: usize = 8 * LANES;

#[inline(always)]
fn blocks(kernel: &impl Kernel, x: &mut [Lane], points: &[f64], c: &mut [Lane], coordinates: &mut [f64]) {
    let (point_len, dim) = (x.len(), c.len());
    let [mut squared, mut cosine] = [[0.0; BLOCK]; 2];
    for (points, coordinates) in points.chunks(BLOCK * point_len).zip(coordinates.chunks_mut(BLOCK * dim)) {
        let groups = points.chunks(LANES * point_len).zip(coordinates.chunks_mut(LANES * dim));
        for (group, (points, coordinates)) in groups.enumerate() {
            // lanes without a point hold an earlier one's numbers, or zeros; their results are never read
            for (l, point) in points.chunks_exact(point_len).enumerate() {
                x.iter_mut().zip(point).for_each(|(lane, x)| lane[l] = *x);
            }
            let [square, cos] = kernel.directions(x, c);
            for (l, own) in coordinates.chunks_exact_mut(dim).enumerate() {
                own.iter_mut().zip(&*c).for_each(|(own, lane)| *own = lane[l]);
            }
            squared[group * LANES..][..LANES].copy_from_slice(&square);
            cosine[group * LANES..][..LANES].copy_from_slice(&cos);
        }
        // the squares become the factors that give the vectors the lengths of the logarithms
        for (squared, cosine) in squared.iter_mut().zip(&cosine) {
            let length = squared.sqrt();
            let arc = kernel.angle(length, *cosine);
            let ratio = arc / length;
            *squared = if arc == 0.0 && length == 0.0 { 1.0 } else { ratio };
        }
        for (own, factor) in coordinates.chunks_exact_mut(dim).zip(&squared) {
            own.iter_mut().for_each(|own| *own *= factor);
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
