//! What leaves: a private value with an honest record of how it was made.

use crate::ball::Ball;
use crate::mechanism::Step;
use crate::privacy::Guarantee;
use crate::sampler::Generator;
use crate::sensitivity::Sensitivity;
use crate::space::Space;
use serde::Serialize;
use std::fmt;

/// A private result and everything that is to be known about it. Only mechanisms make one.
///
/// It serialises to one JSON object. All fields may be published: beside `value`, which is private by the mechanism,
/// nothing in it depends on the records. (`n` is public: neighbouring data sets differ in one record's value, not in
/// their number.)
#[derive(Debug, Clone, Serialize)]
pub struct Release {
    pub(crate) schema: u32,
    pub(crate) karcher: &'static str,
    pub(crate) statistic: &'static str,
    pub(crate) manifold: Space,
    pub(crate) n: usize,
    pub(crate) value: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) logarithm: Option<Vec<f64>>,
    pub(crate) lattice: f64,
    pub(crate) guarantee: Guarantee,
    pub(crate) adjacency: Adjacency,
    pub(crate) mechanism: &'static str,
    pub(crate) scale: f64,
    pub(crate) sensitivity: ReleasedSensitivity,
    pub(crate) ball: Ball,
    pub(crate) expected_distance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bias_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<Vec<Step>>,
    pub(crate) flags: Vec<Flag>,
}

/// Which data sets count as neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Adjacency {
    /// One record is replaced by another; the number of records is public.
    ReplaceOne,
}

/// The sensitivity that the noise was calibrated to, and the name of the theorem that bounds it: a
/// [`Bound`](crate::sensitivity::Bound) of the mean's sensitivity, or `clipped-gradient` for one step of a Karcher
/// flow; for a regression `sufficient-statistics` or `clipped-residuals`, in the units of those vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReleasedSensitivity {
    /// Upper bound, in units of distance.
    pub value: f64,
    /// Which bound it is.
    pub bound: &'static str,
}

impl From<Sensitivity> for ReleasedSensitivity {
    fn from(sensitivity: Sensitivity) -> Self {
        Self { value: sensitivity.value(), bound: sensitivity.bound().name() }
    }
}

/// What a reader of a release has to know beyond its guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Flag {
    /// The proof is about real numbers, the draw was made with floating-point numbers.
    IdealizedNumerics,
    /// On a curved space: the sensitivity includes an allowance for rounding in logarithms and exponentials, measured
    /// and not proved.
    RoundingAllowance,
    /// The scale, or the guarantee, comes from integrals whose numerical errors are estimated and added, not proved.
    EstimatedIntegrals,
    /// The value is the state of a Markov chain that was stopped at a finite time. The proof is about the chain's limit
    /// law, so the guarantee holds up to a distance between the two laws that is not known.
    McmcApproximate,
    /// The noise is reproducible, hence **not private**.
    Seeded,
    /// The numbers of the value do not hold it to a thousandth of the noise's scale: matrices whose eigenvalues lie so
    /// far apart that double precision cannot tell the smallest from 0 have them raised, and coordinates far from 0
    /// lose digits.
    BeyondPrecision,
    /// Records were taken to lie in the ball, not clipped to it: the guarantee holds only if they do.
    AssumedInBall,
}

impl Flag {
    /// What every release says, and whether its noise can be reproduced.
    pub(crate) fn of(generator: &Generator) -> Vec<Self> {
        let mut flags = vec![Flag::IdealizedNumerics];
        if generator.is_seeded() {
            flags.push(Flag::Seeded);
        }
        flags
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flag::IdealizedNumerics => {
                "idealized-numerics: the proof is about real numbers, the noise was drawn in floating point"
            }
            Flag::RoundingAllowance => {
                "rounding-allowance: what rounding in logarithms adds to the sensitivity is measured, not proved"
            }
            Flag::EstimatedIntegrals => {
                "estimated-integrals: the noise scale comes from integrals whose numerical errors are estimated, not proved"
            }
            Flag::McmcApproximate => {
                "mcmc-approximate: drawn by a Markov chain stopped at a finite time, so the guarantee is approximate"
            }
            Flag::Seeded => "seeded: the noise can be reproduced, so this release is NOT private",
            Flag::BeyondPrecision => {
                "beyond-precision: the value is so far out that its numbers do not hold all of it; for matrices see logarithm"
            }
            Flag::AssumedInBall => {
                "assumed-in-ball: records were not clipped; private only if all of them lie in the ball"
            }
        })
    }
}

impl Release {
    /// The private value: a point of the manifold.
    pub fn value(&self) -> &[f64] {
        &self.value
    }

    /// On `spd-log-euclidean:K`, where the value as a matrix is [beyond precision](Flag::BeyondPrecision): its matrix
    /// logarithm, `K²` numbers, which holds all of it.
    pub fn logarithm(&self) -> Option<&[f64]> {
        self.logarithm.as_deref()
    }

    /// The step `ℓ` of the lattice on which the value lies, in coordinates of the frame at the ball's center (user
    /// guide, Q1): a power of two, a millionth of the noise's scale or less.
    pub fn lattice(&self) -> f64 {
        self.lattice
    }

    /// The space the value lives on.
    pub fn manifold(&self) -> &Space {
        &self.manifold
    }

    /// What was guaranteed.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The mechanism's name.
    pub fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    /// The noise scale `σ`, in units of distance.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The sensitivity the scale was computed from.
    pub fn sensitivity(&self) -> ReleasedSensitivity {
        self.sensitivity
    }

    /// The public ball to which records were clipped.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The mean distance between the private value and the non-private one; it depends on public quantities alone.
    pub fn expected_distance(&self) -> f64 {
        self.expected_distance
    }

    /// For a Karcher flow, how far it would end from the mean of the clipped records without noise, at most.
    pub fn bias_bound(&self) -> Option<f64> {
        self.bias_bound
    }

    /// For a Karcher flow, its steps.
    pub fn steps(&self) -> Option<&[Step]> {
        self.steps.as_deref()
    }

    /// Number of records, which is public.
    pub fn n(&self) -> usize {
        self.n
    }

    /// What a reader has to know beyond the guarantee.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }
}
