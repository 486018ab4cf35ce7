//! Linear regression on features.

use crate::error::Result;
use crate::mechanism::PrivateFeatureRegression;
use crate::release::{Adjacency, Value};
use crate::spec::{ReleaseSpec, field};
use crate::statistics::{BallUse, Description, Program, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "feature-regression",
    option: "feature-regression",
    about: "Linear regression on features of several covariates, in the tangent space at the center.",
    error: "root mean square distance of predictions from those of least squares",
    noun: "regression on features",
    kind: "a regression",
    point: "private prediction",
    title: "Private regression on features",
    meaning: "Least squares of the records on public features, in the tangent space at the center of the ball.",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |spec| Ok(Arc::new(spec.on_features()?)),
    first_query: |spec| {
        let regression = spec.on_features()?;
        Ok(Some(regression.query(regression.weights(spec.adjacency))?))
    },
    holds: |value| matches!(value, Value::Features(_)),
};

statistic!(FeatureRegression, PrivateFeatureRegression);

impl ReleaseSpec {
    /// The regression on features.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) without features or a ball, and those of the regression.
    pub fn on_features(&self) -> Result<PrivateFeatureRegression> {
        match &self.features {
            Some(features) => {
                let regression =
                    PrivateFeatureRegression::new(self.manifold()?, self.public_ball()?, features.clone())?;
                match &self.basis {
                    Some(basis) => regression.basis(basis),
                    None => Ok(regression),
                }
            }
            None => Err(field("features", "is missing: a regression on features needs it")),
        }
    }
}
