//! How often does the comparison of groups find a difference? Prints the table of the user guide's chapter on spread.
//! The records are made up.
//!
//! `cargo run --release -p karcher --example two_groups`

use karcher::mechanism::{Components, Plan, PrivateFrechetMean, Request, Spread};
use karcher::privacy::Guarantee;
use karcher::release::{PublishedRelease, Value, compare};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// Pairs of groups of each setting whose distance is computed, and pairs whose thresholds are.
const PAIRS: u64 = 500;
const THRESHOLDS: u64 = 25;

/// Sets of four groups.
const SETS: u64 = 200;

/// The deviation across the first axis, over the one along it.
type Across = f64;

/// Spaces, radii of the ball, standard deviations along the first axis of a frame, deviations across, and whether
/// components are released too.
const SETTINGS: [(&str, f64, f64, Across, bool); 7] = [
    ("euclidean:1", 1.0, 0.3, 1.0, false),
    ("euclidean:3", 1.0, 0.2, 1.0, false),
    ("euclidean:3", 1.0, 0.2, 1.0, true),
    ("sphere:2", 1.0, 0.2, 1.0, false),
    ("sphere:2", 1.0, 0.3, 0.1, false),
    ("spd-affine-invariant:2", 1.5, 0.3, 1.0, false),
    ("rotations:3", 1.0, 0.2, 1.0, false),
];

/// The differences between the means, in standard errors of the difference along an axis.
const SHIFTS: [f64; 2] = [3.0, 6.0];

fn main() -> Result<()> {
    println!("| space | deviations | n | budget | equal | 3 | 6 | four, equal | four, 6 |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, radius, deviation, across, components) in SETTINGS {
        for n in [100, 1_000, 10_000] {
            for (budget, words) in [
                (Guarantee::pure(1.0)?, "ε = 1"),
                (Guarantee::approximate(1.0, 1e-6)?, "ε = 1, δ = 10⁻⁶"),
                (Guarantee::gaussian(1.0)?, "μ = 1"),
            ] {
                let manifold = name.parse::<Space>()?.manifold()?;
                let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, radius)?)?;
                let request = Request::new(mean, n, budget).spread(Some(Spread::default()));
                let plan = request.components(components.then(Components::default)).plan()?;
                let groups = Groups { manifold: &*manifold, plan: &*plan, n, deviation, across };
                let round = if across == 1.0 { String::new() } else { format!(", {:.2}", across * deviation) };
                let shown = if components { "; components" } else { "" };
                println!("| `{name}` | {deviation}{round}{shown} | {n} | {words} | {} |", groups.cells()?.join(" | "));
            }
        }
    }
    Ok(())
}

struct Groups<'a> {
    manifold: &'a dyn Manifold,
    plan: &'a dyn Plan,
    n: usize,
    deviation: f64,
    across: f64,
}

impl Groups<'_> {
    /// How often a difference is found, in per cent: between two groups by their regions and by the comparison, and
    /// between four groups.
    fn cells(&self) -> Result<Vec<String>> {
        let error = (2.0 / self.n as f64).sqrt() * self.deviation;
        let all = |shift: f64, first: u64, many: u64| -> Result<Vec<PublishedRelease>> {
            (first..first + many).into_par_iter().map(|seed| self.released(shift * error, seed)).collect()
        };
        let (some, others) = (all(0.0, 0, PAIRS)?, all(0.0, PAIRS, PAIRS)?);
        let threshold = |i: usize| -> Result<[f64; 2]> {
            let (a, b) = (&some[i], &others[i]);
            let [one, other] = [a, b].map(|release| region(release).unwrap_or(f64::INFINITY));
            Ok([one.hypot(other), compare(&[a, b]).map_or(f64::INFINITY, |compared| compared.threshold)])
        };
        let thresholds = (0..THRESHOLDS as usize).into_par_iter().map(threshold).collect::<Result<Vec<[f64; 2]>>>()?;
        // the distance of one pair and the thresholds of others are independent
        let exceeds = |groups: &[PublishedRelease]| -> Result<String> {
            let distances = some.iter().zip(groups).skip(THRESHOLDS as usize);
            let distances = distances.map(|(a, b)| self.distances(a, b)).collect::<Result<Vec<[f64; 2]>>>()?;
            let share = |i: usize| {
                let exceeded = |threshold: &[f64; 2]| distances.iter().filter(|d| d[i] > threshold[i]).count();
                let count: usize = thresholds.iter().map(exceeded).sum();
                100.0 * count as f64 / (distances.len() * thresholds.len()) as f64
            };
            Ok(format!("{:.1} → {:.1}", share(0), share(1)))
        };
        let mut cells = vec![exceeds(&others)?];
        let shifted = [all(SHIFTS[0], 2 * PAIRS, PAIRS)?, all(SHIFTS[1], 3 * PAIRS, PAIRS)?];
        for groups in &shifted {
            cells.push(exceeds(groups)?);
        }
        for last in [&others, &shifted[1]] {
            let differs = |i: usize| {
                let groups = [&some[2 * i], &some[2 * i + 1], &others[2 * i], &last[2 * i + 1]];
                compare(&groups).is_ok_and(|compared| compared.differ)
            };
            let found = (0..SETS as usize).into_par_iter().filter(|i| differs(*i)).count();
            cells.push(format!("{:.1}", 100.0 * found as f64 / SETS as f64));
        }
        Ok(cells)
    }

    /// The distance between two points on the space, and in normal coordinates at the center of the ball.
    fn distances(&self, a: &PublishedRelease, b: &PublishedRelease) -> Result<[f64; 2]> {
        let mut origin = vec![0.0; self.manifold.point_len()];
        self.manifold.origin(&mut origin);
        let coordinates = |x: &[f64]| -> Result<Vec<f64>> {
            let (mut v, mut coordinates) = (vec![0.0; x.len()], vec![0.0; self.manifold.dim()]);
            self.manifold.log(&origin, x, &mut v)?;
            self.manifold.to_frame(&origin, &v, &mut coordinates);
            Ok(coordinates)
        };
        let (a, b) = (point(a), point(b));
        let (v, w) = (coordinates(a)?, coordinates(b)?);
        let apart = v.iter().zip(&w).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        Ok([self.manifold.dist(a, b), apart])
    }

    /// The release about a group of people.
    fn released(&self, shift: f64, seed: u64) -> Result<PublishedRelease> {
        let mut generator = Generator::seeded(seed);
        let mut origin = vec![0.0; self.manifold.point_len()];
        self.manifold.origin(&mut origin);
        let moved: Vec<f64> = (0..self.manifold.dim()).map(|i| if i == 0 { shift } else { 0.0 }).collect();
        let center = at(self.manifold, &origin, &moved);
        let values = (0..self.n).flat_map(|_| {
            let deviation = |i: usize| self.deviation * if i > 0 { self.across } else { 1.0 };
            let v: Vec<f64> =
                (0..self.manifold.dim()).map(|i| deviation(i) * generator.sample::<f64, _>(StandardNormal)).collect();
            at(self.manifold, &center, &v)
        });
        let records = Points::new(self.manifold, values.collect())?;
        Ok(self.plan.run(&records, &mut ReleaseContext::seeded(seed))?.into())
    }
}

/// The radius of the region for the mean of the population.
fn region(release: &PublishedRelease) -> Option<f64> {
    let Value::Point(point) = &release.value else { return None };
    point.spread.as_ref()?.population_region.map(|region| region.radius)
}

/// The point that is tested: before noise was projected or shrunk.
fn point(release: &PublishedRelease) -> &[f64] {
    match &release.value {
        Value::Point(point) => point.noisy_value.as_ref().unwrap_or(&point.value),
        _ => &[],
    }
}

/// The end of the geodesic from a point with a velocity in coordinates of the frame there.
fn at(manifold: &dyn Manifold, p: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut out) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    manifold.from_frame(p, coordinates, &mut v);
    manifold.exp(p, &v, &mut out);
    out
}
