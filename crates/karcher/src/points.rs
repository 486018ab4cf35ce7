//! `n` points of one manifold, contiguous and validated.

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use rayon::prelude::*;

/// Points handled by one task. Fixed, so that the order of additions, and with it every digit of a result, is the same for any
/// number of threads.
pub(crate) const CHUNK: usize = 256;

/// Validated records: `n` points, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    values: Vec<f64>,
    point_len: usize,
}

impl Points {
    /// Validates `values` as points of `manifold`, `point_len()` numbers each, and removes what rounding left over.
    ///
    /// # Errors
    /// [`Error::NoRecords`], [`Error::WrongLength`] when the last point is incomplete, [`Error::InvalidRecord`] with the row
    /// and the reason.
    pub fn new(manifold: &dyn Manifold, mut values: Vec<f64>) -> Result<Self> {
        let point_len = manifold.point_len();
        if values.is_empty() {
            return Err(Error::NoRecords);
        }
        if !values.len().is_multiple_of(point_len) {
            return Err(Error::WrongLength {
                space: manifold.space(),
                expected: point_len,
                found: values.len() % point_len,
            });
        }
        for (i, p) in values.chunks_exact_mut(point_len).enumerate() {
            manifold.check_point(p).map_err(|e| Error::InvalidRecord { row: i + 1, reason: e.to_string() })?;
            manifold.normalize(p);
        }
        Ok(Self { values, point_len })
    }

    /// Number of points, `n`.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.values.len() / self.point_len
    }

    /// As many points of another length, each made from one of these. `change` gets consecutive points, in parallel.
    pub(crate) fn map(&self, point_len: usize, change: impl Fn(PointsView<'_>, &mut [f64]) + Sync) -> Self {
        let mut values = vec![0.0; self.len() * point_len];
        values
            .par_chunks_mut(CHUNK * point_len)
            .zip(self.values.par_chunks(CHUNK * self.point_len))
            .for_each(|(out, values)| change(PointsView { values, point_len: self.point_len }, out));
        Self { values, point_len }
    }

    /// The points, borrowed.
    pub fn view(&self) -> PointsView<'_> {
        PointsView { values: &self.values, point_len: self.point_len }
    }
}

/// Borrowed points.
#[derive(Debug, Clone, Copy)]
pub struct PointsView<'a> {
    values: &'a [f64],
    point_len: usize,
}

impl<'a> PointsView<'a> {
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
        let point_len = self.point_len;
        self.values.chunks(size * point_len).map(move |values| PointsView { values, point_len })
    }

    /// Point by point.
    pub fn iter(self) -> std::slice::ChunksExact<'a, f64> {
        self.values.chunks_exact(self.point_len)
    }
}
