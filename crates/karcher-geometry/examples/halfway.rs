//! The point halfway between two covariance matrices, under two metrics.
//!
//! `cargo run -p karcher-geometry --example halfway`

use karcher_geometry::{Error, Manifold, Space};

fn main() -> Result<(), Error> {
    let (a, b) = ([1.0, 0.0, 0.0, 0.01], [0.01, 0.0, 0.0, 1.0]);
    for name in ["euclidean:4", "spd-log-euclidean:2", "spd-affine-invariant:2"] {
        let space = name.parse::<Space>()?.manifold()?;
        let half = halfway(&*space, &a, &b)?;
        let determinant = half[0] * half[3] - half[1] * half[2];
        println!("{name:<24} distance {:.3}, determinant halfway {determinant:.4}", space.dist(&a, &b));
    }
    Ok(())
}

/// `Exp_a(½·Log_a(b))`.
fn halfway(space: &dyn Manifold, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Error> {
    let (mut velocity, mut half) = (vec![0.0; a.len()], vec![0.0; a.len()]);
    space.log(a, b, &mut velocity)?;
    velocity.iter_mut().for_each(|v| *v *= 0.5);
    space.exp(a, &velocity, &mut half);
    Ok(half)
}
