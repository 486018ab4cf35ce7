//! `n` points of one space, one after the other. They are validated where spaces are (`manifold/validated.rs`).

use crate::error::{Error, Result};
use crate::space::Space;
use rayon::prelude::*;
use std::fmt;

/// Points handled by one task, at most, and the numbers that are enough for one, of 16 points at least. Fixed, so that
/// the order of additions, and with it every digit of a result, is the same for any number of threads.
pub const CHUNK: usize = 256;
const NUMBERS: usize = 65_536;

/// Points of so many numbers each that one task handles.
fn chunk(point_len: usize) -> usize {
    (NUMBERS / point_len).clamp(16, CHUNK)
}

/// Validated records: `n` points, one after the other.
///
/// They know their space: given to another one they are refused ([`Error::SpaceMismatch`]). Printed with `{:?}` they
/// show their space and number only.
///
/// ```
/// use karcher_geometry::{Points, manifold::Sphere};
/// let points = Points::new(&Sphere::new(1)?, vec![1.0, 0.0, 0.0, 1.0])?;
/// assert_eq!(format!("{points:?}"), "2 points of sphere:1"); // nothing of the records
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Points {
    pub(crate) space: Space,
    pub(crate) values: Vec<f64>,
    pub(crate) point_len: usize,
}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {}", self.len(), self.space)
    }
}

impl Points {
    /// Number of points, `n`.
    #[allow(clippy::len_without_is_empty)] // only those of Points::none, or selected, are empty
    pub fn len(&self) -> usize {
        self.values.len() / self.point_len
    }

    /// Takes numbers for points of a space, `point_len` each, without a check: for callers that made them.
    ///
    /// No law and no guarantee covers numbers that are not points. [`Points::new`] validates.
    ///
    /// ```
    /// use karcher_geometry::{Points, Space};
    /// let points = Points::unchecked(&Space::named("sphere:1"), 2, vec![0.6, 0.8]);
    /// assert_eq!(points.len(), 1);
    /// ```
    pub fn unchecked(space: &Space, point_len: usize, values: Vec<f64>) -> Self {
        Self { space: space.clone(), values, point_len }
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
///
/// ```
/// use karcher_geometry::{Points, manifold::Euclidean};
/// let points = Points::new(&Euclidean::new(2)?, vec![1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!(points.view().iter().map(|p| p[0] * p[1]).sum::<f64>(), 14.0);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PointsView<'a> {
    pub(crate) space: &'a Space,
    pub(crate) values: &'a [f64],
    pub(crate) point_len: usize,
}

impl fmt::Debug for PointsView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {}", self.len(), self.space)
    }
}

impl<'a> PointsView<'a> {
    /// Takes numbers for points of a space, `point_len` each, without a check: [`Points::unchecked`], borrowed.
    ///
    /// ```
    /// use karcher_geometry::{PointsView, Space};
    /// let sphere = Space::named("sphere:1");
    /// assert_eq!(PointsView::unchecked(&sphere, 2, &[0.6, 0.8, 1.0, 0.0]).len(), 2);
    /// ```
    pub fn unchecked(space: &'a Space, point_len: usize, values: &'a [f64]) -> Self {
        Self { space, values, point_len }
    }

    /// As many points of another space, each made from one of these. `change` gets consecutive points, in parallel.
    ///
    /// ```
    /// use karcher_geometry::{Points, Space, manifold::Euclidean};
    /// let points = Points::new(&Euclidean::new(1)?, vec![1.0, 2.0])?;
    /// let pairs = points.view().map(&Space::named("euclidean:2"), 2, |some, out| {
    ///     some.iter().zip(out.chunks_exact_mut(2)).for_each(|(p, pair)| pair.copy_from_slice(&[p[0], -p[0]]));
    /// });
    /// assert_eq!(pairs.view().values(), [1.0, -1.0, 2.0, -2.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn map(self, space: &Space, point_len: usize, change: impl Fn(PointsView<'_>, &mut [f64]) + Sync) -> Points {
        let (mut values, chunk) = (vec![0.0; self.len() * point_len], chunk(self.point_len));
        values
            .par_chunks_mut(chunk * point_len)
            .zip(self.values.par_chunks(chunk * self.point_len))
            .for_each(|(out, values)| change(PointsView { values, ..self }, out));
        Points { space: space.clone(), values, point_len }
    }

    /// The space that the points are of.
    pub fn space(self) -> &'a Space {
        self.space
    }

    /// Refuses points of another space.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`].
    pub fn check_space(self, expected: &Space) -> Result<Self> {
        check_space("points", expected, self.space).map(|()| self)
    }

    /// Number of points, `n`.
    #[allow(clippy::len_without_is_empty)] // only those of Points::none, or selected, are empty
    pub fn len(self) -> usize {
        self.values.len() / self.point_len
    }

    /// Numbers in a point.
    pub fn point_len(self) -> usize {
        self.point_len
    }

    /// All numbers, point after point.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// The points in consecutive groups of `size`, the last one perhaps smaller.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::Euclidean};
    /// let points = Points::new(&Euclidean::new(1)?, vec![1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// let sizes: Vec<usize> = points.view().chunks(2).map(|chunk| chunk.len()).collect();
    /// assert_eq!(sizes, [2, 2, 1]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn chunks(self, size: usize) -> impl ExactSizeIterator<Item = PointsView<'a>> {
        self.values.chunks(size * self.point_len).map(move |values| PointsView { values, ..self })
    }

    /// The points in the groups that one task each handles, with the place of each group's first point.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::Euclidean};
    /// let points = Points::new(&Euclidean::new(1)?, vec![0.0; 300])?;
    /// let places: Vec<_> = points.view().tasks().map(|(first, some)| (first, some.len())).collect();
    /// assert_eq!(places, [(0, 256), (256, 44)]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn tasks(self) -> impl ExactSizeIterator<Item = (usize, PointsView<'a>)> {
        let size = chunk(self.point_len);
        self.chunks(size).enumerate().map(move |(i, chunk)| (i * size, chunk))
    }

    /// The points at the positions that are chosen, counted from 0, in their order: those of a group. There may be
    /// none.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::Euclidean};
    /// let points = Points::new(&Euclidean::new(1)?, vec![1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// assert_eq!(points.view().select(|i| i % 2 == 1).view().values(), [2.0, 4.0]);
    /// assert_eq!(points.view().select(|_| false).len(), 0);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn select(self, is_chosen: impl Fn(usize) -> bool) -> Points {
        let chosen = self.iter().enumerate().filter(|(i, _)| is_chosen(*i));
        let values = chosen.flat_map(|(_, point)| point).copied().collect();
        Points { space: self.space.clone(), values, point_len: self.point_len }
    }

    /// Point by point.
    pub fn iter(self) -> std::slice::ChunksExact<'a, f64> {
        self.values.chunks_exact(self.point_len)
    }
}

/// Refuses a value of another space.
///
/// # Errors
/// [`Error::SpaceMismatch`], which names `what`.
pub fn check_space(what: &'static str, expected: &Space, found: &Space) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::SpaceMismatch { what, expected: expected.clone(), found: found.clone() })
}
