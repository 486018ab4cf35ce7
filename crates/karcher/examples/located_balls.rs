//! What it costs not to know the ball: the error of a mean in a ball that is located with a part of the budget, against
//! that in a ball known beforehand, and against other ways to find one (docs/ball.md).
//!
//! ```sh
//! cargo run --release -p karcher --example located_balls
//! ```

use karcher::mechanism::{LocatedMean, MeanPlanner, Plan, PrivateFrechetMean, PrivateLocation, Request};
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
    /// `n` records with standard deviation 1 in each of `d` coordinates, halfway to the edge of a ball that is `times` as
    /// large as their root mean square distance.
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
    fn located(&self, budget: Guarantee, door: &mut Door) -> Result<f64> {
        let location = PrivateLocation::new(self.manifold.clone(), self.outer.clone())?;
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

fn main() -> Result<()> {
    println!("| d | n | outer ball | budget | known | located | ratio | shrinking | two releases | one release |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    let mut generator = Generator::seeded(1);
    for (d, n, trials) in [(1, 2_000, 150), (2, 1_000, 150), (2, 2_000, 150), (3, 4_000, 100), (10, 10_000, 40)] {
        for times in [10.0, 1_000.0] {
            for (name, budget) in budgets {
                let mut errors = [const { vec![] }; 5];
                for trial in 0..trials {
                    let cluster = Cluster::new(d, n, times, &mut generator)?;
                    let mut door = Door::seeded(trial);
                    errors[0].push(cluster.known(budget, &mut door)?);
                    errors[1].push(cluster.located(budget, &mut door)?);
                    let coin_press = [1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0, 0.75];
                    if std::env::var("ALL").is_ok() {
                        errors[2].push(cluster.shrinking(&coin_press, budget, &mut door)?);
                        errors[3].push(cluster.shrinking(&[0.5, 0.5], budget, &mut door)?);
                        errors[4].push(cluster.shrinking(&[1.0], budget, &mut door)?);
                    }
                }
                let [known, located, shrinking, two, one] = errors.map(|errors| typical(&errors));
                let ratio = located / known;
                println!(
                    "| {d} | {n} | {times} | {name} | {known:.4} | {located:.4} | {ratio:.2} | {shrinking:.4} | \
                     {two:.4} | {one:.4} |"
                );
            }
        }
    }
    Ok(())
}
