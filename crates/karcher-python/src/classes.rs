//! Matrices of classes: the rows of one, the distances to the means of all, and the coordinates in a tangent space.

use crate::arrays::{Array, Records};
use crate::broadcast::{Batch, points, zeros};
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::mean::records;
use crate::work::{Interrupt, fill};
use karcher::manifold::{BatchOp, Euclidean, Operand, TangentSpace};
use karcher::{Manifold, PointsView};
use numpy::{PyArrayDyn, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

/// Numbers of the matrices that one task works on, about: they and what is made of them fit into the memory next to a
/// core. Not fewer matrices than are worked on side by side.
const NUMBERS: usize = 1 << 15;
const FEWEST: usize = 16;

/// Rows that one task copies.
const COPIED: usize = 256;

/// An array of the rows of another one with the given numbers, from 0.
#[pyfunction]
pub fn chosen_rows<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    rows: PyReadonlyArray1<'py, i64>,
) -> Result<Bound<'py, PyArrayDyn<f64>>, Failure> {
    let x = Array::new(x)?;
    let rows: Vec<usize> = rows.as_array().iter().map(|row| *row as usize).collect();
    let width = x.shape().iter().skip(1).product::<usize>();
    let axes: Vec<usize> = [rows.len()].into_iter().chain(x.shape().iter().skip(1).copied()).collect();
    let chosen = zeros(py, axes)?;
    if width > 0 {
        fill(py, [x], &chosen, move |[values], out, _| {
            out.par_chunks_mut(COPIED * width).zip(rows.par_chunks(COPIED)).for_each(|(out, rows)| {
                for (out, row) in out.chunks_exact_mut(width).zip(rows) {
                    out.copy_from_slice(&values[row * width..][..width]);
                }
            });
            Ok(())
        })?;
    }
    Ok(chosen)
}

/// The rows of an array as points, with the center for each that is none.
#[pyfunction]
pub fn points_or_center<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    center: Vec<f64>,
) -> Result<Bound<'py, PyArrayDyn<f64>>, Failure> {
    let (space, x) = (manifold.get().share(), records::<f64>(manifold.get(), "X", x)?.array);
    let found = zeros(py, x.shape().to_vec())?;
    fill(py, [x], &found, move |[values], out, _| {
        out.copy_from_slice(Records::with_substitute(&*space, values, &center)?.view().values());
        Ok(())
    })?;
    Ok(found)
}

/// The distances of points to each of a few others: a row for each point.
#[pyfunction]
pub fn distances_to<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    means: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyArrayDyn<f64>>, Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let of = |x, name| Batch::new(x, name, shape, space.space());
    let (means, x) = (of(means, "p")?, of(x, "q")?);
    let classes = means.axes.iter().product::<usize>();
    let result = zeros(py, [&x.axes[..], &[classes]].concat())?;
    let axes = [means.axes, x.axes];
    let manifold = space;
    fill(py, [means.array, x.array], &result, move |[means, values], out, interrupt| {
        let manifold = &*manifold;
        if values.is_empty() {
            points(manifold, "q", values, &axes[1])?; // says that there is none
        }
        let means = points(manifold, "p", means, &axes[0])?;
        let means: Vec<&[f64]> = means.view().iter().collect();
        let flat = match manifold.flat_chart() {
            Some(chart) => {
                let mut flat = vec![0.0; means.len() * manifold.dim()];
                means.iter().zip(flat.chunks_exact_mut(manifold.dim())).for_each(|(mean, c)| chart.to_flat(mean, c));
                Some((chart, Euclidean::new(manifold.dim())?, flat))
            }
            None => None,
        };
        of_points(manifold, ("q", values, &axes[1]), (out, classes), interrupt, |x, out| {
            let mut column = vec![0.0; x.len()];
            let mut flat_points = Vec::new();
            if let Some((chart, ..)) = &flat {
                flat_points.resize(x.len() * manifold.dim(), 0.0); // logarithms that all classes share
                chart.all_to_flat(x, &mut flat_points);
            }
            for (j, mean) in means.iter().enumerate() {
                match &flat {
                    Some((_, euclidean, flat)) => {
                        let mean = Operand::Same(&flat[j * manifold.dim()..][..manifold.dim()]);
                        euclidean.many(BatchOp::Dist([mean, Operand::Each(&flat_points)]), &mut column);
                    }
                    None => manifold.many(BatchOp::Dist([Operand::Same(mean), Operand::Each(x.values())]), &mut column),
                }
                out[j..].iter_mut().step_by(classes).zip(&column).for_each(|(out, distance)| *out = *distance);
            }
            Ok(())
        })
    })?;
    Ok(result)
}

/// The coordinates of points in the tangent space at a positive definite matrix: upper triangles, row by row. A point
/// that has none is refused, or has zeros where that is `allowed`.
#[pyfunction]
#[pyo3(signature = (manifold, reference, x, allowed=false))]
pub fn upper_triangles<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    reference: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    allowed: bool,
) -> Result<Bound<'py, PyArrayDyn<f64>>, Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let of = |x, name| Batch::new(x, name, shape, space.space());
    let (reference, x) = (of(reference, "reference")?, of(x, "X")?);
    let result = zeros(py, [&x.axes[..], &[space.dim()]].concat())?;
    let (axes, manifold) = (x.axes, space);
    fill(py, [reference.array, x.array], &result, move |[reference, values], out, interrupt| {
        let manifold = &*manifold;
        let reference = points(manifold, "reference", reference, &[])?;
        let no_matrix = || Failure::NotAPoint("reference: it is no positive definite matrix".to_owned());
        let tangent_space = TangentSpace::new(manifold, reference.view().values()).ok_or_else(no_matrix)?;
        of_points(manifold, ("X", values, &axes), (out, manifold.dim()), interrupt, |x, out| {
            match tangent_space.coordinates(x, out) {
                Err(_) if allowed => x.chunks(1).zip(out.chunks_exact_mut(manifold.dim())).for_each(|(x, out)| {
                    if tangent_space.coordinates(x, out).is_err() {
                        out.fill(0.0);
                    }
                }),
                done => done?,
            }
            Ok(())
        })
    })?;
    Ok(result)
}

/// `f(points, out)` of some points at a time, in parallel, `width` numbers a point. They are checked where they are
/// used; where that does not suffice, or anything is wrong, all are before anything else is done.
fn of_points(
    manifold: &dyn Manifold,
    (name, values, axes): (&str, &[f64], &[usize]),
    (out, width): (&mut [f64], usize),
    interrupt: &Interrupt,
    f: impl Fn(PointsView<'_>, &mut [f64]) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let len = manifold.point_len();
    let rows = (NUMBERS / len).max(FEWEST);
    let mut each = |values: &[f64]| -> Result<(), Failure> {
        let some = |(values, out): (&[f64], &mut [f64])| {
            interrupt.check();
            match PointsView::new(manifold, values)? {
                Some(points) => f(points, out),
                None => Err(Failure::Sentence("numbers that take a second look".to_owned())),
            }
        };
        values.par_chunks(rows * len).zip(out.par_chunks_mut(rows * width)).map(some).collect()
    };
    if each(values).is_ok() {
        return Ok(());
    }
    each(points(manifold, name, values, axes)?.view().values())
}
