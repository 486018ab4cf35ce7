//! JSON in which no object has a field twice: readers differ in which one they take.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads JSON.
///
/// # Errors
/// Those of the reader, and one for a field that stands twice.
pub(super) fn read(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str::<Once>(text).map(|Once(value)| value)
}

/// A value in which no object has a field twice.
struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Once)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Value, A::Error> {
        let mut all = vec![];
        while let Some(Once(part)) = parts.next_element()? {
            all.push(part);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some((key, Once(value))) = fields.next_entry::<String, Once>()? {
            if all.contains_key(&key) {
                return Err(A::Error::custom(format!("the field `{key}` stands twice")));
            }
            all.insert(key, value);
        }
        Ok(all.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_stands() {
        let text = r#"{"a": [1, -2, 0.1, 1e300, null, true, "x\n", {"b": {}}], "c": 18446744073709551615}"#;
        assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn a_field_that_stands_twice_is_refused() {
        let error = read(r#"{"a": [{"scale": 1, "scale": 2}]}"#).unwrap_err().to_string();
        assert!(error.starts_with("the field `scale` stands twice"), "{error}");
    }
}
