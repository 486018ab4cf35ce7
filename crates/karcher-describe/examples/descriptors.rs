//! The descriptors of image files and the public ball that holds them.
//!
//! `cargo run --release -p karcher-describe --example descriptors -- examples/textures.npy`

use karcher_describe::{ImageFiles, ball};

fn main() -> Result<(), karcher_describe::Error> {
    let eta = 1e-6;
    let files = ImageFiles::open(&std::env::args().skip(1).collect::<Vec<_>>())?;
    let mut largest = 0.0f64;
    files.describe(eta, |descriptor| {
        largest = descriptor.iter().copied().fold(largest, f64::max);
        Ok(())
    })?;
    let (k, ball) = (files.size()?, ball(files.channels()?, eta)?);
    println!("{} matrices of {k} × {k}, the largest entry {largest:.4}", files.images());
    println!("all of them are within {:.4} of {:.6} times the identity", ball.radius, ball.center);
    Ok(())
}
