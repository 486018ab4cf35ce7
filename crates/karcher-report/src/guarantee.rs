//! The meaning of a guarantee for one record or one person: the success rates of the best attacker.

use crate::html::columns;
use karcher::facts::numbers::four_digits_up;
use karcher::privacy::{Definition, Guarantee};
use karcher::release::{Adjacency, PrivacyUnit};
use maud::{Markup, html};

/// Upper bound of the chance to guess which of two equally likely neighbouring data sets a release is from: `(1 +
/// δ(0))/2`, with the guarantee's profile `δ` (user guide, P6).
///
/// ```
/// use karcher::privacy::Guarantee;
/// use karcher_report::guessed;
/// let e = 1.0_f64.exp();
/// assert!((guessed(Guarantee::pure(1.0)?) - e / (1.0 + e)).abs() < 1e-10);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn guessed(guarantee: Guarantee) -> f64 {
    // a profile that cannot be computed gives no guarantee
    0.5 + 0.5 * guarantee.delta(0.0).unwrap_or(1.0).min(1.0)
}

/// Upper bound of an attacker's true-positive rate at a false-positive rate `α` of at most `wrongly`. A positive is a
/// data set with the property that the attacker looks for.
///
/// A guarantee with the profile `δ` is (ε, δ(ε)) for every ε, so the rate is at most `δ(ε) + e^ε·α` and at most `1 −
/// e^{−ε}·(1 − δ(ε) − α)` (Dong, Roth and Su 2022). The least of these bounds over two hundred ε is returned.
///
/// ```
/// use karcher::privacy::Guarantee;
/// use karcher_report::found;
/// assert!((found(Guarantee::pure(1.0)?, 0.01) - 0.01 * 1.0_f64.exp()).abs() < 1e-10);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn found(guarantee: Guarantee, wrongly: f64) -> f64 {
    let own = match guarantee.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => Some(epsilon),
        Definition::Gaussian { .. } | Definition::Concentrated { .. } => None,
    };
    // close together near 0, where they decide for small budgets
    let grid = (0..=200).map(|i| 20.0 * (f64::from(i) / 200.0).powi(2));
    let at = |epsilon: f64| {
        let delta = guarantee.delta(epsilon).unwrap_or(1.0);
        (delta + epsilon.exp() * wrongly).min(1.0 - (-epsilon).exp() * (1.0 - delta - wrongly))
    };
    grid.chain(own).map(at).fold(1.0, f64::min)
}

/// A guarantee with four significant digits, rounded up.
pub fn shown(guarantee: Guarantee) -> Guarantee {
    let up = match guarantee.definition() {
        Definition::Pure { epsilon } => Guarantee::pure(four_digits_up(epsilon)),
        Definition::Approximate { epsilon, delta } => {
            Guarantee::approximate(four_digits_up(epsilon), four_digits_up(delta))
        }
        Definition::Gaussian { mu } => Guarantee::gaussian(four_digits_up(mu)),
        Definition::Concentrated { rho } => Guarantee::concentrated(four_digits_up(rho)),
    };
    up.unwrap_or(guarantee) // δ is below 1
}

/// A share in per cent, rounded up to a tenth.
pub fn percent_up(share: f64) -> String {
    let tenths = (1e3 * share).ceil().clamp(0.0, 1e3);
    format!("{} %", tenths / 10.0)
}

/// The unit and the neighbours that a guarantee protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protects {
    /// A record, or a person with all records.
    pub unit: PrivacyUnit,
    /// The neighbours.
    pub adjacency: Adjacency,
}

impl Protects {
    /// The attacker's knowledge and goal.
    fn attack(self) -> &'static str {
        match (self.adjacency, self.unit) {
            (Adjacency::AddRemove, PrivacyUnit::Record) => {
                "Suppose an attacker knows all other records, and wants to learn whether a certain record is in the \
                 data. Before the release both are equally likely."
            }
            (Adjacency::AddRemove, PrivacyUnit::Person) => {
                "Suppose an attacker knows the records of all other persons, and wants to learn whether a certain \
                 person is in the data. Before the release both are equally likely."
            }
            (Adjacency::ReplaceOne, PrivacyUnit::Person) => {
                "Suppose an attacker knows the records of all other persons, and has two equally likely candidates for \
                 the records of one person."
            }
            (Adjacency::ReplaceOne, PrivacyUnit::Record) => {
                "Suppose an attacker knows all other records, and has two equally likely candidates for one record."
            }
        }
    }

    /// The words for the same guarantee over two steps between neighbours.
    fn of_two(self) -> &'static str {
        match (self.adjacency, self.unit) {
            (Adjacency::AddRemove, PrivacyUnit::Record) => {
                "For the value of a record, rather than its presence, and for two records together,"
            }
            (Adjacency::AddRemove, PrivacyUnit::Person) => {
                "For the values of a person's records, rather than their presence, and for two persons together,"
            }
            (Adjacency::ReplaceOne, PrivacyUnit::Person) => "For two persons together, such as a couple,",
            (Adjacency::ReplaceOne, PrivacyUnit::Record) => {
                "For two records that belong together, such as two of one person,"
            }
        }
    }
}

/// Chance of a right guess beyond which a guarantee protects little: at ε = 3 the chance is 95.3 %.
const LITTLE: f64 = 0.95;

/// The guarantee in plain language.
pub fn explained(guarantee: Guarantee, protects: Protects) -> Markup {
    let twice = guarantee.of_two_steps().map(guessed);
    let rows = [0.01, 0.05, 0.1]
        .map(|wrongly| vec![percent_up(wrongly), percent_up(found(guarantee, wrongly)), percent_up(wrongly)]);
    html! {
        p {
            (protects.attack())
            " With this release the attacker guesses right with a chance of at most "
            strong { (percent_up(guessed(guarantee))) }
            ". Without it the chance is 50 %."
            @if let Ok(twice) = twice { " " (protects.of_two()) " it is at most " (percent_up(twice)) "." }
            @if let Definition::Pure { epsilon } = guarantee.definition() {
                @let factor = epsilon.exp();
                @if factor < 1e6 {
                    " The release changes any odds by a factor of at most "
                    (format!("{:.2}", (100.0 * factor).ceil() / 100.0)) "."
                }
            }
        }
        @if guessed(guarantee) > LITTLE { p { "So large a budget promises little." } }
        (columns("The best attacker", &["false alarms", "hits, at most", "hits without the release"], &rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_normal_noise_are_those_of_the_best_test() {
        // a test at level α between N(0, 1) and N(μ, 1) finds Φ(Φ⁻¹(α) + μ): by Python's statistics.NormalDist, rounded
        // down
        for (mu, wrongly, best) in [
            (0.02, 0.01, 0.010_546),
            (0.02, 0.1, 0.103_554),
            (0.2, 0.05, 0.074_249),
            (1.0, 0.01, 0.092_362),
            (1.0, 0.05, 0.259_511),
            (1.0, 0.1, 0.389_143),
            (3.0, 0.01, 0.749_734),
            (5.0, 0.05, 0.999_603),
        ] {
            let most = found(Guarantee::gaussian(mu).unwrap(), wrongly);
            assert!(most >= best && most < best + 1e-4, "{mu} {wrongly}: {most} {best}");
        }
        // Φ(1/2)
        assert!((guessed(Guarantee::gaussian(1.0).unwrap()) - 0.691_462).abs() < 1e-6);
    }

    #[test]
    fn chances_of_pure_privacy_are_those_of_randomized_response() {
        for epsilon in [0.1, 0.73, 1.0, 3.0, 9.0] {
            let pure = Guarantee::pure(epsilon).unwrap();
            let truth = epsilon.exp() / (1.0 + epsilon.exp());
            assert!((guessed(pure) - truth).abs() < 1e-10);
            // a test that trusts the answer has the false-positive rate 1 − truth
            assert!((found(pure, 1.0 - truth) - truth).abs() < 1e-9, "{epsilon}");
        }
    }

    #[test]
    fn what_promises_nothing_says_so() {
        let weak = Guarantee::gaussian(1e6).unwrap();
        assert_eq!([percent_up(guessed(weak)), percent_up(found(weak, 0.01))], ["100 %", "100 %"]);
        let weak = Guarantee::pure(1e6).unwrap();
        assert_eq!(percent_up(found(weak, 0.01)), "100 %");
    }

    #[test]
    fn shares_are_rounded_up() {
        assert_eq!(
            [0.731_058, 0.5, 0.027_182_8, 1.0, 2.0, 0.0].map(percent_up),
            ["73.2 %", "50 %", "2.8 %", "100 %", "100 %", "0 %"]
        );
    }
}
