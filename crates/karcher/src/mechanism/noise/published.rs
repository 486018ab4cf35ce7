//! Published numbers of a private value: a point of the public lattice, carried back to the user's ball.

use crate::Lattice;
use crate::manifold::{Geodesic, Manifold};
use crate::mechanism::PlanSummary;
use crate::mechanism::plan::REGION;
use crate::records::Centered;
use crate::release::{Flag, PrivatePoint};
use crate::vector::{add_scaled, norm};

/// A private value in the user's ball: a function of lattice coordinates and of public quantities.
pub(crate) struct Published {
    pub(crate) value: Vec<f64>,
    /// For matrices that doubles cannot represent, their logarithm.
    pub(crate) logarithm: Option<Vec<f64>>,
    /// Whether the numbers of the value, or of one a quarter further out, differ from the coordinates by more than the
    /// tolerance.
    pub(crate) beyond_precision: bool,
}

/// The point with these coordinates at the center, carried back to the user's ball, or the center itself on overflow.
/// `tolerance` is the allowed error of its numbers.
pub(crate) fn published(centered: &Centered, coordinates: &[f64], tolerance: f64) -> Published {
    let at = |c: &[f64]| centered.back(&Lattice::point(centered.space(), centered.center(), c));
    let mut value = at(coordinates);
    let is_held = centered.manifold().check_point(&value).is_ok();
    if !is_held {
        value = centered.back(centered.center());
    }
    // slightly further out, because a flow's steps raise eigenvalues to representable ones
    let off = error_at(centered, coordinates, 1.25);
    let beyond_precision = !is_held || off.is_nan() || off > tolerance;
    let logarithm = centered.chart().filter(|_| beyond_precision).and_then(|(chart, center)| {
        let mut flat = coordinates.to_vec();
        add_scaled(&mut flat, 1.0, center);
        chart.logarithm(&flat)
    });
    Published { value, logarithm, beyond_precision }
}

/// The point of noisy coordinates at the center, and of the denoised ones if there are any, with its flags. `tolerance`
/// is the allowed error of its numbers.
pub(crate) fn point_of(
    centered: &Centered,
    (noisy, quiet): (&[f64], Option<&[f64]>),
    tolerance: f64,
    summary: &PlanSummary,
) -> (PrivatePoint, Vec<Flag>) {
    let published = |coordinates: &[f64]| published(centered, coordinates, tolerance);
    let Published { value, logarithm, beyond_precision } = published(quiet.unwrap_or(noisy));
    let flags = beyond_precision.then_some(Flag::BeyondPrecision).into_iter().chain(summary.flags.iter().copied());
    let point = PrivatePoint {
        value,
        noisy_value: quiet.map(|_| published(noisy).value),
        noisy_coordinates: summary.states_coordinates().then(|| noisy.to_vec()),
        logarithm,
        region: summary.region(REGION),
        spread: None,
        components: None,
        extrinsic: None,
    };
    (point, flags.collect())
}

/// The difference between coordinates that are so many times as far out and those that the numbers of their point hold.
/// Coordinates of a bounded factor stay as they are, and do not count: they may have gone around it.
pub(crate) fn error_at(centered: &Centered, coordinates: &[f64], factor: f64) -> f64 {
    let unbounded = unbounded(centered.manifold());
    let stretched = |(c, grows): (&f64, &bool)| if *grows { factor * c } else { *c };
    let further: Vec<f64> = coordinates.iter().zip(&unbounded).map(stretched).collect();
    let held = centered.held(&centered.back(&Lattice::point(centered.space(), centered.center(), &further)));
    let apart = |((a, b), grows): ((&f64, &f64), &bool)| if *grows { a - b } else { 0.0 };
    let apart: Vec<f64> = held.iter().zip(&further).zip(&unbounded).map(apart).collect();
    norm(&apart)
}

/// For each coordinate whether it is one of a factor without bounds.
pub(crate) fn unbounded(manifold: &dyn Manifold) -> Vec<bool> {
    match manifold.factors() {
        [] => vec![manifold.injectivity_radius() == f64::INFINITY; manifold.dim()],
        factors => factors.iter().flat_map(|factor| unbounded(&**factor)).collect(),
    }
}

/// Carries the geodesic of the lattice next to this one back: the velocity as `v′ = 2·Log_{p′}(q′)`, `q′` the image of
/// `Exp_p(v/2)`, because isometries keep logarithms. For `v` shorter than the injectivity radius.
pub(crate) fn published_geodesic(centered: &Centered, geodesic: &Geodesic, lattice: Lattice) -> Geodesic {
    let on_lattice = lattice.geodesic(centered.space(), centered.center(), geodesic);
    let (p, middle) = (centered.back(&on_lattice.footpoint), centered.back(&on_lattice.at(centered.space(), 0.5)));
    let mut v = vec![0.0; p.len()];
    match centered.manifold().log(&p, &middle, &mut v) {
        Ok(()) => v.iter_mut().for_each(|v| *v *= 2.0),
        Err(_) => v.fill(0.0), // not at half the injectivity radius
    }
    Geodesic { footpoint: p, velocity: v }
}
