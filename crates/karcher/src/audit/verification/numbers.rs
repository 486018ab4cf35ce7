//! Comparison of numbers in JSON, up to rounding.

use super::finding::Findings;
use crate::mechanism::DRAWS_OF_TESTS;
use crate::statistics::extrinsic_mean::DRAWS;
use serde_json::Value;

/// Two JSON values are the same, except for rounding of numbers. Of a simulated p-value rounding may move one draw across
/// its limit.
pub(super) fn numbers(field: &str, stated: &Value, again: &Value, found: &mut Findings) {
    // numbers of one matrix are rounded as its largest one is
    let size = largest(stated).max(largest(again));
    match (stated, again) {
        (Value::Object(own), Value::Object(made)) if own.keys().eq(made.keys()) => {
            own.iter().zip(made.values()).for_each(|((key, x), y)| numbers(&format!("{field}.{key}"), x, y, found));
        }
        (Value::Array(own), Value::Array(made)) if own.len() == made.len() => {
            for (i, (x, y)) in own.iter().zip(made).enumerate() {
                elements(&format!("{field}[{i}]"), (x, y), size, found);
            }
        }
        (Value::Number(x), Value::Number(y)) => {
            let [x, y] = [x, y].map(|number| number.as_f64().unwrap_or(f64::NAN));
            if !(field.ends_with("p_value") && is_one_draw_apart(x, y)) {
                found.number(field, x, y);
            }
        }
        _ => found.same_json(field, stated, again),
    }
}

/// Elements of a list, with numbers of some size.
fn elements(field: &str, (stated, again): (&Value, &Value), size: f64, found: &mut Findings) {
    match (stated.as_f64().zip(again.as_f64()), stated, again) {
        (Some((x, y)), ..) => found.about(field, x, y, size),
        (None, Value::Array(own), Value::Array(made)) if own.len() == made.len() => {
            for (i, pair) in own.iter().zip(made).enumerate() {
                elements(&format!("{field}[{i}]"), pair, size, found);
            }
        }
        _ => numbers(field, stated, again, found),
    }
}

/// The largest number in lists of lists.
fn largest(of: &Value) -> f64 {
    match of {
        Value::Array(all) => all.iter().map(largest).fold(0.0, f64::max),
        _ => of.as_f64().map_or(0.0, f64::abs),
    }
}

/// Whether two p-values are `k/(D + 1)` of the same number `D` of draws, with `k` at most 1 apart.
fn is_one_draw_apart(stated: f64, again: f64) -> bool {
    let [least, most] = DRAWS_OF_TESTS;
    (least..=most).chain([DRAWS]).any(|draws| {
        let [a, b] = [stated, again].map(|p| p * (draws as f64 + 1.0));
        let is_count = [a, b].iter().all(|k| (k - k.round()).abs() < 1e-6 && *k > 0.5);
        is_count && (a - b).abs() < 1.5 && stated <= 1.0
    })
}

#[cfg(test)]
mod tests {
    use super::is_one_draw_apart;

    #[test]
    fn p_values_are_counts_of_draws() {
        for draws in [2001.0, 10_001.0] {
            assert!(is_one_draw_apart(7.0 / draws, 7.0 / draws));
            assert!(is_one_draw_apart(6.0 / draws, 7.0 / draws));
            assert!(!is_one_draw_apart(5.0 / draws, 7.0 / draws));
            assert!(!is_one_draw_apart(0.0, 1.0 / draws) && !is_one_draw_apart(1e-12, 1.0 / draws));
            assert!(!is_one_draw_apart(6.5 / draws, 7.0 / draws));
        }
    }
}
