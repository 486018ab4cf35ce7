//! The expected error of a regression on features, rehearsed with made-up records.
//!
//! Covariates are spread evenly over their ranges and levels, each by itself, and the true predictions have a root mean
//! square of `r/2`. Noise is drawn on the moments of the features. For each draw the mean square error of the
//! predictions is computed, over the noise on the responses. All of it is public.

use super::model::{Moments, damped_inverse, product, symmetric_noise};
use crate::features::{Features, Term};
use crate::noise::Generator;
use crate::vector::{add_scaled, dot};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Made-up rows.
const ROWS: usize = 1_000;

/// Draws at most and at least, and products that all of them may take.
const DRAWS: [usize; 2] = [4, 64];
const PRODUCTS: usize = 40_000_000;

/// Seed of the rehearsal.
const SEED: u64 = 0x6B61_7263_6865_7237;

/// The root mean square distance between private predictions and those of least squares.
pub(super) fn expected(features: &Features, moments: &Moments) -> f64 {
    let q = moments.features;
    let mut generator = Generator::seeded(SEED);
    let design = made_up_design(features, &mut generator);
    let mut truth: Vec<f64> = (0..q).map(|_| StandardNormal.sample(&mut generator)).collect();
    let size = dot(&truth, &product(&design, &truth, q, 1)).max(f64::MIN_POSITIVE).sqrt();
    truth.iter_mut().for_each(|b| *b *= 0.5 * moments.radius / size);
    let crossed = product(&design, &truth, q, 1);
    let of_responses = moments.dim as f64 * moments.of_responses().powi(2);
    let draws = (PRODUCTS / q.pow(3)).clamp(DRAWS[0], DRAWS[1]);
    let mut square = 0.0;
    for _ in 0..draws {
        let mut noisy = design.clone();
        add_scaled(&mut noisy, moments.of_design(), &symmetric_noise(q, &mut generator));
        let inverse = damped_inverse(&noisy, q, moments.damping());
        let mut off = product(&inverse, &crossed, q, 1);
        off.iter_mut().zip(&truth).for_each(|(off, b)| *off -= b);
        let seen = product(&inverse, &design, q, q);
        // tr(M·A·M)
        let noise: f64 = seen.chunks_exact(q).zip(inverse.chunks_exact(q)).map(|(a, m)| dot(a, m)).sum();
        // of a design without rank and tiny noise both may be below 0, by rounding
        square += dot(&off, &product(&design, &off, q, 1)).max(0.0) + noise.max(0.0) * of_responses;
    }
    (square / draws as f64).sqrt()
}

/// The mean of `φφᵀ` over made-up rows.
fn made_up_design(features: &Features, generator: &mut Generator) -> Vec<f64> {
    let q = features.width();
    let mut design = vec![0.0; q * q];
    if features.is_matrix() {
        (0..q).for_each(|j| design[j * q + j] = 1.0 / q as f64);
        return design;
    }
    let columns = features.columns();
    let mut numbers = vec![0.0; columns.len()];
    for _ in 0..ROWS {
        for (number, column) in numbers.iter_mut().zip(&columns) {
            let even: f64 = generator.random();
            *number = match &column.levels {
                Some(levels) => (even * levels.len() as f64).floor(),
                None => {
                    let own = features.terms().iter().flat_map(Term::ranges).find(|(name, _)| *name == column.name);
                    own.map_or(0.0, |(_, range)| range.low() + even * (range.high() - range.low()))
                }
            };
        }
        let row = features.row_of(&numbers);
        for (out, x) in design.chunks_exact_mut(q).zip(&row) {
            out.iter_mut().zip(&row).for_each(|(out, y)| *out += x * y / ROWS as f64);
        }
    }
    design
}
