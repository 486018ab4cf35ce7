//! Every leaf of a release is compared: any edit of one is found, for every statistic.

use super::bases::{Base, bases, count, more, quantiles, scores};
use karcher::audit::Verification;
use karcher::release::StatisticName;
use rayon::prelude::*;
use serde_json::{Value, json};

/// Every place of a tree, from the root on.
fn places(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, part)| places(part, format!("{at}/{key}"), out)),
        Value::Array(parts) => parts.iter().enumerate().for_each(|(i, part)| places(part, format!("{at}/{i}"), out)),
        _ => (),
    }
    out.push(at);
}

/// The edits of a place, with their names.
fn edits(genuine: &Value, place: &str) -> Vec<(String, Value)> {
    let with = |part: Value| {
        let mut edited = genuine.clone();
        *edited.pointer_mut(place).unwrap() = part;
        edited
    };
    let mut all = match genuine.pointer(place).unwrap() {
        Value::Number(number) if number.is_u64() => {
            vec![("one more", with(json!(number.as_u64().unwrap() + 1)))]
        }
        Value::Number(number) => match number.as_f64().unwrap() {
            0.0 => vec![("larger", with(json!(1e-6)))],
            x => vec![("larger", with(json!(x * (1.0 + 1e-6)))), ("negative", with(json!(-x)))],
        },
        Value::String(text) => vec![("longer", with(json!(format!("{text}x"))))],
        Value::Bool(holds) => vec![("denied", with(json!(!holds)))],
        Value::Object(_) => {
            let mut edited = genuine.clone();
            edited.pointer_mut(place).unwrap()["unknown"] = json!(1);
            vec![("a field more", edited)]
        }
        Value::Array(parts) => {
            let more = parts.iter().chain(parts.last()).cloned().collect::<Vec<_>>();
            if parts.is_empty() {
                vec![("no list", with(json!(null)))]
            } else {
                vec![("an element more", with(json!(more)))]
            }
        }
        Value::Null => vec![],
    };
    if let Some((parent, key)) = place.rsplit_once('/') {
        let mut edited = genuine.clone();
        match edited.pointer_mut(parent).unwrap() {
            Value::Object(fields) => drop(fields.remove(key)),
            Value::Array(parts) => drop(parts.remove(key.parse().unwrap())),
            _ => unreachable!(),
        }
        all.push(("absent", edited));
    }
    all.into_iter().map(|(name, json)| (format!("{place} {name}"), json)).collect()
}

/// Edits that no reader can find: of releases whose names begin so, in places that begin so, which ones, and why.
const FREE: [(&str, &str, &[&str], &str); 15] = [
    ("", "/components/directions/", &["larger"], "noise: any basis, to a millionth"),
    ("located on a line", "/components/directions/", &["negative"], "noise: the other direction of the line"),
    ("clusters", "/clusters/0/center/", &["larger", "negative"], "noise: any point of the ball"),
    ("clusters", "/clusters/1/center/", &["larger", "negative"], "noise: any point of the ball"),
    ("ball", "/center/", &["negative"], "noise: another point of the lattice"),
    ("line", "/shooting_vector/", &["negative"], "noise: another point of the lattice"),
    ("record", "/coordinates/", &["negative"], "noise: another point of the lattice"),
    ("regression", "/predictor_variance/value", &["larger"], "noise: the line does not follow from it alone"),
    ("line", "/predictor_variance/value", &["larger"], "noise: the line does not follow from it alone"),
    ("plain", "/spec/ball/center/", &["larger"], "the ball is around the nearest point of the space"),
    ("ball", "/spec/ball/center/", &["larger"], "the ball is around the nearest point of the space"),
    ("record", "/ball/center/", &["larger", "negative"], "a record has no specification, and its ball is as it states"),
    ("confusion", "/noisy_counts/", &["larger", "negative"], "noise: the accuracy does not follow from these cells"),
    ("count", "/seeded", &["denied"], "the run alone knows of its seed"),
    ("", "/flags/", &["absent"], "the run alone knows of its seed"),
];

/// Releases that take long to plan, for which others stand here.
const LONG: [&str; 4] = ["located", "two-stage", "ball", "median"];

/// The row by which an edit of a place is free. A flag is if it is that of a seed.
fn free(base: &Base, edit: &str) -> Option<usize> {
    let (place, kind) = edit.split_once(' ')?;
    let is_here = |(name, at, kinds, _): &(&str, &str, &[&str], &str)| {
        base.name.starts_with(name) && place.starts_with(at) && kinds.contains(&kind)
    };
    let is_seed = |place: &str| base.json.pointer(place).is_some_and(|flag| flag == "seeded");
    FREE.iter().position(is_here).filter(|_| !place.starts_with("/flags/") || is_seed(place))
}

/// An edit without a finding: the row by which it is free, if it is, and its name.
type Missed = (Option<usize>, String);

#[test]
fn every_leaf_of_a_release_is_compared() {
    let all: Vec<Base> = bases()
        .into_iter()
        .chain(more())
        .chain(scores())
        .chain(quantiles())
        .chain([count()])
        .filter(|base| !LONG.contains(&base.name))
        .collect();
    for statistic in StatisticName::ALL {
        assert!(all.iter().any(|base| base.json["statistic"] == statistic.name()), "{statistic}");
    }
    let missed_of = |base: &Base| -> Vec<(usize, Vec<Missed>)> {
        let mut all = vec![];
        places(&base.json, String::new(), &mut all);
        all.par_iter()
            .map(|place| {
                let edits = edits(&base.json, place);
                let is_missed =
                    |json: &Value| Verification::of(json).findings.iter().all(|finding| finding.is_of_seed());
                let missed = edits.iter().filter(|(_, json)| is_missed(json));
                let named = |name: &str| (free(base, name), format!("{} {name}", base.name));
                (edits.len(), missed.map(|(name, _)| named(name)).collect())
            })
            .collect()
    };
    let found: Vec<_> = all.iter().flat_map(missed_of).collect();
    let count: usize = found.iter().map(|(count, _)| count).sum();
    let (free, missed): (Vec<_>, Vec<_>) =
        found.into_iter().flat_map(|(_, all)| all).partition(|(row, _)| row.is_some());
    assert!(count > 5_000, "{count}");
    assert!(missed.is_empty(), "{} of {count} edits: {missed:#?}", missed.len());
    for (row, exception) in FREE.iter().enumerate() {
        assert!(free.iter().any(|(by, _)| *by == Some(row)), "no edit needs {exception:?}");
    }
}
