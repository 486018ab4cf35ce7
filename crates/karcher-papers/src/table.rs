//! Numbers with names, as CSV.

use crate::Failure;
use crate::item::summary;

/// Rows under a header.
#[derive(Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|name| (*name).to_owned()).collect(), rows: vec![] }
    }

    /// Adds a row.
    pub fn push(&mut self, cells: &[&dyn ToString]) {
        self.rows.push(cells.iter().map(|cell| cell.to_string()).collect());
    }

    /// As CSV.
    pub fn to_csv(&self) -> Result<String, Failure> {
        let mut writer = csv::Writer::from_writer(vec![]);
        writer.write_record(&self.header)?;
        self.rows.iter().try_for_each(|row| writer.write_record(row))?;
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// Header and rows.
    pub fn parts(&self) -> (&[String], &[Vec<String>]) {
        (&self.header, &self.rows)
    }
}

/// Repeated measurements in one place of a plot: the mean and a band of standard deviations.
pub struct Measured {
    /// Where.
    pub x: f64,
    /// Mean of the measurements.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Measured {
    /// The summary of measurements at `x`.
    pub fn new(x: f64, values: &[f64]) -> Self {
        let (mean, deviation) = summary(values);
        Self { x, mean, deviation }
    }
}
