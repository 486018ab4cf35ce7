//! Logarithms that are accurate for graded matrices too, at several times the cost of the others.
//!
//! Each matrix is Cholesky-factored, `X = C Cᵀ`, and the singular value
//! decomposition of `G = L⁻¹ C` by one-sided Jacobi gives `G Gᵀ = U Σ² Uᵀ`, hence the logarithm `U (ln Σ²) Uᵀ`.
//! Neither `G Gᵀ` nor an inverse is formed, so graded matrices keep their small eigenvalues.
//!
//! The entries of the logarithm are good to about `κ·2⁻⁵²` in absolute terms. Here `κ` is the condition number after
//! rows and columns have been scaled to a unit diagonal: grading costs nothing. Where all eigenvalues lie within ½ of 1
//! this is turned into an error relative to the logarithm itself, see [`Batch::near_identity`].
//!
//! A result depends on its own matrix only: not on the others, their number or its place among them.

use pulp::{Simd, WithSimd};

use super::interleaved::{
    factor, forward_substitute, load, multiply, multiply_transposed, normalize, store, transposed_multiply, whiten_each,
};
use super::jacobi::{orthogonalize, tournament};
use super::lanes::Lanes;
use super::whitening::Whitening;

/// Where all eigenvalues are within this distance of 1, the error is made relative to the logarithm.
const NEAR: f64 = 0.5;

/// Matrices side by side and the room to work on them.
pub(super) struct Batch<S: Simd, const P: usize> {
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
    pub(super) fn new(simd: S, k: usize) -> Self {
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
    pub(super) fn logarithm(&mut self, matrices: &[f64], base: Option<&Whitening>) -> Result<(), usize> {
        // a function of its own, which is compiled once for all callers
        self.simd.vectorize(Logarithm { batch: self, matrices, base })
    }

    #[inline(always)]
    fn diagonalised(&mut self, matrices: &[f64], base: Option<&Whitening>) -> Result<(), usize> {
        let Self { simd, k, .. } = *self;
        load(k, matrices, &mut self.g);
        factor(simd, k, &mut self.g)?;
        if let Some(base) = base {
            for (j, column) in self.g.chunks_exact_mut(k).enumerate() {
                forward_substitute(simd, k, base.factor(), j, column);
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
                for (x, &p) in e.iter_mut().zip(base.base()) {
                    *x = *x - Lanes::splat(simd, p);
                }
                whiten_each(simd, k, base.factor(), e);
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
    pub(super) fn store(&self, out: &mut [f64]) {
        store(self.k, &self.log, out);
    }
}

/// [`Batch::logarithm`].
struct Logarithm<'a, 'b, S: Simd, const P: usize> {
    batch: &'a mut Batch<S, P>,
    matrices: &'b [f64],
    base: Option<&'b Whitening>,
}

impl<S: Simd, const P: usize> WithSimd for Logarithm<'_, '_, S, P> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn with_simd<T: Simd>(self, _simd: T) -> Self::Output {
        self.batch.diagonalised(self.matrices, self.base)
    }
}
