//! What does a budget buy of principal components? Prints the table of the user guide's chapter on spread. The records
//! are made up.
//!
//! `cargo run --release -p karcher --example components_table`

use karcher::mechanism::{Components, PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::sampler::Generator;
use karcher::{Ball, Points, ReleaseContext, Result, Space};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Releases of each setting.
const RELEASES: u64 = 25;

fn main() -> Result<()> {
    println!("| d | n | ε = 1 | ε = 1, δ = 10⁻⁶ | μ = 1 | ε = 8 |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for d in [2, 5, 10, 50] {
        for n in [1_000, 10_000, 100_000] {
            let budgets = [
                Guarantee::pure(1.0)?,
                Guarantee::approximate(1.0, 1e-6)?,
                Guarantee::gaussian(1.0)?,
                Guarantee::pure(8.0)?,
            ];
            let cells = budgets.map(|budget| found(d, n, budget));
            println!("| {d} | {n} | {} |", cells.into_iter().collect::<Result<Vec<_>>>()?.join(" | "));
        }
    }
    Ok(())
}

/// Records in a ball of radius 1 that vary by 0.3 along one axis of `R^d`, by 0.15 along another and by 0.03 along the
/// others. Returns the average angle between the first axis and the first component, in degrees, and that of the
/// second. Also returns the average number of components above the noise.
fn found(d: usize, n: usize, budget: Guarantee) -> Result<String> {
    let manifold = format!("euclidean:{d}").parse::<Space>()?.manifold()?;
    let mut generator = Generator::seeded(1);
    let deviation = |i: usize| [0.3, 0.15].get(i).copied().unwrap_or(0.03);
    let values = (0..n * d).map(|k| deviation(k % d) * generator.sample::<f64, _>(StandardNormal)).collect();
    let records = Points::new(&*manifold, values)?;
    let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, 1.0)?)?;
    let plan = Request::new(mean, n, budget).components(Some(Components::default())).plan()?;
    let (mut angles, mut told) = ([0.0; 2], 0.0);
    for seed in 0..RELEASES {
        let release = plan.run(&records, &mut ReleaseContext::seeded(seed))?;
        if let Some(components) = release.components() {
            for (i, angle) in angles.iter_mut().enumerate() {
                *angle += components.directions[i][i].abs().min(1.0).acos().to_degrees() / RELEASES as f64;
            }
            told += components.above_noise() as f64 / RELEASES as f64;
        }
    }
    Ok(format!("{:.0}°, {:.0}°; {told:.1}", angles[0], angles[1]))
}
