//! How often does the comparison of two groups find a difference? Prints the table of the user guide's chapter on
//! spread. The records are made up.
//!
//! `cargo run --release -p karcher --example two_groups`

use karcher::mechanism::{Plan, PrivateFrechetMean, Request, Spread};
use karcher::privacy::Guarantee;
use karcher::release::{PublishedRelease, compare};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// Pairs of groups of each setting.
const PAIRS: u64 = 1_000;

/// Spaces, radii of the ball, standard deviations along the axes of a frame, and whether all but the first are small.
const SETTINGS: [(&str, f64, f64, bool); 7] = [
    ("euclidean:1", 1.0, 0.3, false),
    ("euclidean:10", 1.0, 0.1, false),
    ("sphere:2", 1.0, 0.2, false),
    ("sphere:2", 1.0, 0.3, true),
    ("hyperbolic:2", 1.0, 0.2, false),
    ("kendall:5", 0.5, 0.06, false),
    ("spd-affine-invariant:2", 1.5, 0.3, false),
];

/// By how many standard deviations along an axis the means of the two populations differ.
const SHIFTS: [f64; 4] = [0.0, 0.1, 0.25, 0.5];

fn main() -> Result<()> {
    println!("| space | radius | deviation | n | budget | equal | 0.1 | 0.25 | 0.5 |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, radius, deviation, long) in SETTINGS {
        for (n, budget, words) in [
            (200, Guarantee::pure(1.0)?, "ε = 1"),
            (1_000, Guarantee::pure(1.0)?, "ε = 1"),
            (1_000, Guarantee::gaussian(1.0)?, "μ = 1"),
            (5_000, Guarantee::pure(1.0)?, "ε = 1"),
        ] {
            let manifold = name.parse::<Space>()?.manifold()?;
            let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, radius)?)?;
            let plan = Request::new(mean, n, budget).spread(Some(Spread::default())).plan()?;
            let groups = Groups { manifold: &*manifold, plan: &*plan, n, deviation, long };
            let cells = SHIFTS.map(|shift| groups.found(shift).map(|share| format!("{:.1}", 100.0 * share)));
            let cells = cells.into_iter().collect::<Result<Vec<String>>>()?;
            let along = if long { " along one axis" } else { "" };
            println!("| `{name}` | {radius} | {deviation}{along} | {n} | {words} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

struct Groups<'a> {
    manifold: &'a dyn Manifold,
    plan: &'a dyn Plan,
    n: usize,
    deviation: f64,
    long: bool,
}

impl Groups<'_> {
    /// The share of pairs of groups in which a difference is found, if the second is shifted along the first axis.
    fn found(&self, shift: f64) -> Result<f64> {
        let pair = |seed: u64| -> Result<bool> {
            let groups = [(0.0, 2 * seed), (shift, 2 * seed + 1)];
            let [a, b] = groups.map(|(shift, seed)| self.released(shift, seed));
            Ok(compare(&a?, &b?)?.differ)
        };
        let all = (0..PAIRS).into_par_iter().map(pair).collect::<Result<Vec<bool>>>()?;
        Ok(all.iter().filter(|differ| **differ).count() as f64 / all.len() as f64)
    }

    /// The release about a group of people.
    fn released(&self, shift: f64, seed: u64) -> Result<PublishedRelease> {
        let mut generator = Generator::seeded(seed);
        let mut origin = vec![0.0; self.manifold.point_len()];
        self.manifold.origin(&mut origin);
        let moved: Vec<f64> =
            (0..self.manifold.dim()).map(|i| if i == 0 { shift * self.deviation } else { 0.0 }).collect();
        let center = at(self.manifold, &origin, &moved);
        let values = (0..self.n).flat_map(|_| {
            let deviation = |i: usize| self.deviation * if self.long && i > 0 { 0.1 } else { 1.0 };
            let v: Vec<f64> =
                (0..self.manifold.dim()).map(|i| deviation(i) * generator.sample::<f64, _>(StandardNormal)).collect();
            at(self.manifold, &center, &v)
        });
        let records = Points::new(self.manifold, values.collect())?;
        Ok(self.plan.run(&records, &mut ReleaseContext::seeded(seed))?.into())
    }
}

/// The end of the geodesic from a point with a velocity in coordinates of the frame there.
fn at(manifold: &dyn Manifold, p: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut out) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    manifold.from_frame(p, coordinates, &mut v);
    manifold.exp(p, &v, &mut out);
    out
}
