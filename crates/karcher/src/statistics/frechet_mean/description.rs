//! The Fréchet mean.

use crate::mechanism::PrivateFrechetMean;
use crate::release::{Adjacency, MechanismName, ValueKind};
use crate::spec::BallSpec;
use crate::statistics::{BallUse, Description, Unit, statistic};
use std::sync::Arc;

pub(in crate::statistics) const DESCRIPTION: Description = Description {
    name: "frechet-mean",
    option: "mean",
    about: "The Fréchet mean: the point with the smallest sum of squared distances to the records.",
    error: "distance to the mean of the clipped records",
    noun: "Fréchet mean",
    kind: "a mean",
    point: "private mean",
    title: "Private mean",
    meaning: "The point whose squared distances to the records have the smallest sum.",
    ball: BallUse::Clips,
    takes_whole_space: false,
    unit: Unit::Length,
    adjacency: Adjacency::ReplaceOne,
    instead_of_add_remove: "take chart, or karcher-flow, or let the number of records be public",
    value: ValueKind::Point,
    mechanisms: &[
        MechanismName::Laplace,
        MechanismName::Gaussian,
        MechanismName::Chart,
        MechanismName::Kng,
        MechanismName::KarcherFlow,
        MechanismName::TwoStage,
    ],
    is_approximate: false,
    accuracy: |how| match how.mechanism == MechanismName::KarcherFlow && how.bias_bound.is_none() {
        true => "the distance to where the flow ends without noise",
        false => "the distance to the mean of the clipped records",
    },
    fields: &[
        "ball.radii",
        "ball.within",
        "ball.quantile",
        "groups",
        "steps",
        "calibration",
        "bound",
        "tolerance",
        "denoise",
        "assume_in_ball",
        "expected_spread",
        "spread",
        "components",
        "region",
    ],
    helps: &[(
        "basis",
        "File of a public basis, .npy or .csv: tangent vectors at the center of the ball, one a row, with the numbers \
         of a point. The mean is taken in their span, in the tangent space at the center. The noise then has the \
         dimension of the span.",
    )],
    is_drawn: true,
    example: r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:2",
        "ball": {"center": [0, 0], "radius": 1}, "budget": {"definition": "gaussian", "mu": 1}}"#,
    of: |spec| {
        let mean = PrivateFrechetMean::new(spec.manifold()?, spec.public_ball()?)?;
        let mean = mean.bound(spec.bound).tolerance(spec.tolerance).denoise(spec.denoise);
        Ok(Arc::new(mean.assume_in_ball(spec.assume_in_ball)))
    },
    first_query: |spec| match &spec.ball {
        Some(BallSpec::Known { .. } | BallSpec::Factors { .. }) => {
            Ok(Some(PrivateFrechetMean::new(spec.manifold()?, spec.public_ball()?)?.first_query()?))
        }
        Some(BallSpec::Locate { .. }) | None => Ok(None),
    },
    by_law: None,
};

statistic!(
    FrechetMean,
    PrivateFrechetMean,
    fn given(&self) -> Vec<&'static str> {
        self.given()
    }
);
