//! Synthetic records of releases.

use crate::arrays::array;
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::mean::read;
use crate::work::run;
use karcher::sampler::Generator;
use karcher::synthesis::{Cluster, Synthesis};
use pyo3::prelude::*;

/// The records, how many are of each release, and the law of each.
type Made<'py> = (Bound<'py, PyAny>, Vec<usize>, Vec<String>);

/// `n` records of releases that are given as JSON, each with its name.
#[pyfunction]
#[pyo3(signature = (releases, n, spread, seed))]
pub fn synthesize(
    py: Python<'_>,
    releases: Vec<(String, String)>,
    n: usize,
    spread: Option<f64>,
    seed: Option<u64>,
) -> Result<Made<'_>, Failure> {
    let (names, texts): (Vec<String>, Vec<String>) = releases.into_iter().unzip();
    let releases = read(&texts)?;
    let (manifold, made_up, laws) = run(py, [], move |[], _| {
        let synthesis = match &releases[..] {
            [release] => Synthesis::of(release, spread)?,
            several => Synthesis::of_groups(names.iter().map(String::as_str).zip(several), spread)?,
        };
        let mut generator = seed.map_or_else(Generator::from_os, |seed| Ok(Generator::seeded(seed)))?;
        let made_up = synthesis.draw(n, &mut generator)?;
        let laws = synthesis.clusters().iter().map(Cluster::about).collect();
        Ok((synthesis.manifold().clone(), made_up, laws))
    })?;
    let points = array(py, made_up.points.view().values().to_vec(), Some(n), PyManifold::from(manifold).shape())?;
    Ok((points, made_up.sizes, laws))
}
