use super::*;

/// Guarantees and the result of their composition.
type Reference = (&'static [f64], f64, &'static [f64], f64, f64);

/// `ε`'s, the sum of `δ`'s, the `μ` of the Gaussian ones, `δ`, and the smallest `ε`, from all sums of losses with 40
/// digits (mpmath).
const REFERENCES: [Reference; 9] = [
    (&[0.3; 10], 0.0, &[0.3; 10], 1e-6, 6.475_291_821_618_697),
    (&[0.3; 10], 0.0, &[0.3; 10], 1e-5, 5.886_876_964_231_789),
    (&[0.1; 20], 0.0, &[], 1.4e-3, 1.112_232_110_633_43),
    (&[0.1, 0.2, 0.5, 1.0], 0.0, &[], 1e-3, 1.792_357_743_630_97),
    (&[0.1, 0.2, 0.5, 1.0], 1e-7, &[0.5], 1e-6, 3.856_672_377_097_324),
    (&[2.0], 0.0, &[0.01], 1e-9, 2.048_624_118_634_089),
    (&[1.0; 3], 3e-8, &[], 1e-4, 2.999_744_100_919_401),
    (&[0.01; 12], 0.0, &[2.0], 0.3, 2.194_202_342_653_962),
    (&[5.0, 0.001], 0.0, &[0.2, 0.1], 1e-12, 6.486_389_829_274_216),
];

fn root_of_squares(mus: &[f64]) -> f64 {
    mus.iter().map(|mu| mu * mu).sum::<f64>().sqrt() * (1.0 + f64::EPSILON)
}

#[test]
fn epsilon_is_the_reference_rounded_up() {
    for (epsilons, infinite, mus, delta, exact) in REFERENCES {
        let found = smallest_epsilon(epsilons, infinite, root_of_squares(mus), delta).unwrap();
        assert!(found >= exact && found < exact * (1.0 + 1e-10), "{epsilons:?} {mus:?} {delta}: {found}, {exact}");
    }
}

/// With a grid of other `ε`'s, each raised by less than a step.
#[test]
fn a_grid_is_on_the_safe_side_and_fine() {
    for (epsilons, infinite, mus, delta, exact) in REFERENCES {
        let mut kinds: Vec<(f64, usize)> = vec![];
        epsilons.iter().for_each(|epsilon| kinds.push((*epsilon, 1)));
        let losses = Losses::on_a_grid(&kinds, 1e-30 * delta);
        let mu = root_of_squares(mus);
        let at = |epsilon| infinite + losses.infinite + losses.expected(|loss| hockey_stick(mu, epsilon, loss));
        assert!(at(exact * (1.0 - 1e-9)) > delta, "{epsilons:?}");
        assert!(at(exact * (1.0 + 1e-3)) < delta, "{epsilons:?}");
    }
}

/// Many different `ε` between those of two lists of equal ones, for which all sums are known.
#[test]
fn many_different_releases_cost_between_the_least_and_the_largest() {
    let different: Vec<f64> = (0..400).map(|i| 0.05 + 1e-5 * f64::from(i)).collect();
    let cost = |epsilons: &[f64]| smallest_epsilon(epsilons, 0.0, 0.3, 1e-6).unwrap();
    let (least, most) = (cost(&[0.05; 400]), cost(&[0.054; 400]));
    let between = cost(&different);
    assert!(least < between && between < most, "{least} {between} {most}");
    // the mean square decides, to first order
    let mean_square = different.iter().map(|e| e * e).sum::<f64>() / 400.0;
    assert!((between / cost(&[mean_square.sqrt(); 400]) - 1.0).abs() < 1e-2);
}

#[test]
fn a_hundred_thousand_releases_are_as_those_of_their_central_limit() {
    let (count, each) = (100_000, 0.001_f64);
    // losses of mean ε·tanh(ε/2) and variance ε²/cosh²(ε/2)
    let mu = (count as f64).sqrt() * each;
    let limit = crate::Guarantee::gaussian(mu).unwrap().epsilon(1e-6).unwrap();
    let found = smallest_epsilon(&vec![each; count], 0.0, 0.0, 1e-6).unwrap();
    assert!((found / limit - 1.0).abs() < 5e-3, "{found} {limit}");
}

/// The other side of the identity for negative arguments, by the integral that defines it.
#[test]
fn losses_beyond_epsilon_follow_the_definition() {
    let steps = 400_000;
    for (mu, x) in [(0.3, -0.2), (0.3, -3.0), (2.0, -0.01), (2.0, 1.5), (1e-3, -1.0)] {
        // E(1 − e^{x−L})₊ over L ~ N(μ²/2, μ²), by the midpoint rule
        let midpoint = |i: usize| -12.0 + 24.0 * (i as f64 + 0.5) / steps as f64;
        let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let value = |z: f64| (1.0 - (x - (0.5 * mu * mu + mu * z)).exp()).max(0.0);
        let integral: f64 = (0..steps).map(midpoint).map(|z| density(z) * value(z) * 24.0 / steps as f64).sum();
        let found = hockey_stick(mu, 0.0, -x);
        assert!(found >= integral * (1.0 - 1e-6) && found <= integral * (1.0 + 1e-6) + 1e-12, "{mu} {x}");
    }
    assert_eq!(hockey_stick(0.0, 1.0, 0.5), 0.0);
    assert!((hockey_stick(0.0, 0.5, 1.0) - (1.0 - (-0.5_f64).exp())).abs() < 1e-14);
}

#[test]
fn extremes_are_answered() {
    for delta in [1e-300, 1e-6, 1.0 - 1e-9] {
        for epsilon in [1e-300, 1e-9, 1.0, 800.0, 1e300] {
            let found = smallest_epsilon(&[epsilon; 3], 0.0, 0.0, delta).unwrap();
            assert!(found <= 3.0 * epsilon * (1.0 + 1e-12) + f64::MIN_POSITIVE, "{epsilon} {delta}: {found}");
        }
    }
    assert!(smallest_epsilon(&[1.0, 1.0], 1e-6, 0.0, 1e-6).is_none()); // nothing is left of δ
    // too many values for a list, and a sum that is no number: nothing small is promised of that
    let mut absurd: Vec<f64> = (1..=18).map(|i| 0.1 * f64::from(i)).collect();
    absurd.extend([f64::MAX, f64::MAX]);
    for mu in [0.0, 1.0] {
        assert_eq!(smallest_epsilon(&absurd, 0.0, mu, 1e-6), None);
    }
}
