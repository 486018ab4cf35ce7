//! The Fréchet mean.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "frechet-mean",
    noun: "Fréchet mean",
    kind: "a mean",
    point: "private mean",
    title: "Private mean",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "take chart, or karcher-flow, or let the number of records be public",
};
