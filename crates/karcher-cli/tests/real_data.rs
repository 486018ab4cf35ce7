//! Private means of real data, each compared with the non-private one. The data are not part of the project. Their
//! folder is `KARCHER_DATA`, by default `../shared/data` next to the repository. Without it the test is reported as
//! skipped.
//!
//! `cargo test --release -p karcher-cli --test all real_data:: -- --nocapture` prints the table.
//!
//! The balls stand for the prior knowledge of a user in the field. Where a template shape is needed, the first record
//! plays the public template and is left out.

#[path = "../../karcher-io/tests/common/public_data.rs"]
mod public_data;

use karcher::mechanism::{Plan, PrivateFrechetMean, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::MechanismName;
use karcher::{Ball, Manifold, Points, ReleaseContext, Space};
use karcher_io::{ConvertOptions, Factor, ReadOptions, layout, point_from_values, read, to_points};
use std::time::Instant;

struct Run {
    file: &'static str,
    columns: &'static str,
    space: &'static str,
    layout: &'static str,
    multiply_by: f64,
    center: Center,
    radius: f64,
}

enum Center {
    Origin,
    Values(&'static [f64]),
    FirstRecord,
}

const DIAGONAL_TENSOR: &[f64] = &[0.7, 0.7, 0.7, 0.0, 0.0, 0.0];

const RUNS: [Run; 9] = [
    run("sphere/us_cities.csv", "latitude,longitude", "sphere:2", "latlon", 1.0, Center::Values(&[39.8, -98.6]), 0.45),
    run("sphere/cities.csv", "lat,lng", "sphere:2", "latlon", 1.0, Center::Values(&[25.0, 60.0]), 1.0),
    run("sphere/paleomagnetic_poles.csv", "PLAT,PLONG", "sphere:2", "latlon", 1.0, Center::Values(&[90.0, 0.0]), 1.0),
    run(
        "spd/dti64_spd_tensors.csv",
        "1-6",
        "spd-log-euclidean:3",
        "diagonal-first",
        1e3,
        Center::Values(DIAGONAL_TENSOR),
        1.5,
    ),
    run(
        "spd/dti64_spd_tensors.csv",
        "1-6",
        "spd-affine-invariant:3",
        "diagonal-first",
        1e3,
        Center::Values(DIAGONAL_TENSOR),
        1.5,
    ),
    run("spd/erp_upper.csv", "2-529", "spd-log-euclidean:32", "upper-column", 8.5e26, Center::Origin, 9.0),
    run("spd/train_FNC.csv", "2-379", "spd-log-euclidean:28", "correlation-upper-row", 1.0, Center::Origin, 12.0),
    run("shapes/corpus_callosum_50pts.csv", "4-103", "kendall:50", "blocked", 1.0, Center::FirstRecord, 0.2),
    run("shapes/digit3.csv", "1-26", "kendall:13", "blocked", 1.0, Center::FirstRecord, 0.4),
];

const fn run(
    file: &'static str,
    columns: &'static str,
    space: &'static str,
    layout: &'static str,
    multiply_by: f64,
    center: Center,
    radius: f64,
) -> Run {
    Run { file, columns, space, layout, multiply_by, center, radius }
}

#[test]
fn private_means_of_real_data_lie_where_they_are_expected() {
    let Some(folder) = public_data::folder() else { return };
    println!("| data | space | n | radius | mechanism | expected | observed | mean of the clipped to mean | time |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (seed, run) in RUNS.iter().enumerate() {
        let space: Space = run.space.parse().unwrap();
        let manifold = space.manifold().unwrap();
        let (points, ball) = load(&folder, run, &*manifold, space);
        let private = PrivateFrechetMean::new(manifold.clone(), ball.clone()).unwrap();
        let plan = |budget, name| Request::new(private.clone(), points.len(), budget).plan_by(name).unwrap();
        let mut plans = vec![plan(Guarantee::pure(1.0).unwrap(), MechanismName::Laplace)];
        if manifold.flat_chart().is_some() {
            plans.push(plan(Guarantee::approximate(1.0, 1e-6).unwrap(), MechanismName::Gaussian));
        }
        let all = FrechetMean::new(&*manifold).start(ball.center()).fit(points.view()).unwrap();
        let clipped = ball.clip_all(&*manifold, &points).unwrap();
        let mean = FrechetMean::new(&*manifold).start(ball.center()).fit(clipped.view()).unwrap();
        for plan in plans {
            report(run, &*manifold, &points, &*plan, &mean, manifold.dist(&all, &mean), 100 + seed as u64);
        }
    }
}

fn report(
    run: &Run,
    manifold: &dyn Manifold,
    points: &Points,
    plan: &dyn Plan,
    mean: &[f64],
    clipping: f64,
    seed: u64,
) {
    let start = Instant::now();
    let release = plan.run(points, &mut ReleaseContext::seeded(seed)).unwrap();
    let time = start.elapsed().as_secs_f64() * 1e3;
    manifold.check_point(release.value()).unwrap();
    let (expected, observed) = (plan.expected_distance(), manifold.dist(release.value(), mean));
    println!(
        "| {} | {} | {} | {} | {} | {expected:.4} | {observed:.4} | {clipping:.4} | {time:.1} ms |",
        run.file,
        run.space,
        points.len(),
        run.radius,
        plan.name(),
    );
    // even in two dimensions, where the distance scatters most, 10 times the mean has probability 4e-8
    assert!(observed < 10.0 * expected, "{} on {}: {observed}", run.file, run.space);
    // d ≥ 6 concentrates: a distance below a tenth of its mean has probability below 1e-5
    assert!(manifold.dim() < 6 || observed > 0.1 * expected, "{} on {}: {observed}", run.file, run.space);
}

fn load(folder: &std::path::Path, run: &Run, manifold: &dyn Manifold, space: Space) -> (Points, Ball) {
    let options = ReadOptions { columns: Some(run.columns.to_owned()), ..ReadOptions::default() };
    let mut table = read(folder.join(run.file).to_str().unwrap(), &options).unwrap();
    let layout = &layout(manifold, Some(run.layout)).unwrap();
    let columns = table.columns;
    // the pole compilation writes 0, 0 where it has no pole
    if run.file.contains("poles") {
        table.values = table.values.chunks(2).filter(|p| p.iter().any(|x| *x != 0.0)).flatten().copied().collect();
        table.rows = table.values.len() / 2;
    }
    let center = match run.center {
        Center::Origin => {
            let mut origin = vec![0.0; manifold.point_len()];
            manifold.origin(&mut origin);
            origin
        }
        Center::Values(values) => point_from_values(manifold, layout, values).unwrap(),
        Center::FirstRecord => {
            let first: Vec<f64> = table.values.drain(..columns).collect();
            table.rows -= 1;
            point_from_values(manifold, layout, &first).unwrap()
        }
    };
    assert_eq!(&space, manifold.space());
    let convert =
        ConvertOptions { multiply_by: vec![Factor::of_all(run.multiply_by).unwrap()], ..ConvertOptions::default() };
    let points = to_points(table, manifold, layout, &convert).unwrap();
    (points, Ball::new(manifold, center, run.radius).unwrap())
}
