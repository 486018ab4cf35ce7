//! A private regression on features: noisy moments, and what follows from them.

use crate::features::Features;
use crate::records::MomentWeights;
use karcher_geometry::error::{Rounded, RoundedUp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A private regression on features (user guide, R5). [`FeatureModel`](crate::mechanism::FeatureModel) makes predictions of
/// it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateFeatureRegression {
    /// The noisy mean of `(φφᵀ, (ω/r)·φ ⊗ y, (ν/r²)·‖y‖²)`: the private numbers. `φφᵀ` stands row by row from the diagonal
    /// on, what is off the diagonal times `√2`. With a confidential number of records it is the sum over the guess of it.
    pub moments: Vec<f64>,
    /// `ω` and `ν`.
    pub moment_weights: MomentWeights,
    /// The features.
    pub features: Features,
    /// The public basis of tangent vectors at the ball's center in which responses are fitted, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Vec<Vec<f64>>>,
    /// For each feature its coefficient: coordinates of a tangent vector at the ball's center, in an orthonormal
    /// frame, or along the orthonormalized basis.
    pub coefficients: Vec<Vec<f64>>,
    /// The root mean square distance of responses from their predictions in the tangent space, up to noise.
    pub residual_spread: f64,
    /// What changes from one level of a term to another, and from one end of a range to the other.
    pub effects: Vec<Effect>,
    /// A test for each term.
    pub term_tests: Vec<TermTest>,
}

impl PrivateFeatureRegression {
    /// Whether it is the mean in the span of a basis: a regression without terms.
    pub fn is_mean(&self) -> bool {
        self.features.is_constant()
    }
}

/// What a term adds to the prediction at one value more than at another, all other terms as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The term.
    pub term: String,
    /// The value that is compared with.
    pub from: String,
    /// The value.
    pub to: String,
    /// The difference of the predictions: a tangent vector at the ball's center, in the numbers of the space.
    pub vector: Vec<f64>,
    /// Its length.
    pub distance: f64,
    /// An interval that holds the length in the population with 95 % confidence, in the limit of many records.
    pub interval: [f64; 2],
    /// Whether the moments leave the effect to noise, because its levels or values are too rare.
    pub little_information: bool,
}

impl fmt::Display for Effect {
    /// The effect in words, with four digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.interval;
        let Self { term, from, to, .. } = self;
        write!(f, "{term} from {from} to {to}: {}, ", Rounded(self.distance))?;
        write!(f, "from {} to {} with 95 % confidence", Rounded(low), RoundedUp(high))?;
        f.write_str(if self.little_information { ", little information" } else { "" })
    }
}

impl fmt::Display for TermTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "test that {} has no effect: {}", self.term, self.p())?;
        f.write_str(if self.little_information { ", little information" } else { "" })
    }
}

/// The smallest p-value of 2,000 draws. Of very many features or dimensions there are fewer draws.
const SMALLEST_P: f64 = 1.0 / 2001.0;

impl TermTest {
    /// The p-value in words, with two digits: `p = 0.012`, or `p ≤ 0.0005` for the smallest one of 2,000 draws.
    pub fn p(&self) -> String {
        let digits = Rounded(format!("{:.1e}", self.p_value).parse().unwrap_or(self.p_value));
        let is_smallest = self.p_value <= SMALLEST_P * (1.0 + 1e-9);
        format!("p {} {digits}", if is_smallest { "≤" } else { "=" })
    }
}

/// A test that the population's predictions do not depend on a term, given all other terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermTest {
    /// The term.
    pub term: String,
    /// The squared length of the score of the term, in units of its expected covariance.
    pub statistic: f64,
    /// The probability of at least as large a value without an effect, sampling and noise included.
    pub p_value: f64,
    /// Whether noise hides another term. That term may then show as an effect of this one.
    pub little_information: bool,
}
