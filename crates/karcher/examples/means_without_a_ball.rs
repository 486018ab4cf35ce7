//! The error of a mean without a ball (docs/proofs/extrinsic.md). It is compared with means in a good ball, in a bad ball,
//! and in a ball that is located with a part of the budget.
//!
//! ```sh
//! cargo run --release -p karcher --example means_without_a_ball
//! ```

use karcher::mechanism::{LocatedMean, Plan, PrivateExtrinsicMean, PrivateFrechetMean, PrivateLocation, Request};
use karcher::privacy::Guarantee;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::statistic::FrechetMean;
use karcher::{Ball, Points, ReleaseContext, Result, Space};

/// Releases for each error.
const RELEASES: u64 = 100;

fn main() -> Result<()> {
    println!("| space | spread | n | no ball | good ball | bad ball | located ball | between the two means |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (space, spread) in [
        ("sphere:2", 0.2),
        ("sphere:2", 0.6),
        ("projective:2", 0.2),
        ("rotations:3", 0.3),
        ("kendall:10", 0.2),
        ("sphere:50", 0.5),
    ] {
        for n in [1_000, 10_000] {
            row(space, spread, n)?;
        }
    }
    Ok(())
}

/// The root mean square error of each mean, against that of the records without privacy, for ε = 1.
fn row(name: &str, spread: f64, n: usize) -> Result<()> {
    let m = name.parse::<Space>()?.manifold()?;
    let budget = Guarantee::pure(1.0)?;
    let mut center = vec![0.0; m.point_len()];
    m.origin(&mut center);
    let law = Isotropic::new(m.clone(), Law::Gaussian, spread / (m.dim() as f64).sqrt())?;
    let mut generator = Generator::seeded(7);
    let mut values = vec![0.0; n * center.len()];
    for x in values.chunks_exact_mut(center.len()) {
        law.sample(&center, &mut generator, x)?;
    }
    let points = Points::new(&*m, values)?;
    let extrinsic = Request::new(PrivateExtrinsicMean::new(m.clone())?, n, Guarantee::pure(1e9)?).plan()?;
    let extrinsic = extrinsic.run(&points, &mut ReleaseContext::seeded(1))?.value().to_vec();
    let frechet = FrechetMean::new(&*m).start(&center).fit(points.view())?;

    let error = |plan: &dyn Plan, truth: &[f64]| -> Result<f64> {
        let mut square = 0.0;
        for seed in 0..RELEASES {
            let release = plan.run(&points, &mut ReleaseContext::seeded(seed))?;
            square += m.dist(release.value(), truth).powi(2);
        }
        Ok((square / RELEASES as f64).sqrt())
    };
    let without = error(&*Request::new(PrivateExtrinsicMean::new(m.clone())?, n, budget).plan()?, &extrinsic)?;
    let largest = 0.45 * m.injectivity_radius();
    let in_ball = |off: f64, radius: f64| -> Result<f64> {
        let mut coordinates = vec![0.0; m.dim()];
        coordinates[0] = off;
        let (mut v, mut at) = (center.clone(), center.clone());
        m.from_frame(&center, &coordinates, &mut v);
        m.exp(&center, &v, &mut at);
        let mean = PrivateFrechetMean::new(m.clone(), Ball::new(&*m, at, radius.min(largest))?)?;
        error(&*Request::new(mean, n, budget).plan()?, &frechet)
    };
    // 95 % of the records, or so; and a ball of that size whose center is off by its radius
    let (good, bad) = (in_ball(0.0, 2.0 * spread)?, in_ball(2.0 * spread, 2.0 * spread)?);
    let whole = PrivateLocation::new(m.clone(), Ball::at_origin(&*m, m.diameter())?)?;
    let request = Request::new(PrivateFrechetMean::new(m.clone(), whole.ball().clone())?, n, budget);
    let located = match LocatedMean::new(&whole, &request, None) {
        Ok(plan) => format!("{:.4}", error(&plan, &frechet)?),
        Err(_) => "–".to_owned(),
    };
    let apart = m.dist(&extrinsic, &frechet);
    println!("| `{name}` | {spread} | {n} | {without:.4} | {good:.4} | {bad:.4} | {located} | {apart:.5} |");
    Ok(())
}
