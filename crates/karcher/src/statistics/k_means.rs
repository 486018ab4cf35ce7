//! Centers of clusters.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "k-means",
    noun: "clusters",
    kind: "clusters",
    point: "private centers",
    title: "Private clusters",
    ball: BallUse::Clips,
    takes_whole_space: true,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
