//! Records clipped to the ball and seen from its centre: what every mechanism for the mean works on.
//!
//! An isometry that depends on the public ball alone carries the centre to where numbers are best (the origin of `R^d` on flat spaces,
//! the vertex, the identity matrix), and carries the result back. So the accuracy of everything in between depends on
//! radius and dimension, which are public, and on nothing else: not on how ill-conditioned, or how far out, centre and records are.
//! Up to here each record is processed by itself, so whatever rounding does to a record, neighbours stay neighbours.

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::{CurvatureBounds, Euclidean, FlatChart, Manifold, add_scaled, norm};
use crate::points::{CHUNK, Points, PointsView};
use std::f64::consts::FRAC_PI_2;

/// Where the ball's centre is carried, and how to come back.
pub(super) struct Centered<'a> {
    manifold: &'a dyn Manifold,
    /// Flat spaces are seen as `R^d`.
    flat: Option<(&'a dyn FlatChart, Euclidean)>,
    ball_center: Vec<f64>,
    radius: f64,
    /// The image of the ball's centre.
    center: Vec<f64>,
}

impl<'a> Centered<'a> {
    pub(super) fn new(manifold: &'a dyn Manifold, ball: &Ball) -> Result<Self> {
        let flat = manifold.flat_chart().map(|chart| Ok((chart, Euclidean::new(manifold.dim())?))).transpose()?;
        let mut center = ball.center().to_vec();
        let mut ball_center = center.clone();
        match flat {
            Some((chart, _)) => {
                ball_center = vec![0.0; manifold.dim()];
                chart.to_flat(ball.center(), &mut ball_center);
                center = vec![0.0; manifold.dim()];
            }
            None => manifold.to_origin(&ball_center, ball.center(), &mut center),
        }
        Ok(Self { manifold, flat, ball_center, radius: ball.radius(), center })
    }

    /// The space in which the centred records lie.
    pub(super) fn space(&self) -> &dyn Manifold {
        match &self.flat {
            Some((_, euclidean)) => euclidean,
            None => self.manifold,
        }
    }

    /// The image of the ball's centre.
    pub(super) fn center(&self) -> &[f64] {
        &self.center
    }

    /// The records, centred, and clipped if asked for.
    ///
    /// What has no logarithm at the centre, or none in floating point, becomes the centre.
    pub(super) fn records(&self, points: PointsView<'_>, clip: bool) -> Points {
        points.map(self.center.len(), |records, out| {
            self.carry(records, out);
            if clip {
                for x in out.chunks_exact_mut(self.center.len()) {
                    self.clip(x);
                }
            }
        })
    }

    fn carry(&self, records: PointsView<'_>, out: &mut [f64]) {
        match self.flat {
            Some((chart, _)) => {
                chart.all_to_flat(records, out);
                for c in out.chunks_exact_mut(self.center.len()) {
                    add_scaled(c, -1.0, &self.ball_center);
                }
            }
            None => {
                for (x, out) in records.iter().zip(out.chunks_exact_mut(self.center.len())) {
                    self.manifold.to_origin(&self.ball_center, x, out);
                    self.manifold.normalize(out); // borrowed records may hold a little more rounding than normalised ones
                }
            }
        }
    }

    /// `Exp(min(1, r/‖v‖)·v)`, `v = Log x` at the centre, in frame coordinates, where a length is a Euclidean norm.
    fn clip(&self, x: &mut [f64]) {
        let space = self.space();
        let (mut v, mut c) = (vec![0.0; x.len()], vec![0.0; space.dim()]);
        let mut length = f64::NAN;
        if space.log(&self.center, x, &mut v).is_ok() {
            space.to_frame(&self.center, &v, &mut c);
            length = norm(&c);
        }
        if length <= self.radius {
            return;
        }
        if length.is_finite() {
            c.iter_mut().for_each(|c| *c *= self.radius / length);
            space.from_frame(&self.center, &c, &mut v);
            space.exp(&self.center, &v, x);
        } else {
            x.copy_from_slice(&self.center);
        }
    }

    /// Carries a point back to where the user's ball is.
    pub(super) fn back(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.manifold.point_len()];
        match self.flat {
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

    /// Carries a point and a tangent vector there back: `v′ = 2·Log_{p′}(q′)`, `q′` the image of `Exp_p(v/2)`, because isometries keep logarithms. For `v`
    /// shorter than the injectivity radius.
    pub(super) fn back_with(&self, p: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut middle = p.to_vec();
        self.space().exp(p, &v.iter().map(|v| 0.5 * v).collect::<Vec<_>>(), &mut middle);
        let (p, middle) = (self.back(p), self.back(&middle));
        let mut v = vec![0.0; p.len()];
        match self.manifold.log(&p, &middle, &mut v) {
            Ok(()) => v.iter_mut().for_each(|v| *v *= 2.0),
            Err(_) => v.fill(0.0), // not at half the injectivity radius
        }
        (p, v)
    }

    /// How far rounding may take the computed mean's gradient from the true one, from public quantities: adding up `n` vectors no longer than
    /// `2r` in chunks, and coordinates that grow like `e^{ar}`, `a = √−κ₋`, out to the edge of the ball.
    pub(super) fn rounding(&self, n: usize) -> f64 {
        let additions = (CHUNK + n / CHUNK + 8) as f64;
        let summation = additions * f64::EPSILON * 2.0 * self.radius;
        if self.flat.is_some() {
            return summation;
        }
        let a = (-self.manifold.curvature().lower).max(0.0).sqrt();
        summation + self.unit_rounding() * (2.0 * a * self.radius).exp()
    }

    fn unit_rounding(&self) -> f64 {
        16.0 * f64::EPSILON * (self.center.len() as f64).sqrt()
    }

    /// Beyond this radius an iteration for the mean might end or not as the records are: coordinates that grow like `e^{ar}` leave less than
    /// four digits of the gradient, or, on positively curved spaces, the mean is nearly not unique (`g(r) < 10⁻³`). `None` where
    /// there is no iteration.
    pub(super) fn computable_radius(&self) -> Option<f64> {
        if self.flat.is_some() {
            return None;
        }
        let CurvatureBounds { lower, upper } = self.manifold.curvature();
        if upper > 0.0 {
            return Some((FRAC_PI_2 - 6.4e-4) / upper.sqrt());
        }
        let a = (-lower).max(0.0).sqrt();
        if a > 0.0 { Some((1e-3 / self.unit_rounding()).ln() / (2.0 * a)) } else { None }
    }
}
