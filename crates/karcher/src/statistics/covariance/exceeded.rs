//! What noise of the nuclear norm rarely exceeds, on a vector and its square (user guide, D6).
//!
//! `oracles/nuclear_noise.py quantiles` computes the numbers: uniform directions are weighed by the density, and the
//! length is integrated. They are rounded up, by half a per cent and by five standard errors at least.

/// The least tails that are tabulated, a little below 5 % and 2.5 %.
const TAILS: [f64; 2] = [0.0499999, 0.0249999];

/// For vectors of 2, 3, … numbers and noise of scale 1: what the length of the numbers of the border exceeds with 5 %
/// and with 2.5 %, and the spectral norm of the rest with 2.5 %.
const EXCEEDED: [[f64; 3]; 6] = [
    [4.26, 4.91, 4.34],
    [5.75, 6.49, 6.43],
    [7.12, 7.93, 8.44],
    [8.43, 9.31, 10.40],
    [9.68, 10.61, 12.32],
    [10.92, 11.92, 14.23],
];

fn row(dim: usize) -> Option<&'static [f64; 3]> {
    EXCEEDED.get(dim.checked_sub(2)?)
}

/// What the length of `a` times the noise on the mean exceeds with a probability of at most `alpha`, for noise of scale
/// 1.
/// `None` for a probability that is not tabulated.
pub(super) fn exceeded_by_border(dim: usize, alpha: f64) -> Option<f64> {
    let place = TAILS.iter().position(|tail| *tail <= alpha)?;
    row(dim).map(|row| row[place])
}

/// The same of the spectral norm of the noise on the second moment.
pub(super) fn exceeded_by_rest(dim: usize, alpha: f64) -> Option<f64> {
    row(dim).map(|row| row[2]).filter(|_| TAILS[1] <= alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::eigen;
    use crate::noise::{Generator, Matrices, MatrixNoise, nearest};

    /// Exact draws exceed each number as rarely as stated, and 0.8 of it more often: with 4,000 draws, five standard
    /// errors.
    #[test]
    fn exact_draws_rarely_exceed_the_numbers() {
        const DRAWS: usize = 4_000;
        for dim in 2..5 {
            let (noise, mut generator) =
                (MatrixNoise::new(Matrices::Bordered(dim), 1e9).unwrap(), Generator::seeded(11));
            let mut sizes = [vec![], vec![]];
            for _ in 0..DRAWS {
                let drawn: Vec<f64> = noise.draw(&mut generator).iter().map(|x| nearest(x) / 1e9).collect();
                sizes[0].push(drawn[..dim].iter().map(|x| x * x).sum::<f64>().sqrt());
                let matrix = crate::mechanism::components::symmetric(dim, &mut drawn[dim..].iter().copied());
                sizes[1].push(eigen(&matrix, dim).values.iter().fold(0.0, |most: f64, x| most.max(x.abs())));
            }
            for (which, alpha) in [(0, 0.05), (0, 0.025), (1, 0.025)] {
                let of = if which == 0 { exceeded_by_border } else { exceeded_by_rest };
                let bound = of(dim, alpha).unwrap();
                let beyond = |share: f64| sizes[which].iter().filter(|size| **size > share * bound).count() as f64;
                let (expected, error) = (alpha * DRAWS as f64, 5.0 * (alpha * DRAWS as f64).sqrt());
                assert!(beyond(1.0) < expected + error, "{dim} {which} {alpha}: {}", beyond(1.0));
                assert!(beyond(1.0) > expected - error, "{dim} {which} {alpha}: {}", beyond(1.0));
                assert!(beyond(0.8) > expected + error, "{dim} {which} {alpha}: {}", beyond(0.8));
            }
        }
        assert!(exceeded_by_border(3, 0.01).is_none() && exceeded_by_rest(8, 0.025).is_none());
    }
}
