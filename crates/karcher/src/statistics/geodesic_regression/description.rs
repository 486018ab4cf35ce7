//! Geodesic regression on one predictor.

use crate::mechanism::PrivateRegression;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::field;
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "geodesic-regression",
    option: "geodesic-regression",
    about: "Geodesic regression on one predictor.",
    error: "root mean square distance to the least-squares geodesic over the range",
    noun: "geodesic regression",
    kind: "a regression",
    point: "private footpoint",
    title: "Private geodesic regression",
    meaning: "The geodesic, a straight line of the space, that fits the records best as a predictor grows.",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "take linear on a flat space, or let the number of records be public",
    value: ValueKind::Geodesic,
    mechanisms: &[MechanismName::Linear, MechanismName::GradientDescent, MechanismName::Kng],
    is_approximate: true,
    accuracy: |_| "the distance to the least-squares geodesic over the range",
    fields: &["predictor_range", "slope_bound", "residual_bound", "steps"],
    helps: &[
        (
            "radius",
            "Radius of the public ball. Records farther from its center are moved to its edge. Units are those of \
             distance (radians on a sphere), or given: 20deg, 2000km (on sphere:2, the Earth). Optional with \
             --shrink-trace, like the center.",
        ),
        ("steps", "Number of steps of the descent, up to 100. Default: the number that promises the smallest error."),
    ],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "geodesic-regression", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "predictor_range": {"low": 0, "high": 1}, "slope_bound": 0.5,
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| {
        let (Some(range), Some(slope)) = (spec.predictor_range, spec.slope_bound) else {
            return Err(field("slope_bound", "is missing: a regression needs it"));
        };
        let regression = PrivateRegression::new(spec.manifold()?, spec.public_ball()?, range, slope)?;
        Ok(Arc::new(match spec.residual_bound {
            Some(bound) => regression.residual_bound(bound)?,
            None => regression,
        }))
    },
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(GeodesicRegression, PrivateRegression);
