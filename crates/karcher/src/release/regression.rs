//! A private regression on features: noisy moments, and what follows from them.

use crate::features::Features;
use crate::records::MomentWeights;
use karcher_geometry::error::Rounded;
use serde::{Deserialize, Serialize};

/// A private regression on features (user guide, R5). [`FeatureModel`](crate::mechanism::FeatureModel) makes
/// predictions of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateFeatureRegression {
    /// The noisy mean of `(φφᵀ, (ω/r)·φ ⊗ y, (ν/r²)·‖y‖²)`: the private numbers. `φφᵀ` stands row by row from the
    /// diagonal on, what is off the diagonal times `√2`. With a confidential number of records it is the sum over the
    /// guess of it.
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
    /// An interval that holds the length in the population with 95 % confidence, in the limit of many records, whatever
    /// the residuals depend on.
    pub interval: [f64; 2],
    /// The same with a sign, in one dimension: on a line, on a circle, or along the only vector of a basis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Whether the moments leave the effect to noise, because its levels or values are too rare.
    pub little_information: bool,
}

/// A number with an interval of 95 % confidence. On a line a positive one makes the number of the space larger. On a
/// circle it turns counterclockwise, and of two parts it makes the second one larger.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The number.
    pub value: f64,
    /// The interval.
    pub interval: [f64; 2],
}

impl Effect {
    /// The effect as every face shows it: with its sign in one dimension, else its length.
    pub fn shown(&self) -> Change {
        self.change.unwrap_or(Change { value: self.distance, interval: self.interval })
    }
}

/// The draws of a test without the field.
fn most_draws() -> usize {
    2_000
}

impl TermTest {
    /// The p-value in words: `p = 0.012`, and the one of equal residuals where it differs.
    pub fn p(&self) -> String {
        let own = simulated_p_value(self.p_value, self.draws);
        let even = self.even_p_value.map(|even| simulated_p_value(even, self.draws)).filter(|even| *even != own);
        own + &even.map(|even| format!(" ({even} for residuals of one size)")).unwrap_or_default()
    }
}

/// A p-value of a number of simulated draws in words, with two digits that are rounded up: `p = 0.012`, or `p ≤ 0.0005`
/// for the smallest one that 2,000 draws can give.
///
/// ```
/// use karcher::release::simulated_p_value;
/// assert_eq!(simulated_p_value(7.0 / 2_001.0, 2_000), "p = 0.0035");
/// assert_eq!(simulated_p_value(1.0 / 10_001.0, 10_000), "p ≤ 0.0001");
/// ```
pub fn simulated_p_value(p: f64, draws: usize) -> String {
    let is_smallest = p * (draws as f64 + 1.0) <= 1.0 + 1e-9;
    // two digits, and one unit of the second where they are below p
    let near: f64 = format!("{p:.1e}").parse().unwrap_or(p);
    let unit = 10_f64.powf(p.log10().floor() - 1.0);
    let up = if near < p && unit.is_finite() { near + unit } else { near };
    format!("p {} {}", if is_smallest { "≤" } else { "=" }, Rounded(up))
}

/// A test that the population's predictions do not depend on a term, given all other terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermTest {
    /// The term.
    pub term: String,
    /// The squared length of the score of the term, in units of its expected covariance.
    pub statistic: f64,
    /// The probability, at most, of at least as large a value without an effect: sampling and noise included, and
    /// whatever the residuals depend on, in the limit of many records at each level. It is a bound where it is below
    /// 0.2.
    pub p_value: f64,
    /// The same for residuals that are as large everywhere, at all levels and values. Where they are not, it may be far
    /// too small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub even_p_value: Option<f64>,
    /// The draws of the simulation: no p-value is below `1/(draws + 1)`.
    #[serde(default = "most_draws")]
    pub draws: usize,
    /// Whether noise hides another term, which may then show as an effect of this one, or a level of the term has fewer
    /// than 40 records.
    pub little_information: bool,
}
