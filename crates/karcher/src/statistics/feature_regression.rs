//! Linear regression on features.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "feature-regression",
    noun: "regression on features",
    kind: "a regression",
    point: "private prediction",
    title: "Private regression on features",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
