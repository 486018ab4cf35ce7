//! Numbers in sentences and tables of the README and the guide: each is the result of a command or a formula, and the
//! page has the words with it.

use super::{arguments, root, workplace};
use assert_cmd::prelude::*;
use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::release::MechanismName;
use karcher::{Ball, Space};
use karcher_io::shrink_trace_ball;
use serde_json::Value;
use std::process::Command;
use std::sync::Arc;

/// Radius of the Earth in km.
const EARTH: f64 = 6371.0;

/// That a page has these words, wherever its lines break.
fn says(page: &str, words: &str) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(words), "{page} does not say `{words}`");
}

/// What a command prints as JSON.
fn json(command: &str) -> Value {
    let (folder, mut karcher) = (workplace(), Command::cargo_bin("karcher").unwrap());
    let output = karcher.args(arguments(command)).arg("--json").current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A number that a command prints.
fn number(command: &str, pointer: &str) -> f64 {
    let said = json(command);
    said.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{command}: no {pointer} in {said}"))
}

/// What `karcher plan` says of a mechanism.
fn planned(plan: &str, mechanism: &str, field: &str) -> f64 {
    let said = json(&format!("plan {plan}"));
    let all = said["mechanisms"].as_array().unwrap();
    let one = all.iter().find(|one| one["mechanism"] == mechanism).unwrap();
    one[field].as_f64().unwrap_or_else(|| panic!("{plan}: no {field} of {mechanism}: {one}"))
}

/// `x` with two significant digits, three from 100 on.
fn short(x: f64) -> String {
    if x < 9.95 { format!("{x:.1}") } else { format!("{x:.0}") }
}

#[test]
fn errors_on_the_earth_are_those_of_plans() {
    let error = |radius: f64, n: u32| {
        let plan = format!("--manifold sphere:2 --radius {radius} --n {n} --epsilon 1");
        EARTH * planned(&plan, "chart", "expected_distance")
    };
    for (radius, about) in [(0.5, "3,200"), (0.9, "5,700"), (1.3, "8,300")] {
        let cells = [100, 1_000, 10_000].map(|n| short(error(radius, n)));
        says("docs/understand/clipping.md", &format!("| {radius} rad ({about} km) | {} |", cells.join(" | ")));
        let km: f64 = about.replace(',', "").parse().unwrap();
        assert!((EARTH * radius - km).abs() <= 50.0, "{radius}");
    }
    says("README.md", &format!("0.0504 on the Earth is {:.0} km", error(0.9, 100)));
    assert!((error(0.9, 100) / error(0.9, 10_000) / 100.0 - 1.0).abs() < 1e-3); // it falls as 1/n
    let fleet = number("sensitivity --manifold sphere:2 --radius 2500km --n 400", "/sensitivity/value");
    says("docs/start/first-release.md", &format!("{fleet:.5} rad = {:.0} km", EARTH * fleet));
}

/// With a budget without end a private mean is the mean.
#[test]
fn the_mean_without_privacy_is_where_the_page_says() {
    let mean = |rest: &str| {
        let options = "--columns latitude,longitude --layout latlon --manifold sphere:2 --epsilon 1e9";
        let said = json(&format!("mean {rest} {options}"));
        let x: Vec<f64> = said["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        (x[2].asin().to_degrees(), x[1].atan2(x[0]).to_degrees())
    };
    let (north, east) = mean("examples/vessels.csv --center 50,-40 --radius 2500km");
    says("docs/start/first-release.md", &format!("{north:.2}° N, {:.2}° W", -east));
}

#[test]
fn plans_say_what_an_error_takes() {
    let epsilon =
        number("plan --manifold kendall:50 --n 1000 --radius 0.3 --delta 1e-6 --error 0.02", "/budget/epsilon");
    says("docs/reference/command-line.md", &format!("--error 0.02` it is {epsilon:.3}."));
    let tensors =
        planned("--manifold spd-log-euclidean:3 --radius 2 --n 200 --epsilon 1", "laplace", "expected_distance");
    says("docs/how-to/diffusion-tensors.md", &format!("an error of {tensors:.2} in the logarithm"));
    let subjects =
        json("mean examples/cities.csv --columns latitude --manifold euclidean:1 --center 40 --radius 40 --epsilon 1");
    assert_eq!(subjects["region"]["probability"], 0.95); // what papers are told to print
    let paper = "--manifold spd-log-euclidean:3 --radius 2 --n 412 --epsilon 1";
    let [error, region] = ["expected_distance", "quantile_95"].map(|field| planned(paper, "laplace", field));
    let region = (1000.0 * region).ceil() / 1000.0; // rounded up, like all that is promised
    says("docs/how-to/publish-in-a-paper.md", &format!("{error:.2} expected; 95 % within {region:.3} of the mean"));
}

#[test]
fn the_paper_of_the_tutorial_states_the_region_of_its_release() {
    let options =
        "--columns elevation,azimuth --layout elevation-azimuth --manifold sphere:2 --center 0,0 --radius 45deg";
    let said = json(&format!("mean examples/gaze.csv {options} --epsilon 1 --spread"));
    let region = said["region"]["radius"].as_f64().unwrap().to_degrees();
    let region = (100.0 * region).ceil() / 100.0; // rounded up
    says("docs/tutorials/directions.md", &format!("the noisy mean is within {region:.2}° of the mean of"));
    says("docs/tutorials/directions.md", "a quarter of the budget");
    assert_eq!(said["spread"]["mean_guarantee"]["epsilon"], 0.75);
}

/// `x` in per cent, rounded up to a tenth.
fn up(x: f64) -> String {
    format!("{:.1}", (1000.0 * x - 1e-9).ceil() / 10.0)
}

/// The chance of a right guess at even odds, at most.
fn guess(guarantee: Guarantee) -> f64 {
    0.5 + 0.5 * guarantee.delta(0.0).unwrap()
}

#[test]
fn attackers_guess_as_well_as_the_pages_say() {
    let pure = |epsilon: f64| up(guess(Guarantee::pure(epsilon).unwrap()));
    let gaussian = |mu: f64| up(guess(Guarantee::gaussian(mu).unwrap()));
    // e^ε/(1 + e^ε), and Φ(μ/2) from a table
    assert_eq!([0.1, 1.0, 3.0].map(pure), [0.1f64, 1.0, 3.0].map(|e| up(e.exp() / (1.0 + e.exp()))));
    assert_eq!([0.1, 1.0, 3.0].map(gaussian), ["52.0", "69.2", "93.4"]);

    let page = "docs/how-to/choose-epsilon.md";
    says(page, &format!("Of 100 guesses at even odds at most {} are right", pure(0.1)));
    says(page, &format!("At most {} of 100 guesses are right ({:.3};", pure(1.0), 100.0 / (1.0 + (-1f64).exp())));
    says(page, &format!("at most {} of 100 are right. A false alarm rate of 1 % goes with", pure(3.0)));
    let hits = (0.01 * 3f64.exp()).min(1.0 - (-3f64).exp() * 0.99);
    says(page, &format!("goes with {} % hits", up(hits)));
    says(page, &format!("{}, {} and {} are right for 0.1, 1 and 3", gaussian(0.1), gaussian(1.0), gaussian(3.0)));
    says(page, &format!("μ about 1 in all: at most {} of 100 guesses are right", gaussian(1.0)));
    let converted = Guarantee::gaussian(1.0).unwrap().epsilon(1e-6).unwrap();
    says(page, &format!("becomes ε = {converted:.2} at δ = 10⁻⁶, but allows {}", gaussian(1.0)));
    says(page, &format!("where pure ε = {converted:.2} allows {}", pure(converted)));
    let page = "docs/tutorials/sign-off.md";
    says(page, &format!("at most {} % are right (rounded up", pure(1.0)));
    says(page, &format!("For μ = 1 at most {} % are right", gaussian(1.0)));
    says(page, &format!("at δ = 10⁻⁶, {converted:.2}, is not"));
    says(page, &format!("a factor of e ≈ {:.2}", 1f64.exp()));
    says("docs/tutorials/budget-for-a-study.md", &format!("is right in at most {} of 100 cases", gaussian(1.0)));
    let both = 0.7 * 2f64.sqrt();
    for (page, words) in [
        ("docs/how-to/publish-in-a-paper.md", format!("reads that at most {} % of guesses", gaussian(0.7))),
        ("docs/how-to/publish-in-a-paper.md", format!("{} % is true", gaussian(both))),
        ("docs/how-to/publish-in-a-paper.md", format!("{both:.2}-GDP: at most {} %", gaussian(both))),
        ("docs/tutorials/eeg.md", format!("For μ = 1 at most {} of 100 guesses", gaussian(1.0))),
        ("docs/tutorials/eeg.md", format!("two classes of 0.7 compose to μ = {both:.2}")),
    ] {
        says(page, &words);
    }
}

/// Beliefs in tables are rounded away from what was believed before.
#[test]
fn beliefs_after_a_release_are_those_of_bayes() {
    let page = "docs/how-to/choose-epsilon.md";
    let rows = [
        (0.01, ["0.9 to 1.2", "0.3 to 2.7", "0.05 to 17"]),
        (0.1, ["9 to 11", "3 to 24", "0.5 to 70"]),
        (0.5, ["47 to 53", "26 to 74", "4 to 96"]),
    ];
    for (before, cells) in rows {
        let row = cells.map(|cell| format!("{cell} %")).join(" | ");
        says(page, &format!("| {:.0} % | {row} |", 100.0 * before));
        for (epsilon, cell) in [0.1, 1.0, 3.0].into_iter().zip(cells) {
            let after = |epsilon: f64| 100.0 * before * epsilon.exp() / (1.0 - before + before * epsilon.exp());
            let (low, high) = cell.split_once(" to ").unwrap();
            // one in the last digit that is printed
            let unit = |text: &str| 10f64.powi(-(text.split_once('.').map_or(0, |(_, digits)| digits.len()) as i32));
            let (least, most): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
            assert!((0.0..unit(low)).contains(&(after(-epsilon) - least)), "{before}, {epsilon}: {cell}");
            assert!((0.0..unit(high)).contains(&(most - after(epsilon))), "{before}, {epsilon}: {cell}");
        }
    }
    says("docs/tutorials/sign-off.md", "a belief of 10 % becomes 3 to 24 %");
}

#[test]
fn descriptors_have_the_balls_of_the_page() {
    let page = "docs/how-to/describe.md";
    for (name, channels, k) in [("grey", 1.0, 9), ("RGB", 3.0, 11)] {
        let root = f64::from(k).sqrt();
        let largest = |eta: f64| (6.0 + channels) / 4.0 + 0.5 + std::f64::consts::PI.powi(2) / 16.0 + eta;
        let radius = |eta: f64| 0.5 * root * (largest(eta) / eta).ln();
        let around_identity = root * 1e-6f64.ln().abs().max((11.0 + channels + 1e-6).ln());
        let share = radius(1e-6) / around_identity;
        says(page, &format!("| {name} | {around_identity:.4} | {:.4} | × {share:.2} |", radius(1e-6)));
        let affine = format!("spd-affine-invariant:{k}").parse::<Space>().unwrap().manifold().unwrap();
        let ball = Ball::at_origin(&*affine, 1.0).unwrap();
        let limit = PrivateFrechetMean::new(Arc::clone(&affine), ball).unwrap().largest_radius();
        says(page, &format!("{:.2} ({name})", (100.0 * limit).floor() / 100.0));
        let (enough, less) = if k == 9 { (3.3e-5, 3.2e-5) } else { (1.3e-4, 1.2e-4) };
        assert!(radius(enough) < limit && radius(less) > limit, "{name}");
        if k == 9 {
            says(page, &format!("at 10⁻³ its radius for grey images is {:.2}", radius(1e-3)));
        }
    }
    says(page, "η from 3.3·10⁻⁵ or 1.3·10⁻⁴ on");
}

#[test]
fn plans_of_an_eeg_are_those_of_the_page() {
    let page = "docs/how-to/eeg.md";
    let ball = |k: usize, alpha: f64| shrink_trace_ball(k, alpha).unwrap().1;
    let noise = |k: usize, n: usize, alpha: f64| {
        let plan = format!("--manifold spd-log-euclidean:{k} --radius {} --n {n} --mu 0.7", ball(k, alpha));
        planned(&plan, "gaussian", "expected_distance")
    };
    // two classes: one of the first two channels has a quarter of the power of all others
    let shrunk = |k: usize, quiet: usize, alpha: f64| -> Vec<f64> {
        let power = |i: usize| if i == quiet { 0.25f64 } else { 1.0 };
        let trace = (0..k).map(power).sum::<f64>() / k as f64;
        let correlation = |i: usize, j: usize| if i == j { 1.0 } else { 0.3 };
        let entry = |i: usize, j: usize| correlation(i, j) * (power(i) * power(j)).sqrt() / trace;
        let mixed = |i: usize, j: usize| (1.0 - alpha) * entry(i, j) + if i == j { alpha } else { 0.0 };
        (0..k * k).map(|at| mixed(at / k, at % k)).collect()
    };
    let apart = |k: usize, alpha: f64| {
        let space = format!("spd-log-euclidean:{k}").parse::<Space>().unwrap().manifold().unwrap();
        space.dist(&shrunk(k, 0, alpha), &shrunk(k, 1, alpha))
    };
    says(page, "Take 0.3, up to 0.5 for two channels.");
    let worth = |k: usize, alpha: f64| apart(k, alpha) / noise(k, 12, alpha);
    assert!(worth(2, 0.5) > worth(2, 0.3));
    for k in [3, 4, 8] {
        let most = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7].map(|alpha| worth(k, alpha)).into_iter().fold(0.0, f64::max);
        assert!(worth(k, 0.3) > 0.95 * most, "{k}");
    }
    says(page, "an error of 0.47 is a factor of about e^0.47 ≈ 1.6");
    assert_eq!(format!("{:.2}", noise(2, 12, 0.3)), "0.47");
    assert_eq!(format!("{:.1}", 0.47f64.exp()), "1.6");
    let both = 2f64.sqrt() * noise(2, 12, 0.3);
    says(page, &format!("times the error: {both:.2} with twelve subjects and two channels"));
    let recentered = |n: usize| {
        let plan = format!("--manifold spd-log-euclidean:4 --radius 0.8 --n {n} --mu 0.7");
        planned(&plan, "gaussian", "expected_distance")
    };
    let tutorial = "docs/tutorials/eeg.md";
    says(tutorial, &format!("the error of each mean is {:.2}", recentered(60)));
    says(tutorial, &format!("**With 12 subjects it would be {:.2}**", recentered(12)));
    let (radius, error) = (ball(4, 0.3), noise(4, 60, 0.3));
    says(tutorial, &format!("the ball has radius {radius:.2}, and the error is {error:.2}"));
    let plan = format!("--manifold spd-log-euclidean:2 --radius {} --n 12 --mu 0.7", ball(2, 0.3));
    says(page, &format!("# {:.2}, with 95 %", planned(&plan, "gaussian", "quantile_95")));
}

/// A rhythm between 10 and 50 µV from peak to peak, in two channels with a correlation of at most 0.8.
#[test]
fn the_ball_of_powers_holds_the_corners() {
    let (page, [low, high], rho) = ("docs/how-to/eeg.md", [12.0f64, 310.0], 0.8f64);
    says(page, "10 to 50 µV are 12 to 310 µV² a channel");
    assert_eq!([10f64, 50.0].map(|a| a * a / 8.0), [12.5, 312.5]);
    let space = "spd-log-euclidean:2".parse::<Space>().unwrap().manifold().unwrap();
    let max_step = |center: f64| {
        let corners = [low, high].map(|a| [low, high].map(|b| [-rho, 0.0, rho].map(|r| (a, b, r * (a * b).sqrt()))));
        let matrices = corners.into_iter().flatten().flatten().map(|(a, b, c)| vec![a, c, c, b]);
        matrices.map(|matrix| space.dist(&[center, 0.0, 0.0, center], &matrix)).fold(0.0, f64::max)
    };
    let center = (low * high * (1.0 - rho * rho)).sqrt();
    says(page, &format!("# {center:.1} and {:.2}", max_step(center)));
    says(page, &format!("5 in place of 3.1 has {:.1} times the noise", 5.0 / 3.1));
}

/// The mechanisms that the guide lists for each space and budget.
#[test]
fn mechanisms_are_where_the_guide_says() {
    let flat = [
        "euclidean:3",
        "spd-log-euclidean:3",
        "spd-log-cholesky:2",
        "correlation-off-log:3",
        "simplex-aitchison:3",
        "hpd-log-euclidean:2",
        "size-and-shape:3,3",
    ];
    let circles = ["sphere:1", "torus:1", "projective:1", "grassmann:2,1", "simplex-fisher-rao:2"];
    let curved = ["sphere:2", "sphere:5", "hyperbolic:2", "kendall:3", "landmarks:3,3", "simplex-fisher-rao:3"];
    let others = [
        "spd-affine-invariant:3",
        "hpd-affine-invariant:2",
        "kendall:10",
        "projective:2",
        "rotations:3",
        "grassmann:4,1",
    ];
    let varied = ["torus:2", "grassmann:5,2", "sphere:2*euclidean:1", "poses:3,2", "rotations:3^2"];
    let budgets = [
        Guarantee::pure(1.0),
        Guarantee::approximate(1.0, 1e-6),
        Guarantee::gaussian(1.0),
        Guarantee::concentrated(0.5),
    ];
    for space in [&flat[..], &circles, &curved, &others, &varied].concat() {
        let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
        for (i, budget) in budgets.clone().into_iter().map(Result::unwrap).enumerate() {
            let ball = Ball::at_origin(&*manifold, 0.3).unwrap();
            let mean = PrivateFrechetMean::new(Arc::clone(&manifold), ball).unwrap();
            let applies = |name| Request::new(mean.clone(), 1_000, budget).plan_by(name).is_ok();
            let is_pure = i == 0;
            assert!(applies(MechanismName::Chart), "chart, {space}, {budget}");
            assert_eq!(applies(MechanismName::KarcherFlow), !is_pure, "karcher-flow, {space}, {budget}");
            assert!(!is_pure || applies(MechanismName::Kng), "kng, {space}");
            assert_eq!(applies(MechanismName::Laplace), !varied.contains(&space), "laplace, {space}, {budget}");
            if !is_pure {
                let has_gaussian = [&flat[..], &circles, &curved].concat().contains(&space);
                assert_eq!(applies(MechanismName::Gaussian), has_gaussian, "gaussian, {space}, {budget}");
            }
        }
    }
    for space in ["sphere:2", "kendall:4"] {
        let plan = format!("--manifold {space} --radius 0.3 --n 1000 --epsilon 1");
        let [kng, laplace] = ["kng", "laplace"].map(|name| planned(&plan, name, "expected_distance"));
        assert!(kng > laplace, "{space}");
    }
}

#[test]
fn a_release_does_not_need_records_but_their_number_where_that_is_public() {
    let folder = workplace();
    std::fs::write(folder.path().join("empty.csv"), "x,y\n").unwrap();
    let run = |options: &str| {
        let mean = format!("mean empty.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 1 {options}");
        Command::cargo_bin("karcher").unwrap().args(arguments(&mean)).current_dir(&folder).output().unwrap()
    };
    says("docs/understand/groups.md", "A file without records is no error.");
    assert!(String::from_utf8(run("").stderr).unwrap().contains("has no records"));
    assert!(run("--adjacency add-remove --n-guess 10").status.success());
}

#[test]
fn who_has_one_record_has_the_same_value_as_a_person() {
    let folder = workplace();
    let row =
        |i: u32| format!("P{i},{},{}\n", f64::from(i * 37 % 100) / 7.0 - 7.0, f64::from(i * 61 % 100) / 9.0 - 5.0);
    std::fs::write(folder.path().join("people.csv"), "id,x,y\n".to_owned() + &(0..100).map(row).collect::<String>())
        .unwrap();
    let mean = |space: &str, person: &str| -> Value {
        let mean = format!("mean people.csv --columns x,y --manifold {space} --epsilon 1 --seed 1 --json {person}");
        let mut karcher = Command::cargo_bin("karcher").unwrap();
        serde_json::from_slice(&karcher.args(arguments(&mean)).current_dir(&folder).output().unwrap().stdout).unwrap()
    };
    for space in ["euclidean:2 --radius 3", "sphere:2 --layout latlon --trust-layout --center 0,0 --radius 4deg"] {
        let (record, person) = (mean(space, ""), mean(space, "--person id"));
        assert_eq!((&record["value"], &record["noisy_value"]), (&person["value"], &person["noisy_value"]), "{space}");
        assert_eq!([&record["unit"], &person["unit"]], ["record", "person"]);
    }
    says("docs/understand/persons.md", "with `--person` the value is equal bit for bit, and `unit` is `person`");
}

#[test]
fn a_regression_is_off_by_as_much_as_its_page_says() {
    let distance = |n: u32| {
        let plan =
            format!("--manifold sphere:2 --n {n} --radius 0.5 --slope-bound 0.6 --residual-bound 0.2 --epsilon 1");
        planned(&plan, "gradient-descent", "expected_distance")
    };
    let [few, some, many] = [100, 1_000, 10_000].map(distance);
    says("docs/understand/regression.md", &format!("| expected distance (rad) | {few:.3} | {some:.5} | {many:.6} |"));
}

#[test]
fn explanations_have_the_numbers_of_the_library() {
    let page = "docs/understand/guarantee.md";
    let (pure, gaussian) = ([0.1, 1.0, 3.0].map(Guarantee::pure), [0.1, 1.0, 3.0].map(Guarantee::gaussian));
    for (name, budgets) in [("pure ε", pure), ("μ", gaussian)] {
        let cells = budgets.map(|budget| format!("{} %", up(guess(budget.unwrap()))));
        says(page, &format!("| {name} | {} |", cells.join(" | ")));
        says("docs/pictures/cheat_sheet.py", &format!("(\"{name}\", \"{}\")", cells.join("\", \"")));
    }
    let converted = Guarantee::gaussian(1.0).unwrap().epsilon(1e-6).unwrap();
    says(page, "although its ε at δ = 10⁻⁶ is almost 5.");
    assert!((4.8..5.0).contains(&converted), "{converted}");

    let (page, proofs) = ("docs/understand/unknown-ball.md", "docs/proofs/ball.md");
    let wide = "--manifold sphere:2 --radius 60deg --n 2000 --mu 1 --expected-spread 5deg";
    let [two, one] = ["two-stage", "chart"].map(|name| planned(wide, name, "expected_distance").to_degrees());
    says(page, &format!("two stages have an expected error of {two:.3}°, one stage {one:.2}°"));
    // tables of long runs: those of the chapter of proofs
    let tables = std::fs::read_to_string(root().join(proofs)).unwrap();
    for (dimension, n, pure, gaussian) in [
        (2, "1,000", "1.57", "1.12"),
        (2, "4,000", "1.06", "0.97"),
        (10, "4,000", "2.05", "1.43"),
        (10, "100,000", "1.74", "1.07"),
        (100, "10,000", "9.15", "1.44"),
    ] {
        says(page, &format!("| {dimension} | {n} | {pure} | {gaussian} |"));
        for (budget, ratio) in [(r"$`\varepsilon = 1`$", pure), (r"$`\mu = 1`$", gaussian)] {
            let start = format!("| {dimension} | {} | 10 | {budget} |", n.replace(',', ""));
            let row = tables.lines().find(|line| line.starts_with(&start)).unwrap();
            assert_eq!(row.split(" | ").nth(6), Some(ratio), "{row}");
        }
    }
    says(proofs, "| 20 % | 0.414 | 0.917 | 28.927 |");
    says(page, "a fifth of wild records moved it by 0.41 standard deviations, and a mean in the outer ball by 28.9");
    says("docs/evidence/attacks/low-bits.md", "right in 99.1% of 2000 trials ε = 0.01 allows 50.2%");
    says("docs/understand/exact.md", "in 99 of 100 releases, although ε is 0.01");
}
