//! One record, randomized by the person it is about.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "record",
    noun: "record",
    kind: "one record",
    point: "randomized record",
    title: "Randomized record",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
