//! Optimal reports of a direction: PrivUnit (Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018; Asi, Feldman and Talwar
//! 2022; user guide, \[U4′\]).
//!
//! `u` is a confidential direction of `R^D`. Propose a uniform direction `V`. Accept it if `⟨V, u⟩ > γ`, and otherwise
//! with probability `p ≥ e^{−ε}`. The accepted direction has a density `∝ 1` on the cap `⟨V, u⟩ > γ` and `∝ p` off it.
//!
//! **Theorem.** It is `ε`-private for any two directions: the normalising constant does not depend on `u`, by rotation, so
//! densities have a quotient between `p` and `1/p ≤ e^ε`. ∎
//!
//! **Bits.** `V = G/‖G‖` for exact normal numbers `G`, and `u` is an integer vector of any length. `⟨G, u⟩ > γ·‖G‖·‖u‖`
//! is decided in integers, from intervals of `G` that are narrowed until they decide. The returned numbers are a function
//! of `G` alone. `p` is a multiple of `2⁻⁶⁴`, so one word decides its event.
//!
//! **Time.** Both are decided for every proposal, and every coordinate of `G` has 128 binary places before the first
//! comparison. These fail to decide with a probability below `2⁻¹⁰⁰`. Otherwise the words that are drawn depend on `u`
//! only through the number of proposals, whose law does not depend on `u`.
//!
//! **Error.** With `c = ⟨V, u⟩/‖u‖` for a uniform direction and `E₊ = E[c; c > γ]`, `E V = m·u/‖u‖`, where
//! `m = (1 − p)·E₊/(P(c > γ) + p·P(c ≤ γ))`. So `V/m` is unbiased with the mean squared error `1/m² − 1`. It is least
//! where `γ = m(γ)`.

use super::bits::Words;
use super::normal::Normal;
use crate::error::{Error, Result};
use crate::noise::Generator;
use crate::profile::Angle;
use crate::rounding::up;
use dashu_int::{IBig, UBig};
use std::f64::consts::PI;

/// The binary places of `γ`.
const PLACES: usize = 30;
/// Words of 64 binary places of a normal number before the first comparison.
const LIMBS: usize = 2;
/// No direction takes more normal numbers than this on average.
const MOST: f64 = 1e6;

/// A private report of a direction.
///
/// ```
/// use karcher_privacy::noise::{Generator, PrivateDirection};
/// let report = PrivateDirection::new(6, 1.0)?; // six numbers, ε = 1
/// let v = report.direction(&[3, 0, 0, 4, 0, 0], &mut Generator::from_os()?)?;
/// assert!((v.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
/// assert!((report.squared_error() - 34.5).abs() < 0.1); // of V/m, which is 3/5 and 4/5 on average
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrivateDirection {
    dimension: usize,
    /// `γ·2³⁰`.
    threshold: u64,
    /// `p·2⁶⁴`; a larger number stands for `p = 1`.
    kept: u128,
    mean: f64,
}

impl PrivateDirection {
    /// The report that is `ε`-private, with the best threshold.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for no dimension, unless ε is positive and finite, and for an ε so large that a report
    /// would take more than a million normal numbers on average.
    ///
    /// ```
    /// use karcher_privacy::noise::PrivateDirection;
    /// assert!(PrivateDirection::new(3, 1.0).is_ok());
    /// assert!(PrivateDirection::new(3, 0.0).is_err());
    /// ```
    pub fn new(dimension: usize, epsilon: f64) -> Result<Self> {
        let wrong = |name, value, requirement: &str| {
            Err(Error::InvalidParameter { name, value, requirement: requirement.to_owned() })
        };
        if dimension == 0 {
            return wrong("dimension", 0.0, "a direction has at least one number");
        }
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return wrong("epsilon", epsilon, "it must be a positive number");
        }
        let kept = (up((-epsilon).exp(), 4.0 * f64::EPSILON) * 2.0_f64.powi(64)).ceil() as u128;
        let cap = Cap::new(dimension, kept as f64 * 2.0_f64.powi(-64));
        let threshold = if dimension == 1 { 0 } else { cap.best_threshold() };
        let at = threshold as f64 * 2.0_f64.powi(-(PLACES as i32));
        if dimension as f64 > MOST * cap.accepted(at) {
            return wrong("epsilon", epsilon, "a report for so large an epsilon takes too long; add noise instead");
        }
        Ok(Self { dimension, threshold, kept, mean: cap.mean(at) })
    }

    /// `m`: the mean of the accepted direction is `m·u/‖u‖`.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// `E‖V/m − u‖² = 1/m² − 1` for a unit vector `u`.
    pub fn squared_error(&self) -> f64 {
        1.0 / (self.mean * self.mean) - 1.0
    }

    /// `p`, exactly.
    pub(crate) fn kept(&self) -> f64 {
        (self.kept as f64 * 2.0_f64.powi(-64)).min(1.0)
    }

    /// `P(c > γ)` for a uniform direction, rounded up.
    ///
    /// From `D` to `D + 2` it falls by `f = γ·(1 − γ²)^ν/(2ν·B(ν, ½))`, `ν = ½(D − 1)`, and `f` changes by the factor
    /// `(1 − γ²)·(ν + ½)/(ν + 1)`: integrate by parts. It starts from `arccos γ/π` or `½(1 − γ)`. All `f` together are at
    /// most ½, and each is known to six roundings for each step, which bounds the error.
    pub(crate) fn share_of_cap(&self) -> f64 {
        let at = self.threshold as f64 * 2.0_f64.powi(-(PLACES as i32));
        let rest = (1.0 - at) * (1.0 + at);
        let (mut d, mut share, mut fall) = match self.dimension {
            1 => return 0.5,
            even if even.is_multiple_of(2) => (2, at.acos() / PI, at * rest.sqrt() / PI),
            _ => (3, 0.5 * (1.0 - at), 0.25 * at * rest),
        };
        let mut steps = 4.0;
        while d < self.dimension {
            share -= fall;
            fall *= rest * d as f64 / (d + 1) as f64;
            (d, steps) = (d + 2, steps + 1.0);
        }
        (share + 8.0 * steps * f64::EPSILON).min(0.5)
    }

    /// A direction for the confidential one of an integer vector. The first axis takes the place of a vector of zeros.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a vector of another dimension.
    ///
    /// ```
    /// use karcher_privacy::noise::{Generator, PrivateDirection};
    /// let response = PrivateDirection::new(1, 1.0)?; // randomised response
    /// assert!([1.0, -1.0].contains(&response.direction(&[-7], &mut Generator::seeded(1))?[0]));
    /// assert!(response.direction(&[1, 2], &mut Generator::seeded(1)).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn direction(&self, u: &[i128], generator: &mut Generator) -> Result<Vec<f64>> {
        if u.len() == self.dimension {
            return Ok(self.direction_from(u, generator));
        }
        let requirement = format!("it must be {}, as the direction was planned for", self.dimension);
        Err(Error::InvalidParameter { name: "dimension", value: u.len() as f64, requirement })
    }

    fn direction_from(&self, u: &[i128], words: &mut impl Words) -> Vec<f64> {
        let mut toward: Vec<IBig> = u.iter().copied().map(IBig::from).collect();
        if toward.iter().all(|u| *u == IBig::ZERO) {
            toward[0] = IBig::ONE;
        }
        loop {
            let mut proposal: Vec<Normal> = (0..self.dimension).map(|_| Normal::draw(words)).collect();
            let is_kept = u128::from(words.word()) < self.kept;
            if self.is_in_cap(&mut proposal, &toward, words) | is_kept {
                return unit(&mut proposal, words);
            }
        }
    }

    /// Whether `⟨G, u⟩ > γ·‖G‖·‖u‖`.
    fn is_in_cap(&self, proposal: &mut [Normal], toward: &[IBig], words: &mut impl Words) -> bool {
        let square = |x: &IBig| x * x;
        let length: IBig = toward.iter().map(square).sum();
        let mut limbs = LIMBS;
        loop {
            // a ≤ 2^(64·limbs)·|G| < a + 1
            let numbers: Vec<(bool, IBig)> =
                proposal.iter_mut().map(|g| (g.negative, IBig::from(g.magnitude.floor(limbs, words)))).collect();
            let product: IBig =
                numbers.iter().zip(toward).map(|((negative, a), u)| if *negative { -(a * u) } else { a * u }).sum();
            let slack: IBig = toward.iter().map(|u| if *u < IBig::ZERO { -u } else { u.clone() }).sum();
            let [least, most] =
                [0, 1].map(|one| numbers.iter().map(|(_, a)| square(&(a + IBig::from(one)))).sum::<IBig>());
            let bound = |norm: IBig| norm * &length * IBig::from(self.threshold) * IBig::from(self.threshold);
            let exceeds =
                |product: IBig, norm: IBig| product > IBig::ZERO && (square(&product) << (2 * PLACES)) > bound(norm);
            match (exceeds(&product - &slack, most), exceeds(product + slack, least)) {
                (true, _) => return true,
                (_, false) => return false,
                (false, true) => limbs += 1,
            }
        }
    }
}

/// `G/‖G‖` in double precision, of the first places of `G`.
fn unit(proposal: &mut [Normal], words: &mut impl Words) -> Vec<f64> {
    let number = |g: &mut Normal| {
        let floor: UBig = g.magnitude.floor(LIMBS, words);
        let magnitude = floor.to_f64().value() * 2.0_f64.powi(-64 * LIMBS as i32);
        if g.negative { -magnitude } else { magnitude }
    };
    let mut v: Vec<f64> = proposal.iter_mut().map(number).collect();
    let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    if norm > 0.0 {
        v.iter_mut().for_each(|v| *v /= norm);
    } else if let Some(first) = v.first_mut() {
        *first = 1.0; // all places are zeros, with probability 2^(−128·D)
    }
    v
}

/// The cap of uniform directions, for a probability `p`.
struct Cap {
    dimension: usize,
    kept: f64,
    angle: Angle,
}

impl Cap {
    fn new(dimension: usize, kept: f64) -> Self {
        Self { dimension, kept: kept.min(1.0), angle: Angle::new(dimension) }
    }

    /// The probability that a proposal is accepted.
    fn accepted(&self, threshold: f64) -> f64 {
        let inside = self.angle.ln_below(0.5 * (1.0 - threshold)).exp();
        inside + self.kept * (1.0 - inside)
    }

    /// `m(γ)`.
    fn mean(&self, threshold: f64) -> f64 {
        let rest = (1.0 - threshold) * (1.0 + threshold);
        // E₊ = Γ(D/2)/(Γ((D−1)/2)·√π)·(1−γ²)^((D−1)/2)/(D−1)
        let inner = match self.dimension {
            1 => 0.5,
            d => (-self.angle.ln_beta() + 0.5 * (d as f64 - 1.0) * rest.ln()).exp() / (d as f64 - 1.0),
        };
        (1.0 - self.kept) * inner / self.accepted(threshold)
    }

    /// The fixed point of `m`, in units of `2⁻³⁰`.
    fn best_threshold(&self) -> u64 {
        let (mut low, mut high) = (0, (1_u64 << PLACES) - 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let at = middle as f64 * 2.0_f64.powi(-(PLACES as i32));
            if at < self.mean(at) { low = middle } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SplitMix, p_value};
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn errors_are_the_published_ones() {
        for (dimension, error, digit) in
            [(1, 3.683, 1e-3), (2, 9.52, 1e-2), (6, 34.5, 0.1), (10, 59.7, 0.1), (20, 123.0, 0.5), (96, 604.0, 0.5)]
        {
            let found = PrivateDirection::new(dimension, 1.0).unwrap().squared_error();
            assert!((found - error).abs() <= digit, "{dimension}: {found}");
        }
    }

    /// Against the incomplete beta function by another way, and a bound.
    #[test]
    fn the_share_of_a_cap_is_rounded_up() {
        for (dimension, epsilon) in
            [(1, 1.0), (2, 0.3), (3, 1.0), (4, 2.0), (7, 6.0), (96, 1.0), (501, 4.0), (10_000, 0.1)]
        {
            let report = PrivateDirection::new(dimension, epsilon).unwrap();
            let at = report.threshold as f64 * 2.0_f64.powi(-(PLACES as i32));
            let nearly = Angle::new(dimension).ln_below(0.5 * (1.0 - at)).exp();
            let found = report.share_of_cap();
            let allowed = 1e-14 + 2e-15 * dimension as f64;
            assert!(
                found >= nearly * (1.0 - 1e-13) && found <= nearly + allowed,
                "{dimension} {epsilon}: {found} {nearly}"
            );
        }
    }

    /// No other threshold is better.
    #[test]
    fn the_threshold_is_the_best() {
        for (dimension, epsilon) in [(2, 0.3), (3, 1.0), (10, 4.0), (96, 2.0)] {
            let cap = Cap::new(dimension, f64::exp(-epsilon));
            let best = PrivateDirection::new(dimension, epsilon).unwrap().mean();
            assert!((0..1_000).all(|i| cap.mean(f64::from(i) / 1_000.0) <= best * (1.0 + 1e-12)), "{dimension}");
        }
    }

    #[test]
    fn one_number_is_randomised_response() {
        for (epsilon, u) in [(1.0, 5_i128), (3.0, -(1 << 50)), (0.1, 0)] {
            let report = PrivateDirection::new(1, epsilon).unwrap();
            let mut words = SplitMix(7);
            let draws = 40_000;
            let sign = if u < 0 { -1.0 } else { 1.0 };
            let hits = (0..draws).filter(|_| report.direction_from(&[u], &mut words)[0] == sign).count() as f64;
            let p = 1.0 / (1.0 + f64::exp(-epsilon));
            // five standard errors: wrong once in two million times
            assert!((hits / f64::from(draws) - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(draws)).sqrt(), "{epsilon}");
        }
    }

    /// The probabilities of sectors of the plane for a `u` at an angle.
    fn sectors(report: &PrivateDirection, at: f64, cells: usize) -> Vec<f64> {
        let p = (report.kept as f64 * 2.0_f64.powi(-64)).min(1.0);
        let half = (report.threshold as f64 / f64::from(1_u32 << PLACES)).acos();
        let width = TAU / cells as f64;
        let overlap = |from: f64| -> f64 {
            // of [from, from + width] with the arc about `at`, all turns of it
            [-TAU, 0.0, TAU]
                .iter()
                .map(|turn| ((from + width).min(at + half + turn) - from.max(at - half + turn)).max(0.0))
                .sum()
        };
        let weights: Vec<f64> = (0..cells).map(|i| overlap(width * i as f64)).map(|o| o + p * (width - o)).collect();
        let all: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / all).collect()
    }

    #[test]
    fn directions_of_the_plane_have_their_law() {
        const CELLS: usize = 24;
        let report = PrivateDirection::new(2, 1.0).unwrap();
        let mut words = SplitMix(3);
        let u = [3_i128 << 40, 4 << 40];
        let draws = 400_000;
        let mut counts = [0.0; CELLS];
        let mut mean = [0.0; 2];
        for _ in 0..draws {
            let v = report.direction_from(&u, &mut words);
            let angle = v[1].atan2(v[0]).rem_euclid(TAU);
            counts[((angle / TAU * CELLS as f64) as usize).min(CELLS - 1)] += 1.0;
            mean.iter_mut().zip(&v).for_each(|(mean, v)| *mean += v / report.mean() / f64::from(draws));
        }
        let p = |report: &PrivateDirection| {
            let law = sectors(report, (4.0_f64).atan2(3.0), CELLS);
            p_value(counts.iter().copied().zip(law.into_iter().map(|p| p * f64::from(draws))))
        };
        assert!(p(&report) > 1e-6, "{counts:?}");
        assert!(p(&PrivateDirection { threshold: report.threshold * 11 / 10, ..report }) < 1e-6, "no power");
        assert!(p(&PrivateDirection { kept: report.kept * 11 / 10, ..report }) < 1e-6, "no power");
        // five standard errors of a mean whose terms have the mean square 1/m²
        let error = 5.0 / report.mean() / f64::from(draws).sqrt();
        assert!((mean[0] - 0.6).abs() < error && (mean[1] - 0.8).abs() < error, "{mean:?}");
    }

    /// By exact probabilities of small cells.
    #[test]
    fn neighbours_are_as_hard_to_tell_apart_as_epsilon_says() {
        for epsilon in [0.1, 1.0, 4.0] {
            let report = PrivateDirection::new(2, epsilon).unwrap();
            let mut largest = 0.0_f64;
            for turn in [0.01, 0.5, 2.0, PI] {
                let (one, other) = (sectors(&report, 1.0, 10_000), sectors(&report, 1.0 + turn, 10_000));
                largest = one.iter().zip(&other).fold(largest, |most, (p, q)| most.max((p / q).ln().abs()));
            }
            assert!(largest <= epsilon * (1.0 + 1e-9) && largest > 0.99 * epsilon, "{epsilon}: {largest}");
        }
    }

    #[test]
    fn the_probability_is_rounded_up() {
        for epsilon in [1e-20, 0.1, 1.0, 6.0] {
            let report = PrivateDirection::new(3, epsilon).unwrap();
            assert!(report.kept as f64 * 2.0_f64.powi(-64) >= f64::exp(-epsilon));
        }
        assert!(PrivateDirection::new(3, 1e-20).unwrap().mean() >= 0.0);
        for (dimension, epsilon) in [(0, 1.0), (2, 0.0), (2, f64::NAN), (2, f64::INFINITY), (3, 50.0)] {
            assert!(PrivateDirection::new(dimension, epsilon).is_err(), "{dimension} {epsilon}");
        }
    }

    /// Words from another source, counted.
    struct Counted(SplitMix, usize);

    impl Words for Counted {
        fn word(&mut self) -> u64 {
            self.1 += 1;
            self.0.word()
        }
    }

    /// The same words make the same proposals, whatever `u` is: only how many of them are drawn depends on it.
    #[test]
    fn the_words_of_a_proposal_do_not_depend_on_the_direction() {
        let report = PrivateDirection::new(5, 2.0).unwrap();
        let always = PrivateDirection { kept: 1 << 64, ..report };
        let directions = [[1_i128, 0, 0, 0, 0], [0, -7, 3 << 48, 1, 2], [-1, -1, -1, -1, -(1 << 50)]];
        let mut words = directions.map(|_| Counted(SplitMix(11), 0));
        for _ in 0..2_000 {
            let drawn: Vec<(Vec<f64>, usize)> = (directions.iter().zip(&mut words))
                .map(|(u, words)| (always.direction_from(u, words), words.1))
                .collect();
            assert!(drawn.windows(2).all(|pair| pair[0] == pair[1]));
        }
        // the numbers of proposals have the same mean, within five standard errors of a geometric law
        let mean = |u: &[i128; 5]| {
            let mut words = Counted(SplitMix(u[4].unsigned_abs() as u64), 0);
            (0..5_000).for_each(|_| drop(report.direction_from(u, &mut words)));
            words.1 as f64
        };
        let found = directions.each_ref().map(mean);
        let most = found.iter().copied().fold(0.0, f64::max);
        assert!(found.iter().all(|words| (words / most - 1.0).abs() < 10.0 / 5_000.0_f64.sqrt()), "{found:?}");
    }
}
