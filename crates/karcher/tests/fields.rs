//! The table of fields: it agrees with the specification and with the mechanisms, and schema and pages are made of it.
//!
//! `KARCHER_WRITE=1 cargo test -p karcher-tests --test all -- fields` writes the schema and the tables of the pages.

use crate::common::example::example;
use karcher::ReleaseSpec;
use karcher::field::{FIELDS, Field, Kind};
use karcher::mechanism::mechanisms_for;
use karcher::release::{Adjacency, MechanismName, PrivacyUnit, StatisticName, ValueKind};
use karcher::spec::{BallSpec, Components, GroupsSpec, Spread, Trust};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

fn top() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.parent().is_none())
}

fn parts(object: &Field) -> impl Iterator<Item = (&'static str, &'static Field)> {
    let path = object.path;
    FIELDS.iter().filter_map(move |field| match field.parent() {
        Some((parent, name)) if parent == path => Some((name, field)),
        _ => None,
    })
}

/// A specification has just the fields of the table: what it refuses names those that it knows.
#[test]
fn every_field_of_a_specification_is_in_the_table() {
    let known = |text: &str| {
        let refused = serde_json::from_str::<ReleaseSpec>(text).unwrap_err().to_string();
        let names: Vec<String> = refused.split('`').skip(3).step_by(2).map(str::to_owned).collect();
        names
    };
    let mut of_table: Vec<&str> = top().map(|field| field.path).collect();
    let mut of_spec = known(r#"{"planted": 1}"#);
    of_table.sort_unstable();
    of_spec.sort_unstable();
    assert_eq!(of_spec, of_table);
    for (object, start) in [
        ("ball", ""),
        ("groups", ""),
        ("clusters", ""),
        ("descent", ""),
        ("spread", ""),
        ("components", ""),
        ("score", ""),
    ] {
        let mut of_spec = known(&format!(r#"{{"{object}": {{{start}"planted": 1}}}}"#));
        let mut of_table: Vec<&str> =
            top().filter(|f| f.path == object).flat_map(parts).map(|(name, _)| name).collect();
        of_table.sort_unstable();
        of_spec.sort_unstable();
        assert_eq!(of_spec, of_table, "{object}");
    }
}

/// A statistic that takes an option of mechanisms has a mechanism that takes it. Options of an iteration and of a
/// rehearsal belong to all that have one; others are of the mean, whose mechanisms also release other statistics.
#[test]
fn options_of_mechanisms_belong_to_their_statistics() {
    for name in ["steps", "calibration", "bound", "tolerance", "denoise", "assume_in_ball", "expected_spread"] {
        let field = Field::named(name).unwrap();
        for statistic in StatisticName::ALL {
            let is_taken = mechanisms_for(statistic).any(|mechanism| mechanism.parameters().contains(&name));
            let is_of_all = ["steps", "expected_spread"].contains(&name);
            assert!(field.is_of(statistic) == is_taken || is_taken && !is_of_all, "{name} {statistic}");
        }
    }
}

#[test]
fn a_statistic_says_whether_it_needs_fields_of_its_own() {
    let known = ["spec", "statistic", "manifold", "ball", "budget"];
    for statistic in StatisticName::ALL {
        let is_own = |field: &&Field| field.is_required && field.is_of(statistic) && !known.contains(&field.path);
        let own: Vec<&str> = top().filter(is_own).map(|field| field.path).collect();
        assert_eq!(statistic.description().needs_fields(), !own.is_empty(), "{statistic}: {own:?}");
    }
}

#[test]
fn descriptions_name_fields_and_options_that_exist() {
    for statistic in StatisticName::ALL {
        for path in statistic.description().fields {
            let found = FIELDS.iter().find(|field| field.path == *path);
            assert!(found.is_some_and(|field| field.is_of(statistic)), "{statistic}: {path}");
        }
        for (option, help) in statistic.description().helps {
            let field = Field::of_option(option).unwrap_or_else(|| panic!("{statistic}: {option}"));
            assert_eq!(field.option.unwrap().help_of(statistic), *help);
        }
    }
}

#[test]
fn no_path_and_no_option_is_there_twice() {
    let mut paths: Vec<&str> = FIELDS.iter().map(|field| field.path).collect();
    let mut options: Vec<&str> = FIELDS.iter().filter_map(|field| Some(field.option?.name)).collect();
    for names in [&mut paths, &mut options] {
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
    for option in FIELDS.iter().filter_map(|field| field.option) {
        for other in option.needs.iter().chain(option.excludes) {
            assert!(Field::of_option(other).is_some(), "{} names {other}", option.name);
        }
    }
}

/// The text of a file in docs.
fn docs(name: &str) -> (PathBuf, String) {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs")).join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    (path, text)
}

/// Compares a file with what is made of the table, or writes it.
fn kept(path: &PathBuf, there: &str, made: &str) {
    if std::env::var_os("KARCHER_WRITE").is_some() {
        return std::fs::write(path, made).unwrap();
    }
    let at = there.lines().zip(made.lines()).find(|(there, made)| there != made);
    assert!(there == made, "{}: {at:?}; write it anew with KARCHER_WRITE=1", path.display());
}

/// A page with the lines between the marks of a part replaced.
fn with_part(page: &str, part: &str, made: &str) -> String {
    let (begin, end) = (format!("<!-- generated: {part} -->\n"), format!("<!-- /generated: {part} -->"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("no mark {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no mark {end}"));
    format!("{before}{begin}\n{made}\n{end}{after}")
}

fn reference(to: &str) -> Value {
    json!({ "$ref": format!("urn:karcher:common#/$defs/{to}") })
}

/// The schema of a field.
fn schema_of(field: &Field) -> Value {
    let list = |items: Value, least: usize| json!({"type": "array", "minItems": least, "items": items});
    let mut schema = match field.kind {
        Kind::Version => json!({"const": 1}),
        // a record is randomized at home, by no specification
        Kind::Statistic => {
            json!({"enum": StatisticName::ALL.into_iter().filter(|s| *s != StatisticName::Record).collect::<Vec<_>>()})
        }
        Kind::Space => reference("space"),
        Kind::Budget => reference("guarantee"),
        Kind::Point => list(json!({"type": "number"}), 1),
        Kind::Length | Kind::Positive => reference("positive"),
        Kind::Lengths => list(reference("positive"), 2),
        Kind::Probability => json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        Kind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Wholes => list(reference("number_of_records"), 1),
        Kind::Numbers => list(reference("positive"), 1),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Choice(names) => json!({"enum": names.iter().map(|(name, _)| name).collect::<Vec<_>>()}),
        Kind::Mechanism => json!({"anyOf": [{"enum": ["auto", "tangent-gaussian"]}, reference("mechanism")]}),
        Kind::Bound => reference("bound"),
        Kind::Text => json!({"type": "string"}),
        Kind::Texts => list(json!({"type": "string", "minLength": 1}), 1),
        Kind::Range => object([("low", json!({"type": "number"}), true), ("high", json!({"type": "number"}), true)]),
        Kind::Features => json!({"$ref": "urn:karcher:release:3#/properties/features"}),
        Kind::Rows => json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
        Kind::Object => object(parts(field).map(|(name, part)| (name, schema_of(part), part.is_required))),
    };
    if field.path == "ball" {
        schema["oneOf"] = json!([
            {"required": ["radius"], "properties": {"radii": false, "within": false, "quantile": false}},
            {"required": ["radii"], "properties": {"radius": false, "within": false, "quantile": false}},
            {"required": ["within"], "properties": {"radius": false, "radii": false}},
        ]);
    }
    let mut described = json!({"description": field.content});
    described.as_object_mut().unwrap().extend(schema.as_object().unwrap().clone());
    described
}

/// An object of these fields alone: their names, their schemas, and whether they are needed.
fn object(fields: impl IntoIterator<Item = (&'static str, Value, bool)>) -> Value {
    let (mut properties, mut required) = (Map::new(), vec![]);
    for (name, schema, is_required) in fields {
        properties.insert(name.to_owned(), schema);
        required.extend(is_required.then_some(name));
    }
    let mut schema = json!({"type": "object"});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["properties"] = properties.into();
    schema["additionalProperties"] = json!(false);
    schema
}

/// The schema of a specification.
fn schema() -> Value {
    let is_of_all = |field: &&Field| field.of.len() == StatisticName::ALL.len();
    let required: Vec<&str> = top().filter(is_of_all).filter(|f| f.is_required).map(|f| f.path).collect();
    let properties: Map<String, Value> = top().map(|field| (field.path.to_owned(), schema_of(field))).collect();
    let mut rules = vec![json!({
        "if": {"properties": {"statistic": {"const": "count"}}},
        "then": {"properties": {"adjacency": {"const": "add-remove"}}},
    })];
    for field in top().filter(|field| !is_of_all(field)) {
        let of: Vec<&StatisticName> = field.of.iter().filter(|s| **s != StatisticName::Record).collect();
        let mut rule = json!({"if": {"properties": {"statistic": {"enum": of}}}});
        if field.is_required {
            rule["then"] = json!({"required": [field.path]});
        }
        // what is written is the mechanism of every statistic
        let of_others = if field.path == "mechanism" { json!({"const": "auto"}) } else { json!(false) };
        rule["else"] = json!({"properties": {field.path: of_others}});
        rules.push(rule);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:karcher:spec",
        "title": "A specification of a release, version 1",
        "description": "Everything public that a release depends on, except the number of records: printed by \
                        --spec-only, run by karcher run, and the field spec of a release. \
                        docs/reference/specification.md explains each field. A test makes this file of the table of \
                        fields.",
        "type": "object",
        "required": required,
        "properties": properties,
        "allOf": rules,
        "additionalProperties": false,
    })
}

/// JSON in lines of at most 118 columns.
fn pretty(value: &Value, indent: usize, before: usize) -> String {
    let short = match value {
        Value::Object(all) if all.is_empty() => "{}".to_owned(),
        Value::Object(all) => {
            let inside: Vec<String> = all.iter().map(|(k, v)| format!("{}: {}", json!(k), pretty(v, 0, 0))).collect();
            format!("{{ {} }}", inside.join(", "))
        }
        Value::Array(all) => {
            format!("[{}]", all.iter().map(|v| pretty(v, 0, 0)).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    };
    let has_parts = value.is_object() || value.is_array();
    if before == 0 || !has_parts || before + short.len() <= 117 {
        return short;
    }
    let (within, pad) = (indent + 2, " ".repeat(indent + 2));
    let (lines, ends): (Vec<String>, [char; 2]) = match value {
        Value::Object(all) => {
            let line = |(k, v): (&String, &Value)| {
                let head = format!("{pad}{}: ", json!(k));
                format!("{head}{}", pretty(v, within, head.len()))
            };
            (all.iter().map(line).collect(), ['{', '}'])
        }
        _ => {
            let all = value.as_array().unwrap();
            (all.iter().map(|v| format!("{pad}{}", pretty(v, within, within))).collect(), ['[', ']'])
        }
    };
    format!("{}\n{}\n{}{}", ends[0], lines.join(",\n"), " ".repeat(indent), ends[1])
}

#[test]
fn the_schema_is_made_of_the_table() {
    let (path, there) = docs("schemas/spec.schema.json");
    let made = schema();
    // its root is never in one line
    let text = pretty(&made, 0, 1) + "\n";
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), made);
    kept(&path, &there, &text);
}

/// A schema with other names in a list, which stands after an anchor.
fn with_names(schema: &str, anchor: &str, names: &[&str]) -> String {
    let anchor = format!("{anchor}\n      \"enum\": ");
    let (before, rest) = schema.split_once(&anchor).unwrap_or_else(|| panic!("no list after {anchor}"));
    let (_, after) = rest.split_once(']').unwrap_or_else(|| panic!("no end of the list after {anchor}"));
    format!("{before}{anchor}{}{after}", pretty(&json!(names), 6, 14))
}

/// A line of the schema of releases, which names the statistics whose values have some fields. All with such a value
/// have them; points have fields of their statistic.
fn with_statistics(line: &str) -> String {
    let start = "      \"if\": { \"required\": [\"statistic\"], \"properties\": { \"statistic\": ";
    let Some(names) = line.strip_prefix(start) else { return line.to_owned() };
    let kind_of = |statistic: &StatisticName| statistic.description().value;
    let first = StatisticName::ALL.into_iter().find(|name| names.contains(&format!("\"{name}\"")));
    let first = first.unwrap_or_else(|| panic!("no statistic in {line}"));
    let all = StatisticName::ALL.into_iter().filter(|name| kind_of(name) == kind_of(&first));
    match all.map(StatisticName::name).collect::<Vec<_>>()[..] {
        [_, ref others @ ..] if others.is_empty() || kind_of(&first) == ValueKind::Point => line.to_owned(),
        ref all => format!("{start}{} }} }},", pretty(&json!({ "enum": all }), 0, 0)),
    }
}

/// The schemas that others refer to name each statistic and each mechanism.
#[test]
fn schemas_name_the_statistics_and_mechanisms_of_the_registry() {
    let statistics = StatisticName::ALL.map(StatisticName::name);
    let mechanisms = MechanismName::ALL.map(MechanismName::name);
    let (path, there) = docs("schemas/common.schema.json");
    let made = with_names(&there, "    \"statistic\": {", &statistics);
    kept(&path, &there, &with_names(&made, "    \"mechanism\": {", &mechanisms));

    // a count is no such release, and one of two stages is by the mechanism of its mean
    let (path, there) = docs("release.schema.json");
    let of_values = statistics.into_iter().filter(|name| *name != "count").collect::<Vec<_>>();
    let of_values = with_names(&there, "\"What was computed of the records.\",", &of_values);
    let by = mechanisms.into_iter().filter(|name| *name != "two-stage").collect::<Vec<_>>();
    let made = with_names(&of_values, "    \"mechanism\": {", &by);
    kept(&path, &there, &(made.lines().map(with_statistics).collect::<Vec<_>>().join("\n") + "\n"));
}

/// The statistics that take a field, in words.
fn takers(field: &Field) -> String {
    let left_out: Vec<&str> = StatisticName::ALL.into_iter().filter(|s| !field.is_of(*s)).map(|s| s.name()).collect();
    let parent = field.parent().and_then(|(parent, _)| Field::named(parent));
    match (parent, left_out.len()) {
        (Some(parent), _) if StatisticName::ALL.into_iter().all(|s| parent.is_of(s) == field.is_of(s)) => {
            format!("as `{}`", parent.path)
        }
        (_, 0) => "all".to_owned(),
        (_, 1..=4) => format!("all but {}", left_out.join(", ")),
        _ => field.of.iter().map(|s| s.name()).collect::<Vec<_>>().join(", "),
    }
}

/// The content of a field, with the names that it may have.
fn content(field: &Field) -> String {
    match field.kind {
        Kind::Choice(names) => {
            let names: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("{}: {}", field.content, names.join(" or "))
        }
        Kind::Statistic => {
            let names = StatisticName::ALL.into_iter().filter(|s| *s != StatisticName::Record);
            names.map(|s| format!("`{}`", s.name())).collect::<Vec<_>>().join(", ")
        }
        Kind::Range => format!("{}, `{{\"low\", \"high\"}}`", field.content),
        _ => field.content.to_owned(),
    }
}

#[test]
fn the_table_of_the_page_is_made_of_the_table() {
    let (path, there) = docs("reference/specification.md");
    let row = |field: &Field| {
        let option = field.option.map_or_else(String::new, |option| format!("`--{}`", option.name));
        format!("| `{}` | {} | {} | {option} | {} |", field.path, content(field), field.default, takers(field))
    };
    let heads = "| field | content | default | option | of |\n| --- | --- | --- | --- | --- |".to_owned();
    let rows: Vec<String> = std::iter::once(heads).chain(FIELDS.iter().map(row)).collect();
    kept(&path, &there, &with_part(&there, "fields", &(rows.join("\n") + "\n")));
}

/// What may go with a statistic, and how a specification asks for it.
type Column = (&'static str, fn(&mut ReleaseSpec));
const COLUMNS: [Column; 8] = [
    ("persons", |spec| spec.unit = PrivacyUnit::Person),
    ("add-remove", |spec| {
        spec.adjacency = Adjacency::AddRemove;
        spec.n_guess = Some(1_000).filter(|_| spec.statistic != StatisticName::Count);
    }),
    ("groups", |spec| {
        spec.adjacency = Adjacency::AddRemove;
        let names = vec!["F".to_owned(), "M".to_owned()];
        spec.groups = Some(GroupsSpec { by: "sex".to_owned(), names, n_guess: vec![1_000, 1_000] });
    }),
    ("located ball", |spec| {
        spec.ball = Some(BallSpec::Locate { center: vec![0.0, 0.0], within: 10.0, quantile: None });
    }),
    ("spread", |spec| spec.spread = Some(Spread::default())),
    ("components", |spec| spec.components = Some(Components::default())),
    ("region", |spec| spec.region = Some(0.9)),
    ("aggregators", |spec| spec.trust = Some(Trust::OneOfTwo)),
];

/// Each statistic with each of these: the library plans it, or says why not.
#[test]
fn the_page_says_what_goes_with_what() {
    let (path, there) = docs("reference/statistics.md");
    let mut reasons: Vec<String> = vec![];
    let mut rows = vec![];
    for statistic in StatisticName::ALL {
        let plain = example(statistic);
        assert!(plain.check_plan().is_ok() || statistic == StatisticName::Record, "{statistic}");
        let cells = COLUMNS.map(|(_, ask)| {
            let mut spec = plain.clone();
            ask(&mut spec);
            let Err(refused) = spec.check_plan() else { return "yes".to_owned() };
            assert!(!refused.depends_on_records());
            let is_record = statistic == StatisticName::Record; // whose reason is its own
            let names = [statistic.with_article(), format!("a {statistic}")];
            let names = names.iter().filter(|_| !is_record);
            let reason = names.fold(refused.to_string(), |text, name| text.replace(name, "this statistic"));
            let at = reasons.iter().position(|known| *known == reason).unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            });
            format!("no ({})", at + 1)
        });
        let option = statistic.description().option;
        rows.push(format!("| `{}` | `{option}` | {} |", statistic.name(), cells.join(" | ")));
    }
    let heads = COLUMNS.map(|(head, _)| head).join(" | ");
    let head = format!("| statistic | in `plan` | {heads} |\n|{}", " --- |".repeat(COLUMNS.len() + 2));
    let table = std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n");
    let reasons: Vec<String> = reasons
        .iter()
        .enumerate()
        .map(|(i, reason)| format!("| {} | {} |", i + 1, reason.replace(" on euclidean:2", "")))
        .collect();
    let reasons = format!("| no | reason |\n| --- | --- |\n{}\n", reasons.join("\n"));
    let made = with_part(&with_part(&there, "what goes with what", &(table + "\n")), "reasons", &reasons);
    kept(&path, &there, &made);
}
