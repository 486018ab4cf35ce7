//! A ball that holds most records.

use crate::error::Result;
use crate::mechanism::PrivateLocation;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::{BallSpec, ReleaseSpec};
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "ball",
    option: "ball",
    about: "A ball that holds most records: its radius is that of the public outer ball.",
    error: "distance of the ball's center from the median, simulated with made-up clusters",
    noun: "ball",
    kind: "a ball",
    point: "private center",
    title: "Private ball",
    meaning: "A ball that holds most of the records.",
    ball: BallUse::Searched,
    takes_whole_space: true,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Ball,
    mechanisms: &[MechanismName::Locate],
    is_approximate: false,
    accuracy: |_| "the distance of the center from the one without noise",
    fields: &["ball.within", "ball.quantile", "steps", "expected_spread"],
    helps: &[
        (
            "center",
            "Center of the public outer ball, as for karcher mean --center: numbers in the layout and the units of the \
             records, a file, S*identity or `origin`. Default: origin on euclidean and hyperbolic space, and if the \
             whole space is searched; required elsewhere.",
        ),
        (
            "within",
            "Radius of the public outer ball, in units of distance (radians on a sphere), or with a unit: 20deg, \
             2000km. Default: the whole space if it is bounded (spheres, shapes); required elsewhere.",
        ),
        (
            "steps",
            "Number of steps of the flow that finds the center, up to 1,000. Default: the number that does best in a \
             simulation, or no flow if medians of coordinates do better.",
        ),
    ],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "ball", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "within": 1}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(spec.location()?)),
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(Ball, PrivateLocation);

impl ReleaseSpec {
    /// The location of a ball, by itself or before a mean.
    pub(crate) fn location(&self) -> Result<PrivateLocation> {
        let location = PrivateLocation::new(self.manifold()?, self.public_ball()?)?;
        match &self.ball {
            Some(BallSpec::Locate { quantile: Some(quantile), .. }) => location.quantile(*quantile),
            Some(BallSpec::Known { .. } | BallSpec::Factors { .. } | BallSpec::Locate { quantile: None, .. })
            | None => Ok(location),
        }
    }
}
