//! The certified `μ` by quadrature, against Jiang et al.'s Algorithm 2 with 10,000 exact draws around each of two
//! points.

#[path = "../reference/jiang.rs"]
#[allow(dead_code)]
mod jiang;

use criterion::{Criterion, criterion_group, criterion_main};
use karcher::Manifold;
use karcher::manifold::{Hyperbolic, Sphere};
use karcher::privacy::{ConstantCurvature, Guarantee, Profile, curved_gaussian_guarantee, curved_gaussian_scale};
use karcher::sampler::{Generator, Law};
use std::hint::black_box;
use std::sync::Arc;

fn bench(criterion: &mut Criterion) {
    let spaces: [(&str, Arc<dyn Manifold>); 4] = [
        ("sphere:2", Arc::new(Sphere::new(2).unwrap())),
        ("sphere:50", Arc::new(Sphere::new(50).unwrap())),
        ("hyperbolic:2", Arc::new(Hyperbolic::new(2).unwrap())),
        ("hyperbolic:3", Arc::new(Hyperbolic::new(3).unwrap())),
    ];
    let mut group = criterion.benchmark_group("profile");
    group.sample_size(10);
    for (name, manifold) in &spaces {
        let space = ConstantCurvature::of(&**manifold, Law::Gaussian).unwrap();
        group.bench_function(format!("delta/{name}"), |b| {
            b.iter(|| Profile::new(space, Law::Gaussian, black_box(0.25), 0.25).unwrap().delta(0.5));
        });
        group.bench_function(format!("mu/{name}"), |b| {
            b.iter(|| curved_gaussian_guarantee(&**manifold, 0.25, black_box(0.25)));
        });
        for (what, request) in [("mu", Guarantee::gaussian(1.0)), ("delta", Guarantee::approximate(1.0, 1e-6))] {
            let request = request.unwrap();
            group.bench_function(format!("calibrate-{what}/{name}"), |b| {
                b.iter(|| curved_gaussian_scale(&**manifold, black_box(0.05), &request));
            });
        }
        group.bench_function(format!("algorithm-2/{name}"), |b| {
            let epsilons: Vec<f64> = (0..20).map(|i| 1e-9 + 0.1 * f64::from(i)).collect();
            b.iter(|| {
                let mut generator = Generator::seeded(1);
                let losses = jiang::losses(manifold, Law::Gaussian, black_box(0.25), 0.25, 10_000, &mut generator);
                jiang::algorithm_2(&losses.unwrap(), epsilons.iter().copied(), 0.0)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
