//! The Rust code of docs/reference/rust.md.

use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::{Ball, Release, ReleaseContext, manifold::Sphere};
use karcher_io::{ConvertOptions, ReadOptions, layout, point_from_values, read, to_points};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("give a file")?;
    let release = mean_position(&file)?;
    println!("{:?}, {}", release.value(), release.guarantee());
    Ok(())
}

pub fn mean_position(file: &str) -> Result<Release, Box<dyn std::error::Error>> {
    let sphere = Arc::new(Sphere::new(2)?);
    let latlon = layout(&*sphere, Some("latlon"))?;
    let columns = ReadOptions { columns: Some("latitude,longitude".to_owned()), ..Default::default() };
    let records = to_points(read(file, &columns)?, &*sphere, &latlon, &ConvertOptions::default())?;

    let center = point_from_values(&*sphere, &latlon, &[50.0, -40.0])?;
    let ball = Ball::new(&*sphere, center, 2500.0 / 6371.0)?;
    let mean = PrivateFrechetMean::new(sphere, ball)?;
    let plan = Request::new(mean, records.len(), Guarantee::pure(1.0)?).plan()?; // spends nothing
    Ok(plan.run(&records, &mut ReleaseContext::from_os()?)?)
}
