//! Markov chains against exact draws of the same laws.
//!
//! Chains are thinned until the effective sample sizes are those of independent draws, at least 0.8 of their number as
//! estimated. Kolmogorov–Smirnov tests reject at 2.8: a correct chain fails one of them with probability at most
//! `2·exp(−2·0.8·2.8²) = 7.2e-6`. Each comes with a power check: the same draws must be rejected by a law whose scale
//! is 10 % larger, or by the same test of a walk with a planted mistake. Seeds are fixed, so a run that passes always
//! passes.

use karcher::manifold::{Euclidean, Hyperbolic, Kendall, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use karcher::sampler::diagnostics::{ess_bulk, ess_tail, r_hat};
use karcher::sampler::{Chains, Generator, Isotropic, Law, ManifoldWalk, Metropolis, RandomWalk, TangentBundleWalk};
use karcher::{Manifold, Result};
use rand::RngExt;
use rand_distr::StandardNormal;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CRITICAL: f64 = 2.8;

/// `√n·sup|F_n − F|`.
fn kolmogorov_smirnov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let f = cdf(x);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    };
    n.sqrt() * sample.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// `√(nm/(n+m))·sup|F_n − G_m|` for two samples without ties.
fn two_samples(sample: Vec<f64>, mut other: Vec<f64>) -> f64 {
    other.sort_by(f64::total_cmp);
    let share = (other.len() as f64 / (sample.len() + other.len()) as f64).sqrt();
    share * kolmogorov_smirnov(sample, |x| other.partition_point(|&y| y <= x) as f64 / other.len() as f64)
}

/// `Exp_origin` of the vector with these coordinates in the frame there (0 where there are fewer than dimensions).
fn point(manifold: &dyn Manifold, coordinates: &[f64]) -> Vec<f64> {
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let mut all = coordinates.to_vec();
    all.resize(manifold.dim(), 0.0);
    let (mut v, mut out) = (origin.clone(), origin.clone());
    manifold.from_frame(&origin, &all, &mut v);
    manifold.exp(&origin, &v, &mut out);
    out
}

/// Four points of the space at some distance from one another.
fn starts(manifold: &dyn Manifold, distance: f64) -> Vec<Vec<f64>> {
    [[0.0, 0.0], [distance, 0.0], [0.0, distance], [-distance, distance]].map(|c| point(manifold, &c)).to_vec()
}

/// All draws, after a check that they may be taken for independent.
fn independent(chains: &Chains, number: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let numbers = chains.scalars(number);
    let all: Vec<f64> = numbers.concat();
    let (bulk, tail) = (ess_bulk(&numbers), ess_tail(&numbers));
    assert!(r_hat(&numbers) < 1.01);
    let enough = 0.8 * all.len() as f64;
    assert!(bulk > enough && tail > enough, "{bulk} and {tail} of {}", all.len());
    all
}

fn exact(law: &Isotropic, manifold: &dyn Manifold, center: &[f64], n: usize) -> Vec<f64> {
    let mut generator = Generator::seeded(77);
    let mut draw = center.to_vec();
    (0..n)
        .map(|_| {
            law.sample(center, &mut generator, &mut draw).unwrap();
            manifold.dist(center, &draw)
        })
        .collect()
}

fn log_density(law: Law, scale: f64, s: f64) -> f64 {
    match law {
        Law::Laplace => -s / scale,
        Law::Gaussian => -0.5 * (s / scale).powi(2),
    }
}

/// The chain for an isotropic law, against exact draws.
fn agrees_with_exact_draws(space: &(impl Manifold + Clone + 'static), law: Law, scale: f64, chain: Metropolis) {
    let manifold: &dyn Manifold = space;
    let center = point(manifold, &[0.5, -0.3, 0.2]);
    let walk =
        ManifoldWalk::new(manifold, scale, |x: &[f64]| log_density(law, scale, manifold.dist(&center, x))).unwrap();
    let chains = chain.sample(&walk, &starts(manifold, 0.5), &mut Generator::seeded(3)).unwrap();
    let distances = independent(&chains, |x| manifold.dist(&center, x));
    for (factor, right) in [(1.0, true), (1.1, false)] {
        let law = Isotropic::new(Arc::new(space.clone()), law, factor * scale).unwrap();
        let statistic = two_samples(distances.clone(), exact(&law, manifold, &center, 20_000));
        assert_eq!(statistic < CRITICAL, right, "{}, scale × {factor}: {statistic}", manifold.space());
    }
}

#[test]
fn sphere() {
    let sphere = Sphere::new(2).unwrap();
    agrees_with_exact_draws(&sphere, Law::Laplace, 0.1, Metropolis::new(1_000, 2_500).thinning(50));
    agrees_with_exact_draws(&sphere, Law::Gaussian, 0.3, Metropolis::new(1_000, 2_000).thinning(40));
}

#[test]
fn hyperbolic_plane() {
    let plane = Hyperbolic::new(2).unwrap();
    agrees_with_exact_draws(&plane, Law::Laplace, 0.2, Metropolis::new(1_000, 2_500).thinning(50));
    agrees_with_exact_draws(&plane, Law::Gaussian, 0.8, Metropolis::new(1_000, 2_000).thinning(40));
}

#[test]
fn matrices() {
    let flat = SpdLogEuclidean::new(2).unwrap();
    agrees_with_exact_draws(&flat, Law::Laplace, 0.2, Metropolis::new(1_000, 1_200).thinning(50));
    agrees_with_exact_draws(&flat, Law::Gaussian, 0.5, Metropolis::new(1_000, 1_000).thinning(40));
    let curved = SpdAffineInvariant::new(2).unwrap();
    agrees_with_exact_draws(&curved, Law::Laplace, 0.2, Metropolis::new(1_000, 1_200).thinning(50));
    agrees_with_exact_draws(&curved, Law::Gaussian, 0.5, Metropolis::new(1_000, 1_000).thinning(40));
}

#[test]
fn shapes() {
    let shapes = Kendall::new(4).unwrap();
    agrees_with_exact_draws(&shapes, Law::Laplace, 0.05, Metropolis::new(1_000, 1_500).thinning(70));
    agrees_with_exact_draws(&shapes, Law::Gaussian, 0.3, Metropolis::new(1_000, 1_000).thinning(70));
}

/// Most proposals wind around the whole sphere, or go past the farthest shapes.
#[test]
fn proposals_may_pass_the_cut_locus() {
    let steps = Metropolis::new(100, 1_500).thinning(80).step(8.0);
    agrees_with_exact_draws(&Sphere::new(2).unwrap(), Law::Gaussian, 0.5, steps);
    agrees_with_exact_draws(&Kendall::new(4).unwrap(), Law::Gaussian, 0.3, steps);
}

/// A law on the tangent bundle: `p` isotropic Gaussian about `η`, and `v − X(p)` Gaussian in `T_pM` with
/// `X(p) = σᵥ·Log_p(b)` for a fixed point `b`. In an orthonormal frame the coordinates of `(v − X(p))/σᵥ` are standard
/// normal and independent of `p`.
struct Field {
    manifold: Arc<dyn Manifold>,
    center: Vec<f64>,
    scale: f64,
    tangent_scale: f64,
}

impl Field {
    /// Coordinates of `(v − X(p))/σᵥ`.
    fn residual(&self, p: &[f64], v: &[f64]) -> Vec<f64> {
        let mut field = vec![0.0; p.len()];
        let b = point(&*self.manifold, &[-0.8, 0.6]);
        self.manifold.log(p, &b, &mut field).unwrap_or_default();
        let residual: Vec<f64> = v.iter().zip(&field).map(|(v, x)| v / self.tangent_scale - x).collect();
        let mut coordinates = vec![0.0; self.manifold.dim()];
        self.manifold.to_frame(p, &residual, &mut coordinates);
        coordinates
    }

    fn log_density(&self, p: &[f64], v: &[f64]) -> f64 {
        let distance = self.manifold.dist(&self.center, p);
        log_density(Law::Gaussian, self.scale, distance) - 0.5 * square(&self.residual(p, v))
    }

    fn draw(&self, walk: &impl RandomWalk, chain: Metropolis) -> Chains {
        let starts: Vec<Vec<f64>> = starts(&*self.manifold, self.scale)
            .into_iter()
            .map(|p| {
                let v = vec![0.0; p.len()];
                [p, v].concat()
            })
            .collect();
        chain.sample(walk, &starts, &mut Generator::seeded(5)).unwrap()
    }

    /// The Kolmogorov–Smirnov statistics of `ρ(p, η)`, and of the residual's length and coordinates, for all `p`, for
    /// those near `η` and for those far from it. They are against the laws whose scales are `factor` times the right
    /// ones.
    fn statistics(&self, chains: &Chains, factor: f64) -> Vec<f64> {
        let split = |state: &[f64]| {
            let (p, v) = state.split_at(self.manifold.point_len());
            (self.manifold.dist(&self.center, p), self.residual(p, v))
        };
        let law = Isotropic::new(Arc::clone(&self.manifold), Law::Gaussian, factor * self.scale).unwrap();
        let exact = exact(&law, &*self.manifold, &self.center, 20_000);
        let median = law.distance().unwrap().quantile(0.5);
        let mut statistics = vec![two_samples(independent(chains, |s| split(s).0), exact)];
        let chi_squared = ChiSquared::new(self.manifold.dim() as f64).unwrap();
        let length = |r: f64| chi_squared.cdf(r / (factor * factor));
        let normal = Normal::new(0.0, factor).unwrap();
        let states: Vec<(f64, Vec<f64>)> = chains.iter().flatten().map(split).collect();
        let keep: [fn(f64, f64) -> bool; 3] = [|_, _| true, |s, median| s < median, |s, median| s >= median];
        for keep in keep {
            let residuals = || states.iter().filter(|(s, _)| keep(*s, median)).map(|(_, r)| r);
            statistics.push(kolmogorov_smirnov(residuals().map(|r| square(r)).collect(), length));
            for i in 0..self.manifold.dim() {
                statistics.push(kolmogorov_smirnov(residuals().map(|r| r[i]).collect(), |x| normal.cdf(x)));
            }
        }
        statistics
    }
}

fn square(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum()
}

fn largest(statistics: &[f64]) -> f64 {
    statistics.iter().copied().fold(0.0, f64::max)
}

#[test]
fn tangent_bundles() {
    let cases: [(Arc<dyn Manifold>, f64, f64, usize); 4] = [
        (Arc::new(Sphere::new(2).unwrap()), 0.8, 0.5, 100),
        (Arc::new(Hyperbolic::new(2).unwrap()), 0.6, 1.0, 100),
        (Arc::new(Kendall::new(4).unwrap()), 0.3, 0.2, 150),
        (Arc::new(SpdAffineInvariant::new(2).unwrap()), 0.3, 0.5, 100),
    ];
    for (manifold, scale, tangent_scale, thinning) in cases {
        let center = point(&*manifold, &[0.4, -0.2, 0.3]);
        let field = Field { manifold: Arc::clone(&manifold), center, scale, tangent_scale };
        let log_density = |p: &[f64], v: &[f64]| field.log_density(p, v);
        let walk = TangentBundleWalk::new(&*manifold, scale, tangent_scale, log_density).unwrap();
        let chains = field.draw(&walk, Metropolis::new(2_000, 1_000).thinning(thinning));
        let statistics = field.statistics(&chains, 1.0);
        assert!(largest(&statistics) < CRITICAL, "{}: {statistics:.2?}", manifold.space());
        // the distance, and the residual's length
        let wrong = field.statistics(&chains, 1.1);
        assert!(wrong[0] > CRITICAL && wrong[1] > CRITICAL, "{}, 10 % off: {wrong:.2?}", manifold.space());
    }
}

/// The transport of `v` at `p` to `q`: its coordinates in the frame there.
type Carry = fn(&dyn Manifold, &[f64], &[f64], &[f64]) -> Vec<f64>;

/// A walk on the tangent bundle that may carry `v` in a wrong way.
struct Carried<'a> {
    field: &'a Field,
    carry: Carry,
}

impl RandomWalk for Carried<'_> {
    fn dim(&self) -> usize {
        2 * self.field.manifold.dim()
    }

    fn check_state(&self, _: &[f64]) -> Result<()> {
        Ok(())
    }

    fn log_density(&self, state: &[f64]) -> f64 {
        let (p, v) = state.split_at(state.len() / 2);
        self.field.log_density(p, v)
    }

    fn propose(&self, state: &[f64], step: f64, generator: &mut Generator, out: &mut [f64]) -> bool {
        let manifold = &*self.field.manifold;
        let mut normal = |scale: f64| -> Vec<f64> {
            (0..manifold.dim()).map(|_| step * scale * generator.sample::<f64, _>(StandardNormal)).collect()
        };
        let (p, v) = state.split_at(state.len() / 2);
        let (next, next_v) = out.split_at_mut(state.len() / 2);
        manifold.from_frame(p, &normal(self.field.scale), next_v);
        manifold.exp(p, next_v, next);
        let carried = (self.carry)(manifold, p, next, v);
        let moved: Vec<f64> = carried.iter().zip(normal(self.field.tangent_scale)).map(|(c, w)| c + w).collect();
        manifold.from_frame(next, &moved, next_v);
        true
    }
}

#[test]
fn a_wrong_transport_is_found() {
    let sphere = Sphere::new(2).unwrap();
    let center = point(&sphere, &[0.4, -0.2]);
    let field = Field { manifold: Arc::new(sphere), center, scale: 0.8, tangent_scale: 0.5 };
    let chain = Metropolis::new(2_000, 1_000).thinning(100);
    let statistic =
        |carry: Carry| largest(&field.statistics(&field.draw(&Carried { field: &field, carry }, chain), 1.0));
    // right: moves past the cut locus are too rare to show
    let transported = statistic(|manifold, p, q, v| {
        let (mut carried, mut coordinates) = (v.to_vec(), vec![0.0; manifold.dim()]);
        manifold.transport(p, q, v, &mut carried).unwrap();
        manifold.to_frame(q, &carried, &mut coordinates);
        coordinates
    });
    // the vector in space, projected: shorter after every move
    let projected = statistic(|manifold, _, q, v| {
        let mut coordinates = vec![0.0; manifold.dim()];
        manifold.to_frame(q, v, &mut coordinates);
        coordinates
    });
    // an isometry, but turned to the left on the way there and on the way back
    let turned = statistic(|manifold, p, q, v| {
        let (mut carried, mut c) = (v.to_vec(), vec![0.0; manifold.dim()]);
        manifold.transport(p, q, v, &mut carried).unwrap();
        manifold.to_frame(q, &carried, &mut c);
        let (sin, cos) = 0.5_f64.sin_cos();
        vec![cos * c[0] - sin * c[1], sin * c[0] + cos * c[1]]
    });
    assert!(transported < CRITICAL, "{transported}");
    assert!(projected > CRITICAL && turned > CRITICAL, "{projected}, {turned}");
}

/// Every third step or so goes past the farthest shapes, π/2 away.
#[test]
fn moves_past_the_cut_locus_carry_vectors_too() {
    let shapes = Kendall::new(4).unwrap();
    let center = point(&shapes, &[0.2]);
    let field = Field { manifold: Arc::new(shapes.clone()), center, scale: 1.0, tangent_scale: 0.2 };
    let walk = TangentBundleWalk::new(&shapes, 0.7, 0.1, |p: &[f64], v: &[f64]| field.log_density(p, v)).unwrap();
    let chains = field.draw(&walk, Metropolis::new(100, 1_000).thinning(100).step(1.0));
    let statistics = field.statistics(&chains, 1.0);
    assert!(largest(&statistics) < CRITICAL, "{statistics:.2?}");
    // the distance, of a law that is nearly uniform, does not distinguish scales
    let wrong = field.statistics(&chains, 1.1);
    assert!(wrong[1] > CRITICAL, "{wrong:.2?}");
}

/// Two narrow wells on the sphere, two chains started in each.
#[test]
fn chains_that_stay_in_their_wells_are_reported() {
    let sphere = Sphere::new(2).unwrap();
    let wells = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let well = |x: &[f64], i: usize| -0.5 * (sphere.dist(x, &wells[i]) / 0.1).powi(2);
    let both = |x: &[f64]| well(x, 0).max(well(x, 1));
    let sample = |starts: [usize; 4]| {
        let walk = ManifoldWalk::new(&sphere, 0.1, both).unwrap();
        let starts = starts.map(|i| wells[i].to_vec());
        let chains = Metropolis::new(1_000, 2_000).sample(&walk, &starts, &mut Generator::seeded(2)).unwrap();
        chains.scalars(|x| x[0])
    };
    let apart = sample([0, 0, 1, 1]);
    assert!(r_hat(&apart) >= 1.01 && ess_bulk(&apart) < 100.0, "{} {}", r_hat(&apart), ess_bulk(&apart));
    // no chain knows of the other well: this is why starts must be dispersed
    assert!(r_hat(&sample([0, 0, 0, 0])) < 1.01);
}

#[test]
fn step_sizes_are_tuned_to_the_acceptance_aimed_at() {
    for (dim, aim) in [(1, 0.440), (2, 0.337), (10, 0.2546)] {
        let space = Euclidean::new(dim).unwrap();
        for scale in [1e-3, 1.0, 1e3] {
            let walk = ManifoldWalk::new(&space, scale, |x: &[f64]| -0.5 * square(x)).unwrap();
            let starts = [vec![0.0; dim], vec![1.0; dim]];
            let chains = Metropolis::new(2_000, 5_000).sample(&walk, &starts, &mut Generator::seeded(9)).unwrap();
            for (draws, step) in chains.iter().zip(chains.steps()) {
                let draws: Vec<&[f64]> = draws.collect();
                let moved =
                    draws.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64 / (draws.len() - 1) as f64;
                assert!((moved - aim).abs() < 0.06, "dimension {dim}, scale {scale}: {moved} with step {step}");
            }
        }
    }
    // a flat density takes every step: tuning ends somewhere all the same
    let sphere = Sphere::new(2).unwrap();
    let flat = ManifoldWalk::new(&sphere, 1.0, |_: &[f64]| 0.0).unwrap();
    let chains = Metropolis::new(5_000, 1_000)
        .thinning(3)
        .sample(&flat, &starts(&sphere, 1.0), &mut Generator::seeded(9))
        .unwrap();
    assert!(chains.steps().iter().all(|t| t.is_finite()));
    // the height is uniform on (−1, 1): Archimedes
    let statistic = kolmogorov_smirnov(independent(&chains, |x| x[2]), |z| 0.5 * (z + 1.0));
    assert!(statistic < CRITICAL, "{statistic}");
}

/// A uniform law on a cap, with a NaN density outside of it.
#[test]
fn a_support_is_kept() {
    let sphere = Sphere::new(2).unwrap();
    let center = [0.0, 0.6, 0.8];
    for outside in [f64::NEG_INFINITY, f64::NAN, f64::INFINITY] {
        let log_density = |x: &[f64]| if sphere.dist(x, &center) < 0.5 { 0.0 } else { outside };
        let walk = ManifoldWalk::new(&sphere, 0.3, log_density).unwrap();
        let starts = vec![center.to_vec(); 4];
        let chains =
            Metropolis::new(500, 1_000).thinning(20).sample(&walk, &starts, &mut Generator::seeded(4)).unwrap();
        let distances = independent(&chains, |x| sphere.dist(x, &center));
        assert!(distances.iter().all(|&s| s < 0.5));
        let cdf = |s: f64, radius: f64| ((1.0 - s.cos()) / (1.0 - radius.cos())).min(1.0);
        let statistic = kolmogorov_smirnov(distances.clone(), |s| cdf(s, 0.5));
        assert!(statistic < CRITICAL, "{statistic}");
        assert!(kolmogorov_smirnov(distances, |s| cdf(s, 0.55)) > CRITICAL);
    }
}

#[test]
fn draws_do_not_depend_on_the_number_of_threads() {
    let sphere = Sphere::new(2).unwrap();
    let walk = ManifoldWalk::new(&sphere, 0.3, |x: &[f64]| -sphere.dist(x, &[1.0, 0.0, 0.0]) / 0.2).unwrap();
    let starts = starts(&sphere, 0.3);
    let sample = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut generator = Generator::seeded(6);
        let chains =
            pool.install(|| Metropolis::new(300, 200).thinning(3).sample(&walk, &starts, &mut generator).unwrap());
        (chains, generator.random::<u64>())
    };
    let (one, after_one) = sample(1);
    let (two, after_two) = sample(2);
    assert_eq!(one, two);
    assert_eq!(after_one, after_two);
    // chains do not share their random numbers, also from the same start
    let same = vec![starts[0].clone(); 2];
    let chains = Metropolis::new(0, 50).sample(&walk, &same, &mut Generator::seeded(6)).unwrap();
    let draws: Vec<Vec<&[f64]>> = chains.iter().map(Iterator::collect).collect();
    assert_ne!(draws[0], draws[1]);
    assert_eq!((chains.len(), draws[0].len()), (2, 50));
    assert_eq!(chains.last(), draws[0][49]);
    // and differ from those of another seed, or of the operating system
    let from = |mut generator| Metropolis::new(0, 50).sample(&walk, &same, &mut generator).unwrap();
    assert_ne!(chains, from(Generator::seeded(7)));
    assert_ne!(from(Generator::from_os().unwrap()), from(Generator::from_os().unwrap()));
}

#[test]
fn thinning_keeps_every_so_many_draws() {
    let line = Euclidean::new(1).unwrap();
    let walk = ManifoldWalk::new(&line, 1.0, |x: &[f64]| -x[0].abs()).unwrap();
    let sample = |chain: Metropolis| chain.sample(&walk, &[vec![0.0]], &mut Generator::seeded(1)).unwrap();
    let all = sample(Metropolis::new(10, 12).step(1.5));
    let third = sample(Metropolis::new(10, 4).thinning(3).step(1.5));
    let every: Vec<&[f64]> = all.iter().flatten().skip(2).step_by(3).collect();
    assert_eq!(every, third.iter().flatten().collect::<Vec<_>>());
    // burn-in is but steps that are not kept
    let longer = sample(Metropolis::new(0, 22).step(1.5));
    assert!(all.iter().flatten().eq(longer.iter().flatten().skip(10)));
    assert_eq!(longer.steps(), [1.5]);
}

#[test]
fn progress_adds_up_to_the_number_of_steps() {
    let line = Euclidean::new(1).unwrap();
    let walk = ManifoldWalk::new(&line, 1.0, |x: &[f64]| -x[0].abs()).unwrap();
    let taken = AtomicUsize::new(0);
    let report = |steps| {
        taken.fetch_add(steps, Ordering::Relaxed);
    };
    let chain = Metropolis::new(1_000, 70).thinning(10);
    chain.sample_with_progress(&walk, &[vec![0.0], vec![1.0]], &mut Generator::seeded(1), &report).unwrap();
    assert_eq!(taken.into_inner(), 2 * 1_700);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let sphere = Sphere::new(2).unwrap();
    let pole = [0.0, 0.0, 1.0];
    let cap = |x: &[f64]| if sphere.dist(x, &pole) < 0.5 { 0.0 } else { f64::NEG_INFINITY };
    let walk = ManifoldWalk::new(&sphere, 0.1, cap).unwrap();
    let refused = |chain: Metropolis, starts: &[Vec<f64>]| {
        chain.sample(&walk, starts, &mut Generator::seeded(1)).unwrap_err().to_string()
    };
    let start = [pole.to_vec()];
    assert!(refused(Metropolis::new(10, 0), &start).contains("draws is 0"));
    assert!(refused(Metropolis::new(10, 1).thinning(0), &start).contains("thinning is 0"));
    assert!(refused(Metropolis::new(10, usize::MAX), &start).contains("memory"));
    assert!(refused(Metropolis::new(10, usize::MAX / 64), &start).contains("memory"));
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(Metropolis::new(10, 1).step(step), &start).contains("step is"));
    }
    let chain = Metropolis::new(10, 1);
    assert!(refused(chain, &[]).contains("no start"));
    assert!(
        refused(chain, &[pole.to_vec(), vec![0.0, 1.0, 0.0]]).contains("chain 2 cannot start there: its density is 0")
    );
    assert!(refused(chain, &[vec![0.0, 1.0]]).contains("3 numbers, found 2"));
    assert!(refused(chain, &[vec![0.0, 1.0, 1.0]]).contains("norm"));
    assert!(refused(chain, &[vec![f64::NAN; 3]]).contains("NaN"));

    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(ManifoldWalk::new(&sphere, scale, cap).err().unwrap().to_string().contains("scale is"));
        let bundle =
            |a, b| TangentBundleWalk::new(&sphere, a, b, |_: &[f64], _: &[f64]| 0.0).err().unwrap().to_string();
        assert!(bundle(scale, 1.0).starts_with("scale is"));
        assert!(bundle(1.0, scale).starts_with("tangent scale is"));
    }
    let bundle = TangentBundleWalk::new(&sphere, 1.0, 1.0, |_: &[f64], _: &[f64]| 0.0).unwrap();
    let problem = |state: &[f64]| bundle.check_state(state).unwrap_err().to_string();
    assert!(problem(&[]).contains("3 numbers"));
    assert!(problem(&[0.0, 0.0, 1.0]).contains("tangent vector is 0 numbers"));
    assert!(problem(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]).contains("tangent vector is 4 numbers"));
    assert!(problem(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.1]).contains("not tangent"));
    assert!(problem(&[0.0, 0.0, 1.0, 1.0, f64::NAN, 0.0]).contains("not tangent"));
    assert!(problem(&[0.0, 0.0, 2.0, 1.0, 0.0, 0.0]).contains("norm"));
    assert!(bundle.check_state(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0]).is_ok());
}

/// A law that reaches beyond what double precision can hold: proposals there are refused, and the chain stays on the
/// space.
#[test]
fn a_chain_does_not_leave_its_space() {
    let spaces: [&dyn Manifold; 3] =
        [&SpdAffineInvariant::new(3).unwrap(), &SpdLogEuclidean::new(3).unwrap(), &Hyperbolic::new(3).unwrap()];
    for manifold in spaces {
        let flat = ManifoldWalk::new(manifold, 5.0, |_: &[f64]| 0.0).unwrap();
        let chains =
            Metropolis::new(0, 2_000).step(1.0).sample(&flat, &starts(manifold, 0.5), &mut Generator::seeded(3));
        for draw in chains.unwrap().iter().flatten() {
            manifold.check_point(draw).unwrap();
        }
        let bundle = TangentBundleWalk::new(manifold, 5.0, 1.0, |_: &[f64], _: &[f64]| 0.0).unwrap();
        let start = [point(manifold, &[0.5]), vec![0.0; manifold.point_len()]].concat();
        let chains = Metropolis::new(0, 2_000).step(1.0).sample(&bundle, &[start], &mut Generator::seeded(3));
        for draw in chains.unwrap().iter().flatten() {
            assert!(draw.iter().all(|x| x.is_finite()));
            manifold.check_point(&draw[..manifold.point_len()]).unwrap();
        }
    }
}
