//! Products `A * B * …` of Riemannian manifolds, and powers `A^K`: a point is a point of each factor, one after the
//! other.
//!
//! Everything goes factor by factor: `ρ² = Σ ρᵢ²`, and `Exp` and `Log` are those of the factors. The curvature of a
//! plane spanned by `u` and `v` is `Σ Kᵢ·|uᵢ∧vᵢ|²/|u∧v|²`. The weights sum to at most 1, because planes that have one
//! direction in each of two factors are flat: `min(0, κ₋) ≤ K ≤ max(0, κ)`.

use super::vector::{ln_sinhc, non_finite};
use super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, FlatChart, Homogeneity, LARGEST_POINT, Layout, Manifold, Model, Shape,
    check_length,
};
use crate::embedding::{Embedding, Factors};
use crate::error::{Error, Result};
use crate::points::{Points, PointsView};
use crate::space::Space;
use rand::Rng;
use rand::RngExt;
use rand_distr::ChiSquared;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// The most layouts that a product declares: each is one of every factor's.
const MOST_LAYOUTS: usize = 64;

/// Points whose logarithms are computed at once.
const GROUP: usize = 64;

/// A product of at least two spaces, a power of one, or poses.
///
/// ```
/// use karcher_geometry::Space;
/// let space: Space = "sphere:2 * euclidean:1".parse()?;
/// assert_eq!(space.as_str(), "sphere:2*euclidean:1");
/// let m = space.manifold()?;
/// assert_eq!(m.dist(&[1.0, 0.0, 0.0, 2.0], &[1.0, 0.0, 0.0, 5.0]), 3.0);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Product {
    /// None of them is a product itself.
    factors: Vec<Arc<dyn Manifold>>,
    space: Space,
    written: Written,
    dim: usize,
    point_len: usize,
}

/// How points are written.
#[derive(Debug, Clone)]
enum Written {
    /// `A*B`: a layout of each factor in the list. A factor may be a power, or have a name of its own.
    List(Vec<Arc<dyn Manifold>>),
    /// `A^K`: one layout of `A` for all `K`.
    Power(Arc<dyn Manifold>, usize),
    /// By layouts of its own.
    Named(Vec<Layout>),
}

/// A factor, where its numbers are in a point, and where its coordinates are in a frame.
struct Part<'a> {
    factor: &'a dyn Manifold,
    at: Range<usize>,
    frame: Range<usize>,
}

impl Product {
    /// The product of the factors, in this order. Factors of a factor that is a product itself take its place.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for fewer than two factors, and for more than a million numbers in a point.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Manifold, Product, Sphere};
    /// use std::sync::Arc;
    /// let directed = Product::new(vec![Arc::new(Sphere::new(2)?), Arc::new(Euclidean::new(3)?)])?;
    /// assert_eq!((directed.dim(), directed.point_len(), directed.factors().len()), (5, 6, 2));
    /// assert!(Product::new(vec![Arc::new(Sphere::new(2)?)]).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(factors: Vec<Arc<dyn Manifold>>) -> Result<Self> {
        let listed = one_by_one(factors, |factor| factor.listed_factors());
        if listed.len() < 2 {
            return invalid("number_of_factors", listed.len(), "a product has at least two".to_owned());
        }
        check_numbers(listed.iter().map(|factor| factor.point_len()).sum())?;
        let names: Vec<&str> = listed.iter().map(|factor| factor.space().as_str()).collect();
        let space = Space::named(names.join("*"));
        Ok(Self::of(space, listed.clone(), Written::List(listed)))
    }

    /// The power of a space: `exponent` points of it, one after the other.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an exponent below 2, for more than a million numbers in a point, and for a power
    /// of a power or of a product, whose name would mean another space.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Product, Sphere};
    /// use std::sync::Arc;
    /// let five = Product::power(Arc::new(Sphere::new(2)?), 5)?;
    /// assert_eq!((five.space().as_str(), five.dim(), five.shape().axes()), ("sphere:2^5", 10, vec![5, 3]));
    /// assert!(Product::power(Arc::new(Sphere::new(2)?), 1).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn power(base: Arc<dyn Manifold>, exponent: usize) -> Result<Self> {
        let name = base.space().as_str();
        if name.contains(['*', '^']) {
            return invalid("exponent", exponent, format!("there is no power of {name}; list its factors with `*`"));
        }
        match exponent {
            0 => return invalid("exponent", 0, format!("a power has at least two factors, as in {name}^2")),
            1 => return invalid("exponent", 1, format!("a power has at least two factors; write {name}")),
            _ => check_numbers(base.point_len().max(1).saturating_mul(exponent))?,
        }
        let space = Space::named(format!("{name}^{exponent}"));
        Ok(Self::of(space, vec![base.clone(); exponent], Written::Power(base, exponent)))
    }

    /// The product of spaces under another name, with layouts of its own.
    pub(super) fn named(space: Space, factors: Vec<Arc<dyn Manifold>>, layouts: Vec<Layout>) -> Self {
        Self::of(space, factors, Written::Named(layouts))
    }

    fn of(space: Space, factors: Vec<Arc<dyn Manifold>>, written: Written) -> Self {
        let factors = one_by_one(factors, |factor| factor.factors());
        let sum = |of: fn(&dyn Manifold) -> usize| factors.iter().map(|factor| of(&**factor)).sum();
        Self { dim: sum(|factor| factor.dim()), point_len: sum(|factor| factor.point_len()), space, written, factors }
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let (mut at, mut frame) = (0, 0);
        self.factors.iter().map(move |factor| {
            let part = Part { factor: &**factor, at: at..at + factor.point_len(), frame: frame..frame + factor.dim() };
            (at, frame) = (part.at.end, part.frame.end);
            part
        })
    }

    /// A factor's error as one of the product.
    fn error(&self, error: Error) -> Error {
        match error {
            Error::CutLocus { .. } => Error::CutLocus { space: self.space.clone() },
            other => other,
        }
    }

    /// The reason of an error, with its factor.
    fn reason(index: usize, factor: &dyn Manifold, error: Error) -> String {
        let reason = match error {
            Error::InvalidPoint { reason, .. } | Error::InvalidTangent { reason, .. } => reason,
            other => other.to_string(),
        };
        format!("in factor {}, {}, {reason}", index + 1, factor.space())
    }

    /// The factors whose curvature is somewhere negative: they alone have more volume than `R^d`.
    fn widening(&self) -> impl Iterator<Item = &dyn Manifold> {
        self.factors.iter().map(|factor| &**factor).filter(|factor| factor.curvature().lower < 0.0)
    }
}

/// Spaces, where each that has parts stands for them.
fn one_by_one(
    spaces: Vec<Arc<dyn Manifold>>,
    parts: impl Fn(&Arc<dyn Manifold>) -> &[Arc<dyn Manifold>],
) -> Vec<Arc<dyn Manifold>> {
    let of = |space: Arc<dyn Manifold>| if parts(&space).is_empty() { vec![space] } else { parts(&space).to_vec() };
    spaces.into_iter().flat_map(of).collect()
}

fn invalid<T>(name: &'static str, value: usize, requirement: String) -> Result<T> {
    Err(Error::InvalidParameter { name, value: value as f64, requirement })
}

/// Refuses points of too many numbers.
pub(super) fn check_numbers(point_len: usize) -> Result<()> {
    if point_len <= LARGEST_POINT {
        return Ok(());
    }
    invalid("numbers_in_a_point", point_len, "a product's points have at most a million".to_owned())
}

impl Part<'_> {
    /// The factor's points.
    fn points(&self, points: PointsView<'_>) -> Points {
        points.map(self.factor.space(), self.factor.point_len(), |records, out| {
            for (x, out) in records.iter().zip(out.chunks_exact_mut(self.at.len())) {
                out.copy_from_slice(&x[self.at.clone()]);
            }
        })
    }
}

impl Manifold for Product {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, own: super::OwnSpace) -> bool {
        self.parts().all(|part| part.factor.is_own(own))
    }

    fn factors(&self) -> &[Arc<dyn Manifold>] {
        &self.factors
    }

    fn listed_factors(&self) -> &[Arc<dyn Manifold>] {
        if let Written::List(listed) = &self.written { listed } else { &[] }
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        let factors = self.factors.iter().map(|factor| Some((factor.embedding()?, factor.point_len())));
        Some(Box::new(Factors::new(factors.collect::<Option<Vec<_>>>()?)))
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn point_len(&self) -> usize {
        self.point_len
    }

    fn origin(&self, out: &mut [f64]) {
        self.parts().for_each(|part| part.factor.origin(&mut out[part.at]));
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        for (i, Part { factor, at, .. }) in self.parts().enumerate() {
            factor.check_point(&p[at]).map_err(|error| Error::InvalidPoint {
                space: self.space.clone(),
                reason: Self::reason(i, factor, error),
            })?;
        }
        Ok(())
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        for (i, Part { factor, at, .. }) in self.parts().enumerate() {
            factor.check_tangent(&p[at.clone()], &v[at]).map_err(|error| Error::InvalidTangent {
                space: self.space.clone(),
                reason: Self::reason(i, factor, error),
            })?;
        }
        Ok(())
    }

    fn project(&self, p: &mut [f64]) {
        if non_finite(p).is_none() {
            self.parts().for_each(|part| part.factor.project(&mut p[part.at]));
        }
    }

    fn normalize(&self, p: &mut [f64]) {
        self.parts().for_each(|part| part.factor.normalize(&mut p[part.at]));
    }

    fn repair(&self, p: &mut [f64]) {
        self.parts().for_each(|part| part.factor.repair(&mut p[part.at]));
    }

    /// In each factor.
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        for Part { factor, at, .. } in self.parts() {
            factor.align(&base[at.clone()], &p[at.clone()], &mut out[at]);
        }
    }

    /// In each factor.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        for Part { factor, at, .. } in self.parts() {
            factor.exp(&p[at.clone()], &v[at.clone()], &mut out[at]);
        }
    }

    /// In each factor; it exists where all of them do.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        for Part { factor, at, .. } in self.parts() {
            factor.log(&p[at.clone()], &q[at.clone()], &mut out[at]).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    /// `ρ = √Σ ρᵢ²`.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        self.parts().map(|part| part.factor.dist(&p[part.at.clone()], &q[part.at]).powi(2)).sum::<f64>().sqrt()
    }

    /// `⟨u, v⟩ = Σ ⟨uᵢ, vᵢ⟩`.
    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        let inner = |Part { factor, at, .. }: Part<'_>| factor.inner(&p[at.clone()], &u[at.clone()], &v[at]);
        self.parts().map(inner).sum()
    }

    /// In each factor.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        for Part { factor, at, .. } in self.parts() {
            let carried = factor.transport(&p[at.clone()], &q[at.clone()], &v[at.clone()], &mut out[at]);
            carried.map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    /// In each factor: the curvature operator does not mix them.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        for Part { factor, at, .. } in self.parts() {
            let (by_point, by_vector) = (&mut by_point[at.clone()], &mut by_vector[at.clone()]);
            factor.jacobi(&p[at.clone()], &v[at.clone()], &e[at], by_point, by_vector);
        }
    }

    /// The frames of the factors, one after the other.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        for Part { factor, at, frame } in self.parts() {
            factor.from_frame(&p[at.clone()], &coordinates[frame], &mut out[at]);
        }
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        for Part { factor, at, frame } in self.parts() {
            factor.to_frame(&p[at.clone()], &v[at], &mut coordinates[frame]);
        }
    }

    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        for Part { factor, at, frame } in self.parts() {
            let (len, dim) = (at.len(), frame.len());
            let (mut own, mut logs) = (vec![0.0; GROUP * len], vec![0.0; GROUP * dim]);
            for (group, coordinates) in points.chunks(GROUP).zip(coordinates.chunks_mut(GROUP * self.dim)) {
                let (own, logs) = (&mut own[..group.len() * len], &mut logs[..group.len() * dim]);
                group.iter().zip(own.chunks_exact_mut(len)).for_each(|(x, own)| own.copy_from_slice(&x[at.clone()]));
                factor.frame_logs(&base[at.clone()], PointsView::unchecked(factor.space(), len, own), logs);
                for (c, own) in coordinates.chunks_exact_mut(self.dim).zip(logs.chunks_exact(dim)) {
                    c[frame.clone()].copy_from_slice(own);
                }
            }
        }
        // a point that has no logarithm in one factor has none
        for c in coordinates.chunks_exact_mut(self.dim).filter(|c| c.iter().any(|c| c.is_nan())) {
            c.fill(f64::NAN);
        }
    }

    /// Each factor's points are no farther apart than those of the product.
    fn log_error(&self, reach: f64, spread: f64) -> Option<f64> {
        let squares = self.factors.iter().map(|factor| Some(factor.log_error(reach, spread)?.powi(2)));
        Some(squares.sum::<Option<f64>>()?.sqrt() * (1.0 + 1e-9))
    }

    /// In each factor; a flat one is translated, so that numbers are as good far from its origin as on a flat space.
    fn to_origin(&self, base: &[f64], x: &[f64], out: &mut [f64]) {
        for Part { factor, at, .. } in self.parts() {
            let (base, x, out) = (&base[at.clone()], &x[at.clone()], &mut out[at]);
            match factor.flat_chart() {
                Some(chart) => translate(chart, factor.dim(), x, (base, -1.0), out),
                None => factor.to_origin(base, x, out),
            }
        }
    }

    fn from_origin(&self, base: &[f64], x: &[f64], out: &mut [f64]) {
        for Part { factor, at, .. } in self.parts() {
            let (base, x, out) = (&base[at.clone()], &x[at.clone()], &mut out[at]);
            match factor.flat_chart() {
                Some(chart) => translate(chart, factor.dim(), x, (base, 1.0), out),
                None => factor.from_origin(base, x, out),
            }
        }
    }

    /// Those of the factors and 0: a plane with one direction in each of two factors is flat.
    fn curvature(&self) -> CurvatureBounds {
        let flat = CurvatureBounds { lower: 0.0, upper: 0.0 };
        self.factors
            .iter()
            .map(|factor| factor.curvature())
            .fold(flat, |all, own| CurvatureBounds { lower: all.lower.min(own.lower), upper: all.upper.max(own.upper) })
    }

    /// The smallest of the factors'.
    fn injectivity_radius(&self) -> f64 {
        self.factors.iter().map(|factor| factor.injectivity_radius()).fold(f64::INFINITY, f64::min)
    }

    /// A geodesic ceases to be the shortest where it does so in one factor, and how soon it gets there depends on its
    /// direction.
    fn cut_locus(&self) -> CutLocus {
        let none = self.factors.iter().all(|factor| factor.cut_locus() == CutLocus::None);
        if none { CutLocus::None } else { CutLocus::Varies }
    }

    /// The root of the sum of squares.
    fn diameter(&self) -> f64 {
        self.factors.iter().map(|factor| factor.diameter().powi(2)).sum::<f64>().sqrt()
    }

    /// Isometries of the factors are isometries of the product; only a flat product has many more.
    fn homogeneity(&self) -> Homogeneity {
        if self.model() == Model::Flat {
            Homogeneity::TwoPoint
        } else if self.factors.iter().all(|factor| factor.homogeneity() != Homogeneity::None) {
            Homogeneity::Points
        } else {
            Homogeneity::None
        }
    }

    /// A row of numbers; of a power `A^K` an array of the axes of `A` behind one of length K.
    fn shape(&self) -> Shape {
        let Written::Power(base, count) = &self.written else { return Shape::Vector(self.point_len) };
        let count = *count;
        match base.shape().axes()[..] {
            [rows, columns] => Shape::Matrices { count, rows, columns },
            _ => Shape::Matrix { rows: count, columns: base.point_len() },
        }
    }

    /// Those of the factors with negative curvature; where there is none, of the first.
    fn steepest_directions(&self) -> Vec<Vec<f64>> {
        let is_widening = |part: &Part<'_>| part.factor.curvature().lower < 0.0;
        let any = self.widening().next().is_some();
        let of_part = |part: Part<'_>| {
            let own = part.factor.steepest_directions().into_iter();
            own.map(move |own| {
                let mut direction = vec![0.0; self.dim];
                direction[part.frame.clone()].copy_from_slice(&own);
                direction
            })
        };
        let count = if any { self.factors.len() } else { 1 };
        // factors alike are as steep
        let mut seen = HashSet::new();
        let parts = self.parts().take(count).filter(|part| !any || is_widening(part));
        parts.filter(|part| seen.insert(part.factor.space().as_str())).flat_map(of_part).collect()
    }

    /// If those of all factors are.
    fn distances_are_angles(&self) -> bool {
        self.factors.iter().all(|factor| factor.distances_are_angles())
    }

    /// That of the first factor whose origin is none.
    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        self.factors.iter().find_map(|factor| factor.atypical_origin())
    }

    /// `R^d` if all factors are.
    fn model(&self) -> Model {
        if self.factors.iter().all(|factor| factor.model() == Model::Flat) { Model::Flat } else { Model::Other }
    }

    /// `vectors`, the first layout of every factor, then others with `*` in between, such as `latlon*vectors`; those of
    /// the first factors where there would be more than 64. Of a power `A^K` those of `A`, each for all K points.
    fn layouts(&self) -> Vec<Layout> {
        match &self.written {
            Written::List(listed) => layouts_of(listed),
            Written::Power(base, count) => {
                base.layouts().into_iter().map(|layout| repeated(&**base, layout, *count)).collect()
            }
            Written::Named(layouts) => layouts.clone(),
        }
    }

    /// The smallest of the factors'.
    fn max_step(&self) -> f64 {
        self.factors.iter().map(|factor| factor.max_step()).fold(f64::INFINITY, f64::min)
    }

    /// The smallest of the factors': none of them is farther from its origin than the point is.
    fn max_accurate_distance(&self) -> f64 {
        self.factors.iter().map(|factor| factor.max_accurate_distance()).fold(f64::INFINITY, f64::min)
    }

    /// `√Σ gᵢ²`: the largest `Σ gᵢ·aᵢ` of lengths with `Σ aᵢ² = 1`.
    fn volume_growth(&self) -> f64 {
        self.factors.iter().map(|factor| factor.volume_growth().powi(2)).sum::<f64>().sqrt()
    }

    /// `ln θ(v) = Σ ln θᵢ(vᵢ)`.
    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.parts().map(|part| part.factor.log_volume_density_in_frame(&coordinates[part.frame])).sum()
    }

    /// The parts of a uniform direction have uniform directions, and squared lengths as independent `χ²` with `dᵢ`
    /// degrees of freedom over their sum.
    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        let chi = |factor: &Arc<dyn Manifold>, generator: &mut dyn Rng| {
            ChiSquared::new(factor.dim() as f64).map_or(f64::NAN, |law| generator.sample(law))
        };
        let squares: Vec<f64> = self.factors.iter().map(|factor| chi(factor, generator)).collect();
        let total: f64 = squares.iter().sum();
        out.fill(0.0);
        let mut own = vec![0.0; lengths.len()];
        for (factor, square) in self.factors.iter().zip(squares) {
            let share = (square / total).sqrt();
            let lengths: Vec<f64> = lengths.iter().map(|s| share * s).collect();
            factor.draw_log_volume_density(&lengths, generator, &mut own);
            out.iter_mut().zip(&own).for_each(|(out, own)| *out += own);
        }
    }

    /// The smallest of three bounds of `Σ ln θᵢ(vᵢ)`, `‖v‖ = s`, summed over the factors with `κ₋ᵢ < 0`; on the others
    /// `θᵢ ≤ 1` (Bishop):
    ///
    /// * `N·ln sinhc(bs)`, `Nᵢ = dᵢ − 1`, `N = Σ Nᵢ`, `b² = max Nᵢ|κ₋ᵢ| / N`: Bishop's `Nᵢ·ln sinhc(√|κ₋ᵢ|·‖vᵢ‖)` are
    ///   concave in `‖vᵢ‖²`, so their sum is at most `N·ln sinhc` of the root of `Σ Nᵢ|κ₋ᵢ|·‖vᵢ‖² / N ≤ b²s²`. Attained
    ///   in one factor of constant curvature, and in several alike.
    /// * `Σ ψᵢ(s)`, for `ψᵢ` that do not fall; better where a factor's own bound is much better than Bishop's.
    /// * `G·s`, `G` the [`volume_growth`](Manifold::volume_growth), because `ψᵢ(t) ≤ gᵢ·t`. Nearly attained for large
    ///   `s`.
    ///
    /// With `(d−1)·ln s` each of them is concave: `(d − 1 − N)·ln s`, which `Σ Nᵢ ≤ d − 1` makes concave, plus
    /// `N·ln sinh(bs)` or plus `Nᵢ·ln s + ψᵢ(s)`; and the minimum of concave functions is concave.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let power = |factor: &dyn Manifold| (factor.dim() - 1) as f64;
        let total: f64 = self.widening().map(power).sum();
        if total == 0.0 {
            return (0.0, 0.0);
        }
        let steepest = self.widening().map(|factor| -power(factor) * factor.curvature().lower).fold(0.0, f64::max);
        let rate = (steepest / total).sqrt();
        let (value, slope) = ln_sinhc(rate * s);
        let by_curvature = (total * value, total * rate * slope);
        // where the curvature has both signs a bound may fall, and a part of `v` that is shorter than `s` be above it
        let own = match self.widening().all(|factor| factor.curvature().upper <= 0.0) {
            true => self
                .widening()
                .map(|factor| factor.log_volume_density_bound(s))
                .fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1)),
            false => by_curvature,
        };
        let growth = self.volume_growth();
        let smaller = |a: (f64, f64), b: (f64, f64)| if b.0 < a.0 { b } else { a };
        smaller(smaller(by_curvature, own), (growth * s, growth))
    }

    /// The product, or the power, of the factors' stand-ins.
    fn stand_in(&self) -> Option<Arc<dyn Manifold>> {
        let smaller = |factor: &Arc<dyn Manifold>| factor.stand_in().unwrap_or_else(|| Arc::clone(factor));
        let product = match &self.written {
            Written::List(listed) if listed.iter().any(|factor| factor.stand_in().is_some()) => {
                Self::new(listed.iter().map(smaller).collect())
            }
            Written::Power(base, count) => Self::power(base.stand_in()?, *count),
            Written::List(_) | Written::Named(_) => return None,
        };
        Some(Arc::new(product.ok()?))
    }

    /// Where all factors have one.
    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        if self.factors.iter().all(|factor| factor.flat_chart().is_some()) { Some(self) } else { None }
    }
}

/// The charts of the factors, one after the other.
impl FlatChart for Product {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        for Part { factor, at, frame } in self.parts() {
            if let Some(chart) = factor.flat_chart() {
                chart.to_flat(&p[at], &mut coordinates[frame]);
            }
        }
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        for Part { factor, at, frame } in self.parts() {
            if let Some(chart) = factor.flat_chart() {
                chart.from_flat(&coordinates[frame], &mut out[at]);
            }
        }
    }

    /// The logarithms of factors whose numbers may not hold a point, and the numbers of the others.
    fn logarithm(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        let own = |part: &Part<'_>| part.factor.flat_chart()?.logarithm(&coordinates[part.frame.clone()]);
        if self.parts().all(|part| own(&part).is_none()) {
            return None;
        }
        let mut point = vec![0.0; self.point_len];
        self.from_flat(coordinates, &mut point);
        Some(self.parts().flat_map(|part| own(&part).unwrap_or_else(|| point[part.at].to_vec())).collect())
    }

    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        for part in self.parts() {
            let Some(chart) = part.factor.flat_chart() else { continue };
            let mut own = vec![0.0; points.len() * part.frame.len()];
            chart.all_to_flat(part.points(points).view(), &mut own);
            for (c, own) in coordinates.chunks_exact_mut(self.dim).zip(own.chunks_exact(part.frame.len())) {
                c[part.frame.clone()].copy_from_slice(own);
            }
        }
    }
}

/// Writes the point whose flat coordinates are those of `x` plus `sign` times those of `by`.
fn translate(chart: &dyn FlatChart, d: usize, x: &[f64], (by, sign): (&[f64], f64), out: &mut [f64]) {
    let (mut c, mut b) = (vec![0.0; d], vec![0.0; d]);
    chart.to_flat(x, &mut c);
    chart.to_flat(by, &mut b);
    c.iter_mut().zip(&b).for_each(|(c, b)| *c += sign * b);
    chart.from_flat(&c, out);
}

/// A layout of each factor: `vectors` for the first of each, then all others, as many as there is room for.
fn layouts_of(factors: &[Arc<dyn Manifold>]) -> Vec<Layout> {
    let mut rows: Vec<Vec<(Layout, usize)>> = vec![vec![]];
    // a factor for which there is no more room contributes its own numbers
    for factor in factors {
        let (layouts, len) = (factor.layouts(), factor.point_len());
        let room = (MOST_LAYOUTS / rows.len()).clamp(1, layouts.len().max(1));
        let with = |row: &Vec<_>, layout: &Layout| row.iter().cloned().chain([(layout.clone(), len)]).collect();
        rows = rows.iter().flat_map(|row| layouts[..room].iter().map(move |layout| with(row, layout))).collect();
    }
    let name = |i: usize, row: &[(Layout, usize)]| match i {
        0 => "vectors".to_owned(),
        _ => row.iter().map(|(layout, _)| layout.name()).collect::<Vec<_>>().join("*"),
    };
    rows.into_iter().enumerate().map(|(i, row)| joined(name(i, &row), row, 1)).collect()
}

/// A layout of a space, for each of `count` points of it.
fn repeated(base: &dyn Manifold, layout: Layout, count: usize) -> Layout {
    let own = match layout.array() {
        Some(axes) => axes.to_vec(),
        None if layout.is_plain() => base.shape().axes(),
        None => vec![layout.numbers()],
    };
    let (is_plain, axes) = (layout.is_plain(), [vec![count], own].concat());
    let all = joined(layout.name().to_owned(), vec![(layout, base.point_len())], count).in_arrays(&axes);
    if is_plain { all.made_plain() } else { all }
}

/// The layout of a product in which each factor has one of its own, `copies` times. Next to each layout stand the
/// numbers of the factor's points.
pub(super) fn joined(name: String, row: Vec<(Layout, usize)>, copies: usize) -> Layout {
    let (count, row) = (row.len() * copies, Arc::new(row));
    let layouts = || row.iter().map(|(layout, _)| layout).cycle().take(count);
    let numbers = layouts().map(Layout::numbers).sum();
    let told = layouts().any(Layout::is_told);
    let of_several = layouts().any(Layout::holds_several_points);
    let named = layouts().all(|layout| layout.column_names().len() == layout.numbers());
    let columns: Vec<&'static str> = layouts().flat_map(|layout| layout.column_names()).copied().collect();
    let all = layouts().collect::<Vec<_>>();
    let (reading, writing, holding) = (row.clone(), row.clone(), row.clone());
    let read = move |record: &[f64]| {
        let mut rest = record;
        let mut point = vec![];
        for (i, (layout, _)) in reading.iter().cycle().take(count).enumerate() {
            let (own, others) = rest.split_at_checked(layout.numbers()).ok_or("the record is too short")?;
            point.extend(layout.read(own).map_err(|reason| format!("in factor {}, {reason}", i + 1))?);
            rest = others;
        }
        Ok(point)
    };
    let write = move |point: &[f64]| {
        let mut at = 0;
        let own = |(layout, len): &(Layout, usize)| {
            at += len;
            layout.write(&point[at - len..at])
        };
        writing.iter().cycle().take(count).flat_map(own).collect()
    };
    let holds = move |point: &[f64]| {
        let mut rest = point;
        for (i, (layout, len)) in holding.iter().cycle().take(count).enumerate() {
            let (own, others) = rest.split_at_checked(*len).ok_or("the point is too short")?;
            layout.check_holds(own).map_err(|reason| format!("in factor {}, {reason}", i + 1))?;
            rest = others;
        }
        Ok(())
    };
    let rounding = row.clone();
    let nearest = move |record: &[f64]| {
        let mut at = 0;
        let own = |(layout, _): &(Layout, usize)| {
            at += layout.numbers();
            let own = &record[at - layout.numbers()..at];
            layout.nearest(own).unwrap_or_else(|| own.to_vec())
        };
        rounding.iter().cycle().take(count).flat_map(own).collect()
    };
    let layout = Layout::new(name, numbers, read, write).holding(holds).rounded_by(nearest).of_layouts(&all);
    let layout = if told { layout.told() } else { layout };
    let layout = if of_several { layout.of_several_points() } else { layout };
    if named { layout.columns(&columns) } else { layout }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_layout_that_cannot_hold_a_factor_says_so() {
        let m = product("spd-log-euclidean:2*euclidean:1");
        let layouts = m.layouts();
        let layout = layouts.iter().find(|l| l.name() == "correlation-upper-row*vectors").unwrap();
        assert!(layout.check_holds(&[1.0, 0.5, 0.5, 1.0, 7.0]).is_ok());
        let reason = layout.check_holds(&[2.0, 0.5, 0.5, 1.0, 7.0]).unwrap_err();
        assert!(reason.starts_with("in factor 1, "), "{reason}");
    }

    fn product(name: &str) -> Arc<dyn Manifold> {
        name.parse::<Space>().unwrap().manifold().unwrap()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14)
    }

    #[test]
    fn names_are_written_without_spaces_and_products_of_products_flattened() {
        for name in ["sphere:2*euclidean:1*torus:3", " sphere:2 * euclidean:1* torus:3 "] {
            assert_eq!(name.parse::<Space>().unwrap().as_str(), "sphere:2*euclidean:1*torus:3");
        }
        let nested = Product::new(vec![product("sphere:2*euclidean:1"), product("torus:3")]).unwrap();
        assert_eq!(nested.space().as_str(), "sphere:2*euclidean:1*torus:3");
        assert_eq!((nested.factors().len(), nested.dim(), nested.point_len()), (3, 6, 7));
    }

    #[test]
    fn what_is_no_product_is_refused_by_name() {
        for name in ["sphere:2*", "*sphere:2", "*", "sphere:2**sphere:2", "sphere:2*spher:2", "sphere:2*euclidean"] {
            let error = name.parse::<Space>().unwrap_err();
            assert!(matches!(error, Error::UnknownManifold { .. }), "{name}: {error}");
        }
        assert!(matches!("sphere:2*kendall:2".parse::<Space>(), Err(Error::InvalidSize { .. })));
        let error = Product::new(vec![product("sphere:2")]).unwrap_err().to_string();
        assert_eq!(error, "number of factors is 1: a product has at least two");
        assert!("euclidean:600000*euclidean:600000".parse::<Space>().unwrap_err().to_string().contains("a million"));
    }

    /// geomstats 2.8.0, `ProductManifold([Hypersphere(2), Hyperboloid(2), Euclidean(1)]).metric`: `dist(p, q)`,
    /// `log(q, p)` and `exp(v, p)` in double precision.
    #[test]
    fn distance_logarithm_and_exponential_are_those_of_geomstats() {
        let m = product("sphere:2*hyperbolic:2*euclidean:1");
        let p = [0.6, 0.0, 0.8, 1.118033988749895, 0.3, -0.4, 0.25];
        let q = [0.0, -0.6, 0.8, 1.8027756377319946, -1.2, 0.9, -1.5];
        assert!((m.dist(&p, &q) - 2.5690820204818494).abs() < 1e-14);
        let mut out = [0.0; 7];
        m.log(&p, &q, &mut out).unwrap();
        let log = [
            -0.4379352471947251,
            -0.6842738237417578,
            0.3284514353960437,
            -0.8207348816459816,
            -1.320747278107907,
            1.303463275001144,
            -1.75,
        ];
        assert!(close(&out, &log), "{out:?}");
        let v = [0.4, -0.5, -0.3, -0.16099689437998485, 0.2, 0.6, 0.7];
        m.exp(&p, &v, &mut out);
        let end = [
            0.8236369061916053,
            -0.4593626849327842,
            0.33257806670083356,
            1.1625278350422075,
            0.570587803564208,
            0.16093640256851363,
            0.95,
        ];
        assert!(close(&out, &end), "{out:?}");
        assert!((m.norm(&p, &v) - 1.1679383545376014).abs() < 1e-14);
    }

    #[test]
    fn declarations_are_made_of_those_of_the_factors() {
        let mixed = product("sphere:2*spd-affine-invariant:3*torus:2");
        assert_eq!(mixed.curvature(), CurvatureBounds { lower: -0.5, upper: 1.0 });
        assert_eq!((mixed.injectivity_radius(), mixed.diameter()), (PI, f64::INFINITY));
        assert_eq!((mixed.cut_locus(), mixed.homogeneity()), (CutLocus::Varies, Homogeneity::Points));
        assert_eq!((mixed.model(), mixed.max_step()), (Model::Other, 600.0));
        // two circles are a torus, and two spheres have flat planes
        let circles = product("sphere:1*torus:1");
        assert!((circles.diameter() - product("torus:2").diameter()).abs() < 1e-15);
        assert_eq!(product("sphere:2*sphere:2").curvature(), CurvatureBounds { lower: 0.0, upper: 1.0 });
        let open = product("hyperbolic:2*euclidean:1");
        assert_eq!((open.cut_locus(), open.injectivity_radius()), (CutLocus::None, f64::INFINITY));
        let flat = product("euclidean:2*spd-log-euclidean:2");
        assert_eq!((flat.model(), flat.homogeneity()), (Model::Flat, Homogeneity::TwoPoint));
        assert!(flat.flat_chart().is_some());
    }

    #[test]
    fn the_factor_that_is_wrong_is_named() {
        let m = product("sphere:2*torus:1");
        let error = m.check_point(&[1.0, 0.0, 0.0, 4.0]).unwrap_err().to_string();
        let expected = "not a point of sphere:2*torus:1: in factor 2, torus:1, angle 1 is 4, it must be from -pi to pi";
        assert!(error.starts_with(expected), "{error}");
        let error = m.check_tangent(&[1.0, 0.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 0.0]).unwrap_err().to_string();
        let expected = "not a tangent vector of sphere:2*torus:1: in factor 1, sphere:2, it leaves";
        assert!(error.starts_with(expected), "{error}");
        let far = m.log(&[1.0, 0.0, 0.0, 0.0], &[-1.0, 0.0, 0.0, 1.0], &mut [0.0; 4]).unwrap_err();
        assert!(matches!(far, Error::CutLocus { space } if space == *m.space()));
    }

    /// `Σ ln θᵢ` is largest where all of `v` is in one factor for small `s`; two hyperbolic planes alike attain the
    /// first bound at `‖v₁‖ = ‖v₂‖`, one alone its own.
    #[test]
    fn volume_bounds_are_attained() {
        let two = product("hyperbolic:3*hyperbolic:3");
        for s in [0.1_f64, 1.0, 5.0, 40.0] {
            let share = s / 2.0_f64.sqrt();
            let attained = two.log_volume_density_in_frame(&[share, 0.0, 0.0, 0.0, share, 0.0]);
            assert!((two.log_volume_density_bound(s).0 - attained).abs() < 1e-12 * attained.max(1.0), "{s}");
            let one = product("hyperbolic:3*sphere:2");
            let attained = one.log_volume_density_in_frame(&[s, 0.0, 0.0, 0.0, 0.0]);
            assert!((one.log_volume_density_bound(s).0 - attained).abs() < 1e-12 * attained.max(1.0), "{s}");
        }
        assert!((two.volume_growth() - 8.0_f64.sqrt()).abs() < 1e-15);
        // far out the growth counts, of different factors too
        let different = product("hyperbolic:2*hyperbolic:7");
        let (value, slope) = different.log_volume_density_bound(200.0);
        let growth = 37.0_f64.sqrt();
        assert!((value - 200.0 * growth).abs() < 1e-9 && (slope - growth).abs() < 1e-12);
    }

    #[test]
    fn a_layout_of_each_factor_is_a_layout() {
        let m = product("torus:1*euclidean:2*torus:1");
        let layouts = m.layouts();
        let names: Vec<&str> = layouts.iter().map(Layout::name).collect();
        let joined = ["radians*vectors*degrees", "degrees*vectors*radians", "degrees*vectors*degrees"];
        assert_eq!(names, [&["vectors"], &joined[..]].concat());
        let read = layouts[3].read(&[90.0, 1.0, 2.0, -90.0]).unwrap();
        assert!(close(&read, &[0.5 * PI, 1.0, 2.0, -0.5 * PI]), "{read:?}");
        assert!(close(&layouts[3].write(&read), &[90.0, 1.0, 2.0, -90.0]));
        assert_eq!(layouts[0].read(&[4.0, 1.0, 2.0, 0.0]).unwrap()[0], 4.0 - 2.0 * PI);
        let error = layouts[1].read(&[0.0, 1.0, 2.0, 1000.0]).unwrap_err();
        assert_eq!(error, "in factor 3, angle 1 of 1000 degrees is more than two turns");
        assert!(layouts[1].read(&[0.0]).is_err());
        let many = product(&["torus:1"; 20].join("*"));
        assert_eq!(many.layouts().len(), MOST_LAYOUTS);
        assert!(many.layouts().iter().all(|layout| layout.numbers() == 20));
    }

    /// The power has the numbers, the frame and the declarations of the product of its factors, to the last bit.
    #[test]
    fn a_power_is_the_product_of_equal_factors() {
        for (power, listed) in [
            ("sphere:2^3", "sphere:2*sphere:2*sphere:2"),
            ("spd-log-euclidean:2^2", "spd-log-euclidean:2*spd-log-euclidean:2"),
            ("torus:1*hyperbolic:2^2", "torus:1*hyperbolic:2*hyperbolic:2"),
        ] {
            let (power, listed) = (product(power), product(listed));
            let (mut p, mut c) = (vec![0.0; power.point_len()], vec![0.1; power.dim()]);
            power.origin(&mut p);
            c.iter_mut().enumerate().for_each(|(i, c)| *c *= (i + 1) as f64);
            let end = |m: &dyn Manifold| {
                let (mut v, mut q) = (p.clone(), p.clone());
                m.from_frame(&p, &c, &mut v);
                m.exp(&p, &v, &mut q);
                q
            };
            let q = end(&*power);
            assert_eq!(q, end(&*listed));
            assert_eq!(power.dist(&p, &q), listed.dist(&p, &q));
            assert_eq!(power.log_error(0.5, 1.0), listed.log_error(0.5, 1.0));
            assert_eq!(power.log_volume_density_bound(0.7), listed.log_volume_density_bound(0.7));
            assert_eq!(
                (power.model(), power.curvature(), power.cut_locus(), power.homogeneity(), power.diameter()),
                (listed.model(), listed.curvature(), listed.cut_locus(), listed.homogeneity(), listed.diameter())
            );
        }
    }

    #[test]
    fn powers_are_named_as_they_are_written_and_are_factors_like_any_other() {
        for name in
            ["sphere:2^5", "rotations:3^20", " torus:1 ^ 2*spd-log-euclidean:3^6 ", "grassmann:4,2^3*euclidean:1"]
        {
            assert_eq!(name.parse::<Space>().unwrap().as_str(), name.replace(' ', ""));
        }
        let nested = Product::new(vec![product("sphere:2^2*euclidean:1"), product("poses:3,0.5")]).unwrap();
        assert_eq!(nested.space().as_str(), "sphere:2^2*euclidean:1*poses:3,0.5");
        assert_eq!(nested.factors().len(), 5);
        assert!(nested.factors().iter().all(|factor| factor.factors().is_empty()));
        let names = |m: &dyn Manifold| m.layouts().iter().map(|layout| layout.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&nested), names(&*product(nested.space().as_str())));
        for (name, axes) in [
            ("sphere:2^5", &[5, 3][..]),
            ("spd-log-euclidean:3^6", &[6, 3, 3]),
            ("kendall:4^2", &[2, 4, 2]),
            ("poses:3^9", &[9, 7]),
            ("torus:1^4", &[4, 1]),
            ("sphere:2^5*euclidean:1", &[16]),
        ] {
            assert_eq!(product(name).shape().axes(), axes, "{name}");
        }
    }

    #[test]
    fn what_is_no_power_is_refused_with_what_is_expected() {
        for name in ["sphere:2^", "^5", "^", "sphere^2:3", "sphere:2^-1", "sphere:2^2.5", "sphere:2^^2", "sphere:2^2^2"]
        {
            let error = name.parse::<Space>().unwrap_err();
            assert!(matches!(error, Error::UnknownManifold { .. }), "{name}: {error}");
            assert!(error.to_string().contains("a power of one, such as sphere:2^5"), "{error}");
        }
        for (name, sentence) in [
            ("sphere:2^0", "exponent is 0: a power has at least two factors, as in sphere:2^2"),
            ("sphere:2^1", "exponent is 1: a power has at least two factors; write sphere:2"),
            ("sphere:2^333334", "numbers in a point is 1000002: a product's points have at most a million"),
        ] {
            assert_eq!(name.parse::<Space>().unwrap_err().to_string(), sentence);
        }
        let most = format!("sphere:2^{}", usize::MAX);
        let so_many = vec!["sphere:2^333333"; 100_000].join("*");
        for name in [most, so_many] {
            assert!(name.parse::<Space>().unwrap_err().to_string().contains("at most a million"));
        }
        for of in ["sphere:2^2", "sphere:2*euclidean:1"] {
            assert!(Product::power(product(of), 2).unwrap_err().to_string().contains("there is no power of"));
        }
    }

    #[test]
    fn one_layout_is_for_all_points_of_a_power() {
        let m = product("sphere:2^2");
        let layouts = m.layouts();
        let names: Vec<&str> =
            product("sphere:2").layouts().iter().map(|l| l.name().to_owned().leak() as &str).collect();
        assert_eq!(layouts.iter().map(Layout::name).collect::<Vec<_>>(), names);
        assert!(layouts[0].is_plain() && !layouts[1].is_plain());
        let read = layouts[1].read(&[90.0, 0.0, 0.0, 90.0]).unwrap();
        assert!(close(&read, &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0]), "{read:?}");
        assert!(close(&layouts[1].write(&read), &[90.0, 0.0, 0.0, 90.0]));
        assert_eq!(layouts[1].column_names(), ["latitude", "longitude", "latitude", "longitude"]);
        assert!(layouts[1].read(&[0.0, 0.0, 100.0, 0.0]).unwrap_err().starts_with("in factor 2, "));
        let refused = |layout: &Layout, axes: &[usize]| {
            matches!(layout.check_array(&layouts, axes), crate::manifold::Verdict::Contradiction(_))
        };
        assert!(refused(&layouts[0], &[3, 2]) && !refused(&layouts[0], &[2, 3]) && !refused(&layouts[0], &[6]));
        let matrices = product("spd-log-euclidean:2^3");
        assert_eq!(matrices.layouts()[0].name(), "full");
        assert!(refused(&matrices.layouts()[0], &[2, 2, 3]) && !refused(&matrices.layouts()[0], &[3, 2, 2]));
        let error = m.check_point(&[1.0, 0.0, 0.0, 0.0, 0.0, 2.0]).unwrap_err().to_string();
        assert!(error.starts_with("not a point of sphere:2^2: in factor 2, sphere:2, its norm is 2"), "{error}");
    }

    #[test]
    fn the_largest_power_is_made_in_a_moment() {
        let m = product("sphere:1^500000");
        assert_eq!((m.point_len(), m.shape().axes()), (1_000_000, vec![500_000, 2]));
        let mut p = vec![0.0; m.point_len()];
        m.origin(&mut p);
        assert_eq!(m.layouts()[1].write(&p).len(), 500_000);
        assert_eq!(m.dist(&p, &p), 0.0);
    }

    #[test]
    fn large_matrices_in_a_product_have_a_stand_in() {
        let stand_in = product("spd-affine-invariant:40^3").stand_in().unwrap();
        assert_eq!(stand_in.space().as_str(), "spd-affine-invariant:10^3");
        assert!(product("sphere:2^3").stand_in().is_none());
        let stand_in = product("spd-affine-invariant:40*sphere:2").stand_in().unwrap();
        assert_eq!(stand_in.space().as_str(), "spd-affine-invariant:10*sphere:2");
        assert!(product("sphere:2*torus:1").stand_in().is_none());
    }
}
