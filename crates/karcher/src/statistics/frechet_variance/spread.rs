//! The spread of records about the released mean, and the fraction of them outside of the ball: each a sum, with a part
//! of the budget (user guide, D1).
//!
//! The mean `m̃` is released first, with three quarters of the budget. Then it is public, and
//!
//! ```text
//! V = (1/n)·Σ min(ρ²(m̃, xᵢ), c²)        moves by at most c²/n,      one record replaced by another,
//! k = #{i : ρ(m₀, xᵢ) > r}              moves by at most 1,
//! ```
//!
//! because a summand is a number from 0 to `c²`, or 0 or 1. Both are sums of integers, so noise on them is exact ([X1],
//! [X2]), and each gets an eighth of the budget. Guarantees of releases that are chosen after earlier ones are public
//! add up ([P3]): `ε` and `δ` add, so do `ρ`, and the squares of `μ`. With `(ε, δ)`, the mean gets all of `δ`, because
//! Laplace noise on a number needs none.

use crate::error::Result;
use crate::mechanism::ErrorForecast;
use crate::mechanism::noise::exact::check_length;
use crate::mechanism::noise::exact::{half_width, multiple};
use crate::mechanism::noise::number::NumberNoise;
use crate::mechanism::plan::again::missing;
use crate::mechanism::plan::companion::{CenteredRecords, Companion, ReleasedMean};
use crate::mechanism::{Plan, PlanSummary, PrivateFrechetMean};
use crate::nonprivate::UniformDistance;
use crate::privacy::Guarantee;
use crate::records::Summand;
use crate::release::{
    NoiseDraw, NoiseOf, NoisyNumber, OpenRelease, PrivateCount, PrivatePoint, PrivateSpread, Release, UniformSpread,
};
use crate::spec::Spread;

/// Records are called scattered unless their mean square is below this fraction of the uniform one.
const CONCENTRATED: f64 = 0.9;

/// The integers of a sum of squared distances that are cut off.
pub(super) mod squared {
    /// Change of the sum by one record, in quanta.
    pub(crate) const MOST: f64 = 1_125_899_906_842_624.0; // 2⁵⁰

    /// The quantum of the mean.
    pub(crate) fn unit(clip: f64, n: usize) -> f64 {
        clip * clip / MOST / n as f64
    }
}

/// The spread of evenly distributed records, and whether a mean square is indistinguishable from theirs: few of them
/// may be nearer by chance.
pub(super) fn uniform_spread(
    uniform: Option<&UniformDistance>,
    mean_square: &NoisyNumber,
    clip: f64,
    n: f64,
    radius: f64,
) -> (Option<UniformSpread>, bool) {
    let Some(uniform) = uniform else { return (None, false) };
    let upper = mean_square.interval[1] + 1.96 * uniform.deviation(clip) / n.sqrt();
    let spread = UniformSpread {
        mean_square: uniform.mean_square(clip),
        root_mean_square: uniform.mean_square(clip).sqrt(),
        fraction_outside: uniform.share_beyond(radius),
    };
    (Some(spread), upper >= CONCENTRATED * uniform.mean_square(clip))
}

/// The plan of the spread, decided before any record is read.
#[derive(Debug, Clone)]
pub(crate) struct SpreadPlan {
    clip: f64,
    uniform: Option<UniformDistance>,
    squares: NumberNoise,
    count: NumberNoise,
}

impl SpreadPlan {
    /// # Errors
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a clip whose square over- or underflows.
    pub(crate) fn new(mean: &PrivateFrechetMean, spread: Spread, number: Guarantee) -> Result<Self> {
        let manifold = &**mean.manifold();
        let clip = spread.clip.unwrap_or(2.0 * mean.ball().radius());
        check_length("spread_clip", clip)?;
        let clip = clip.min(manifold.diameter());
        let (squares, count) = (NumberNoise::new(squared::MOST, number)?, NumberNoise::new(1.0, number)?);
        Ok(Self { clip, uniform: UniformDistance::new(manifold), squares, count })
    }
}

impl Companion for SpreadPlan {
    fn noise(&self, n: usize) -> Vec<NoiseDraw> {
        let (unit, moved) = (squared::unit(self.clip, n), squared::MOST);
        vec![
            self.squares.draw(NoiseOf::MeanSquare, moved, unit),
            self.count.draw(NoiseOf::FractionOutside, 1.0, 1.0 / n as f64),
        ]
    }

    fn expected_noise(&self) -> f64 {
        self.squares.expected() * self.count.expected()
    }

    fn to(
        &self,
        release: Release,
        of_mean: &dyn Plan,
        summary: &PlanSummary,
        seen: &CenteredRecords<'_>,
        context: &mut OpenRelease<'_>,
    ) -> Result<Release> {
        let (ball, clip) = (&summary.ball, self.clip);
        // a confidential number was released with the mean
        let private = release.private_count().copied();
        let n = private.map_or(summary.n as f64, |count| count.divisor());
        let squares = seen.sum(&Summand::SquaredDistance { base: seen.place(release.value()), clip })?;
        let within = seen.sum(&Summand::Within { base: seen.center(), radii: vec![ball.radius()] })?;
        let unit = squares.quantum() / n;
        let mean_square = self.squares.release(squares.integers()[0], unit, [0.0, clip * clip], context.generator());
        let outside = i128::from(within.count()) - within.integers()[0];
        let fraction_outside = self.count.release(outside, 1.0 / n, [0.0, 1.0], context.generator());
        let mean = ReleasedMean { value: release.value(), count: private.as_ref(), plan: of_mean, whole: summary };
        let spread = self.spread_of(mean, mean_square, fraction_outside);
        Ok(release.with_spread(spread))
    }

    fn again(&self, stated: &PrivatePoint, mean: ReleasedMean<'_>, release: Release) -> Result<Release> {
        let Some(spread) = &stated.spread else { return Err(missing("spread")) };
        let (clip, n) = (self.clip, self.divisor(mean));
        let unit = self.quantum() / n;
        let mean_square = self.squares.number(multiple(spread.mean_square.noisy_value, unit), unit, [0.0, clip * clip]);
        let share = self.count.number(multiple(spread.fraction_outside.noisy_value, 1.0 / n), 1.0 / n, [0.0, 1.0]);
        Ok(release.with_spread(self.spread_of(mean, mean_square, share)))
    }

    fn forecasts(&self, n: usize) -> ErrorForecast {
        let unit = self.quantum() / n as f64;
        let half_width = |number: &NumberNoise, unit: f64, most: f64| half_width(&number.noise, unit).min(most);
        ErrorForecast::Spread {
            clip: self.clip,
            mean_square: half_width(&self.squares, unit, self.clip * self.clip),
            fraction_outside: half_width(&self.count, 1.0 / n as f64, 1.0),
        }
    }
}

impl SpreadPlan {
    /// The quantum of the sum of squares.
    fn quantum(&self) -> f64 {
        Summand::SquaredDistance { base: vec![], clip: self.clip }.quantum()
    }

    /// The number of records, the private one where it is confidential.
    fn divisor(&self, mean: ReleasedMean<'_>) -> f64 {
        mean.count.map_or(mean.whole.n as f64, PrivateCount::divisor)
    }

    /// The spread, made of its two numbers as they were drawn.
    fn spread_of(
        &self,
        mean: ReleasedMean<'_>,
        mean_square: NoisyNumber,
        fraction_outside: NoisyNumber,
    ) -> PrivateSpread {
        let (summary, clip, n) = (mean.whole, self.clip, self.divisor(mean));
        let ball = &summary.ball;
        let (mean_square, fraction_outside) = match mean.count {
            None => (mean_square, fraction_outside),
            Some(count) => (
                self.squares.over(mean_square, self.quantum(), count, summary.n, clip * clip),
                self.count.over(fraction_outside, 1.0, count, summary.n, 1.0),
            ),
        };
        let upper = mean_square.interval[1];
        let (uniform, consistent_with_uniform) =
            uniform_spread(self.uniform.as_ref(), &mean_square, clip, n, ball.radius());
        // Cauchy and Schwarz: a record outside is no farther from the ball than from the released mean. Where curvature
        // is positive its logarithm changes by that and the width of the ball at most
        let outside = fraction_outside.interval[1];
        let width = if summary.manifold.curvature().upper > 0.0 { 2.0 * ball.radius() } else { 0.0 };
        let moved = |steepness: f64| ((outside * upper).sqrt() + outside * width) / steepness;
        let clipping = summary.steepness(upper).map(|steepness| moved(steepness).min(clip));
        let clipping = clipping.or(Some(summary.manifold.diameter()).filter(|whole| whole.is_finite()));
        PrivateSpread {
            clip,
            mean_square,
            root_mean_square: mean_square.value.sqrt(),
            root_mean_square_interval: mean_square.interval.map(f64::sqrt),
            fraction_outside,
            uniform,
            consistent_with_uniform,
            mean_guarantee: mean.plan.summary().guarantee,
            clipping,
            population_region: summary.population_region(
                mean.plan.region_of(mean.count, 0.95),
                n,
                summary.clipped_mean_square(upper, outside),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::lower_bound;
    use crate::noise::Generator;

    const DRAWS: usize = 20_000;

    /// Noisy sums for the two neighbours that are farthest apart.
    fn scores(moved: f64, noise_for: f64, guarantee: Guarantee) -> [Vec<f64>; 2] {
        let noise = NumberNoise::new(noise_for, guarantee).unwrap();
        let mut generator = Generator::seeded(11);
        [0, moved as i128].map(|sum| {
            let draw = |_| noise.release(sum, 1.0, [0.0, moved], &mut generator).noisy_value;
            (0..DRAWS).map(draw).collect()
        })
    }

    /// An audit at an error probability of 1e-9 does not refute the promise, of squares or of counts, and refutes it
    /// when the scale is halved.
    #[test]
    fn halved_scale_is_caught_by_the_audit() {
        let pure = Guarantee::pure(1.0).unwrap();
        let gaussian = Guarantee::gaussian(1.0).unwrap();
        for (moved, guarantee) in [(2.0_f64.powi(50), pure), (1.0, pure), (2.0_f64.powi(50), gaussian)] {
            let proved = |noise_for| {
                let [a, b] = scores(moved, noise_for, guarantee);
                lower_bound(guarantee, &a, &b, 1e-9).unwrap()
            };
            assert!(proved(moved) <= 1.0, "{moved} {guarantee}");
            assert!(proved(0.5 * moved) > 1.2, "{moved} {guarantee}: {}", proved(0.5 * moved));
        }
    }

    /// The probability that `round(N)` is `k`, for Laplace noise of scale `σ`.
    fn probability(sigma: f64, k: i64) -> f64 {
        let half = 0.5 / sigma;
        if k == 0 { 1.0 - (-half).exp() } else { half.sinh() * (-(k.abs() as f64) / sigma).exp() }
    }

    /// A count's noise has the probabilities that the formula gives, cell by cell within 6 standard deviations: correct
    /// code fails with a probability below 1e-6 (some 30 cells of 2e-9 each). Noise of a scale that is 5 % smaller
    /// fails. And neighbours' probabilities differ by no more than `e^ε` anywhere.
    #[test]
    fn counts_have_the_enumerated_probabilities() {
        let epsilon = 0.5;
        let noise = NumberNoise::new(1.0, Guarantee::pure(epsilon).unwrap()).unwrap();
        let mut generator = Generator::seeded(12);
        let draws = 10 * DRAWS;
        let mut seen = std::collections::HashMap::new();
        for _ in 0..draws {
            let k = noise.release(7, 1.0, [0.0, 1e3], &mut generator).noisy_value as i64 - 7;
            *seen.entry(k).or_insert(0_usize) += 1;
        }
        let max_step = |sigma: f64| {
            let deviation = |k: i64| {
                let expected = draws as f64 * probability(sigma, k);
                (seen.get(&k).copied().unwrap_or(0) as f64 - expected).abs() / expected.sqrt()
            };
            (-15..=15).map(deviation).fold(0.0, f64::max)
        };
        assert!(max_step(1.0 / epsilon) < 6.0 && max_step(0.95 / epsilon) > 6.0);
        for k in -40..40 {
            let ratio = (probability(1.0 / epsilon, k) / probability(1.0 / epsilon, k + 1)).ln();
            assert!(ratio.abs() <= epsilon * (1.0 + 1e-12), "{k}");
        }
    }
}
