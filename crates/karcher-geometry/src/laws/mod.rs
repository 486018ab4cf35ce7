//! The laws of a space: whether a [`Manifold`] is as declared.
//!
//! Proofs of privacy rest on the declarations of a space: its model, its curvature, where its geodesics cease to be the
//! shortest, how many isometries it has. If one of them is wrong, the guarantee of a release is false, and the release
//! looks like any other. The laws compare each declaration with the space, at random points and vectors. Every space of
//! the library keeps them; test a space of your own with [`check`].
//!
//! They find errors that show at random within [`Options::reach`]: they are a test, not a proof. You still have to
//! prove the mathematics, for example that curvature is bounded far out or that a space is homogeneous everywhere.
//!
//! ```
//! use karcher_geometry::{laws, manifold::Sphere};
//! laws::check(&Sphere::new(2)?, &laws::Options::default()).unwrap();
//! # Ok::<(), karcher_geometry::Error>(())
//! ```
//!
//! To add a space, step by step: user guide, "Add a space".

mod declarations;
mod embedding;
mod exponential;
mod many;
mod points;
mod published;
mod subject;
mod transport;
mod volume;

use crate::manifold::Manifold;
use crate::space::Space;
/// The randomness of isometries.
pub use rand::Rng;
use std::fmt;
use subject::{Sample, Subject, UNITS_IN_REACH};

/// Applies one random isometry of the space to several points.
pub type Isometry<'a> = dyn Fn(&mut dyn Rng, &[&[f64]]) -> Vec<Vec<f64>> + 'a;

/// Writes a point, and tangent vectors there, by other representatives: the same random element of the gauge group
/// applied to all of them. Only for spaces whose points have several, such as shapes up to rotation.
pub type Gauge<'a> = dyn Fn(&mut dyn Rng, &[&[f64]]) -> Vec<Vec<f64>> + 'a;

/// How thoroughly to check.
///
/// ```
/// use karcher_geometry::{laws::{Options, check}, manifold::Hyperbolic};
/// let quick = Options { cases: 2, reach: 3.0, ..Options::default() };
/// assert!(check(&Hyperbolic::new(2)?, &quick).is_ok());
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Decides every random choice.
    pub seed: u64,
    /// Random points and vectors that each law is tried on.
    pub cases: usize,
    /// How far from a point the laws look, in the space's unit of distance: an error that shows farther out is not
    /// found. Choose it larger than any ball that you will use.
    ///
    /// Laws of distances, declared bounds and the volume look that far, or to the injectivity radius if that is
    /// smaller. Laws of logarithms, transport and derivatives try points at most two natural lengths apart. The natural
    /// length is the smaller of the injectivity radius and `1/√|κ|`. Where both are infinite it is the size of the
    /// origin's numbers, or `reach / 12` if they are 0. Tolerances are relative to the natural length: a space in another
    /// unit, with this reach in that unit, gets the same verdict.
    pub reach: f64,
    /// A random isometry, if one is at hand.
    pub isometry: Option<&'a Isometry<'a>>,
    /// Other representatives, on spaces whose points have several.
    pub gauge: Option<&'a Gauge<'a>>,
}

impl Default for Options<'_> {
    /// 48 cases out to distance 12.
    fn default() -> Self {
        Self { seed: 0, cases: 48, reach: UNITS_IN_REACH, isometry: None, gauge: None }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cases of seed {} out to {}", self.cases, self.seed, self.reach)
    }
}

/// A law: its name and its sentence.
///
/// ```
/// use karcher_geometry::laws::LAWS;
/// assert!(LAWS.iter().any(|law| law.name == "log_inverts_exp" && law.says == "Log_p(Exp_p(v)) = v"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Law {
    /// Its name, a short form of the law: `log_inverts_exp`.
    pub name: &'static str,
    /// The law, in a sentence.
    pub says: &'static str,
    /// Whether it is about the space as a whole, so that one case is enough.
    pub once: bool,
    holds: fn(&Subject<'_>, &mut Sample) -> Verdict,
}

/// The violation that a law found, in words.
type Verdict = Result<(), String>;

/// `Err` with the words, unless the condition holds. A comparison with NaN does not.
fn ensure(holds: bool, found: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(found()) }
}

/// A list of laws, each a function of the same name.
macro_rules! laws {
    ($($module:ident { $($kind:ident $name:ident: $says:expr;)* })*) => {
        /// Every law, in the order in which they are tried: declarations before computations.
        pub const LAWS: &[Law] = &[$($(
            Law { name: stringify!($name), says: $says, once: laws!(@$kind), holds: $module::$name },
        )*)*];
    };
    (@once) => { true };
    (@each) => { false };
}

laws! {
    declarations {
        once declarations_agree:
            "curvature, injectivity radius, cut locus, diameter, homogeneity and model fit together";
    }
    points {
        once shape_and_layouts_hold_a_point:
            "the axes of the shape multiply to the numbers of a point; the first layout is those numbers; each layout \
             reads what it writes";
        each origin_and_images_of_exp_are_points: "the origin and the ends of geodesics are points, already normalized";
        each normalizing_removes_the_rounding_of_points:
            "numbers a ten-millionth off a point are refused, or normalize puts them on the space";
        once wrong_numbers_are_no_point: "NaN, infinities and lists of another length are refused";
        each tangents_are_told_from_other_vectors: "check_tangent accepts tangent vectors and refuses all others";
        each projecting_makes_points_and_keeps_points: "project leaves points and makes points of numbers near them";
        each frame_is_an_isometry_and_inverts: "the frame carries the metric to the ordinary inner product, and back";
    }
    declarations {
        each vectors_below_the_injectivity_radius_keep_their_length:
            "Exp of a vector shorter than the injectivity radius ends as far away as the vector is long";
        each geodesics_cease_to_be_shortest_at_the_cut_locus:
            "beyond the distance of the cut locus Exp ends nearer than the vector is long";
        each nothing_is_farther_than_the_diameter: "no distance exceeds the diameter";
        each curvature_keeps_its_bounds: "triangles are as thin and as fat as the bounds of the curvature allow";
    }
    exponential {
        each log_inverts_exp: "Log_p(Exp_p(v)) = v";
        each exp_inverts_log: "Exp_p(Log_p(q)) = q";
        each distance_is_norm_of_log: "the distance is the length of the logarithm";
        each distance_is_a_metric:
            "the distance is symmetric, 0 from a point to itself, and obeys the triangle inequality";
        once distance_is_accurate_from_zero_to_the_cut_locus:
            "rounding moves a distance by a few units of the last place";
        each isometries_keep_distance: "the given isometries keep the distance";
    }
    transport {
        each transport_is_an_isometry_and_inverts: "transport keeps inner products, and transport back undoes it";
        each transport_carries_the_geodesic: "transport carries a geodesic's velocity along it, in one step or in two";
        each jacobi_is_the_adjoint_derivative_of_exp: "jacobi applies the adjoints of the derivatives of Exp";
        each jacobi_keeps_the_part_along_the_geodesic: "jacobi leaves the part along the geodesic as it is";
    }
    volume {
        each volume_density_is_the_jacobian_of_exp: "the volume density is the determinant of the derivative of Exp";
        each volume_density_keeps_its_bounds:
            "the density is at most e^psi and obeys the curvature's bounds (Bishop, Guenther); psi is smooth, and \
             concave with (d-1) ln s";
        each volume_density_is_that_of_the_model: "on a model space the density is the model's";
        once drawn_volume_densities_are_those_of_random_directions:
            "draw_log_volume_density has the law of the density in a random direction";
        once volume_grows_as_declared: "psi' tends to the volume growth, and psi(s) is at most that times s";
    }
    many {
        each frame_logs_are_the_coordinates_of_logs:
            "frame_logs gives the coordinates of each logarithm, to the last bit whatever the other points are";
        each many_rows_are_as_one:
            "exp_many, log_many and the others for many rows give what exp, log, … give for one, to the last bit \
             whatever the other rows are";
        each quick_looks_are_right:
            "what prechecked_points, prechecked_tangents and prechecked_many let pass, check_point, normalize and \
             check_tangent do too";
        each flat_chart_is_an_isometry:
            "the flat chart keeps distances and inverts, for many points at once as for one";
        each moving_to_the_origin_is_an_isometry: "to_origin keeps distances and inverts";
        once exp_stays_finite: "Exp gives finite numbers however long a step is";
    }
    embedding {
        each embedding_is_equivariant:
            "embedded points have one length, are no farther apart than stated, and depend on the point alone";
        each projecting_inverts_embedding:
            "projecting gives the point with the nearest embedding, and reach bounds how far it moves";
    }
    published {
        each aligning_forgets_the_representative:
            "align depends on the point alone and gives its nearest representative";
        each turning_a_representative_changes_nothing_that_is_published:
            "what is published is a function of the point, to the last bit";
    }
}

/// A law that a space breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{space} breaks the law {law}: {found} (case {case})")]
pub struct Broken {
    /// The space.
    pub space: Space,
    /// The law's name.
    pub law: &'static str,
    /// The violation, with the numbers.
    pub found: String,
    /// The case, from 0, in which it was found; the same options find it again.
    pub case: usize,
}

/// Tries every law of [`LAWS`] on a space.
///
/// # Errors
/// The first law that the space breaks.
pub fn check(manifold: &dyn Manifold, options: &Options<'_>) -> Result<(), Broken> {
    let subject = Subject::new(manifold, options);
    for law in LAWS {
        for case in 0..if law.once { 1 } else { options.cases } {
            let verdict = subject.sample(case).and_then(|mut sample| (law.holds)(&subject, &mut sample));
            verdict.map_err(|found| Broken { space: manifold.space().clone(), law: law.name, found, case })?;
        }
    }
    Ok(())
}
