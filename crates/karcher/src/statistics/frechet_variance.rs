//! The Fréchet variance about a public point.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "frechet-variance",
    noun: "Fréchet variance",
    kind: "a variance",
    point: "private variance",
    title: "Private Fréchet variance",
    ball: BallUse::Clips,
    takes_whole_space: true,
    unit: Unit::SquareLength,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
