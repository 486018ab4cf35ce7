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

/// Slope of `ln y` over `ln x` by least squares, and the standard deviation of the residuals.
pub fn slope(line: &[Measured]) -> (f64, f64) {
    let points: Vec<(f64, f64)> = line.iter().map(|m| (m.x.ln(), m.mean.ln())).collect();
    let (x, _) = summary(&points.iter().map(|p| p.0).collect::<Vec<_>>());
    let (y, _) = summary(&points.iter().map(|p| p.1).collect::<Vec<_>>());
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    let residuals: Vec<f64> = points.iter().map(|p| p.1 - y - slope * (p.0 - x)).collect();
    (slope, summary(&residuals).1)
}
