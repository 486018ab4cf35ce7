//! The isotropic samplers against distribution functions integrated here from the formulas of the spaces.
//!
//! Kolmogorov–Smirnov tests reject at `√n·D > 2.8`: a correct sampler fails one of them with probability
//! `2·exp(−2·2.8²) = 3.1e-7`. Each comes with a power check: the same sample must be rejected by the law whose scale is
//! 10 % larger. Seeds are fixed, so a run that passes always passes.

use crate::common::some;
use karcher::Manifold;
use karcher::manifold::{Euclidean, Hyperbolic, Kendall, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use karcher::sampler::{Generator, Isotropic, Law};
use statrs::distribution::{Beta, ContinuousCDF};
use std::sync::Arc;

const CRITICAL: f64 = 2.8;

/// `√n·sup|F_n − F|`.
fn kolmogorov_smirnov(sample: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let f = cdf(x);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    };
    n.sqrt() * sample.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// The distribution function of a density on `(0, end)`, by Simpson's rule on a fine grid and linear interpolation.
fn distribution(density: impl Fn(f64) -> f64, end: f64) -> impl Fn(f64) -> f64 {
    const CELLS: usize = 8000;
    let width = end / CELLS as f64;
    let mut sums = vec![0.0];
    for i in 0..CELLS {
        let x = i as f64 * width;
        let cell = (density(x) + 4.0 * density(x + 0.5 * width) + density(x + width)) * width / 6.0;
        sums.push(sums[i] + cell);
    }
    move |x: f64| {
        let at = (x / width).clamp(0.0, CELLS as f64 - 1e-9);
        let i = at as usize;
        (sums[i] + (at - i as f64) * (sums[i + 1] - sums[i])) / sums[CELLS]
    }
}

fn fall(law: Law, scale: f64, s: f64) -> f64 {
    match law {
        Law::Laplace => (-s / scale).exp(),
        Law::Gaussian => (-0.5 * (s / scale).powi(2)).exp(),
    }
}

fn sinhc(x: f64) -> f64 {
    if x.abs() < 1e-6 { 1.0 } else { x.sinh() / x }
}

/// Coordinates of `Log_center(draw)` in the frame at the center, for many draws around a center that is not the origin.
fn draws(manifold: &(impl Manifold + Clone + 'static), law: Law, scale: f64, n: usize) -> Vec<Vec<f64>> {
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let mut v = origin.clone();
    let first: Vec<f64> = (0..manifold.dim()).map(|i| 0.7 / (i + 1) as f64).collect();
    manifold.from_frame(&origin, &first, &mut v);
    let mut center = origin.clone();
    manifold.exp(&origin, &v, &mut center);

    let sampler = Isotropic::new(Arc::new(manifold.clone()), law, scale).unwrap();
    let mut generator = Generator::seeded(20_240_601);
    let mut draw = origin;
    let mut coordinates = vec![0.0; manifold.dim()];
    (0..n)
        .map(|_| {
            sampler.sample(&center, &mut generator, &mut draw).unwrap();
            manifold.check_point(&draw).unwrap();
            manifold.log(&center, &draw, &mut v).unwrap();
            manifold.to_frame(&center, &v, &mut coordinates);
            coordinates.clone()
        })
        .collect()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Radius against the density `f(s)·volume(s)` on `(0, end)`, with power check, and uniformity of the direction.
fn check(
    manifold: &(impl Manifold + Clone + 'static),
    law: Law,
    scale: f64,
    n: usize,
    end: f64,
    volume: impl Fn(f64) -> f64 + Copy,
) {
    let draws = draws(manifold, law, scale, n);
    let mut radii: Vec<f64> = draws.iter().map(|v| norm(v)).collect();
    let name = format!("{} {law:?} {scale}", manifold.space());
    let right = kolmogorov_smirnov(&mut radii, distribution(|s| fall(law, scale, s) * volume(s), end));
    let wrong = kolmogorov_smirnov(&mut radii, distribution(|s| fall(law, 1.1 * scale, s) * volume(s), end));
    assert!(right < CRITICAL, "{name}: radius rejected, {right}");
    assert!(wrong > CRITICAL, "{name}: a scale wrong by 10 % is not noticed, {wrong}");

    // projections on two fixed directions: their squares are Beta(1/2, (d−1)/2), their signs even
    let d = manifold.dim();
    for direction in [0, 1] {
        let axis: Vec<f64> =
            (0..d).map(|i| if direction == 0 { (i == 0) as u8 as f64 } else { ((i * i) as f64).cos() }).collect();
        let along: Vec<f64> = draws
            .iter()
            .map(|v| v.iter().zip(&axis).map(|(a, b)| a * b).sum::<f64>() / norm(v) / norm(&axis))
            .collect();
        let positive = along.iter().filter(|x| **x > 0.0).count() as f64;
        let z = (positive - 0.5 * n as f64) / (0.25 * n as f64).sqrt();
        assert!(z.abs() < 5.2, "{name}: signs of the direction are uneven, {z} standard errors"); // probability 2e-7
        if d > 1 {
            let beta = Beta::new(0.5, 0.5 * (d - 1) as f64).unwrap();
            let mut squares: Vec<f64> = along.iter().map(|x| x * x).collect();
            let statistic = kolmogorov_smirnov(&mut squares, |x| beta.cdf(x.min(1.0)));
            assert!(statistic < CRITICAL, "{name}: direction rejected, {statistic}");
        }
    }
}

const N: usize = 40_000;

#[test]
fn euclidean_draws_follow_the_law() {
    for d in [1, 2, 5, 40] {
        let space = Euclidean::new(d).unwrap();
        let volume = |s: f64| (s / d as f64).powi(d as i32 - 1);
        check(&space, Law::Laplace, 0.3, N, 0.3 * (d as f64 + 45.0 * (d as f64).sqrt()), volume);
        check(&space, Law::Gaussian, 2.0, N, 2.0 * ((d as f64).sqrt() + 10.0), volume);
    }
}

#[test]
fn sphere_draws_follow_the_law() {
    for (d, law, scale) in [
        (1, Law::Laplace, 0.5),
        (1, Law::Gaussian, 1.0),
        (2, Law::Laplace, 0.1),
        (2, Law::Laplace, 1.0),
        (2, Law::Gaussian, 1.0),
        (5, Law::Laplace, 0.2),
        (5, Law::Gaussian, 0.5),
        (30, Law::Laplace, 0.03),
    ] {
        let space = Sphere::new(d).unwrap();
        check(&space, law, scale, N, std::f64::consts::PI, |s| s.sin().max(0.0).powi(d as i32 - 1));
    }
}

#[test]
fn hyperbolic_draws_follow_the_law() {
    for (d, law, scale, end) in [
        (1, Law::Laplace, 0.5, 25.0),
        (2, Law::Laplace, 0.1, 6.0),
        (2, Law::Laplace, 0.6, 60.0),
        (3, Law::Laplace, 0.3, 40.0),
        (3, Law::Gaussian, 0.3, 6.0),
        (6, Law::Gaussian, 1.0, 18.0),
    ] {
        let space = Hyperbolic::new(d).unwrap();
        check(&space, law, scale, N, end, |s| s.sinh().powi(d as i32 - 1));
    }
}

#[test]
fn log_euclidean_draws_follow_the_law() {
    for k in [2, 3] {
        let space = SpdLogEuclidean::new(k).unwrap();
        let d = space.dim() as i32;
        check(&space, Law::Laplace, 0.2, N, 0.2 * 60.0, |s| s.powi(d - 1));
        check(&space, Law::Gaussian, 0.5, N, 0.5 * 14.0, |s| s.powi(d - 1));
    }
}

#[test]
fn shape_draws_follow_the_law() {
    for (k, law, scale) in [
        (3, Law::Laplace, 0.2),
        (4, Law::Laplace, 0.05),
        (4, Law::Gaussian, 0.3),
        (8, Law::Laplace, 0.02),
        (50, Law::Laplace, 0.003),
    ] {
        let space = Kendall::new(k).unwrap();
        let m = k as i32 - 2;
        let volume = |s: f64| (s.sin() * 20.0).powi(2 * m - 2) * (2.0 * s).sin().max(0.0);
        check(&space, law, scale, N, std::f64::consts::FRAC_PI_2, volume);
    }
}

/// On SPD(2) the volume density depends on the angle α between the tangent vector and the identity:
/// `sinhc(s·sin α/√2)`.
#[test]
fn affine_invariant_draws_of_size_2_follow_the_law() {
    let space = SpdAffineInvariant::new(2).unwrap();
    let angles: Vec<f64> = (0..200).map(|i| (i as f64 + 0.5) * std::f64::consts::PI / 200.0).collect();
    let cases = [(Law::Laplace, 0.2, 12.0), (Law::Laplace, 0.6, 40.0), (Law::Gaussian, 1.0, 14.0)];
    for (law, scale, end) in some(&cases, 1, 2) {
        let draws = draws(&space, law, scale, N);
        let mut radii: Vec<f64> = draws.iter().map(|v| norm(v)).collect();
        let average = |s: f64| angles.iter().map(|a| a.sin() * sinhc(s * a.sin() / 2.0_f64.sqrt())).sum::<f64>();
        let density = |scale: f64| move |s: f64| fall(law, scale, s) * s * s * average(s);
        let right = kolmogorov_smirnov(&mut radii, distribution(density(scale), end));
        let wrong = kolmogorov_smirnov(&mut radii, distribution(density(1.1 * scale), end));
        assert!(right < CRITICAL && wrong > CRITICAL, "{law:?} {scale}: {right} {wrong}");

        // coordinates are (P₁₁, P₂₂, √2·P₁₂); the angle to the identity, then the angle around it
        let radial = distribution_of_angle(law, scale, end);
        let mut cosines: Vec<f64> = draws.iter().map(|v| ((v[0] + v[1]) / 2.0_f64.sqrt() / norm(v)).acos()).collect();
        let statistic = kolmogorov_smirnov(&mut cosines, radial);
        assert!(statistic < CRITICAL, "{law:?} {scale}: angle to the identity rejected, {statistic}");
        let around = |v: &Vec<f64>| v[2].atan2((v[0] - v[1]) / 2.0_f64.sqrt()) / std::f64::consts::TAU + 0.5;
        let mut turns: Vec<f64> = draws.iter().map(around).collect();
        let statistic = kolmogorov_smirnov(&mut turns, |x| x);
        assert!(statistic < CRITICAL, "{law:?} {scale}: angle around the identity rejected, {statistic}");
    }
}

fn distribution_of_angle(law: Law, scale: f64, end: f64) -> impl Fn(f64) -> f64 {
    const RADII: usize = 2000;
    let radii: Vec<f64> = (0..RADII).map(|i| (i as f64 + 0.5) * end / RADII as f64).collect();
    let density = move |a: f64| {
        radii.iter().map(|&s| fall(law, scale, s) * s * s * a.sin() * sinhc(s * a.sin() / 2.0_f64.sqrt())).sum()
    };
    distribution(density, std::f64::consts::PI)
}

/// On SPD(3) the eigenvalues of the tangent vector have density `∝ f(‖λ‖)·Π|λᵢ−λⱼ|·sinhc((λᵢ−λⱼ)/2)`: the radius from
/// an integral over the sphere of their directions.
#[test]
fn affine_invariant_draws_of_size_3_follow_the_law() {
    let space = SpdAffineInvariant::new(3).unwrap();
    let mut directions = Vec::new();
    for i in 0..60 {
        let polar = (i as f64 + 0.5) * std::f64::consts::PI / 60.0;
        for j in 0..120 {
            let azimuth = (j as f64 + 0.5) * std::f64::consts::TAU / 120.0;
            let l = [polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos()];
            let gaps = [l[0] - l[1], l[0] - l[2], l[1] - l[2]];
            directions.push((gaps, polar.sin() * gaps.iter().map(|g| g.abs()).product::<f64>()));
        }
    }
    let average: Vec<f64> = (0..=400)
        .map(|i| {
            let s = 0.05 * i as f64;
            directions.iter().map(|(gaps, w)| w * gaps.iter().map(|g| sinhc(0.5 * s * g)).product::<f64>()).sum()
        })
        .collect();
    let interpolated = |s: f64| {
        let at = (s / 0.05).min(399.999);
        let i = at as usize;
        (average[i].ln() + (at - i as f64) * (average[i + 1].ln() - average[i].ln())).exp()
    };
    for (law, scale, end) in [(Law::Laplace, 0.15, 15.0), (Law::Laplace, 0.35, 19.9), (Law::Gaussian, 0.8, 15.0)] {
        let mut radii: Vec<f64> = draws(&space, law, scale, N).iter().map(|v| norm(v)).collect();
        let density = |scale: f64| move |s: f64| fall(law, scale, s) * s.powi(5) * interpolated(s);
        if scale == 0.35 {
            radii.retain(|&s| s < 19.9); // the law's far tail is beyond the table; the test is of the law given s < 19.9
        }
        let right = kolmogorov_smirnov(&mut radii, distribution(density(scale), end));
        let wrong = kolmogorov_smirnov(&mut radii, distribution(density(1.1 * scale), end));
        assert!(right < CRITICAL && wrong > CRITICAL, "{law:?} {scale}: {right} {wrong}");
    }
}

/// Mean distances computed independently with adaptive quadrature.
#[test]
fn expected_distance_has_the_known_values() {
    let spaces: [(Arc<dyn Manifold>, Law, f64, f64); 8] = [
        (Arc::new(Sphere::new(2).unwrap()), Law::Laplace, 0.1, 0.198_019_80),
        (Arc::new(Sphere::new(2).unwrap()), Law::Laplace, 1.0, 1.130_136_81),
        (Arc::new(Sphere::new(5).unwrap()), Law::Laplace, 0.2, 0.788_729_55),
        (Arc::new(Sphere::new(2).unwrap()), Law::Gaussian, 1.0, 1.050_762_92),
        (Arc::new(Hyperbolic::new(2).unwrap()), Law::Laplace, 0.1, 0.202_020_20),
        (Arc::new(Hyperbolic::new(3).unwrap()), Law::Gaussian, 0.3, 0.493_346_58),
        (Arc::new(Kendall::new(4).unwrap()), Law::Laplace, 0.05, 0.195_163_747),
        (Arc::new(Kendall::new(8).unwrap()), Law::Laplace, 0.02, 0.234_398_49),
    ];
    for (manifold, law, scale, expected) in spaces {
        let sampler = Isotropic::new(Arc::clone(&manifold), law, scale).unwrap();
        let got = sampler.expected_distance().unwrap();
        assert!((got - expected).abs() < 1e-8, "{} {law:?} {scale}: {got} {expected}", manifold.space());

        let radii: Vec<f64> = draws(&manifold, law, scale, N).iter().map(|v| norm(v)).collect();
        let mean = radii.iter().sum::<f64>() / N as f64;
        let variance = radii.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / N as f64;
        let error = (variance / N as f64).sqrt();
        assert!((mean - expected).abs() < 5.2 * error, "{}: {mean} ± {error}", manifold.space()); // probability 2e-7
        assert!((mean - 1.1 * expected).abs() > 5.2 * error, "no power");
    }
    // flat: E R = dσ for the Laplace law, σ√2·Γ((d+1)/2)/Γ(d/2) for the Gaussian
    let flat = Arc::new(Euclidean::new(465).unwrap());
    let laplace = Isotropic::new(flat, Law::Laplace, 0.01).unwrap().expected_distance().unwrap();
    assert!((laplace - 4.65).abs() < 1e-9);
    let three = Arc::new(SpdLogEuclidean::new(2).unwrap());
    let gaussian = Isotropic::new(three, Law::Gaussian, 0.7).unwrap().expected_distance().unwrap();
    assert!((gaussian - 0.7 * (8.0 / std::f64::consts::PI).sqrt()).abs() < 1e-9);
}

/// `(k, share of the largest scale, mean)`: the integrals over lengths and directions (an angle for k = 2, the sphere
/// of eigenvalues for k = 3), by the midpoint rule.
const AFFINE_INVARIANT_MEANS: [(usize, f64, f64); 8] = [
    (2, 0.01, 0.042_430_2),
    (2, 0.3, 1.385_377),
    (2, 0.6, 3.853_961),
    (2, 0.9, 19.484_28),
    (3, 0.01, 0.042_429_5),
    (3, 0.3, 1.364_250),
    (3, 0.6, 3.568_076),
    (3, 0.9, 14.677_69),
];

/// Draws of a wider law would lie farther out than `Exp` goes, and end differently from different centers.
#[test]
fn laws_that_leave_the_range_of_numbers_are_refused() {
    let space = Arc::new(SpdAffineInvariant::new(2).unwrap());
    let scale = 0.97 / space.volume_growth();
    let refused = Isotropic::new(space.clone(), Law::Laplace, scale).unwrap_err().to_string();
    assert!(refused.contains("range of numbers"), "{refused}");
    assert!(Isotropic::new(space, Law::Gaussian, 40.0).is_err());
}

fn affine_invariant_laplace(space: &SpdAffineInvariant, share: f64) -> Isotropic {
    Isotropic::new(Arc::new(space.clone()), Law::Laplace, share / space.volume_growth()).unwrap()
}

/// Standard errors of 0.05 %, so 0.3 % is six of them; near the limit, where no more directions are drawn, 1 %.
#[test]
fn expected_distance_on_affine_invariant_matrices_is_that_of_the_integral() {
    for (k, share, expected) in AFFINE_INVARIANT_MEANS {
        let space = SpdAffineInvariant::new(k).unwrap();
        let found = affine_invariant_laplace(&space, share).expected_distance().unwrap();
        let tolerance = if share < 0.7 { 3e-3 } else { 1e-2 };
        assert!((found / expected - 1.0).abs() < tolerance, "{k} {share}: {found} {expected}");
    }
}

/// Against the exact sampler, which draws whole matrices: 5.2 standard errors have a probability of 2e-7, and 2 % off
/// is noticed.
#[test]
fn expected_distance_on_large_matrices_is_that_of_draws() {
    for (k, share, n) in [(5, 0.6, 20_000), (10, 0.3, 10_000), (30, 0.1, 1_000)] {
        let space = SpdAffineInvariant::new(k).unwrap();
        let law = affine_invariant_laplace(&space, share);
        let expected = law.expected_distance().unwrap();
        let mut origin = vec![0.0; space.point_len()];
        space.origin(&mut origin);
        let (mut generator, mut draw) = (Generator::seeded(11), origin.clone());
        let radii: Vec<f64> = (0..n)
            .map(|_| {
                law.sample(&origin, &mut generator, &mut draw).unwrap();
                space.dist(&origin, &draw)
            })
            .collect();
        let mean = radii.iter().sum::<f64>() / n as f64;
        let error = (radii.iter().map(|r| (r - mean).powi(2)).sum::<f64>()).sqrt() / n as f64;
        assert!((mean - expected).abs() < 5.2 * error + 1e-3 * mean, "{k}: {mean} ± {error}, {expected}");
        assert!(0.02 * mean > 5.2 * error + 1e-3 * mean, "no power");
    }
}

#[test]
fn laws_whose_draws_are_too_rare_are_refused() {
    for (k, practical, impractical) in [(3, 0.65, 0.7), (5, 0.25, 0.3), (10, 0.07, 0.1), (100, 1e-4, 0.002)] {
        let space = Arc::new(SpdAffineInvariant::new(k).unwrap());
        let distance = |scale| Isotropic::new(space.clone(), Law::Laplace, scale)?.distance();
        assert!(distance(practical).is_ok(), "{k}");
        let refused = distance(impractical).unwrap_err().to_string();
        assert!(refused.contains("spd-affine-invariant"), "{refused}");
    }
}

#[test]
fn extreme_scales_still_draw() {
    let mut generator = Generator::seeded(3);
    let spaces: [(Arc<dyn Manifold>, &[f64]); 6] = [
        (Arc::new(Euclidean::new(1).unwrap()), &[1e-90, 1e90]),
        (Arc::new(Euclidean::new(100_000).unwrap()), &[1e-3, 1e3]),
        (Arc::new(Sphere::new(1).unwrap()), &[1e-12, 1e6]),
        (Arc::new(Sphere::new(200).unwrap()), &[1e-12, 1e6]),
        (Arc::new(Hyperbolic::new(2).unwrap()), &[1e-12, 0.99]),
        (Arc::new(Kendall::new(60).unwrap()), &[1e-12, 1e6]),
    ];
    for (manifold, scales) in spaces {
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        let mut draw = center.clone();
        for &scale in scales {
            for law in [Law::Laplace, Law::Gaussian] {
                let sampler = Isotropic::new(Arc::clone(&manifold), law, scale).unwrap();
                for _ in 0..20 {
                    sampler.sample(&center, &mut generator, &mut draw).unwrap();
                    assert!(draw.iter().all(|x| x.is_finite()), "{} {law:?} {scale}", manifold.space());
                }
                assert!(sampler.expected_distance().unwrap().is_finite());
            }
        }
    }
}

#[test]
fn laws_that_do_not_exist_are_refused() {
    let refused = |manifold: &Arc<dyn Manifold>, scale: f64| {
        Isotropic::new(Arc::clone(manifold), Law::Laplace, scale).unwrap_err().to_string()
    };
    let hyperbolic: Arc<dyn Manifold> = Arc::new(Hyperbolic::new(3).unwrap());
    assert!(refused(&hyperbolic, 0.5).contains("needs a scale below 0.5"));
    assert!(Isotropic::new(Arc::clone(&hyperbolic), Law::Laplace, 0.499).is_ok());
    assert!(Isotropic::new(Arc::clone(&hyperbolic), Law::Gaussian, 5.0).is_ok());
    let spd: Arc<dyn Manifold> = Arc::new(SpdAffineInvariant::new(2).unwrap()); // ½√2
    assert!(refused(&spd, 1.415).contains("1.414"));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(&hyperbolic, scale).contains("must be a positive number"));
    }
}

#[test]
fn seeded_draws_repeat_and_others_do_not() {
    let sphere = Arc::new(Sphere::new(2).unwrap());
    let sampler = Isotropic::new(sphere, Law::Laplace, 0.3).unwrap();
    let draw = |mut generator: Generator| {
        let mut out = [0.0; 3];
        sampler.sample(&[1.0, 0.0, 0.0], &mut generator, &mut out).unwrap();
        out
    };
    assert_eq!(draw(Generator::seeded(5)), draw(Generator::seeded(5)));
    assert_ne!(draw(Generator::seeded(5)), draw(Generator::seeded(6)));
    assert_ne!(draw(Generator::from_os().unwrap()), draw(Generator::from_os().unwrap()));
}
