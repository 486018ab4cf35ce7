//! The statistics, a folder each: its description, its parameters and its mechanisms with their proofs.
//!
//! A statistic joins the library by its folder, two lines here, and one line in `registry.rs`.

pub(crate) mod ball;
pub(crate) mod count;
pub(crate) mod covariance;
pub(crate) mod extrinsic_mean;
pub(crate) mod feature_regression;
pub(crate) mod frechet_mean;
pub(crate) mod frechet_variance;
pub(crate) mod geodesic_regression;
pub(crate) mod geometric_median;
pub(crate) mod k_means;
pub(crate) mod minimizer;
pub(crate) mod quantiles;
pub(crate) mod record;
pub(crate) mod score;
pub(crate) mod selection;

/// What asks for each, which [`mechanism`](crate::mechanism) offers.
pub(crate) mod requests {
    pub use super::ball::PrivateLocation;
    pub use super::covariance::PrivateCovariance;
    pub use super::extrinsic_mean::PrivateExtrinsicMean;
    pub use super::feature_regression::PrivateFeatureRegression;
    pub use super::frechet_mean::PrivateFrechetMean;
    pub use super::frechet_variance::PrivateFrechetVariance;
    pub use super::geodesic_regression::PrivateRegression;
    pub use super::geometric_median::PrivateGeometricMedian;
    pub use super::k_means::PrivateKMeans;
    pub use super::minimizer::PrivateDescent;
    pub use super::quantiles::PrivateQuantiles;
    pub use super::score::PrivateScore;
    pub use super::selection::PrivateSelection;
}

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::field::FIELDS;
use crate::manifold::Manifold;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Plan, Request};
use crate::noise::Law;
use crate::records::SumQuery;
use crate::release::{Adjacency, MechanismName, Provenance, StatisticName, ValueKind};
use crate::spec::{ReleaseSpec, field};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// A statistic with its public parameters.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Statistic}, release::StatisticName};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let statistic: Arc<dyn Statistic> =
///     Arc::new(PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?);
/// assert_eq!((statistic.name(), statistic.ball().radius()), (StatisticName::FrechetMean, 0.5));
/// assert!(statistic.as_a::<PrivateFrechetMean>().is_some());
/// # Ok::<(), karcher::Error>(())
/// ```
pub trait Statistic: Any + Debug + Send + Sync + Sealed {
    /// Its name.
    fn name(&self) -> StatisticName;

    /// The space.
    fn manifold(&self) -> &Arc<dyn Manifold>;

    /// The public ball.
    fn ball(&self) -> &Ball;

    /// Its optional parameters that were given, which only some mechanisms take.
    fn given(&self) -> Vec<&'static str> {
        vec![]
    }
}

impl dyn Statistic {
    /// The statistic as one of this type, if it is one.
    pub fn as_a<S: Statistic>(&self) -> Option<&S> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A statistic of a space and a ball, by its name and its type.
macro_rules! statistic {
    ($name:ident, $of:ty $(, $given:item)?) => {
        impl crate::mechanism::plan::sealed::Sealed for $of {}

        impl crate::statistics::Statistic for $of {
            fn name(&self) -> crate::release::StatisticName {
                crate::release::StatisticName::$name
            }

            fn manifold(&self) -> &std::sync::Arc<dyn crate::manifold::Manifold> {
                self.manifold()
            }

            fn ball(&self) -> &crate::ball::Ball {
                self.ball()
            }

            $($given)?
        }
    };
}
use statistic;

/// What all faces say of a statistic, and what may be asked of it.
///
/// ```
/// use karcher::release::StatisticName;
/// let minimizer = StatisticName::Minimizer.description();
/// assert_eq!((minimizer.noun, minimizer.point), ("minimizer of a loss", "private minimizer"));
/// let spec: karcher::ReleaseSpec = serde_json::from_str(minimizer.example)?;
/// assert_eq!(spec.descent()?.ball().radius(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Description {
    /// The name in JSON.
    pub name: &'static str,
    /// The name on the command line.
    pub option: &'static str,
    /// A description in a sentence for help texts.
    pub about: &'static str,
    /// The meaning of the error that a plan expects.
    pub error: &'static str,
    /// A noun: "Fréchet mean".
    pub noun: &'static str,
    /// One of its kind, with an article: "a mean".
    pub kind: &'static str,
    /// The released point, or the point that is released for it: "private mean".
    pub point: &'static str,
    /// The title of a picture or a page: "Private mean".
    pub title: &'static str,
    /// What it is, in a sentence.
    pub meaning: &'static str,
    /// What the public ball is for.
    pub ball: BallUse,
    /// Whether the ball may be the whole of a bounded space, which then is the default. Means and regressions need a
    /// smaller ball for their sensitivity. A record and a minimizer depend on the center of the ball.
    pub takes_whole_space: bool,
    /// The unit of its error.
    pub unit: Unit,
    /// The neighbours that it is private for by default.
    pub adjacency: Adjacency,
    /// The advice where a mechanism has no proof for add-remove neighbours.
    pub instead_of_add_remove: &'static str,
    /// The kind of value that its releases hold.
    pub value: ValueKind,
    /// The mechanisms that release it, in the order in which they are compared: the first of equals is taken.
    pub mechanisms: &'static [MechanismName],
    /// Whether its expected error is an approximation, and no bound.
    pub is_approximate: bool,
    /// What the expected error of a release is.
    pub accuracy: fn(&Provenance) -> &'static str,
    /// The fields of a specification that it takes, of those that only some statistics take. The name of an object
    /// stands for all its parts.
    pub fields: &'static [&'static str],
    /// Sentences of the help for options that mean something else here.
    pub helps: &'static [(&'static str, &'static str)],
    /// Whether reports draw its releases, on spaces with pictures.
    pub is_drawn: bool,
    /// A short specification of it, in JSON.
    pub example: &'static str,
    /// The statistic that a checked specification asks for.
    pub(crate) of: fn(&ReleaseSpec) -> Result<Arc<dyn Statistic>>,
    /// What its mechanism asks of the records first, where that is known.
    pub(crate) first_query: fn(&ReleaseSpec) -> Result<Option<SumQuery>>,
    /// Its plan with noise of a law, for the neighbours of the request. None if it is a mean, or has no such plan.
    pub(crate) by_law: Option<PlanByLaw>,
}

/// A plan with noise of a law.
pub(crate) type PlanByLaw = fn(&Request, Law) -> Result<Box<dyn Plan>>;

impl PartialEq for Description {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Description {}

impl Description {
    /// Whether it is of points of a space, and not a number of records.
    pub(crate) const fn is_on_spaces(&self) -> bool {
        !matches!(self.value, ValueKind::Count | ValueKind::Score | ValueKind::Selection)
    }

    /// Whether it has a public ball.
    pub(crate) const fn has_ball(&self) -> bool {
        !matches!(self.ball, BallUse::None)
    }

    /// Whether a collector of many records releases it on a space.
    pub(crate) const fn is_collected(&self) -> bool {
        !matches!(self.value, ValueKind::Count | ValueKind::Record)
    }

    /// Whether a collector releases it, and needs no field of its own.
    pub(crate) const fn is_of_balls(&self) -> bool {
        self.is_collected() && !self.needs_fields()
    }

    /// Whether it takes a field that only some statistics take.
    pub(crate) const fn takes(&self, path: &str) -> bool {
        let mut i = 0;
        while i < self.fields.len() {
            if is_part(path.as_bytes(), self.fields[i].as_bytes()) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether a specification needs fields of its own, besides a space, a ball and a budget.
    pub const fn needs_fields(&self) -> bool {
        let mut i = 0;
        while i < FIELDS.len() {
            let field = &FIELDS[i];
            if field.is_required && is_whole(field.path.as_bytes()) && self.takes(field.path) {
                return true;
            }
            i += 1;
        }
        false
    }
}

/// Whether a path is that of a field that is no part of another one.
const fn is_whole(path: &[u8]) -> bool {
    match path {
        [] => true,
        [b'.', ..] => false,
        [_, rest @ ..] => is_whole(rest),
    }
}

/// Whether a path is that of a field, or of a part of it.
const fn is_part(path: &[u8], field: &[u8]) -> bool {
    match (path, field) {
        ([] | [b'.', ..], []) => true,
        ([one, path @ ..], [other, field @ ..]) => *one == *other && is_part(path, field),
        ([], [_, ..]) | ([_, ..], []) => false,
    }
}

/// What the public ball of a statistic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BallUse {
    /// It takes no ball.
    None,
    /// Records outside are clipped to it.
    Clips,
    /// The released point stays in it.
    Outer,
    /// A smaller ball is searched in it.
    Searched,
    /// The released point stays in it, and the gradients of records are clipped.
    ClipsGradients,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// That of distances.
    Length,
    /// That of squared distances.
    SquareLength,
}

impl Unit {
    /// Its name on a space.
    ///
    /// ```
    /// use karcher::{manifold::Sphere, statistics::Unit};
    /// assert_eq!(Unit::Length.name_on(&Sphere::new(2)?), "radians");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn name_on(self, space: &dyn Manifold) -> &'static str {
        match self {
            Unit::Length if space.distances_are_angles() => "radians",
            Unit::Length => "units of the space",
            Unit::SquareLength => "squared units of the space",
        }
    }
}

/// The statistics whose descriptions say something, in the order of the list.
macro_rules! statistics_that {
    ($says:ident $(($path:literal))?) => {{
        const NUMBER: usize = {
            let (mut found, mut i) = (0, 0);
            while i < StatisticName::ALL.len() {
                found += StatisticName::ALL[i].description().$says($($path)?) as usize;
                i += 1;
            }
            found
        };
        const FOUND: [StatisticName; NUMBER] = {
            let (mut all, mut found, mut i) = ([StatisticName::ALL[0]; NUMBER], 0, 0);
            while i < StatisticName::ALL.len() {
                if StatisticName::ALL[i].description().$says($($path)?) {
                    all[found] = StatisticName::ALL[i];
                    found += 1;
                }
                i += 1;
            }
            all
        };
        &FOUND
    }};
}
pub(crate) use statistics_that;

/// The error of a statistic that no request plans.
fn unplanned(name: StatisticName) -> Error {
    field("statistic", format!("a {name} is not planned like this"))
}

/// The description of each, from the list of the registry.
macro_rules! descriptions {
    ($($(#[$about:meta])* $variant:ident $module:ident;)*) => {
        impl StatisticName {
            /// Every name.
            pub const ALL: [StatisticName; [$(stringify!($module)),*].len()] = [$(StatisticName::$variant),*];

            /// What all faces say of the statistic.
            pub const fn description(self) -> &'static Description {
                match self {
                    $(StatisticName::$variant => &$module::DESCRIPTION,)*
                }
            }
        }
    };
}
crate::registry::statistics!(descriptions);

impl StatisticName {
    /// The mechanism that releases it, if there is only one.
    ///
    /// ```
    /// use karcher::release::{MechanismName, StatisticName};
    /// assert_eq!(StatisticName::KMeans.only_mechanism(), Some(MechanismName::Lloyd));
    /// assert_eq!(StatisticName::FrechetMean.only_mechanism(), None);
    /// ```
    pub fn only_mechanism(self) -> Option<MechanismName> {
        match self.description().mechanisms {
            [only] => Some(*only),
            [] | [_, _, ..] => None,
        }
    }

    /// The statistics that a space, a public ball and a budget are enough to ask for, and that a collector releases.
    ///
    /// ```
    /// use karcher::release::StatisticName;
    /// assert!(StatisticName::OF_BALLS.contains(&StatisticName::GeometricMedian));
    /// assert!(!StatisticName::OF_BALLS.contains(&StatisticName::KMeans)); // its number of clusters is missing
    /// ```
    pub const OF_BALLS: &'static [StatisticName] = statistics_that!(is_of_balls);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json_and_none_is_there_twice() {
        let names: Vec<&str> = StatisticName::ALL.map(StatisticName::name).to_vec();
        assert_eq!(serde_json::json!(StatisticName::ALL), serde_json::json!(names));
        let mut each = names.clone();
        each.sort_unstable();
        each.dedup();
        assert_eq!(each.len(), names.len());
    }
}
