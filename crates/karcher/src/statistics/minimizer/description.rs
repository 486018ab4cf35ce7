//! A point that nearly minimizes a user's loss.

use crate::error::Result;
use crate::mechanism::PrivateDescent;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::{ReleaseSpec, field};
use crate::statistics::{BallUse, Description, Unit, statistic};
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
    value: ValueKind::Point,
    mechanisms: &[MechanismName::RiemannianDescent],
    is_approximate: false,
    accuracy: |_| "the distance to where the descent ends without noise",
    fields: &["descent"],
    helps: &[],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "minimizer", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1},
        "descent": {"records": "euclidean:2", "clip": 1, "step_sizes": [0.5, 0.3]},
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(spec.descent()?)),
    first_query: |_| Ok(None),
    by_law: None,
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
