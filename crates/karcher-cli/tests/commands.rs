//! The commands as a user types them: results, refusals (one sentence, exit code 1), wrong usage (exit code 2).

use assert_cmd::Command;
use karcher::release::StatisticName;
use karcher::statistics::BallUse;
use serde_json::Value;
use std::path::PathBuf;

/// A folder of its own for each test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn run(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    assert!(errors.lines().all(|line| line.starts_with("warning: epsilon 1000000000 ")), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
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

const CAPITALS: &str =
    "name,latitude,longitude\nParis,48.9,2.4\nBerlin,52.5,13.4\nRome,41.9,12.5\nMadrid,40.4,-3.7\nVienna,48.2,16.4\n";

const EUROPE: [&str; 10] = [
    "--columns",
    "latitude,longitude",
    "--layout",
    "latlon",
    "--manifold",
    "sphere:2",
    "--center",
    "48,10",
    "--radius",
    "0.25",
];

#[test]
fn mean_of_directions_is_released_with_its_record() {
    let folder = Folder::new();
    let file = folder.file("capitals.csv", CAPITALS);
    let release = json(&[&["mean", &file, "--epsilon", "1", "--seed", "7"][..], &EUROPE].concat());
    assert_eq!(release["schema"], 3);
    assert_eq!(release["statistic"], "frechet-mean");
    assert_eq!(release["manifold"], "sphere:2");
    assert_eq!(release["n"], 5);
    assert_eq!(release["guarantee"], serde_json::json!({"definition": "pure", "epsilon": 1.0}));
    assert_eq!(release["adjacency"], "replace-one");
    assert_eq!((&release["unit"], &release["numerics"]), (&"record".into(), &"exact".into()));
    assert_eq!((&release["mechanism"], &release["sensitivity"]["bound"]), (&"chart".into(), &"chart".into()));
    assert_eq!((&release["ball"]["radius"], &release["ball"]["space"]), (&0.25.into(), &"sphere:2".into()));
    assert_eq!(release["flags"], serde_json::json!(["seeded"]));
    let scale = release["scale"].as_f64().unwrap();
    let sensitivity = release["sensitivity"]["value"].as_f64().unwrap();
    assert!((sensitivity - 2.0 * 0.25_f64.tan() / 5.0).abs() < 1e-9 && scale >= sensitivity);
    let value: Vec<f64> = release["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((value.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn release_without_a_seed_differs_every_time_and_says_nothing_of_a_seed() {
    let folder = Folder::new();
    let file = folder.file("capitals.csv", CAPITALS);
    let arguments = [&["mean", &file, "--epsilon", "1"][..], &EUROPE].concat();
    let (a, b) = (json(&arguments), json(&arguments));
    assert_ne!(a["value"], b["value"]);
    assert_eq!(a["flags"], serde_json::json!([]));
    let curved = json(&[&arguments[..], &["--mechanism", "laplace"]].concat());
    assert_eq!(curved["flags"], serde_json::json!(["idealized-numerics"]));
}

/// With a huge budget the private mean is the mean: of rotated copies about an axis, the axis.
#[test]
fn mean_of_a_symmetric_set_is_its_axis() {
    let folder = Folder::new();
    let file = folder.file("tripod.csv", "80,0\n80,120\n80,240\n");
    let options =
        ["--layout", "latlon", "--manifold", "sphere:2", "--center", "85,10", "--radius", "0.5", "--epsilon", "1e9"];
    let release = json(&[&["mean", &file][..], &options].concat());
    assert!((release["value"][2].as_f64().unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn table_for_people_has_the_same_facts() {
    let folder = Folder::new();
    let file = folder.file("capitals.csv", CAPITALS);
    let output = run(&[&["mean", &file, "--epsilon", "1", "--details"][..], &EUROPE].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    for part in
        ["private mean", "latitude", "longitude", "guarantee", "epsilon 1", "chart", "(chart bound)", "expected error"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn every_space_has_a_private_mean() {
    let folder = Folder::new();
    let vectors = folder.file("vectors.csv", "1,0.5\n-1,0.25\n0,0\n");
    let hyperboloid = folder.file("hyperboloid.csv", "1,0,0\n1.4142135623730951,1,0\n1.4142135623730951,0,1\n");
    let matrices = folder.file("matrices.csv", "2,0.1,1\n1,0,1\n1,-0.2,3\n");
    let shapes = folder.file("shapes.csv", "0,1,1,0,0,0,1,1\n0,2,2,0,0,0.1,1,1.2\n0,1,1.1,0,0.1,0,1,1\n");
    let square = folder.file("square.csv", "0,1,1,0,0,0,1,1\n");
    for (file, space, more) in [
        (&vectors, "euclidean:2", vec!["--radius", "2"]),
        (&hyperboloid, "hyperbolic:2", vec!["--radius", "1"]),
        (&matrices, "spd-log-euclidean:2", vec!["--radius", "2", "--layout", "upper-row", "--center", "origin"]),
        (
            &matrices,
            "spd-affine-invariant:2",
            vec!["--radius", "2", "--layout", "upper-row", "--center", "1*identity", "--epsilon", "3"],
        ),
        (&shapes, "kendall:4", vec!["--radius", "0.3", "--layout", "blocked", "--center", &square]),
    ] {
        let mut arguments = vec!["mean", file, "--manifold", space];
        if !more.contains(&"--epsilon") {
            arguments.extend(["--epsilon", "1"]);
        }
        arguments.extend(more);
        let release = json(&arguments);
        assert_eq!(release["manifold"], space);
        assert_eq!(release["n"], 3);
        assert!(release["expected_distance"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn auto_takes_the_better_mechanism() {
    let folder = Folder::new();
    // 60 dimensions: Laplace noise grows like d, Gaussian noise like √d
    let wide = folder.file("wide.csv", &format!("{}\n", vec!["0.1"; 60].join(",")).repeat(4));
    let release = json(&["mean", &wide, "--manifold", "euclidean:60", "--radius", "1", "--mu", "1"]);
    assert_eq!(release["mechanism"], "gaussian");
    // with a δ it needs less than Gaussian noise, and says what it keeps besides
    let release =
        json(&["mean", &wide, "--manifold", "euclidean:60", "--radius", "1", "--epsilon", "1", "--delta", "1e-6"]);
    assert_eq!(release["mechanism"], "laplace");
    assert_eq!(release["guarantee"], serde_json::json!({"definition": "approximate", "epsilon": 1.0, "delta": 1e-6}));
    let also = |i: usize, name: &str| release["also"][i][name].as_f64().unwrap();
    assert!((also(0, "epsilon") * release["scale"].as_f64().unwrap() / 0.5 - 1.0).abs() < 1e-9, "pure ε = Δ/σ");
    assert!(also(1, "mu") < 0.4, "{release}");
    let narrow = folder.file("narrow.csv", "0.1\n0.2\n");
    let release =
        json(&["mean", &narrow, "--manifold", "euclidean:1", "--radius", "1", "--epsilon", "1", "--delta", "1e-6"]);
    assert_eq!(release["mechanism"], "laplace");
    for budget in [["--mu", "1"], ["--rho", "0.5"]] {
        let space = ["mean", &narrow, "--manifold", "euclidean:1", "--radius", "1", "--mechanism", "gaussian"];
        let release = json(&[&space[..], &budget].concat());
        assert!((release["scale"].as_f64().unwrap() - 1.0).abs() < 1e-9); // Δ = 2r/n = 1
    }
}

#[test]
fn output_is_written_in_the_format_of_its_name() {
    let folder = Folder::new();
    let file = folder.file("matrices.csv", "2,0.1,1\n1,0,1\n");
    let options = [
        "--manifold",
        "spd-log-euclidean:2",
        "--layout",
        "upper-row",
        "--radius",
        "2",
        "--center",
        "1,0,1",
        "--epsilon",
        "1",
        "--seed",
        "1",
    ];
    for name in ["mean.json", "mean.npy", "mean.csv"] {
        let output = folder.path(name);
        let release = json(&[&["mean", &file, "--output", output.to_str().unwrap()][..], &options].concat());
        let bytes = std::fs::read(&output).unwrap();
        match name {
            "mean.json" => assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), release),
            "mean.npy" => assert!(bytes.starts_with(b"\x93NUMPY") && bytes.len() == 128 + 4 * 8),
            _ => assert_eq!(String::from_utf8(bytes).unwrap().lines().count(), 2),
        }
    }
    assert!(
        refusal(&[&["mean", &file, "--output", "mean.xml"][..], &options].concat()).contains(".json, .npy or .csv")
    );
}

#[test]
fn bad_input_ends_with_one_sentence_that_says_where() {
    let folder = Folder::new();
    let cases = [
        ("empty.csv", "", "empty"),
        ("header.csv", "x,y,z\n", "no records"),
        ("ragged.csv", "1,2,4\n1,2\n", "line 2"),
        ("text.csv", "1,0,0\n0,one,0\n", "one"),
        ("nan.csv", "1,0,0\n0,NaN,0\n", "record 2"),
        ("norm.csv", "1,0,0\n0,0.5,0\n", "its norm is 0.5"),
        ("width.csv", "1,0\n0,1\n", "needs 3 numbers"),
    ];
    for (name, text, part) in cases {
        let file = folder.file(name, text);
        let sentence =
            refusal(&["mean", &file, "--manifold", "sphere:2", "--center=1,0,0", "--radius", "0.5", "--epsilon", "1"]);
        assert!(sentence.contains(part), "{name}: {sentence}");
    }
    let file = folder.file("indefinite.csv", "1,0,1\n1,2,1\n");
    let sentence = refusal(&[
        "mean",
        &file,
        "--manifold",
        "spd-log-euclidean:2",
        "--layout",
        "upper-row",
        "--radius",
        "1",
        "--center",
        "origin",
        "--epsilon",
        "1",
    ]);
    assert!(sentence.contains("record 2") && sentence.contains("not positive definite"), "{sentence}");
    assert!(
        refusal(&[
            "mean",
            "nowhere.csv",
            "--manifold",
            "sphere:2",
            "--center=1,0,0",
            "--radius",
            "1",
            "--epsilon",
            "1"
        ])
        .contains("nowhere.csv")
    );
}

#[test]
fn invalid_records_can_be_replaced_by_the_center() {
    let folder = Folder::new();
    let file = folder.file("poles.csv", "lat,lon\n90,0\nNaN,10\n91,0\n,\n1,2,3\n");
    let options =
        ["--layout", "latlon", "--manifold", "sphere:2", "--center", "90,0", "--radius", "0.5", "--epsilon", "1e9"];
    refusal(&[&["mean", &file][..], &options].concat());
    let replace = ["mean", &file, "--on-invalid", "replace-with-center"];
    assert!(refusal(&[&replace[..], &options].concat()).contains("--header"));
    let release = json(&[&replace[..], &["--header", "yes"], &options].concat());
    assert_eq!(release["n"], 5);
    assert!((release["value"][2].as_f64().unwrap() - 1.0).abs() < 1e-9);
}

/// A statistic that takes the whole sphere takes no radius beyond it, which as a rule is one in degrees.
#[test]
fn a_radius_beyond_the_space_is_refused() {
    let folder = Folder::new();
    let file = folder.file("poles.csv", &"1,0,0\n".repeat(50));
    let common = ["--manifold", "sphere:2", "--center", "1,0,0", "--epsilon", "1", "--seed", "1"];
    for command in [&["quantiles", &file][..], &["kmeans", &file, "--clusters", "2"]] {
        let command = [command, &common[..]].concat();
        for (radius, limit) in [
            ("80", "3.141592; choose a smaller ball; if it is 80 degrees, write 80deg"),
            ("200deg", "180° (3.141592 radians); choose a smaller ball"),
            ("30000km", "20015.08km (3.141592 radians)"),
        ] {
            let sentence = refusal(&[&command[..], &["--radius", radius]].concat());
            let words = format!("is too large for sphere:2: a larger ball holds more points only below {limit}");
            assert!(sentence.contains(&words), "{command:?} {radius}: {sentence}");
        }
        for radius in ["3.15", "180deg", "20020km"] {
            assert!(run(&[&command[..], &["--radius", radius]].concat()).status.success(), "{command:?} {radius}");
        }
    }
}

#[test]
fn inadmissible_parameters_are_refused_and_the_limit_is_named() {
    let folder = Folder::new();
    let file = folder.file("poles.csv", "1,0,0\n");
    let shapes = folder.file("shapes.csv", "0,1,1,0,0,0,1,1\n");
    let sphere = ["mean", &file, "--manifold", "sphere:2"];
    for (arguments, part) in [
        (&["--radius", "0.5", "--epsilon", "1"][..], "--center is missing: sphere:2 has no default one"),
        (&["--epsilon", "1", "--spread"], "--radius is missing"),
        (&["--epsilon", "1", "--center", "1,0,0"], "--ball auto"),
        (&["--radius", "100deg", "--epsilon", "1", "--center", "1,0,0"], "--radius 100° is too large"),
        (&["--radius", "100deg", "--epsilon", "1", "--center", "1,0,0"], "only below 89.18154° (1.556511 radians)"),
        (&["--radius", "20000km", "--epsilon", "1", "--center", "1,0,0"], "--radius 20000km is too large"),
        (&["--radius", "20000km", "--epsilon", "1", "--center", "1,0,0"], "only below 9916.535km (1.556511 radians)"),
        (&["--radius", "0.5", "--epsilon", "1", "--center", "1,1,1"], "norm"),
        (&["--radius", "0.5", "--epsilon", "1", "--center", "no such file"], "--center"),
    ] {
        let sentence = refusal(&[&sphere[..], arguments].concat());
        assert!(sentence.contains(part), "{arguments:?}: {sentence}");
    }
    let sphere = [&sphere[..], &["--center", "1,0,0"]].concat();
    for (arguments, part) in [
        (&["--radius", "1.6", "--epsilon", "1"][..], "1.5565"),
        (&["--radius", "0.8", "--epsilon", "1", "--bound", "published"], "0.785"),
        (&["--radius", "0", "--epsilon", "1"], "radius"),
        (&["--radius", "NaN", "--epsilon", "1"], "radius"),
        (&["--radius", "0.5", "--epsilon", "0"], "epsilon"),
        (&["--radius", "0.5", "--epsilon=-1"], "epsilon"),
        (&["--radius", "0.5", "--epsilon", "1", "--delta", "0"], "delta"),
        (&["--radius", "0.5", "--epsilon", "1", "--delta", "1"], "delta"),
        (&["--radius", "0.5"], "budget"),
    ] {
        let sentence = refusal(&[&sphere[..], arguments].concat());
        assert!(sentence.contains(part), "{arguments:?}: {sentence}");
    }
    let sentence = refusal(&[
        "mean",
        &shapes,
        "--manifold",
        "kendall:4",
        "--radius",
        "0.8",
        "--center",
        &shapes,
        "--epsilon",
        "1",
    ]);
    assert!(sentence.contains("0.7521"), "{sentence}");
    let flat = [
        "mean",
        &file,
        "--manifold",
        "euclidean:3",
        "--radius",
        "1",
        "--mechanism",
        "gaussian",
        "--calibration",
        "classical",
    ];
    let sentence = refusal(&[&flat[..], &["--epsilon", "1", "--delta", "1e-6"]].concat());
    assert!(sentence.contains("below 1") && sentence.contains("analytic"), "{sentence}");
    let hyperboloid = folder.file("hyperboloid.csv", "1,0,0\n");
    let wide = ["mean", &hyperboloid, "--manifold", "hyperbolic:2", "--radius", "3", "--epsilon", "1"];
    let sentence = refusal(&[&wide[..], &["--mechanism", "laplace"]].concat());
    assert!(sentence.contains("needs a scale below 1"), "{sentence}");
    // noise in the tangent space at the center exists everywhere, and the support of the K-norm gradient mechanism is
    // bounded
    assert_eq!(json(&wide)["mechanism"], "chart");
    assert_eq!(json(&[&wide[..], &["--mechanism", "kng"]].concat())["numerics"], "idealized");
}

#[test]
fn unknown_names_are_wrong_usage() {
    for arguments in [
        &["mean", "x.csv", "--manifold", "toroid:2", "--radius", "1", "--epsilon", "1"][..],
        &["mean", "x.csv", "--manifold", "sphere", "--radius", "1", "--epsilon", "1"],
        &["mean", "x.csv", "--manifold", "sphere:2", "--radius", "1", "--epsilon", "1", "--mechanism", "magic"],
        &["sensitivity", "--manifold", "sphere:2", "--radius", "0.5"],
        &["median"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(run(&["--help"]).status.code(), Some(0));
}

#[test]
fn sensitivity_prints_every_bound() {
    let radius = (std::f64::consts::PI / 8.0).to_string();
    let report = json(&["sensitivity", "--manifold", "sphere:2", "--radius", &radius, "--n", "1"]);
    for (bound, expected) in
        [("published", 1.21460184), ("averaged-hessian", 0.92181376), ("sharp", 0.85187682), ("optimal", 0.82842712)]
    {
        assert!((report["bounds"][bound].as_f64().unwrap() - expected).abs() < 1e-7, "{report}");
        let chosen =
            json(&["sensitivity", "--manifold", "sphere:2", "--radius", &radius, "--n", "1", "--bound", bound]);
        assert!((chosen["sensitivity"]["value"].as_f64().unwrap() - expected).abs() < 1e-7);
        assert_eq!(chosen["sensitivity"]["bound"], bound);
    }
    assert_eq!(report["sensitivity"]["bound"], "optimal");
    assert!(refusal(&["sensitivity", "--manifold", "sphere:2", "--radius", "0.5", "--n", "0"]).contains("no records"));
}

#[test]
fn calibrate_goes_both_ways() {
    let flat = ["calibrate", "--manifold", "spd-log-euclidean:3", "--mechanism", "gaussian", "--sensitivity", "0.1"];
    let report = json(&[&flat[..], &["--epsilon", "1", "--delta", "1e-6"]].concat());
    assert!((report["scale"].as_f64().unwrap() - 0.422467889).abs() < 1e-8);
    let back = json(&[&flat[..], &["--scale", "0.422467889", "--epsilon", "1"]].concat());
    assert!((back["delta"].as_f64().unwrap() / 1e-6 - 1.0).abs() < 1e-6);
    assert_eq!(back["guarantee"]["definition"], "gaussian");
    let sphere = ["calibrate", "--manifold", "sphere:2", "--mechanism", "laplace", "--sensitivity", "0.1"];
    let report = json(&[&sphere[..], &["--epsilon", "1"]].concat());
    assert!((report["expected_distance"].as_f64().unwrap() - 0.19801980).abs() < 1e-8);
    assert_eq!(json(&[&sphere[..], &["--scale", "0.2"]].concat())["guarantee"]["epsilon"], 0.5);
    // noise in ten dimensions is far from the worst that ε allows, which is μ = 2Φ⁻¹(e^ε/(1 + e^ε)) = 0.37539
    let wide = ["--manifold", "euclidean:10", "--mechanism", "laplace", "--sensitivity", "0.01"];
    let noise = json(&[&["calibrate"][..], &wide, &["--epsilon", "0.3"]].concat());
    assert!((noise["rho"].as_f64().unwrap() - 0.004_498_946).abs() < 1e-8, "{noise}"); // not ε·tanh(ε/2) = 0.0447
    let profile = json(&[&["profile"][..], &wide, &["--scale", "0.033333333333333333", "--epsilon", "1"]].concat());
    let (own, mu) = (noise["mu"].as_f64().unwrap(), profile["guarantee"]["mu"].as_f64().unwrap());
    assert!((own / mu - 1.0).abs() < 1e-6 && own < 0.3, "{own} {mu}");
    assert!(json(&[&flat[..], &["--mu", "1"]].concat()).get("mu").is_none());
    let curved =
        ["calibrate", "--manifold", "spd-affine-invariant:3", "--mechanism", "gaussian", "--sensitivity", "0.1"];
    assert!(refusal(&[&curved[..], &["--epsilon", "1", "--delta", "1e-6"]].concat()).contains("Karcher flow"));
    let hyperbolic = ["calibrate", "--manifold", "hyperbolic:3", "--mechanism", "laplace", "--sensitivity", "1"];
    assert!(refusal(&[&hyperbolic[..], &["--epsilon", "1"]].concat()).contains("needs a scale below 0.5"));
    assert!(refusal(&sphere).contains("--epsilon with --delta, --mu or --rho"));
}

#[test]
fn results_never_take_the_place_of_records() {
    let folder = Folder::new();
    let file = folder.file("records.csv", "0.1,0.2,3\n0.3,0.1,4\n");
    let before = std::fs::read_to_string(&file).unwrap();
    let bounds = ["--manifold", "euclidean:2", "--radius", "1", "--epsilon", "1", "--output", &file];
    let mean = [&["mean", &file, "--columns", "1,2"], &bounds[..]].concat();
    let slope = ["--predictor", "3", "--predictor-range", "0", "9", "--slope-bound", "1"];
    let regress = [&["regress", &file, "--columns", "1,2"], &bounds[..], &slope].concat();
    for arguments in [mean, regress] {
        assert!(refusal(&arguments).contains("would replace an input"), "{arguments:?}");
    }
    let both = ["describe", "image.png", "--output", "d.npy", "--center-output", "d.npy"];
    assert!(refusal(&both).contains("both d.npy"));
    let both = ["describe", "image.png", "--output", "d.npy", "--center-output", "./d.npy"];
    assert!(refusal(&both).contains("both ./d.npy"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn profile_far_out_has_no_mu() {
    let far = ["--manifold", "hyperbolic:3", "--mechanism", "gaussian", "--sensitivity", "1e20"];
    let report = json(&[&["profile"][..], &far, &["--scale", "0.04", "--epsilon", "1"]].concat());
    assert!(report["guarantee"].is_null() && report["profile"][0]["delta"] == 1.0, "{report}");
    assert!(refusal(&[&["calibrate"][..], &far, &["--mu", "10000"]].concat()).contains("lower the sensitivity"));
}

#[test]
fn audit_needs_a_probability() {
    let audit =
        ["audit", "--mechanism", "laplace", "--manifold", "sphere:2", "--n", "20", "--radius", "0.5", "--epsilon=1"];
    for p in ["0", "1", "2", "-1", "NaN"] {
        let sentence = refusal(&[&audit[..], &["--error-probability", p]].concat());
        assert!(sentence.contains(&format!("--error-probability is {p}")), "{sentence}");
    }
}

#[test]
fn layout_that_does_not_fit_is_no_mistake_of_the_center() {
    let sphere = ["mean", "nowhere.csv", "--manifold", "sphere:3", "--radius", "1", "--epsilon", "1"];
    let sentence = refusal(&[&sphere[..], &["--layout", "latlon", "--center", "25,80"]].concat());
    assert!(sentence.starts_with("error: --layout latlon does not fit sphere:3"), "{sentence}");
    let plane = ["mean", "nowhere.csv", "--manifold", "euclidean:3", "--radius", "1", "--epsilon", "1"];
    let sentence = refusal(&[&plane[..], &["--center", "25,80"]].concat());
    assert!(sentence.contains("--center: it must hold 3 numbers"), "{sentence}");
}

#[test]
fn calibrate_refuses_what_it_would_ignore() {
    let flat = ["calibrate", "--manifold", "euclidean:3", "--sensitivity", "0.1", "--calibration", "classical"];
    for ignored in [
        &["--mechanism", "laplace", "--epsilon", "1"][..],
        &["--mechanism", "gaussian", "--rho", "1"],
        &["--mechanism", "gaussian", "--mu", "1"],
        &["--mechanism", "gaussian", "--scale", "1"],
    ] {
        assert!(refusal(&[&flat[..], ignored].concat()).contains("classical"), "{ignored:?}");
    }
    json(&[&flat[..], &["--mechanism", "tangent-gaussian", "--epsilon", "0.5", "--delta", "1e-6"]].concat());
    let sphere = ["--manifold", "sphere:2", "--mechanism", "tangent-gaussian", "--sensitivity", "0.1"];
    let folder = Folder::new();
    let file = folder.file("poles.csv", "0,0,1\n");
    for rest in [
        [&["calibrate"][..], &sphere, &["--mu", "1"]].concat(),
        [&["profile"][..], &sphere, &["--scale", "1", "--epsilon", "1"]].concat(),
    ] {
        assert!(refusal(&rest).contains("tangent-gaussian is the name of gaussian on flat spaces"), "{rest:?}");
    }
    let mean =
        ["mean", &file, "--manifold", "sphere:2", "--radius", "3", "--mechanism", "tangent-gaussian", "--mu", "1"];
    assert!(refusal(&mean).contains("tangent-gaussian is the name of gaussian on flat spaces"));
    let varying = ["calibrate", "--manifold", "spd-affine-invariant:3", "--sensitivity", "1", "--mu", "1"];
    let sentence = refusal(&[&varying[..], &["--mechanism", "tangent-gaussian"]].concat());
    assert!(sentence.contains("chart") && !sentence.contains("say gaussian"), "{sentence}");
}

#[test]
fn hyperbolic_calibration_names_what_can_be_promised() {
    let space = ["calibrate", "--manifold", "hyperbolic:3", "--mechanism", "gaussian", "--sensitivity", "1"];
    let sentence = refusal(&[&space[..], &["--mu", "0.5"]].concat());
    assert!(sentence.contains("mu is 0.5") && sentence.contains("no mu below 1.23204"), "{sentence}");
    // however wide the noise
    let space = ["calibrate", "--manifold", "hyperbolic:2", "--mechanism", "gaussian", "--sensitivity"];
    assert!(refusal(&[&space[..], &["400", "--mu", "1"]].concat()).contains("no mu below 39.65"));
    // and where little is moved it does not
    let noise = json(&[&space[..], &["1e-7", "--mu", "1e-4"]].concat());
    assert!((noise["scale"].as_f64().unwrap() / 1e-3 - 1.0).abs() < 1e-4, "{noise}");
}

#[test]
fn tiny_numbers_are_printed_short() {
    let tiny = ["mean", "nowhere.csv", "--manifold", "euclidean:2", "--radius", "1", "--epsilon"];
    let sentence = refusal(&[&tiny[..], &["1e-300"]].concat());
    assert!(sentence.len() < 200, "{sentence}");
    let sentence = refusal(&[
        "calibrate",
        "--manifold",
        "hyperbolic:3",
        "--mechanism",
        "laplace",
        "--sensitivity",
        "1",
        "--epsilon",
        "1e-300",
    ]);
    assert!(sentence.contains("1e300") && sentence.len() < 300, "{sentence}");
    let text = String::from_utf8(run(&["convert", "--mu", "1", "--at-delta", "1e-6"]).stdout).unwrap();
    assert!(text.contains("at δ 1e-6\n"), "{text}");
}

#[test]
fn plan_names_the_best_and_says_why_others_do_not_apply() {
    let plan = ["plan", "--manifold", "sphere:2", "--n", "100", "--radius", "0.9", "--epsilon", "1"];
    let report = json(&plan);
    assert_eq!(report["best"], "chart");
    assert_eq!(json(&[&plan[..], &["--numerics", "any"]].concat())["best"], "laplace");
    let laplace = &report["mechanisms"][0];
    // E ρ of the S² Laplace law of scale 2·tan(0.9)/100: 2σ less a little
    let scale = 2.0 * 0.9_f64.tan() / 100.0;
    let ratio = laplace["expected_distance"].as_f64().unwrap() / scale;
    assert!((1.99..2.0).contains(&ratio), "{ratio}");
    // median and 95 % point of the Gamma(2) law, which the sphere's nearly is
    assert!((laplace["median"].as_f64().unwrap() / scale - 1.678).abs() < 0.01);
    assert!((laplace["quantile_95"].as_f64().unwrap() / scale - 4.744).abs() < 0.02);
    assert_eq!(report["mechanisms"][4]["mechanism"], "karcher-flow");
    assert!(report["mechanisms"][4]["reason"].as_str().unwrap().contains("delta"));

    let report = json(&[
        "plan",
        "--manifold",
        "kendall:50",
        "--n",
        "650",
        "--radius",
        "0.2",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
    ]);
    assert_eq!(report["best"], "chart");
    assert!(report["mechanisms"][1]["reason"].as_str().unwrap().contains("curvature is not constant"));
    let text =
        String::from_utf8(run(&["plan", "--manifold", "sphere:2", "--n", "9", "--radius", "0.3", "--mu", "1"]).stdout)
            .unwrap();
    assert!(text.contains("best") && text.contains("95 % below"), "{text}");
    assert!(
        refusal(&["plan", "--manifold", "sphere:2", "--n", "0", "--radius", "0.3", "--mu", "1"]).contains("no records")
    );
}

#[test]
fn profile_has_the_known_values() {
    let curved =
        ["profile", "--manifold", "hyperbolic:3", "--mechanism", "gaussian", "--sensitivity", "1", "--scale", "1"];
    let report = json(&[&curved[..], &["--epsilon", "0.5", "1"]].concat());
    assert!((report["profile"][0]["delta"].as_f64().unwrap() - 0.38134038).abs() < 1e-7);
    assert!((report["guarantee"]["mu"].as_f64().unwrap() - 1.366562).abs() < 1e-6);
    assert_eq!(report["profile"].as_array().unwrap().len(), 2);
    let varying =
        ["profile", "--manifold", "kendall:5", "--mechanism", "gaussian", "--sensitivity", "1", "--scale", "1"];
    assert!(refusal(&[&varying[..], &["--epsilon", "1"]].concat()).contains("Karcher flow"));
}

/// 40 digits, by mpmath.
#[test]
fn compose_adds_up_budgets_that_are_fixed_in_advance() {
    let of = ["compose", "--of", "epsilon=0.3*10", "--of", "mu=0.3*10"];
    let number = |answer: &Value, name: &str| answer[name].as_f64().unwrap();
    for (delta, epsilon) in [("1e-6", 6.475_291_821_618_697), ("1e-5", 5.886_876_964_231_789)] {
        let answer = json(&[&of[..], &["--delta", delta]].concat());
        let found = number(&answer, "epsilon");
        assert!(found >= epsilon && found < epsilon * (1.0 + 1e-9), "{found}");
        assert!(number(&answer, "adaptive_epsilon") > found && number(&answer, "releases") == 20.0);
    }
    let in_words = |more: &[&str]| String::from_utf8(run(&[&of[..], more].concat()).stdout).unwrap();
    assert!(in_words(&[]).contains("together  mu ") && in_words(&["--delta", "1e-6"]).contains("adaptive"));
    assert!((json(&of)["adaptive"]["mu"].as_f64().unwrap() - 1.519_602).abs() < 1e-6); // with 0.3754 for each ε
    assert!(refusal(&["compose", "--of", "epsilon=1,delta=1e-6", "--of", "mu=1"]).contains("give --at-delta"));
    let shuffled = ["compose", "--of", "epsilon=1", "--shuffled", "10000"];
    let hidden = json(&[&shuffled[..], &["--at-delta", "1e-6"]].concat());
    assert!((hidden["epsilon"].as_f64().unwrap() - 0.043_213).abs() < 1e-6, "{hidden}");
    assert!(String::from_utf8(run(&shuffled).stderr).unwrap().contains("--at-delta"));
    let of_mu = ["compose", "--of", "mu=1", "--shuffled", "100", "--at-delta", "1e-6"];
    assert!(refusal(&of_mu).contains("pure epsilon only"));
    assert!(refusal(&["compose", "--of", "mu=1*60000", "--of", "mu=1*60000"]).contains("120000 releases"));
}

#[test]
fn convert_knows_what_implies_what() {
    let report = json(&["convert", "--mu", "0.5", "--at-delta", "1e-6", "--at-epsilon", "1"]);
    assert!((report["rho"].as_f64().unwrap() - 0.125).abs() < 1e-12);
    // δ_μ(ε) at μ = 1/2, ε = 1: Φ(−1.75) − e·Φ(−2.25)
    assert!((report["delta"].as_f64().unwrap() - 0.00682959498).abs() < 1e-10, "{report}");
    let pure = json(&["convert", "--epsilon", "1"]);
    assert!((pure["mu"].as_f64().unwrap() - 1.2320345).abs() < 1e-6);
    let approximate = json(&["convert", "--epsilon", "1", "--delta", "1e-6"]);
    assert!((approximate["implied_by_mu"].as_f64().unwrap() * 4.22467889 - 1.0).abs() < 1e-8);
}

#[test]
fn karcher_flow_releases_where_laplace_noise_does_not_exist() {
    let folder = Folder::new();
    let file = folder.file("matrices.csv", &"2,0.1,1\n1,0,1\n".repeat(20));
    let spd = ["mean", &file, "--manifold", "spd-affine-invariant:2", "--layout", "upper-row"];
    let space = [&spd[..], &["--radius", "2", "--center", "origin"]].concat();
    let release = json(&[&space[..], &["--mechanism", "karcher-flow", "--mu", "1"]].concat());
    assert_eq!(release["mechanism"], "karcher-flow");
    assert_eq!(release["guarantee"], serde_json::json!({"definition": "gaussian", "mu": 1.0}));
    assert_eq!(release["sensitivity"]["bound"], "clipped-gradient");
    assert!(release["bias_bound"].as_f64().unwrap() > 0.0);
    let two = json(&[&space[..], &["--mechanism", "karcher-flow", "--rho", "0.5", "--steps", "2"]].concat());
    assert_eq!(two["steps"].as_array().unwrap().len(), 2);
    assert!(refusal(&[&space[..], &["--mechanism", "karcher-flow", "--epsilon", "1"]].concat()).contains("delta"));
}

#[test]
fn audit_reports_what_it_proved_and_passes() {
    let arguments =
        ["audit", "--mechanism", "laplace", "--manifold", "sphere:2", "--n", "6", "--radius", "0.5", "--epsilon", "2"];
    let found = json(&[&arguments[..], &["--releases", "2000"]].concat());
    let lower = found["lower_bound"].as_f64().unwrap();
    assert!(lower > 0.5 && lower <= 2.0, "{found}");
    assert_eq!((&found["passed"], &found["conclusive"]), (&true.into(), &true.into()));
    assert!(found["provable"].as_f64().unwrap() > 2.0, "{found}");
    assert_eq!(found["claim"]["epsilon"], 2.0);
    let output = run(&[&arguments[..], &["--releases", "200"]].concat());
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("unknown") && err.contains("not conclusive"), "{out}{err}");
    let few = refusal(&[&arguments[..], &["--releases", "10"]].concat());
    assert!(few.contains("at least 100"), "{few}");
    let none = refusal(&["audit", "--manifold", "sphere:2", "--n", "0", "--radius", "0.5", "--epsilon", "2"]);
    assert!(none.contains("no records"), "{none}");
}

#[test]
fn every_statistic_of_a_ball_is_audited() {
    for statistic in StatisticName::OF_BALLS {
        let said = statistic.description();
        let space = if *statistic == StatisticName::Covariance { "euclidean:2" } else { "sphere:2" };
        let audit = format!("audit --statistic {} --manifold {space} --n 6 --mu 1 --releases 300", said.option);
        let ball = if said.ball == BallUse::None { "" } else { " --radius 0.5" };
        let words: Vec<String> =
            format!("{audit}{ball} --error-probability 0.2 --json").split(' ').map(str::to_owned).collect();
        let output = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let known = said.mechanisms.iter().map(|mechanism| mechanism.name());
        assert!(known.into_iter().any(|name| found["mechanism"] == name), "{statistic}: {found}");
        assert!(found["lower_bound"].as_f64().is_some(), "{statistic}: {found}");
    }
    let refused = refusal(&[
        "audit",
        "--statistic",
        "extrinsic-mean",
        "--manifold",
        "sphere:2",
        "--n",
        "6",
        "--mu",
        "1",
        "--radius",
        "0.5",
    ]);
    assert!(refused.contains("radius") || refused.contains("ball"), "{refused}");
}

#[test]
fn kng_is_exact_in_low_dimension_and_flagged_elsewhere() {
    let folder = Folder::new();
    let file = folder.file("capitals.csv", CAPITALS);
    let release = json(&[&["mean", &file][..], &EUROPE, &["--epsilon", "1", "--mechanism", "kng"]].concat());
    assert_eq!(release["mechanism"], "kng");
    assert_eq!(release["sensitivity"]["bound"], "gradient-diameter");
    assert!(!release["flags"].as_array().unwrap().contains(&"mcmc-approximate".into()), "{release}");
    let refused = refusal(
        &[&["mean", &file][..], &EUROPE, &["--epsilon", "1", "--mechanism", "kng", "--bound", "sharp"]].concat(),
    );
    assert!(refused.contains("--bound"), "{refused}");

    let plan = json(&["plan", "--manifold", "kendall:13", "--n", "30", "--radius", "0.2", "--epsilon", "1"]);
    let kng = plan["mechanisms"].as_array().unwrap().iter().find(|m| m["mechanism"] == "kng").unwrap();
    assert_eq!(kng["chain_steps"], 33_000);
    assert_eq!(plan["best"], "chart");
}

#[test]
fn images_are_described_and_averaged() {
    let folder = Folder::new();
    // two IDX images of 3 × 4 pixels
    let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4];
    bytes.extend((0..24).map(|i| i * 9));
    let images = folder.path("two-ubyte");
    std::fs::write(&images, bytes).unwrap();
    let (output, center) = (folder.path("f.npy"), folder.path("center.npy"));
    let [images, output, center] = [&images, &output, &center].map(|path| path.to_str().unwrap());
    let report = json(&["describe", images, "--output", output, "--center-output", center]);
    assert_eq!(
        (&report["images"], &report["channels"], &report["space"]),
        (&2.into(), &1.into(), &"spd-log-euclidean:9".into())
    );
    let radius = report["radius"].as_f64().unwrap();
    assert!((radius - 22.3031).abs() < 1e-4);
    assert!((report["radius_around_identity"].as_f64().unwrap() - 41.4465).abs() < 5e-5);
    let radius = radius.to_string();
    let space =
        ["--manifold", "spd-log-euclidean:9", "--epsilon", "1", "--seed", "1", "--radius", &radius, "--center", center];
    let release = json(&[&["mean", output][..], &space].concat());
    assert_eq!(release["n"], 2);
    assert!((release["ball"]["center"][0].as_f64().unwrap() - report["center"].as_f64().unwrap()).abs() < 1e-12);
}

#[test]
#[cfg(target_os = "linux")] // elsewhere `ulimit -v` may be ignored
fn large_images_take_little_memory() {
    let folder = Folder::new();
    let side = 3000u32;
    let shape = [1, side, side].map(u32::to_be_bytes).concat();
    let images = folder.path("one-ubyte");
    std::fs::write(&images, [&[0, 0, 8, 3], &shape[..], &vec![7; (side * side) as usize]].concat()).unwrap();
    // 9 features of 9 megapixels are 0.6 GB
    let status = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 300000 && exec \"$@\"", "sh"])
        .arg(assert_cmd::cargo::cargo_bin("karcher"))
        .args(["describe", images.to_str().unwrap(), "--output", folder.path("f.npy").to_str().unwrap()])
        .env("RAYON_NUM_THREADS", "1")
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

#[test]
#[cfg(unix)]
fn an_interrupted_description_leaves_no_file() {
    let folder = Folder::new();
    // far more images than can be described before the signal comes
    let (n, side) = (20_000u32, 28u32);
    let shape = [n, side, side].map(u32::to_be_bytes).concat();
    let images = folder.path("many-ubyte");
    std::fs::write(&images, [&[0, 0, 8, 3], &shape[..], &vec![7; (n * side * side) as usize]].concat()).unwrap();
    let output = folder.path("f.npy");
    // What the background of a shell starts has SIGINT ignored, and the program leaves it so.
    let karcher = assert_cmd::cargo::cargo_bin("karcher");
    let with_default_signals = ["env", "--default-signal", karcher.to_str().unwrap()];
    let command = if cfg!(target_os = "linux") { &with_default_signals[..] } else { &with_default_signals[2..] };
    for signal in ["-INT", "-TERM"] {
        let mut child = std::process::Command::new(command[0])
            .args(&command[1..])
            .args(["describe", images.to_str().unwrap(), "--output", output.to_str().unwrap()])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let entries = || std::fs::read_dir(folder.0.path()).unwrap().count();
        while entries() == 1 {
            std::thread::yield_now();
        }
        std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(entries(), 1);
    }
}

#[test]
fn descriptions_replace_a_file_only_by_wish() {
    let folder = Folder::new();
    let images = folder.path("one-ubyte");
    std::fs::write(&images, [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4]).unwrap();
    let output = folder.file("f.npy", "mine");
    let partial = folder.file("f.npy.partial", "mine too");
    let describe = ["describe", images.to_str().unwrap(), "--output", &output];
    assert!(refusal(&describe).contains("f.npy exists: choose another name, or give --force to replace it"));
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "mine");
    json(&[&describe[..], &["--force"]].concat());
    assert!(std::fs::read(&output).unwrap().starts_with(b"\x93NUMPY"));
    assert_eq!(std::fs::read_to_string(&partial).unwrap(), "mine too");
}

#[test]
fn images_that_cannot_be_described_leave_no_file() {
    let folder = Folder::new();
    let images = folder.path("bad-ubyte");
    std::fs::write(&images, [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 1, 2, 3]).unwrap();
    let (images, output) = (images.to_str().unwrap(), folder.path("f.npy"));
    let output = output.to_str().unwrap();
    let sentence = refusal(&["describe", images, "--output", output]);
    assert!(sentence.contains("is truncated: its header promises 24 bytes of data, found 3"), "{sentence}");
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 1);
    let array = folder.file("images.npy", "");
    assert!(refusal(&["describe", &array, "--output", &array]).contains("would replace an input"));
    std::fs::remove_file(array).unwrap();
    let sentence = refusal(&["describe", images, "--output", "f.csv"]);
    assert!(sentence.contains("cannot write f.csv: descriptors go to a file that ends in .npy"), "{sentence}");
    let sentence = refusal(&["describe", images, "--output", output, "--eta", "0"]);
    assert!(sentence.contains("eta 0 is out of range: it must be between 1e-10 and 1"), "{sentence}");
}

#[test]
fn a_flow_in_so_large_a_ball_that_its_end_is_unknown_says_so() {
    let folder = Folder::new();
    let phases = folder.file("phases.csv", &format!("a,b\n{}{}", "109,0\n".repeat(140), "-109,0\n".repeat(60)));
    let flow = |radius| {
        let arguments = format!(
            "mean {phases} --manifold torus:2 --layout degrees --center 0,0 --radius {radius} --epsilon 1 --delta 1e-6 \
             --mechanism karcher-flow --seed 1"
        );
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let text = String::from_utf8(run(&arguments).stdout).unwrap();
        (json(&arguments), text)
    };
    let (large, text) = flow("2");
    assert!(large.get("bias_bound").is_none());
    assert!(crate::one_line(&text).contains("bias unknown: in so large a ball"), "{text}");
    assert!(!text.contains("distance to the mean"), "{text}");
    let (small, text) = flow("1.5");
    assert!(small["bias_bound"].is_number());
    assert!(crate::one_line(&text).contains("bias at most about"), "{text}");
}

#[test]
fn results_on_products_and_tori_are_told_in_the_layout_of_the_records() {
    let folder = Folder::new();
    let phases = folder.file("phases.csv", &format!("a,b\n{}", "170,-20\n".repeat(100)));
    let heights = folder.file("heights.csv", &format!("lat,lon,z\n{}", "48,10,1.6\n".repeat(100)));
    for (file, space, layout, center, truth) in [
        (&phases, "torus:2", "degrees", "180,-30", &[170.0, -20.0][..]),
        (&heights, "sphere:2*euclidean:1", "latlon*vectors", "48,10,1.6", &[48.0, 10.0, 1.6]),
    ] {
        let arguments = [
            ["mean", file, "--manifold", space, "--layout", layout, "--center", center],
            ["--radius", "0.5", "--epsilon", "1000", "--mechanism", "kng", "--seed", "1"],
        ]
        .concat();
        let text = String::from_utf8(run(&arguments).stdout).unwrap();
        let told = text.lines().find_map(|line| line.strip_prefix("private mean")).expect("a mean");
        // angles have their unit
        assert_eq!(told.matches('°').count(), 2, "{text}");
        let words = told.trim().trim_start_matches(layout).split([',', ' ']).filter(|word| !word.is_empty());
        let numbers: Vec<f64> = words.map(|number| number.trim_end_matches('°').parse().unwrap()).collect();
        assert_eq!(numbers.len(), truth.len());
        assert!(numbers.iter().zip(truth).all(|(x, y)| (x - y).abs() < 0.1), "{text}");
    }
}
