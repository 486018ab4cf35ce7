//! The cost of an unknown ball: the error of a mean in a ball that is located with a part of the budget. It is compared
//! with that in a ball known beforehand, and with other ways to find one (docs/proofs/ball.md).
//!
//! ```sh
//! cargo run --release -p karcher --example located_balls
//! ```

use karcher::mechanism::{
    LocatedMean, LocationBudget, Plan, PrivateFrechetMean, PrivateGeometricMedian, PrivateLocation, Request,
};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::{Definition, Guarantee};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
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
        let outer = times * (d as f64).sqrt();
        Self::on(&Place { space: &format!("euclidean:{d}"), spread: 1.0, far: 0.5 * outer, outer }, n, generator)
    }

    /// `n` records with normal coordinates at a center in a random direction.
    fn on(place: &Place, n: usize, generator: &mut Generator) -> Result<Self> {
        let manifold = place.space.parse::<Space>()?.manifold()?;
        let outer = Ball::at_origin(&*manifold, place.outer.min(manifold.diameter()))?;
        let mut direction: Vec<f64> = (0..manifold.dim()).map(|_| StandardNormal.sample(generator)).collect();
        let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
        direction.iter_mut().for_each(|c| *c *= place.far / length);
        let center = from(&*manifold, outer.center(), &direction);
        let (mut values, mut distances) = (Vec::with_capacity(n * center.len()), Vec::with_capacity(n));
        for _ in 0..n {
            let normal = |_| place.spread * Distribution::<f64>::sample(&StandardNormal, generator);
            let x = from(&*manifold, &center, &(0..manifold.dim()).map(normal).collect::<Vec<f64>>());
            distances.push(manifold.dist(&center, &x));
            values.extend(x);
        }
        distances.sort_unstable_by(f64::total_cmp);
        let points = Points::new(&*manifold, values)?;
        let mean = FrechetMean::new(&*manifold).start(&center).fit(points.view())?;
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
    fn known(&self, budget: Guarantee, context: &mut ReleaseContext) -> Result<f64> {
        Ok(self.off(self.plan(&self.center, self.radius, budget)?.run(&self.points, context)?.value()))
    }

    /// A ball that is located, with these shares of the budget or those that are chosen.
    fn located(&self, budget: Guarantee, shares: Option<LocationBudget>, context: &mut ReleaseContext) -> Result<f64> {
        let mut location = PrivateLocation::new(self.manifold.clone(), self.outer.clone())?;
        if let Some(shares) = shares {
            location = location.shares(shares)?;
        }
        Ok(self.off(self.mean_in(&location, budget)?.run(&self.points, context)?.value()))
    }

    /// The mean in the ball that a location finds.
    fn mean_in(&self, location: &PrivateLocation, budget: Guarantee) -> Result<LocatedMean> {
        let mean = PrivateFrechetMean::new(self.manifold.clone(), self.outer.clone())?;
        LocatedMean::new(location, &Request::new(mean, self.points.len(), budget), None)
    }

    /// How the center of a located ball is found.
    fn center_method(&self, budget: Guarantee) -> Result<&'static str> {
        let location = PrivateLocation::new(self.manifold.clone(), self.outer.clone())?;
        Ok(self.mean_in(&location, budget)?.location().center_method().name())
    }

    /// Releases in a row, with these shares of the budget, each in a ball around the one before. The first is the outer
    /// ball, later ones have the radius that holds 95 %, **which somebody told**, and twice the error expected so far.
    fn shrinking(&self, shares: &[f64], budget: Guarantee, context: &mut ReleaseContext) -> Result<f64> {
        let (mut center, mut radius) = (self.outer.center().to_vec(), self.outer.radius());
        for share in shares {
            let plan = self.plan(&center, radius, part(budget, *share)?)?;
            center = plan.run(&self.points, context)?.value().to_vec();
            radius = (self.radius + 2.0 * plan.expected_distance()).min(radius);
        }
        Ok(self.off(&center))
    }
}

/// Where a cluster lies.
struct Place<'a> {
    space: &'a str,
    /// The standard deviation of a coordinate.
    spread: f64,
    /// The distance from the center of the outer ball.
    far: f64,
    /// The radius of the outer ball.
    outer: f64,
}

/// `Exp` of a vector given by its coordinates.
fn from(manifold: &dyn Manifold, point: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut x) = (vec![0.0; point.len()], vec![0.0; point.len()]);
    manifold.from_frame(point, coordinates, &mut v);
    manifold.exp(point, &v, &mut x);
    manifold.normalize(&mut x);
    x
}

/// A share of a budget of ε or μ.
fn part(budget: Guarantee, share: f64) -> Result<Guarantee> {
    match budget.definition() {
        Definition::Gaussian { mu } => Ok(Guarantee::gaussian(mu * share.sqrt())?),
        Definition::Pure { epsilon } => Ok(Guarantee::pure(epsilon * share)?),
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
    let sizes = [
        (2, 1_000, 60),
        (2, 4_000, 60),
        (2, 100_000, 10),
        (2, 1_000_000, 3),
        (10, 4_000, 20),
        (10, 100_000, 4),
        (100, 10_000, 6),
    ];
    for (d, n, trials) in sizes {
        for times in [1.0, 10.0, 1_000.0].into_iter().filter(|times| n < 1_000_000 || *times == 10.0) {
            for (name, budget) in budgets {
                let mut errors = [const { vec![] }; 5];
                for trial in 0..trials {
                    let (cluster, mut context) = (Cluster::new(d, n, times, generator)?, ReleaseContext::seeded(trial));
                    errors[0].push(cluster.known(budget, &mut context)?);
                    errors[1].push(cluster.located(budget, None, &mut context)?);
                    errors[2].push(cluster.shrinking(&THRICE, budget, &mut context)?);
                    errors[3].push(cluster.shrinking(&[0.5, 0.5], budget, &mut context)?);
                    errors[4].push(cluster.shrinking(&[1.0], budget, &mut context)?);
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

/// Ratios to a ball known beforehand, for the shares of the budget that are chosen and for a few others.
fn shares(generator: &mut Generator) -> Result<()> {
    let others = [(0.15, 0.7), (0.25, 0.5), (0.25, 0.7), (0.25, 0.85), (0.4, 0.7)];
    let names = others.map(|(location, center)| format!("{location}, {center}")).join(" | ");
    println!("\n| d | n | outer ball | budget | center | chosen | {names} |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    for (d, n, times, trials) in [
        (1, 2_000, 10.0, 150),
        (1, 2_000, 1_000.0, 150),
        (2, 2_000, 10.0, 150),
        (2, 2_000, 1_000.0, 150),
        (5, 4_000, 100.0, 20),
    ] {
        for (name, budget) in budgets {
            let (mut known, mut located, mut by) = (vec![], [const { vec![] }; 6], "");
            for trial in 0..trials {
                let (cluster, mut context) = (Cluster::new(d, n, times, generator)?, ReleaseContext::seeded(trial));
                by = cluster.center_method(budget)?;
                known.push(cluster.known(budget, &mut context)?);
                let others = others.map(|(location, center)| Some(LocationBudget { location, center }));
                for (errors, shares) in located.iter_mut().zip([None].into_iter().chain(others)) {
                    errors.push(cluster.located(budget, shares, &mut context)?);
                }
            }
            let ratios = located.map(|errors| format!("{:.2}", typical(&errors) / typical(&known))).join(" | ");
            println!("| {d} | {n} | {times} | {name} | {by} | {ratios} |");
        }
    }
    Ok(())
}

/// Located balls on curved spaces, in units of distance.
fn curved(generator: &mut Generator) -> Result<()> {
    println!("\n| space | n | spread | outer ball | budget | center | known | located | ratio |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    let everything = f64::INFINITY;
    for (place, n, trials) in [
        (Place { space: "sphere:2", spread: 0.1, far: 2.0, outer: everything }, 2_000, 60),
        (Place { space: "sphere:2", spread: 0.1, far: 0.8, outer: 1.5 }, 2_000, 60),
        (Place { space: "sphere:2", spread: 0.1, far: 2.0, outer: everything }, 100_000, 4),
        (Place { space: "hyperbolic:2", spread: 0.1, far: 1.0, outer: 2.0 }, 2_000, 60),
        (Place { space: "hyperbolic:2", spread: 0.1, far: 3.0, outer: 6.0 }, 2_000, 60),
        (Place { space: "spd-affine-invariant:3", spread: 0.1, far: 3.0, outer: 6.0 }, 4_000, 10),
        (Place { space: "kendall:10", spread: 0.02, far: 0.7, outer: everything }, 10_000, 5),
    ] {
        for (name, budget) in budgets {
            let (mut errors, mut by, mut outer) = ([vec![], vec![]], "", 0.0);
            for trial in 0..trials {
                let (cluster, mut context) = (Cluster::on(&place, n, generator)?, ReleaseContext::seeded(trial));
                (by, outer) = (cluster.center_method(budget)?, cluster.outer.radius());
                errors[0].push(cluster.known(budget, &mut context)?);
                errors[1].push(cluster.located(budget, None, &mut context)?);
            }
            let ([known, located], Place { space, spread, .. }) = (errors.map(|errors| typical(&errors)), &place);
            println!(
                "| `{space}` | {n} | {spread} | {outer:.2} | {name} | {by} | {known:.5} | {located:.5} | {:.2} |",
                located / known
            );
        }
    }
    Ok(())
}

/// Distance of median and mean from the center of a cluster when a fraction of the records is wild: all of these lie at
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
            let plain = FrechetMean::new(&*cluster.manifold).fit(cluster.points.view())?;
            cluster.mean = cluster.center.clone(); // what errors are counted from
            let (budget, mut context) = (Guarantee::gaussian(1.0)?, ReleaseContext::seeded(trial));
            let median = PrivateGeometricMedian::new(cluster.manifold.clone(), cluster.outer.clone())?;
            let median = Request::new(median, 4_000, budget).plan()?.run(&cluster.points, &mut context)?;
            errors[0].push(cluster.off(median.value()));
            errors[1].push(cluster.located(budget, None, &mut context)?);
            errors[2].push(cluster.shrinking(&[1.0], budget, &mut context)?);
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
    curved(&mut generator)?;
    wild(&mut generator)
}
