//! Files of landmarks.

use crate::error::Failure;
use karcher_io::{Format, Missing, ReadOptions};
use pyo3::prelude::*;

/// The coordinates of the landmarks in a TPS file, one specimen after the other, with those of one; not a number where
/// one is missing.
#[pyfunction]
pub fn read_tps(py: Python<'_>, path: String) -> Result<(Vec<f64>, usize), Failure> {
    let sentence = |error: karcher_io::Error| Failure::Sentence(error.to_string());
    let packed = [".gz", ".zst"].into_iter().find(|packing| path.to_ascii_lowercase().ends_with(packing));
    let format: Format = format!("tps{}", packed.unwrap_or_default()).parse().map_err(sentence)?;
    let options = ReadOptions { format: Some(format), missing: Missing::Keep, ..ReadOptions::default() };
    let table = py.detach(|| karcher_io::read(&path, &options)).map_err(sentence)?;
    let is_in_space = table.names.iter().flatten().any(|name| name.starts_with('z'));
    if is_in_space {
        return Err(Failure::Sentence(format!("{path} holds landmarks in space: shapes are of the plane")));
    }
    Ok((table.values, table.columns))
}
