//! Proofs about the exact output bits, and denoising, as a user requests them. Such proofs need a release that is the
//! same for every record order, number of threads and file format.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

fn command(arguments: &str) -> Command {
    let mut command = Command::cargo_bin("karcher").unwrap();
    command.args(arguments.split_whitespace());
    command
}

fn printed(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn text(arguments: &str) -> String {
    String::from_utf8(printed(&mut command(arguments))).unwrap()
}

fn report(arguments: &str) -> Value {
    serde_json::from_slice(&printed(&mut command(&format!("{arguments} --json")))).unwrap()
}

fn refusal(arguments: &str) -> String {
    let output = command(arguments).output().unwrap();
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{arguments}: {sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
    sentence
}

/// Rows of numbers that are all over a ball, the same every time: of the golden ratio's multiples, the fractions.
fn rows(n: usize, d: usize) -> Vec<Vec<f64>> {
    let fraction = |i: usize| (i as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
    (0..n).map(|i| (0..d).map(|j| fraction(i * (j + 1) + 7 * j)).collect()).collect()
}

fn unit(row: &[f64]) -> Vec<f64> {
    let row: Vec<f64> = row.iter().enumerate().map(|(j, x)| if j == 0 { 1.0 } else { *x }).collect();
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter().map(|x| x / length).collect()
}

/// Every digit, so that reading gives the same numbers.
fn write_csv(file: &Path, rows: &[Vec<f64>]) {
    let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
    std::fs::write(file, rows.iter().map(line).collect::<String>()).unwrap();
}

fn write_npy(file: &Path, rows: &[Vec<f64>]) {
    let shape = format!("({}, {})", rows.len(), rows[0].len());
    let header = format!("{:<117}\n", format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"));
    let mut bytes = [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    bytes.extend(rows.iter().flatten().flat_map(|x| x.to_le_bytes()));
    std::fs::write(file, bytes).unwrap();
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn sphere_in(folder: &TempDir, n: usize) -> String {
    let file = folder.path().join("sphere.csv");
    write_csv(&file, &rows(n, 3).iter().map(|row| unit(row)).collect::<Vec<_>>());
    format!("mean {} --manifold sphere:2 --center 1,0,0 --radius 0.8", file.display())
}

fn wide_in(folder: &TempDir, n: usize) -> String {
    let file = folder.path().join("wide.csv");
    write_csv(&file, &rows(n, 60));
    format!("mean {} --manifold euclidean:60 --radius 1 --epsilon 1 --delta 1e-6", file.display())
}

#[test]
fn auto_takes_an_exact_mechanism_unless_any_is_accepted() {
    let folder = folder();
    let mean = format!("{} --epsilon 1", sphere_in(&folder, 100));
    let exact = report(&mean);
    assert_eq!(
        (&exact["mechanism"], &exact["numerics"], &exact["flags"]),
        (&"chart".into(), &"exact".into(), &json!([]))
    );
    assert_eq!(exact["sensitivity"]["bound"], "chart");
    assert!(exact["lattice"].as_f64().unwrap() < 1e-8 * exact["scale"].as_f64().unwrap());
    assert_eq!(report(&format!("{mean} --numerics exact"))["mechanism"], "chart");
    let any = report(&format!("{mean} --numerics any"));
    assert_eq!((&any["mechanism"], &any["numerics"]), (&"laplace".into(), &"idealized".into()));
    assert_eq!((&any["flags"], &any["noisy_value"]), (&json!(["idealized-numerics"]), &Value::Null));
    // a mechanism that is named needs no leave
    assert_eq!(report(&format!("{mean} --mechanism laplace"))["numerics"], "idealized");
    assert_eq!(report(&format!("{mean} --mechanism kng --numerics exact"))["numerics"], "idealized");
    for note in ["idealized-numerics", "rounding-allowance"] {
        assert!(!text(&mean).contains(note), "{note}");
    }
    assert!(text(&format!("{mean} --numerics any")).contains("idealized-numerics"));
    assert_eq!(command(&format!("{mean} --numerics some")).output().unwrap().status.code(), Some(2));
}

/// The flags of a release, but not the one that noise is larger than the ball: there are few records.
fn about_draws(release: &Value) -> Value {
    release["flags"].as_array().unwrap().iter().filter(|flag| **flag != "noise-exceeds-ball").cloned().collect()
}

#[test]
fn every_vector_of_noise_is_exact() {
    let folder = folder();
    let flat = wide_in(&folder, 40);
    for mechanism in ["laplace", "gaussian", "tangent-gaussian", "chart", "kng", "karcher-flow"] {
        let release = report(&format!("{flat} --mechanism {mechanism}"));
        assert_eq!((&release["numerics"], about_draws(&release)), (&"exact".into(), json!([])), "{mechanism}");
    }
    let curved = format!("{} --mu 1", sphere_in(&folder, 100));
    for mechanism in ["chart", "karcher-flow"] {
        let release = report(&format!("{curved} --mechanism {mechanism}"));
        assert_eq!((&release["numerics"], about_draws(&release)), (&"exact".into(), json!([])), "{mechanism}");
    }
    for mechanism in ["linear", "gradient-descent"] {
        let plan = "plan --manifold euclidean:2 --n 1e4 --radius 1 --epsilon 1 --slope-bound 1";
        let plans = report(plan)["mechanisms"].clone();
        let entry = plans.as_array().unwrap().iter().find(|entry| entry["mechanism"] == mechanism).unwrap().clone();
        assert_eq!(entry["numerics"], "exact", "{entry}");
    }
}

/// Where the error of logarithms is not proved, what is drawn is exact, and the sensitivity has an allowance.
#[test]
fn a_sensitivity_that_was_measured_is_told_of_exact_releases_too() {
    let folder = folder();
    let file = folder.path().join("matrices.csv");
    std::fs::write(&file, "2,0.1,1\n1,0,1\n1,-0.2,3\n").unwrap();
    let mean = format!("mean {} --manifold spd-affine-invariant:2 --layout upper-row --center origin", file.display());
    let release = report(&format!("{mean} --radius 2 --epsilon 1"));
    assert_eq!((&release["mechanism"], &release["numerics"]), (&"chart".into(), &"exact".into()));
    assert_eq!(about_draws(&release), json!(["rounding-allowance"]));
    let flow = report(&format!("{mean} --radius 2 --mu 1 --mechanism karcher-flow"));
    assert_eq!(about_draws(&flow), json!([])); // whatever its logarithms are, they are bounded in integers
}

#[test]
fn denoising_is_told_and_can_be_left_out() {
    let folder = folder();
    let mean = format!("{} --seed 1", wide_in(&folder, 4));
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let length = |value: &Value| numbers(value).iter().map(|x| x * x).sum::<f64>().sqrt();
    let (shrunk, plain) = (report(&mean), report(&format!("{mean} --denoise none")));
    let mut named = report(&format!("{mean} --denoise shrink"));
    assert_eq!(named["spec"]["denoise"], "shrink");
    named["spec"] = shrunk["spec"].clone();
    assert_eq!(shrunk, named);
    assert_eq!(shrunk["noisy_value"], plain["value"], "a release tells the value before denoising");
    assert!(plain.get("noisy_value").is_none());
    assert!(length(&plain["value"]) > 5.0 && length(&shrunk["value"]) <= 1.0 + 1e-12);
    for same in ["scale", "sensitivity", "lattice", "expected_distance", "guarantee"] {
        assert_eq!(shrunk[same], plain[same], "{same}");
    }
    assert!(text(&mean).contains("before denoising"));
    assert!(!text(&format!("{mean} --denoise none")).contains("before denoising"));
    // in the plane, with little noise, no value is shrunk, so the release has no note of it
    let file = folder.path().join("plane.csv");
    write_csv(&file, &rows(500, 2));
    let plane = format!("mean {} --manifold euclidean:2 --radius 1 --epsilon 1 --seed 1", file.display());
    assert_eq!(report(&plane)["noisy_value"], report(&plane)["value"]);
    assert!(!text(&plane).contains("before denoising"));
}

#[test]
fn a_curved_draw_is_not_denoised() {
    let folder = folder();
    let mean = format!("{} --epsilon 1", sphere_in(&folder, 100));
    let told = refusal(&format!("{mean} --mechanism laplace --denoise shrink"));
    assert_eq!(told, "error: --denoise does not go with laplace on sphere:2; it belongs to chart, karcher-flow\n");
    assert!(refusal(&format!("{mean} --mechanism kng --denoise shrink")).contains("--denoise"));
    assert_eq!(report(&format!("{mean} --mechanism laplace --denoise none"))["mechanism"], "laplace");
    assert_eq!(command(&format!("{mean} --denoise some")).output().unwrap().status.code(), Some(2));
}

#[test]
fn plans_tell_numerics_and_what_denoising_gains() {
    let plan = "plan --manifold kendall:50 --n 1000 --radius 0.3 --epsilon 1 --delta 1e-6";
    let of = |report: &Value, mechanism: &str| -> Value {
        report["mechanisms"].as_array().unwrap().iter().find(|entry| entry["mechanism"] == mechanism).unwrap().clone()
    };
    let exact = report(plan);
    assert_eq!(exact["best"], "chart");
    let chart = of(&exact, "chart");
    assert!(chart["numerics"] == "exact" && chart.get("by_name").is_none(), "{chart}");
    let gains = chart["denoised"].as_array().unwrap();
    assert_eq!(gains.len(), 3);
    for (gain, at) in gains.iter().zip([0.0, 0.15, 0.3]) {
        let number = |name: &str| gain[name].as_f64().unwrap();
        assert!((number("at") - at).abs() < 1e-9, "{gain}");
        assert!((number("noisy") / chart["expected_distance"].as_f64().unwrap() - 1.0).abs() < 0.01, "{gain}");
        assert!(number("denoised") < number("noisy"), "{gain}");
    }
    let laplace = of(&exact, "laplace");
    assert!(laplace["numerics"] == "idealized" && laplace.get("denoised").is_none(), "{laplace}");
    assert!(laplace["by_name"].as_str().unwrap().contains("floating point"), "{laplace}");
    assert_eq!(of(&exact, "kng")["numerics"], "mcmc");
    let any = report(&format!("{plan} --numerics any"));
    assert!(of(&any, "laplace").get("by_name").is_none());
    assert!(of(&any, "kng").get("by_name").is_some(), "a Markov chain has to be asked for by name always");
    let words = text("plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1");
    assert!(words.contains("--numerics any: its noise is drawn") && words.contains("denoising keeps "), "{words}");
    assert!(!text("plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --numerics any").contains("on request"));
}

/// Sums of integers do not depend on their order, nor on how they are cut into parts: byte by byte.
#[test]
fn a_release_is_the_same_for_every_order_of_the_records_number_of_threads_and_format() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let n = 5_000; // more than one part
    let plain = rows(n, 3);
    let directions: Vec<Vec<f64>> = plain.iter().map(|row| unit(row)).collect();
    let matrices: Vec<Vec<f64>> = plain.iter().map(|r| vec![1.5 + r[0], 0.3 * r[1], 0.3 * r[1], 1.2 + r[2]]).collect();
    for (rows, options) in [
        (&plain, "--manifold euclidean:3 --radius 0.6 --epsilon 1"),
        (&plain, "--manifold euclidean:3 --radius 0.6 --mu 1 --mechanism gaussian --denoise none"),
        (&plain, "--manifold torus:3 --center origin --radius 1 --epsilon 1"),
        (&directions, "--manifold sphere:2 --center 1,0,0 --radius 0.5 --epsilon 1"),
        (&directions, "--manifold sphere:2 --center 1,0,0 --radius 0.5 --epsilon 1 --mechanism laplace"),
        (&directions, "--manifold sphere:2 --center 1,0,0 --radius 0.5 --mu 1 --mechanism karcher-flow --steps 3"),
        (&matrices, "--manifold spd-affine-invariant:2 --center 1*identity --radius 1 --epsilon 1"),
        (&matrices, "--manifold spd-log-euclidean:2 --center 1*identity --radius 1 --epsilon 1"),
    ] {
        // 1,999 is prime to 5,000, so this is a permutation
        let permuted: Vec<Vec<f64>> = (0..n).map(|i| rows[i * 1_999 % n].clone()).collect();
        write_csv(&path("rows.csv"), rows);
        write_csv(&path("permuted.csv"), &permuted);
        write_npy(&path("rows.npy"), rows);
        let release = |file: &str, threads: &str| {
            let mut mean = command(&format!("mean {} {options} --seed 1 --json", path(file).display()));
            printed(mean.env("RAYON_NUM_THREADS", threads))
        };
        let first = release("rows.csv", "1");
        for (file, threads) in [("rows.csv", "2"), ("permuted.csv", "1"), ("permuted.csv", "2"), ("rows.npy", "2")] {
            assert_eq!(release(file, threads), first, "{options}: {file}, {threads} threads");
        }
    }
}

#[test]
fn a_regression_is_the_same_for_every_order_of_the_records_and_number_of_threads() {
    let folder = folder();
    let n = 5_000;
    let rows: Vec<Vec<f64>> = rows(n, 3).iter().map(|r| vec![10.0 * (r[0] + 0.5), r[1], r[2]]).collect();
    let permuted: Vec<Vec<f64>> = (0..n).map(|i| rows[i * 1_999 % n].clone()).collect();
    for (name, rows) in [("rows.csv", &rows), ("permuted.csv", &permuted)] {
        let file = folder.path().join(name);
        write_csv(&file, rows);
        let lines = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("t,x,y\n{lines}")).unwrap();
    }
    for mechanism in ["linear", "gradient-descent"] {
        let release = |name: &str, threads: &str| {
            let mut regress = command(&format!(
                "regress {} --manifold euclidean:2 --columns x,y --predictor t --predictor-range 0 10 --radius 0.8 \
                 --slope-bound 1 --epsilon 1 --mechanism {mechanism} --seed 1 --json",
                folder.path().join(name).display()
            ));
            printed(regress.env("RAYON_NUM_THREADS", threads))
        };
        let first = release("rows.csv", "1");
        assert_eq!(serde_json::from_slice::<Value>(&first).unwrap()["numerics"], "exact");
        for (name, threads) in [("rows.csv", "2"), ("permuted.csv", "1"), ("permuted.csv", "2")] {
            assert_eq!(release(name, threads), first, "{mechanism}: {name}, {threads} threads");
        }
    }
}
