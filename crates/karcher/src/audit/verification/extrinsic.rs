//! An extrinsic mean: everything follows from the embedded mean, whose numbers lie on the lattice.

use super::finding::Findings;
use super::numbers::numbers;
use super::{place, value};
use crate::release::PrivatePoint;
use serde_json::json;

/// Compares an extrinsic mean with the one that follows from the stated embedded mean.
pub(super) fn compare(stated: &PrivatePoint, again: &PrivatePoint, center: &[f64], found: &mut Findings) {
    let (Some(own), Some(made)) = (&stated.extrinsic, &again.extrinsic) else {
        return found.presence("extrinsic", stated.extrinsic.is_some());
    };
    for (i, (stated, again)) in own.embedded_mean.iter().zip(&made.embedded_mean).enumerate() {
        place::multiple(&format!("extrinsic.embedded_mean[{i}]"), *stated, *again, found);
    }
    place::follows("value", &stated.value, &again.value, center, "embedded mean", found);
    value::region("region", stated.region.as_ref(), again.region.as_ref(), found);
    numbers("extrinsic.factors", &json!(own.factors), &json!(made.factors), found);
    for (field, is_there) in [
        ("noisy_value", stated.noisy_value.is_some()),
        ("noisy_coordinates", stated.noisy_coordinates.is_some()),
        ("logarithm", stated.logarithm.is_some()),
        ("spread", stated.spread.is_some()),
        ("components", stated.components.is_some()),
    ] {
        if is_there {
            found.presence(field, true);
        }
    }
}
