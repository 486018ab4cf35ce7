//! Correlation matrices of full rank with the off-log metric: flat, isometric to `R^{k(k−1)/2}`.
//!
//! `C ↦ Off(Logm C)`, all but the diagonal of the logarithm, is a diffeomorphism onto the symmetric matrices with zeros
//! on the diagonal (Archakov and Hansen 2021). Its inverse adds the one diagonal `D` for which `Expm(S + D)` has a unit
//! diagonal. The metric is that of the Frobenius norm (Thanwerdas 2022, section 8.2.2, with `α = 1`, `β = γ = 0`), so
//! coordinates are `√2` times the upper triangle. Permutations and changes of sign of the variables are isometries.
//!
//! Ilya Archakov and Peter Hansen, A new parametrization of correlation matrices, Econometrica 89, 2021. Yann
//! Thanwerdas, Riemannian and stratified geometries on covariance and correlation matrices, thesis, 2022.

use super::super::flat::{Chart, Flat};
use super::super::vector::{add_scaled, dot, norm, scale};
use super::super::{AtypicalOrigin, CURVED_POINT_TOLERANCE, Layout, Operand, Shape, check_size, largest, rounding_of};
use super::layouts;
use super::log_euclidean::{exp_divided_difference, logarithms};
use super::{
    LARGEST_MATRIX, bounded_exp, check_matrix, check_symmetric, identity, mirror, repair, symmetrize, vecd_inverse,
};
use crate::error::{Result, Short};
use crate::linalg::{self, Eigen};
use crate::space::Space;
use std::f64::consts::SQRT_2;

/// No correlation matrix of doubles has an image longer than this times `√k`: its eigenvalues are at most `k` and at
/// least `8kε` of the largest (`largest_condition`), so their logarithms are within 34 of 0.
const LONGEST_IMAGE: f64 = 36.0;

/// The most steps of the iteration for the diagonal, and of conjugate gradients in one of Newton's.
const MOST_STEPS: usize = 300;

/// The most steps of the contraction before another one of Newton's is tried.
const LONGEST_PAUSE: usize = 16;

/// The largest matrices for which `A` ([`Diagonals`]) is formed: that takes `O(k⁴)` operations.
const LARGEST_FACTORED: usize = 32;

/// Correlation matrices of full rank, off-log metric.
///
/// ```
/// use karcher_geometry::manifold::{CorrelationOffLog, Manifold};
/// let pairs = CorrelationOffLog::new(2)?;
/// // of two variables the coordinate is Fisher's z = artanh r, times √2
/// let distance = pairs.dist(&[1.0, 0.0, 0.0, 1.0], &[1.0, 0.6, 0.6, 1.0]);
/// assert!((distance - 2.0_f64.sqrt() * 0.6_f64.atanh()).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub type CorrelationOffLog = Flat<OffLog>;

impl CorrelationOffLog {
    /// Correlations of `k ≥ 2` variables.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{CorrelationOffLog, Manifold};
    /// let correlations = CorrelationOffLog::new(3)?;
    /// assert_eq!((correlations.dim(), correlations.point_len()), (3, 9));
    /// let covariance = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0];
    /// let error = correlations.check_point(&covariance).unwrap_err().to_string();
    /// assert!(error.contains("entry (2,2) is 2, it must be 1"), "{error}");
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("correlation-off-log:{k}"));
        check_size(&space, k, 2, LARGEST_MATRIX)?;
        Ok(Self { chart: OffLog { k }, space })
    }
}

/// `Off(Logm C)` of `k×k` correlation matrices. An image is `√2` times its upper triangle, row by row.
#[derive(Debug, Clone)]
pub struct OffLog {
    k: usize,
}

impl OffLog {
    /// `√2` times what is above the diagonal, of one matrix after the other.
    fn upper(&self, s: &[f64]) -> Vec<f64> {
        let (k, mut upper) = (self.k, Vec::with_capacity(s.len() / self.point_len() * self.dim()));
        for (n, row) in s.chunks_exact(k).enumerate() {
            upper.extend(row[n % k + 1..].iter().map(|x| SQRT_2 * x));
        }
        upper
    }

    /// Makes the diagonal of one matrix after the other 0.
    fn clear_diagonals(&self, s: &mut [f64]) {
        for s in s.chunks_exact_mut(self.point_len()) {
            s.iter_mut().step_by(self.k + 1).for_each(|x| *x = 0.0);
        }
    }

    /// The matrix with this image above and below the diagonal, and these numbers on it.
    fn matrix(&self, diagonal: &[f64], upper: &[f64]) -> Vec<f64> {
        let mut s = vec![0.0; self.point_len()];
        vecd_inverse(self.k, &[diagonal, upper].concat(), &mut s);
        s
    }

    /// The Cholesky factor of the matrix `A` of [`Diagonals`], whose columns are the images of single numbers.
    fn factor(&self, at: &Eigen, weights: &[f64]) -> Option<Vec<f64>> {
        let (k, size) = (self.k, self.point_len());
        let mut units = vec![0.0; k * size];
        (0..k).for_each(|i| units[i * size + i * (k + 1)] = 1.0);
        let mut images = vec![0.0; units.len()];
        at.schur_products(&units, weights, &mut images);
        let a: Vec<f64> = images.chunks_exact(size).flat_map(|image| image.iter().step_by(k + 1)).copied().collect();
        linalg::cholesky(&a, k)
    }

    /// A guess of the diagonal of the logarithm.
    fn guess(&self, x: Vec<f64>, w: &[f64]) -> Guess {
        Guess::new(linalg::eigen(&self.matrix(&x, w), self.k), x)
    }
}

impl Chart for OffLog {
    /// The decomposition of the matrix.
    type At = Eigen;

    fn dim(&self) -> usize {
        self.k * (self.k - 1) / 2
    }

    fn point_len(&self) -> usize {
        self.k * self.k
    }

    fn at(&self, c: &[f64]) -> Eigen {
        linalg::eigen(c, self.k)
    }

    /// `Expm(S + Diag x)` with a unit diagonal. Such an `x` exists and is unique, as the point where the gradient of
    /// the strictly convex `tr Expm(S + Diag x) − Σ xᵢ` vanishes.
    ///
    /// Newton's steps lead to it. Where one does not come nearer, the step of Archakov and Hansen is taken, a
    /// contraction: `x ← x − ln diag Expm(S + Diag x)`. An image that is too long for any matrix of doubles is
    /// shortened.
    fn at_image(&self, w: &[f64]) -> Eigen {
        let (mut w, longest) = (w.to_vec(), LONGEST_IMAGE * (self.k as f64).sqrt());
        // the largest number first, as squares may overflow
        for size in [largest, norm] {
            let shorter = longest / size(&w);
            if shorter < 1.0 {
                scale(&mut w, shorter);
            }
        }
        let mut best = self.guess(vec![0.0; self.k], &w);
        // nor has the image of a matrix of doubles an eigenvalue beyond twice that bound: those of Logm and its
        // diagonal
        let shorter = 2.0 * LONGEST_IMAGE / largest(&best.eigen.values);
        if shorter < 1.0 {
            scale(&mut w, shorter);
            best = self.guess(best.x, &w);
        }
        let (mut pause, mut next) = (0_usize, 1);
        for _ in 0..MOST_STEPS {
            let step = |by: &[f64]| self.guess(best.x.iter().zip(by).map(|(x, by)| x - by).collect(), &w);
            let newton = if pause == 0 { Some(step(&best.newton_step())) } else { None };
            pause = pause.saturating_sub(1);
            match newton {
                Some(newton) if newton.off < 0.5 * best.off => (best, next) = (newton, 1),
                _ if best.off > 1e-9 => {
                    if newton.is_some() {
                        (pause, next) = (next, (2 * next).min(LONGEST_PAUSE));
                    }
                    best = step(&best.logs);
                }
                _ => break, // rounding is left
            }
        }
        let mut eigen = best.eigen;
        eigen.values.iter_mut().for_each(|l| *l = bounded_exp(*l));
        eigen
    }

    fn point(&self, at: &Eigen) -> Vec<f64> {
        let mut c = at.map(|l| l);
        self.normalize(&mut c);
        c
    }

    fn image(&self, at: &Eigen) -> Vec<f64> {
        self.upper(&at.map(f64::ln))
    }

    fn images(&self, matrices: &[f64]) -> Vec<f64> {
        self.upper(&logarithms(self.k, matrices))
    }

    /// Of one matrix after the other, each by itself.
    fn released_images(&self, matrices: &[f64]) -> Vec<f64> {
        matrices.chunks_exact(self.point_len()).flat_map(|c| self.image(&self.at(c))).collect()
    }

    /// `Off(D_C Logm[V])`, by divided differences of `ln` as in the log-Euclidean metric. The lower triangle of `V`
    /// counts.
    fn differential(&self, at: &Eigen, v: &[f64]) -> Vec<f64> {
        let mut v = v.to_vec();
        mirror(self.k, &mut v);
        v.iter_mut().step_by(self.k + 1).for_each(|v| *v = 0.0);
        self.upper(&at.schur_product(&v, |a, b| 1.0 / exp_divided_difference(a.ln(), b.ln())))
    }

    /// `V = D Expm[W + Diag δ]` at `Logm C`, with the `δ` for which the diagonal of `V` is 0: `Aδ = −diag D Expm[W]`
    /// with the matrix `A` of [`Diagonals`].
    fn inverse_differential(&self, at: &Eigen, w: &[f64]) -> Vec<f64> {
        let k = self.k;
        let off = at.schur_product(&self.matrix(&vec![0.0; k], w), by_logarithms);
        let diagonal: Vec<f64> = off.iter().step_by(k + 1).map(|x| -x).collect();
        let diagonals = Diagonals { k, vectors: &at.vectors, weights: at.weights(by_logarithms) };
        let mut v = at.schur_product(&self.matrix(&diagonals.solve(&diagonal, &vec![1.0; k]), w), by_logarithms);
        v.iter_mut().step_by(k + 1).for_each(|v| *v = 0.0);
        v
    }

    fn differentials(&self, at: &Eigen, v: &[f64]) -> Vec<f64> {
        let mut v = v.to_vec();
        self.clear_diagonals(&mut v);
        let mut logs = vec![0.0; v.len()];
        at.schur_products(&v, &at.weights(|a, b| 1.0 / by_logarithms(a, b)), &mut logs);
        self.upper(&logs)
    }

    /// The matrix `A` is formed, and factored once for all, where it is so small that this pays off.
    fn inverse_differentials(&self, at: &Eigen, w: &[f64], out: &mut [f64]) {
        let (k, size, d, mut s) = (self.k, self.point_len(), self.dim(), vec![0.0; out.len()]);
        let weights = at.weights(by_logarithms);
        let factor = if k <= LARGEST_FACTORED { self.factor(at, &weights) } else { None };
        let Some(l) = factor else {
            for (w, out) in w.chunks_exact(d).zip(out.chunks_exact_mut(size)) {
                out.copy_from_slice(&self.inverse_differential(at, w));
            }
            return;
        };
        let mut all = vec![0.0; k + d];
        for (w, s) in w.chunks_exact(d).zip(s.chunks_exact_mut(size)) {
            all[k..].copy_from_slice(w);
            vecd_inverse(k, &all, s);
        }
        at.schur_products(&s, &weights, out);
        let delta = &mut all[..k];
        for (off, s) in out.chunks_exact(size).zip(s.chunks_exact_mut(size)) {
            delta.iter_mut().zip(off.iter().step_by(k + 1)).for_each(|(delta, off)| *delta = -off);
            solve(&l, delta);
            s.iter_mut().step_by(k + 1).zip(&*delta).for_each(|(s, delta)| *s = *delta);
        }
        at.schur_products(&s, &weights, out);
        self.clear_diagonals(out);
    }

    fn origin(&self, out: &mut [f64]) {
        identity(self.k, out);
    }

    fn check_point(&self, c: &[f64]) -> std::result::Result<(), String> {
        check_symmetric(self.k, c, 0.0)?;
        layouts::check_unit_diagonal(self.k, c)?;
        check_correlations(self.k, c)?;
        check_matrix(self.k, c)
    }

    /// Whether it is symmetric with zeros on the diagonal. If it is so to a relative 1e-6 alone, what is below the
    /// diagonal counts, in every operation.
    fn check_tangent(&self, c: &[f64], v: &[f64]) -> std::result::Result<(), String> {
        let rounding = rounding_of(c);
        check_symmetric(self.k, v, rounding)?;
        let allowed = CURVED_POINT_TOLERANCE * largest(v) + rounding;
        match v.iter().step_by(self.k + 1).position(|v| v.abs() > allowed) {
            None => Ok(()),
            Some(i) => Err(format!("entry ({0},{0}) is {1}, it must be 0", i + 1, v[i * (self.k + 1)])),
        }
    }

    /// Divides by the roots of the diagonal, where it is positive.
    fn normalize(&self, c: &mut [f64]) {
        symmetrize(self.k, c);
        let deviations: Vec<f64> = c.iter().step_by(self.k + 1).map(|x| x.sqrt()).collect();
        if deviations.iter().all(|x| x.is_normal()) {
            for (n, c) in c.iter_mut().enumerate() {
                let (i, j) = (n / self.k, n % self.k);
                *c = if i == j { 1.0 } else { *c / (deviations[i] * deviations[j]) };
            }
        }
    }

    /// A covariance becomes the matrix of its correlations.
    fn project(&self, c: &mut [f64]) {
        self.normalize(c);
    }

    fn repair(&self, c: &mut [f64]) {
        repair(self.k, c);
        self.normalize(c);
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        let of_ones = |c: &[f64]| c.iter().step_by(self.k + 1).all(|x| *x == 1.0);
        values.chunks_exact(self.point_len()).all(of_ones) && linalg::clearly_positive_definite(self.k, values)
    }

    fn prechecked_tangents(&self, v: Operand<'_>) -> bool {
        let of_zeros = |v: &[f64]| v.iter().step_by(self.k + 1).all(|x| *x == 0.0);
        v.numbers().chunks_exact(self.point_len()).all(of_zeros) && super::prechecked_symmetric(self.k, v)
    }

    /// Not [`Shape::PositiveDefinite`]: multiples of the identity are no correlations.
    fn shape(&self) -> Shape {
        Shape::Matrix { rows: self.k, columns: self.k }
    }

    fn layouts(&self) -> Vec<Layout> {
        layouts::of_correlations(self.k)
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "variables that are measured together are seldom uncorrelated",
            instead: "a matrix from an atlas or an earlier study",
            origin: "the identity, of uncorrelated variables",
        })
    }
}

/// Returns the reason why entries of a matrix with a unit diagonal are no correlations.
fn check_correlations(k: usize, c: &[f64]) -> std::result::Result<(), String> {
    match c.iter().position(|x| x.abs() > 1.0 + CURVED_POINT_TOLERANCE) {
        None => Ok(()),
        Some(at) => Err(format!(
            "entry ({},{}) is {}, a correlation lies between -1 and 1: of Fisher's z it is tanh z",
            at / k + 1,
            at % k + 1,
            Short(c[at])
        )),
    }
}

/// `(e^a − e^b)/(a − b)` of the eigenvalues `e^a` and `e^b`.
fn by_logarithms(a: f64, b: f64) -> f64 {
    exp_divided_difference(a.ln(), b.ln())
}

/// `b ← (LLᵀ)⁻¹b`.
fn solve(l: &[f64], b: &mut [f64]) {
    let k = b.len();
    for i in 0..k {
        b[i] = (b[i] - dot(&l[i * k..][..i], &b[..i])) / l[i * k + i];
    }
    for i in (0..k).rev() {
        b[i] /= l[i * k + i];
        let (before, here) = b.split_at_mut(i);
        add_scaled(before, -here[0], &l[i * k..][..i]);
    }
}

/// A diagonal `x`, and how far `Expm(S + Diag x)` is from a unit diagonal.
struct Guess {
    x: Vec<f64>,
    /// Of `S + Diag x`.
    eigen: Eigen,
    /// The logarithms of the diagonal of the exponential.
    logs: Vec<f64>,
    /// The largest of their absolute values.
    off: f64,
}

impl Guess {
    fn new(eigen: Eigen, x: Vec<f64>) -> Self {
        let (k, most) = (x.len(), eigen.values.last().copied().unwrap_or_default());
        let (mut diagonal, mut mean) = (vec![0.0; k], vec![0.0; k]);
        for (l, u) in eigen.values.iter().zip(eigen.vectors.chunks_exact(k)) {
            for (i, u) in u.iter().enumerate() {
                diagonal[i] += u * u * (l - most).exp();
                mean[i] += u * u * l;
            }
        }
        // at least the diagonal of the logarithm (Jensen), where the exponential underflows
        let logs: Vec<f64> = diagonal.iter().zip(&mean).map(|(d, mean)| (most + d.ln()).max(*mean)).collect();
        let off = largest(&logs);
        Self { x, eigen, logs, off }
    }

    /// The step of Newton's method for `ln diag Expm(S + Diag x) = 0`: `Aδ = dᵢ·ln dᵢ` with `A` of [`Diagonals`] and
    /// the diagonal `d`, both relative to the largest eigenvalue of the exponential.
    fn newton_step(&self) -> Vec<f64> {
        let most = self.eigen.values.last().copied().unwrap_or_default();
        let weights = self.eigen.weights(|a, b| exp_divided_difference(a - most, b - most));
        let diagonal: Vec<f64> = self.logs.iter().map(|l| (l - most).exp()).collect();
        let off: Vec<f64> = diagonal.iter().zip(&self.logs).map(|(d, l)| d * l).collect();
        Diagonals { k: self.x.len(), vectors: &self.eigen.vectors, weights }.solve(&off, &diagonal)
    }
}

/// The matrix `A` of `x ↦ diag D Expm_S[Diag x]`: symmetric and positive definite, as a second derivative of the
/// strictly convex `tr Expm(S + Diag x)`.
struct Diagonals<'a> {
    k: usize,
    /// The eigenvectors of `S`.
    vectors: &'a [f64],
    /// The divided differences of the exponential at its eigenvalues.
    weights: Vec<f64>,
}

impl Diagonals<'_> {
    /// `Ax`, `diag U(F ∘ UᵀDiag(x)U)Uᵀ`.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let k = self.k;
        let mut out = vec![0.0; k];
        for (u, f) in self.vectors.chunks_exact(k).zip(self.weights.chunks_exact(k)) {
            let ux: Vec<f64> = u.iter().zip(x).map(|(u, x)| u * x).collect();
            let mut row = vec![0.0; k];
            for (v, f) in self.vectors.chunks_exact(k).zip(f) {
                add_scaled(&mut row, f * dot(&ux, v), v);
            }
            out.iter_mut().zip(u).zip(row).for_each(|((out, u), r)| *out += u * r);
        }
        out
    }

    /// `A⁻¹b` by conjugate gradients, with the diagonal `like` as a preconditioner: `A·(1, …, 1)` is the diagonal of
    /// the exponential. Where that is 1, the condition number of `A` is about the logarithm of that of the matrix, so
    /// that few steps are enough.
    fn solve(&self, b: &[f64], like: &[f64]) -> Vec<f64> {
        let condition = |r: &[f64]| -> Vec<f64> { r.iter().zip(like).map(|(r, d)| r / d).collect() };
        let (mut x, mut rest, enough) = (vec![0.0; self.k], b.to_vec(), 0.5 * f64::EPSILON * norm(b));
        let mut direction = condition(&rest);
        let mut size = dot(&rest, &direction);
        for _ in 0..MOST_STEPS {
            if norm(&rest) <= enough {
                break;
            }
            let image = self.times(&direction);
            let along = size / dot(&direction, &image);
            if !along.is_finite() {
                break;
            }
            add_scaled(&mut x, along, &direction);
            add_scaled(&mut rest, -along, &image);
            let next = condition(&rest);
            let next_size = dot(&rest, &next);
            scale(&mut direction, next_size / size);
            add_scaled(&mut direction, 1.0, &next);
            size = next_size;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{FlatChart, Manifold, norm};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;
    use rand_distr::StandardNormal;

    #[rustfmt::skip]
    const C: [f64; 16] = [1.0, 0.5, 0.3, -0.2,   0.5, 1.0, -0.1, 0.4,   0.3, -0.1, 1.0, 0.2,   -0.2, 0.4, 0.2, 1.0];
    #[rustfmt::skip]
    const D: [f64; 16] = [1.0, -0.3, 0.1, 0.6,   -0.3, 1.0, 0.2, 0.0,   0.1, 0.2, 1.0, -0.4,   0.6, 0.0, -0.4, 1.0];

    fn symmetric(diagonal: f64, upper: [f64; 6]) -> Vec<f64> {
        let [a, b, c, d, e, f] = upper;
        let o = diagonal;
        vec![o, a, b, c, a, o, d, e, b, d, o, f, c, e, f, o]
    }

    fn near(found: &[f64], expected: &[f64], what: &str) {
        let off = found.iter().zip(expected).fold(0.0, |most: f64, (f, e)| most.max((f - e).abs()));
        assert!(off < 8e-15 && found.len() == expected.len(), "{what} is off by {off:e}: {found:?}");
    }

    /// mpmath with 40 digits. Logarithms are by `eigsy`, derivatives by central differences of step 1e-12, and the
    /// inverse by the iteration `x ← x − ln diag Expm(S + Diag x)` down to 1e-30.
    ///
    /// geomstats 2.8.0 has the same numbers by `OffLogMetric(space, alpha=1., beta=0., gamma=0.)`: the exponential to
    /// 5e-13, all others to its rounding.
    #[test]
    fn numbers_are_those_of_mpmath_and_geomstats() {
        let (m, mut out) = (CorrelationOffLog::new(4).unwrap(), vec![0.0; 16]);
        let v = symmetric(0.0, [0.3, -0.1, 0.2, 0.5, 0.1, -0.6]);
        near(&[m.dist(&C, &D), m.inner(&C, &v, &v)], &[3.3469004298178513, 9.505_101_514_231_727], "length");
        m.log(&C, &D, &mut out).unwrap();
        let log = [
            -0.3972302647042084,
            0.5681612680593724,
            0.676110774835899,
            0.2169016994545399,
            0.46187547661422473,
            -0.542761721672752,
        ];
        near(&out, &symmetric(0.0, log), "log");
        m.exp(&C, &v, &mut out);
        let exp = [
            0.4530175170523677,
            -0.18136270985554104,
            0.28955218396723403,
            0.4880527854781177,
            -0.01135351659592356,
            -0.6643846542887516,
        ];
        near(&out, &symmetric(1.0, exp), "exp");
        let (mut a, mut b) = (vec![0.0; 6], vec![0.0; 6]);
        m.to_flat(&C, &mut a);
        m.to_flat(&D, &mut b);
        a.iter_mut().zip(&b).for_each(|(a, b)| *a = 0.5 * (*a + b));
        m.from_flat(&a, &mut out);
        let mean = [
            0.21411251592360994,
            0.41900883928575344,
            0.19097800578296042,
            -0.008732978950277255,
            0.45181986645359934,
            -0.07503162225576768,
        ];
        near(&out, &symmetric(1.0, mean), "mean");
    }

    /// Archakov and Hansen 2021: of `k` variables whose correlations are all `r`, every coordinate is
    /// `ln(1 + kr/(1−r))/k`; of two that is Fisher's z. Up to matrices that are singular to all but working precision.
    #[test]
    fn equal_correlations_have_the_published_coordinate() {
        for k in [2, 3, 10, 40] {
            let (m, least) = (CorrelationOffLog::new(k).unwrap(), -1.0 / (k as f64 - 1.0));
            for rest in [1.0, 0.5, 1e-2, 1e-5, 1e-9] {
                for r in [1.0 - rest, least * (1.0 - rest), 0.3 * rest] {
                    let point: Vec<f64> = (0..k * k).map(|n| if n % (k + 1) == 0 { 1.0 } else { r }).collect();
                    let mut c = vec![0.0; m.dim()];
                    m.to_flat(&point, &mut c);
                    let expected = 2.0_f64.sqrt() * (k as f64 * r / (1.0 - r)).ln_1p() / k as f64;
                    let allowed = 1e-15 * k as f64 * (1.0 + 1.0 / rest);
                    assert!(
                        c.iter().all(|c| (c - expected).abs() < allowed),
                        "{k} {r}: {expected} {:?}",
                        &c[..2.min(k - 1)]
                    );
                    let mut back = vec![0.0; k * k];
                    m.from_flat(&c, &mut back);
                    let off = back.iter().zip(&point).fold(0.0, |most: f64, (b, p)| most.max((b - p).abs()));
                    assert!(off < 1e-14 * k as f64, "{k} {r}: {off:e}");
                }
            }
        }
    }

    /// Rank 1 is where Newton's steps fail longest: the contraction and the bounds of images end it all the same.
    #[test]
    fn images_of_rank_one_are_those_of_correlations() {
        for k in [2, 10, 30] {
            let chart = OffLog { k };
            for length in [1.0, 10.0, 36.0 * (k as f64).sqrt(), 1e9] {
                let u: Vec<f64> = (0..k).map(|i| if i % 3 == 0 { 1.0 } else { -0.5 }).collect();
                let outer: Vec<f64> = (0..k * k).map(|i| u[i / k] * u[i % k]).collect();
                let mut w = chart.upper(&outer);
                let size = norm(&w);
                scale(&mut w, length / size);
                let at = chart.at_image(&w);
                let c = at.map(|l| l);
                let off = c.iter().step_by(k + 1).fold(0.0_f64, |off, c| off.max((c - 1.0).abs()));
                assert!(off < 1e-8, "{k}, {length}: {off}");
            }
        }
    }

    /// To the chart and back where doubles hold the matrices, and points farther out.
    #[test]
    fn images_of_any_length_give_points() {
        let mut generator = ChaCha20Rng::seed_from_u64(3);
        for k in [2, 3, 7, 28] {
            let m = CorrelationOffLog::new(k).unwrap();
            for length in [1e-8, 0.1, 1.0, 4.0, 12.0, 40.0, 300.0, 1e4, 1e100, 1e250] {
                let mut c: Vec<f64> = (0..m.dim()).map(|_| generator.sample(StandardNormal)).collect();
                let size = norm(&c);
                scale(&mut c, length / size);
                let (mut p, mut back) = (vec![0.0; k * k], vec![0.0; m.dim()]);
                m.from_flat(&c, &mut p);
                assert!(m.check_point(&p).is_ok() && p.iter().step_by(k + 1).all(|x| *x == 1.0), "{k} {length}");
                assert!(length < 12.0 || p.iter().any(|x| x.abs() > 0.1 && *x != 1.0), "{k} {length}: it ends near");
                m.to_flat(&p, &mut back);
                let condition = {
                    let values = linalg::eigen(&p, k).values;
                    values[k - 1] / values[0]
                };
                let off = crate::manifold::vector::norm_of_difference(&c, &back);
                assert!(length > 12.0 || off < 1e-15 * (10.0 + length) * condition * k as f64, "{k} {length}: {off:e}");
            }
            let mut p = vec![0.0; k * k];
            m.from_flat(&vec![f64::NAN; m.dim()], &mut p); // no panic, no endless loop
            m.from_flat(&vec![f64::INFINITY; m.dim()], &mut p);
        }
    }

    /// The matrix of the linear system, column by column from differences of the exponential.
    #[test]
    fn solving_inverts_the_derivative_of_the_diagonal() {
        let chart = OffLog { k: 4 };
        let at = chart.at(&C);
        let diagonals = Diagonals { k: 4, vectors: &at.vectors, weights: at.weights(by_logarithms) };
        let log = at.map(f64::ln);
        let b = [0.3, -1.0, 0.5, 2.0];
        let x = diagonals.solve(&b, &[1.0; 4]);
        let diagonal = |h: f64| -> Vec<f64> {
            let mut s = log.clone();
            (0..4).for_each(|i| s[5 * i] += h * x[i]);
            linalg::eigen(&s, 4).map(f64::exp).into_iter().step_by(5).collect()
        };
        let h = 1e-5;
        for ((above, below), b) in diagonal(h).iter().zip(diagonal(-h)).zip(b) {
            assert!(((above - below) / (2.0 * h) - b).abs() < 1e-8);
        }
    }

    #[test]
    fn covariances_become_correlations_by_projecting() {
        let m = CorrelationOffLog::new(2).unwrap();
        let mut covariance = [4.0, 3.0, 3.0, 9.0];
        m.project(&mut covariance);
        assert_eq!(covariance, [1.0, 0.5, 0.5, 1.0]);
        for wrong in [[0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
            let mut same = wrong;
            m.project(&mut same);
            assert!(m.check_point(&same).is_err());
        }
    }

    #[test]
    fn layouts_are_the_matrix_and_its_two_triangles() {
        let names: Vec<String> =
            CorrelationOffLog::new(3).unwrap().layouts().iter().map(|layout| layout.name().to_owned()).collect();
        assert_eq!(names, ["full", "correlation-upper-row", "correlation-upper-column"]);
    }
}
