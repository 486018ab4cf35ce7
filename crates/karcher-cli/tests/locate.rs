//! `karcher locate`, and means in balls that were located.

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Two thousand records about (700, −300) in the plane, and a file name for a ball.
struct Workplace(TempDir);

impl Workplace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let turn = |i: u32| 2.399_963 * f64::from(i); // a disk, evenly
        let record = |i: u32| {
            let r = (f64::from(i) / 500.0).sqrt();
            format!("{},{}\n", 700.0 + r * turn(i).cos(), -300.0 + r * turn(i).sin())
        };
        let text: String = std::iter::once("x,y\n".to_owned()).chain((0..2_000).map(record)).collect();
        std::fs::write(folder.path().join("records.csv"), text).unwrap();
        Self(folder)
    }

    fn run(&self, arguments: &str) -> std::process::Output {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).output().unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {sentence}");
        assert!(output.stdout.is_empty() && sentence.trim_end().lines().count() == 1, "{sentence}");
        sentence
    }
}

const PLANE: &str = "records.csv --manifold euclidean:2 --seed 1";

fn off(point: &Value) -> f64 {
    (point[0].as_f64().unwrap() - 700.0).hypot(point[1].as_f64().unwrap() + 300.0)
}

#[test]
fn a_located_ball_is_written_and_a_mean_takes_it() {
    let place = Workplace::new();
    let told = place.run(&format!("locate {PLANE} --within 1e3 --mu 1 --output ball.json --details"));
    let told = String::from_utf8(told.stdout).unwrap();
    for words in ["private center", "private radius", "sought within   radius 1000", "mu 0.6971 on the center"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let told = place.run(&format!("locate {PLANE} --within 1e3 --epsilon 1 --details"));
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("locate, medians of 2 coordinates, each on places of length 0.0305"), "{told}");
    let plan = place.run("plan --manifold euclidean:2 --radius 1e3 --n 2000 --statistic ball --epsilon 1 --json");
    assert!(String::from_utf8(plan.stdout).unwrap().contains(r#""center_method":"coordinate-medians""#));
    let ball: Value = serde_json::from_slice(&std::fs::read(place.0.path().join("ball.json")).unwrap()).unwrap();
    assert_eq!(
        (&ball["statistic"], &ball["mechanism"], &ball["numerics"]),
        (&"ball".into(), &"locate".into(), &"exact".into())
    );
    assert!(off(&ball["center"]) < 0.5, "{ball}");
    let radius = ball["radius"].as_f64().unwrap();
    assert!((1.7..3.5).contains(&radius), "{radius}"); // three quarters of the disk of radius 2 are within 1.73

    let mean = place.json(&format!("mean {PLANE} --ball ball.json --mu 1"));
    assert_eq!((&mean["ball"]["radius"], &mean["ball"]["center"]), (&ball["radius"], &ball["center"]));
    assert!(off(&mean["value"]) < 0.1 && mean.get("located").is_none(), "{mean}");
}

/// What `locate` wrote is a ball to plan in, and its center one to search around.
#[test]
fn a_located_ball_is_one_to_plan_in_and_a_center() {
    let place = Workplace::new();
    let ball = place.json(&format!("locate {PLANE} --within 1e3 --mu 1 --output ball.json"));
    let plan = place.json("plan --manifold euclidean:2 --ball ball.json --n 2000 --mu 1");
    assert_eq!(plan["radius"], ball["radius"]);
    let same = format!("plan --manifold euclidean:2 --radius {} --n 2000 --mu 1", ball["radius"]);
    assert_eq!(plan, place.json(&same));
    let mean = place.json(&format!("mean {PLANE} --center ball.json --radius 9 --mu 1"));
    assert_eq!(mean["ball"]["center"], ball["center"]);
    for (arguments, sentence) in [
        (
            "plan --manifold euclidean:3 --ball ball.json --n 9 --mu 1",
            "is a release on euclidean:2, not on euclidean:3",
        ),
        ("plan --manifold euclidean:2 --ball none.json --n 9 --mu 1", "--ball none.json: expected `auto` or a file"),
        ("plan --manifold euclidean:2 --ball ball.json --within 9 --n 9 --mu 1", "--within belongs to --ball auto"),
    ] {
        let said = place.refusal(arguments);
        assert!(said.contains(sentence), "{arguments}: {said}");
    }
}

#[test]
fn means_aim_at_a_share_of_the_records_too() {
    let place = Workplace::new();
    let auto = format!("mean {PLANE} --ball auto --within 1e3 --mu 1");
    let (usual, half) = (place.json(&auto), place.json(&format!("{auto} --quantile 0.5")));
    let aimed = |mean: &Value| mean["located"]["quantile"].as_f64().unwrap();
    assert_eq!((aimed(&usual), aimed(&half)), (0.75, 0.5));
    let said = place.refusal(&format!("mean {PLANE} --radius 1e3 --mu 1 --quantile 0.5"));
    assert!(said.contains("--quantile belongs to --ball auto"), "{said}");
    let said = place.refusal(&format!("{auto} --quantile 1"));
    assert!(said.contains("--quantile is 1") && said.contains("farthest record"), "{said}");
}

/// In a large ball of negative curvature noise around the mean is far shorter than that in the chart, in floating
/// point.
#[test]
fn what_is_far_better_by_name_is_said_beforehand_and_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("records.csv"), "1,0,0\n".repeat(1_000)).unwrap();
    let place = Workplace(folder);
    for command in [
        "plan --manifold hyperbolic:2 --radius 12 --n 1000 --epsilon 1",
        "mean records.csv --header no --manifold hyperbolic:2 --radius 12 --epsilon 1",
    ] {
        let output = |more: &str| place.run(&format!("{command} {more}")).stdout;
        let printed = |more: &str| crate::one_line(&String::from_utf8(output(more)).unwrap());
        let note = "laplace has an expected error of 0.0";
        assert!(
            printed("").contains(note) && printed("").contains("by name or with --numerics any"),
            "{}",
            printed("")
        );
        assert!(!printed("--numerics any").contains(note));
    }
}

#[test]
fn a_mean_with_ball_auto_is_one_release_with_all_its_parts() {
    let place = Workplace::new();
    for (budget, definition) in [
        ("--epsilon 2", "pure"),
        ("--epsilon 1 --delta 1e-6", "approximate"),
        ("--mu 1", "gaussian"),
        ("--rho 0.5", "concentrated"),
    ] {
        let mean = place.json(&format!("mean {PLANE} --ball auto --within 1e3 {budget}"));
        assert_eq!(mean["guarantee"]["definition"], definition);
        assert_eq!(mean["statistic"], "frechet-mean");
        let located = &mean["located"];
        assert_eq!(located["within"]["radius"], 1e3);
        let parts: Vec<&str> =
            located["parts"].as_array().unwrap().iter().map(|p| p["part"].as_str().unwrap()).collect();
        assert_eq!(parts, ["center", "radius", "mean"]);
        assert!(off(&mean["value"]) < 0.2, "{budget}: {mean}");
    }
    let told = place.run(&format!("mean {PLANE} --ball auto --within 1e3 --epsilon 2 --details"));
    let told = crate::one_line(&String::from_utf8(told.stdout).unwrap());
    assert!(
        told.contains("epsilon 0.1158 on the center, epsilon 0.08422 on the radius, epsilon 1.8 on the mean"),
        "{told}"
    );
    // the mean of a release with its ball is one to take the ball from, too
    place.run(&format!("mean {PLANE} --ball auto --within 1e3 --mu 1 --output mean.json"));
    let again = place.json(&format!("mean {PLANE} --ball mean.json --mu 1"));
    assert!(off(&again["value"]) < 0.1);
}

#[test]
fn a_median_is_released_in_a_ball_of_any_size() {
    let place = Workplace::new();
    let median = place.json(&format!("mean {PLANE} --statistic median --radius 1e3 --mu 1"));
    assert_eq!((&median["statistic"], &median["mechanism"]), (&"geometric-median".into(), &"median-flow".into()));
    assert!(off(&median["value"]) < 1.0, "{median}");
    let told = place.run(&format!("mean {PLANE} --statistic median --radius 1e3 --mu 1 --steps 9"));
    assert!(String::from_utf8(told.stdout).unwrap().starts_with("private median"));
    let plan = place.json("plan --manifold euclidean:2 --statistic median --radius 1e3 --n 2000 --mu 1");
    assert_eq!((&plan["best"], plan["mechanisms"].as_array().unwrap().len()), (&"median-flow".into(), 1));
    let plan = place.json("plan --manifold euclidean:2 --statistic ball --radius 1e4 --n 2000 --mu 1");
    assert_eq!(plan["best"], "locate");
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    let place = Workplace::new();
    let output = place.run(&format!("mean {PLANE} --radius 1e3 --mu 1 --output mean.json"));
    assert!(output.status.success());
    for (arguments, sentence) in [
        ("locate --mu 1", "--within is missing: euclidean:2 is unbounded"),
        ("locate --within 1e3 --mu 1 --output ball.npy", "--output ball.npy: a ball is written as .json"),
        ("locate --within 1e3", "the privacy budget is missing"),
        ("locate --within 1e3 --mu 1 --quantile 2", "--quantile is 2"),
        ("locate --within -1 --mu 1", "--within is -1"),
        ("mean --mu 1", "--radius is missing"),
        ("mean --ball none.json --mu 1", "--ball none.json: expected `auto` or a file"),
        ("mean --ball records.csv --mu 1", "--ball records.csv is no release"),
        ("mean --ball mean.json --mu 1", "--ball mean.json holds a frechet-mean"),
        ("mean --ball auto --mu 1", "--within is missing: euclidean:2 is unbounded"),
        ("mean --within 1 --radius 1 --mu 1", "--within belongs to --ball auto"),
        ("mean --ball auto --within 9 --assume-in-ball --mu 1", "--assume-in-ball does not go with --ball auto"),
        ("mean --ball auto --within 9 --statistic median --mu 1", "--within does not go with a geometric-median"),
        ("mean --ball auto --within 9 --mechanism karcher-flow --epsilon 1", "never gives pure"),
        ("mean --radius 9 --statistic median --bound sharp --mu 1", "--bound does not go with a geometric-median"),
        ("mean --radius 9 --statistic median --mechanism chart --mu 1", "does not release a geometric-median"),
        ("mean --radius 9 --mechanism median-flow --mu 1", "does not release a frechet-mean"),
    ] {
        let (command, options) = arguments.split_once(' ').unwrap();
        let said = place.refusal(&format!("{command} {PLANE} {options}"));
        assert!(said.contains(sentence), "{arguments}: {said}");
    }
    for usage in ["mean --ball auto --radius 1 --mu 1", "mean --within 1 --mu 1"] {
        let (command, options) = usage.split_once(' ').unwrap();
        assert_eq!(place.run(&format!("{command} {PLANE} {options}")).status.code(), Some(2), "{usage}");
    }
}

/// Longitudes and latitudes that cover the globe evenly.
#[test]
fn uniform_records_are_said_to_have_no_useful_mean() {
    let place = Workplace::new();
    let record = |i: u32| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 2_000.0;
        format!("{},{}\n", z.asin().to_degrees(), (137.507_76 * f64::from(i)) % 360.0 - 180.0)
    };
    let text: String = (0..2_000).map(record).collect();
    std::fs::write(place.0.path().join("globe.csv"), text).unwrap();
    let globe = "globe.csv --layout latlon --manifold sphere:2 --mu 2 --seed 1";
    assert_eq!(place.json(&format!("locate {globe}"))["flags"], serde_json::json!(["seeded", "no-useful-mean"]));
    let mean = place.json(&format!("mean {globe} --ball auto"));
    assert!(mean["flags"].as_array().unwrap().contains(&"no-useful-mean".into()), "{mean}");
    let words = String::from_utf8(place.run(&format!("mean {globe} --ball auto")).stdout).unwrap();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the largest for a mean, as the located radius is too large"), "{words}");
}

/// The ball is known, but wide: `mean` takes two stages, and the release is that of `--ball auto`.
#[test]
fn a_wide_ball_with_an_expected_spread_is_searched_for_a_smaller_one() {
    let place = Workplace::new();
    let wide = format!("mean {PLANE} --radius 1e3 --mu 1");
    let two = place.json(&format!("{wide} --expected-spread 1.4"));
    let located = place.json(&format!("mean {PLANE} --ball auto --within 1e3 --mu 1"));
    let without_spec = |mut release: Value| {
        release["spec"].take();
        release
    };
    assert_eq!(without_spec(two.clone()), without_spec(located));
    assert!(off(&two["value"]) < 0.1 && two["located"]["parts"].as_array().unwrap().len() == 3, "{two}");
    assert!(two["region"]["radius"].as_f64().is_some());
    let told = String::from_utf8(place.run(&format!("{wide} --expected-spread 1.4 --details")).stdout).unwrap();
    for words in ["sought within   radius 1000", "spent           mu", "region"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let one = place.json(&format!("{wide} --expected-spread 900"));
    assert!(one.get("located").is_none(), "a smaller ball does not pay: {one}");
    let by_name = format!("{wide} --mechanism two-stage --expected-spread");
    assert!(place.json(&format!("{by_name} 1.4"))["located"].is_object());
    assert!(place.refusal(&format!("{by_name} 2e3")).contains("does not pay"));
    assert!(place.refusal(&format!("{wide} --mechanism two-stage")).contains("needs an expected spread"));
    let narrower = place.json(&format!("{wide} --expected-spread 1.4 --region 0.9"));
    assert_eq!(narrower["region"]["probability"], 0.9);
    assert!(narrower["region"]["radius"].as_f64() < two["region"]["radius"].as_f64(), "{narrower}");
    let auto = format!("mean {PLANE} --ball auto --within 1e3 --mu 1");
    assert!(
        place
            .refusal(&format!("{auto} --expected-spread 1"))
            .contains("--expected-spread does not go with --ball auto")
    );
    assert!(place.refusal(&format!("{auto} --mechanism two-stage")).contains("two-stage locates a ball by itself"));
    let laplace =
        place.refusal(&format!("mean {PLANE} --radius 1e3 --epsilon 1 --mechanism laplace --expected-spread 1"));
    assert!(laplace.contains("--expected-spread does not go with"), "{laplace}");
}

/// Numbers of double precision hold no places so far out: said in a sentence, by commands with --radius and without.
#[test]
fn a_search_beyond_what_numbers_hold_is_refused() {
    let place = Workplace::new();
    std::fs::write(place.0.path().join("h.csv"), "1,0,0\n".repeat(50)).unwrap();
    for command in ["locate h.csv --within 26", "mean h.csv --ball auto --within 26", "mean h.csv --radius 26"] {
        let refused = place.refusal(&format!("{command} --manifold hyperbolic:2 --epsilon 1"));
        assert!(refused.contains("26 is too large for hyperbolic:2"), "{refused}");
    }
}

/// What a ledger notes of a located mean is computed from the location and the mean.
#[test]
fn a_ledger_notes_the_weakest_numerics_of_a_located_mean() {
    let folder = tempfile::tempdir().unwrap();
    let cities = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cities.csv");
    let run = |arguments: &str| -> Value {
        let output = Command::cargo_bin("karcher")
            .unwrap()
            .args(arguments.replace("CITIES", cities).split_whitespace())
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    };
    run("ledger new L.db --data x --epsilon 20");
    let release =
        run("mean CITIES --columns latitude,longitude --layout latlon --manifold sphere:2 --ball auto --within 60deg \
         --center 25,80 --epsilon 10 --mechanism laplace --numerics any --ledger L.db --json");
    assert_eq!(release["numerics"], "idealized");
    let book = run("ledger show L.db --json");
    let event = &book["entries"][0]["event"];
    assert_eq!(event["numerics"], "idealized");
    let parts: Vec<&str> =
        event["parts"].as_array().unwrap().iter().map(|part| part["numerics"].as_str().unwrap()).collect();
    assert_eq!(parts, ["exact", "exact", "idealized"]);
    assert_eq!(event["mechanism"], "locate"); // that of the mean is chosen when the ball is known
    for field in ["scale", "sensitivity"] {
        assert!(event[field].is_null(), "{field} is that of one part");
    }
}
