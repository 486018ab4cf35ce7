//! An extrinsic mean: everything follows from the embedded mean, whose numbers lie on the lattice.

use super::finding::Findings;
use super::{place, value};
use crate::release::PrivatePoint;
use serde_json::{Value, json};

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
        ("logarithm", stated.logarithm.is_some()),
        ("spread", stated.spread.is_some()),
        ("components", stated.components.is_some()),
    ] {
        if is_there {
            found.presence(field, true);
        }
    }
}

/// Two JSON values are the same, except for rounding of numbers. Of a rehearsal, rounding may move one draw of a thousand
/// across its limit.
pub(super) fn numbers(field: &str, stated: &Value, again: &Value, found: &mut Findings) {
    match (stated, again) {
        (Value::Object(own), Value::Object(made)) if own.keys().eq(made.keys()) => {
            own.iter().zip(made.values()).for_each(|((key, x), y)| numbers(&format!("{field}.{key}"), x, y, found));
        }
        (Value::Array(own), Value::Array(made)) if own.len() == made.len() => {
            own.iter().zip(made).enumerate().for_each(|(i, (x, y))| numbers(&format!("{field}[{i}]"), x, y, found));
        }
        (Value::Number(x), Value::Number(y)) => {
            let [x, y] = [x, y].map(|number| number.as_f64().unwrap_or(f64::NAN));
            let is_near = field.ends_with("p_value") && (x - y).abs() <= 1e-3 && x > 0.0 && x <= 1.0;
            if !is_near {
                found.number(field, x, y);
            }
        }
        _ => found.same_json(field, stated, again),
    }
}
