//! Amplification by shuffling: reports of the local model with their senders hidden (user guide, \[U5\], \[U5′\]).
//! Feldman, McMillan and Talwar 2021, *Hiding among the clones*, and 2023, *Stronger privacy amplification by shuffling*.
//! Wang and others 2023, *variation ratio*.
//!
//! `n` people send one report each, by one rule of pure `ε₀`, and a shuffler hides who sent which. By \[U5\] and \[U5′\],
//! with proofs, the shuffled reports of two data sets that differ in one person have
//!
//! ```text
//! δ(ε) ≤ E (a·(q − e^ε) − b·(q·e^ε − 1) − c·(e^ε − 1))₊ / n,   q = 1/p = e^{ε₀},
//! ```
//!
//! where each of `n` independent draws counts for `a`, `b`, `c` or none, with the probabilities `P/(q·Z)`, `P/(q·Z)`,
//! `(1 − 2P)/(q·Z)` and the rest, `Z = P + p·(1 − P)`. For [directions](PrivateDirection) `P` is the share of a cap, and
//! for any rule it is ½: then `c = 0`.
//!
//! Let `s = a + b`. Given `s`, `a ~ A_s = Bin(s, ½)`. So the number in the parenthesis is
//!
//! ```text
//! (q − 1)(e^ε + 1)·(A_s − s/2 − tanh(ε/2)·l),   l = (s·(1 + p)/2 + c·p)/(1 − p).
//! ```
//!
//! **Cells.** `E (A_s − s/2 − κ)₊` grows with `s`, as one more fair coin has the mean 0 after `½` is taken off, and falls
//! as `κ` grows. So `s` and `c` are taken in cells, with the largest `s` in `A_s` and the least ones in `l`. Few or many
//! `s` count by `E a·(q − e^ε)/n`. That is their probability at most, for one draw of `s` and `n − 1` others. Such
//! probabilities, and that of few `c`, are bounded by Bernstein's inequality.
//!
//! **Rounding** is proved, for elementary functions that err by four units in the last place. A binomial law comes from
//! the quotients of neighbouring probabilities, by products and sums of positive numbers. It is divided by the sum of the
//! window that is computed. So probabilities are too large, by no more than the rest of the law and [`rounding`]. In
//! `Σ_{a ≥ t} (a − s/2) P(A_s = a) = ½·t·P(A_s = t)` the law needs no window.

use crate::composition::compose_at;
use crate::error::{Error, Result};
use crate::guarantee::{Definition, Guarantee, positive, probability};
use crate::noise::PrivateDirection;
use crate::rounding::{down, up};
use crate::search::smallest_scale;
use std::ops::RangeInclusive;

/// The width of a cell, as a share of the most probable number, and of its root.
const WIDTH: [f64; 2] = [3e-4, 0.04];
/// The share of `δ` that each of three improbable events may take.
const IMPROBABLE: f64 = 1e-7;
/// No event is taken for less probable than this.
const NOTHING: f64 = 1e-300;
/// Weights below this, of 1 for the most probable number, are not told apart.
const LEAST: f64 = 1e-290;

/// The relative error of a law, or of sums of its weights, after so many steps from weight to weight: a step has three
/// roundings and the quotient `odds`, of five more. Sums add one for each term, and a cell is a quotient of two.
fn rounding(steps: f64) -> f64 {
    16.0 * (steps + 4.0) * f64::EPSILON
}

/// An `ε` is too high by this, relatively, at most.
const PRECISION: f64 = 1e-6;
/// Any other `ε₀` is returned as it is: it hides nearly everything by itself, or no clone.
const AMPLIFIED: RangeInclusive<f64> = 1e-6..=300.0;
/// More people than this count as so many.
const MOST: usize = 1 << 30;

/// The smallest `ε` at a `δ` of `n` shuffled reports of pure `ε₀`, by any rule, rounded up; at most `ε₀`.
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
    let local = positive("epsilon", epsilon)?;
    amplified(n, local, delta, || Rule { kept: down((-local).exp(), 4.0 * f64::EPSILON), share: 0.5 })
}

/// The smallest `ε` at a `δ` of `n` shuffled reports of a direction, as [`PrivateDirection`] draws them, rounded up. It is
/// smaller than for other rules of the same `ε₀`, because reports are uniform more often.
///
/// # Errors
/// As for [`shuffled`] and [`PrivateDirection::new`].
///
/// ```
/// use karcher_privacy::{Definition, shuffled_directions};
/// let Definition::Approximate { epsilon, .. } = shuffled_directions(10_000, 96, 1.0, 1e-6)?.definition() else { panic!() };
/// assert!((epsilon - 0.0385).abs() < 1e-4); // of 1.0, and 0.0432 for any rule
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn shuffled_directions(n: usize, dimension: usize, epsilon: f64, delta: f64) -> Result<Guarantee> {
    let report = PrivateDirection::new(dimension, epsilon)?;
    amplified(n, epsilon, delta, || Rule { kept: report.kept(), share: report.share_of_cap() })
}

fn amplified(n: usize, local: f64, delta: f64, rule: impl FnOnce() -> Rule) -> Result<Guarantee> {
    let delta = probability(delta)?;
    if n == 0 {
        let requirement = "at least one person must send a report".to_owned();
        return Err(Error::InvalidParameter { name: "n", value: 0.0, requirement });
    }
    if !AMPLIFIED.contains(&local) {
        return Guarantee::approximate(local, delta);
    }
    let hidden = Hidden::new(n.min(MOST) as u64, local, rule(), (IMPROBABLE * delta).max(NOTHING));
    if hidden.delta(f64::MIN_POSITIVE) <= delta {
        return Guarantee::approximate(f64::MIN_POSITIVE.min(local), delta);
    }
    let least = smallest_scale(local, local, delta, PRECISION, |epsilon| Ok(hidden.delta(epsilon)))?;
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

/// A local rule: `p ≤ e^{−ε₀}`, and the share `P` of the reports that are likelier for one value, at most ½. A smaller
/// `p` and a larger `P` hide less (\[U5′\]).
#[derive(Debug, Clone, Copy)]
struct Rule {
    kept: f64,
    share: f64,
}

impl Rule {
    /// The odds that a draw counts for `s`; and for `c`, if it does not.
    fn odds(self) -> [f64; 2] {
        let (likelier, rest) = (self.share * (1.0 - self.kept), self.kept * (1.0 - 2.0 * self.share));
        [2.0 * self.kept * self.share / (likelier + rest), rest / likelier]
    }
}

/// What hides one person among `n`: `s` and `c` in cells.
struct Hidden {
    n: f64,
    local: f64,
    rule: Rule,
    cells: Vec<(Coins, Vec<Cell>)>,
    /// The probability of other numbers `s`, that of the draw of one person included.
    elsewhere: f64,
}

/// A cell of `s` and `c`: `l`, rounded down, and its probability, rounded up.
struct Cell {
    away: f64,
    mass: f64,
}

impl Hidden {
    fn new(n: u64, local: f64, rule: Rule, improbable: f64) -> Self {
        let [draws, rest] = rule.odds();
        let Rule { kept, .. } = rule;
        // those of n − 1 others, and 1
        let window = Window::new(n - 1, draws, improbable);
        let window = Window { last: window.last + 1, ..window };
        let cells = binomial_cells(n, draws, &window).into_iter().map(|([least, most], mass)| {
            let others = if rest > 0.0 { n - most } else { 0 };
            let inner = Window::new(others, rest, improbable);
            let mut found = binomial_cells(others, rest, &inner);
            if let Some((_, mass)) = found.last_mut() {
                *mass += improbable; // more hide at least as well
            }
            if inner.first > 0 {
                found.push(([0, inner.first], improbable));
            }
            let away = |c: u64| (0.5 * least as f64 * (1.0 + kept) + c as f64 * kept) / (1.0 - kept);
            let cell =
                |([c, _], part): ([u64; 2], f64)| Cell { away: down(away(c), 16.0 * f64::EPSILON), mass: mass * part };
            (Coins::new(most), found.into_iter().map(cell).collect())
        });
        Self { n: n as f64, local, rule, cells: cells.collect(), elsewhere: 2.0 * improbable }
    }

    /// `δ(ε)`, rounded up.
    fn delta(&self, epsilon: f64) -> f64 {
        if epsilon >= self.local {
            return 0.0;
        }
        let kept = self.rule.kept;
        let tangent = down((0.5 * epsilon).tanh(), 4.0 * f64::EPSILON);
        let unit = (1.0 - kept) / kept * (epsilon.exp() + 1.0) / self.n;
        let mut terms = 0.0;
        let mut sum = 0.0;
        for (coins, cells) in &self.cells {
            for cell in cells {
                sum += cell.mass * coins.beyond(down(tangent * cell.away, f64::EPSILON));
            }
            terms += cells.len() as f64;
        }
        up(unit * sum + self.elsewhere, (terms + 16.0) * f64::EPSILON).min(1.0)
    }
}

/// Numbers of a binomial law: others have a probability of at most the one that is given, on either side.
struct Window {
    first: u64,
    last: u64,
}

impl Window {
    /// Bernstein: `P(X ≤ mp − t) ≤ e^{−t²/2mp}`, and `P(X ≥ mp + t) ≤ e^{−t²/(2mp + 2t/3)}`.
    fn new(trials: u64, odds: f64, improbable: f64) -> Self {
        let mean = trials as f64 * (odds / (1.0 + odds));
        let logarithm = -improbable.ln() * (1.0 + 1e-12);
        let below = (2.0 * mean * logarithm).sqrt();
        let third = logarithm / 3.0;
        let above = third + (third * third + below * below).sqrt();
        // one more on either side covers rounding
        let first = (mean - below - 1.0).max(0.0).floor() as u64;
        Self { first, last: trials.min((mean + above + 1.0).ceil() as u64) }
    }
}

/// The ends of cells of `X ~ Bin(trials, odds/(1 + odds))` in a window, and their probabilities, rounded up.
fn binomial_cells(trials: u64, odds: f64, window: &Window) -> Vec<([u64; 2], f64)> {
    let &Window { first, last } = window;
    let mode = ((trials as f64 * (odds / (1.0 + odds))) as u64).clamp(first, last);
    let weight = |quotient: f64, weight: &mut f64| {
        *weight = (*weight * quotient).max(LEAST);
        *weight
    };
    let rise = |k: u64| (trials - k) as f64 / (k + 1) as f64 * odds; // of P(X = k + 1) by P(X = k)
    let mut weights: Vec<f64> = (first..mode).rev().scan(1.0, |w, k| Some(weight(1.0 / rise(k), w))).collect();
    weights.reverse();
    weights.push(1.0);
    weights.extend((mode..last).scan(1.0, |w, k| Some(weight(rise(k), w))));
    let all: f64 = weights.iter().sum();
    let width = (WIDTH[0] * mode as f64).max(WIDTH[1] * (mode as f64).sqrt()).max(1.0) as usize;
    let error = rounding(weights.len() as f64);
    let cell = |(i, part): (usize, &[f64])| {
        let from = first + (i * width) as u64;
        ([from, from + part.len() as u64 - 1], up(part.iter().sum::<f64>() / all, error))
    };
    weights.chunks(width).enumerate().map(cell).collect()
}

/// The law of `A_s ~ Bin(s, ½)` above the middle.
struct Coins {
    /// `a − s/2` of the first weight.
    first: f64,
    /// `½·a·w_a`, for weights `w` of the law, and `Σ_{i ≥ a} w_i`.
    tails: Vec<[f64; 2]>,
    /// `Σ w`.
    all: f64,
}

impl Coins {
    fn new(s: u64) -> Self {
        let middle = s.div_ceil(2);
        let more = (middle..s).scan(1.0, |weight: &mut f64, a| {
            *weight *= (s - a) as f64 / (a + 1) as f64;
            (*weight > LEAST).then_some(*weight)
        });
        let mut tails: Vec<[f64; 2]> = std::iter::once(1.0).chain(more).map(|weight| [weight; 2]).collect();
        let mut sum = 0.0;
        for (i, [moment, tail]) in tails.iter_mut().enumerate().rev() {
            sum += *tail;
            *tail = sum;
            *moment *= 0.5 * (middle + i as u64) as f64;
        }
        // both halves, which share the middle of an even number
        let all = 2.0 * sum - if s.is_multiple_of(2) { 1.0 } else { 0.0 };
        Self { first: middle as f64 - 0.5 * s as f64, tails, all }
    }

    /// `E (A_s − s/2 − κ)₊`, rounded up: `½·t·P(A_s = t) − κ·P(A_s ≥ t)` for the first `t` with `t − s/2 > κ`. It falls as
    /// `κ` grows, so it is no larger beyond the last weight than there.
    fn beyond(&self, least: f64) -> f64 {
        let last = self.tails.len() - 1;
        let least = least.min(self.first + last as f64);
        let mut i = (least - self.first).max(0.0) as usize;
        while self.first + (i as f64) <= least && i < last {
            i += 1;
        }
        while i > 0 && self.first + (i - 1) as f64 > least {
            i -= 1;
        }
        let ([moment, tail], error) = (self.tails[i], rounding(self.tails.len() as f64));
        ((moment * (1.0 + error) - least * tail * (1.0 - error)) / (self.all * (1.0 - error))).max(0.0)
    }
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

    /// For any rule of `ε₀`.
    fn any_rule(n: usize, local: f64, improbable: f64) -> Hidden {
        Hidden::new(n as u64, local, Rule { kept: (-local).exp(), share: 0.5 }, improbable)
    }

    /// `(n, odds, k, j, P(k ≤ X < k + j))` by mpmath with 50 digits. The window leaves out less than 1e-12.
    #[test]
    fn cells_have_their_probabilities() {
        for (n, odds, first, width, exact) in [
            (20, 0.75, 3, 1, 0.006627163232977951),
            (999, 0.5, 270, 1, 2.688879560133267e-6),
            (999, 2.0, 720, 1, 3.232188728663751e-5),
            (100_000, 1.25, 55_000, 16, 9.351779228766942e-5),
            (1_000_000, 0.5, 331_000, 99, 6.868346583481536e-7),
        ] {
            let wide = Window::new(n, odds, 1e-13);
            let cells = binomial_cells(n, odds, &Window { first, ..wide });
            let all: f64 = binomial_cells(n, odds, &wide).iter().map(|(_, mass)| mass).sum();
            assert!((1.0..1.0 + 1e-10).contains(&all), "{n} {odds}: {all}");
            let ([from, to], mass) = cells[0];
            assert_eq!((from, to - from + 1), (first, width));
            // the window begins with the cell, so it lacks what is below
            let lacks: f64 =
                binomial_cells(n, odds, &wide).iter().filter(|(ends, _)| ends[1] < first).map(|(_, p)| p).sum();
            let mass = mass * (1.0 - lacks);
            let slack = 2.0 * rounding((wide.last - wide.first) as f64) + 1e-11;
            assert!((mass / exact - 1.0).abs() < slack.max(2.0 * lacks), "{n} {odds}: {mass:e} {exact:e}");
            assert!(mass >= exact * (1.0 - 1e-11 - 2.0 * lacks), "{n} {odds}: {mass:e} {exact:e}");
        }
    }

    /// `(s, κ, E (A_s − s/2 − κ)₊)` by mpmath with 50 digits.
    #[test]
    fn excesses_of_coins_are_the_reference() {
        for (s, least, exact) in [
            (1, 0.25, 0.125),
            (2, 0.5, 0.125),
            (7, 0.3, 0.396875),
            (8, 1.0, 0.18359375),
            (1_000, 40.25, 0.027380543997950624),
            (1_001, 95.0, 2.1452898846273114e-9),
            (1_000_000, 2_500.125, 2.6693448980853619e-5),
        ] {
            let found = Coins::new(s).beyond(least);
            assert!(found >= exact && found < exact * (1.0 + 1e-8), "{s} {least}: {found:e} {exact:e}");
        }
        assert_eq!(Coins::new(0).beyond(0.0), 0.0);
        // where the rest of the law is nothing to a double
        assert!(Coins::new(100_000).beyond(40_000.0) < 1e-280);
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
            let hidden = any_rule(n, local, 1e-30);
            for share in [0.0, 0.1, 0.4, 0.9] {
                let (found, exact) = (hidden.delta(share * local), by_enumeration(n, local, share * local));
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
                    assert!(any_rule(n, local, 1e-30).delta(share * local) >= exact * (1.0 - 1e-12), "{n} {local}");
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
                let bound = any_rule(n, local, 1e-30).delta(share * local);
                assert!(exact <= bound * (1.0 + 1e-12) + 1e-15, "{people:?} {n} {share}: {exact} {bound}");
                nearest = nearest.max(exact / bound);
                beyond |= exact > any_rule(2 * n - 1, local, 1e-30).delta(share * local);
            }
        }
        assert!(nearest > 0.95 && beyond, "{nearest}");
    }

    /// `δ` of the four numbers of a draw as they stand, by enumeration.
    #[test]
    fn delta_of_directions_is_that_of_the_draws_as_they_stand() {
        for (n, local, share) in [(1, 1.0, 0.4), (2, 0.5, 0.2), (9, 2.0, 0.3), (40, 1.0, 0.45), (40, 3.0, 0.1)] {
            let rule = Rule { kept: f64::exp(-local), share };
            let hidden = Hidden::new(n, local, rule, 1e-30);
            let (p, e) = (rule.kept, |epsilon: f64| f64::exp(epsilon));
            let uniform = p / (share + p * (1.0 - share));
            let draw = [share * uniform, share * uniform, (1.0 - 2.0 * share) * uniform, 1.0 - uniform];
            let factorial: Vec<f64> = (0..=n)
                .scan(1.0, |f, i| {
                    Some({
                        if i > 0 {
                            *f *= i as f64
                        };
                        *f
                    })
                })
                .collect();
            for part in [0.0, 0.2, 0.7] {
                let e = e(part * local);
                let mut exact = 0.0;
                for a in 0..=n {
                    for b in 0..=n - a {
                        for c in 0..=n - a - b {
                            let counts = [a, b, c, n - a - b - c];
                            let mass: f64 = counts.iter().zip(&draw).fold(factorial[n as usize], |mass, (&k, p)| {
                                mass * p.powi(k as i32) / factorial[k as usize]
                            });
                            let [a, b, c, _] = counts.map(|k| k as f64);
                            exact += mass * (a * (1.0 / p - e) + b * (1.0 - e / p) + c * (1.0 - e)).max(0.0) / n as f64;
                        }
                    }
                }
                let found = hidden.delta(part * local);
                assert!(found >= exact * (1.0 - 1e-12), "{n} {local} {share} {part}: {found} {exact}");
                assert!(found <= exact * (1.0 + 1e-9) + 1e-25, "{n} {local} {share} {part}: {found} {exact}");
            }
        }
    }

    /// Directions of a circle of a few answers: each person's cap is some of them. `δ` by enumeration of the multisets of
    /// answers is within the bound, comes near it, and is beyond that of twice as many people.
    #[test]
    fn shuffled_directions_of_few_answers_are_within_the_bound() {
        use std::collections::HashMap;
        let mut generator = crate::noise::Generator::seeded(5);
        let (mut nearest, mut beyond): (f64, bool) = (0.0, false);
        for _ in 0..300 {
            let answers = generator.random_range(3..6_usize);
            let width = generator.random_range(1..=answers / 2);
            let n = generator.random_range(1..6_usize);
            let local = 0.3 + 2.0 * generator.random::<f64>();
            let mut person = |most: usize| -> Vec<f64> {
                let from = generator.random_range(0..most);
                let inside = |i: usize| (i + answers - from) % answers < width;
                let likely: Vec<f64> = (0..answers).map(|i| if inside(i) { 1.0 } else { (-local).exp() }).collect();
                let sum: f64 = likely.iter().sum();
                likely.into_iter().map(|p| p / sum).collect()
            };
            let (one, other) = (person(1), person(answers));
            let others: Vec<Vec<f64>> = (1..n).map(|_| person(answers)).collect();
            let law = |first: &[f64]| {
                let mut law = HashMap::from([(vec![0_u8; answers], 1.0)]);
                for person in std::iter::once(first).chain(others.iter().map(|p| &p[..])) {
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
            let (one, other) = (law(&one), law(&other));
            let rule = Rule { kept: (-local).exp(), share: width as f64 / answers as f64 };
            let bound = |n: usize, epsilon| Hidden::new(n as u64, local, rule, 1e-30).delta(epsilon);
            for part in [0.05, 0.3, 0.6] {
                let epsilon = part * local;
                let exact: f64 = one.iter().map(|(counts, p)| (p - epsilon.exp() * other[counts]).max(0.0)).sum();
                let most = bound(n, epsilon);
                assert!(exact <= most * (1.0 + 1e-12) + 1e-15, "{rule:?} {n} {part}: {exact} {most}");
                nearest = nearest.max(exact / most);
                beyond |= exact > bound(2 * n + 1, epsilon) * (1.0 + 1e-9);
            }
        }
        assert!(nearest > 0.95 && beyond, "{nearest}");
    }

    /// `(D, n, ε₀, ε)` at `δ = 1e-6`, by convolution in double precision. One number is any rule.
    #[test]
    fn directions_are_hidden_better() {
        let directed = |n, dimension, local| {
            let Definition::Approximate { epsilon, .. } =
                shuffled_directions(n, dimension, local, 1e-6).unwrap().definition()
            else {
                panic!()
            };
            epsilon
        };
        for (dimension, n, local, found) in
            [(2, 100, 1.0, 0.4773), (6, 100, 1.0, 0.4588), (100, 100, 1.0, 0.4524), (6, 1_000, 3.0, 0.7156)]
        {
            assert!((directed(n, dimension, local) - found).abs() < 5e-4, "{dimension} {n}: {found}");
        }
        for (n, local) in [(100, 1.0), (1_000, 2.0)] {
            let (one, any) = (directed(n, 1, local), epsilon(n, local, 1e-6));
            assert!((one / any - 1.0).abs() < 1e-5, "{one} {any}");
            assert!(directed(n, 3, local) < 0.98 * any);
        }
        assert!(shuffled_directions(10, 0, 1.0, 1e-6).is_err() && shuffled_directions(0, 2, 1.0, 1e-6).is_err());
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
                let hidden = any_rule(n, local, IMPROBABLE * delta);
                for share in [0.3, 0.6, 0.9] {
                    let (found, exact) = (hidden.delta(share * local), by_enumeration(n, local, share * local));
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
