//! Covariance matrices that are singular, or whose scale says nothing, made positive definite.

use crate::error::{Error, Result};
use karcher::Space;
use nalgebra::DMatrix;

/// What a matrix is mixed with. What is done is the same for every record and depends on no other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Shrinkage {
    /// `X ← (1 − s)·X + s·(tr X / K)·I`: the trace stays, and no eigenvalue is below `s·tr X / K`.
    Identity(f64),
    /// `X ← (1 − α)·K·X / tr X + α·I`: the trace becomes `K`, and eigenvalues lie in `[α, α + (1 − α)·K]`, whatever the
    /// record and its unit were. [`shrink_trace_ball`] holds them all.
    Trace(f64),
}

/// How far below 0 rounding may take an eigenvalue, relative to the trace.
const ROUNDING: f64 = 1e-9;

impl Shrinkage {
    pub(crate) fn check(self, space: Space) -> Result<()> {
        let (option, value, is_share) = match self {
            Shrinkage::Identity(s) => ("--shrink", s, s > 0.0 && s <= 1.0),
            Shrinkage::Trace(alpha) => ("--shrink-trace", alpha, alpha > 0.0 && alpha <= 1.0),
        };
        if !matches!(space, Space::SpdLogEuclidean(_) | Space::SpdAffineInvariant(_)) {
            return Err(Error::MatricesOnly { option, space });
        }
        if is_share { Ok(()) } else { Err(Error::InvalidShare { option, value, limit: "at most 1" }) }
    }

    /// Shrinks the matrix `x`, or says why it is no covariance matrix.
    pub(crate) fn shrink(self, x: &mut [f64]) -> Result<(), String> {
        let k = x.len().isqrt();
        let trace: f64 = x.iter().step_by(k + 1).sum();
        if !(trace > 0.0 && trace.is_finite()) {
            return Err(format!("its trace is {trace}, it must be positive"));
        }
        let (share, scale, diagonal) = match self {
            Shrinkage::Identity(s) => (s, 1.0, trace / k as f64),
            Shrinkage::Trace(alpha) => {
                // eigenvalues below 0 would be mixed to ones below the ball
                let lifted = |i: usize, j: usize| {
                    let mean = 0.5 * x[i * k + j] + 0.5 * x[j * k + i];
                    mean / trace + if i == j { ROUNDING } else { 0.0 }
                };
                if DMatrix::from_fn(k, k, lifted).cholesky().is_none() {
                    return Err("it has a negative eigenvalue, which no covariance matrix has".to_owned());
                }
                (alpha, k as f64 / trace, 1.0)
            }
        };
        for (at, value) in x.iter_mut().enumerate() {
            *value *= (1.0 - share) * scale;
            if at % (k + 1) == 0 {
                *value += share * diagonal;
            }
        }
        Ok(())
    }
}

/// The center and the radius of a public ball that holds every `K×K` matrix of trace `K` that was shrunk by `α`
/// ([`Shrinkage::Trace`]), in both metrics of `spd-log-euclidean:K` and `spd-affine-invariant:K`: `(√(α·L),
/// ½·√K·ln(L/α))` with `L = α + (1 − α)·K`, the center to be multiplied by the identity matrix.
///
/// Eigenvalues lie in `[α, L]`, so their logarithms are at most `½·ln(L/α)` from those of the center. The radius is
/// rounded up.
///
/// # Errors
/// [`Error::InvalidShare`] unless `0 < α < 1`; for `α = 1` every matrix is the identity, and no ball is needed.
///
/// ```
/// let (center, radius) = karcher_io::shrink_trace_ball(3, 0.1)?;
/// assert!((center - (0.1_f64 * 2.8).sqrt()).abs() < 1e-12);
/// assert!((radius - 0.5 * 3.0_f64.sqrt() * 28.0_f64.ln()).abs() < 1e-6);
/// # Ok::<(), karcher_io::Error>(())
/// ```
pub fn shrink_trace_ball(k: usize, alpha: f64) -> Result<(f64, f64)> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Error::InvalidShare { option: "--shrink-trace", value: alpha, limit: "below 1" });
    }
    let largest = alpha + (1.0 - alpha) * k as f64;
    // an eigenvalue may be a little below 0 where rounding took it there, and the others then a little above K
    let slack = ROUNDING * k as f64;
    if slack > 0.5 * alpha {
        let limit = "far above 1e-9 times the size of the matrices";
        return Err(Error::InvalidShare { option: "--shrink-trace", value: alpha, limit });
    }
    let logarithms = 0.5 * (largest / alpha).ln() + slack - (1.0 - slack / alpha).ln();
    Ok(((alpha * largest).sqrt(), (k as f64).sqrt() * logarithms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::SymmetricEigen;
    use proptest::prelude::*;

    fn log_distance(x: &[f64], k: usize, center: f64) -> f64 {
        let eigenvalues = SymmetricEigen::new(DMatrix::from_row_slice(k, k, x)).eigenvalues;
        eigenvalues.iter().map(|l| (l / center).ln().powi(2)).sum::<f64>().sqrt()
    }

    proptest! {
        /// Rank-deficient covariances of every scale.
        #[test]
        fn the_public_ball_holds_every_matrix_of_shrunk_trace(
            k in 1usize..7,
            rank in 1usize..4,
            numbers in prop::collection::vec(-1.0..1.0f64, 18),
            (log_alpha, log_unit) in (-6.0..-0.01f64, -30.0..30.0f64),
        ) {
            let factor = DMatrix::from_fn(k, rank, |i, j| numbers[i * 3 + j]);
            let mut x: Vec<f64> = (&factor * factor.transpose() * 10f64.powf(log_unit)).iter().copied().collect();
            prop_assume!(x.iter().step_by(k + 1).sum::<f64>() > 0.0);
            let alpha = 10f64.powf(log_alpha);
            Shrinkage::Trace(alpha).shrink(&mut x).unwrap();
            let (center, radius) = shrink_trace_ball(k, alpha).unwrap();
            prop_assert!(log_distance(&x, k, center) <= radius);
            prop_assert!((x.iter().step_by(k + 1).sum::<f64>() - k as f64).abs() < 1e-9 * k as f64);
        }
    }

    #[test]
    fn the_public_ball_is_no_larger_than_its_formula() {
        // for two eigenvalues both ends are attained at once: by a matrix of rank one
        let mut x = [1.0, 0.0, 0.0, 0.0];
        Shrinkage::Trace(0.01).shrink(&mut x).unwrap();
        let (center, radius) = shrink_trace_ball(2, 0.01).unwrap();
        assert!((log_distance(&x, 2, center) / radius - 1.0).abs() < 1e-6);
    }

    #[test]
    fn shrinking_keeps_the_trace_and_moves_the_rest_to_the_diagonal() {
        let mut x = [4.0, 2.0, 2.0, 1.0];
        Shrinkage::Identity(0.5).shrink(&mut x).unwrap();
        assert_eq!(x, [3.25, 1.0, 1.0, 1.75]);
    }

    #[test]
    fn what_is_no_covariance_is_no_covariance_after_shrinking() {
        for x in [[0.0; 4], [-1.0, 0.0, 0.0, -1.0], [1.0, 2.0, 2.0, 1.0]] {
            assert!(Shrinkage::Trace(0.9).shrink(&mut x.clone()).is_err(), "{x:?}");
        }
        let spd = Space::SpdLogEuclidean(2);
        for share in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(matches!(Shrinkage::Identity(share).check(spd), Err(Error::InvalidShare { .. })));
            assert!(matches!(Shrinkage::Trace(share).check(spd), Err(Error::InvalidShare { .. })));
        }
        let elsewhere = Shrinkage::Trace(0.1).check(Space::Sphere(2));
        assert!(matches!(elsewhere, Err(Error::MatricesOnly { .. })));
    }
}
