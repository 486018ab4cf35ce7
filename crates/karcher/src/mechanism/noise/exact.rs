//! Exact noise on exact sums, by which a guarantee holds for the released bits (user guide, X1–X3).
//!
//! The sum `S` of bounded integer vectors over the records is itself a vector of integers. With a real random vector
//! `N` the mechanism `S + N` has the guarantee of its proof. `T = round(S + N)` is a function of its release, so it has
//! the same guarantee. And because `S` is in `Z^D`, `T = S + round(N)`, which is computed without any rounding:
//! `round(N)` is drawn exactly ([`VectorNoise`]), and integers are added. Everything after that, from the division by
//! `n` on, is processing of `T`.
//!
//! The scale of `N` in quanta is a double, hence a rational number, and rounded up: it is at least the one that the
//! sensitivity in quanta requires.

use crate::ball::Ball;
use crate::error::Error;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::noise::VectorNoise;
use crate::noise::{Generator, Law};
use crate::privacy::Guarantee;
use crate::privacy::rounding::{div_up, mul_up};
use crate::records::ExactSum;
use crate::release::NoisyNumber;
use crate::spec::field;
use std::ops::RangeInclusive;

/// The mean of a sum with noise of a scale `σ`, in units of distance, on it: `(q/n)·(S + round(N))`, `q` the quantum.
pub(crate) fn noisy_mean(total: &ExactSum, law: Law, scale: f64, generator: &mut Generator) -> Result<Vec<f64>> {
    let n = total.count() as f64;
    let noisy = noisy_sum(total, law, scale, n, generator)?;
    Ok(noisy.into_iter().map(|t| t * total.quantum() / n).collect())
}

/// A sum with noise on it, whose scale `σ` is that of the mean of `n` records: `S + round(N)`.
pub(crate) fn noisy_sum(total: &ExactSum, law: Law, scale: f64, n: f64, generator: &mut Generator) -> Result<Vec<f64>> {
    let noise = VectorNoise::new(law, in_quanta(scale, n, total.quantum()))?;
    Ok(noise.added_to(total.integers(), generator))
}

/// The sum `S` with noise on it, `unit·(S + round(N))`, moved into a range. Also an interval that holds `unit·S` with a
/// probability of at least 95 %, whatever `S` is: `round(N)` is no farther from 0 than `N` and ½.
pub(crate) fn noisy_number(
    sum: i128,
    unit: f64,
    noise: &VectorNoise,
    [low, high]: [f64; 2],
    guarantee: Guarantee,
    generator: &mut Generator,
) -> NoisyNumber {
    number_of(noise.added_to(&[sum], generator)[0] * unit, unit, noise, [low, high], guarantee)
}

/// The multiple of a unit that is nearest to a stated number. A number that is off by rounding alone stays as it is,
/// because differences of such numbers magnify rounding.
pub(crate) fn multiple(stated: f64, unit: f64) -> f64 {
    let nearest = (stated / unit).round() * unit;
    if (stated - nearest).abs() <= ROUNDED * stated.abs() { stated } else { nearest }
}

/// Largest relative difference between a number and the multiple of its unit that is made again.
pub(crate) const ROUNDED: f64 = 4.0 * f64::EPSILON;

/// A released number, made of the noisy one that was drawn. What is moved into its range is no farther from the true
/// number than before, so the interval is about that. Where noise left the range, it would be empty otherwise.
pub(crate) fn number_of(
    noisy_value: f64,
    unit: f64,
    noise: &VectorNoise,
    [low, high]: [f64; 2],
    guarantee: Guarantee,
) -> NoisyNumber {
    let (value, half) = (noisy_value.clamp(low, high), half_width(noise, unit));
    NoisyNumber {
        value,
        noisy_value,
        scale: noise.sigma() * unit,
        mechanism: noise.law().into(),
        guarantee,
        interval: [-half, half].map(|half| (value + half).clamp(low, high)),
    }
}

/// A tail probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tail {
    /// 5 %.
    Whole,
    /// Half of that, for each of two.
    Half,
}

/// Distance of `unit·round(N)` from 0 that is exceeded with a probability of at most 5 %.
pub(crate) fn half_width(noise: &VectorNoise, unit: f64) -> f64 {
    half_width_in(noise, unit, Tail::Whole)
}

/// Distance of `unit·round(N)` from 0 that is exceeded with a probability of at most that of the tail.
pub(crate) fn half_width_in(noise: &VectorNoise, unit: f64, tail: Tail) -> f64 {
    let deviations = match (noise.law(), tail) {
        (Law::Laplace, Tail::Whole) => LAPLACE_95,
        (Law::Laplace, Tail::Half) => LAPLACE_975,
        (Law::Gaussian, Tail::Whole) => GAUSSIAN_95,
        (Law::Gaussian, Tail::Half) => GAUSSIAN_975,
    };
    (deviations * noise.sigma() + 0.5) * unit
}

/// `P(|N| ≤ xσ) = 95 %`, rounded up: `ln 20`, and `Φ⁻¹(0.975)`.
const LAPLACE_95: f64 = 2.995_733;
pub(crate) const GAUSSIAN_95: f64 = 1.959_965;

/// `P(|N| ≤ xσ) = 97.5 %`, rounded up: `ln 40`, and `Φ⁻¹(0.9875)`.
const LAPLACE_975: f64 = 3.688_880;
const GAUSSIAN_975: f64 = 2.241_403;

/// `Exp_m` of coordinates in the frame at `m`, put back on the manifold after rounding; `m` itself where it overflows.
/// For private values it is processing, so rounding in the geometry costs no privacy.
pub(crate) fn moved(space: &dyn Manifold, m: Vec<f64>, coordinates: &[f64]) -> Vec<f64> {
    let (mut v, mut next) = (vec![0.0; m.len()], vec![0.0; m.len()]);
    space.from_frame(&m, coordinates, &mut v);
    space.exp(&m, &v, &mut next);
    space.repair(&mut next);
    if space.check_point(&next).is_ok() { next } else { m }
}

/// `σ·n/q`, rounded up.
pub(crate) fn in_quanta(scale: f64, n: f64, quantum: f64) -> f64 {
    div_up(mul_up(scale, n), quantum)
}

/// Lengths by which vectors in a sum may be bounded: neither a square of a gradient nor the number of quanta in a
/// length over- or underflows.
const LENGTHS: RangeInclusive<f64> = 1e-140..=1e140;

/// Rejects a length by which vectors in a sum cannot be bounded.
pub(crate) fn check_length(name: &'static str, length: f64) -> Result<()> {
    if LENGTHS.contains(&length) {
        return Ok(());
    }
    let requirement = "lengths from 1e-140 to 1e140 are computed with: choose another unit".to_owned();
    Err(Error::InvalidParameter { name, value: length, requirement })
}

/// Refuses a radius for each factor, for a statistic whose proof is about one ball.
pub(crate) fn check_one_radius(ball: &Ball) -> Result<()> {
    match ball.radii() {
        [] => Ok(()),
        _ => Err(field("radius", "a radius for each factor goes with a mean: give one radius")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Space;
    use crate::ball::Ball;
    use crate::mechanism::{KarcherFlow, Plan, PrivateFrechetMean, Request};
    use crate::privacy::Guarantee;
    use crate::records::quantum;
    use dashu_int::UBig;
    use proptest::prelude::*;

    /// `m·2^(e + 1100)` of a positive number `m·2^e`: exact.
    pub(crate) fn exactly(x: f64) -> UBig {
        let (exponent, fraction) = ((x.to_bits() >> 52) as usize, x.to_bits() & ((1 << 52) - 1));
        assert!(x > 0.0 && x.is_finite());
        if exponent == 0 { UBig::from(fraction) << 26 } else { UBig::from(fraction | 1 << 52) << (exponent + 25) }
    }

    #[test]
    fn numbers_are_taken_exactly() {
        assert_eq!(exactly(1.0), UBig::ONE << 1100);
        assert_eq!(exactly(5e-324), UBig::ONE << 26);
        assert_eq!(exactly(0.75), UBig::from(3_u8) << 1098);
    }

    /// An interval is never empty, and where noise left the range it holds more than the one about the noisy number.
    #[test]
    fn intervals_are_about_the_number_in_its_range() {
        let (unit, range) = (0.125, [0.0, 64.0]);
        let noise = VectorNoise::new(Law::Laplace, 10.0).unwrap();
        let (half, guarantee) = (half_width(&noise, unit), Guarantee::pure(1.0).unwrap());
        for (noisy, low, high) in [(-9.0, 0.0, half), (1.0, 0.0, 1.0 + half), (99.0, 64.0 - half, 64.0)] {
            let number = number_of(noisy, unit, &noise, range, guarantee);
            assert_eq!((number.noisy_value, number.interval), (noisy, [low, high]));
        }
    }

    proptest! {
        #[test]
        fn a_scale_in_quanta_is_not_below_the_one_in_units_of_distance(
            scale in 1e-20f64..1e20, n in 1_u64..1 << 50, radius in 1e-10f64..1e10,
        ) {
            let (n, q) = (n as f64, quantum(radius));
            let quanta = in_quanta(scale, n, q);
            prop_assert!(exactly(quanta) * exactly(q) >= exactly(scale) * exactly(n));
            prop_assert!(quanta <= scale * n / q * (1.0 + 1e-15));
        }

        /// `σ·ε ≥ 2⁵¹` and `Σ (2⁵¹/σⱼ)² ≤ μ²`, in rational numbers: as much noise as the exact sums require.
        #[test]
        fn noise_in_quanta_is_what_the_sensitivity_in_quanta_asks_for(
            n in 1_usize..1 << 45, radius in 1e-6f64..1e6, budget in 1e-9f64..1e3, dim in 1_usize..5,
        ) {
            let space = format!("euclidean:{dim}").parse::<Space>().unwrap().manifold().unwrap();
            let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, radius).unwrap()).unwrap();
            let moved = UBig::ONE << 51;
            let one = exactly(1.0);
            let plan = Request::new(mean.clone(), n, Guarantee::pure(budget).unwrap()).plan().unwrap();
            let sigma = in_quanta(plan.scale(), n as f64, quantum(radius));
            prop_assert!(exactly(sigma) * exactly(budget) >= &moved * &one * &one);
            prop_assert!(sigma * budget <= 2.0_f64.powi(51) * (1.0 + 1e-9), "more than enough");

            let normal = Guarantee::gaussian(budget).unwrap();
            for steps in [1, 3] {
                let flow = KarcherFlow::with_steps(&mean, n, normal, steps).unwrap();
                // ‖2⁵¹/σ‖² ≤ μ² over a common denominator
                let sigmas: Vec<UBig> = (flow.steps().iter())
                    .map(|step| exactly(in_quanta(step.scale, n as f64, quantum(step.clip))))
                    .collect();
                let all: UBig = sigmas.iter().fold(UBig::ONE, |all, sigma| all * sigma * sigma);
                let others = |sigma: &UBig| &all / (sigma * sigma);
                let top = sigmas.iter().fold(UBig::ZERO, |sum, sigma| sum + others(sigma)) * (&moved * &one).pow(2);
                prop_assert!(top * one.pow(2) <= exactly(budget).pow(2) * all, "{} steps", steps);
            }
        }
    }
}
