//! Logarithms of many symmetric positive definite matrices of one size: `Logm X` and, seen from a base point
//! `P = L Lᵀ`, `Logm(L⁻¹ X L⁻ᵀ)`.
//!
//! Several matrices are worked on side by side. Each is Cholesky-factored, `X = C Cᵀ`, and the singular value
//! decomposition of `G = L⁻¹ C` by one-sided Jacobi gives `G Gᵀ = U Σ² Uᵀ`, hence the logarithm `U (ln Σ²) Uᵀ`.
//! Neither `G Gᵀ` nor an inverse is formed, so graded matrices keep their small eigenvalues.
//!
//! The entries of the logarithm are good to about `κ·2⁻⁵²` in absolute terms, `κ` being the condition number that is
//! left after rows and columns have been scaled to a unit diagonal: grading costs nothing. Where all eigenvalues lie
//! within ½ of 1 this is turned into an error relative to the logarithm itself, see [`Batch::near_identity`].
//!
//! A result depends on its own matrix only: not on the others, their number or its place among them.

use pulp::{Simd, WithSimd};

use super::cholesky::{cholesky, congruence, whiten};
use super::interleaved::{
    factor, forward_substitute, load, multiply, multiply_transposed, normalize, transposed_multiply, whiten_each,
};
use super::jacobi::{orthogonalize, tournament};
use super::lanes::{Lanes, dispatch};

/// Where all eigenvalues are within this distance of 1, the error is made relative to the logarithm.
const NEAR: f64 = 0.5;

/// A matrix that had to be positive definite is not, to working precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotPositiveDefinite {
    /// Its place among the matrices of the call.
    pub(crate) index: usize,
}

/// `Logm X` of each of the `k × k` matrices `X` in `matrices`, into `out`.
///
/// Reads the lower triangles; the results are exactly symmetric. After an error `out` is unspecified.
pub(crate) fn logs(k: usize, matrices: &[f64], out: &mut [f64]) -> Result<(), NotPositiveDefinite> {
    dispatch(Logarithms { k, base: None, matrices, out })
}

/// A base point `P = L Lᵀ` of the affine-invariant geometry, from which others are seen as `L⁻¹ X L⁻ᵀ`.
///
/// `Log_P X = L · Logm(L⁻¹ X L⁻ᵀ) · Lᵀ`, and the Riemannian inner product at `P` is the Frobenius product of whitened
/// vectors.
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

    /// `L⁻¹ V L⁻ᵀ` for symmetric `V`, exactly symmetric, into `out`.
    pub(crate) fn whiten(&self, v: &[f64], out: &mut [f64]) {
        whiten(&self.factor, v, self.k, out);
    }

    /// `L V Lᵀ` for symmetric `V`, exactly symmetric, into `out`.
    pub(crate) fn unwhiten(&self, v: &[f64], out: &mut [f64]) {
        congruence(&self.factor, v, self.k, out);
    }

    /// `Logm(L⁻¹ X L⁻ᵀ)` of each `X` in `matrices`, into `out`.
    pub(crate) fn logs(&self, matrices: &[f64], out: &mut [f64]) -> Result<(), NotPositiveDefinite> {
        dispatch(Logarithms { k: self.k, base: Some(self), matrices, out })
    }
}

struct Logarithms<'a> {
    k: usize,
    base: Option<&'a Whitening>,
    matrices: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Logarithms<'_> {
    type Output = Result<(), NotPositiveDefinite>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        // two registers hide more latency, as long as the matrices fit in the fastest cache and there are enough of
        // them
        if self.k <= 20 && self.matrices.len() > S::F64_LANES * self.k * self.k {
            self.run::<S, 2>(simd)
        } else {
            self.run::<S, 1>(simd)
        }
    }
}

impl Logarithms<'_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> Result<(), NotPositiveDefinite> {
        let Self { k, base, matrices, out } = self;
        if matrices.is_empty() {
            return Ok(());
        }
        let size = k * k;
        let mut batch = Batch::<S, P>::new(simd, k);
        let mut first = 0;
        for matrices in matrices.chunks(Lanes::<S, P>::COUNT * size) {
            let end = first + matrices.len() / size;
            batch.logarithm(matrices, base).map_err(|lane| NotPositiveDefinite { index: first + lane })?;
            batch.store(&mut out[first * size..end * size]);
            first = end;
        }
        Ok(())
    }
}

/// Matrices side by side and the room to work on them.
struct Batch<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    pairs: Vec<(usize, usize)>,
    rotations: Vec<(Lanes<S, P>, Lanes<S, P>)>,
    /// `G` with `W = G Gᵀ`; then `U Σ`, then `U`.
    g: Vec<Lanes<S, P>>,
    /// `Σ²`.
    squares: Vec<Lanes<S, P>>,
    /// `Logm W`, lower triangle.
    log: Vec<Lanes<S, P>>,
    /// Room for intermediate results.
    work: [Vec<Lanes<S, P>>; 2],
}

impl<S: Simd, const P: usize> Batch<S, P> {
    fn new(simd: S, k: usize) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        let matrix = vec![zero; k * k];
        Self {
            simd,
            k,
            pairs: tournament(k),
            rotations: vec![(zero, zero); k / 2],
            squares: vec![zero; k],
            g: matrix.clone(),
            log: matrix.clone(),
            work: [matrix.clone(), matrix],
        }
    }

    /// The logarithms of the (whitened) matrices, or the first matrix that is not positive definite.
    #[inline(always)]
    fn logarithm(&mut self, matrices: &[f64], base: Option<&Whitening>) -> Result<(), usize> {
        let Self { simd, k, .. } = *self;
        load(k, matrices, &mut self.g);
        factor(simd, k, &mut self.g)?;
        if let Some(base) = base {
            for (j, column) in self.g.chunks_exact_mut(k).enumerate() {
                forward_substitute(simd, k, &base.factor, j, column);
            }
        }
        let scale = normalize(simd, &mut self.g);
        orthogonalize(simd, k, &self.pairs, &mut self.g, &mut self.squares, &mut self.rotations);

        // U (ln Σ²) Uᵀ; the columns of U take the place of those of U Σ
        let mut departure = Lanes::splat(simd, 0.0);
        let [scaled, _] = &mut self.work;
        for ((u, &square), scaled) in self.g.chunks_exact_mut(k).zip(&self.squares).zip(scaled.chunks_exact_mut(k)) {
            if let Some(lane) = square.each().iter().position(|s| !(*s > 0.0 && *s < f64::INFINITY)) {
                return Err(lane);
            }
            let norm = square.sqrt();
            let sigma = norm * scale;
            let logarithm = sigma.map(|s| 2.0 * s.ln());
            let inverse = Lanes::splat(simd, 1.0) / norm;
            departure = departure.max((sigma * sigma - Lanes::splat(simd, 1.0)).abs());
            for (u, scaled) in u.iter_mut().zip(scaled) {
                *u = *u * inverse;
                *scaled = *u * logarithm;
            }
        }
        multiply_transposed(simd, k, scaled, &self.g, &mut self.log);
        if departure.each().iter().any(|&d| d <= NEAR) {
            self.near_identity(matrices, base, departure);
        }
        Ok(())
    }

    /// Replaces the logarithms of matrices near the identity by ones whose error is relative to the distance from it.
    ///
    /// With `E = W − 1`, formed without cancellation, and the orthogonal `U` that Jacobi found, `UᵀEU = D + F` where
    /// `D` is diagonal and `F` is of the order of rounding errors. To first order in `F`, which is far beyond working
    /// precision, `Uᵀ Logm(1 + E) U = ln(1 + D) + F ∘ Δ` with the divided differences of the logarithm,
    /// `Δᵢⱼ ≈ 1/(1 + (dᵢ + dⱼ)/2)` (Daleckii and Krein).
    #[inline(always)]
    fn near_identity(&mut self, matrices: &[f64], base: Option<&Whitening>, departure: Lanes<S, P>) {
        let Self { simd, k, .. } = *self;
        let [e, product] = &mut self.work;
        load(k, matrices, e);
        match base {
            None => {
                for i in 0..k {
                    e[i * k + i] = e[i * k + i] - Lanes::splat(simd, 1.0);
                }
            }
            Some(base) => {
                for (x, &p) in e.iter_mut().zip(&base.base) {
                    *x = *x - Lanes::splat(simd, p);
                }
                whiten_each(simd, k, &base.factor, e);
            }
        }
        multiply(simd, k, e, &self.g, product);
        transposed_multiply(simd, k, &self.g, product, e);
        for j in 0..k {
            for i in (0..k).filter(|&i| i != j) {
                let mean = (e[i * k + i] + e[j * k + j]) * Lanes::splat(simd, 0.5);
                e[j * k + i] = e[j * k + i] / (mean + Lanes::splat(simd, 1.0));
            }
        }
        for i in 0..k {
            e[i * k + i] = e[i * k + i].map(f64::ln_1p);
        }
        multiply(simd, k, &self.g, e, product);
        multiply_transposed(simd, k, product, &self.g, e);
        for (log, corrected) in self.log.iter_mut().zip(e) {
            *log = departure.if_greater(Lanes::splat(simd, NEAR), *log, *corrected);
        }
    }

    /// Writes the logarithms one after the other.
    #[inline(always)]
    fn store(&self, out: &mut [f64]) {
        let k = self.k;
        for (l, out) in out.chunks_exact_mut(k * k).enumerate() {
            for j in 0..k {
                for i in j..k {
                    let x = self.log[j * k + i].each()[l];
                    out[i * k + j] = x;
                    out[j * k + i] = x;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_vector_arithmetic_agree_up_to_rounding() {
        for k in [1, 2, 7] {
            let matrices: Vec<f64> = (0..11 * k * k)
                .map(|i| if i % (k * k) % (k + 1) == 0 { 1.5 } else { 1.0 / (1 + i % 7) as f64 })
                .collect();
            let matrices: Vec<f64> = matrices.chunks(k * k).flat_map(|a| gram(k, a)).collect();
            let (mut plain, mut vector) = (vec![0.0; matrices.len()], vec![0.0; matrices.len()]);
            Logarithms { k, base: None, matrices: &matrices, out: &mut plain }.with_simd(pulp::Scalar).unwrap();
            logs(k, &matrices, &mut vector).unwrap();
            assert!(plain.iter().zip(&vector).all(|(x, y)| (x - y).abs() < 1e-13));
        }
    }

    fn gram(k: usize, a: &[f64]) -> Vec<f64> {
        let one: Vec<f64> = (0..k * k).map(|i| if i % (k + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let mut out = vec![0.0; k * k];
        congruence(a, &one, k, &mut out);
        out
    }
}
