//! Options that say how records are read.

use crate::Failure;
use clap::ValueEnum;
use karcher::{Ball, Manifold, Points, Space};
use karcher_io::{ConvertOptions, Layout, OnInvalid, ReadOptions, Table, to_points};

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

    /// The public constant that the numbers of records are multiplied by.
    pub fn multiply_by(&self) -> f64 {
        self.multiply_by
    }

    /// The columns that hold the records, if they were chosen.
    pub fn columns(&self) -> Option<&str> {
        self.columns.as_deref()
    }
}
