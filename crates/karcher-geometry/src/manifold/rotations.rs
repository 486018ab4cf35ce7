//! Rotations of space, `SO(3)`, as unit quaternions with the rotation angle for a distance.
//!
//! A point is `w x y z`, the unit quaternion `q = w + xi + yj + zk` of the rotation `a ↦ q·a·q̄`, up to sign. The
//! distance of two rotations is the angle of the one that carries the first to the second, `2·arccos|⟨p,q⟩|`: this is
//! `RP³` with all lengths doubled, of curvature ¼, injectivity radius and diameter π. A tangent vector at `q` is a
//! quaternion `v ⊥ q`, of length `2‖v‖`; at `−q` it is `−v`.

use super::family::{Family, number};
use super::lanes::{self, Lane, each};
use super::layout::Entries;

use super::batch_op::{BatchOp, Operand};
use super::projective::CUT_LOCUS;
use super::vector::{dot, ln_sinc, non_finite, norm, scale, sinc};
use super::{
    AngleUnit, AtypicalOrigin, CURVED_POINT_TOLERANCE, Called, CurvatureBounds, CutLocus, Homogeneity, Layout,
    Manifold, Model, Projective, Remedy, Shape, check_in_frame, check_length, check_size, log_error,
};
use crate::elementary::atan2;
use crate::embedding::{Embedding, Projectors};
use crate::error::{Error, Result, Short};
use crate::linalg::{Singular, singular};
use crate::points::PointsView;
use crate::space::Space;
use nalgebra::DMatrix;
use std::f64::consts::PI;
use std::sync::Arc;

/// `rotations:3`.
pub(super) const FAMILY: Family = Family {
    name: "rotations",
    size: "3",
    about: "rotations of space, orientations",
    examples: &["rotations:3"],
    parse: |size| Some(Rotations::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// The rotations of three-dimensional space.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Rotations};
/// let rotations = Rotations::new(3)?;
/// let quarter_turn = [0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()];
/// let angle = rotations.dist(&[1.0, 0.0, 0.0, 0.0], &quarter_turn);
/// assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rotations {
    /// The same points at half the distance.
    axes: Projective,
    space: Space,
}

impl Rotations {
    /// `SO(n)`, for `n = 3` only.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Rotations};
    /// assert_eq!(Rotations::new(3)?.diameter(), std::f64::consts::PI); // half a turn
    /// assert!(Rotations::new(4).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(n: usize) -> Result<Self> {
        let space = Space::named(format!("rotations:{n}"));
        check_size(&space, n, 3, 3)?;
        Ok(Self { axes: Projective::new(3)?, space })
    }

    /// The error of a computation in `RP³`, which is that of half a turn.
    fn half_turn(&self) -> Error {
        Error::CutLocus { space: self.space.clone() }
    }
}

impl Manifold for Rotations {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Projectors::real(4, 1, 2.0)))
    }

    fn dim(&self) -> usize {
        3
    }

    fn point_len(&self) -> usize {
        4
    }

    /// The identity.
    fn origin(&self, out: &mut [f64]) {
        self.axes.origin(out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        let invalid = |reason| Err(Error::InvalidPoint { space: self.space.clone(), reason });
        if let Some(reason) = non_finite(p) {
            return invalid(reason);
        }
        let length = norm(p);
        if (length - 1.0).abs() > CURVED_POINT_TOLERANCE {
            return invalid(format!("the quaternion's norm is {length}, it must be 1"));
        }
        Ok(())
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// To unit norm.
    fn project(&self, p: &mut [f64]) {
        self.axes.project(p);
    }

    fn normalize(&self, p: &mut [f64]) {
        self.axes.normalize(p);
    }

    /// `⟨base, out⟩` is positive. Where it is 0, the largest number (the first of equals) is positive.
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        self.axes.align(base, p, out);
    }

    /// As in `RP³`: lengths of vectors are doubled as those of geodesics are.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        self.axes.exp(p, v, out);
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        self.axes.log(p, q, out).map_err(|_| self.half_turn())
    }

    /// `ρ = 2·arccos|⟨p,q⟩|`, the angle of the rotation `p̄·q`, computed so that it keeps its digits near 0.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        2.0 * self.axes.dist(p, q)
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.axes.exp_many(p, v, out);
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.axes.log_many(p, q, out);
    }

    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.axes.dist_many(p, q, out);
        scale(out, 2.0);
    }

    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        self.axes.dist_matrix(p, q, out);
        scale(out, 2.0);
    }

    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.axes.transport_many(p, q, v, out);
    }

    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.axes.inner_many(p, u, v, out);
        scale(out, 4.0);
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.axes.norm_many(p, v, out);
        scale(out, 2.0);
    }

    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        let prechecked = self.axes.prechecked_many(operation, out);
        match operation {
            BatchOp::Dist(_) | BatchOp::Norm(_) => scale(out, 2.0),
            BatchOp::Inner(_) => scale(out, 4.0),
            _ => {}
        }
        prechecked
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        self.axes.prechecked_points(values)
    }

    fn prechecked_tangents(&self, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
        self.axes.prechecked_tangents(p, v, rows)
    }

    /// `4⟨u,v⟩`.
    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        4.0 * dot(u, v)
    }

    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self.axes.transport(p, q, v, out).map_err(|_| self.half_turn())
    }

    /// As in `RP³`: neither derivatives nor their adjoints see the unit of length.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        self.axes.jacobi(p, v, e, by_point, by_vector);
    }

    /// `v = ½·p·ω`: the coordinates are a rotation vector `ω` in the axes of the rotated body, and `Exp_p` of it is `p`
    /// after the rotation about `ω` by the angle `‖ω‖`.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&product(p, &[0.0, coordinates[0], coordinates[1], coordinates[2]]));
        scale(out, 0.5);
    }

    /// `ω = 2·p̄·v`.
    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        coordinates.copy_from_slice(&product(&[p[0], -p[1], -p[2], -p[3]], v)[1..]);
        scale(coordinates, 2.0);
    }

    /// `ω = 2·θ/sin θ·Im(p̄·x)`, `cos θ = |Re(p̄·x)|`, of the representative `x` nearest to `p` (`Turned`).
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        if let [w, x, y, z] = *base {
            lanes::logs(&Turned([w, x, y, z]), 4, points.values(), 3, coordinates);
        }
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        log_error::rotations(reach)
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: 0.25, upper: 0.25 }
    }

    fn injectivity_radius(&self) -> f64 {
        PI
    }

    /// Half turns away.
    fn cut_locus(&self) -> CutLocus {
        CutLocus::AtDistance(PI)
    }

    fn diameter(&self) -> f64 {
        PI
    }

    fn homogeneity(&self) -> Homogeneity {
        Homogeneity::TwoPoint
    }

    fn shape(&self) -> Shape {
        Shape::Vector(4)
    }

    /// Not simply connected.
    fn model(&self) -> Model {
        Model::Other
    }

    /// Unit quaternions, those of SciPy (which has `w` last), matrices, and rotation vectors: axis times angle. Of the
    /// two quaternions of a rotation the one is written whose first number that is not 0, in the order w x y z, is
    /// positive.
    fn layouts(&self) -> Vec<Layout> {
        let last =
            Layout::new("quaternions-last", 4, |r| Ok(vec![r[3], r[0], r[1], r[2]]), |q| [&q[1..], &q[..1]].concat());
        let vectors = Layout::new("rotation-vectors", 3, of_rotation_vector, rotation_vector);
        let euler = "they are Euler angles: SciPy converts them, Rotation.from_euler(…).as_rotvec()";
        let part = "they are three numbers of a quaternion: choose its real part too, and layout quaternions";
        let layouts = [
            Layout::plain("quaternions", 4)
                .columns(&["w", "x", "y", "z"])
                .called(&[W, X, Y, Z])
                .kind(&["wxyz"])
                .up_to_sign(0..4),
            last.columns(&["x", "y", "z", "w"]).called(&[X, Y, Z, W]).kind(&["xyzw"]).up_to_sign(0..4).told(),
            Layout::new("matrices", 9, of_matrix, matrix)
                .rounded_by(nearest_matrix)
                .advising(|r, is_rounded| (!is_rounded && is_scaled(r)).then_some(SCALED))
                .of_entries(Entries::row_by_row(3, 3))
                .in_arrays(&[3, 3]),
            vectors
                .columns(&["x", "y", "z"])
                .called(&[X, Y, Z])
                .not_of_any(&["euler", "eulerangles", "rpy", "ypr", "hpr", "opk", "taitbryan"], euler)
                .not_of_two(EULER, euler)
                .not_of(&["alpha", "beta", "gamma"], euler)
                .not_of(&["phi", "theta", "psi"], euler)
                .not_of(&["phi1", "phi2"], euler)
                .not_of(&["omega", "phi", "kappa"], euler)
                .not_of(&["qx", "qy", "qz"], part)
                .not_of(&["quatern", "b", "c", "d"], part)
                .not_of(&["pose", "rx", "ry", "rz"], euler)
                .angles_in(AngleUnit::Radians)
                .told(),
        ];
        layouts.map(|layout| layout.with_representative(first_positive)).to_vec()
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "which rotations are typical depends on what they are measured from",
            instead: "a rotation that the records are expected around",
            origin: "the identity",
        })
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ(v) = (sin(s/2) / (s/2))²`, `s` the length of `v`.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (value, slope) = ln_sinc(0.5 * s);
        (2.0 * value, slope)
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.log_volume_density_bound(norm(coordinates)).0
    }
}

/// Words of angles, two or three of them for a rotation, in an order that differs from field to field.
const EULER: &[&str] = &["roll", "pitch", "yaw", "heading", "bank", "tilt", "pan", "azimuth", "strike", "dip", "rake"];
pub(super) const W: Called = Called::new("w", &[], &["w", "r", "re", "s", "real", "scalar", "q0"]);
pub(super) const X: Called = Called::new("x", &[], &["x", "i", "q1"]);
pub(super) const Y: Called = Called::new("y", &[], &["y", "j", "q2"]);
pub(super) const Z: Called = Called::new("z", &[], &["z", "k", "q3"]);

/// Coordinates of logarithms at a quaternion `p`. The imaginary part of `p̄·x` is that of `p̄·(x − p)`, which keeps the
/// digits of rotations that are nearly the same.
struct Turned([f64; 4]);

impl lanes::Kernel for Turned {
    #[inline(always)]
    fn directions(&self, x: &mut [Lane], omega: &mut [Lane]) -> [Lane; 2] {
        let p = self.0;
        let cosine = each(|l| p[0] * x[0][l] + p[1] * x[1][l] + p[2] * x[2][l] + p[3] * x[3][l]);
        let side = each(|l| 1.0_f64.copysign(cosine[l]));
        x.iter_mut().zip(p).for_each(|(x, p)| *x = each(|l| side[l] * x[l] - p));
        omega[0] = each(|l| p[0] * x[1][l] - p[1] * x[0][l] - p[2] * x[3][l] + p[3] * x[2][l]);
        omega[1] = each(|l| p[0] * x[2][l] + p[1] * x[3][l] - p[2] * x[0][l] - p[3] * x[1][l]);
        omega[2] = each(|l| p[0] * x[3][l] - p[1] * x[2][l] + p[2] * x[1][l] - p[3] * x[0][l]);
        let squared = each(|l| omega[0][l] * omega[0][l] + omega[1][l] * omega[1][l] + omega[2][l] * omega[2][l]);
        [squared, cosine]
    }

    #[inline(always)]
    fn angle(&self, sine: f64, cosine: f64) -> f64 {
        let angle = 2.0 * atan2(sine, cosine.abs());
        if cosine.abs() <= CUT_LOCUS { f64::NAN } else { angle }
    }
}

/// The product of two quaternions.
fn product(a: &[f64], b: &[f64]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The representative whose first number that is not 0 is positive.
pub(super) fn first_positive(q: &[f64]) -> Vec<f64> {
    let sign = q.iter().find(|x| **x != 0.0).map_or(1.0, |x| x.signum());
    q.iter().map(|x| sign * x + 0.0).collect() // −0 becomes 0
}

/// [`nearly_of_matrix`] for matrices of seven digits.
fn of_matrix(r: &[f64]) -> std::result::Result<Vec<f64>, String> {
    nearly_of_matrix(r, CURVED_POINT_TOLERANCE)
}

/// The quaternion of a rotation matrix, whose columns may have products that are off by the tolerance. It comes from
/// the largest of the four numbers `4w² − 1 = tr R`, `4x² − 1 = 2r₁₁ − tr R`,
/// … (Shepperd 1978, Quaternion from rotation matrix).
pub(super) fn nearly_of_matrix(r: &[f64], tolerance: f64) -> std::result::Result<Vec<f64>, String> {
    let columns = |i: usize, j: usize| (0..3).map(|k| r[3 * k + i] * r[3 * k + j]).sum::<f64>();
    let off = (0..9).map(|n| (columns(n / 3, n % 3) - f64::from(u8::from(n / 3 == n % 3))).abs()).fold(0.0, f64::max);
    if off > tolerance {
        let off = Short(off);
        return Err(format!("the matrix is not orthogonal: the products of its columns are off by {off}"));
    }
    let minor = |i: usize, j: usize| r[3 + i] * r[6 + j] - r[3 + j] * r[6 + i];
    let determinant = r[0] * minor(1, 2) - r[1] * minor(0, 2) + r[2] * minor(0, 1);
    if determinant < 0.0 {
        return Err("the matrix is a reflection: its determinant is -1, that of a rotation is 1".to_owned());
    }
    // 4·qqᵀ
    let trace = r[0] + r[4] + r[8];
    let square = |i: usize| 1.0 + if i == 0 { trace } else { 2.0 * r[4 * (i - 1)] - trace };
    let mixed = |i: usize, j: usize| match (i.min(j), i.max(j)) {
        (0, 1) => r[7] - r[5],
        (0, 2) => r[2] - r[6],
        (0, _) => r[3] - r[1],
        (1, 2) => r[1] + r[3],
        (1, _) => r[2] + r[6],
        _ => r[5] + r[7],
    };
    let largest = (1..4).fold(0, |best, i| if square(i) > square(best) { i } else { best });
    let mut q: Vec<f64> = (0..4).map(|i| if i == largest { square(i) } else { mixed(i, largest) }).collect();
    let length = norm(&q);
    scale(&mut q, 1.0 / length);
    Ok(q)
}

/// The orthogonal matrix nearest to a matrix, its polar factor `UVᵀ`; a matrix without an inverse stays as it is.
pub(super) fn nearest_matrix(r: &[f64]) -> Vec<f64> {
    let Singular { left, values, right } = singular(DMatrix::from_row_slice(3, 3, r));
    match values[2] > 1e-6 * values[0] {
        true => (left * right.transpose()).transpose().as_slice().to_vec(),
        false => r.to_vec(),
    }
}

/// The remedy for matrices that scale as well as they rotate.
pub(super) const SCALED: Remedy = Remedy::Projected { condition: "if the matrix scales, too" };

/// Whether a matrix is a multiple of a rotation.
pub(super) fn is_scaled(r: &[f64]) -> bool {
    let size = norm(r) / 3.0_f64.sqrt();
    let near = nearest_matrix(r);
    size > 0.0
        && r.iter().zip(&near).all(|(x, near)| (x / size - near).abs() < 1e-3)
        && nearly_of_matrix(&near, 1e-6).is_ok()
}

/// The rotation matrix `r₁₁ r₁₂ …` of a quaternion.
pub(super) fn matrix(q: &[f64]) -> Vec<f64> {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    #[rustfmt::skip]
    let matrix = vec![
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    ];
    matrix
}

/// The rotation about a vector by its length in radians.
fn of_rotation_vector(v: &[f64]) -> std::result::Result<Vec<f64>, String> {
    let angle = norm(v);
    if angle > 4.0 * PI + 1e-9 {
        let angle = Short(angle);
        return Err(format!("a rotation vector of length {angle} is more than two turns: its length is in radians"));
    }
    let share = 0.5 * sinc(0.5 * angle);
    Ok(vec![(0.5 * angle).cos(), share * v[0], share * v[1], share * v[2]])
}

/// Axis times angle of a quaternion with `w ≥ 0`, the angle from 0 to π.
fn rotation_vector(q: &[f64]) -> Vec<f64> {
    let sine = norm(&q[1..]);
    let factor = if sine > 0.0 { 2.0 * sine.atan2(q[0]) / sine } else { 2.0 };
    q[1..].iter().map(|x| factor * x).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::vector::norm_of_difference;

    fn read(name: &str, record: &[f64]) -> std::result::Result<Vec<f64>, String> {
        layout(name).read(record)
    }

    fn layout(name: &str) -> Layout {
        Rotations::new(3).unwrap().layouts().into_iter().find(|layout| layout.name() == name).unwrap()
    }

    /// SciPy's `Rotation.from_rotvec`: oracles/quotient_spaces.py.
    const ONE: [f64; 3] = [0.3, -1.2, 0.4];
    const OTHER: [f64; 3] = [2.0, 0.5, -1.5];
    const ONE_LAST: [f64; 4] = [0.13965840132370141, -0.5586336052948057, 0.18621120176493525, 0.7960837985490559];
    const OTHER_LAST: [f64; 4] = [0.7503394175247715, 0.18758485438119288, -0.5627545631435786, 0.2917361523302408];
    #[rustfmt::skip]
    const ONE_MATRIX: [f64; 9] = [
        0.30650776674517166, -0.45251519414916497, -0.8374264075063735,
        0.14044368918449224, 0.8916418385539331, -0.43040725122657,
        0.9414502424945979, 0.0143119112736729, 0.3368480519500705,
    ];

    #[test]
    fn layouts_hold_the_same_rotation_as_in_scipy() {
        let rotations = Rotations::new(3).unwrap();
        for (vector, last) in [(ONE, ONE_LAST), (OTHER, OTHER_LAST)] {
            let q = read("rotation-vectors", &vector).unwrap();
            assert!(norm_of_difference(&layout("quaternions-last").write(&q), &last) < 1e-15);
            assert!(rotations.dist(&q, &read("quaternions-last", &last).unwrap()) < 1e-15);
        }
        let q = read("rotation-vectors", &ONE).unwrap();
        assert!(norm_of_difference(&layout("matrices").write(&q), &ONE_MATRIX) < 1e-15);
        assert!(rotations.dist(&q, &read("matrices", &ONE_MATRIX).unwrap()) < 1e-15);
        // all layouts forget the sign of the quaternion
        let negative: Vec<f64> = q.iter().map(|x| -x).collect();
        for layout in rotations.layouts() {
            let (record, other) = (layout.write(&q), layout.write(&negative));
            assert_eq!(record, other);
            assert!(rotations.dist(&layout.read(&record).unwrap(), &q) < 1e-14, "{layout:?}");
        }
    }

    #[test]
    fn logarithms_in_the_frame_are_rotation_vectors_of_the_body_as_in_scipy() {
        // (r.inv() * s).as_rotvec() and .magnitude()
        let (expected, angle) = ([0.8064178910826659, 0.27348981806030365, -2.757501442560847], 2.885986954469133);
        let rotations = Rotations::new(3).unwrap();
        let (p, q) = (read("rotation-vectors", &ONE).unwrap(), read("rotation-vectors", &OTHER).unwrap());
        assert!((rotations.dist(&p, &q) - angle).abs() < 1e-14);
        for sign in [1.0, -1.0] {
            let p: Vec<f64> = p.iter().map(|x| sign * x).collect();
            let (mut v, mut c) = ([0.0; 4], [0.0; 3]);
            rotations.log(&p, &q, &mut v).unwrap();
            rotations.to_frame(&p, &v, &mut c);
            assert!(norm_of_difference(&c, &expected) < 1e-14, "{c:?}");
        }
    }

    #[test]
    fn half_turns_and_their_neighbours_keep_their_digits() {
        let rotations = Rotations::new(3).unwrap();
        for axis in [[1.0, 2.0, 2.0], [-1.0, 2.0, -2.0], [2.0, -1.0, 2.0], [2.0, -2.0, 1.0], [0.0, 0.0, -3.0]] {
            for angle in [1e-12, 1e-3, 2.0, 3.0, PI - 1e-9] {
                let vector: Vec<f64> = axis.iter().map(|x| angle * x / 3.0).collect();
                let q = read("rotation-vectors", &vector).unwrap();
                assert!((rotations.dist(&[1.0, 0.0, 0.0, 0.0], &q) - angle).abs() < 2e-15);
                for name in ["matrices", "quaternions-last"] {
                    let again = read(name, &layout(name).write(&q)).unwrap();
                    assert!(rotations.dist(&again, &q) < 3e-15, "{name}");
                }
                assert!(norm_of_difference(&layout("rotation-vectors").write(&q), &vector) < 3e-15);
            }
        }
        let half = read("matrices", &[-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(half, [0.0, 0.0, 0.0, 1.0]);
        assert!(rotations.log(&[1.0, 0.0, 0.0, 0.0], &half, &mut [0.0; 4]).is_err());
        assert_eq!(layout("quaternions").write(&[0.0, -0.6, 0.8, 0.0]), [0.0, 0.6, -0.8, 0.0]);
    }

    #[test]
    fn what_is_no_rotation_is_refused_with_the_reason() {
        let mut reflection = ONE_MATRIX;
        reflection[..3].iter_mut().for_each(|x| *x = -*x);
        for (record, text) in [
            (reflection, "a reflection: its determinant is -1"),
            ([1.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], "off by 0.1"),
            ([0.0; 9], "not orthogonal"),
        ] {
            assert!(read("matrices", &record).unwrap_err().contains(text));
        }
        let rounded = ONE_MATRIX.map(|x| (x * 1e7).round() / 1e7);
        let q = read("matrices", &rounded).unwrap();
        assert!(Rotations::new(3).unwrap().dist(&q, &read("matrices", &ONE_MATRIX).unwrap()) < 2e-7);
        assert!(read("rotation-vectors", &[90.0, 0.0, 0.0]).unwrap_err().contains("in radians"));
        for n in [0, 2, 4] {
            let error = Rotations::new(n).unwrap_err();
            let space = Space::named(format!("rotations:{n}"));
            assert_eq!(error, Error::InvalidSize { space, minimum: 3, maximum: 3 });
        }
    }
}
