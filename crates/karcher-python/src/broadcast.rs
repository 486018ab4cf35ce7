//! Operands whose leading axes go together as NumPy's do: one point against many, row against row, or every row of one
//! against every row of another.

use crate::arrays::{Array, Records, tuple};
use crate::error::Failure;
use crate::work::Interrupt;
use karcher::error::GeometryError;
use karcher::manifold::Operand;
use karcher::{Error, Manifold, Space};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use rayon::prelude::*;

/// Numbers that one task works on, about, or so many rows where that is more. Of few rows it is half of them, and not
/// fewer than a batch of matrices side by side.
const NUMBERS: usize = 4096;
const ROWS: usize = 256;
const FEWEST_ROWS: usize = 16;

/// An array of elements of one shape, along any number of leading axes.
pub struct Batch {
    /// All numbers.
    pub array: Array,
    /// The leading axes; none for one element.
    pub axes: Vec<usize>,
}

impl Batch {
    /// `x` as elements of the given shape; `name` is the argument's.
    pub fn new(x: &Bound<'_, PyAny>, name: &str, shape: &[usize], space: &Space) -> Result<Self, Failure> {
        let array = Array::new(x)?;
        match array.shape().strip_suffix(shape) {
            Some(axes) => Ok(Self { axes: axes.to_vec(), array }),
            None => {
                let (found, one) = (tuple(array.shape()), tuple(shape));
                let several = tuple(shape).replacen('(', "(n, ", 1).replace(",)", ")");
                Err(Failure::Sentence(format!(
                    "{name} has shape {found}: for {space} it must have shape {one}, or {several} for n of them"
                )))
            }
        }
    }
}

/// The points of an argument called `name`, along its leading axes, each checked once, in parallel.
pub fn points<'a>(
    manifold: &'a dyn Manifold,
    name: &str,
    values: &'a [f64],
    axes: &[usize],
) -> Result<Records<'a>, Failure> {
    Records::new(manifold, values).map_err(|error| match error {
        Error::Geometry(GeometryError::InvalidRecord { row, reason }) => match place(row.saturating_sub(1), axes) {
            Some(row) => Failure::NotAPoint(format!("{name}, row {row}: {reason}")),
            None => Failure::NotAPoint(format!("{name}: {reason}")),
        },
        error => Failure::Refused(error),
    })
}

/// A row in words, counted from 1: `2`, or `(2, 1)` where there are more axes; nothing where there are none.
fn place(row: usize, axes: &[usize]) -> Option<String> {
    let mut rest = row;
    let mut index: Vec<usize> = axes.iter().rev().map(|n| (rest % n + 1, rest /= n).0).collect();
    index.reverse();
    match index[..] {
        [] => None,
        [row] => Some(row.to_string()),
        _ => Some(tuple(&index)),
    }
}

/// How the rows of `N` operands go together.
pub struct Broadcast<const N: usize> {
    /// The leading axes of the result.
    pub axes: Vec<usize>,
    /// The same rows along as few axes as possible: how long each is, and how many rows of each operand a step along it
    /// is. Along the last one it is one row or none.
    steps: Vec<(usize, [usize; N])>,
}

impl<const N: usize> Broadcast<N> {
    /// The leading axes of operands with their names.
    pub fn new(operands: [(&str, &[usize]); N]) -> Result<Self, Failure> {
        let count = operands.iter().map(|(_, axes)| axes.len()).max().unwrap_or(0);
        // from the right, as NumPy does
        let length = |axes: &[usize], k: usize| if k < axes.len() { axes[axes.len() - 1 - k] } else { 1 };
        let (mut axes, mut steps): (Vec<usize>, Vec<(usize, [usize; N])>) = (vec![], vec![]);
        let mut below = [1; N];
        for k in 0..count {
            let lengths = operands.map(|(_, axes)| length(axes, k));
            let longest = lengths.into_iter().find(|n| *n != 1).unwrap_or(1);
            if lengths.iter().any(|n| *n != 1 && *n != longest) {
                return Err(Self::mismatch(operands));
            }
            axes.push(longest);
            let step: [usize; N] = std::array::from_fn(|i| if lengths[i] == 1 { 0 } else { below[i] });
            below = std::array::from_fn(|i| below[i] * lengths[i]);
            match steps.last_mut() {
                _ if longest == 1 => {}
                // the same as going on along the axis before
                Some((n, inner)) if (0..N).all(|i| step[i] == inner[i] * *n) => *n *= longest,
                _ => steps.push((longest, step)),
            }
        }
        axes.reverse();
        steps.reverse();
        Ok(Self { axes, steps })
    }

    /// That of batches with their names.
    pub fn of(batches: &[(&str, Batch); N]) -> Result<Self, Failure> {
        Self::new(batches.each_ref().map(|(name, batch)| (*name, &*batch.axes)))
    }

    fn mismatch(operands: [(&str, &[usize]); N]) -> Failure {
        let rows: Vec<_> = operands.iter().filter(|(_, axes)| !axes.is_empty()).collect();
        if rows.iter().all(|(_, axes)| axes.len() == 1)
            && let [(first, n), (name, m), ..] = rows.iter().filter(|(_, axes)| axes[0] != 1).collect::<Vec<_>>()[..]
        {
            let others = rows.iter().find(|(_, axes)| axes[0] != 1 && axes[0] != n[0]);
            let (name, m) = others.map_or((name, m), |(name, axes)| (name, axes));
            return Failure::Sentence(format!(
                "{first} has {} rows and {name} has {}: there must be equally many, or one element for all",
                n[0], m[0]
            ));
        }
        let axes: Vec<String> =
            rows.iter().map(|(name, axes)| format!("those of {name} are {}", tuple(axes))).collect();
        Failure::Sentence(format!(
            "leading axes do not go together: {}; from the last one on they must be equally long, or 1",
            axes.join(", ")
        ))
    }

    /// The rows from `first` on, at most `count`, that need one step each along the last axis: how many they are, and
    /// the first row of each operand.
    fn run(&self, first: usize, count: usize) -> (usize, [usize; N]) {
        let (mut rest, mut at) = (first, [0; N]);
        for (n, step) in self.steps.iter().rev() {
            at = std::array::from_fn(|i| at[i] + rest % n * step[i]);
            rest /= n;
        }
        let last = self.steps.last().map_or(1, |(n, _)| *n);
        (count.min(last - first % last), at)
    }

    /// `f(operands, out)` for runs of rows, in parallel, or one after the other without an interrupt: each operand,
    /// of so many numbers a row, is one for all rows of a run or one for each. It fails with the row in the run; the
    /// first row that fails is the one that is named.
    pub fn map(
        &self,
        operands: [(&[f64], usize); N],
        out: (&mut [f64], usize),
        interrupt: Option<&Interrupt>,
        f: impl Fn([Operand<'_>; N], &mut [f64]) -> Result<(), (usize, Failure)> + Sync,
    ) -> Result<(), Failure> {
        let (out, width) = out;
        let is_each = self.steps.last().map_or([false; N], |(_, step)| step.map(|step| step == 1));
        let widest = operands.iter().map(|(_, width)| *width).max().unwrap_or(1).max(1);
        let rows = (NUMBERS / widest).max(ROWS);
        // the same for any number of threads, and with it which error is the first
        let rows = (out.len() / width.max(1)).div_ceil(2).clamp(FEWEST_ROWS, rows);
        let fill = |(chunk, out): (usize, &mut [f64])| {
            if let Some(interrupt) = interrupt {
                interrupt.check();
            }
            let (mut row, mut out) = (chunk * rows, out);
            while !out.is_empty() {
                let (count, at) = self.run(row, out.len() / width);
                let operands = std::array::from_fn(|i| {
                    let (values, width) = operands[i];
                    let count = if is_each[i] { count } else { 1 };
                    let values = &values[at[i] * width..][..count * width];
                    if is_each[i] { Operand::Each(values) } else { Operand::Same(values) }
                });
                let (run, rest) = std::mem::take(&mut out).split_at_mut(count * width);
                f(operands, run).map_err(|(i, failure)| match place(row + i, &self.axes) {
                    Some(row) => Failure::Row(row, Box::new(failure)),
                    None => failure,
                })?;
                (row, out) = (row + count, rest);
            }
            Ok(())
        };
        if interrupt.is_none() {
            return out.chunks_mut(rows * width).enumerate().try_for_each(fill);
        }
        let done: Vec<Result<(), Failure>> = out.par_chunks_mut(rows * width).enumerate().map(fill).collect();
        done.into_iter().collect()
    }

    /// Whether each row of the first operand meets each of the second, row after row, and there are any.
    pub fn is_of_pairs(&self) -> bool {
        let [(rows, outer), (columns, inner)] = self.steps[..] else { return false };
        rows > 0 && columns > 0 && outer[..] == [1, 0] && inner[..] == [0, 1]
    }

    /// An array of zeros for the result, whose elements have the axes `shape`, if there is memory for it.
    pub fn zeros<'py>(&self, py: Python<'py>, shape: &[usize]) -> Result<Bound<'py, PyArrayDyn<f64>>, Failure> {
        zeros(py, [&self.axes, shape].concat())
    }
}

/// An array of zeros with these axes, if there is memory for it.
pub fn zeros(py: Python<'_>, axes: Vec<usize>) -> Result<Bound<'_, PyArrayDyn<f64>>, Failure> {
    let no_memory = || Failure::Sentence("there is not enough memory for the result".to_owned());
    let numbers = axes.iter().try_fold(1_usize, |count, n| count.checked_mul(*n)).ok_or_else(no_memory)?;
    Vec::<f64>::new().try_reserve_exact(numbers).map_err(|_| no_memory())?;
    Ok(PyArrayDyn::zeros(py, axes, false))
}
