//! How many steps should a private Karcher flow take? Prints the table of the user guide's chapter on mechanisms.
//!
//! `cargo run --release -p karcher --example karcher_flow_steps`

use karcher::mechanism::{KarcherFlow, Plan, PrivateFrechetMean};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use std::sync::Arc;

const RUNS: usize = 400;

fn main() -> Result<()> {
    println!("| space | radius | n | steps | noise announced | bias bound | observed distance to the mean |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, radius, n) in [
        ("sphere:2", 0.8, 100),
        ("sphere:2", 0.8, 10_000),
        ("spd-affine-invariant:3", 2.0, 300),
        ("spd-affine-invariant:3", 2.0, 30_000),
        ("kendall:10", 0.4, 300),
        ("kendall:10", 0.4, 30_000),
    ] {
        let space: Space = name.parse()?;
        let manifold = space.manifold()?;
        let ball = Ball::at_origin(&*manifold, radius)?;
        let records = cloud(&manifold, n, radius)?;
        let clipped = ball.clip_all(&*manifold, &records)?;
        let mean = FrechetMean::new(&*manifold).start(ball.center()).fit(clipped.view())?;
        let budget = Guarantee::approximate(1.0, 1e-6)?;
        let private = PrivateFrechetMean::new(Arc::clone(&manifold), ball)?;
        let best = KarcherFlow::new(&private, n, budget)?.steps().len();
        for steps in [1, 2, 3, 5] {
            let flow = KarcherFlow::with_steps(&private, n, budget, steps)?;
            let mut context = ReleaseContext::seeded(1);
            let mut sum = 0.0;
            let runs = if n > 1000 { RUNS / 10 } else { RUNS };
            for _ in 0..runs {
                sum += manifold.dist(flow.run(&records, &mut context)?.value(), &mean);
            }
            let chosen = if steps == best { " (chosen)" } else { "" };
            println!(
                "| {name} | {radius} | {n} | {steps}{chosen} | {:.4} | {:.4} | {:.4} |",
                flow.expected_distance(),
                flow.bias_bound(),
                sum / runs as f64
            );
        }
    }
    Ok(())
}

/// Records around a point half a radius away from the ball's center.
fn cloud(manifold: &Arc<dyn Manifold>, n: usize, radius: f64) -> Result<Points> {
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let mut coordinates = vec![0.0; manifold.dim()];
    coordinates[0] = 0.5 * radius;
    let (mut v, mut center) = (origin.clone(), origin.clone());
    manifold.from_frame(&origin, &coordinates, &mut v);
    manifold.exp(&origin, &v, &mut center);
    let law = Isotropic::new(Arc::clone(manifold), Law::Gaussian, 0.4 * radius / (manifold.dim() as f64).sqrt())?;
    let mut generator = Generator::seeded(2);
    let mut values = vec![0.0; n * center.len()];
    for draw in values.chunks_exact_mut(center.len()) {
        law.sample(&center, &mut generator, draw)?;
    }
    Ok(Points::new(manifold, values)?)
}
