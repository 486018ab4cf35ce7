//! What do the exact ρ of Laplace noise and of private choices gain over the rules before them? And the bounds for one
//! record added or removed, and for shuffled directions? Prints the tables of the chapter on benchmarks.
//!
//! `cargo run --release -p karcher --example concentrated_before_and_after`; with `--csv`, all rows of the file.

use karcher::mechanism::{Candidate, Plan, PrivateFrechetMean, Request};
use karcher::privacy::{
    Definition, Guarantee, flat_laplace_concentrated, pure_epsilon_for_rho, range_for_rho, rho_for_range, shuffled,
    shuffled_directions,
};
use karcher::sensitivity::chart_sum;
use karcher::{Ball, Result, Space};

/// A row of the file: what it is about, and its numbers before and today.
struct Row {
    table: &'static str,
    about: String,
    before: f64,
    today: f64,
}

fn main() -> Result<()> {
    let rows = [means()?, accounts()?, choices()?, sums()?, reports()?].into_iter().flatten();
    if std::env::args().any(|argument| argument == "--csv") {
        for Row { table, about, before, today } in rows {
            for (column, value) in [("before", before), ("today", today), ("ratio", today / before)] {
                println!("{table},\"{about}\",{column},{}", digits(value));
            }
        }
        return Ok(());
    }
    println!("| table | | before | today | ratio |\n| --- | --- | --- | --- | --- |");
    for Row { table, about, before, today } in rows {
        println!("| {table} | {about} | {} | {} | {:.3} |", digits(before), digits(today), today / before);
    }
    Ok(())
}

/// Four significant digits.
fn digits(value: f64) -> String {
    format!("{value:.*}", (3.0 - value.log10().floor()).max(0.0) as usize)
}

/// Expected errors of means for a ρ, in hundredths of the radius. Before, Laplace noise had the largest pure ε that
/// implies ρ.
fn means() -> Result<Vec<Row>> {
    let mut rows = vec![];
    for (name, radius) in [
        ("euclidean:1", 1.0),
        ("euclidean:2", 1.0),
        ("euclidean:6", 1.0),
        ("euclidean:20", 1.0),
        ("sphere:2", 0.5),
        ("rotations:3", 0.5),
        ("hyperbolic:2", 1.0),
        ("spd-affine-invariant:2", 1.0),
    ] {
        let space = name.parse::<Space>()?.manifold()?;
        let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, radius)?)?;
        for n in [100, 10_000] {
            for rho in [0.01, 0.1, 1.0, 5.0] {
                let best = |budget| least(&Request::new(mean.clone(), n, budget).candidates()) * 100.0 / radius;
                let pure = best(Guarantee::pure(pure_epsilon_for_rho(rho)?)?);
                let gaussian = best(Guarantee::gaussian((2.0 * rho).sqrt())?);
                let today = best(Guarantee::concentrated(rho)?);
                let about = format!("{name}; n = {n}; ρ = {rho}");
                rows.push(Row { table: "means for a ρ", about, before: pure.min(gaussian), today });
            }
        }
    }
    Ok(rows)
}

/// The least expected error, with the bound of the bias, that a proof covers to the bits.
fn least(candidates: &[Candidate]) -> f64 {
    let plans = candidates.iter().filter_map(|candidate| candidate.plan.as_ref().ok());
    plans.filter(|plan| plan.summary().by_name.is_none()).map(|plan| plan.error_bound()).fold(f64::INFINITY, f64::min)
}

/// The ρ of a release by Laplace noise of pure ε on d numbers, in an account. Before, it was ε²/2.
fn accounts() -> Result<Vec<Row>> {
    let mut rows = vec![];
    for d in [1, 2, 3, 6, 20] {
        for epsilon in [0.1, 1.0, 3.0] {
            let today = rho(flat_laplace_concentrated(d, epsilon, 1.0)?);
            let about = format!("d = {d}; ε = {epsilon}");
            rows.push(Row { table: "ρ of Laplace noise", about, before: 0.5 * epsilon * epsilon, today });
        }
    }
    Ok(rows)
}

fn rho(guarantee: Guarantee) -> f64 {
    let Definition::Concentrated { rho } = guarantee.definition() else { return f64::NAN };
    rho
}

/// The ρ of a private choice or of a K-norm gradient law of range ε, and the range for a ρ. Before, ρ was ε²/8.
fn choices() -> Result<Vec<Row>> {
    let of_range = |epsilon: f64| -> Result<Row> {
        let (before, today) = (epsilon * epsilon / 8.0, rho_for_range(epsilon)?);
        Ok(Row { table: "ρ of a bounded range", about: format!("ε = {epsilon}"), before, today })
    };
    let of_rho = |rho: f64| -> Result<Row> {
        let (before, today) = ((8.0 * rho).sqrt(), range_for_rho(rho)?);
        Ok(Row { table: "range for a ρ", about: format!("ρ = {rho}"), before, today })
    };
    [1.0, 2.0, 5.0, 10.0].map(of_range).into_iter().chain([0.1, 1.0, 5.0].map(of_rho)).collect()
}

/// The ε at δ = 1e-6 of shuffled reports by direction. Before, it was that of any rule.
fn reports() -> Result<Vec<Row>> {
    let mut rows = vec![];
    for (n, local) in [(100, 1.0), (10_000, 1.0), (1_000_000, 1.0), (1_000, 3.0), (100_000, 3.0)] {
        let epsilon = |guarantee: Guarantee| guarantee.epsilon(1e-6);
        let before = epsilon(shuffled(n, local, 1e-6)?)?;
        for d in [2, 6, 96] {
            let today = epsilon(shuffled_directions(n, d, local, 1e-6)?)?;
            let about = format!("D = {d}; n = {n}; ε₀ = {local}");
            rows.push(Row { table: "shuffled directions", about, before, today });
        }
    }
    Ok(rows)
}

/// How far one record more moves the sum in the chart, over the radius. Before, it was `2 − 1/h`, `h = 2kr·coth 2kr`,
/// without positive curvature, and the bound of the next function with it.
fn sums() -> Result<Vec<Row>> {
    let mut rows = vec![];
    for (name, radii) in
        [("hyperbolic:2", [0.5, 2.0, 5.0]), ("sphere:2", [0.5, 0.9, 1.3]), ("sphere:2*hyperbolic:2", [0.5, 1.0, 1.5])]
    {
        let space = name.parse::<Space>()?.manifold()?;
        for r in radii {
            let before = if space.curvature().upper > 0.0 {
                by_stretch(r, space.curvature().lower)
            } else {
                2.0 - (2.0 * r).tanh() / (2.0 * r)
            };
            let about = format!("{name}; r = {r}");
            rows.push(Row { table: "one record more", about, before, today: chart_sum(&*space, r)? / r });
        }
    }
    Ok(rows)
}

/// `max_a σ(a)·(D/g(b) + max{1/g(b) − 1, 1 − 1/h}·a)/r` for curvatures from `lower` to 1.
fn by_stretch(r: f64, lower: f64) -> f64 {
    let stretch = |s: f64| if s > 0.0 { s / s.sin() } else { 1.0 };
    let bend = (-lower).max(0.0).sqrt() * r;
    let least = if bend > 0.0 { bend.tanh() / bend } else { 1.0 };
    let at = |i: u32| {
        let a = r * f64::from(i) / 1000.0;
        let b = (r.cos() / a.cos()).min(1.0).acos();
        let most = if b > 0.0 { b.tan() / b } else { 1.0 };
        let apart = 2.0 * (0.5 * r).sin() * (stretch(a) * stretch(a + r)).sqrt();
        stretch(a) * (most * apart + (most - 1.0).max(1.0 - least) * a) / r
    };
    (0..=1000).map(at).fold(0.0, f64::max)
}
