//! A point that nearly minimizes a user's loss.

use crate::error::Result;
use crate::mechanism::PrivateDescent;
use crate::release::{Adjacency, Value};
use crate::spec::{ReleaseSpec, field};
use crate::statistics::{BallUse, Description, Program, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "minimizer",
    option: "minimizer",
    about: "A point that nearly minimizes a user's loss, by noisy gradient steps.",
    error: "distance to where the descent ends without noise",
    noun: "minimizer of a loss",
    kind: "a minimizer",
    point: "private minimizer",
    title: "Private minimizer",
    meaning: "The point that a descent with noise reached, which nearly minimizes a loss over the records.",
    ball: BallUse::ClipsGradients,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |spec| Ok(Arc::new(spec.descent()?)),
    first_query: |_| Ok(None),
    holds: |value| matches!(value, Value::Point(_)),
};

statistic!(Minimizer, PrivateDescent);

impl ReleaseSpec {
    /// The descent, without its gradient.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for a specification without one, and those of [`PrivateDescent::new`].
    pub fn descent(&self) -> Result<PrivateDescent> {
        match &self.descent {
            Some(descent) => PrivateDescent::new(self.manifold()?, self.public_ball()?, descent.clone()),
            None => Err(field("descent", "is missing: a minimizer needs it")),
        }
    }
}
