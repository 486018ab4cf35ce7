//! Evidence of two samples about a guarantee: a lower confidence bound of the privacy parameter.

use crate::error::{Error, Result};
use crate::privacy::{Definition, Guarantee};
use statrs::distribution::{Beta, ContinuousCDF, Normal};
use std::collections::HashMap;

/// Thresholds that are compared.
const THRESHOLDS: usize = 100;

/// A lower confidence bound of the parameter of a guarantee, which fails at most with the given probability. The
/// parameter is `ε` for pure and, at the claimed `δ`, for approximate differential privacy, or `μ`, or `ρ`. The bound
/// is 0 where nothing is proved.
///
/// A score is any function of the release; `first` and `second` are its values in independent releases from two
/// neighbouring data sets. With `p = P(score ≥ t)` for the one and `q` for the other, every guarantee bounds how large
/// `p` can be for a given `q`. Even-numbered releases choose the threshold `t`, the side and the roles of the data
/// sets. Odd-numbered ones bound `p` from below and `q` from above (Clopper and Pearson 1934), each with half of the
/// error probability. The bound is valid for any score, and best for the logarithm of the likelihood ratio (Neyman and
/// Pearson 1933).
///
/// # Errors
/// [`Error::InvalidParameter`] for an error probability that is no probability, or fewer than 100 releases from each.
///
/// ```
/// use karcher::{audit::lower_bound, privacy::Guarantee};
/// let claim = Guarantee::pure(1.0)?;
/// let (low, high) = (vec![0.0; 1_000], vec![1.0; 1_000]);
/// assert!(lower_bound(claim, &low, &high, 1e-9)? > 3.0); // always told apart: the claim is false
/// assert_eq!(lower_bound(claim, &low, &low, 1e-9)?, 0.0); // never
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn lower_bound(claim: Guarantee, first: &[f64], second: &[f64], error_probability: f64) -> Result<f64> {
    Limits::new(error_probability)?.lower_bound(claim, first, second)
}

/// Limits of Clopper and Pearson at one error probability. Computed limits are kept, because many events happen equally
/// often.
pub(super) struct Limits {
    error_probability: f64,
    below: HashMap<(usize, usize), f64>,
    above: HashMap<(usize, usize), f64>,
}

impl Limits {
    /// # Errors
    /// [`Error::InvalidParameter`] for an error probability that is no probability.
    pub(super) fn new(error_probability: f64) -> Result<Self> {
        // the quantiles are inaccurate far below
        if !(1e-16..1.0).contains(&error_probability) {
            return invalid("error_probability", error_probability, "it must be at least 1e-16 and below 1");
        }
        Ok(Self { error_probability, below: HashMap::new(), above: HashMap::new() })
    }

    /// As the function of that name, at this error probability.
    pub(super) fn lower_bound(&mut self, claim: Guarantee, first: &[f64], second: &[f64]) -> Result<f64> {
        let fewest = first.len().min(second.len());
        if fewest < 100 {
            return invalid("number_of_releases", fewest as f64, "an audit needs at least 100 from each data set");
        }
        let halves = |scores: &[f64]| {
            let comparable = |s: &f64| if s.is_nan() { f64::NEG_INFINITY } else { *s };
            let mut halves = [0, 1].map(|k| scores.iter().skip(k).step_by(2).map(comparable).collect::<Vec<f64>>());
            halves.iter_mut().for_each(|half| half.sort_by(f64::total_cmp));
            halves
        };
        let negated = |halves: &[Vec<f64>; 2]| [0, 1].map(|k| halves[k].iter().rev().map(|s| -s).collect::<Vec<f64>>());
        let above = [halves(first), halves(second)];
        let below = [negated(&above[0]), negated(&above[1])];
        let mut best = (0.0, 0.0);
        for (a, b) in [(&above[0], &above[1]), (&below[0], &below[1]), (&above[1], &above[0]), (&below[1], &below[0])] {
            let ([a_choose, a_test], [b_choose, b_test]) = (a, b);
            let mut thresholds: Vec<f64> = (1..THRESHOLDS).map(|i| a_choose[i * a_choose.len() / THRESHOLDS]).collect();
            thresholds.dedup();
            for t in thresholds {
                let chosen = parameter(claim, self.event(a_choose, b_choose, t));
                if chosen > best.0 {
                    best = (chosen, parameter(claim, self.event(a_test, b_test, t)));
                }
            }
        }
        Ok(best.1.max(0.0))
    }

    /// The result of [`lower_bound`] for a score that always distinguishes so many releases of either data set: as many
    /// releases prove no more of any.
    pub(super) fn provable(&mut self, claim: Guarantee, releases: usize) -> f64 {
        let half = releases / 2;
        parameter(claim, (self.below(half, half), self.above(0, half)))
    }

    /// Bounds of `P(score ≥ t)`: from below in the first sorted sample, from above in the second.
    fn event(&mut self, first: &[f64], second: &[f64], t: f64) -> (f64, f64) {
        let count = |sorted: &[f64]| sorted.len() - sorted.partition_point(|s| *s < t);
        (self.below(count(first), first.len()), self.above(count(second), second.len()))
    }

    /// The bound from below of the probability of an event that happened `k` times of `n`.
    fn below(&mut self, k: usize, n: usize) -> f64 {
        let alpha = 0.5 * self.error_probability;
        *self.below.entry((k, n)).or_insert_with(|| if k == 0 { 0.0 } else { quantile(k, n - k + 1, alpha) })
    }

    /// The bound from above.
    fn above(&mut self, k: usize, n: usize) -> f64 {
        let alpha = 0.5 * self.error_probability;
        *self.above.entry((k, n)).or_insert_with(|| if k == n { 1.0 } else { 1.0 - quantile(n - k, k + 1, alpha) })
    }
}

/// The quantile of a Beta law.
fn quantile(a: usize, b: usize, p: f64) -> f64 {
    Beta::new(a as f64, b as f64).map_or(f64::NAN, |beta| beta.inverse_cdf(p))
}

fn invalid<T>(name: &'static str, value: f64, requirement: &str) -> Result<T> {
    Err(Error::InvalidParameter { name, value, requirement: requirement.to_owned() })
}

/// Scores of labeled releases, for [`lower_bound`]: the log ratio of two counts, each plus one. They count the
/// release's label among the even-numbered releases of the first data set and of the second. The score reveals
/// mechanisms whose values are few, and differ between records.
///
/// Odd-numbered releases do not influence the score of any other release, so they test the choice as validly as for a
/// fixed score. An even-numbered one does not count itself: otherwise its label would seem familiar.
pub(super) fn familiarity(first: &[u32], second: &[u32]) -> [Vec<f64>; 2] {
    let mut seen: HashMap<u32, [u32; 2]> = HashMap::new();
    for (k, labels) in [first, second].into_iter().enumerate() {
        labels.iter().step_by(2).for_each(|label| seen.entry(*label).or_default()[k] += 1);
    }
    std::array::from_fn(|k| {
        let score = |(i, label): (usize, &u32)| {
            let mut counts = seen.get(label).copied().unwrap_or_default();
            counts[k] -= u32::from(i % 2 == 0); // itself
            f64::from(1 + counts[0]).ln() - f64::from(1 + counts[1]).ln()
        };
        [first, second][k].iter().enumerate().map(score).collect()
    })
}

/// The smallest parameter that allows an event of probability `p` under one data set and `q` under the other.
fn parameter(claim: Guarantee, (p, q): (f64, f64)) -> f64 {
    if p.is_nan() || q.is_nan() || p <= q {
        return 0.0; // nothing is distinguished (or not a number)
    }
    match claim.definition() {
        Definition::Pure { .. } => (p / q).ln(),
        Definition::Approximate { delta, .. } => ((p - delta).max(0.0) / q).ln().max(0.0),
        Definition::Gaussian { .. } => {
            let normal = Normal::standard();
            normal.inverse_cdf(p) - normal.inverse_cdf(q)
        }
        // D_α ≤ αρ for all α > 1, and processing does not increase D_α
        Definition::Concentrated { .. } => (1..=400)
            .map(|i| {
                let alpha = 1.0 + 0.01 * 1.03_f64.powi(i);
                let moment = p * ((alpha - 1.0) * (p / q).ln()).exp()
                    + (1.0 - p) * ((alpha - 1.0) * ((1.0 - p) / (1.0 - q)).ln()).exp();
                moment.ln() / (alpha - 1.0) / alpha
            })
            .fold(0.0, |a, b| if b.is_finite() { a.max(b) } else { a }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Generator;
    use rand::RngExt;
    use rand_distr::StandardNormal;

    fn normals(shift: f64, n: usize, generator: &mut Generator) -> Vec<f64> {
        (0..n).map(|_| shift + generator.sample::<f64, _>(StandardNormal)).collect()
    }

    /// `−ln U` with a random sign: Laplace noise of scale 1, whose parameter for a shift by ε is ε.
    fn laplaces(shift: f64, n: usize, generator: &mut Generator) -> Vec<f64> {
        let mut one = || (1.0 - generator.random::<f64>()).ln() * if generator.random::<bool>() { 1.0 } else { -1.0 };
        (0..n).map(|_| shift + one()).collect()
    }

    #[test]
    fn bounds_hold_as_often_as_promised_and_come_near() {
        // laws with known parameters; a bound may exceed them in one of ten audits at error probability 0.1
        let gaussian = Guarantee::gaussian(1.0).unwrap();
        let pure = Guarantee::pure(1.0).unwrap();
        let approximate = Guarantee::approximate(1.0, 1e-3).unwrap(); // implied by pure, so the true ε is at most 1
        let concentrated = Guarantee::concentrated(0.5).unwrap(); // of N(0,1) against N(1,1)
        let mut generator = Generator::seeded(1);
        // 300 audits: P(Binomial(300, 0.1) > 57) = 1e-6. Choosing the event and testing it on the same half would
        // exceed in about 66 of them
        for (claim, truth, near, audits, most) in [
            (pure, 1.0, 0.8, 300, 57),
            (gaussian, 1.0, 0.8, 40, 17),
            (approximate, 1.0, 0.75, 40, 17),
            (concentrated, 0.5, 0.2, 40, 17),
        ] {
            let laplace = matches!(claim.definition(), Definition::Pure { .. } | Definition::Approximate { .. });
            let draw = if laplace { laplaces } else { normals };
            let bounds: Vec<f64> = (0..audits)
                .map(|_| {
                    let (a, b) = (draw(1.0, 10_000, &mut generator), draw(0.0, 10_000, &mut generator));
                    lower_bound(claim, &a, &b, 0.1).unwrap()
                })
                .collect();
            let exceeded = bounds.iter().filter(|bound| **bound > truth).count();
            assert!(exceeded <= most, "{claim}: {exceeded} of {audits}");
            let mean = bounds.iter().sum::<f64>() / audits as f64;
            assert!(mean > near * truth, "{claim}: {mean}: no power");
        }
    }

    #[test]
    fn clopper_pearson_agrees_with_published_limits() {
        // 81 of 263: (0.2527, 0.3676) with 95 % confidence (Agresti and Coull 1998; Newcombe 1998)
        let sample = |k: usize, n: usize| -> Vec<f64> { (0..n).map(|i| if i < n - k { 0.0 } else { 1.0 }).collect() };
        let (below, above) = Limits::new(0.05).unwrap().event(&sample(81, 263), &sample(81, 263), 0.5);
        assert!((below - 0.2527).abs() < 1e-4 && (above - 0.3676).abs() < 1e-4, "{below} {above}");
        // 0 of 10: above = 1 − (α/2)^{1/10}
        let (below, above) = Limits::new(0.05).unwrap().event(&sample(0, 10), &sample(0, 10), 0.5);
        assert_eq!(below, 0.0);
        assert!((above - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-9);
        let (_, above) = Limits::new(2e-15).unwrap().event(&sample(0, 10), &sample(0, 10), 0.5);
        assert!((above - (1.0 - 1e-15_f64.powf(0.1))).abs() < 1e-9);
    }

    #[test]
    fn labels_prove_no_more_than_is_true_and_show_small_supports() {
        let claim = Guarantee::pure(1.0).unwrap();
        let mut generator = Generator::seeded(3);
        // many labels, as many releases as labels: a table of them is easily overfitted. At error probability 0.1,
        // P(Binomial(300, 0.1) > 57) = 1e-6
        let mut wrong = 0;
        for _ in 0..300 {
            let mut draw = || -> Vec<u32> { (0..1_000).map(|_| generator.random_range(0..1_000)).collect() };
            let [a, b] = familiarity(&draw(), &draw());
            wrong += usize::from(lower_bound(claim, &a, &b, 0.1).unwrap() > 0.0);
        }
        assert!(wrong <= 57, "{wrong} of 300");
        // the same number of labels, but different ones
        let mut draw = |from| -> Vec<u32> { (0..4_000).map(|_| generator.random_range(from..from + 1_000)).collect() };
        let [a, b] = familiarity(&draw(0), &draw(1_000));
        assert!(lower_bound(claim, &a, &b, 1e-6).unwrap() > 3.0);
    }

    #[test]
    fn what_is_provable_is_what_a_complete_separation_proves() {
        let scores = |x: f64| vec![x; 500];
        for claim in [
            Guarantee::pure(1.0),
            Guarantee::approximate(1.0, 1e-3),
            Guarantee::gaussian(1.0),
            Guarantee::concentrated(0.5),
        ] {
            let claim = claim.unwrap();
            let proved = lower_bound(claim, &scores(0.0), &scores(1.0), 1e-6).unwrap();
            assert_eq!(proved, Limits::new(1e-6).unwrap().provable(claim, 500));
            assert!(proved > Limits::new(1e-6).unwrap().provable(claim, 400));
        }
        // ln(p/(1 − p)), p = (α/2)^{1/250}
        let p = 0.5e-6_f64.powf(1.0 / 250.0);
        let proved = Limits::new(1e-6).unwrap().provable(Guarantee::pure(1.0).unwrap(), 500);
        assert!((proved - (p / (1.0 - p)).ln()).abs() < 1e-6);
    }

    #[test]
    fn scores_that_are_no_numbers_prove_nothing() {
        let claim = Guarantee::pure(1.0).unwrap();
        for nan in [f64::NAN, -f64::NAN] {
            let scores = vec![nan; 400];
            assert_eq!(lower_bound(claim, &scores, &scores, 1e-6).unwrap(), 0.0);
        }
    }

    #[test]
    fn same_law_gives_nothing() {
        let mut generator = Generator::seeded(2);
        let (a, b) = (normals(0.0, 2_000, &mut generator), normals(0.0, 2_000, &mut generator));
        assert_eq!(lower_bound(Guarantee::pure(1.0).unwrap(), &a, &b, 1e-6).unwrap(), 0.0);
        assert!(lower_bound(Guarantee::pure(1.0).unwrap(), &a[..50], &b, 1e-6).is_err());
        for bad in [0.0, 1.0, -0.1, 1e-17, f64::NAN] {
            assert!(lower_bound(Guarantee::pure(1.0).unwrap(), &a, &b, bad).is_err());
        }
    }
}
