//! Linear regression on features.

use crate::error::Result;
use crate::mechanism::PrivateFeatureRegression;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::{ReleaseSpec, field};
use crate::statistics::{BallUse, Description, Unit, statistic};
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
    value: ValueKind::Features,
    mechanisms: &[MechanismName::Linear],
    is_approximate: true,
    accuracy: |how| match how.is_mean_in_basis() {
        true => "the distance to the mean of the clipped records in the basis, simulated",
        false => "the distance of predictions from least squares, with even covariates",
    },
    fields: &["features", "basis", "groups"],
    helps: &[],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "feature-regression", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "features": ["linear:age:20:80"],
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(spec.on_features()?)),
    first_query: |spec| {
        let regression = spec.on_features()?;
        Ok(Some(regression.query(regression.weights(spec.adjacency))?))
    },
    by_law: None,
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
