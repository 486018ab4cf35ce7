//! Whether published numbers are those of a point on the lattice.
//!
//! A point is rounded to the lattice and published again. If the lattice is coarser than the rounding of a double, the
//! same integers are found. The numbers are then the same to a few units in the last place. If it is finer, they differ
//! by the rounding of a logarithm, an exponential and two isometries.

use super::finding::Findings;
use super::words::numbers;
use crate::mechanism::noise::exact::ROUNDED;

/// Largest difference between the numbers of a point and those made again, as a share of the largest number of point
/// and center. The largest one among releases of all spaces and mechanisms is `2⁻⁴⁵`.
const PLACE: f64 = 1.0 / (1_u64 << 40) as f64;

/// The numbers of a point must be those that follow from the lattice around the center of the ball.
pub(super) fn same(field: &str, stated: &[f64], again: &[f64], reference: &[f64], found: &mut Findings) {
    // that of a located ball is around the center of the ball that was searched
    let center = if field.starts_with("located.") { "located.within.center" } else { "ball.center" };
    follows(field, stated, again, reference, &format!("lattice around `{center}`"), found);
}

/// The numbers of a point must be those that follow from something. The finding names the number that is farthest off.
pub(super) fn follows(field: &str, stated: &[f64], again: &[f64], reference: &[f64], from: &str, found: &mut Findings) {
    if stated.len() != again.len() {
        let reason = format!("it has {} numbers, and {} follow from the {from}", stated.len(), again.len());
        return found.add(field, reason);
    }
    if let Some(i) = farthest_off(stated, again, reference) {
        let (stated, again) = numbers(stated[i], again[i]);
        found.add(format!("{field}[{i}]"), format!("it is {stated}, and {again} follows from the {from}"));
    }
}

/// The number that is farthest from the one made again, if that is too far. Both have the same length.
fn farthest_off(stated: &[f64], again: &[f64], reference: &[f64]) -> Option<usize> {
    let size = stated.iter().chain(reference).fold(0.0, |most: f64, x| most.max(x.abs()));
    // a difference that is not a number is the largest
    let difference = |i: usize| (stated[i] - again[i]).abs();
    let i = (0..stated.len()).max_by(|i, j| difference(*i).total_cmp(&difference(*j)))?;
    let is_near = difference(i) <= PLACE * size;
    (!is_near).then_some(i)
}

/// A noisy number must be a multiple of its unit, which is the one made again.
pub(super) fn multiple(field: &str, stated: f64, again: f64, found: &mut Findings) {
    let is_near = (stated - again).abs() <= ROUNDED * stated.abs();
    if !is_near {
        let (stated, again) = numbers(stated, again);
        found.add(field, format!("it is {stated}, and the nearest multiple of its unit is {again}"));
    }
}
