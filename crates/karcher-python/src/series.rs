//! Releases over time. The state of a series and its key are files, as the command writes them.

use crate::error::Failure;
use crate::input::{Input, ReadRules};
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::privacy::json;
use crate::spec::read_spec;
use crate::work::run;
use karcher::Key;
use karcher::audit::Verification;
use karcher::records::ExactSum;
use karcher::series::{NewKeyFile, SeriesKey, SeriesPlan, SeriesShape, SeriesState};
use karcher_io::OutputFile;
use pyo3::prelude::*;
use serde_json::json as object;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The plan of a specification for periods, contributions, the periods from one to the next, and a window.
fn plan(spec: &str, (periods, contributions, every, window): Shape) -> Result<SeriesPlan, Failure> {
    Ok(SeriesPlan::new(&read_spec(spec)?, SeriesShape { periods, contributions, every, window })?)
}

type Shape = (usize, usize, usize, Option<usize>);

/// The expected errors of a series in which so many records join in each period.
#[pyfunction]
pub fn series_plan(py: Python<'_>, spec: &str, shape: Shape, joining: usize) -> Result<String, Failure> {
    let plan = plan(spec, shape)?;
    let joining = NonZeroUsize::new(joining).ok_or_else(|| Failure::Sentence("joining must be positive".to_owned()))?;
    run(py, [], move |[], _| json(&plan.forecasts(joining)?))
}

/// Begins a series, in a new file of its state and one of its key.
#[pyfunction]
#[pyo3(signature = (spec, shape, state, key, seed, ledger))]
pub fn series_begin(
    spec: &str,
    shape: Shape,
    state: PathBuf,
    key: PathBuf,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
) -> Result<(), Failure> {
    let plan = plan(spec, shape)?;
    if key.symlink_metadata().is_ok() {
        let sentence = format!("{} exists, and a key never replaces a file: choose another name", key.display());
        return Err(Failure::Sentence(sentence));
    }
    let file = OutputFile::create(&state, false, &[]).map_err(of_file)?;
    let new = NewKeyFile::new(&key)?;
    let way_out = WayOut::new(seed, ledger)?;
    let (begun, secret) = plan.begin(&mut way_out.context(&plan.event()?)?)?;
    secret.keep(new)?;
    write(file, &begun)?;
    way_out.settle_entry(begun.ledger.as_ref())
}

/// A series in files.
#[pyclass(name = "Series", module = "karcher._karcher", frozen)]
#[derive(Clone)]
pub struct PySeries {
    state: PathBuf,
    key: PathBuf,
}

impl PySeries {
    fn read(&self) -> Result<SeriesState, Failure> {
        let name = self.state.display().to_string();
        let sentence = |reason: String| Failure::Sentence(format!("{name}: {reason}"));
        let text =
            std::fs::read_to_string(&self.state).map_err(|error| sentence(format!("it cannot be read ({error})")))?;
        SeriesState::read(&Verification::read(&text).map_err(sentence)?).map_err(sentence)
    }

    /// Publishes a period, with the sum that is given by its records unless it was entered before.
    fn publish(
        &self,
        label: Option<String>,
        sum: impl FnOnce(&SeriesPlan) -> Result<ExactSum, Failure>,
        persons: Vec<Key>,
    ) -> Result<Option<String>, Failure> {
        let key = SeriesKey::open(&self.key); // before the state is read: no other program goes on meanwhile
        let mut state = self.read()?;
        let (plan, mut key) = (state.plan()?, key?);
        let file = OutputFile::create(&self.state, true, &[]).map_err(of_file)?;
        if !key.is_ahead_of(&state) {
            let sum = sum(&plan)?;
            key.enter(&plan, &state, &sum, persons)?;
        }
        let release = state.publish(&plan, &key, label)?.release.as_ref().map(json).transpose()?;
        write(file, &state)?;
        Ok(release)
    }
}

#[pymethods]
impl PySeries {
    #[new]
    fn new(state: PathBuf, key: PathBuf) -> Result<Self, Failure> {
        let series = Self { state, key };
        series.read()?;
        Ok(series)
    }

    /// The state.
    fn text(&self) -> Result<String, Failure> {
        json(&self.read()?)
    }

    /// Whether the series takes no record of each person now.
    fn left_out(&self, persons: Vec<Option<String>>) -> Result<Vec<bool>, Failure> {
        let key = SeriesKey::open(&self.key)?;
        let left_out = key.left_out(&self.read()?.plan()?);
        Ok(keys(&persons)?.iter().map(left_out).collect())
    }

    /// The release of a period, from its records; none before the first record.
    #[pyo3(signature = (x, replace_invalid, persons, names, label))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        replace_invalid: bool,
        persons: Option<&Bound<'py, PyAny>>,
        names: Vec<Option<String>>,
        label: Option<String>,
    ) -> Result<Option<String>, Failure> {
        let spec = self.read()?.spec;
        let manifold = PyManifold::from(spec.space_of_records()?);
        let name = if spec.features.is_some() { "y" } else { "X" };
        let input = Input::new(py, &manifold, (name, x), None, persons)?;
        let (query, ball, adjacency) =
            (self.read()?.plan()?.round().query().clone(), spec.ball_of_records()?, spec.adjacency);
        let rules =
            ReadRules { ball, first: Some(query), range: None, replace_invalid, adjacency, keeps_persons: false };
        let (series, persons) = (self.clone(), keys(&names)?);
        input.work(py, move |data| {
            let records = data.counted(rules)?;
            records.give(|records| series.publish(label, |plan| Ok(plan.sum(&*records)?), persons))
        })
    }

    /// The same from a number of records.
    #[pyo3(signature = (n, label))]
    fn add_count(&self, n: u64, label: Option<String>) -> Result<Option<String>, Failure> {
        self.publish(label, |_| Ok(ExactSum::counting(n)), vec![])
    }

    /// The same without a record.
    #[pyo3(signature = (label))]
    fn add_empty(&self, label: Option<String>) -> Result<Option<String>, Failure> {
        self.publish(label, |plan| Ok(plan.nothing()), vec![])
    }
}

/// The keys that texts are.
fn keys(texts: &[Option<String>]) -> Result<Vec<Key>, Failure> {
    let missing = || Failure::Sentence("groups: the key of a person is missing".to_owned());
    texts.iter().map(|text| text.as_deref().and_then(Key::of).ok_or_else(missing)).collect()
}

fn write(file: OutputFile, state: &SeriesState) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&object!(state)).map_err(|error| Failure::Sentence(error.to_string()))?;
    file.write_whole((text + "\n").as_bytes()).map_err(of_file)
}

fn of_file(error: karcher_io::Error) -> Failure {
    Failure::Sentence(error.to_string())
}
