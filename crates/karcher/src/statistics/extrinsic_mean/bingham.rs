//! The concentrations of Bingham's law of axes, and of the matrix Fisher law of rotations, from the second moments.
//!
//! **Bingham's law** on the unit sphere of `R^p` has the density `e^{−Σ λ_j x_j²}/c(λ)` in its principal frame, `0 = λ₁
//! ≤ λ₂ ≤ …` (Mardia and Jupp 2000, section 9.4.3). Up to a constant,
//!
//! ```text
//! c(λ) = (1/2πi)·∫ e^z·Π_j (z + λ_j)^{−1/2} dz,
//! ```
//!
//! on a path from `−i∞` to `i∞` to the right of all `−λ_j`: of `‖x‖² = t`, this is the Laplace transform in `t`,
//! inverted at `t = 1`. The path is bent around the negative numbers to a hyperbola, where the trapezoidal rule with
//! `N` places converges like `3.2^{−N}` (Trefethen, Weideman and Schmelzer 2006, table 3.1).
//!
//! Moments are derivatives: another factor `½/(z + λ_j)` gives `E x_j²`, and one more `E x_j²x_k²` (times 3 for `j =
//! k`). `Σ λ_j t_j + ln c(λ)` is convex, and least where `E x_j² = t_j`: Newton's method finds it.
//!
//! **The matrix Fisher law** `∝ e^{tr FᵀR}` of rotations is Bingham's law of their quaternions. With the singular
//! values `s₁ ≥ s₂ ≥ |s₃|` of `F`, the last with the sign of its determinant, `λ₂ = 2(s₂ + s₃)`, `λ₃ = 2(s₁ + s₃)` and
//! `λ₄ = 2(s₁ + s₂)` (Prentice 1986).

use nalgebra::{DMatrix, DVector};
use num_complex::Complex64;

/// Dimensions in which the path is long enough.
const LARGEST_DIMENSION: usize = 16;

/// Places on the path, and more for each dimension: in more of them the path has to begin farther from 0.
const PLACES: usize = 32;
const PLACES_FOR_EACH: usize = 2;

/// Steps of Newton's method, and halvings of one.
const STEPS: usize = 100;

/// Concentrations with their derivative by the moments `t₂, …, t_p`.
#[derive(Debug)]
pub(crate) struct Concentrations {
    pub(crate) values: DVector<f64>,
    pub(super) derivative: DMatrix<f64>,
}

/// `ln c`, the moments `E x_j²`, and their covariance, which is minus their derivative by `λ`.
struct Law {
    log: f64,
    first: DVector<f64>,
    covariance: DMatrix<f64>,
}

fn law(lambda: &DVector<f64>) -> Law {
    let p = lambda.len();
    let (mut all, mut first, mut second) = (0.0, DVector::zeros(p), DMatrix::zeros(p, p));
    let places = PLACES + PLACES_FOR_EACH * p;
    for k in 0..places {
        let theta = std::f64::consts::PI * ((2 * k + 1) as f64 / places as f64 - 1.0);
        let (angle, size) = (Complex64::new(1.1721, -0.3443 * theta), 2.246 * places as f64);
        let (z, along) = (size * (1.0 - angle.sin()), size * 0.3443 * angle.cos() / places as f64);
        let root: Complex64 = lambda.iter().map(|lambda| (z + lambda).sqrt().inv()).product();
        let weight = z.exp() * root * along;
        all += weight.re;
        let halves: Vec<Complex64> = lambda.iter().map(|lambda| 0.5 / (z + lambda)).collect();
        for (i, half) in halves.iter().enumerate() {
            first[i] += (weight * half).re;
            for (j, other) in halves.iter().enumerate() {
                second[(i, j)] += (weight * half * other).re * if i == j { 3.0 } else { 1.0 };
            }
        }
    }
    first /= all;
    let covariance = second / all - &first * first.transpose();
    Law { log: all.ln(), first, covariance }
}

/// `λ₂, …, λ_p` of the law with the moments `t₁ ≥ … ≥ t_p`, which sum to 1. None where a moment is not above 0, where
/// dimensions are too many, and for one axis alone.
pub(crate) fn bingham(moments: &[f64]) -> Option<Concentrations> {
    let p = moments.len();
    if !(2..=LARGEST_DIMENSION).contains(&p) || !moments.iter().all(|t| *t > 0.0) {
        return None;
    }
    let t = DVector::from_column_slice(moments) / moments.iter().sum::<f64>();
    let mut lambda = t.map(|moment| 0.5 / moment - 0.5 / t[0]);
    let mut at = law(&lambda);
    for _ in 0..STEPS {
        let off = (&at.first - &t).rows(1, p - 1).into_owned();
        let step = at.covariance.view((1, 1), (p - 1, p - 1)).into_owned().cholesky()?.solve(&off);
        if step.iter().zip(lambda.iter().skip(1)).all(|(step, lambda)| step.abs() <= 1e-12 * (1.0 + lambda.abs())) {
            break;
        }
        let objective = lambda.dot(&t) + at.log;
        let mut length = 1.0;
        loop {
            let tried = DVector::from_fn(p, |i, _| if i == 0 { 0.0 } else { lambda[i] + length * step[i - 1] });
            let there = law(&tried);
            // at the minimum itself rounding decides
            if tried.dot(&t) + there.log <= objective + 1e-13 * objective.abs().max(1.0) {
                (lambda, at) = (tried, there);
                break;
            }
            length *= 0.5;
            if length < 1e-12 {
                return None;
            }
        }
    }
    let derivative = -at.covariance.view((1, 1), (p - 1, p - 1)).into_owned().try_inverse()?;
    Some(Concentrations { values: lambda.rows(1, p - 1).into_owned(), derivative })
}

/// `s₁, s₂, s₃` of the matrix Fisher law, from the concentrations of quaternions.
pub(super) fn matrix_fisher(of: &Concentrations) -> Concentrations {
    let to = DMatrix::from_row_slice(3, 3, &[-0.25, 0.25, 0.25, 0.25, -0.25, 0.25, 0.25, 0.25, -0.25]);
    Concentrations { values: &to * &of.values, derivative: to * &of.derivative }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By sums over a fine grid of the sphere, and of the circle, where Bingham's law is that of von Mises: `E cos 2φ =
    /// I₁(λ/2)/I₀(λ/2)`.
    #[test]
    fn moments_are_those_of_the_law() {
        let numbers = |lambda: &[f64]| law(&DVector::from_column_slice(lambda));
        // scipy.special.ive(1, 1.5)/ive(0, 1.5)
        let cosine = 0.596_133_238_831_16;
        let of = numbers(&[0.0, 3.0]).first;
        assert!((of[0] - of[1] - cosine).abs() < 1e-9, "{of}");
        for lambda in [[0.0, 0.0, 0.0], [0.0, 0.5, 4.0], [0.0, 12.0, 15.0], [0.0, 0.1, 300.0]] {
            let (mut all, mut first, mut cross) = (0.0, [0.0; 3], 0.0);
            let steps = 1_500;
            for i in 0..steps {
                let z = -1.0 + (2.0 * f64::from(i) + 1.0) / f64::from(steps);
                for k in 0..400 {
                    let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 400.0).sin_cos();
                    let rest = (1.0 - z * z).sqrt();
                    let x = [rest * cos, rest * sin, z].map(|x| x * x);
                    let weight = (-x.iter().zip(&lambda).map(|(x, l)| x * l).sum::<f64>()).exp();
                    all += weight;
                    (0..3).for_each(|j| first[j] += weight * x[j]);
                    cross += weight * x[0] * x[2];
                }
            }
            let found = numbers(&lambda);
            for (j, sum) in first.iter().enumerate() {
                assert!((found.first[j] - sum / all).abs() < 2e-5, "{lambda:?} {j}: {} {}", found.first[j], sum / all);
            }
            let covariance = cross / all - first[0] * first[2] / (all * all);
            assert!((found.covariance[(0, 2)] - covariance).abs() < 2e-5, "{lambda:?}");
            assert!((found.first.sum() - 1.0).abs() < 1e-11, "{lambda:?}");
        }
    }

    #[test]
    fn concentrations_are_found_again() {
        for lambda in
            [&[0.0, 0.0][..], &[0.0, 3.0], &[0.0, 0.4, 2.0], &[0.0, 40.0, 4e3], &[0.0, 1e6, 2e6, 1e9], &[0.0; 16]]
        {
            let moments = law(&DVector::from_column_slice(lambda)).first;
            let found = bingham(moments.as_slice()).unwrap();
            for (found, expected) in found.values.iter().zip(&lambda[1..]) {
                assert!((found - expected).abs() < 1e-7 * (1.0 + expected), "{lambda:?}: {found} {expected}");
            }
        }
        assert!(bingham(&[0.8, 0.3, -0.1]).is_none() && bingham(&[1.0 / 17.0; 17]).is_none());
        assert!(bingham(&[0.7, f64::NAN, 0.3]).is_none() && bingham(&[1.0]).is_none());
    }

    /// `E R₁₁` of a law about one axis, `tr FᵀR = s·R₁₁`… by sums: the law of quaternions is that of rotations.
    #[test]
    fn the_matrix_fisher_law_is_bingham_s_law_of_quaternions() {
        let s = DVector::from_column_slice(&[5.0, 3.0, -1.0]);
        let lambda = [0.0, 2.0 * (s[1] + s[2]), 2.0 * (s[0] + s[2]), 2.0 * (s[0] + s[1])];
        let moments = law(&DVector::from_column_slice(&lambda)).first;
        let found = matrix_fisher(&bingham(moments.as_slice()).unwrap());
        assert!((&found.values - &s).norm() < 1e-7, "{}", found.values);
        // tr SR(q), as a form of the quaternion (w, x, y, z), up to a constant −Σ λq²
        let top = s.sum();
        let forms = [s.sum(), s[0] - s[1] - s[2], s[1] - s[0] - s[2], s[2] - s[0] - s[1]];
        let off: Vec<f64> = forms.iter().map(|form| top - form).collect();
        assert_eq!(off, lambda);
    }

    #[test]
    fn the_derivative_is_that_of_small_changes() {
        let moments = [0.6, 0.3, 0.1];
        let found = bingham(&moments).unwrap();
        for j in 1..3 {
            let mut other = moments;
            (other[0], other[j]) = (other[0] - 1e-6, other[j] + 1e-6);
            let moved = (bingham(&other).unwrap().values - &found.values) * 1e6;
            assert!((&moved - found.derivative.column(j - 1)).norm() < 1e-3 * moved.norm(), "{moved}");
        }
    }
}
