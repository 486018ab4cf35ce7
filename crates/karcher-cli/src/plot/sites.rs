//! `karcher pool --plot`: a forest plot of the sites.

use super::Picture;
use crate::Failure;
use karcher::release::PooledMean;
use std::path::Path;

/// Draws the sites of a pooled mean by their names, which are files that were read, if a file is wanted. Distances are
/// in a unit with a name.
pub fn draw_sites(
    path: Option<&Path>,
    force: bool,
    pooled: &PooledMean,
    names: &[String],
    unit: (f64, &str),
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let read: Vec<&str> = names.iter().map(String::as_str).collect();
    Picture::create("--plot", path, force, &read)?.draw_sites(pooled, names, unit)
}
