//! The formulas of a space, written once for one number and for several side by side.

use super::real::Real;

/// The operations of a space, on slices of one length and without branches. A condition chooses between two computed
/// numbers.
pub(super) trait Formulas {
    /// Whether there is more to compute than sums.
    const CURVED: bool = true;

    /// Whether there are rows of two to four numbers.
    const SHORT: bool = true;

    /// `Exp_p(v)`.
    fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T]);

    /// `Log_p(q)`, NaN where there is none.
    fn log<T: Real>(p: &[T], q: &[T], out: &mut [T]);

    /// `ρ(p, q)`.
    fn dist<T: Real>(p: &[T], q: &[T]) -> T;

    /// `v` carried from `p` to `q`, NaN where there is no single shortest geodesic.
    fn transport<T: Real>(p: &[T], q: &[T], v: &[T], out: &mut [T]);

    /// Whether `⟨u, v⟩_p` is `Σ uᵢvᵢ`, whatever the point.
    const FLAT_PRODUCT: bool = false;

    /// `⟨u, v⟩_p`.
    fn inner<T: Real>(p: &[T], u: &[T], v: &[T]) -> T;

    /// Whether `p` certainly passes [`check_point`](super::Manifold::check_point), and
    /// [`normalize`](super::Manifold::normalize) changes it by rounding alone: 1 if so, else 0.
    fn is_point<T: Real>(p: &[T]) -> T;

    /// Whether `v` certainly passes [`check_tangent`](super::Manifold::check_tangent) at the point `p`, likewise.
    fn is_tangent<T: Real>(p: &[T], v: &[T]) -> T;
}
