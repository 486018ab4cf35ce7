//! The class `Manifold`: the operations of a space on arrays of points.

use crate::arrays::{CHUNK, Point, Records, array, number_or_array};
use crate::broadcast::{Batch, Broadcast, points};
use crate::error::Failure;
use crate::work::{fill, run};
use karcher::manifold::{Layout, Operand};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Error, Manifold, PointsView, Space};
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

    /// `f(manifold, operands, out)` at runs of rows, without the GIL. The first `count_of_points` operands are points,
    /// the others tangent vectors at the first of them; the result's elements have the axes `shape`.
    fn rowwise<'py, const N: usize>(
        &self,
        py: Python<'py>,
        arguments: [Argument<'_, 'py>; N],
        count_of_points: usize,
        shape: &[usize],
        f: impl Fn(&dyn Manifold, [Operand<'_>; N], &mut [f64]) -> Result<(), (usize, Failure)> + Send + Sync + 'static,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rows(py, self.batches(arguments)?, count_of_points, shape, f)
    }

    fn rows<'py, const N: usize>(
        &self,
        py: Python<'py>,
        batches: [(&'static str, Batch); N],
        count_of_points: usize,
        shape: &[usize],
        f: impl Fn(&dyn Manifold, [Operand<'_>; N], &mut [f64]) -> Result<(), (usize, Failure)> + Send + Sync + 'static,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let broadcast = Broadcast::of(&batches)?;
        let result = broadcast.zeros(py, shape)?;
        let (manifold, width) = (self.share(), shape.iter().product());
        let names = batches.each_ref().map(|(name, _)| *name);
        let axes = batches.each_ref().map(|(_, batch)| batch.axes.clone());
        let arrays = batches.map(|(_, batch)| batch.array);
        fill(py, arrays, &result, move |values, out, interrupt| {
            let (manifold, len) = (&*manifold, manifold.point_len());
            let compute = |points: &[Option<Records<'_>>], out: &mut [f64]| {
                let view = |i: usize| points.get(i).and_then(Option::as_ref).map_or(values[i], |p| p.view().values());
                let is_unchecked: [bool; N] = std::array::from_fn(|i| points.get(i).is_some_and(Option::is_none));
                broadcast.map(std::array::from_fn(|i| (view(i), len)), (out, width), interrupt, |operands, out| {
                    for (point, _) in operands.iter().zip(is_unchecked).filter(|(_, is_unchecked)| *is_unchecked) {
                        let (Operand::Same(x) | Operand::Each(x)) = point;
                        if !manifold.surely_points(x) {
                            return Err((0, Failure::Sentence("points that take a second look".to_owned())));
                        }
                    }
                    let rows = out.len() / width;
                    for (i, v) in operands.iter().enumerate().skip(count_of_points) {
                        // ⟨v, v⟩ is asked for with the same array twice
                        if !(count_of_points..i).any(|k| is_same(values[k], values[i]) && axes[k] == axes[i]) {
                            check_tangents(manifold, operands[0], *v, rows)?;
                        }
                    }
                    f(manifold, operands, out)
                })
            };
            let check = |i: usize| points(manifold, names[i], values[i], &axes[i]);
            // Points that are used once are looked at where they are used. Where that does not suffice, or anything is
            // wrong, all are checked before anything else is.
            let is_used_once = |i: usize| axes[i] == broadcast.axes && !values[i].is_empty();
            let quick = (0..count_of_points).map(|i| if is_used_once(i) { Ok(None) } else { check(i).map(Some) });
            if compute(&quick.collect::<Result<Vec<_>, _>>()?, out).is_ok() {
                return Ok(());
            }
            let checked = (0..count_of_points).map(|i| check(i).map(Some)).collect::<Result<Vec<_>, _>>()?;
            compute(&checked, out)
        })?;
        number_or_array(result)
    }

    /// The distances of all pairs.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        batches: [(&'static str, Batch); 2],
        broadcast: &Broadcast<2>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let result = broadcast.zeros(py, &[])?;
        let manifold = self.share();
        let of = batches.each_ref().map(|(name, batch)| (*name, batch.axes.clone()));
        fill(py, batches.map(|(_, batch)| batch.array), &result, move |[p, q], out, interrupt| {
            let (manifold, len) = (&*manifold, manifold.point_len());
            let [p, q] = [points(manifold, of[0].0, p, &of[0].1)?, points(manifold, of[1].0, q, &of[1].1)?];
            let (p, q) = (p.view().values(), q.view().values());
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

/// Whether two slices are one.
fn is_same(a: &[f64], b: &[f64]) -> bool {
    std::ptr::eq(a, b)
}

/// Refuses the first of so many rows whose vector is not tangent at its point.
fn check_tangents(
    manifold: &dyn Manifold,
    p: Operand<'_>,
    v: Operand<'_>,
    rows: usize,
) -> Result<(), (usize, Failure)> {
    let len = manifold.point_len();
    if manifold.surely_tangents(p, v, rows) {
        return Ok(());
    }
    for i in 0..rows {
        manifold.check_tangent(p.row(i, len), v.row(i, len)).map_err(|error| (i, error.into()))?;
    }
    Ok(())
}

/// Refuses the first row that is NaN, with the error that its operation alone gives.
fn check_defined(
    vectors: &[f64],
    len: usize,
    alone: impl Fn(usize, &mut [f64]) -> Result<(), Error>,
) -> Result<(), (usize, Failure)> {
    for (i, vector) in vectors.chunks_exact(len).enumerate() {
        if vector[0].is_nan() {
            alone(i, &mut vec![0.0; len]).map_err(|error| (i, error.into()))?;
        }
    }
    Ok(())
}

#[pymethods]
impl PyManifold {
    #[new]
    fn new(name: &str) -> Result<Self, Failure> {
        let manifold = name.parse::<Space>()?.manifold()?;
        Ok(Self { shape: manifold.shape().axes(), manifold })
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

    /// Why the origin is far from most records, what to take instead, and what the origin is; `None` where it is a
    /// natural choice.
    #[getter]
    fn atypical_origin(&self) -> Option<(&'static str, &'static str, &'static str)> {
        self.manifold.atypical_origin().map(|origin| (origin.because, origin.instead, origin.origin))
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
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("v", v)], 1, &self.shape, |m, [p, v], out| {
            m.exp_many(p, v, out);
            Ok(())
        })
    }

    fn log<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("q", q)], 2, &self.shape, |m, [p, q], out| {
            let len = m.point_len();
            m.log_many(p, q, out);
            check_defined(out, len, |i, v| m.log(p.row(i, len), q.row(i, len), v))
        })
    }

    fn dist<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let batches = self.batches([("p", p), ("q", q)])?;
        let broadcast = Broadcast::of(&batches)?;
        if broadcast.is_of_pairs() {
            return self.distances(py, batches, &broadcast);
        }
        self.rows(py, batches, 2, &[], |m, [p, q], out| {
            m.dist_many(p, q, out);
            Ok(())
        })
    }

    fn inner<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        u: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("u", u), ("v", v)], 1, &[], |m, [p, u, v], out| {
            m.inner_many(p, u, v, out);
            Ok(())
        })
    }

    fn norm<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("v", v)], 1, &[], |m, [p, v], out| {
            m.norm_many(p, v, out);
            Ok(())
        })
    }

    fn transport<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("q", q), ("v", v)], 2, &self.shape, |m, [p, q, v], out| {
            let len = m.point_len();
            m.transport_many(p, q, v, out);
            check_defined(out, len, |i, moved| m.transport(p.row(i, len), q.row(i, len), v.row(i, len), moved))
        })
    }

    /// The coordinates of `Log_p(q)` in the orthonormal frame at one point `p`: `dim` numbers for each `q`.
    fn coordinates<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
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
                let row = |k: usize| Operand::Each(points.values()).row(k, manifold.point_len());
                check_defined(out, dim, |k, _| manifold.log(&base, row(k), &mut vec![0.0; manifold.point_len()]))
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
            let done = broadcast.map([(values, dim)], (out, len), interrupt, |[coordinates], out| {
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
        self.rowwise(py, [("x", x)], 1, &self.shape, |m, [x], out| {
            let len = m.point_len();
            out.chunks_exact_mut(len).enumerate().for_each(|(i, out)| out.copy_from_slice(x.row(i, len)));
            Ok(())
        })
    }

    /// The points that records in a layout hold.
    fn read<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, layout: &str) -> Result<Bound<'py, PyAny>, Failure> {
        let (layout, manifold) = (named_layout(self.get(), layout)?, self.share());
        let Batch { array: records, axes } = Batch::new(x, "x", &[layout.numbers()], manifold.space())?;
        let (point_len, numbers) = (manifold.point_len(), layout.numbers());
        let broadcast = Broadcast::new([("x", &*axes)])?;
        let result = broadcast.zeros(py, &self.shape)?;
        fill(py, [records], &result, move |[values], out, interrupt| {
            let read = broadcast.map([(values, numbers)], (&mut *out, point_len), interrupt, |[records], out| {
                for (i, out) in out.chunks_exact_mut(point_len).enumerate() {
                    let read = layout.read(records.row(i, numbers));
                    out.copy_from_slice(&read.map_err(|reason| (i, Failure::NotAPoint(reason)))?);
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

    /// The records that hold points, in a layout.
    fn write<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, layout: &str) -> Result<Bound<'py, PyAny>, Failure> {
        let layout = named_layout(self.get(), layout)?;
        let numbers = layout.numbers();
        self.rowwise(py, [("x", x)], 1, &[numbers], move |m, [points], out| {
            for (i, out) in out.chunks_exact_mut(numbers).enumerate() {
                let x = points.row(i, m.point_len());
                let cannot = |reason| format!("the layout {} cannot hold the point: {reason}", layout.name());
                layout.check_holds(x).map_err(|reason| (i, Failure::NotAPoint(cannot(reason))))?;
                out.copy_from_slice(&layout.write(x));
            }
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
    seed.map_or_else(Generator::from_os, |seed| Ok(Generator::seeded(seed)))
}
