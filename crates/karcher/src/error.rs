//! The library's one error type: what was wrong, where, and what to do.

use crate::space::Space;

/// A number as it is, but without hundreds of zeros.
pub(crate) struct Short(pub(crate) f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_plain = self.0 == 0.0 || !self.0.is_finite() || (1e-5..1e16).contains(&self.0.abs());
        if is_plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// Four significant digits of a number, without dozens of zeros.
pub(crate) struct Rounded(pub(crate) f64);

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Short(format!("{:.3e}", self.0).parse().unwrap_or(self.0)).fmt(f)
    }
}

/// The name of a parameter in words: `slope_bound` as "slope bound".
struct Words(&'static str);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.replace('_', " "))
    }
}

/// Seven digits of a limit, the last one never rounded up: what is printed is allowed.
struct Limit(f64);

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = |x: f64| format!("{x:.6e}").parse().unwrap_or(x);
        let (rounded, unit) = (digits(self.0), 10f64.powf(self.0.abs().log10().floor() - 6.0));
        write!(f, "{}", Short(if rounded > self.0 { digits(rounded - unit) } else { rounded }))
    }
}

/// What the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request was refused.
///
/// Errors about *records* arise only while input is validated, before any computation
/// ([`depends_on_records`](Error::depends_on_records)). Every later error of a mechanism depends on public quantities
/// alone (parameters, `n`, the ball), so its text may be shown to anyone. [`Error::NoConvergence`] and
/// [`Error::CutLocus`] come from statistics without privacy only.
///
/// ```
/// use karcher::{Error, manifold::Sphere, privacy::Guarantee};
/// let sentence = Sphere::new(0).unwrap_err().to_string();
/// assert!(sentence.starts_with("sphere:0 does not exist"), "{sentence}");
/// assert!(matches!(Guarantee::pure(0.0), Err(Error::InvalidParameter { name: "epsilon", .. })));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A manifold name that is not one of the library's.
    #[error("unknown manifold `{name}`: expected {expected}, for example sphere:2")]
    UnknownManifold {
        /// The name as given.
        name: String,
        /// The names that the library knows.
        expected: String,
    },
    /// Points, a ball or noise of one space where those of another were expected.
    #[error("{what} of {found} cannot be used on {expected}")]
    SpaceMismatch {
        /// What was given.
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
        /// What is wrong, with the value.
        reason: String,
    },
    /// A name that is not one of the sensitivity bounds.
    #[error("unknown sensitivity bound `{name}`: expected published, averaged-hessian, sharp or optimal")]
    UnknownBound {
        /// The name as given.
        name: String,
    },
    /// A name that is not one of the mechanisms.
    #[error(
        "unknown mechanism `{name}`: expected auto, laplace, gaussian, chart, kng, karcher-flow or two-stage for a mean, auto, linear, \
         gradient-descent or kng for a regression, auto or median-flow for a median, auto or locate for a ball"
    )]
    UnknownMechanism {
        /// The name as given.
        name: String,
    },
    /// An option that nothing would come of.
    #[error("{} does not go with {mechanism}; it belongs to {takers}", Words(parameter))]
    Inapplicable {
        /// The parameter, as the library names it: `assume_in_ball`.
        parameter: &'static str,
        /// The mechanism that was asked for.
        mechanism: String,
        /// The mechanisms that take it.
        takers: String,
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
    /// Numbers that are not a point of the space.
    #[error("not a point of {space}: {reason}")]
    InvalidPoint {
        /// The space.
        space: Space,
        /// What is wrong, with the value.
        reason: String,
    },
    /// A record of the input that is not a point of the space.
    #[error("record {row}: {reason}")]
    InvalidRecord {
        /// The record's number, from 1.
        row: usize,
        /// What is wrong, with the value.
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
        /// What must hold, and what to do.
        requirement: String,
    },
    /// A ball beyond which a bound does not exist.
    #[error(
        "radius {} is too large for {space}: {limit_of} only below {}; choose a smaller ball",
        Short(*radius),
        Limit(*limit)
    )]
    RadiusTooLarge {
        /// The space.
        space: Space,
        /// The radius given.
        radius: f64,
        /// The first radius that is not admissible.
        limit: f64,
        /// What exists only below the limit.
        limit_of: &'static str,
    },
    /// Two releases that cannot be compared, or two sums that cannot be added.
    #[error("{reason}")]
    Incomparable {
        /// Which release it is about, what it lacks, and what to do.
        reason: String,
    },
    /// A Laplace law that cannot be normalised: volume grows faster than the density falls.
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
        /// Why, and what to use instead.
        reason: String,
    },
    /// The iteration for a mean or a regression **without privacy** did not reach its tolerance. No mechanism returns
    /// this.
    #[error("the iteration did not converge; allow more iterations or a larger tolerance")]
    NoConvergence,
    /// The operating system gave no random numbers.
    #[error("the operating system gave no random numbers ({reason}): no private release can be made")]
    NoEntropy {
        /// What the operating system said.
        reason: String,
    },
    /// A release for which there is no permit.
    #[error("this release is not permitted: {reason}")]
    NotPermitted {
        /// Why, and what to do.
        reason: String,
    },
    /// A release that would spend more than is left of a budget, or in a definition that the budget does not count.
    #[error("{reason}")]
    OverBudget {
        /// What was requested, what is spent and what is left; or why the guarantee is not counted.
        reason: String,
    },
    /// Records that are not at hand could not be summed.
    #[error("{reason}")]
    Unanswered {
        /// What failed: a file that changed, a worker that was lost.
        reason: String,
    },
    /// Records that are not held in memory, for a mechanism that looks at them one by one, again and again.
    #[error(
        "the mechanism looks at the records one by one, again and again, so that they must fit into memory: allow more \
         of it, or choose a mechanism that adds them up, such as chart or karcher-flow"
    )]
    NotInMemory,
    /// A Markov chain that cannot start where it was told to.
    #[error("chain {chain} cannot start there: {reason}")]
    InvalidStart {
        /// The chain's number, from 1.
        chain: usize,
        /// What is wrong.
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

/// What an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A name that is not known.
    Name,
    /// A space: it does not exist, or belongs to something else.
    Space,
    /// Numbers that are no point, tangent vector or record.
    Point,
    /// A parameter outside of its range, or that nothing would come of.
    Parameter,
    /// What does not exist, or is not known, on a space.
    Unsupported,
    /// What does not exist for a particular computation without privacy.
    Numerics,
    /// The operating system.
    System,
    /// The privacy budget, and the right to spend it.
    Budget,
}

impl Error {
    /// What the error is about.
    ///
    /// ```
    /// use karcher::{error::ErrorKind, privacy::Guarantee};
    /// let error = Guarantee::pure(-1.0).unwrap_err();
    /// assert_eq!((error.kind(), error.parameter()), (ErrorKind::Parameter, Some("epsilon")));
    /// assert!(!error.depends_on_records());
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::UnknownManifold { .. } | Error::UnknownBound { .. } | Error::UnknownMechanism { .. } => {
                ErrorKind::Name
            }
            Error::InvalidSize { .. } | Error::SpaceMismatch { .. } => ErrorKind::Space,
            Error::WrongLength { .. }
            | Error::InvalidPoint { .. }
            | Error::InvalidTangent { .. }
            | Error::InvalidRecord { .. }
            | Error::InvalidStart { .. }
            | Error::NoRecords => ErrorKind::Point,
            Error::InvalidParameter { .. }
            | Error::Inapplicable { .. }
            | Error::RadiusTooLarge { .. }
            | Error::Incomparable { .. } => ErrorKind::Parameter,
            Error::NotIntegrable { .. }
            | Error::Unsupported { .. }
            | Error::DrawTooRare { .. }
            | Error::NotInMemory => ErrorKind::Unsupported,
            Error::CutLocus { .. } | Error::NoConvergence => ErrorKind::Numerics,
            Error::NoEntropy { .. } | Error::Unanswered { .. } => ErrorKind::System,
            Error::NotPermitted { .. } | Error::OverBudget { .. } => ErrorKind::Budget,
        }
    }

    /// The parameter that is to be changed, as the library names it: a command line writes `assume_in_ball` as
    /// `--assume-in-ball`.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere};
    /// let error = Ball::at_origin(&Sphere::new(2)?, -1.0).unwrap_err();
    /// assert_eq!(error.parameter(), Some("radius"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            Error::InvalidParameter { name, .. } => Some(name),
            Error::Inapplicable { parameter, .. } => Some(parameter),
            Error::RadiusTooLarge { .. } => Some("radius"),
            _ => None,
        }
    }

    /// Whether the error, or its text, may depend on confidential records, so that it must not be published: that a
    /// record is invalid, where, and what its numbers are; and what statistics without privacy say, of the predictors
    /// and weights beside records too.
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Sphere};
    /// let sphere = Sphere::new(1)?;
    /// assert!(Points::new(&sphere, vec![0.9, 0.9]).unwrap_err().depends_on_records());
    /// assert!(!Ball::at_origin(&sphere, -1.0).unwrap_err().depends_on_records());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn depends_on_records(&self) -> bool {
        matches!(
            self,
            Error::InvalidRecord { .. }
                | Error::InvalidPoint { .. }
                | Error::InvalidTangent { .. }
                | Error::InvalidParameter { name: "predictor" | "weight", .. }
                | Error::CutLocus { .. }
                | Error::NoConvergence
                | Error::Unanswered { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "what is said";

    /// One of every variant, with its kind, its parameter, and whether it may depend on records.
    fn all() -> Vec<(Error, ErrorKind, Option<&'static str>, bool)> {
        use ErrorKind::*;
        let space = || crate::Space::named("sphere:2");
        let text = || SAID.to_owned();
        let invalid = |name| Error::InvalidParameter { name, value: 1.0, requirement: text() };
        let unsupported = Error::Unsupported { mechanism: "kng", space: space(), reason: text() };
        let too_large = Error::RadiusTooLarge { space: space(), radius: 2.0, limit: 1.0, limit_of: "it exists" };
        let mismatch = Error::SpaceMismatch { what: "points", expected: space(), found: space() };
        let inapplicable = Error::Inapplicable { parameter: "steps", mechanism: text(), takers: text() };
        vec![
            (Error::UnknownManifold { name: text(), expected: text() }, Name, None, false),
            (mismatch, Space, None, false),
            (Error::InvalidTangent { space: space(), reason: text() }, Point, None, true),
            (Error::UnknownBound { name: text() }, Name, None, false),
            (Error::UnknownMechanism { name: text() }, Name, None, false),
            (inapplicable, Parameter, Some("steps"), false),
            (Error::InvalidSize { space: space(), minimum: 1, maximum: 2 }, Space, None, false),
            (Error::WrongLength { space: space(), expected: 3, found: 2 }, Point, None, false),
            (Error::InvalidPoint { space: space(), reason: text() }, Point, None, true),
            (Error::InvalidRecord { row: 1, reason: text() }, Point, None, true),
            (Error::NoRecords, Point, None, false),
            (Error::CutLocus { space: space() }, Numerics, None, true),
            (invalid("epsilon"), Parameter, Some("epsilon"), false),
            (invalid("predictor"), Parameter, Some("predictor"), true),
            (invalid("weight"), Parameter, Some("weight"), true),
            (too_large, Parameter, Some("radius"), false),
            (Error::NotIntegrable { space: space(), scale: 1.0, limit: 0.5 }, Unsupported, None, false),
            (unsupported, Unsupported, None, false),
            (Error::NoConvergence, Numerics, None, true),
            (Error::NoEntropy { reason: text() }, System, None, false),
            (Error::InvalidStart { chain: 1, reason: text() }, Point, None, false),
            (Error::DrawTooRare { space: space(), scale: 1.0 }, Unsupported, None, false),
            (Error::Incomparable { reason: text() }, Parameter, None, false),
            (Error::NotPermitted { reason: text() }, Budget, None, false),
            (Error::OverBudget { reason: text() }, Budget, None, false),
            (Error::Unanswered { reason: text() }, System, None, true),
            (Error::NotInMemory, Unsupported, None, false),
        ]
    }

    /// A variant's place: a new one does not compile without a place here.
    fn place(error: &Error) -> usize {
        match error {
            Error::UnknownManifold { .. } => 0,
            Error::SpaceMismatch { .. } => 1,
            Error::InvalidTangent { .. } => 2,
            Error::UnknownBound { .. } => 3,
            Error::UnknownMechanism { .. } => 4,
            Error::Inapplicable { .. } => 5,
            Error::InvalidSize { .. } => 6,
            Error::WrongLength { .. } => 7,
            Error::InvalidPoint { .. } => 8,
            Error::InvalidRecord { .. } => 9,
            Error::NoRecords => 10,
            Error::CutLocus { .. } => 11,
            Error::InvalidParameter { .. } => 12,
            Error::RadiusTooLarge { .. } => 13,
            Error::NotIntegrable { .. } => 14,
            Error::Unsupported { .. } => 15,
            Error::NoConvergence => 16,
            Error::NoEntropy { .. } => 17,
            Error::InvalidStart { .. } => 18,
            Error::DrawTooRare { .. } => 19,
            Error::Incomparable { .. } => 20,
            Error::NotPermitted { .. } => 21,
            Error::OverBudget { .. } => 22,
            Error::Unanswered { .. } => 23,
            Error::NotInMemory => 24,
        }
    }

    #[test]
    fn every_error_says_what_it_is_about() {
        let mut places: Vec<usize> = all().iter().map(|(error, ..)| place(error)).collect();
        places.dedup();
        assert_eq!(places, (0..25).collect::<Vec<_>>(), "each variant is in the list, in order");
        for (error, kind, parameter, depends_on_records) in all() {
            assert_eq!(error.kind(), kind, "{error:?}");
            assert_eq!(error.parameter(), parameter, "{error:?}");
            assert_eq!(error.depends_on_records(), depends_on_records, "{error:?}");
            // what it knows of names and reasons is in its sentence
            let (known, told) = (format!("{error:?}"), error.to_string());
            for part in [SAID, "sphere:2", "kng", "it exists"].into_iter().filter(|part| known.contains(part)) {
                assert!(told.contains(part), "{known}: {told}");
            }
        }
    }

    #[test]
    fn no_number_is_printed_with_hundreds_of_zeros() {
        for (x, text) in
            [(1e-300, "1e-300"), (1e300, "1e300"), (0.5, "0.5"), (0.0, "0"), (-3e-7, "-3e-7"), (1e5, "100000")]
        {
            assert_eq!(Short(x).to_string(), text);
        }
        assert_eq!(Short(f64::NAN).to_string(), "NaN");
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
