//! The best mechanism for a budget, chosen from public quantities.

use super::{Noise, gaussian, laplace};
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::privacy::{Definition, GaussianCalibration, Guarantee};

/// Of the mechanisms that keep a budget on a space, the one with the smallest expected distance.
///
/// Laplace noise keeps any budget with an ε (pure ε is (ε, δ) for every δ), Gaussian noise any other than pure ε on flat spaces.
///
/// # Errors
/// When there is none: the reason why the last one considered is not available.
pub fn auto(manifold: &dyn Manifold, sensitivity: f64, guarantee: Guarantee) -> Result<Noise<'_>> {
    let pure = match guarantee.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => {
            laplace(manifold, sensitivity, epsilon)
        }
        _ => Err(Error::Unsupported {
            mechanism: "laplace",
            space: manifold.space(),
            reason: "it is calibrated to an epsilon".to_owned(),
        }),
    };
    if let Definition::Pure { .. } = guarantee.definition() {
        return pure;
    }
    let smooth = gaussian(manifold, sensitivity, guarantee, GaussianCalibration::Analytic);
    match (pure, smooth) {
        (Ok(a), Ok(b)) => Ok(if a.expected_distance() <= b.expected_distance() { a } else { b }),
        (Ok(noise), Err(_)) | (Err(_), Ok(noise)) => Ok(noise),
        (Err(_), Err(error)) => Err(error),
    }
}
