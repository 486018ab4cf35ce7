//! Privacy profiles and calibration on curved spaces, against the published algorithms and against simulation.

#[path = "../reference/jiang.rs"]
mod jiang;

use jiang::{algorithm_1, algorithm_2, circle_delta, losses};
use karcher::Manifold;
use karcher::manifold::{Euclidean, Hyperbolic, Kendall, SpdAffineInvariant, Sphere};
use karcher::privacy::{
    ConstantCurvature, Definition, Guarantee, Profile, curved_gaussian_guarantee, curved_gaussian_scale,
};
use karcher::sampler::{Generator, Law};
use std::f64::consts::PI;

fn profile(manifold: &dyn Manifold, law: Law, scale: f64, distance: f64) -> Profile {
    Profile::new(ConstantCurvature::of(manifold, law).unwrap(), law, scale, distance).unwrap()
}

fn mu(guarantee: Guarantee) -> f64 {
    match guarantee.definition() {
        Definition::Gaussian { mu } => mu,
        other => panic!("{other:?}"),
    }
}

/// Draws for each simulated law. `KARCHER_DRAWS` may ask for more.
fn draws() -> usize {
    std::env::var("KARCHER_DRAWS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000)
}

/// The mean of `(1 − e^{ε−L})₊` over draws around the first of two points, which is `δ(ε)`, and its standard error: less noisy than counting.
fn estimate(losses: &[f64], epsilon: f64) -> (f64, f64) {
    let n = losses.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for loss in losses.iter().filter(|&&loss| loss > epsilon) {
        let x = -(epsilon - loss).exp_m1();
        sum += x;
        squares += x * x;
    }
    let mean = sum / n;
    (mean, ((squares / n - mean * mean) / n).sqrt())
}

#[test]
fn circle_agrees_with_the_closed_form() {
    let circle = Sphere::new(1).unwrap();
    for (scale, distance) in [(1.0, 1.0), (2.0, 1.0), (4.0, 1.0), (0.3, 0.5), (0.8, 3.0), (1.0, PI)] {
        let p = profile(&circle, Law::Gaussian, scale, distance);
        for epsilon in [0.0, 0.01, 0.1, 0.5, 1.0, 3.0] {
            let (found, exact) = (p.delta(epsilon).unwrap(), circle_delta(scale, distance, epsilon));
            // statrs knows the normal distribution to about 1e-11
            assert!((found - exact).abs() < 1e-10, "σ {scale}, Δ {distance}, ε {epsilon}: {found} for {exact}");
        }
        let end = distance * (2.0 * PI - distance) / (2.0 * scale * scale);
        let epsilons = (0..2000).map(|i| end * (f64::from(i) + 1e-6) / 2000.0);
        let (found, reference) = (mu(p.guarantee().unwrap()), algorithm_1(scale, distance, epsilons));
        assert!((found / reference - 1.0).abs() < 1e-5, "σ {scale}, Δ {distance}: {found} for {reference}");
    }
}

/// Five standard errors: a true value fails one of the 120 comparisons with probability below 1e-4. Seeds are fixed.
#[test]
fn simulation_agrees_on_twenty_spaces() {
    let space = |i: usize| -> Box<dyn Manifold> {
        match i % 4 {
            0 => Box::new(Sphere::new(1 + i % 7).unwrap()),
            1 => Box::new(Hyperbolic::new(2 + i % 5).unwrap()),
            2 => Box::new(Euclidean::new(1 + i % 6).unwrap()),
            _ if i == 3 => Box::new(Kendall::new(3).unwrap()),
            _ => Box::new(Sphere::new(2).unwrap()),
        }
    };
    let fraction = |i: usize, step: f64| (i as f64 * step).fract();
    for i in 0..20 {
        let manifold = space(i);
        let law = if i % 3 == 1 { Law::Laplace } else { Law::Gaussian };
        let mut scale = 0.08 * 10f64.powf(1.3 * fraction(i, 0.618));
        if law == Law::Laplace && manifold.volume_growth() > 0.0 {
            scale = scale.min(0.7 / manifold.volume_growth());
        }
        let distance = (scale * (0.3 + 2.5 * fraction(i, 0.414))).min(0.99 * manifold.injectivity_radius());
        let p = profile(manifold.as_ref(), law, scale, distance);
        let losses =
            losses(manifold.as_ref(), law, scale, distance, draws(), &mut Generator::seeded(i as u64)).unwrap();
        for x in [0.0, 0.2, 0.5, 1.0, 1.5, 2.5] {
            let epsilon = x * distance / scale;
            let (found, (simulated, error)) = (p.delta(epsilon).unwrap(), estimate(&losses.first, epsilon));
            let close = (found - simulated).abs() <= 5.0 * error + 20.0 / draws() as f64 * found.max(1e-6).sqrt();
            assert!(
                close,
                "{} {law:?} σ {scale} Δ {distance} ε {epsilon}: {found} for {simulated} ± {error}",
                manifold.space()
            );
        }
    }
}

#[test]
fn simulation_would_notice_a_scale_wrong_by_five_per_cent() {
    let sphere = Sphere::new(2).unwrap();
    let losses = losses(&sphere, Law::Gaussian, 0.5, 0.5, draws(), &mut Generator::seeded(1)).unwrap();
    let (simulated, error) = estimate(&losses.first, 0.5);
    let wrong = profile(&sphere, Law::Gaussian, 0.525, 0.5).delta(0.5).unwrap();
    assert!((wrong - simulated).abs() > 5.0 * error);
}

#[test]
fn monte_carlo_mu_has_the_certified_one_in_its_interval() {
    let epsilons: Vec<f64> = (0..20).map(|i| 1e-9 + 0.1 * f64::from(i)).collect();
    for (manifold, scale, distance) in [
        (&Sphere::new(2).unwrap() as &dyn Manifold, 0.25, 0.25),
        (&Sphere::new(5).unwrap(), 0.5, 0.5),
        (&Hyperbolic::new(3).unwrap(), 1.0, 1.0),
    ] {
        let losses = losses(manifold, Law::Gaussian, scale, distance, draws(), &mut Generator::seeded(7)).unwrap();
        let [estimate, lower, upper] = algorithm_2(&losses, epsilons.iter().copied(), 5.0);
        let certified = mu(curved_gaussian_guarantee(manifold, distance, scale).unwrap());
        assert!(lower <= certified && certified <= upper, "{certified} not in [{lower}, {upper}]");
        assert!((estimate / certified - 1.0).abs() < 0.1, "{estimate} for {certified}");
    }
}

#[test]
fn calibrated_scale_keeps_its_promise_and_a_smaller_one_does_not() {
    let requests = [
        Guarantee::gaussian(0.3),
        Guarantee::gaussian(1.0),
        Guarantee::gaussian(4.0),
        Guarantee::approximate(1.0, 1e-6),
        Guarantee::approximate(0.1, 1e-10),
        Guarantee::approximate(3.0, 0.2),
        Guarantee::concentrated(0.5),
    ];
    let manifolds: [&dyn Manifold; 8] = [
        &Sphere::new(1).unwrap(),
        &Sphere::new(2).unwrap(),
        &Sphere::new(7).unwrap(),
        &Kendall::new(3).unwrap(),
        &Hyperbolic::new(1).unwrap(),
        &Hyperbolic::new(2).unwrap(),
        &Hyperbolic::new(5).unwrap(),
        &Euclidean::new(3).unwrap(),
    ];
    for manifold in manifolds {
        for request in requests.iter().map(|r| r.as_ref().unwrap()) {
            for sensitivity in [1e-4, 0.01, 0.2] {
                let within = |scale: f64| {
                    let p = profile(manifold, Law::Gaussian, scale, sensitivity);
                    match request.definition() {
                        Definition::Approximate { epsilon, delta } => p.delta(epsilon).unwrap() <= delta,
                        Definition::Gaussian { mu: most } => mu(p.guarantee().unwrap()) <= most,
                        Definition::Concentrated { rho } => mu(p.guarantee().unwrap()).powi(2) <= 2.0 * rho,
                        Definition::Pure { .. } => false,
                    }
                };
                let Ok(scale) = curved_gaussian_scale(manifold, sensitivity, request) else {
                    assert!(manifold.volume_growth() > 0.0, "{} {request}", manifold.space());
                    continue;
                };
                assert!(within(scale), "{} {request}, Δ {sensitivity}: {scale}", manifold.space());
                assert!(!within(0.999_999 * scale), "{} {request}, Δ {sensitivity}: {scale}", manifold.space());
            }
        }
    }
}

#[test]
fn hyperbolic_noise_must_be_wider_and_spherical_may_be_narrower() {
    for request in [Guarantee::gaussian(1.0).unwrap(), Guarantee::approximate(1.0, 1e-6).unwrap()] {
        let scale = |manifold: &dyn Manifold| curved_gaussian_scale(manifold, 0.2, &request).unwrap();
        let flat = scale(&Euclidean::new(3).unwrap());
        assert!(scale(&Sphere::new(3).unwrap()) < 0.99 * flat && scale(&Hyperbolic::new(3).unwrap()) > 1.01 * flat);
    }
}

#[test]
fn on_hyperbolic_space_some_promises_cannot_be_kept() {
    let hyperbolic = Hyperbolic::new(3).unwrap();
    // as σ → ∞, δ(0) → P(|cos α| ≤ tanh(Δ/2)) = tanh(Δ/2)
    let refusal = |request: Guarantee| curved_gaussian_scale(&hyperbolic, 1.0, &request).unwrap_err().to_string();
    // 2Φ⁻¹((1 + tanh ½)/2) and half its square; δ(1) in the limit
    for (request, least) in [
        (Guarantee::gaussian(0.5), "mu is 0.5: with sensitivity 1 Gaussian noise gives no mu below 1.23204 "),
        (Guarantee::concentrated(0.1), "rho is 0.1: with sensitivity 1 Gaussian noise gives no rho below 0.758956 "),
        (
            Guarantee::approximate(1.0, 0.1),
            "delta is 0.1: with sensitivity 1 Gaussian noise gives no delta below 0.17905 for epsilon 1 ",
        ),
    ] {
        let error = refusal(request.unwrap());
        assert!(error.starts_with(least) && error.contains("hyperbolic space"), "{error}");
    }
    let wide = profile(&hyperbolic, Law::Gaussian, 1e3, 1.0).delta(0.0).unwrap();
    assert!((wide - 0.5f64.tanh()).abs() < 1e-4, "{wide}");
    assert!(curved_gaussian_scale(&hyperbolic, 1.0, &Guarantee::gaussian(2.0).unwrap()).is_ok());
}

#[test]
fn a_sphere_gives_pure_privacy_too() {
    let sphere = Sphere::new(2).unwrap();
    let request = Guarantee::pure(1.0).unwrap();
    let scale = curved_gaussian_scale(&sphere, 0.1, &request).unwrap();
    assert_eq!(profile(&sphere, Law::Gaussian, scale, 0.1).delta(1.0).unwrap(), 0.0);
    assert!(profile(&sphere, Law::Gaussian, 0.999_999 * scale, 0.1).delta(1.0).unwrap() > 0.0);
    assert!(curved_gaussian_scale(&Hyperbolic::new(2).unwrap(), 0.1, &request).is_err());
    assert!(curved_gaussian_scale(&Euclidean::new(2).unwrap(), 0.1, &request).is_err());
}

#[test]
fn curvature_that_varies_is_refused_with_the_alternatives() {
    let request = Guarantee::gaussian(1.0).unwrap();
    for manifold in [&SpdAffineInvariant::new(2).unwrap() as &dyn Manifold, &Kendall::new(5).unwrap()] {
        let error = curved_gaussian_scale(manifold, 0.1, &request).unwrap_err().to_string();
        assert!(error.contains("laplace") && error.contains("Karcher flow"), "{error}");
        assert!(curved_gaussian_guarantee(manifold, 0.1, 0.1).is_err());
    }
}

#[test]
fn bad_numbers_are_errors() {
    let request = Guarantee::gaussian(1.0).unwrap();
    for manifold in
        [&Sphere::new(2).unwrap() as &dyn Manifold, &Hyperbolic::new(2).unwrap(), &Euclidean::new(2).unwrap()]
    {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(curved_gaussian_scale(manifold, bad, &request).is_err());
            assert!(curved_gaussian_guarantee(manifold, bad, 1.0).is_err());
            assert!(curved_gaussian_guarantee(manifold, 1.0, bad).is_err());
        }
        for mu in [1e-200, 1e-9, 1e9, 1e200] {
            for sensitivity in [1e-200, 1e-80, 1e-9, 3.0, 1e80, 1e300] {
                let scale = curved_gaussian_scale(manifold, sensitivity, &Guarantee::gaussian(mu).unwrap());
                assert!(scale.is_err() || scale.is_ok_and(|scale| scale > 0.0));
            }
        }
    }
}
