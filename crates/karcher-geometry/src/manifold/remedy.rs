//! The remedy for a record that is no point: one for each cause, which follows from its numbers.

use super::{Layout, Manifold, Shape};
use crate::linalg::eigen;

/// What makes a record a point. Each face of the library writes it as its options or arguments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Remedy {
    /// Rounding took it off the space, by less than 10 to the power of minus this, relative to its largest number.
    Rounded(u32),
    /// It becomes a point by projection, on a condition that only a user can know.
    Projected {
        /// The condition in words: `if its length has no meaning`.
        condition: &'static str,
    },
    /// Another layout holds it.
    InLayout {
        /// The name of that layout.
        layout: &'static str,
        /// Whether it is projected, too: counts are divided by their sum.
        projected: bool,
        /// The condition in words: `if they are percentages`.
        condition: &'static str,
    },
    /// Some of its numbers may be angles, which other layouts of the space take alone.
    Angles,
    /// It is a singular matrix, which a share of the identity makes positive definite.
    Singular,
}

/// Decimals that numbers may be rounded to, from the coarsest to the finest.
const DIGITS: std::ops::RangeInclusive<u32> = 1..=6;

/// Coarser than any rounding to binary digits: numbers of half precision are good to 5·10⁻⁴, sums of a few to this.
const HALF_PRECISION: f64 = 2e-3;

/// The remedy for a record in a layout that is no point of the space, if its numbers say one.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Remedy, Sphere, remedy};
/// let sphere = Sphere::new(3)?;
/// let vectors = sphere.layouts().remove(0);
/// assert_eq!(remedy(&sphere, &vectors, &[0.5774, 0.5774, 0.5774, 0.0]), Some(Remedy::Rounded(4)));
/// assert!(matches!(remedy(&sphere, &vectors, &[3.0, 4.0, 0.0, 0.0]), Some(Remedy::Projected { .. })));
/// assert_eq!(remedy(&sphere, &vectors, &[0.0; 4]), None);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub fn remedy(manifold: &dyn Manifold, layout: &Layout, record: &[f64]) -> Option<Remedy> {
    if record.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let near = layout.nearest(record);
    let off_layout = near.as_deref().map_or(0.0, |near| off(record, near));
    let point = layout.read(near.as_deref().unwrap_or(record)).ok();
    let projected = point.as_deref().and_then(|point| {
        let mut projected = point.to_vec();
        manifold.project(&mut projected);
        manifold.check_point(&projected).is_ok().then_some(projected)
    });
    let off = projected.as_deref().zip(point.as_deref()).map(|(to, from)| off(from, to).max(off_layout));
    let rounded = off.and_then(|off| rounded(record, off));
    let is_singular = || {
        point.as_deref().is_some_and(|point| match manifold.shape() {
            Shape::PositiveDefinite(k) => is_singular(k, point, record),
            Shape::HermitianPositiveDefinite(k) => is_singular(2 * k, &as_real(k, point), record),
            Shape::Vector(_) | Shape::Matrix { .. } | Shape::Matrices { .. } | Shape::Landmarks(_) => false,
        })
    };
    layout
        .advise(record, rounded.is_some())
        .or(rounded)
        .or_else(|| (projected.is_none() && is_singular()).then_some(Remedy::Singular))
}

/// The largest difference of two records, relative to the largest number of the first where that exceeds 1.
pub fn off(record: &[f64], near: &[f64]) -> f64 {
    record.iter().zip(near).fold(0.0, |off: f64, (x, y)| off.max((x - y).abs())) / size(record)
}

/// The largest number of a record, or 1.
fn size(record: &[f64]) -> f64 {
    record.iter().fold(1.0, |size: f64, x| size.max(x.abs()))
}

/// Whether rounding to the decimals that the numbers have, or to half precision, explains how far they are off.
fn rounded(record: &[f64], off: f64) -> Option<Remedy> {
    let has = |digits: u32| {
        let unit = 10_f64.powi(digits as i32);
        record.iter().all(|x| (x * unit).round() / unit == *x)
    };
    let step = DIGITS
        .into_iter()
        .find(|digits| has(*digits))
        .map_or(0.0, |digits| 10_f64.powi(-(digits as i32)) / size(record));
    let is_whole = record.iter().all(|x| x.fract() == 0.0);
    let most = if is_whole { 0.0 } else { step * (0.5 * (record.len() as f64).sqrt()).max(1.0) };
    // above the rounding of both
    let least = (off * (1.0 + 1e-9)).max(step.min(0.01) * (1.0 - 1e-9));
    let reached = |digits: &u32| 10_f64.powi(-(*digits as i32)) >= least;
    (off <= most.max(HALF_PRECISION)).then(|| DIGITS.rev().find(reached)).flatten().map(Remedy::Rounded)
}

/// Whether a matrix has no eigenvalue below 0 by more than the rounding of its entries.
pub(super) fn is_singular(k: usize, point: &[f64], record: &[f64]) -> bool {
    let symmetric: Vec<f64> = (0..k * k).map(|i| 0.5 * (point[i] + point[i % k * k + i / k])).collect();
    let values = eigen(&symmetric, k).values;
    let (least, largest) = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    let is_rounded = least >= 0.0 || matches!(rounded(record, -least / k as f64), Some(Remedy::Rounded(_)));
    largest > 0.0 && least >= -0.05 * largest && is_rounded
}

/// The real matrix `[[A, −B], [B, A]]` of `A + iB`, whose real and imaginary parts alternate: it has the same
/// eigenvalues.
fn as_real(k: usize, point: &[f64]) -> Vec<f64> {
    let part = |i: usize, j: usize, part: usize| point[2 * (i % k * k + j % k) + part];
    let entry = |i: usize, j: usize| match (i < k, j < k) {
        (true, true) | (false, false) => part(i, j, 0),
        (true, false) => -part(i, j, 1),
        (false, true) => part(i, j, 1),
    };
    (0..4 * k * k).map(|n| entry(n / (2 * k), n % (2 * k))).collect()
}

#[cfg(test)]
mod tests;
