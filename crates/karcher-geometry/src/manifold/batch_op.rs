//! Batch operations on many rows, and their operands.

use super::vector::all_finite;

/// Points or tangent vectors, an operand of batch operations such as [`dist_many`](super::Manifold::dist_many).
///
/// ```
/// use karcher_geometry::manifold::Operand;
/// let (same, each) = (Operand::Same(&[1.0, 0.0]), Operand::Each(&[1.0, 0.0, 0.0, 1.0]));
/// assert_eq!((same.row(1, 2), each.row(1, 2)), (&[1.0, 0.0][..], &[0.0, 1.0][..]));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a> {
    /// One, for all rows.
    Same(&'a [f64]),
    /// One for each row, one after the other.
    Each(&'a [f64]),
}

impl<'a> Operand<'a> {
    /// The `width` numbers of the row `i`, counted from 0.
    ///
    /// ```
    /// use karcher_geometry::manifold::Operand;
    /// assert_eq!(Operand::Each(&[1.0, 2.0, 3.0]).row(2, 1), [3.0]);
    /// ```
    #[inline(always)]
    pub fn row(self, i: usize, width: usize) -> &'a [f64] {
        match self {
            Self::Same(values) => values,
            Self::Each(values) => &values[i * width..][..width],
        }
    }

    /// The operand of the same kind with other numbers, such as images of its points.
    pub(super) fn with(self, numbers: &[f64]) -> Operand<'_> {
        match self {
            Self::Same(_) => Operand::Same(numbers),
            Self::Each(_) => Operand::Each(numbers),
        }
    }

    /// All its numbers.
    pub(super) fn numbers(self) -> &'a [f64] {
        let (Self::Same(values) | Self::Each(values)) = self;
        values
    }

    /// Whether all numbers are finite.
    pub(super) fn all_finite(self) -> bool {
        all_finite(self.numbers())
    }

    /// The operand of `count` rows from the row `first` on, for points of `width` numbers.
    ///
    /// ```
    /// use karcher_geometry::manifold::Operand;
    /// assert_eq!(Operand::Each(&[1.0, 2.0, 3.0]).rows(1, 2, 1).row(1, 1), [3.0]);
    /// ```
    #[must_use]
    pub fn rows(self, first: usize, count: usize, width: usize) -> Self {
        match self {
            Self::Same(_) => self,
            Self::Each(values) => Self::Each(&values[first * width..][..count * width]),
        }
    }
}

/// A batch operation, for [`many`](super::Manifold::many) and [`prechecked_many`](super::Manifold::prechecked_many).
///
/// ```
/// use karcher_geometry::manifold::{Euclidean, Manifold, Operand, BatchOp};
/// let (p, q, mut distances) = (Operand::Same(&[1.0]), Operand::Each(&[3.0, -2.0]), [0.0; 2]);
/// Euclidean::new(1)?.many(BatchOp::Dist([p, q]), &mut distances);
/// assert_eq!(distances, [2.0, 3.0]);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum BatchOp<'a> {
    /// `Exp_p(v)`.
    Exp([Operand<'a>; 2]),
    /// `Log_p(q)`.
    Log([Operand<'a>; 2]),
    /// `ρ(p, q)`.
    Dist([Operand<'a>; 2]),
    /// `v` carried from `p` to `q`, in this order: `p`, `q`, `v`.
    Transport([Operand<'a>; 3]),
    /// `⟨u, v⟩_p`: `p`, `u`, `v`.
    Inner([Operand<'a>; 3]),
    /// `‖v‖_p`.
    Norm([Operand<'a>; 2]),
}

impl<'a> BatchOp<'a> {
    /// The operands that are points, and those that are tangent vectors at the first of them.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Operand, BatchOp};
    /// let (p, v) = (Operand::Same(&[1.0]), Operand::Same(&[0.5]));
    /// let exp = BatchOp::Exp([p, v]);
    /// assert_eq!((exp.points_and_vectors().0.len(), exp.points_and_vectors().1.len()), (1, 1));
    /// ```
    pub fn points_and_vectors(&self) -> (&[Operand<'a>], &[Operand<'a>]) {
        match self {
            Self::Log(points) | Self::Dist(points) => (points, &[]),
            Self::Exp(operands) | Self::Norm(operands) => operands.split_at(1),
            Self::Inner(operands) => operands.split_at(1),
            Self::Transport(operands) => operands.split_at(2),
        }
    }

    /// The numbers of a result, on a space whose points have so many.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Operand, BatchOp};
    /// let (p, q) = (Operand::Same(&[1.0, 0.0]), Operand::Same(&[0.0, 1.0]));
    /// assert_eq!((BatchOp::Dist([p, q]).width(2), BatchOp::Log([p, q]).width(2)), (1, 2));
    /// ```
    pub fn width(&self, point_len: usize) -> usize {
        if matches!(self, Self::Dist(_) | Self::Inner(_) | Self::Norm(_)) { 1 } else { point_len }
    }
}

/// Carries vectors from one point to another, [`Manifold::transport_map`](super::Manifold::transport_map).
pub type TransportMap<'a> = Box<dyn Fn(Operand<'_>, &mut [f64]) + Send + Sync + 'a>;
