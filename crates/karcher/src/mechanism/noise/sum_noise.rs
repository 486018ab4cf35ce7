//! Exact noise on a sum over records, and on their number where it is confidential.

use crate::error::Result;
use crate::mechanism::noise::sum_and_count::SumAndCountNoise;
use crate::mechanism::{Noise, Round};
use crate::noise::VectorNoise;
use crate::privacy::Guarantee;
use crate::records::SumQuery;
use crate::release::PrivateCount;

/// Noise on a sum, calibrated before any record is read.
#[derive(Debug, Clone)]
pub(crate) enum SumNoise {
    /// For records whose number is public; the scale in quanta.
    Known(Noise),
    /// For records whose number is released too.
    Joint(SumAndCountNoise),
}

impl SumNoise {
    /// Its guarantee.
    pub(crate) fn guarantee(&self) -> Guarantee {
        match self {
            SumNoise::Known(noise) => noise.guarantee(),
            SumNoise::Joint(noise) => noise.guarantee,
        }
    }

    /// The round in which it is added to the answer to a query.
    pub(crate) fn round(&self, query: SumQuery) -> Result<Round> {
        match self {
            SumNoise::Known(noise) => Ok(Round::new(query, VectorNoise::new(noise.law(), noise.scale())?)),
            SumNoise::Joint(noise) => Ok(noise.round(query)),
        }
    }

    /// The noisy sum of that round, and the private number of records.
    pub(crate) fn concluded(&self, noisy: &[f64]) -> (Vec<f64>, Option<PrivateCount>) {
        match self {
            SumNoise::Known(_) => (noisy.to_vec(), None),
            SumNoise::Joint(noise) => {
                let counted = noise.concluded(noisy);
                (counted.sum, Some(noise.count(counted.count)))
            }
        }
    }

    /// The private number of records that follows from a noisy one.
    pub(crate) fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        match self {
            SumNoise::Known(_) => None,
            SumNoise::Joint(noise) => Some(noise.count(noisy)),
        }
    }
}
