//! NumPy arrays as points and back.
//!
//! The Python half of the package makes every argument an aligned array of float64 in C order, which is read where it
//! is. Records of float32 may stay what they are ([`singles`](crate::singles)).

use crate::advice::advised;
use crate::broadcast::points;
use crate::error::Failure;
use karcher::error::GeometryError;
use karcher::manifold::Layout;
use karcher::release::Adjacency;
use karcher::{Error, Manifold, Points, PointsView, Space};
use numpy::{
    BorrowError, Complex64, Element, IntoPyArray, IxDyn, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::prelude::*;

/// Rows handled by one task.
pub const CHUNK: usize = 256;

/// An array of float64, or of other numbers, aligned and in C order, that threads of this process may read.
pub struct Array<T = f64> {
    array: Py<PyArrayDyn<T>>,
    shape: Vec<usize>,
}

impl Array {
    /// The array, if it is one.
    pub fn new(x: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        Self::of(x)
    }
}

impl<T: Element> Array<T> {
    /// The same of any type of numbers.
    pub fn of(x: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        match x.cast::<PyArrayDyn<T>>() {
            Ok(array) if array.is_c_contiguous() => {
                Ok(Self { array: array.clone().unbind(), shape: array.shape().to_vec() })
            }
            // complex numbers are pairs, along an axis of their own
            _ => match x.cast::<PyArrayDyn<Complex64>>() {
                Ok(array) if array.is_c_contiguous() => {
                    let axes: Vec<usize> = array.shape().iter().copied().chain([2]).collect();
                    let pairs = x.call_method1("reshape", (-1,))?.call_method1("view", ("float64",))?;
                    Self::of(&pairs.call_method1("reshape", (axes,))?)
                }
                _ => Err(Failure::Sentence("an array that is not of float64 in C order".to_owned())),
            },
        }
    }

    /// The array, for a thread that holds the GIL.
    pub fn bind(self, py: Python<'_>) -> Bound<'_, PyArrayDyn<T>> {
        self.array.into_bound(py)
    }

    /// The numbers where they are. No code of this package changes them meanwhile.
    pub fn borrow<'py>(&self, py: Python<'py>) -> Result<PyReadonlyArrayDyn<'py, T>, BorrowError> {
        self.array.bind(py).try_readonly()
    }

    /// A copy of the numbers, for small arrays.
    pub fn to_vec(&self, py: Python<'_>) -> Result<Vec<T>, Failure> {
        Ok(self.array.bind(py).to_vec().map_err(PyErr::from)?)
    }

    /// Its axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
}

/// One element, which serves for every row, or one a row.
pub struct Rows<T = f64> {
    /// All numbers.
    pub array: Array<T>,
    /// `None` for one element.
    pub count: Option<usize>,
}

impl<T: Element> Rows<T> {
    /// `x` as elements of the given shape; `name` is the argument's.
    pub fn of(x: &Bound<'_, PyAny>, name: &str, shape: &[usize], space: &Space) -> Result<Self, Failure> {
        let array = Array::of(x)?;
        let found = array.shape();
        let count = match found.split_first() {
            _ if found == shape => None,
            Some((&n, rest)) if rest == shape => Some(n),
            _ => {
                let (found, one, several) = (tuple(found), tuple(shape), tuple_of_several(shape));
                return Err(Failure::Sentence(format!(
                    "{name} has shape {found}: for {space} it must have shape {one}, or {several} for n of them"
                )));
            }
        };
        Ok(Self { array, count })
    }
}

/// Validated points: where NumPy holds them, or a corrected copy.
pub enum Records<'a> {
    /// Where NumPy holds them.
    Borrowed(PointsView<'a>),
    /// A copy, because rounding or, for shapes, position and size had to be removed.
    Owned(Points),
}

impl<'a> Records<'a> {
    /// Validates numbers in the space's first layout, each record by itself: landmarks are centered and scaled.
    pub fn new(manifold: &'a dyn Manifold, values: &'a [f64]) -> Result<Self, Error> {
        match PointsView::new(manifold, values) {
            Ok(Some(view)) => Ok(Records::Borrowed(view)),
            Ok(None) => Ok(Records::Owned(Points::new(manifold, values.to_vec())?)),
            Err(error @ GeometryError::InvalidRecord { .. }) => {
                let Some(layout) = manifold.layouts().into_iter().next() else { return Err(error.into()) };
                let mut values = values.to_vec();
                // what is a point already stays as it is, whatever the other records are
                let read_rows = |(chunk, values): (usize, &mut [f64])| {
                    let rows = values.chunks_exact_mut(manifold.point_len()).enumerate();
                    for (i, x) in rows.filter(|(_, x)| manifold.check_point(x).is_err()) {
                        let row = chunk * CHUNK + i + 1;
                        let given = x.to_vec();
                        let advise = |reason| advised(reason, manifold, &layout, &given);
                        read(manifold, &layout, x)
                            .map_err(|reason| GeometryError::InvalidRecord { row, reason: advise(reason) })?;
                    }
                    Ok(())
                };
                // all are looked at, so that the record that is named is the first
                let chunks = values.par_chunks_mut(CHUNK * manifold.point_len()).enumerate();
                let done: Vec<Result<(), Error>> = chunks.map(read_rows).collect();
                done.into_iter().collect::<Result<(), Error>>()?;
                Ok(Records::Owned(Points::new(manifold, values)?))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The same, of no numbers too where the number of records is confidential.
    pub fn of(manifold: &'a dyn Manifold, values: &'a [f64], adjacency: Adjacency) -> Result<Self, Error> {
        match adjacency {
            Adjacency::AddRemove if values.is_empty() => Ok(Records::Owned(Points::none(manifold))),
            Adjacency::AddRemove | Adjacency::ReplaceOne => Self::new(manifold, values),
        }
    }

    /// Validates, and replaces rows that are no points by `substitute`.
    pub fn with_substitute(manifold: &'a dyn Manifold, values: &'a [f64], substitute: &[f64]) -> Result<Self, Error> {
        if let Ok(records) = Self::new(manifold, values) {
            return Ok(records);
        }
        let mut values = values.to_vec();
        let layout = manifold.layouts().into_iter().next();
        let replace = |x: &mut [f64]| {
            let holds_one = |x: &mut [f64]| layout.as_ref().is_some_and(|layout| read(manifold, layout, x).is_ok());
            if manifold.check_point(x).is_err() && !holds_one(x) {
                x.copy_from_slice(substitute);
            }
        };
        values.par_chunks_exact_mut(manifold.point_len()).for_each(replace);
        Ok(Records::Owned(Points::new(manifold, values)?))
    }

    /// The points.
    pub fn view(&self) -> PointsView<'_> {
        match self {
            Records::Borrowed(view) => *view,
            Records::Owned(points) => points.view(),
        }
    }
}

/// Makes a record in a layout the point that it holds, or says why it holds none.
fn read(manifold: &dyn Manifold, layout: &Layout, x: &mut [f64]) -> Result<(), String> {
    // what is no number is none in any layout, and the sentence names the space
    if x.iter().all(|x| x.is_finite()) {
        x.copy_from_slice(&layout.read(x)?);
    }
    manifold.check_point(x).map_err(|error| error.to_string())
}

/// One point that a user gave, and its argument's name. It is checked where the work is done.
pub struct Point {
    name: &'static str,
    values: Vec<f64>,
}

impl Point {
    /// An array of the shape of a point.
    pub fn new(x: &Bound<'_, PyAny>, name: &'static str, manifold: &dyn Manifold) -> Result<Self, Failure> {
        let space = manifold.space();
        let (array, shape) = (Array::new(x)?, manifold.shape().axes());
        if array.shape() != shape {
            let (found, one) = (tuple(array.shape()), tuple(&shape));
            return Err(Failure::Sentence(format!(
                "{name} has shape {found}: {name} must be one point of {space}, of shape {one}"
            )));
        }
        Ok(Self { name, values: array.to_vec(x.py())? })
    }

    /// The point, if it is one.
    pub fn check(&self, manifold: &dyn Manifold) -> Result<Vec<f64>, Failure> {
        Ok(points(manifold, self.name, &self.values, &[])?.view().values().to_vec())
    }
}

/// A NumPy array of elements of a shape along leading axes, which takes the numbers over.
pub fn array<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    axes: impl IntoIterator<Item = usize>,
    shape: &[usize],
) -> Result<Bound<'py, PyAny>, Failure> {
    let axes: Vec<usize> = axes.into_iter().chain(shape.iter().copied()).collect();
    number_or_array(values.into_pyarray(py).reshape(IxDyn(&axes))?)
}

/// A number instead of an array without axes.
pub fn number_or_array<'py>(array: Bound<'py, PyArrayDyn<f64>>) -> Result<Bound<'py, PyAny>, Failure> {
    let is_number = array.shape().is_empty();
    let (py, array) = (array.py(), array.into_any());
    Ok(if is_number { array.get_item(PyTuple::empty(py))? } else { array })
}

/// A shape as Python prints it.
pub fn tuple(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn tuple_of_several(shape: &[usize]) -> String {
    format!("(n, {})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}
