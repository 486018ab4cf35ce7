//! The Rust code of docs/reference/rust.md.

use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::{Ball, Release, ReleaseContext, manifold::Sphere};
use karcher_io::{ConvertOptions, ReadOptions, layout, point_from_values, read, to_points};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let file = std::env::args().nth(1).unwrap_or_else(|| "vessels.csv".to_owned());
    match mean_position(&file) {
        Ok((position, release)) => println!("{position:.2?}, {}", release.guarantee()),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Latitude and longitude, and the release.
pub fn mean_position(file: &str) -> Result<(Vec<f64>, Release), Box<dyn std::error::Error>> {
    let sphere = Arc::new(Sphere::new(2)?);
    let latlon = layout(&*sphere, Some("latlon"))?;
    let columns = ReadOptions { columns: Some("latitude,longitude".to_owned()), ..Default::default() };
    let records = to_points(read(file, &columns)?, &*sphere, &latlon, &ConvertOptions::default())?;

    let center = point_from_values(&*sphere, &latlon, &[50.0, -40.0])?;
    let ball = Ball::new(&*sphere, center, 2500.0 / 6371.0)?;
    let mean = PrivateFrechetMean::new(sphere, ball)?;
    let plan = Request::new(mean, records.len(), Guarantee::pure(1.0)?).plan()?; // spends no budget
    let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
    Ok((latlon.write(release.value()), release))
}
