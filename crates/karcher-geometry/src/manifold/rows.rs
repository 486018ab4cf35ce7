//! One formula for many rows of numbers, several of them side by side.
//!
//! Every operation of a formula is one of IEEE 754, never fused ([`Real`]). So a row's numbers are the same for one row
//! as for many, on every machine.

use super::real::Real;
use crate::linalg::{Lanes, dispatch, one_by_one, side_by_side};
use pulp::{Simd, WithSimd};

/// Rows that take more numbers than this, with their results and what is between, go in one register each: more of them
/// would not fit in the fastest cache.
const MODERATE: usize = 512;

/// What is computed of each row by itself.
pub(super) trait Formula {
    /// The numbers of a row, of its result, and of the room between.
    fn widths(&self) -> [usize; 3];

    /// The result of a row, or of each of several rows. `room` holds any numbers.
    fn apply<T: Real>(&self, x: &[T], out: &mut [T], room: &mut [T]);
}

/// The result of one row.
pub(super) fn of_one(formula: &impl Formula, x: &[f64]) -> Vec<f64> {
    let [_, width, room] = formula.widths();
    let mut out = vec![0.0; width];
    formula.apply(x, &mut out, &mut vec![0.0; room]);
    out
}

/// The results of rows, one after the other.
pub(super) fn of_each(formula: &impl Formula, x: &[f64]) -> Vec<f64> {
    let [from, to, _] = formula.widths();
    let mut out = vec![0.0; x.len() / from * to];
    into_each(formula, x, &mut out);
    out
}

/// [`of_each`], into `out`.
pub(super) fn into_each(formula: &impl Formula, x: &[f64], out: &mut [f64]) {
    dispatch(Rows { formula, x, out });
}

struct Rows<'a, F> {
    formula: &'a F,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl<F: Formula> WithSimd for Rows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if self.formula.widths().iter().sum::<usize>() <= MODERATE {
            self.run::<S, 2>(simd)
        } else {
            self.run::<S, 1>(simd)
        }
    }
}

impl<F: Formula> Rows<'_, F> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) {
        let (Self { formula, x, out }, count) = (self, Lanes::<S, P>::COUNT);
        // lanes without a row hold an earlier one's numbers, or zeros; their results are never read
        let [mut row, mut result, mut room] =
            formula.widths().map(|width| vec![Lanes::<S, P>::splat(simd, 0.0); width]);
        let (from, to) = (row.len(), result.len());
        for (x, out) in x.chunks(count * from).zip(out.chunks_mut(count * to)) {
            let together = x.len() / from;
            side_by_side(simd, together, x, &mut row);
            formula.apply(&row, &mut result, &mut room);
            one_by_one(simd, together, &result, out);
        }
    }
}
