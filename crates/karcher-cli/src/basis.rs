//! Public rows of a file: `--basis FILE`, tangent vectors in whose span a mean or a regression is released, and first
//! centers of clusters.

use crate::Failure;
use karcher::Manifold;
use karcher_io::{ReadOptions, read};

/// The rows of the file of an option, each with as many numbers as a point; `what` says what a row is.
pub fn rows(option: &str, file: &str, what: &str, manifold: &dyn Manifold) -> Result<Vec<Vec<f64>>, Failure> {
    let table = read(file, &ReadOptions::default())?;
    let len = manifold.point_len();
    if table.columns != len {
        let (columns, space) = (table.columns, manifold.space());
        return Err(format!(
            "{option} {file}: a row has {columns} numbers, and {what} of {space} has {len}: one a row"
        )
        .into());
    }
    Ok(table.records().map(<[f64]>::to_vec).collect())
}
