//! Searches for the two neighbouring data sets whose Fréchet means are furthest apart, and compares them with the
//! library's bounds. The spaces are the sphere `S²` and the complex projective plane `CP²` (shapes of four landmarks).
//!
//! Nothing else here is the library's: the geometry and the mean are written anew, so that both cannot share a mistake.

use crate::common::some;
use karcher::manifold::{Kendall, Manifold};
use karcher::sensitivity::{self, Bound};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::f64::consts::PI;

/// A unit vector of `R³`, or of `C³` as `x₁ y₁ x₂ y₂ x₃ y₃`; what a space does not use is 0.
type Vector = [f64; 6];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Space {
    Sphere,
    ProjectivePlane,
}

use Space::{ProjectivePlane, Sphere};

impl Space {
    /// The library's space, for its bounds.
    fn manifold(self) -> karcher::Result<Box<dyn Manifold>> {
        Ok(if self == Sphere { Box::new(karcher::manifold::Sphere::new(2)?) } else { Box::new(Kendall::new(4)?) })
    }

    fn sqrt_kappa(self) -> f64 {
        if self == Sphere { 1.0 } else { 2.0 }
    }

    /// Where the coordinates of a tangent vector at the first unit vector are.
    fn tangent(self) -> std::ops::Range<usize> {
        if self == Sphere { 1..3 } else { 2..6 }
    }

    /// The logarithm of the sphere that the space is, or of the one above it at the nearest point of the fibre.
    fn log(self, p: &Vector, q: &Vector) -> Vector {
        let mut q = *q;
        if self == ProjectivePlane {
            let (mut re, mut im) = (0.0, 0.0);
            for (p, q) in p.chunks(2).zip(q.chunks(2)) {
                re += p[0] * q[0] + p[1] * q[1];
                im += p[0] * q[1] - p[1] * q[0];
            }
            let (cos, sin) = (re / re.hypot(im), im / re.hypot(im));
            for z in q.chunks_mut(2) {
                (z[0], z[1]) = (cos * z[0] + sin * z[1], cos * z[1] - sin * z[0]);
            }
        }
        let c = dot(p, &q);
        let w: Vector = std::array::from_fn(|i| q[i] - c * p[i]);
        let s = dot(&w, &w).sqrt();
        w.map(|w| if s == 0.0 { 0.0 } else { w * s.atan2(c) / s })
    }
}

fn dot(p: &Vector, q: &Vector) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * q).sum()
}

fn exp(p: &Vector, v: &Vector) -> Vector {
    let t = dot(v, v).sqrt();
    let f = if t == 0.0 { 1.0 } else { t.sin() / t };
    let q: Vector = std::array::from_fn(|i| t.cos() * p[i] + f * v[i]);
    let norm = dot(&q, &q).sqrt();
    q.map(|q| q / norm)
}

fn frechet_mean(space: Space, points: &[Vector], start: Vector) -> Vector {
    let mut m = start;
    for _ in 0..1000 {
        let mut step = [0.0; 6];
        for x in points {
            let v = space.log(&m, x);
            (0..6).for_each(|i| step[i] += v[i] / points.len() as f64);
        }
        m = exp(&m, &step);
        if dot(&step, &step) < 1e-26 {
            return m;
        }
    }
    panic!("the mean does not converge");
}

/// `n − 1` records that both data sets have, then the record that only one has and the one that only the other has.
#[derive(Clone)]
struct Neighbours {
    space: Space,
    points: Vec<Vector>,
    means: [Vector; 2],
    distance: f64,
}

impl Neighbours {
    fn new(space: Space, points: Vec<Vector>, start: [Vector; 2]) -> Self {
        let n = points.len() - 1;
        let mut set = points.clone();
        set.swap(n - 1, n);
        let means = [frechet_mean(space, &points[..n], start[0]), frechet_mean(space, &set[..n], start[1])];
        let v = space.log(&means[0], &means[1]);
        Neighbours { space, points, means, distance: dot(&v, &v).sqrt() }
    }

    fn with(&self, i: usize, point: Vector) -> Self {
        let mut points = self.points.clone();
        points[i] = point;
        Neighbours::new(self.space, points, self.means)
    }
}

fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}

const CENTER: Vector = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// A point near the one given, in the ball about the center.
fn near(space: Space, point: &Vector, step: f64, radius: f64, random: &mut impl Rng) -> Vector {
    let mut v = space.log(&CENTER, point);
    v[space.tangent()].iter_mut().for_each(|v| *v += step * normal(random));
    let shorten = (radius / dot(&v, &v).sqrt()).min(1.0);
    exp(&CENTER, &v.map(|v| v * shorten))
}

/// The largest `n·ρ(x̄, x̄′)` found: random data sets, then random changes of one record that are kept if they help.
fn worst_found(space: Space, radius: f64, n: usize, random: &mut impl Rng) -> f64 {
    let mut worst: f64 = 0.0;
    for _ in 0..4 {
        let mut best = (0..20)
            .map(|_| {
                let points = (0..=n).map(|_| near(space, &CENTER, 2.0 * radius, radius, random)).collect();
                Neighbours::new(space, points, [CENTER; 2])
            })
            .max_by(|a, b| a.distance.total_cmp(&b.distance))
            .expect("there are twenty");
        let mut step = radius;
        while step > 1e-3 * radius {
            let i = random.random_range(0..=n);
            let trial = best.with(i, near(space, &best.points[i], step, radius, random));
            if trial.distance > best.distance {
                best = trial;
                step = radius.min(1.3 * step);
            } else {
                step *= 0.985;
            }
        }
        worst = worst.max(best.distance);
    }
    worst * n as f64
}

/// The worst that is known: one half of the common records at each end of a diameter of a sphere of curvature `κ`, the
/// others at the ends of a perpendicular one. (User guide, \[S4\]; for even `n` the nearest that was found.)
fn known(space: Space, x: f64, n: usize) -> Option<f64> {
    let height = |k: f64| {
        let (mut low, mut high) = (0.0, x);
        for _ in 0..60 {
            let h: f64 = 0.5 * (low + high);
            let s = (x.cos() * h.cos()).acos();
            if 2.0 * k * s * x.cos() * h.sin() / s.sin() > x - h { high = h } else { low = h }
        }
        low
    };
    let found = match n {
        10 if x == PI / 8.0 => Some(0.82370),
        10 if x == PI / 5.0 => Some(1.42976),
        _ if n % 2 == 1 => Some(2.0 * n as f64 * height((n / 2) as f64)),
        _ => None,
    };
    found.map(|found| found / space.sqrt_kappa())
}

#[test]
fn no_neighbours_found_are_further_apart_than_any_bound() {
    let cases = [(PI / 8.0, 10), (PI / 5.0, 10), (1.2, 10), (1.5, 3)];
    let cases = [Sphere, ProjectivePlane].map(|space| cases.map(|(x, largest_n)| (space, x, largest_n)));
    some(cases.as_flattened(), 0, 3).into_par_iter().enumerate().for_each(|(i, (space, x, largest_n))| {
        let random = &mut ChaCha8Rng::seed_from_u64(i as u64);
        let (manifold, radius) = (space.manifold().unwrap(), x / space.sqrt_kappa());
        for n in 1..=largest_n {
            let found = worst_found(space, radius, n, random);
            println!("{space:?} r = {radius:.4} n = {n}: {found:.5}, known {:?}", known(space, x, n));
            for bound in [Bound::Optimal, Bound::Sharp, Bound::AveragedHessian] {
                if radius >= sensitivity::admissible_radius(&*manifold, bound) {
                    continue;
                }
                let most = n as f64 * sensitivity::frechet_mean(&*manifold, radius, n, Some(bound)).unwrap().value();
                assert!(found <= most, "{space:?}, r = {radius}, n = {n}: {found} exceeds {bound} {most}");
            }
            if let Some(known) = known(space, x, n) {
                assert!(found >= 0.97 * known, "{space:?}, r = {radius}, n = {n}: only {found} of {known} found");
            }
        }
    });
}

#[test]
fn no_logarithms_found_are_further_apart_than_the_gradient_diameter() -> karcher::Result<()> {
    let random = &mut ChaCha8Rng::seed_from_u64(2);
    for space in [Sphere, ProjectivePlane] {
        for x in [0.1, PI / 8.0, PI / 5.0, 1.2, 1.5] {
            let radius = x / space.sqrt_kappa();
            let length = |triple: &[Vector; 3]| {
                let (v, w) = (space.log(&triple[0], &triple[1]), space.log(&triple[0], &triple[2]));
                let difference = std::array::from_fn(|i| v[i] - w[i]);
                dot(&difference, &difference).sqrt()
            };
            let mut longest: f64 = 0.0;
            for _ in 0..20 {
                let mut best = [CENTER; 3].map(|p| near(space, &p, 2.0 * radius, radius, random));
                let mut step = radius;
                while step > 1e-4 * radius {
                    let trial = best.map(|p| near(space, &p, step, radius, random));
                    if length(&trial) > length(&best) {
                        best = trial;
                        step = radius.min(1.3 * step);
                    } else {
                        step *= 0.985;
                    }
                }
                longest = longest.max(length(&best));
            }
            let bound = sensitivity::gradient_diameter(&*space.manifold()?, radius)?;
            println!("{space:?} r = {radius:.4}: {longest:.6}, bound {bound:.6}");
            assert!(longest <= bound, "{space:?}, r = {radius}: {longest} exceeds {bound}");
            assert!(longest >= 0.998 * bound, "{space:?}, r = {radius}: only {longest} of {bound} found");
        }
    }
    Ok(())
}

#[test]
fn a_point_with_a_small_gradient_is_near_the_mean() {
    // ρ(m, x̄) ≤ t/c where t = ‖grad F(m)‖ and c = x·cot x − √κ·t·tan x. (User guide, \[C3\].)
    let random = &mut ChaCha8Rng::seed_from_u64(3);
    for space in [Sphere, ProjectivePlane] {
        let (mut tried, mut closest) = (0, 0.0);
        while tried < 2000 {
            let x = random.random_range(0.1..1.4);
            let radius = x / space.sqrt_kappa();
            let n = random.random_range(1..=5);
            let points: Vec<Vector> = (0..n).map(|_| near(space, &CENTER, 2.0 * radius, radius, random)).collect();
            let mean = frechet_mean(space, &points, CENTER);
            let spread = radius * random.random_range(0.0..0.5);
            let m = near(space, &mean, spread, radius, random);
            let mut gradient = [0.0; 6];
            for p in &points {
                let v = space.log(&m, p);
                (0..6).for_each(|i| gradient[i] -= v[i] / n as f64);
            }
            let t = dot(&gradient, &gradient).sqrt();
            let c = x / x.tan() - space.sqrt_kappa() * t * x.tan();
            if c > 0.0 {
                let v = space.log(&m, &mean);
                let distance = dot(&v, &v).sqrt();
                assert!(distance <= t / c + 1e-9, "{space:?}, r = {radius}: {distance} exceeds {t} / {c}");
                closest = f64::max(closest, distance * c / t);
                tried += 1;
            }
        }
        assert!(closest > 0.9, "the bound was never put to the test: {closest}");
    }
}
