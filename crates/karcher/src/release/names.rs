//! The names of statistics and mechanisms, and the subjects of proofs.

use crate::error::Error;
use crate::noise::Law;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A statistic of records, by name.
///
/// ```
/// use karcher::{mechanism::mechanisms_for, release::StatisticName};
/// assert_eq!(StatisticName::GeodesicRegression.name(), "geodesic-regression");
/// assert!(mechanisms_for(StatisticName::GeodesicRegression).count() > 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StatisticName {
    /// The Fréchet mean.
    FrechetMean,
    /// Geodesic regression on one predictor.
    GeodesicRegression,
    /// Linear regression on features.
    FeatureRegression,
    /// The geometric median.
    GeometricMedian,
    /// A ball that holds most records.
    Ball,
    /// The Fréchet variance about a public point.
    FrechetVariance,
    /// The number of records.
    Count,
    /// One record, randomized by the person it is about.
    Record,
    /// The extrinsic mean: of embedded records, without a ball.
    ExtrinsicMean,
    /// Centers of clusters.
    KMeans,
    /// A point that nearly minimizes a user's loss.
    Minimizer,
}

impl StatisticName {
    /// Every name.
    pub const ALL: [StatisticName; 11] = [
        StatisticName::FrechetMean,
        StatisticName::GeodesicRegression,
        StatisticName::FeatureRegression,
        StatisticName::GeometricMedian,
        StatisticName::Ball,
        StatisticName::FrechetVariance,
        StatisticName::Count,
        StatisticName::Record,
        StatisticName::ExtrinsicMean,
        StatisticName::KMeans,
        StatisticName::Minimizer,
    ];

    /// The statistic's name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StatisticName::FrechetMean => "frechet-mean",
            StatisticName::GeodesicRegression => "geodesic-regression",
            StatisticName::FeatureRegression => "feature-regression",
            StatisticName::GeometricMedian => "geometric-median",
            StatisticName::Ball => "ball",
            StatisticName::FrechetVariance => "frechet-variance",
            StatisticName::Count => "count",
            StatisticName::Record => "record",
            StatisticName::ExtrinsicMean => "extrinsic-mean",
            StatisticName::KMeans => "k-means",
            StatisticName::Minimizer => "minimizer",
        }
    }

    /// Whether its ball may be the whole of a bounded space, which then is the default. Means and regressions need a
    /// smaller ball for their sensitivity. A record and a minimizer depend on the center of the ball.
    pub fn takes_whole_space(self) -> bool {
        match self {
            StatisticName::GeometricMedian | StatisticName::FrechetVariance | StatisticName::KMeans => true,
            StatisticName::FrechetMean
            | StatisticName::GeodesicRegression
            | StatisticName::FeatureRegression
            | StatisticName::Ball
            | StatisticName::Count
            | StatisticName::Record
            | StatisticName::ExtrinsicMean
            | StatisticName::Minimizer => false,
        }
    }

    /// The statistic as a noun.
    ///
    /// ```
    /// use karcher::release::StatisticName;
    /// assert_eq!(StatisticName::Minimizer.noun(), "minimizer of a loss");
    /// ```
    pub fn noun(self) -> &'static str {
        match self {
            StatisticName::FrechetMean => "Fréchet mean",
            StatisticName::GeodesicRegression => "geodesic regression",
            StatisticName::FeatureRegression => "regression on features",
            StatisticName::GeometricMedian => "geometric median",
            StatisticName::Ball => "ball",
            StatisticName::FrechetVariance => "Fréchet variance",
            StatisticName::Count => "number of records",
            StatisticName::Record => "record",
            StatisticName::ExtrinsicMean => "extrinsic mean",
            StatisticName::KMeans => "clusters",
            StatisticName::Minimizer => "minimizer of a loss",
        }
    }

    /// The name of a released point of it, or of the center that it has: "private mean".
    ///
    /// ```
    /// use karcher::release::StatisticName;
    /// assert_eq!(StatisticName::Minimizer.point(), "private minimizer");
    /// ```
    pub fn point(self) -> &'static str {
        match self {
            StatisticName::FrechetMean => "private mean",
            StatisticName::GeometricMedian => "private median",
            StatisticName::ExtrinsicMean => "private extrinsic mean",
            StatisticName::Minimizer => "private minimizer",
            StatisticName::Ball => "private center",
            StatisticName::KMeans => "private centers",
            StatisticName::GeodesicRegression => "private footpoint",
            StatisticName::FeatureRegression => "private prediction",
            StatisticName::FrechetVariance => "private variance",
            StatisticName::Count => "private number",
            StatisticName::Record => "randomized record",
        }
    }
}

impl fmt::Display for StatisticName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The enumeration of the names of all mechanisms, from the list of the registry.
macro_rules! mechanism_names {
    ($($(#[$about:meta])* $variant:ident $name:literal $planner:ident;)*) => {
        /// A mechanism, by name.
        ///
        /// ```
        /// use karcher::release::MechanismName;
        /// assert_eq!("karcher-flow".parse::<MechanismName>()?, MechanismName::KarcherFlow);
        /// assert!(MechanismName::ALL.iter().all(|mechanism| mechanism.name().parse() == Ok(*mechanism)));
        /// assert!("karcher".parse::<MechanismName>().is_err());
        /// # Ok::<(), karcher::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum MechanismName {
            $($(#[$about])* #[serde(rename = $name)] $variant,)*
        }

        impl MechanismName {
            /// Every name.
            pub const ALL: [MechanismName; [$($name),*].len()] = [$(MechanismName::$variant),*];

            /// The mechanism's name, as in JSON and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(MechanismName::$variant => $name,)*
                }
            }
        }
    };
}
crate::registry::mechanisms!(mechanism_names);

impl From<Law> for MechanismName {
    fn from(law: Law) -> Self {
        match law {
            Law::Laplace => MechanismName::Laplace,
            Law::Gaussian => MechanismName::Gaussian,
        }
    }
}

impl fmt::Display for MechanismName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for MechanismName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = MechanismName::ALL.into_iter().find(|known| known.name() == name.trim());
        known.ok_or_else(|| {
            let expected = MechanismName::ALL.map(MechanismName::name).join(", ");
            Error::UnknownMechanism { name: name.to_owned(), expected }
        })
    }
}

/// The subject of the proof of a guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Numerics {
    /// The released bits.
    Exact,
    /// Real numbers; the program's numbers are an image of them.
    Idealized,
    /// The limit law of a Markov chain that was stopped at a finite time.
    Mcmc,
}

impl Numerics {
    /// The name, as in JSON.
    ///
    /// ```
    /// use karcher::release::Numerics;
    /// assert_eq!(Numerics::Idealized.name(), "idealized");
    /// assert_eq!(Numerics::Idealized.weaker(Numerics::Exact), Numerics::Idealized);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Numerics::Exact => "exact",
            Numerics::Idealized => "idealized",
            Numerics::Mcmc => "mcmc",
        }
    }

    /// The weaker of two numerics, for a release with a part of each.
    #[must_use]
    pub fn weaker(self, other: Self) -> Self {
        self.max(other)
    }
}
