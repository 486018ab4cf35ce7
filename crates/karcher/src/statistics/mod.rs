//! The statistics, a room each: what every face says of one, and what may be asked of it.
//!
//! A statistic joins the library by its file and one line in `registry.rs`.

mod ball;
mod count;
mod extrinsic_mean;
mod feature_regression;
mod frechet_mean;
mod frechet_variance;
mod geodesic_regression;
mod geometric_median;
mod k_means;
mod minimizer;
mod record;

use crate::release::{Adjacency, StatisticName};

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
    /// A noun: "Fréchet mean".
    pub noun: &'static str,
    /// One of its kind, with an article: "a mean".
    pub kind: &'static str,
    /// The released point, or the point that is released for it: "private mean".
    pub point: &'static str,
    /// The title of a picture or a page: "Private mean".
    pub title: &'static str,
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

/// The description of each, from the list of the registry.
macro_rules! descriptions {
    ($($(#[$about:meta])* $variant:ident $room:ident;)*) => {
        impl StatisticName {
            /// Every name.
            pub const ALL: [StatisticName; [$(stringify!($room)),*].len()] = [$(StatisticName::$variant),*];

            /// What all faces say of the statistic.
            pub fn description(self) -> &'static Description {
                match self {
                    $(StatisticName::$variant => &$room::DESCRIPTION,)*
                }
            }
        }
    };
}
crate::registry::statistics!(descriptions);

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
