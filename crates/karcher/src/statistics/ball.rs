//! A ball that holds most records.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "ball",
    noun: "ball",
    kind: "a ball",
    point: "private center",
    title: "Private ball",
    ball: BallUse::Searched,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
