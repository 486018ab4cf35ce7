//! The extrinsic mean: of embedded records, without a ball.

use super::{BallUse, Description, Unit};
use crate::release::Adjacency;

pub(super) const DESCRIPTION: Description = Description {
    name: "extrinsic-mean",
    noun: "extrinsic mean",
    kind: "an extrinsic mean",
    point: "private extrinsic mean",
    title: "Private extrinsic mean",
    ball: BallUse::None,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};
