//! A regression on features: everything follows from the noisy moments, whose numbers lie on the lattice.

use super::extrinsic::numbers;
use super::finding::Findings;
use super::place;
use crate::release::PrivateFeatureRegression;
use serde_json::json;

/// Compares a regression with the one that follows from its stated moments.
pub(super) fn compare(stated: &PrivateFeatureRegression, again: &PrivateFeatureRegression, found: &mut Findings) {
    for (i, (stated, again)) in stated.moments.iter().zip(&again.moments).enumerate() {
        place::multiple(&format!("moments[{i}]"), *stated, *again, found);
    }
    let (stated, again) = (json!(stated), json!(again));
    for (field, own) in stated.as_object().into_iter().flatten().filter(|(field, _)| *field != "moments") {
        numbers(field, own, &again[field], found);
    }
}
