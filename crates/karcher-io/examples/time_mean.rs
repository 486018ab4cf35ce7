//! The least of several times of the Fréchet mean of a file, in seconds, and the norm of the gradient there.
//!
//! `time_mean FILE.npy SPACE TOLERANCE REPEATS [MEAN.npy]`; what `benches/against_pyriemann.py` calls.

use karcher::Space;
use karcher::statistic::FrechetMean;
use karcher_io::{ConvertOptions, ReadOptions, layout, read, to_points, write_npy};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, space, tolerance, repeats, rest @ ..] = &arguments[..] else {
        return Err("usage: time_mean FILE.npy SPACE TOLERANCE REPEATS [MEAN.npy]".into());
    };
    let space: Space = space.parse()?;
    let manifold = space.manifold()?;
    let table = read(file, &ReadOptions::default())?;
    let points = to_points(table, &manifold, &layout(&manifold, None)?, &ConvertOptions::default())?;
    let mean = FrechetMean::new(&*manifold).tolerance(tolerance.parse()?);
    let mut least = f64::INFINITY;
    let mut value = Vec::new();
    for _ in 0..repeats.parse::<usize>()? {
        let start = Instant::now();
        value = mean.fit(points.view())?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    let (mut gradient, mut log) = (vec![0.0; manifold.point_len()], vec![0.0; manifold.point_len()]);
    for x in points.view().iter() {
        manifold.log(&value, x, &mut log)?;
        gradient.iter_mut().zip(&log).for_each(|(sum, log)| *sum += log);
    }
    println!("{least:e} {:e}", manifold.norm(&value, &gradient) / points.len() as f64);
    if let [output] = rest {
        write_npy(output, &[value.len()], &value)?;
    }
    Ok(())
}
