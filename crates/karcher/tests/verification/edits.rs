//! Edits of genuine releases are found.

use super::bases::{Base, bases, count, findings};
use rayon::prelude::*;
use serde_json::{Value, json};

/// The way to every part of a JSON value that is no object.
pub fn leaves(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, part)| leaves(part, format!("{at}/{key}"), out)),
        Value::Array(parts) => parts.iter().enumerate().for_each(|(i, part)| leaves(part, format!("{at}/{i}"), out)),
        _ => out.push(at),
    }
}

/// The way to every field and every element.
fn places(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, part) in fields {
                out.push(format!("{at}/{key}"));
                places(part, format!("{at}/{key}"), out);
            }
        }
        Value::Array(parts) => {
            for (i, part) in parts.iter().enumerate() {
                out.push(format!("{at}/{i}"));
                places(part, format!("{at}/{i}"), out);
            }
        }
        _ => (),
    }
}

/// The same release without what is in a place.
fn without(json: &Value, place: &str) -> Value {
    let mut edited = json.clone();
    let (parent, key) = place.rsplit_once('/').unwrap();
    match edited.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.remove(key)),
        Value::Array(parts) => drop(parts.remove(key.parse().unwrap())),
        _ => unreachable!(),
    }
    edited
}

fn all() -> Vec<Base> {
    bases().into_iter().chain([count()]).collect()
}

/// Edits that are missed, of all bases.
fn missed(edits: impl Fn(&Base) -> Vec<(String, Value)> + Sync) -> (Vec<String>, usize) {
    let of = |base: &Base| -> Vec<(String, bool)> {
        let is_missed =
            |(name, json): (String, Value)| (format!("{} {name}", base.name), findings(base.name, &json).is_empty());
        edits(base).into_par_iter().map(is_missed).collect()
    };
    let all: Vec<(String, bool)> = all().iter().flat_map(of).collect();
    let count = all.len();
    (all.into_iter().filter_map(|(name, is_missed)| is_missed.then_some(name)).collect(), count)
}

#[test]
fn genuine_bases_are_not_contradicted() {
    for base in all() {
        assert_eq!(findings(base.name, &base.json), [""; 0], "{}", base.name);
    }
}

/// Every number, a thousandth larger or by one, with the numbers that no reader can check.
#[test]
fn every_number_that_is_edited_is_found() {
    let (missed, count) = missed(|base| {
        let mut all = vec![];
        leaves(&base.json, String::new(), &mut all);
        let edit = |place: String| {
            let mut edited = base.json.clone();
            let part = edited.pointer_mut(&place).unwrap();
            *part = match &*part {
                Value::Number(number) if number.is_u64() => json!(number.as_u64().unwrap() + 1),
                Value::Number(number) => match number.as_f64().unwrap() {
                    0.0 => json!(0.001),
                    x => json!(x * 1.001),
                },
                _ => return None,
            };
            Some((place, edited))
        };
        all.into_iter().filter_map(edit).collect()
    });
    println!("{} of {count} missed: {missed:#?}", missed.len());
    assert!(missed.is_empty());
}

/// Every field and every element, left out.
#[test]
fn everything_that_is_left_out_is_found() {
    let (missed, count) = missed(|base| {
        let mut all = vec![];
        places(&base.json, String::new(), &mut all);
        all.into_iter().map(|place| (place.clone(), without(&base.json, &place))).collect()
    });
    println!("{} of {count} missed: {missed:#?}", missed.len());
    assert!(missed.is_empty());
}
