//! Releases by a specification.

use crate::error::Failure;
use crate::gradient::{PyGradient, examples};
use crate::input::{Input, ReadRules};
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::privacy::json;
use crate::regression::column;
use crate::spec::read_spec;
use crate::together::Classes;
use crate::work::{Interrupt, Threads};
use karcher::mechanism::PrivateDescent;
use karcher::records::PrivacyUnit;
use karcher::release::ValueKind;
use karcher::{Error, Points, ReleaseSpec};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The release that a specification asks for, as JSON. Of a class that is still to be planned there is none. A descent
/// has the function of its gradient, and public records on which that is tried.
#[pyfunction]
#[pyo3(signature = (spec, x, predictors, replace_invalid, persons, seed, ledger, classes, gradient=None))]
#[allow(clippy::too_many_arguments)]
pub fn release<'py>(
    py: Python<'py>,
    spec: &str,
    x: &Bound<'py, PyAny>,
    predictors: Option<&Bound<'py, PyAny>>,
    replace_invalid: bool,
    persons: Option<&Bound<'py, PyAny>>,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    classes: Option<&Bound<'py, Classes>>,
    gradient: Option<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)>,
) -> Result<Option<String>, Failure> {
    let (text, spec) = (spec.to_owned(), read_spec(spec)?);
    spec.check()?;
    let manifold = PyManifold::from(spec.space_of_records()?);
    let is_regression = matches!(spec.statistic.description().value, ValueKind::Geodesic | ValueKind::Features);
    let name = if is_regression { "y" } else { "X" };
    let input = Input::new(py, &manifold, (name, x), predictors.map(column).transpose()?, persons)?;
    let keeps_persons = spec.descent.is_some();
    if keeps_persons {
        input.check_kept()?;
    }
    let gradient = gradient.map(|(function, rows)| Ok::<_, Failure>((function.unbind(), examples(rows.as_ref())?)));
    let gradient = gradient.transpose()?;
    let classes = classes.map(|classes| classes.get().clone());
    if !classes.as_ref().is_some_and(Classes::is_planning) {
        check_unit(spec.unit, input.unit())?; // a class is planned without records
    }
    let way_out = WayOut::new(seed, ledger)?.of_classes(classes.clone());
    let whose = if gradient.is_some() { Threads::Own } else { Threads::Shared };
    let release = input.work_in(whose, py, move |data| {
        let descent = match gradient {
            Some((function, rows)) => Some(tried(&spec, function, rows, data.interrupt())?),
            None => None,
        };
        let make = |n| match &descent {
            Some(descent) => Ok(Arc::from(spec.plan_descent(n, descent.clone())?)),
            None => Ok(Arc::from(spec.plan(n)?)),
        };
        let planned = classes.as_ref().filter(|classes| classes.is_planning());
        if let Some((classes, n)) = planned.and_then(|classes| Some((classes, spec.n_guess.or(classes.expected())?))) {
            return classes.plan(&text, n, || make(n)).map(|_| None); // without a look at the records
        }
        if !data.is_in_memory() {
            spec.check_plan()?; // before they are read
        }
        let (ball, range, adjacency) = (spec.ball_of_records()?, spec.predictor_range, spec.adjacency);
        let first = spec.first_queries()?.pop();
        let records = data.counted(ReadRules { ball, first, range, replace_invalid, adjacency, keeps_persons })?;
        // all that can be refused is refused before the records of an array are looked at
        let n = spec.n_guess.unwrap_or(records.count());
        let plan = match &classes {
            Some(classes) => classes.plan(&text, n, || make(n))?,
            None => make(n)?,
        };
        match planned {
            Some(_) => Ok(None),
            None => records.give(|records| way_out.run(&*plan, records)).map(Some),
        }
    })?;
    release.as_ref().map(json).transpose()
}

/// A descent whose gradient was tried on public records: some that are given, or made-up ones.
fn tried(
    spec: &ReleaseSpec,
    function: Py<PyAny>,
    rows: Option<Vec<f64>>,
    interrupt: &Interrupt,
) -> Result<PrivateDescent, Failure> {
    let (gradient, tries) = PyGradient::new(function, interrupt.clone());
    let (descent, gradient) = (spec.descent()?, Arc::new(gradient));
    let descent = match rows {
        Some(rows) => {
            let points = Points::new(&**descent.records(), rows)?;
            descent.gradient_tried_on(gradient, &points)
        }
        None => descent.gradient(gradient),
    };
    match tries.raised() {
        Some(raised) => Err(Failure::Python(raised)), // by usual made-up records
        None => Ok(descent?),
    }
}

/// Refuses records of another unit than the one that a specification protects.
pub fn check_unit(protected: PrivacyUnit, found: PrivacyUnit) -> Result<(), Failure> {
    if protected == found {
        return Ok(());
    }
    let reason = format!("the records are one each of a {found}, and the specification protects a {protected}");
    Err(Error::Field { name: "unit", reason }.into())
}

/// The private number of `n` records: the release as JSON.
#[pyfunction]
#[pyo3(signature = (spec, n, seed, ledger))]
pub fn private_count(spec: &str, n: u64, seed: Option<u64>, ledger: Option<PathBuf>) -> Result<String, Failure> {
    let plan = read_spec(spec)?.count_plan()?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = plan.run_on(n, &mut way_out.context(&plan.event())?)?;
    way_out.settle_entry(release.ledger.as_ref())?;
    json(&release)
}
