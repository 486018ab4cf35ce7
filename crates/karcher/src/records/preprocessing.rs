//! Preprocessing of records for a mechanism.

use super::{Centered, Observations, PredictorRange};
use crate::error::{Error, Result};
use crate::points::check_space;

/// Preprocessing of records for a mechanism.
#[doc(hidden)] // only mechanisms have a view
#[derive(Debug, Clone)]
pub struct Preprocessing {
    /// Isometry to the ball's center.
    pub(crate) centered: Centered,
    /// Whether records are clipped to the ball.
    pub(crate) clip: bool,
    /// The range to which predictors are clamped, if there are some.
    pub(crate) predictors: Option<PredictorRange>,
}

impl Preprocessing {
    /// A predictor on the scale on which the range is `[−½, ½]`, clamped to it.
    pub(super) fn number(&self, predictor: f64) -> f64 {
        self.predictors.map_or(0.0, |range| range.scaled(predictor).clamp(-0.5, 0.5))
    }

    /// The predictors of records of this space, if the mechanism takes predictors.
    pub(super) fn predictors_of<'a>(&self, records: &Observations<'a>) -> Result<Option<&'a [f64]>> {
        check_space("records", self.centered.manifold().space(), records.points().space())?;
        match (self.predictors, records.predictors()) {
            (None, _) => Ok(None),
            (Some(_), Some(predictors)) => Ok(Some(predictors)),
            (Some(_), None) => Err(no_predictors()),
        }
    }
}

/// Records without predictors, where a mechanism takes them.
pub(crate) fn no_predictors() -> Error {
    let requirement = "a regression needs one a record".to_owned();
    Error::InvalidParameter { name: "number_of_predictors", value: 0.0, requirement }
}
