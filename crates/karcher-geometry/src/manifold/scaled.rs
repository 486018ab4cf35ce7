//! A space whose metric is that of another one with all lengths multiplied by `s > 0`: `g′ = s²·g`.
//!
//! A constant factor leaves the Levi-Civita connection as it is. So `Exp`, `Log`, transport, Jacobi fields, cut points
//! and isometries are those of the other space, at the same numbers, and only what measures a length changes:
//!
//! | | |
//! | --- | --- |
//! | `ρ′ = s·ρ`, `⟨u, v⟩′ = s²⟨u, v⟩` | distances and inner products |
//! | `c′ = s·c` | coordinates in the frame `eᵢ/s`, which is orthonormal for `g′` |
//! | `K′ = K/s²` | curvatures: `R` is the same, and `K = ⟨R(u,v)v, u⟩/|u∧v|²` |
//! | injectivity radius, diameter, cut locus, steps | `s` times as long |
//! | `θ′(c′) = θ(c′/s)` | both volumes of a tangent vector's neighbourhood grow by `s^d` |
//! | `ψ′(t) = ψ(t/s)`, with the slope `ψ̇(t/s)/s` | still concave with `(d−1)·ln t`: `ln t = ln(t/s) + ln s` |
//! | volume grows by `1/s` of the rate | the limit of that slope |

use super::batch_op::{BatchOp, Operand};
use super::vector::scale;
use super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, FlatChart, Homogeneity, Layout, Manifold, Model, Shape, TransportMap,
};
use crate::embedding::{Embedding, Rescaled};
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use rand::Rng;
use std::sync::Arc;

/// Another space with all lengths multiplied by a factor.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Scaled};
/// // the square roots of compositions lie on a sphere of radius 2
/// let compositions = Scaled::simplex_fisher_rao(2)?;
/// assert_eq!(compositions.diameter(), 2.0 * std::f64::consts::PI);
/// assert!((compositions.dist(&[1.0, 0.0], &[0.0, 1.0]) - std::f64::consts::PI).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scaled {
    base: Arc<dyn Manifold>,
    /// `s`.
    factor: f64,
    space: Space,
    guise: Option<Guise>,
}

/// How points are given and refused, where that is not as on the other space.
#[derive(Debug, Clone)]
pub(super) struct Guise {
    pub(super) origin: Vec<f64>,
    pub(super) layouts: Vec<Layout>,
    /// The reason why finite numbers of the right count are no point.
    pub(super) refusal: fn(&[f64]) -> String,
}

impl Scaled {
    /// A space of this name. `base` is no product, and the factor positive and finite.
    pub(super) fn new(base: Arc<dyn Manifold>, factor: f64, space: Space) -> Self {
        Self { base, factor, space, guise: None }
    }

    /// The same space, whose points are given in another way.
    pub(super) fn in_guise(self, guise: Guise) -> Self {
        Self { guise: Some(guise), ..self }
    }

    /// An error of the other space as one of this.
    fn error(&self, error: Error) -> Error {
        let space = self.space.clone();
        match error {
            Error::CutLocus { .. } => Error::CutLocus { space },
            Error::InvalidPoint { reason, .. } => Error::InvalidPoint { space, reason },
            Error::InvalidTangent { reason, .. } => Error::InvalidTangent { space, reason },
            Error::WrongLength { expected, found, .. } => Error::WrongLength { space, expected, found },
            other => other,
        }
    }

    /// A length of this space in the units of the other, rounded up.
    fn in_base(&self, length: f64) -> f64 {
        (length / self.factor).next_up()
    }

    /// Coordinates of this space's frame in that of the other.
    fn coordinates_in_base(&self, coordinates: &[f64]) -> Vec<f64> {
        coordinates.iter().map(|c| c / self.factor).collect()
    }
}

impl Manifold for Scaled {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, own: super::OwnSpace) -> bool {
        self.base.is_own(own)
    }

    /// `R^d` scaled is `R^d`, and the others are those of the scaled length and curvature.
    fn model(&self) -> Model {
        let square = self.factor.powi(2);
        match self.base.model() {
            Model::Circle { length } => Model::Circle { length: length * self.factor },
            Model::Sphere { curvature } => Model::Sphere { curvature: curvature / square },
            Model::Hyperbolic { curvature } => Model::Hyperbolic { curvature: curvature / square },
            model @ (Model::Flat | Model::Other) => model,
        }
    }

    fn curvature(&self) -> CurvatureBounds {
        let (square, CurvatureBounds { lower, upper }) = (self.factor.powi(2), self.base.curvature());
        CurvatureBounds { lower: lower / square, upper: upper / square }
    }

    fn injectivity_radius(&self) -> f64 {
        self.factor * self.base.injectivity_radius()
    }

    fn cut_locus(&self) -> CutLocus {
        match self.base.cut_locus() {
            CutLocus::AtDistance(end) => CutLocus::AtDistance(self.factor * end),
            cut_locus @ (CutLocus::None | CutLocus::Varies) => cut_locus,
        }
    }

    fn diameter(&self) -> f64 {
        self.factor * self.base.diameter()
    }

    fn homogeneity(&self) -> Homogeneity {
        self.base.homogeneity()
    }

    fn shape(&self) -> Shape {
        self.base.shape()
    }

    fn layouts(&self) -> Vec<Layout> {
        self.guise.as_ref().map_or_else(|| self.base.layouts(), |guise| guise.layouts.clone())
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        if self.guise.is_some() { None } else { self.base.atypical_origin() }
    }

    fn dim(&self) -> usize {
        self.base.dim()
    }

    fn point_len(&self) -> usize {
        self.base.point_len()
    }

    fn origin(&self, out: &mut [f64]) {
        match &self.guise {
            Some(guise) => out.copy_from_slice(&guise.origin),
            None => self.base.origin(out),
        }
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        self.base.check_point(p).map_err(|error| match (self.error(error), &self.guise) {
            (Error::InvalidPoint { space, .. }, Some(guise)) if p.iter().all(|x| x.is_finite()) => {
                Error::InvalidPoint { space, reason: (guise.refusal)(p) }
            }
            (error, _) => error,
        })
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        self.base.check_tangent(p, v).map_err(|error| self.error(error))
    }

    fn project(&self, p: &mut [f64]) {
        self.base.project(p);
    }

    fn normalize(&self, p: &mut [f64]) {
        self.base.normalize(p);
    }

    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        self.base.align(base, p, out);
    }

    fn repair(&self, p: &mut [f64]) {
        self.base.repair(p);
    }

    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        self.base.exp(p, v, out);
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        self.base.log(p, q, out).map_err(|error| self.error(error))
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        self.factor * self.base.dist(p, q)
    }

    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        self.factor.powi(2) * self.base.inner(p, u, v)
    }

    fn norm(&self, p: &[f64], v: &[f64]) -> f64 {
        self.factor * self.base.norm(p, v)
    }

    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self.base.transport(p, q, v, out).map_err(|error| self.error(error))
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.base.exp_many(p, v, out);
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.base.log_many(p, q, out);
    }

    fn released_dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.base.released_dist_many(p, q, out);
        scale(out, self.factor);
    }

    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.base.dist_many(p, q, out);
        scale(out, self.factor);
    }

    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        self.base.dist_matrix(p, q, out);
        scale(out, self.factor);
    }

    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.base.transport_many(p, q, v, out);
    }

    fn transport_map(&self, p: &[f64], q: &[f64]) -> Option<TransportMap<'_>> {
        self.base.transport_map(p, q)
    }

    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.base.inner_many(p, u, v, out);
        scale(out, self.factor.powi(2));
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.base.norm_many(p, v, out);
        scale(out, self.factor);
    }

    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        let prechecked = self.base.prechecked_many(operation, out);
        match operation {
            BatchOp::Dist(_) | BatchOp::Norm(_) => scale(out, self.factor),
            BatchOp::Inner(_) => scale(out, self.factor.powi(2)),
            BatchOp::Exp(_) | BatchOp::Log(_) | BatchOp::Transport(_) => {}
        }
        prechecked
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        self.base.prechecked_points(values)
    }

    fn normalize_points(&self, values: &mut [f64]) -> bool {
        self.base.normalize_points(values)
    }

    fn prechecked_tangents(&self, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
        self.base.prechecked_tangents(p, v, rows)
    }

    /// Derivatives do not see the unit of length, nor do adjoints: it is the same at both ends.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        self.base.jacobi(p, v, e, by_point, by_vector);
    }

    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        self.base.from_frame(p, &self.coordinates_in_base(coordinates), out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.base.to_frame(p, v, coordinates);
        scale(coordinates, self.factor);
    }

    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        self.base.frame_logs(base, points, coordinates);
        scale(coordinates, self.factor);
    }

    /// `s·e + u·(r + s·e)` for the error `e` of the other space at `r/s`: a computed logarithm is at most `r/s + e`
    /// long, and the product with `s` rounds each of its coordinates once.
    fn log_error(&self, reach: f64, spread: f64) -> Option<f64> {
        let error = self.factor * self.base.log_error(self.in_base(reach), self.in_base(spread))?;
        Some((error + 0.5 * f64::EPSILON * (reach + error)) * (1.0 + 1e-9))
    }

    fn to_origin(&self, base: &[f64], x: &[f64], out: &mut [f64]) {
        self.base.to_origin(base, x, out);
    }

    fn to_origin_many(&self, base: &[f64], points: &[f64], out: &mut [f64]) {
        self.base.to_origin_many(base, points, out);
    }

    fn from_origin(&self, base: &[f64], x: &[f64], out: &mut [f64]) {
        self.base.from_origin(base, x, out);
    }

    fn max_step(&self) -> f64 {
        self.factor * self.base.max_step()
    }

    fn max_accurate_distance(&self) -> f64 {
        self.factor * self.base.max_accurate_distance()
    }

    fn log_volume_density(&self, p: &[f64], v: &[f64]) -> f64 {
        self.base.log_volume_density(p, v)
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.base.log_volume_density_in_frame(&self.coordinates_in_base(coordinates))
    }

    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        self.base.draw_log_volume_density(&self.coordinates_in_base(lengths), generator, out);
    }

    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (value, slope) = self.base.log_volume_density_bound(s / self.factor);
        (value, slope / self.factor)
    }

    fn volume_growth(&self) -> f64 {
        self.base.volume_growth() / self.factor
    }

    fn steepest_directions(&self) -> Vec<Vec<f64>> {
        self.base.steepest_directions()
    }

    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        if self.base.flat_chart().is_some() { Some(self) } else { None }
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Rescaled { base: self.base.embedding()?, factor: self.factor }))
    }
}

/// The chart of the other space, times `s`.
impl FlatChart for Scaled {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        if let Some(chart) = self.base.flat_chart() {
            chart.to_flat(p, coordinates);
        }
        scale(coordinates, self.factor);
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        if let Some(chart) = self.base.flat_chart() {
            chart.from_flat(&self.coordinates_in_base(coordinates), out);
        }
    }

    fn logarithm(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        self.base.flat_chart()?.logarithm(&self.coordinates_in_base(coordinates))
    }

    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        if let Some(chart) = self.base.flat_chart() {
            chart.all_to_flat(points, coordinates);
        }
        scale(coordinates, self.factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use crate::manifold::{Euclidean, Hyperbolic, SpdAffineInvariant, SpdLogEuclidean, Sphere, Torus};
    use std::f64::consts::PI;

    fn scaled(base: impl Manifold + 'static, factor: f64) -> Scaled {
        let space = Space::named(format!("{}/{}", base.space(), 1.0 / factor));
        Scaled::new(Arc::new(base), factor, space)
    }

    /// Longer and shorter, of every kind of declaration: a model, a growth, a chart, a cut locus that varies.
    #[test]
    fn every_law_holds_for_any_unit_of_length() {
        for factor in [0.01, 0.4, 2.0, 300.0] {
            let spaces: [Scaled; 7] = [
                scaled(Euclidean::new(3).unwrap(), factor),
                scaled(Sphere::new(1).unwrap(), factor),
                scaled(Sphere::new(3).unwrap(), factor),
                scaled(Hyperbolic::new(2).unwrap(), factor),
                scaled(SpdLogEuclidean::new(2).unwrap(), factor),
                scaled(SpdAffineInvariant::new(2).unwrap(), factor),
                scaled(Torus::new(2).unwrap(), factor),
            ];
            for space in spaces {
                let options = laws::Options { reach: 12.0 * factor, cases: 16, ..laws::Options::default() };
                laws::check(&space, &options).unwrap();
            }
        }
    }

    /// A sphere of radius 3 has the curvature 1/9, half a great circle of 3π, and the volume 9·4π.
    #[test]
    fn a_sphere_of_radius_three_is_declared_as_one() {
        let sphere = scaled(Sphere::new(2).unwrap(), 3.0);
        assert_eq!(sphere.model(), Model::Sphere { curvature: 1.0 / 9.0 });
        assert_eq!(sphere.cut_locus(), CutLocus::AtDistance(3.0 * PI));
        let (steps, end) = (20_000, sphere.diameter());
        let at = |i: usize| end * (i as f64 + 0.5) / steps as f64;
        let area: f64 = (0..steps).map(|i| 2.0 * PI * at(i) * sphere.log_volume_density_bound(at(i)).0.exp()).sum();
        assert!((area * end / steps as f64 - 36.0 * PI).abs() < 1e-5);
        let circle = scaled(Sphere::new(1).unwrap(), 3.0);
        assert_eq!((circle.model(), circle.curvature().upper), (Model::Circle { length: 6.0 * PI }, 0.0));
        let plane = scaled(Hyperbolic::new(2).unwrap(), 2.0);
        assert_eq!((plane.model(), plane.volume_growth()), (Model::Hyperbolic { curvature: -0.25 }, 0.5));
        assert_eq!(scaled(Euclidean::new(2).unwrap(), 2.0).model(), Model::Flat);
    }

    /// The error of the other space, in this space's unit, and one rounding of each coordinate.
    #[test]
    fn errors_of_logarithms_scale_as_lengths_do() {
        let sphere = Sphere::new(2).unwrap();
        for factor in [1e-3, 0.4, 2.0, 300.0] {
            let (own, scaled) = (sphere.log_error(1.5, 0.0).unwrap(), scaled(Sphere::new(2).unwrap(), factor));
            let error = scaled.log_error(1.5 * factor, 0.0).unwrap() / factor;
            let rounding = 0.5 * f64::EPSILON * 1.5;
            assert!(error >= own + rounding && error < own + 1.01 * rounding, "{factor}: {error} {own}");
            assert!(scaled.log_error(PI * factor, 0.0).is_none());
        }
    }

    #[test]
    fn errors_are_those_of_this_space() {
        let circle = scaled(Sphere::new(1).unwrap(), 2.0);
        let errors = [
            circle.check_point(&[2.0, 0.0]),
            circle.check_point(&[2.0]),
            circle.check_tangent(&[1.0, 0.0], &[1.0, 0.0]),
            circle.log(&[1.0, 0.0], &[-1.0, 0.0], &mut [0.0; 2]),
        ];
        for error in errors.map(Result::unwrap_err) {
            assert!(error.to_string().contains("sphere:1/0.5"), "{error}");
        }
    }
}
