//! The estimates of errors cover the errors, and results from them are on the safe side.

use super::*;
use crate::profile::radial::{Ln, Radial};

type Case = (usize, f64, Law, f64, f64, f64, [f64; 3]);

/// `(d, κ, law, σ, Δ, τ)` and `ln P₁(L ≥ s)`, `ln P₁(L < s)`, `ln P₂(L ≥ s) + s`, `s` the exact loss of `τ`, by mpmath
/// with 45 and 60 digits from the law of cosines as it stands: sets about to vanish opposite to a center, where the
/// triangle's sides add up to nearly `2π`; Laplace laws that hardly exist; wide Gaussian ones; large distances.
#[rustfmt::skip]
const MASSES: [Case; 18] = [
    (3, 1.0, Law::Gaussian, 4.255089186771154, 1.517716078022435, 1.623873131081344, [-40.844288761620035, -1.8262102396648432e-18, -40.84428883380347]),
    (5, 1.0, Law::Gaussian, 2.792063585296452, 0.05877469458597095, 3.082779633845373, [-63.071180390843324, -4.0600781126192395e-28, -63.0711804389972]),
    (5, 1.0, Law::Gaussian, 4.426588837527941, 0.0025980117204889496, 3.138874263249926, [-63.309528539806806, -3.199050554385487e-28, -63.309528542449705]),
    (2, 1.0, Law::Gaussian, 0.5705147885309616, 0.0010689358496577604, 3.1405230517415665, [-48.09054898988496, -1.3017870352220643e-21, -48.090548990614]),
    (2, 1.0, Law::Gaussian, 0.761527662157409, 1.0179200675512892, 2.1236695556487812, [-30.598942482342437, -5.141006202624662e-14, -30.59894425538348]),
    (2, 1.0, Law::Gaussian, 0.5896174170810183, 3.1415917064106793, -1.0028290208430724e-07, [-27.06034044392708, -1.7694710710330584e-12, -27.060343599119282]),
    (3, 1.0, Law::Laplace, 1.131722466787412, 3.1366843778755253, -2.9511081538827637e-05, [-22.028372991232885, -2.71143479339607e-10, -22.0283989125653]),
    (2, 1.0, Law::Laplace, 4.083227121700315, 3.141476263205637, -1.174344696276114e-06, [-22.098994707947444, -2.5265537553194316e-10, -22.09899508762435]),
    (5, 1.0, Law::Laplace, 0.28740105003191746, 2.4166736306789365, -2.3458752294691055e-05, [-21.47724518768987, -4.704905757199015e-10, -21.47729960181424]),
    (5, -1.0, Law::Laplace, 0.24999900094595737, 0.05597474752046676, -0.02046391196890237, [-1.1346654780765997, -0.3879145177844366, -1.1936360535157533]),
    (4, -1.0, Law::Laplace, 0.3333333333, 0.5, -0.1, [-1.4398228083010862, -0.27045759453082424, -1.684796094444924]),
    (51, -1.0, Law::Laplace, 0.0199999999999, 0.1, -0.02, [-12.062542065880358, -5.771727204609777e-06, -12.159429715408542]),
    (3, -1.0, Law::Gaussian, 5068.506472657945, 1.3318011212956407, 45920013.912792906, [-1.953028480830633, -0.15296920197051467, -2.094543542954349]),
    (2, -1.0, Law::Gaussian, 600.7337920469618, 10.781773758182927, 124275.49280750088, [-0.018752228611436793, -3.985804136781034, -3.9863818741384076]),
    (200, -1.0, Law::Gaussian, 0.5, 10.0, 40.0, [-6.652195780276798e-17, -37.24899958820974, -38.201008131287864]),
    (50, -1.0, Law::Laplace, 0.0204, 8.0, -1.0, [-6.318467676950906e-10, -21.18237420767352, -21.481293970679538]),
    (3, -1.0, Law::Gaussian, 81.388496375762, 0.920236416260331, 13094.310269607238, [-4.369732477608429, -0.01273537726306617, -4.383253998297222]),
    (3, -1.0, Law::Gaussian, 2.2990619333531224, 2.9625936662148593, 2.3384170257766654, [-0.1652123401403323, -1.8819928545902251, -2.1625677547477933]),
];

#[test]
fn errors_of_the_integrals_are_within_their_estimates() {
    for (dimension, curvature, law, scale, distance, tau, [above, below, second]) in MASSES {
        let pair = profile(dimension, curvature, law, scale, distance).pair;
        let found = pair.masses(tau);
        let (first, exact) = match found.first {
            First::Above(first) => (first, above),
            First::Below(first) => (first, below),
        };
        for (found, common, exact) in [(first, found, exact), (found.second, found, second)] {
            let error = (found.value - common.fall - exact).abs();
            let allowed = found.error + common.common_error;
            assert!(
                error <= allowed,
                "{dimension} {curvature} {law:?} {scale} {distance} {tau}: {error:e}, {allowed:e}"
            );
        }
    }
}

/// `(d, κ, σ, Δ, ε, δ)` of Gaussian laws, by mpmath with 60 digits: centers so far apart that rounding `τ` dominates.
const FAR_APART: [(usize, f64, f64, f64, f64, f64); 5] = [
    (3, 1.0, 2.347273212280103e-05, 0.05778725042109258, 3036591.6718563708, 0.006278796898289698),
    (3, -1.0, 9.225871997990668e-05, 9.533269071203945, 5338470755.450451, 0.9955501641841487),
    (3, 1.0, 6.229647617679706e-05, 0.5937920063980546, 45429145.77096477, 0.40101792838990724),
    (3, -1.0, 2.259812322329497e-07, 0.056997831905740586, 31808272389.745148, 0.7044439238337018),
    (3, 1.0, 1.2036533146466448e-07, 0.002301053418177546, 182724783.09435427, 0.6945411242273506),
];

#[test]
fn delta_is_not_below_the_truth_for_the_rounding_of_tau() {
    for (dimension, curvature, scale, distance, epsilon, delta) in FAR_APART {
        let found = gaussian(dimension, curvature, scale, distance).delta(epsilon).unwrap();
        assert!(
            found >= delta && found <= delta * (1.0 + 1e-9),
            "{dimension} {curvature} {scale}: {:e}",
            found - delta
        );
    }
}

/// `(d, κ, σ, Δ, ε, δ)` of Gaussian laws, by quadrature with 34 and 40 digits, and the largest relative excess of a
/// result. On hyperbolic space with so large a `Δ` angles are below the smallest number. Near the diameter of a sphere
/// of so many dimensions a threshold is narrower than the finest rule can resolve.
#[test]
fn delta_is_not_below_the_truth_where_integrands_vanish_or_jump() {
    let near_pi = |dimension: f64| PI - 8.0 / dimension.sqrt();
    for ((dimension, curvature, scale, distance, epsilon), delta, excess) in [
        ((10, -1.0, 500.0, 371.5, 3343.0), 1.52592e-3, 1e-5),
        ((10, -1.0, 500.0, 371.0, 3338.5), 1.51824e-3, 1e-5),
        ((3, -1.0, 500.0, 371.5, 742.5), 0.1372192, 1e-5),
        ((2, -1.0, 500.0, 369.0, 368.5), 0.222687842, 1e-5),
        ((4, -1.0, 15.0, 371.1132, 1365.61), 0.97442662, 1e-5),
        ((20, -1.0, 3000.0, 369.576468, 7021.95), 7.653019e-16, 1e-5),
        ((10, -1.0, 1030.88, 462.776, 4166.68), 7.781467e-11, 1e-5),
        ((3, -1.0, 508.79, 1193.91, 2398.9), 1.5950e-5, 1e-3),
        ((100_000, 1.0, 0.33, 3.12, 1e-3), 0.0358979495, 0.02),
        ((1_000_000, 1.0, 0.33, 3.128, 1e-3), 1.102056e-2, 0.1),
        ((500_000, 1.0, 0.33, 3.12, 0.0), 1.627375e-2, 1e-3),
        ((50_000, 1.0, 0.1, near_pi(5e4), 0.3), 0.44424026, 0.02),
        ((20_000, 1.0, 3.0, near_pi(2e4), 0.0), 9.8430385e-4, 1e-3),
    ] {
        let found = gaussian(dimension, curvature, scale, distance).delta(epsilon).unwrap();
        let digits = 4e-6; // of the reference
        let bounds = delta * (1.0 - digits)..=delta * (1.0 + digits + excess);
        assert!(
            bounds.contains(&found),
            "{dimension} {curvature} {scale} {distance} {epsilon}: {found:e} for {delta:e}"
        );
    }
}

/// `(d, law, σ, t, u, E(t) − E(u))` on hyperbolic space, by rational arithmetic.
const FALLS: [(usize, Law, f64, f64, f64, f64); 6] = [
    (3, Law::Gaussian, 10000.0, 200400000.0, 200000000.31, 799.9999999995194),
    (3, Law::Gaussian, 7.3, 131.7, 106.58000000000001, 5.920570463501592),
    (51, Law::Gaussian, 0.9, 49.3, 40.50000000000001, 47.80246913580241),
    (1000, Law::Gaussian, 0.02, 1.93, 0.7231, 2796.8398875),
    (7, Law::Laplace, 0.16666, 0.9, 0.1, 0.00019200768030713786),
    (51, Law::Laplace, 0.0199999, 0.3, 0.0113, 7.217536087607526e-5),
];

#[test]
fn error_of_the_fall_is_within_its_bound() {
    for (dimension, law, scale, t, u, exact) in FALLS {
        let mut radial = Radial::new(ConstantCurvature::new(dimension, -1.0).unwrap(), law, scale);
        radial.mode = u;
        let error = (radial.fall(t) - exact).abs();
        assert!(error <= radial.fall_error(t), "{dimension} {law:?} {scale}: {error:e}, {:e}", radial.fall_error(t));
    }
}

#[test]
fn errors_of_what_is_common_are_added() {
    let mut p = gaussian(3, 1.0, 0.3, 0.2);
    let delta = p.delta(0.5).unwrap();
    p.pair.radial.normalizer.error = 0.1;
    assert!(p.delta(0.5).unwrap() >= 1.1 * delta);
    let far = gaussian(1000, 1.0, 0.01, 0.01).pair.masses(1.675);
    assert!(far.fall > 1e4 && far.common_error >= 1e-15 * far.fall);
}

proptest! {
    /// Whatever the integrals are within their errors, `δ` is not above the reported one.
    #[test]
    fn largest_delta_is_the_largest(
        (ln_first, ratio, fall) in (-3.0f64..-0.01, 0.0f64..1.0, 0.0f64..30.0),
        errors in (0.0f64..0.1, 0.0f64..0.1, 0.0f64..0.1),
        place in (-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0),
        is_above in any::<bool>(),
    ) {
        let fall = if is_above { fall } else { 0.0 };
        let ln_second = ln_first + ratio.ln();
        let ln = |value: f64, error: f64| Ln { value, error };
        let first = if is_above { First::Above(ln(ln_first, errors.0)) } else { First::Below(ln(ln_first, errors.0)) };
        let masses = Masses { first, second: ln(ln_second, errors.1), fall, common_error: errors.2 };
        let common = errors.2 * place.2 - fall;
        let (first, second) = ((ln_first + errors.0 * place.0 + common).exp(), (ln_second + errors.1 * place.1 + common).exp());
        let delta = if is_above { first - second } else { 1.0 - first - second };
        prop_assert!(masses.largest_delta() >= delta * (1.0 - 1e-14));
        let upper = (ln_first + errors.0).exp();
        let worst = match is_above {
            true => (upper - (ln_second - errors.1).exp()).max(upper * (errors.0 + errors.1)) * (errors.2 - fall).exp(),
            false => 1.0 - ((ln_first - errors.0).exp() + (ln_second - errors.1).exp()) * (-errors.2).exp(),
        };
        prop_assert!((masses.largest_delta() - worst).abs() <= 1e-14 * worst.abs().max(1.0), "and no larger than need be");
    }

    #[test]
    fn tau_is_rounded_down(
        (ln_scale, ln_ratio, loss) in (-3.0f64..1.0, -3.0f64..6.0, 0.0f64..3.0),
        gaussian_law in any::<bool>(),
    ) {
        let law = if gaussian_law { Law::Gaussian } else { Law::Laplace };
        let ratio = ln_ratio.exp();
        let pair = profile(3, 0.0, law, ln_scale.exp(), ln_scale.exp() * ratio).pair;
        let loss = loss * if gaussian_law { ratio.max(ratio * ratio) } else { ratio };
        let tau = pair.tau_below(loss);
        prop_assert!(tau < pair.tau_of(loss) && pair.tau_of(loss) - tau < 1e-15 * (tau + pair.distance));
    }
}

/// Estimates that leave no `δ` at all were too low: then it is their sum.
#[test]
fn delta_is_not_below_its_errors() {
    let ln = |value: f64| Ln { value, error: 1e-9 };
    let masses = Masses { first: First::Above(ln(-1.0)), second: ln(-1.0 + 1e-8), fall: 0.0, common_error: 0.0 };
    assert!(masses.largest_delta() >= 2e-9 * f64::exp(-1.0));
}
