//! The gain from a smaller ball where the ball is given but wide. Compares the rehearsed error of a mean in two stages
//! with the error on made-up clusters, and with that of one stage (docs/proofs/ball.md).
//!
//! ```sh
//! cargo run --release -p karcher --example two_stage_means
//! ```

use karcher::mechanism::{LocatedMean, LocationBudget, Plan, PrivateFrechetMean, PrivateLocation, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::MechanismName;
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

/// A cluster halfway to the edge of a ball around the origin.
struct Cluster {
    manifold: Arc<dyn Manifold>,
    points: Points,
    /// The mean of the records.
    mean: Vec<f64>,
    ball: Ball,
}

impl Cluster {
    /// `n` records that are normal in a tangent space, with the root mean square distance `spread` from its base.
    fn new(space: &str, n: usize, spread: f64, radius: f64, generator: &mut Generator) -> Result<Self> {
        let manifold = space.parse::<Space>()?.manifold()?;
        let d = manifold.dim();
        let ball = Ball::at_origin(&*manifold, radius)?;
        let normal = |generator: &mut Generator| (0..d).map(|_| StandardNormal.sample(generator)).collect();
        let at = |base: &[f64], coordinates: &[f64]| {
            let (mut tangent, mut point) = (vec![0.0; base.len()], vec![0.0; base.len()]);
            manifold.from_frame(base, coordinates, &mut tangent);
            manifold.exp(base, &tangent, &mut point);
            point
        };
        let mut away: Vec<f64> = normal(generator);
        let length = away.iter().map(|c| c * c).sum::<f64>().sqrt();
        away.iter_mut().for_each(|c| *c *= 0.5 * radius / length);
        let center = at(ball.center(), &away);
        let mut values = Vec::with_capacity(n * manifold.point_len());
        for _ in 0..n {
            let mut record: Vec<f64> = normal(generator);
            record.iter_mut().for_each(|c| *c *= spread / (d as f64).sqrt());
            values.extend(at(&center, &record));
        }
        let points = Points::new(&*manifold, values)?;
        let mean = FrechetMean::new(&*manifold).start(&center).fit(points.view())?;
        Ok(Self { manifold, points, mean, ball })
    }

    fn off(&self, value: &[f64]) -> f64 {
        self.manifold.dist(&self.mean, value)
    }

    /// With other shares than the usual ones.
    fn shared(&self, budget: Guarantee, shares: LocationBudget, context: &mut ReleaseContext) -> Result<f64> {
        let location = PrivateLocation::new(self.manifold.clone(), self.ball.clone())?.shares(shares)?;
        let n = self.points.len();
        let mean = PrivateFrechetMean::new(self.manifold.clone(), self.ball.clone())?;
        let mean = LocatedMean::new(&location, &Request::new(mean, n, budget), None)?;
        Ok(self.off(mean.run(&self.points, context)?.value()))
    }
}

fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// Spaces with the radius of the public ball.
const SPACES: [(&str, f64); 5] = [
    ("euclidean:2", 1.0),
    ("sphere:2", 1.2),
    ("hyperbolic:2", 2.0),
    ("spd-affine-invariant:3", 3.0),
    ("kendall:10", 0.6),
];

/// Expected and found errors, in hundredths of the radius.
fn compare(generator: &mut Generator) -> Result<()> {
    println!(
        "| space | n | budget | radius over spread | one stage, expected | found | two stages, expected | found | \
         expected/found | `auto` takes |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    let (mut within, mut all, mut wrong, mut clear) = (0, 0, 0, 0);
    for (space, radius) in SPACES {
        for (n, trials) in [(300, 60), (2_000, 60), (20_000, 20)] {
            for (name, budget) in budgets {
                for times in [3.0, 20.0] {
                    // plans are public: the same whatever the records are
                    let manifold = space.parse::<Space>()?.manifold()?;
                    let ball = Ball::at_origin(&*manifold, radius)?;
                    let request = Request::new(PrivateFrechetMean::new(manifold, ball)?, n, budget);
                    let one = request.plan()?;
                    let request = request.expected_spread(Some(radius / times))?;
                    let (two, auto) = (request.plan_by(MechanismName::TwoStage)?, request.plan()?);
                    let chosen = usize::from(auto.name() == MechanismName::TwoStage);
                    let expected = [one.error_bound(), two.error_bound()];
                    let mut errors = [const { vec![] }; 2];
                    for trial in 0..trials {
                        let cluster = Cluster::new(space, n, radius / times, radius, generator)?;
                        let mut context = ReleaseContext::seeded(trial);
                        for (errors, plan) in errors.iter_mut().zip([&one, &two]) {
                            errors.push(cluster.off(plan.run(&cluster.points, &mut context)?.value()));
                        }
                    }
                    let [one, two] = errors.map(|errors| mean(&errors));
                    let ratio = expected[1] / two;
                    let words = ["one stage", "two stages"][chosen];
                    let found = [100.0 * one / radius, 100.0 * two / radius];
                    let [e1, e2] = expected.map(|e| 100.0 * e / radius);
                    let is_clear = one.max(two) > 1.1 * one.min(two);
                    let is_wrong = is_clear && (two < one) != (chosen == 1);
                    all += 1;
                    within += i32::from((1.0 / 1.5..1.5).contains(&ratio));
                    clear += i32::from(is_clear);
                    wrong += i32::from(is_wrong);
                    println!(
                        "| `{space}` | {n} | {name} | {times} | {e1:.3} | {:.3} | {e2:.3} | {:.3} | {ratio:.2} | {words}{} |",
                        found[0],
                        found[1],
                        if is_wrong { " (wrong)" } else { "" }
                    );
                }
            }
        }
    }
    println!("\n{within} of {all} within a factor of 1.5; {wrong} of {clear} choices with 10 % to gain are wrong");
    Ok(())
}

/// Errors for other shares of the budget over those of the usual ones: 2,000 records in a ball ten times as wide as
/// they are.
fn shares(generator: &mut Generator) -> Result<()> {
    let all = [(0.1, 0.7), (0.15, 0.7), (0.25, 0.5), (0.25, 0.7), (0.25, 0.85), (0.4, 0.7)];
    let names = all.map(|(location, center)| format!("{location}, {center}")).join(" | ");
    println!("\n| space | budget | {names} |");
    println!("| --- | --- |{}", " --- |".repeat(all.len()));
    for (space, radius) in SPACES {
        for (name, budget) in [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)] {
            let mut errors = [const { vec![] }; 6];
            for trial in 0..40 {
                let cluster = Cluster::new(space, 2_000, 0.1 * radius, radius, generator)?;
                for (errors, (location, center)) in errors.iter_mut().zip(all) {
                    errors.push(cluster.shared(
                        budget,
                        LocationBudget { location, center },
                        &mut ReleaseContext::seeded(trial),
                    )?);
                }
            }
            let usual = mean(&errors[3]);
            let ratios = errors.map(|errors| format!("{:.2}", mean(&errors) / usual)).join(" | ");
            println!("| `{space}` | {name} | {ratios} |");
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut generator = Generator::seeded(1);
    compare(&mut generator)?;
    shares(&mut generator)
}
