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
}
