//! Lines and subspaces: the orthogonal projectors onto them, without their trace.
//!
//! `J(Y) = YY* − (k/n)·I` of an `n × k` matrix `Y` with orthonormal columns, real or complex.
//!
//! * `‖J‖² = k − k²/n = k(n − k)/n`.
//! * `‖YY* − ZZ*‖² = 2k − 2‖Y*Z‖² ≤ 2·min(k, n − k)`, since the ranges of more than `n/2` dimensions meet.
//! * `‖dJ(H)‖² = ‖YH* + HY*‖² = 2‖H‖²` for `Y*H = 0`.
//!
//! **Projection.** `‖A − YY*‖²` is least where `tr(Y*AY)` is largest: at the first `k` eigenvectors of `A`.
//!
//! **Reach** (Davis and Kahan 1970, the sin 2Θ theorem). Let `g = λ_k − λ_{k+1}` of `A`, and let `‖E‖ ≤ t < g/2` in the
//! spectral norm. Every principal angle between the first `k` eigenvectors of `A` and of `A + E` has
//! `sin 2θ ≤ 2t/g < 1`. On the way from `A` to `A + E` the gap is at least `g − 2t > 0`, so the eigenspaces move continuously
//! from `θ = 0`, and no angle passes `π/4`: `θ ≤ ½·asin(2t/g)`.

use super::directions::to_unit;
use super::traceless::{read_diagonal, read_off_diagonal, write_diagonal, write_off_diagonal};
use super::{EmbeddedForm, Embedding, asin_up};
use crate::linalg::eigen;
use crate::manifold::helmert::{helmert, helmert_transpose};
use crate::manifold::vector::{dot, largest, norm, scale};

/// The kind of numbers in a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scalars {
    /// Real numbers.
    Real,
    /// Complex numbers, orthogonal to `(1, …, 1)`, in one dimension more: centered landmarks.
    CenteredComplex,
}

/// Columns with a larger `‖Y*Y − I‖` belong to no point. It is the distance of `YY*` from the projector onto their span.
const ORTHONORMAL: f64 = 1e-11;

/// `J(Y) = YY* − (k/n)·I`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Projectors {
    n: usize,
    k: usize,
    scalars: Scalars,
    /// Distance on the space over root of the sum of squared angles.
    unit: f64,
}

impl Projectors {
    /// Subspaces of `k` dimensions of `R^n`, where the distance is `unit` times the root of the sum of squared angles.
    pub(crate) fn real(n: usize, k: usize, unit: f64) -> Self {
        Self { n, k, scalars: Scalars::Real, unit }
    }

    /// Centered configurations of landmarks up to rotation and scale: complex lines.
    pub(crate) fn shapes(landmarks: usize) -> Self {
        Self { n: landmarks - 1, k: 1, scalars: Scalars::CenteredComplex, unit: 1.0 }
    }

    /// Coordinates off the diagonal.
    fn off_diagonal(&self) -> usize {
        let pairs = self.n * (self.n - 1) / 2;
        if self.scalars == Scalars::Real { pairs } else { 2 * pairs }
    }

    /// The principal angles that need not be 0.
    fn angles(&self) -> f64 {
        self.k.min(self.n - self.k) as f64
    }

    /// The columns of a point: orthonormal up to rounding, or 0.
    fn columns(&self, x: &[f64]) -> Vec<f64> {
        let mut columns = match self.scalars {
            Scalars::Real => x.to_vec(),
            Scalars::CenteredComplex => helmert(x, 2),
        };
        if self.k == 1 {
            if largest(&columns) > 0.0 && largest(&columns).is_finite() {
                to_unit(&mut columns);
            } else {
                columns.fill(0.0);
            }
            return columns;
        }
        let column = |a: usize| columns.iter().skip(a).step_by(self.k);
        let off = |a: usize, b: usize| {
            let product: f64 = column(a).zip(column(b)).map(|(x, y)| x * y).sum();
            (product - f64::from(a == b)).powi(2)
        };
        let square: f64 = (0..self.k).flat_map(|a| (0..self.k).map(move |b| (a, b))).map(|(a, b)| off(a, b)).sum();
        // also what is no number
        let is_orthonormal = square <= ORTHONORMAL * ORTHONORMAL;
        if !is_orthonormal {
            columns.fill(0.0);
        }
        columns
    }

    /// The eigenvalues, ascending, and the eigenvectors, of the matrix with such coordinates; of a complex one each twice.
    fn spectrum(&self, mean: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (off, diagonal) = mean.split_at(self.off_diagonal());
        let (diagonal, mut entries) = (read_diagonal(diagonal), read_off_diagonal(off));
        let n = self.n;
        let size = if self.scalars == Scalars::Real { n } else { 2 * n };
        let mut matrix = vec![0.0; size * size];
        let mut set = |i: usize, j: usize, value: f64| (matrix[i * size + j], matrix[j * size + i]) = (value, value);
        for (i, own) in diagonal.into_iter().enumerate() {
            set(i, i, own);
            if size > n {
                set(n + i, n + i, own);
            }
            for j in i + 1..n {
                let real = entries.next().unwrap_or(0.0);
                set(i, j, real);
                if size > n {
                    let imaginary = entries.next().unwrap_or(0.0);
                    // A + iB as the real matrix (A −B; B A)
                    set(n + i, n + j, real);
                    set(i, n + j, -imaginary);
                    set(j, n + i, imaginary);
                }
            }
        }
        let decomposition = eigen(&matrix, size);
        (decomposition.values, decomposition.vectors)
    }
}

impl Embedding for Projectors {
    fn dim(&self) -> usize {
        self.off_diagonal() + self.n - 1
    }

    fn radius(&self) -> f64 {
        let (n, k) = (self.n as f64, self.k as f64);
        (k * (n - k) / n).sqrt()
    }

    fn diameter(&self) -> f64 {
        (2.0 * self.angles()).sqrt()
    }

    fn stretch(&self) -> f64 {
        2.0_f64.sqrt() / self.unit
    }

    fn embed(&self, x: &[f64], out: &mut [f64]) {
        let y = self.columns(x);
        let (n, k) = (self.n, self.k);
        let (off, diagonal) = out.split_at_mut(self.off_diagonal());
        match self.scalars {
            Scalars::Real => {
                let row = |i: usize| &y[i * k..][..k];
                let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
                write_off_diagonal(pairs.map(|(i, j)| dot(row(i), row(j))), off);
                write_diagonal((0..n).map(|i| dot(row(i), row(i))), diagonal);
            }
            Scalars::CenteredComplex => {
                let z = y.as_chunks::<2>().0;
                let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (z[i], z[j])));
                // zᵢ·z̄ⱼ
                let entry = |([a, b], [c, d]): ([f64; 2], [f64; 2])| [a * c + b * d, b * c - a * d];
                write_off_diagonal(pairs.flat_map(entry), off);
                write_diagonal(z.iter().map(|z| dot(z, z)), diagonal);
            }
        }
    }

    fn project(&self, mean: &[f64], out: &mut [f64]) {
        let (_, vectors) = self.spectrum(mean);
        match self.scalars {
            Scalars::Real => {
                let largest = vectors.chunks_exact(self.n).rev().take(self.k).enumerate();
                for (column, vector) in largest {
                    vector.iter().enumerate().for_each(|(i, x)| out[i * self.k + column] = *x);
                }
            }
            Scalars::CenteredComplex => {
                let size = 2 * self.n;
                let last = &vectors[size * (size - 1)..];
                let mut y: Vec<f64> = (0..self.n).flat_map(|i| [last[i], last[self.n + i]]).collect();
                to_unit(&mut y);
                helmert_transpose(&y, 2, out);
            }
        }
        if self.k == 1 {
            let length = norm(out);
            scale(out, 1.0 / length);
        }
    }

    fn reach(&self, mean: &[f64], off: f64) -> Option<f64> {
        let (values, _) = self.spectrum(mean);
        let times = values.len() / self.n;
        let (kept, next) = (values[times * (self.n - self.k)], values[times * (self.n - self.k) - 1]);
        // eigenvalues are computed to about n·2⁻⁵³ of the largest
        let rounding = 1e-12 * values.iter().fold(0.0, |m: f64, value| m.max(value.abs()));
        let gap = kept - next - rounding;
        if gap <= 0.0 {
            return None;
        }
        Some(0.5 * asin_up(2.0 * off / gap)? * self.angles().sqrt() * self.unit)
    }

    fn form(&self) -> EmbeddedForm {
        match self.scalars {
            Scalars::Real => EmbeddedForm::Real { n: self.n, k: self.k },
            Scalars::CenteredComplex => EmbeddedForm::Complex { n: self.n },
        }
    }

    fn split(&self) -> Vec<Box<dyn Embedding>> {
        vec![Box::new(*self)]
    }

    fn eigenvalues(&self, mean: &[f64]) -> Vec<f64> {
        let (values, _) = self.spectrum(mean);
        let times = values.len() / self.n;
        values.iter().rev().step_by(times).map(|value| value + self.k as f64 / self.n as f64).collect()
    }

    /// `E λ₁ ≤ √(2n)` for a symmetric matrix, and `2√n` for a Hermitian one, by Slepian's comparison with `⟨g, u⟩` for a
    /// standard normal vector `g`: `‖uu* − vv*‖² = 2 − 2|⟨u,v⟩|² ≤ 2‖u − v‖²`.
    fn expected_spectral_norm(&self) -> Option<f64> {
        let n = self.n as f64;
        Some(if self.scalars == Scalars::Real { (2.0 * n).sqrt() } else { 2.0 * n.sqrt() })
    }

    /// `|λ₁|² + λ₁²/(n − 1) ≤ ‖A‖²` where the eigenvalues add up to 0.
    fn spectral_share(&self) -> f64 {
        ((self.n as f64 - 1.0) / self.n as f64).sqrt()
    }
}
