//! How often do ellipsoids from private second moments hold the mean of a population, and how wide are they compared
//! with the balls? Prints a table of the user guide's chapter on spread. The records are made up.
//!
//! `cargo run --release -p karcher --example ellipsoids`

use karcher::mechanism::{Components, Denoise, PrivateFrechetMean, Request, Spread};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// Data sets of each setting.
const DATA_SETS: u64 = 1_000;

/// Records that stand for a population.
const MANY: usize = 200_000;

/// Spaces, radii of the ball, standard deviations of the population along one axis of the frame and along the others.
const SETTINGS: [(&str, f64, [f64; 2]); 5] = [
    ("euclidean:2", 1.0, [0.3, 0.03]),
    ("sphere:2", 1.0, [0.3, 0.03]),
    ("hyperbolic:2", 1.0, [0.3, 0.03]),
    ("spd-affine-invariant:2", 1.5, [0.4, 0.1]),
    ("kendall:4", 0.5, [0.1, 0.02]),
];

/// How far from the center of the ball the population's mean is, in radii.
const PLACES: [f64; 2] = [0.0, 0.5];

fn main() -> Result<()> {
    println!("| space | radius | deviations | n | budget | at the center | halfway |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, radius, deviations) in SETTINGS {
        for (n, budget, words) in [
            (1_000, Guarantee::pure(1.0)?, "ε = 1"),
            (1_000, Guarantee::gaussian(1.0)?, "μ = 1"),
            (20_000, Guarantee::pure(1.0)?, "ε = 1"),
            (20_000, Guarantee::gaussian(1.0)?, "μ = 1"),
        ] {
            let cells = PLACES.map(|place| covered(name, radius, deviations, place, n, budget));
            let cells = cells.into_iter().collect::<Result<Vec<String>>>()?;
            let [one, others] = deviations;
            println!("| `{name}` | {radius} | {one}, {others} | {n} | {words} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

/// Coverage of the mean of the clipped population by ellipsoids, in per cent. Then three medians: of their smallest and
/// of their largest semi-axis, and of the radius of the spread's ball for the same budget.
fn covered(
    name: &str,
    radius: f64,
    [one, others]: [f64; 2],
    place: f64,
    n: usize,
    budget: Guarantee,
) -> Result<String> {
    let manifold = name.parse::<Space>()?.manifold()?;
    let ball = Ball::at_origin(&*manifold, radius)?;
    let offset: Vec<f64> = (0..manifold.dim()).map(|i| if i == 0 { place * radius } else { 0.0 }).collect();
    let truth = at(&*manifold, ball.center(), &offset);
    let mean = PrivateFrechetMean::new(manifold.clone(), ball.clone())?.denoise(Some(Denoise::None));
    let request = Request::new(mean, n, budget);
    let asked = Components { clip: Some(2.2 * radius) };
    let (with_components, with_spread) =
        (request.clone().components(Some(asked)).plan()?, request.spread(Some(Spread::default())).plan()?);
    let sample = |n: usize, seed: u64| {
        let mut generator = Generator::seeded(seed);
        let values = (0..n).flat_map(|_| {
            let deviation = |i: usize| if i == 0 { one } else { others };
            let v: Vec<f64> =
                (0..manifold.dim()).map(|i| deviation(i) * generator.sample::<f64, _>(StandardNormal)).collect();
            at(&*manifold, &truth, &v)
        });
        Points::new(&*manifold, values.collect())
    };
    let large = ball.clip_all(&*manifold, &sample(MANY, DATA_SETS)?)?;
    let clipped_truth = FrechetMean::new(&*manifold).fit(large.view())?;
    let one = |seed: u64| -> Result<Option<(bool, [f64; 3])>> {
        let records = sample(n, seed)?;
        let release = with_components.run(&records, &mut ReleaseContext::seeded(seed))?;
        let in_ball = with_spread.run(&records, &mut ReleaseContext::seeded(seed))?;
        let round = in_ball.spread().and_then(|spread| spread.population_region).map(|region| region.radius);
        let Some(components) = release.components() else { return Ok(None) };
        let Some(region) = &components.population_region else { return Ok(None) };
        let holds = components.population_holds(&*manifold, release.value(), &clipped_truth);
        let smallest = region.semi_axes.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let largest = region.semi_axes.iter().fold(0.0, |a: f64, b| a.max(*b));
        Ok(holds.map(|holds| (holds, [smallest, largest, round.unwrap_or(f64::NAN)])))
    };
    let all = (0..DATA_SETS).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
    let found: Vec<_> = all.into_iter().flatten().collect();
    if found.is_empty() {
        return Ok("–".to_owned());
    }
    let held = found.iter().filter(|(held, _)| *held).count() as f64 / found.len() as f64;
    let median = |which: usize| {
        let mut lengths: Vec<f64> = found.iter().map(|(_, lengths)| lengths[which]).collect();
        lengths.sort_by(f64::total_cmp);
        lengths[lengths.len() / 2]
    };
    Ok(format!("{:.1} ({:.3} to {:.3}; {:.3})", 100.0 * held, median(0), median(1), median(2)))
}

/// The end of the geodesic from a point with a velocity in coordinates of the frame there.
fn at(manifold: &dyn Manifold, p: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut out) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    manifold.from_frame(p, coordinates, &mut v);
    manifold.exp(p, &v, &mut out);
    out
}
