//! An attack on all published numbers: for neighbouring data sets on every space and by every mechanism, it tries
//! thousands of events. The event that best distinguishes the two on half of the releases is tested on the other half
//! (Clopper and Pearson).
//!
//! A bound against a true claim has an error probability of 1e-7 for each pair of data sets, below 1e-3 for all of this
//! file. It takes an event that happens in a fifth of the releases of one data set and in none of the other's.

use crate::common;
use crate::common::{at, manifold, origin, some};
use karcher::audit::lower_bound;
use karcher::mechanism::{
    KNormGradient, KarcherFlow, KngRegression, LinearRegression, Noise, NoisyMean, Plan, PrivateFrechetMean,
    PrivateRegression, RegressionDescent,
};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::{Definition, GaussianCalibration, Guarantee};
use karcher::records::Observations;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, PredictorRange, Release, ReleaseContext, Result};
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Normal};
use std::sync::Arc;

/// Number of releases from each data set.
const RELEASES: usize = 500;
const ERROR_PROBABILITY: f64 = 1e-7;

/// Spaces and radii.
const SPACES: [(&str, f64); 21] = [
    ("euclidean:1", 1.0),
    ("euclidean:3", 2.0),
    ("sphere:1", 1.0),
    ("sphere:2", 0.7),
    ("sphere:5", 0.7),
    ("hyperbolic:1", 0.8),
    ("hyperbolic:2", 0.8),
    ("hyperbolic:3", 0.4),
    ("spd-log-euclidean:2", 1.0),
    ("correlation-off-log:3", 0.8),
    ("simplex-aitchison:3", 1.0),
    ("hpd-log-euclidean:2", 1.0),
    ("spd-affine-invariant:2", 0.8),
    ("hpd-affine-invariant:2", 0.5),
    ("kendall:5", 0.3),
    ("landmarks:3,3", 0.5),
    ("simplex-fisher-rao:3", 0.6),
    ("projective:2", 0.5),
    ("rotations:3", 1.0),
    ("grassmann:4,2", 0.5),
    ("torus:2*euclidean:1", 0.8),
];

/// The published part of a release.
struct Published {
    numbers: Vec<f64>,
    step: f64,
    text: String,
}

impl From<Release> for Published {
    fn from(release: Release) -> Self {
        let vector = release.geodesic().map_or(&[][..], |geodesic| &geodesic.shooting_vector);
        let numbers = [release.value(), release.logarithm().unwrap_or(&[]), vector].concat();
        Self { numbers, step: release.lattice(), text: serde_json::to_string(&release).unwrap() }
    }
}

/// Many releases of the same records, with randomness of a seed.
type Mechanism<'a> = Box<dyn Fn(&Points, u64) -> Result<Vec<Published>> + Sync + 'a>;

/// Number of releases in a batch.
const BATCH: usize = 100;

/// Releases of a plan, for records with these predictors if there are some.
fn releases<'a>(plan: &'a dyn Plan, xs: Option<&'a [f64]>) -> Mechanism<'a> {
    Box::new(move |points, seed| {
        let mut context = ReleaseContext::seeded(seed);
        let records = Observations::new(points);
        let records = xs.map_or(Ok(records), |xs| records.with_predictors(xs))?;
        (0..BATCH).map(|_| Ok(plan.run(&records, &mut context)?.into())).collect()
    })
}

/// The exponent of the lowest bit that is set.
fn lowest_bit(x: f64) -> f64 {
    let bits = x.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    if x == 0.0 { 2000.0 } else { (exponent.max(1) - 1075) as f64 + f64::from((mantissa | 1 << 52).trailing_zeros()) }
}

/// Coordinates of a value in the frame at the center.
fn coordinates(m: &dyn Manifold, center: &[f64], value: &[f64]) -> Vec<f64> {
    let mut c = vec![0.0; m.dim()];
    if let Some(chart) = m.flat_chart() {
        let mut start = c.clone();
        chart.to_flat(value, &mut c);
        chart.to_flat(center, &mut start);
        c.iter_mut().zip(start).for_each(|(c, start)| *c -= start);
        return c;
    }
    let (mut x, mut v, mut start) = (value.to_vec(), value.to_vec(), value.to_vec());
    m.to_origin(center, value, &mut x);
    m.to_origin(center, center, &mut start);
    if m.log(&start, &x, &mut v).is_ok() {
        m.to_frame(&start, &v, &mut c);
    }
    c
}

fn length(x: &[f64]) -> f64 {
    common::norm(x)
}

/// Numbers that an attacker may use: digits, signs, zeros, lengths of printed numbers, places on the lattice, norms,
/// and the position of the value relative to either mean.
fn scores(m: &dyn Manifold, center: &[f64], means: &[Vec<f64>; 2], published: &Published) -> Vec<(String, f64)> {
    let (numbers, step) = (&published.numbers, published.step);
    let value = &numbers[..m.point_len()];
    let mut scores = Vec::new();
    let mut add = |name: String, x: f64| scores.push((name, if x.is_nan() { -1e300 } else { x }));
    for (i, &x) in numbers.iter().enumerate().take(6.min(2 * value.len())) {
        add(format!("number {i}"), x);
        add(format!("size of number {i}"), x.abs());
        add(format!("lowest bit of number {i}"), lowest_bit(x));
        add(format!("last three bits of number {i}"), (x.to_bits() & 7) as f64);
        add(format!("sign of the zero {i}"), f64::from(u8::from(x == 0.0) + u8::from(x.is_sign_negative())));
        add(format!("digits of number {i}"), x.to_string().len() as f64);
        add(format!("number {i} in steps"), (x / step).fract());
    }
    add("zeros".to_owned(), numbers.iter().filter(|x| **x == 0.0).count() as f64);
    add("parity of all bits".to_owned(), (numbers.iter().fold(0, |all, x| all ^ x.to_bits()) & 1) as f64);
    add("length of the text".to_owned(), published.text.len() as f64);
    add("flags".to_owned(), published.text.matches("beyond").count() as f64);
    let square: f64 = value.iter().map(|x| x * x).sum();
    add("norm".to_owned(), square - 1.0);
    let mut normalized = value.to_vec();
    m.normalize(&mut normalized);
    add("off the space".to_owned(), normalized.iter().zip(value).map(|(a, b)| (a - b).abs()).sum());

    let mut c = coordinates(m, center, value);
    add("distance from the center".to_owned(), length(&c));
    add("distance from the center in steps".to_owned(), (length(&c) / step).fract());
    for (i, c) in c.iter().enumerate().take(3) {
        let z = (c / step).round();
        add(format!("off the lattice {i}"), (c / step - z).abs());
        for modulus in [2.0, 4.0, 256.0, 65536.0] {
            add(format!("lattice coordinate {i} modulo {modulus}"), z.rem_euclid(modulus));
        }
        add(format!("trailing zeros of lattice coordinate {i}"), lowest_bit(z));
    }
    add("parity of the lattice".to_owned(), c.iter().map(|c| (c / step).round()).sum::<f64>().rem_euclid(2.0));
    c.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    add("smallest coordinate".to_owned(), c[0].abs());

    for (k, mean) in means.iter().enumerate() {
        add(format!("distance from mean {k}"), m.dist(mean, value));
        add(format!("distance from mean {k} in steps"), (m.dist(mean, value) / step).fract());
        let mut aligned = value.to_vec();
        m.align(mean, value, &mut aligned);
        add(format!("turn from mean {k}"), aligned.iter().zip(value).map(|(a, b)| (a - b).abs()).sum());
        add(format!("inner product with mean {k}"), mean.iter().zip(value).map(|(a, b)| a * b).sum());
        let turned = mean.chunks_exact(2).zip(value.chunks_exact(2)).map(|(a, b)| a[0] * b[1] - a[1] * b[0]);
        add(format!("imaginary part with mean {k}"), turned.sum::<f64>().abs());
        let (mut v, mut c) = (value.to_vec(), vec![0.0; m.dim()]);
        if m.log(mean, value, &mut v).is_ok() {
            m.to_frame(mean, &v, &mut c);
        }
        for (i, c) in c.iter().enumerate().take(2) {
            add(format!("coordinate {i} at mean {k}"), *c);
            add(format!("coordinate {i} at mean {k} in steps"), (c / step).fract());
        }
    }
    scores
}

/// Numbers from `low` to `high` of a sorted list.
fn count(sorted: &[f64], (low, high): (f64, f64)) -> f64 {
    (sorted.partition_point(|x| *x <= high) - sorted.partition_point(|x| *x < low)) as f64
}

/// Intervals whose ends are quantiles, extremes, or frequent values of either sample.
fn intervals(samples: &[Vec<f64>; 2]) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for sorted in samples {
        let n = sorted.len();
        for i in (1..40).map(|j| j * n / 40).chain([1, 4, 15, n - 2, n - 5, n - 16]) {
            all.extend([(sorted[i], f64::INFINITY), (f64::NEG_INFINITY, sorted[i])]);
        }
        let frequent = sorted.windows(n / 40).filter(|w| w[0] == w[w.len() - 1]);
        all.extend(frequent.map(|w| (w[0], w[0])));
    }
    all.dedup();
    all
}

/// The bound of the parameter of a claim that the best event proves, and that event.
fn attack(
    m: &dyn Manifold,
    ball: &Ball,
    claim: Guarantee,
    mechanism: &Mechanism<'_>,
    pair: &[Points; 2],
) -> (f64, String) {
    let mean = |points: &Points| {
        let clipped = ball.clip_all(m, points.view()).unwrap();
        let mean = FrechetMean::new(m).start(ball.center()).tolerance(1e-9 * ball.radius().min(1.0));
        mean.fit(clipped.view()).unwrap_or_else(|_| ball.center().to_vec())
    };
    let means = [mean(&pair[0]), mean(&pair[1])];
    let releases: [Vec<Vec<(String, f64)>>; 2] = std::array::from_fn(|k| {
        let batch = |i: usize| {
            let published = mechanism(&pair[k], (2 * i + k) as u64).unwrap();
            published.iter().map(|published| scores(m, ball.center(), &means, published)).collect::<Vec<_>>()
        };
        (0..RELEASES / BATCH).into_par_iter().flat_map_iter(batch).collect()
    });
    let normal = Normal::new(0.0, 1.0).unwrap();
    let mut best = (0.0, 0, (0.0, 0.0));
    let fewest = releases.iter().flatten().map(Vec::len).min().unwrap();
    for score in 0..fewest {
        let samples: [Vec<f64>; 2] = std::array::from_fn(|k| {
            let mut chosen: Vec<f64> = releases[k].iter().step_by(2).map(|release| release[score].1).collect();
            chosen.sort_by(f64::total_cmp);
            chosen
        });
        for interval in intervals(&samples) {
            let k = [count(&samples[0], interval), count(&samples[1], interval)];
            for (a, b) in [(k[0], k[1]), (k[1], k[0])] {
                // well within what chance does to thousands of events
                let n = samples[0].len() as f64;
                let (p, q) = ((a - 4.5 * a.sqrt()) / n, (b + 4.5 * b.sqrt() + 14.0) / n);
                if p <= 0.0 || q >= 1.0 {
                    continue;
                }
                let proved = match claim.definition() {
                    Definition::Gaussian { .. } => normal.inverse_cdf(p) - normal.inverse_cdf(q),
                    _ => (p / q).ln(),
                };
                if proved > best.0 {
                    best = (proved, score, interval);
                }
            }
        }
    }
    let (proved, score, (low, high)) = best;
    if proved == 0.0 {
        return (0.0, String::new());
    }
    let happened = |k: usize| -> Vec<f64> {
        releases[k].iter().map(|r| f64::from(u8::from(low <= r[score].1 && r[score].1 <= high))).collect()
    };
    // in `lower_bound`, the odd releases are new
    let proved = lower_bound(claim, &happened(0), &happened(1), ERROR_PROBABILITY).unwrap();
    (proved, format!("{} from {low} to {high}", releases[0][0][score].0))
}

fn parameter(claim: Guarantee) -> f64 {
    match claim.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        Definition::Gaussian { mu } => mu,
        Definition::Concentrated { rho } => rho,
    }
}

/// Neighbours in two arrangements. Records at the center, where coordinates are exact and 0, one of them moved to the
/// edge or clipped to it. Records at the edge, one of them moved to the opposite end.
fn pairs(m: &dyn Manifold, ball: &Ball, n: usize) -> Vec<[Points; 2]> {
    let direction: Vec<f64> = (0..m.dim()).map(|i| (1.3 + 2.1 * i as f64).sin()).collect();
    let opposite: Vec<f64> = direction.iter().map(|x| -x).collect();
    let edge = |direction: &[f64]| at(m, ball.center(), direction, ball.radius());
    let far = at(m, ball.center(), &direction, m.injectivity_radius().min(3.0 * ball.radius() + 1.0));
    let center = ball.center().to_vec();
    let with = |shared: &[f64], one: &[f64]| Points::new(m, [&shared.repeat(n - 1), one].concat()).unwrap();
    [
        (&center, &center, &edge(&direction)),
        (&center, &center, &far),
        (&edge(&direction), &edge(&direction), &edge(&opposite)),
    ]
    .map(|(shared, one, other)| [with(shared, one), with(shared, other)])
    .to_vec()
}

fn generic_ball(m: &dyn Manifold, radius: f64) -> Ball {
    let direction: Vec<f64> = (0..m.dim()).map(|i| (0.7 + 1.9 * i as f64).cos()).collect();
    Ball::new(m, at(m, &origin(m), &direction, 0.37), radius).unwrap()
}

/// No event proves more than is claimed.
fn assert_kept(name: &str, m: &dyn Manifold, ball: &Ball, n: usize, claim: Guarantee, mechanism: &Mechanism<'_>) {
    for (i, pair) in pairs(m, ball, n).iter().enumerate() {
        let (proved, event) = attack(m, ball, claim, mechanism, pair);
        assert!(proved <= parameter(claim), "{name}, pair {i}: {claim} is claimed, {proved} is proved by {event}");
    }
}

#[test]
fn no_event_tells_means_apart_beyond_the_claim() {
    for (name, radius) in some(&SPACES, 3, 5) {
        let space = manifold(name);
        let m = &*space;
        // small balls, so that the claim is small compared with the noise
        for (ball, n) in [(generic_ball(m, 1e-3 * radius), 2), (Ball::at_origin(m, radius).unwrap(), 1)] {
            let private = &PrivateFrechetMean::new(Arc::clone(&space), ball.clone()).unwrap();
            let sensitivity = private.sensitivity(n).unwrap().value();
            let (pure, normal) = (Guarantee::pure(0.3).unwrap(), Guarantee::gaussian(0.3).unwrap());
            let noises = [
                Noise::laplace(Arc::clone(&space), sensitivity, pure),
                Noise::gaussian(Arc::clone(&space), sensitivity, normal, GaussianCalibration::Analytic),
            ];
            for noise in noises.into_iter().flatten() {
                let claim = noise.guarantee();
                let plan = NoisyMean::new(private.clone(), n, noise).unwrap();
                assert_kept(&format!("{name}, noise"), m, &ball, n, claim, &releases(&plan, None));
            }
            if let Some(kng) = KNormGradient::plan(private, n, pure).ok().filter(|kng| kng.is_exact()) {
                assert_kept(&format!("{name}, kng"), m, &ball, n, pure, &releases(&*kng, None));
            }
            for steps in [1, 3] {
                let flow = KarcherFlow::with_steps(private, n, normal, steps).unwrap();
                assert_kept(&format!("{name}, flow of {steps}"), m, &ball, n, normal, &releases(&flow, None));
            }
        }
    }
}

#[test]
fn no_event_tells_regressions_apart_beyond_the_claim() {
    for (name, radius) in some(&SPACES, 2, 5) {
        let space = manifold(name);
        let m = &*space;
        let (ball, n, xs) = (generic_ball(m, 1e-2 * radius), 3, Some(&[0.0, 0.5, 1.0][..]));
        let range = PredictorRange::new(0.0, 1.0).unwrap();
        let regression = PrivateRegression::new(Arc::clone(&space), ball.clone(), range, 0.5 * ball.radius()).unwrap();
        let regression = regression.residual_bound(0.3 * ball.radius()).unwrap();
        for claim in [Guarantee::pure(0.3).unwrap(), Guarantee::gaussian(0.3).unwrap()] {
            if let Ok(linear) = LinearRegression::new(&regression, n, claim) {
                assert_kept(&format!("{name}, linear"), m, &ball, n, claim, &releases(&linear, xs));
            }
            for steps in [1, 2, 3] {
                let descent = RegressionDescent::with_steps(&regression, n, claim, steps).unwrap();
                assert_kept(&format!("{name}, descent of {steps}"), m, &ball, n, claim, &releases(&descent, xs));
            }
            if let Some(joint) = KngRegression::new(&regression, n, claim).ok().filter(Plan::is_exact) {
                assert_kept(&format!("{name}, kng"), m, &ball, n, claim, &releases(&joint, xs));
            }
        }
    }
}

/// Noise so wide that `Exp` cuts draws short, at 300 or 600 from the confidential mean.
const WIDE: [(&str, f64, Law, f64); 5] = [
    ("hyperbolic:2", 1e-3, Law::Laplace, 0.9975),
    ("hyperbolic:2", 0.1, Law::Gaussian, 20.0),
    ("hyperbolic:3", 0.1, Law::Gaussian, 15.0),
    ("spd-affine-invariant:1", 10.0, Law::Laplace, 1000.0),
    ("spd-affine-invariant:1", 10.0, Law::Gaussian, 1000.0),
];

#[test]
fn draws_that_are_cut_short_do_not_show_where_the_mean_is() {
    for (name, radius, law, scale) in WIDE {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let private = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap();
        let sensitivity = private.sensitivity(1).unwrap().value();
        let noise = Noise::of_scale(Arc::clone(&m), law, sensitivity, scale).unwrap();
        let claim = noise.guarantee();
        let plan = NoisyMean::new(private, 1, noise).unwrap();
        assert_kept(name, &*m, &ball, 1, claim, &releases(&plan, None));
    }
}

/// The attack finds planted defects: the same draws in full, and on shapes a representative that is horizontal at the
/// mean.
#[test]
fn planted_defects_are_found() {
    for (name, radius, law, scale) in WIDE.into_iter().chain([("kendall:5", 0.3, Law::Laplace, 3.0)]) {
        let space = manifold(name);
        let m = &*space;
        let ball = Ball::at_origin(m, radius).unwrap();
        let isotropic = &Isotropic::new(Arc::clone(&space), law, scale).unwrap();
        let mechanism: Mechanism<'_> = Box::new(move |p, seed| {
            let mut generator = Generator::seeded(seed);
            let one = |_| {
                let mut numbers = p.view().values().to_vec(); // a record by itself is its mean
                isotropic.sample(p.view().values(), &mut generator, &mut numbers)?;
                Ok(Published { numbers, step: 2.0_f64.powi(-40), text: String::new() })
            };
            (0..BATCH).map(one).collect()
        });
        let claim = Guarantee::pure(2.0 * radius / scale).unwrap();
        let (proved, event) = attack(m, &ball, claim, &mechanism, &pairs(m, &ball, 1)[0]);
        println!("{name}: {proved} proved against {claim} by {event}");
        assert!(proved > parameter(claim) + 0.5, "{name}: {proved} {event}");
    }
}
