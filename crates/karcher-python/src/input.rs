//! Records as a user gives them: an array, rows of one that is larger than memory or of float32, a table, or a function
//! to be asked.

use crate::arrays::{Array, Records, tuple};
use crate::blocks::{ArrayRows, Blocks, Reading, check_predictors, open};
use crate::error::Failure;
use crate::lazy_rows::{LazyRows, LazyRowsReader};
use crate::manifold::{PyManifold, named_layout};
use crate::mean::records;
use crate::persons::Groups;
use crate::remote::{Asking, PyRemote, Stop};
use crate::singles::Singles;
use crate::stream::Stream;
use crate::work::{Interrupt, Threads, on_values, run_in};
use karcher::Key;
use karcher::manifold::Layout;
use karcher::mechanism::PrivateFrechetMean;
use karcher::records::{
    Batches, Contributions, Observations, PrivacyUnit, Records as AnyRecords, Remote, Streamed, SumQuery,
};
use karcher::release::Adjacency;
use karcher::{Ball, Error, Manifold, PredictorRange};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// An array that is read row by row, with so many bytes of memory.
#[pyclass(name = "Rows", module = "karcher._karcher", frozen)]
pub struct LargeArray {
    array: Py<PyAny>,
    memory: usize,
}

#[pymethods]
impl LargeArray {
    #[new]
    fn new(array: Py<PyAny>, memory: usize) -> Self {
        Self { array, memory }
    }
}

/// Records as a user gives them.
pub struct Input {
    place: Place,
    space: Arc<dyn Manifold>,
}

enum Place {
    Array { values: Array, predictors: Option<Array>, groups: Groups, memory: Option<usize> },
    Singles(Array<f32>),
    LazyRows { taken: Py<LazyRows>, predictors: Option<Array>, groups: Groups },
    Stream(Py<Stream>),
    Remote(Py<PyRemote>),
}

/// How a statistic reads records. All of it is public.
pub struct ReadRules {
    /// The ball in which persons are reduced. Its center replaces a record that is no point, if that was asked for.
    pub ball: Ball,
    /// What the statistic asks first, where that is known.
    pub first: Option<SumQuery>,
    pub range: Option<PredictorRange>,
    pub replace_invalid: bool,
    pub adjacency: Adjacency,
    /// Whether the records of a person are kept apart.
    pub keeps_persons: bool,
}

impl ReadRules {
    /// The records of an array.
    fn validated<'a>(&self, space: &'a dyn Manifold, values: &'a [f64]) -> Result<Records<'a>, Failure> {
        Ok(match self.replace_invalid {
            true if !values.is_empty() => Records::with_substitute(space, values, self.ball.center())?,
            _ => Records::of(space, values, self.adjacency)?,
        })
    }
}

impl Input {
    /// The argument called `name`, with a predictor a record if the statistic has one.
    pub fn new(
        py: Python<'_>,
        manifold: &PyManifold,
        (name, x): (&str, &Bound<'_, PyAny>),
        predictors: Option<Array>,
        persons: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self, Failure> {
        let groups = Groups::new(py, persons)?;
        let place = if let Ok(stream) = x.cast::<Stream>() {
            Place::Stream(stream.clone().unbind())
        } else if let Ok(taken) = x.cast::<LazyRows>() {
            let (space, width) = (manifold.share(), taken.get().width());
            if width != space.point_len() {
                let sentence =
                    format!("the array has {width} numbers a row, and {} takes {}", space.space(), space.point_len());
                return Err(Failure::Sentence(sentence));
            }
            check_predictors("X", predictors.as_ref(), taken.get().rows())?;
            Place::LazyRows { taken: taken.clone().unbind(), predictors, groups }
        } else if let Ok(elsewhere) = x.cast::<PyRemote>() {
            Place::Remote(elsewhere.clone().unbind())
        } else if x.cast::<PyArrayDyn<f32>>().is_ok() {
            Place::Singles(records(manifold, name, x)?.array)
        } else {
            let large = x.cast::<LargeArray>().ok().map(Bound::get);
            let array = large.map_or(x, |large| large.array.bind(py));
            let values = records(manifold, name, array)?.array;
            check_predictors("X", predictors.as_ref(), values.shape().first().copied().unwrap_or_default())?;
            Place::Array { values, predictors, groups, memory: large.map(|large| large.memory) }
        };
        Ok(Self { place, space: manifold.share() })
    }

    /// Whether the records are one a person, or records by themselves.
    pub fn unit(&self) -> PrivacyUnit {
        let has_persons = match &self.place {
            Place::Array { groups, .. } | Place::LazyRows { groups, .. } => groups.numbers().is_some(),
            Place::Singles(_) => false,
            Place::Stream(stream) => stream.get().has_persons(),
            Place::Remote(remote) => remote.get().has_persons(),
        };
        if has_persons { PrivacyUnit::Person } else { PrivacyUnit::Record }
    }

    /// Refuses persons whose records are not in an array: only there they are kept apart.
    pub fn check_kept(&self) -> Result<(), Failure> {
        match (self.unit(), &self.place) {
            (PrivacyUnit::Record, _) | (_, Place::Array { memory: None, .. }) => Ok(()),
            _ => Err(Failure::Sentence("groups of a descent belong to records in an array in memory".to_owned())),
        }
    }

    /// Does `work` with the records, in threads of this package.
    pub fn work<R: Send + 'static>(
        self,
        py: Python<'_>,
        work: impl FnOnce(Data<'_>) -> Result<R, Failure> + Send + 'static,
    ) -> Result<R, Failure> {
        self.work_in(Threads::Shared, py, work)
    }

    /// The same for work that may wait for Python code.
    pub fn work_in<R: Send + 'static>(
        self,
        whose: Threads,
        py: Python<'_>,
        work: impl FnOnce(Data<'_>) -> Result<R, Failure> + Send + 'static,
    ) -> Result<R, Failure> {
        let whose = match self.place {
            Place::Array { .. } | Place::Singles(_) => whose,
            // whose records are given by Python code
            Place::LazyRows { .. } | Place::Stream(_) | Place::Remote(_) => Threads::Own,
        };
        run_in(whose, py, [], move |[], interrupt| self.with(interrupt, work))
    }

    fn with<R: Send>(
        self,
        interrupt: &Interrupt,
        work: impl FnOnce(Data<'_>) -> Result<R, Failure> + Send,
    ) -> Result<R, Failure> {
        let (space, interrupt) = (&self.space, interrupt);
        match self.place {
            Place::Array { values, predictors, groups, memory } => {
                let arrays: Vec<Array> = [values].into_iter().chain(predictors).collect();
                on_values(arrays, |values| {
                    let (values, predictors) = (values[0], values.get(1).copied());
                    work(Data { place: At::Array { values, predictors, groups: &groups, memory }, space, interrupt })
                })
            }
            Place::Singles(values) => {
                on_values([values], |values| work(Data { place: At::Singles(values[0]), space, interrupt }))
            }
            Place::LazyRows { taken, predictors, groups } => on_values(predictors, |values| {
                let predictors = values.first().copied();
                work(Data { place: At::LazyRows { taken: taken.get(), predictors, groups: &groups }, space, interrupt })
            }),
            Place::Stream(stream) => work(Data { place: At::Stream(stream.get()), space, interrupt }),
            Place::Remote(elsewhere) => {
                let stop = Stop::default();
                let done = work(Data { place: At::Remote(elsewhere.get(), &stop), space, interrupt });
                done.map_err(|failure| stop.into_inner().map_or(failure, Failure::Python))
            }
        }
    }
}

/// Refuses the first of some records that is no point.
#[pyfunction]
pub fn check_records(py: Python<'_>, manifold: &Bound<'_, PyManifold>, x: &Bound<'_, PyAny>) -> Result<(), Failure> {
    Input::new(py, manifold.get(), ("X", x), None, None)?.work(py, |data| data.check())
}

/// A radius that balls have on every space.
const RADIUS: f64 = 1e-3;

/// Records, where they are.
pub struct Data<'a> {
    place: At<'a>,
    space: &'a Arc<dyn Manifold>,
    interrupt: &'a Interrupt,
}

#[derive(Clone, Copy)]
enum At<'a> {
    Array { values: &'a [f64], predictors: Option<&'a [f64]>, groups: &'a Groups, memory: Option<usize> },
    Singles(&'a [f32]),
    LazyRows { taken: &'a LazyRows, predictors: Option<&'a [f64]>, groups: &'a Groups },
    Stream(&'a Stream),
    Remote(&'a PyRemote, &'a Stop),
}

/// Records that were counted. Those in an array were not looked at for it.
pub struct Counted<'a> {
    place: Ready<'a>,
    rules: ReadRules,
    space: &'a Arc<dyn Manifold>,
}

enum Ready<'a> {
    Array { values: &'a [f64], predictors: Option<&'a [f64]>, groups: &'a Groups },
    Read(Box<dyn AnyRecords + 'a>),
}

impl<'a> Data<'a> {
    /// Whether a caller still waits.
    pub fn interrupt(&self) -> &Interrupt {
        self.interrupt
    }

    /// Whether the records are an array, which is counted without being read.
    pub fn is_in_memory(&self) -> bool {
        matches!(self.place, At::Array { memory: None, .. })
    }

    /// Reads all records, and refuses the first one that is no point.
    pub fn check(self) -> Result<(), Failure> {
        let reading = |layout| -> Result<Reading, Failure> {
            Ok(Reading {
                space: self.space.clone(),
                layout: find_layout(&**self.space, layout)?,
                ball: Ball::at_origin(&**self.space, RADIUS)?, // no record is clipped
                range: None,
                replace_invalid: false,
                interrupt: self.interrupt.clone(),
            })
        };
        let each = |_: Vec<Key>, _: Observations<'_>| -> Result<(), Error> { Ok(()) };
        match self.place {
            At::Array { values, .. } => {
                ArrayRows { values, predictors: None, persons: None }.pass(&reading(None)?, &each)?
            }
            At::Singles(values) => Singles { values, reading: reading(None)? }.pass(&|_| Ok(()))?,
            At::LazyRows { taken, .. } => {
                LazyRowsReader { taken, predictors: None, persons: None }.pass(&reading(None)?, &each)?;
            }
            At::Stream(stream) => stream.pass(&reading(stream.layout())?, &each)?,
            At::Remote(..) => {} // it is asked, and not read
        }
        Ok(())
    }

    /// Counts the records. What is not in an array is read or asked for that, and answers a question by the way.
    pub fn counted(self, rules: ReadRules) -> Result<Counted<'a>, Failure> {
        let reading = |layout| -> Result<Reading, Failure> {
            Ok(Reading {
                space: self.space.clone(),
                layout: find_layout(&**self.space, layout)?,
                ball: rules.ball.clone(),
                range: rules.range,
                replace_invalid: rules.replace_invalid,
                interrupt: self.interrupt.clone(),
            })
        };
        let place = match self.place {
            At::Array { values, predictors, groups, memory: None } => Ready::Array { values, predictors, groups },
            At::Array { values, predictors, groups, memory: Some(memory) } => {
                let rows = ArrayRows { values, predictors, persons: groups.numbers() };
                let has_persons = groups.numbers().is_some();
                Ready::Read(open(rows, &reading(None)?, has_persons, memory, &self.first(&rules)?)?)
            }
            At::Singles(values) => {
                // never kept: another question widens them again
                let rows = Singles { values, reading: reading(None)? };
                Ready::Read(Box::new(Streamed::new(rows, 0, &self.first(&rules)?)?))
            }
            At::LazyRows { taken, predictors, groups } => {
                let rows = LazyRowsReader { taken, predictors, persons: groups.numbers() };
                let has_persons = groups.numbers().is_some();
                Ready::Read(open(rows, &reading(None)?, has_persons, taken.memory(), &self.first(&rules)?)?)
            }
            At::Stream(stream) => {
                let reading = reading(stream.layout())?;
                let first = self.first(&rules)?;
                Ready::Read(open(stream, &reading, stream.has_persons(), stream.memory(), &first)?)
            }
            At::Remote(elsewhere, stop) => {
                let first = self.mean(&rules)?;
                Ready::Read(Box::new(Remote::new(Asking::new((elsewhere, stop), &reading(None)?, first)?)))
            }
        };
        Ok(Counted { place, rules, space: self.space })
    }

    /// What is asked first: the first question of the specification, else that of a mean, which counts the records as
    /// well as any.
    fn mean(&self, rules: &ReadRules) -> Result<SumQuery, Failure> {
        match &rules.first {
            Some(first) => Ok(first.clone()),
            None => Ok(PrivateFrechetMean::new(self.space.clone(), rules.ball.clone())?.first_query()?),
        }
    }

    /// Questions that may be asked.
    fn first(&self, rules: &ReadRules) -> Result<Vec<SumQuery>, Failure> {
        Ok(if rules.range.is_none() { vec![self.mean(rules)?] } else { vec![] })
    }
}

impl Counted<'_> {
    /// How many there are: persons, if there are some.
    pub fn count(&self) -> usize {
        match &self.place {
            Ready::Array { values, groups, .. } => groups.count(values.len() / self.space.point_len()),
            Ready::Read(records) => records.count(),
        }
    }

    /// Validates those in an array, and does `work` with all.
    pub fn give<R>(self, work: impl FnOnce(&dyn AnyRecords) -> Result<R, Failure>) -> Result<R, Failure> {
        let (values, predictors, groups) = match self.place {
            Ready::Read(records) => return work(&*records),
            Ready::Array { values, predictors, groups } => (values, predictors, groups),
        };
        let ReadRules { ball, range, replace_invalid, .. } = &self.rules;
        let records = self.rules.validated(&**self.space, values)?;
        let mut observed = Observations::new(records.view());
        let mut numbers = predictors.map(Cow::Borrowed);
        if let Some(predictors) = &mut numbers {
            if let (true, Some(range)) = (*replace_invalid, range) {
                predictors.to_mut().iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
            }
            observed = observed.with_predictors(predictors)?;
        }
        let persons = (self.space, ball, *range);
        work(&*if self.rules.keeps_persons {
            groups.kept(observed, persons)?
        } else {
            groups.reduced(observed, persons)?
        })
    }

    /// Does `work` with each point of an array, or with what each person contributes, and gives the results in order.
    pub fn each<R: Send>(
        self,
        work: impl Fn(&dyn Manifold, &[f64]) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        let Ready::Array { values, groups, .. } = self.place else {
            let sentence = "reporters='persons' takes an array in memory: each of its rows becomes a report";
            return Err(Failure::Sentence(sentence.to_owned()));
        };
        let space = &**self.space;
        let records = self.rules.validated(space, values)?;
        let persons = groups.contributions(Observations::new(records.view()), (self.space, &self.rules.ball, None))?;
        let points = persons.as_ref().map_or_else(|| records.view(), Contributions::points);
        let points: Vec<&[f64]> = points.iter().collect();
        points.into_par_iter().map(|point| work(space, point)).collect()
    }
}

/// The layout of a name; `None` for the first one, in which points are what they are.
pub fn find_layout(space: &dyn Manifold, name: Option<&str>) -> Result<Option<Layout>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let is_first = space.layouts().first().is_some_and(|first| first.name() == name);
    named_layout(space, name).map(|layout| (!is_first).then_some(layout))
}

/// Refuses an array whose rows are no points of the space.
pub fn check_width(x: &Array, space: &dyn Manifold) -> Result<(), Failure> {
    match x.shape().split_first() {
        Some((_, point)) if point == space.shape().axes() => Ok(()),
        _ => Err(Failure::Sentence(format!(
            "the array has shape {}: records of {} come one a row, each of shape {}",
            tuple(x.shape()),
            space.space(),
            tuple(&space.shape().axes())
        ))),
    }
}
