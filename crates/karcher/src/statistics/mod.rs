//! The statistics, a folder each: its description, its parameters and its mechanisms with their proofs.
//!
//! A statistic joins the library by its folder and one line in `registry.rs`.

pub(crate) mod ball;
pub(crate) mod count;
pub(crate) mod extrinsic_mean;
pub(crate) mod feature_regression;
pub(crate) mod frechet_mean;
pub(crate) mod frechet_variance;
pub(crate) mod geodesic_regression;
pub(crate) mod geometric_median;
pub(crate) mod k_means;
pub(crate) mod minimizer;
pub(crate) mod record;

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::mechanisms_for;
use crate::mechanism::plan::sealed::Sealed;
use crate::records::SumQuery;
use crate::release::{Adjacency, MechanismName, StatisticName, Value};
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

/// How a statistic is made of a specification, and what its releases hold.
pub(crate) struct Program {
    /// The statistic that a checked specification asks for.
    pub(crate) of: fn(&ReleaseSpec) -> Result<Arc<dyn Statistic>>,
    /// What its mechanism asks of the records first, where that is known.
    pub(crate) first_query: fn(&ReleaseSpec) -> Result<Option<SumQuery>>,
    /// Whether its releases hold such a value.
    pub(crate) holds: fn(&Value) -> bool,
}

/// What all faces say of a statistic, and what may be asked of it.
///
/// ```
/// use karcher::release::StatisticName;
/// let minimizer = StatisticName::Minimizer.description();
/// assert_eq!((minimizer.noun, minimizer.point), ("minimizer of a loss", "private minimizer"));
/// ```
#[derive(Debug, PartialEq, Eq)]
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

/// The error of a statistic that no request plans.
fn unplanned(name: StatisticName) -> Error {
    field("statistic", format!("a {name} is not planned like this"))
}

/// The description and the program of each, from the list of the registry.
macro_rules! descriptions {
    ($($(#[$about:meta])* $variant:ident $module:ident;)*) => {
        impl StatisticName {
            /// Every name.
            pub const ALL: [StatisticName; [$(stringify!($module)),*].len()] = [$(StatisticName::$variant),*];

            /// What all faces say of the statistic.
            pub fn description(self) -> &'static Description {
                match self {
                    $(StatisticName::$variant => &$module::DESCRIPTION,)*
                }
            }

            pub(crate) fn program(self) -> &'static Program {
                match self {
                    $(StatisticName::$variant => &$module::PROGRAM,)*
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
        let mut all = mechanisms_for(self);
        all.next().filter(|_| all.next().is_none()).map(|mechanism| mechanism.name())
    }
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
