//! Every number of a document, with all its digits.

use crate::html::{facts, folded};
use maud::Markup;
use serde_json::Value;

/// A folded table of all fields of a document except its specification, each with its path in the JSON.
pub fn table(json: &str) -> Markup {
    let mut rows = vec![];
    if let Ok(document) = serde_json::from_str(json) {
        add(String::new(), &document, &mut rows);
    }
    let rows: Vec<(&str, String)> = rows.iter().map(|(path, words)| (path.as_str(), words.clone())).collect();
    folded("All digits", &facts("Every field except the specification", &rows))
}

/// Adds a field, or the fields in it. A list of numbers is one row.
fn add(path: String, value: &Value, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| *name != "spec") {
                let dot = if path.is_empty() { "" } else { "." };
                add(format!("{path}{dot}{name}"), value, rows);
            }
        }
        Value::Array(items) if items.iter().all(Value::is_number) => {
            rows.push((path, items.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")));
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                add(format!("{path}[{i}]"), item, rows);
            }
        }
        Value::String(text) => rows.push((path, text.clone())),
        Value::Null => {}
        other => rows.push((path, other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_paths_and_all_digits() {
        let json = r#"{"n": 3, "ball": {"center": [0.1, 1e300], "radius": 0.30000000000000004}, "spec": {"n": 4},
            "steps": [{"clip": 2.0}], "flags": [], "a": null}"#;
        let mut rows = vec![];
        add(String::new(), &serde_json::from_str(json).unwrap(), &mut rows);
        let has = |path: &str, words: &str| rows.iter().any(|row| *row == (path.to_owned(), words.to_owned()));
        assert!(has("n", "3") && has("ball.center", "0.1 1e+300") && has("ball.radius", "0.30000000000000004"));
        assert!(has("steps[0].clip", "2.0") && has("flags", "") && rows.len() == 5, "{rows:?}");
    }
}
