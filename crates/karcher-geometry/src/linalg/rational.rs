//! Logarithms of tridiagonal matrices side by side, as sums of inverses: no eigenvalues, no iteration, the same
//! operations for every matrix.
//!
//! `ln x ≈ (x − 1)·Σ wⱼ/(x + tⱼ)` ([`LEVELS`]). The inverse of a tridiagonal matrix `T + t` is, below its diagonal, a
//! product of numbers: with the pivots `qᵢ = dᵢ + t − eᵢ²/qᵢ₊₁` from the last row up and `mᵢ = −eᵢ₋₁/qᵢ`,
//!
//! ```text
//! (T + t)⁻¹ᵢⱼ = mᵢ·(T + t)⁻¹ᵢ₋₁ⱼ  (i > j),    gᵢ = (T + t)⁻¹ᵢᵢ = 1/qᵢ + mᵢ²·gᵢ₋₁.
//! ```
//!
//! Poles are far from the spectrum relative to its distance from 0, so the sums lose nothing. The loss is that of the
//! tridiagonal form, `2⁻⁵²` times the condition number.

use pulp::Simd;
use std::f64::consts::{LN_2, SQRT_2};

use super::householder::Householder;
use super::lanes::Lanes;
use super::poles::{LEVELS, Level};

/// Poles whose inverses are added up together.
const TOGETHER: usize = 4;

/// One number for each of four poles, of every matrix.
type Four<S, const P: usize> = [Lanes<S, P>; TOGETHER];

/// Room for the sums.
pub(super) struct Rational<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    /// `mᵢ`.
    factors: Vec<Four<S, P>>,
    /// `wⱼ·gᵢ`.
    diagonals: Vec<Four<S, P>>,
    pivots: Vec<Lanes<S, P>>,
}

/// The spectra of a batch of matrices, and the approximation of each logarithm.
pub(super) struct Plan<S: Simd, const P: usize> {
    /// The matrices are `2^m(1 + T)`; `m·ln 2`.
    shift: Lanes<S, P>,
    /// The middle of the spectrum of `1 + T`, in the geometric sense.
    middle: Lanes<S, P>,
    /// 1 where the logarithm is a multiple of `T`, which makes its error relative to `T`; else 0.
    near: Lanes<S, P>,
    /// The approximation; `None` where the spectrum is too wide or not positive.
    levels: Vec<Option<&'static Level>>,
}

impl<S: Simd, const P: usize> Plan<S, P> {
    /// A bound of the square root of each matrix' condition number, up to the approximation that covers it: `∞` where
    /// none does.
    pub(super) fn spread(&self, lane: usize) -> f64 {
        self.levels[lane].map_or(f64::INFINITY, |level| level.spread)
    }
}

/// Divides matrices (lower triangles, column-major) by powers of two, such that their mean eigenvalues are near 1, and
/// subtracts 1. The matrices are 1 plus the given ones if `less_one`. Returns the logarithms of the powers.
#[inline(always)]
pub(super) fn normalize<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    a: &mut [Lanes<S, P>],
    less_one: bool,
) -> Lanes<S, P> {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let offset = if less_one { one } else { zero };
    let mut trace = zero;
    for i in 0..k {
        trace = trace + (a[i * k + i] + offset);
    }
    let [inverse, logarithm] = powers(simd, k, trace);
    // matrices that need no scaling keep their entries to the last bit
    let is_one = (inverse - one).abs();
    for c in 0..k {
        let column = &mut a[c * k + c..(c + 1) * k];
        let scaled = (column[0] + offset) * inverse - one;
        column[0] = if less_one { is_one.if_greater(zero, scaled, column[0]) } else { scaled };
        for x in &mut column[1..] {
            *x = *x * inverse;
        }
    }
    logarithm
}

/// The inverse powers of two by which [`normalize`] multiplies matrices of this trace, and the logarithms of the powers.
#[inline(always)]
fn powers<S: Simd, const P: usize>(simd: S, k: usize, trace: Lanes<S, P>) -> [Lanes<S, P>; 2] {
    let zero = Lanes::splat(simd, 0.0);
    let (mut inverse, mut logarithm) = (trace * Lanes::splat(simd, SQRT_2 / k as f64), zero);
    for (x, logarithm) in inverse.each_mut().iter_mut().zip(logarithm.each_mut()) {
        let exponent = (x.to_bits() >> 52) as i64; // what is negative or no number is found out later
        *x = f64::from_bits((2046_i64.saturating_sub(exponent).clamp(1, 2045) as u64) << 52);
        *logarithm = (exponent - 1023) as f64 * LN_2;
    }
    [inverse, logarithm]
}

/// [`normalize`] of tridiagonal matrices, less 1.
#[inline(always)]
pub(super) fn normalize_tridiagonal<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    t: &mut Householder<S, P>,
) -> Lanes<S, P> {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let mut trace = zero;
    for i in 0..k {
        trace = trace + (t.diagonal[i] + one);
    }
    let [inverse, logarithm] = powers(simd, k, trace);
    let is_one = (inverse - one).abs();
    for i in 0..k {
        let x = t.diagonal[i];
        t.diagonal[i] = is_one.if_greater(zero, (x + one) * inverse - one, x);
        t.off_diagonal[i] = t.off_diagonal[i] * inverse;
    }
    logarithm
}

impl<S: Simd, const P: usize> Rational<S, P> {
    pub(super) fn new(simd: S, k: usize) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        Self {
            simd,
            k,
            factors: vec![[zero; TOGETHER]; k],
            diagonals: vec![[zero; TOGETHER]; k],
            pivots: vec![zero; k],
        }
    }

    /// How to compute the logarithms of `2^m(1 + T)`.
    #[inline(always)]
    pub(super) fn plan(&mut self, t: &Householder<S, P>, shift: Lanes<S, P>) -> Plan<S, P> {
        let (least, largest) = self.bounds(t);
        let mut plan = Plan {
            shift,
            middle: (largest * least).sqrt(),
            near: Lanes::splat(self.simd, 0.0),
            levels: vec![None; Lanes::<S, P>::COUNT],
        };
        let spread = (largest / least).sqrt();
        for l in 0..Lanes::<S, P>::COUNT {
            let (least, largest) = (least.each()[l], largest.each()[l]);
            if !(least > 0.0 && largest < f64::INFINITY) {
                continue;
            }
            let mut spread = spread.each()[l];
            if least > 0.5 && largest < 2.0 && shift.each()[l] == 0.0 {
                plan.middle.each_mut()[l] = 1.0;
                plan.near.each_mut()[l] = 1.0;
                spread = 2.0;
            }
            plan.levels[l] = LEVELS.iter().find(|level| spread <= level.spread);
        }
        plan
    }

    /// Bounds of the spectra of `1 + T`. With mean and standard deviation `μ`, `σ` of `k` numbers the largest is at
    /// most `μ + σ√(k − 1)` (Samuelson); these follow from the traces of a matrix and its square. So for the
    /// eigenvalues, and for their inverses; the largest eigenvalue is also bounded by Gershgorin's discs.
    #[inline(always)]
    fn bounds(&mut self, t: &Householder<S, P>) -> (Lanes<S, P>, Lanes<S, P>) {
        let Self { simd, k, ref mut pivots, .. } = *self;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let (d, e) = (&t.diagonal[..k], &t.off_diagonal[..k]);
        let (mut trace, mut square, mut discs) = (zero, zero, zero);
        let mut positive = one;
        for i in (0..k).rev() {
            let x = d[i] + one;
            let (mut pivot, mut reach) = (x, zero);
            trace = trace + x;
            square = x.mul_add(x, square);
            if i + 1 < k {
                square = (e[i] + e[i]).mul_add(e[i], square);
                pivot = (e[i] * e[i]).mul_sub_from(pivots[i + 1], x);
                reach = e[i].abs();
            }
            if i > 0 {
                reach = reach + e[i - 1].abs();
            }
            discs = discs.max(x + reach);
            positive = pivot.if_greater(zero, positive, zero);
            pivots[i] = one / pivot; // of the inverse from here on
        }
        // the traces of the inverse and of its square: its diagonal `g`, and the rest of it, squared, `h`
        let (mut g, mut h, mut inverse_trace, mut inverse_square) = (zero, zero, zero, zero);
        for i in 0..k {
            if i > 0 {
                let factor = e[i - 1] * pivots[i];
                let factor = factor * factor;
                h = factor * g.mul_add(g, h);
                g = factor.mul_add(g, pivots[i]);
            } else {
                g = pivots[0];
            }
            inverse_trace = inverse_trace + g;
            inverse_square = g.mul_add(g, inverse_square) + h + h;
        }
        let largest = largest_of(simd, k, trace, square);
        let largest = largest.if_greater(discs, discs, largest);
        let least = one / largest_of(simd, k, inverse_trace, inverse_square);
        (positive.if_greater(zero, least, zero), largest)
    }

    /// The lower triangles of `Logm(2^m(1 + T))`, into `log`. Matrices without an approximation get any numbers.
    #[inline(always)]
    pub(super) fn logarithm(&mut self, t: &Householder<S, P>, plan: &Plan<S, P>, log: &mut [Lanes<S, P>]) {
        let Self { simd, k, .. } = *self;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        log.fill(zero);
        let mut constant = zero;
        let poles = plan.levels.iter().flatten().map(|level| level.poles.len()).max().unwrap_or(0);
        for first in (0..poles).step_by(TOGETHER) {
            // matrices with fewer poles add nothing
            let (mut at, mut weight) = ([one; TOGETHER], [zero; TOGETHER]);
            for l in 0..Lanes::<S, P>::COUNT {
                let middle = plan.middle.each()[l];
                let poles = plan.levels[l].and_then(|level| level.poles.get(first..first + TOGETHER));
                for (b, &(t, w)) in poles.unwrap_or_default().iter().enumerate() {
                    at[b].each_mut()[l] = t * middle;
                    if plan.near.each()[l] > 0.0 {
                        weight[b].each_mut()[l] = w;
                    } else {
                        weight[b].each_mut()[l] = -w * (1.0 + t) * middle;
                        constant.each_mut()[l] += w;
                    }
                }
            }
            for t in &mut at {
                *t = *t + one;
            }
            self.add_inverses(t, at, weight, log);
        }
        let near = plan.near;
        if near.each().iter().any(|&near| near > 0.0) {
            multiply_where(simd, k, t, near, log);
        }
        let shift = near.if_greater(zero, zero, constant + plan.middle.map(f64::ln) + plan.shift);
        for i in 0..k {
            log[i * k + i] = log[i * k + i] + shift;
        }
    }

    /// Adds `Σ w(T + t)⁻¹` over four poles to the lower triangle of `sum`.
    #[inline(always)]
    fn add_inverses(&mut self, tridiagonal: &Householder<S, P>, t: Four<S, P>, w: Four<S, P>, sum: &mut [Lanes<S, P>]) {
        let Self { simd, k, ref mut factors, ref mut diagonals, .. } = *self;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let (d, e) = (&tridiagonal.diagonal[..k], &tridiagonal.off_diagonal[..k]);
        let mut inverse = [zero; TOGETHER];
        for i in (0..k).rev() {
            let below = if i + 1 < k { e[i] } else { zero };
            let square = below * below;
            let above = if i > 0 { zero - e[i - 1] } else { zero };
            for b in 0..TOGETHER {
                inverse[b] = one / square.mul_sub_from(inverse[b], d[i] + t[b]);
                factors[i][b] = above * inverse[b];
                diagonals[i][b] = inverse[b] * w[b];
            }
        }
        for i in 1..k {
            for b in 0..TOGETHER {
                let m = factors[i][b];
                diagonals[i][b] = (m * m).mul_add(diagonals[i - 1][b], diagonals[i][b]);
            }
        }
        // two columns at a time, so that the processor need not wait for products
        let mut c = 0;
        while c + 2 <= k {
            let (left, right) = sum[c * k..(c + 2) * k].split_at_mut(k);
            let (mut p, mut q) = (diagonals[c], diagonals[c + 1]);
            left[c] = left[c] + total(p);
            for b in 0..TOGETHER {
                p[b] = p[b] * factors[c + 1][b];
            }
            left[c + 1] = left[c + 1] + total(p);
            right[c + 1] = right[c + 1] + total(q);
            for ((x, y), m) in left[c + 2..].iter_mut().zip(&mut right[c + 2..]).zip(&factors[c + 2..]) {
                for b in 0..TOGETHER {
                    p[b] = p[b] * m[b];
                    q[b] = q[b] * m[b];
                }
                *x = *x + total(p);
                *y = *y + total(q);
            }
            c += 2;
        }
        if c < k {
            sum[c * k + c] = sum[c * k + c] + total(diagonals[c]);
        }
    }
}

/// A bound of the largest of `k` numbers with that sum and that sum of squares.
#[inline(always)]
fn largest_of<S: Simd, const P: usize>(simd: S, k: usize, sum: Lanes<S, P>, square: Lanes<S, P>) -> Lanes<S, P> {
    let mean = sum * Lanes::splat(simd, 1.0 / k as f64);
    let variance = (square - sum * mean).max(Lanes::splat(simd, 0.0)) * Lanes::splat(simd, 1.0 / k as f64);
    mean + (variance * Lanes::splat(simd, k as f64 - 1.0)).sqrt()
}

#[inline(always)]
fn total<S: Simd, const P: usize>(x: Four<S, P>) -> Lanes<S, P> {
    (x[0] + x[1]) + (x[2] + x[3])
}

/// `M ← T M` where `chosen`, for `M` that commutes with `T`.
#[inline(always)]
fn multiply_where<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    t: &Householder<S, P>,
    chosen: Lanes<S, P>,
    m: &mut [Lanes<S, P>],
) {
    let zero = Lanes::splat(simd, 0.0);
    let (d, e) = (&t.diagonal, &t.off_diagonal);
    // from the last column, so that the entry above the diagonal, which is one of the column before, is still the old
    for c in (0..k).rev() {
        let mut above = if c > 0 { m[(c - 1) * k + c] } else { zero };
        for r in c..k {
            let now = m[c * k + r];
            let mut x = d[r] * now;
            if r > 0 {
                x = e[r - 1].mul_add(above, x);
            }
            if r + 1 < k {
                x = e[r].mul_add(m[c * k + r + 1], x);
            }
            above = now;
            m[c * k + r] = chosen.if_greater(zero, x, now);
        }
    }
}
