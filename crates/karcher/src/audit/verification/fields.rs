//! Fields that no version writes: a release is read, written again and compared with what was read.

use super::finding::Findings;
use super::words;
use crate::release::SCHEMA;
use serde_json::Value;

/// Compares the JSON of a release, without what the command adds to it, with the JSON that it is written as.
pub(super) fn compare(stated: &Value, written: &Value, found: &mut Findings) {
    found.same_json("schema", &stated["schema"], &SCHEMA.into());
    walk(stated, written, String::new(), found);
}

/// Refuses the fields of an object that are not among the known ones. `place` is its path, with the dot behind it.
pub(super) fn only(object: &Value, known: &[&str], place: &str, found: &mut Findings) {
    let fields = object.as_object().into_iter().flatten();
    let unknown = fields.filter(|(key, _)| !known.contains(&key.as_str()));
    unknown.for_each(|(key, _)| found.add(format!("{place}{key}"), UNKNOWN));
}

/// The reason of a field that no version writes.
const UNKNOWN: &str = "no version of karcher writes this field here";

fn walk(stated: &Value, written: &Value, at: String, found: &mut Findings) {
    match (stated, written) {
        (Value::Object(fields), Value::Object(known)) => {
            for (key, part) in fields {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                match known.get(key) {
                    Some(again) => walk(part, again, at, found),
                    None => found.add(at, UNKNOWN),
                }
            }
        }
        (Value::Array(parts), Value::Array(known)) => {
            for (i, (part, again)) in parts.iter().zip(known).enumerate() {
                walk(part, again, format!("{at}[{i}]"), found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => (),
        _ if stated == written => (),
        _ => {
            let (stated, written) = words::values(stated, written);
            found.add(at, format!("it is {stated}, and karcher writes {written}"));
        }
    }
}
