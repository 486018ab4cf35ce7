//! One-sided Jacobi on a batch of square matrices: rotates the columns of G until they are orthogonal.
//!
//! With `G = U Σ Vᵀ` the columns end as `U Σ`: for a Cholesky factor, `G Gᵀ = A`, that is the spectral decomposition
//! `A = U Σ² Uᵀ` without `A` ever having been formed. The error is relative to each eigenvalue, not to the largest,
//! as far as the entries of the (diagonally scaled) matrix determine it: J. Demmel, K. Veselić, *Jacobi's method is
//! more accurate than QR*, SIAM J. Matrix Anal. Appl. 13 (1992).

use super::lanes::Lanes;

/// Far beyond what convergence, which is quadratic, ever takes.
const MAX_SWEEPS: usize = 40;

/// The pairs `p < q` of `0..k` in rounds of disjoint pairs (a round-robin tournament), so that consecutive rotations
/// do not wait for each other.
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
/// Two columns count as orthogonal when the cosine between them is at most `√k·2⁻⁵²`. A matrix whose columns all are
/// is left exactly as it is, however many sweeps the others of its batch still need.
#[inline(always)]
pub(super) fn orthogonalize<const FUSED: bool, const N: usize>(
    k: usize,
    pairs: &[(usize, usize)],
    g: &mut [Lanes<N>],
    squares: &mut [Lanes<N>],
) {
    let tolerance = (k as f64).sqrt() * f64::EPSILON;
    for _ in 0..MAX_SWEEPS {
        for (square, column) in squares.iter_mut().zip(g.chunks_exact(k)) {
            *square = dot::<FUSED, N>(column, column);
        }
        let mut rotated = false;
        for &(p, q) in pairs {
            let (head, tail) = g.split_at_mut(q * k);
            let (x, y) = (&mut head[p * k..p * k + k], &mut tail[..k]);
            let (a, b, c) = (squares[p], squares[q], dot::<FUSED, N>(x, y));
            let limit = (a * b).map(|ab| tolerance * ab.sqrt());
            let c = c.zip(limit, |c, limit| if c.abs() > limit { c } else { 0.0 });
            if c.0.iter().all(|&c| c == 0.0) {
                continue;
            }
            rotated = true;
            // tan of the angle that makes the columns orthogonal, the smaller of the two: 2c / (d ± √(d² + 4c²)), d = b − a
            let d = b - a;
            let c2 = c + c;
            let root = d.mul_add::<FUSED>(d, c2 * c2).map(f64::sqrt);
            let denominator = root.zip(d, |root, d| root + d.abs());
            let signed = d.zip(c2, |d, c2| if d < 0.0 { -c2 } else { c2 });
            let t = signed.zip(denominator, |s, den| if s == 0.0 { 0.0 } else { s / den });
            let cos = t.mul_add::<FUSED>(t, Lanes::splat(1.0)).map(|s| 1.0 / s.sqrt());
            let sin = t * cos;
            for (x, y) in x.iter_mut().zip(y) {
                let (u, v) = (*x, *y);
                *x = sin.mul_sub_from::<FUSED>(v, cos * u);
                *y = sin.mul_add::<FUSED>(u, cos * v);
            }
            squares[p] = t.mul_sub_from::<FUSED>(c, a);
            squares[q] = t.mul_add::<FUSED>(c, b);
        }
        if !rotated {
            return;
        }
    }
}

/// `Σ xᵢ yᵢ`.
#[inline(always)]
fn dot<const FUSED: bool, const N: usize>(x: &[Lanes<N>], y: &[Lanes<N>]) -> Lanes<N> {
    let mut sums = [Lanes::splat(0.0); 2];
    let (x2, y2) = (x.chunks_exact(2), y.chunks_exact(2));
    let last = x2.remainder().first().zip(y2.remainder().first());
    for (x, y) in x2.zip(y2) {
        sums[0] = x[0].mul_add::<FUSED>(y[0], sums[0]);
        sums[1] = x[1].mul_add::<FUSED>(y[1], sums[1]);
    }
    if let Some((&x, &y)) = last {
        sums[0] = x.mul_add::<FUSED>(y, sums[0]);
    }
    sums[0] + sums[1]
}
