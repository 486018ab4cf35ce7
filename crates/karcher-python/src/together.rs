//! Releases of several classes. Each is planned before the first is made: what they spend is computed from all plans and
//! reserved at once, and each release is held to the plan that was announced.

use crate::error::Failure;
use crate::ledger::note_released;
use karcher::mechanism::Plan;
use karcher::release::{Announcement, LedgerEntry, Unit};
use karcher::sampler::Generator;
use karcher::{Door, Permit};
use karcher_ledger::Ledger;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Classes with the same public parameters but for their numbers of records.
#[pyclass(name = "Classes", module = "karcher._karcher", frozen)]
#[derive(Clone)]
pub struct Classes {
    /// Whether persons may be in several of them, so that the releases compose; else no record is in two of them.
    compose: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The number of records of the class that is planned next, where it was counted already.
    count: Option<usize>,
    /// Plans by the number of records: classes of one size share one.
    plans: BTreeMap<usize, Arc<dyn Plan>>,
    announced: Vec<Announcement>,
    /// The right to make the releases, once it is reserved, and how many are still to be made.
    permit: Option<(Permit, usize)>,
    ledger: Option<PathBuf>,
}

#[pymethods]
impl Classes {
    #[new]
    fn new(compose: bool) -> Self {
        Self { compose, state: Arc::default() }
    }

    /// Says how many records, or persons, the class has that is planned next.
    fn expect(&self, count: usize) {
        self.state().count = Some(count);
    }

    /// Reserves what all planned classes spend, computed from each of their plans.
    fn reserve(&self, ledger: Option<PathBuf>) -> Result<(), Failure> {
        let mut state = self.state();
        let parts = &state.announced;
        let all = if self.compose { Announcement::of_overlapping(parts)? } else { Announcement::of_disjoint(parts)? };
        let permit = match &ledger {
            None => Permit::untracked(),
            Some(path) => Ledger::unchecked(path).permit(&all)?,
        };
        let left = parts.len();
        (state.permit, state.ledger) = (Some((permit, left)), ledger);
        Ok(())
    }
}

impl Classes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether classes are still being planned: no release is made then.
    pub fn is_planning(&self) -> bool {
        self.state().permit.is_none()
    }

    /// The number of records of the next class, if it was said.
    pub fn expected(&self) -> Option<usize> {
        self.state().count.take()
    }

    /// The plan for so many records, which `make` makes where there is none yet. While classes are being planned it is
    /// announced.
    pub fn plan(
        &self,
        n: usize,
        make: impl FnOnce() -> Result<Arc<dyn Plan>, Failure>,
    ) -> Result<Arc<dyn Plan>, Failure> {
        let known = self.state().plans.get(&n).cloned();
        let plan = known.map_or_else(make, Ok)?;
        let mut state = self.state();
        state.plans.insert(n, Arc::clone(&plan));
        if state.permit.is_none() {
            let unit = if self.compose { Unit::Person } else { Unit::Record };
            state.announced.push(plan.outline().announcement().of(unit));
        }
        Ok(plan)
    }

    /// Makes a release through the door that all classes share.
    pub fn through<R>(
        &self,
        generator: Generator,
        release: impl FnOnce(&mut Door) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let Some((permit, left)) = self.state().permit.take() else {
            let sentence = "the releases of classes are made one after the other, once all are planned";
            return Err(Failure::Sentence(sentence.to_owned()));
        };
        let mut door = Door::new(permit, generator);
        let released = release(&mut door);
        self.state().permit = Some((door.into_parts().0, left.saturating_sub(1)));
        released
    }

    /// Notes in the ledger that all releases were made, when the last one was.
    pub fn settle(&self, at: Option<&LedgerEntry>) -> Result<(), Failure> {
        // the lock is not held where Python is waited for
        let ledger = match &*self.state() {
            State { permit: Some((_, 0)), ledger: Some(path), .. } => path.clone(),
            _ => return Ok(()),
        };
        note_released(&ledger, at)
    }
}
