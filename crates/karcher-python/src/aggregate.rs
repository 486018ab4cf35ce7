//! Sums that two aggregators add up. Reports, and what aggregators and the collector send, are lines of JSON, as the
//! command writes them.
//!
//! A journal is a file of SQLite that work without the GIL reads. Do not fork while an aggregator works.

use crate::error::Failure;
use crate::input::{Input, ReadRules};
use crate::manifold::PyManifold;
use crate::privacy::json;
use crate::release::check_unit;
use crate::spec::read_spec;
use crate::work::{Threads, run, run_in};
use karcher::mechanism::RoundState;
use karcher::records::{ExactSum, Observations};
use karcher::{Error, Points};
use karcher_aggregate::{
    Aggregator, Checked, Combined, Journal, Mode, NoisyShare, PublicKey, Report, SecretKey, Task, VerifyKey, combine,
};
use karcher_ledger::Ledger;
use pyo3::prelude::*;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Makes the file of a key that two aggregators share.
#[pyfunction]
pub fn aggregate_shared_key(path: PathBuf) -> Result<(), Failure> {
    VerifyKey::create(path)?;
    Ok(())
}

/// Makes the files of an aggregator, and gives its public key.
#[pyfunction]
pub fn aggregate_keys(path: PathBuf, shared: PathBuf) -> Result<String, Failure> {
    let shared: VerifyKey = in_file(&shared, "a shared key: expected what make_shared_key wrote")?;
    json(&SecretKey::create(path, &shared)?.public())
}

/// Accepts the journal next to a private key that was copied, restored or moved.
#[pyfunction]
pub fn aggregate_adopt(path: PathBuf) -> Result<(), Failure> {
    Ok(Journal::adopt_of_key(path)?)
}

/// What all parties agree on.
#[pyclass(name = "Task", module = "karcher._karcher", frozen)]
pub struct PyTask(Task);

#[pymethods]
impl PyTask {
    #[new]
    #[pyo3(signature = (spec, n, persons, name, keys, state))]
    fn new(
        py: Python<'_>,
        spec: &str,
        n: Option<usize>,
        persons: bool,
        name: String,
        keys: (String, String),
        state: Option<String>,
    ) -> Result<Self, Failure> {
        let spec = read_spec(spec)?;
        let n = match (n, spec.n_guess) {
            (Some(_), Some(_)) => {
                let reason =
                    "does not go with `adjacency` add-remove, where it is confidential: `n_guess` takes its place";
                return Err(Error::Field { name: "n", reason: reason.to_owned() }.into());
            }
            (None, None) => {
                let sentence = "n is missing: the number of records of all reporters together is public";
                return Err(Failure::Sentence(sentence.to_owned()));
            }
            (n, guess) => n.or(guess).unwrap_or_default(),
        };
        let mode = if persons { Mode::Persons } else { Mode::Sites };
        let key = |text: &str| {
            read::<PublicKey>("keys", text, "a public key, which make_keys gives and writes to a .pub file")
        };
        let keys = [key(&keys.0)?, key(&keys.1)?];
        let state: Option<RoundState> =
            state.map(|text| read("state", &text, "a state, which combine gives")).transpose()?;
        let task = run(py, [], move |[], _| {
            let task = Task::new(spec, n, mode, name, keys)?;
            Ok(match state {
                Some(state) => task.after(state)?,
                None => task,
            })
        })?;
        Ok(Self(task))
    }

    /// The specification, with `trust`.
    #[getter]
    fn spec(&self) -> Result<String, Failure> {
        json(self.0.spec())
    }

    /// The public keys.
    #[getter]
    fn keys(&self) -> Result<(String, String), Failure> {
        let [first, second] = self.0.keys();
        Ok((json(first)?, json(second)?))
    }

    /// The number of records that the release is planned for.
    #[getter]
    fn n(&self) -> usize {
        self.0.records()
    }

    /// How many rounds the release takes.
    #[getter]
    fn rounds(&self) -> usize {
        self.0.rounds()
    }

    /// Which of them this is, from 1.
    #[getter]
    fn round(&self) -> usize {
        self.0.state().rounds() + 1
    }

    /// The report of all records, or for persons of each record.
    #[pyo3(signature = (x, replace_invalid, persons))]
    fn share<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        replace_invalid: bool,
        persons: Option<&Bound<'py, PyAny>>,
    ) -> Result<Vec<String>, Failure> {
        let (task, spec) = (self.0.clone(), self.0.spec());
        let manifold = PyManifold::from(spec.space_of_records()?);
        let name = if spec.features.is_some() { "y" } else { "X" };
        let input = Input::new(py, &manifold, (name, x), None, persons)?;
        check_unit(spec.unit, input.unit())?;
        let rules = ReadRules {
            ball: spec.ball_of_records()?,
            first: Some(task.query().clone()),
            range: None,
            replace_invalid,
            adjacency: spec.adjacency,
            keeps_persons: false,
        };
        input.work(py, move |data| {
            let records = data.counted(rules)?;
            let query = task.query();
            match task.mode() {
                Mode::Sites => {
                    let sum = records.give(|records| Ok(records.answer(query)?))?;
                    Ok(vec![json(&task.report(&sum)?)?])
                }
                Mode::Persons => records.each(|space, point| {
                    let one = Points::new(space, point.to_vec())?;
                    json(&task.report(&query.answer(Observations::new(&one))?)?)
                }),
            }
        })
    }

    /// The report of a number of records, for a count.
    fn share_count(&self, n: u64) -> Result<Vec<String>, Failure> {
        Ok(vec![json(&self.0.report(&ExactSum::counting(n))?)?])
    }

    /// What follows from the sums of two aggregators: the release, or the state for the next round.
    fn combine(&self, py: Python<'_>, sums: (String, String)) -> Result<(bool, String), Failure> {
        let task = self.0.clone();
        run(py, [], move |[], _| {
            let sum =
                |text: &str| read::<NoisyShare>("sums", text, "a sum, which the method add of an aggregator gives");
            match combine(&task, &[sum(&sums.0)?, sum(&sums.1)?])? {
                Combined::Next(state) => Ok((false, json(&state)?)),
                Combined::Release(release) => Ok((true, json(&release)?)),
                Combined::Count(count) => Ok((true, json(&count)?)),
            }
        })
    }
}

/// One of two aggregators: its private key, which has no accessor, and where its journal is.
#[pyclass(name = "Aggregator", module = "karcher._karcher", frozen)]
pub struct PyAggregator {
    aggregator: Aggregator,
    public: PublicKey,
    path: PathBuf,
}

#[pymethods]
impl PyAggregator {
    #[new]
    fn new(path: PathBuf) -> Result<Self, Failure> {
        let key: SecretKey = in_file(&path, "a private key: expected a .key file of make_keys")?;
        Journal::of_key(&path)?; // which must be there
        Ok(Self { public: key.public(), aggregator: Aggregator::new(key), path })
    }

    /// Its public key.
    #[getter]
    fn public_key(&self) -> Result<String, Failure> {
        json(&self.public)
    }

    /// What it found of the proofs of reports, for the other aggregator.
    fn check(&self, py: Python<'_>, task: &PyTask, reports: Vec<String>) -> Result<String, Failure> {
        let (aggregator, path, task) = (self.aggregator.clone(), self.path.clone(), task.0.clone());
        run(py, [], move |[], _| json(&aggregator.check(&task, &read_reports(&reports), &Journal::of_key(&path)?)?))
    }

    /// The sum of its shares with its noise, which a ledger counts before if there is one.
    #[pyo3(signature = (task, reports, checked, ledger))]
    fn add(
        &self,
        py: Python<'_>,
        task: &PyTask,
        reports: Vec<String>,
        checked: &str,
        ledger: Option<PathBuf>,
    ) -> Result<String, Failure> {
        let (aggregator, path, task) = (self.aggregator.clone(), self.path.clone(), task.0.clone());
        let other: Checked = read("checked", checked, "what the method check of the other aggregator gives")?;
        if let Some(ledger) = &ledger {
            Ledger::unchecked(ledger).check_adjacency(task.spec().adjacency)?;
        }
        // its own threads: the ledger waits for the GIL
        run_in(Threads::Own, py, [], move |[], _| {
            let mut journal = Journal::of_key(&path)?;
            let sum = aggregator.add_up(&task, &read_reports(&reports), &other, &journal)?;
            let Some(ledger) = ledger else { return json(&sum.with_noise(&mut journal)?) };
            let (event, ledger) = (task.event(), Ledger::unchecked(&ledger));
            let mut refused = None;
            let share = sum.with_noise_booked(&mut journal, |batch| {
                let counted = Python::attach(|_| ledger.reserve_once(&event, batch));
                counted.map_err(|error| {
                    let sentence = error.to_string();
                    refused = Some(error);
                    sentence
                })
            });
            if let Some(error) = refused {
                return Err(error.into());
            }
            let share = share?;
            if let Some(at) = share.ledger().filter(|_| task.is_last()) {
                Python::attach(|_| ledger.released_once(at))?;
            }
            json(&share)
        })
    }
}

/// The reports in texts, one a line. A line that is no report is left out: it must not stop the others.
fn read_reports(texts: &[String]) -> Vec<Report> {
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    lines.into_par_iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// What a file of JSON holds.
fn in_file<T: DeserializeOwned>(path: &Path, expected: &str) -> Result<T, Failure> {
    let name = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::Sentence(format!("{name} cannot be read ({error})")))?;
    read(&name, &text, expected)
}

/// What a text of JSON holds. The sentence quotes none of it: it could be a key.
fn read<T: DeserializeOwned>(name: &str, text: &str, expected: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|_| Failure::Sentence(format!("{name} is not {expected}")))
}
