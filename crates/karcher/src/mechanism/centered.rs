//! Records clipped to the ball and seen from its center: what every mechanism for the mean works on.
//!
//! An isometry that depends on the public ball alone carries the center to where numbers are best (the origin of `R^d`
//! on flat spaces, the vertex, the identity matrix), and carries the result back. So the accuracy of everything in
//! between depends on radius and dimension, which are public, and on nothing else: not on how ill-conditioned, or how
//! far out, center and records are. Up to here each record is processed by itself, so whatever rounding does to a
//! record, neighbours stay neighbours.

use super::Lattice;
use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::{CurvatureBounds, Euclidean, FlatChart, Manifold, add_scaled, norm_of_difference};
use crate::points::{CHUNK, Points, PointsView};
use crate::statistic::Geodesic;

/// The largest `tan(√κ·r)` for which a mean is promised, where the curvature is constant and where it is not.
const STEEPEST_CONSTANT: f64 = 70.0;
const STEEPEST: f64 = 15.0;

/// A private value where the user's ball is: a function of lattice coordinates and of public quantities.
pub(super) struct Published {
    pub(super) value: Vec<f64>,
    /// For matrices that their numbers do not hold, their logarithm.
    pub(super) logarithm: Option<Vec<f64>>,
    /// Whether the numbers of the value, or of one a quarter further out, are farther than the tolerance from what the
    /// coordinates say.
    pub(super) beyond_precision: bool,
}

/// Where the ball's center is carried, and how to come back.
pub(super) struct Centered<'a> {
    manifold: &'a dyn Manifold,
    /// Flat spaces are seen as `R^d`.
    flat: Option<(&'a dyn FlatChart, Euclidean)>,
    ball_center: Vec<f64>,
    /// The image of the user's ball.
    ball: Ball,
}

impl<'a> Centered<'a> {
    pub(super) fn new(manifold: &'a dyn Manifold, ball: &Ball) -> Result<Self> {
        ball.check_space(manifold)?;
        let flat = manifold.flat_chart().map(|chart| Ok((chart, Euclidean::new(manifold.dim())?))).transpose()?;
        let mut center = ball.center().to_vec();
        let mut ball_center = center.clone();
        match &flat {
            Some((chart, _)) => {
                ball_center = vec![0.0; manifold.dim()];
                chart.to_flat(ball.center(), &mut ball_center);
                center = vec![0.0; manifold.dim()];
            }
            None => manifold.to_origin(&ball_center, ball.center(), &mut center),
        }
        let ball = match &flat {
            Some((_, euclidean)) => ball.moved(euclidean, center),
            None => ball.moved(manifold, center),
        };
        Ok(Self { manifold, flat, ball_center, ball })
    }

    /// The space in which the centered records lie.
    pub(super) fn space(&self) -> &dyn Manifold {
        match &self.flat {
            Some((_, euclidean)) => euclidean,
            None => self.manifold,
        }
    }

    /// The image of the ball's center.
    pub(super) fn center(&self) -> &[f64] {
        self.ball.center()
    }

    /// Pulls a point of the [`space`](Centered::space) that is outside the ball to its edge ([`Ball::clip`]).
    pub(super) fn pull(&self, x: &mut [f64]) {
        self.ball.pull(self.space(), x);
    }

    /// The records, centered, and clipped if asked for.
    pub(super) fn records(&self, points: PointsView<'_>, clip: bool) -> Result<Points> {
        Ok(points.check_space(self.manifold)?.map(self.space(), |records, out| {
            self.carry(records, out);
            if clip {
                out.chunks_exact_mut(self.center().len()).for_each(|x| self.pull(x));
            }
        }))
    }

    fn carry(&self, records: PointsView<'_>, out: &mut [f64]) {
        match &self.flat {
            Some((chart, _)) => {
                chart.all_to_flat(records, out);
                for c in out.chunks_exact_mut(self.center().len()) {
                    add_scaled(c, -1.0, &self.ball_center);
                }
            }
            None => {
                for (x, out) in records.iter().zip(out.chunks_exact_mut(self.center().len())) {
                    self.manifold.to_origin(&self.ball_center, x, out);
                    self.manifold.normalize(out); // borrowed records may hold a little more rounding than normalised ones
                }
            }
        }
    }

    /// The point with these coordinates at the center, where the user's ball is. `tolerance` is the distance that its
    /// numbers may be off.
    pub(super) fn published(&self, coordinates: &[f64], tolerance: f64) -> Published {
        let value = self.at(coordinates);
        // a bit further out, because a flow's steps raise eigenvalues to what can be held
        let further: Vec<f64> = coordinates.iter().map(|c| 1.25 * c).collect();
        let unbounded = self.manifold.diameter() == f64::INFINITY;
        let beyond_precision = unbounded && norm_of_difference(&self.held(&self.at(&further)), &further) > tolerance;
        let logarithm = self.flat.as_ref().filter(|_| beyond_precision).and_then(|(chart, _)| {
            let mut flat = coordinates.to_vec();
            add_scaled(&mut flat, 1.0, &self.ball_center);
            chart.logarithm(&flat)
        });
        Published { value, logarithm, beyond_precision }
    }

    /// The point with these coordinates at the center.
    fn at(&self, coordinates: &[f64]) -> Vec<f64> {
        self.back(&Lattice::point(self.space(), self.center(), coordinates))
    }

    /// The coordinates at the center that the numbers of a point hold.
    fn held(&self, value: &[f64]) -> Vec<f64> {
        let mut held = vec![0.0; self.manifold.dim()];
        match &self.flat {
            Some((chart, _)) => {
                chart.to_flat(value, &mut held);
                add_scaled(&mut held, -1.0, &self.ball_center);
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

    /// Carries a point back to where the user's ball is.
    fn back(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.manifold.point_len()];
        match &self.flat {
            Some((chart, _)) => {
                let mut c = x.to_vec();
                add_scaled(&mut c, 1.0, &self.ball_center);
                chart.from_flat(&c, &mut out);
            }
            None => self.manifold.from_origin(&self.ball_center, x, &mut out),
        }
        self.manifold.repair(&mut out);
        out
    }

    /// Carries the geodesic of the lattice next to this one back: the velocity as `v′ = 2·Log_{p′}(q′)`, `q′` the image
    /// of `Exp_p(v/2)`, because isometries keep logarithms. For `v` shorter than the injectivity radius.
    pub(super) fn published_geodesic(&self, geodesic: &Geodesic, lattice: Lattice) -> Geodesic {
        let on_lattice = lattice.geodesic(self.space(), self.center(), geodesic);
        let (p, middle) = (self.back(&on_lattice.footpoint), self.back(&on_lattice.at(self.space(), 0.5)));
        let mut v = vec![0.0; p.len()];
        match self.manifold.log(&p, &middle, &mut v) {
            Ok(()) => v.iter_mut().for_each(|v| *v *= 2.0),
            Err(_) => v.fill(0.0), // not at half the injectivity radius
        }
        Geodesic { footpoint: p, velocity: v }
    }

    /// How far rounding may take a gradient computed from `n` records in the ball from the true one, from public
    /// quantities: adding up `n` vectors no longer than `2r` in chunks, which is proved, and logarithms, of coordinates
    /// that grow like `e^{ar}`, `a = √−κ₋`, out to the edge of the ball, or of points that are nearly at each other's
    /// cut locus, which is an allowance (user guide, C3).
    pub(super) fn rounding(&self, n: usize) -> f64 {
        let additions = (CHUNK + n / CHUNK + 8) as f64;
        let summation = additions * f64::EPSILON * 2.0 * self.ball.radius();
        if self.flat.is_some() {
            return summation;
        }
        let upper = self.manifold.curvature().upper.max(0.0);
        // a logarithm of length s is as sensitive as s/sin s, of which the average in a gradient near 0 is at most
        // 1/cos(√κ·r)
        let cosine = (upper.sqrt() * self.ball.radius()).cos().max(1e-3);
        summation + 16.0 * self.unit_rounding(2.0) / cosine
    }

    /// How far rounding may take `Exp` in the ball, and pulling its result into the ball, from the true point, beside a
    /// thousandth of the step: an allowance.
    pub(super) fn step_rounding(&self) -> f64 {
        4.0 * self.unit_rounding(1.0)
    }

    /// `2⁻⁵²·√p·e^{share·ar}`, `p` numbers in a point.
    fn unit_rounding(&self, share: f64) -> f64 {
        let a = (-self.manifold.curvature().lower).max(0.0).sqrt();
        f64::EPSILON * (self.center().len() as f64).sqrt() * (share * a * self.ball.radius()).exp()
    }

    /// Beyond this radius a mean cannot be promised: on positively curved spaces the certain iteration may take more
    /// than 200,000 steps, on negatively curved ones coordinates that grow like `e^{ar}` leave less than four digits of
    /// the gradient. `None` where there is no iteration, or no such radius.
    pub(super) fn computable_radius(&self) -> Option<f64> {
        if self.flat.is_some() {
            return None;
        }
        let CurvatureBounds { lower, upper } = self.manifold.curvature();
        if upper > 0.0 {
            return Some(if lower == upper { STEEPEST_CONSTANT } else { STEEPEST }.atan() / upper.sqrt());
        }
        let a = (-lower).max(0.0).sqrt();
        let unit = 16.0 * f64::EPSILON * (self.center().len() as f64).sqrt();
        if a > 0.0 { Some((1e-3 / unit).ln() / (2.0 * a)) } else { None }
    }
}
