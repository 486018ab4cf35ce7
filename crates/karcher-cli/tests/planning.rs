//! Plans, units and limits as a user types them.

use assert_cmd::Command;
use karcher::field::{FIELDS, Field};
use karcher::mechanism::mechanisms_for;
use karcher::release::{MechanismName, StatisticName};
use serde_json::Value;

fn run(command: &str) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().args(command.split(' ')).output().unwrap()
}

fn json(command: &str) -> Value {
    let output = run(&format!("{command} --json"));
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(command: &str) -> String {
    let output = run(command);
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(command: &str) -> String {
    let output = run(command);
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{command}: {sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
    sentence
}

/// The error that `plan` expects of its best mechanism.
fn expected(report: &Value) -> f64 {
    let best = report["mechanisms"].as_array().unwrap().iter().find(|m| m["mechanism"] == report["best"]).unwrap();
    best["expected_distance"].as_f64().unwrap() + best["bias_bound"].as_f64().unwrap_or(0.0)
}

#[test]
fn the_smallest_number_of_records_for_an_error_is_found() {
    for space in [
        "plan --manifold sphere:2 --radius 0.9 --epsilon 1",
        "plan --manifold hyperbolic:3 --radius 0.5 --mu 0.5",
        "plan --manifold spd-log-euclidean:3 --radius 2 --epsilon 1 --delta 1e-6",
        "plan --manifold kendall:20 --radius 0.2 --epsilon 1 --delta 1e-6",
        "plan --manifold sphere:2 --radius 0.5 --epsilon 1 --slope-bound 0.5 --residual-bound 0.2",
    ] {
        let found = json(&format!("{space} --error 0.01"));
        let n = found["n"].as_u64().unwrap();
        assert!(found["error"] == 0.01 && expected(&found) <= 0.01 * (1.0 + 1e-9), "{found}");
        assert!(expected(&json(&format!("{space} --n {}", n - 1))) > 0.01, "{space}: fewer than {n} are enough");
    }
    // Laplace noise on the line: 2r/(nε)
    assert_eq!(json("plan --manifold euclidean:1 --radius 1 --epsilon 0.5 --error 0.01")["n"], 400);
    assert!(text("plan --manifold euclidean:1 --radius 1 --epsilon 0.5 --error 0.01").contains("400 are needed"));
}

#[test]
fn the_smallest_epsilon_for_an_error_is_found() {
    for space in [
        "plan --manifold sphere:2 --radius 0.9 --n 1000",
        "plan --manifold kendall:20 --radius 0.2 --n 3000 --delta 1e-6",
        "plan --manifold sphere:2 --radius 0.5 --n 1e4 --slope-bound 0.5 --residual-bound 0.2",
    ] {
        let found = json(&format!("{space} --error 0.01"));
        let epsilon = found["budget"]["epsilon"].as_f64().unwrap();
        assert!(expected(&found) <= 0.01 * (1.0 + 1e-9), "{found}");
        let less = json(&format!("{space} --epsilon {}", 0.998 * epsilon));
        assert!(expected(&less) > 0.01, "{space}: less than {epsilon} is enough");
    }
    let epsilon = json("plan --manifold euclidean:1 --radius 1 --n 400 --error 0.01")["budget"]["epsilon"].as_f64();
    assert!((0.5..=0.5006).contains(&epsilon.unwrap()), "2r/(nε), to a thousandth: {epsilon:?}");
}

/// Of ε = 1 half is for the second moment on the line, which moves by at most c²/n, c = 1: noise alone is then
/// about √(2·2)/(n/2). An eighth is for the mean square, which moves by at most c²/n, c = 2.
#[test]
fn spreads_and_components_are_planned() {
    let line = "plan --manifold euclidean:1 --radius 1 --n 1000 --epsilon 1";
    let components = json(&format!("{line} --statistic components"));
    assert!(
        (components["forecast"]["components"]["noise_level"].as_f64().unwrap() - 0.004).abs() < 1e-8,
        "{components}"
    );
    let spread = json(&format!("{line} --statistic spread"));
    let expected = 20.0_f64.ln() * 8.0 / 1_000.0;
    let [squares, share] =
        ["mean_square", "fraction_outside"].map(|name| spread["forecast"]["spread"][name].as_f64().unwrap());
    assert!((squares / (4.0 * expected) - 1.0).abs() < 1e-6 && (share - expected - 0.0005).abs() < 1e-6, "{spread}");
    assert_eq!(json(line)["forecast"], Value::Null);
    // half the clip, a quarter of the noise
    let clipped = json(&format!("{line} --spread --spread-clip 1"));
    assert_eq!(clipped, json(&format!("{line} --statistic spread --spread-clip 1")), "one thing");
    let less = clipped["forecast"]["spread"]["mean_square"].as_f64().unwrap();
    assert!((less / expected - 1.0).abs() < 1e-6, "{clipped}");

    let plan = "plan --manifold sphere:2 --radius 0.5 --epsilon 1 --error 0.1 --statistic";
    for (statistic, words) in [("spread", "for a spread of 0.1 to exceed"), ("components", "along a component")] {
        let found = json(&format!("{plan} {statistic}"))["n"].as_u64().unwrap();
        let told = |n: u64| {
            let report =
                json(&format!("plan --manifold sphere:2 --radius 0.5 --epsilon 1 --statistic {statistic} --n {n}"));
            let forecasts = &report["forecast"][statistic];
            forecasts.get("noise_level").unwrap_or(&forecasts["mean_square"]).as_f64().unwrap().sqrt()
        };
        assert!(told(found) <= 0.1 * (1.0 + 1e-9) && told(found - 1) > 0.1, "{statistic}: {found}");
        assert!(crate::one_line(&text(&format!("{plan} {statistic}"))).contains(words));
    }
    let refused = refusal("plan --manifold sphere:2 --radius 0.5 --n 9 --epsilon 1 --spread-clip 1");
    assert!(refused.contains("--spread-clip goes with --spread"), "{refused}");
}

/// A mean in two stages and one in a ball that is located are the same thing, and planned alike.
#[test]
fn two_stages_and_located_balls_are_planned_with_an_expected_spread() {
    let wide = "plan --manifold euclidean:2 --radius 50 --mu 1 --expected-spread 1";
    let located = "plan --manifold euclidean:2 --ball auto --within 50 --mu 1 --expected-spread 1";
    let (plan, alone) = (json(&format!("{wide} --n 1000")), json(&format!("{located} --n 1000")));
    assert_eq!((&plan["best"], &alone["best"]), (&"two-stage".into(), &"two-stage".into()));
    assert_eq!(alone["mechanisms"].as_array().unwrap().len(), 1);
    assert_eq!(plan["mechanisms"].as_array().unwrap().last(), alone["mechanisms"].as_array().unwrap().last());
    let rehearsed = &alone["mechanisms"][0]["rehearsed"];
    assert!(rehearsed["expected_spread"] == 1.0 && rehearsed["mechanism"] == "gaussian", "{rehearsed}");
    assert!((1.5..4.0).contains(&rehearsed["radius"].as_f64().unwrap()), "{rehearsed}");
    let words = text(&format!("{located} --n 1000"));
    assert!(words.contains("simulated with a made-up cloud: center"), "{words}");

    // what reaches an error, in records and in ε
    for command in [wide, located] {
        let found = json(&format!("{command} --error 0.02"));
        let n = found["n"].as_u64().unwrap();
        assert!(found["best"] == "two-stage" && expected(&found) <= 0.02 * (1.0 + 1e-9), "{found}");
        assert!(expected(&json(&format!("{command} --n {}", n - n / 50))) > 0.02, "{n}");
    }
    let epsilon = located.replace("--mu 1", "--n 4000 --error 0.05");
    let found = json(&epsilon);
    assert!(expected(&found) <= 0.05 * (1.0 + 1e-9) && found["budget"]["epsilon"].as_f64().unwrap() < 2.0, "{found}");

    // lengths have units, and a sphere has an end
    let sphere = "plan --manifold sphere:2 --n 2000 --mu 1";
    let plain = json(&format!("{sphere} --radius 0.5 --expected-spread 0.05"));
    let degrees = json(&format!("{sphere} --radius 0.5 --expected-spread {}deg", 0.05_f64.to_degrees()));
    assert!((expected(&plain) / expected(&degrees) - 1.0).abs() < 1e-9);
    assert!(text(&format!("{sphere} --ball auto --expected-spread 5deg")).contains("two-stage"));
}

#[test]
fn spreads_that_make_no_sense_are_refused() {
    let plan = "plan --manifold euclidean:2 --radius 1 --n 1000 --epsilon 1";
    for spread in ["0", "-1", "NaN", "inf"] {
        let sentence = refusal(&format!("{plan} --expected-spread {spread}"));
        assert!(sentence.starts_with(&format!("error: --expected-spread is {spread}")), "{sentence}");
    }
    // larger than the ball: it does not pay, and the others apply
    let words = text(&format!("{plan} --expected-spread 2"));
    assert!(words.contains("does not pay") && words.contains("best          laplace"), "{words}");
    assert!(refusal(&format!("{plan} --expected-spread 5m")).starts_with("error: --expected-spread 5"));
    let located = "plan --manifold euclidean:2 --n 1000 --epsilon 1 --ball auto";
    assert!(refusal(&format!("{located} --expected-spread 1")).contains("--within"));
    assert!(refusal(&format!("{located} --within 1 --expected-spread 2")).contains("does not pay"));
    assert!(refusal(&format!("{located} --within 1 --expected-spread 0.1 --statistic ball")).contains("for means"));
    assert_eq!(run(&format!("{located} --within 1")).status.code(), Some(2), "of what spread?");
    assert_eq!(run(&format!("{plan} --ball auto --expected-spread 1")).status.code(), Some(2), "two radii");
    for statistic in ["median", "ball"] {
        let cautious = json(&format!("{plan} --statistic {statistic}"));
        let expected = json(&format!("{plan} --expected-spread 0.1 --statistic {statistic}"));
        let distance = |plan: &Value| plan["mechanisms"][0]["expected_distance"].as_f64().unwrap();
        assert!(distance(&expected) < 0.7 * distance(&cautious), "{statistic}: {expected} {cautious}");
    }
    let spread = refusal(&format!("{plan} --expected-spread 0.1 --statistic spread"));
    assert!(spread.contains("--expected-spread does not go with"), "{spread}");
    let regression = refusal(&format!("{plan} --expected-spread 0.1 --slope-bound 1"));
    assert!(regression.contains("--expected-spread does not go with a geodesic-regression"), "{regression}");
}

#[test]
fn plans_that_say_too_little_or_too_much_are_refused() {
    let plan = "plan --manifold sphere:2 --radius 0.9";
    assert!(refusal(&format!("{plan} --epsilon 1")).contains("--n is missing"));
    assert!(refusal(&format!("{plan} --n 10")).contains("--epsilon"));
    assert!(refusal(&format!("{plan} --error 0.1")).contains("give a budget"));
    assert!(refusal(&format!("{plan} --error 0.1 --n 10 --epsilon 1")).contains("leave out --n or the budget"));
    assert!(refusal(&format!("{plan} --error 0.1 --delta 1e-6")).contains("--error"));
    assert!(refusal(&format!("{plan} --n 10 --delta 1e-6")).contains("--delta belongs to --epsilon"));
    assert!(refusal(&format!("{plan} --error 1e-30 --n 10")).contains("no ε up to 10000"));
    assert!(refusal(&format!("{plan} --error 1e-30 --epsilon 1")).contains("no number of records"));
    for error in ["0", "-1", "NaN", "inf"] {
        assert!(
            refusal(&format!("{plan} --error {error} --epsilon 1")).contains(&format!("--error is {error}")),
            "{error}"
        );
    }
}

#[test]
fn lengths_have_units_where_the_space_has_them() {
    let plain = json("plan --manifold sphere:2 --n 1000 --radius 0.5 --epsilon 1");
    for radius in ["0.5rad", "28.64788975654116deg", "3185.5km", "3185500m"] {
        let found = json(&format!("plan --manifold sphere:2 --n 1e3 --radius {radius} --epsilon 1"));
        assert!((expected(&found) / expected(&plain) - 1.0).abs() < 1e-12, "{radius}");
    }
    let words = text("plan --manifold sphere:2 --n 1000 --radius 2000km --epsilon 1");
    assert!(words.contains(" km  "), "{words}");
    assert!(text("sensitivity --manifold kendall:50 --n 1000 --radius 10deg").contains("°)"));
    for command in [
        "plan --manifold euclidean:2 --n 9 --epsilon 1 --radius 5km",
        "sensitivity --manifold sphere:3 --n 9 --radius 5km",
        "audit --manifold spd-log-euclidean:2 --n 9 --epsilon 1 --radius 5deg",
    ] {
        assert!(refusal(command).starts_with("error: --radius 5"), "{command}");
    }
    assert_eq!(run("plan --manifold sphere:2 --n 9 --epsilon 1 --radius 5miles").status.code(), Some(2));
}

#[test]
fn absurd_numbers_are_refused_with_the_limit() {
    for command in [
        "audit --manifold sphere:2 --n 9 --epsilon 1 --radius 1 --releases 9007199254740993",
        "audit --manifold sphere:2 --n 9 --mu 1 --radius 1 --mechanism karcher-flow --steps 18446744073709551615",
        "audit --manifold sphere:2 --n 9 --mu 1 --radius 1 --mechanism karcher-flow --steps 4294967296",
        "mean x.csv --manifold sphere:2 --center 1,0,0 --mu 1 --radius 1 --mechanism karcher-flow --steps 4294967296",
        "plan --manifold sphere:2 --n 1e300 --epsilon 1 --radius 1",
    ] {
        let output = run(command);
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && words.contains("the largest number that can be given is"),
            "{command}: {words}"
        );
    }
    let many = "audit --manifold sphere:2 --n 100000000 --epsilon 1 --radius 1";
    assert!(refusal(many).contains("choose fewer records"));
}

#[test]
fn budgets_that_promise_nothing_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.csv");
    std::fs::write(&file, "1\n2\n3\n").unwrap();
    let mean = |budget: &str| {
        let command = format!("mean {} --manifold euclidean:1 --radius 1 {budget}", file.display());
        let output = run(&command);
        assert!(output.status.success(), "{budget}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(mean("--epsilon 11").starts_with("warning: epsilon 11 protects hardly anyone"));
    assert!(mean("--epsilon 1 --delta 0.4").starts_with("warning: delta 0.4 is above 1/n = 1/3"));
    assert_eq!(mean("--epsilon 12 --delta 0.5").lines().count(), 2);
    for fine in ["--epsilon 10", "--epsilon 1 --delta 0.3", "--mu 5", "--rho 0.5"] {
        assert_eq!(mean(fine), "", "{fine}");
    }
}

#[test]
fn no_delta_is_ignored_and_no_infinity_printed() {
    for budget in ["--mu 1", "--rho 1"] {
        assert_eq!(run(&format!("convert {budget} --delta 1e-6")).status.code(), Some(2), "{budget}");
    }
    for mu in ["1.8e308", "1.7e308", "1e200"] {
        let output = run(&format!("convert --mu {mu}"));
        let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!words.contains("inf\n"), "{words}");
    }
    assert_eq!(run("convert --mu 1.8e308").status.code(), Some(1));
}

/// There is at most one thread for each processor, however many are requested. If none can start, the main thread does
/// the work.
#[test]
#[cfg(target_os = "linux")]
fn the_number_of_threads_is_bounded_and_none_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.csv");
    std::fs::write(&file, "0.1,0.2\n".repeat(5000)).unwrap();
    let mean =
        ["mean", file.to_str().unwrap(), "--manifold", "euclidean:2", "--radius", "1", "--epsilon", "1", "--seed", "1"];
    let with = |threads: &str, script: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, "sh"]).arg(assert_cmd::cargo::cargo_bin("karcher")).args(mean);
        command.env("RAYON_NUM_THREADS", threads).output().unwrap()
    };
    let done = |threads: &str| {
        let output = with(threads, "exec \"$@\"");
        assert!(output.status.success(), "{threads}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let one = done("1");
    for threads in ["30000", "0", "-1", "many", "18446744073709551616"] {
        assert_eq!(done(threads), one, "{threads}");
    }
    // in the least memory that the program needs, to half a megabyte, there is no room for the stack of a thread
    let script = |limit: u32| format!("ulimit -v {limit}; ulimit -c 0; exec \"$@\"");
    let fits = |limit: &u32| with("2", &script(*limit)).status.success();
    let (mut short, mut enough) = (10_000, 400_000);
    assert!(fits(&enough) && !fits(&short));
    while enough - short > 500 {
        let middle = (short + enough) / 2;
        if fits(&middle) { enough = middle } else { short = middle }
    }
    // where the system places memory differs a little from run to run
    let outputs = (0..40).map(|i| with("2", &script(enough + 100 * i)));
    let first = outputs.into_iter().find(|output| output.status.success()).unwrap();
    assert_eq!(first.stdout, one, "{enough} kB");
}

#[test]
fn an_error_that_the_center_of_the_ball_keeps_is_no_goal() {
    let plan = "plan --manifold sphere:2 --radius 0.9 --epsilon 1";
    for error in ["0.9", "2", "60deg"] {
        let sentence = refusal(&format!("{plan} --error {error}"));
        assert!(sentence.contains("is too large"), "{sentence}");
    }
    assert!(text(&format!("{plan} --error 0.89")).contains("needed"));
    // a geodesic goes out of the ball by half of its length
    let regression = "plan --manifold euclidean:1 --radius 1 --slope-bound 1 --epsilon 1";
    assert!(refusal(&format!("{regression} --error 1.5")).contains("is too large"));
    assert!(text(&format!("{regression} --error 1.4")).contains("needed"));
}

#[test]
fn numbers_that_were_meant_as_degrees_and_no_numbers_are_told() {
    let told = refusal("plan --manifold sphere:2 --radius 25 --epsilon 1 --n 100");
    assert!(told.contains("write 25deg"), "{told}");
    assert!(!refusal("plan --manifold sphere:2 --radius 2 --epsilon 1 --n 100").contains("deg"));
    let output = run("plan --manifold sphere:2 --radius 1 --n 9 --epsilon abc");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("expected a number") && !told.contains("literal"), "{told}");
}

/// A radius for each factor, each in the factor's own unit, in the command, its specification and the release.
#[test]
fn each_factor_may_have_its_radius() {
    let winds = format!("{}/../../examples/winds.csv", env!("CARGO_MANIFEST_DIR"));
    let mean = format!(
        "mean {winds} --manifold torus:1*euclidean:1 --layout degrees*vectors --center 0,1.5 --epsilon 1 --radius 60deg,1.2"
    );
    let ball = &json(&mean)["ball"];
    let radii = [60_f64.to_radians(), 1.2];
    assert_eq!(ball["radii"], serde_json::json!(radii));
    assert!((ball["radius"].as_f64().unwrap() - radii[0].hypot(radii[1])).abs() < 1e-12);
    assert!(text(&format!("{mean} --details")).contains("radii 1.047, 1.2"));
    let spec: Value = serde_json::from_str(&text(&format!("{mean} --spec-only"))).unwrap();
    assert_eq!((&spec["ball"]["radii"], spec["ball"].get("radius")), (&serde_json::json!(radii), None));
    let plan = "plan --manifold rotations:3*euclidean:3 --n 1000 --mu 1";
    let (factors, whole) = (json(&format!("{plan} --radius 30deg,2")), json(&format!("{plan} --radius 2.06")));
    // one ball is too large for all but a flow that may not end
    let least = |report: &Value| {
        let all = report["mechanisms"].as_array().unwrap().iter();
        all.filter_map(|plan| plan["expected_distance"].as_f64()).fold(f64::INFINITY, f64::min)
    };
    assert!(least(&factors) < 0.5 * least(&whole) && whole["best"].is_null());
    for (radius, reason) in [
        ("30deg,2,1", "--radius has 3 numbers: give one, or 2, for each of rotations:3, euclidean:3"),
        ("2,30deg", "distances on euclidean:3 are not measured in"),
        ("30deg,-2", "radius is -2"),
    ] {
        assert!(refusal(&format!("{plan} --radius {radius}")).contains(reason), "{radius}");
    }
    // each factor has its own limit
    assert!(text(&format!("{plan} --radius 95deg,2")).contains("too large for rotations:3:"));
    assert!(refusal("plan --manifold sphere:2 --n 10 --mu 1 --radius 1,2").contains("sphere:2 is no product"));
    let spread = refusal(&format!("{plan} --radius 30deg,2 --spread"));
    assert!(spread.contains("one radius"), "{spread}");
}

/// The options of the fields in the example of a statistic, except its budget and its center, and a number of records.
fn needs(statistic: StatisticName) -> String {
    let example: Value = serde_json::from_str(statistic.description().example).unwrap();
    let told = |field: &Field| {
        let value = example.pointer(&format!("/{}", field.path.replace('.', "/")))?;
        let texts: Vec<String> = match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(all) => all.iter().map(|one| one.as_str().map_or(one.to_string(), str::to_owned)).collect(),
            other => vec![other.to_string()],
        };
        // a ball is searched in the radius of a plan
        let option = if field.path == "ball.within" { "radius" } else { field.option?.name };
        Some(format!("--{option} {}", texts.join(",")))
    };
    let known = |field: &&Field| {
        let apart =
            ["statistic", "ball", "ball.center", "clusters", "descent", "score", "predictor_range", "adjacency"];
        !apart.contains(&field.path) && !field.path.starts_with("budget")
    };
    let number = if mechanisms_for(statistic).any(|m| m.name() != MechanismName::PrivUnit) { "--n 1000" } else { "" };
    let all: Vec<String> = FIELDS.iter().filter(known).filter_map(told).collect();
    format!("{} {number}", all.join(" "))
}

#[test]
fn every_statistic_is_planned_by_both_of_its_names() {
    for statistic in StatisticName::ALL {
        let said = statistic.description();
        let plan = |name: &str, more: &str| format!("plan --statistic {name} {more}").replace("  ", " ");
        let given = format!("{} --mu 1", needs(statistic));
        let [one, other] = [said.name, said.option].map(|name| json(&plan(name, given.trim())));
        assert_eq!((&one["statistic"], &one), (&said.name.into(), &other));
        let errors: Vec<f64> =
            one["mechanisms"].as_array().unwrap().iter().filter_map(|m| m["expected_distance"].as_f64()).collect();
        assert!(!errors.is_empty() && errors.iter().all(|error| *error > 0.0), "{statistic}: {one}");
        let words = crate::one_line(&text(&plan(said.name, given.trim())));
        assert!(words.contains(said.error), "{statistic}: {words}");
        // of others it takes longer, or a plan has no number of records to find
        if matches!(statistic, StatisticName::KMeans | StatisticName::Minimizer | StatisticName::FrechetVariance) {
            let with = |wanted: &str| json(&plan(said.name, &needs(statistic).replace("--n 1000", wanted)));
            let fewest = with("--mu 0.5 --error 0.45")["n"].as_u64().unwrap();
            let error_of = |n: u64| {
                let found = with(&format!("--mu 0.5 --n {n}"));
                let all =
                    found["mechanisms"].as_array().unwrap().iter().filter_map(|m| m["expected_distance"].as_f64());
                all.fold(f64::INFINITY, f64::min)
            };
            assert!(error_of(fewest) <= 0.45 && error_of(fewest - 1) > 0.45, "{statistic}: {fewest}");
        }
    }
    // E|N| = 1/ε
    let count = json("plan --statistic count --epsilon 0.25");
    assert!((count["mechanisms"][0]["expected_distance"].as_f64().unwrap() - 4.0).abs() < 1e-6, "{count}");
    let found = json("plan --statistic count --error 2");
    assert!((found["budget"]["epsilon"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{found}");
}

#[test]
fn an_option_of_another_statistic_is_refused_with_the_statistics_that_take_it() {
    let clusters = "plan --statistic k-means --manifold sphere:2 --clusters 4 --n 1000 --mu 2";
    for (more, sentence) in [
        ("--bound sharp", "--bound does not go with a k-means; it belongs to a frechet-mean"),
        ("--assume-in-ball", "--assume-in-ball does not go with a k-means; it belongs to a frechet-mean"),
        ("--slope-bound 1", "--slope-bound does not go with a k-means; it belongs to a geodesic-regression"),
        ("--gradient-clip 1", "--gradient-clip does not go with a k-means; it belongs to a minimizer"),
        ("--expected-spread 1", "; it belongs to a frechet-mean, a geometric-median, a ball or an extrinsic-mean"),
    ] {
        let refused = refusal(&format!("{clusters} {more}"));
        assert!(refused.contains(sentence), "{refused}");
    }
    let mean = "plan --manifold sphere:2 --radius 0.5 --n 1000 --mu 2";
    assert!(
        refusal(&format!("{mean} --cost")).contains("--cost does not go with a frechet-mean; it belongs to a k-means")
    );
    assert!(
        refusal(&format!("{mean} --steps 3")).contains("--steps does not go with auto; it belongs to karcher-flow")
    );
    assert!(refusal("plan --statistic k-means --manifold sphere:2 --n 9 --mu 1").contains("--clusters is missing"));
    assert!(refusal("plan --statistic count --n 9 --mu 1").contains("--n does not go with a count"));
    assert!(refusal("plan --epsilon 1 --n 9").contains("--manifold is missing"));
    // a command that does not know it
    let unknown = run("kmeans x.csv --manifold sphere:2 --clusters 2 --mu 1 --bound sharp");
    let words = String::from_utf8(unknown.stderr).unwrap();
    assert!(unknown.status.code() == Some(2) && words.contains("--bound belongs to a frechet-mean"), "{words}");
}

/// A mechanism that is named is planned alone, with its options.
#[test]
fn a_named_mechanism_is_planned_alone() {
    let flow = "plan --manifold sphere:2 --radius 0.5 --n 1000 --mu 1 --mechanism karcher-flow";
    let three = json(&format!("{flow} --steps 3"));
    assert_eq!((&three["best"], three["mechanisms"].as_array().unwrap().len()), (&"karcher-flow".into(), 1));
    assert_eq!(three["mechanisms"][0]["steps"].as_array().unwrap().len(), 3);
    assert!(refusal(&flow.replace("--mu", "--epsilon")).contains("Karcher flow"));
}
