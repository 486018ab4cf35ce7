//! Private choices among places by scores that a record moves by at most 1 (user guide, B2).

use crate::error::Result;
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, bounded_range};
use crate::noise::{Generator, NoisyMaximum};
use crate::privacy::{Definition, Guarantee};
use crate::release::{NoiseDraw, NoiseLaw, NoiseOf};

/// Independent choices that share a budget in equal parts: by exponential noise for pure ε, by Gumbel noise otherwise.
#[derive(Debug, Clone, Copy)]
pub(in crate::statistics) struct PrivateChoices {
    noise: NoisyMaximum,
    law: NoiseLaw,
    epsilon: f64,
    choices: usize,
}

impl PrivateChoices {
    /// `choices` choices that together spend a budget.
    pub(super) fn new(choices: usize, budget: Guarantee) -> Result<Self> {
        Self::moved(choices, 0, budget)
    }

    /// The same for scores that a record moves by at most `2^places`, and not by 1.
    pub(in crate::statistics) fn moved(choices: usize, places: u32, budget: Guarantee) -> Result<Self> {
        let each = BudgetFraction::even(1.0 / choices as f64).from(budget)?;
        let epsilon = bounded_range(as_normal(each)?)?;
        let scaled = epsilon / 2.0_f64.powi(places as i32);
        let (noise, law) = match each.definition() {
            Definition::Pure { .. } => (NoisyMaximum::new(scaled)?, NoiseLaw::Maximum),
            Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
                (NoisyMaximum::of_range(scaled)?, NoiseLaw::Gumbel)
            }
        };
        Ok(Self { noise, law, epsilon, choices })
    }

    /// The `ε` of one of them: the place `j` is weighed by its score times `ε/2`.
    pub(super) fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// One choice.
    pub(in crate::statistics) fn place(&self, scores: &[i64], generator: &mut Generator) -> usize {
        self.noise.place(scores, generator)
    }

    /// The probability of each place for made-up scores.
    pub(super) fn law(&self, scores: &[f64]) -> Vec<f64> {
        self.noise.law(scores)
    }

    /// The noise of all of them.
    pub(in crate::statistics) fn draws(&self, quantity: NoiseOf) -> NoiseDraw {
        NoiseDraw {
            quantity,
            law: self.law,
            space: None,
            scale: 2.0 / self.epsilon,
            sensitivity: 1.0,
            draws: self.choices,
        }
    }
}
