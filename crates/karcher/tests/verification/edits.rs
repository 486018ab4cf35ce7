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

/// Numbers that nothing else follows from: the spread that two stages expect, by which `auto` chooses, and small
/// coordinates of a cluster's center, which may be any point of the ball.
const UNUSED: [&str; 6] = [
    "two-stage /spec/expected_spread",
    "clusters /clusters/0/center/2",
    "clusters /clusters/1/center/2",
    "clusters of a guess /clusters/0/center/2",
    "clusters of a guess /clusters/1/center/2",
    // it is private, and the line does not follow from it alone
    "regression /predictor_variance/value",
];

/// Every number, a thousandth larger or by one.
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
    assert!(count > 700, "{count}");
    assert_eq!(missed, UNUSED, "of {count} edits");
}

/// Parts of a release that may be absent: the flag of a seed, and fields of a specification whose default comes to the
/// same plan. `auto` chooses the named mechanism, and an exact one, by either policy.
fn may_be_absent(base: &Base, place: &str) -> bool {
    let part = base.json.pointer(place).unwrap();
    let of_auto = ["laplace", "two-stage", "regression"].contains(&base.name);
    match place {
        "/spec/adjacency" => part == "replace-one" || base.name == "count",
        "/spec/unit" => part == "record",
        "/spec/mechanism" => part == "auto" || of_auto,
        // the flag says that the value does not hold all, and no number is wrong
        "/spec/numerics" | "/logarithm" => true,
        _ => part == "seeded",
    }
}

/// Every field and every element, left out.
#[test]
fn everything_that_is_left_out_is_found() {
    let (missed, count) = missed(|base| {
        let mut all = vec![];
        places(&base.json, String::new(), &mut all);
        all.retain(|place| !may_be_absent(base, place));
        all.into_iter().map(|place| (place.clone(), without(&base.json, &place))).collect()
    });
    assert!(count > 1_000, "{count}");
    assert_eq!(missed, [""; 0], "of {count} edits");
}

/// An edit: the base, what is done, and what is put where.
type Edit = (&'static str, &'static str, Vec<(&'static str, Value)>);

/// Edits of several fields together, of words, and of flags.
fn chosen() -> Vec<Edit> {
    let pure = |epsilon: f64| json!({"definition": "pure", "epsilon": epsilon});
    let gaussian = |mu: f64| json!({"definition": "gaussian", "mu": mu});
    let mut all = vec![
        ("chart", "a smaller budget everywhere", vec![("/guarantee", pure(0.5)), ("/spec/budget", pure(0.5))]),
        ("chart", "another definition", vec![("/guarantee", gaussian(1.0)), ("/spec/budget", gaussian(1.0))]),
        ("chart", "a larger budget in the specification", vec![("/spec/budget", pure(2.0))]),
        ("chart", "a larger ball everywhere", vec![("/ball/radius", json!(0.8)), ("/spec/ball/radius", json!(0.8))]),
        ("chart", "a smaller ball everywhere", vec![("/ball/radius", json!(0.6)), ("/spec/ball/radius", json!(0.6))]),
        ("chart", "the mechanism", vec![("/mechanism", json!("laplace"))]),
        ("chart", "a mechanism everywhere", vec![("/mechanism", json!("kng")), ("/spec/mechanism", json!("kng"))]),
        ("chart", "a mechanism that is asked for", vec![("/spec/mechanism", json!("laplace"))]),
        ("chart", "weaker numerics", vec![("/numerics", json!("idealized"))]),
        ("chart", "the theorem", vec![("/sensitivity/bound", json!("optimal"))]),
        ("chart", "the unit", vec![("/unit", json!("person"))]),
        ("chart", "the unit everywhere", vec![("/unit", json!("person")), ("/spec/unit", json!("person"))]),
        ("chart", "the adjacency", vec![("/spec/adjacency", json!("add-remove")), ("/spec/n_guess", json!(400))]),
        ("chart", "the space", vec![("/spec/manifold", json!("euclidean:3"))]),
        (
            "chart",
            "the space everywhere",
            vec![
                ("/spec/manifold", json!("projective:2")),
                ("/manifold", json!("projective:2")),
                ("/ball/space", json!("projective:2")),
            ],
        ),
        ("chart", "the law of a draw", vec![("/noise/0/law", json!("gaussian"))]),
        (
            "chart",
            "the law of all draws",
            vec![
                ("/noise/0/law", json!("gaussian")),
                ("/noise/1/law", json!("gaussian")),
                ("/noise/2/law", json!("gaussian")),
                ("/noise/3/law", json!("gaussian")),
            ],
        ),
        ("chart", "the subject of a draw", vec![("/noise/0/quantity", json!("center"))]),
        ("chart", "a draw more", vec![("/noise/0/draws", json!(2))]),
        ("chart", "the space of a draw", vec![("/noise/0/space", json!("euclidean:3"))]),
        ("chart", "no spread asked for", vec![("/spec/spread", json!(null))]),
        ("chart", "no components asked for", vec![("/spec/components", json!(null))]),
        ("chart", "another clip", vec![("/spec/spread", json!({"clip": 1.3}))]),
        (
            "chart",
            "another clip everywhere",
            vec![("/spec/components", json!({"clip": 0.5})), ("/components/clip", json!(0.5))],
        ),
        ("chart", "another region", vec![("/spec/region", json!(0.95))]),
        (
            "chart",
            "another probability everywhere",
            vec![("/spec/region", json!(0.5)), ("/region/probability", json!(0.5))],
        ),
        ("chart", "the center of the region", vec![("/region/center", json!("noisy-value"))]),
        ("chart", "how the region holds", vec![("/region/coverage", json!("exactly"))]),
        ("chart", "a concentrated data set", vec![("/spread/consistent_with_uniform", json!(true))]),
        ("chart", "no denoising asked for", vec![("/spec/denoise", json!("none"))]),
        ("chart", "records in the ball", vec![("/spec/assume_in_ball", json!(true))]),
        ("chart", "a tolerance", vec![("/spec/tolerance", json!(0.01))]),
        ("chart", "a step", vec![("/spec/steps", json!(3))]),
        ("chart", "an unknown specification", vec![("/spec/spec", json!(2))]),
        ("chart", "a field of a regression", vec![("/spec/slope_bound", json!(1.0))]),
        ("chart", "groups", vec![("/spec/groups", json!({"by": "sex", "names": ["F"], "n_guess": [400]}))]),
        ("chart", "the statistic", vec![("/statistic", json!("geometric-median"))]),
        ("chart", "the statistic that is asked for", vec![("/spec/statistic", json!("geometric-median"))]),
        ("chart", "a version with less noise", vec![("/karcher", json!("9.9.9")), ("/scale", json!(1e-4))]),
        ("chart", "a version with a smaller draw", vec![("/karcher", json!("9.9.9")), ("/noise/0/scale", json!(1e-4))]),
        (
            "chart",
            "a version and a smaller sensitivity",
            vec![("/karcher", json!("9.9.9")), ("/sensitivity/value", json!(1e-5))],
        ),
        ("laplace", "exact numerics", vec![("/numerics", json!("exact")), ("/flags", json!(["seeded"]))]),
        (
            "laplace",
            "a version and another mechanism",
            vec![("/karcher", json!("9.9.9")), ("/mechanism", json!("gaussian"))],
        ),
        ("vectors", "denoised digits", vec![("/value/0", json!(0.25))]),
        ("vectors", "both points", vec![("/value/0", json!(0.25)), ("/noisy_value/0", json!(0.25))]),
        ("flow", "one step more", vec![("/spec/steps", json!(3))]),
        ("flow", "the clip of a step everywhere", vec![("/steps/0/clip", json!(0.5)), ("/steps/1/clip", json!(0.5))]),
        ("plain", "a digit of the value", vec![("/value/1", json!(0.1))]),
        (
            "counted",
            "a larger count",
            vec![("/private_count/value", json!(500.0)), ("/private_count/noisy_value", json!(500.0))],
        ),
        ("counted", "a larger guess everywhere", vec![("/n_guess", json!(500)), ("/spec/n_guess", json!(500))]),
        ("located", "the located radius", vec![("/located/radius", json!(0.3))]),
        ("located", "both radii", vec![("/located/radius", json!(0.3)), ("/ball/radius", json!(0.3))]),
        ("located", "the quantile", vec![("/located/quantile", json!(0.8)), ("/spec/ball/quantile", json!(0.8))]),
        ("located", "the way to the center", vec![("/located/center_method", json!("coordinate-medians"))]),
        ("located", "the cost of the center", vec![("/located/parts/0/guarantee", gaussian(0.1))]),
        ("located", "a costly part", vec![("/located/parts/2/guarantee", gaussian(1.0))]),
        ("located", "a name of a part", vec![("/located/parts/0/part", json!("mean"))]),
        ("located", "the outer ball", vec![("/located/within/radius", json!(2.0))]),
        ("located", "a ball of one's own", vec![("/spec/ball", json!({"center": [1.0, 0.0, 0.0], "radius": 0.4}))]),
        ("ball", "its radius", vec![("/radius", json!(0.5))]),
        ("ball", "its center", vec![("/center", json!([0.0, 1.0, 0.0]))]),
        ("median", "its value", vec![("/value", json!([1.0, 0.0, 0.0]))]),
        (
            "regression",
            "the bound of residuals",
            vec![("/residual_bound", json!(0.4)), ("/spec/residual_bound", json!(0.4))],
        ),
        ("regression", "the range", vec![("/predictor_range/high", json!(2.0))]),
        ("regression", "no slope", vec![("/shooting_vector", json!([0.0, 0.0, 1e-9]))]),
        (
            "variance",
            "a value within its interval",
            vec![("/mean_square/value", json!(0.2)), ("/root_mean_square", json!(0.2_f64.sqrt()))],
        ),
        ("far", "no flag", vec![("/flags", json!(["seeded"]))]),
        ("chart", "a logarithm", vec![("/logarithm", json!([0.0, 1.0, 0.0]))]),
        ("count", "its law", vec![("/mechanism", json!("gaussian"))]),
        ("count", "a number and its copy", vec![("/noisy_value", json!(401.5)), ("/value", json!(401.5))]),
        ("count", "a smaller budget everywhere", vec![("/guarantee", pure(0.1)), ("/spec/budget", pure(0.1))]),
    ];
    for flag in [
        "idealized-numerics",
        "rounding-allowance",
        "estimated-integrals",
        "mcmc-approximate",
        "beyond-precision",
        "no-useful-mean",
        "too-few-records",
        "center-at-edge",
        "clipped-before-reduced",
        "noise-exceeds-ball",
        "assumed-in-ball",
        "declared-space",
        "declared-gradient",
    ] {
        all.push(("chart", "a flag more", vec![("/flags", json!(["seeded", flag]))]));
    }
    all
}

/// Edits that a reader might make on purpose.
#[test]
fn chosen_edits_are_found() {
    let bases = all();
    let is_missed = |(name, what, edits): &Edit| {
        let base = bases.iter().find(|base| base.name == *name).unwrap();
        let mut edited = base.json.clone();
        for (place, value) in edits {
            let (parent, key) = place.rsplit_once('/').unwrap();
            let fields = edited.pointer_mut(parent).unwrap_or_else(|| panic!("{name} {what}: no {parent}"));
            match (fields, key.parse::<usize>()) {
                (Value::Array(parts), Ok(i)) => parts[i] = value.clone(),
                (fields, _) if value.is_null() => drop(fields.as_object_mut().unwrap().remove(key)),
                (fields, _) => drop(fields.as_object_mut().unwrap().insert(key.to_owned(), value.clone())),
            }
        }
        assert_ne!(edited, base.json, "{name} {what} changes nothing");
        findings(name, &edited).is_empty().then(|| format!("{name}: {what} {edits:?}"))
    };
    let edits = chosen();
    assert!(edits.len() >= 75, "{}", edits.len());
    let missed: Vec<String> = edits.par_iter().filter_map(is_missed).collect();
    assert_eq!(missed, [""; 0]);
}
