//! Two-sided Jacobi on very small matrices side by side: everything stays in registers.

use pulp::Simd;

use super::lanes::Lanes;

/// Up to this size it is faster than anything else.
pub(super) const LARGEST: usize = 4;

/// A number of sweeps far beyond what quadratic convergence takes.
const MAX_SWEEPS: usize = 30;

/// Below this, relative to the diagonal entries, an off-diagonal entry is rounding: `(2⁻⁵³)²`.
const NEGLIGIBLE: f64 = 0.25 * f64::EPSILON * f64::EPSILON;

/// `A = Σ λᵢ vᵢ vᵢᵀ`.
pub(super) struct Spectrum<S: Simd, const P: usize, const K: usize> {
    pub(super) values: [Lanes<S, P>; K],
    pub(super) vectors: [[Lanes<S, P>; K]; K],
}

/// The spectral decomposition of matrices from their lower triangles. Entries negligible relative to the geometric mean
/// of their two diagonal entries, or to the whole matrix where these vanish, are not rotated away. So eigenvalues of
/// graded positive definite matrices have small relative errors. From then on a matrix is left as it is, however many
/// sweeps the others still need.
///
/// Rounding between two equal diagonal entries would be rotated by 45°. That mixes eigenvectors of one eigenvalue in each
/// sweep, and convergence would be linear.
#[inline(always)]
pub(super) fn spectrum<S: Simd, const P: usize, const K: usize>(simd: S, a: &[Lanes<S, P>]) -> Spectrum<S, P, K> {
    let (zero, one, least) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0), Lanes::splat(simd, f64::MIN_POSITIVE));
    let (mut m, mut v) = ([[zero; K]; K], [[zero; K]; K]);
    for c in 0..K {
        m[c][c..].copy_from_slice(&a[c * K + c..(c + 1) * K]);
        v[c][c] = one;
    }
    let limit = |x: Lanes<S, P>, y: Lanes<S, P>| ((x * y).abs() * Lanes::splat(simd, NEGLIGIBLE)).max(least);
    for _ in 0..MAX_SWEEPS {
        let mut rotate = zero;
        for p in 0..K {
            for q in p + 1..K {
                rotate = (m[p][q] * m[p][q]).if_greater(limit(m[p][p], m[q][q]), one, rotate);
            }
        }
        if rotate.all_zero() {
            break;
        }
        for p in 0..K {
            for q in p + 1..K {
                // the smaller of the two angles that make the entry vanish
                let (entry, limit) = (m[p][q], limit(m[p][p], m[q][q]));
                let square = entry * entry;
                let x = limit.if_greater(square, zero, entry);
                let difference = m[q][q] - m[p][p];
                let twice = x + x;
                let adjacent = difference.abs() + difference.mul_add(difference, twice * twice).sqrt();
                let adjacent = adjacent.max(least);
                let opposite = rotate.if_greater(zero, zero.if_greater(difference, zero - twice, twice), zero);
                let tangent = opposite / adjacent;
                let cos = one / tangent.mul_add(tangent, one).sqrt();
                let sin = tangent * cos;
                m[p][p] = tangent.mul_sub_from(x, m[p][p]);
                m[q][q] = tangent.mul_add(x, m[q][q]);
                m[p][q] = limit.if_greater(square, entry, zero);
                for r in 0..K {
                    if r != p && r != q {
                        let (i, j) = (r.min(p), r.max(p));
                        let (k, l) = (r.min(q), r.max(q));
                        let (x, y) = (m[i][j], m[k][l]);
                        m[i][j] = sin.mul_sub_from(y, cos * x);
                        m[k][l] = sin.mul_add(x, cos * y);
                    }
                }
                let (head, tail) = v.split_at_mut(q);
                for (x, y) in head[p].iter_mut().zip(&mut tail[0]) {
                    (*x, *y) = (sin.mul_sub_from(*y, cos * *x), sin.mul_add(*x, cos * *y));
                }
            }
        }
    }
    let mut values = [zero; K];
    for i in 0..K {
        values[i] = m[i][i];
    }
    Spectrum { values, vectors: v }
}

impl<S: Simd, const P: usize, const K: usize> Spectrum<S, P, K> {
    /// The lower triangle of `Σ fᵢ vᵢ vᵢᵀ`.
    #[inline(always)]
    pub(super) fn compose(&self, simd: S, images: &[Lanes<S, P>; K], out: &mut [Lanes<S, P>]) {
        for c in 0..K {
            for r in c..K {
                let mut x = Lanes::splat(simd, 0.0);
                for (v, image) in self.vectors.iter().zip(images) {
                    x = (v[c] * *image).mul_add(v[r], x);
                }
                out[c * K + r] = x;
            }
        }
    }
}
