//! The extrinsic mean: of embedded records, without a ball.

use crate::mechanism::PrivateExtrinsicMean;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "extrinsic-mean",
    option: "extrinsic-mean",
    about: "The extrinsic mean: the point nearest to the mean of embedded records. It takes no ball.",
    error: "distance to the extrinsic mean of the records",
    noun: "extrinsic mean",
    kind: "an extrinsic mean",
    point: "private extrinsic mean",
    title: "Private extrinsic mean",
    meaning: "The point whose embedding is nearest to the mean of the records' embeddings.",
    ball: BallUse::None,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
    value: ValueKind::Point,
    mechanisms: &[MechanismName::Extrinsic],
    is_approximate: true,
    accuracy: |how| match how.spec.as_ref().is_some_and(|spec| spec.expected_spread.is_some()) {
        true => "the distance to the extrinsic mean of the records, for the expected spread",
        false => "the distance to the extrinsic mean of the records; more where they are spread",
    },
    fields: &["groups", "expected_spread", "region"],
    helps: &[],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "extrinsic-mean", "manifold": "sphere:2",
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| Ok(Arc::new(PrivateExtrinsicMean::new(spec.manifold()?)?)),
    first_query: |spec| Ok(Some(PrivateExtrinsicMean::new(spec.manifold()?)?.query()?)),
    by_law: None,
};

statistic!(ExtrinsicMean, PrivateExtrinsicMean);
