//! Noise of a vector, drawn exactly and rounded to integers.
//!
//! Noise in floating point has gaps and patterns that reveal the confidential sum. Here none is used. A sum `S` of
//! integer vectors is confidential; the release is `T = S + round(N)` with real noise `N`. Because `S` is an integer
//! vector, `T = round(S + N)`: a function of the real vector `S + N`, and as private as that, whatever the scale is.
//! `round(N)` has exactly its law: it is drawn from random bits by comparisons, and by integer arithmetic that goes on
//! until every digit is certain.
//!
//! Uniform numbers are drawn digit by digit, on demand of comparisons. Exponential and normal numbers are made of such
//! comparisons, and noise of every dimension is made of those. A coordinate is known to lie in an interval with exact
//! ends. It is rounded where both ends agree; where they do not, the interval is narrowed.
//!
//! The bits that a draw takes, and its time, depend on chance, the law and the dimension, never on `S`: `N` is drawn
//! alone. (The time does depend on `N`.) For a fixed seed the integers are the same on every platform.
//!
//! Coq checks theorems about these programs (user guide, proofs/machine.md). The tests hold them against a table that
//! Coq computes.

mod bits;
mod cap;
mod exponential;
mod gaussian;
mod generator;
mod gumbel;
mod laplace;
mod law;
mod maximum;
mod normal;
mod nuclear;
#[cfg(test)]
mod proved;
mod scale;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use bits::Words;
pub use cap::PrivateDirection;
use dashu_int::IBig;
/// Integers of any size.
pub use dashu_int::IBig as Integer;
pub use generator::Generator;
pub use law::Law;
pub use maximum::NoisyMaximum;
pub use nuclear::{Matrices, MatrixNoise};
use scale::Scale;

/// Exact noise for integer vectors, of density `∝ exp(−‖z‖/σ)` or `∝ exp(−‖z‖²/2σ²)`, `‖z‖` the Euclidean length.
///
/// Let neighboring data move an integer vector by at most `Δ`. Laplace noise of scale `Δ/ε` or more makes it
/// `ε`-private, and Gaussian noise of scale `Δ/μ` or more makes it `μ`-GDP: exactly, with nothing to be added for
/// finite precision. A scale that is no number in double precision is rounded up.
///
/// ```
/// use karcher_privacy::noise::{Generator, Law, VectorNoise};
/// let votes = [1_203, 877, 41]; // one voter more or less changes one of them by 1
/// let noise = VectorNoise::new(Law::Laplace, 1.0 / 0.5)?; // ε = 0.5
/// let private = noise.added_to(&votes, &mut Generator::from_os()?);
/// assert!(private.iter().all(|count| count.fract() == 0.0));
/// assert!((private[0] - 1_203.0).abs() < 200.0); // farther with probability e^{−90}
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorNoise {
    law: Law,
    sigma: f64,
    scale: Scale,
}

impl VectorNoise {
    /// Noise of a law and a scale σ, in units of the lattice of integers. The number is taken exactly as it is, and
    /// every positive one is good.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless σ is positive and finite.
    ///
    /// ```
    /// use karcher_privacy::{Error, noise::{Law, VectorNoise}};
    /// assert!(VectorNoise::new(Law::Gaussian, 1e300).is_ok());
    /// let none = VectorNoise::new(Law::Gaussian, 0.0);
    /// assert!(matches!(none, Err(Error::InvalidParameter { name: "scale", .. })));
    /// ```
    pub fn new(law: Law, sigma: f64) -> Result<Self> {
        match Scale::new(sigma) {
            Some(scale) => Ok(Self { law, sigma, scale }),
            None => Err(Error::InvalidParameter {
                name: "scale",
                value: sigma,
                requirement: "it must be a positive number".to_owned(),
            }),
        }
    }

    /// How the density falls.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The scale σ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The exact integers `T = sum + round(N)`, each as the nearest number in double precision, at most [`f64::MAX`] in
    /// size.
    ///
    /// The bound and the rounding are processing of `T`. To bound `N` alone, by some `c`, would give the sum away: `T`
    /// could not exceed `S + c`, so that a `T` beyond `S′ + c` would show with certainty that the sum is not `S′`.
    ///
    /// ```
    /// use karcher_privacy::noise::{Generator, Law, VectorNoise};
    /// let noise = VectorNoise::new(Law::Gaussian, 1e-3)?; // so little that nothing is ever added
    /// assert_eq!(noise.added_to(&[5, -7], &mut Generator::from_os()?), [5.0, -7.0]);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn added_to(&self, sum: &[i128], generator: &mut Generator) -> Vec<f64> {
        let noise = self.draw(sum.len(), generator);
        sum.iter().zip(noise).map(|(&s, n)| nearest(&(n + IBig::from(s)))).collect()
    }

    /// `round(N)`, of `dim` coordinates, for a sum that is held elsewhere. **Confidential.**
    ///
    /// ```
    /// use karcher_privacy::noise::{Generator, Law, VectorNoise, nearest};
    /// let noise = VectorNoise::new(Law::Gaussian, 100.0)?;
    /// let drawn = noise.draw(3, &mut Generator::seeded(1));
    /// let added = noise.added_to(&[0, 0, 0], &mut Generator::seeded(1));
    /// assert_eq!(drawn.iter().map(nearest).collect::<Vec<_>>(), added);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn draw(&self, dim: usize, generator: &mut Generator) -> Vec<IBig> {
        self.draw_from(dim, generator)
    }

    fn draw_from(&self, dim: usize, words: &mut impl Words) -> Vec<IBig> {
        match self.law {
            Law::Gaussian => gaussian::gaussian(&self.scale, dim, words),
            Law::Laplace => laplace::laplace(&self.scale, dim, words),
        }
    }
}

/// The nearest number in double precision that is finite.
///
/// ```
/// use karcher_privacy::noise::{Integer, nearest};
/// assert_eq!(nearest(&(Integer::from(1) << 60)), 2.0_f64.powi(60));
/// ```
pub fn nearest(integer: &IBig) -> f64 {
    integer.to_f64().value().clamp(-f64::MAX, f64::MAX)
}
