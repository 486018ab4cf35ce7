//! Values of a release in words: JSON as it stands in the file, with seven significant digits.

use crate::error::Short;
use serde_json::{Number, Value};

/// Significant digits of a number for people, and those that tell all numbers apart.
const DIGITS: usize = 7;
const MOST_DIGITS: usize = 17;

/// Longest JSON in a sentence, in characters.
const LONGEST: usize = 100;

/// Two numbers that differ, with as many digits as show it, and seven at least.
pub(super) fn numbers(a: f64, b: f64) -> (String, String) {
    shortest(|digits| [a, b].map(|x| Short(with_digits(x, digits)).to_string()))
}

/// Two JSON values that differ, with as many digits as show it, and seven at least.
pub(super) fn values(a: &Value, b: &Value) -> (String, String) {
    shortest(|digits| [a, b].map(|value| cut(&rounded(value, digits))))
}

/// The first two words that differ, by the number of digits.
fn shortest(words: impl Fn(usize) -> [String; 2]) -> (String, String) {
    let differ = (DIGITS..MOST_DIGITS).map(&words).find(|[a, b]| a != b);
    let [a, b] = differ.unwrap_or_else(|| words(MOST_DIGITS));
    (a, b)
}

/// Whether two JSON values are the same: 1 and 1.0 are, because some programs write the one for the other.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64().is_some_and(|x| Some(x) == y.as_f64()),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| is_same(x, y)))
        }
        _ => a == b,
    }
}

/// The place of the first difference between two JSON values, with both values there. The place is that within the
/// values: `.high`, `[2]`.
pub(super) fn difference<'a>(a: &'a Value, b: &'a Value) -> (String, &'a Value, &'a Value) {
    let inner = match (a, b) {
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            let at = x.iter().zip(y).position(|(x, y)| !is_same(x, y));
            at.map(|i| (format!("[{i}]"), &x[i], &y[i]))
        }
        (Value::Object(x), Value::Object(y)) if x.len() == y.len() => {
            let at = x.iter().find_map(|(key, x)| Some((key, x, y.get(key).filter(|y| !is_same(x, y))?)));
            at.map(|(key, x, y)| (format!(".{key}"), x, y))
        }
        _ => None,
    };
    let Some((place, x, y)) = inner else { return (String::new(), a, b) };
    let (rest, x, y) = difference(x, y);
    (place + &rest, x, y)
}

/// A number with so many significant digits.
fn with_digits(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

/// The same value, with so many significant digits of each number that is not whole.
fn rounded(value: &Value, digits: usize) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let short = number.as_f64().and_then(|x| Number::from_f64(with_digits(x, digits)));
            short.map_or_else(|| value.clone(), Value::Number)
        }
        Value::Array(parts) => parts.iter().map(|part| rounded(part, digits)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, part)| (key.clone(), rounded(part, digits))).collect(),
        _ => value.clone(),
    }
}

/// The JSON of a value, cut where it is long.
fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn digits_are_as_many_as_show_the_difference() {
        assert_eq!(numbers(0.1 + 0.2, 0.4), ("0.3".to_owned(), "0.4".to_owned()));
        assert_eq!(numbers(0.1 + 0.2, 0.3), ("0.30000000000000004".to_owned(), "0.3".to_owned()));
        assert_eq!(numbers(1.0, 1.0 + 1e-9), ("1".to_owned(), "1.000000001".to_owned()));
        let (a, b) = values(&json!({"definition": "pure", "epsilon": 1.0 / 3.0}), &json!("sphere:2"));
        assert_eq!((a.as_str(), b.as_str()), (r#"{"definition":"pure","epsilon":0.3333333}"#, r#""sphere:2""#));
    }

    #[test]
    fn the_place_of_a_difference_is_a_way_through_json() {
        let (a, b) = (json!({"range": [{"low": 1}, {"low": 2}]}), json!({"range": [{"low": 1}, {"low": 3}]}));
        let (place, a, b) = difference(&a, &b);
        assert_eq!((place.as_str(), a, b), (".range[1].low", &json!(2), &json!(3)));
        let (place, ..) = difference(&json!([1, 2]), &json!([1.0, 3]));
        assert_eq!(place, "[1]");
        let (place, ..) = difference(&json!([1]), &json!([1, 2]));
        assert_eq!(place, "");
    }
}
