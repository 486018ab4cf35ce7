//! Errors about guarantees, budgets and noise.

/// The result of the crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a guarantee, a budget or noise was refused. No error depends on records.
///
/// ```
/// use karcher_privacy::{Error, Guarantee};
/// assert!(matches!(Guarantee::pure(0.0), Err(Error::InvalidParameter { name: "epsilon", .. })));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter outside its range.
    #[error("{} is {}: {requirement}", Words(name), Short(*value))]
    InvalidParameter {
        /// The parameter, as the library names it: `slope_bound`.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The requirement, and the advice.
        requirement: String,
    },
    /// A release that would spend more than is left of a budget, or in a definition that the budget does not count.
    #[error("{reason}")]
    OverBudget {
        /// The amounts requested, spent and left; or the reason why the guarantee is not counted.
        reason: String,
    },
    /// Noise on a space without a known exact profile.
    #[cfg(feature = "manifolds")]
    #[error("the {mechanism} mechanism is not available on {space}: {reason}")]
    Unsupported {
        /// The mechanism.
        mechanism: &'static str,
        /// The space.
        space: karcher_geometry::Space,
        /// The reason, and the alternative.
        reason: String,
    },
    /// The operating system gave no random numbers.
    #[error("the operating system gave no random numbers ({reason}): no private release can be made")]
    NoEntropy {
        /// The message of the operating system.
        reason: String,
    },
}

impl Error {
    /// The parameter that is to be changed, if the error is about one: `epsilon`.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// assert_eq!(Guarantee::gaussian(-1.0).unwrap_err().parameter(), Some("mu"));
    /// ```
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            Error::InvalidParameter { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// A number for people: as it is, but without hundreds of zeros.
pub(crate) struct Short(pub(crate) f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_plain = self.0 == 0.0 || !self.0.is_finite() || (1e-5..1e16).contains(&self.0.abs());
        if is_plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// The name of a parameter in words: `slope_bound` as "slope bound".
struct Words(&'static str);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.replace('_', " "))
    }
}
