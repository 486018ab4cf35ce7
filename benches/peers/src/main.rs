//! karcher-geometry against cartan: checks that both compute the same, then times both on one thread.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml` prints the table of docs/evidence/benchmarks.md.

mod cartan_space;
mod rows;
mod timing;

use cartan::manifolds as cartan;
use cartan_space::{basis, matrix, rotation, vector};
use karcher_geometry::manifold::{Euclidean, Grassmann, Rotations, SpdAffineInvariant, Sphere};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("| operation | cartan, ns | karcher, ns | ratio | karcher, many, ns | ratio | difference |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    rows::print(&Euclidean::new(3)?, &cartan::Euclidean::<3>, &vector())?;
    rows::print(&Euclidean::new(10)?, &cartan::Euclidean::<10>, &vector())?;
    rows::print(&Sphere::new(2)?, &cartan::Sphere::<3>, &vector())?;
    rows::print(&Sphere::new(9)?, &cartan::Sphere::<10>, &vector())?;
    rows::print(&SpdAffineInvariant::new(3)?, &cartan::Spd::<3>, &matrix())?;
    rows::print(&SpdAffineInvariant::new(10)?, &cartan::Spd::<10>, &matrix())?;
    rows::print(&Rotations::new(3)?, &cartan::SpecialOrthogonal::<3>, &rotation())?;
    rows::print(&Grassmann::new(5, 2)?, &cartan::Grassmann::<5, 2>, &basis::<5, 2>())?;
    rows::print(&Grassmann::new(10, 3)?, &cartan::Grassmann::<10, 3>, &basis::<10, 3>())?;
    Ok(())
}
