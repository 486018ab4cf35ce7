//! A score of fixed predictions.

use crate::mechanism::PrivateScore;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::field;
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "score",
    option: "score",
    about: "A score of fixed predictions of the records, such as an accuracy or a confusion matrix.",
    error: "distance to the score without noise, if classes are equal and numbers spread evenly",
    noun: "score of predictions",
    kind: "a score",
    point: "private score",
    title: "Private score",
    meaning: "How well fixed predictions agree with the records.",
    ball: BallUse::None,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Score,
    mechanisms: &[MechanismName::Table],
    is_approximate: false,
    accuracy: |_| "the distance to the score without noise, if classes are equal and numbers spread evenly",
    fields: &["score"],
    helps: &[],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "score", "score": {"metric": "accuracy"},
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| match &spec.score {
        Some(score) => Ok(Arc::new(PrivateScore::new(score.clone())?)),
        None => Err(field("score", "is missing: name the metric")),
    },
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(Score, PrivateScore);
