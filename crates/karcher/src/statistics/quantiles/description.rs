//! Quantiles of positions: of numbers, angles or distances.

use crate::mechanism::PrivateQuantiles;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "quantiles",
    option: "quantiles",
    about: "Quantiles of numbers on a line, of angles on a circle, or of distances to the center of the ball.",
    error: "distance to the quantiles without noise, of records spread evenly over the range",
    noun: "quantiles",
    kind: "a list of quantiles",
    point: "private quantiles",
    title: "Private quantiles",
    meaning: "Positions below which given shares of the records lie, on a public grid.",
    ball: BallUse::Clips,
    takes_whole_space: true,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Quantiles,
    mechanisms: &[MechanismName::Distribution],
    is_approximate: true,
    accuracy: |_| "the distance to the quantiles without noise, of records spread evenly over the range",
    fields: &["quantiles", "groups"],
    helps: &[],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "quantiles", "manifold": "euclidean:1",
        "ball": {"center": [50], "radius": 50}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| {
        let quantiles = spec.quantiles.clone().unwrap_or_default();
        Ok(Arc::new(PrivateQuantiles::new(spec.manifold()?, spec.public_ball()?, quantiles)?))
    },
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(Quantiles, PrivateQuantiles);
