//! The error of a mean without a ball (docs/proofs/extrinsic.md). It is compared with means in a good ball, in a ball
//! whose center is off, and in one that is far too wide. The last ball is located with a part of the budget.
//!
//! ```sh
//! cargo run --release -p karcher --example means_without_a_ball
//! ```

use karcher::mechanism::{LocatedMean, Plan, PrivateExtrinsicMean, PrivateFrechetMean, PrivateLocation, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use std::sync::Arc;

/// Releases for each error.
const RELEASES: u64 = 100;

/// Spaces, and root mean square distances of the records from their center.
const SETTINGS: [(&str, f64); 8] = [
    ("sphere:2", 0.2),
    ("sphere:2", 0.6),
    ("sphere:50", 0.5),
    ("projective:2", 0.2),
    ("projective:2", 0.5),
    ("rotations:3", 0.3),
    ("kendall:10", 0.2),
    ("kendall:50", 0.1),
];

fn main() -> Result<()> {
    println!(
        "| space | spread | n | budget | no ball | good ball | ball off center | wide ball | located ball | two means |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (space, spread) in SETTINGS {
        for n in [300, 3_000, 10_000] {
            let records = Cluster::new(space, spread, n)?;
            records.row("ε = 1", Guarantee::pure(1.0)?)?;
            if n == 3_000 {
                records.row("ε = 0.1", Guarantee::pure(0.1)?)?;
                records.row("μ = 1", Guarantee::gaussian(1.0)?)?;
            }
        }
    }
    Ok(())
}

/// Normal records around the origin, and their two means without privacy.
struct Cluster {
    manifold: Arc<dyn Manifold>,
    spread: f64,
    points: Points,
    extrinsic: Vec<f64>,
    frechet: Vec<f64>,
}

impl Cluster {
    fn new(space: &str, spread: f64, n: usize) -> Result<Self> {
        let manifold = space.parse::<Space>()?.manifold()?;
        let center = origin(&*manifold);
        let law = Isotropic::new(manifold.clone(), Law::Gaussian, spread / (manifold.dim() as f64).sqrt())?;
        let (mut generator, mut values) = (Generator::seeded(7), vec![0.0; n * center.len()]);
        for x in values.chunks_exact_mut(center.len()) {
            law.sample(&center, &mut generator, x)?;
        }
        let points = Points::new(&*manifold, values)?;
        // with a budget that hides nothing
        let request = Request::new(PrivateExtrinsicMean::new(manifold.clone())?, n, Guarantee::pure(1e9)?);
        let extrinsic = request.plan()?.run(&points, &mut ReleaseContext::seeded(1))?.value().to_vec();
        let frechet = FrechetMean::new(&*manifold).start(&center).fit(points.view())?;
        Ok(Self { manifold, spread, points, extrinsic, frechet })
    }

    fn row(&self, words: &str, budget: Guarantee) -> Result<()> {
        let Self { manifold, spread, points, .. } = self;
        let n = points.len();
        let request = Request::new(PrivateExtrinsicMean::new(manifold.clone())?, n, budget);
        let without = self.error(&*request.plan()?, &self.extrinsic)?;
        // twice the spread holds 95 % of the records, or so
        let good = self.in_ball(0.0, 2.0 * spread, budget)?;
        let off = self.in_ball(2.0 * spread, 2.0 * spread, budget)?;
        let wide = self.in_ball(0.0, f64::INFINITY, budget)?;
        let located = self.located(budget)?;
        let apart = manifold.dist(&self.extrinsic, &self.frechet).to_degrees();
        println!(
            "| `{}` | {spread} | {n} | {words} | {without} | {good} | {off} | {wide} | {located} | {apart:.3}° |",
            manifold.space()
        );
        Ok(())
    }

    /// In a ball whose center is `off` from that of the records, no wider than a mean can be released in.
    fn in_ball(&self, off: f64, radius: f64, budget: Guarantee) -> Result<String> {
        let (m, center) = (&self.manifold, origin(&*self.manifold));
        let mut coordinates = vec![0.0; m.dim()];
        coordinates[0] = off;
        let (mut v, mut at) = (center.clone(), center.clone());
        m.from_frame(&center, &coordinates, &mut v);
        m.exp(&center, &v, &mut at);
        let largest = 0.45 * m.injectivity_radius();
        let mean = PrivateFrechetMean::new(m.clone(), Ball::new(&**m, at, radius.min(largest))?)?;
        match Request::new(mean, self.points.len(), budget).plan() {
            Ok(plan) => self.error(&*plan, &self.frechet),
            Err(_) => Ok("–".to_owned()),
        }
    }

    fn located(&self, budget: Guarantee) -> Result<String> {
        let m = &self.manifold;
        let whole = PrivateLocation::new(m.clone(), Ball::at_origin(&**m, m.diameter())?)?;
        let mean = PrivateFrechetMean::new(m.clone(), whole.ball().clone())?;
        match LocatedMean::new(&whole, &Request::new(mean, self.points.len(), budget), None) {
            Ok(plan) => self.error(&plan, &self.frechet),
            Err(_) => Ok("–".to_owned()),
        }
    }

    /// The root mean square distance from a mean without privacy, in degrees.
    fn error(&self, plan: &dyn Plan, truth: &[f64]) -> Result<String> {
        let mut square = 0.0;
        for seed in 0..RELEASES {
            let release = plan.run(&self.points, &mut ReleaseContext::seeded(seed))?;
            square += self.manifold.dist(release.value(), truth).powi(2);
        }
        let error = (square / RELEASES as f64).sqrt().to_degrees();
        Ok(format!("{error:.*}°", if error < 1.0 { 3 } else { 1 }))
    }
}

fn origin(manifold: &dyn Manifold) -> Vec<f64> {
    let mut center = vec![0.0; manifold.point_len()];
    manifold.origin(&mut center);
    center
}
