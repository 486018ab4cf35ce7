//! The Fréchet variance about a public point.

use crate::mechanism::PrivateFrechetVariance;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::statistics::frechet_variance::plan::VariancePlan;
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "frechet-variance",
    option: "variance",
    about: "The mean square of the distances to a public point, the center of the ball.",
    error: "distance to the mean square of the clipped distances, a length squared",
    noun: "Fréchet variance",
    kind: "a variance",
    point: "private variance",
    title: "Private Fréchet variance",
    meaning: "The mean squared distance of the records to the center of a public ball.",
    ball: BallUse::Clips,
    takes_whole_space: true,
    unit: Unit::SquareLength,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Variance,
    mechanisms: &[MechanismName::Laplace, MechanismName::Gaussian],
    is_approximate: false,
    accuracy: |_| "the distance to the mean square without noise",
    fields: &[],
    helps: &[],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "frechet-variance", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(PrivateFrechetVariance::new(spec.manifold()?, spec.public_ball()?)?)),
    first_query: |_| Ok(None),
    by_law: Some(|request, law| Ok(Box::new(VariancePlan::new(request.asked(law.into())?, request, law)?))),
};

statistic!(FrechetVariance, PrivateFrechetVariance);
