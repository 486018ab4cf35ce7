//! How often do regions hold what they are for? Prints the tables of the user guide's chapter on spread. The records
//! are made up.
//!
//! `cargo run --release -p karcher --example coverage`

use karcher::mechanism::{PrivateFrechetMean, Request, Spread};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::{Region, RegionCenter, Release};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// Data sets of each setting.
const DATA_SETS: u64 = 1_000;

/// Records that stand for a population.
const MANY: usize = 200_000;

/// Standard deviations of a population along the axes of a frame: alike, or nearly all along one axis.
#[derive(Clone, Copy)]
enum Population {
    Round(f64),
    Long(f64),
}

/// Spaces, radii of the ball, populations.
const SETTINGS: [(&str, f64, Population); 9] = [
    ("euclidean:1", 1.0, Population::Round(0.3)),
    ("euclidean:2", 1.0, Population::Round(0.2)),
    ("euclidean:10", 1.0, Population::Round(0.1)),
    ("sphere:2", 1.0, Population::Round(0.2)),
    ("sphere:2", 1.3, Population::Round(0.45)),
    ("sphere:2", 1.0, Population::Long(0.3)),
    ("hyperbolic:2", 1.0, Population::Round(0.2)),
    ("kendall:5", 0.5, Population::Round(0.06)),
    ("spd-affine-invariant:2", 1.5, Population::Round(0.3)),
];

/// How far from the center of the ball the population's mean is, in radii.
const PLACES: [f64; 3] = [0.0, 0.5, 0.9];

fn main() -> Result<()> {
    println!("| space | radius | deviation | n | budget | at the center | halfway | at 0.9 r |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, radius, population) in SETTINGS {
        for (n, budget, words) in [
            (50, Guarantee::pure(1.0)?, "ε = 1"),
            (500, Guarantee::pure(1.0)?, "ε = 1"),
            (500, Guarantee::gaussian(1.0)?, "μ = 1"),
            (5_000, Guarantee::pure(1.0)?, "ε = 1"),
        ] {
            let cells = PLACES.map(|place| covered(name, radius, population, place, n, budget));
            let cells = cells.into_iter().collect::<Result<Vec<String>>>()?;
            let (about, deviation) = match population {
                Population::Round(deviation) => ("", deviation),
                Population::Long(deviation) => (" along one axis", deviation),
            };
            println!("| `{name}` | {radius} | {deviation}{about} | {n} | {words} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

/// Coverage of regions in per cent, and median radii. The regions are for the means of the clipped records, of the
/// clipped population and, with the bound of the clipping bias, of the population.
fn covered(name: &str, radius: f64, population: Population, place: f64, n: usize, budget: Guarantee) -> Result<String> {
    let manifold = name.parse::<Space>()?.manifold()?;
    let ball = Ball::at_origin(&*manifold, radius)?;
    // not along an axis of the frame
    let direction: Vec<f64> = (0..manifold.dim()).map(|i| 1.0 + 0.3 * i as f64).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    let offset: Vec<f64> = direction.iter().map(|x| x * place * radius / length).collect();
    let truth = at(&*manifold, ball.center(), &offset);
    let mean = PrivateFrechetMean::new(manifold.clone(), ball.clone())?;
    let plan = Request::new(mean, n, budget).spread(Some(Spread::default())).plan()?;
    let sample = |n: usize, seed: u64| {
        let mut generator = Generator::seeded(seed);
        let values = (0..n).flat_map(|_| {
            let deviation = |i: usize| match population {
                Population::Round(deviation) => deviation,
                Population::Long(deviation) => deviation * if i == 0 { 1.0 } else { 0.1 },
            };
            let v: Vec<f64> =
                (0..manifold.dim()).map(|i| deviation(i) * generator.sample::<f64, _>(StandardNormal)).collect();
            at(&*manifold, &truth, &v)
        });
        Points::new(&*manifold, values.collect())
    };
    let large = ball.clip_all(&*manifold, &sample(MANY, DATA_SETS)?)?;
    let clipped_truth = FrechetMean::new(&*manifold).fit(large.view())?;
    let one = |seed: u64| -> Result<[Option<(bool, f64)>; 3]> {
        let records = sample(n, seed)?;
        let clipped = ball.clip_all(&*manifold, &records)?;
        let exact = FrechetMean::new(&*manifold).fit(clipped.view())?;
        let release = plan.run(&records, &mut ReleaseContext::seeded(seed))?;
        let holds = |region: &Region, what: &[f64], more: f64| {
            let radius = region.radius + more;
            (manifold.dist(about(&release, region), what) <= radius, radius)
        };
        let spread = release.spread();
        let population = spread.and_then(|spread| spread.population_region);
        let clipping = spread.and_then(|spread| spread.clipping).unwrap_or(f64::INFINITY);
        Ok([
            release.region().map(|region| holds(region, &exact, 0.0)),
            population.map(|region| holds(&region, &clipped_truth, 0.0)),
            population.map(|region| holds(&region, &truth, clipping)),
        ])
    };
    let all = (0..DATA_SETS).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
    let words = [0, 1, 2].map(|which| {
        let found: Vec<(bool, f64)> = all.iter().filter_map(|both| both[which]).collect();
        if found.is_empty() {
            return "–".to_owned();
        }
        let held = found.iter().filter(|(held, _)| *held).count() as f64 / found.len() as f64;
        let mut radii: Vec<f64> = found.iter().map(|(_, radius)| *radius).collect();
        radii.sort_by(f64::total_cmp);
        format!("{:.1} ({:.3})", 100.0 * held, radii[radii.len() / 2])
    });
    Ok(words.join(", "))
}

fn about<'a>(release: &'a Release, region: &Region) -> &'a [f64] {
    match region.center {
        RegionCenter::NoisyValue => release.noisy_value().unwrap_or(release.value()),
        _ => release.value(),
    }
}

/// The end of the geodesic from a point with a velocity in coordinates of the frame there.
fn at(manifold: &dyn Manifold, p: &[f64], coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut out) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    manifold.from_frame(p, coordinates, &mut v);
    manifold.exp(p, &v, &mut out);
    out
}
