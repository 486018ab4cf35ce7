//! Records clipped to the ball and carried to its center: the input of every mechanism.
//!
//! An isometry that depends on the public ball alone carries the center to the most accurate place, and carries the
//! result back. That place is the origin of `R^d` on flat spaces, the vertex, or the identity matrix. So the accuracy
//! of everything in between depends only on radius and dimension, which are public. It does not depend on how
//! ill-conditioned, or how far out, center and records are. Up to here each record is processed by itself. So
//! neighbours stay neighbours, whatever rounding does to a record.

use super::quantum;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{CurvatureBounds, Euclidean, FlatChart, Manifold, exponential_factor};
use crate::points::{Points, PointsView};
use crate::vector::add_scaled;
use std::sync::Arc;

/// The largest `tan(√κ·r)` for which a mean is promised. The three values are for constant curvature, for other
/// curvature, and for curvature of both signs, where steps are shorter.
const STEEPEST_CONSTANT: f64 = 70.0;
const STEEPEST: f64 = 15.0;
const STEEPEST_MIXED: f64 = 9.0;

/// Rejects a ball in which doubles cannot represent points accurately: of a product of balls, any of them.
fn check_held(manifold: &dyn Manifold, ball: &Ball) -> Result<()> {
    ball.parts(manifold).into_iter().try_for_each(|(factor, part)| check_one_held(factor, &part))
}

fn check_one_held(manifold: &dyn Manifold, ball: &Ball) -> Result<()> {
    let (held, mut origin) = (manifold.max_accurate_distance(), ball.center().to_vec());
    manifold.origin(&mut origin);
    let out = manifold.dist(&origin, ball.center());
    if held == f64::INFINITY || out + ball.radius() <= held {
        return Ok(());
    }
    if out < held {
        return Err(Error::RadiusTooLarge {
            space: manifold.space().clone(),
            radius: ball.radius(),
            limit: held - out,
            limit_of: "double precision resolves the points of the ball to a thousandth",
        });
    }
    let requirement = format!(
        "it is the distance from the origin of the space, which must be below {held:.1} because farther out numbers of \
         double precision hold places to less than a thousandth; carry center and records nearer by an isometry"
    );
    Err(Error::InvalidParameter { name: "center", value: out, requirement })
}

/// The centered image of a ball, and the way back.
#[derive(Debug, Clone)]
pub(crate) struct Centered {
    manifold: Arc<dyn Manifold>,
    /// The user's ball.
    of: Ball,
    /// `R^d`, for flat spaces.
    flat: Option<Euclidean>,
    ball_center: Vec<f64>,
    /// The image of the user's ball.
    ball: Ball,
    /// Whether the isometry is the identity.
    is_at_origin: bool,
}

impl Centered {
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space, or a center that is no point. [`Error::RadiusTooLarge`] or
    /// [`Error::InvalidParameter`] where doubles cannot represent the points of the ball.
    pub(crate) fn new(manifold: &Arc<dyn Manifold>, of: &Ball) -> Result<Self> {
        // a ball that was read for a user-defined space has not been checked
        let of = &of.on(manifold)?;
        let ball = of;
        manifold.check_point(ball.center())?;
        check_held(&**manifold, ball)?;
        let mut ball_center = ball.center().to_vec();
        let mut center = ball_center.clone();
        let flat = match manifold.flat_chart() {
            Some(chart) => {
                ball_center = vec![0.0; manifold.dim()];
                chart.to_flat(ball.center(), &mut ball_center);
                center = vec![0.0; manifold.dim()];
                Some(Euclidean::new(manifold.dim())?)
            }
            None => {
                manifold.to_origin(&ball_center, ball.center(), &mut center);
                // as for records, so that logarithms at it are as accurate as is proved
                manifold.normalize(&mut center);
                None
            }
        };
        let ball = match &flat {
            Some(euclidean) => ball.with_center(euclidean, center),
            None => ball.with_center(manifold, center),
        };
        let mut origin = ball_center.clone();
        let is_at_origin = flat.is_none() && {
            manifold.origin(&mut origin);
            origin == ball_center
        };
        Ok(Self { manifold: Arc::clone(manifold), of: of.clone(), flat, ball_center, ball, is_at_origin })
    }

    /// Records of a space that are taken as they are, wherever they lie.
    ///
    /// # Errors
    /// As for a ball at the origin of the space.
    pub(crate) fn unmoved(manifold: &Arc<dyn Manifold>) -> Result<Self> {
        let ball = Ball::at_origin(&**manifold, 1.0)?;
        let (of, ball_center) = (ball.clone(), ball.center().to_vec());
        Ok(Self { manifold: Arc::clone(manifold), of, flat: None, ball_center, ball, is_at_origin: true })
    }

    /// Whether records are carried as they are.
    pub(crate) fn is_identity(&self) -> bool {
        self.is_at_origin
    }

    /// The user's space.
    pub(crate) fn manifold(&self) -> &dyn Manifold {
        &*self.manifold
    }

    /// The user's ball.
    pub(crate) fn of(&self) -> &Ball {
        &self.of
    }

    /// The space in which the centered records lie.
    pub(crate) fn space(&self) -> &dyn Manifold {
        match &self.flat {
            Some(euclidean) => euclidean,
            None => &*self.manifold,
        }
    }

    /// The image of the ball's center.
    pub(crate) fn center(&self) -> &[f64] {
        self.ball.center()
    }

    /// The radius of the ball.
    pub(crate) fn radius(&self) -> f64 {
        self.ball.radius()
    }

    /// The flat coordinates of the user's space, where it has them, and the ball's center in them.
    pub(crate) fn chart(&self) -> Option<(&dyn FlatChart, &[f64])> {
        self.flat.as_ref().and(self.manifold.flat_chart()).map(|chart| (chart, &self.ball_center[..]))
    }

    /// Moves a point of the [`space`](Centered::space) that is outside the ball to its edge ([`Ball::clip`]).
    pub(crate) fn pull(&self, x: &mut [f64]) {
        self.ball.clip_in_place(self.space(), x);
    }

    /// The records, centered, and clipped if asked for.
    pub(crate) fn records(&self, points: PointsView<'_>, clip: bool) -> Points {
        points.map(self.space().space(), self.space().point_len(), |records, out| self.see(records, clip, out))
    }

    /// The same for a few records, one after the other in `out`.
    pub(crate) fn see(&self, records: PointsView<'_>, clip: bool, out: &mut [f64]) {
        self.carry(records, out);
        if clip {
            self.ball.clip_in_place(self.space(), out);
        }
    }

    fn carry(&self, records: PointsView<'_>, out: &mut [f64]) {
        match self.chart() {
            Some((chart, center)) => {
                chart.all_to_flat(records, out);
                out.chunks_exact_mut(center.len()).for_each(|c| add_scaled(c, -1.0, center));
            }
            None => {
                match self.is_at_origin {
                    true => out.copy_from_slice(records.values()),
                    false => self.manifold.to_origin_many(&self.ball_center, records.values(), out),
                }
                // borrowed records may hold a little more rounding than normalised ones
                out.chunks_exact_mut(self.center().len()).for_each(|x| self.manifold.normalize(x));
            }
        }
    }

    /// The image of a point of the user's space, carried as records are.
    pub(crate) fn place(&self, value: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.space().point_len()];
        let point = PointsView::unchecked(self.manifold.space(), value.len(), value);
        self.carry(point, &mut out);
        out
    }

    /// The coordinates at the center that the numbers of a point of the user's space represent.
    pub(crate) fn held(&self, value: &[f64]) -> Vec<f64> {
        let mut held = vec![0.0; self.manifold.dim()];
        match self.chart() {
            Some((chart, center)) => {
                chart.to_flat(value, &mut held);
                add_scaled(&mut held, -1.0, center);
            }
            None => {
                let (mut x, mut v) = (value.to_vec(), value.to_vec());
                self.manifold.to_origin(&self.ball_center, value, &mut x);
                if self.manifold.log(self.center(), &x, &mut v).is_ok() {
                    self.manifold.to_frame(self.center(), &v, &mut held);
                }
            }
        }
        held
    }

    /// Carries a point back to the user's ball.
    pub(crate) fn back(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.manifold.point_len()];
        match self.chart() {
            Some((chart, center)) => {
                let mut c = x.to_vec();
                add_scaled(&mut c, 1.0, center);
                chart.from_flat(&c, &mut out);
            }
            None => self.manifold.from_origin(&self.ball_center, x, &mut out),
        }
        self.manifold.repair(&mut out);
        out
    }

    /// Bound of the rounding error of a gradient computed from records in the ball, from public quantities. Sums are
    /// exact (user guide, X1), so it has two parts. One is the quantum to which a record's logarithm, no longer than
    /// `2r`, is rounded. The other is the error of logarithms. Both are proved on spaces that have a
    /// [`log_error`](Manifold::log_error). On others the second is an allowance. It covers coordinates that grow like
    /// `e^{ar}`, `a = √−κ₋`, out to the edge of the ball, and points nearly at each other's cut locus (user guide, C3).
    pub(crate) fn rounding(&self) -> f64 {
        if self.flat.is_some() {
            return 0.0;
        }
        let summation = (self.manifold.dim() as f64).sqrt() * quantum(self.longest_log());
        if let Some(error) = self.log_error() {
            return summation + error;
        }
        // a logarithm of length s is as sensitive as s/sin s, whose average in a gradient near 0 is at most 1/cos(√κ·r)
        let cosine = self.positive_angle().cos().max(1e-3);
        summation + 16.0 * self.unit_rounding(2.0) / cosine
    }

    /// Bound of the rounding error of the coordinates of a logarithm between two points of the ball, where it is
    /// proved.
    pub(crate) fn log_error(&self) -> Option<f64> {
        self.ball.log_error(self.space())
    }

    /// Upper bound of the distance of two points of the ball and of the length of their computed logarithms, rounding
    /// included.
    pub(crate) fn longest_log(&self) -> f64 {
        2.0 * (self.ball.radius() + 2.0 * self.log_error().unwrap_or(0.0)) * (1.0 + 1e-9)
    }

    /// Allowance for the rounding of `Exp` in the ball, and of clipping its result to the ball. It excludes a
    /// thousandth of the step.
    pub(crate) fn step_rounding(&self) -> f64 {
        4.0 * self.unit_rounding(1.0)
    }

    /// The radius, the smallest of a ball in each factor.
    pub(crate) fn least_radius(&self) -> f64 {
        self.ball.radii().iter().copied().fold(self.ball.radius(), f64::min)
    }

    /// How far a mean may be from the center where distances stretch: the radius, or of a ball in each factor the root
    /// of the sum of the squares of the radii in factors of negative curvature.
    pub(crate) fn radius_of_negative(&self) -> f64 {
        let negative = self.radius_where(|space| space.curvature().lower < 0.0);
        if self.ball.radii().is_empty() || negative == 0.0 { self.radius() } else { negative }
    }

    /// `√κ·r` for the largest curvature, 0 where none is positive; in a product of balls the largest of the factors'.
    pub(crate) fn positive_angle(&self) -> f64 {
        self.largest(|space| space.curvature().upper.max(0.0).sqrt())
    }

    /// The same for the smallest curvature, where it is negative.
    pub(crate) fn negative_angle(&self) -> f64 {
        self.largest(|space| (-space.curvature().lower).max(0.0).sqrt())
    }

    /// The root of the sum of the squares of the radii in factors of positive curvature.
    pub(crate) fn radius_of_positive(&self) -> f64 {
        self.radius_where(|space| space.curvature().upper > 0.0)
    }

    fn radius_where(&self, is_counted: impl Fn(&dyn Manifold) -> bool) -> f64 {
        let balls = self.ball.parts(self.space()).into_iter();
        balls.filter(|(space, _)| is_counted(*space)).map(|(_, ball)| ball.radius().powi(2)).sum::<f64>().sqrt()
    }

    /// The largest product of a rate and the radius, over the balls whose product it is.
    fn largest(&self, rate: impl Fn(&dyn Manifold) -> f64) -> f64 {
        let balls = self.ball.parts(self.space()).into_iter();
        balls.map(|(space, ball)| rate(space) * ball.radius()).fold(0.0, f64::max)
    }

    /// `a`: coordinates grow like `e^{ar}`. Those of hyperboloids and of matrices do so where the space is flat, too.
    fn growth(&self, manifold: &dyn Manifold) -> f64 {
        let by_curvature = (-manifold.curvature().lower).max(0.0).sqrt();
        if exponential_factor(&*self.manifold).is_some() { by_curvature.max(1.0) } else { by_curvature }
    }

    /// `2⁻⁵²·√p·e^{share·ar}`, `p` numbers in a point.
    fn unit_rounding(&self, share: f64) -> f64 {
        let most = self.largest(|space| self.growth(space));
        f64::EPSILON * (self.center().len() as f64).sqrt() * (share * most).exp()
    }

    /// The radius of a part of the ball beyond which a mean cannot be promised. On positively curved spaces, the
    /// certified descent may take more than 200,000 steps there. On negatively curved ones, coordinates that grow like
    /// `e^{ar}` leave less than four digits of the gradient. `None` where there is no iteration, or no such radius.
    pub(crate) fn computable_radius(&self, part: &dyn Manifold) -> Option<f64> {
        if self.flat.is_some() {
            return None;
        }
        let CurvatureBounds { lower, upper } = self.manifold.curvature();
        if upper > 0.0 && part.curvature().upper > 0.0 {
            let steepest = match lower {
                lower if lower == upper => STEEPEST_CONSTANT,
                lower if lower < 0.0 => STEEPEST_MIXED,
                _ => STEEPEST,
            };
            return Some(steepest.atan() / part.curvature().upper.sqrt());
        }
        let a = self.growth(part);
        let unit = 16.0 * f64::EPSILON * (self.center().len() as f64).sqrt();
        if a > 0.0 { Some((1e-3 / unit).ln() / (2.0 * a)) } else { None }
    }
}
