//! Times of the non-private means and of one private draw. `cargo bench -p karcher`; set `RAYON_NUM_THREADS=1` for one
//! thread.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use karcher::mechanism::{Noise, NoisyMean, Plan, PrivateFrechetMean};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, ReleaseContext, Space};
use std::hint::black_box;
use std::sync::Arc;

const N: usize = 2_000;

fn manifold(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().and_then(|space| space.manifold()).expect("a space of the library")
}

fn origin(manifold: &dyn Manifold) -> Vec<f64> {
    let mut p = vec![0.0; manifold.point_len()];
    manifold.origin(&mut p);
    p
}

fn cloud(manifold: &Arc<dyn Manifold>, n: usize, scale: f64) -> Points {
    let law = Isotropic::new(Arc::clone(manifold), Law::Gaussian, scale).expect("a law");
    let center = origin(manifold);
    let mut generator = Generator::seeded(1);
    let mut values = vec![0.0; n * center.len()];
    for draw in values.chunks_exact_mut(center.len()) {
        law.sample(&center, &mut generator, draw).expect("a draw");
    }
    Points::new(manifold, values).expect("points")
}

fn means(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frechet mean of 2,000 points");
    group.sample_size(10).throughput(Throughput::Elements(N as u64));
    for (name, scale) in [
        ("sphere:2", 0.3),
        ("hyperbolic:5", 0.3),
        ("kendall:50", 0.01),
        ("spd-log-euclidean:3", 0.5),
        ("spd-log-euclidean:10", 0.2),
        ("spd-log-euclidean:30", 0.1),
        ("spd-affine-invariant:3", 0.3),
        ("spd-affine-invariant:10", 0.1),
        ("spd-affine-invariant:30", 0.03),
    ] {
        let m = manifold(name);
        let points = cloud(&m, N, scale);
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| FrechetMean::new(&*m).tolerance(1e-9).fit(black_box(points.view())));
        });
    }
    group.finish();
}

fn draws(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one laplace draw");
    for (name, scale) in [
        ("sphere:2", 0.05),
        ("hyperbolic:5", 0.05),
        ("kendall:50", 0.001),
        ("spd-log-euclidean:30", 0.01),
        ("spd-affine-invariant:3", 0.05),
        ("spd-affine-invariant:30", 0.005),
    ] {
        let m = manifold(name);
        let law = Isotropic::new(Arc::clone(&m), Law::Laplace, scale).expect("a law");
        let center = origin(&*m);
        let mut generator = Generator::seeded(2);
        let mut draw = center.clone();
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| law.sample(black_box(&center), &mut generator, &mut draw));
        });
    }
    // what a mechanism does: a logarithm of each record, the mean in flat coordinates, one matrix exponential
    let m = manifold("spd-log-euclidean:30");
    let ball = Ball::at_origin(&*m, 5.0).expect("a ball");
    let private = PrivateFrechetMean::new(Arc::clone(&m), ball).expect("a ball of the space");
    let records = cloud(&m, 100, 0.1);
    let sensitivity = private.sensitivity(records.len()).expect("a sensitivity").value();
    let noise = Noise::laplace(m, sensitivity, Guarantee::pure(1.0).expect("a budget")).expect("noise");
    let plan = NoisyMean::new(private, records.len(), noise).expect("a plan");
    let mut context = ReleaseContext::seeded(3);
    group.bench_function("release of the mean of 100 points on spd-log-euclidean:30", |bencher| {
        bencher.iter(|| plan.run(black_box(&records), &mut context));
    });
    group.finish();
}

criterion_group!(benches, means, draws);
criterion_main!(benches);
