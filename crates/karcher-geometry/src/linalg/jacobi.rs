//! One-sided Jacobi on a batch of square matrices: rotates the columns of G until they are orthogonal.
//!
//! With `G = U Σ Vᵀ` the columns end as `U Σ`: for a Cholesky factor, `G Gᵀ = A`, that is the spectral decomposition
//! `A = U Σ² Uᵀ`, and `A` is never formed. The error is relative to each eigenvalue, not to the largest, if the entries
//! of the (diagonally scaled) matrix determine it: J. Demmel, K. Veselić, *Jacobi's method is more accurate than QR*,
//! SIAM J. Matrix Anal. Appl. 13 (1992).

use pulp::Simd;

use super::interleaved::dot;
use super::lanes::Lanes;

/// A number of sweeps far beyond what quadratic convergence takes.
const MAX_SWEEPS: usize = 40;

/// Cosines and rotations below this leave cosines of the order of its square.
const SMALL: f64 = 1e-8;

/// The pairs `p < q` of `0..k` in rounds of `⌊k/2⌋` disjoint pairs: a round-robin tournament.
pub(super) fn tournament(k: usize) -> Vec<(usize, usize)> {
    let seats = k.next_multiple_of(2);
    let mut order: Vec<usize> = (0..seats).collect();
    let mut pairs = Vec::with_capacity(k * k / 2);
    for _ in 1..seats {
        for i in 0..seats / 2 {
            let (a, b) = (order[i], order[seats - 1 - i]);
            if a.max(b) < k {
                pairs.push((a.min(b), a.max(b)));
            }
        }
        order[1..].rotate_right(1);
    }
    pairs
}

/// Makes the columns of `g` (column-major, `k × k`) orthogonal; `squares` receives their squared norms.
///
/// Two columns count as orthogonal when the cosine between them is at most `√k·2⁻⁵²`. The work on a matrix ends after a
/// sweep that found all columns orthogonal, or in which all cosines and all rotations were below 10⁻⁸: rotations bring
/// back at most a sum of `k` products of the two. From then on the matrix is left exactly as it is, however many sweeps
/// the others of its batch still need.
///
/// The rotations of one round are independent of each other, so the processor need not wait for one to begin the next.
#[inline(always)]
pub(super) fn orthogonalize<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    pairs: &[(usize, usize)],
    g: &mut [Lanes<S, P>],
    squares: &mut [Lanes<S, P>],
    rotations: &mut [(Lanes<S, P>, Lanes<S, P>)],
) {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let small = Lanes::splat(simd, SMALL);
    let mut tolerance = Lanes::splat(simd, k as f64 * f64::EPSILON * f64::EPSILON);
    for sweep in 0.. {
        for (square, column) in squares.iter_mut().zip(g.chunks_exact(k)) {
            *square = dot(simd, column, column);
        }
        if sweep == MAX_SWEEPS || tolerance.each().iter().all(|t| t.is_infinite()) {
            return;
        }
        let mut largest = zero;
        for round in pairs.chunks_exact((k / 2).max(1)) {
            for (&(p, q), rotation) in round.iter().zip(rotations.iter_mut()) {
                let c = dot(simd, &g[p * k..p * k + k], &g[q * k..q * k + k]);
                let (a, b) = (squares[p], squares[q]);
                let (cos, sin) = rotation_of(simd, a, b, c, tolerance);
                let (cross, sin2, cos2) = ((c + c) * cos * sin, sin * sin, cos * cos);
                squares[p] = a.mul_add(cos2, b.mul_add(sin2, zero - cross));
                squares[q] = b.mul_add(cos2, a.mul_add(sin2, cross));
                *rotation = (cos, sin);
                let cosine = (c * c).if_greater(a * b * small * small, one, zero);
                largest = largest.max(cosine).max(sin.abs());
            }
            for (&(p, q), &(cos, sin)) in round.iter().zip(rotations.iter()) {
                if sin.all_zero() {
                    continue;
                }
                let (head, tail) = g.split_at_mut(q * k);
                for (x, y) in head[p * k..p * k + k].iter_mut().zip(&mut tail[..k]) {
                    let (u, v) = (*x, *y);
                    *x = sin.mul_sub_from(v, cos * u);
                    *y = sin.mul_add(u, cos * v);
                }
            }
        }
        tolerance = largest.if_greater(small, tolerance, Lanes::splat(simd, f64::INFINITY));
    }
}

/// Cosine and sine of the smaller of the two angles that make columns `x`, `y` orthogonal, given `a = ‖x‖²`,
/// `b = ‖y‖²`, `c = xᵀy`: `tan = 2c / (d ± √(d² + 4c²))`, `d = b − a`. No rotation where `c² ≤ tolerance·ab`.
#[inline(always)]
fn rotation_of<S: Simd, const P: usize>(
    simd: S,
    a: Lanes<S, P>,
    b: Lanes<S, P>,
    c: Lanes<S, P>,
    tolerance: Lanes<S, P>,
) -> (Lanes<S, P>, Lanes<S, P>) {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let limit = a * b * tolerance;
    let d = b - a;
    let c2 = c + c;
    let adjacent = d.abs() + d.mul_add(d, c2 * c2).sqrt();
    let opposite = zero.if_greater(d, zero - c2, c2);
    let inverse = one / adjacent.mul_add(adjacent, c2 * c2).sqrt();
    ((c * c).if_greater(limit, adjacent * inverse, one), (c * c).if_greater(limit, opposite * inverse, zero))
}
