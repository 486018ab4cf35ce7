//! The class `Manifold`: the operations of a space on arrays of points.

use crate::advice::advised;
use crate::arrays::{CHUNK, Point, Records, array, number_or_array};
use crate::broadcast::{Batch, Broadcast, points};
use crate::error::Failure;
use crate::names::{check_axes, check_names};
use crate::work::{Interrupt, fill, fill_here, run};
use karcher::error::GeometryError;
use karcher::manifold::{BatchOp, Layout, Operand, Shape, TransportMap};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Error, Manifold, PointsView, Space};
use karcher_io::Rounding;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::prelude::*;
use std::sync::Arc;

/// A complete Riemannian manifold. Its subclasses in `karcher.manifolds` are what users make.
#[pyclass(name = "Manifold", module = "karcher._karcher", subclass, frozen)]
pub struct PyManifold {
    manifold: Arc<dyn Manifold>,
    shape: Vec<usize>,
}

impl From<Arc<dyn Manifold>> for PyManifold {
    fn from(manifold: Arc<dyn Manifold>) -> Self {
        Self { shape: manifold.shape().axes(), manifold }
    }
}

/// The layout of a name.
pub fn named_layout(space: &dyn Manifold, name: &str) -> Result<Layout, Failure> {
    let layouts = space.layouts();
    let found = layouts.iter().find(|layout| layout.name() == name).cloned();
    found.ok_or_else(|| {
        let names = layouts.iter().map(Layout::name).collect::<Vec<_>>().join(", ");
        Failure::Sentence(format!("unknown layout `{name}` of {}: expected {names}", space.space()))
    })
}

/// An argument with its name.
type Argument<'a, 'py> = (&'static str, &'a Bound<'py, PyAny>);

impl PyManifold {
    /// The library's manifold.
    pub fn get(&self) -> &dyn Manifold {
        &*self.manifold
    }

    /// The library's manifold, for work that may outlive the call.
    pub fn share(&self) -> Arc<dyn Manifold> {
        Arc::clone(&self.manifold)
    }

    /// The axes of a point.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Arguments as batches of the space's elements.
    fn batches<const N: usize>(&self, arguments: [Argument<'_, '_>; N]) -> Result<[(&'static str, Batch); N], Failure> {
        let of = |(name, x)| Ok((name, Batch::new(x, name, &self.shape, self.manifold.space())?));
        let mut batches = arguments.into_iter().map(of).collect::<Result<Vec<_>, Failure>>()?.into_iter();
        Ok(std::array::from_fn(|_| batches.next().expect("one for each argument")))
    }

    /// An operation at all rows, without the GIL; the result's elements have the axes `shape`. Operands are checked, or
    /// they are taken as they are.
    fn rowwise<'py, const N: usize>(
        &self,
        py: Python<'py>,
        arguments: [Argument<'_, 'py>; N],
        operation: for<'a> fn([Operand<'a>; N]) -> BatchOp<'a>,
        shape: &[usize],
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rows(py, self.batches(arguments)?, operation, shape, check)
    }

    fn rows<'py, const N: usize>(
        &self,
        py: Python<'py>,
        batches: [(&'static str, Batch); N],
        operation: for<'a> fn([Operand<'a>; N]) -> BatchOp<'a>,
        shape: &[usize],
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let broadcast = Broadcast::of(&batches)?;
        let result = broadcast.zeros(py, shape)?;
        let manifold = self.share();
        let names = batches.each_ref().map(|(name, _)| *name);
        let axes = batches.each_ref().map(|(_, batch)| batch.axes.clone());
        let arrays = batches.map(|(_, batch)| batch.array);
        let rowwise = Rowwise { operation, broadcast, axes, width: shape.iter().product(), check };
        let rows: usize = rowwise.broadcast.axes.iter().product();
        let longest = arrays.iter().map(|array| array.shape().iter().product()).max().unwrap_or(0);
        // a matrix takes as many operations as its numbers times its rows
        let cost = longest.max(rows * manifold.point_len()) as f64 * (manifold.point_len() as f64).sqrt();
        let here = |values: [&[f64]; N], out: &mut [f64]| rowwise.at_once(&*manifold, values, out, None);
        let done = fill_here(arrays.each_ref(), &result, cost, here)?.transpose()?;
        if done != Some(true) {
            fill(py, arrays, &result, move |values, out, interrupt| {
                if done.is_none() && rowwise.at_once(&*manifold, values, out, Some(interrupt))? {
                    return Ok(());
                }
                rowwise.after_checks(&*manifold, names, values, out, interrupt)
            })?;
        }
        number_or_array(result)
    }

    /// `f(point, out)` of each point, where the result's elements have the axes `shape`.
    fn each_point<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        shape: &[usize],
        f: impl Fn(&[f64], &mut [f64]) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let [(name, Batch { array, axes })] = self.batches([("x", x)])?;
        let broadcast = Broadcast::new([(name, &*axes)])?;
        let result = broadcast.zeros(py, shape)?;
        let (manifold, width) = (self.share(), shape.iter().product());
        fill(py, [array], &result, move |[values], out, interrupt| {
            let (checked, len) = (points(&*manifold, name, values, &axes)?, manifold.point_len());
            broadcast.map([(checked.view().values(), len)], (out, width), Some(interrupt), |[x], out| {
                let mut rows = out.chunks_exact_mut(width).enumerate();
                rows.try_for_each(|(i, out)| f(x.row(i, len), out).map_err(|failure| (i, failure)))
            })
        })?;
        number_or_array(result)
    }

    /// The distances of all pairs.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        batches: [(&'static str, Batch); 2],
        broadcast: &Broadcast<2>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let result = broadcast.zeros(py, &[])?;
        let manifold = self.share();
        let of = batches.each_ref().map(|(name, batch)| (*name, batch.axes.clone()));
        fill(py, batches.map(|(_, batch)| batch.array), &result, move |[p, q], out, interrupt| {
            let (manifold, len) = (&*manifold, manifold.point_len());
            let checked = if check {
                Some([points(manifold, of[0].0, p, &of[0].1)?, points(manifold, of[1].0, q, &of[1].1)?])
            } else {
                None
            };
            let (p, q) = checked.as_ref().map_or((p, q), |[p, q]| (p.view().values(), q.view().values()));
            let columns = q.len() / len;
            let rows = (PAIRS / columns).max(ROWS);
            for (p, out) in p.chunks(rows * len).zip(out.chunks_mut(rows * columns)) {
                interrupt.check();
                manifold.dist_matrix(p, q, out);
            }
            Ok(())
        })?;
        number_or_array(result)
    }
}

/// Pairs whose distances are computed without a look at whether anybody wants them still, and how many rows of them at
/// least: what is computed of each column by itself is computed once for all of these.
const PAIRS: usize = 1 << 18;
const ROWS: usize = 256;

/// An operation at all rows of its operands.
struct Rowwise<const N: usize> {
    operation: for<'a> fn([Operand<'a>; N]) -> BatchOp<'a>,
    broadcast: Broadcast<N>,
    axes: [Vec<usize>; N],
    width: usize,
    check: bool,
}

impl<const N: usize> Rowwise<N> {
    /// How many of the operands are points. They are the first ones.
    fn points(&self) -> usize {
        (self.operation)([Operand::Each(&[]); N]).points_and_vectors().0.len()
    }

    /// Whether the result is there. Operands that are checked are looked at where they are used, if no point is used
    /// more than once, except one that is alone. Where that does not suffice, or anything is wrong, there is no result.
    fn at_once(
        &self,
        manifold: &dyn Manifold,
        values: [&[f64]; N],
        out: &mut [f64],
        interrupt: Option<&Interrupt>,
    ) -> Result<bool, Failure> {
        let Self { operation, broadcast, axes, width, check } = self;
        let (len, width) = (manifold.point_len(), *width);
        let is_used_once = |i: usize| axes[i] == broadcast.axes || values[i].len() == len;
        if *check && !((0..self.points()).all(is_used_once) && values.iter().all(|values| !values.is_empty())) {
            return Ok(false);
        }
        let transport_map = one_way(manifold, operation(values.map(Operand::Same)));
        let apply = |operation: BatchOp<'_>, out: &mut [f64]| match (&transport_map, operation) {
            (Some(carry), BatchOp::Transport([p, _, v])) => {
                let is_fit = !check || manifold.prechecked_tangents(p, v, out.len() / width);
                if is_fit {
                    carry(v, out);
                }
                is_fit
            }
            (_, operation) if *check => manifold.prechecked_many(operation, out),
            (_, operation) => {
                manifold.many(operation, out);
                true
            }
        };
        let done = broadcast.map(values.map(|values| (values, len)), (out, width), interrupt, |operands, out| {
            if !apply(operation(operands), out) {
                return Err((0, Failure::Sentence("numbers that take a second look".to_owned())));
            }
            check_defined(manifold, operation(operands), out)
        });
        match done {
            Ok(()) => Ok(true),
            Err(_) if *check => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// Checks all points before anything else is, and then computes.
    fn after_checks(
        &self,
        manifold: &dyn Manifold,
        names: [&'static str; N],
        values: [&[f64]; N],
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let len = manifold.point_len();
        let checked = (0..self.points()).map(|i| points(manifold, names[i], values[i], &self.axes[i]));
        let checked = checked.collect::<Result<Vec<_>, _>>()?;
        let operands = std::array::from_fn(|i| (checked.get(i).map_or(values[i], |p| p.view().values()), len));
        self.broadcast.map(operands, (out, self.width), Some(interrupt), |operands, out| {
            let (operation, rows) = ((self.operation)(operands), out.len() / self.width);
            for v in operation.points_and_vectors().1 {
                check_tangents(manifold, operands[0], *v, rows)?;
            }
            manifold.many(operation, out);
            check_defined(manifold, operation, out)
        })
    }
}

/// What carries vectors from one point to one other, where both certainly are points.
fn one_way<'a>(manifold: &'a dyn Manifold, operation: BatchOp<'_>) -> Option<TransportMap<'a>> {
    match operation {
        BatchOp::Transport([Operand::Same(p), Operand::Same(q), _])
            if [p, q].iter().all(|p| p.len() == manifold.point_len() && manifold.prechecked_points(p)) =>
        {
            manifold.transport_map(p, q)
        }
        _ => None,
    }
}

/// Refuses the first of so many rows whose vector is not tangent at its point.
fn check_tangents(
    manifold: &dyn Manifold,
    p: Operand<'_>,
    v: Operand<'_>,
    rows: usize,
) -> Result<(), (usize, Failure)> {
    let len = manifold.point_len();
    if manifold.prechecked_tangents(p, v, rows) {
        return Ok(());
    }
    for i in 0..rows {
        manifold.check_tangent(p.row(i, len), v.row(i, len)).map_err(|error| (i, error.into()))?;
    }
    Ok(())
}

/// Refuses the first row that is NaN, because there is no logarithm or no transported vector. The error is that of the
/// operation on that row alone.
fn check_defined(manifold: &dyn Manifold, operation: BatchOp<'_>, out: &[f64]) -> Result<(), (usize, Failure)> {
    let len = manifold.point_len();
    match operation {
        BatchOp::Log([p, q]) => first_undefined(out, len, |i, v| manifold.log(p.row(i, len), q.row(i, len), v)),
        BatchOp::Transport([p, q, v]) => {
            first_undefined(out, len, |i, moved| manifold.transport(p.row(i, len), q.row(i, len), v.row(i, len), moved))
        }
        _ => Ok(()),
    }
}

/// Refuses the first row that is NaN, with the error that `alone` gives for it.
fn first_undefined(
    vectors: &[f64],
    len: usize,
    alone: impl Fn(usize, &mut [f64]) -> Result<(), GeometryError>,
) -> Result<(), (usize, Failure)> {
    for (i, vector) in vectors.chunks_exact(len).enumerate() {
        if vector[0].is_nan() {
            alone(i, &mut vec![0.0; len]).map_err(|error| (i, error.into()))?;
        }
    }
    Ok(())
}

#[allow(clippy::redundant_closure)] // a variant is no function that takes operands of every lifetime
#[pymethods]
impl PyManifold {
    #[new]
    fn new(name: &str) -> Result<Self, Failure> {
        Ok(name.parse::<Space>()?.manifold()?.into())
    }

    #[getter]
    fn name(&self) -> String {
        self.manifold.space().to_string()
    }

    #[getter]
    fn dim(&self) -> usize {
        self.manifold.dim()
    }

    #[getter(shape)]
    fn shape_as_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Whether points are complex matrices, whose last axis has the real and the imaginary part of an entry.
    #[getter]
    fn is_complex(&self) -> bool {
        matches!(self.manifold.shape(), Shape::HermitianPositiveDefinite(_))
    }

    #[getter]
    fn curvature(&self) -> (f64, f64) {
        let bounds = self.manifold.curvature();
        (bounds.lower, bounds.upper)
    }

    #[getter]
    fn injectivity_radius(&self) -> f64 {
        self.manifold.injectivity_radius()
    }

    /// The names of the layouts, that of the point's own numbers first.
    #[getter]
    fn layouts(&self) -> Vec<String> {
        self.manifold.layouts().iter().map(|layout| layout.name().to_owned()).collect()
    }

    /// The largest distance of two points.
    #[getter]
    fn diameter(&self) -> f64 {
        self.manifold.diameter()
    }

    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Failure> {
        let mut origin = vec![0.0; self.manifold.point_len()];
        self.manifold.origin(&mut origin);
        array(py, origin, None, &self.shape)
    }

    fn exp<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("v", v)], |operands| BatchOp::Exp(operands), &self.shape, check)
    }

    fn log<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("q", q)], |operands| BatchOp::Log(operands), &self.shape, check)
    }

    fn dist<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let batches = self.batches([("p", p), ("q", q)])?;
        let broadcast = Broadcast::of(&batches)?;
        if broadcast.is_of_pairs() {
            return self.distances(py, batches, &broadcast, check);
        }
        self.rows(py, batches, |operands| BatchOp::Dist(operands), &[], check)
    }

    fn inner<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        u: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("u", u), ("v", v)], |operands| BatchOp::Inner(operands), &[], check)
    }

    fn norm<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("v", v)], |operands| BatchOp::Norm(operands), &[], check)
    }

    fn transport<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        check: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let arguments = [("p", p), ("q", q), ("v", v)];
        self.rowwise(py, arguments, |operands| BatchOp::Transport(operands), &self.shape, check)
    }

    /// The coordinates of `Log_p(q)` in the orthonormal frame at one point `p`: `dim` numbers for each `q`. A point
    /// without a logarithm is refused, or has zeros where that is `allowed`.
    #[pyo3(signature = (p, q, allowed=false))]
    fn coordinates<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        allowed: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let manifold = self.share();
        let base = Point::new(p, "reference", &*manifold)?;
        let Batch { array, axes } = Batch::new(q, "X", &self.shape, manifold.space())?;
        let result = Broadcast::new([("X", &*axes)])?.zeros(py, &[manifold.dim()])?;
        fill(py, [array], &result, move |[values], out, interrupt| {
            let manifold = &*manifold;
            let (base, records, dim) = (base.check(manifold)?, points(manifold, "X", values, &axes)?, manifold.dim());
            let chunks: Vec<PointsView<'_>> = records.view().chunks(CHUNK).collect();
            let done = out.par_chunks_mut(CHUNK * dim).zip(chunks).enumerate().map(|(i, (out, points))| {
                interrupt.check();
                manifold.frame_logs(&base, points, out);
                if allowed {
                    let undefined = |row: &&mut [f64]| !row.iter().all(|x| x.is_finite());
                    out.chunks_exact_mut(dim).filter(undefined).for_each(|row| row.fill(0.0));
                    return Ok(());
                }
                let row = |k: usize| Operand::Each(points.values()).row(k, manifold.point_len());
                first_undefined(out, dim, |k, _| manifold.log(&base, row(k), &mut vec![0.0; manifold.point_len()]))
                    .map_err(|(k, failure)| Failure::Row((i * CHUNK + k + 1).to_string(), Box::new(failure)))
            });
            // all are looked at, so that the row that is named is the first
            let done: Vec<Result<(), Failure>> = done.collect();
            done.into_iter().collect()
        })?;
        number_or_array(result)
    }

    /// The points `Exp_p(v)`, for tangent vectors `v` with given coordinates in the orthonormal frame at one point `p`.
    #[pyo3(name = "from_coordinates")]
    fn at_coordinates<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        coordinates: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let manifold = self.share();
        let base = Point::new(p, "reference", &*manifold)?;
        let (dim, len) = (manifold.dim(), manifold.point_len());
        let Batch { array, axes } = Batch::new(coordinates, "X", &[dim], manifold.space())?;
        let broadcast = Broadcast::new([("X", &*axes)])?;
        let result = broadcast.zeros(py, &self.shape)?;
        fill(py, [array], &result, move |[values], out, interrupt| {
            let manifold = &*manifold;
            let base = base.check(manifold)?;
            let done = broadcast.map([(values, dim)], (out, len), Some(interrupt), |[coordinates], out| {
                let mut vectors = vec![0.0; out.len()];
                for (i, v) in vectors.chunks_exact_mut(len).enumerate() {
                    let c = coordinates.row(i, dim);
                    if c.iter().any(|c| !c.is_finite()) {
                        return Err((i, Failure::NotAPoint("its numbers are not all finite".to_owned())));
                    }
                    manifold.from_frame(&base, c, v);
                }
                manifold.exp_many(Operand::Same(&base), Operand::Each(&vectors), out);
                Ok(())
            });
            done.map_err(|failure| failure.of("X"))
        })?;
        number_or_array(result)
    }

    /// The points as the library takes them: rounding removed, landmarks centered and scaled.
    fn project<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Failure> {
        self.each_point(py, x, &self.shape, |x, out| {
            out.copy_from_slice(x);
            Ok(())
        })
    }

    /// The points that records in a layout hold.
    #[pyo3(signature = (x, layout, tolerance, normalize))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        layout: &str,
        tolerance: Option<f64>,
        normalize: bool,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let rounding = match tolerance {
            _ if normalize => Rounding::Any,
            Some(tolerance) => Rounding::Within(tolerance),
            None => Rounding::Usual,
        };
        let (layout, manifold) = (named_layout(self.get(), layout)?, self.share());
        let Batch { array: records, axes } = Batch::new(x, "x", &[layout.numbers()], manifold.space())?;
        let (point_len, numbers) = (manifold.point_len(), layout.numbers());
        let broadcast = Broadcast::new([("x", &*axes)])?;
        let result = broadcast.zeros(py, &self.shape)?;
        fill(py, [records], &result, move |[values], out, interrupt| {
            let read = broadcast.map([(values, numbers)], (&mut *out, point_len), Some(interrupt), |[records], out| {
                for (i, out) in out.chunks_exact_mut(point_len).enumerate() {
                    let record = records.row(i, numbers);
                    let is_told = rounding == Rounding::Usual;
                    let advise = |reason| if is_told { advised(reason, &*manifold, &layout, record) } else { reason };
                    let read = rounding.point(&*manifold, &layout, record);
                    out.copy_from_slice(&read.map_err(|reason| (i, Failure::NotAPoint(advise(reason))))?);
                }
                Ok(())
            });
            read.map_err(|failure| failure.of("x"))?;
            if let Records::Owned(clean) = points(&*manifold, "x", out, &axes)? {
                out.copy_from_slice(clean.view().values());
            }
            Ok(())
        })?;
        number_or_array(result)
    }

    /// Refuses names of columns that say something else than a layout, the first by default. `all` are those of the
    /// whole table.
    #[pyo3(signature = (names, layout, frame, trust, multiplied, all))]
    fn check_names(
        &self,
        names: Vec<String>,
        layout: Option<&str>,
        frame: Option<&str>,
        trust: &str,
        multiplied: Option<Vec<usize>>,
        all: Vec<String>,
    ) -> Result<(), Failure> {
        check_names(self.get(), (&names, all), layout, (frame, multiplied), trust)
    }

    /// Refuses lists of lists of other axes than those of a layout, the first by default.
    #[pyo3(signature = (axes, layout))]
    fn check_axes(&self, axes: Vec<usize>, layout: Option<&str>) -> Result<(), Failure> {
        check_axes(self.get(), &axes, layout)
    }

    /// The records that hold points, in a layout.
    fn write<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, layout: &str) -> Result<Bound<'py, PyAny>, Failure> {
        let layout = named_layout(self.get(), layout)?;
        let numbers = layout.numbers();
        self.each_point(py, x, &[numbers], move |x, out| {
            let cannot = |reason| format!("the layout {} cannot hold the point: {reason}", layout.name());
            layout.check_holds(x).map_err(|reason| Failure::NotAPoint(cannot(reason)))?;
            out.copy_from_slice(&layout.write(x));
            Ok(())
        })
    }

    #[pyo3(signature = (n, center, scale, law, seed))]
    fn random_point<'py>(
        &self,
        py: Python<'py>,
        n: Option<usize>,
        center: Option<&Bound<'py, PyAny>>,
        scale: f64,
        law: &str,
        seed: Option<u64>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let manifold = self.share();
        let center = center.map(|center| Point::new(center, "center", &*manifold)).transpose()?;
        let law = named_law(law)?;
        let mut generator = generator(seed)?;
        let values = run(py, [], move |[], interrupt| {
            let space = manifold;
            let manifold = &*space;
            let mut origin = vec![0.0; manifold.point_len()];
            manifold.origin(&mut origin);
            let center = center.map_or(Ok(origin), |center| center.check(manifold))?;
            let law = Isotropic::new(Arc::clone(&space), law, scale)?;
            let mut values = zeros(n.unwrap_or(1), manifold.point_len())?;
            for x in values.chunks_exact_mut(manifold.point_len()) {
                interrupt.check();
                law.sample(&center, &mut generator, x)?;
            }
            Ok(values)
        })?;
        array(py, values, n, &self.shape)
    }
}

/// `n` times `width` zeros, if there is memory for them.
fn zeros(n: usize, width: usize) -> Result<Vec<f64>, Failure> {
    let no_memory = || Failure::Sentence(format!("n is {n}: there is not enough memory for as many points"));
    let total = n.checked_mul(width).ok_or_else(no_memory)?;
    let mut values = Vec::new();
    values.try_reserve_exact(total).map_err(|_| no_memory())?;
    values.resize(total, 0.0);
    Ok(values)
}

/// `laplace` or `gaussian`.
pub fn named_law(name: &str) -> Result<Law, Failure> {
    match name {
        "laplace" => Ok(Law::Laplace),
        "gaussian" | "tangent-gaussian" => Ok(Law::Gaussian),
        _ => Err(Failure::Sentence(format!("unknown noise `{name}`: expected laplace or gaussian"))),
    }
}

/// The operating system's randomness, or reproducible numbers.
pub fn generator(seed: Option<u64>) -> Result<Generator, Error> {
    Ok(seed.map_or_else(Generator::from_os, |seed| Ok(Generator::seeded(seed)))?)
}
