//! The private number of records.

use crate::error::Failure;
use crate::ledger::WayOut;
use crate::privacy::{Budget, guarantee, json};
use karcher::mechanism::CountPlan;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The private number of `n` records: the release as JSON.
#[pyfunction]
#[pyo3(signature = (n, budget, seed, ledger))]
pub fn private_count(n: u64, budget: Budget, seed: Option<u64>, ledger: Option<PathBuf>) -> Result<String, Failure> {
    let plan = CountPlan::new(guarantee(budget)?)?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = plan.run_on(n, &mut way_out.context(&plan.event())?)?;
    way_out.settle_entry(release.ledger.as_ref())?;
    json(&release)
}
