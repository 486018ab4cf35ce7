//! How long a draw of the noise of the nuclear norm takes: the table of the user guide, X6.

use karcher_privacy::noise::{Generator, Matrices, MatrixNoise};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let all = (3..=8).map(Matrices::Symmetric).chain((3..=5).map(Matrices::Hermitian));
    for matrices in all {
        let (deviation, pairs) = matrices.noise().ok_or("a size that is drawn")?;
        // unit vectors: 2/ε against √2/ε
        let longer = (0.5 * (matrices.numbers() as f64 + 1.0)).sqrt();
        let noise = MatrixNoise::new(matrices, 2.0_f64.powi(52))?;
        let (mut generator, start, mut draws) = (Generator::seeded(1), Instant::now(), 0);
        while start.elapsed().as_secs_f64() < 2.0 {
            let _ = noise.draw(&mut generator);
            draws += 1;
        }
        let each = start.elapsed() / draws;
        println!("{matrices:?}: {pairs:.1} pairs, {:.3} of Laplace noise, {each:.1?} a draw", deviation / longer);
    }
    Ok(())
}
