//! Coefficients from noisy moments (user guide, R5).
//!
//! Least squares solves `A·B = C`, with the moments `A` of the features and `C` of features and responses. Released are
//! `Ã = A + N` and `C̃ = C + N′`, so `Ã·B − C̃ = N·B − N′` for the least-squares `B`: noise, whatever the records are.
//! A row of it has the mean square
//!
//! ```text
//! s² = d·dev(N′)² + ½·dev(N)²·‖B‖².
//! ```
//!
//! The coefficients minimize `‖Ã·B − C̃‖² + κ²·‖B‖²` over the directions in which `Ã` has a positive eigenvalue. So
//! they are `M·C̃`, `M = Σ a/(a² + κ²)·v·vᵀ` over the eigenpairs `(a, v)` with `a > 0`. A direction that is far above
//! the noise is shrunk by `κ²/a²`, and one within the noise is left out. For coefficients of norm `‖B‖` spread evenly
//! over `q` directions the best `κ²` is `q·s²/‖B‖²`; here it is 0.36 of that, with `‖B‖ = r`.

use crate::linalg::eigen;
use crate::mechanism::components::symmetric;
use crate::noise::{Generator, Law};
use crate::records::MomentWeights;
use crate::vector::dot;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::FRAC_1_SQRT_2;

/// `κ` in units of `√q·s/r`. Over made-up designs its error is the least on average, and nowhere more than 1.5 times
/// that of the best constant.
const DAMPING: f64 = 0.6;

/// What the noisy moments consist of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    /// `q`.
    pub(super) features: usize,
    /// `d`.
    pub(super) dim: usize,
    pub(super) radius: f64,
    pub(super) weights: MomentWeights,
    pub(super) law: Law,
    /// Numbers that the noise is spread over.
    pub(super) numbers: usize,
    /// The standard deviation of each.
    pub(super) deviation: f64,
    /// Whether the only feature is the intercept and the number of records is public: then its moment is 1.
    pub(super) is_constant: bool,
}

impl Moments {
    /// The standard deviation of each number of `C̃`.
    pub(super) fn of_responses(&self) -> f64 {
        self.deviation * self.radius / self.weights.response
    }

    /// The standard deviation of the mean square of the responses.
    pub(super) fn of_square(&self) -> f64 {
        self.deviation * self.radius * self.radius / self.weights.square
    }

    /// The standard deviation of a number on the diagonal of `Ã`.
    pub(super) fn of_design(&self) -> f64 {
        if self.is_constant { 0.0 } else { self.deviation }
    }

    /// `κ`.
    pub(super) fn damping(&self) -> f64 {
        if self.is_constant {
            return 0.0;
        }
        let row = (self.dim as f64).sqrt() * self.of_responses() / self.radius;
        DAMPING * (self.features as f64).sqrt() * row.hypot(FRAC_1_SQRT_2 * self.of_design())
    }
}

/// `M`, from `Ã`.
pub(super) fn damped_inverse(design: &[f64], features: usize, damping: f64) -> Vec<f64> {
    let eigen = eigen(design, features);
    let mut inverse = vec![0.0; features * features];
    for (a, v) in eigen.values.iter().zip(eigen.vectors.chunks_exact(features)) {
        let share = if *a > 0.0 { 1.0 / (a + damping * damping / a) } else { 0.0 };
        for (row, vi) in inverse.chunks_exact_mut(features).zip(v) {
            row.iter_mut().zip(v).for_each(|(m, vj)| *m += share * vi * vj);
        }
    }
    inverse
}

/// The coefficients and all that they are made of.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) moments: Moments,
    /// `Ã`, row by row.
    pub(super) design: Vec<f64>,
    /// `M`.
    pub(super) inverse: Vec<f64>,
    /// `C̃`, a row of `d` numbers for each feature.
    pub(super) crossed: Vec<f64>,
    /// `B`, likewise.
    pub(super) coefficients: Vec<f64>,
    /// The mean square of the residuals, up to noise; from 0 to the squared radius.
    pub(super) residual_square: f64,
}

impl Model {
    /// The model of `n` records with these noisy moments.
    pub(super) fn new(moments: Moments, z: &[f64], n: f64) -> Self {
        let (q, d) = (moments.features, moments.dim);
        let mut numbers = z.iter().copied();
        let mut design = symmetric(q, &mut numbers);
        if moments.is_constant {
            design = vec![1.0];
        }
        let crossed: Vec<f64> =
            numbers.by_ref().take(q * d).map(|c| c * moments.radius / moments.weights.response).collect();
        let square = numbers.next().unwrap_or(0.0) * moments.radius * moments.radius / moments.weights.square;
        let inverse = damped_inverse(&design, q, moments.damping());
        let coefficients = product(&inverse, &crossed, q, d);
        let explained = dot(&coefficients, &crossed);
        let left = (n - q as f64).max(1.0);
        let residual_square = ((square - explained) * n / left).clamp(0.0, moments.radius * moments.radius);
        Self { moments, design, inverse, crossed, coefficients, residual_square }
    }

    /// `Σ xᵢ·Bᵢ`.
    pub(super) fn combined(&self, x: &[f64]) -> Vec<f64> {
        product(x, &self.coefficients, self.moments.features, self.moments.dim)
    }

    /// `M·x`.
    pub(super) fn inverse_of(&self, x: &[f64]) -> Vec<f64> {
        product(&self.inverse, x, self.moments.features, 1)
    }

    /// `Ã·x`.
    pub(super) fn design_of(&self, x: &[f64]) -> Vec<f64> {
        product(&self.design, x, self.moments.features, 1)
    }
}

/// Noise on a symmetric matrix: of standard deviation 1 on the diagonal, and of `1/√2` elsewhere.
pub(super) fn symmetric_noise(q: usize, generator: &mut Generator) -> Vec<f64> {
    let mut normal = std::iter::repeat_with(|| StandardNormal.sample(generator));
    symmetric(q, &mut normal)
}

/// The product of a matrix of `inner` columns with one of `inner` rows and `columns` columns, both row by row.
pub(super) fn product(a: &[f64], b: &[f64], inner: usize, columns: usize) -> Vec<f64> {
    let mut out = vec![0.0; a.len() / inner * columns];
    for (row, out) in a.chunks_exact(inner).zip(out.chunks_exact_mut(columns)) {
        for (x, b) in row.iter().zip(b.chunks_exact(columns)) {
            out.iter_mut().zip(b).for_each(|(out, b)| *out += x * b);
        }
    }
    out
}
