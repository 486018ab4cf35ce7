//! The laws that every space must pass. A new space gets all of them by one line in `laws!`.

use super::vector::{add_scaled, norm, norm_of_difference, scale};
use super::*;
use crate::points::Points;
use nalgebra::DMatrix;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::StandardNormal;

type Rng = ChaCha20Rng;

fn space(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

/// Rounding that the laws allow, relative to the size of what is compared (about 1).
const TOLERANCE: f64 = 2e-10;

/// Applies one random isometry to several points.
type Isometry = fn(&dyn Manifold, &mut Rng, &[&[f64]]) -> Vec<Vec<f64>>;

/// A manifold together with a way to apply a random isometry.
struct Case {
    manifold: Arc<dyn Manifold>,
    isometry: Isometry,
}

impl Case {
    fn m(&self) -> &dyn Manifold {
        &*self.manifold
    }

    /// How far from one another the tested points are: well inside the injectivity radius, and at most 2.
    fn reach(&self) -> f64 {
        (0.95 * self.m().injectivity_radius()).min(2.0)
    }

    fn origin(&self) -> Vec<f64> {
        let mut p = vec![0.0; self.m().point_len()];
        self.m().origin(&mut p);
        p
    }

    /// A tangent vector at `p` of the given length in a random direction.
    fn tangent(&self, rng: &mut Rng, p: &[f64], length: f64) -> Vec<f64> {
        let mut c: Vec<f64> = (0..self.m().dim()).map(|_| rng.sample(StandardNormal)).collect();
        let size = norm(&c);
        scale(&mut c, length / size);
        let mut v = vec![0.0; p.len()];
        self.m().from_frame(p, &c, &mut v);
        v
    }

    fn exp(&self, p: &[f64], v: &[f64]) -> Vec<f64> {
        let mut q = vec![0.0; p.len()];
        self.m().exp(p, v, &mut q);
        q
    }

    fn log(&self, p: &[f64], q: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; p.len()];
        self.m().log(p, q, &mut v).unwrap();
        v
    }

    fn transport(&self, p: &[f64], q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; p.len()];
        self.m().transport(p, q, v, &mut w).unwrap();
        w
    }

    fn coordinates(&self, p: &[f64], v: &[f64]) -> Vec<f64> {
        let mut c = vec![0.0; self.m().dim()];
        self.m().to_frame(p, v, &mut c);
        c
    }

    /// A point at the given distance from `p`.
    fn point(&self, rng: &mut Rng, p: &[f64], distance: f64) -> Vec<f64> {
        let v = self.tangent(rng, p, distance);
        self.exp(p, &v)
    }

    /// `‖u − v‖_p` relative to the larger of 1 and `‖u‖_p`.
    fn error(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        let difference: Vec<f64> = u.iter().zip(v).map(|(u, v)| u - v).collect();
        self.m().norm(p, &difference) / self.m().norm(p, u).max(1.0)
    }
}

/// Everything a law may want: a point, another one, two tangent vectors at the first, all from one seed and one length
/// in [0, 1].
struct Sample {
    rng: Rng,
    p: Vec<f64>,
    q: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl Sample {
    fn new(case: &Case, seed: u64, length: f64) -> Self {
        let mut rng = Rng::seed_from_u64(seed);
        let p = case.point(&mut rng, &case.origin(), case.reach() * 0.5);
        let u = case.tangent(&mut rng, &p, case.reach() * length);
        let v = case.tangent(&mut rng, &p, 1.0);
        let q = case.exp(&p, &u);
        Self { rng, p, q, u, v }
    }
}

/// For each law a property test over random samples of the case.
macro_rules! laws {
    ($($name:ident: $size:expr, $isometry:expr;)*) => { $(mod $name {
        use super::*;
        fn case() -> Case {
            Case { manifold: space($size), isometry: $isometry }
        }
        laws!(@each origin_and_images_of_exp_are_points log_inverts_exp exp_inverts_log distance_is_norm_of_log
              distance_is_a_metric transport_is_an_isometry_and_inverts transport_carries_the_geodesic
              frame_is_an_isometry_and_inverts isometries_keep_distance volume_density_is_the_jacobian_of_exp
              volume_density_keeps_its_bounds log_sum_is_the_sum_of_logs
              frame_logs_are_the_coordinates_of_logs flat_chart_is_an_isometry
              moving_to_the_origin_is_an_isometry jacobi_is_the_adjoint_derivative_of_exp
              jacobi_keeps_the_part_along_the_geodesic aligning_forgets_the_representative
              turning_a_representative_changes_nothing_that_is_published layouts_hold_points);
        #[test]
        fn distance_is_accurate_from_zero_to_the_cut_locus() { super::distance_is_accurate(&case()) }
        #[test]
        fn wrong_points_are_refused() { super::wrong_points_are_refused(&case()) }
    })* };
    (@each $($law:ident)*) => { $(
        proptest! {
            #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
            #[test]
            fn $law(seed: u64, length in 0.0..1.0_f64) {
                let case = case();
                super::$law(&case, Sample::new(&case, seed, length))
            }
        }
    )* };
}

laws! {
    euclidean_1: "euclidean:1", rigid_motion;
    euclidean_5: "euclidean:5", rigid_motion;
    sphere_1: "sphere:1", rotation;
    sphere_2: "sphere:2", rotation;
    sphere_3: "sphere:3", rotation;
    sphere_9: "sphere:9", rotation;
    hyperbolic_1: "hyperbolic:1", lorentz;
    hyperbolic_2: "hyperbolic:2", lorentz;
    hyperbolic_3: "hyperbolic:3", lorentz;
    hyperbolic_7: "hyperbolic:7", lorentz;
    spd_log_euclidean_1: "spd-log-euclidean:1", orthogonal_congruence;
    spd_log_euclidean_2: "spd-log-euclidean:2", orthogonal_congruence;
    spd_log_euclidean_3: "spd-log-euclidean:3", orthogonal_congruence;
    spd_log_euclidean_10: "spd-log-euclidean:10", orthogonal_congruence;
    spd_log_euclidean_20: "spd-log-euclidean:20", orthogonal_congruence;
    spd_affine_invariant_1: "spd-affine-invariant:1", any_congruence;
    spd_affine_invariant_2: "spd-affine-invariant:2", any_congruence;
    spd_affine_invariant_3: "spd-affine-invariant:3", any_congruence;
    spd_affine_invariant_10: "spd-affine-invariant:10", any_congruence;
    spd_affine_invariant_20: "spd-affine-invariant:20", any_congruence;
    kendall_3: "kendall:3", unitary;
    kendall_4: "kendall:4", unitary;
    kendall_8: "kendall:8", unitary;
    kendall_50: "kendall:50", unitary;
    projective_1: "projective:1", turn_of_axes;
    projective_2: "projective:2", turn_of_axes;
    projective_3: "projective:3", turn_of_axes;
    projective_7: "projective:7", turn_of_axes;
    rotations_3: "rotations:3", turn_of_axes;
    grassmann_2_1: "grassmann:2,1", turn_of_subspaces;
    grassmann_3_1: "grassmann:3,1", turn_of_subspaces;
    grassmann_4_2: "grassmann:4,2", turn_of_subspaces;
    grassmann_5_2: "grassmann:5,2", turn_of_subspaces;
    grassmann_5_3: "grassmann:5,3", turn_of_subspaces;
    grassmann_9_6: "grassmann:9,6", turn_of_subspaces;
}

fn origin_and_images_of_exp_are_points(case: &Case, s: Sample) {
    for p in [&case.origin(), &s.p, &s.q] {
        case.m().check_point(p).unwrap();
        let mut again = p.clone();
        case.m().normalize(&mut again);
        assert!(norm_of_difference(p, &again) <= 1e-14 * norm(p));
    }
}

fn log_inverts_exp(case: &Case, s: Sample) {
    assert!(case.error(&s.p, &s.u, &case.log(&s.p, &s.q)) < TOLERANCE);
}

fn exp_inverts_log(case: &Case, s: Sample) {
    let back = case.exp(&s.p, &case.log(&s.p, &s.q));
    assert!(case.m().dist(&back, &s.q) < TOLERANCE);
}

fn distance_is_norm_of_log(case: &Case, s: Sample) {
    let distance = case.m().dist(&s.p, &s.q);
    assert!((distance - case.m().norm(&s.p, &case.log(&s.p, &s.q))).abs() < TOLERANCE);
    assert!((distance - case.m().norm(&s.p, &s.u)).abs() < TOLERANCE);
}

fn distance_is_a_metric(case: &Case, mut s: Sample) {
    let third = case.point(&mut s.rng, &s.q, 0.4 * case.reach());
    let rho = |a: &[f64], b: &[f64]| case.m().dist(a, b);
    assert!((rho(&s.p, &s.q) - rho(&s.q, &s.p)).abs() < TOLERANCE);
    assert!(rho(&s.p, &third) <= rho(&s.p, &s.q) + rho(&s.q, &third) + TOLERANCE);
    assert!(rho(&s.p, &s.p) < 1e-14, "{}", rho(&s.p, &s.p));
}

fn transport_is_an_isometry_and_inverts(case: &Case, s: Sample) {
    let (there_u, there_v) = (case.transport(&s.p, &s.q, &s.u), case.transport(&s.p, &s.q, &s.v));
    for (a, b, c, d) in [(&s.u, &s.v, &there_u, &there_v), (&s.v, &s.v, &there_v, &there_v)] {
        assert!((case.m().inner(&s.p, a, b) - case.m().inner(&s.q, c, d)).abs() < TOLERANCE);
    }
    assert!(case.error(&s.p, &s.v, &case.transport(&s.q, &s.p, &there_v)) < TOLERANCE);
}

fn transport_carries_the_geodesic(case: &Case, s: Sample) {
    let mut back = case.log(&s.q, &s.p);
    scale(&mut back, -1.0);
    assert!(case.error(&s.q, &back, &case.transport(&s.p, &s.q, &s.u)) < TOLERANCE);
    // the field is parallel: transport in two steps along the geodesic is transport in one
    let mut half = s.u.clone();
    scale(&mut half, 0.5);
    let middle = case.exp(&s.p, &half);
    let two_steps = case.transport(&middle, &s.q, &case.transport(&s.p, &middle, &s.v));
    assert!(case.error(&s.q, &case.transport(&s.p, &s.q, &s.v), &two_steps) < TOLERANCE);
}

fn frame_is_an_isometry_and_inverts(case: &Case, s: Sample) {
    let (u, v) = (case.coordinates(&s.p, &s.u), case.coordinates(&s.p, &s.v));
    assert!((vector::dot(&u, &v) - case.m().inner(&s.p, &s.u, &s.v)).abs() < TOLERANCE);
    let mut again = vec![0.0; s.v.len()];
    case.m().from_frame(&s.p, &v, &mut again);
    assert!(case.error(&s.p, &s.v, &again) < TOLERANCE);
}

fn isometries_keep_distance(case: &Case, mut s: Sample) {
    let moved = (case.isometry)(case.m(), &mut s.rng, &[&s.p, &s.q]);
    for p in &moved {
        case.m().check_point(p).unwrap();
    }
    assert!(case.m().dist(&moved[0], &s.p) > 0.0, "the isometry moves nothing");
    assert!((case.m().dist(&moved[0], &moved[1]) - case.m().dist(&s.p, &s.q)).abs() < TOLERANCE);
}

#[test]
fn a_point_without_a_logarithm_gets_nan_and_the_others_do_not_notice() {
    let sphere = space("sphere:2");
    let matrices = space("spd-affine-invariant:2");
    let cases = [
        (&sphere, vec![1.0, 0.0, 0.0], [0.0, 0.6, 0.8].to_vec(), vec![-1.0, 0.0, 0.0]),
        (&matrices, vec![1.0, 0.0, 0.0, 1.0], vec![2.0, 0.5, 0.5, 3.0], vec![1.0, 2.0, 2.0, 1.0]),
    ];
    for (manifold, base, good, bad) in cases {
        let logs = |points: &[f64]| {
            let mut c = vec![0.0; points.len() / base.len() * manifold.dim()];
            manifold.frame_logs(&base, PointsView::trusted(&**manifold, points), &mut c);
            c
        };
        let (alone, all) = (logs(&good), logs(&[&good[..], &bad, &good].concat()));
        let parts: Vec<&[f64]> = all.chunks_exact(manifold.dim()).collect();
        assert_eq!((parts[0], parts[2]), (&alone[..], &alone[..]));
        assert!(alone.iter().all(|c| c.is_finite()) && parts[1].iter().all(|c| c.is_nan()));
    }
}

/// Central differences of `Exp_p` in orthonormal frames at `p` and at the image.
fn volume_density_is_the_jacobian_of_exp(case: &Case, s: Sample) {
    let d = case.m().dim();
    if d > 60 {
        return; // thousands of matrix exponentials; the smaller sizes decide
    }
    let step = 1e-5;
    let jacobian = if case.m().flat_chart().is_some() {
        // volume in flat coordinates, where Exp is a translation
        let chart = case.m().flat_chart().unwrap();
        let flat = |p: &[f64]| {
            let mut c = vec![0.0; d];
            chart.to_flat(p, &mut c);
            c
        };
        differential(case, &s, step, |_, p| flat(p))
    } else {
        differential(case, &s, step, |q, p| {
            let difference: Vec<f64> = p.iter().zip(q).map(|(p, q)| p - q).collect();
            case.coordinates(q, &difference)
        })
    };
    let expected = jacobian.determinant().abs();
    let got = case.m().log_volume_density(&s.p, &s.u).exp();
    assert!((got - expected).abs() < 2e-6 * expected.max(1.0), "{got} {expected}");
}

fn differential(case: &Case, s: &Sample, step: f64, chart: impl Fn(&[f64], &[f64]) -> Vec<f64>) -> DMatrix<f64> {
    let d = case.m().dim();
    let at = case.coordinates(&s.p, &s.u);
    let image = |i: usize, h: f64| {
        let mut c = at.clone();
        c[i] += h;
        let mut v = vec![0.0; s.u.len()];
        case.m().from_frame(&s.p, &c, &mut v);
        chart(&s.q, &case.exp(&s.p, &v))
    };
    let columns: Vec<Vec<f64>> = (0..d)
        .map(|i| image(i, step).iter().zip(image(i, -step)).map(|(a, b)| (a - b) / (2.0 * step)).collect())
        .collect();
    DMatrix::from_fn(d, d, |i, j| columns[j][i])
}

/// `ψ` bounds `ln θ`, `ψ′` is its derivative, `(d−1)ln s + ψ` is concave, and `θ` obeys the curvature bounds (Bishop,
/// Günther).
fn volume_density_keeps_its_bounds(case: &Case, s: Sample) {
    let length = case.m().norm(&s.p, &s.u);
    if length < 1e-3 {
        return;
    }
    let value = case.m().log_volume_density(&s.p, &s.u);
    let (bound, slope) = case.m().log_volume_density_bound(length);
    assert!(value <= bound + TOLERANCE);
    if case.m().is_two_point_homogeneous() {
        assert!((value - bound).abs() < 1e-6);
    }
    let psi = |x: f64| case.m().log_volume_density_bound(x).0;
    let h = 1e-6 * length;
    assert!(((psi(length + h) - psi(length - h)) / (2.0 * h) - slope).abs() < 1e-4 * slope.abs().max(1.0));
    let power = (case.m().dim() - 1) as f64;
    let concave = |x: f64| power * x.ln() + psi(x);
    let (low, high) = (0.5 * length, (1.5 * length).min(0.99 * case.m().injectivity_radius()));
    assert!(concave(0.5 * (low + high)) >= 0.5 * (concave(low) + concave(high)) - TOLERANCE);
    let comparison = |curvature: f64| {
        let t = curvature.abs().sqrt() * length;
        power * if curvature > 0.0 { vector::ln_sinc(t).0 } else { vector::ln_sinhc(t).0 }
    };
    let CurvatureBounds { lower, upper } = case.m().curvature();
    if upper <= 0.0 || upper.sqrt() * length < 3.0 {
        assert!(value >= comparison(upper) - 1e-6 && value <= comparison(lower) + 1e-6);
    }
}

fn log_sum_is_the_sum_of_logs(case: &Case, mut s: Sample) {
    let count = 11; // more than the batch kernels' width, and no multiple of it
    let points: Vec<Vec<f64>> = (0..count)
        .map(|i| {
            let distance = if i % 3 == 0 { 1e-9 } else { 0.9 * case.reach() * i as f64 / count as f64 };
            case.point(&mut s.rng, &s.p, distance)
        })
        .collect();
    let all = Points::new(case.m(), points.concat()).unwrap();
    let weights: Vec<f64> = (0..count).map(|i| 0.1 + i as f64).collect();
    for weights in [None, Some(&weights[..])] {
        let mut sum = vec![0.0; s.p.len()];
        case.m().log_sum(&s.p, all.view(), weights, &mut sum).unwrap();
        let mut expected = vec![0.0; s.p.len()];
        for (i, x) in all.view().iter().enumerate() {
            add_scaled(&mut expected, weights.map_or(1.0, |w| w[i]), &case.log(&s.p, x));
        }
        assert!(case.error(&s.p, &expected, &sum) < TOLERANCE);
    }
}

/// And what a point gets is the same to the last bit in any company.
fn frame_logs_are_the_coordinates_of_logs(case: &Case, mut s: Sample) {
    let (count, d) = (19, case.m().dim());
    let points: Vec<Vec<f64>> = (0..count)
        .map(|i| {
            let distance = if i % 3 == 0 { 1e-9 } else { 0.9 * case.reach() * i as f64 / count as f64 };
            case.point(&mut s.rng, &s.p, distance)
        })
        .collect();
    let frame_logs = |points: Vec<f64>| {
        let points = Points::new(case.m(), points).unwrap();
        let mut c = vec![f64::NAN; points.len() * d];
        case.m().frame_logs(&s.p, points.view(), &mut c);
        c
    };
    let together = frame_logs(points.concat());
    for (x, c) in points.iter().zip(together.chunks_exact(d)) {
        let expected = case.coordinates(&s.p, &case.log(&s.p, x));
        assert!(norm_of_difference(c, &expected) < TOLERANCE * norm(&expected).max(1e-6));
        assert_eq!(c, frame_logs(x.clone()));
    }
}

fn flat_chart_is_an_isometry(case: &Case, s: Sample) {
    let Some(chart) = case.m().flat_chart() else { return };
    let (mut a, mut b) = (vec![0.0; case.m().dim()], vec![0.0; case.m().dim()]);
    chart.to_flat(&s.p, &mut a);
    chart.to_flat(&s.q, &mut b);
    assert!((norm_of_difference(&a, &b) - case.m().dist(&s.p, &s.q)).abs() < TOLERANCE);
    let mut back = vec![0.0; s.q.len()];
    chart.from_flat(&b, &mut back);
    assert!(case.m().dist(&back, &s.q) < TOLERANCE);
    let both = Points::new(case.m(), [s.p.clone(), s.q.clone()].concat()).unwrap();
    let mut sum = vec![0.0; a.len()];
    chart.flat_sum(both.view(), Some(&[0.25, 2.0]), &mut sum);
    let expected: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 0.25 * a + 2.0 * b).collect();
    assert!(norm_of_difference(&sum, &expected) < TOLERANCE);
}

fn moving_to_the_origin_is_an_isometry(case: &Case, mut s: Sample) {
    let third = case.point(&mut s.rng, &s.q, 0.4 * case.reach());
    let move_there = |x: &[f64]| {
        let mut out = x.to_vec();
        case.m().to_origin(&s.p, x, &mut out);
        out
    };
    let moved = [move_there(&s.q), move_there(&third)];
    assert!((case.m().dist(&moved[0], &moved[1]) - case.m().dist(&s.q, &third)).abs() < TOLERANCE);
    let center = move_there(&s.p);
    assert!(case.m().dist(&center, &s.p) < TOLERANCE || case.m().dist(&center, &case.origin()) < TOLERANCE);
    let mut back = moved[0].clone();
    case.m().from_origin(&s.p, &moved[0], &mut back);
    assert!(case.m().dist(&back, &s.q) < TOLERANCE);
}

/// Central differences of `−½ρ²(Exp_p(v), y)` in `p`, with `v` carried along in parallel, and in `v`, against
/// `⟨w, A†e⟩` and `⟨w, B†e⟩`, `e` the logarithm of `y` at the end of the geodesic.
fn jacobi_is_the_adjoint_derivative_of_exp(case: &Case, mut s: Sample) {
    let y = case.point(&mut s.rng, &s.q, 0.4 * case.reach());
    let e = case.log(&s.q, &y);
    let (mut by_point, mut by_vector) = (vec![0.0; e.len()], vec![0.0; e.len()]);
    case.m().jacobi(&s.p, &s.u, &e, &mut by_point, &mut by_vector);
    let loss = |p: &[f64], v: &[f64]| -0.5 * case.m().dist(&case.exp(p, v), &y).powi(2);
    let step = 1e-5;
    let moved_point = |h: f64| {
        let p = case.exp(&s.p, &s.v.iter().map(|v| h * v).collect::<Vec<_>>());
        loss(&p, &case.transport(&s.p, &p, &s.u))
    };
    let moved_vector = |h: f64| loss(&s.p, &s.u.iter().zip(&s.v).map(|(u, v)| u + h * v).collect::<Vec<_>>());
    let expected_point = (moved_point(step) - moved_point(-step)) / (2.0 * step);
    let expected_vector = (moved_vector(step) - moved_vector(-step)) / (2.0 * step);
    let (point, vector) = (case.m().inner(&s.p, &s.v, &by_point), case.m().inner(&s.p, &s.v, &by_vector));
    assert!((point - expected_point).abs() < 1e-7, "{point} {expected_point}");
    assert!((vector - expected_vector).abs() < 1e-7, "{vector} {expected_vector}");
}

fn jacobi_keeps_the_part_along_the_geodesic(case: &Case, s: Sample) {
    let along = case.transport(&s.p, &s.q, &s.u);
    let (mut by_point, mut by_vector) = (vec![0.0; along.len()], vec![0.0; along.len()]);
    case.m().jacobi(&s.p, &s.u, &along, &mut by_point, &mut by_vector);
    assert!(case.error(&s.p, &s.u, &by_point) < TOLERANCE && case.error(&s.p, &s.u, &by_vector) < TOLERANCE);
    // at length 0 both are the identity
    let zero = vec![0.0; along.len()];
    case.m().jacobi(&s.p, &zero, &s.v, &mut by_point, &mut by_vector);
    assert!(case.error(&s.p, &s.v, &by_point) < TOLERANCE && case.error(&s.p, &s.v, &by_vector) < TOLERANCE);
}

/// What a layout writes it reads as the same point, and the first layout holds the numbers as they are.
fn layouts_hold_points(case: &Case, s: Sample) {
    let layouts = case.m().layouts();
    assert_eq!(layouts[0].write(&s.q), s.q);
    for layout in layouts.iter().filter(|layout| layout.check_holds(&s.q).is_ok()) {
        let record = layout.write(&s.q);
        assert_eq!(record.len(), layout.numbers());
        let point = layout.read(&record).unwrap();
        case.m().check_point(&point).unwrap();
        // coordinates of a ball lose digits at its edge
        let is_near = case.m().dist(&case.origin(), &s.q) < 10.0;
        assert!(!is_near || case.m().dist(&point, &s.q) < 1e-6, "{layout:?}");
    }
}

/// Another representative of the same point, and tangent vectors there, by the same random element of the gauge group.
fn turned(case: &Case, rng: &mut Rng, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
    let family = case.m().space().as_str().split(':').next().unwrap_or_default();
    match case.m().shape() {
        Shape::Landmarks(_) => {
            let turn = num_complex::Complex64::cis(rng.random::<f64>() * std::f64::consts::TAU);
            let rotate = |z: &[f64]| {
                let w = num_complex::Complex64::new(z[0], z[1]) * turn;
                [w.re, w.im]
            };
            vectors.iter().map(|x| x.chunks_exact(2).flat_map(rotate).collect()).collect()
        }
        _ if ["projective", "rotations"].contains(&family) => {
            let sign = if rng.random() { 1.0 } else { -1.0 };
            vectors.iter().map(|x| x.iter().map(|x| sign * x).collect()).collect()
        }
        Shape::Matrix { columns, .. } if family == "grassmann" => {
            let turn = orthogonal(rng, columns);
            vectors.iter().map(|x| columns_turned(&turn, x)).collect()
        }
        _ => vectors.iter().map(|x| x.to_vec()).collect(),
    }
}

fn aligning_forgets_the_representative(case: &Case, mut s: Sample) {
    let align = |base: &[f64], p: &[f64]| {
        let mut out = vec![0.0; p.len()];
        case.m().align(base, p, &mut out);
        out
    };
    let other = turned(case, &mut s.rng, &[&s.q]).swap_remove(0);
    let aligned = align(&s.p, &s.q);
    assert!(norm_of_difference(&aligned, &align(&s.p, &other)) < TOLERANCE * norm(&aligned));
    assert!(case.m().dist(&aligned, &s.q) < TOLERANCE);
    // no other representative is nearer
    let nearest = norm_of_difference(&s.p, &aligned);
    assert!(nearest <= norm_of_difference(&s.p, &other) + TOLERANCE);
    // what a logarithm leads to is aligned
    let end = case.exp(&s.p, &case.log(&s.p, &s.q));
    assert!(norm_of_difference(&align(&s.p, &end), &end) < TOLERANCE * norm(&end));
    // also where no representative is nearest: two shapes made of different harmonics, the second with one largest
    // landmark
    if let Shape::Landmarks(k) = case.m().shape()
        && k > 3
    {
        let harmonics = |weights: [f64; 3]| -> Vec<f64> {
            let angle = |i: usize, j: usize| std::f64::consts::TAU * ((i + 1) * j % k) as f64 / k as f64;
            let sum = |f: fn(f64) -> f64, j: usize| (0..3).map(|i| weights[i] * f(angle(i, j))).sum::<f64>();
            (0..k).flat_map(|j| [sum(f64::cos, j), sum(f64::sin, j)]).map(|x| x / (k as f64).sqrt()).collect()
        };
        let (base, far) = (harmonics([1.0, 0.0, 0.0]), harmonics([0.0, 0.6, 0.8]));
        let other = turned(case, &mut s.rng, &[&far]).swap_remove(0);
        assert!(case.m().log(&base, &far, &mut vec![0.0; 2 * k]).is_err());
        assert!(norm_of_difference(&align(&base, &far), &align(&base, &other)) < TOLERANCE);
    }
}

/// Bit by bit: a mean, and a geodesic's footpoint and velocity, which turn together.
fn turning_a_representative_changes_nothing_that_is_published(case: &Case, mut s: Sample) {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let center = case.origin();
    let lattice = crate::mechanism::Lattice::new(case.m(), 0.1, 1.0, 0.2);
    let published = |y: &[f64]| {
        let coordinates = lattice.coordinates(case.m(), &center, y);
        crate::mechanism::Lattice::point(case.m(), &center, &coordinates)
    };
    let half: Vec<f64> = s.u.iter().map(|u| 0.3 * u).collect();
    for _ in 0..3 {
        let other = turned(case, &mut s.rng, &[&s.p, &half]);
        let (one, another) = (published(&s.p), published(&other[0]));
        assert_eq!(bits(&one), bits(&another));
        assert!(case.m().dist(&one, &s.p) < 1e-6);
        let geodesic = |p: &[f64], v: &[f64]| {
            let geodesic = crate::statistic::Geodesic { footpoint: p.to_vec(), velocity: v.to_vec() };
            lattice.geodesic(case.m(), &center, &geodesic)
        };
        let (one, another) = (geodesic(&s.p, &half), geodesic(&other[0], &other[1]));
        assert_eq!(bits(&one.footpoint), bits(&another.footpoint));
        assert_eq!(bits(&one.velocity), bits(&another.velocity));
        let end = case.exp(&s.p, &half);
        assert!(case.m().dist(&one.at(case.m(), 1.0), &end) < 1e-5);
    }
}

/// From 1e-15 to the cut locus less 1e-9 the error is of the order of rounding in the coordinates, not of its square
/// root.
fn distance_is_accurate(case: &Case) {
    let mut rng = Rng::seed_from_u64(7);
    let end = case.m().injectivity_radius();
    let lengths = [1e-15, 1e-12, 1e-9, 1e-8, 1e-6, 1e-3, 0.1, 1.0, end - 1e-2, end - 1e-6, end - 1e-9];
    for length in lengths.into_iter().filter(|s| s.is_finite()) {
        for p in [case.origin(), case.point(&mut rng, &case.origin(), 1.0)] {
            let q = case.point(&mut rng, &p, length);
            let rounding = 1e-14 * (1.0 + norm(&p));
            let distance = case.m().dist(&p, &q);
            assert!((distance - length).abs() < rounding, "{:?} at {length}: {distance}", case.m());
            let log = case.m().norm(&p, &case.log(&p, &q));
            assert!((log - length).abs() < rounding, "{:?} at {length}: log {log}", case.m());
        }
    }
}

fn wrong_points_are_refused(case: &Case) {
    let good = case.origin();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut p = good.clone();
        p[0] = bad;
        assert!(case.m().check_point(&p).is_err());
    }
    assert!(case.m().check_point(&good[1..]).is_err());
    assert!(case.m().check_point(&[]).is_err());
    if !case.m().space().as_str().starts_with("euclidean") {
        let zero = vec![0.0; good.len()];
        let far: Vec<f64> = good.iter().map(|x| -3.0 * x).collect();
        assert!(case.m().check_point(&zero).is_err() && case.m().check_point(&far).is_err());
    }
}

// Random elements of the isometry groups.

fn gaussian_matrix(rng: &mut Rng, k: usize) -> DMatrix<f64> {
    DMatrix::from_fn(k, k, |_, _| rng.sample(StandardNormal))
}

fn orthogonal(rng: &mut Rng, k: usize) -> DMatrix<f64> {
    gaussian_matrix(rng, k).qr().q()
}

fn apply(matrix: &DMatrix<f64>, p: &[f64]) -> Vec<f64> {
    (matrix * DMatrix::from_column_slice(p.len(), 1, p)).as_slice().to_vec()
}

fn rigid_motion(_: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = orthogonal(rng, points[0].len());
    points.iter().map(|p| apply(&turn, p).iter().map(|x| x + 0.7).collect()).collect()
}

fn rotation(_: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let turn = orthogonal(rng, points[0].len());
    points.iter().map(|p| apply(&turn, p)).collect()
}

/// A rotation, and another sign of each representative. Of quaternions it is the product with one from the left and one
/// from the right, or that of the inverses.
fn turn_of_axes(m: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut moved = rotation(m, rng, points);
    for x in moved.iter_mut().filter(|_| rng.random()) {
        x.iter_mut().for_each(|x| *x = -*x);
    }
    moved
}

/// A rotation of space, and another orthonormal basis of each subspace.
fn turn_of_subspaces(m: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
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

/// A boost along the first space axis after a rotation of space.
fn lorentz(_: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
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
fn orthogonal_congruence(m: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().row_len();
    let turn = orthogonal(rng, k) * 1.5;
    points.iter().map(|p| congruence(&turn, p)).collect()
}

/// `X ↦ AXAᵀ` with any invertible `A`.
fn any_congruence(m: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let k = m.shape().row_len();
    let stretch = DMatrix::from_fn(k, k, |i, j| if i == j { 0.5 + 2.0 * i as f64 / k as f64 } else { 0.0 });
    let a = orthogonal(rng, k) * stretch * orthogonal(rng, k);
    points.iter().map(|p| congruence(&a, p)).collect()
}

/// A unitary map of the centered configurations that is no rotation of the plane: two complex reflections; and another
/// turn of each representative.
fn unitary(m: &dyn Manifold, rng: &mut Rng, points: &[&[f64]]) -> Vec<Vec<f64>> {
    use num_complex::Complex64;
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
