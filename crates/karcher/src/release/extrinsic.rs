//! The facts of a private extrinsic mean: all of them are processing of the noisy embedded mean.

use super::Region;
use serde::{Deserialize, Serialize};

/// The embedded mean of the records and what follows from it (user guide, H1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateEmbeddedMean {
    /// The noisy mean of the embedded records: the private numbers.
    pub embedded_mean: Vec<f64>,
    /// One entry for a space, and one for each factor of a product and each angle of a torus.
    pub factors: Vec<DirectionalSummary>,
}

/// How the records are spread about their extrinsic mean in a factor.
///
/// Every interval has a probability of at least 95 %, up to the precision of a rehearsal with 10,000 made-up draws of
/// the noise. Where the noise, or too wide a spread, leaves nothing to state, an interval or a region is everything:
/// the whole factor, or up to infinity. So the probability is that of the stated ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DirectionalSummary {
    /// The factor: `sphere:2`.
    pub space: String,
    /// `R̄ = ‖mean of J‖/‖J‖` without the noise's share of the square: 1 if all records are one, 0 if they are spread
    /// evenly.
    pub mean_resultant_length: f64,
    /// Interval of `R̄` of the records.
    pub mean_resultant_length_interval: [f64; 2],
    /// `R̄²` without bias by the noise. It may be negative.
    pub square_without_bias: f64,
    /// The concentration of a law of the space with such a mean, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concentration: Option<Concentration>,
    /// For axes and rotations, the concentrations of a law with one for each direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concentrations: Option<Concentrations>,
    /// Upper bound, in the unit of distance, of the distance from the extrinsic mean of the records to each of their
    /// Fréchet means. It holds with at least 95 % confidence. Absent on `grassmann:N,K` with K > 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frechet_mean_within: Option<f64>,
    /// For directions, region for the mean direction of the population whatever its law is: the whole factor where no
    /// direction is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_population_region: Option<Region>,
    /// Region for the extrinsic mean of the population: the cone of confidence, `α₉₅`. For directions it is that of the
    /// von Mises–Fisher law; for another law it may hold the mean in less. It is the whole factor where no direction is
    /// known: noise may hide it, or the test of uniformity has a p-value above 5 %. Absent on `grassmann:N,K` with
    /// K > 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_region: Option<Region>,
    /// For axes, the semi-axes of the ellipse in which the axis of the population is with 95 % confidence, the longest
    /// first. They are the diameter where no axis is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ellipse: Vec<f64>,
    /// Test that the records are spread evenly.
    pub uniformity: Uniformity,
}

/// The concentration `κ` of a law.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Concentration {
    /// The law.
    pub law: ConcentrationLaw,
    /// `κ`, at most `10¹²`.
    pub kappa: f64,
    /// Interval of it; an end that is absent is infinite.
    pub interval: (f64, Option<f64>),
}

/// The concentrations of a law with one for each direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Concentrations {
    /// The law.
    pub law: ConcentrationLaw,
    /// Of Bingham's law `λ₂ ≤ … ≤ λ_p`, one for each axis at a right angle to the first, `λ₁ = 0`. Of the matrix Fisher
    /// law the singular values `s₁ ≥ s₂ ≥ |s₃|`, the last with the sign of the determinant.
    pub values: Vec<f64>,
    /// Intervals for those of the records without noise, to the first order; an end of `±f64::MAX` is infinite.
    pub intervals: Vec<[f64; 2]>,
}

/// A law with a concentration.
///
/// ```
/// use karcher::release::ConcentrationLaw;
/// assert_eq!(ConcentrationLaw::VonMisesFisher.to_string(), "von Mises–Fisher");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConcentrationLaw {
    /// `∝ e^{κ⟨m,x⟩}`, of directions and angles.
    VonMisesFisher,
    /// `∝ e^{κ⟨m,x⟩²}`, of axes, and of rotations as quaternions.
    Watson,
    /// `∝ e^{κ|⟨m,z⟩|²}`, of shapes.
    ComplexWatson,
    /// `∝ e^{−Σ λ_j⟨a_j,x⟩²}`, of axes.
    Bingham,
    /// `∝ e^{tr FᵀR}`, of rotations.
    MatrixFisher,
}

impl std::fmt::Display for ConcentrationLaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ConcentrationLaw::VonMisesFisher => "von Mises–Fisher",
            ConcentrationLaw::Watson => "Watson",
            ConcentrationLaw::ComplexWatson => "complex Watson",
            ConcentrationLaw::Bingham => "Bingham",
            ConcentrationLaw::MatrixFisher => "matrix Fisher",
        })
    }
}

impl DirectionalSummary {
    /// Whether a length about the value leaves nothing of the factor out: then nothing is known.
    pub fn is_everywhere(&self, radius: f64) -> bool {
        let manifold = self.space.parse::<crate::Space>().and_then(|space| space.manifold());
        manifold.is_ok_and(|manifold| radius >= manifold.diameter() * (1.0 - 1e-12))
    }
}

impl Uniformity {
    /// The p-value in words: `p = 0.012`, or `p ≤ 0.0001` for the smallest one of 10,000 draws.
    pub fn p(&self) -> String {
        super::simulated_p_value(self.p_value, crate::statistics::extrinsic_mean::DRAWS)
    }
}

/// A test that records are spread evenly over the space: Rayleigh's for directions, Bingham's for axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Uniformity {
    /// `‖mean of J‖/‖J‖` with its noise.
    pub statistic: f64,
    /// The probability of at least as large a value for evenly spread records, sampling and noise included. It holds in
    /// the limit of many records.
    pub p_value: f64,
}
