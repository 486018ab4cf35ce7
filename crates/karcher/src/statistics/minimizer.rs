//! A point that nearly minimizes a user's loss.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "minimizer",
    noun: "minimizer of a loss",
    kind: "a minimizer",
    point: "private minimizer",
    title: "Private minimizer",
    ball: BallUse::ClipsGradients,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
