//! The mean and the covariance of vectors.

use crate::mechanism::PrivateCovariance;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::statistics::covariance::plan::CovariancePlan;
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "covariance",
    option: "covariance",
    about: "The mean and the covariance of vectors together, with their principal components.",
    error: "Frobenius distance to the covariance of the clipped records, a length squared",
    noun: "covariance",
    kind: "a covariance",
    point: "private mean",
    title: "Private covariance",
    meaning: "The mean and the covariance matrix of the records, clipped to the ball, and its principal components.",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::SquareLength,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Covariance,
    mechanisms: &[MechanismName::Laplace, MechanismName::Gaussian],
    is_approximate: true,
    accuracy: |_| "the Frobenius distance to the covariance without noise, for a mean near the center",
    fields: &[],
    helps: &[],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "covariance", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(PrivateCovariance::new(spec.manifold()?, spec.public_ball()?)?)),
    first_query: |spec| {
        let covariance = PrivateCovariance::new(spec.manifold()?, spec.public_ball()?)?;
        Ok(Some(covariance.query(covariance.weight(spec.adjacency))?))
    },
    by_law: Some(|request, law| Ok(Box::new(CovariancePlan::new(request.asked(law.into())?, request, law)?))),
};

statistic!(Covariance, PrivateCovariance);
