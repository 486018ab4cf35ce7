//! The Grassmannian: subspaces of dimension `k` in `R^n`.
//!
//! A point is an `n × k` matrix `Y` with orthonormal columns, row by row; `YQ` is the same point for every orthogonal
//! `Q`. A tangent vector at `Y` is an `n × k` matrix `H` with `YᵀH = 0`; at `YQ` it is `HQ`. The distance is
//! `ρ = √Σθᵢ²` with the principal angles `θᵢ`; at most `m = min{k, n − k}` of them are not 0.
//!
//! For `m = 1` it is the projective space of lines or hyperplanes, with curvature 1 (flat for `n = 2`, a circle of
//! length π). Otherwise the curvature is from 0 to 2 (Wong 1968, Sectional curvatures of Grassmann manifolds).
//! Injectivity radius π/2, diameter √m·π/2. Source of `Exp` and of parallel transport: Edelman, Arias and Smith 1998,
//! The geometry of algorithms with orthogonality constraints; here they are functions of the matrix `HᵀH`, which need
//! no singular vectors.

use super::family::{Family, two_numbers};
use super::kendall::arc_over_sine;
use super::layout::Entries;
use super::vector::{dot, ln_sinc, non_finite, norm, scale, sinc};
use super::{
    AtypicalOrigin, CURVED_POINT_TOLERANCE, CurvatureBounds, CutLocus, Homogeneity, LARGEST_POINT, Layout, Manifold,
    Model, Remedy, Shape, check_in_frame, check_length, check_size,
};
use crate::embedding::{Embedding, Projectors};
use crate::error::{Error, Result, Short};
use crate::linalg::{Eigen, Singular, eigen, singular};
use crate::points::PointsView;
use crate::space::Space;
use nalgebra::DMatrix;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

/// `cos θᵢ` below which a direction of one subspace counts as perpendicular to all of the other: rounding alone moves
/// it that far.
const CUT_LOCUS: f64 = 1e-14;

/// Columns whose smallest singular value is no larger, as a share of the largest, span no subspace.
const DEPENDENT: f64 = 1e-12;

/// `grassmann:N,K`.
pub(super) const FAMILY: Family = Family {
    name: "grassmann",
    size: "N,K",
    about: "subspaces of dimension K of N-dimensional space",
    examples: &["grassmann:10,2"],
    parse: |size| {
        let (n, k) = two_numbers(size)?;
        Some(Grassmann::new(n, k).map(|space| Arc::new(space) as _))
    },
};

/// The Grassmannian of `k`-dimensional subspaces of `R^n`.
///
/// ```
/// use karcher_geometry::manifold::{Grassmann, Manifold};
/// let planes = Grassmann::new(3, 2)?;
/// let (floor, wall) = ([1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
/// assert!((planes.dist(&floor, &wall) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Grassmann {
    n: usize,
    k: usize,
    space: Space,
}

impl Grassmann {
    /// Subspaces of dimension `1 ≤ k < n`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Grassmann, Manifold};
    /// let planes = Grassmann::new(10, 2)?;
    /// assert_eq!((planes.dim(), planes.point_len()), (16, 20)); // k(n − k), n·k
    /// assert!(Grassmann::new(2, 2).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(n: usize, k: usize) -> Result<Self> {
        let space = Space::named(format!("grassmann:{n},{k}"));
        check_size(&space, n, 2, LARGEST_POINT)?;
        check_size(&space, k, 1, (n - 1).min(LARGEST_POINT / n))?;
        Ok(Self { n, k, space })
    }

    /// `m`, the number of principal angles that need not be 0.
    fn angles(&self) -> usize {
        self.k.min(self.n - self.k)
    }

    fn matrix(&self, p: &[f64]) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.n, self.k, p)
    }

    /// The logarithm `H` of `z` at `y`, and the orthogonal `Q` for which `zQ` lies nearest to `y`.
    ///
    /// With `yᵀz = W₁·cos θ·W₂ᵀ` it is `Q = W₂W₁ᵀ`, and `H = (zQ − y·yᵀzQ)·W₁·(θ/sin θ)·W₁ᵀ`.
    fn logarithm(&self, y: &DMatrix<f64>, z: &DMatrix<f64>) -> Result<(DMatrix<f64>, DMatrix<f64>)> {
        let Chord { difference, ratios, turn } = self.chord(y, z)?;
        let sine = &difference - y * y.tr_mul(&difference);
        Ok((sine * ratios, turn))
    }

    /// The parts of the logarithm.
    fn chord(&self, y: &DMatrix<f64>, z: &DMatrix<f64>) -> Result<Chord> {
        let Singular { left, values, right } = singular(y.tr_mul(z));
        if !values.iter().all(|cosine| *cosine > CUT_LOCUS) {
            return Err(Error::CutLocus { space: self.space.clone() });
        }
        let turn = right * left.transpose();
        // z − y first, so that near points keep their digits
        let difference = z * &turn - y;
        let ratios = DMatrix::from_diagonal(&values.iter().map(|c| arc_over_sine(*c)).collect::<Vec<_>>().into());
        Ok(Chord { difference, ratios: &left * ratios * left.transpose(), turn })
    }

    /// `Exp_y(h) = y·cos √(hᵀh) + h·sinc √(hᵀh)`.
    fn exponential(&self, y: &DMatrix<f64>, h: &DMatrix<f64>) -> DMatrix<f64> {
        let [cosine, sinc] = self.functions(h, [f64::cos, sinc]);
        orthonormal(y * cosine + h * sinc)
    }

    /// Carries `e` in parallel from `y` to `Exp_y(h)`: `e − y·sinc(S)·hᵀe + h·((cos S − 1)/S²)·hᵀe`, `S = √(hᵀh)`.
    fn carry(&self, y: &DMatrix<f64>, h: &DMatrix<f64>, e: &DMatrix<f64>) -> DMatrix<f64> {
        let [sinc, versine] = self.functions(h, [sinc, |s| -0.5 * sinc(0.5 * s).powi(2)]);
        let along = h.tr_mul(e);
        e - y * (sinc * &along) + h * (versine * along)
    }

    /// `f(√(hᵀh))` for even functions `f`, which are functions of `hᵀh`.
    fn functions<const COUNT: usize>(&self, h: &DMatrix<f64>, f: [fn(f64) -> f64; COUNT]) -> [DMatrix<f64>; COUNT] {
        let squares: Eigen = eigen(h.tr_mul(h).as_slice(), self.k);
        f.map(|f| DMatrix::from_vec(self.k, self.k, squares.map(|square| f(square.max(0.0).sqrt()))))
    }
}

impl Manifold for Grassmann {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Projectors::real(self.n, self.k, 1.0)))
    }

    fn dim(&self) -> usize {
        self.k * (self.n - self.k)
    }

    fn point_len(&self) -> usize {
        self.n * self.k
    }

    /// The span of the first `k` axes.
    fn origin(&self, out: &mut [f64]) {
        write(&DMatrix::identity(self.n, self.k), out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        let invalid = |reason| Err(Error::InvalidPoint { space: self.space.clone(), reason });
        if let Some(reason) = non_finite(p) {
            return invalid(reason);
        }
        let y = self.matrix(p);
        let products = y.tr_mul(&y);
        for (i, j) in (0..self.k).flat_map(|j| (0..=j).map(move |i| (i, j))) {
            let (product, expected) = (products[(i, j)], if i == j { 1.0 } else { 0.0 });
            let is_near = (product - expected).abs() <= CURVED_POINT_TOLERANCE; // NaN is not
            if !is_near && i == j {
                return invalid(format!("the norm of column {} is {}, it must be 1", j + 1, product.sqrt()));
            } else if !is_near {
                let (i, j) = (i + 1, j + 1);
                return invalid(format!("the product of columns {i} and {j} is {product}, it must be 0"));
            }
        }
        Ok(())
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// Makes the columns orthonormal, with the same span: the nearest such matrix. Columns that are not independent
    /// stay as they are.
    fn project(&self, p: &mut [f64]) {
        let largest = p.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return;
        }
        // the largest number first, so that nothing overflows
        let Singular { left, values, right } = singular(self.matrix(p) / largest);
        if values[self.k - 1] > DEPENDENT * values[0] {
            write(&(left * right.transpose()), p);
        }
    }

    fn normalize(&self, p: &mut [f64]) {
        let once = orthonormal(self.matrix(p));
        write(&orthonormal(once), p);
    }

    /// `p·Q` with the orthogonal `Q` that brings it nearest to `base`. Where more than one does, the one of them that
    /// lies nearest to a fixed matrix.
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        let (y, z) = (self.matrix(base), self.matrix(p));
        let Singular { left, values, mut right } = singular(y.tr_mul(&z));
        let sure = values.iter().filter(|cosine| **cosine > CUT_LOCUS).count();
        if sure < self.k {
            let fixed = DMatrix::from_fn(self.n, self.k, |i, j| ((1 + i + self.n * j) as f64).cos());
            let free = self.k - sure;
            let theirs = right.columns(sure, free).into_owned();
            let best = singular((z.clone() * &theirs).tr_mul(&(fixed * left.columns(sure, free))));
            right.columns_mut(sure, free).copy_from(&(theirs * best.left * best.right.transpose()));
        }
        write(&(z * right * left.transpose()), out);
    }

    /// `Exp_Y(H) = Y·cos √(HᵀH) + H·sinc √(HᵀH)`; with `H = UΣVᵀ` this is `(YV·cos Σ + U·sin Σ)·Vᵀ`.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        write(&self.exponential(&self.matrix(p), &self.matrix(v)), out);
    }

    /// `Log_Y(Z) = (1 − YYᵀ)·Z*·f(YᵀZ*)`, where `Z* = ZQ` is the basis nearest to `Y`, so that `YᵀZ*` is symmetric with
    /// eigenvalues `cos θᵢ`, and `f(cos θ) = θ/sin θ`.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        write(&self.logarithm(&self.matrix(p), &self.matrix(q))?.0, out);
        Ok(())
    }

    /// `ρ = √Σθᵢ²`, `tan θᵢ = sin θᵢ / cos θᵢ`: the cosines are the singular values of `YᵀZ`, the sines those of
    /// `(1 − YYᵀ)Z`, so that small and nearly right angles keep their digits.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        let (y, z) = (self.matrix(p), self.matrix(q));
        let inside = y.tr_mul(&z);
        let sines = singular(&z - y * &inside).values;
        let cosines = singular(inside).values;
        let angles: Vec<f64> = sines.iter().rev().zip(&cosines).map(|(sin, cos)| sin.atan2(*cos)).collect();
        norm(&angles)
    }

    /// `tr UᵀV`.
    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    /// To the basis `Z*` nearest to `p`, then to that of `q`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let y = self.matrix(p);
        let (h, turn) = self.logarithm(&y, &self.matrix(q))?;
        write(&(self.carry(&y, &h, &self.matrix(v)) * turn.transpose()), out);
        Ok(())
    }

    /// With `v = UΣVᵀ` and `B = UᵀEV`, `E` the vector `e` carried back, the curvature
    /// `R(E,v)v = E·vᵀv + v·vᵀ·E − 2v·Eᵀ·v` multiplies `bᵢⱼ + bⱼᵢ` by `(σᵢ − σⱼ)²`, `bᵢⱼ − bⱼᵢ` by `(σᵢ + σⱼ)²`, and
    /// the part of `E·vⱼ` across all `uᵢ` by `σⱼ²`.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let (y, h) = (self.matrix(p), self.matrix(v));
        let back = -self.carry(&y, &h, &h);
        let carried = self.carry(&self.exponential(&y, &h), &back, &self.matrix(e));
        let Singular { left, values, right } = singular(h);
        // left singular vectors mean nothing where the singular value is 0 up to rounding
        let least = self.n as f64 * f64::EPSILON * values[0];
        let rank = values.iter().filter(|sigma| **sigma > least).count();
        let sigma: Vec<f64> = values.iter().enumerate().map(|(j, x)| if j < rank { *x } else { 0.0 }).collect();
        let left = left.columns(0, rank);
        let turned = carried * &right;
        let along = left.tr_mul(&turned);
        let across = turned - left * &along;
        type Factor = fn(f64) -> f64;
        let functions: [(&mut [f64], Factor); 2] = [(by_point, f64::cos), (by_vector, sinc)];
        for (out, f) in functions {
            let mut image = across.clone();
            for (j, s) in sigma.iter().enumerate() {
                image.column_mut(j).scale_mut(f(*s));
            }
            let entry = |i: usize, j: usize| {
                if j >= rank {
                    return f(sigma[i]) * along[(i, j)];
                }
                let (one, other) = (along[(i, j)], along[(j, i)]);
                0.5 * (f(sigma[i] - sigma[j]) * (one + other) + f(sigma[i] + sigma[j]) * (one - other))
            };
            image += left * DMatrix::from_fn(rank, self.k, entry);
            write(&(image * right.transpose()), out);
        }
    }

    /// The standard frame at the origin, whose vectors are matrices `C` below a zero block, carried here along the
    /// geodesic. With the upper block `W₁·cos θ·W₂ᵀ` of `Y` and `A` the lower one times `W₂`, it is
    /// `(−W₁AᵀC; C − A·(1 + cos θ)⁻¹·AᵀC)·W₁W₂ᵀ`. Coordinates belong to the point: a basis `YQ` has the vectors `HQ`.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        let Frame { upper, lower, shares, .. } = self.frame(p);
        let c = DMatrix::from_row_slice(self.n - self.k, self.k, coordinates);
        let across = lower.tr_mul(&c);
        let mut h = DMatrix::zeros(self.n, self.k);
        h.rows_mut(0, self.k).copy_from(&-(&upper.left * &across));
        h.rows_mut(self.k, self.n - self.k).copy_from(&(c - lower * (shares * across)));
        write(&(h * upper.left * upper.right.transpose()), out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.frame(p).coordinates(&self.matrix(v), &DMatrix::identity(self.k, self.k), coordinates);
    }

    /// The base's frame is computed once for all points. It ignores multiples `YA` of the base, so those in `ZQ − Y`
    /// need not be removed.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let (y, frame) = (self.matrix(base), self.frame(base));
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(self.dim())) {
            match self.chord(&y, &self.matrix(x)) {
                Ok(Chord { difference, ratios, .. }) => frame.coordinates(&difference, &ratios, c),
                Err(_) => c.fill(f64::NAN),
            }
        }
    }

    fn curvature(&self) -> CurvatureBounds {
        match (self.n, self.angles()) {
            (2, _) => CurvatureBounds { lower: 0.0, upper: 0.0 },
            (_, 1) => CurvatureBounds { lower: 1.0, upper: 1.0 },
            _ => CurvatureBounds { lower: 0.0, upper: 2.0 },
        }
    }

    /// Half of the shortest closed geodesic, which turns one direction by π.
    fn injectivity_radius(&self) -> f64 {
        FRAC_PI_2
    }

    /// Where the largest principal angle is π/2: at the distance π/2·‖σ‖/maxᵢ σᵢ in a direction of singular values `σ`.
    fn cut_locus(&self) -> CutLocus {
        if self.angles() == 1 { CutLocus::AtDistance(FRAC_PI_2) } else { CutLocus::Varies }
    }

    fn diameter(&self) -> f64 {
        FRAC_PI_2 * (self.angles() as f64).sqrt()
    }

    fn homogeneity(&self) -> Homogeneity {
        if self.angles() == 1 { Homogeneity::TwoPoint } else { Homogeneity::Points }
    }

    fn shape(&self) -> Shape {
        Shape::Matrix { rows: self.n, columns: self.k }
    }

    /// Lines in the plane are a circle of length π.
    fn model(&self) -> Model {
        if self.n == 2 { Model::Circle { length: PI } } else { Model::Other }
    }

    /// An orthonormal basis, or the matrix `YYᵀ` of the orthogonal projection.
    fn layouts(&self) -> Vec<Layout> {
        let (n, k) = (self.n, self.k);
        vec![
            Layout::plain("bases", n * k)
                .advising(move |y, is_rounded| (!is_rounded && !is_transposed(n, k, y)).then_some(ANY_BASIS))
                .of_entries(Entries::row_by_row(n, k))
                .in_arrays(&[n, k]),
            Layout::new(
                "projectors",
                n * n,
                move |projector| of_projector(n, k, projector),
                move |p| {
                    let y = DMatrix::from_row_slice(n, k, p);
                    (&y * y.transpose()).as_slice().to_vec()
                },
            )
            .rounded_by(move |projector| nearest_projector(n, k, projector))
            .of_entries(Entries::row_by_row(n, n))
            .in_arrays(&[n, n]),
        ]
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "the first axes span no typical subspace",
            instead: "an orthonormal basis of a typical subspace from an earlier study",
            origin: "the span of the first axes",
        })
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `ψ(s) = (d−1)·ln sinc(as)`, `a² = (n − 2)/(d − 1)`, with equality for `m = 1`. The eigenvalues of `R(·,v)v` add
    /// up to the Ricci curvature, `(n − 2)·‖v‖²`, and `ln sinc √λ` is concave in `λ`.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let power = (self.dim() - 1) as f64;
        // 0·∞ on the circle
        if power == 0.0 {
            return (0.0, 0.0);
        }
        let a = ((self.n - 2) as f64 / power).sqrt();
        let (value, slope) = ln_sinc(a * s);
        (power * value, power * a * slope)
    }

    /// `θ(v) = Π_{i<j} sinc(σᵢ − σⱼ)·sinc(σᵢ + σⱼ) · Πᵢ sinc(σᵢ)^|n−2k|`, `σ₁, …, σ_m` the singular values of `v`.
    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        let c = DMatrix::from_row_slice(self.n - self.k, self.k, coordinates);
        let sigma = singular(if self.k > self.n - self.k { c.transpose() } else { c }).values;
        let alone = self.n.abs_diff(2 * self.k) as f64;
        let pair = |s: f64, t: f64| ln_sinc((s - t).abs()).0 + ln_sinc(s + t).0;
        let pairs =
            |(i, s): (usize, &f64)| sigma[..i].iter().map(|t| pair(*s, *t)).sum::<f64>() + alone * ln_sinc(*s).0;
        sigma.iter().enumerate().map(pairs).sum()
    }
}

/// The parts of the logarithm of `z` at `y`.
struct Chord {
    /// `zQ − y`.
    difference: DMatrix<f64>,
    /// `W₁·(θ/sin θ)·W₁ᵀ`.
    ratios: DMatrix<f64>,
    /// `Q`.
    turn: DMatrix<f64>,
}

/// The parts of the frame at a point.
struct Frame {
    /// `W₁`, `cos θ` and `W₂` of the upper block.
    upper: Singular,
    /// `A`.
    lower: DMatrix<f64>,
    /// `(1 + cos θ)⁻¹`.
    shares: DMatrix<f64>,
    /// `W₂W₁ᵀ`.
    turn: DMatrix<f64>,
}

impl Frame {
    /// The coordinates of the tangent vector `v·factor`.
    fn coordinates(&self, v: &DMatrix<f64>, factor: &DMatrix<f64>, coordinates: &mut [f64]) {
        let Self { upper, lower, shares, turn } = self;
        let h = v * (factor * turn);
        let (k, n) = (h.ncols(), h.nrows());
        let (above, below) = (h.rows(0, k), h.rows(k, n - k));
        let across = upper.left.tr_mul(&above) + shares * lower.tr_mul(&below);
        write(&(below - lower * across), coordinates);
    }
}

impl Grassmann {
    fn frame(&self, p: &[f64]) -> Frame {
        let y = self.matrix(p);
        let upper = singular(y.rows(0, self.k).into_owned());
        let lower = y.rows(self.k, self.n - self.k) * &upper.right;
        let shares: Vec<f64> = upper.values.iter().map(|cosine| 1.0 / (1.0 + cosine)).collect();
        let turn = &upper.right * upper.left.transpose();
        Frame { upper, lower, shares: DMatrix::from_diagonal(&shares.into()), turn }
    }
}

/// Row by row.
fn write(matrix: &DMatrix<f64>, out: &mut [f64]) {
    out.copy_from_slice(matrix.transpose().as_slice());
}

/// A step of Newton's iteration for the orthonormal matrix nearest to `y`, `½·y·(3 − yᵀy)`: an error `e` becomes `e²`.
fn orthonormal(y: DMatrix<f64>) -> DMatrix<f64> {
    let k = y.ncols();
    &y * (DMatrix::from_diagonal_element(k, k, 1.5) - 0.5 * y.tr_mul(&y))
}

/// The remedy for a basis that is not orthonormal, but spans the same.
const ANY_BASIS: Remedy = Remedy::Projected { condition: "if its columns are any basis" };

/// Whether numbers are the transpose of an orthonormal basis, up to rounding.
fn is_transposed(n: usize, k: usize, numbers: &[f64]) -> bool {
    let y = DMatrix::from_row_slice(k, n, numbers);
    ((&y * y.transpose()) - DMatrix::identity(k, k)).iter().all(|x| x.abs() < 1e-2)
}

/// The orthogonal projector nearest to a matrix: that of the `k` largest eigenvalues of its symmetric part.
fn nearest_projector(n: usize, k: usize, matrix: &[f64]) -> Vec<f64> {
    let symmetric: Vec<f64> = (0..n * n).map(|i| 0.5 * (matrix[i] + matrix[i % n * n + i / n])).collect();
    // the largest eigenvalues come last
    let vectors = DMatrix::from_vec(n, n, eigen(&symmetric, n).vectors);
    let basis = vectors.columns(n - k, k);
    (basis * basis.transpose()).as_slice().to_vec()
}

/// The basis of eigenvectors of an orthogonal projection onto a subspace of dimension `k`.
fn of_projector(n: usize, k: usize, projector: &[f64]) -> std::result::Result<Vec<f64>, String> {
    let given = DMatrix::from_row_slice(n, n, projector);
    let largest = |m: DMatrix<f64>| m.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let off = largest(&given - given.transpose());
    if off > CURVED_POINT_TOLERANCE {
        let off = Short(off);
        return Err(format!("the matrix is not symmetric: two numbers across the diagonal differ by {off}"));
    }
    let off = largest(&given * &given - &given);
    if off > CURVED_POINT_TOLERANCE {
        let off = Short(off);
        return Err(format!("the matrix is no projection: it differs from its square by {off}"));
    }
    let trace = given.trace();
    if (trace - k as f64).abs() > CURVED_POINT_TOLERANCE * n as f64 {
        let trace = Short(trace);
        return Err(format!("the matrix projects onto a subspace of dimension {trace} (its trace), not {k}"));
    }
    let mut symmetric = (&given + given.transpose()).as_slice().to_vec();
    scale(&mut symmetric, 0.5);
    // the largest eigenvalues come last
    let vectors = DMatrix::from_vec(n, n, eigen(&symmetric, n).vectors);
    let mut basis = vec![0.0; n * k];
    write(&vectors.columns(n - k, k).into_owned(), &mut basis);
    Ok(basis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Projective;
    use crate::manifold::vector::norm_of_difference;

    fn span(space: &Grassmann, numbers: &[f64]) -> Vec<f64> {
        let mut p = numbers.to_vec();
        space.project(&mut p);
        space.check_point(&p).unwrap();
        p
    }

    /// `Y·Hᵀ + H·Yᵀ`, the form of `H` in geomstats.
    fn symmetric(space: &Grassmann, p: &[f64], v: &[f64]) -> Vec<f64> {
        let half = space.matrix(p) * space.matrix(v).transpose();
        (&half + half.transpose()).as_slice().to_vec()
    }

    /// Distances, the first rows of logarithms, and those of the projections half way, by geomstats:
    /// oracles/quotient_spaces.py.
    #[test]
    fn distances_logarithms_and_geodesics_are_those_of_geomstats() {
        type Case<'a> = (usize, usize, &'a [f64], &'a [f64], f64, &'a [f64], &'a [f64]);
        let cases: [Case<'_>; 3] = [
            (
                4,
                2,
                &[1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0, -1.0],
                &[1.0, 1.0, 1.0, 2.0, 1.0, 0.0, 2.0, -1.0],
                0.9723564238225301,
                &[0.06961081410413475, 0.09331925254684713, 0.27340429270319594, 0.04741687688542513],
                &[0.21292948624975672, 0.34838176252318653, 0.06875784495427628, 0.20369837121011336],
            ),
            (
                5,
                2,
                &[1.0, 2.0, 0.0, 1.0, 3.0, -1.0, 1.0, 1.0, 0.0, 2.0],
                &[1.0, 1.0, 0.0, 2.0, 2.0, -1.0, 1.0, 1.0, 1.0, 2.0],
                0.49170118133142154,
                &[
                    -0.29325020430521065,
                    0.0518143239041969,
                    0.0861531789212909,
                    -0.0503967228842726,
                    -0.046304190057368,
                ],
                &[0.312657927140595, 0.1837933294869313, 0.13660548935249361, 0.23934184302977626, 0.3243106261390852],
            ),
            (
                5,
                3,
                &[1.0, 2.0, 0.0, 0.0, 1.0, 1.0, 3.0, -1.0, 0.0, 1.0, 1.0, 2.0, 0.0, 2.0, 1.0],
                &[1.0, 1.0, 0.0, 0.0, 2.0, 1.0, 2.0, -1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 2.0, 1.0],
                0.42023441828476726,
                &[
                    -0.1772042995007527,
                    0.006502297325538449,
                    0.0275509761748382,
                    -0.0987694577065528,
                    0.103390033664516,
                ],
                &[0.713163925940887, 0.0054139664544039425, 0.129974944816102, -0.217603484355551, 0.37454915159571955],
            ),
        ];
        for (n, k, p, q, distance, log, middle) in cases {
            let space = Grassmann::new(n, k).unwrap();
            let (p, q) = (span(&space, p), span(&space, q));
            assert!((space.dist(&p, &q) - distance).abs() < 2e-15, "{}", space.dist(&p, &q));
            let (mut v, mut half) = (p.clone(), p.clone());
            space.log(&p, &q, &mut v).unwrap();
            assert!(norm_of_difference(&symmetric(&space, &p, &v)[..n], log) < 3e-15);
            scale(&mut v, 0.5);
            space.exp(&p, &v, &mut half);
            let projectors = &space.layouts()[1];
            assert!(norm_of_difference(&projectors.write(&half)[..n], middle) < 3e-15);
        }
    }

    /// Lines are axes; a hyperplane is its normal.
    #[test]
    fn lines_and_hyperplanes_are_projective_space() {
        let (lines, planes, axes) =
            (Grassmann::new(3, 1).unwrap(), Grassmann::new(3, 2).unwrap(), Projective::new(2).unwrap());
        let pairs = [([0.6, 0.0, 0.8], [1.0, 2.0, -2.0]), ([2.0, -1.0, 2.0], [-1.0, 2.0, 2.0]), ([1.0; 3], [1.0; 3])];
        for (mut a, mut b) in pairs {
            axes.project(&mut a);
            axes.project(&mut b);
            let expected = axes.dist(&a, &b);
            assert!((lines.dist(&a, &b) - expected).abs() < 2e-15);
            // a and two axes: by Gram and Schmidt the axes become the plane across a
            let plane = |a: &[f64; 3]| {
                let normal = DMatrix::from_column_slice(3, 1, a);
                let across = DMatrix::identity(3, 3) - &normal * normal.transpose();
                let mut p = vec![0.0; 6];
                write(&across.columns(0, 2).into_owned(), &mut p);
                span(&planes, &p)
            };
            assert!((planes.dist(&plane(&a), &plane(&b)) - expected).abs() < 2e-15);
        }
        let (mut v, mut w) = ([0.0; 3], [0.0; 3]);
        let (p, q) = ([0.6, 0.0, 0.8], [0.0, -0.6, -0.8]);
        lines.log(&p, &q, &mut v).unwrap();
        axes.log(&p, &q, &mut w).unwrap();
        assert!(norm_of_difference(&v, &w) < 1e-15);
        for s in [0.1, 0.7, 1.5] {
            let ((a, b), (c, d)) = (lines.log_volume_density_bound(s), axes.log_volume_density_bound(s));
            assert!((a - c).abs() < 1e-15 && (b - d).abs() < 1e-15);
        }
    }

    #[test]
    fn perpendicular_subspaces_have_no_logarithm_and_one_aligned_basis() {
        let space = Grassmann::new(5, 2).unwrap();
        let mut base = vec![0.0; 10];
        space.origin(&mut base);
        let wide = [0.0, 0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0];
        let half = [3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 2.0];
        for (numbers, distance) in [(wide, FRAC_PI_2 * 2.0_f64.sqrt()), (half, FRAC_PI_2.hypot(0.6_f64.acos()))] {
            let p = span(&space, &numbers);
            let mut out = vec![0.0; 10];
            assert_eq!(space.log(&base, &p, &mut out), Err(Error::CutLocus { space: space.space().clone() }));
            assert!((space.dist(&base, &p) - distance).abs() < 2e-15);
            space.align(&base, &p, &mut out);
            space.check_point(&out).unwrap();
            assert!(space.dist(&p, &out) < 2e-15);
            let (sin, cos) = 0.8_f64.sin_cos();
            for turn in [[cos, sin, -sin, cos], [cos, sin, sin, -cos]] {
                let mut other = vec![0.0; 10];
                write(&(space.matrix(&p) * DMatrix::from_row_slice(2, 2, &turn)), &mut other);
                let mut again = vec![0.0; 10];
                space.align(&base, &other, &mut again);
                assert!(norm_of_difference(&out, &again) < 1e-14, "{out:?} {again:?}");
            }
        }
    }

    #[test]
    fn coordinates_in_the_frame_belong_to_the_subspace() {
        let space = Grassmann::new(4, 2).unwrap();
        let p = span(&space, &[1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0, -1.0]);
        let q = span(&space, &[1.0, 1.0, 1.0, 2.0, 1.0, 0.0, 2.0, -1.0]);
        let (sin, cos) = 2.1_f64.sin_cos();
        let mut other = vec![0.0; 8];
        write(&(space.matrix(&p) * DMatrix::from_row_slice(2, 2, &[cos, sin, sin, -cos])), &mut other);
        let coordinates = |p: &[f64]| {
            let (mut v, mut c) = (vec![0.0; 8], vec![0.0; 4]);
            space.log(p, &q, &mut v).unwrap();
            space.to_frame(p, &v, &mut c);
            c
        };
        assert!(norm_of_difference(&coordinates(&p), &coordinates(&other)) < 1e-14);
    }

    #[test]
    fn a_projection_is_read_as_the_subspace_it_projects_onto() {
        let space = Grassmann::new(3, 2).unwrap();
        let projectors = &space.layouts()[1];
        let floor = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let p = projectors.read(&floor).unwrap();
        space.check_point(&p).unwrap();
        assert!(norm_of_difference(&projectors.write(&p), &floor) < 1e-15);
        for (record, text) in [
            ([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "dimension 1 (its trace), not 2"),
            ([1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], "not symmetric"),
            ([1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5], "differs from its square by 0.25"),
        ] {
            let error = projectors.read(&record).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn bases_are_made_orthonormal_unless_they_span_no_subspace_of_that_dimension() {
        let space = Grassmann::new(3, 2).unwrap();
        for factor in [1e-300, 1.0, 1e300] {
            let mut p = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0].map(|x| factor * x);
            assert!(space.check_point(&p).is_err());
            space.project(&mut p);
            assert!(space.dist(&p, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]) < 2e-15, "{p:?}");
        }
        for dependent in [[0.0; 6], [1.0, 2.0, 1.0, 2.0, 3.0, 6.0]] {
            let mut p = dependent;
            space.project(&mut p);
            assert_eq!(p, dependent);
        }
        let error = space.check_point(&[1.0, 0.6, 0.0, 0.8, 0.0, 0.0]).unwrap_err().to_string();
        assert!(error.contains("the product of columns 1 and 2 is 0.6, it must be 0"), "{error}");
        let error = space.check_point(&[2.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap_err().to_string();
        assert!(error.contains("the norm of column 1 is 2, it must be 1"), "{error}");
    }

    #[test]
    fn names_have_two_numbers() {
        let space: Space = "grassmann:5,2".parse().unwrap();
        assert_eq!(space.manifold().unwrap().dim(), 6);
        for (name, text) in [
            ("grassmann:5,5", "from 1 to 4"),
            ("grassmann:5,0", "from 1 to 4"),
            ("grassmann:1,1", "from 2 to 1000000"),
            ("grassmann:5", "unknown manifold"),
            ("grassmann:5,2,1", "unknown manifold"),
            ("grassmann:-5,2", "unknown manifold"),
            ("grassmann:18446744073709551615,2", "from 2 to"),
        ] {
            let error = name.parse::<Space>().unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }
}
