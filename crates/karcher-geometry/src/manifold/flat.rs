//! Flat spaces: a chart and its derivatives make a whole [`Manifold`].

use super::vector::{add_scaled, dot, norm, norm_of_difference};
use super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, Euclidean, FlatChart, Homogeneity, Layout, Manifold, Model, Operand,
    Shape, check_length, many, pairs,
};
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use rayon::prelude::*;
use std::fmt::Debug;

/// Points whose images one task computes.
const ROWS: usize = 64;

/// An isometry `φ` of a space onto a linear space with its ordinary inner product, and what else makes it a [`Flat`]
/// space: checks and layouts.
///
/// `φ` has to be a diffeomorphism onto the *whole* linear space: the declarations of [`Flat`] rest on that. The metric
/// is the one that `φ` pulls back, `⟨u, v⟩_p = ⟨Dφ_p[u], Dφ_p[v]⟩`.
#[allow(clippy::wrong_self_convention)] // as in `FlatChart`
pub trait Chart: Debug + Clone + Send + Sync + 'static {
    /// A point and what its operations share, such as its spectral decomposition.
    type At;

    /// Dimension `d`.
    fn dim(&self) -> usize;

    /// Numbers in a point.
    fn point_len(&self) -> usize;

    /// Numbers in an image: more than `d` where [`coordinates`](Chart::coordinates) forgets some that others determine.
    fn image_len(&self) -> usize {
        self.dim()
    }

    /// The point `p`.
    fn at(&self, p: &[f64]) -> Self::At;

    /// `φ⁻¹(w)`, kept within the range of doubles.
    fn at_image(&self, w: &[f64]) -> Self::At;

    /// The numbers of the point.
    fn point(&self, at: &Self::At) -> Vec<f64>;

    /// `φ(p)`.
    fn image(&self, at: &Self::At) -> Vec<f64>;

    /// `Dφ_p[v]`.
    fn differential(&self, at: &Self::At, v: &[f64]) -> Vec<f64>;

    /// `(Dφ_p)⁻¹[w]`.
    fn inverse_differential(&self, at: &Self::At, w: &[f64]) -> Vec<f64>;

    /// `φ⁻¹(w)`, or a point near it where double precision would find that it is none: noise goes far out.
    fn nearest_point(&self, w: &[f64]) -> Vec<f64> {
        let mut p = self.point(&self.at_image(w));
        self.repair(&mut p);
        p
    }

    /// The `d` coordinates of an image: an isometry.
    fn coordinates(&self, w: &[f64], coordinates: &mut [f64]) {
        coordinates.copy_from_slice(w);
    }

    /// The inverse of [`coordinates`](Chart::coordinates).
    fn from_coordinates(&self, coordinates: &[f64], w: &mut [f64]) {
        w.copy_from_slice(coordinates);
    }

    /// `φ` of one point after the other. The numbers of a row do not depend on the others.
    fn images(&self, points: &[f64]) -> Vec<f64> {
        points.chunks_exact(self.point_len()).flat_map(|p| self.image(&self.at(p))).collect()
    }

    /// The same with the bits that releases keep from version to version.
    fn released_images(&self, points: &[f64]) -> Vec<f64> {
        self.images(points)
    }

    /// `φ⁻¹` of one image after the other. The numbers of a row do not depend on the others.
    fn points(&self, images: &[f64], out: &mut [f64]) {
        let (from, to) = (self.image_len(), self.point_len());
        for (w, out) in images.chunks_exact(from).zip(out.chunks_exact_mut(to)) {
            out.copy_from_slice(&self.point(&self.at_image(w)));
        }
    }

    /// `Dφ_p` of one vector after the other. The numbers of a row do not depend on the others.
    fn differentials(&self, at: &Self::At, v: &[f64]) -> Vec<f64> {
        v.chunks_exact(self.point_len()).flat_map(|v| self.differential(at, v)).collect()
    }

    /// `(Dφ_p)⁻¹` of one vector after the other, likewise.
    fn inverse_differentials(&self, at: &Self::At, w: &[f64], out: &mut [f64]) {
        for (w, out) in w.chunks_exact(self.image_len()).zip(out.chunks_exact_mut(self.point_len())) {
            out.copy_from_slice(&self.inverse_differential(at, w));
        }
    }

    /// [`Manifold::origin`].
    fn origin(&self, out: &mut [f64]);

    /// The reason why these `point_len` numbers are no point, if they are none.
    fn check_point(&self, p: &[f64]) -> std::result::Result<(), String>;

    /// The reason why these `point_len` numbers are no tangent vector at `p`, if they are none.
    fn check_tangent(&self, p: &[f64], v: &[f64]) -> std::result::Result<(), String>;

    /// [`Manifold::normalize`].
    fn normalize(&self, p: &mut [f64]);

    /// [`Manifold::project`].
    fn project(&self, p: &mut [f64]);

    /// [`Manifold::repair`].
    fn repair(&self, p: &mut [f64]) {
        self.normalize(p);
    }

    /// [`Manifold::prechecked_points`].
    fn prechecked_points(&self, _values: &[f64]) -> bool {
        false
    }

    /// [`Manifold::prechecked_tangents`], where it does not depend on the points.
    fn prechecked_tangents(&self, _v: Operand<'_>) -> bool {
        false
    }

    /// [`Manifold::shape`].
    fn shape(&self) -> Shape;

    /// [`Manifold::layouts`].
    fn layouts(&self) -> Vec<Layout>;

    /// [`Manifold::atypical_origin`].
    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        None
    }

    /// [`FlatChart::logarithm`].
    fn logarithm(&self, _coordinates: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// [`FlatChart::prechecked_add_flat`].
    fn prechecked_add_flat(&self, _values: &[f64], _sum: &mut [f64]) -> bool {
        false
    }
}

/// The flat space of a [`Chart`].
///
/// Its declarations are those of `R^d`, and right because `φ` is an isometry onto `R^d`. Isometries keep distances and
/// curvature, and carry geodesics to geodesics. So the space has the rigid motions of `R^d`, and these carry any pair of
/// points to any other pair as far apart. In coordinates of the frame `(Dφ_p)⁻¹`, `Exp_p` is a translation followed by
/// `φ⁻¹`, so the volume density is 1.
#[derive(Debug, Clone)]
pub struct Flat<C> {
    pub(super) chart: C,
    pub(super) space: Space,
}

impl<C: Chart> Flat<C> {
    /// `f(p, φ(p), first, count)` of each base `p` and the rows that start there. One base is looked at once.
    fn each_base(&self, p: Operand<'_>, rows: usize, mut f: impl FnMut(&C::At, &[f64], usize, usize)) {
        let count = if matches!(p, Operand::Same(_)) { rows } else { 1 };
        for first in (0..rows).step_by(count.max(1)) {
            let at = self.chart.at(p.row(first, self.point_len()));
            f(&at, &self.chart.image(&at), first, count);
        }
    }

    /// `w` plus `factor` times one vector of `width` numbers after the other, `count` of them.
    fn sums(w: &[f64], factor: f64, v: Operand<'_>, count: usize) -> Vec<f64> {
        let mut sums = Vec::with_capacity(count * w.len());
        for i in 0..count {
            sums.extend(v.row(i, w.len()).iter().zip(w).map(|(v, w)| v + factor * w));
        }
        sums
    }

    fn image(&self, p: &[f64]) -> Vec<f64> {
        self.chart.image(&self.chart.at(p))
    }

    /// `φ(p) + Dφ_p[v]`.
    fn end(&self, at: &C::At, v: &[f64]) -> Vec<f64> {
        let mut w = self.chart.image(at);
        add_scaled(&mut w, 1.0, &self.chart.differential(at, v));
        w
    }
}

impl<C: Chart> Manifold for Flat<C> {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn dim(&self) -> usize {
        self.chart.dim()
    }

    fn point_len(&self) -> usize {
        self.chart.point_len()
    }

    fn origin(&self, out: &mut [f64]) {
        self.chart.origin(out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        self.chart.check_point(p).map_err(|reason| Error::InvalidPoint { space: self.space.clone(), reason })
    }

    fn normalize(&self, p: &mut [f64]) {
        self.chart.normalize(p);
    }

    fn repair(&self, p: &mut [f64]) {
        self.chart.repair(p);
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        self.chart.check_tangent(p, v).map_err(|reason| Error::InvalidTangent { space: self.space.clone(), reason })
    }

    fn project(&self, p: &mut [f64]) {
        self.chart.project(p);
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    /// `Exp_p(v) = φ⁻¹(φ(p) + Dφ_p[v])`.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        let end = self.end(&self.chart.at(p), v);
        out.copy_from_slice(&self.chart.point(&self.chart.at_image(&end)));
    }

    /// `Log_p(q) = (Dφ_p)⁻¹[φ(q) − φ(p)]`.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        let (at, mut w) = (self.chart.at(p), self.image(q));
        add_scaled(&mut w, -1.0, &self.chart.image(&at));
        out.copy_from_slice(&self.chart.inverse_differential(&at, &w));
        Ok(())
    }

    /// `ρ(p, q) = ‖φ(p) − φ(q)‖`.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        norm_of_difference(&self.image(p), &self.image(q))
    }

    /// `⟨u, v⟩_p = ⟨Dφ_p[u], Dφ_p[v]⟩`.
    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        let at = self.chart.at(p);
        dot(&self.chart.differential(&at, u), &self.chart.differential(&at, v))
    }

    /// The same vector of the linear space at another point: `(Dφ_q)⁻¹[Dφ_p[v]]`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let flat = self.chart.differential(&self.chart.at(p), v);
        out.copy_from_slice(&self.chart.inverse_differential(&self.chart.at(q), &flat));
        Ok(())
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let (len, rows) = (self.point_len(), out.len() / self.point_len());
        let mut ends = Vec::with_capacity(rows * self.chart.image_len());
        self.each_base(p, rows, |at, image, first, count| {
            let flat = self.chart.differentials(at, v.rows(first, count, len).numbers());
            ends.extend(Self::sums(image, 1.0, v.with(&flat), count));
        });
        self.chart.points(&ends, out);
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let (len, width, images) = (self.point_len(), self.chart.image_len(), self.chart.images(q.numbers()));
        let images = q.with(&images);
        self.each_base(p, out.len() / len, |at, base, first, count| {
            let w = Self::sums(base, -1.0, images.rows(first, count, width), count);
            self.chart.inverse_differentials(at, &w, &mut out[first * len..][..count * len]);
        });
    }

    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let images = [p, q].map(|operand| self.chart.images(operand.numbers()));
        many::dist::<Euclidean>(self.chart.image_len(), p.with(&images[0]), q.with(&images[1]), out);
    }

    /// With one base and one end all vectors go the same way.
    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        if let (Operand::Same(p), Operand::Same(q), Operand::Each(v)) = (p, q, v) {
            let flat = self.chart.differentials(&self.chart.at(p), v);
            return self.chart.inverse_differentials(&self.chart.at(q), &flat, out);
        }
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            if self.transport(p.row(i, len), q.row(i, len), v.row(i, len), out).is_err() {
                out.fill(f64::NAN);
            }
        }
    }

    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let (len, width) = (self.point_len(), self.chart.image_len());
        self.each_base(p, out.len(), |at, _, first, count| {
            let flat = [u, v].map(|x| self.chart.differentials(at, x.rows(first, count, len).numbers()));
            let (u, v) = (u.with(&flat[0]), v.with(&flat[1]));
            for (i, out) in out[first..][..count].iter_mut().enumerate() {
                *out = dot(u.row(i, width), v.row(i, width));
            }
        });
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let (len, width) = (self.point_len(), self.chart.image_len());
        self.each_base(p, out.len(), |at, _, first, count| {
            let flat = self.chart.differentials(at, v.rows(first, count, len).numbers());
            many::norm::<Euclidean>(width, Operand::Same(&flat[..width]), v.with(&flat), &mut out[first..][..count]);
        });
    }

    /// Each image is computed once.
    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        let images = |values: &[f64]| -> Vec<f64> {
            values.par_chunks(ROWS * self.point_len()).flat_map_iter(|values| self.chart.images(values)).collect()
        };
        pairs::dist_matrix::<Euclidean>(self.chart.image_len(), &images(p), &images(q), out);
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        self.chart.prechecked_points(values)
    }

    fn prechecked_tangents(&self, _p: Operand<'_>, v: Operand<'_>, _rows: usize) -> bool {
        self.chart.prechecked_tangents(v)
    }

    /// Both are the transport back to `p`.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let start = self.chart.at(p);
        let end = self.chart.at_image(&self.end(&start, v));
        let carried = self.chart.inverse_differential(&start, &self.chart.differential(&end, e));
        by_point.copy_from_slice(&carried);
        by_vector.copy_from_slice(&carried);
    }

    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        let mut w = vec![0.0; self.chart.image_len()];
        self.chart.from_coordinates(coordinates, &mut w);
        out.copy_from_slice(&self.chart.inverse_differential(&self.chart.at(p), &w));
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.chart.coordinates(&self.chart.differential(&self.chart.at(p), v), coordinates);
    }

    /// `φ(x) − φ(p)`: what the frame is made for. Images are those of single points, near which differences are small.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let start = self.image(base);
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(self.dim())) {
            let mut w = self.image(x);
            add_scaled(&mut w, -1.0, &start);
            self.chart.coordinates(&w, c);
        }
    }

    fn norm(&self, p: &[f64], v: &[f64]) -> f64 {
        norm(&self.chart.differential(&self.chart.at(p), v))
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: 0.0, upper: 0.0 }
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::None
    }

    fn diameter(&self) -> f64 {
        f64::INFINITY
    }

    fn homogeneity(&self) -> Homogeneity {
        Homogeneity::TwoPoint
    }

    fn shape(&self) -> Shape {
        self.chart.shape()
    }

    fn layouts(&self) -> Vec<Layout> {
        self.chart.layouts()
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        self.chart.atypical_origin()
    }

    fn model(&self) -> Model {
        Model::Flat
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ = 1`: the volume is that of the linear space.
    fn log_volume_density_bound(&self, _s: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn log_volume_density_in_frame(&self, _coordinates: &[f64]) -> f64 {
        0.0
    }

    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        Some(self)
    }
}

impl<C: Chart> FlatChart for Flat<C> {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        self.chart.coordinates(&self.image(p), coordinates);
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        let mut w = vec![0.0; self.chart.image_len()];
        self.chart.from_coordinates(coordinates, &mut w);
        out.copy_from_slice(&self.chart.nearest_point(&w));
    }

    fn logarithm(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        self.chart.logarithm(coordinates)
    }

    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        let images = self.chart.released_images(points.values());
        let rows = coordinates.chunks_exact_mut(self.dim());
        images.chunks_exact(self.chart.image_len()).zip(rows).for_each(|(w, c)| self.chart.coordinates(w, c));
    }

    fn prechecked_add_flat(&self, values: &[f64], sum: &mut [f64]) -> bool {
        self.chart.prechecked_add_flat(values, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::vector::largest;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;
    use rand_distr::StandardNormal;

    const N: usize = 19;

    fn computed(width: usize, f: impl FnOnce(&mut [f64])) -> Vec<f64> {
        let mut out = vec![f64::NAN; width];
        f(&mut out);
        out
    }

    /// Points within a ball, and vectors at the first of them.
    fn cloud(m: &dyn Manifold) -> [Vec<f64>; 3] {
        let mut generator = ChaCha20Rng::seed_from_u64(4);
        let size = 1.0 / (m.dim() as f64).sqrt();
        let chart = m.flat_chart().unwrap();
        let mut coordinates =
            || -> Vec<f64> { (0..m.dim()).map(|_| size * generator.sample::<f64, _>(StandardNormal)).collect() };
        let [p, q] = [(); 2].map(|()| -> Vec<f64> {
            (0..N).flat_map(|_| computed(m.point_len(), |out| chart.from_flat(&coordinates(), out))).collect()
        });
        let base = &p[..m.point_len()];
        let v = (0..N).flat_map(|_| computed(m.point_len(), |out| m.from_frame(base, &coordinates(), out))).collect();
        [p, q, v]
    }

    /// One by one, and in groups of any number: to rounding and to the bit.
    #[test]
    fn many_rows_are_as_one() {
        let spaces = [
            "spd-log-euclidean:1",
            "spd-log-euclidean:3",
            "spd-log-euclidean:7",
            "spd-log-euclidean:12",
            "spd-log-cholesky:1",
            "spd-log-cholesky:4",
            "spd-log-cholesky:9",
            "spd-log-cholesky:18",
            "correlation-off-log:2",
            "correlation-off-log:5",
            "correlation-off-log:12",
            "correlation-off-log:34",
            "simplex-aitchison:4",
        ];
        for space in spaces {
            let m = space.parse::<Space>().unwrap().manifold().unwrap();
            let (len, [p, q, v]) = (m.point_len(), cloud(&*m));
            let (one, end, vector) = (&p[..len], &q[len..][..len], v[len..][..len].to_vec());
            let all = |count: usize, base: Operand<'_>| {
                let [q, v] = [&q, &v].map(|x| Operand::Each(&x[..count * len]));
                [
                    computed(count * len, |out| m.log_many(base, q, out)),
                    computed(count * len, |out| m.exp_many(base, v, out)),
                    computed(count * len, |out| m.transport_many(base, Operand::Same(end), v, out)),
                    computed(count, |out| m.dist_many(base, q, out)),
                    computed(count, |out| m.inner_many(base, v, Operand::Same(&vector), out)),
                    computed(count, |out| m.norm_many(base, v, out)),
                ]
            };
            let repeated = one.repeat(N);
            let (same, each) = (all(N, Operand::Same(one)), all(N, Operand::Each(&repeated)));
            for i in 0..N {
                let [q, v] = [&q, &v].map(|x| &x[i * len..][..len]);
                let expected = [
                    computed(len, |out| m.log(one, q, out).unwrap()),
                    computed(len, |out| m.exp(one, v, out)),
                    computed(len, |out| m.transport(one, end, v, out).unwrap()),
                    vec![m.dist(one, q)],
                    vec![m.inner(one, v, &vector)],
                    vec![m.norm(one, v)],
                ];
                for (operation, expected) in expected.iter().enumerate() {
                    let width = expected.len();
                    for found in [&same, &each] {
                        let found = &found[operation][i * width..][..width];
                        let off: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
                        assert!(largest(&off) < 1e-12 * (1.0 + largest(expected)), "{space} {operation} {i}: {off:?}");
                    }
                }
            }
            for count in [1, 2, 5, 8, 11] {
                let fewer = all(count, Operand::Same(one));
                for (operation, (fewer, all)) in fewer.iter().zip(&same).enumerate() {
                    assert_eq!(fewer[..], all[..fewer.len()], "{space} {operation} {count}");
                }
            }
        }
    }
}
