//! Centers of clusters.

use crate::mechanism::PrivateKMeans;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::field;
use crate::statistics::{BallUse, Description, Unit, statistic};
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
    value: ValueKind::Clusters,
    mechanisms: &[MechanismName::Lloyd],
    is_approximate: false,
    accuracy: |_| "the distance of an average cluster's center from the one without noise",
    fields: &["clusters", "steps"],
    helps: &[
        (
            "radius",
            "Radius of the public ball that holds most records, in units of distance (radians on a sphere), or with a \
             unit: 20deg, 2000km. Default: the whole space if it is bounded (spheres, shapes); required elsewhere.",
        ),
        ("steps", "Number of steps. Default: 3."),
    ],
    is_drawn: false,
    example: r#"{"spec": 1, "statistic": "k-means", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "clusters": {"number": 2},
        "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| match &spec.clusters {
        Some(clusters) => Ok(Arc::new(PrivateKMeans::new(spec.manifold()?, spec.public_ball()?, clusters.clone())?)),
        None => Err(field("clusters", "is missing: a k-means needs it")),
    },
    first_query: |_| Ok(None),
    by_law: None,
};

statistic!(KMeans, PrivateKMeans);
