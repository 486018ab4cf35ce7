//! Options that say how records are read, and the public centre of a ball.

use crate::Failure;
use clap::ValueEnum;
use karcher::{Ball, Manifold, Points, Space};
use karcher_io::{ConvertOptions, Error, Layout, OnInvalid, ReadOptions, Table, point_from_values, read, to_points};

/// How records are read.
#[derive(clap::Args)]
pub struct Input {
    /// How a record holds a point: vectors, latlon (degrees); full, upper-row, upper-column, diagonal-first,
    /// correlation-upper-row, correlation-upper-column (matrices); interleaved, blocked (landmarks).
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<Layout>,
    /// Columns to use, by name or number from 1: latitude,longitude or 4-103.
    #[arg(long, value_name = "LIST")]
    columns: Option<String>,
    /// What separates the cells of a text file, if it is not found by itself.
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// Whether the first line of a text file is a header. Default: it is if it holds no number.
    #[arg(long, value_name = "YES|NO")]
    header: Option<Header>,
    /// A public constant that multiplies every number of the records, for units: 1000 for diffusion tensors in mm²/s. (Not a predictor.)
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    multiply_by: f64,
    /// What happens to a record that is not a point of the space.
    #[arg(long, default_value = "error")]
    on_invalid: Invalid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Header {
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Invalid {
    /// Stop and say which record it is and why.
    Error,
    /// Put the center of the ball in its place and go on.
    ReplaceWithCenter,
}

impl Input {
    /// The layout that was chosen, or the usual one of a space.
    pub fn layout(&self, space: Space) -> Layout {
        self.layout.unwrap_or(Layout::default_for(space))
    }

    /// Whether a record that is not a point is replaced.
    pub fn replaces_invalid(&self) -> bool {
        self.on_invalid == Invalid::ReplaceWithCenter
    }

    /// How to read the file.
    pub fn read_options(&self) -> Result<ReadOptions, Failure> {
        let delimiter = match self.delimiter {
            Some(c) => Some(u8::try_from(c).map_err(|_| format!("--delimiter {c} is not an ASCII character"))?),
            None => None,
        };
        let header = self.header.map(|header| header == Header::Yes);
        Ok(ReadOptions { columns: self.columns.clone(), delimiter, header, keep_non_finite: self.replaces_invalid() })
    }

    /// The records as points.
    pub fn points(&self, table: Table, manifold: &dyn Manifold, ball: &Ball) -> Result<Points, Failure> {
        let invalid = match self.on_invalid {
            Invalid::Error => OnInvalid::Error,
            Invalid::ReplaceWithCenter => OnInvalid::ReplaceWith(ball.center().to_vec()),
        };
        let options = ConvertOptions { multiply_by: self.multiply_by, invalid };
        Ok(to_points(table, manifold, self.layout(manifold.space()), &options)?)
    }

    /// The centre `--center`: numbers, a file, or the space's origin.
    pub fn center(&self, center: &str, manifold: &dyn Manifold) -> Result<Vec<f64>, Failure> {
        let layout = self.layout(manifold.space());
        layout.record_len(manifold.space(), manifold.point_len())?; // a layout that does not fit is no mistake of the center
        if center == "origin" {
            let mut origin = vec![0.0; manifold.point_len()];
            manifold.origin(&mut origin);
            return Ok(origin);
        }
        let numbers: Result<Vec<f64>, _> = center.split(',').map(|x| x.trim().parse::<f64>()).collect();
        let values = match numbers {
            Ok(values) => values,
            Err(_) => {
                let table = read(center, &ReadOptions::default()).map_err(|e| {
                    format!("--center {center}: neither numbers separated by commas nor a readable file ({e})")
                })?;
                if table.rows != 1 {
                    return Err(
                        format!("--center {center}: the file must hold one record, it holds {}", table.rows).into()
                    );
                }
                table.values
            }
        };
        let scaled: Vec<f64> = values.iter().map(|x| x * self.multiply_by).collect();
        Ok(point_from_values(manifold, layout, &scaled).map_err(|error| match error {
            Error::WrongColumns { space, expected, found, .. } => {
                format!("--center: it must hold {expected} numbers, as a record on {space} in the layout {layout} does, not {found}")
            }
            other => format!("--center: {other}"),
        })?)
    }
}
