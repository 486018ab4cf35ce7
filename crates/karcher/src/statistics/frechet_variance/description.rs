//! The Fréchet variance about a public point.

use crate::mechanism::PrivateFrechetVariance;
use crate::release::{Adjacency, Value};
use crate::statistics::{BallUse, Description, Program, Unit, statistic};
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
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |spec| Ok(Arc::new(PrivateFrechetVariance::new(spec.manifold()?, spec.public_ball()?)?)),
    first_query: |_| Ok(None),
    holds: |value| matches!(value, Value::Variance(_)),
};

statistic!(FrechetVariance, PrivateFrechetVariance);
