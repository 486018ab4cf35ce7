//! The public ball of a specification: given, or located within a public outer ball.

use super::field;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{AtypicalOrigin, Manifold};
use crate::{Space, error::GeometryError};
use serde::{Deserialize, Serialize};

/// A ball, or how to find one.
///
/// In JSON a known ball is `{"center": [..], "radius": r}`. A ball that is to be located is
/// `{"center": [..], "within": r, "quantile": q}`, the quantile only where one was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
#[non_exhaustive]
pub enum BallSpec {
    /// A ball that was known beforehand.
    Known {
        /// The center.
        center: Vec<f64>,
        /// The radius.
        radius: f64,
    },
    /// A ball that a part of the budget locates.
    Locate {
        /// The center of the public outer ball in which it is sought.
        center: Vec<f64>,
        /// The radius of the outer ball.
        within: f64,
        /// The fraction of the records that the located radius aims at, if one was chosen.
        quantile: Option<f64>,
    },
}

/// A ball specification as it stands in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    center: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quantile: Option<f64>,
}

impl TryFrom<Fields> for BallSpec {
    type Error = Error;

    fn try_from(fields: Fields) -> Result<Self> {
        match fields {
            Fields { center, radius: Some(radius), within: None, quantile: None } => {
                Ok(BallSpec::Known { center, radius })
            }
            Fields { center, radius: None, within: Some(within), quantile } => {
                Ok(BallSpec::Locate { center, within, quantile })
            }
            _ => Err(field("ball", "with `center` it has `radius`, or else `within` and perhaps `quantile`")),
        }
    }
}

impl From<BallSpec> for Fields {
    fn from(ball: BallSpec) -> Self {
        match ball {
            BallSpec::Known { center, radius } => Self { center, radius: Some(radius), within: None, quantile: None },
            BallSpec::Locate { center, within, quantile } => {
                Self { center, radius: None, within: Some(within), quantile }
            }
        }
    }
}

impl From<&Ball> for BallSpec {
    fn from(ball: &Ball) -> Self {
        BallSpec::Known { center: ball.center().to_vec(), radius: ball.radius() }
    }
}

impl BallSpec {
    /// The public ball on a space: the known one, or the outer one.
    ///
    /// # Errors
    /// [`Error::Field`] for a center that is no point, [`Error::Geometry`] for a radius that is no length.
    pub fn public(&self, space: &Space) -> Result<Ball> {
        let (center, length, name) = match self {
            BallSpec::Known { center, radius } => (center, *radius, "radius"),
            BallSpec::Locate { center, within, .. } => (center, *within, "within"),
        };
        Ball::of_space(space.clone(), center.clone(), length).map_err(|error| called(error, name))
    }
}

/// What a user may say of a ball. It becomes a [`BallSpec`], with the defaults of the space.
///
/// ```
/// use karcher::{manifold::{Euclidean, Sphere}, spec::{BallSpec, PublicBall}};
/// let everywhere = PublicBall { locate: true, ..PublicBall::default() };
/// assert!(matches!(everywhere.clone().resolve(&Sphere::new(2)?)?, BallSpec::Locate { .. }));
/// assert_eq!(everywhere.resolve(&Euclidean::new(2)?).unwrap_err().parameter(), Some("within"));
/// let at_origin = PublicBall { radius: Some(1.0), ..PublicBall::default() };
/// let known = BallSpec::Known { center: vec![0.0, 0.0], radius: 1.0 };
/// assert_eq!(at_origin.clone().resolve(&Euclidean::new(2)?)?, known);
/// assert_eq!(at_origin.resolve(&Sphere::new(2)?).unwrap_err().parameter(), Some("center"));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PublicBall {
    /// The center, of the outer ball where one is located.
    pub center: Option<Vec<f64>>,
    /// The radius.
    pub radius: Option<f64>,
    /// Whether the ball is to be located.
    pub locate: bool,
    /// Radius of the outer ball in which it is sought.
    pub within: Option<f64>,
    /// The fraction of the records that its radius aims at.
    pub quantile: Option<f64>,
}

/// Ends of the sentences about a ball that is not given: an interface names its own options.
#[derive(Debug, Clone, Copy)]
pub struct BallAdvice<'a> {
    /// How to do without a radius.
    pub without_radius: &'a str,
    /// How to do without a center.
    pub without_center: &'a str,
    /// How the origin is given as a center, in parentheses.
    pub origin: &'a str,
}

impl Default for BallAdvice<'_> {
    fn default() -> Self {
        let locate = "or locate a ball privately";
        Self { without_radius: locate, without_center: locate, origin: "" }
    }
}

/// A ball of so much of the diameter holds so nearly the whole space that its center does not matter.
const NEARLY: f64 = 0.9;

impl PublicBall {
    /// The ball on a space. Without a center it is around the origin, where that suits most records or the ball holds
    /// nearly the whole space. Without a radius of the outer ball the whole space is searched, if that is bounded.
    ///
    /// # Errors
    /// [`Error::Field`] for a number that is missing or contradicts another one, and for a center that is no point;
    /// [`Error::Geometry`] for a radius that is no length.
    pub fn resolve(self, manifold: &dyn Manifold) -> Result<BallSpec> {
        self.resolve_with(manifold, BallAdvice::default())
    }

    /// The same, with the advice of an interface in errors.
    ///
    /// # Errors
    /// As for [`resolve`](PublicBall::resolve).
    pub fn resolve_with(self, manifold: &dyn Manifold, advice: BallAdvice<'_>) -> Result<BallSpec> {
        let Self { center, radius, locate, within, quantile } = self;
        if !locate {
            let of_locating = |name| Err(field(name, "belongs to `ball` auto: a given ball has `center` and `radius`"));
            if within.is_some() {
                return of_locating("within");
            }
            if quantile.is_some() {
                return of_locating("quantile");
            }
            let Some(radius) = radius else {
                let reason = format!(
                    "is missing: choose from knowledge of the field, never from these records, how far from `center` a \
                     record may be; {}",
                    advice.without_radius
                );
                return Err(field("radius", reason));
            };
            let center = center_or_default(center, radius, manifold, advice)?;
            let ball = Ball::written(manifold, center, radius).map_err(|error| called(error, "radius"))?;
            return Ok(BallSpec::from(&ball));
        }
        if radius.is_some() {
            return Err(field("radius", "does not go with `ball` auto, which finds one: give `within` instead"));
        }
        let diameter = Some(manifold.diameter()).filter(|diameter| diameter.is_finite());
        let Some(radius) = within.or(diameter) else {
            let space = manifold.space();
            let reason = format!("is missing: {space} is unbounded; say how far from `center` the records may be");
            return Err(field("within", reason));
        };
        let whole = BallAdvice { without_center: "without `within` the whole space is searched", ..advice };
        let center = center_or_default(center, radius, manifold, whole)?;
        let outer = Ball::written(manifold, center, radius).map_err(|error| called(error, "within"))?;
        Ok(BallSpec::Locate { center: outer.center().to_vec(), within: outer.radius(), quantile })
    }
}

/// The center that is given, or the origin where that will do.
fn center_or_default(
    center: Option<Vec<f64>>,
    radius: f64,
    manifold: &dyn Manifold,
    advice: BallAdvice<'_>,
) -> Result<Vec<f64>> {
    if let Some(center) = center {
        return Ok(center);
    }
    if let Some(AtypicalOrigin { because, instead: choose, origin }) = manifold.atypical_origin()
        && radius < NEARLY * manifold.diameter()
    {
        let space = manifold.space();
        let BallAdvice { without_center, origin: given, .. } = advice;
        let reason = format!(
            "is missing: {space} has no default one, because {because}; give {choose}, or {origin}{given}; \
             {without_center}"
        );
        return Err(field("center", reason));
    }
    let mut center = vec![0.0; manifold.point_len()];
    manifold.origin(&mut center);
    Ok(center)
}

/// An error about a ball, whose radius has a name.
fn called(error: GeometryError, name: &'static str) -> Error {
    match error {
        GeometryError::InvalidCenter { space, reason } => {
            field("center", format!("is not a point of {space}: {reason}"))
        }
        GeometryError::WrongLength { .. } => field("center", error.to_string()),
        GeometryError::InvalidParameter { name: "radius", value, requirement } => {
            Error::InvalidParameter { name, value, requirement }
        }
        error => error.into(),
    }
}
