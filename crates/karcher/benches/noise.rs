//! Times of exact noise for integer vectors. `cargo bench -p karcher --bench noise`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use karcher::noise::VectorNoise;
use karcher::sampler::{Generator, Law};
use std::hint::black_box;

/// 2⁵¹: as large as the scale of a sum of vectors of 50 bits. It fills all bits of a mantissa.
const SCALE: f64 = (1_u64 << 51) as f64 + 0.5;

fn draws(criterion: &mut Criterion) {
    for (law, name, dims) in [
        (Law::Gaussian, "exact Gaussian noise", [1, 6, 55, 1000]),
        (Law::Laplace, "exact Laplace noise", [1, 6, 55, 1000]),
    ] {
        let mut group = criterion.benchmark_group(name);
        let noise = VectorNoise::new(law, SCALE).expect("a scale");
        let mut generator = Generator::seeded(1);
        for dim in dims {
            let sum = vec![0; dim];
            group.throughput(Throughput::Elements(dim as u64));
            group.bench_function(BenchmarkId::from_parameter(dim), |bencher| {
                bencher.iter(|| noise.added_to(black_box(&sum), &mut generator));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, draws);
criterion_main!(benches);
