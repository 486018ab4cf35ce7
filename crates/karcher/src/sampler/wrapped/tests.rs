use super::*;
use crate::Space;
use crate::vector::norm_of_difference;
use std::time::Instant;

fn space(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

fn flat(manifold: &dyn Manifold, law: Law, scale: f64) -> Isotropic {
    Isotropic::new(Arc::new(Euclidean::new(manifold.dim()).unwrap()), law, scale).unwrap()
}

/// Distances by the space's own `Exp` and `dist`, of as many independent draws, and the lengths of the noise.
fn brute_force(manifold: &dyn Manifold, a: &[f64], noise: &Isotropic, draws: usize, seed: u64) -> Vec<(f64, f64)> {
    let from = point(manifold, a);
    let part = |part: u64| {
        let generator = &mut Generator::seeded(1_000_000 * seed + part);
        let one = |_| {
            let mut b = a.to_vec();
            noise.add_flat_noise(&mut b, generator);
            (manifold.dist(&from, &point(manifold, &b)), norm_of_difference(a, &b))
        };
        (0..draws / 8).map(one).collect::<Vec<_>>()
    };
    (0..8).into_par_iter().flat_map_iter(part).collect()
}

/// The mean, from what varies least.
fn mean_of(draws: &[(f64, f64)], law: &Isotropic) -> f64 {
    let (sum, lengths) = draws.iter().fold((0.0, 0.0), |(s, t), (distance, length)| (s + distance, t + length));
    sum / lengths * law.expected_distance().unwrap()
}

/// The worst direction of the space's own, by simulation.
fn worst(manifold: &dyn Manifold, radius: f64, noise: &Isotropic, draws: usize) -> Vec<(f64, f64)> {
    let of = |direction: Vec<f64>| {
        let a: Vec<f64> = direction.iter().map(|e| radius * e).collect();
        brute_force(manifold, &a, noise, draws, 7)
    };
    let sum = |draws: &Vec<(f64, f64)>| draws.iter().map(|(distance, _)| distance).sum::<f64>();
    manifold.steepest_directions().into_iter().map(of).max_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap()
}

const CURVED: [(&str, f64, usize); 8] = [
    ("hyperbolic:2", 2.0, 100_000),
    ("hyperbolic:5", 4.0, 100_000),
    ("spd-affine-invariant:2", 3.0, 50_000),
    ("spd-affine-invariant:3", 2.0, 40_000),
    ("spd-affine-invariant:10", 2.0, 4_000),
    ("sphere:2*hyperbolic:2", 1.5, 100_000),
    ("euclidean:40*hyperbolic:2", 4.0, 100_000),
    ("spd-affine-invariant:3*hyperbolic:2", 2.0, 40_000),
];

#[test]
fn mean_and_quantiles_are_those_of_simulation() {
    for (name, radius, draws) in CURVED {
        let manifold = space(name);
        for law in [Law::Laplace, Law::Gaussian] {
            for length in [0.01, 0.3, 2.0] {
                let scale = length / flat(&*manifold, law, 1.0).expected_distance().unwrap();
                let noise = flat(&*manifold, law, scale);
                let event = wrapped_distance(&manifold, radius, law, scale).unwrap();
                let mut drawn = worst(&*manifold, radius, &noise, draws);
                let expected = mean_of(&drawn, &noise);
                let case = format!("{name} {law:?} {length}: {} for {expected}", event.mean());
                println!("{case}: {:+.4} (flat {:+.3})", event.mean() / expected - 1.0, length / expected - 1.0);
                assert!((event.mean() / expected - 1.0).abs() < 0.02, "{case}");
                drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
                for p in [0.1, 0.5, 0.9, 0.95] {
                    let simulated = drawn[(p * drawn.len() as f64) as usize].0;
                    let off = event.quantile(p) / simulated - 1.0;
                    assert!(off.abs() < 0.05, "{case}: quantile {p} is {off} off");
                }
                let quantiles: Vec<f64> = (0..=1000).map(|i| event.quantile(f64::from(i) / 1000.0)).collect();
                assert!(quantiles.windows(2).all(|pair| pair[0] <= pair[1]), "{case}");
            }
        }
    }
}

#[test]
fn no_mean_of_the_ball_is_worse() {
    for (name, radius, draws) in CURVED.into_iter().chain([("kendall:6", 0.5, 20_000), ("torus:2", 1.5, 20_000)]) {
        let manifold = space(name);
        let draws = draws / 10;
        for (law, length) in [(Law::Gaussian, 0.1), (Law::Laplace, 1.0)] {
            let scale = length / flat(&*manifold, law, 1.0).expected_distance().unwrap();
            let noise = flat(&*manifold, law, scale);
            let event = wrapped_distance(&manifold, radius, law, scale).unwrap().mean();
            let generator = &mut Generator::seeded(5);
            let mut largest: f64 = 0.0;
            for i in 0..24 {
                let mut a = vec![0.0; manifold.dim()];
                unit_vector(generator, &mut a);
                // half of them at the edge
                let r = radius * if i % 2 == 0 { 1.0 } else { f64::from(i) / 24.0 };
                a.iter_mut().for_each(|a| *a *= r);
                largest = largest.max(mean_of(&brute_force(&*manifold, &a, &noise, draws, i as u64), &noise));
            }
            println!("{name} {law:?} {length}: largest {largest}, announced {event}");
            assert!(largest <= 1.02 * event, "{name} {law:?} {length}: {largest} beyond {event}");
        }
    }
}

#[test]
fn without_negative_curvature_the_law_is_that_of_the_noise_within_the_diameter() {
    for name in ["kendall:6", "torus:2", "sphere:2", "euclidean:3", "hyperbolic:1", "spd-affine-invariant:1"] {
        let manifold = space(name);
        let noise = flat(&*manifold, Law::Laplace, 0.01);
        let event = wrapped_distance(&manifold, 0.3, Law::Laplace, 0.01).unwrap();
        assert_eq!(event.mean(), noise.expected_distance().unwrap());
        let wide = wrapped_distance(&manifold, 0.3, Law::Laplace, 100.0).unwrap();
        assert!(wide.mean() <= manifold.diameter() && wide.quantile(1.0) <= manifold.diameter());
        let drawn = brute_force(&*manifold, &vec![0.0; manifold.dim()], &noise, 8_000, 1);
        assert!((mean_of(&drawn, &noise) / event.mean() - 1.0).abs() < 0.002, "{name}");
    }
}

#[test]
fn symmetric_matrices_of_ten_channels_are_told_what_the_chart_costs() {
    let manifold = space("spd-affine-invariant:10");
    let (mu, sensitivity) = (crate::privacy::mu_for(1.0, 1e-6).unwrap(), 2.0 * 2.0 / 1_000.0);
    let event = wrapped_distance(&manifold, 2.0, Law::Gaussian, sensitivity / mu).unwrap().mean();
    // small noise is stretched by sinhc(δ/2) where eigenvalues of `a` differ by δ: 9 of 55 entries by that of 2/√0.9
    let half = 1.0 / 0.9_f64.sqrt();
    let stretch = ((46.0 + 9.0 * (half.sinh() / half).powi(2)) / 55.0).sqrt();
    let flat = flat(&*manifold, Law::Gaussian, sensitivity / mu).expected_distance().unwrap();
    println!("spd-affine-invariant:10: {event}, flat {flat}, small noise {}", stretch * flat);
    assert!((0.128..0.130).contains(&event) && (event / (stretch * flat) - 1.0).abs() < 0.005, "{event}");
}

#[test]
fn far_out_numbers_stay_finite() {
    for name in ["hyperbolic:2", "hyperbolic:30", "hyperbolic:2*sphere:2", "spd-affine-invariant:3"] {
        let manifold = space(name);
        for radius in [1e-100, 1e-3, 30.0, 299.0, 1e100] {
            for scale in [1e-90, 1e-9, 1.0, 100.0, 1e90] {
                for law in [Law::Laplace, Law::Gaussian] {
                    let event = wrapped_distance(&manifold, radius, law, scale).unwrap();
                    let [mean, median, most] = [event.mean(), event.quantile(0.5), event.quantile(1.0)];
                    let case = format!("{name} {radius:e} {scale:e}: {mean:e} {median:e} {most:e}");
                    assert!(mean.is_finite() && mean > 0.0 && median > 0.0 && most.is_finite(), "{case}");
                    assert!(median <= most, "{case}");
                    let length = flat(&*manifold, law, scale).expected_distance().unwrap();
                    let none = radius < 1e-2 && length < 1e-2;
                    assert!(!none || (mean / length - 1.0).abs() < 1e-2, "{case}, noise {length:e}");
                }
            }
        }
    }
}

#[test]
fn hyperbolic_distances_are_those_of_the_space() {
    let plane = space("hyperbolic:3");
    let generator = &mut Generator::seeded(9);
    let curved = Hyperbolic { unit: 1.0, max_step: plane.max_step() };
    for i in 0..1000 {
        let [mut a, mut b] = [[0.0; 3]; 2];
        unit_vector(generator, &mut a);
        unit_vector(generator, &mut b);
        a.iter_mut().for_each(|x| *x *= 0.006 * f64::from(i));
        b.iter_mut().for_each(|x| *x *= 3.0);
        let (p, q) = (point(&*plane, &a), point(&*plane, &b));
        let n: Vec<f64> = b.iter().zip(&a).map(|(b, a)| b - a).collect();
        assert!((curved.moved_by(&a, &n) - plane.dist(&p, &q)).abs() < 1e-9);
    }
    // at right angles cosh ρ = cosh s·cosh t, also where numbers of points overflow
    let end = [250.0, 0.0, 0.0];
    let found = curved.moved_by(&end, &[-250.0, 200.0, 0.0]);
    assert!((found - (450.0 - std::f64::consts::LN_2)).abs() < 1e-9, "{found}");
}

#[test]
fn the_law_does_not_depend_on_threads() {
    let manifold = space("spd-affine-invariant:3");
    let law = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let flat = flat(&*manifold, Law::Laplace, 0.1).distance().unwrap();
        let law = pool.install(|| stretched(&*manifold, 2.0, &flat));
        (law.mean().to_bits(), law.quantile(0.5).to_bits(), law.quantile(0.99).to_bits())
    };
    assert_eq!(law(1), law(3));
}

#[test]
fn a_remembered_law_is_that_of_its_own_arguments() {
    let bits = |law: DistanceLaw| [law.mean(), law.quantile(0.5), law.quantile(0.99)].map(f64::to_bits);
    let (scales, laws) = ([0.1, 0.2], [Law::Laplace, Law::Gaussian]);
    for name in ["hyperbolic:2", "hyperbolic:3", "spd-affine-invariant:2"].repeat(2) {
        let manifold = space(name);
        for (radius, law, scale) in
            [1.0, 2.0].into_iter().flat_map(|r| laws.into_iter().flat_map(move |law| scales.map(|s| (r, law, s))))
        {
            let fresh = stretched(&*manifold, radius, &flat(&*manifold, law, scale).distance().unwrap());
            assert_eq!(bits(wrapped_distance(&manifold, radius, law, scale).unwrap()), bits(fresh), "{name}");
        }
    }
}

#[test]
fn steepest_directions_have_unit_length() {
    for name in ["spd-affine-invariant:1", "spd-affine-invariant:2", "spd-affine-invariant:7", "sphere:2*hyperbolic:2"]
    {
        let manifold = space(name);
        for direction in manifold.steepest_directions() {
            assert!(direction.len() == manifold.dim() && (norm(&direction) - 1.0).abs() < 1e-14);
        }
    }
    assert_eq!(space("sphere:2*hyperbolic:2").steepest_directions(), [[0.0, 0.0, 1.0, 0.0]]);
    assert_eq!(space("sphere:2*sphere:2").steepest_directions(), [[1.0, 0.0, 0.0, 0.0]]);
}

#[test]
#[ignore = "prints times, for the record"]
fn times() {
    for name in [
        "hyperbolic:2",
        "spd-affine-invariant:2",
        "spd-affine-invariant:3",
        "spd-affine-invariant:5",
        "spd-affine-invariant:10",
        "spd-affine-invariant:30",
        "spd-affine-invariant:100",
        "sphere:2*hyperbolic:2",
        "kendall:50",
    ] {
        let manifold = space(name);
        let start = Instant::now();
        let mean = wrapped_distance(&manifold, 0.5, Law::Gaussian, 0.02).unwrap().mean();
        println!("{name}: {mean} in {:?}", start.elapsed());
    }
}
