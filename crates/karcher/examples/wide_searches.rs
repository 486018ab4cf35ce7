//! Means in located balls where the search is wide, on spaces of all curvatures: what a rehearsal expects against what
//! is found with made-up clusters (docs/proofs/ball.md).
//!
//! ```sh
//! cargo run --release -p karcher --example wide_searches              # some minutes
//! cargo run --release -p karcher --example wide_searches hyperbolic   # spaces whose names contain that
//! cargo run --release -p karcher --example wide_searches spd 2000     # with so many records
//! ```

use karcher::mechanism::{Plan, PrivateFrechetMean, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::MechanismName;
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use rand_distr::{Distribution, StandardNormal};

/// Spaces, and the number of records for them.
const SPACES: [(&str, usize); 6] = [
    ("euclidean:2", 2_000),
    ("sphere:2", 2_000),
    ("hyperbolic:2", 2_000),
    ("hyperbolic:5", 10_000),
    ("spd-affine-invariant:2", 4_000),
    ("spd-affine-invariant:3", 8_000),
];

/// How far the search goes, and of that where the clusters lie.
const WITHIN: [f64; 4] = [1.0, 3.0, 10.0, 20.0];
const FAR: f64 = 0.8;

/// The root mean square distance of a cluster from its middle, and its largest share of the radius.
const SPREAD: f64 = 0.28;
const WIDEST: f64 = 0.1;

const TRIALS: u64 = 40;

/// `Exp` of a vector given by its coordinates.
fn from(manifold: &dyn Manifold, point: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut x) = (vec![0.0; point.len()], vec![0.0; point.len()]);
    manifold.from_frame(point, coordinates, &mut v);
    manifold.exp(point, &v, &mut x);
    manifold.normalize(&mut x);
    x
}

/// Normal coordinates of a given root mean square length.
fn normal(d: usize, length: f64, generator: &mut Generator) -> Vec<f64> {
    let deviation = length / (d as f64).sqrt();
    (0..d).map(|_| deviation * Distribution::<f64>::sample(&StandardNormal, generator)).collect()
}

/// Records around a point in a random direction, and their mean.
fn cluster(ball: &Ball, manifold: &dyn Manifold, n: usize, g: &mut Generator) -> Result<(Points, Vec<f64>)> {
    let d = manifold.dim();
    let mut away = normal(d, 1.0, g);
    let length = away.iter().map(|c| c * c).sum::<f64>().sqrt();
    away.iter_mut().for_each(|c| *c *= FAR * ball.radius() / length);
    let middle = from(manifold, ball.center(), &away);
    let spread = SPREAD.min(WIDEST * ball.radius());
    let values = (0..n).flat_map(|_| from(manifold, &middle, &normal(d, spread, g))).collect();
    let points = Points::new(manifold, values)?;
    let mean = FrechetMean::new(manifold).start(&middle).fit(points.view())?;
    Ok((points, mean))
}

fn main() -> Result<()> {
    let mut generator = Generator::seeded(1);
    println!("| space | n | within | budget | expected | found, mean | median | 90 % below | not found | center |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let budgets = [("ε = 1", Guarantee::pure(1.0)?), ("μ = 1", Guarantee::gaussian(1.0)?)];
    let mut asked = std::env::args().skip(1);
    let (name, count) = (asked.next().unwrap_or_default(), asked.next().and_then(|count| count.parse().ok()));
    for (space, n) in SPACES.into_iter().filter(|(space, _)| space.contains(&name)) {
        let n = count.unwrap_or(n);
        let manifold = space.parse::<Space>()?.manifold()?;
        for within in WITHIN.into_iter().filter(|within| *within <= manifold.diameter()) {
            let ball = Ball::at_origin(&*manifold, within)?;
            let spread = SPREAD.min(WIDEST * within);
            for (name, budget) in budgets {
                let mean = PrivateFrechetMean::new(manifold.clone(), ball.clone())?;
                let request = Request::new(mean, n, budget).expected_spread(Some(spread))?;
                let plan = request.plan_by(MechanismName::TwoStage)?;
                let (mut errors, mut by) = (vec![], "");
                for trial in 0..TRIALS {
                    let (points, mean) = cluster(&ball, &*manifold, n, &mut generator)?;
                    let release = plan.run(&points, &mut ReleaseContext::seeded(trial))?;
                    errors.push(manifold.dist(&mean, release.value()));
                    by = release.provenance().located.as_ref().map_or("", |located| located.ball.center_method.name());
                }
                errors.sort_unstable_by(f64::total_cmp);
                let average = errors.iter().sum::<f64>() / TRIALS as f64;
                let [median, most] = [50, 90].map(|share| errors[errors.len() * share / 100]);
                let lost = errors.iter().filter(|error| **error > spread).count();
                println!(
                    "| `{space}` | {n} | {within} | {name} | {:.4} | {average:.4} | {median:.4} | {most:.4} | \
                     {lost} of {TRIALS} | {by} |",
                    plan.expected_distance()
                );
            }
        }
    }
    Ok(())
}
