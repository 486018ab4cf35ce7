//! The public ball that bounds the records.

use crate::error::{Error, Result};
use crate::manifold::{Manifold, is_rounding, largest, norm};
use crate::points::{Points, PointsView, check_space};
use crate::space::Space;
use std::sync::Arc;

/// A closed geodesic ball `B_r(m₀)`, or on a product one in each factor ([`Ball::of_factors`]).
///
/// **Center and radius are public**: they are printed with every release and must come from the user's knowledge of the
/// field, never from the records.
///
/// It serialises to its space, center and radius, and to its radii if each factor has one. It reads back only a possible
/// ball of that space. [`new`](Ball::new) normalizes the center; [`written`](Ball::written),
/// [`of_space`](Ball::of_space) and [`of_factors`](Ball::of_factors) keep the bits of one that is normalized already;
/// [`around`](Ball::around) keeps every bit.
///
/// ```
/// use karcher_geometry::{Ball, manifold::Sphere};
/// let cap = Ball::at_origin(&Sphere::new(2)?, 0.5)?;
/// assert_eq!((cap.space().as_str(), cap.center(), cap.radius()), ("sphere:2", &[1.0, 0.0, 0.0][..], 0.5));
/// let text = serde_json::to_string(&cap)?;
/// assert_eq!(serde_json::from_str::<Ball>(&text)?, cap);
/// assert!(serde_json::from_str::<Ball>(&text.replace("0.5", "-0.5")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Ball {
    space: Space,
    center: Vec<f64>,
    radius: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    radii: Vec<f64>,
    /// The numbers of coordinates of the factors that have a radius each, once the space is known.
    #[serde(skip)]
    dims: Vec<usize>,
}

/// Of the same space, center, radius and radii.
impl PartialEq for Ball {
    fn eq(&self, other: &Self) -> bool {
        (&self.space, self.radius) == (&other.space, other.radius)
            && self.center == other.center
            && self.radii == other.radii
    }
}

/// A ball as read, without checks.
#[derive(serde::Deserialize)]
struct Unchecked {
    space: Space,
    center: Vec<f64>,
    radius: f64,
    #[serde(default)]
    radii: Vec<f64>,
}

impl TryFrom<Unchecked> for Ball {
    type Error = Error;

    fn try_from(Unchecked { space, center, radius, radii }: Unchecked) -> Result<Self> {
        let ball = Self::of_space(space.clone(), center, radius)?;
        if radii.is_empty() {
            return Ok(ball);
        }
        let ball = match space.manifold() {
            Err(Error::UnknownManifold { .. }) => {
                radii.iter().chain([&enclosing(&radii)]).try_for_each(|radius| check_radius(*radius))?;
                Self { radius: enclosing(&radii), radii, ..ball }
            }
            manifold => ball.with_radii(&*manifold?, radii)?,
        };
        if ball.radius == radius {
            return Ok(ball);
        }
        let requirement = format!("it must be the root of the sum of the squares of `radii`, {}", ball.radius);
        Err(Error::InvalidParameter { name: "radius", value: radius, requirement })
    }
}

/// The radius of the smallest ball that holds a product of balls, `√Σ rᵢ²`, from above.
///
/// ```
/// assert!((karcher_geometry::ball::enclosing(&[3.0, 4.0]) - 5.0).abs() < 1e-12);
/// ```
pub fn enclosing(radii: &[f64]) -> f64 {
    // in units of the largest, so that no square leaves the range of doubles
    let most = largest(radii);
    let shares: Vec<f64> = radii.iter().map(|radius| radius / most).collect();
    most * norm(&shares) * (1.0 + 4.0 * (radii.len() + 4) as f64 * f64::EPSILON)
}

/// Whether normalizing changed no more than it changes `p` numbers that are normalized: `(2p + 10)u` of the largest,
/// `u = 2⁻⁵³`, or what [`Points`](crate::Points) leave as it is.
///
/// A norm is then within `(p/2 + 3)u` of 1, and is computed to `(p/2 + 1)u`; inverse and products err by `2u`; a
/// centroid of `p/2` landmarks is at most `(p/2 + 2)u·√2` of the largest number. Flat and hyperbolic coordinates,
/// angles and matrices do not change. So numbers above 1 next to those of a sphere do not count.
fn is_normalized(manifold: &dyn Manifold, center: &[f64], normalized: &[f64]) -> bool {
    let most = (center.len() + 5) as f64 * f64::EPSILON * largest(center).min(1.0);
    center.iter().zip(normalized).all(|(c, n)| (c - n).abs() <= most) || is_rounding(manifold, center, normalized)
}

fn check_radius(radius: f64) -> Result<()> {
    if radius > 0.0 && radius.is_finite() {
        return Ok(());
    }
    let requirement =
        "it must be a positive number: the distance from the center within which records are kept".to_owned();
    Err(Error::InvalidParameter { name: "radius", value: radius, requirement })
}

/// An error about a center names it. It depends on no records.
fn check_center(manifold: &dyn Manifold, center: &[f64]) -> Result<()> {
    manifold.check_point(center).map_err(|error| match error {
        Error::InvalidPoint { space, reason } => Error::InvalidCenter { space, reason },
        other => other,
    })
}

/// A clipped record lies within `radius·(1 + CLIP_SLACK)` of the center in spite of rounding; sensitivities allow for
/// it.
pub const CLIP_SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

/// Tries to place a clipped point: at the radius, and then `2⁻⁴⁰`, `2⁻³⁹`, … of it inside, until rounding leaves it in
/// the ball. So it is at most twice as far from the edge as rounding makes necessary.
const TRIES: i32 = 32;

/// Points whose logarithms are computed at once.
const GROUP: usize = 64;

/// The share of the radius in a try.
fn inward(attempt: i32) -> f64 {
    if attempt == 0 { 1.0 } else { 1.0 - 2.0_f64.powi(attempt - 41) }
}

impl Ball {
    /// The ball on the space of a name, with a center that was written down. A center that is normalized keeps every
    /// bit: normalizing it again would change its last digits. A center on a space that the library lacks is not
    /// checked.
    ///
    /// # Errors
    /// As for [`Ball::new`].
    ///
    /// ```
    /// use karcher_geometry::{Ball, Space, manifold::Sphere};
    /// let ball = Ball::at_origin(&Sphere::new(2)?, 0.5)?;
    /// assert_eq!(Ball::of_space("sphere:2".parse()?, ball.center().to_vec(), 0.5)?, ball);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn of_space(space: Space, center: Vec<f64>, radius: f64) -> Result<Self> {
        check_radius(radius)?;
        match space.manifold() {
            Err(Error::UnknownManifold { .. }) => Ok(Self { space, center, radius, radii: vec![], dims: vec![] }),
            manifold => Self::written(&*manifold?, center, radius),
        }
    }

    /// The ball of a radius around a center that was written down, whose bits it keeps if the center is normalized.
    ///
    /// # Errors
    /// As for [`Ball::new`].
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Sphere};
    /// let (sphere, written) = (Sphere::new(2)?, vec![0.1, 0.7, 0.5_f64.sqrt()]); // its norm is 1 up to rounding
    /// assert_eq!(Ball::written(&sphere, written.clone(), 0.5)?.center(), written);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn written(manifold: &dyn Manifold, center: Vec<f64>, radius: f64) -> Result<Self> {
        let ball = Self::new(manifold, center.clone(), radius)?;
        Ok(if is_normalized(manifold, &center, &ball.center) { Self { center, ..ball } } else { ball })
    }

    /// The ball of a radius around a center.
    ///
    /// # Errors
    /// When the center is not a point of the manifold, or the radius is not a positive number.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Sphere};
    /// let sphere = Sphere::new(2)?;
    /// assert!(Ball::new(&sphere, vec![0.0, 0.6, 0.8], 0.5).is_ok());
    /// let refused = Ball::new(&sphere, vec![0.0, 0.6, 0.9], 0.5).unwrap_err(); // not of unit norm
    /// assert!(refused.parameter() == Some("center") && !refused.depends_on_records());
    /// let refused = Ball::new(&sphere, vec![0.0, f64::NAN, 0.8], 0.5).unwrap_err();
    /// assert!(refused.parameter() == Some("center") && !refused.depends_on_records());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(manifold: &dyn Manifold, mut center: Vec<f64>, radius: f64) -> Result<Self> {
        check_center(manifold, &center)?;
        manifold.normalize(&mut center);
        check_radius(radius)?;
        Ok(Self { space: manifold.space().clone(), center, radius, radii: vec![], dims: vec![] })
    }

    /// The product of a ball in each factor of a product, `B_{r₁} × … × B_{rₖ}`: records are clipped in each factor by
    /// itself. [`radius`](Ball::radius) is that of the smallest ball around it, `√Σ rᵢ²`.
    ///
    /// The factors are those of [`Manifold::factors`]: a power counts as K, poses as two. Each radius is in the unit of
    /// its factor: for `poses:3,L` the second one counts lengths of L.
    ///
    /// # Errors
    /// As for [`Ball::new`], and [`Error::InvalidParameter`] for another number of radii than of factors.
    ///
    /// ```
    /// use karcher_geometry::{Ball, Space};
    /// let both = "rotations:3*euclidean:3".parse::<Space>()?.manifold()?;
    /// let center = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    /// let ball = Ball::of_factors(&*both, center, vec![0.3, 4.0])?; // radians of turning, meters of moving
    /// assert!((ball.radius() - 0.3_f64.hypot(4.0)).abs() < 1e-12);
    /// // a record 5 m off, not turned, is moved to a distance of 4 m
    /// let mut clipped = [0.0; 7];
    /// ball.clip(&*both, &[1.0, 0.0, 0.0, 0.0, 0.0, 3.0, -4.0], &mut clipped)?;
    /// assert!((clipped[5] - 2.4).abs() < 1e-12 && (clipped[6] + 3.2).abs() < 1e-12);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn of_factors(manifold: &dyn Manifold, center: Vec<f64>, radii: Vec<f64>) -> Result<Self> {
        Self::written(manifold, center, 1.0)?.with_radii(manifold, radii)
    }

    /// The ball on its space. One that was read for a space of your own has not seen it before.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`], and as for [`Ball::of_factors`].
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Euclidean};
    /// let (line, plane) = (Euclidean::new(1)?, Euclidean::new(2)?);
    /// let ball = Ball::at_origin(&line, 1.0)?;
    /// assert_eq!(ball.on(&line)?, ball);
    /// assert!(ball.on(&plane).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn on(&self, manifold: &dyn Manifold) -> Result<Self> {
        self.check_space(manifold)?;
        check_center(manifold, &self.center)?;
        if self.radii.is_empty() { Ok(self.clone()) } else { self.clone().with_radii(manifold, self.radii.clone()) }
    }

    fn with_radii(self, manifold: &dyn Manifold, radii: Vec<f64>) -> Result<Self> {
        let factors = manifold.factors();
        if factors.len() != radii.len() || factors.is_empty() {
            let names: Vec<&str> = factors.iter().map(|factor| factor.space().as_str()).collect();
            let requirement = match names.len() {
                0 => format!("{} is no product: give one radius", self.space),
                count => format!("give {count}, one for each of {}, or one radius for all", names.join(", ")),
            };
            return Err(Error::InvalidParameter { name: "number_of_radii", value: radii.len() as f64, requirement });
        }
        radii.iter().chain([&enclosing(&radii)]).try_for_each(|radius| check_radius(*radius))?;
        let dims = factors.iter().map(|factor| factor.dim()).collect();
        Ok(Self { radius: enclosing(&radii), radii, dims, ..self })
    }

    /// The ball around a published point, which keeps every bit of it, as a ball that is read does: normalizing again
    /// could change its last digits.
    ///
    /// # Errors
    /// As for [`Ball::new`].
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Sphere};
    /// let published = vec![0.6, 0.8 + 1e-16];
    /// assert_eq!(Ball::around(&Sphere::new(1)?, published.clone(), 0.5)?.center(), published);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn around(manifold: &dyn Manifold, center: Vec<f64>, radius: f64) -> Result<Self> {
        check_center(manifold, &center)?;
        check_radius(radius)?;
        Ok(Self { space: manifold.space().clone(), center, radius, radii: vec![], dims: vec![] })
    }

    /// The ball around the manifold's [`origin`](Manifold::origin).
    ///
    /// # Errors
    /// As for [`Ball::new`].
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::SpdLogEuclidean};
    /// let ball = Ball::at_origin(&SpdLogEuclidean::new(2)?, 1.0)?;
    /// assert_eq!(ball.center(), [1.0, 0.0, 0.0, 1.0]); // the identity matrix
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn at_origin(manifold: &dyn Manifold, radius: f64) -> Result<Self> {
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        Self::new(manifold, center, radius)
    }

    /// The space that the ball is in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The center `m₀`.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// The radius `r`. Where each factor has its own, that of the smallest ball that holds their product.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The radius in each factor, where each has its own. Otherwise there are none.
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// `radius 0.9`, or `radii 0.3, 4` where each factor has its own. `words` writes a length.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Euclidean};
    /// let ball = Ball::at_origin(&Euclidean::new(2)?, 0.5)?;
    /// assert_eq!(ball.radius_in_words(|r| format!("{r} m")), "radius 0.5 m");
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn radius_in_words(&self, words: impl Fn(f64) -> String) -> String {
        match &self.radii[..] {
            [] => format!("radius {}", words(self.radius)),
            radii => format!("radii {}", radii.iter().map(|radius| words(*radius)).collect::<Vec<_>>().join(", ")),
        }
    }

    /// The balls whose product it is, with their spaces: the ball itself, or one for each factor that has its own
    /// radius. On a manifold with another number of factors, such as the flat coordinates of a product, it is the ball
    /// itself.
    ///
    /// ```
    /// use karcher_geometry::{Ball, Space};
    /// let space = "sphere:2*euclidean:1".parse::<Space>()?.manifold()?;
    /// let ball = Ball::of_factors(&*space, vec![0.0, 0.0, 1.0, 5.0], vec![0.3, 4.0])?;
    /// let parts = ball.parts(&*space);
    /// assert_eq!((parts[1].0.space().as_str(), parts[1].1.center()), ("euclidean:1", &[5.0][..]));
    /// assert_eq!(parts.iter().map(|(_, ball)| ball.radius()).collect::<Vec<_>>(), [0.3, 4.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn parts<'a>(&self, manifold: &'a dyn Manifold) -> Vec<(&'a dyn Manifold, Ball)> {
        let factors = manifold.factors();
        if factors.len() != self.radii.len() || factors.is_empty() {
            return vec![(manifold, self.clone())];
        }
        let mut rest = &self.center[..];
        let of_factor = |(factor, radius): (&'a Arc<dyn Manifold>, &f64)| {
            let (center, others) = rest.split_at(factor.point_len().min(rest.len()));
            rest = others;
            let (space, center) = (factor.space().clone(), center.to_vec());
            (&**factor, Ball { space, center, radius: *radius, radii: vec![], dims: vec![] })
        };
        factors.iter().zip(&self.radii).map(of_factor).collect()
    }

    /// The coordinates of each part of the ball and its radius. Without the factors' numbers of coordinates it is the ball
    /// of the smallest radius, which lies in all of them.
    fn blocks<'a>(&'a self, coordinates: &'a [f64]) -> impl Iterator<Item = (&'a [f64], f64)> {
        let least = self.radii.iter().copied().fold(self.radius, f64::min);
        let whole = self.dims.is_empty().then_some((coordinates, least));
        let mut rest = coordinates;
        let of_factor = move |(dim, radius): (&usize, &f64)| {
            let (own, others) = rest.split_at(*dim);
            rest = others;
            (own, *radius)
        };
        whole.into_iter().chain(self.dims.iter().zip(&self.radii).map(of_factor))
    }

    /// Whether a point of these coordinates at the center is in the ball, up to a relative `slack`.
    fn holds(&self, coordinates: &[f64], slack: f64) -> bool {
        self.blocks(coordinates).all(|(own, radius)| norm(own) <= radius * (1.0 + slack))
    }

    /// A proved upper bound of the rounding error of the coordinates of a logarithm
    /// ([`frame_logs`](Manifold::frame_logs)) between two points of the ball that are
    /// [normalized](Manifold::normalize), clipped ones included ([`log_error`](Manifold::log_error)). `None` where
    /// nothing is proved.
    ///
    /// Points are certainly in the ball if their coordinates at the center are no longer than the radius less this
    /// bound.
    ///
    /// Where each factor has a radius, it is the root of the sum of the squares of the factors' bounds.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Sphere};
    /// let sphere = Sphere::new(2)?;
    /// assert!(Ball::at_origin(&sphere, 0.5)?.log_error(&sphere).is_some_and(|error| error < 1e-14));
    /// assert!(Ball::at_origin(&sphere, 1.6)?.log_error(&sphere).is_none()); // it has points at each other's antipode
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn log_error(&self, manifold: &dyn Manifold) -> Option<f64> {
        let errors = self.parts(manifold).into_iter().map(|(factor, ball)| ball.log_error_of_one(factor));
        let errors = errors.collect::<Option<Vec<_>>>()?;
        Some(if let [error] = errors[..] { error } else { norm(&errors) * (1.0 + 1e-9) })
    }

    fn log_error_of_one(&self, manifold: &dyn Manifold) -> Option<f64> {
        let mut origin = vec![0.0; manifold.point_len()];
        manifold.origin(&mut origin);
        // a little more, for rounding
        let radius = self.radius * (1.0 + 2.0 * CLIP_SLACK);
        let from_origin = manifold.dist(&origin, &self.center) * (1.0 + 1e-6) + 1e-9;
        let once = manifold.log_error(2.0 * radius, from_origin + radius)?;
        // points computed to be in the ball are in one that is larger by the error
        let around = radius + 2.0 * once;
        manifold.log_error(2.0 * around, from_origin + around).filter(|error| *error <= 2.0 * once)
    }

    /// The ball of the same radius around the image of the center under an isometry. The center is not checked.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Euclidean};
    /// let line = Euclidean::new(1)?;
    /// assert_eq!(Ball::at_origin(&line, 2.0)?.with_center(&line, vec![5.0]).center(), [5.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn with_center(&self, manifold: &dyn Manifold, center: Vec<f64>) -> Self {
        Self { space: manifold.space().clone(), center, ..self.clone() }
    }

    /// Refuses a ball of another space.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`].
    pub fn check_space(&self, manifold: &dyn Manifold) -> Result<()> {
        check_space("a ball", manifold.space(), &self.space)
    }

    /// Pulls a point outside the ball to its boundary: `Exp_{m₀}(min(1, r/ρ(m₀,x))·Log_{m₀}x)` (user guide, C1), in each
    /// factor that has its own radius by itself.
    ///
    /// The result is within `r·(1 + 2⁻⁴⁰)` of the center, as computed. A point inside stays as it is. A point that has
    /// no logarithm at the center (it is at the cut locus, or its numbers give none in floating point) becomes the
    /// center. One record's result depends on that record alone, so neighbouring data sets stay neighbours. This is the
    /// routine that every mechanism runs.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`] for another manifold than the ball's, [`Error::WrongLength`] for a list of another
    /// length.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Euclidean};
    /// let plane = Euclidean::new(2)?;
    /// let mut clipped = [0.0; 2];
    /// Ball::at_origin(&plane, 1.0)?.clip(&plane, &[3.0, 4.0], &mut clipped)?;
    /// assert!((clipped[0] - 0.6).abs() < 1e-12 && (clipped[1] - 0.8).abs() < 1e-12);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn clip(&self, manifold: &dyn Manifold, x: &[f64], out: &mut [f64]) -> Result<()> {
        self.check_space(manifold)?;
        let expected = manifold.point_len();
        for found in [self.center.len(), x.len(), out.len()] {
            if found != expected {
                return Err(Error::WrongLength { space: self.space.clone(), expected, found });
            }
        }
        out.copy_from_slice(x);
        self.clip_in_place(manifold, out);
        Ok(())
    }

    /// [`clip`](Ball::clip) of points one after the other, in place. Lengths are those of coordinates in the frame at
    /// the center, where they are Euclidean norms.
    ///
    /// ```
    /// use karcher_geometry::{Ball, manifold::Euclidean};
    /// let (line, mut points) = (Euclidean::new(1)?, [0.5, -9.0]);
    /// Ball::at_origin(&line, 1.0)?.clip_in_place(&line, &mut points);
    /// assert_eq!(points, [0.5, -1.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn clip_in_place(&self, manifold: &dyn Manifold, points: &mut [f64]) {
        let (len, dim) = (self.center.len(), manifold.dim());
        let mut seen = vec![0.0; GROUP.min(points.len() / len) * dim];
        for group in points.chunks_mut(GROUP * len) {
            let seen = &mut seen[..group.len() / len * dim];
            self.look(manifold, group, seen);
            for (x, c) in group.chunks_exact_mut(len).zip(seen.chunks_exact(dim)) {
                if !self.holds(c, 0.0) {
                    self.bring_in(manifold, x, c);
                }
            }
        }
    }

    /// Replaces a point outside the ball, of these coordinates at the center, by the one on its edge in the same
    /// direction, or by the center.
    fn bring_in(&self, manifold: &dyn Manifold, x: &mut [f64], coordinates: &[f64]) {
        if norm(coordinates).is_finite() {
            let (mut v, mut scaled) = (vec![0.0; x.len()], coordinates.to_vec());
            for share in (0..TRIES).map(inward) {
                let shrunk = self.blocks(coordinates).flat_map(|(own, radius)| {
                    let (length, radius) = (norm(own), radius * share);
                    let factor = if length > radius { radius / length } else { 1.0 };
                    own.iter().map(move |c| c * factor)
                });
                scaled.iter_mut().zip(shrunk).for_each(|(scaled, c)| *scaled = c);
                manifold.from_frame(&self.center, &scaled, &mut v);
                manifold.exp(&self.center, &v, x);
                self.look(manifold, x, &mut scaled);
                if self.holds(&scaled, CLIP_SLACK) && manifold.check_point(x).is_ok() {
                    return;
                }
            }
        }
        x.copy_from_slice(&self.center);
    }

    /// Writes the coordinates of the logarithms of points in the frame at the center; NaN where there is none.
    fn look(&self, manifold: &dyn Manifold, points: &[f64], coordinates: &mut [f64]) {
        let points = PointsView { space: &self.space, values: points, point_len: self.center.len() };
        manifold.frame_logs(&self.center, points, coordinates);
    }

    /// [`clip`](Ball::clip) of every record.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`] for a ball or points of another space.
    ///
    /// ```
    /// use karcher_geometry::{Ball, Points, manifold::Euclidean};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![-7.0, 0.25, 2.0])?;
    /// let clipped = Ball::at_origin(&line, 1.0)?.clip_all(&line, &points)?;
    /// assert_eq!(clipped.view().values(), [-1.0, 0.25, 1.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn clip_all<'a>(&self, manifold: &dyn Manifold, points: impl Into<PointsView<'a>>) -> Result<Points> {
        self.check_space(manifold)?;
        manifold.check_point(&self.center)?;
        Ok(points.into().check_space(manifold.space())?.map(manifold.space(), manifold.point_len(), |records, out| {
            out.copy_from_slice(records.values());
            self.clip_in_place(manifold, out);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radius_around_the_factors_is_never_too_small() {
        for scale in [1e-170, 1e-161, 1.0, 1e161, 1e200] {
            let (found, exact) = (enclosing(&[scale, scale]), scale * 2.0_f64.sqrt());
            assert!(found >= exact && found < exact * (1.0 + 1e-13), "{scale}: {found}");
        }
        let space = "euclidean:1*euclidean:1".parse::<Space>().unwrap().manifold().unwrap();
        let of = |radii: &[f64]| Ball::of_factors(&*space, vec![0.0; 2], radii.to_vec());
        assert!(of(&[1.7e308, 1.7e308]).is_err() && of(&[f64::NAN, 1.0]).is_err() && of(&[]).is_err());
    }

    /// Landmarks of any size: the center that a ball states is its center again.
    #[test]
    fn a_stated_center_keeps_its_bits() {
        let space = "size-and-shape:10,2".parse::<Space>().unwrap().manifold().unwrap();
        for size in [1e-3, 1.0, 1e3] {
            for seed in 0..100 {
                let raw: Vec<f64> = (0..20).map(|i| size * (((i + 7 * seed) as f64).sin() + 0.3)).collect();
                let center = space.layouts()[0].read(&raw).unwrap();
                let first = Ball::written(&*space, center.clone(), size).unwrap();
                assert_eq!(first.center(), center);
                assert_eq!(Ball::written(&*space, first.center().to_vec(), size).unwrap(), first);
            }
        }
    }

    /// A ball of a space of one's own is read before the space is known: it is the same ball, and clips in no factor
    /// too little.
    #[test]
    fn a_ball_that_was_read_is_the_same_once_its_space_is_known() {
        let space = "sphere:2*euclidean:1".parse::<Space>().unwrap().manifold().unwrap();
        let ball = Ball::of_factors(&*space, vec![0.0, 0.0, 1.0, 0.0], vec![0.5, 4.0]).unwrap();
        let read = Ball { dims: vec![], ..ball.clone() };
        assert!(read == ball && read.on(&*space).unwrap().dims == [2, 1]);
        assert!(read.holds(&[0.3, 0.0, 0.3], 0.0) && !read.holds(&[0.0, 0.0, 1.0], 0.0));
        let short = Ball { center: vec![1.0], ..ball };
        assert!(short.on(&*space).is_err() && short.parts(&*space).len() == 2);
    }
}
