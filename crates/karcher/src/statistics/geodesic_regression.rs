//! Geodesic regression on one predictor.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "geodesic-regression",
    noun: "geodesic regression",
    kind: "a regression",
    point: "private footpoint",
    title: "Private geodesic regression",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "take linear on a flat space, or let the number of records be public",
};
