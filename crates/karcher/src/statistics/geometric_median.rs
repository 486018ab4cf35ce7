//! The geometric median.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "geometric-median",
    noun: "geometric median",
    kind: "a median",
    point: "private median",
    title: "Private geometric median",
    ball: BallUse::Outer,
    takes_whole_space: true,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
