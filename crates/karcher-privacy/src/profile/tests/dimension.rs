//! High dimension: numbers near 1 to the power of thousands.

use super::*;

/// `(d, κ, law, σ, Δ, ε, δ)`, by mpmath with 40 digits: `P₁ − e^ε·P₂` of
/// `P₁ = ∫ e^{−φ(t)}·sn(t)^{d−1}·P(cos α ≤ c) dt / ∫ e^{−φ(t)}·sn(t)^{d−1} dt`, `c` from the law of cosines as it
/// stands for the sides `t`, `Δ` and `√(t² + 2σ²ε)` (Gaussian), `t + σε` (Laplace), `P(cos α ≤ c)` from the
/// hypergeometric function, and likewise for `P₂`.
const REFERENCE: [(usize, f64, Law, f64, f64, f64, f64); 38] = [
    (1000, 1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.37715735633223296),
    (1000, 1.0, Law::Gaussian, 0.01, 0.01, 1.7, 0.035856965862629216),
    (1000, 1.0, Law::Gaussian, 0.01, 0.01, 11.0, 4.6510606159783925e-28),
    (1000, 1.0, Law::Gaussian, 0.03, 0.09, 4.7, 0.20801834677670533),
    (1000, 1.0, Law::Gaussian, 0.5, 0.5, 0.0, 0.039063955026748295),
    (1000, 1.0, Law::Gaussian, 0.5, 0.5, 0.9, 2.2761963411552347e-22),
    (1000, 1.0, Law::Gaussian, 0.5, 0.5, 1.7, 1.0682456932766007e-71),
    (1000, -1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.38888248976425366),
    (1000, -1.0, Law::Gaussian, 0.01, 0.01, 11.0, 2.860165475392736e-26),
    (1000, -1.0, Law::Gaussian, 0.03, 0.09, 23.0, 4.0672633788851537e-7),
    (1000, -1.0, Law::Laplace, 0.0009009009009009009, 0.0009009009009009009, 0.0, 0.01261829052873339),
    (1000, -1.0, Law::Laplace, 0.0009009009009009009, 0.0009009009009009009, 0.3, 4.999781525313636e-25),
    (1000, 1.0, Law::Laplace, 0.016666666666666666, 0.016666666666666666, 0.0, 0.012618143923014575),
    (1000, 1.0, Law::Laplace, 0.016666666666666666, 0.016666666666666666, 0.3, 4.994395272423891e-25),
    (2000, 1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.37157015754161754),
    (2000, 1.0, Law::Gaussian, 0.01, 0.01, 1.7, 0.032991308588290066),
    (2000, 1.0, Law::Gaussian, 2.0, 1.0, 0.15, 7.293572562490088e-76),
    (2000, -1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.39504030555638275),
    (2000, -1.0, Law::Gaussian, 0.03, 0.09, 4.7, 0.7692318760905881),
    (2000, -1.0, Law::Laplace, 0.00045, 0.00045, 0.3, 5.950125689388511e-46),
    (5000, 1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.3558747141891416),
    (5000, 1.0, Law::Gaussian, 0.01, 0.01, 0.9, 0.11857961908063645),
    (5000, 1.0, Law::Gaussian, 0.01, 0.01, 11.0, 9.203363332186123e-32),
    (5000, 1.0, Law::Gaussian, 0.5, 0.5, 0.0, 0.017526322318897187),
    (5000, 1.0, Law::Gaussian, 0.5, 0.5, 0.3, 3.0187636993953783e-14),
    (5000, -1.0, Law::Gaussian, 0.005, 0.005, 0.0, 0.39040830366514945),
    (5000, -1.0, Law::Gaussian, 0.005, 0.005, 1.7, 0.04321734820293219),
    (5000, -1.0, Law::Gaussian, 0.03, 0.03, 0.0, 0.7111934464574168),
    (5000, -1.0, Law::Gaussian, 0.03, 0.03, 11.0, 5.842614208893185e-6),
    (5000, 1.0, Law::Laplace, 0.01, 0.01, 0.0, 0.005642107387548052),
    (5000, 1.0, Law::Laplace, 0.01, 0.01, 0.1, 1.3664952142377522e-15),
    (5000, -1.0, Law::Laplace, 0.00018, 0.00018, 0.0, 0.005642130908327011),
    (5000, 0.0, Law::Laplace, 0.01, 0.01, 0.0, 0.005642130900708737),
    (5000, 0.0, Law::Laplace, 0.01, 0.01, 0.1, 1.3667963654400435e-15),
    (5000, 0.0, Law::Laplace, 0.01, 1.0, 20.0, 2.2322491996026208e-43),
    (20000, 1.0, Law::Laplace, 0.01, 0.01, 0.0, 0.0028209655475869284),
    (920, 1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.37761231527014155),
    (920, -1.0, Law::Gaussian, 0.01, 0.01, 0.0, 0.3883983065330742),
];

#[test]
fn delta_is_the_reference_rounded_up() {
    for (dimension, curvature, law, scale, distance, epsilon, delta) in REFERENCE {
        let found = profile(dimension, curvature, law, scale, distance).delta(epsilon).unwrap();
        let close = found >= delta * (1.0 - 1e-15) && found <= delta * (1.0 + 3e-8);
        assert!(close, "{dimension} {curvature} {law:?} {scale} {distance} {epsilon}: {found:e} for {delta:e}");
    }
}

/// `(d, κ, law, σ, Δ, μ)`, `μ = 2Φ⁻¹((1 + δ(0))/2)` of the same integrals.
const MUS: [(usize, f64, Law, f64, f64, f64); 19] = [
    (1000, 1.0, Law::Gaussian, 0.01, 0.01, 0.9836511824281595),
    (1000, 1.0, Law::Gaussian, 0.5, 0.5, 0.09795796599263477),
    (1000, 1.0, Law::Laplace, 0.016666666666666666, 0.016666666666666666, 0.03163031483951974),
    (1000, -1.0, Law::Gaussian, 0.01, 0.01, 1.0169578643421637),
    (1000, -1.0, Law::Laplace, 0.0009009009009009009, 0.0009009009009009009, 0.03163068237152081),
    (1000, 0.0, Law::Laplace, 0.016666666666666666, 0.016666666666666666, 0.03163068130077561),
    (2000, 1.0, Law::Gaussian, 0.01, 0.01, 0.9678760801464532),
    (2000, -1.0, Law::Gaussian, 0.01, 0.01, 1.0345629196758395),
    (2000, -1.0, Law::Laplace, 0.00045, 0.00045, 0.02236347487345854),
    (5000, 1.0, Law::Gaussian, 0.01, 0.01, 0.923877385109269),
    (5000, 1.0, Law::Gaussian, 0.5, 0.5, 0.04393550856833105),
    (5000, -1.0, Law::Gaussian, 0.005, 0.005, 1.021312740827284),
    (5000, -1.0, Law::Gaussian, 0.03, 0.03, 2.1214866996175887),
    (5000, 1.0, Law::Laplace, 0.01, 0.01, 0.014142783772582976),
    (5000, -1.0, Law::Laplace, 0.00018, 0.00018, 0.014142842731906663),
    (5000, 0.0, Law::Laplace, 0.01, 0.01, 0.014142842712810005),
    (20000, 1.0, Law::Laplace, 0.01, 0.01, 0.007071126735073243),
    (920, 1.0, Law::Gaussian, 0.01, 0.01, 0.9849384154459473),
    (920, -1.0, Law::Gaussian, 0.01, 0.01, 1.015576948944262),
];

#[test]
fn mu_is_that_of_epsilon_0() {
    for (dimension, curvature, law, scale, distance, mu) in MUS {
        let found = profile(dimension, curvature, law, scale, distance).mu();
        let excess = found / mu - 1.0;
        assert!(excess > 0.0 && excess < 1e-6, "{dimension} {curvature} {law:?} {scale} {distance}: {found} for {mu}");
    }
}

/// Out to the largest loss, where `P₁` is far below the smallest number; and no logarithm of a probability is positive.
#[test]
fn delta_falls_with_epsilon() {
    for dimension in [900, 920, 1000, 2000, 5000, 100_000] {
        for (curvature, law, scale) in [
            (1.0, Law::Gaussian, 0.01),
            (1.0, Law::Gaussian, 0.5),
            (-1.0, Law::Gaussian, 0.01),
            (1.0, Law::Laplace, 0.01),
            (0.0, Law::Laplace, 0.01),
            (-1.0, Law::Laplace, 5e-6),
        ] {
            for ratio in [0.1, 1.0, 5.0] {
                let p = profile(dimension, curvature, law, scale, ratio * scale);
                let end = p.pair.largest_loss().min(1e3);
                let mut last = f64::INFINITY;
                for epsilon in (0..=60).map(|i| end * (f64::from(i) / 60.0).powi(2)) {
                    let delta = p.delta(epsilon).unwrap();
                    assert!(delta <= last, "{p:?} ε {epsilon}: {delta:e} after {last:e}");
                    last = delta;
                    let Masses { first, second, fall, .. } = p.pair.masses(p.pair.tau_below(epsilon));
                    let (First::Above(first) | First::Below(first)) = first;
                    assert!(first.value - fall <= first.error && second.value - fall - epsilon <= second.error);
                }
            }
        }
    }
}

/// Noise far narrower than the radius of curvature is as on flat space, where `μ = Δ/σ`. The first correction is
/// proportional to the curvature, so that those of the sphere and of hyperbolic space are opposite.
#[test]
fn narrow_noise_is_as_on_flat_space() {
    for dimension in [1000, 2000, 5000] {
        let scale = 0.02 / (dimension as f64).sqrt();
        let excess = |curvature: f64| gaussian(dimension, curvature, scale, scale).mu() - 1.0;
        let (sphere, hyperbolic) = (excess(1.0), excess(-1.0));
        assert!(sphere < -3e-5 && sphere > -3e-4 && hyperbolic > 0.0, "d {dimension}: {sphere:e}, {hyperbolic:e}");
        assert!((sphere / hyperbolic + 1.0).abs() < 1e-2, "d {dimension}: {sphere:e}, {hyperbolic:e}");
    }
}

/// On the sphere noise of a given scale hides more in each dimension, also where the numbers underflow.
#[test]
fn mu_falls_with_the_dimension_of_a_sphere() {
    let mus: Vec<f64> =
        [100, 500, 900, 910, 920, 1000, 5000, 100_000].map(|d| gaussian(d, 1.0, 0.5, 0.5).mu()).into_iter().collect();
    assert!(mus.windows(2).all(|w| w[1] < w[0]), "{mus:?}");
}

/// The bound of the user guide, \[G2\]: how much too large `μ` is at most.
#[test]
fn mu_is_loose_in_the_highest_dimensions_only() {
    for (dimension, allowed) in [(1000, 5e-8), (5000, 1e-6), (20_000, 1e-5), (100_000, 5e-4), (1_000_000, 1.0)] {
        for (curvature, law, scale) in [
            (1.0, Law::Gaussian, 0.001),
            (1.0, Law::Gaussian, 0.5),
            (-1.0, Law::Gaussian, 0.001),
            (0.0, Law::Laplace, 0.04),
            (1.0, Law::Laplace, 0.04),
            (-1.0, Law::Laplace, 0.5 / dimension as f64),
        ] {
            for ratio in [0.01, 0.1, 1.0] {
                let p = profile(dimension, curvature, law, scale, ratio * scale);
                let excess = p.mu() / p.mu_at_zero() - 1.0;
                assert!(
                    (0.0..allowed).contains(&excess),
                    "d {dimension}, κ {curvature}, {law:?}, σ {scale}, Δ/σ {ratio}: {excess:e}"
                );
            }
        }
    }
}
