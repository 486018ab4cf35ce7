//! The extrinsic mean: of embedded records, without a ball.

use crate::mechanism::PrivateExtrinsicMean;
use crate::release::{Adjacency, Value};
use crate::statistics::{BallUse, Description, Program, Unit, statistic};
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
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |spec| Ok(Arc::new(PrivateExtrinsicMean::new(spec.manifold()?)?)),
    first_query: |spec| Ok(Some(PrivateExtrinsicMean::new(spec.manifold()?)?.query()?)),
    holds: |value| matches!(value, Value::Point(_)),
};

statistic!(ExtrinsicMean, PrivateExtrinsicMean);
