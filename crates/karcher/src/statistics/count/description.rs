//! The number of records.

use crate::release::{Adjacency, StatisticName, ValueKind};
use crate::statistics::{BallUse, Description, Unit, unplanned};

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "count",
    option: "count",
    about: "The number of records.",
    error: "distance to the number of records",
    noun: "number of records",
    kind: "a count",
    point: "private number",
    title: "Private number of records",
    meaning: "The number of records.",
    ball: BallUse::None,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::AddRemove,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Count,
    mechanisms: &[],
    is_approximate: false,
    accuracy: |_| "the distance to the number without noise",
    fields: &[],
    helps: &[],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "count", "budget": {"definition": "gaussian", "mu": 1},
        "adjacency": "add-remove"}"#,
    of: |_| Err(unplanned(StatisticName::Count)),
    first_query: |_| Ok(None),
    by_law: None,
};
