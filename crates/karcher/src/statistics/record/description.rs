//! One record, randomized by the person it is about.

use crate::release::{Adjacency, StatisticName, Value};
use crate::statistics::{BallUse, Description, Program, Unit, unplanned};

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "record",
    option: "record",
    about: "One record, with noise that its person adds at home.",
    error: "distance of the randomized record to the record, at the center of the ball",
    noun: "record",
    kind: "one record",
    point: "randomized record",
    title: "Randomized record",
    meaning: "One record with so much noise that only the mean of many such records is useful.",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |_| Err(unplanned(StatisticName::Record)),
    first_query: |_| Ok(None),
    holds: |value| matches!(value, Value::Record(_)),
};
