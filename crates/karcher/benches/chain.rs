//! A draw from the K-norm gradient density of a mean of 1,000 points on the sphere: by 20,000 steps of a Markov chain,
//! as the literature does, and exactly; and the time of a step alone. `cargo bench -p karcher --bench chain`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use karcher::mechanism::{KNormGradient, Plan, PrivateFrechetMean};
use karcher::privacy::Guarantee;
use karcher::records::{Observations, Summand};
use karcher::sampler::{Generator, Isotropic, Law, ManifoldWalk, Metropolis, RandomWalk, TangentBundleWalk};
use karcher::{Ball, Manifold, Points, ReleaseContext, Space};
use std::f64::consts::PI;
use std::hint::black_box;
use std::sync::Arc;

const N: usize = 1_000;
const STEPS: usize = 20_000;

fn manifold(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().and_then(|space| space.manifold()).expect("a space of the library")
}

fn origin(manifold: &dyn Manifold) -> Vec<f64> {
    let mut p = vec![0.0; manifold.point_len()];
    manifold.origin(&mut p);
    p
}

/// Density `∝ exp(−‖(1/n)·Σ Log_x xᵢ‖/σ)` on the ball of radius π/8.
fn gradient_density(criterion: &mut Criterion) {
    let sphere = manifold("sphere:2");
    let center = origin(&*sphere);
    let law = Isotropic::new(Arc::clone(&sphere), Law::Gaussian, 0.15).expect("a law");
    let mut generator = Generator::seeded(1);
    let mut values = vec![0.0; 3 * N];
    for draw in values.chunks_exact_mut(3) {
        law.sample(&center, &mut generator, draw).expect("a draw");
    }
    let points = Points::new(&*sphere, values).expect("points");
    let scale = 2.0 * 0.8 / N as f64;
    let log_density = |x: &[f64]| {
        if sphere.dist(&center, x) > PI / 8.0 {
            return f64::NEG_INFINITY;
        }
        let gradient = Summand::Log { base: x.to_vec(), bound: PI };
        match Observations::new(&points).sum(&*sphere, &gradient) {
            Ok(sum) => -sum.mean().iter().map(|c| c * c).sum::<f64>().sqrt() / scale,
            Err(_) => f64::NEG_INFINITY,
        }
    };
    let walk = ManifoldWalk::new(&*sphere, scale, log_density).expect("a walk");
    let chain = Metropolis::new(STEPS - 1, 1);
    let starts = [center.clone()];
    let mut group = criterion.benchmark_group("chain");
    group.sample_size(10);
    group.bench_function("20,000 steps for the mean of 1,000 points on sphere:2", |bencher| {
        bencher.iter(|| chain.sample(&walk, black_box(&starts), &mut generator));
    });
    let ball = Ball::at_origin(&*sphere, PI / 8.0).expect("a ball");
    let private = PrivateFrechetMean::new(Arc::clone(&sphere), ball).expect("a ball of the sphere");
    let budget = Guarantee::pure(1.0).expect("a budget");
    let kng = KNormGradient::new(&private, N, budget).expect("a mechanism");
    let mut context = ReleaseContext::seeded(1);
    group.bench_function("exact release of the mean of 1,000 points on sphere:2", |bencher| {
        bencher.iter(|| kng.run(black_box(&points), &mut context));
    });
    group.finish();
}

/// What a proposal costs: a constant density.
fn proposals(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one proposal");
    for name in ["sphere:2", "hyperbolic:2", "kendall:4", "spd-log-euclidean:2", "spd-affine-invariant:2"] {
        let m = manifold(name);
        let p = origin(&*m);
        let mut generator = Generator::seeded(2);
        let walk = ManifoldWalk::new(&*m, 0.1, |_: &[f64]| 0.0).expect("a walk");
        let mut out = p.clone();
        group.bench_function(BenchmarkId::new("manifold", name), |bencher| {
            bencher.iter(|| walk.propose(black_box(&p), 1.0, &mut generator, &mut out));
        });
        let walk = TangentBundleWalk::new(&*m, 0.1, 0.1, |_: &[f64], _: &[f64]| 0.0).expect("a walk");
        let state = [p.clone(), vec![0.0; p.len()]].concat();
        let mut out = state.clone();
        group.bench_function(BenchmarkId::new("tangent bundle", name), |bencher| {
            bencher.iter(|| walk.propose(black_box(&state), 1.0, &mut generator, &mut out));
        });
    }
    group.finish();
}

criterion_group!(benches, gradient_density, proposals);
criterion_main!(benches);
