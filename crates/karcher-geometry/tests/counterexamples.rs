//! Counterexamples: spaces with a wrong declaration, and the law that finds each.

use karcher_geometry::laws::{LAWS, Options, check};
use karcher_geometry::manifold::{
    CurvatureBounds, CutLocus, FlatChart, Homogeneity, Hyperbolic, Layout, Manifold, Model, Shape, Sphere, Torus,
};
use karcher_geometry::{Result, Space};
use rand::Rng;
use std::f64::consts::PI;
use std::sync::Arc;

/// The declarations of a space.
#[derive(Debug, Clone)]
struct Declarations {
    model: Model,
    curvature: CurvatureBounds,
    injectivity_radius: f64,
    cut_locus: CutLocus,
    diameter: f64,
    homogeneity: Homogeneity,
    volume_growth: f64,
    /// `θ = 1`, whatever the truth.
    flat_volume: bool,
}

/// A space with declarations of its own.
#[derive(Debug)]
struct Counterexample {
    truth: Arc<dyn Manifold>,
    says: Declarations,
    /// Instead of the truth's layouts.
    layout: Option<Layout>,
}

impl Counterexample {
    /// The declarations of the true space, with a change.
    fn about(truth: impl Manifold + 'static, lie: impl FnOnce(&mut Declarations)) -> Self {
        let mut says = Declarations {
            model: truth.model(),
            curvature: truth.curvature(),
            injectivity_radius: truth.injectivity_radius(),
            cut_locus: truth.cut_locus(),
            diameter: truth.diameter(),
            homogeneity: truth.homogeneity(),
            volume_growth: truth.volume_growth(),
            flat_volume: false,
        };
        lie(&mut says);
        Self { truth: Arc::new(truth), says, layout: None }
    }
}

/// Methods that are the truth's.
macro_rules! truth {
    ($truth:ident; $(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)*) => { $(
        fn $name(&self $(, $argument: $kind)*) $(-> $result)? { self.$truth.$name($($argument),*) }
    )* };
}

/// The operations of a space, as they are.
macro_rules! true_operations {
    ($truth:ident) => {
        truth! { $truth;
            fn space(&self) -> &Space;
            fn shape(&self) -> Shape;
            fn dim(&self) -> usize;
            fn point_len(&self) -> usize;
            fn origin(&self, out: &mut [f64]);
            fn check_point(&self, p: &[f64]) -> Result<()>;
            fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()>;
            fn project(&self, p: &mut [f64]);
            fn normalize(&self, p: &mut [f64]);
            fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]);
            fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64;
            fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]);
            fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]);
            fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]);
            fn max_step(&self) -> f64;
        }
    };
}

impl Manifold for Counterexample {
    true_operations!(truth);

    truth! { truth;
        fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]);
        fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()>;
        fn dist(&self, p: &[f64], q: &[f64]) -> f64;
        fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()>;
        fn flat_chart(&self) -> Option<&dyn FlatChart>;
    }

    fn model(&self) -> Model {
        self.says.model
    }

    fn curvature(&self) -> CurvatureBounds {
        self.says.curvature
    }

    fn injectivity_radius(&self) -> f64 {
        self.says.injectivity_radius
    }

    fn cut_locus(&self) -> CutLocus {
        self.says.cut_locus
    }

    fn diameter(&self) -> f64 {
        self.says.diameter
    }

    fn homogeneity(&self) -> Homogeneity {
        self.says.homogeneity
    }

    fn layouts(&self) -> Vec<Layout> {
        self.layout.as_ref().map_or_else(|| self.truth.layouts(), |layout| vec![layout.clone()])
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        if self.says.flat_volume { 0.0 } else { self.truth.log_volume_density_in_frame(coordinates) }
    }

    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        match self.says.flat_volume {
            true => out.fill(0.0),
            false => self.truth.draw_log_volume_density(lengths, generator, out),
        }
    }

    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        if self.says.flat_volume { (0.0, 0.0) } else { self.truth.log_volume_density_bound(s) }
    }

    fn volume_growth(&self) -> f64 {
        self.says.volume_growth
    }
}

/// The projective plane: the sphere with opposite points identified. Its declarations are true.
#[derive(Debug)]
struct ProjectivePlane {
    sphere: Sphere,
}

impl ProjectivePlane {
    fn new() -> Self {
        Self { sphere: Sphere::new(2).unwrap() }
    }

    /// 1 or −1: the sign with which `q` is nearer to `p`.
    fn sign(p: &[f64], q: &[f64]) -> f64 {
        if p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>() < 0.0 { -1.0 } else { 1.0 }
    }

    fn nearer(p: &[f64], q: &[f64]) -> Vec<f64> {
        q.iter().map(|x| Self::sign(p, q) * x).collect()
    }
}

impl Manifold for ProjectivePlane {
    true_operations!(sphere);

    truth! { sphere;
        fn curvature(&self) -> CurvatureBounds;
        fn homogeneity(&self) -> Homogeneity;
        fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64;
        fn log_volume_density_bound(&self, s: f64) -> (f64, f64);
        fn volume_growth(&self) -> f64;
    }

    fn model(&self) -> Model {
        Model::Other
    }

    fn injectivity_radius(&self) -> f64 {
        0.5 * PI
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::AtDistance(0.5 * PI)
    }

    fn diameter(&self) -> f64 {
        0.5 * PI
    }

    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&Self::nearer(base, p));
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        self.sphere.log(p, &Self::nearer(p, q), out)
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        self.sphere.dist(p, &Self::nearer(p, q))
    }

    /// `(−q, w)` and `(q, −w)` are the same tangent vector.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self.sphere.transport(p, &Self::nearer(p, q), v, out)?;
        out.iter_mut().for_each(|x| *x *= Self::sign(p, q));
        Ok(())
    }
}

/// The sphere of a radius, in any unit: points, vectors and distances are all in it.
#[derive(Debug)]
struct Globe {
    sphere: Sphere,
    space: Space,
    radius: f64,
    /// `jacobi` is that of flat space.
    jacobi_is_flat: bool,
    /// `normalize` leaves rounding as it is.
    keeps_rounding: bool,
}

impl Globe {
    fn new(radius: f64) -> Self {
        Self {
            sphere: Sphere::new(2).unwrap(),
            space: Space::named("globe"),
            radius,
            jacobi_is_flat: false,
            keeps_rounding: false,
        }
    }

    /// On the sphere of radius 1.
    fn unit(&self, x: &[f64]) -> Vec<f64> {
        x.iter().map(|x| x / self.radius).collect()
    }

    fn stretch(&self, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x *= self.radius);
    }
}

impl Manifold for Globe {
    fn space(&self) -> &Space {
        &self.space
    }

    truth! { sphere;
        fn shape(&self) -> Shape;
        fn dim(&self) -> usize;
        fn point_len(&self) -> usize;
        fn homogeneity(&self) -> Homogeneity;
        fn max_step(&self) -> f64;
        fn volume_growth(&self) -> f64;
    }

    fn origin(&self, out: &mut [f64]) {
        self.sphere.origin(out);
        self.stretch(out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        self.sphere.check_point(&self.unit(p))
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        self.sphere.check_tangent(&self.unit(p), &self.unit(v))
    }

    fn project(&self, p: &mut [f64]) {
        let mut on = self.unit(p);
        self.sphere.project(&mut on);
        p.copy_from_slice(&on);
        self.stretch(p);
    }

    fn normalize(&self, p: &mut [f64]) {
        let mut on = self.unit(p);
        if !self.keeps_rounding {
            self.sphere.normalize(&mut on);
        }
        p.copy_from_slice(&on);
        self.stretch(p);
    }

    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        self.sphere.exp(&self.unit(p), &self.unit(v), out);
        self.stretch(out);
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        self.sphere.log(&self.unit(p), &self.unit(q), out)?;
        self.stretch(out);
        Ok(())
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        self.radius * self.sphere.dist(&self.unit(p), &self.unit(q))
    }

    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        self.sphere.inner(p, u, v)
    }

    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self.sphere.transport(&self.unit(p), &self.unit(q), v, out)
    }

    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let (p, v) = (self.unit(p), self.unit(v));
        self.sphere.jacobi(&p, &v, e, by_point, by_vector);
        if self.jacobi_is_flat {
            let mut end = p.clone();
            self.sphere.exp(&p, &v, &mut end);
            self.sphere.transport(&end, &p, e, by_point).unwrap();
            by_vector.copy_from_slice(by_point);
        }
    }

    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        self.sphere.from_frame(&self.unit(p), coordinates, out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.sphere.to_frame(&self.unit(p), v, coordinates);
    }

    fn layouts(&self) -> Vec<Layout> {
        vec![Layout::new("ecef", 3, |record| Ok(record.to_vec()), <[f64]>::to_vec)]
    }

    fn model(&self) -> Model {
        Model::Sphere { curvature: self.radius.powi(-2) }
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: self.radius.powi(-2), upper: self.radius.powi(-2) }
    }

    fn injectivity_radius(&self) -> f64 {
        PI * self.radius
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::AtDistance(PI * self.radius)
    }

    fn diameter(&self) -> f64 {
        PI * self.radius
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.sphere.log_volume_density_in_frame(&self.unit(coordinates))
    }

    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (bound, slope) = self.sphere.log_volume_density_bound(s / self.radius);
        (bound, slope / self.radius)
    }
}

/// The law that a space breaks first.
fn broken(space: &dyn Manifold) -> &'static str {
    let broken = check(space, &Options::default()).unwrap_err();
    assert!(LAWS.iter().any(|law| law.name == broken.law));
    broken.law
}

fn flat(says: &mut Declarations) {
    says.model = Model::Flat;
    says.curvature = CurvatureBounds { lower: 0.0, upper: 0.0 };
    (says.injectivity_radius, says.diameter, says.cut_locus) = (f64::INFINITY, f64::INFINITY, CutLocus::None);
    (says.homogeneity, says.volume_growth) = (Homogeneity::TwoPoint, 0.0);
}

#[test]
fn those_who_tell_the_truth_are_believed() {
    check(&Counterexample::about(Sphere::new(2).unwrap(), |_| ()), &Options::default()).unwrap();
    check(&Counterexample::about(Hyperbolic::new(2).unwrap(), |_| ()), &Options::default()).unwrap();
    check(&ProjectivePlane::new(), &Options::default()).unwrap();
}

#[test]
fn a_sphere_that_overstates_its_injectivity_radius_is_caught() {
    let sphere = || Sphere::new(2).unwrap();
    // alone, it contradicts the other declarations
    let alone = Counterexample::about(sphere(), |says| says.injectivity_radius = 3.5);
    assert_eq!(broken(&alone), "declarations_agree");
    // and if all the others are made to fit
    let fitting = Counterexample::about(sphere(), |says| {
        let curvature = (PI / 3.5_f64).powi(2);
        (says.injectivity_radius, says.diameter, says.cut_locus) = (3.5, 3.5, CutLocus::AtDistance(3.5));
        (says.model, says.curvature) =
            (Model::Sphere { curvature }, CurvatureBounds { lower: curvature, upper: curvature });
    });
    assert_eq!(broken(&fitting), "vectors_below_the_injectivity_radius_keep_their_length");
    // by a thousandth
    let slightly = Counterexample::about(sphere(), |says| {
        let end = 1.001 * PI;
        (says.injectivity_radius, says.diameter, says.cut_locus) = (end, end, CutLocus::Varies);
        (says.model, says.homogeneity) = (Model::Other, Homogeneity::Points);
        says.curvature.lower = 0.9;
    });
    assert_eq!(broken(&slightly), "vectors_below_the_injectivity_radius_keep_their_length");
}

#[test]
fn a_sphere_that_puts_its_cut_locus_too_near_is_caught() {
    let liar = Counterexample::about(Sphere::new(2).unwrap(), |says| {
        (says.injectivity_radius, says.diameter, says.cut_locus) = (2.0, 2.0, CutLocus::AtDistance(2.0));
        says.model = Model::Other;
    });
    assert_eq!(broken(&liar), "geodesics_cease_to_be_shortest_at_the_cut_locus");
}

#[test]
fn a_torus_that_calls_itself_flat_space_is_caught() {
    let by_name = Counterexample::about(Torus::new(2).unwrap(), |says| says.model = Model::Flat);
    assert_eq!(broken(&by_name), "declarations_agree");
    for d in [1, 2, 30] {
        let liar = Counterexample::about(Torus::new(d).unwrap(), flat);
        assert_eq!(broken(&liar), "vectors_below_the_injectivity_radius_keep_their_length", "{d}");
    }
    // along the axes, far from every random direction in 30 dimensions
    let longer = Counterexample::about(Torus::new(30).unwrap(), |says| says.injectivity_radius = 4.0);
    assert_eq!(broken(&longer), "vectors_below_the_injectivity_radius_keep_their_length");
}

#[test]
fn a_torus_that_calls_its_cut_locus_a_sphere_is_caught() {
    let liar = Counterexample::about(Torus::new(2).unwrap(), |says| {
        (says.cut_locus, says.diameter, says.homogeneity) = (CutLocus::AtDistance(PI), PI, Homogeneity::TwoPoint);
    });
    assert_eq!(broken(&liar), "geodesics_cease_to_be_shortest_at_the_cut_locus");
    let small = Counterexample::about(Torus::new(2).unwrap(), |says| says.diameter = PI);
    assert_eq!(broken(&small), "nothing_is_farther_than_the_diameter");
}

#[test]
fn a_projective_plane_that_calls_itself_a_sphere_is_caught() {
    let sphere = Model::Sphere { curvature: 1.0 };
    let by_name = Counterexample::about(ProjectivePlane::new(), |says| says.model = sphere);
    assert_eq!(broken(&by_name), "declarations_agree");
    let fitting = Counterexample::about(ProjectivePlane::new(), |says| {
        says.model = sphere;
        (says.injectivity_radius, says.diameter, says.cut_locus) = (PI, PI, CutLocus::AtDistance(PI));
    });
    assert_eq!(broken(&fitting), "vectors_below_the_injectivity_radius_keep_their_length");
    // the sphere whose diameter it has
    let small = Counterexample::about(ProjectivePlane::new(), |says| {
        (says.model, says.curvature) = (Model::Sphere { curvature: 4.0 }, CurvatureBounds { lower: 4.0, upper: 4.0 });
    });
    assert_eq!(broken(&small), "curvature_keeps_its_bounds");
}

#[test]
fn a_hyperbolic_plane_that_claims_no_curvature_is_caught() {
    let plane = || Hyperbolic::new(2).unwrap();
    let by_curvature = Counterexample::about(plane(), |says| says.curvature.lower = 0.0);
    assert_eq!(broken(&by_curvature), "declarations_agree");
    let liar = Counterexample::about(plane(), flat);
    assert_eq!(broken(&liar), "curvature_keeps_its_bounds");
    // and a space with the right curvature, but a wrong volume
    let volume = Counterexample::about(plane(), |says| {
        (says.model, says.flat_volume, says.volume_growth) = (Model::Other, true, 0.0);
    });
    assert_eq!(broken(&volume), "volume_density_is_the_jacobian_of_exp");
    let growth = Counterexample::about(plane(), |says| (says.model, says.volume_growth) = (Model::Other, 0.5));
    assert_eq!(broken(&growth), "volume_grows_as_declared");
}

/// A plane that is flat in most directions: of the product of two hyperbolic planes, random planes are nearly so.
#[test]
fn curvature_that_few_planes_have_is_not_overlooked() {
    let product: Arc<dyn Manifold> = "hyperbolic:2*hyperbolic:2".parse::<Space>().unwrap().manifold().unwrap();
    let liar = Counterexample::about(product, |says| says.curvature.lower = -0.5);
    assert_eq!(broken(&liar), "curvature_keeps_its_bounds");
}

#[test]
fn a_space_of_matrices_that_calls_its_points_pairs_alike_is_caught() {
    let matrices: Arc<dyn Manifold> = "spd-affine-invariant:3".parse::<Space>().unwrap().manifold().unwrap();
    let liar = Counterexample::about(matrices, |says| says.homogeneity = Homogeneity::TwoPoint);
    assert_eq!(broken(&liar), "volume_density_keeps_its_bounds");
}

#[test]
fn a_layout_that_does_not_read_what_it_writes_is_caught() {
    let mut liar = Counterexample::about(Torus::new(2).unwrap(), |_| ());
    liar.layout =
        Some(Layout::new("radians", 2, |record| Ok(record.iter().map(|x| x.to_radians()).collect()), <[f64]>::to_vec));
    assert_eq!(broken(&liar), "shape_and_layouts_hold_a_point");
}

#[test]
fn what_is_broken_is_said_in_a_sentence() {
    let broken =
        check(&Counterexample::about(Torus::new(2).unwrap(), flat), &Options::default()).unwrap_err().to_string();
    let begins =
        "torus:2 breaks the law vectors_below_the_injectivity_radius_keep_their_length: Exp of a vector of length";
    assert!(broken.starts_with(begins), "{broken}");
    assert!(broken.contains("the injectivity radius is inf"), "{broken}");
}

/// The Earth in thousands of kilometres, in kilometres, in metres and in light years.
#[test]
fn a_space_in_another_unit_gets_the_same_verdict() {
    for radius in [6.371, 6371.0, 6_371_000.0, 6.734e-10] {
        let globe = Globe::new(radius);
        let options = Options { reach: 4.0 * radius, ..Options::default() };
        check(&globe, &options).unwrap();
        let wrong = Globe { jacobi_is_flat: true, ..Globe::new(radius) };
        let found = check(&wrong, &options).unwrap_err();
        assert_eq!(found.law, "jacobi_is_the_adjoint_derivative_of_exp", "{radius}: {found}");
        let curved = Counterexample::about(Globe::new(radius), |says| {
            (says.model, says.curvature.upper) = (Model::Other, 0.5 * radius.powi(-2));
            (says.curvature.lower, says.homogeneity) = (0.1 * radius.powi(-2), Homogeneity::Points);
        });
        let found = check(&curved, &options).unwrap_err();
        assert_eq!(found.law, "curvature_keeps_its_bounds", "{radius}: {found}");
        // near points show less, and never a law that holds
        check(&globe, &Options::default()).unwrap();
    }
}

#[test]
fn a_sphere_that_normalizes_nothing_is_caught() {
    let lazy = Globe { keeps_rounding: true, ..Globe::new(6371.0) };
    assert_eq!(broken(&lazy), "normalizing_removes_the_rounding_of_points");
}

/// A space without any length of its own is measured by the reach.
#[test]
fn flat_spaces_are_looked_at_as_far_as_asked() {
    // where numbers grow like e^reach they lose digits
    for (name, farthest) in [("euclidean:2", 1e6), ("spd-log-euclidean:2", 15.0), ("hyperbolic:1", 30.0)] {
        let space = name.parse::<Space>().unwrap().manifold().unwrap();
        for reach in [1e-3, 3.0, farthest] {
            check(&*space, &Options { reach, ..Options::default() }).unwrap();
        }
    }
}
