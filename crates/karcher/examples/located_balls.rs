//! What it costs not to know the ball: the error of a mean in a ball that is located with a part of the budget, against
//! that in a ball known beforehand, and against other ways to find one (docs/ball.md).
//!
//! ```sh
//! cargo run --release -p karcher --example located_balls
//! ```

use karcher::mechanism::{
    LocatedMean, MeanPlanner, Plan, PrivateFrechetMean, PrivateGeometricMedian, PrivateLocation, Request, Shares,
};
use karcher::privacy::{Definition, Guarantee};
use karcher::sampler::Generator;
use karcher::{Ball, Door, Manifold, Points, Result, Space};
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

/// A cluster with as much spread in every direction, somewhere in an outer ball.
struct Cluster {
    manifold: Arc<dyn Manifold>,
    /// Of the law, not of the records.
    center: Vec<f64>,
    /// The radius that holds 95 % of the records.
    radius: f64,
    points: Points,
    /// The mean of the records.
    mean: Vec<f64>,
    outer: Ball,
}

impl Cluster {
    /// `n` records with standard deviation 1 in each of `d` coordinates, halfway to the edge of a ball that is `times`
    /// as large as their root mean square distance.
    fn new(d: usize, n: usize, times: f64, generator: &mut Generator) -> Result<Self> {
        let manifold = format!("euclidean:{d}").parse::<Space>()?.manifold()?;
        let outer = times * (d as f64).sqrt();
        let mut center: Vec<f64> = (0..d).map(|_| StandardNormal.sample(generator)).collect();
        let length = center.iter().map(|c| c * c).sum::<f64>().sqrt();
        center.iter_mut().for_each(|c| *c *= 0.5 * outer / length);
        let (mut values, mut mean) = (Vec::with_capacity(n * d), vec![0.0; d]);
        let mut distances: Vec<f64> = Vec::with_capacity(n);
        for _ in 0..n {
            let mut square = 0.0;
            for (center, mean) in center.iter().zip(&mut mean) {
                let x: f64 = StandardNormal.sample(generator);
                square += x * x;
                *mean += (center + x) / n as f64;
                values.push(center + x);
            }
            distances.push(f64::sqrt(square));
        }
        distances.sort_unstable_by(f64::total_cmp);
        let (points, outer) = (Points::new(&*manifold, values)?, Ball::at_origin(&*manifold, outer)?);
        Ok(Self { center, radius: distances[n * 95 / 100], points, mean, outer, manifold })
    }

    fn plan(&self, center: &[f64], radius: f64, budget: Guarantee) -> Result<Box<dyn Plan>> {
        let ball = Ball::new(&*self.manifold, center.to_vec(), radius)?;
        Request::new(PrivateFrechetMean::new(self.manifold.clone(), ball)?, self.points.len(), budget).plan()
    }

    fn off(&self, value: &[f64]) -> f64 {
        self.manifold.dist(&self.mean, value)
    }

    /// A ball known beforehand: around the center of the law, with the radius that holds 95 %.
    fn known(&self, budget: Guarantee, door: &mut Door) -> Result<f64> {
        Ok(self.off(self.plan(&self.center, self.radius, budget)?.run(&self.points, door)?.value()))
    }

    /// A ball that is located.
    fn located(&self, budget: Guarantee, shares: Shares, door: &mut Door) -> Result<f64> {
        let location = PrivateLocation::new(self.manifold.clone(), self.outer.clone())?.shares(shares)?;
        let plan_in: &MeanPlanner<'_> = &|ball, budget| {
            Request::new(PrivateFrechetMean::new(self.manifold.clone(), ball)?, self.points.len(), budget).plan()
        };
        let mean = LocatedMean::new(&location, self.points.len(), budget, plan_in)?;
        Ok(self.off(mean.run(&self.points, door, plan_in)?.value()))
    }

    /// Releases in a row, with these shares of the budget, each in a ball around the one before. The first is the outer
    /// ball, later ones have the radius that holds 95 %, **which somebody told**, and twice the error expected so far.
    fn shrinking(&self, shares: &[f64], budget: Guarantee, door: &mut Door) -> Result<f64> {
        let (mut center, mut radius) = (self.outer.center().to_vec(), self.outer.radius());
        for share in shares {
            let plan = self.plan(&center, radius, part(budget, *share)?)?;
            center = plan.run(&self.points, door)?.value().to_vec();
            radius = (self.radius + 2.0 * plan.expected_distance()).min(radius);
        }
        Ok(self.off(&center))
    }
}

/// A share of a budget of ε or μ.
fn part(budget: Guarantee, share: f64) -> Result<Guarantee> {
    match budget.definition() {
        Definition::Gaussian { mu } => Guarantee::gaussian(mu * share.sqrt()),
        Definition::Pure { epsilon } => Guarantee::pure(epsilon * share),
        _ => Ok(budget),
    }
}

/// The root mean square.
fn typical(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

/// CoinPress's way: three releases that share a quarter of the budget, and a last one.
const THRICE: [f64; 4] = [1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0, 0.75];

/// Located balls against balls known beforehand and other ways to find one.
fn compare(generator: &mut Generator) -> Result<()> {
    println!("| d | n | outer ball | budget | known | located | ratio | shrinking | two releases | one release |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    let sizes =
        [(2, 1_000, 60), (2, 4_000, 60), (2, 100_000, 10), (10, 4_000, 60), (10, 100_000, 6), (100, 10_000, 12)];
    for (d, n, trials) in sizes {
        for times in [1.0, 10.0, 1_000.0] {
            for (name, budget) in budgets {
                let mut errors = [const { vec![] }; 5];
                for trial in 0..trials {
                    let (cluster, mut door) = (Cluster::new(d, n, times, generator)?, Door::seeded(trial));
                    errors[0].push(cluster.known(budget, &mut door)?);
                    errors[1].push(cluster.located(budget, Shares::default(), &mut door)?);
                    errors[2].push(cluster.shrinking(&THRICE, budget, &mut door)?);
                    errors[3].push(cluster.shrinking(&[0.5, 0.5], budget, &mut door)?);
                    errors[4].push(cluster.shrinking(&[1.0], budget, &mut door)?);
                }
                let [known, located, shrinking, two, one] = errors.map(|errors| typical(&errors));
                println!(
                    "| {d} | {n} | {times} | {name} | {known:.4} | {located:.4} | {:.2} | {shrinking:.4} | {two:.4} | \
                     {one:.4} |",
                    located / known
                );
            }
        }
    }
    Ok(())
}

/// Ratios to a ball known beforehand, for a few ways to share out the budget.
fn shares(generator: &mut Generator) -> Result<()> {
    let all = [(0.15, 0.7), (0.25, 0.5), (0.25, 0.7), (0.25, 0.85), (0.4, 0.7)];
    let names = all.map(|(location, center)| format!("{location}, {center}")).join(" | ");
    println!("\n| d | n | outer ball | budget | {names} |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    for (d, n, times) in
        [(1, 2_000, 10.0), (1, 2_000, 1_000.0), (2, 2_000, 10.0), (2, 2_000, 1_000.0), (5, 4_000, 100.0)]
    {
        for (name, budget) in budgets {
            let (mut known, mut located) = (vec![], [const { vec![] }; 5]);
            for trial in 0..60 {
                let (cluster, mut door) = (Cluster::new(d, n, times, generator)?, Door::seeded(trial));
                known.push(cluster.known(budget, &mut door)?);
                for (errors, (location, center)) in located.iter_mut().zip(all) {
                    errors.push(cluster.located(budget, Shares { location, center }, &mut door)?);
                }
            }
            let ratios = located.map(|errors| format!("{:.2}", typical(&errors) / typical(&known))).join(" | ");
            println!("| {d} | {n} | {times} | {name} | {ratios} |");
        }
    }
    Ok(())
}

/// How far median and mean are from the center of a cluster when a share of the records is wild: all of these lie at
/// one place near the edge of the outer ball.
fn wild(generator: &mut Generator) -> Result<()> {
    println!(
        "\n| wild records | private median | mean in a located ball | mean in the outer ball | mean, not private |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for share in [0.0, 0.05, 0.2, 0.4] {
        let mut errors = [const { vec![] }; 4];
        for trial in 0..60 {
            let mut cluster = Cluster::new(2, 4_000, 100.0, generator)?;
            let mut values = cluster.points.view().values().to_vec();
            let place = [0.0, 0.9 * cluster.outer.radius()];
            values.chunks_exact_mut(2).take((share * 4_000.0) as usize).for_each(|x| x.copy_from_slice(&place));
            cluster.points = Points::new(&*cluster.manifold, values)?;
            let plain = karcher::statistic::FrechetMean::new(&*cluster.manifold).fit(cluster.points.view())?;
            cluster.mean = cluster.center.clone(); // what errors are counted from
            let (budget, mut door) = (Guarantee::gaussian(1.0)?, Door::seeded(trial));
            let median = PrivateGeometricMedian::new(cluster.manifold.clone(), cluster.outer.clone())?;
            let median = Request::new(median, 4_000, budget).plan()?.run(&cluster.points, &mut door)?;
            errors[0].push(cluster.off(median.value()));
            errors[1].push(cluster.located(budget, Shares::default(), &mut door)?);
            errors[2].push(cluster.shrinking(&[1.0], budget, &mut door)?);
            errors[3].push(cluster.off(&plain));
        }
        let row = errors.map(|errors| format!("{:.3}", typical(&errors))).join(" | ");
        println!("| {:.0} % | {row} |", 100.0 * share);
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut generator = Generator::seeded(1);
    compare(&mut generator)?;
    shares(&mut generator)?;
    wild(&mut generator)
}
