//! The names of statistics and mechanisms, and the subjects of proofs.

use crate::error::Error;
use crate::noise::Law;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The enumeration of the names of all statistics, from the list of the registry.
macro_rules! statistic_names {
    ($($(#[$about:meta])* $variant:ident $room:ident;)*) => {
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
            $($(#[$about])* $variant,)*
        }
    };
}
crate::registry::statistics!(statistic_names);

impl StatisticName {
    /// The statistic's name, as in JSON.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// The name with its article.
    ///
    /// ```
    /// use karcher::release::StatisticName;
    /// assert_eq!(StatisticName::ExtrinsicMean.with_article(), "an extrinsic-mean");
    /// ```
    pub fn with_article(self) -> String {
        let name = self.name();
        if self == StatisticName::Quantiles {
            return name.to_owned(); // there are many
        }
        format!("{} {name}", if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
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
