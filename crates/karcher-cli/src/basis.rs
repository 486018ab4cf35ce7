//! `--basis FILE`: public tangent vectors, in whose span a mean or a regression is released.

use crate::Failure;
use karcher::Manifold;
use karcher_io::{ReadOptions, read};

/// The vectors in a file, one a row, each with as many numbers as a point.
pub fn from_file(file: &str, manifold: &dyn Manifold) -> Result<Vec<Vec<f64>>, Failure> {
    let table = read(file, &ReadOptions::default())?;
    let len = manifold.point_len();
    if table.columns != len {
        let (columns, space) = (table.columns, manifold.space());
        return Err(format!(
            "--basis {file}: a row has {columns} numbers, and a tangent vector of {space} has {len}: one vector a row"
        )
        .into());
    }
    Ok(table.records().map(<[f64]>::to_vec).collect())
}
