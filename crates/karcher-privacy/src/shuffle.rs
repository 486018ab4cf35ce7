//! Amplification by shuffling: reports of the local model with their senders hidden (Feldman, McMillan and Talwar 2021,
//! *Hiding among the clones*, and 2023, *Stronger privacy amplification by shuffling*; user guide, \[U5\]).
//!
//! `n` people send one report each, by one rule of pure `ε₀`, and a shuffler hides who sent which. The shuffled reports
//! of two data sets that differ in one person are at least as hard to tell apart as (\[U5\], with a proof)
//!
//! ```text
//! (A + Δ, C − A + 1 − Δ)  and  (A + 1 − Δ, C − A + Δ),
//! C ~ Bin(n − 1, 2/(1 + e^{ε₀})),  A ~ Bin(C, ½),  Δ ~ Bernoulli(e^{ε₀}/(1 + e^{ε₀})).
//! ```
//!
//! Given `C = c`, the two laws of the first number `a` have the quotient `(q·a + (1−q)·b)/((1−q)·a + q·b)`,
//! `b = c + 1 − a`, `q = P(Δ = 1)`, which grows with `a`. So the best set is `a ≥ t`, and
//!
//! ```text
//! δ_c(ε) = (q − e^ε·(1−q))·P(A ≥ t − 1) − (e^ε·q − (1−q))·P(A ≥ t).
//! ```
//!
//! One more fair coin is processing, so `δ_c` falls with `c`. Values of `C` are taken in cells, each at its least `c`;
//! what is below all of them counts with `δ = 1`, by Chernoff's bound. Both make `δ` larger.

use crate::composition::compose_at;
use crate::error::{Error, Result};
use crate::guarantee::{Definition, Guarantee, positive, probability};
use crate::rounding::{down, up};
use crate::search::smallest_scale;
use std::f64::consts::TAU;
use std::ops::RangeInclusive;

/// Cells in a standard deviation of `C`.
const CELLS: f64 = 24.0;
/// The share of `δ` that improbably few clones may take.
const IMPROBABLE: f64 = 1e-6;
/// Bound of the relative rounding error of a probability among `n` trials. It is measured, not proved: ten times the
/// largest error that was found, up to 2³⁰ trials. The errors grow like the standard deviation, in units of `2⁻⁵³`.
fn rounding(n: f64) -> f64 {
    1e-11 * (1.0 + 1e-3 * n.sqrt())
}

/// An `ε` is too high by this, relatively, at most.
const PRECISION: f64 = 1e-6;
/// Any other `ε₀` is returned as it is: it hides nearly everything by itself, or no clone.
const AMPLIFIED: RangeInclusive<f64> = 1e-6..=600.0;
/// More people than this count as so many.
const MOST: usize = 1 << 30;

/// The smallest `ε` at a `δ` of `n` shuffled reports of pure `ε₀`, rounded up; at most `ε₀`.
///
/// # Errors
/// [`Error::InvalidParameter`] for no people, unless `ε₀` is positive and finite, and unless `δ` is between 0 and 1.
///
/// ```
/// use karcher_privacy::{Definition, shuffled};
/// let Definition::Approximate { epsilon, .. } = shuffled(10_000, 1.0, 1e-6)?.definition() else { panic!() };
/// assert!((epsilon - 0.0432).abs() < 1e-4); // of 1.0
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn shuffled(n: usize, epsilon: f64, delta: f64) -> Result<Guarantee> {
    let (local, delta) = (positive("epsilon", epsilon)?, probability(delta)?);
    if n == 0 {
        let requirement = "at least one person must send a report".to_owned();
        return Err(Error::InvalidParameter { name: "n", value: 0.0, requirement });
    }
    if !AMPLIFIED.contains(&local) {
        return Guarantee::approximate(local, delta);
    }
    let clones = Clones::new(n.min(MOST), local, IMPROBABLE * delta);
    if clones.delta(f64::MIN_POSITIVE) <= delta {
        return Guarantee::approximate(f64::MIN_POSITIVE.min(local), delta);
    }
    let least = smallest_scale(local, local, delta, PRECISION, |epsilon| Ok(clones.delta(epsilon)))?;
    Guarantee::approximate(least.unwrap_or(local).min(local), delta)
}

/// The smallest `ε` at a `δ` of several rounds of shuffled reports, whose local guarantees are fixed in advance: each
/// round at an equal part of half of `δ`, and their composition (user guide, \[P5\]).
///
/// # Errors
/// As for [`shuffled`] and [`compose_at`](crate::compose_at). Also [`Error::InvalidParameter`] for a local guarantee
/// that is not pure ε.
///
/// ```
/// use karcher_privacy::{Guarantee, shuffled, shuffled_rounds};
/// let round = Guarantee::pure(1.0)?;
/// assert_eq!(shuffled_rounds(5_000, &[round], 1e-6)?, shuffled(5_000, 1.0, 1e-6)?);
/// assert!(shuffled_rounds(5_000, &[round; 3], 1e-6)?.implies(Guarantee::approximate(0.5, 1e-6)?));
/// assert!(shuffled_rounds(5_000, &[Guarantee::gaussian(1.0)?], 1e-6).is_err());
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn shuffled_rounds(n: usize, rounds: &[Guarantee], delta: f64) -> Result<Guarantee> {
    let share = if rounds.len() > 1 { delta / (2 * rounds.len()) as f64 } else { delta };
    let mut known: Vec<(f64, Guarantee)> = vec![];
    let mut each = vec![];
    for round in rounds {
        let (name, value) = match round.definition() {
            Definition::Pure { epsilon } => ("epsilon", epsilon),
            Definition::Approximate { delta, .. } => ("delta", delta),
            Definition::Gaussian { mu } => ("mu", mu),
            Definition::Concentrated { rho } => ("rho", rho),
        };
        if name != "epsilon" {
            return Err(Error::InvalidParameter { name, value, requirement: NOT_PURE.to_owned() });
        }
        let epsilon = value;
        let found = match known.iter().find(|(local, _)| *local == epsilon) {
            Some((_, found)) => *found,
            None => {
                let found = shuffled(n, epsilon, share)?;
                known.push((epsilon, found));
                found
            }
        };
        each.push(found);
    }
    if let [one] = each[..] { Ok(one) } else { compose_at(&each, delta) }
}

const NOT_PURE: &str = "shuffling is proved to hide reports of pure epsilon only: give epsilon alone";

/// `2/(1 + e^{ε₀})`, rounded down: fewer clones hide less.
fn probability_of_a_clone(local: f64) -> f64 {
    down(2.0 / (1.0 + local.exp()), 4.0 * f64::EPSILON)
}

/// The number of clones: cells of `C` with their least value and their probability.
struct Clones {
    local: f64,
    /// Of the probabilities.
    rounding: f64,
    cells: Vec<(u64, f64)>,
    /// The probability of fewer clones than in any cell.
    fewer: f64,
}

impl Clones {
    fn new(n: usize, local: f64, fewer: f64) -> Self {
        let (trials, p) = ((n - 1) as u64, probability_of_a_clone(local));
        let rounding = rounding(n as f64);
        let expected = trials as f64 * p;
        // P(C ≤ np − t) ≤ e^{−t²/2np}
        let below = (2.0 * expected * -fewer.ln()).sqrt();
        // P(C ≥ np + t) ≤ e^{−t²/(2np + 2t/3)}
        let third = -fewer.ln() / 3.0;
        let above = third + (third * third + below * below).sqrt();
        let width = (expected.sqrt() / CELLS).ceil().max(1.0) as u64;
        let first = (expected - below).max(0.0).floor() as u64;
        let last = trials.min((expected + above + 1.0).ceil() as u64);
        let mut cells: Vec<(u64, f64)> = vec![];
        for from in (first..=last).step_by(width as usize) {
            let inside: f64 = (from..(from + width).min(last + 1)).map(|c| probability_of(c, trials, p)).sum();
            cells.push((from, up(inside, rounding)));
        }
        // more clones than that hide at least as well as in the last cell
        if let Some((_, mass)) = cells.last_mut() {
            *mass += fewer;
        }
        Self { local, rounding, cells, fewer: if first > 0 { fewer } else { 0.0 } }
    }

    /// `δ(ε)`, rounded up.
    fn delta(&self, epsilon: f64) -> f64 {
        if epsilon >= self.local {
            return 0.0;
        }
        // q − e^ε·(1 − q), and e^ε·q − (1 − q)
        let both = 1.0 + self.local.exp();
        let gain = epsilon.exp() * (self.local - epsilon).exp_m1() / both;
        let loss = (epsilon + self.local).exp_m1() / both;
        let mut sum = self.fewer;
        for &(c, mass) in &self.cells {
            // the quotient exceeds e^ε from a = t on: a·gain > b·loss
            let t = ((c + 1) as f64 * loss / (gain + loss)).floor() as u64 + 1;
            let (at, beyond) = tail(t.min(c + 2), c);
            // P(A ≥ t − 1) = P(A = t − 1) + P(A ≥ t)
            let delta = gain * at + (gain - loss) * beyond;
            sum += mass * (delta + self.rounding * (gain * (at + beyond) + loss * beyond)).clamp(0.0, 1.0);
        }
        up(sum, self.rounding)
    }
}

/// `(P(A = t − 1), P(A ≥ t))` for `A ~ Bin(c, ½)`, `t ≥ 1`.
fn tail(t: u64, c: u64) -> (f64, f64) {
    if t > c + 1 {
        return (0.0, 0.0);
    }
    let at = probability_of(t - 1, c, 0.5);
    let (mut term, mut sum) = (at, 0.0);
    for a in t..=c {
        term *= (c - a + 1) as f64 / a as f64;
        sum += term;
        // the terms fall at least as fast from here on, if they fall
        let ratio = (c - a) as f64 / (a + 1) as f64;
        if ratio < 1.0 && term * ratio <= 1e-17 * (1.0 - ratio) * sum {
            sum += term * ratio / (1.0 - ratio);
            break;
        }
    }
    (at, sum)
}

/// `P(X = k)` for `X ~ Bin(n, p)`, by Loader's saddle-point expansion (2000), which cancels nothing.
fn probability_of(k: u64, n: u64, p: f64) -> f64 {
    let (k, n) = (k as f64, n as f64);
    if k > n {
        return 0.0;
    }
    if k == 0.0 {
        return (n * (-p).ln_1p()).exp();
    }
    if k == n {
        return (n * p.ln()).exp();
    }
    let rest = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
    let deviance = deviance(k, n * p) + deviance(n - k, n * (1.0 - p));
    (n / (TAU * k * (n - k))).sqrt() * (rest - deviance).exp()
}

/// `ln n! − ln(√(2πn)·(n/e)^n)`.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        let factorial: f64 = (1..=n as u32).map(|i| f64::from(i).ln()).sum();
        return factorial - 0.5 * (TAU * n).ln() - n * n.ln() + n;
    }
    let square = n * n;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square) / square) / square)
        / n
}

/// `x·ln(x/m) + m − x`, without cancellation where `x` is near `m`.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    let v = (x - m) / (x + m);
    let mut sum = (x - m) * v;
    let mut term = 2.0 * x * v;
    for j in 1..1_000 {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::RngExt;

    fn epsilon(n: usize, local: f64, delta: f64) -> f64 {
        match shuffled(n, local, delta).unwrap().definition() {
            crate::Definition::Approximate { epsilon, .. } => epsilon,
            other => panic!("{other:?}"),
        }
    }

    /// `(k, n, p, P(X = k))` by mpmath with 50 digits: the errors are a tenth of [`rounding`] at most.
    #[test]
    fn probabilities_are_the_reference() {
        for (k, n, p, exact) in [
            (3, 7, 0.5, 0.2734375),
            (6, 7, 0.5, 0.0546875),
            (6, 20, 0.3, 0.19163898275344257),
            (10, 20, 0.3, 0.030817080900085034),
            (20, 20, 0.3, 3.4867844009999975e-11),
            (50, 100, 0.5, 0.07958923738717875),
            (60, 100, 0.5, 0.010843866711637989),
            (30, 100, 0.5, 2.317069058013518e-05),
            (85, 100, 0.5, 1.998488158364594e-13),
            (367, 999, 0.36787944117144233, 0.02615995107590438),
            (397, 999, 0.36787944117144233, 0.004046018017747069),
            (306, 999, 0.36787944117144233, 6.376696540986974e-06),
            (474, 999, 0.36787944117144233, 1.350021145197307e-12),
            (50000, 100000, 0.5, 0.00252312621419674),
            (50316, 100000, 0.5, 0.0003424551325019574),
            (49367, 100000, 0.5, 8.347191432489131e-07),
            (51106, 100000, 0.5, 5.974282199168527e-14),
            (367879, 1000000, 0.36787944117144233, 0.0008272888227741284),
            (368843, 1000000, 0.36787944117144233, 0.0001123992926214127),
            (365950, 1000000, 0.36787944117144233, 2.7499641347715555e-07),
            (371255, 1000000, 0.36787944117144233, 1.9514690551219983e-14),
            (500000000, 1000000000, 0.5, 2.5231325213893768e-05),
            (500031622, 1000000000, 0.5, 3.4150239946948765e-06),
            (499936754, 1000000000, 0.5, 8.463209881250704e-09),
            (500110679, 1000000000, 0.5, 5.779140440784017e-16),
            (10737418, 1073741823, 0.01, 0.00012236086371979454),
            (10743938, 1073741823, 0.01, 1.657135338914671e-05),
            (10724376, 1073741823, 0.01, 4.0903936122340105e-08),
            (10760240, 1073741823, 0.01, 2.8524709058312817e-15),
        ] {
            let found = probability_of(k, n, p);
            assert!((found / exact - 1.0).abs() < 0.1 * rounding(n as f64), "{k} {n} {p}: {found:e} {exact:e}");
        }
    }

    /// The laws of `(a, b)` as they stand, by Pascal's triangle.
    fn by_enumeration(n: usize, local: f64, epsilon: f64) -> f64 {
        let row = |m: usize, p: f64| {
            let mut row = vec![1.0];
            for _ in 0..m {
                let mut next = vec![0.0; row.len() + 1];
                for (i, x) in row.iter().enumerate() {
                    next[i] += x * (1.0 - p);
                    next[i + 1] += x * p;
                }
                row = next;
            }
            row
        };
        let q = 1.0 / (1.0 + (-local).exp());
        let mut delta = 0.0;
        for (c, mass) in row(n - 1, 2.0 / (1.0 + local.exp())).iter().enumerate() {
            let fair = row(c, 0.5);
            let fair = |a: usize| fair.get(a).copied().unwrap_or(0.0);
            for a in 0..=c + 1 {
                let before = if a > 0 { fair(a - 1) } else { 0.0 };
                let (one, other) = (q * before + (1.0 - q) * fair(a), (1.0 - q) * before + q * fair(a));
                delta += mass * (one - epsilon.exp() * other).max(0.0);
            }
        }
        delta
    }

    #[test]
    fn delta_is_that_of_the_laws_as_they_stand() {
        for (n, local) in [(1, 1.0), (2, 0.3), (10, 2.0), (60, 1.0), (200, 3.0)] {
            let clones = Clones::new(n, local, 1e-30);
            for share in [0.0, 0.1, 0.4, 0.9] {
                let (found, exact) = (clones.delta(share * local), by_enumeration(n, local, share * local));
                assert!(found >= exact * (1.0 - 1e-13), "{n} {local} {share}: {found} {exact}");
                assert!(found <= exact * (1.0 + 1e-9) + 1e-25, "{n} {local} {share}: {found} {exact}");
            }
        }
    }

    /// Reports of randomised response, shuffled: `δ` by enumeration of the two laws of their sum.
    #[test]
    fn shuffled_responses_are_within_the_bound() {
        for (n, local) in [(20, 1.0), (100, 0.5), (100, 2.0)] {
            let p = 1.0 / (1.0 + f64::exp(-local));
            let sums = |ones: usize| {
                let mut law = vec![1.0];
                for i in 0..n {
                    let p = if i < ones { p } else { 1.0 - p };
                    let mut next = vec![0.0; law.len() + 1];
                    for (k, x) in law.iter().enumerate() {
                        next[k] += x * (1.0 - p);
                        next[k + 1] += x * p;
                    }
                    law = next;
                }
                law
            };
            for ones in [0, n / 2, n - 1] {
                let (one, other) = (sums(ones), sums(ones + 1));
                for share in [0.05, 0.3, 0.8] {
                    let e = f64::exp(share * local);
                    let delta = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| (p - e * q).max(0.0)).sum::<f64>();
                    let exact = delta(&one, &other).max(delta(&other, &one));
                    assert!(Clones::new(n, local, 1e-30).delta(share * local) >= exact * (1.0 - 1e-12), "{n} {local}");
                }
            }
        }
    }

    /// Rules with a few answers at random, `n − 1` equal people and one who differs: `δ` by enumeration of the
    /// multisets of answers. Some come within a twentieth of the bound, and with twice as many clones some are beyond
    /// it.
    #[test]
    fn shuffled_answers_of_any_rule_are_within_the_bound() {
        use std::collections::HashMap;
        let mut generator = crate::noise::Generator::seeded(3);
        let mut uniform = move || generator.random::<f64>();
        let (mut nearest, mut beyond): (f64, bool) = (0.0, false);
        for _ in 0..1_500 {
            let (answers, n) = (2 + (3.0 * uniform()) as usize, 2 + (4.0 * uniform()) as usize);
            let base: Vec<f64> = (0..answers).map(|_| uniform().powi(3) + 1e-3).collect();
            let rise = 0.3 + 2.0 * uniform();
            let mut rule = || -> Vec<f64> {
                let raised: Vec<f64> = base.iter().map(|p| p * (rise * (2.0 * uniform()).floor()).exp()).collect();
                let sum: f64 = raised.iter().sum();
                raised.iter().map(|p| p / sum).collect()
            };
            let people = [rule(), rule(), rule()];
            let ends = |j: usize| {
                people.iter().map(move |p| p[j]).fold((0.0, 1.0), |(most, least), p| (p.max(most), p.min(least)))
            };
            let local = (0..answers).map(ends).map(|(most, least)| f64::ln(most / least)).fold(0.0, f64::max);
            if local < 0.05 {
                continue;
            }
            let law = |first: &[f64]| {
                let mut law = HashMap::from([(vec![0_u8; answers], 1.0)]);
                for person in std::iter::once(first).chain(std::iter::repeat_n(&people[2][..], n - 1)) {
                    let mut next = HashMap::new();
                    for (counts, mass) in &law {
                        for (j, p) in person.iter().enumerate() {
                            let mut counts = counts.clone();
                            counts[j] += 1;
                            *next.entry(counts).or_insert(0.0) += mass * p;
                        }
                    }
                    law = next;
                }
                law
            };
            let (one, other) = (law(&people[0]), law(&people[1]));
            for share in [0.05, 0.3, 0.6] {
                let e = f64::exp(share * local);
                let exact: f64 = one.iter().map(|(counts, p)| (p - e * other[counts]).max(0.0)).sum();
                let bound = Clones::new(n, local, 1e-30).delta(share * local);
                assert!(exact <= bound * (1.0 + 1e-12) + 1e-15, "{people:?} {n} {share}: {exact} {bound}");
                nearest = nearest.max(exact / bound);
                beyond |= exact > Clones::new(2 * n - 1, local, 1e-30).delta(share * local);
            }
        }
        assert!(nearest > 0.95 && beyond, "{nearest}");
    }

    /// The closed form of Theorem 3.1 of 2021 is never smaller.
    #[test]
    fn the_closed_form_is_no_smaller() {
        for (n, local, delta) in [(1_000, 0.5, 1e-6), (10_000, 1.0, 1e-6), (1_000_000, 2.0, 1e-9), (100_000, 4.0, 1e-8)]
        {
            let e = f64::exp(local);
            let n_ = n as f64;
            let closed =
                (1.0 + (e - 1.0) / (e + 1.0) * (8.0 * (e * f64::ln(4.0 / delta) / n_).sqrt() + 8.0 * e / n_)).ln();
            let found = epsilon(n, local, delta);
            assert!(found < closed && found > 0.05 * closed, "{n} {local}: {found} {closed}");
        }
    }

    /// Where a clone is improbable, and improbable numbers have a share of `δ`.
    #[test]
    fn few_clones_are_rounded_up() {
        for (n, local) in [(299, 8.0), (111, 7.0), (16, 5.0), (40, 4.0)] {
            for delta in [0.1, 0.3, 0.6] {
                let clones = Clones::new(n, local, IMPROBABLE * delta);
                for share in [0.3, 0.6, 0.9] {
                    let (found, exact) = (clones.delta(share * local), by_enumeration(n, local, share * local));
                    assert!(found >= exact * (1.0 - 1e-13), "{n} {local} {share}: {found} {exact}");
                }
            }
        }
    }

    #[test]
    fn one_report_is_not_hidden() {
        assert_eq!(epsilon(1, 1.0, 1e-6), 1.0_f64.min(epsilon(1, 1.0, 1e-6)));
        assert!(epsilon(1, 1.0, 1e-9) > 0.999_999);
        assert!(shuffled(0, 1.0, 1e-6).is_err() && shuffled(5, 0.0, 1e-6).is_err() && shuffled(5, 1.0, 0.0).is_err());
        assert!(epsilon(usize::MAX, 1e-300, 1e-300) <= 1e-300);
        assert!(epsilon(1 << 20, 700.0, 1e-6) <= 700.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn more_people_and_more_noise_hide_more(n in 1_usize..20_000, local in 0.05f64..4.0, ln_delta in -30.0f64..-2.0) {
            let (delta, slack) = (ln_delta.exp(), 1.0 + 1e-3);
            let here = epsilon(n, local, delta);
            prop_assert!(here <= local);
            prop_assert!(epsilon(2 * n, local, delta) <= here * slack);
            prop_assert!(epsilon(n, 0.9 * local, delta) <= here * slack);
            prop_assert!(epsilon(n, local, (2.0 * delta).min(0.9)) <= here * slack);
        }
    }
}
