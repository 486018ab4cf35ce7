//! Public rows of a file: `--basis FILE`, tangent vectors in whose span a mean or a regression is released, and first
//! centers of clusters.

use crate::Failure;
use karcher::Manifold;
use karcher_io::{ReadOptions, read};

/// The vectors in a file, one a row, each with as many numbers as a point.
pub fn from_file(file: &str, manifold: &dyn Manifold) -> Result<Vec<Vec<f64>>, Failure> {
    rows("--basis", file, "a tangent vector", manifold)
}

/// The points in a file, one a row, of an option.
pub fn rows_of_points(option: &str, file: &str, manifold: &dyn Manifold) -> Result<Vec<Vec<f64>>, Failure> {
    rows(option, file, "a point", manifold)
}

fn rows(option: &str, file: &str, what: &str, manifold: &dyn Manifold) -> Result<Vec<Vec<f64>>, Failure> {
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
