//! The public ball of a specification: given, or located within a public outer ball.

use super::field;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{AtypicalOrigin, Manifold};
use crate::{Space, error::GeometryError};
use serde::{Deserialize, Serialize};

/// A ball, or how to find one.
///
/// In JSON a known ball is `{"center": [..], "radius": r}`, or `{"center": [..], "radii": [..]}` with a radius for each
/// factor of a product. A ball that is to be located is `{"center": [..], "within": r, "quantile": q}`, the quantile
/// only where one was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub enum BallSpec {
    /// A ball that was known beforehand.
    Known {
        /// The center.
        center: Vec<f64>,
        /// The radius.
        radius: f64,
    },
    /// The product of a known ball in each factor.
    Factors {
        /// The center.
        center: Vec<f64>,
        /// The radius in each factor.
        radii: Vec<f64>,
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
    radii: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quantile: Option<f64>,
}

impl TryFrom<Fields> for BallSpec {
    type Error = Error;

    fn try_from(fields: Fields) -> Result<Self> {
        match fields {
            Fields { center, radius: Some(radius), radii: None, within: None, quantile: None } => {
                Ok(BallSpec::Known { center, radius })
            }
            Fields { center, radius: None, radii: Some(radii), within: None, quantile: None } => {
                Ok(BallSpec::Factors { center, radii })
            }
            Fields { center, radius: None, radii: None, within: Some(within), quantile } => {
                Ok(BallSpec::Locate { center, within, quantile })
            }
            _ => Err(field("ball", "with `center` it has `radius`, `radii`, or `within` and perhaps `quantile`")),
        }
    }
}

impl From<BallSpec> for Fields {
    fn from(ball: BallSpec) -> Self {
        let (center, radius, radii, within, quantile) = match ball {
            BallSpec::Known { center, radius } => (center, Some(radius), None, None, None),
            BallSpec::Factors { center, radii } => (center, None, Some(radii), None, None),
            BallSpec::Locate { center, within, quantile } => (center, None, None, Some(within), quantile),
        };
        Self { center, radius, radii, within, quantile }
    }
}

impl From<&Ball> for BallSpec {
    fn from(ball: &Ball) -> Self {
        let center = ball.center().to_vec();
        match ball.radii() {
            [] => BallSpec::Known { center, radius: ball.radius() },
            radii => BallSpec::Factors { center, radii: radii.to_vec() },
        }
    }
}

impl BallSpec {
    /// The public ball on a space: the known one, or the outer one.
    ///
    /// # Errors
    /// [`Error::Field`] for a center that is no point and a wrong number of radii; [`Error::Geometry`] for a radius
    /// that is no length, and for radii on an unknown space.
    pub fn public(&self, space: &Space) -> Result<Ball> {
        let (center, length, name) = match self {
            BallSpec::Known { center, radius } => (center, *radius, "radius"),
            BallSpec::Locate { center, within, .. } => (center, *within, "within"),
            BallSpec::Factors { center, radii } => {
                let ball = Ball::of_factors(&*space.manifold()?, center.clone(), radii.clone());
                return ball.map_err(|error| called(error, "radii"));
            }
        };
        Ball::of_space(space.clone(), center.clone(), length).map_err(|error| called(error, name))
    }

    /// The center, of the outer ball where one is located.
    pub fn center(&self) -> &[f64] {
        let (BallSpec::Known { center, .. } | BallSpec::Factors { center, .. } | BallSpec::Locate { center, .. }) =
            self;
        center
    }
}

/// The radius of a ball, or one for each factor of a product.
///
/// ```
/// use karcher::{Ball, Space, spec::Radius};
/// assert_eq!(Radius::from(0.5), Radius::One(0.5));
/// assert_eq!(Radius::from(vec![0.5]), Radius::One(0.5));
/// let space = "sphere:2*euclidean:1".parse::<Space>()?.manifold()?;
/// let ball = Radius::from(vec![0.5, 2.0]).ball(&*space, vec![0.0, 0.0, 1.0, 0.0])?;
/// assert_eq!(ball, Ball::of_factors(&*space, vec![0.0, 0.0, 1.0, 0.0], vec![0.5, 2.0])?);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Radius {
    /// Of the whole ball.
    One(f64),
    /// Of a ball in each factor.
    Factors(Vec<f64>),
}

impl From<f64> for Radius {
    fn from(radius: f64) -> Self {
        Radius::One(radius)
    }
}

impl From<Vec<f64>> for Radius {
    fn from(radii: Vec<f64>) -> Self {
        if let [radius] = radii[..] { Radius::One(radius) } else { Radius::Factors(radii) }
    }
}

impl Radius {
    /// The radius of the smallest ball that holds it.
    pub fn enclosing(&self) -> f64 {
        match self {
            Radius::One(radius) => *radius,
            Radius::Factors(radii) => crate::ball::enclosing(radii),
        }
    }

    /// The ball of this radius, or of these radii, around a center.
    ///
    /// # Errors
    /// As for [`Ball::written`] and [`Ball::of_factors`].
    pub fn ball(&self, manifold: &dyn Manifold, center: Vec<f64>) -> Result<Ball> {
        match self {
            Radius::One(radius) => Ball::written(manifold, center, *radius),
            Radius::Factors(radii) => Ball::of_factors(manifold, center, radii.clone()),
        }
        .map_err(|error| called(error, "radius"))
    }

    /// Rejects a radius beyond the space, which as a rule is one in another unit: 80 for 80°.
    fn check_grows(&self, manifold: &dyn Manifold) -> Result<()> {
        let check = |radius: f64, space: &dyn Manifold| match space.diameter() {
            limit if radius > BEYOND * limit => {
                let (space, limit_of) = (space.space().clone(), "a larger ball holds more points");
                Err(Error::RadiusTooLarge { space, radius, limit, limit_of })
            }
            _ => Ok(()),
        };
        match self {
            Radius::One(radius) => check(*radius, manifold),
            Radius::Factors(radii) => {
                radii.iter().zip(manifold.factors()).try_for_each(|(radius, factor)| check(*radius, &**factor))
            }
        }
    }

    /// Whether the ball holds so nearly the whole space that its center does not matter.
    fn is_nearly_all(&self, manifold: &dyn Manifold) -> bool {
        match self {
            Radius::One(radius) => *radius >= NEARLY * manifold.diameter(),
            Radius::Factors(radii) => {
                radii.iter().zip(manifold.factors()).all(|(radius, factor)| *radius >= NEARLY * factor.diameter())
            }
        }
    }
}

/// What a user may say of a ball. It becomes a [`BallSpec`], with the defaults of the space.
///
/// ```
/// use karcher::{manifold::{Euclidean, Sphere}, spec::{BallSpec, PublicBall}};
/// let everywhere = PublicBall { locate: true, ..PublicBall::default() };
/// assert!(matches!(everywhere.clone().resolve(&Sphere::new(2)?)?, BallSpec::Locate { .. }));
/// assert_eq!(everywhere.resolve(&Euclidean::new(2)?).unwrap_err().parameter(), Some("within"));
/// let at_origin = PublicBall { radius: Some(1.0.into()), ..PublicBall::default() };
/// let known = BallSpec::Known { center: vec![0.0, 0.0], radius: 1.0 };
/// assert_eq!(at_origin.clone().resolve(&Euclidean::new(2)?)?, known);
/// assert_eq!(at_origin.resolve(&Sphere::new(2)?).unwrap_err().parameter(), Some("center"));
/// let clusters = PublicBall { everywhere: true, ..PublicBall::default() };
/// let whole = BallSpec::Known { center: vec![1.0, 0.0, 0.0], radius: std::f64::consts::PI };
/// assert_eq!(clusters.clone().resolve(&Sphere::new(2)?)?, whole);
/// assert_eq!(clusters.resolve(&Euclidean::new(2)?).unwrap_err().parameter(), Some("radius"));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PublicBall {
    /// The center, of the outer ball where one is located.
    pub center: Option<Vec<f64>>,
    /// The radius, or one for each factor of a product.
    pub radius: Option<Radius>,
    /// Whether the ball is to be located.
    pub locate: bool,
    /// Radius of the outer ball in which it is sought.
    pub within: Option<f64>,
    /// The fraction of the records that its radius aims at.
    pub quantile: Option<f64>,
    /// Whether the statistic may have the whole space as its ball. Without a radius a bounded space then is the ball.
    pub everywhere: bool,
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

/// A radius of more than so many diameters is a mistake: less is the diameter as users round it, 3.15 or 20020km.
const BEYOND: f64 = 1.01;

impl PublicBall {
    /// The ball on a space. Without a center it is around the origin, where that suits most records or the ball holds
    /// nearly the whole space. Without a radius of the outer ball the whole space is searched, if that is bounded.
    ///
    /// # Errors
    /// [`Error::Field`] for a number that is missing or contradicts another one, and for a center that is no point;
    /// [`Error::Geometry`] for a radius that is no length. It is [`Error::RadiusTooLarge`] for one beyond the space, if
    /// the whole space may be the ball.
    pub fn resolve(self, manifold: &dyn Manifold) -> Result<BallSpec> {
        self.resolve_with(manifold, BallAdvice::default())
    }

    /// The same, with the advice of an interface in errors.
    ///
    /// # Errors
    /// As for [`resolve`](PublicBall::resolve).
    pub fn resolve_with(self, manifold: &dyn Manifold, advice: BallAdvice<'_>) -> Result<BallSpec> {
        let Self { center, radius, locate, within, quantile, everywhere } = self;
        let diameter = Some(manifold.diameter()).filter(|diameter| diameter.is_finite());
        if !locate {
            let of_locating = |name| Err(field(name, "belongs to `ball` auto: a given ball has `center` and `radius`"));
            if within.is_some() {
                return of_locating("within");
            }
            if quantile.is_some() {
                return of_locating("quantile");
            }
            let whole = diameter.filter(|_| everywhere).map(Radius::One);
            let Some(radius) = radius.or(whole) else {
                let reason = format!(
                    "is missing: choose from knowledge of the field, never from these records, how far from `center` a \
                     record may be; {}",
                    advice.without_radius
                );
                return Err(field("radius", reason));
            };
            if everywhere {
                radius.check_grows(manifold)?;
            }
            let center = center_or_default(center, &radius, manifold, advice)?;
            return Ok(BallSpec::from(&radius.ball(manifold, center)?));
        }
        if radius.is_some() {
            return Err(field("radius", "does not go with `ball` auto, which finds one: give `within` instead"));
        }
        let Some(radius) = within.or(diameter) else {
            let space = manifold.space();
            let reason = format!("is missing: {space} is unbounded; say how far from `center` the records may be");
            return Err(field("within", reason));
        };
        let whole = BallAdvice { without_center: "without `within` the whole space is searched", ..advice };
        let center = center_or_default(center, &Radius::One(radius), manifold, whole)?;
        let outer = Ball::written(manifold, center, radius).map_err(|error| called(error, "within"))?;
        Ok(BallSpec::Locate { center: outer.center().to_vec(), within: outer.radius(), quantile })
    }
}

/// The center that is given, or the origin where that will do.
fn center_or_default(
    center: Option<Vec<f64>>,
    radius: &Radius,
    manifold: &dyn Manifold,
    advice: BallAdvice<'_>,
) -> Result<Vec<f64>> {
    if let Some(center) = center {
        return Ok(center);
    }
    if let Some(AtypicalOrigin { because, instead: choose, origin }) = manifold.atypical_origin()
        && !radius.is_nearly_all(manifold)
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
        GeometryError::InvalidParameter { name: "number_of_radii", value, requirement } => {
            let numbers = if value == 1.0 { "number" } else { "numbers" };
            field(name, format!("has {value} {numbers}: {requirement}"))
        }
        error => error.into(),
    }
}
