//! How often does the cone of confidence of a private mean direction hold the mean of a von Mises–Fisher law? Prints
//! the table of the proofs' page on means without a ball, `docs/proofs/extrinsic.md`.
//!
//! `cargo run --release -p karcher --example cones`

use karcher::manifold::Sphere;
use karcher::mechanism::{PrivateExtrinsicMean, Request};
use karcher::privacy::Guarantee;
use karcher::release::Region;
use karcher::sampler::Generator;
use karcher::{Manifold, Points, ReleaseContext, Result};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

/// Data sets of each setting.
const DATA_SETS: u64 = 500;

const KAPPAS: [f64; 7] = [0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0];

fn main() -> Result<()> {
    let settings = [(10, 1e6), (100, 1e6), (1_000, 1e6), (1_000, 2.0)];
    let heads: Vec<String> = settings.iter().map(|(n, epsilon)| format!("n = {n}, ε = {epsilon:e}")).collect();
    println!("| κ | {} |", heads.join(" | "));
    println!("{}", "| --- ".repeat(settings.len() + 1) + "|");
    for kappa in KAPPAS {
        let cells = settings.iter().map(|(n, epsilon)| covered(kappa, *n, *epsilon)).collect::<Result<Vec<_>>>()?;
        println!("| {kappa} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// The fractions of data sets whose cones hold the mean: that of the law, and that of any population.
fn covered(kappa: f64, n: usize, epsilon: f64) -> Result<String> {
    let sphere = Arc::new(Sphere::new(2)?);
    let mean = PrivateExtrinsicMean::new(sphere.clone())?;
    let plan = Request::new(mean, n, Guarantee::pure(epsilon)?).plan()?;
    let mut generator = Generator::seeded(1);
    let mut held = [0.0; 2];
    for seed in 0..DATA_SETS {
        let values = (0..n).flat_map(|_| direction(kappa, &mut generator)).collect();
        let points = Points::new(&*sphere, values)?;
        let release = plan.run(&points, &mut ReleaseContext::seeded(seed))?;
        let apart = sphere.dist(release.value(), &[1.0, 0.0, 0.0]);
        let factor = release.extrinsic().map(|mean| &mean.factors[0]);
        let regions = factor.map(|factor| [factor.population_region, factor.any_population_region]).unwrap_or_default();
        let holds = |region: Option<Region>| region.is_some_and(|region| apart <= region.radius);
        held.iter_mut().zip(regions).for_each(|(held, region)| *held += f64::from(u8::from(holds(region))));
    }
    let [law, any] = held.map(|held| format!("{:.1}", 100.0 * held / DATA_SETS as f64));
    Ok(format!("{law} / {any}"))
}

/// A unit vector of the von Mises–Fisher law about the first axis: its cosine has the density `∝ e^{κc}`.
fn direction(kappa: f64, generator: &mut Generator) -> [f64; 3] {
    let u: f64 = generator.random();
    let cosine = 1.0 + (u + (1.0 - u) * (-2.0 * kappa).exp()).ln() / kappa;
    let [y, z]: [f64; 2] = std::array::from_fn(|_| StandardNormal.sample(generator));
    let rest = ((1.0 - cosine * cosine).max(0.0) / (y * y + z * z)).sqrt();
    [cosine, rest * y, rest * z]
}
