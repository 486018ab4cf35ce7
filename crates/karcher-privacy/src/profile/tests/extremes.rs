//! `δ(ε)` from the smallest to the largest number.

use super::profile;
use crate::noise::Law;
use std::f64::consts::PI;

/// Falls as `ε` grows (up to errors of quadrature, which are in `δ`), keeps to probabilities, and ends below the
/// smallest normal number: `(d, κ, law, σ, Δ)`.
#[test]
fn delta_falls_up_to_the_largest_epsilon() {
    let cases = [
        (3, -1.0, Law::Gaussian, 1.0, 1.0),
        (2, -1.0, Law::Gaussian, 0.1, 1e-3),
        (2, -1.0, Law::Gaussian, 10.0, 1e-2),
        (5, -1.0, Law::Gaussian, 1e3, 5.0),
        (2, -1.0, Law::Gaussian, 1e-50, 1e-52),
        (2, -1.0, Law::Gaussian, 1e90, 1.0),
        (40, -1e-60, Law::Gaussian, 1.0, 2.0),
        (3, -1.0, Law::Laplace, 0.3, 1.0),
        (4, 1.0, Law::Gaussian, 0.3, 1.0),
        (2, 1.0, Law::Gaussian, 1.0, PI),
        (2, 1.0, Law::Laplace, 1e-3, 2.0),
        (1, 1.0, Law::Gaussian, 1.0, 0.5),
        (6, 0.0, Law::Laplace, 1.0, 1e-8),
        (6, 0.0, Law::Gaussian, 1.0, 0.3),
        (1_000_000, -1.0, Law::Gaussian, 1e-3, 1e-3),
    ];
    for (dimension, curvature, law, scale, distance) in cases {
        let p = profile(dimension, curvature, law, scale, distance);
        let exponents = (-300..308).step_by(7).map(f64::from);
        let near_one = (-120..160).map(|i| f64::from(i) / 40.0);
        let mut epsilons: Vec<f64> = exponents.chain(near_one).map(|x| 10f64.powf(x)).collect();
        epsilons.extend([0.0, 5e-324, f64::MIN_POSITIVE, 1e300, f64::MAX.next_down(), f64::MAX]);
        epsilons.sort_by(f64::total_cmp);
        let mut least = 1.0_f64;
        for epsilon in epsilons {
            let delta = p.delta(epsilon).unwrap();
            let name = format!("d {dimension}, κ {curvature}, {law:?}, σ {scale:e}, Δ {distance:e}, ε {epsilon:e}");
            assert!((0.0..=1.0).contains(&delta), "{name}: {delta:e}");
            assert!(delta <= least * (1.0 + 1e-9), "{name}: {delta:e} after {least:e}");
            least = least.min(delta);
        }
        assert!(least <= f64::MIN_POSITIVE, "d {dimension}, σ {scale:e}: {least:e} at the largest ε");
        assert!(p.delta(f64::INFINITY).is_err() && p.delta(f64::NAN).is_err() && p.delta(-1.0).is_err());
    }
}

/// Beyond where `δ` is called negligible the integrals, as long as they can be computed, say so too.
#[test]
fn what_is_called_negligible_has_underflowed() {
    for (curvature, scale, distance) in [(-1.0, 1.0, 1.0), (-1.0, 5.0, 0.1), (-1.0, 0.01, 3.0), (1.0, 0.005, 0.1)] {
        let p = profile(3, curvature, Law::Gaussian, scale, distance);
        let edge = p.pair.radial.mode + 100.0 * scale;
        for tau in [0.99 * edge, edge] {
            let masses = p.pair.masses(tau);
            assert_eq!(masses.largest_delta(), 0.0, "κ {curvature}, σ {scale}");
        }
        assert!(p.pair.is_negligible(p.pair.loss_at(1.01 * edge)));
        assert!(!p.pair.is_negligible(p.pair.loss_at(0.99 * edge)), "nothing else is");
    }
}
