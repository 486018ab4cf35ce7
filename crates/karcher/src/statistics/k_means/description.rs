//! Centers of clusters.

use crate::mechanism::PrivateKMeans;
use crate::release::{Adjacency, Value};
use crate::spec::field;
use crate::statistics::{BallUse, Description, Program, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "k-means",
    option: "k-means",
    about: "Centers of clusters, by noisy steps of Lloyd's algorithm.",
    error: "distance of a center to the same without the noise of the last step",
    noun: "clusters",
    kind: "clusters",
    point: "private centers",
    title: "Private clusters",
    meaning: "Centers of clusters, each nearest to its own records.",
    ball: BallUse::Clips,
    takes_whole_space: true,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "let the number of records be public",
};

pub(in crate::statistics) const PROGRAM: Program = Program {
    of: |spec| match &spec.clusters {
        Some(clusters) => Ok(Arc::new(PrivateKMeans::new(spec.manifold()?, spec.public_ball()?, clusters.clone())?)),
        None => Err(field("clusters", "is missing: a k-means needs it")),
    },
    first_query: |_| Ok(None),
    holds: |value| matches!(value, Value::Clusters(_)),
};

statistic!(KMeans, PrivateKMeans);
