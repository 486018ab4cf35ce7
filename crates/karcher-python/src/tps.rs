//! Files of landmarks.

use crate::error::Failure;
use karcher::Space;
use karcher::manifold::{Manifold, Template};
use karcher_io::{Format, Missing, ReadOptions};
use pyo3::prelude::*;

/// The coordinates of the landmarks in a TPS file, one specimen after the other, with those of one; not a number where
/// one is missing.
#[pyfunction]
pub fn read_tps(py: Python<'_>, path: String) -> Result<(Vec<f64>, usize), Failure> {
    let sentence = |error: karcher_io::Error| Failure::Sentence(error.to_string());
    let packed = [".gz", ".zst"].into_iter().find(|packing| path.to_ascii_lowercase().ends_with(packing));
    let format: Format = format!("tps{}", packed.unwrap_or_default()).parse().map_err(sentence)?;
    // shapes have no size
    let options =
        ReadOptions { format: Some(format), missing: Missing::Keep, any_scale: true, ..ReadOptions::default() };
    let table = py.detach(|| karcher_io::read(&path, &options)).map_err(sentence)?;
    let is_in_space = table.names.iter().flatten().any(|name| name.starts_with('z'));
    if is_in_space {
        return Err(Failure::Sentence(format!("{path} holds landmarks in space: shapes are of the plane")));
    }
    Ok((table.values, table.columns))
}

/// The coordinates of the landmarks in files, one specimen after the other, not a number where one is missing.
/// Also the coordinates of a specimen, and of a landmark.
#[pyfunction]
pub fn read_landmarks(py: Python<'_>, paths: Vec<String>) -> Result<(Vec<f64>, usize, usize), Failure> {
    let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
    let table =
        py.detach(|| karcher_io::read_all(&paths, &options)).map_err(|error| Failure::Sentence(error.to_string()))?;
    let is_in_space = table.names.iter().flatten().any(|name| name == "z1");
    Ok((table.values, table.columns, if is_in_space { 3 } else { 2 }))
}

/// Configurations of a space, one after the other, each rotated onto the template.
#[pyfunction]
pub fn align_landmarks(space: &str, mut records: Vec<f64>, template: Vec<f64>) -> Result<Vec<f64>, Failure> {
    let sentence = |error: karcher::error::GeometryError| Failure::Sentence(error.to_string());
    let space = Space::named(space.to_owned()).manifold().map_err(sentence)?;
    let template = Template::new(&space, &template).map_err(sentence)?;
    records.chunks_exact_mut(space.point_len()).for_each(|record| template.rotate(record));
    Ok(records)
}
