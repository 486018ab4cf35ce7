//! The flat cases against the OpenDP library: an implementation with proofs of its own.

use karcher::privacy::{GaussianCalibration, Guarantee, gaussian_guarantee_flat, gaussian_scale, laplace_guarantee};
use opendp::combinators::make_zCDP_to_approxDP;
use opendp::domains::AtomDomain;
use opendp::measurements::{make_gaussian, make_laplace};
use opendp::measures::ZeroConcentratedDivergence;
use opendp::metrics::AbsoluteDistance;

const SENSITIVITIES: [f64; 3] = [0.01, 1.0, 30.0];
const SCALES: [f64; 4] = [0.1, 1.0, 7.0, 300.0];

fn number() -> (AtomDomain<f64>, AbsoluteDistance<f64>) {
    (AtomDomain::new_non_nan(), AbsoluteDistance::default())
}

#[test]
fn laplace_epsilon_agrees() {
    for sensitivity in SENSITIVITIES {
        for scale in SCALES {
            let (domain, metric) = number();
            let peer = make_laplace::<_, _, opendp::measures::MaxDivergence>(domain, metric, scale, None).unwrap();
            let expected = peer.map(&sensitivity).unwrap();
            let got = laplace_guarantee(sensitivity, scale).unwrap().epsilon(1e-300).unwrap();
            // OpenDP rounds the number to a grid of 2^-1074 and pays for it
            assert!((got / expected - 1.0).abs() < 1e-9, "Δ {sensitivity}, σ {scale}: {got} {expected}");
        }
    }
}

#[test]
fn concentrated_guarantee_of_gaussian_noise_agrees() {
    for sensitivity in SENSITIVITIES {
        for scale in SCALES {
            let (domain, metric) = number();
            let peer = make_gaussian::<_, _, ZeroConcentratedDivergence>(domain, metric, scale, None).unwrap();
            let rho = peer.map(&sensitivity).unwrap();
            let ours = gaussian_guarantee_flat(sensitivity, scale).unwrap().to_concentrated().unwrap();
            let (expected, got) =
                (Guarantee::concentrated(rho).unwrap().epsilon(1e-6).unwrap(), ours.epsilon(1e-6).unwrap());
            assert!((got / expected - 1.0).abs() < 1e-9, "Δ {sensitivity}, σ {scale}: {got} {expected}");
            // and the other way round
            let back =
                gaussian_scale(sensitivity, &Guarantee::concentrated(rho).unwrap(), GaussianCalibration::Analytic);
            assert!((back.unwrap() / scale - 1.0).abs() < 1e-9);
        }
    }
}

/// ρ-zCDP to (ε, δ): both take the best order α.
#[test]
fn delta_of_a_concentrated_guarantee_agrees() {
    for (sensitivity, scale) in [(1.0, 4.0), (1.0, 1.0), (1.0, 20.0), (3.0, 1.0)] {
        let (domain, metric) = number();
        let peer = make_gaussian::<_, _, ZeroConcentratedDivergence>(domain, metric, scale, None).unwrap();
        let profile = make_zCDP_to_approxDP(peer).unwrap().map(&sensitivity).unwrap();
        let ours = gaussian_guarantee_flat(sensitivity, scale).unwrap().to_concentrated().unwrap();
        for epsilon in [0.5, 1.0, 3.0, 10.0] {
            let (expected, got) = (profile.delta(epsilon).unwrap(), ours.delta(epsilon).unwrap());
            if expected < 1e-300 {
                continue; // below what is reported
            }
            assert!((got - expected).abs() <= 1e-6 * expected, "σ {scale}, ε {epsilon}: {got} {expected}");
        }
    }
}
