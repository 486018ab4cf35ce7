//! The choice of a mechanism in a specification.

use super::field;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::release::MechanismName;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A mechanism by name, or `auto`.
///
/// ```
/// use karcher::{release::MechanismName, spec::MechanismChoice};
/// assert_eq!("auto".parse(), Ok(MechanismChoice::Auto));
/// assert_eq!("tangent-gaussian".parse::<MechanismChoice>()?.name(), Some(MechanismName::Gaussian));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MechanismChoice {
    /// `auto`: the mechanism with the smallest expected error.
    #[default]
    Auto,
    /// A mechanism by its name.
    Named(MechanismName),
    /// `tangent-gaussian`: the name that `gaussian` has in the literature on flat spaces of matrices.
    TangentGaussian,
}

/// The name of [`MechanismChoice::TangentGaussian`].
const TANGENT_GAUSSIAN: &str = "tangent-gaussian";

impl MechanismChoice {
    /// The mechanism that is named.
    pub fn name(self) -> Option<MechanismName> {
        match self {
            MechanismChoice::Auto => None,
            MechanismChoice::Named(name) => Some(name),
            MechanismChoice::TangentGaussian => Some(MechanismName::Gaussian),
        }
    }

    /// Refuses `tangent-gaussian` on a curved space, which has no single tangent space.
    ///
    /// # Errors
    /// [`Error::Field`].
    ///
    /// ```
    /// use karcher::{manifold::{SpdAffineInvariant, SpdLogEuclidean}, spec::MechanismChoice};
    /// assert!(MechanismChoice::TangentGaussian.check(&SpdLogEuclidean::new(2)?).is_ok());
    /// assert!(MechanismChoice::TangentGaussian.check(&SpdAffineInvariant::new(2)?).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn check(self, manifold: &dyn Manifold) -> Result<()> {
        if self != MechanismChoice::TangentGaussian || manifold.flat_chart().is_some() {
            return Ok(());
        }
        let reason = "tangent-gaussian is the name of gaussian on flat spaces; here gaussian adds noise around the \
                      mean, and chart in one tangent space";
        Err(field("mechanism", reason))
    }
}

impl From<MechanismName> for MechanismChoice {
    fn from(name: MechanismName) -> Self {
        MechanismChoice::Named(name)
    }
}

impl fmt::Display for MechanismChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MechanismChoice::Auto => "auto",
            MechanismChoice::Named(name) => name.name(),
            MechanismChoice::TangentGaussian => TANGENT_GAUSSIAN,
        })
    }
}

impl FromStr for MechanismChoice {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.trim() {
            "auto" => Ok(MechanismChoice::Auto),
            TANGENT_GAUSSIAN => Ok(MechanismChoice::TangentGaussian),
            name => name.parse().map(MechanismChoice::Named),
        }
    }
}

impl TryFrom<String> for MechanismChoice {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl From<MechanismChoice> for String {
    fn from(choice: MechanismChoice) -> Self {
        choice.to_string()
    }
}
