//! Exact noise on one number.

use crate::error::Result;
use crate::mechanism::noise::exact::{Tail, half_width_in, noisy_number, number_of};
use crate::noise::{Generator, Law, VectorNoise};
use crate::privacy::rounding::{div_up, mul_down, mul_up, sqrt_down};
use crate::privacy::{Definition, Guarantee};
use crate::release::{NoiseDraw, NoiseOf, NoisyNumber, PrivateCount};
use std::f64::consts::FRAC_2_PI;

/// Exact noise for a sum of integers, calibrated before any record is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberNoise {
    pub(crate) noise: VectorNoise,
    guarantee: Guarantee,
}

impl NumberNoise {
    /// The noise for a sum that one record changes by at most `moved` quanta.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a budget whose scale overflows.
    pub(crate) fn new(moved: f64, guarantee: Guarantee) -> Result<Self> {
        let (law, parameter) = match guarantee.definition() {
            Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => (Law::Laplace, epsilon),
            Definition::Gaussian { mu } => (Law::Gaussian, mu),
            Definition::Concentrated { rho } => (Law::Gaussian, sqrt_down((2.0 * rho).min(f64::MAX))),
        };
        Self::of(law, moved, parameter, guarantee)
    }

    /// The noise of a law, for an `ε` or a `μ` that the guarantee allows.
    pub(crate) fn of(law: Law, moved: f64, parameter: f64, guarantee: Guarantee) -> Result<Self> {
        Ok(Self { noise: VectorNoise::new(law, div_up(moved, parameter))?, guarantee })
    }

    /// Its guarantee.
    pub(crate) fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The draw on a sum that a record changes by `moved`, in such units. Its scale is rounded down, its sensitivity up.
    pub(crate) fn draw(&self, of: NoiseOf, moved: f64, unit: f64) -> NoiseDraw {
        NoiseDraw::on_vector(of, self.noise.law(), 1, mul_down(self.noise.sigma(), unit), mul_up(moved, unit))
    }

    /// The draw on a number of records.
    pub(crate) fn of_count(&self) -> NoiseDraw {
        self.draw(NoiseOf::Count, 1.0, 1.0)
    }

    /// The law of the noise.
    pub(crate) fn law(&self) -> Law {
        self.noise.law()
    }

    /// `σ`, in quanta.
    pub(crate) fn scale(&self) -> f64 {
        self.noise.sigma()
    }

    /// The mean length of the noise, in quanta.
    pub(crate) fn expected(&self) -> f64 {
        match self.noise.law() {
            Law::Laplace => self.noise.sigma(),
            Law::Gaussian => FRAC_2_PI.sqrt() * self.noise.sigma(),
        }
    }

    /// The noisy sum, times `unit`, moved into a range.
    pub(crate) fn release(&self, sum: i128, unit: f64, range: [f64; 2], generator: &mut Generator) -> NoisyNumber {
        noisy_number(sum, unit, &self.noise, range, self.guarantee, generator)
    }

    /// A released number, made of the noisy one that was drawn.
    pub(crate) fn number(&self, noisy: f64, unit: f64, range: [f64; 2]) -> NoisyNumber {
        number_of(noisy, unit, &self.noise, range, self.guarantee)
    }

    /// A released number of records, made of the noisy one that was drawn.
    pub(crate) fn count(&self, noisy: f64) -> PrivateCount {
        let NoisyNumber { value, noisy_value, scale, interval, .. } = self.number(noisy, 1.0, [0.0, f64::MAX]);
        PrivateCount { value, noisy_value, scale, interval }
    }

    /// The quotient of a noisy sum, in units of `quantum`, and a number of records that was released before. The stated
    /// scale is for the public guess. The interval combines two, for the sum and for the number, that fail with 2.5 %
    /// each.
    pub(crate) fn over(
        &self,
        number: NoisyNumber,
        quantum: f64,
        count: &PrivateCount,
        n_guess: usize,
        most: f64,
    ) -> NoisyNumber {
        let n = count.divisor();
        let half = half_width_in(&self.noise, quantum, Tail::Half);
        let [few, many] = count.interval_of_half().map(|end| end.max(1.0));
        // the true sum is from 0 to that of so many records, and what is moved there is no farther from it
        let sum = (number.noisy_value * n).clamp(0.0, most * many);
        let ends = [(sum - half).max(0.0) / many, (sum + half) / few];
        NoisyNumber {
            scale: self.noise.sigma() * quantum / n_guess as f64,
            interval: ends.map(|end| end.min(most)),
            ..number
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where noise left the range of a sum, on either side, the quotient's interval is not empty.
    #[test]
    fn the_interval_of_a_quotient_stays_in_its_range() {
        let noise = NumberNoise::new(1.0, Guarantee::pure(0.1).unwrap()).unwrap();
        let count = noise.count(1_000.0);
        let half = half_width_in(&noise.noise, 1.0, Tail::Half);
        let [few, many] = count.interval_of_half();
        assert!((few - (1_000.0 - half)).abs() < 2.0 && (many - (1_000.0 + half)).abs() < 2.0, "{few} {many} {half}");
        for (sum, low, high) in [
            (-900.0, 0.0, half / few),
            (400.0, (400.0 - half) / many, (400.0 + half) / few),
            (9e3, 1.0 - half / many, 1.0),
        ] {
            let number = noise.number(sum / count.divisor(), 1e-3, [0.0, 1.0]);
            let found = noise.over(number, 1.0, &count, 1_000, 1.0).interval;
            assert!((found[0] - low).abs() < 1e-12 && (found[1] - high).abs() < 1e-12, "{sum}: {found:?} {low} {high}");
            assert!(found[0] < found[1] && (0.0..=1.0).contains(&found[0]) && found[1] <= 1.0);
        }
        // a number of records below 0 is about 0
        let [few, many] = noise.count(-500.0).interval_of_half();
        assert!(few == 0.0 && (half - 2.0..half + 2.0).contains(&many), "{few} {many}");
    }
}
