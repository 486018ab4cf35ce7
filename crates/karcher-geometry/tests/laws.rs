//! Every space of the library keeps every law. A new space is one line in `spaces!`, a new family one in `ISOMETRIES`,
//! and one in `GAUGES` if its points have several representatives.

use karcher_geometry::laws::{Gauge, Isometry, LAWS, Options, check};
use karcher_geometry::manifold::{FAMILIES, Manifold};
use karcher_geometry::vector::norm_of_difference;
use karcher_geometry::{PointsView, Space};
use nalgebra::DMatrix;
use num_complex::Complex64;
use rand::RngExt;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::StandardNormal;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// One test a space.
macro_rules! spaces {
    ($($name:ident: $space:expr;)*) => {
        /// The spaces that are tested.
        const SPACES: &[&str] = &[$($space),*];
        mod every_law_holds_on { $(
            #[test]
            fn $name() { super::keeps_every_law($space); }
        )* }
    };
}

spaces! {
    euclidean_1: "euclidean:1";
    euclidean_5: "euclidean:5";
    sphere_1: "sphere:1";
    sphere_2: "sphere:2";
    sphere_3: "sphere:3";
    sphere_9: "sphere:9";
    hyperbolic_1: "hyperbolic:1";
    hyperbolic_2: "hyperbolic:2";
    hyperbolic_3: "hyperbolic:3";
    hyperbolic_7: "hyperbolic:7";
    spd_log_euclidean_1: "spd-log-euclidean:1";
    spd_log_euclidean_2: "spd-log-euclidean:2";
    spd_log_euclidean_3: "spd-log-euclidean:3";
    spd_log_euclidean_10: "spd-log-euclidean:10";
    spd_log_euclidean_20: "spd-log-euclidean:20";
    spd_log_cholesky_1: "spd-log-cholesky:1";
    spd_log_cholesky_2: "spd-log-cholesky:2";
    spd_log_cholesky_3: "spd-log-cholesky:3";
    spd_log_cholesky_10: "spd-log-cholesky:10";
    correlation_off_log_2: "correlation-off-log:2";
    correlation_off_log_3: "correlation-off-log:3";
    correlation_off_log_5: "correlation-off-log:5";
    correlation_off_log_10: "correlation-off-log:10";
    simplex_aitchison_2: "simplex-aitchison:2";
    simplex_aitchison_3: "simplex-aitchison:3";
    simplex_aitchison_30: "simplex-aitchison:30";
    spd_affine_invariant_1: "spd-affine-invariant:1";
    spd_affine_invariant_2: "spd-affine-invariant:2";
    spd_affine_invariant_3: "spd-affine-invariant:3";
    spd_affine_invariant_10: "spd-affine-invariant:10";
    spd_affine_invariant_20: "spd-affine-invariant:20";
    kendall_3: "kendall:3";
    kendall_4: "kendall:4";
    kendall_8: "kendall:8";
    kendall_50: "kendall:50";
    landmarks_3_2: "landmarks:3,2";
    landmarks_4_3: "landmarks:4,3";
    landmarks_30_3: "landmarks:30,3";
    size_and_shape_3_3: "size-and-shape:3,3";
    size_and_shape_7_2: "size-and-shape:7,2";
    projective_1: "projective:1";
    projective_2: "projective:2";
    projective_3: "projective:3";
    projective_7: "projective:7";
    rotations_3: "rotations:3";
    grassmann_2_1: "grassmann:2,1";
    grassmann_3_1: "grassmann:3,1";
    grassmann_4_2: "grassmann:4,2";
    grassmann_5_2: "grassmann:5,2";
    grassmann_5_3: "grassmann:5,3";
    grassmann_9_6: "grassmann:9,6";
    torus_1: "torus:1";
    torus_2: "torus:2";
    torus_30: "torus:30";
    simplex_fisher_rao_2: "simplex-fisher-rao:2";
    simplex_fisher_rao_3: "simplex-fisher-rao:3";
    simplex_fisher_rao_20: "simplex-fisher-rao:20";
    hpd_log_euclidean_1: "hpd-log-euclidean:1";
    hpd_log_euclidean_2: "hpd-log-euclidean:2";
    hpd_log_euclidean_5: "hpd-log-euclidean:5";
    hpd_affine_invariant_1: "hpd-affine-invariant:1";
    hpd_affine_invariant_2: "hpd-affine-invariant:2";
    hpd_affine_invariant_3: "hpd-affine-invariant:3";
    hpd_affine_invariant_8: "hpd-affine-invariant:8";
    complex_matrices_with_real_ones: "hpd-affine-invariant:2*spd-affine-invariant:2";
    sphere_with_a_number: "sphere:2*euclidean:1";
    two_hyperbolic_planes: "hyperbolic:2*hyperbolic:2";
    hyperbolic_spaces_of_two_dimensions: "hyperbolic:2*euclidean:1*hyperbolic:4";
    matrices_with_hyperbolic_points: "spd-affine-invariant:3*hyperbolic:2";
    two_matrices: "spd-affine-invariant:2*spd-affine-invariant:4";
    shapes_with_angles: "kendall:4*torus:2";
    opposite_curvatures: "sphere:2*hyperbolic:2";
    axes_with_subspaces: "projective:2*grassmann:4,2*rotations:3";
    poses_3: "poses:3";
    poses_in_centimetres: "poses:3,0.01";
    poses_in_kilometres: "poses:3,1000";
    three_directions: "sphere:2^3";
    four_rotations: "rotations:3^4";
    three_flat_matrices: "spd-log-euclidean:2^3";
    two_shapes: "kendall:4^2";
    three_hyperbolic_planes: "hyperbolic:2^3";
    powers_as_factors: "torus:1^2*poses:3,2.5^2*simplex-fisher-rao:3^2";
    landmarks_with_sizes: "landmarks:3,3*size-and-shape:3,2";
    flat_product: "euclidean:2*spd-log-euclidean:2*hyperbolic:1";
}

/// A random isometry of a family's spaces.
type Move = fn(&dyn Manifold, &mut dyn Rng, &[&[f64]]) -> Vec<Vec<f64>>;

/// By family. Products are moved factor by factor.
const ISOMETRIES: &[(&str, Move)] = &[
    ("euclidean", rigid_motion),
    ("sphere", rotation),
    ("hyperbolic", lorentz),
    ("spd-log-euclidean", orthogonal_congruence),
    ("spd-affine-invariant", any_congruence),
    ("spd-log-cholesky", translation_of_the_factor),
    ("correlation-off-log", signed_permutation),
    ("simplex-aitchison", perturbation_and_permutation),
    ("kendall", unitary),
    ("landmarks", orthogonal_and_centered),
    ("size-and-shape", orthogonal_and_centered),
    ("projective", turn_of_axes),
    ("rotations", turn_of_axes),
    ("torus", translation_and_permutation),
    ("grassmann", turn_of_subspaces),
    ("simplex-fisher-rao", rotation),
    ("hpd-log-euclidean", unitary_congruence),
    ("hpd-affine-invariant", any_complex_congruence),
];

/// Other representatives, by family; a point of any other has one.
const GAUGES: &[(&str, Move)] = &[
    ("kendall", turn_of_the_plane),
    ("projective", other_sign),
    ("rotations", other_sign),
    ("grassmann", other_basis),
];

/// How far the laws look on spaces whose numbers hold less than the default reach. On log-Cholesky matrices a distance of
/// 1 is a factor of e² in a pivot.
const REACH: &[(&str, f64)] = &[("spd-log-cholesky", 6.0)];

fn space(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

fn keeps_every_law(name: &str) {
    let manifold = space(name);
    let isometry = |generator: &mut dyn Rng, points: &[&[f64]]| moved(&*manifold, ISOMETRIES, generator, points);
    let gauge = |generator: &mut dyn Rng, points: &[&[f64]]| moved(&*manifold, GAUGES, generator, points);
    let (isometry, gauge): (&Isometry<'_>, &Gauge<'_>) = (&isometry, &gauge);
    let reach = REACH.iter().find(|(family, _)| name.split(':').next() == Some(family)).map(|(_, reach)| *reach);
    let reach = reach.unwrap_or(Options::default().reach);
    let options = Options { reach, isometry: Some(isometry), gauge: Some(gauge), ..Options::default() };
    check(&*manifold, &options).unwrap();
}

/// The points, and tangent vectors, moved as the list says for the space, or for each factor.
fn moved(m: &dyn Manifold, moves: &[(&str, Move)], generator: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    if m.factors().is_empty() {
        let family = m.space().as_str().split(':').next();
        return match moves.iter().find(|(name, _)| Some(*name) == family) {
            Some((_, apply)) => apply(m, generator, points),
            None => points.iter().map(|p| p.to_vec()).collect(),
        };
    }
    let mut all = vec![vec![]; points.len()];
    let mut at = 0;
    for factor in m.factors() {
        let end = at + factor.point_len();
        let own: Vec<&[f64]> = points.iter().map(|p| &p[at..end]).collect();
        for (all, own) in all.iter_mut().zip(moved(&**factor, moves, generator, &own)) {
            all.extend(own);
        }
        at = end;
    }
    all
}

#[test]
fn every_family_is_tested_and_has_an_isometry() {
    for family in FAMILIES {
        let prefix = format!("{}:", family.name);
        assert!(SPACES.iter().any(|space| space.starts_with(&prefix)), "{}", family.name);
        let is_product = !space(family.examples[0]).factors().is_empty();
        assert!(is_product || ISOMETRIES.iter().any(|(name, _)| *name == family.name), "{}", family.name);
    }
}

#[test]
fn laws_have_different_names() {
    for (i, law) in LAWS.iter().enumerate() {
        assert!(LAWS[..i].iter().all(|other| other.name != law.name), "{}", law.name);
    }
}

#[test]
fn zero_and_points_outside_are_refused() {
    // on these any numbers, any small ones, and any centered ones are a point
    let has_zero = |name: &str| ["euclidean", "torus", "size-and-shape"].iter().any(|family| name.starts_with(family));
    for name in SPACES.iter().filter(|name| !has_zero(name)) {
        let m = space(name);
        let mut origin = vec![0.0; m.point_len()];
        m.origin(&mut origin);
        assert!(m.check_point(&vec![0.0; origin.len()]).is_err(), "{name}");
        assert!(m.check_point(&origin.iter().map(|x| -3.0 * x).collect::<Vec<_>>()).is_err(), "{name}");
    }
}

#[test]
fn a_point_without_a_logarithm_gets_nan_and_the_others_do_not_notice() {
    let cases = [
        ("sphere:2", vec![1.0, 0.0, 0.0], [0.0, 0.6, 0.8].to_vec(), vec![-1.0, 0.0, 0.0]),
        ("spd-affine-invariant:2", vec![1.0, 0.0, 0.0, 1.0], vec![2.0, 0.5, 0.5, 3.0], vec![1.0, 2.0, 2.0, 1.0]),
        ("torus:2", vec![0.0, 1.0], vec![0.5, -1.0], vec![0.0, 1.0 - PI]),
        ("sphere:1*euclidean:1", vec![1.0, 0.0, 3.0], vec![0.6, 0.8, 2.0], vec![-1.0, 0.0, 2.0]),
    ];
    for (name, base, good, bad) in cases {
        let manifold = space(name);
        let logs = |points: &[f64]| {
            let mut c = vec![0.0; points.len() / base.len() * manifold.dim()];
            manifold.frame_logs(&base, PointsView::unchecked(manifold.space(), base.len(), points), &mut c);
            c
        };
        let (alone, all) = (logs(&good), logs(&[&good[..], &bad, &good].concat()));
        let parts: Vec<&[f64]> = all.chunks_exact(manifold.dim()).collect();
        assert_eq!((parts[0], parts[2]), (&alone[..], &alone[..]));
        assert!(alone.iter().all(|c| c.is_finite()) && parts[1].iter().all(|c| c.is_nan()), "{name}");
    }
}

/// Also where no representative is nearest: two shapes made of different harmonics, the second with one largest
/// landmark.
#[test]
fn aligning_shapes_as_far_apart_as_can_be_forgets_the_representative() {
    for k in [4, 8, 50] {
        let m = space(&format!("kendall:{k}"));
        let harmonics = |weights: [f64; 3]| -> Vec<f64> {
            let angle = |i: usize, j: usize| TAU * ((i + 1) * j % k) as f64 / k as f64;
            let sum = |f: fn(f64) -> f64, j: usize| (0..3).map(|i| weights[i] * f(angle(i, j))).sum::<f64>();
            (0..k).flat_map(|j| [sum(f64::cos, j), sum(f64::sin, j)]).map(|x| x / (k as f64).sqrt()).collect()
        };
        let (base, far) = (harmonics([1.0, 0.0, 0.0]), harmonics([0.0, 0.6, 0.8]));
        assert!(m.log(&base, &far, &mut vec![0.0; 2 * k]).is_err());
        let align = |p: &[f64]| {
            let mut out = vec![0.0; 2 * k];
            m.align(&base, p, &mut out);
            out
        };
        for seed in 0..20 {
            let other = turn_of_the_plane(&*m, &mut ChaCha20Rng::seed_from_u64(seed), &[&far]).swap_remove(0);
            assert!(norm_of_difference(&align(&far), &align(&other)) < 2e-10);
        }
    }
}

// Random elements of the isometry groups.

fn gaussian_matrix(rng: &mut dyn Rng, k: usize) -> DMatrix<f64> {
    DMatrix::from_fn(k, k, |_, _| rng.sample(StandardNormal))
}

fn orthogonal(rng: &mut dyn Rng, k: usize) -> DMatrix<f64> {
    gaussian_matrix(rng, k).qr().q()
}

fn apply(matrix: &DMatrix<f64>, p: &[f64]) -> Vec<f64> {
    (matrix * DMatrix::from_column_slice(p.len(), 1, p)).as_slice().to_vec()
}

fn rigid_motion(_: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = orthogonal(rng, points[0].len());
    points.iter().map(|p| apply(&turn, p).iter().map(|x| x + 0.7).collect()).collect()
}

fn rotation(_: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = orthogonal(rng, points[0].len());
    points.iter().map(|p| apply(&turn, p)).collect()
}

/// A boost along the first space axis after a rotation of space.
fn lorentz(_: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = orthogonal(rng, points[0].len() - 1);
    let (c, s) = (0.8_f64.cosh(), 0.8_f64.sinh());
    let boost = |p: &&[f64]| {
        let mut q = vec![p[0]];
        q.extend(apply(&turn, &p[1..]));
        (q[0], q[1]) = (c * q[0] + s * q[1], s * q[0] + c * q[1]);
        q
    };
    points.iter().map(boost).collect()
}

fn congruence(a: &DMatrix<f64>, p: &[f64]) -> Vec<f64> {
    let k = a.nrows();
    let mut q = (a * DMatrix::from_column_slice(k, k, p) * a.transpose()).as_slice().to_vec();
    let n = q.clone();
    (0..k * k).for_each(|i| q[i] = 0.5 * (n[i] + n[(i % k) * k + i / k]));
    q
}

/// An orthogonal congruence, then a translation of the logarithm by a multiple of the identity.
fn orthogonal_congruence(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().row_len();
    let turn = orthogonal(rng, k) * 1.5;
    points.iter().map(|p| congruence(&turn, p)).collect()
}

/// `X ↦ AXAᵀ` with any invertible `A`.
fn any_congruence(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().row_len();
    let stretch = DMatrix::from_fn(k, k, |i, j| if i == j { 0.5 + 2.0 * i as f64 / k as f64 } else { 0.0 });
    let a = orthogonal(rng, k) * stretch * orthogonal(rng, k);
    points.iter().map(|p| congruence(&a, p)).collect()
}

/// Another factor: what is below the diagonal moves, and the diagonal is multiplied (Lin 2019, section 3.3).
fn translation_of_the_factor(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().row_len();
    let by = gaussian_matrix(rng, k) * 0.3;
    let image = |p: &&[f64]| {
        let mut l = DMatrix::from_column_slice(k, k, p).cholesky().unwrap().l();
        for i in 0..k {
            l[(i, i)] *= by[(i, i)].exp();
            (0..i).for_each(|j| l[(i, j)] += by[(i, j)]);
        }
        congruence(&l, DMatrix::<f64>::identity(k, k).as_slice())
    };
    points.iter().map(image).collect()
}

/// A translation of the chart, then another order of the variables, some of them with the other sign.
fn signed_permutation(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().row_len();
    let (first, chart) = (rng.random_range(0..k), m.flat_chart().unwrap());
    let signs: Vec<f64> = (0..k).map(|_| if rng.random() { -1.0 } else { 1.0 }).collect();
    let turn = DMatrix::from_fn(k, k, |i, j| if j == (i + first) % k { signs[i] } else { 0.0 });
    let by: Vec<f64> = (0..m.dim()).map(|_| 0.1 * rng.sample::<f64, _>(StandardNormal)).collect();
    let image = |p: &&[f64]| {
        let (mut c, mut q) = (vec![0.0; m.dim()], p.to_vec());
        chart.to_flat(p, &mut c);
        c.iter_mut().zip(&by).for_each(|(c, by)| *c += by);
        chart.from_flat(&c, &mut q);
        congruence(&turn, &q)
    };
    points.iter().map(image).collect()
}

/// Multiplied part by part, closed, and in another order.
fn perturbation_and_permutation(_: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = points[0].len();
    let (by, first) = (gaussian_matrix(rng, k), rng.random_range(0..k));
    let image = |p: &&[f64]| {
        let parts: Vec<f64> = (0..k).map(|i| p[(i + first) % k] * by[(i, 0)].exp()).collect();
        let sum: f64 = parts.iter().sum();
        parts.iter().map(|x| x / sum).collect()
    };
    points.iter().map(image).collect()
}

fn complex_gaussian_matrix(rng: &mut dyn Rng, k: usize) -> DMatrix<Complex64> {
    gaussian_matrix(rng, k).map(Complex64::from) + gaussian_matrix(rng, k).map(|x| Complex64::new(0.0, x))
}

/// `AXA*`, Hermitian to the last bit.
fn complex_congruence(a: &DMatrix<Complex64>, p: &[f64]) -> Vec<f64> {
    let k = a.nrows();
    let x = DMatrix::from_row_iterator(k, k, p.chunks_exact(2).map(|z| Complex64::new(z[0], z[1])));
    let image = a * x * a.adjoint();
    let hermitian = (&image + image.adjoint()).unscale(2.0);
    hermitian.transpose().iter().flat_map(|z| [z.re, z.im]).collect()
}

/// A unitary congruence, then a translation of the logarithm by a multiple of the identity.
fn unitary_congruence(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = complex_gaussian_matrix(rng, m.shape().axes()[0]).qr().q().scale(1.5);
    points.iter().map(|p| complex_congruence(&turn, p)).collect()
}

/// `X ↦ AXA*` with any invertible complex `A`.
fn any_complex_congruence(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().axes()[0];
    let stretch = |i: usize| Complex64::from(0.5 + 2.0 * i as f64 / k as f64);
    let stretch = DMatrix::from_fn(k, k, |i, j| if i == j { stretch(i) } else { Complex64::ZERO });
    let [left, right] = [(); 2].map(|()| complex_gaussian_matrix(rng, k).qr().q());
    let a = left * stretch * right;
    points.iter().map(|p| complex_congruence(&a, p)).collect()
}

/// A unitary map of the centered configurations that is no rotation of the plane: two complex reflections; and another
/// turn of each representative.
fn unitary(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.point_len() / 2;
    let mirrors: Vec<Vec<Complex64>> = (0..2)
        .map(|_| {
            let mut w: Vec<f64> = (0..2 * k).map(|_| rng.sample(StandardNormal)).collect();
            m.normalize(&mut w);
            w.chunks_exact(2).map(|z| Complex64::new(z[0], z[1])).collect()
        })
        .collect();
    let map = |p: &&[f64]| {
        let mut z: Vec<Complex64> = p.chunks_exact(2).map(|z| Complex64::new(z[0], z[1])).collect();
        for w in &mirrors {
            let along: Complex64 = w.iter().zip(&z).map(|(w, z)| w.conj() * z).sum();
            z.iter_mut().zip(w).for_each(|(z, w)| *z -= 2.0 * along * w);
        }
        let turn = Complex64::cis(rng.random::<f64>() * 6.0);
        z.iter().flat_map(|z| [(z * turn).re, (z * turn).im]).collect()
    };
    points.iter().map(map).collect()
}

/// An orthogonal map of the centered configurations that is no rotation of space: reflections at two hyperplanes.
fn orthogonal_and_centered(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut moved: Vec<Vec<f64>> = points.iter().map(|p| p.to_vec()).collect();
    for _ in 0..2 {
        let mut w: Vec<f64> = (0..m.point_len()).map(|_| rng.sample(StandardNormal)).collect();
        m.normalize(&mut w); // centered
        let square: f64 = w.iter().map(|w| w * w).sum();
        for x in &mut moved {
            let along = x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() / square;
            x.iter_mut().zip(&w).for_each(|(x, w)| *x -= 2.0 * along * w);
        }
    }
    moved
}

/// A rotation, and another sign of each representative. Of quaternions it is the product with one from the left and one
/// from the right, or that of the inverses.
fn turn_of_axes(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut moved = rotation(m, rng, points);
    for x in moved.iter_mut().filter(|_| rng.random()) {
        x.iter_mut().for_each(|x| *x = -*x);
    }
    moved
}

/// A rotation of space, and another orthonormal basis of each subspace.
fn turn_of_subspaces(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let columns = m.shape().row_len();
    let turn = orthogonal(rng, m.point_len() / columns);
    let moved = |p: &&[f64]| {
        let p = (&turn * DMatrix::from_row_slice(turn.nrows(), columns, p)).transpose();
        columns_turned(&orthogonal(rng, columns), p.as_slice())
    };
    points.iter().map(moved).collect()
}

/// `X·Q` of a matrix held row by row.
fn columns_turned(turn: &DMatrix<f64>, x: &[f64]) -> Vec<f64> {
    let columns = turn.nrows();
    (turn.transpose() * DMatrix::from_column_slice(columns, x.len() / columns, x)).as_slice().to_vec()
}

/// A translation, then another order of the angles, some of them reversed.
fn translation_and_permutation(m: &dyn Manifold, rng: &mut dyn Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let d = m.dim();
    let by: Vec<f64> = (0..d).map(|_| rng.random_range(-PI..PI)).collect();
    let signs: Vec<f64> = (0..d).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
    let (first, turn) = (rng.random_range(0..d), |p: &[f64], i: usize| signs[i] * (p[i] + by[i]));
    let image = |p: &&[f64]| {
        let mut q: Vec<f64> = (0..d).map(|i| turn(p, (first + i) % d)).collect();
        m.normalize(&mut q);
        q
    };
    points.iter().map(image).collect()
}

// Random elements of the gauge groups.

/// A rotation of the plane.
fn turn_of_the_plane(_: &dyn Manifold, rng: &mut dyn Rng, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = Complex64::cis(rng.random::<f64>() * TAU);
    let rotate = |z: &[f64]| {
        let w = Complex64::new(z[0], z[1]) * turn;
        [w.re, w.im]
    };
    vectors.iter().map(|x| x.chunks_exact(2).flat_map(rotate).collect()).collect()
}

/// One sign.
fn other_sign(_: &dyn Manifold, rng: &mut dyn Rng, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
    let sign = if rng.random() { 1.0 } else { -1.0 };
    vectors.iter().map(|x| x.iter().map(|x| sign * x).collect()).collect()
}

/// Another orthonormal basis.
fn other_basis(m: &dyn Manifold, rng: &mut dyn Rng, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = orthogonal(rng, m.shape().row_len());
    vectors.iter().map(|x| columns_turned(&turn, x)).collect()
}
