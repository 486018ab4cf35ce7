//! `n` points of one manifold, contiguous and validated.

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::space::Space;
use rayon::prelude::*;
use std::fmt;

/// Points handled by one task. Fixed, so that the order of additions, and with it every digit of a result, is the same
/// for any number of threads.
pub(crate) const CHUNK: usize = 256;

/// Validated records: `n` points, one after the other.
///
/// They know their space: given to another one they are refused ([`Error::SpaceMismatch`]). Printed with `{:?}` they
/// show their space and number only.
#[derive(Clone, PartialEq)]
pub struct Points {
    space: Space,
    values: Vec<f64>,
    point_len: usize,
}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {}", self.len(), self.space)
    }
}

impl Points {
    /// Validates `values` as points of `manifold`, `point_len()` numbers each, and removes what rounding left over.
    ///
    /// # Errors
    /// [`Error::NoRecords`], [`Error::WrongLength`] when the last point is incomplete, [`Error::InvalidRecord`] with
    /// the row and the reason.
    pub fn new(manifold: &dyn Manifold, mut values: Vec<f64>) -> Result<Self> {
        let point_len = check_len(manifold, values.len())?;
        for (i, p) in values.chunks_exact_mut(point_len).enumerate() {
            check_record(manifold, i, p)?;
            manifold.normalize(p);
        }
        Ok(Self { space: manifold.space().clone(), values, point_len })
    }

    /// Number of points, `n`.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.values.len() / self.point_len
    }

    /// The points, borrowed.
    pub fn view(&self) -> PointsView<'_> {
        PointsView { space: &self.space, values: &self.values, point_len: self.point_len }
    }
}

impl<'a> From<&'a Points> for PointsView<'a> {
    fn from(points: &'a Points) -> Self {
        points.view()
    }
}

/// Borrowed points.
#[derive(Clone, Copy)]
pub struct PointsView<'a> {
    space: &'a Space,
    values: &'a [f64],
    point_len: usize,
}

impl fmt::Debug for PointsView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {}", self.len(), self.space)
    }
}

impl<'a> PointsView<'a> {
    /// Validates `values` where they are, without a copy. `None` when rounding left something over that would have to
    /// be removed, for which [`Points::new`] needs them for itself: numbers that went through a file, say.
    ///
    /// # Errors
    /// As for [`Points::new`].
    pub fn new(manifold: &'a dyn Manifold, values: &'a [f64]) -> Result<Option<Self>> {
        let point_len = check_len(manifold, values.len())?;
        let chunk_is_clean = |(chunk, values): (usize, &[f64])| {
            let mut normalized = vec![0.0; point_len];
            let mut clean = true;
            for (i, p) in values.chunks_exact(point_len).enumerate() {
                check_record(manifold, chunk * CHUNK + i, p)?;
                normalized.copy_from_slice(p);
                manifold.normalize(&mut normalized);
                clean &= is_rounding(p, &normalized);
            }
            Ok(clean)
        };
        // all chunks are looked at, and the first invalid record is the one that is named, whatever the number of
        // threads
        let clean: Vec<Result<bool>> = values.par_chunks(CHUNK * point_len).enumerate().map(chunk_is_clean).collect();
        let clean = clean.into_iter().try_fold(true, |all, chunk| chunk.map(|clean| all && clean))?;
        Ok(clean.then_some(Self { space: manifold.space(), values, point_len }))
    }

    /// Numbers that were never looked at.
    #[cfg(test)]
    pub(crate) fn trusted(manifold: &'a dyn Manifold, values: &'a [f64]) -> Self {
        Self { space: manifold.space(), values, point_len: manifold.point_len() }
    }

    /// As many points of another space, each made from one of these. `change` gets consecutive points, in parallel.
    pub(crate) fn map(self, manifold: &dyn Manifold, change: impl Fn(PointsView<'_>, &mut [f64]) + Sync) -> Points {
        let point_len = manifold.point_len();
        let mut values = vec![0.0; self.len() * point_len];
        values
            .par_chunks_mut(CHUNK * point_len)
            .zip(self.values.par_chunks(CHUNK * self.point_len))
            .for_each(|(out, values)| change(PointsView { values, ..self }, out));
        Points { space: manifold.space().clone(), values, point_len }
    }

    /// The space that the points are of.
    pub fn space(self) -> &'a Space {
        self.space
    }

    /// Refuses points of another space.
    pub(crate) fn check_space(self, manifold: &dyn Manifold) -> Result<Self> {
        check_space("points", manifold.space(), self.space).map(|()| self)
    }

    /// Number of points, `n`.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(self) -> usize {
        self.values.len() / self.point_len
    }

    /// All numbers, point after point.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// The points in consecutive groups of `size`, the last one perhaps smaller.
    pub fn chunks(self, size: usize) -> impl ExactSizeIterator<Item = PointsView<'a>> {
        self.values.chunks(size * self.point_len).map(move |values| PointsView { values, ..self })
    }

    /// Point by point.
    pub fn iter(self) -> std::slice::ChunksExact<'a, f64> {
        self.values.chunks_exact(self.point_len)
    }
}

/// Refuses what belongs to another space.
pub(crate) fn check_space(what: &'static str, expected: &Space, found: &Space) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::SpaceMismatch { what, expected: expected.clone(), found: found.clone() })
}

/// Numbers in a point, if `len` numbers make at least one point and no half one.
fn check_len(manifold: &dyn Manifold, len: usize) -> Result<usize> {
    let expected = manifold.point_len();
    match len % expected {
        0 if len == 0 => Err(Error::NoRecords),
        0 => Ok(expected),
        found => Err(Error::WrongLength { space: manifold.space().clone(), expected, found }),
    }
}

fn check_record(manifold: &dyn Manifold, index: usize, p: &[f64]) -> Result<()> {
    manifold.check_point(p).map_err(|e| Error::InvalidRecord { row: index + 1, reason: e.to_string() })
}

/// Whether two points differ by no more than normalising a normalised point again may change.
fn is_rounding(p: &[f64], q: &[f64]) -> bool {
    let size = p.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    p.iter().zip(q).all(|(p, q)| (p - q).abs() <= 8.0 * f64::EPSILON * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::{Generator, Isotropic, Law};
    use std::sync::Arc;

    const SPACES: [&str; 7] = [
        "euclidean:4",
        "sphere:2",
        "sphere:40",
        "hyperbolic:3",
        "spd-log-euclidean:5",
        "spd-affine-invariant:3",
        "kendall:50",
    ];

    fn cloud(manifold: &Arc<dyn Manifold>, n: usize) -> Vec<f64> {
        let mut generator = Generator::seeded(5);
        let law = Isotropic::new(Arc::clone(manifold), Law::Gaussian, 0.3).unwrap();
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        let mut values = vec![0.0; n * manifold.point_len()];
        for x in values.chunks_exact_mut(manifold.point_len()) {
            law.sample(&center, &mut generator, x).unwrap();
        }
        values
    }

    #[test]
    fn points_that_are_normalized_are_borrowed_as_they_are() {
        for space in SPACES {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let points = Points::new(&*manifold, cloud(&manifold, 700)).unwrap();
            let view = PointsView::new(&*manifold, points.view().values()).unwrap();
            assert_eq!(view.map(PointsView::values), Some(points.view().values()), "{space}");
        }
    }

    #[test]
    fn points_of_seven_digits_are_not_borrowed() {
        for space in SPACES.into_iter().filter(|space| !space.starts_with("euclidean")) {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let mut values = cloud(&manifold, 700);
            let middle = 350 * manifold.point_len() + 1;
            values[middle] += 3e-8 * values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(PointsView::new(&*manifold, &values).unwrap().is_none(), "{space}");
        }
    }

    #[test]
    fn the_first_invalid_record_is_named() {
        let sphere = "sphere:2".parse::<Space>().unwrap().manifold().unwrap();
        let mut values = [0.6, 0.0, 0.8].repeat(2000);
        (values[3 * 1999], values[3 * 700]) = (0.7, f64::NAN);
        let row = |error: Error| matches!(error, Error::InvalidRecord { row: 701, .. });
        assert!(row(PointsView::new(&*sphere, &values).unwrap_err()));
        assert!(row(Points::new(&*sphere, values).unwrap_err()));
        assert_eq!(PointsView::new(&*sphere, &[]).unwrap_err(), Error::NoRecords);
        assert!(matches!(PointsView::new(&*sphere, &[1.0, 0.0]), Err(Error::WrongLength { found: 2, .. })));
    }
}
