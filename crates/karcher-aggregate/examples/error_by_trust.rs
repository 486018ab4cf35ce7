//! The price of trust: the expected error of a private mean, over who is trusted with the records.
//!
//! ```sh
//! cargo run --release -p karcher-aggregate --example error_by_trust
//! ```
//!
//! All numbers come from plans, so no records are needed. The mean is that of vectors in the unit ball of `R^d`. An
//! error above 1, the radius, says that the release is of no use.

use karcher::manifold::Euclidean;
use karcher::mechanism::{Plan, Randomizer};
use karcher::privacy::Guarantee;
use karcher::release::{NoiseLaw, StatisticName};
use karcher::spec::{BallSpec, Trust};
use karcher::{Ball, ReleaseSpec};
use std::f64::consts::FRAC_2_PI;
use std::sync::Arc;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    for (name, budget) in [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)] {
        println!("{name}: the expected distance between the release and the mean of vectors in the unit ball\n");
        println!("| d | n | curator | one of two aggregators | no one (local) | local / aggregators |");
        println!("| --: | --: | --: | --: | --: | --: |");
        for dim in [2, 10, 100] {
            for n in [100, 1_000, 10_000, 100_000, 1_000_000] {
                let (curator, two) = (planned(dim, n, budget, None)?, planned(dim, n, budget, Some(Trust::OneOfTwo))?);
                let local = at_home(dim, budget)? / (n as f64).sqrt();
                println!("| {dim} | {n} | {curator:.2e} | {two:.2e} | {local:.2e} | {:.0} |", local / two);
            }
        }
        println!();
    }
    Ok(())
}

/// The expected distance that a plan states.
fn planned(dim: usize, n: usize, budget: Guarantee, trust: Option<Trust>) -> Outcome<f64> {
    let spec = ReleaseSpec {
        manifold: Some(format!("euclidean:{dim}").parse()?),
        ball: Some(BallSpec::Known { center: vec![0.0; dim], radius: 1.0 }),
        trust,
        ..ReleaseSpec::new(StatisticName::FrechetMean, budget)
    };
    Ok(spec.plan(n)?.summary().expected_distance)
}

/// The same for the mean of reports that were randomized at home, times `√n`. The sum of many errors is nearly normal.
fn at_home(dim: usize, budget: Guarantee) -> Outcome<f64> {
    let space = Arc::new(Euclidean::new(dim)?);
    let randomizer = Randomizer::new(space.clone(), Ball::at_origin(&*space, 1.0)?, budget)?;
    let (summary, d) = (randomizer.summary(), dim as f64);
    let deviation = match summary.noise.first().map(|draw| draw.law) {
        Some(NoiseLaw::PrivUnit) => summary.expected_distance / d.sqrt(),
        Some(NoiseLaw::Laplace) => summary.scale * (d + 1.0).sqrt(),
        _ => summary.scale,
    };
    Ok(deviation * mean_length(dim))
}

/// The mean length of a vector of `dim` standard normal numbers: that for `d + 1` is `d` over that for `d`.
fn mean_length(dim: usize) -> f64 {
    (1..dim).fold(FRAC_2_PI.sqrt(), |length, d| d as f64 / length)
}
