//! Fields that no version writes: a release is read, written again and compared with what was read.

use super::finding::Findings;
use super::version::Version;
use super::words;
use crate::release::SCHEMA;
use serde_json::Value;

/// The names of schema 2 that have other names now.
const RENAMED: [(&str, &str); 8] = [
    ("about", "center"),
    ("center_by", "center_method"),
    ("holds", "coverage"),
    ("of", "quantity"),
    ("scattered", "consistent_with_uniform"),
    ("share_outside", "fraction_outside"),
    ("shares", "explained_variance_ratio"),
    ("times", "draws"),
];

/// Compares the JSON of a release, without what the command adds to it, with the JSON that it is written as.
pub(super) fn compare(stated: &Value, written: &Value, found: &mut Findings) {
    let is_current = stated["schema"] == SCHEMA;
    if !is_current && found.version == Version::This {
        found.same_json("schema", &stated["schema"], &SCHEMA.into());
    }
    walk(stated, written, String::new(), is_current, found);
}

/// Refuses the fields of an object that are not among the known ones. `place` is its path, with the dot behind it.
pub(super) fn only(object: &Value, known: &[&str], place: &str, found: &mut Findings) {
    let fields = object.as_object().into_iter().flatten();
    let unknown = fields.filter(|(key, _)| !known.contains(&key.as_str()));
    unknown.for_each(|(key, _)| found.add(format!("{place}{key}"), UNKNOWN));
}

/// The reason of a field that no version writes.
const UNKNOWN: &str = "no version of karcher writes this field here";

fn walk(stated: &Value, written: &Value, at: String, is_current: bool, found: &mut Findings) {
    match (stated, written) {
        (Value::Object(fields), Value::Object(known)) => {
            for (key, part) in fields {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                let renamed = RENAMED.iter().find(|(before, _)| before == key).filter(|_| !is_current);
                match known.get(key).or_else(|| known.get(renamed?.1)) {
                    Some(again) => walk(part, again, at, is_current, found),
                    None => found.add(at, UNKNOWN),
                }
            }
        }
        (Value::Array(parts), Value::Array(known)) => {
            for (i, (part, again)) in parts.iter().zip(known).enumerate() {
                walk(part, again, format!("{at}[{i}]"), is_current, found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => (),
        // schema 2 has other words, too
        _ if stated == written || !is_current => (),
        _ => {
            let (stated, written) = words::values(stated, written);
            found.add(at, format!("it is {stated}, and karcher writes {written}"));
        }
    }
}
