//! What do proofs about the bits that leave cost? Prints the table of the user guide's chapter on bits. It touches no
//! data.
//!
//! `cargo run --release -p karcher --example what_exact_costs`

use karcher::mechanism::{Candidate, NumericsPolicy, PrivateFrechetMean, Request, best};
use karcher::privacy::Guarantee;
use karcher::release::MechanismName;
use karcher::{Ball, Result, Space};
use std::f64::consts::FRAC_PI_3;

/// Spaces, radii and numbers of records of the guide's other tables.
const SETTINGS: [(&str, f64, usize); 18] = [
    ("euclidean:10", 1.0, 200),
    ("spd-log-euclidean:10", 1.0, 200),
    ("sphere:2", 0.9, 100),
    ("sphere:2", 1.3, 1_000),
    ("sphere:50", 0.5, 1_000),
    ("rotations:3", 0.9, 100),
    ("torus:2", FRAC_PI_3, 1_000),
    ("grassmann:5,2", 0.5, 1_000),
    ("sphere:2*euclidean:1", 0.8, 100),
    ("kendall:10", 0.4, 300),
    ("kendall:50", 0.3, 1_000),
    ("kendall:50", 0.6, 1_000),
    ("hyperbolic:2", 1.0, 100),
    ("hyperbolic:2", 4.0, 1_000),
    ("hyperbolic:10", 1.0, 200),
    ("spd-affine-invariant:3", 2.0, 300),
    ("spd-affine-invariant:10", 1.0, 1_000),
    ("spd-affine-invariant:10", 2.0, 1_000),
];

fn main() -> Result<()> {
    let budgets = [Guarantee::pure(1.0)?, Guarantee::approximate(1.0, 1e-6)?, Guarantee::gaussian(1.0)?];
    println!("| space | radius | n | ε = 1 | ε = 1, δ = 10⁻⁶ | μ = 1 |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, radius, n) in SETTINGS {
        let cells = budgets.map(|budget| compared(name, radius, n, budget));
        let cells = cells.into_iter().collect::<Result<Vec<String>>>()?;
        println!("| `{name}` | {radius:.2} | {n} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// The least error bound of all mechanisms but `chart`, whatever their proofs speak of, and of those that are exact.
fn compared(name: &str, radius: f64, n: usize, budget: Guarantee) -> Result<String> {
    let manifold = name.parse::<Space>()?.manifold()?;
    let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, radius)?)?;
    let mut candidates = Request::new(mean, n, budget).candidates();
    let exact = chosen(&candidates, NumericsPolicy::Exact);
    candidates.retain(|candidate| candidate.mechanism.name() != MechanismName::Chart);
    let any = chosen(&candidates, NumericsPolicy::Any);
    Ok(match (any, exact) {
        (Some((before, name)), Some((after, _))) => {
            let costs = 100.0 * (after / before - 1.0);
            let costs = if costs.abs() < 0.05 { "0".to_owned() } else { format!("{costs:+.1}").replace('-', "−") };
            format!("{before:.4} `{name}` → {after:.4}: {costs} %")
        }
        _ => "–".to_owned(),
    })
}

fn chosen(candidates: &[Candidate], accept: NumericsPolicy) -> Option<(f64, MechanismName)> {
    let plan = candidates[best(candidates, accept)?].plan.as_deref().ok()?;
    Some((plan.error_bound(), plan.name()))
}
