//! `karcher mean --spread` and `--region`, `karcher components`, `karcher compare`.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn run(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--json"]].concat())).unwrap()
}

/// The only output of a command that must fail with exit code 1: one sentence on standard error.
fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {sentence}");
    assert!(output.stdout.is_empty());
    assert_eq!(sentence.trim_end().lines().count(), 1, "{sentence}");
    sentence
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).to_str().unwrap().to_owned()
}

const GLOBE: [&str; 8] =
    ["--columns", "latitude,longitude", "--layout", "latlon", "--manifold", "sphere:2", "--radius", "70deg"];

/// The arguments of a command about places on the globe.
fn globe<'a>(command: &'a str, file: &'a str, center: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, file, "--center", center, "--seed", "1"][..], &GLOBE, more].concat()
}

#[test]
fn spread_is_released_with_the_mean_and_its_budget() {
    let file = example("scattered.csv");
    let release = json(&globe("mean", &file, "10,20", &["--epsilon", "1", "--spread"]));
    let spread = &release["spread"];
    assert_eq!(release["guarantee"]["epsilon"], 1.0);
    assert_eq!(spread["mean_guarantee"]["epsilon"], 0.75);
    assert_eq!(spread["fraction_outside"]["guarantee"]["epsilon"], 0.125);
    assert_eq!(spread["consistent_with_uniform"], true);
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&spread["clip"]) - 140_f64.to_radians()).abs() < 1e-12);
    // a share of (1 + cos 70°)/2 is outside, and noise has the scale 1/125
    assert!((number(&spread["fraction_outside"]["value"]) - 0.671).abs() < 0.1);
    let clipped = json(&globe("mean", &file, "10,20", &["--epsilon", "1", "--spread", "--spread-clip", "40deg"]));
    assert!((number(&clipped["spread"]["clip"]) - 40_f64.to_radians()).abs() < 1e-12);
    let plain = json(&globe("mean", &file, "10,20", &["--epsilon", "1"]));
    assert!(plain.get("spread").is_none() && plain["region"]["probability"] == 0.95);
}

#[test]
fn records_that_have_no_mean_are_called_so() {
    let scattered = printed(&globe("mean", &example("scattered.csv"), "10,20", &["--epsilon", "1", "--spread"]));
    let scattered = crate::one_line(&scattered);
    assert!(scattered.contains("they have no useful mean"), "{scattered}");
    assert!(scattered.contains("more than half of the records lie outside the ball"), "{scattered}");
    let vessels = printed(&globe("mean", &example("vessels.csv"), "50,-40", &["--epsilon", "1", "--spread"]));
    assert!(!vessels.contains("no mean worth the name") && vessels.contains("population"), "{vessels}");
}

#[test]
fn regions_have_the_probability_that_was_asked_for() {
    let file = example("vessels.csv");
    let radius = |p: &str| {
        let release = json(&globe("mean", &file, "50,-40", &["--epsilon", "1", "--region", p]));
        assert_eq!(release["region"]["probability"].to_string(), p);
        release["region"]["radius"].as_f64().unwrap()
    };
    assert!(radius("0.5") < radius("0.95") && radius("0.95") < radius("0.99"));
    let said = printed(&globe("mean", &file, "50,-40", &["--epsilon", "1", "--region", "0.9"]));
    let said = crate::one_line(&said);
    assert!(said.contains("of it with at least 90 % confidence"), "{said}");
    for wrong in ["0", "1", "-1", "nan"] {
        let sentence = refusal(&globe("mean", &file, "50,-40", &["--epsilon", "1", "--region", wrong]));
        assert!(sentence.starts_with("error: --region "), "{sentence}");
    }
    let usage = run(&globe("mean", &file, "50,-40", &["--epsilon", "1", "--spread-clip", "1"]));
    assert_eq!(usage.status.code(), Some(2));
    let sentence = refusal(&globe("mean", &file, "50,-40", &["--epsilon", "1", "--spread", "--spread-clip", "0"]));
    assert!(sentence.starts_with("error: --spread-clip "), "{sentence}");
}

#[test]
fn components_are_printed_above_the_noise_and_saved_as_rows() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("axes.csv");
    let (file, saved) = (example("vessels.csv"), saved.to_str().unwrap());
    let said = printed(&globe("components", &file, "50,-40", &["--mu", "4", "--output", saved]));
    assert!(said.contains("component 1") && said.contains("exceed the noise level"), "{said}");
    let rows = std::fs::read_to_string(saved).unwrap();
    let rows: Vec<Vec<f64>> = rows.lines().map(|row| row.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (2, 3));
    assert!((rows[0].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9);
    let release = json(&globe("components", &file, "50,-40", &["--mu", "4"]));
    assert_eq!(release["components"]["variances"].as_array().unwrap().len(), 2);
    let none = printed(&globe("components", &file, "50,-40", &["--epsilon", "0.01"]));
    assert!(none.contains("0 of 2 components exceed the noise level"), "{none}");
    let sentence = refusal(&globe("components", &file, "50,-40", &["--mu", "4", "--components-clip", "0"]));
    assert!(sentence.starts_with("error: --components-clip "), "{sentence}");
}

#[test]
fn groups_are_compared_by_their_releases() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let release = |file: &str, name: &str, more: &[&str]| {
        let (file, output) = (example(file), path(name));
        let latitudes = ["--columns", "latitude", "--manifold", "euclidean:1", "--center", "40", "--epsilon", "4"];
        let seed = if name == "again.json" { "3" } else { "2" };
        let arguments = [&["mean", &file, "--output", &output, "--seed", seed][..], &latitudes, more].concat();
        printed(&arguments);
        output
    };
    let ball = ["--radius", "40", "--spread"];
    let (cities, vessels) =
        (release("cities.csv", "cities.json", &ball), release("vessels.csv", "vessels.json", &ball));
    let said = printed(&["compare", &cities, &vessels]);
    assert!(said.contains("the means of the two populations differ"), "{said}");
    let again = release("cities.csv", "again.json", &["--radius", "40", "--spread", "--spread-clip", "70"]);
    assert_eq!(json(&["compare", &cities, &again])["differ"], false);
    let copy = path("copy.json");
    std::fs::copy(&cities, &copy).unwrap();
    let without = release("cities.csv", "without.json", &["--radius", "40"]);
    let wider = release("cities.csv", "wider.json", &["--radius", "50", "--spread"]);
    let (ball, components) = (path("ball.json"), path("components.json"));
    let line = ["--columns", "latitude", "--manifold", "euclidean:1", "--epsilon", "4", "--seed", "2", "--output"];
    let file = example("cities.csv");
    printed(&[&["locate", &file, "--within", "90"][..], &line, &[&ball]].concat());
    printed(&[&["components", &file, "--radius", "40"][..], &line, &[&components]].concat());
    for (other, words) in [
        (&cities, "are one"),
        (&copy, "are one"),
        (&without, "has no spread"),
        (&wider, "balls of radius 40 and 50"),
        (&ball, "is of a ball"),
        (&components, "principal components"),
        (&example("cities.csv"), "is no release"),
        (&example("textures.npy"), "is no release, because it is no JSON"),
    ] {
        let sentence = refusal(&["compare", &cities, other]);
        assert!(sentence.contains(words) && sentence.contains(other.as_str()), "{sentence}");
        assert!(!sentence.contains("NaN") && !sentence.contains("the second release"), "{sentence}");
    }
}

/// Spread and components share a budget, also with a ball that is located in it.
#[test]
fn spread_goes_with_components_and_with_a_located_ball() {
    let file = example("scattered.csv");
    let both = json(&globe("components", &file, "10,20", &["--epsilon", "8", "--spread"]));
    assert_eq!(both["components"]["guarantee"]["epsilon"], 3.0);
    assert_eq!(both["spread"]["mean_square"]["guarantee"]["epsilon"], 1.0);
    assert_eq!(both["guarantee"]["epsilon"], 8.0);
    let said = printed(&globe("components", &file, "10,20", &["--epsilon", "8", "--spread", "--details"]));
    assert!(said.contains("\nspread ") && said.contains("\nsecond moment "), "{said}");

    let file = example("cities.csv");
    let located = ["mean", &file, "--columns", "latitude,longitude", "--layout", "latlon", "--manifold", "sphere:2"];
    let located = [&located[..], &["--ball", "auto", "--epsilon", "16", "--seed", "1", "--spread"]].concat();
    let release = json(&located);
    assert_eq!(release["guarantee"]["epsilon"], 16.0);
    assert_eq!(release["located"]["parts"][2]["guarantee"]["epsilon"], 12.0);
    assert_eq!(release["spread"]["mean_guarantee"]["epsilon"], 9.0);
    assert!(printed(&located).contains("\nspread "));
}

#[test]
fn audits_look_at_every_part() {
    let audit = ["audit", "--manifold", "euclidean:1", "--n", "6", "--epsilon", "1", "--releases", "400"];
    let found = json(&[&audit[..], &["--radius", "1", "--spread", "--components"]].concat());
    let names = |found: &Value| -> Vec<String> {
        found["parts"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&found), ["point", "mean square", "fraction outside", "second moment"]);
    // a plan is made anew for every located ball, so few are located
    let few = [&audit[..7], &["--releases", "150"]].concat();
    let found = json(&[&few[..], &["--ball", "auto", "--within", "10", "--mechanism", "laplace"]].concat());
    assert_eq!(names(&found), ["center", "ball"]);
    let said = printed(&[&audit[..], &["--radius", "1", "--spread", "--mechanism", "laplace"]].concat());
    assert!(said.contains("  mean square ") && said.contains("passed"), "{said}");
    assert!(refusal(&[&audit[..], &["--ball", "auto"]].concat()).contains("is unbounded"));
    let median = refusal(&[&audit[..], &["--ball", "auto", "--statistic", "median", "--within", "10"]].concat());
    assert!(median.contains("--within does not go with a geometric-median"), "{median}");
}
