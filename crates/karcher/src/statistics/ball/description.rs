//! A ball that holds most records.

use crate::error::Result;
use crate::mechanism::PrivateLocation;
use crate::release::{Adjacency, Value};
use crate::spec::{BallSpec, ReleaseSpec};
use crate::statistics::{BallUse, Description, Program, Unit, statistic};
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
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |spec| Ok(Arc::new(spec.location()?)),
    first_query: |_| Ok(None),
    holds: |value| matches!(value, Value::Ball(_)),
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
