//! Noise on a sum of matrices: of the Euclidean length, or for pure ε of the nuclear norm (user guide, X6).

use crate::error::Result;
use crate::mechanism::noise::sum_noise::SumNoise;
use crate::mechanism::{Request, Round};
use crate::noise::{Matrices, MatrixNoise};
use crate::privacy::rounding::{div_up, mul_down, mul_up};
use crate::privacy::{Definition, Guarantee};
use crate::records::SumQuery;
use crate::release::{NoiseDraw, NoiseLaw, NoiseOf, PrivateCount};

/// The law of the nuclear norm is taken where it is shorter by this factor at least. For matrices of size 2 both laws
/// are one.
const SHORTER: f64 = 0.99;

/// Noise on a sum of matrices, calibrated before any record is read; scales are in quanta.
#[derive(Debug, Clone)]
pub(crate) enum SumOrMatrixNoise {
    /// Noise of the Euclidean length.
    Isotropic(SumNoise),
    /// Noise of the nuclear norm.
    Nuclear(Nuclear),
}

/// Noise of the nuclear norm, with what a record moves the sum by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nuclear {
    noise: MatrixNoise,
    /// In quanta, in that norm.
    pub(crate) moved: f64,
    budget: Guarantee,
}

impl Nuclear {
    /// For pure ε, on matrices of a size that is drawn, where a record moves their sum by at most `moved` in the
    /// nuclear norm. `length` is the deviation of a number of Laplace noise: where noise of the nuclear norm is not
    /// shorter, there is none.
    pub(crate) fn shorter(matrices: Matrices, moved: f64, length: f64, request: &Request) -> Result<Option<Self>> {
        let Definition::Pure { epsilon } = request.budget().definition() else { return Ok(None) };
        let Some((deviation, _)) = matrices.noise().filter(|_| !request.asks_isotropic()) else { return Ok(None) };
        let noise = MatrixNoise::new(matrices, div_up(moved, epsilon))?;
        let is_shorter = deviation * noise.sigma() < SHORTER * length;
        Ok(is_shorter.then_some(Self { noise, moved, budget: request.budget() }))
    }

    /// The matrices.
    pub(crate) fn matrices(&self) -> Matrices {
        self.noise.matrices()
    }

    /// The scale, in quanta.
    pub(crate) fn sigma(&self) -> f64 {
        self.noise.sigma()
    }

    /// What is published of it, with the mean in units of `unit`.
    pub(crate) fn draw(&self, unit: f64) -> NoiseDraw {
        let (scale, sensitivity) = (mul_down(self.sigma(), unit), mul_up(self.moved, unit));
        NoiseDraw::on_vector(NoiseOf::Value, NoiseLaw::NuclearLaplace, self.matrices().numbers(), scale, sensitivity)
    }
}

impl SumOrMatrixNoise {
    /// Its guarantee.
    pub(crate) fn guarantee(&self) -> Guarantee {
        match self {
            SumOrMatrixNoise::Isotropic(noise) => noise.guarantee(),
            SumOrMatrixNoise::Nuclear(nuclear) => nuclear.budget,
        }
    }

    /// The round in which it is added to the answer to a query.
    pub(crate) fn round(&self, query: SumQuery) -> Result<Round> {
        match self {
            SumOrMatrixNoise::Isotropic(noise) => noise.round(query),
            SumOrMatrixNoise::Nuclear(nuclear) => Round::of_matrices(query, nuclear.noise),
        }
    }

    /// The noisy sum of that round, and the private number of records.
    pub(crate) fn concluded(&self, noisy: &[f64]) -> (Vec<f64>, Option<PrivateCount>) {
        match self {
            SumOrMatrixNoise::Isotropic(noise) => noise.concluded(noisy),
            SumOrMatrixNoise::Nuclear(_) => (noisy.to_vec(), None),
        }
    }

    /// The private number of records that follows from a noisy one.
    pub(crate) fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        match self {
            SumOrMatrixNoise::Isotropic(noise) => noise.count_again(noisy),
            SumOrMatrixNoise::Nuclear(_) => None,
        }
    }
}
