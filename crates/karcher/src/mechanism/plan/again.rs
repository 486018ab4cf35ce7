//! A value made again from the noisy numbers that a release states.
//!
//! Everything in a value is a function of its noisy numbers, of public quantities and of the private count. So a reader
//! can round the noisy numbers to their lattice and apply that function. A genuine value comes out as it was.

use crate::Lattice;
use crate::error::Result;
use crate::manifold::FlatChart;
use crate::mechanism::noise::published::published;
use crate::mechanism::{Denoising, Plan, PlanSummary};
use crate::records::Centered;
use crate::release::{Flag, PrivateCount, PrivatePoint, RandomizedRecord, Value};
use crate::vector::{add_scaled, norm_of_difference};

/// The value of a plan without any of its own: a point, or the coordinates of a record. Others stay as they are.
pub(crate) fn value<P: Plan + ?Sized>(
    plan: &P,
    stated: &Value,
    count: Option<&PrivateCount>,
) -> Result<(Value, Vec<Flag>)> {
    match stated {
        Value::Point(point) => point_again(plan, point, count),
        Value::Record(record) => {
            let coordinates = Lattice::of_step(plan.lattice()).rounded(record.coordinates.clone());
            Ok((Value::Record(RandomizedRecord { coordinates }), vec![]))
        }
        other => Ok((other.clone(), vec![])),
    }
}

/// The nearest point whose coordinates at the center of a plan's ball lie on a lattice.
pub(crate) fn nearest(summary: &PlanSummary, lattice: f64, point: &[f64]) -> Result<Vec<f64>> {
    let centered = Centered::new(&summary.manifold, &summary.ball)?;
    let coordinates = Lattice::of_step(lattice).rounded(centered.held(point));
    Ok(published(&centered, &coordinates, summary.scale / 1024.0).value)
}

/// Whether the numbers of a point, and of ones a bit further out, hold their coordinates to a millionth of the noise.
/// Then it is not [beyond precision](Flag::BeyondPrecision), where they are not held to a thousandth.
pub(crate) fn is_well_held(summary: &PlanSummary, point: &[f64]) -> bool {
    const FURTHER: [f64; 4] = [1.0, 1.128_379_167, 1.253_314_137, 1.381_976_598];
    let Ok(centered) = Centered::new(&summary.manifold, &summary.ball) else { return false };
    let coordinates = centered.held(point);
    FURTHER.iter().all(|factor| {
        let further: Vec<f64> = coordinates.iter().map(|c| factor * c).collect();
        let back = centered.back(&Lattice::point(centered.space(), centered.center(), &further));
        norm_of_difference(&centered.held(&back), &further) <= 1e-6 * summary.scale
    })
}

/// A point: its noisy coordinates are rounded, denoised and published. Its region is left to the caller. Where the logarithm was released, the denoised
/// coordinates are read off it, and the noisy ones are not known.
fn point_again<P: Plan + ?Sized>(
    plan: &P,
    stated: &PrivatePoint,
    count: Option<&PrivateCount>,
) -> Result<(Value, Vec<Flag>)> {
    let summary = plan.summary();
    let centered = Centered::new(&summary.manifold, &summary.ball)?;
    let at = |coordinates: &[f64]| published(&centered, coordinates, summary.scale / 1024.0);
    let of_logarithm = centered.chart().zip(stated.logarithm.as_ref());
    let is_denoised = summary.denoising != Denoising::None;
    let (quiet, noisy_value) = match of_logarithm {
        Some(((chart, center), logarithm)) => {
            (coordinates_of(chart, center, logarithm), stated.noisy_value.clone().filter(|_| is_denoised))
        }
        None => {
            let noisy = centered.held(stated.noisy_value.as_ref().unwrap_or(&stated.value));
            let noisy = Lattice::of_step(plan.lattice()).rounded(noisy);
            let mut quiet = noisy.clone();
            plan.denoise(&mut quiet, count);
            (quiet, is_denoised.then(|| at(&noisy).value))
        }
    };
    let published = at(&quiet);
    let flags = published.beyond_precision.then_some(Flag::BeyondPrecision).into_iter().collect();
    let point = PrivatePoint {
        value: published.value,
        noisy_value,
        logarithm: published.logarithm,
        region: None,
        spread: None,
        components: None,
    };
    Ok((Value::Point(point), flags))
}

/// The coordinates at the center of a matrix logarithm, which is linear in them: by its product with the logarithm of
/// each unit vector.
fn coordinates_of(chart: &dyn FlatChart, center: &[f64], logarithm: &[f64]) -> Vec<f64> {
    let along = |i: usize| {
        let unit: Vec<f64> = (0..center.len()).map(|j| f64::from(u8::from(i == j))).collect();
        let unit = chart.logarithm(&unit).unwrap_or_default();
        let square: f64 = unit.iter().map(|x| x * x).sum();
        if square > 0.0 { unit.iter().zip(logarithm).map(|(x, y)| x * y).sum::<f64>() / square } else { 0.0 }
    };
    let mut coordinates: Vec<f64> = (0..center.len()).map(along).collect();
    add_scaled(&mut coordinates, -1.0, center);
    coordinates
}
