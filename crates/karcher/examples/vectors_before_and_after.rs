//! What does the calibration of Laplace noise on vectors at (ε, δ) gain over the better of pure ε and Gaussian noise?
//! Prints the table of the chapter on benchmarks, and the time that a calibration takes.
//!
//! `cargo run --release -p karcher --example vectors_before_and_after`; with `--all`, every setting.

use karcher::mechanism::{Candidate, Plan, PrivateFrechetMean, Request};
use karcher::privacy::{Guarantee, flat_laplace_scale};
use karcher::{Ball, Result, Space};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const SPACES: [(&str, f64); 9] = [
    ("euclidean:2", 1.0),
    ("euclidean:6", 1.0),
    ("euclidean:20", 1.0),
    ("euclidean:100", 1.0),
    ("sphere:2", 0.5),
    ("spd-log-euclidean:3", 1.0),
    ("spd-affine-invariant:2", 1.0),
    ("rotations:3", 0.5),
    ("kendall:4", 0.3),
];

fn main() -> Result<()> {
    let all = std::env::args().any(|argument| argument == "--all");
    let budgets = [(1.0, None), (1.0, Some(1e-6)), (0.3, Some(1e-6)), (1.0, Some(1e-9))];
    println!(
        "| space | n | budget | today | by | before | by | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (name, radius) in SPACES {
        let space = name.parse::<Space>()?.manifold()?;
        let mean = PrivateFrechetMean::new(Arc::clone(&space), Ball::at_origin(&*space, radius)?)?;
        for n in [100, 1_000] {
            for (epsilon, delta) in budgets {
                let pure = Request::new(mean.clone(), n, Guarantee::pure(epsilon)?).candidates();
                let (asked, budget) = match delta {
                    None => (None, format!("ε = {epsilon}")),
                    Some(delta) => {
                        let budget = Guarantee::approximate(epsilon, delta)?;
                        (Some(Request::new(mean.clone(), n, budget).candidates()), format!("({epsilon}, {delta:e})"))
                    }
                };
                // without the plans whose scale uses δ and Laplace noise
                let earlier = asked.iter().flatten().filter(|candidate| !uses_both(candidate));
                let (before, by_before) = least(pure.iter().chain(earlier));
                let (today, by) = least(pure.iter().chain(asked.iter().flatten()));
                let ratio = today / before;
                if all || (n == 1_000 && ratio < 0.995) {
                    let figures = format!("{today:.3e} | {by} | {before:.3e} | {by_before} | {ratio:.3}");
                    println!("| {name} | {n} | {budget} | {figures} |");
                }
            }
        }
    }
    println!("\n| d | one calibration, ms |\n| --- | --- |");
    for d in [6, 20, 100, 1_000, 32_896] {
        let calibrations = if d > 1_000 { 100_u32 } else { 1_000 };
        let time = || -> Result<f64> {
            let start = Instant::now();
            for _ in 0..calibrations {
                black_box(flat_laplace_scale(black_box(d), 1.0, 1.0, 1e-6)?);
            }
            Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(calibrations))
        };
        let least = (0..5).map(|_| time()).collect::<Result<Vec<f64>>>()?.into_iter().fold(f64::INFINITY, f64::min);
        println!("| {d} | {least:.3} |");
    }
    Ok(())
}

fn uses_both(candidate: &Candidate) -> bool {
    candidate.plan.as_ref().is_ok_and(|plan| !plan.summary().also().is_empty())
}

/// The least expected error, with the bound of the bias, and the mechanism.
fn least<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> (f64, &'static str) {
    let plans = candidates.filter_map(|candidate| candidate.plan.as_ref().ok());
    let plans = plans.filter(|plan| plan.summary().by_name.is_none());
    let errors = plans.map(|plan| (plan.error_bound(), plan.name().name()));
    errors.fold((f64::INFINITY, "none"), |best, found| if found.0 < best.0 { found } else { best })
}
