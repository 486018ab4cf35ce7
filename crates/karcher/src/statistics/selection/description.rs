//! One of several public candidates, by a utility.

use crate::mechanism::PrivateSelection;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::field;
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "selection",
    option: "selection",
    about: "One of several public candidates, by how useful each is for the records.",
    error: "utility that the chosen candidate misses, as a share of the records",
    noun: "choice among candidates",
    kind: "a choice",
    point: "private choice",
    title: "Private choice",
    meaning: "The candidate with nearly the largest sum of utilities over the records.",
    ball: BallUse::None,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Selection,
    mechanisms: &[MechanismName::NoisyMaximum],
    is_approximate: false,
    accuracy: |_| "the utility that the choice misses, as a share of the records",
    fields: &["candidates"],
    helps: &[],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "selection", "candidates": ["lda", "ridge"],
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| match &spec.candidates {
        Some(candidates) => Ok(Arc::new(PrivateSelection::new(candidates.clone())?)),
        None => Err(field("candidates", "is missing: name the candidates")),
    },
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(Selection, PrivateSelection);
