//! What a notebook shows of a release: the section that `karcher report` writes about it.

use karcher_report::Document;
use pyo3::prelude::*;

/// The section about what karcher wrote as JSON. `None` where this version writes none, as about releases of an earlier
/// schema.
#[pyfunction]
pub fn section(py: Python<'_>, text: &str) -> Option<String> {
    py.detach(|| Document::read("release.json", text).ok().map(|document| document.fragment()))
}
