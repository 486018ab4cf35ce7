//! Errors about spaces, points and balls.

use crate::space::Space;

/// The result of the crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a space, a point or a ball was refused.
///
/// ```
/// use karcher_geometry::manifold::Sphere;
/// let sentence = Sphere::new(0).unwrap_err().to_string();
/// assert!(sentence.starts_with("sphere:0 does not exist"), "{sentence}");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A manifold name that is not one of the library's.
    #[error("unknown manifold `{name}`: expected {expected}")]
    UnknownManifold {
        /// The name as given.
        name: String,
        /// The names that the library knows.
        expected: String,
    },
    /// Points, a ball or noise of one space where those of another were expected.
    #[error("{what} of {found} cannot be used on {expected}")]
    SpaceMismatch {
        /// The rejected value.
        what: &'static str,
        /// The space that was expected.
        expected: Space,
        /// The space it belongs to.
        found: Space,
    },
    /// Numbers that are not a tangent vector at their point.
    #[error("not a tangent vector of {space}: {reason}")]
    InvalidTangent {
        /// The space.
        space: Space,
        /// The reason, with the value.
        reason: String,
    },
    /// A size for which the space does not exist.
    #[error("{space} does not exist: the size must be from {minimum} to {maximum}")]
    InvalidSize {
        /// The space as asked for.
        space: Space,
        /// The smallest size allowed.
        minimum: usize,
        /// The largest size allowed.
        maximum: usize,
    },
    /// A list of numbers of the wrong length for a point.
    #[error("a point of {space} is {expected} numbers, found {found}")]
    WrongLength {
        /// The space.
        space: Space,
        /// Numbers in a point.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// Numbers that end within a point.
    #[error("a point of {space} is {point_len} numbers, and {found} numbers are not a multiple of {point_len}")]
    IncompletePoint {
        /// The space.
        space: Space,
        /// Numbers in a point.
        point_len: usize,
        /// Numbers given, of all points.
        found: usize,
    },
    /// Numbers that are not a point of the space.
    #[error("not a point of {space}: {reason}")]
    InvalidPoint {
        /// The space.
        space: Space,
        /// The reason, with the value.
        reason: String,
    },
    /// A center of a ball that is not a point of the space. It is public, as balls are.
    #[error("center is not a point of {space}: {reason}")]
    InvalidCenter {
        /// The space.
        space: Space,
        /// The reason, with the value.
        reason: String,
    },
    /// A record of the input that is not a point of the space.
    #[error("record {row}: {reason}")]
    InvalidRecord {
        /// The record's number, from 1.
        row: usize,
        /// The reason, with the value.
        reason: String,
    },
    /// No records at all.
    #[error("there are no records: a statistic needs at least one")]
    NoRecords,
    /// `Log_p(q)` where more than one shortest geodesic joins the points.
    #[error(
        "the logarithm does not exist: the points of {space} are at each other's cut locus (more than one shortest \
         geodesic joins them)"
    )]
    CutLocus {
        /// The space.
        space: Space,
    },
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
}

impl Error {
    /// The parameter that is to be changed, if the error is about one: `radius`.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Sphere};
    /// let error = Ball::at_origin(&Sphere::new(2)?, -1.0).unwrap_err();
    /// assert_eq!(error.parameter(), Some("radius"));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            Error::InvalidParameter { name, .. } => Some(name),
            Error::InvalidCenter { .. } => Some("center"),
            _ => None,
        }
    }

    /// Whether the text of the error may depend on the numbers of records.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::Sphere};
    /// assert!(Points::new(&Sphere::new(1)?, vec![0.9, 0.9]).unwrap_err().depends_on_records());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn depends_on_records(&self) -> bool {
        matches!(
            self,
            Error::InvalidRecord { .. }
                | Error::InvalidPoint { .. }
                | Error::InvalidTangent { .. }
                | Error::CutLocus { .. }
        )
    }
}

/// A number for people: as it is, but without hundreds of zeros.
///
/// ```
/// use karcher_geometry::error::Short;
/// assert_eq!([0.5, 1e-300].map(|x| Short(x).to_string()), ["0.5", "1e-300"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Short(pub f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_plain = self.0 == 0.0 || !self.0.is_finite() || (1e-5..1e16).contains(&self.0.abs());
        if is_plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// A number for people, with four significant digits.
///
/// ```
/// use karcher_geometry::error::Rounded;
/// assert_eq!(Rounded(std::f64::consts::PI).to_string(), "3.142");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Rounded(pub f64);

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Short(format!("{:.3e}", self.0).parse().unwrap_or(self.0)).fmt(f)
    }
}

/// An upper bound for people, with four significant digits that are rounded up.
///
/// ```
/// use karcher_geometry::error::RoundedUp;
/// assert_eq!([0.119_565, 0.12, 0.0, -1.00049].map(|x| RoundedUp(x).to_string()), ["0.1196", "0.12", "0", "-1"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RoundedUp(pub f64);

impl std::fmt::Display for RoundedUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Rounded(towards(self.0, 1.0)).fmt(f)
    }
}

/// A lower bound for people, with four significant digits that are rounded down.
///
/// ```
/// use karcher_geometry::error::RoundedDown;
/// assert_eq!([0.119_565, 0.12, 0.0, -1.00049].map(|x| RoundedDown(x).to_string()), ["0.1195", "0.12", "0", "-1.001"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RoundedDown(pub f64);

impl std::fmt::Display for RoundedDown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Rounded(towards(self.0, -1.0)).fmt(f)
    }
}

/// A number with four significant digits, not below it towards 1 and not above it towards -1.
fn towards(x: f64, direction: f64) -> f64 {
    let near: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    let step = 10_f64.powf(x.abs().log10().floor() - 3.0);
    if direction * near < direction * x && step.is_finite() { near + direction * step } else { near }
}

/// The name of a parameter in words.
///
/// ```
/// use karcher_geometry::error::Words;
/// assert_eq!(Words("slope_bound").to_string(), "slope bound");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Words(pub &'static str);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.replace('_', " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_printed_with_hundreds_of_zeros() {
        for (x, text) in
            [(1e-300, "1e-300"), (1e300, "1e300"), (0.5, "0.5"), (0.0, "0"), (-3e-7, "-3e-7"), (1e5, "100000")]
        {
            assert_eq!(Short(x).to_string(), text);
        }
        assert_eq!(Short(f64::NAN).to_string(), "NaN");
    }
}
