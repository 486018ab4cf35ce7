//! Logarithms of many symmetric positive definite matrices of one size: `Logm X` and, seen from a base point
//! `P = L Lᵀ`, `Logm(L⁻¹ X L⁻ᵀ)`.
//!
//! Eight matrices are worked on side by side. Each is Cholesky-factored, `X = C Cᵀ`, and the singular value
//! decomposition of `G = L⁻¹ C` by one-sided Jacobi gives `G Gᵀ = U Σ² Uᵀ`, hence the logarithm `U (ln Σ²) Uᵀ`.
//! Neither `G Gᵀ` nor an inverse is formed, so graded matrices keep their small eigenvalues.
//!
//! The entries of the logarithm are good to about `2⁻⁵⁰` in absolute terms. Where all eigenvalues lie within ½ of 1
//! this is turned into an error relative to the logarithm itself, see [`near_identity`].
//!
//! A result depends on its own matrix only: not on the others, their number or its place among them.

use super::cholesky::cholesky;
use super::eigen::power_of_two;
use super::jacobi::{orthogonalize, tournament};
use super::lanes::{Kernel, Lanes, dispatch};

/// How many matrices are worked on side by side.
const LANES: usize = 8;

/// A matrix that had to be positive definite is not, to working precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotPositiveDefinite {
    /// Its place among the matrices of the call.
    pub(crate) index: usize,
}

/// `Logm X` of each of the `k × k` matrices `X` in `matrices`, into `out`.
///
/// Reads the lower triangles; the results are exactly symmetric.
pub(crate) fn logs(k: usize, matrices: &[f64], out: &mut [f64]) -> Result<(), NotPositiveDefinite> {
    dispatch(Logarithms { k, base: None, matrices, output: Output::Each(out) })
}

/// `Σᵢ wᵢ Logm Xᵢ` over the `k × k` matrices in `matrices`, into `out`; without weights, `wᵢ = 1`.
///
/// The order of summation is a function of the number of matrices alone.
pub(crate) fn log_sum(
    k: usize,
    matrices: &[f64],
    weights: Option<&[f64]>,
    out: &mut [f64],
) -> Result<(), NotPositiveDefinite> {
    dispatch(Logarithms { k, base: None, matrices, output: Output::Sum { weights, out } })
}

/// A base point `P = L Lᵀ` of the affine-invariant geometry, from which others are seen as `L⁻¹ X L⁻ᵀ`.
///
/// `Log_P X = L · Logm(L⁻¹ X L⁻ᵀ) · Lᵀ`, and its Riemannian norm is the Frobenius norm of the logarithm in the middle.
#[derive(Debug, Clone)]
pub(crate) struct Whitening {
    k: usize,
    base: Vec<f64>,
    factor: Vec<f64>,
}

impl Whitening {
    /// The view from `base`; `None` when it is not positive definite to working precision.
    pub(crate) fn new(k: usize, base: &[f64]) -> Option<Self> {
        Some(Self { k, base: base.to_vec(), factor: cholesky(base, k)? })
    }

    /// `L`, lower triangular, row-major.
    pub(crate) fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// `Logm(L⁻¹ X L⁻ᵀ)` of each `X` in `matrices`, into `out`.
    pub(crate) fn logs(&self, matrices: &[f64], out: &mut [f64]) -> Result<(), NotPositiveDefinite> {
        dispatch(Logarithms { k: self.k, base: Some(self), matrices, output: Output::Each(out) })
    }

    /// `Σᵢ wᵢ Logm(L⁻¹ Xᵢ L⁻ᵀ)`, into `out`; without weights, `wᵢ = 1`. The order of summation is a function of the number of
    /// matrices alone.
    pub(crate) fn log_sum(
        &self,
        matrices: &[f64],
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) -> Result<(), NotPositiveDefinite> {
        dispatch(Logarithms { k: self.k, base: Some(self), matrices, output: Output::Sum { weights, out } })
    }
}

/// What becomes of the logarithms.
enum Output<'a> {
    Each(&'a mut [f64]),
    Sum { weights: Option<&'a [f64]>, out: &'a mut [f64] },
}

struct Logarithms<'a> {
    k: usize,
    base: Option<&'a Whitening>,
    matrices: &'a [f64],
    output: Output<'a>,
}

impl Kernel for Logarithms<'_> {
    type Output = Result<(), NotPositiveDefinite>;

    #[inline(always)]
    fn run<const FUSED: bool>(mut self) -> Self::Output {
        if let Output::Sum { out, .. } = &mut self.output {
            out.fill(0.0);
        }
        let size = self.k * self.k;
        if size == 0 {
            return Ok(());
        }
        let n = self.matrices.len() / size;
        // A padded batch of eight takes about as long as two or three matrices alone.
        let in_batches = if n % LANES > 2 { n } else { n - n % LANES };
        self.part::<FUSED, LANES>(0, in_batches)?;
        self.part::<FUSED, 1>(in_batches, n)
    }
}

impl Logarithms<'_> {
    /// The matrices `start..end`, `N` at a time; the last batch is filled up with copies of its last matrix.
    #[inline(always)]
    fn part<const FUSED: bool, const N: usize>(&mut self, start: usize, end: usize) -> Result<(), NotPositiveDefinite> {
        if start == end {
            return Ok(());
        }
        let k = self.k;
        let mut batch = Batch::<N>::new(k);
        for first in (start..end).step_by(N) {
            let count = N.min(end - first);
            let matrices = &self.matrices[first * k * k..(first + count) * k * k];
            batch
                .logarithm::<FUSED>(matrices, self.base)
                .map_err(|lane| NotPositiveDefinite { index: first + lane })?;
            match &mut self.output {
                Output::Each(out) => batch.store(&mut out[first * k * k..(first + count) * k * k]),
                Output::Sum { weights, out } => {
                    let mut w = [0.0; N];
                    match weights {
                        Some(weights) => w[..count].copy_from_slice(&weights[first..first + count]),
                        None => w[..count].fill(1.0),
                    }
                    batch.add_to(Lanes(w), out);
                }
            }
        }
        Ok(())
    }
}

/// `N` matrices side by side and the room to work on them. Matrices are column-major.
struct Batch<const N: usize> {
    k: usize,
    pairs: Vec<(usize, usize)>,
    /// `G` with `W = G Gᵀ`, then `U Σ`.
    g: Vec<Lanes<N>>,
    /// `Σ²`.
    squares: Vec<Lanes<N>>,
    /// `Logm W`, lower triangle.
    log: Vec<Lanes<N>>,
    work: [Vec<Lanes<N>>; 2],
}

impl<const N: usize> Batch<N> {
    fn new(k: usize) -> Self {
        let zeros = |n| vec![Lanes::splat(0.0); n];
        Self {
            k,
            pairs: tournament(k),
            g: zeros(k * k),
            squares: zeros(k),
            log: zeros(k * k),
            work: [zeros(k * k), zeros(k * k)],
        }
    }

    /// The logarithms of the (whitened) matrices, or the first matrix that is not positive definite.
    #[inline(always)]
    fn logarithm<const FUSED: bool>(&mut self, matrices: &[f64], base: Option<&Whitening>) -> Result<(), usize> {
        let k = self.k;
        load(k, matrices, &mut self.g);
        factor::<FUSED, N>(k, &mut self.g)?;
        if let Some(base) = base {
            for (j, column) in self.g.chunks_exact_mut(k).enumerate() {
                forward_substitute::<FUSED, N>(k, &base.factor, j, column);
            }
        }
        let scale = normalize(&mut self.g);
        orthogonalize::<FUSED, N>(k, &self.pairs, &mut self.g, &mut self.squares);
        if let Some(lane) = first_where(&self.squares, |s| !(s > 0.0 && s < f64::INFINITY)) {
            return Err(lane);
        }

        // Σⱼ (ln σⱼ²/σⱼ²) gⱼ gⱼᵀ
        let mut near = [true; N];
        self.log.fill(Lanes::splat(0.0));
        for (g, &square) in self.g.chunks_exact(k).zip(&self.squares) {
            let sigma = square.map(f64::sqrt) * scale;
            let logarithm = sigma.map(|s| 2.0 * s.ln());
            for (near, s) in near.iter_mut().zip(sigma.0) {
                *near &= (0.5..=1.5).contains(&(s * s));
            }
            add_outer::<FUSED, N>(k, logarithm / square, g, g, &mut self.log);
        }
        if near.contains(&true) {
            self.near_identity::<FUSED>(matrices, base, near);
        }
        Ok(())
    }

    /// Replaces the logarithm of the `near` matrices by one whose error is relative to the distance from the identity.
    ///
    /// With `E = W − 1`, formed without cancellation, and the orthogonal `U` that Jacobi found, `UᵀEU = D + F` where `D` is
    /// diagonal and `F` is of the order of rounding errors. To first order in `F`, which is far beyond working precision,
    /// `Uᵀ Logm(1 + E) U = ln(1 + D) + F ∘ Δ` with the divided differences of the logarithm,
    /// `Δᵢⱼ ≈ 1/(1 + (dᵢ + dⱼ)/2)` (Daleckii and Krein).
    #[inline(always)]
    fn near_identity<const FUSED: bool>(&mut self, matrices: &[f64], base: Option<&Whitening>, near: [bool; N]) {
        let k = self.k;
        let zero = Lanes::splat(0.0);
        let [e, product] = &mut self.work;
        load(k, matrices, e);
        match base {
            None => {
                for i in 0..k {
                    e[i * k + i] = e[i * k + i] - Lanes::splat(1.0);
                }
            }
            Some(base) => {
                for (column, base) in e.chunks_exact_mut(k).zip(base.base.chunks_exact(k)) {
                    for (entry, &base) in column.iter_mut().zip(base) {
                        *entry = *entry - Lanes::splat(base);
                    }
                }
                for column in e.chunks_exact_mut(k) {
                    forward_substitute::<FUSED, N>(k, &base.factor, 0, column);
                }
                for i in 0..k {
                    for j in 0..i {
                        e.swap(i * k + j, j * k + i);
                    }
                }
                for column in e.chunks_exact_mut(k) {
                    forward_substitute::<FUSED, N>(k, &base.factor, 0, column);
                }
            }
        }
        let u = &mut self.g;
        for (column, square) in u.chunks_exact_mut(k).zip(&self.squares) {
            let inverse = square.map(|s| 1.0 / s.sqrt());
            for entry in column {
                *entry = *entry * inverse;
            }
        }
        multiply::<FUSED, N>(k, e, u, product);
        // UᵀEU, then its logarithm, in e
        for j in 0..k {
            for i in j..k {
                let entry = (0..k).fold(zero, |sum, m| u[i * k + m].mul_add::<FUSED>(product[j * k + m], sum));
                e[j * k + i] = entry;
                e[i * k + j] = entry;
            }
        }
        for j in 0..k {
            for i in 0..k {
                if i != j {
                    let mean = (e[i * k + i] + e[j * k + j]) * Lanes::splat(0.5);
                    e[j * k + i] = e[j * k + i] / (mean + Lanes::splat(1.0));
                }
            }
        }
        for i in 0..k {
            e[i * k + i] = e[i * k + i].map(f64::ln_1p);
        }
        multiply::<FUSED, N>(k, u, e, product);
        e.fill(zero);
        for (x, y) in product.chunks_exact(k).zip(u.chunks_exact(k)) {
            add_outer::<FUSED, N>(k, Lanes::splat(1.0), x, y, e);
        }
        for (log, corrected) in self.log.iter_mut().zip(e.iter()) {
            for ((log, corrected), near) in log.0.iter_mut().zip(corrected.0).zip(near) {
                if near {
                    *log = corrected;
                }
            }
        }
    }

    /// Writes the logarithms one after the other.
    #[inline(always)]
    fn store(&self, out: &mut [f64]) {
        let k = self.k;
        for (l, out) in out.chunks_exact_mut(k * k).enumerate() {
            for j in 0..k {
                for i in j..k {
                    let x = self.log[j * k + i].0[l];
                    out[i * k + j] = x;
                    out[j * k + i] = x;
                }
            }
        }
    }

    /// `out += Σ wₗ Logm Wₗ`.
    #[inline(always)]
    fn add_to(&self, weights: Lanes<N>, out: &mut [f64]) {
        let k = self.k;
        for j in 0..k {
            for i in j..k {
                let sum: f64 = (self.log[j * k + i] * weights).0.iter().sum();
                out[i * k + j] += sum;
                if i != j {
                    out[j * k + i] += sum;
                }
            }
        }
    }
}

/// Interleaves the matrices; a batch that is not full repeats its last matrix. Takes the lower triangles, fills both.
#[inline(always)]
fn load<const N: usize>(k: usize, matrices: &[f64], out: &mut [Lanes<N>]) {
    let count = matrices.len() / (k * k);
    for l in 0..N {
        let matrix = &matrices[l.min(count - 1) * k * k..][..k * k];
        for i in 0..k {
            for j in 0..=i {
                let x = matrix[i * k + j];
                out[j * k + i].0[l] = x;
                out[i * k + j].0[l] = x;
            }
        }
    }
}

/// Replaces each matrix by its Cholesky factor, zero above the diagonal, or says which one has none.
#[inline(always)]
fn factor<const FUSED: bool, const N: usize>(k: usize, a: &mut [Lanes<N>]) -> Result<(), usize> {
    for j in 0..k {
        let (left, right) = a.split_at_mut((j + 1) * k);
        let column = &mut left[j * k..];
        let pivot = column[j];
        if let Some(lane) = pivot.0.iter().position(|&x| !(x > 0.0 && x < f64::INFINITY)) {
            return Err(lane);
        }
        let root = pivot.map(f64::sqrt);
        column[..j].fill(Lanes::splat(0.0));
        column[j] = root;
        for x in &mut column[j + 1..] {
            *x = *x / root;
        }
        for (l, other) in (j + 1..k).zip(right.chunks_exact_mut(k)) {
            let factor = column[l];
            for (x, &y) in other[l..].iter_mut().zip(&column[l..]) {
                *x = y.mul_sub_from::<FUSED>(factor, *x);
            }
        }
    }
    Ok(())
}

/// `x ← L⁻¹ x` for a vector that is zero before place `start`.
#[inline(always)]
fn forward_substitute<const FUSED: bool, const N: usize>(k: usize, l: &[f64], start: usize, x: &mut [Lanes<N>]) {
    for i in start..k {
        let row = &l[i * k..i * k + i + 1];
        let mut rest = x[i];
        for (&l, &x) in row[start..i].iter().zip(&x[start..i]) {
            rest = Lanes::splat(l).mul_sub_from::<FUSED>(x, rest);
        }
        x[i] = rest / Lanes::splat(row[i]);
    }
}

/// Divides each matrix by a power of two that makes its largest entry lie in [1, 2), and returns these powers.
#[inline(always)]
fn normalize<const N: usize>(g: &mut [Lanes<N>]) -> Lanes<N> {
    let largest = g.iter().fold(Lanes::splat(0.0), |m, x| m.zip(*x, |m, x| f64::max(m, x.abs())));
    let scale = largest.map(power_of_two);
    let inverse = scale.map(|s| 1.0 / s);
    for x in g {
        *x = *x * inverse;
    }
    scale
}

/// `out = A B`.
#[inline(always)]
fn multiply<const FUSED: bool, const N: usize>(k: usize, a: &[Lanes<N>], b: &[Lanes<N>], out: &mut [Lanes<N>]) {
    out.fill(Lanes::splat(0.0));
    for (out, b) in out.chunks_exact_mut(k).zip(b.chunks_exact(k)) {
        for (a, &b) in a.chunks_exact(k).zip(b) {
            for (x, a) in out.iter_mut().zip(a) {
                *x = a.mul_add::<FUSED>(b, *x);
            }
        }
    }
}

/// `out += c · x yᵀ`, lower triangle.
#[inline(always)]
fn add_outer<const FUSED: bool, const N: usize>(
    k: usize,
    c: Lanes<N>,
    x: &[Lanes<N>],
    y: &[Lanes<N>],
    out: &mut [Lanes<N>],
) {
    for (j, (out, &y)) in out.chunks_exact_mut(k).zip(y).enumerate() {
        let cy = c * y;
        for (o, x) in out[j..].iter_mut().zip(&x[j..]) {
            *o = x.mul_add::<FUSED>(cy, *o);
        }
    }
}

/// The first matrix for which one of `values` is as `bad` says.
#[inline(always)]
fn first_where<const N: usize>(values: &[Lanes<N>], bad: impl Fn(f64) -> bool) -> Option<usize> {
    (0..N).find(|&l| values.iter().any(|v| bad(v.0[l])))
}
