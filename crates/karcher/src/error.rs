//! Errors: each states what is wrong, where, and what to do. Errors of spaces and of guarantees are wrapped.

use crate::Space;
use crate::manifold::Manifold;
pub use karcher_geometry::Error as GeometryError;
pub(crate) use karcher_geometry::error::Short;
use karcher_geometry::error::Words;
pub use karcher_privacy::Error as PrivacyError;
use std::f64::consts::PI;

/// The advice on a radius that is larger than any distance in radians, and may have been meant as degrees. Empty for
/// other radii.
fn degrees_in_radians(space: &Space, radius: f64) -> String {
    let is_meant =
        radius > PI && radius <= 180.0 && space.manifold().is_ok_and(|manifold| manifold.distances_are_angles());
    if is_meant { format!("; if it is {radius} degrees, write {}", Limit(radius.to_radians())) } else { String::new() }
}

/// Seven digits of a limit, the last one never rounded up: the printed number is allowed.
struct Limit(f64);

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = |x: f64| format!("{x:.6e}").parse().unwrap_or(x);
        let (rounded, unit) = (digits(self.0), 10f64.powf(self.0.abs().log10().floor() - 6.0));
        write!(f, "{}", Short(if rounded > self.0 { digits(rounded - unit) } else { rounded }))
    }
}

/// Result of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason for which a request was rejected.
///
/// Errors about *records* arise only while input is validated, before any computation
/// ([`depends_on_records`](Error::depends_on_records)). Every later error of a mechanism depends on public quantities
/// alone (parameters, `n`, the ball), so you may show its text to anyone. Only statistics without privacy return
/// [`Error::NoConvergence`] and [`GeometryError::CutLocus`].
///
/// ```
/// use karcher::{Error, error::ErrorKind, manifold::Sphere, privacy::Guarantee};
/// let error = Error::from(Sphere::new(0).unwrap_err());
/// assert!(error.to_string().starts_with("sphere:0 does not exist"), "{error}");
/// let error = Error::from(Guarantee::pure(0.0).unwrap_err());
/// assert_eq!((error.kind(), error.parameter()), (ErrorKind::Parameter, Some("epsilon")));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rejected space, point or ball.
    #[error(transparent)]
    Geometry(#[from] karcher_geometry::Error),
    /// A rejected guarantee, budget or noise.
    #[error(transparent)]
    Privacy(#[from] karcher_privacy::Error),
    /// A name that is not one of the sensitivity bounds.
    #[error("unknown sensitivity bound `{name}`: expected published, averaged-hessian, sharp or optimal")]
    UnknownBound {
        /// The name as given.
        name: String,
    },
    /// A name that is not one of the mechanisms.
    #[error("unknown mechanism `{name}`: expected auto, {expected}")]
    UnknownMechanism {
        /// The name as given.
        name: String,
        /// The names that the library knows.
        expected: String,
    },
    /// A field of a specification that is missing, or contradicts another one.
    #[error("{}", of_field(name, reason))]
    Field {
        /// The field, as [`ReleaseSpec`](crate::ReleaseSpec) names it: `n_guess`.
        name: &'static str,
        /// Why it is refused, and what to do: a predicate, such as "is missing", or a sentence. Other fields stand in
        /// backticks.
        reason: String,
    },
    /// An option without effect.
    #[error("{} does not go with {mechanism}; it belongs to {takers}", Words(parameter))]
    Inapplicable {
        /// The parameter, as the library names it: `assume_in_ball`.
        parameter: &'static str,
        /// The requested mechanism.
        mechanism: String,
        /// The mechanisms that take it.
        takers: String,
    },
    /// A parameter outside its range.
    #[error("{} is {}: {requirement}", Words(name), Short(*value))]
    InvalidParameter {
        /// The parameter, as the library names it: `slope_bound`.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The requirement, and what to do.
        requirement: String,
    },
    /// A ball beyond which a bound does not exist.
    #[error(
        "radius {} is too large for {space}: {limit_of} only below {}; choose a smaller ball{}",
        Short(*radius),
        Limit(*limit),
        degrees_in_radians(space, *radius)
    )]
    RadiusTooLarge {
        /// The space.
        space: Space,
        /// The radius given.
        radius: f64,
        /// The first radius that is not admissible.
        limit: f64,
        /// The bound that exists only below the limit.
        limit_of: &'static str,
    },
    /// Two releases that cannot be compared, or two sums that cannot be added.
    #[error("{reason}")]
    Incomparable {
        /// The release concerned, what it lacks, and what to do.
        reason: String,
    },
    /// A Laplace law that cannot be normalised: volume grows faster than the density decreases.
    #[error(
        "the Laplace law with scale {} does not exist on {space}: it needs a scale below {}; use more records, a \
         smaller radius or a larger budget",
        Limit(*scale),
        Limit(*limit)
    )]
    NotIntegrable {
        /// The space.
        space: Space,
        /// The scale asked for.
        scale: f64,
        /// The first scale that is not admissible.
        limit: f64,
    },
    /// A mechanism that is not available on a space.
    #[error("the {mechanism} mechanism is not available on {space}: {reason}")]
    Unsupported {
        /// The mechanism.
        mechanism: &'static str,
        /// The space.
        space: Space,
        /// The reason, and an alternative.
        reason: String,
    },
    /// The iteration for a mean or a regression **without privacy** did not reach its tolerance. No mechanism returns
    /// this.
    #[error("the iteration did not converge; allow more iterations or a larger tolerance")]
    NoConvergence,
    /// A release without a reservation.
    #[error("this release is not permitted: {reason}")]
    NotPermitted {
        /// The reason, and what to do.
        reason: String,
    },
    /// Remote records that could not be summed.
    #[error("{reason}")]
    Unanswered {
        /// The failure: a file that changed, a worker that was lost.
        reason: String,
    },
    /// Records that are not held in memory, for a mechanism that reads them one by one, again and again.
    #[error(
        "the mechanism reads single records many times, so they must fit into memory: allow more memory, or choose a \
         mechanism that uses sums, such as chart or karcher-flow"
    )]
    NotInMemory,
    /// A Markov chain with an invalid start.
    #[error("chain {chain} cannot start there: {reason}")]
    InvalidStart {
        /// The chain's number, from 1.
        chain: usize,
        /// The error in it.
        reason: String,
    },
    /// An exact draw that would take practically for ever. Depends on public quantities only.
    #[error(
        "no exact draw is practical on {space} with scale {}: use more records, a smaller radius or a larger budget",
        Limit(*scale)
    )]
    DrawTooRare {
        /// The space.
        space: Space,
        /// The scale asked for.
        scale: f64,
    },
}

/// The subject of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A name that is not known.
    Name,
    /// A space: it does not exist, or belongs to something else.
    Space,
    /// Numbers that are no point, tangent vector or record.
    Point,
    /// A parameter outside of its range, or without an effect.
    Parameter,
    /// A quantity that does not exist, or is not known, on a space.
    Unsupported,
    /// A result that a computation without privacy did not find.
    Numerics,
    /// The operating system.
    System,
    /// The privacy budget, and the right to spend it.
    Budget,
}

impl Error {
    /// The subject of the error.
    ///
    /// ```
    /// use karcher::{Error, error::ErrorKind, privacy::Guarantee};
    /// let error = Error::from(Guarantee::pure(-1.0).unwrap_err());
    /// assert_eq!((error.kind(), error.parameter()), (ErrorKind::Parameter, Some("epsilon")));
    /// assert!(!error.depends_on_records());
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Geometry(error) => kind_of_geometry(error),
            Error::Privacy(error) => kind_of_privacy(error),
            Error::UnknownBound { .. } | Error::UnknownMechanism { .. } => ErrorKind::Name,
            Error::InvalidStart { .. } => ErrorKind::Point,
            Error::InvalidParameter { .. }
            | Error::Field { .. }
            | Error::Inapplicable { .. }
            | Error::RadiusTooLarge { .. }
            | Error::Incomparable { .. } => ErrorKind::Parameter,
            Error::NotIntegrable { .. }
            | Error::Unsupported { .. }
            | Error::DrawTooRare { .. }
            | Error::NotInMemory => ErrorKind::Unsupported,
            Error::NoConvergence => ErrorKind::Numerics,
            Error::Unanswered { .. } => ErrorKind::System,
            Error::NotPermitted { .. } => ErrorKind::Budget,
        }
    }

    /// The parameter to change, as the library names it: a command line writes `assume_in_ball` as `--assume-in-ball`.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere};
    /// let error = Ball::at_origin(&Sphere::new(2)?, -1.0).unwrap_err();
    /// assert_eq!(error.parameter(), Some("radius"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            Error::InvalidParameter { name, .. } | Error::Field { name, .. } => Some(name),
            Error::Inapplicable { parameter, .. } => Some(parameter),
            Error::RadiusTooLarge { .. } => Some("radius"),
            Error::Geometry(error) => error.parameter(),
            Error::Privacy(error) => error.parameter(),
            _ => None,
        }
    }

    /// The sentence, with parameters and fields of a specification as `write` writes them: a command line writes
    /// `n_guess` as `--n-guess`.
    ///
    /// ```
    /// use karcher::Error;
    /// let error = Error::Field { name: "n_guess", reason: "belongs to `adjacency` add-remove".to_owned() };
    /// let option = |field: &str| format!("--{}", field.replace('_', "-"));
    /// assert_eq!(error.with_fields(option), "--n-guess belongs to --adjacency add-remove");
    /// ```
    pub fn with_fields(&self, write: impl Fn(&str) -> String) -> String {
        if let Error::Field { name, reason } = self {
            let written = |(i, part): (usize, &str)| if i % 2 == 1 { write(part) } else { part.to_owned() };
            let reason: String = reason.split('`').enumerate().map(written).collect();
            return of_field(&write(name), &reason);
        }
        let sentence = self.to_string();
        let begun = self.parameter().and_then(|name| Some((name, sentence.strip_prefix(&Words(name).to_string())?)));
        begun.map(|(name, rest)| write(name) + rest).unwrap_or(sentence)
    }

    /// The value of the [parameter](Error::parameter), where the error is about a number.
    ///
    /// ```
    /// use karcher::{Error, privacy::Guarantee};
    /// assert_eq!(Error::from(Guarantee::pure(-1.0).unwrap_err()).value(), Some(-1.0));
    /// ```
    pub fn value(&self) -> Option<f64> {
        match self {
            Error::InvalidParameter { value, .. }
            | Error::Geometry(GeometryError::InvalidParameter { value, .. })
            | Error::Privacy(PrivacyError::InvalidParameter { value, .. })
            | Error::RadiusTooLarge { radius: value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Whether a mechanism is not available on a space.
    pub(crate) fn is_of_the_space(&self) -> bool {
        matches!(self, Error::Unsupported { .. } | Error::Privacy(PrivacyError::Unsupported { .. }))
    }

    /// Whether the error, or its text, may depend on confidential records, so that it must not be published. It may
    /// reveal that a record is invalid, its index, and its numbers. Errors of statistics without privacy are among
    /// these, including those about predictors and weights.
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Sphere};
    /// let sphere = Sphere::new(1)?;
    /// assert!(Points::new(&sphere, vec![0.9, 0.9]).unwrap_err().depends_on_records());
    /// assert!(!Ball::at_origin(&sphere, -1.0).unwrap_err().depends_on_records());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn depends_on_records(&self) -> bool {
        match self {
            Error::Geometry(error) => error.depends_on_records(),
            Error::InvalidParameter { name: "predictor" | "weight", .. }
            | Error::NoConvergence
            | Error::Unanswered { .. } => true,
            _ => false,
        }
    }
}

/// The sentence about a field: its name is the subject of a predicate, and stands before a sentence.
fn of_field(name: &str, reason: &str) -> String {
    let is_predicate = ["is ", "has ", "belongs ", "does "].iter().any(|verb| reason.starts_with(verb));
    format!("{name}{} {reason}", if is_predicate { "" } else { ":" })
}

fn kind_of_geometry(error: &GeometryError) -> ErrorKind {
    match error {
        GeometryError::UnknownManifold { .. } => ErrorKind::Name,
        GeometryError::InvalidSize { .. } | GeometryError::SpaceMismatch { .. } => ErrorKind::Space,
        GeometryError::InvalidParameter { .. } => ErrorKind::Parameter,
        GeometryError::CutLocus { .. } => ErrorKind::Numerics,
        _ => ErrorKind::Point,
    }
}

fn kind_of_privacy(error: &PrivacyError) -> ErrorKind {
    match error {
        PrivacyError::OverBudget { .. } => ErrorKind::Budget,
        PrivacyError::NoEntropy { .. } => ErrorKind::System,
        PrivacyError::Unsupported { .. } => ErrorKind::Unsupported,
        _ => ErrorKind::Parameter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASON: &str = "the reason";

    /// One of every variant, with its kind, its parameter, and whether it may depend on records.
    fn all() -> Vec<(Error, ErrorKind, Option<&'static str>, bool)> {
        use ErrorKind::*;
        let space = || crate::Space::named("sphere:2");
        let text = || REASON.to_owned();
        let invalid = |name| Error::InvalidParameter { name, value: 1.0, requirement: text() };
        let radius = |value| GeometryError::InvalidParameter { name: "radius", value, requirement: text() };
        let delta = |value| PrivacyError::InvalidParameter { name: "delta", value, requirement: text() };
        let unsupported = Error::Unsupported { mechanism: "kng", space: space(), reason: text() };
        let no_profile = PrivacyError::Unsupported { mechanism: "kng", space: space(), reason: text() };
        let too_large = Error::RadiusTooLarge { space: space(), radius: 2.0, limit: 1.0, limit_of: "it exists" };
        let mismatch = GeometryError::SpaceMismatch { what: "points", expected: space(), found: space() };
        let inapplicable = Error::Inapplicable { parameter: "steps", mechanism: text(), takers: text() };
        vec![
            (GeometryError::UnknownManifold { name: text(), expected: text() }.into(), Name, None, false),
            (mismatch.into(), Space, None, false),
            (GeometryError::InvalidTangent { space: space(), reason: text() }.into(), Point, None, true),
            (GeometryError::InvalidSize { space: space(), minimum: 1, maximum: 2 }.into(), Space, None, false),
            (GeometryError::WrongLength { space: space(), expected: 3, found: 2 }.into(), Point, None, false),
            (GeometryError::IncompletePoint { space: space(), point_len: 3, found: 4 }.into(), Point, None, false),
            (GeometryError::InvalidPoint { space: space(), reason: text() }.into(), Point, None, true),
            (GeometryError::InvalidCenter { space: space(), reason: text() }.into(), Point, Some("center"), false),
            (GeometryError::InvalidRecord { row: 1, reason: text() }.into(), Point, None, true),
            (GeometryError::NoRecords.into(), Point, None, false),
            (GeometryError::CutLocus { space: space() }.into(), Numerics, None, true),
            (radius(-1.0).into(), Parameter, Some("radius"), false),
            (delta(2.0).into(), Parameter, Some("delta"), false),
            (no_profile.into(), Unsupported, None, false),
            (PrivacyError::NoEntropy { reason: text() }.into(), System, None, false),
            (PrivacyError::OverBudget { reason: text() }.into(), Budget, None, false),
            (Error::UnknownBound { name: text() }, Name, None, false),
            (Error::UnknownMechanism { name: text(), expected: text() }, Name, None, false),
            (inapplicable, Parameter, Some("steps"), false),
            (invalid("epsilon"), Parameter, Some("epsilon"), false),
            (invalid("predictor"), Parameter, Some("predictor"), true),
            (invalid("weight"), Parameter, Some("weight"), true),
            (too_large, Parameter, Some("radius"), false),
            (Error::NotIntegrable { space: space(), scale: 1.0, limit: 0.5 }, Unsupported, None, false),
            (unsupported, Unsupported, None, false),
            (Error::NoConvergence, Numerics, None, true),
            (Error::InvalidStart { chain: 1, reason: text() }, Point, None, false),
            (Error::DrawTooRare { space: space(), scale: 1.0 }, Unsupported, None, false),
            (Error::Incomparable { reason: text() }, Parameter, None, false),
            (Error::NotPermitted { reason: text() }, Budget, None, false),
            (Error::Unanswered { reason: text() }, System, None, true),
            (Error::NotInMemory, Unsupported, None, false),
            (Error::Field { name: "n_guess", reason: text() }, Parameter, Some("n_guess"), false),
        ]
    }

    /// A variant's place: a new one does not compile without a place here.
    fn place(error: &Error) -> usize {
        match error {
            Error::Geometry(_) => 0,
            Error::Privacy(_) => 1,
            Error::UnknownBound { .. } => 2,
            Error::UnknownMechanism { .. } => 3,
            Error::Inapplicable { .. } => 4,
            Error::InvalidParameter { .. } => 5,
            Error::RadiusTooLarge { .. } => 6,
            Error::NotIntegrable { .. } => 7,
            Error::Unsupported { .. } => 8,
            Error::NoConvergence => 9,
            Error::InvalidStart { .. } => 10,
            Error::DrawTooRare { .. } => 11,
            Error::Incomparable { .. } => 12,
            Error::NotPermitted { .. } => 13,
            Error::Unanswered { .. } => 14,
            Error::NotInMemory => 15,
            Error::Field { .. } => 16,
        }
    }

    #[test]
    fn every_error_says_what_it_is_about() {
        let mut places: Vec<usize> = all().iter().map(|(error, ..)| place(error)).collect();
        places.dedup();
        assert_eq!(places, (0..17).collect::<Vec<_>>(), "each variant is in the list, in order");
        for (error, kind, parameter, depends_on_records) in all() {
            assert_eq!(error.kind(), kind, "{error:?}");
            assert_eq!(error.parameter(), parameter, "{error:?}");
            assert_eq!(error.depends_on_records(), depends_on_records, "{error:?}");
            // what it knows of names and reasons is in its sentence
            let (known, told) = (format!("{error:?}"), error.to_string());
            for part in [REASON, "sphere:2", "kng", "it exists"].into_iter().filter(|part| known.contains(part)) {
                assert!(told.contains(part), "{known}: {told}");
            }
        }
    }

    #[test]
    fn limits_are_printed_short_and_never_too_large() {
        let pi = std::f64::consts::PI;
        for (x, text) in [
            (0.5 * pi, "1.570796"),
            (0.25 * pi, "0.7853981"),
            (17.088002444275503, "17.088"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.3333333"),
            (2e-7 / 3.0, "6.666666e-8"),
            (1e300, "1e300"),
            (0.0, "0"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(Limit(x).to_string(), text);
        }
    }
}
