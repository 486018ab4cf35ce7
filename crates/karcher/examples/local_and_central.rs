//! The cost of the local model, over the number of people. Compares the error of the mean if all people add the noise
//! at home with that of a curator who adds it once.
//!
//! ```sh
//! cargo run --release -p karcher --example local_and_central
//! ```

use karcher::manifold::Manifold;
use karcher::mechanism::{Plan, PrivateFrechetMean, Randomizer, Request, collect};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Points, ReleaseContext, Space};
use std::sync::Arc;

/// Releases whose errors are averaged.
const RUNS: u64 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| space, radius | n | central | local | announced | bias at most | local, part of the radius |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, radius) in [("sphere:2", 0.7), ("spd-log-euclidean:3", 1.5)] {
        for n in [100, 1_000, 10_000, 100_000] {
            row(name, radius, n)?;
        }
    }
    Ok(())
}

fn row(name: &str, radius: f64, n: usize) -> Result<(), Box<dyn std::error::Error>> {
    let space: Arc<dyn Manifold> = name.parse::<Space>()?.manifold()?;
    let ball = Ball::at_origin(&*space, radius)?;
    let budget = Guarantee::pure(1.0)?;
    let points = people(&space, &ball, n)?;
    let mean = FrechetMean::new(&*space).fit(ball.clip_all(&*space, &points)?.view())?;

    let plan = Request::new(PrivateFrechetMean::new(space.clone(), ball.clone())?, n, budget).plan()?;
    let randomizer = Randomizer::new(space.clone(), ball, budget)?;
    let (mut central, mut local, mut event, mut bias) = (0.0, 0.0, 0.0, None);
    for run in 0..RUNS {
        let release = plan.run(&points, &mut ReleaseContext::seeded(run))?;
        central += space.dist(release.value(), &mean) / RUNS as f64;
        let mut context = ReleaseContext::seeded(1_000 + run);
        let mut reports = Vec::with_capacity(n);
        for record in points.view().chunks(1) {
            reports.push(randomizer.run(&record, &mut context)?.into());
        }
        let collected = collect(&reports)?;
        local += space.dist(&collected.value, &mean) / RUNS as f64;
        (event, bias) = (collected.expected_distance, collected.bias_bound);
    }
    let bias = bias.map_or("–".to_owned(), |bias| format!("{bias:.3}"));
    let share = 100.0 * local / radius;
    println!("| `{name}`, {radius} | {n} | {central:.5} | {local:.4} | {event:.4} | {bias} | {share:.0} % |");
    Ok(())
}

/// People about a point halfway to the edge of the ball.
fn people(space: &Arc<dyn Manifold>, ball: &Ball, n: usize) -> Result<Points, Box<dyn std::error::Error>> {
    let mut direction = vec![0.0; space.dim()];
    direction[0] = 0.5 * ball.radius();
    let (mut v, mut middle) = (ball.center().to_vec(), ball.center().to_vec());
    space.from_frame(ball.center(), &direction, &mut v);
    space.exp(ball.center(), &v, &mut middle);
    let law = Isotropic::new(Arc::clone(space), Law::Gaussian, 0.15 * ball.radius())?;
    let mut generator = Generator::seeded(1);
    let mut values = vec![0.0; n * space.point_len()];
    for draw in values.chunks_exact_mut(space.point_len()) {
        law.sample(&middle, &mut generator, draw)?;
    }
    Ok(Points::new(&**space, values)?)
}
