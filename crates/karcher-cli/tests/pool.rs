//! `karcher pool`.

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

fn sites() -> [String; 3] {
    ["a", "b", "c"].map(|site| example(&format!("site-{site}.json")))
}

#[test]
fn sites_are_pooled_in_any_order() {
    let [a, b, c] = sites();
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&printed(&[&["pool", "--json"][..], arguments].concat())).unwrap()
    };
    let (found, turned) = (json(&[&a, &b, &c, "--spread", "0.3"]), json(&[&c, &a, &b, "--spread", "0.3"]));
    for field in ["value", "noisy_value", "region", "population_region", "guarantee", "noise_error"] {
        assert_eq!(found[field], turned[field], "{field}");
    }
    assert_eq!(found["weights"][2], turned["weights"][0]);
    assert_eq!((&found["guarantee"]["epsilon"], &found["n"]), (&2.0.into(), &600.0.into()));
    assert_eq!((&found["region"]["coverage"], &found["flags"]), (&"at-least".into(), &serde_json::json!([])));
    // 600 records of one site with epsilon 1 would have no more noise than √3 times less
    let alone = json(&[&a]);
    assert_eq!(alone["weights"], serde_json::json!([1.0]));
    assert!(alone["noise_error"].as_f64() > found["noise_error"].as_f64());
}

#[test]
fn the_result_goes_to_a_file_too() {
    let ([a, b, _], folder) = (sites(), tempfile::tempdir().unwrap());
    let path = folder.path().join("pooled.json");
    let name = path.to_str().unwrap();
    let said = printed(&["pool", &a, &b, "--output", name]);
    assert!(said.contains("noise alone decides the weights") && said.contains("stays at the same site"), "{said}");
    let object: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(object["sites"], serde_json::json!([a, b]));
    assert!(refusal(&["pool", &a, &b, "--output", name]).contains("--force"));
    printed(&["pool", &a, &b, "--output", name, "--force"]);
    assert!(refusal(&["pool", &a, &b, "--output", "pooled.csv"]).contains("choose a name with .json"));
    assert!(refusal(&["pool", &a, &b, "--output", &a, "--force"]).contains("--output"));
    assert!(refusal(&["pool", name]).contains("is no release"));
}

#[test]
fn what_cannot_be_pooled_is_refused_with_the_names_of_files() {
    let ([a, b, _], folder) = (sites(), tempfile::tempdir().unwrap());
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let edited = |name: &str, change: fn(&mut Value)| {
        let mut object: Value = serde_json::from_str(&std::fs::read_to_string(&b).unwrap()).unwrap();
        change(&mut object);
        std::fs::write(path(name), object.to_string()).unwrap();
        path(name)
    };
    let copy = path("copy.json");
    std::fs::copy(&a, &copy).unwrap();
    let groups = path("groups.json");
    let file = example("cities.csv");
    let line = ["--columns", "latitude", "--manifold", "euclidean:1", "--center", "40", "--radius", "40"];
    let by = ["--by", "country", "--groups", "China,India", "--adjacency", "add-remove", "--n-guess", "20"];
    let more = ["--epsilon", "1", "--output", &groups];
    printed(&[&["mean", &file][..], &line, &by, &more].concat());
    let china = format!("{groups}:China");
    let weaker = edited("weaker.json", |object| object["guarantee"]["epsilon"] = 0.1.into());
    let persons = edited("persons.json", |object| object["unit"] = "person".into());
    let silent = edited("silent.json", |object| object["noise"] = serde_json::json!([]));
    let off = edited("off.json", |object| object["noisy_value"] = serde_json::json!([-1, 0, 0, 0, 1, 0, 0, 0, 1]));
    for (other, words) in [
        (&a, "are one"),
        (&copy, "are one"),
        (&groups, "name a group"),
        (&china, "is on euclidean:1"),
        (&weaker, "weaker.json"),
        (&persons, "protects a person"),
        (&silent, "silent.json"),
        (&off, "has no point of its space"),
        (&file, "is no release"),
        (&path("nothing.json"), "cannot be read"),
    ] {
        let sentence = refusal(&["pool", &a, other]);
        assert!(sentence.contains(words) && !sentence.contains("NaN"), "{sentence}");
    }
    assert!(refusal(&["pool", &a, &b, "--spread", "-1"]).starts_with("error: --spread is -1"));
    assert!(refusal(&["pool", &a, &b, "--spread", "5km"]).contains("not measured in km"));
    // one group of a site is a release like others
    assert!(printed(&["pool", &china]).contains("about "));
}

/// Files that state less noise or fewer records than were used, and copies with another last digit: `pool` and
/// `compare` refuse what `verify` finds.
#[test]
fn edited_files_are_not_believed() {
    let ([a, b, _], folder) = (sites(), tempfile::tempdir().unwrap());
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let spread = path("spread.json");
    let file = example("cities.csv");
    let line = ["--columns", "latitude", "--manifold", "euclidean:1", "--center", "40", "--radius", "40"];
    let more = ["--epsilon", "2", "--spread", "--output", &spread];
    printed(&[&["mean", &file][..], &line, &more].concat());
    let read = |file: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap() };
    let scaled = |of: &mut Value, by: f64| *of = (of.as_f64().unwrap() * by).into();
    let fewer = |release: &mut Value| release["n"] = 50.into();
    let tenth = |release: &mut Value| {
        scaled(&mut release["guarantee"]["epsilon"], 0.1);
        scaled(&mut release["spec"]["budget"]["epsilon"], 0.1);
        scaled(&mut release["sensitivity"]["value"], 0.1);
        for draw in release["noise"].as_array_mut().unwrap() {
            scaled(&mut draw["sensitivity"], 0.1);
        }
        if let Some(parts) = release["also"].as_array_mut() {
            parts.clear();
        }
    };
    let no_spec = |release: &mut Value| _ = release.as_object_mut().unwrap().remove("spec");
    type Edit<'a> = (&'a str, &'a dyn Fn(&mut Value));
    let edits: [Edit<'_>; 3] = [("fewer", &fewer), ("tenth", &tenth), ("no-spec", &no_spec)];
    for (name, edit) in edits {
        for (command, own, other) in [("pool", &b, &a), ("compare", &spread, &spread)] {
            let mut release = read(own);
            edit(&mut release);
            let edited = path(&format!("{name}.json"));
            std::fs::write(&edited, release.to_string()).unwrap();
            // a comparison is with another release of the same ball
            let other = if command == "compare" {
                let second = path("second.json");
                printed(
                    &[&["mean", &file][..], &line, &["--epsilon", "2", "--spread", "--output", &second, "--force"]]
                        .concat(),
                );
                second
            } else {
                other.clone()
            };
            printed(&[command, own, &other]);
            let sentence = refusal(&[command, &edited, &other]);
            assert!(sentence.contains(&format!("{name}.json")), "{command} {sentence}");
        }
    }
    // a copy with one other last bit
    let mut copy = read(&a);
    let number = copy["noisy_value"][0].as_f64().unwrap();
    copy["noisy_value"][0] = number.next_up().into();
    let edited = path("ulp.json");
    std::fs::write(&edited, copy.to_string()).unwrap();
    assert!(refusal(&["pool", &a, &edited]).contains("are one"));
}

#[test]
fn a_forest_plot_shows_each_site() {
    let ([a, b, c], folder) = (sites(), tempfile::tempdir().unwrap());
    let path = folder.path().join("sites.svg");
    let name = path.to_str().unwrap();
    let said = printed(&["pool", &a, &b, &c, "--spread", "0.3", "--plot", name]);
    assert!(said.contains("over sites") && said.contains("between sites"), "{said}");
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(
        svg.contains("site-a")
            && !svg.contains("site-a.json")
            && svg.contains("mean over sites")
            && svg.contains("weighted mean")
    );
    assert!(refusal(&["pool", &a, &b, "--plot", name]).contains("--force"));
    assert!(refusal(&["pool", &a, "--plot", name, "--force"]).contains("give the releases of several"));
    assert!(refusal(&["pool", &a, &b, "--plot", "sites.pdf"]).contains("must be .svg or .png"));
}
