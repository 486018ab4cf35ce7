//! The geometric median.

use crate::mechanism::PrivateGeometricMedian;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "geometric-median",
    option: "median",
    about: "The geometric median: the point with the smallest sum of distances to the records. A minority \
            of wild records hardly moves it, and the ball may be of any size.",
    error: "distance to the median, simulated with made-up clusters",
    noun: "geometric median",
    kind: "a median",
    point: "private median",
    title: "Private geometric median",
    meaning: "The point whose distances to the records have the smallest sum.",
    ball: BallUse::Outer,
    takes_whole_space: true,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Point,
    mechanisms: &[MechanismName::MedianFlow],
    is_approximate: false,
    accuracy: |_| "the distance to the geometric median, simulated",
    fields: &["steps", "expected_spread"],
    helps: &[],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "geometric-median", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(PrivateGeometricMedian::new(spec.manifold()?, spec.public_ball()?)?)),
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(GeometricMedian, PrivateGeometricMedian);
