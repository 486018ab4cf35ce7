//! The local model: one person's record with noise, and the mean of many.

use crate::arrays::Records;
use crate::error::Failure;
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::mean::records;
use crate::persons::Groups;
use crate::privacy::{Budget, guarantee, json};
use crate::work::run;
use karcher::mechanism::{Randomizer, collect};
use karcher::records::Observations;
use karcher::release::PublishedRelease;
use karcher::spec::BallSpec;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The records of one person, reduced to one and randomized: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, ball, budget, seed, ledger, persons))]
#[allow(clippy::too_many_arguments)]
pub fn randomized<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    ball: &str,
    budget: Budget,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
) -> Result<String, Failure> {
    let space = manifold.get().share();
    let budget = guarantee(budget)?;
    let ball = serde_json::from_str::<BallSpec>(ball).map_err(|error| Failure::Sentence(format!("ball: {error}")))?;
    let x = records(manifold.get(), "x", x)?.array;
    let (way_out, groups) = (WayOut::new(seed, ledger)?, Groups::new(py, persons)?);
    let release = run(py, [x], move |[values], _| {
        let ball = ball.public(space.space())?;
        let randomizer = Randomizer::new(space.clone(), ball.clone(), budget)?;
        let records = Records::new(&*space, values)?;
        way_out.run(&randomizer, &*groups.reduced(Observations::new(records.view()), (&space, &ball, None))?)
    })?;
    json(&release)
}

/// The mean of releases that are given as JSON, as JSON.
#[pyfunction]
pub fn collected(py: Python<'_>, reports: Vec<String>) -> Result<String, Failure> {
    run(py, [], move |[], _| {
        let read = |(i, text): (usize, String)| {
            serde_json::from_str::<PublishedRelease>(&text)
                .map_err(|error| Failure::Sentence(format!("release {} is invalid: {error}", i + 1)))
        };
        let reports = reports.into_iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        json(&collect(&reports)?)
    })
}
