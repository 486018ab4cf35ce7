//! The ledger: where a release is counted before its noise is drawn.
//!
//! The file is touched only by a thread that holds the GIL. A fork needs it too, so no child inherits a lock of SQLite
//! that none of its threads would give back.

use crate::error::Failure;
use crate::privacy::{Budget, guarantee};
use crate::together::Classes;
use karcher::mechanism::Plan;
use karcher::records::Records;
use karcher::release::{Adjacency, LedgerEntry, PrivacyEvent};
use karcher::sampler::Generator;
use karcher::{Release, ReleaseContext};
use karcher_ledger::{ForeignRelease, Ledger};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use serde_json::json;
use std::ffi::CString;
use std::path::{Path, PathBuf};

/// The way out of a release: who counts it, and where the noise comes from.
pub struct WayOut {
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    classes: Option<Classes>,
}

impl WayOut {
    /// Makes the release of a plan, counted before it is drawn.
    pub fn run(&self, plan: &dyn Plan, records: &dyn Records) -> Result<Release, Failure> {
        plan.check(records)?;
        if let Some(classes) = &self.classes {
            let generator = match self.seed {
                Some(seed) => Generator::seeded(seed),
                None => Generator::from_os()?,
            };
            let release = classes.through(generator, |context| Ok(plan.run(records, context)?))?;
            classes.settle(release.provenance().ledger.as_ref())?;
            return Ok(release);
        }
        let event = plan.summary().event().of(records.unit());
        let release = plan.run(records, &mut self.context(&event)?)?;
        self.settle(&release)?;
        Ok(release)
    }

    /// By a seed for what is not to be private, and the ledger that counts, if there is one.
    pub fn new(seed: Option<u64>, ledger: Option<PathBuf>) -> Result<Self, Failure> {
        if seed.is_some() && ledger.is_some() {
            let sentence = "random_state does not go with a ledger: a reproducible release keeps no guarantee that \
                            could be counted";
            return Err(Failure::Sentence(sentence.to_owned()));
        }
        if let Some(path) = &ledger {
            Ledger::open(path)?; // before any record is looked at
        }
        Ok(Self { seed, ledger, classes: None })
    }

    /// The same for a release that was reserved with those of other classes.
    #[must_use]
    pub fn of_classes(self, classes: Option<Classes>) -> Self {
        Self { classes, ..self }
    }

    /// The context of a release that was planned. From here on its budget is spent, and that of the other classes.
    pub fn context(&self, event: &PrivacyEvent) -> Result<ReleaseContext, Failure> {
        match (&self.ledger, self.seed) {
            (_, Some(seed)) => Ok(ReleaseContext::seeded(seed)),
            (None, None) => Ok(ReleaseContext::from_os()?),
            (Some(path), None) => {
                let generator = Generator::from_os()?; // which could fail
                let reservation = Python::attach(|_| Ledger::unchecked(path).reservation(event))?;
                Ok(ReleaseContext::new(reservation, generator))
            }
        }
    }

    /// Notes that the release was made. It counts as spent either way, so that what fails here is a warning.
    pub fn settle(&self, release: &Release) -> Result<(), Failure> {
        self.settle_entry(release.provenance().ledger.as_ref())
    }

    /// The same for the release that has this entry.
    pub fn settle_entry(&self, at: Option<&LedgerEntry>) -> Result<(), Failure> {
        self.ledger.as_ref().map_or(Ok(()), |path| note_released(path, at))
    }
}

/// Notes in a ledger that the release of an entry was made.
pub fn note_released(path: &Path, at: Option<&LedgerEntry>) -> Result<(), Failure> {
    let Some(at) = at else { return Ok(()) };
    Python::attach(|py| match Ledger::unchecked(path).released_entry(at) {
        Ok(()) => Ok(()),
        Err(error) => {
            let text = CString::new(format!("the release is counted, but {error}")).unwrap_or_default();
            Ok(PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?)
        }
    })
}

/// Makes a ledger.
#[pyfunction]
pub fn ledger_new(path: PathBuf, data: &str, unit: &str, budget: Budget, adjacency: &str) -> Result<(), Failure> {
    let unit = unit.parse().map_err(Failure::Sentence)?;
    let adjacency = Adjacency::named(adjacency).unwrap_or_default(); // one of two names
    Ledger::create_for((unit, adjacency), path, data, guarantee(budget)?)?;
    Ok(())
}

/// What a ledger says, as JSON.
#[pyfunction]
pub fn ledger_book(path: PathBuf) -> Result<String, Failure> {
    let book = Ledger::open(path)?.book()?;
    let all = json!({
        "ledger": book.ledger,
        "data": book.data,
        "unit": book.unit,
        "time": book.time,
        "adjacency": book.adjacency,
        "total": book.total(),
        "spent": book.spent(),
        "left": book.left(),
        "entries": book.entries,
    });
    Ok(all.to_string())
}

/// Everything that is wrong with a ledger.
#[pyfunction]
pub fn ledger_check(path: PathBuf) -> Result<Vec<String>, Failure> {
    Ok(Ledger::unchecked(path).check()?)
}

/// Accepts a copy for the ledger.
#[pyfunction]
pub fn ledger_adopt(path: PathBuf) -> Result<(), Failure> {
    Ok(Ledger::open(path)?.adopt()?)
}

/// The counted releases, as JSON for another ledger.
#[pyfunction]
pub fn ledger_export(path: PathBuf) -> Result<String, Failure> {
    Ok(json!(Ledger::open(path)?.book()?.export()?).to_string())
}

/// Counts releases of other programs, from JSON: how many, and how many were known.
#[pyfunction]
pub fn ledger_import(path: PathBuf, releases: &str) -> Result<(usize, usize), Failure> {
    let wrong = |error: serde_json::Error| Failure::Sentence(format!("releases is no list of releases: {error}"));
    let releases: Vec<ForeignRelease> = serde_json::from_str(releases).map_err(wrong)?;
    let imported = Ledger::unchecked(path).import(&releases)?;
    Ok((imported.counted, imported.known))
}
