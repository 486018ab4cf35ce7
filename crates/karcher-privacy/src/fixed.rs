//! Composition of releases whose guarantees are **fixed in advance**: the smallest `ε` at a `δ` that their guarantees
//! allow (user guide, \[P5\]).
//!
//! The worst release of pure `ε` is randomised response: its privacy loss is `ε` with probability `1/(1 + e^{−ε})`, and
//! `−ε` otherwise. That of an approximate `(ε, δ₀)` is the same, except that it is infinite with probability `δ₀`.
//! Gaussian guarantees add up to one, of `μ = √(Σμ²)`. Losses of releases add, so with `L` the sum of all but the
//! Gaussian one
//!
//! ```text
//! δ(ε) = δ_∞ + (1 − δ_∞)·E[δ_μ(ε − L)].
//! ```
//!
//! **Upwards.** Making a loss larger, or infinite, makes `δ` larger. So every sum of losses is rounded up, and
//! improbable ones count as infinite. Where there are too many different `ε` each is raised to the next multiple of a
//! step, which makes a release that dominates it.

use super::conversion::gaussian_delta;
use crate::rounding::{add_up, mul_up, up};
use crate::search::smallest;

/// Most values of a sum of losses that is kept as it is.
const MOST: usize = 1 << 16;

/// Steps of the grid in the sum of all `ε`.
const STEPS: usize = 1 << 17;

/// The share of `δ` that may be made infinite in all.
const IMPROBABLE: f64 = 1e-12;

/// The relative rounding error of a probability is this for each factor in it.
const FACTOR: f64 = 8.0 * f64::EPSILON;

/// The smallest `ε`, rounded up, for which a composition is `(ε, δ)`. It consists of releases of pure `ε`'s, of
/// approximate guarantees with `ε`'s among them and `δ`'s that sum to `infinite`, and of Gaussian guarantees that
/// compose to `μ` (0 for none). `None` where there is no such `ε`, and where the sum of the `ε`'s is no number.
pub(super) fn smallest_epsilon(epsilons: &[f64], infinite: f64, mu: f64, delta: f64) -> Option<f64> {
    if !epsilons.iter().sum::<f64>().is_finite() {
        return None; // no loss below may leave the range of numbers
    }
    let losses = Losses::new(epsilons, delta);
    let infinite = add_up(infinite, losses.infinite);
    if infinite >= delta {
        return None;
    }
    smallest(|epsilon| add_up(infinite, losses.expected(|loss| hockey_stick(mu, epsilon, loss))) <= delta)
}

/// `δ_μ(ε − L)` rounded up, and `δ₀(x) = max(0, 1 − eˣ)`.
///
/// Below 0, `δ_μ(−x) = 1 − e^{−x} + e^{−x}·δ_μ(x)`, as `P − e^{−x}·Q` and `Q − e^x·P` differ in sign and a factor.
fn hockey_stick(mu: f64, epsilon: f64, loss: f64) -> f64 {
    let x = (epsilon - loss) - 2.0 * f64::EPSILON * epsilon.max(loss.abs());
    let gaussian = |x: f64| if mu > 0.0 { gaussian_delta(mu, x) } else { 0.0 };
    if x >= 0.0 {
        return gaussian(x);
    }
    let rest = if mu > 0.0 { up(x.exp() * gaussian(-x), FACTOR) } else { 0.0 };
    add_up(up(-x.exp_m1(), FACTOR), rest).min(1.0)
}

/// The law of a sum of losses: values with their probabilities, which are rounded up.
struct Losses {
    finite: Vec<(f64, f64)>,
    /// The probability of an infinite sum.
    infinite: f64,
}

impl Losses {
    fn new(epsilons: &[f64], delta: f64) -> Self {
        let mut sorted = epsilons.to_vec();
        sorted.sort_by(f64::total_cmp);
        let kinds: Vec<(f64, usize)> = sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
        let least = IMPROBABLE * delta / (STEPS * (kinds.len() + 1)) as f64;
        let mut all = Self::value_by_value(&kinds, least).unwrap_or_else(|| Self::on_a_grid(&kinds, least));
        let rounding = 1.0 + 4.0 * FACTOR * (epsilons.len() as f64 + 2.0);
        all.finite.iter_mut().for_each(|(_, p)| *p *= rounding);
        all.infinite *= rounding;
        all
    }

    /// Every value that the sum can have, if there are not too many.
    fn value_by_value(kinds: &[(f64, usize)], least: f64) -> Option<Self> {
        let mut all = Self { finite: vec![(0.0, 1.0)], infinite: 0.0 };
        for (epsilon, count) in kinds {
            let copies = Self::of_copies(*epsilon, *count, least);
            if all.finite.len() * copies.finite.len() > MOST {
                return None;
            }
            let sums = all
                .finite
                .iter()
                .flat_map(|(loss, p)| copies.finite.iter().map(move |(other, q)| (add_up(*loss, *other), p * q)));
            all = Self { finite: sums.collect(), infinite: add_up(all.infinite, copies.infinite) }.without(least);
        }
        Some(all)
    }

    /// Every `ε` is raised to a multiple of a step.
    fn on_a_grid(kinds: &[(f64, usize)], least: f64) -> Self {
        let total: f64 = kinds.iter().map(|(epsilon, count)| epsilon * *count as f64).sum();
        let step = total / STEPS as f64;
        // place i stands for a loss of 2i − reach steps
        let (mut probabilities, mut infinite) = (vec![1.0], 0.0);
        for (epsilon, count) in kinds {
            let times = (epsilon / step * (1.0 + 1e-12)).ceil();
            let copies = of_copies(times * step, *count);
            let mut sums = vec![0.0; probabilities.len() + times as usize * count];
            for (j, q) in copies.iter().enumerate() {
                if *q < least {
                    infinite = add_up(infinite, *q);
                    continue;
                }
                sums[j * times as usize..].iter_mut().zip(&probabilities).for_each(|(sum, p)| *sum += p * q);
            }
            probabilities = sums;
        }
        let reach = (probabilities.len() - 1) as f64;
        let loss = |i: usize| upwards((2.0 * i as f64 - reach) * step);
        let finite = probabilities.into_iter().enumerate().map(|(i, p)| (loss(i), p)).collect();
        Self { finite, infinite }.without(least)
    }

    /// The sum of the losses of `count` randomised responses with `ε`: `(2j − count)·ε` for `j` times the more
    /// probable.
    fn of_copies(epsilon: f64, count: usize, least: f64) -> Self {
        let loss = |j: usize| upwards((2.0 * j as f64 - count as f64) * epsilon);
        let finite = of_copies(epsilon, count).into_iter().enumerate().map(|(j, p)| (loss(j), p)).collect();
        Self { finite, infinite: 0.0 }.without(least)
    }

    /// Values that have hardly any probability count as infinite.
    fn without(self, least: f64) -> Self {
        let (finite, improbable): (Vec<_>, Vec<_>) = self.finite.into_iter().partition(|(_, p)| *p >= least);
        Self { finite, infinite: improbable.iter().fold(self.infinite, |sum, (_, p)| add_up(sum, *p)) }
    }

    /// `E f(L)` over finite losses, for an `f` that is not negative; rounded up.
    fn expected(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.finite.iter().fold(0.0, |sum, (loss, p)| match f(*loss) {
            value if value > 0.0 => add_up(sum, mul_up(*p, value)),
            _ => sum,
        })
    }
}

/// A number above a product of two numbers whose computed value `x` is off by less than three roundings.
fn upwards(x: f64) -> f64 {
    x + 2.0 * f64::EPSILON * x.abs()
}

/// The probabilities of `0, …, count` successes of probability `1/(1 + e^{−ε})` each. Those of neighbours have the
/// quotient `(count − j)/(j + 1)·e^ε`, and are multiplied from the most probable one outwards. Only negligible ones
/// leave the range of numbers, and these get the smallest normal number.
fn of_copies(epsilon: f64, count: usize) -> Vec<f64> {
    let quotient = |j: usize| (count - j) as f64 / (j as f64 + 1.0);
    let mode = (0..count).find(|j| quotient(*j).ln() + epsilon <= 0.0).unwrap_or(count);
    let (rise, fall) = (epsilon.exp(), (-epsilon).exp());
    let mut weights = vec![1.0; count + 1];
    for j in mode..count {
        weights[j + 1] = weights[j] * (quotient(j) * rise);
    }
    for j in (0..mode).rev() {
        weights[j] = weights[j + 1] * (fall / quotient(j));
    }
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / total).max(f64::MIN_POSITIVE)).collect()
}

#[cfg(test)]
mod tests;
