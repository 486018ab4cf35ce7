//! The class `Manifold`: the operations of a space on arrays of points.

use crate::arrays::{Operand, Point, Rows, array, common_count, map_rows, points};
use crate::error::Failure;
use crate::work::run;
use karcher::manifold::Layout;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Error, Manifold, Space};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
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

    fn rows(&self, (name, x): Argument<'_, '_>) -> Result<Rows, Failure> {
        Rows::new(x, name, &self.shape, self.manifold.space())
    }

    /// `f(manifold, operands, out)` at every row, without the GIL. The first `points` operands are points, the others
    /// tangent vectors at the first of them; `out` has the axes `shape`.
    fn rowwise<'py, const N: usize>(
        &self,
        py: Python<'py>,
        arguments: [Argument<'_, 'py>; N],
        count_of_points: usize,
        shape: &[usize],
        f: impl Fn(&dyn Manifold, [&[f64]; N], &mut [f64]) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let rows = arguments.iter().map(|&argument| self.rows(argument)).collect::<Result<Vec<_>, _>>()?;
        let named: Vec<(&str, &Rows)> = arguments.iter().map(|(name, _)| *name).zip(&rows).collect();
        let count = common_count(&named)?;
        let single: Vec<bool> = rows.iter().map(|rows| rows.count.is_none()).collect();
        let (names, manifold) = (arguments.map(|(name, _)| name), self.share());
        let width = shape.iter().product();
        let mut rows = rows.into_iter();
        let arrays = arguments.map(|_| rows.next().expect("one for each argument").array);
        let out = run(py, arrays, move |values, _| {
            let manifold = &*manifold;
            let points = (0..count_of_points)
                .map(|i| points(manifold, names[i], values[i], single[i]))
                .collect::<Result<Vec<_>, _>>()?;
            let operands = std::array::from_fn(|i| {
                let values = points.get(i).map_or(values[i], |points| points.view().values());
                Operand::new(values, manifold.point_len(), single[i])
            });
            map_rows(count, operands, width, |operands, out| {
                for v in &operands[count_of_points..] {
                    manifold.check_tangent(operands[0], v)?;
                }
                f(manifold, operands, out)
            })
        })?;
        array(py, out, count, shape)
    }
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
            m.exp(p, v, out);
            Ok(())
        })
    }

    fn log<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("q", q)], 2, &self.shape, |m, [p, q], out| Ok(m.log(p, q, out)?))
    }

    fn dist<'py>(
        &self,
        py: Python<'py>,
        p: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("p", p), ("q", q)], 2, &[], |m, [p, q], out| {
            out[0] = m.dist(p, q);
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
            out[0] = m.inner(p, u, v);
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
            out[0] = m.norm(p, v);
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
            Ok(m.transport(p, q, v, out)?)
        })
    }

    /// The points as the library takes them: rounding removed, landmarks centered and scaled.
    fn project<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Failure> {
        self.rowwise(py, [("x", x)], 1, &self.shape, |_, [x], out| {
            out.copy_from_slice(x);
            Ok(())
        })
    }

    /// The points that records in a layout hold.
    fn read<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, layout: &str) -> Result<Bound<'py, PyAny>, Failure> {
        let (layout, manifold) = (named_layout(self.get(), layout)?, self.share());
        let Rows { array: records, count } = Rows::new(x, "x", &[layout.numbers()], manifold.space())?;
        let point_len = manifold.point_len();
        let out = run(py, [records], move |[values], _| {
            let records = Operand::new(values, layout.numbers(), count.is_none());
            let read = map_rows(count, [records], point_len, |[record], out| {
                out.copy_from_slice(&layout.read(record).map_err(Failure::NotAPoint)?);
                Ok(())
            });
            let values = read.map_err(|failure| failure.of("x"))?;
            Ok(points(&*manifold, "x", &values, count.is_none())?.view().values().to_vec())
        })?;
        array(py, out, count, &self.shape)
    }

    /// The records that hold points, in a layout.
    fn write<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, layout: &str) -> Result<Bound<'py, PyAny>, Failure> {
        let layout = named_layout(self.get(), layout)?;
        let numbers = layout.numbers();
        self.rowwise(py, [("x", x)], 1, &[numbers], move |_, [x], out| {
            layout.check_holds(x).map_err(|reason| {
                Failure::NotAPoint(format!("the layout {} cannot hold the point: {reason}", layout.name()))
            })?;
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
    seed.map_or_else(Generator::from_os, |seed| Ok(Generator::seeded(seed)))
}
