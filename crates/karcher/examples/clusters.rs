//! The cost of private k-means over that of k-means without privacy, on made-up clusters.

use karcher::manifold::Euclidean;
use karcher::mechanism::{Plan, PrivateKMeans, Request};
use karcher::{Ball, Points, ReleaseContext, privacy::Guarantee, release::MechanismName, spec::Clusters};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// A point of length 1 at most, uniform in the ball of a radius.
fn uniform(d: usize, radius: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let direction: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
    let length = radius * rng.random::<f64>().powf(1.0 / d as f64) / karcher::vector::norm(&direction);
    direction.iter().map(|x| x * length).collect()
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The mean of squared distances to the nearest center.
fn cost(points: &[Vec<f64>], centers: &[Vec<f64>]) -> f64 {
    let nearest = |x: &Vec<f64>| centers.iter().map(|m| square(x, m)).fold(f64::INFINITY, f64::min);
    points.iter().map(nearest).sum::<f64>() / points.len() as f64
}

/// Lloyd's algorithm from the true centers.
fn lloyd(points: &[Vec<f64>], mut centers: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let d = centers[0].len();
    for _ in 0..30 {
        let mut sums = vec![(0.0, vec![0.0; d]); centers.len()];
        for x in points {
            let place = (0..centers.len()).min_by(|i, j| square(x, &centers[*i]).total_cmp(&square(x, &centers[*j])));
            let sum = &mut sums[place.unwrap_or(0)];
            sum.0 += 1.0;
            sum.1.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        }
        for (center, (number, sum)) in centers.iter_mut().zip(&sums).filter(|(_, (number, _))| *number > 0.0) {
            *center = sum.iter().map(|s| s / number).collect();
        }
    }
    centers
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs = std::env::args().nth(1).map_or(Ok(20), |runs| runs.parse())?;
    println!("|  n | d | k | μ or ε | steps 2 | 3 | 4 | 6 | public starts |");
    for (n, d, k, spread) in
        [(300, 2, 3, 0.1), (1_000, 2, 5, 0.1), (1_000, 8, 5, 0.2), (20_000, 2, 15, 0.08), (20_000, 10, 10, 0.2)]
    {
        let space = Arc::new(Euclidean::new(d)?);
        for budget in
            [Guarantee::gaussian(0.5)?, Guarantee::gaussian(1.0)?, Guarantee::pure(1.0)?, Guarantee::pure(4.0)?]
        {
            let mut ratios = vec![];
            for (steps, given) in [(2, false), (3, false), (4, false), (6, false), (3, true)] {
                let mut all = 0.0;
                for run in 0..runs {
                    let mut rng = ChaCha8Rng::seed_from_u64(run);
                    let truth: Vec<Vec<f64>> = (0..k).map(|_| uniform(d, 0.8, &mut rng)).collect();
                    let point = |rng: &mut ChaCha8Rng| {
                        let noise = spread / (d as f64).sqrt();
                        let center = &truth[rng.random_range(0..k)];
                        center.iter().map(|m| m + noise * rng.sample::<f64, _>(StandardNormal)).collect::<Vec<f64>>()
                    };
                    let points: Vec<Vec<f64>> = (0..n).map(|_| point(&mut rng)).collect();
                    let mut clusters = Clusters::new(k);
                    clusters.centers = given.then(|| (0..k).map(|_| uniform(d, 0.6, &mut rng)).collect());
                    let ball = Ball::at_origin(&*space, 1.0)?;
                    let clusters = PrivateKMeans::new(space.clone(), ball, clusters)?;
                    let plan = Request::new(clusters, n, budget).steps(Some(steps)).plan_by(MechanismName::Lloyd)?;
                    let release = plan.run(&Points::new(&*space, points.concat())?, &mut ReleaseContext::from_os()?)?;
                    let found = release.clusters().ok_or("no clusters")?;
                    let centers: Vec<Vec<f64>> = found.clusters.iter().map(|c| c.center.clone()).collect();
                    all += cost(&points, &centers) / cost(&points, &lloyd(&points, truth));
                }
                ratios.push(format!("{:.2}", all / runs as f64));
            }
            println!("| {n} | {d} | {k} | {budget} | {} |", ratios.join(" | "));
        }
    }
    Ok(())
}
