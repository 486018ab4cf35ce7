//! Releases of several classes. Each is planned before the first is made: what they spend is computed from all plans
//! and reserved at once, and each release is held to the plan that was announced.

use crate::error::Failure;
use crate::ledger::note_released;
use karcher::mechanism::Plan;
use karcher::privacy::Guarantee;
use karcher::release::{LedgerEntry, PrivacyEvent, PrivacyUnit};
use karcher::sampler::Generator;
use karcher::{BudgetReservation, ReleaseContext};
use karcher_ledger::Ledger;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Classes, each with its own number of records and public parameters.
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
    /// Plans by the specification and the number of records: classes of one size in one ball share one.
    plans: BTreeMap<(String, usize), Arc<dyn Plan>>,
    event: Vec<PrivacyEvent>,
    /// The right to make the releases, once it is reserved, and how many are still to be made.
    reservation: Option<(BudgetReservation, usize)>,
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

    /// Refuses plans for which, together, a ledger has no room. Nothing is reserved.
    fn check_room(&self, ledger: PathBuf) -> Result<(), Failure> {
        let state = self.state();
        let Some(first) = state.event.first() else { return Ok(()) };
        let guarantees: Vec<Guarantee> = state.event.iter().map(|event| event.guarantee).collect();
        Ok(Ledger::open(ledger)?.check_room(&guarantees, first.adjacency)?)
    }

    /// Reserves what all planned classes spend, computed from each of their plans.
    fn reserve(&self, ledger: Option<PathBuf>) -> Result<(), Failure> {
        let mut state = self.state();
        let parts = &state.event;
        let all = if self.compose { PrivacyEvent::of_overlapping(parts)? } else { PrivacyEvent::of_disjoint(parts)? };
        let reservation = match &ledger {
            None => BudgetReservation::untracked(),
            Some(path) => Ledger::unchecked(path).reservation(&all)?,
        };
        let left = parts.len();
        (state.reservation, state.ledger) = (Some((reservation, left)), ledger);
        Ok(())
    }
}

impl Classes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether classes are still being planned: no release is made then.
    pub fn is_planning(&self) -> bool {
        self.state().reservation.is_none()
    }

    /// The number of records of the next class, if it was said.
    pub fn expected(&self) -> Option<usize> {
        self.state().count.take()
    }

    /// The plan of a specification for so many records, which `make` makes where there is none yet. While classes are
    /// being planned it is announced.
    pub fn plan(
        &self,
        spec: &str,
        n: usize,
        make: impl FnOnce() -> Result<Arc<dyn Plan>, Failure>,
    ) -> Result<Arc<dyn Plan>, Failure> {
        let class = (spec.to_owned(), n);
        let known = self.state().plans.get(&class).cloned();
        let plan = known.map_or_else(make, Ok)?;
        let mut state = self.state();
        state.plans.insert(class, Arc::clone(&plan));
        if state.reservation.is_none() {
            let unit = if self.compose { PrivacyUnit::Person } else { PrivacyUnit::Record };
            state.event.push(plan.summary().event().of(unit));
        }
        Ok(plan)
    }

    /// Makes a release in the context that all classes share.
    pub fn through<R>(
        &self,
        generator: Generator,
        release: impl FnOnce(&mut ReleaseContext) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let Some((reservation, left)) = self.state().reservation.take() else {
            let sentence = "the releases of classes are made one after the other, once all are planned";
            return Err(Failure::Sentence(sentence.to_owned()));
        };
        let mut context = ReleaseContext::new(reservation, generator);
        let released = release(&mut context);
        self.state().reservation = Some((context.into_parts().0, left.saturating_sub(1)));
        released
    }

    /// Notes in the ledger that all releases were made, when the last one was.
    pub fn settle(&self, at: Option<&LedgerEntry>) -> Result<(), Failure> {
        // the lock is not held where Python is waited for
        let ledger = match &*self.state() {
            State { reservation: Some((_, 0)), ledger: Some(path), .. } => path.clone(),
            _ => return Ok(()),
        };
        note_released(&ledger, at)
    }
}
