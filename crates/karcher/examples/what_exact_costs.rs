//! What do proofs about the bits that leave cost? Prints the tables of the user guide's chapters on bits and on
//! mechanisms. It touches no data.
//!
//! `cargo run --release -p karcher --example what_exact_costs`

use karcher::mechanism::{Accept, Candidate, Plan, PrivateFrechetMean, Request, best};
use karcher::privacy::Guarantee;
use karcher::release::{MechanismName, Numerics};
use karcher::{Ball, Result, Space};

/// Spaces, radii and numbers of records of the guide's other tables.
const SETTINGS: [(&str, f64, usize); 24] = [
    ("euclidean:10", 1.0, 200),
    ("spd-log-euclidean:3", 1.0, 200),
    ("spd-log-euclidean:10", 1.0, 200),
    ("sphere:2", 0.5, 1_000),
    ("sphere:2", 0.8, 100),
    ("sphere:2", 0.9, 100),
    ("sphere:2", 1.3, 1_000),
    ("sphere:50", 0.5, 1_000),
    ("projective:2", 0.5, 100),
    ("rotations:3", 0.9, 100),
    ("torus:2", 1.047_197_551_196_597_6, 1_000),
    ("grassmann:5,2", 0.5, 1_000),
    ("kendall:10", 0.4, 300),
    ("kendall:10", 0.4, 30_000),
    ("kendall:50", 0.3, 1_000),
    ("kendall:50", 0.6, 1_000),
    ("hyperbolic:2", 1.0, 100),
    ("hyperbolic:2", 4.0, 1_000),
    ("hyperbolic:10", 1.0, 200),
    ("spd-affine-invariant:3", 2.0, 300),
    ("spd-affine-invariant:3", 2.0, 30_000),
    ("spd-affine-invariant:10", 1.0, 1_000),
    ("spd-affine-invariant:10", 2.0, 1_000),
    ("sphere:2*euclidean:1", 0.8, 100),
];

fn main() -> Result<()> {
    for (words, budget) in
        [("ε = 1", Guarantee::pure(1.0)?), ("ε = 1, δ = 10⁻⁶", Guarantee::approximate(1.0, 1e-6)?)]
    {
        println!("\n{words}\n");
        println!("| space | radius | n | idealized too | exact | costs | denoised: center, halfway, edge |");
        println!("| --- | --- | --- | --- | --- | --- | --- |");
        for (name, radius, n) in SETTINGS {
            println!("{}", line(name, radius, n, budget)?);
        }
    }
    Ok(())
}

fn line(name: &str, radius: f64, n: usize, budget: Guarantee) -> Result<String> {
    let manifold = name.parse::<Space>()?.manifold()?;
    let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, radius)?)?;
    let mut candidates = Request::new(mean, n, budget).candidates();
    let said = |plan: Option<&dyn Plan>| match plan {
        Some(plan) => format!("{:.4} `{}`", plan.error_bound(), plan.name()),
        None => "none".to_owned(),
    };
    let exact = chosen(&candidates, Accept::Exact);
    let (after, bound) = (said(exact), exact.map_or(f64::NAN, Plan::error_bound));
    debug_assert!(exact.is_none_or(|plan| plan.numerics() == Numerics::Exact));
    let gains = exact.and_then(Plan::gains).map_or("–".to_owned(), |gains| {
        gains.map(|gain| format!("{:.0} %", 100.0 * gain.denoised / gain.noisy)).join(", ")
    });
    // what there is to choose from where noise on curved spaces is drawn around the mean
    candidates.retain(|candidate| candidate.mechanism.name() != MechanismName::Chart);
    let any = chosen(&candidates, Accept::Any);
    let costs = match any.map(|plan| 100.0 * (bound / plan.error_bound() - 1.0)) {
        Some(costs) if costs.abs() < 0.05 => "0 %".to_owned(),
        Some(costs) => format!("{costs:+.1} %").replace('-', "−"),
        None => "–".to_owned(),
    };
    Ok(format!("| `{name}` | {radius:.3} | {n} | {} | {after} | {costs} | {gains} |", said(any)))
}

fn chosen(candidates: &[Candidate], accept: Accept) -> Option<&dyn Plan> {
    best(candidates, accept).and_then(|place| candidates[place].plan.as_deref().ok())
}
