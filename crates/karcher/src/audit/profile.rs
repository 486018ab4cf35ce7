//! The whole privacy profile: whether releases show a larger `δ(ε)`, at any `ε`, than the noise that they state has.
//!
//! A claim `(ε, δ)` is one point of a profile. A release also states the law, the scale and the sensitivity of its
//! noise, and they have a `δ(ε)` for every `ε ≥ 0`. Near `ε = 0`, where it is the total variation, a scale that is
//! slightly too small shows in far fewer releases than at the claim.
//!
//! **Theorem.** Take `m` pairs of neighbours and an event for each, all fixed beforehand. Let `P` count the events in `k`
//! releases of each pair's one data set, `Q` in `k` of the other, `N = mk` and `s = P − e^ε·Q`. If `δ(ε) ≤ d` there are
//! `p ≤ d + e^ε·q` such that `q` is the mean probability of the second events, and for every `λ ≥ 0` a sum of at least
//! `s` has at most the probability
//!
//! ```text
//! e^{−λs}·(1 + p·(e^λ − 1))^N·(1 + q·(e^{−λe^ε} − 1))^N.
//! ```
//!
//! **Proof.** For each pair `pᵢ ≤ δ(ε) + e^ε·qᵢ`, so the means of the probabilities have `p ≤ d + e^ε·q`. By Markov's
//! inequality `e^{−λs}` times the mean of `e^{λP − λe^ε·Q}` bounds the probability. That mean is a product over
//! releases. The logarithm of each factor, `ln(1 + pᵢ·(e^λ − 1))`, is concave in `pᵢ`, so equal `pᵢ` have the largest
//! product. ∎
//!
//! The same with `P` or `Q` alone, `e^{−N·KL}`, is a confidence interval of `q`. The largest `d` that the counts refute
//! for every `q` in the interval is a lower bound of `δ(ε)`. The exponent is convex in `λ` and concave in `q`.

use crate::release::{NoiseDraw, stated_profile};

/// Steps between the `ε` that are looked at.
const STEPS: usize = 16;

/// Thresholds that are compared.
const THRESHOLDS: usize = 100;

/// One of so many releases chooses the events.
const CHOOSES: usize = 4;

/// Standard deviations that stand out among many events.
const STANDS_OUT: f64 = 3.0;

/// The fraction of the error probability for the interval of `q`.
const FOR_INTERVAL: f64 = 0.1;

/// Results of an audit of the whole privacy profile: a lower bound of `δ(ε)` against the `δ(ε)` of the stated noise.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AuditedProfile {
    /// The `ε` at which the most was found.
    pub epsilon: f64,
    /// A lower bound of `δ(ε)` that the releases prove.
    pub delta: f64,
    /// `δ(ε)` of the law, the scale and the sensitivity that the release states.
    pub stated: f64,
    /// The pairs of neighbouring data sets that prove it together.
    pub data: Vec<&'static str>,
    /// The score of the events.
    pub score: &'static str,
    /// Whether the lower bound is at most what the noise states.
    pub passed: bool,
}

/// The scores of a pair of data sets, sorted: those that choose the events, and those that test them.
pub(super) struct SortedScores {
    name: &'static str,
    choose: [Vec<f64>; 2],
    test: [Vec<f64>; 2],
}

impl SortedScores {
    /// The scores of releases from the first and from the second data set.
    pub(super) fn new(name: &'static str, scores: [&[f64]; 2]) -> Self {
        let sorted = |scores: &[f64], chooses: bool| {
            let comparable = |s: &f64| if s.is_nan() { f64::NEG_INFINITY } else { *s };
            let part = scores.iter().enumerate().filter(|(i, _)| (i % CHOOSES == 0) == chooses);
            let mut part: Vec<f64> = part.map(|(_, s)| comparable(s)).collect();
            part.sort_by(f64::total_cmp);
            part
        };
        Self { name, choose: scores.map(|s| sorted(s, true)), test: scores.map(|s| sorted(s, false)) }
    }
}

/// An event: whether the score is at least, or below, a threshold; and which data set it is more probable for.
#[derive(Clone, Copy)]
struct Event {
    threshold: f64,
    at_least: bool,
    likelier: usize,
}

impl Event {
    /// How many releases have it, of the data set that it is more probable for, and of the other.
    fn counts(&self, sorted: &[Vec<f64>; 2]) -> [f64; 2] {
        [self.likelier, 1 - self.likelier].map(|k| {
            let below = sorted[k].partition_point(|s| *s < self.threshold);
            (if self.at_least { sorted[k].len() - below } else { below }) as f64
        })
    }
}

/// The estimated excess of an event over the stated `δ`, and the variance of the estimate.
#[derive(Clone, Copy)]
struct Excess {
    event: Event,
    pair: usize,
    mean: f64,
    variance: f64,
}

impl Excess {
    fn standardized(&self) -> f64 {
        self.mean / self.variance.sqrt()
    }
}

/// Tests the profile of stated noise, at an error probability. `None` where the noise has no profile of its own that is
/// known, or there are no pairs.
pub(super) fn audit(
    noise: &[NoiseDraw],
    score: &'static str,
    pairs: &[SortedScores],
    error_probability: f64,
) -> Option<AuditedProfile> {
    let stated = stated_profile(noise)?;
    let releases = pairs.iter().map(|pair| pair.test[0].len().min(pair.test[1].len())).min()?;
    // beyond, no number of events is enough
    let end = stated.largest_loss().min(((releases * pairs.len()) as f64).ln());
    let grid = (0..=STEPS).map(|i| end * i as f64 / STEPS as f64);
    let grid: Vec<(f64, f64)> = grid.filter_map(|epsilon| Some((epsilon, stated.delta(epsilon).ok()?))).collect();
    let (epsilon, delta, chosen) = choose(&grid, pairs)?;
    let (mut often, mut seldom, mut all) = (0.0, 0.0, 0.0);
    for Excess { event, pair, .. } in &chosen {
        // equal numbers of releases from all
        let [p, q] = event.counts(&pairs[*pair].test);
        (often, seldom, all) = (often + p, seldom + q, all + pairs[*pair].test[0].len() as f64);
    }
    let found = Counts { often, seldom, all, factor: epsilon.exp() }.lower_bound(error_probability);
    Some(AuditedProfile {
        epsilon,
        delta: found,
        stated: delta,
        data: chosen.iter().map(|excess| pairs[excess.pair].name).collect(),
        score,
        passed: found <= delta,
    })
}

/// The `ε`, its stated `δ`, and an event for some of the pairs, whose estimated excess is the most standard deviations. It
/// is `ε = 0`, the total variation, unless another one has more than [`STANDS_OUT`].
fn choose(grid: &[(f64, f64)], pairs: &[SortedScores]) -> Option<(f64, f64, Vec<Excess>)> {
    let mut best: Vec<Vec<Excess>> = vec![vec![]; grid.len()];
    for (pair, scores) in pairs.iter().enumerate() {
        for (best, found) in best.iter_mut().zip(excesses(grid, pair, &scores.choose)) {
            best.extend(found);
        }
    }
    let mut chosen: Option<(f64, f64, f64, Vec<Excess>)> = None;
    for (i, ((epsilon, delta), mut found)) in grid.iter().zip(best).enumerate() {
        found.sort_by(|a, b| b.standardized().total_cmp(&a.standardized()));
        let (mut mean, mut variance) = (0.0, 0.0);
        for j in 0..found.len() {
            (mean, variance) = (mean + found[j].mean, variance + found[j].variance);
            let standardized = mean / variance.sqrt();
            let is_larger = chosen.as_ref().is_none_or(|(_, _, best, _)| standardized > *best);
            if is_larger && (i == 0 || standardized > STANDS_OUT) {
                chosen = Some((*epsilon, *delta, standardized, found[..=j].to_vec()));
            }
        }
    }
    chosen.map(|(epsilon, delta, _, events)| (epsilon, delta, events))
}

/// For each `ε`, the event of a pair whose probabilities exceed the stated `δ` by most standard deviations.
fn excesses(grid: &[(f64, f64)], pair: usize, choose: &[Vec<f64>; 2]) -> Vec<Option<Excess>> {
    let mut best: Vec<Option<Excess>> = vec![None; grid.len()];
    let sizes = [0, 1].map(|k| choose[k].len() as f64);
    for sorted in choose {
        for threshold in (1..THRESHOLDS).filter_map(|i| sorted.get(i * sorted.len() / THRESHOLDS)) {
            for (likelier, at_least) in [(0, true), (0, false), (1, true), (1, false)] {
                let event = Event { threshold: *threshold, at_least, likelier };
                let [often, seldom] = event.counts(choose);
                let (p, q) = (often / sizes[likelier], seldom / sizes[1 - likelier]);
                let varies = |k: f64, n: f64| (k + 1.0) * (n - k + 1.0) / (n + 2.0).powi(2) / n;
                for ((epsilon, delta), best) in grid.iter().zip(&mut best) {
                    let factor = epsilon.exp();
                    let variance =
                        varies(often, sizes[likelier]) + factor * factor * varies(seldom, sizes[1 - likelier]);
                    let excess = Excess { event, pair, mean: p - factor * q - delta, variance };
                    if best.is_none_or(|best| excess.standardized() > best.standardized()) {
                        *best = Some(excess);
                    }
                }
            }
        }
    }
    best
}

/// Counts of events: of so many releases from either data set.
struct Counts {
    often: f64,
    seldom: f64,
    all: f64,
    /// `e^ε`.
    factor: f64,
}

impl Counts {
    /// The largest `d` that is refuted at an error probability.
    fn lower_bound(&self, error_probability: f64) -> f64 {
        let ln_test = ((1.0 - FOR_INTERVAL) * error_probability).ln();
        let interval = self.interval(0.5 * FOR_INTERVAL * error_probability);
        let (mut refuted, mut kept) = (0.0, ((self.often - self.factor * self.seldom) / self.all).max(0.0));
        if kept == 0.0 || self.ln_probability(0.0, interval) > ln_test {
            return 0.0;
        }
        for _ in 0..40 {
            let middle = 0.5 * (refuted + kept);
            if self.ln_probability(middle, interval) <= ln_test {
                refuted = middle;
            } else {
                kept = middle;
            }
        }
        refuted
    }

    /// An interval of `q` that fails at either end with a probability: `e^{−N·KL(Q/N ‖ q)}` bounds that of so few events,
    /// and of so many.
    fn interval(&self, error_probability: f64) -> [f64; 2] {
        let (seen, most) = (self.seldom / self.all, -error_probability.ln() / self.all);
        let term = |x: f64, y: f64| if x > 0.0 { x * (x / y).ln() } else { 0.0 };
        let is_likely = |q: f64| term(seen, q) + term(1.0 - seen, 1.0 - q) <= most;
        [0.0, 1.0].map(|end| {
            let (mut inside, mut outside) = (seen, end);
            for _ in 0..50 {
                let middle = 0.5 * (inside + outside);
                if is_likely(middle) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            outside
        })
    }

    /// The logarithm of the bound of the theorem, for the best `λ` and the worst `q`.
    fn ln_probability(&self, d: f64, [from, to]: [f64; 2]) -> f64 {
        -least(from, to, |q| -least(0.0, LARGEST_SLOPE, |lambda| self.exponent(d, q, lambda)))
    }

    fn exponent(&self, d: f64, q: f64, lambda: f64) -> f64 {
        let p = (d + self.factor * q).min(1.0);
        let often = (p * lambda.exp_m1()).ln_1p();
        let seldom = (q * (-lambda * self.factor).exp_m1()).ln_1p();
        self.all * (often + seldom) - lambda * (self.often - self.factor * self.seldom)
    }
}

/// Larger `λ` are not tried.
const LARGEST_SLOPE: f64 = 30.0;

/// The least value of a convex function on an interval, by golden sections.
fn least(mut from: f64, mut to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_894_8;
    let (mut a, mut b) = (to - RATIO * (to - from), from + RATIO * (to - from));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..60 {
        if at_a <= at_b {
            (to, b, at_b) = (b, a, at_a);
            a = to - RATIO * (to - from);
            at_a = f(a);
        } else {
            (from, a, at_a) = (a, b, at_b);
            b = from + RATIO * (to - from);
            at_b = f(b);
        }
    }
    at_a.min(at_b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Generator, Law};
    use crate::release::NoiseOf;
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// Noise of scale 1 and sensitivity `mu` on a line.
    fn stated(mu: f64) -> [NoiseDraw; 1] {
        [NoiseDraw::on_vector(NoiseOf::Value, Law::Gaussian, 1, 1.0, mu)]
    }

    fn audited(
        mu: f64,
        shift: f64,
        releases: usize,
        error_probability: f64,
        generator: &mut Generator,
    ) -> AuditedProfile {
        let mut draw = |shift: f64| -> Vec<f64> {
            (0..releases).map(|_| shift + generator.sample::<f64, _>(StandardNormal)).collect()
        };
        let pairs = ["one", "two"].map(|name| SortedScores::new(name, [&draw(0.0), &draw(shift)]));
        audit(&stated(mu), "score", &pairs, error_probability).unwrap()
    }

    /// At error probability 0.1 a bound may exceed the truth in one of ten audits: P(Binomial(300, 0.1) > 57) = 1e-6.
    #[test]
    fn bounds_hold_as_often_as_promised_and_find_a_little_too_much() {
        let mut generator = Generator::seeded(1);
        let wrong = (0..300).filter(|_| !audited(1.0, 1.0, 2_000, 0.1, &mut generator).passed).count();
        assert!(wrong <= 57, "{wrong}");
        for _ in 0..5 {
            let found = audited(1.0, 1.0, 40_000, 1e-6, &mut generator);
            assert!(found.passed && found.delta < found.stated, "{found:?}");
            let found = audited(1.0, 1.07, 100_000, 1e-6, &mut generator);
            assert!(!found.passed, "{found:?}: no power");
        }
    }

    /// For many releases the bound is that of a normal law: `√(2·ln(1/α))` standard deviations below the estimate.
    #[test]
    fn many_counts_give_the_bound_of_a_normal_law() {
        let (all, error_probability) = (1e6, 1e-6_f64);
        for (p, q, epsilon) in [(0.6, 0.4, 0.0_f64), (0.3, 0.1, 0.5)] {
            let factor = epsilon.exp();
            let counts = Counts { often: p * all, seldom: q * all, all, factor };
            let variance = (p * (1.0 - p) + factor * factor * q * (1.0 - q)) / all;
            let normal = p - factor * q - (-2.0 * (0.9 * error_probability).ln() * variance).sqrt();
            let found = counts.lower_bound(error_probability);
            assert!((found - normal).abs() < 2e-4, "{found} {normal}");
        }
        // nothing is refuted without an excess, and little by few releases
        assert_eq!(Counts { often: 10.0, seldom: 10.0, all: 20.0, factor: 1.0 }.lower_bound(1e-6), 0.0);
        assert_eq!(Counts { often: 5.0, seldom: 0.0, all: 5.0, factor: 1.0 }.lower_bound(1e-6), 0.0);
    }

    /// The interval of `q` for no event is that of `(1 − q)^N`.
    #[test]
    fn the_interval_of_no_event_is_known() {
        let counts = Counts { often: 1.0, seldom: 0.0, all: 100.0, factor: 1.0 };
        let [from, to] = counts.interval(1e-3);
        assert!(from == 0.0 && (to - (1.0 - 1e-3_f64.powf(0.01))).abs() < 1e-9, "{to}");
    }
}
