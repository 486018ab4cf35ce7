//! Specifications: printed, run, and refused where their fields contradict each other.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A folder with records, and the commands in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::from("x,y,age,team,who\n");
        for i in 0..200_u32 {
            let (x, y) = (f64::from(i % 13) / 13.0, f64::from(i % 7) / 7.0);
            text += &format!("{x},{y},{},{},p{}\n", 20 + i % 60, ["a", "b", "c"][i as usize % 3], i / 4);
        }
        std::fs::write(folder.path().join("records.csv"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &str) -> std::process::Output {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn write(&self, spec: &Value) {
        std::fs::write(self.path().join("spec.json"), spec.to_string()).unwrap();
    }
}

const PLANE: &str = "--manifold euclidean:2 --columns x,y";

/// Every command that releases something, with the options of `karcher run` that say how the records are read.
const COMMANDS: [(&str, &str); 11] = [
    ("mean --radius 2 --epsilon 1", ""),
    ("mean --radius 2 --mu 1 --spread --region 0.9", ""),
    ("mean --radius 2 --epsilon 1 --delta 1e-6 --mechanism chart --denoise none --numerics any", ""),
    ("mean --radius 9 --rho 0.5 --statistic median --steps 4", ""),
    ("mean --ball auto --within 100 --mu 2 --quantile 0.6", ""),
    ("mean --radius 100 --mu 2 --expected-spread 0.5", ""),
    ("mean --radius 2 --epsilon 1 --person who", "--person who"),
    ("mean --radius 2 --epsilon 1 --adjacency add-remove --n-guess 150", ""),
    ("mean --radius 2 --epsilon 2 --adjacency add-remove --n-guess 60 --by team --groups a,b", ""),
    ("components --radius 2 --mu 3 --components-clip 1", ""),
    ("locate --within 50 --mu 1", ""),
];

#[test]
fn a_specification_repeats_its_command() {
    let place = Place::new();
    for (command, reading) in COMMANDS {
        let (name, options) = command.split_once(' ').unwrap();
        let command = format!("{name} records.csv {PLANE} {options}");
        let released = place.json(&format!("{command} --seed 1 --json"));
        let spec = place.json(&format!("{command} --spec-only"));
        assert_eq!(released["spec"], spec, "{command}");
        place.write(&spec);
        let again = place.json(&format!("run spec.json records.csv --columns x,y {reading} --seed 1 --json"));
        assert_eq!(again, released, "{command}");
        // a release stands for its specification
        std::fs::write(place.path().join("release.json"), released.to_string()).unwrap();
        let again = place.json(&format!("run release.json records.csv --columns x,y {reading} --seed 1 --json"));
        assert_eq!(again, released, "{command}");
    }
    let regress = format!(
        "regress records.csv {PLANE} --predictor age --predictor-range 20 80 --radius 2 --slope-bound 1 --mu 1"
    );
    let released = place.json(&format!("{regress} --predict-at 30 --seed 1 --json"));
    place.write(&place.json(&format!("{regress} --spec-only")));
    let run = "run spec.json records.csv --columns x,y --seed 1 --json";
    assert_eq!(place.json(&format!("{run} --predictor age --predict-at 30")), released);
    assert!(place.refusal(run).contains("--predictor is missing"));
    let count = "count records.csv --columns x --epsilon 1";
    let released = place.json(&format!("{count} --seed 1 --json"));
    place.write(&place.json(&format!("{count} --spec-only")));
    assert_eq!(place.json("run spec.json records.csv --columns x --seed 1 --json"), released);
}

/// The words for people are those of the command, except for what only its options say.
#[test]
fn a_specification_prints_a_table_too() {
    let place = Place::new();
    let command = format!("mean records.csv {PLANE} --radius 2 --center 0,0 --epsilon 1");
    place.write(&place.json(&format!("{command} --spec-only")));
    let printed = |arguments: &str| String::from_utf8(place.run(arguments).stdout).unwrap();
    assert_eq!(printed("run spec.json records.csv --columns x,y --seed 1"), printed(&format!("{command} --seed 1")));
    // a variance has no command of its own
    let mut spec = place.json(&format!("{command} --spec-only"));
    spec["statistic"] = json!("frechet-variance");
    place.write(&spec);
    let variance = printed("run spec.json records.csv --columns x,y --seed 1");
    assert!(variance.contains("private spread") && variance.contains("root mean square distance"), "{variance}");
}

#[test]
fn a_specification_says_nothing_of_files_and_seeds() {
    let place = Place::new();
    let spec = place.json(&format!("mean records.csv {PLANE} --radius 2 --epsilon 1 --seed 1 --spec-only"));
    let text = spec.to_string();
    assert!(!text.contains("records.csv") && !text.contains("seed"), "{text}");
}

#[test]
fn contradictions_are_refused_before_a_file_is_opened() {
    let place = Place::new();
    let spec = place.json(&format!("mean records.csv {PLANE} --radius 2 --epsilon 1 --spec-only"));
    for (field, value, sentence) in [
        ("spec", json!(7), "`spec` is of version 7"),
        ("n_guess", json!(7), "`n_guess` belongs to `adjacency` add-remove"),
        ("adjacency", json!("add-remove"), "`n_guess` is missing"),
        ("slope_bound", json!(1.0), "`slope_bound` does not go with a frechet-mean"),
        ("manifold", json!("euclidean:3"), "euclidean:3"),
        ("manifold", json!("nowhere:2"), "nowhere"),
        ("statistic", json!("record"), "`statistic`: a record is randomized at home"),
        ("mechanism", json!("laplac"), "unknown mechanism"),
        ("budget", json!({"definition": "pure", "epsilon": -1.0}), "epsilon is -1"),
        ("radius", json!(1.0), "unknown field `radius`"),
        ("region", json!(2.0), "`region` is 2"),
        ("ball", json!({"center": [0.0, 0.0]}), "`radius`, `radii`, or `within`"),
        ("unit", json!("person"), "--person is missing"),
    ] {
        let mut edited = spec.clone();
        edited[field] = value;
        place.write(&edited);
        let said = place.refusal("run spec.json nowhere.csv --columns x,y");
        assert!(said.contains(sentence) && !said.contains("No such file"), "{field}: {said}");
    }
    place.write(&spec);
    let with_person = "run spec.json records.csv --columns x,y --person who";
    assert!(place.refusal(with_person).contains("--person does not go with"));
    std::fs::write(place.path().join("spec.json"), "{").unwrap();
    assert!(place.refusal("run spec.json records.csv").contains("is no JSON"));
    assert!(place.refusal("run none.json records.csv").contains("cannot be read"));
    assert!(place.refusal("run spec.json records.csv --output spec.json --force").contains("spec.json"));
}

const LATLON: &str = "--columns x,y --layout latlon --trust-layout";
const GLOBE: &str = "--manifold sphere:2 --columns x,y --layout latlon --trust-layout --center 0,0";

#[test]
fn a_specification_without_a_plan_is_refused_where_it_is_made_and_where_it_is_run() {
    let place = Place::new();
    let valid = place.json(&format!("mean records.csv {GLOBE} --radius 0.7 --epsilon 1 --spec-only"));
    for (options, field, value, sentence) in [
        (
            "--radius 9 --epsilon 1",
            "/ball/radius",
            json!(9.0),
            " 9 is too large for sphere:2: the mean is computed reliably",
        ),
        (
            "--radius 0.7 --epsilon 1 --steps 3",
            "/steps",
            json!(3),
            " does not go with auto; it belongs to karcher-flow",
        ),
        (
            "--radius 0.7 --epsilon 1 --calibration classical",
            "/calibration",
            json!("classical"),
            " does not go with auto; it belongs to gaussian",
        ),
        ("--radius 0.9 --epsilon 1 --bound published", "/ball/radius", json!(0.9), " 0.9 is too large for sphere:2"),
        (
            "--radius 0.7 --epsilon 1 --mechanism karcher-flow",
            "/budget/epsilon",
            json!(1.0),
            " is 1: the Karcher flow never gives pure differential privacy",
        ),
    ] {
        let said = place.refusal(&format!("mean nowhere.csv {GLOBE} {options} --spec-only"));
        let option = field.rsplit('/').next().unwrap().replace('_', "-");
        assert!(said.contains(&format!("--{option}{sentence}")), "{options}: {said}");
        let mut spec = valid.clone();
        for (name, value) in [("bound", json!("published")), ("mechanism", json!("karcher-flow"))] {
            if options.contains(&format!("--{name} ")) {
                spec[name] = value;
            }
        }
        match spec.pointer_mut(field) {
            Some(old) => *old = value,
            None => spec[&field[1..]] = value,
        }
        place.write(&spec);
        let said = place.refusal(&format!("run spec.json nowhere.csv {LATLON}"));
        let path = field[1..].replace('/', ".");
        assert!(said.contains(&format!("spec.json: `{path}`{sentence}")), "{options}: {said}");
    }
}

#[test]
fn an_error_of_a_specification_names_the_file_and_the_field_in_the_units_of_its_numbers() {
    let place = Place::new();
    let valid = place.json(&format!("mean records.csv {GLOBE} --radius 0.7 --epsilon 1 --spec-only"));
    for (ball, sentence) in [
        (
            json!({"center": [1.0, 1.0, 0.0], "radius": 0.7}),
            "`ball.center` is not a point of sphere:2: its norm is 1.4",
        ),
        (json!({"center": [1.0, 0.0], "radius": 0.7}), "`ball.center`: a point of sphere:2 is 3 numbers, found 2"),
        (json!({"center": [1.0, 0.0, 0.0], "radius": -1.0}), "`ball.radius` is -1"),
        (json!({"center": [1.0, 0.0, 0.0], "within": -1.0}), "`ball.within` is -1"),
        (json!({"center": [1.0, 0.0, 0.0], "radius": 9.0}), "; if it is 9 degrees, write 0.1570796\n"),
    ] {
        let mut spec = valid.clone();
        spec["ball"] = ball;
        place.write(&spec);
        let said = place.refusal(&format!("run spec.json nowhere.csv {LATLON}"));
        assert!(said.contains("spec.json: ") && said.contains(sentence), "{said}");
    }
    let mut spec = valid;
    spec["ball"]["radius"] = json!(0.9);
    spec["tolerance"] = json!(1.0);
    place.write(&spec);
    let said = place.refusal(&format!("run spec.json nowhere.csv {LATLON}"));
    assert!(said.contains("spec.json: `tolerance` is 1: it bounds"), "{said}");
}

#[test]
fn a_count_refuses_what_says_how_values_are_read() {
    let place = Place::new();
    place.write(&place.json("count records.csv --columns x --epsilon 1 --spec-only"));
    for option in [
        "--layout latlon",
        "--trust-layout",
        "--multiply-by 2",
        "--shrink 0.1",
        "--template atlas.csv",
        "--normalize",
        "--tolerance 0.1",
        "--on-invalid replace-with-center",
        "--predictor age",
        "--plot map.svg",
    ] {
        let said = place.refusal(&format!("run spec.json records.csv --columns x {option}"));
        let name = option.split(' ').next().unwrap();
        assert!(said.contains(&format!("{name} does not go with a count")), "{said}");
    }
}

#[test]
fn a_radius_without_a_unit_is_printed_alike_in_every_command() {
    let place = Place::new();
    let command = format!("mean records.csv {GLOBE} --radius 0.7 --epsilon 1");
    place.write(&place.json(&format!("{command} --spec-only")));
    let printed = |arguments: &str| String::from_utf8(place.run(arguments).stdout).unwrap();
    let direct = printed(&format!("{command} --seed 1 --details"));
    assert!(direct.contains("radius 40.11° around"), "{direct}");
    assert_eq!(printed(&format!("run spec.json records.csv {LATLON} --seed 1 --details")), direct);
}
