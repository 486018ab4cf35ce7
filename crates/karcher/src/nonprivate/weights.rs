//! Weights of records, for statistics that are **not private**.

use crate::error::{Error, Result};

/// Weights with the sum `n`, one for each of `n` records. `None` stands for equal ones.
///
/// # Errors
/// [`Error::InvalidParameter`] for another number of weights, a negative or infinite one, and for zeros alone.
pub(super) fn normalized(weights: Option<&[f64]>, n: usize) -> Result<Option<Vec<f64>>> {
    let Some(weights) = weights else { return Ok(None) };
    let invalid = |value, requirement: &str| {
        Err(Error::InvalidParameter { name: "weight", value, requirement: requirement.to_owned() })
    };
    if weights.len() != n {
        return invalid(weights.len() as f64, "there must be as many weights as records");
    }
    if let Some(&bad) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
        return invalid(bad, "weights must be finite and not negative");
    }
    let total: f64 = weights.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        return invalid(total, "the weights must not all be zero, and their sum must be finite");
    }
    let each = n as f64 / total;
    Ok(Some(weights.iter().map(|w| w * each).collect()))
}
