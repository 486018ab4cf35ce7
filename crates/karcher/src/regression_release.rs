//! What leaves of a regression: a private geodesic with an honest record of how it was made.

use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::mechanism::{PredictorRange, Step};
use crate::privacy::Guarantee;
use crate::release::{Adjacency, Flag, ReleasedSensitivity};
use crate::space::Space;
use crate::statistic::Geodesic;
use serde::Serialize;

/// A private regression and everything that is to be known about it: what [`Release`](crate::Release) is for a mean.
/// Only mechanisms make one.
///
/// The geodesic is `x ↦ Exp_p((x − middle)/(high − low)·v)`: the footpoint `p` is what it predicts in the middle of the
/// predictor's range, and the shooting vector `v` its velocity there per length of the range. Beside them nothing in it
/// depends on the records.
#[derive(Debug, Clone, Serialize)]
pub struct RegressionRelease {
    pub(crate) schema: u32,
    pub(crate) karcher: &'static str,
    pub(crate) statistic: &'static str,
    pub(crate) manifold: Space,
    pub(crate) n: usize,
    pub(crate) footpoint: Vec<f64>,
    pub(crate) shooting_vector: Vec<f64>,
    pub(crate) lattice: f64,
    pub(crate) predictor_range: PredictorRange,
    pub(crate) guarantee: Guarantee,
    pub(crate) adjacency: Adjacency,
    pub(crate) mechanism: &'static str,
    pub(crate) scale: f64,
    pub(crate) sensitivity: ReleasedSensitivity,
    pub(crate) ball: Ball,
    pub(crate) slope_bound: f64,
    pub(crate) residual_bound: f64,
    pub(crate) expected_distance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<Vec<Step>>,
    pub(crate) flags: Vec<Flag>,
}

impl RegressionRelease {
    /// The private value: footpoint, in the middle of the predictor's range, and shooting vector, per length of the
    /// range.
    pub fn geodesic(&self) -> Geodesic {
        Geodesic { footpoint: self.footpoint.clone(), velocity: self.shooting_vector.clone() }
    }

    /// What the geodesic predicts at `x`, a value of the predictor as it stands in the data: processing of private
    /// values, free. Where numbers do not hold it (matrices of a very long shooting vector) it is a point near it.
    pub fn predict(&self, manifold: &dyn Manifold, x: f64) -> Vec<f64> {
        let mut predicted = self.geodesic().at(manifold, self.predictor_range.scaled(x));
        manifold.repair(&mut predicted);
        predicted
    }

    /// The step of the lattice on which footpoint and shooting vector lie, both carried to the ball's center.
    pub fn lattice(&self) -> f64 {
        self.lattice
    }

    /// The space.
    pub fn manifold(&self) -> &Space {
        &self.manifold
    }

    /// Number of records, which is public.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The public range of the predictor.
    pub fn predictor_range(&self) -> PredictorRange {
        self.predictor_range
    }

    /// What was guaranteed.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The mechanism's name.
    pub fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    /// The noise scale `σ`, of the last step where there are several.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The sensitivity that the scale was computed from.
    pub fn sensitivity(&self) -> ReleasedSensitivity {
        self.sensitivity
    }

    /// The public ball to which records were clipped.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The public bound of the shooting vector's length.
    pub fn slope_bound(&self) -> f64 {
        self.slope_bound
    }

    /// The public length to which residuals were clipped.
    pub fn residual_bound(&self) -> f64 {
        self.residual_bound
    }

    /// The root of the mean, over draws and over the range of the predictor, of the squared distance between the
    /// private geodesic and the least-squares one: to first order in the noise, for predictors spread evenly over their
    /// range and residuals within their bound. Public. A prediction, not a bound: what curvature does is taken from
    /// made-up records (user guide, R3).
    pub fn expected_distance(&self) -> f64 {
        self.expected_distance
    }

    /// For a descent, its steps: clips and scales at most (see
    /// [`RegressionDescent::steps`](crate::mechanism::RegressionDescent::steps)).
    pub fn steps(&self) -> Option<&[Step]> {
        self.steps.as_deref()
    }

    /// What a reader has to know beyond the guarantee.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }
}
