//! `karcher pool --plot`: a forest plot of the sites.

use super::Picture;
use crate::Failure;
use karcher::release::PooledMean;
use std::path::Path;

/// Draws the sites of a pooled mean by their names, if a file is wanted, and may be replaced. No file that was read is.
/// Distances are in a unit with a name.
pub fn draw_sites(
    (path, force): (Option<&Path>, bool),
    read: &[String],
    pooled: &PooledMean,
    names: &[String],
    unit: (f64, &str),
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let read: Vec<&str> = read.iter().map(String::as_str).collect();
    Picture::create("--plot", path, force, &read)?.draw_sites(pooled, names, unit)
}
