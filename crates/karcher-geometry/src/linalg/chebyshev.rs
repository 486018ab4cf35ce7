//! Exponentials of tridiagonal matrices side by side, as Chebyshev series: no eigenvectors, no squarings, the same
//! operations for every matrix.
//!
//! With the spectrum of `T` in `[c − R, c + R]` and `X = (T − c)/R`,
//!
//! ```text
//! Expm(T − c) = I₀(R) + 2·Σ Iₙ(R)·Tₙ(X),    n = 1, 2, …
//! ```
//!
//! with modified Bessel functions `Iₙ` and Chebyshev polynomials `Tₙ`. The coefficients add up to `e^R`, and rounding
//! errors are of that order times `2⁻⁵²`. The norm of the result is `e^λ` with the largest eigenvalue `λ` of `T − c`:
//! the loss is `e^(R − λ)`, which good [`bounds`] of the spectrum keep below 2.2, or 3 where the middle is not taken
//! out.
//!
//! In Clenshaw's recurrence `Bₙ = cₙ + 2X·Bₙ₊₁ − Bₙ₊₂` all matrices are symmetric and commute with `X`. So lower
//! triangles need only the entries just above the diagonal from the upper ones, and these are to the left of it. A step
//! takes three products for each entry, and after `n` of them there are `n` diagonals. A few columns at a time go
//! through all steps, in the fastest cache.

// loops by index become vector code
#![allow(clippy::needless_range_loop)]

use pulp::Simd;

use super::householder::Householder;
use super::lanes::Lanes;

/// The degree of the first series; each further one has two more.
const FIRST: usize = 8;

/// The largest `R` for each of the degrees: the omitted terms are below `2⁻⁵⁴(e^R − 1)`, and their effect on the
/// coefficients, which add up to `e^R`, is not much larger.
const RADII: [f64; 15] =
    [0.092, 0.276, 0.592, 1.05, 1.65, 2.38, 3.26, 4.27, 5.41, 6.69, 8.09, 9.62, 11.29, 13.08, 14.99];

/// The degree of the last one, and its `R`: more than [`bounds`] make of a half width of 14.
const HIGHEST: usize = FIRST + 2 * (RADII.len() - 1);
const LARGEST: f64 = RADII[RADII.len() - 1];

/// Matrices with eigenvalues up to this keep their middle, so that errors are relative to them.
const NEAR: f64 = 0.5;

/// How often the intervals in which the ends of the spectrum lie are divided.
const SECTIONS: usize = 3;

/// Columns that are worked on together.
const TOGETHER: usize = 3;

/// One entry of each of these, of every matrix.
type Row<S, const P: usize> = [Lanes<S, P>; TOGETHER];

/// Room for the series.
pub(super) struct Chebyshev<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    /// `c₀ − 1`, `cₙ`.
    coefficients: [Lanes<S, P>; HIGHEST + 1],
    /// `2X`, with zeros behind.
    diagonal: Vec<Lanes<S, P>>,
    off_diagonal: Vec<Lanes<S, P>>,
    /// Some columns of `Bₙ₊₁`, and of `Bₙ₊₂`, which `Bₙ` replaces, from the diagonal on; with zeros behind.
    now: Vec<Row<S, P>>,
    before: Vec<Row<S, P>>,
    /// For each `Bₙ` the entries above that, equal to those to the left of it.
    left: [Row<S, P>; HIGHEST + 1],
}

/// The results of a batch of exponentials, apart from the matrices.
pub(super) struct Exponents<S: Simd, const P: usize> {
    /// `μ`.
    pub(super) middle: Lanes<S, P>,
    /// Whether a result can be trusted.
    pub(super) fits: Vec<bool>,
}

impl<S: Simd, const P: usize> Chebyshev<S, P> {
    pub(super) fn new(simd: S, k: usize) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        let (column, columns) = (vec![zero; k], vec![[zero; TOGETHER]; k + 2 * TOGETHER]);
        Self {
            simd,
            k,
            coefficients: [zero; HIGHEST + 1],
            diagonal: column.clone(),
            off_diagonal: column,
            now: columns.clone(),
            before: columns,
            left: [[zero; TOGETHER]; HIGHEST + 1],
        }
    }

    /// The lower triangles of `Expm(T − μ) − 1`, into `out`, with `μ = 0` where `T` is small.
    #[inline(always)]
    pub(super) fn exponential(&mut self, t: &Householder<S, P>, out: &mut [Lanes<S, P>]) -> Exponents<S, P> {
        let Self { simd, k, ref mut diagonal, ref mut off_diagonal, .. } = *self;
        let (zero, one, half) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0), Lanes::splat(simd, 0.5));
        let [least, largest] = bounds(simd, k, t);
        let size = largest.max(zero - least);
        let large = size.if_greater(Lanes::splat(simd, NEAR), one, zero);
        let middle = large.if_greater(zero, (largest + least) * half, zero);
        let radius = large.if_greater(zero, (largest - least) * half, size);
        let radius = radius.max(Lanes::splat(simd, f64::MIN_POSITIVE));
        let scale = (one + one) / radius;
        let mut sizes = zero;
        for i in 0..k {
            diagonal[i] = (t.diagonal[i] - middle) * scale;
            off_diagonal[i] = t.off_diagonal[i] * scale;
            sizes = sizes + diagonal[i].abs() + off_diagonal[i].abs();
        }
        let degree = self.expand(radius);
        self.sum(degree, out);
        // a sum keeps every NaN, which comparisons may lose
        let fits = |(radius, sizes): (&f64, &f64)| *radius <= LARGEST && *sizes < f64::INFINITY;
        Exponents { middle, fits: radius.each().iter().zip(sizes.each()).map(fits).collect() }
    }

    /// The coefficients of `e^{Rx} − 1`, and the highest degree among the matrices.
    ///
    /// `Iₙ(R) = (R/2)ⁿ/n!·aₙ` with `aₙ₋₁ = aₙ + (R/2)²/(n(n + 1))·aₙ₊₁`, which is stable downwards and may start
    /// anywhere far up (Miller), up to a factor that follows from `e^R = I₀ + 2·Σ Iₙ`. From `1 = I₀ − 2I₂ + 2I₄ − …`
    /// follows `I₀ − 1`, without loss where `R` is small.
    #[inline(always)]
    fn expand(&mut self, radius: Lanes<S, P>) -> usize {
        let Self { simd, ref mut coefficients, .. } = *self;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let mut degrees = Lanes::splat(simd, FIRST as f64);
        for limit in &RADII[..RADII.len() - 1] {
            degrees = degrees + radius.if_greater(Lanes::splat(simd, *limit), one + one, zero);
        }
        let highest = degrees.each().iter().fold(0.0, |most: f64, x| most.max(*x)) as usize;
        let half = radius * 0.5;
        let square = half * half;
        coefficients[highest] = one;
        let mut after = one;
        for n in (1..=highest).rev() {
            // above its degree each matrix has ones
            let reached = degrees.if_greater(Lanes::splat(simd, n as f64 - 0.5), square, zero);
            let now = coefficients[n];
            coefficients[n - 1] = (reached * (1.0 / (n * (n + 1)) as f64)).mul_add(after, now);
            after = now;
        }
        let (mut power, mut sum) = (Lanes::splat(simd, 2.0), coefficients[0]);
        for n in 1..=highest {
            // and from there on nothing
            let reached = degrees.if_greater(Lanes::splat(simd, n as f64 - 0.5), half, zero);
            power = power * (reached * (1.0 / n as f64));
            coefficients[n] = coefficients[n] * power;
            sum = sum + coefficients[n];
        }
        let factor = radius.map(f64::exp) / sum;
        let mut first = zero;
        for n in (1..=highest).rev() {
            coefficients[n] = coefficients[n] * factor;
            if n % 2 == 0 {
                first = coefficients[n] - first;
            }
        }
        coefficients[0] = first;
        highest
    }

    /// Clenshaw's recurrence.
    #[inline(always)]
    fn sum(&mut self, degree: usize, out: &mut [Lanes<S, P>]) {
        let Self { simd, k, ref coefficients, ref diagonal, ref off_diagonal, .. } = *self;
        let zero = Lanes::splat(simd, 0.0);
        let (mut now, mut before) = (&mut self.now[..], &mut self.before[..]);
        self.left[..=degree].fill([zero; TOGETHER]);
        for c in (0..k).step_by(TOGETHER) {
            now[..k - c + TOGETHER].fill([zero; TOGETHER]);
            before[..k - c + TOGETHER].fill([zero; TOGETHER]);
            let (d, e) = (&diagonal[c..k], &off_diagonal[c..k]);
            let mut side = if c > 0 { off_diagonal[c - 1] } else { zero };
            let mut left = [zero; TOGETHER];
            for (n, entry) in self.left[..=degree].iter_mut().enumerate().rev() {
                if n == 0 {
                    // half of the last product: the series itself
                    side = side * 0.5;
                    for x in now.iter_mut() {
                        for b in 0..TOGETHER {
                            x[b] = x[b] * 0.5;
                        }
                    }
                }
                for b in 0..TOGETHER {
                    before[b][b] = before[b][b] - coefficients[n];
                }
                // further below there are zeros
                step(side, left, d, e, now, &mut before[..(TOGETHER + degree - n).min(k - c)]);
                std::mem::swap(&mut now, &mut before);
                left = *entry;
                for b in 0..TOGETHER {
                    entry[b] = now[TOGETHER + b][TOGETHER - 1];
                }
            }
            for b in 0..TOGETHER.min(k - c) {
                for (out, x) in out[(c + b) * k + c + b..(c + b + 1) * k].iter_mut().zip(&now[b..]) {
                    *out = x[b];
                }
            }
        }
    }
}

/// `before ← 2X·now − before`, in some rows of some columns: `up` is the row of `now` above these, and `e_up` the entry
/// of `2X` that leads to it.
#[inline(always)]
fn step<S: Simd, const P: usize>(
    mut e_up: Lanes<S, P>,
    mut up: Row<S, P>,
    d: &[Lanes<S, P>],
    e: &[Lanes<S, P>],
    now: &[Row<S, P>],
    before: &mut [Row<S, P>],
) {
    let n = before.len();
    let (d, e, down) = (&d[..n], &e[..n], &now[1..][..n]);
    let mut here = now[0];
    for i in 0..n {
        let (below, d, e, mut x) = (down[i], d[i], e[i], before[i]);
        for b in 0..TOGETHER {
            x[b] = e.mul_add(below[b], d.mul_add(here[b], e_up * up[b] - x[b]));
        }
        before[i] = x;
        (e_up, up, here) = (e, here, below);
    }
}

/// Bounds of the least and the largest eigenvalue of `T`, off by at most 0.053 half widths of the spectrum.
///
/// By Gershgorin's discs the largest eigenvalue lies in `[max tᵢᵢ, max(tᵢᵢ + |tᵢᵢ₋₁| + |tᵢᵢ₊₁|)]`. Half the width `h`
/// is the norm of `T − c` for some `c`. So a row without its diagonal entry has at most the norm `h`, and the interval
/// at most the length `√2·h`. The pivots of `x − T` are positive where `x` is above all eigenvalues, and only there:
/// each of the sections leaves a third of the interval. So for the least eigenvalue, with `T − x`.
#[inline(always)]
fn bounds<S: Simd, const P: usize>(simd: S, k: usize, t: &Householder<S, P>) -> [Lanes<S, P>; 2] {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let (d, e) = (&t.diagonal[..k], &t.off_diagonal[..k]);
    // a bound, and a number that is none, of the least and the largest
    let (mut bounds, mut within) = ([d[0]; 2], [d[0]; 2]);
    let mut side = zero;
    for i in 0..k {
        let other = e[i].abs();
        let (x, reach) = (d[i], side + other);
        bounds = [bounds[0].min(x - reach), bounds[1].max(x + reach)];
        within = [within[0].min(x), within[1].max(x)];
        side = other;
    }
    for _ in 0..SECTIONS {
        let (mut thirds, mut points) = ([zero; 2], [[zero; 2]; 2]);
        for end in 0..2 {
            thirds[end] = (within[end] - bounds[end]) * (1.0 / 3.0);
            points[end][0] = bounds[end] + thirds[end];
            points[end][1] = points[end][0] + thirds[end];
        }
        let (mut pivots, mut positive) = ([[one; 2]; 2], [[one; 2]; 2]);
        let mut square = zero;
        for i in 0..k {
            for end in 0..2 {
                for p in 0..2 {
                    let x = if end == 0 { d[i] - points[end][p] } else { points[end][p] - d[i] };
                    pivots[end][p] = x - square / pivots[end][p];
                    positive[end][p] = pivots[end][p].if_greater(zero, positive[end][p], zero);
                }
            }
            square = e[i] * e[i];
        }
        for end in 0..2 {
            bounds[end] = (positive[end][0] + positive[end][1]).mul_add(thirds[end], bounds[end]);
            within[end] = bounds[end] + thirds[end];
        }
    }
    bounds
}
