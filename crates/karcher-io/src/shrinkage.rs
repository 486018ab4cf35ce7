//! Shrinkage of covariance matrices that are singular, or whose scale has no meaning, to positive definite ones.

use crate::error::{Error, Result};
use crate::short::short;
use karcher::Manifold;
use karcher::manifold::Shape;
use nalgebra::DMatrix;

/// The target of shrinkage. Each record is treated alike and by itself.
///
/// ```
/// use karcher_io::{ConvertOptions, Shrinkage, Table, layout, to_points};
/// let matrices = karcher::manifold::SpdLogEuclidean::new(2)?;
/// let singular = Table::new("a.csv", 4, vec![2.0, 0.0, 0.0, 0.0])?;
/// let options = ConvertOptions { shrinkage: Some(Shrinkage::Identity(0.25)), ..Default::default() };
/// let points = to_points(singular, &matrices, &layout(&matrices, None)?, &options)?;
/// assert_eq!(points.view().values(), [1.75, 0.0, 0.0, 0.25]); // ¾·X + ¼·(tr X / 2)·I
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Shrinkage {
    /// `X ← (1 − s)·X + s·(tr X / K)·I`: the trace stays, and no eigenvalue is below `s·tr X / K`.
    Identity(f64),
    /// `X ← (1 − α)·K·X / tr X + α·I`: the trace becomes `K`, and eigenvalues lie in `[α, α + (1 − α)·K]`, for any
    /// record and unit. [`shrink_trace_ball`] holds them all. `α` is at least `10⁻⁶` and below 1.
    Trace(f64),
}

/// Largest distance below 0 that rounding may give an eigenvalue, relative to the trace.
const ROUNDING: f64 = 1e-9;

/// The smallest `α`: with less, the rounding of matrices would show in the ball. The Python package has the same.
const SMALLEST: f64 = 1e-6;

/// Refuses an `α` that is not a share, or that rounding could remove.
fn check_alpha(k: usize, alpha: f64) -> Result<()> {
    // half of it may be lost to rounding
    let smallest = SMALLEST.max(2.0 * ROUNDING * k as f64);
    if alpha >= smallest && alpha < 1.0 {
        return Ok(());
    }
    let limit = format!("at least {} and below 1", short(smallest));
    Err(Error::InvalidShare { option: "--shrink-trace", value: alpha, limit })
}

impl Shrinkage {
    pub(crate) fn check(self, manifold: &dyn Manifold) -> Result<()> {
        let option = match self {
            Shrinkage::Identity(_) => "--shrink",
            Shrinkage::Trace(_) => "--shrink-trace",
        };
        let Shape::PositiveDefinite(k) = manifold.shape() else {
            return Err(Error::MatricesOnly { option, space: manifold.space().clone() });
        };
        match self {
            Shrinkage::Trace(alpha) => check_alpha(k, alpha),
            Shrinkage::Identity(s) if s > 0.0 && s <= 1.0 => Ok(()),
            Shrinkage::Identity(value) => {
                Err(Error::InvalidShare { option, value, limit: "above 0 and at most 1".to_owned() })
            }
        }
    }

    /// Shrinks the matrix `x`, or returns the reason why it is not a covariance matrix.
    pub(crate) fn shrink(self, x: &mut [f64]) -> Result<(), String> {
        let k = x.len().isqrt();
        let trace: f64 = x.iter().step_by(k + 1).sum();
        if !(trace > 0.0 && trace.is_finite()) {
            return Err(format!("its trace is {}, it must be positive", short(trace)));
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
/// ([`Shrinkage::Trace`]), in the metrics of `spd-log-euclidean:K`, `spd-affine-invariant:K` and
/// `spd-log-cholesky:K`: `(√(α·L), ½·√K·ln(L/α))` with `L = α + (1 − α)·K`, the center to be multiplied by the identity
/// matrix.
///
/// Eigenvalues lie in `[α, L]`, so their logarithms are at most `½·ln(L/α)` from those of the center. The radius is
/// rounded up. For the factor `C` of `P = CCᵀ` let `l = ln(L/α)`. Pivots `Cᵢᵢ²` lie in `[α, L]` too, so that the
/// logarithms of `Cᵢᵢ` contribute at most `K·(l/4)²` to the squared distance. What is below the diagonal contributes
/// `Σ Cᵢⱼ² = tr P − Σ Cᵢᵢ² ≤ K(1 − g)`, with the geometric mean `g` of the pivots, which is that of the eigenvalues. Their
/// mean is 1 and their logarithms have a range of `l`, so `−ln g ≤ l²/8` (Hoeffding). Together that is at most
/// `K·(3/16)·l²`, below `K·l²/4`.
///
/// # Errors
/// [`Error::InvalidShare`] unless `10⁻⁶ ≤ α < 1`, or `2·10⁻⁹·K ≤ α` where that is more; for
/// `α = 1` every matrix is the identity, and no ball is needed.
///
/// ```
/// let (center, radius) = karcher_io::shrink_trace_ball(3, 0.1)?;
/// assert!((center - (0.1_f64 * 2.8).sqrt()).abs() < 1e-12);
/// assert!((radius - 0.5 * 3.0_f64.sqrt() * 28.0_f64.ln()).abs() < 1e-6);
/// # Ok::<(), karcher_io::Error>(())
/// ```
pub fn shrink_trace_ball(k: usize, alpha: f64) -> Result<(f64, f64)> {
    check_alpha(k, alpha)?;
    let largest = alpha + (1.0 - alpha) * k as f64;
    // an eigenvalue may be a little below 0 where rounding took it there, and the others then a little above K
    let slack = ROUNDING * k as f64;
    let logarithms = 0.5 * (largest / alpha).ln() + slack - (1.0 - slack / alpha).ln();
    Ok(((alpha * largest).sqrt(), (k as f64).sqrt() * logarithms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use karcher::manifold::{SpdAffineInvariant, SpdLogCholesky, SpdLogEuclidean, Sphere};
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
            (log_alpha, log_unit) in (-5.999..-0.01f64, -30.0..30.0f64),
        ) {
            let factor = DMatrix::from_fn(k, rank, |i, j| numbers[i * 3 + j]);
            let mut x: Vec<f64> = (&factor * factor.transpose() * 10f64.powf(log_unit)).iter().copied().collect();
            prop_assume!(x.iter().step_by(k + 1).sum::<f64>() > 0.0);
            let alpha = 10f64.powf(log_alpha);
            Shrinkage::Trace(alpha).shrink(&mut x).unwrap();
            let (center, radius) = shrink_trace_ball(k, alpha).unwrap();
            prop_assert!(log_distance(&x, k, center) <= radius);
            let center: Vec<f64> = (0..k * k).map(|i| if i % (k + 1) == 0 { center } else { 0.0 }).collect();
            prop_assert!(SpdLogCholesky::new(k).unwrap().dist(&x, &center) <= radius);
            prop_assert!((x.iter().step_by(k + 1).sum::<f64>() - k as f64).abs() < 1e-9 * k as f64);
        }
    }

    #[test]
    fn the_smallest_share_is_that_of_the_python_package_and_the_sentence_says_it() {
        let spd = SpdAffineInvariant::new(3).unwrap();
        for alpha in [1e-6, 0.5, 0.999] {
            assert!(Shrinkage::Trace(alpha).check(&spd).is_ok() && shrink_trace_ball(3, alpha).is_ok(), "{alpha}");
        }
        for alpha in [1e-9, 9.9e-7, 0.0, 1.0, f64::NAN] {
            let error = Shrinkage::Trace(alpha).check(&spd).unwrap_err();
            assert_eq!(shrink_trace_ball(3, alpha).unwrap_err().to_string(), error.to_string());
            assert!(error.to_string().ends_with("it must be at least 1e-6 and below 1"), "{error}");
        }
        // what the sentence says is usable is, also where matrices are large
        let error = shrink_trace_ball(2000, 1e-6).unwrap_err().to_string();
        assert!(error.contains("at least 4.000000000000001e-6") || error.contains("at least 4e-6"), "{error}");
        assert!(shrink_trace_ball(2000, 4.1e-6).is_ok_and(|(_, radius)| radius.is_finite()));
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
        let spd = SpdLogEuclidean::new(2).unwrap();
        for share in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(matches!(Shrinkage::Identity(share).check(&spd), Err(Error::InvalidShare { .. })));
            assert!(matches!(Shrinkage::Trace(share).check(&spd), Err(Error::InvalidShare { .. })));
        }
        let elsewhere = Shrinkage::Trace(0.1).check(&Sphere::new(2).unwrap());
        assert!(matches!(elsewhere, Err(Error::MatricesOnly { .. })));
    }
}
