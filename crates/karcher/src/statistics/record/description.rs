//! One record, randomized by the person it is about.

use crate::release::{Adjacency, MechanismName, StatisticName, ValueKind};
use crate::statistics::{BallUse, Description, Unit, unplanned};

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
    value: ValueKind::Record,
    mechanisms: &[MechanismName::PrivUnit],
    is_approximate: false,
    accuracy: |_| "the distance to the record",
    fields: &[],
    helps: &[(
        "radius",
        "Radius of the public ball, the same for each person. Records farther from its center are moved to its edge. \
         In units of distance (radians on a sphere), or with a unit: 20deg, 2000km.",
    )],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "record", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |_| Err(unplanned(StatisticName::Record)),
    first_query: |_| Ok(None),
    by_law: None,
};
