//! The K-norm gradient mechanism against its density, integrated here on a grid around the mean.
//!
//! Kolmogorov–Smirnov tests reject at `√n·D > 2.8`: a correct sampler fails one with probability 3.1e-7 (two samples:
//! the same with `√(nm/(n+m))·D`). Power checks, for the test against the density: the law whose scale is 10 % larger,
//! and the law without its support, must be rejected. Seeds are fixed.

use crate::common::{at, manifold, norm, origin, some};
use karcher::manifold::{Kendall, Sphere};
use karcher::mechanism::{Denoise, KNormGradient, Plan, PrivateFrechetMean};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::Flag;
use karcher::sampler::{Generator, ManifoldWalk, Metropolis};
use karcher::sensitivity::{gradient_diameter, least_gradient};
use karcher::{Ball, Manifold, Points, ReleaseContext};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::{FRAC_PI_8, PI, TAU};
use std::sync::Arc;

const CRITICAL: f64 = 2.8;
const DRAWS: usize = 8_000;

/// Spaces where the draw is exact, radius, records, ε: noise that feels the edge of the ball, and noise that does not.
const CASES: [(&str, f64, usize, f64); 9] = [
    ("sphere:1", 1.2, 6, 1.0),
    ("sphere:2", FRAC_PI_8, 8, 1.0),
    ("sphere:2", 1.1, 15, 3.0),
    ("spd-log-euclidean:2", 1.0, 10, 1.0),
    ("spd-affine-invariant:2", 1.5, 10, 1.0),
    ("spd-affine-invariant:2", 1.5, 40, 2.0),
    ("kendall:4", 0.3, 12, 2.0),
    ("hyperbolic:2", 1.5, 10, 1.0),
    ("hyperbolic:2", 3.0, 40, 1.0),
];

fn normals(n: usize, generator: &mut Generator) -> Vec<f64> {
    (0..n).map(|_| generator.sample(StandardNormal)).collect()
}

/// Records in the ball around a center that is not the origin: most of them on one side, some at the edge.
fn lopsided(manifold: &dyn Manifold, radius: f64, n: usize) -> (Ball, Points) {
    let mut generator = Generator::seeded(n as u64);
    let center = at(manifold, &origin(manifold), &vec![1.0; manifold.dim()], 0.4);
    let mut values = Vec::new();
    for i in 0..n {
        let mut direction = normals(manifold.dim(), &mut generator);
        direction[0] = if i % 4 == 0 { direction[0] } else { direction[0].abs() };
        let share = if i % 3 == 0 { 1.0 } else { generator.random::<f64>() };
        values.extend(at(manifold, &center, &direction, share * radius * (1.0 - 1e-12)));
    }
    (Ball::new(manifold, center, radius).unwrap(), Points::new(manifold, values).unwrap())
}

/// `‖(1/n) Σ Log_x xᵢ‖`.
fn gradient(manifold: &dyn Manifold, points: &Points, x: &[f64]) -> f64 {
    let (mut sum, mut v) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for p in points.view().iter() {
        manifold.log(x, p, &mut v).unwrap();
        sum.iter_mut().zip(&v).for_each(|(s, v)| *s += v / points.len() as f64);
    }
    manifold.norm(x, &sum)
}

/// A grid of distances from the mean times directions: at each node the gradient's norm, `ln` of the volume, and
/// whether it is inside the ball.
///
/// Directions are 120 angles in two dimensions, else random (1,000: an error of about a percent where the density
/// depends on them most).
struct Grid {
    nodes: Vec<Vec<(f64, f64, bool)>>,
    width: f64,
}

impl Grid {
    fn new(manifold: &dyn Manifold, ball: &Ball, points: &Points, mean: &[f64], end: f64) -> Self {
        const CELLS: usize = 120;
        let d = manifold.dim();
        let mut generator = Generator::seeded(5);
        let directions: Vec<Vec<f64>> = match d {
            1 => vec![vec![1.0], vec![-1.0]],
            2 => (0..120).map(|i| (i as f64 * PI / 60.0).sin_cos()).map(|(s, c)| vec![c, s]).collect(),
            _ => (0..1_000).map(|_| normals(d, &mut generator)).collect(),
        };
        let width = end / CELLS as f64;
        let node = |s: f64, direction: &[f64]| {
            let length = norm(direction);
            let c: Vec<f64> = direction.iter().map(|u| u * s / length).collect();
            let (mut v, mut x) = (mean.to_vec(), mean.to_vec());
            manifold.from_frame(mean, &c, &mut v);
            manifold.exp(mean, &v, &mut x);
            let inside = manifold.dist(ball.center(), &x) <= ball.radius();
            let volume = manifold.log_volume_density(mean, &v) + (d - 1) as f64 * s.ln();
            (gradient(manifold, points, &x), volume, inside)
        };
        let cell = |i: usize| directions.iter().map(|u| node((i as f64 + 0.5) * width, u)).collect();
        Self { nodes: (0..CELLS).map(cell).collect(), width }
    }

    /// The distribution function of `ρ(x̄, x)` under the density `exp(−‖∇F(x)‖/σ)`, on the ball or everywhere, by the
    /// midpoint rule.
    fn distribution(&self, scale: f64, bounded: bool) -> impl Fn(f64) -> f64 {
        let mut sums = vec![0.0];
        for cell in &self.nodes {
            let inside = cell.iter().filter(|(_, _, inside)| *inside || !bounded);
            let mass: f64 = inside.map(|(gradient, volume, _)| (volume - gradient / scale).exp()).sum();
            sums.push(sums[sums.len() - 1] + mass);
        }
        let (width, cells) = (self.width, self.nodes.len());
        move |s: f64| {
            let at = (s / width).clamp(0.0, cells as f64 - 1e-9);
            let i = at as usize;
            (sums[i] + (at - i as f64) * (sums[i + 1] - sums[i])) / sums[cells]
        }
    }
}

fn kolmogorov_smirnov(sample: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let f = cdf(x);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    };
    n.sqrt() * sample.iter().enumerate().map(gap).fold(0.0, f64::max)
}

#[test]
fn draws_follow_the_density() {
    for (name, radius, n, epsilon) in some(&CASES, 0, 2) {
        let m = manifold(name);
        let (ball, points) = lopsided(&*m, radius, n);
        let mean = FrechetMean::new(&*m).start(ball.center()).fit(points.view()).unwrap();
        let private = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap().denoise(Some(Denoise::None));
        let kng = KNormGradient::plan(&private, n, Guarantee::pure(epsilon).unwrap()).unwrap();
        assert!(kng.is_exact(), "{name}");
        let flat = m.flat_chart().is_some();
        // Δ′ of the guide: D(r)/n, and a factor 2 where the normalising constant depends on the records
        let expected_scale =
            if flat { 1.0 } else { 2.0 } * gradient_diameter(&*m, radius).unwrap() / n as f64 / epsilon;
        assert!((kng.scale() / expected_scale - 1.0).abs() < 1e-9, "{name}: {}", kng.scale());

        let mut context = ReleaseContext::seeded(11);
        let mut distances: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let release = kng.run(&points, &mut context).unwrap();
                assert!(!release.flags().contains(&Flag::McmcApproximate));
                assert!(flat || m.dist(ball.center(), release.value()) <= radius * (1.0 + 1e-9), "{name}");
                m.dist(&mean, release.value())
            })
            .collect();
        let end = if flat { 40.0 * kng.scale() } else { (2.0 * radius).min(m.injectivity_radius() * 0.999) };
        let grid = Grid::new(&*m, &ball, &points, &mean, end);
        let mut distance_to =
            |scale: f64, bounded: bool| kolmogorov_smirnov(&mut distances, grid.distribution(scale, bounded));
        let fit = distance_to(kng.scale(), !flat);
        assert!(fit < CRITICAL, "{name}, radius {radius}: {fit}");
        // where noise fills the ball the scale hardly shows; there it is the support that must
        let (wrong, unbounded) = (distance_to(1.1 * kng.scale(), !flat), distance_to(kng.scale(), false));
        assert!(wrong.max(if flat { 0.0 } else { unbounded }) > CRITICAL, "{name}: no power, {wrong} and {unbounded}");
    }
}

#[test]
fn draws_agree_with_a_markov_chain() {
    for (name, radius, n, epsilon) in CASES {
        let m = manifold(name);
        if m.flat_chart().is_some() {
            continue;
        }
        let (ball, points) = lopsided(&*m, radius, n);
        let private = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap().denoise(Some(Denoise::None));
        let kng = KNormGradient::plan(&private, n, Guarantee::pure(epsilon).unwrap()).unwrap();
        let mut context = ReleaseContext::seeded(12);
        // how far from the ball's center, and how far from a corner: location as well as spread
        let corner = at(&*m, ball.center(), &vec![1.0; m.dim()], radius);
        let number = |x: &[f64]| m.dist(&corner, x);
        let mut exact: Vec<f64> = (0..2_000).map(|_| number(kng.run(&points, &mut context).unwrap().value())).collect();
        let log_density = |x: &[f64]| match m.dist(ball.center(), x) > radius {
            true => f64::NEG_INFINITY,
            false => -gradient(&*m, &points, x) / kng.scale(),
        };
        let walk = ManifoldWalk::new(&*m, kng.scale().min(radius), log_density).unwrap();
        let starts = vec![ball.center().to_vec(); 4];
        let chains = Metropolis::new(500, 500).thinning(40).sample(&walk, &starts, &mut Generator::seeded(13)).unwrap();
        let mut chain: Vec<f64> = chains.scalars(number).concat();
        chain.sort_by(f64::total_cmp);
        let below = |s: f64| chain.partition_point(|x| *x <= s) as f64 / chain.len() as f64;
        let fit = kolmogorov_smirnov(&mut exact, below) / 2.0_f64.sqrt();
        assert!(fit < CRITICAL, "{name}, radius {radius}: {fit}");
    }
}

#[test]
fn gradient_grows_at_least_as_fast_as_it_is_said_to() {
    let spaces: [(Box<dyn Manifold>, &[f64]); 3] = [
        (Box::new(Sphere::new(2).unwrap()), &[0.3, 0.7, 1.0, 1.4]),
        (Box::new(Sphere::new(4).unwrap()), &[0.7, 1.2]),
        (Box::new(Kendall::new(4).unwrap()), &[0.2, 0.5, 0.7]),
    ];
    let mut generator = Generator::seeded(3);
    for (m, radii) in &spaces {
        let center = origin(&**m);
        for &radius in *radii {
            let mut tightest = f64::INFINITY;
            for trial in 0..150 {
                let n = 2 + trial % 5;
                let axis = normals(m.dim(), &mut generator);
                let values: Vec<f64> = (0..n)
                    .flat_map(|i| {
                        // every other data set: two clusters at the ends of a diameter, where the gradient is smallest
                        // across
                        let mut u = if trial % 2 == 0 { axis.clone() } else { normals(m.dim(), &mut generator) };
                        if i % 2 == 1 {
                            u.iter_mut().for_each(|u| *u = -*u);
                        }
                        let share = if trial % 2 == 0 { 1.0 } else { generator.random::<f64>().powf(0.2) };
                        at(&**m, &center, &u, share * radius * (1.0 - 1e-9))
                    })
                    .collect();
                let points = Points::new(&**m, values).unwrap();
                let mean = FrechetMean::new(&**m).start(&center).iterations(5_000).fit(points.view()).unwrap();
                for _ in 0..20 {
                    let share: f64 = generator.random();
                    let x = at(&**m, &center, &normals(m.dim(), &mut generator), share * radius);
                    let s = m.dist(&mean, &x);
                    let ratio = gradient(&**m, &points, &x) / least_gradient(&**m, radius, s).unwrap();
                    tightest = tightest.min(ratio);
                }
                for s in [1e-3, 1e-2] {
                    let x = at(&**m, &mean, &normals(m.dim(), &mut generator), s * radius);
                    let ratio = gradient(&**m, &points, &x) / least_gradient(&**m, radius, s * radius).unwrap();
                    tightest = tightest.min(ratio);
                }
            }
            assert!(tightest > 1.0 - 1e-6, "{:?}, radius {radius}: {tightest}", m.space());
            // on the sphere two clusters come close to the bound near their mean: a bound that is too small would not
            // be noticed otherwise
            if *m.space() == *"sphere:2" {
                assert!(tightest < 1.05, "radius {radius}: {tightest}");
            }
        }
    }
}

#[test]
fn density_changes_by_no_more_than_promised_between_neighbours() {
    // numerically normalised densities of two neighbours on a grid over the ball, on S²
    let sphere = Arc::new(Sphere::new(2).unwrap());
    let m = &*sphere;
    let (radius, n, epsilon) = (0.6, 5, 1.0);
    let ball = Ball::at_origin(m, radius).unwrap();
    let edge = |angle: f64| at(m, ball.center(), &[angle.cos(), angle.sin()], radius * (1.0 - 1e-12));
    let private = PrivateFrechetMean::new(sphere.clone(), ball.clone()).unwrap();
    let scale = KNormGradient::new(&private, n, Guarantee::pure(epsilon).unwrap()).unwrap().scale();
    let mut generator = Generator::seeded(4);
    let mut worst: f64 = 0.0;
    for trial in 0..40 {
        let angles: Vec<f64> = (0..=n).map(|_| generator.random_range(0.0..TAU)).collect();
        // first the plain case: all at one end, one of them moved to the other
        let angles = if trial == 0 { vec![0.0, 0.0, 0.0, 0.0, 0.0, PI] } else { angles };
        let data = |last: usize| {
            let mut values: Vec<f64> = angles[..n - 1].iter().flat_map(|a| edge(*a)).collect();
            values.extend(edge(angles[last]));
            Points::new(m, values).unwrap()
        };
        let log_densities = [data(n - 1), data(n)].map(|points| {
            let mut logs = Vec::new();
            let mut mass = 0.0;
            for i in 0..40 {
                let s = (i as f64 + 0.5) / 40.0 * radius;
                for j in 0..60 {
                    let a = j as f64 / 60.0 * TAU;
                    let x = at(m, ball.center(), &[a.cos(), a.sin()], s);
                    let log = -gradient(m, &points, &x) / scale;
                    mass += log.exp() * s.sin();
                    logs.push(log);
                }
            }
            logs.iter().map(|l| l - mass.ln()).collect::<Vec<f64>>()
        });
        let largest = log_densities[0].iter().zip(&log_densities[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        worst = worst.max(largest);
    }
    assert!(worst <= epsilon, "{worst}");
    assert!(worst > 0.5 * epsilon, "the worst neighbours found differ by {worst} only: nothing was tried");
}

#[test]
fn release_by_a_chain_says_so() {
    let m = Arc::new(Kendall::new(13).unwrap());
    let (ball, points) = lopsided(&*m, 0.2, 20);
    let private = PrivateFrechetMean::new(m.clone(), ball.clone()).unwrap();
    let kng = KNormGradient::new(&private, 20, Guarantee::pure(1.0).unwrap()).unwrap();
    assert_eq!(kng.summary().chain_steps, Some(33_000));
    let steps = std::sync::atomic::AtomicUsize::new(0);
    let count = |more: usize| {
        steps.fetch_add(more, std::sync::atomic::Ordering::Relaxed);
    };
    let release = kng.run_with_progress(&points, &mut ReleaseContext::seeded(1), &count).unwrap();
    assert!(release.flags().contains(&Flag::McmcApproximate));
    assert!(m.dist(ball.center(), release.value()) <= 0.2 * (1.0 + 1e-9));
    assert_eq!(steps.into_inner(), 33_000);
}
