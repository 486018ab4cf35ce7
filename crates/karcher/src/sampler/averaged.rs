//! The average `m(s) = E θ(s·U)` of the volume density over uniform directions `U`, where it depends on them: then the
//! law of the distance has the density `f(s)·s^{d−1}·m(s)`, and a one-dimensional integral gives everything.
//!
//! `ln θ(s·U)` hardly varies with `U` in high dimension, so a few random directions with a public seed are enough. All
//! are evaluated at the same Chebyshev nodes, and `ln m` is interpolated between these.

use crate::manifold::Manifold;
use crate::noise::Generator;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Nodes at which `m` is averaged.
const NODES: usize = 32;

/// Directions that are drawn at first, and at most; their number is doubled in between.
const DIRECTIONS: std::ops::RangeInclusive<usize> = 8..=16_384;

/// The relative standard error of the mean distance with which as many directions are enough.
const GOOD_ENOUGH: f64 = 5e-4;

/// `ln m` on an interval of lengths.
pub(super) struct AverageVolume {
    nodes: Vec<Node>,
}

/// A length at which `m` is known.
struct Node {
    at: f64,
    /// Its weight in the barycentric formula.
    weight: f64,
    /// `ln m` there.
    value: f64,
}

impl AverageVolume {
    /// On `(low, high)`. `log_density(s)` is the logarithm of the rest of the density, `f(s)·s^{d−1}`: it decides which
    /// lengths matter.
    pub(super) fn new(manifold: &dyn Manifold, low: f64, high: f64, log_density: impl Fn(f64) -> f64) -> Self {
        let angles = (0..NODES).map(|i| PI * (i as f64 + 0.5) / NODES as f64);
        let place = |angle: f64| 0.5 * (low + high) - 0.5 * (high - low) * angle.cos();
        let lengths: Vec<f64> = angles.clone().map(place).collect();
        // Chebyshev's rule for the integral of a function given at the nodes
        let weights: Vec<f64> = angles.clone().map(|angle| log_density(place(angle)) + angle.sin().ln()).collect();
        let draw = |seed: usize| {
            let mut volumes = vec![0.0; NODES];
            manifold.draw_log_volume_density(&lengths, &mut Generator::seeded(seed as u64), &mut volumes);
            volumes
        };
        let mut directions: Vec<Vec<f64>> = Vec::new();
        let mut count = *DIRECTIONS.start();
        loop {
            directions.par_extend((directions.len()..count).into_par_iter().map(draw));
            if count == *DIRECTIONS.end() || relative_error(&lengths, &weights, &directions) <= GOOD_ENOUGH {
                break;
            }
            count *= 2;
        }
        let node = |(i, angle): (usize, f64)| Node {
            at: lengths[i],
            weight: if i % 2 == 0 { angle.sin() } else { -angle.sin() },
            value: log_mean(directions.iter().map(|volumes| volumes[i])),
        };
        Self { nodes: angles.enumerate().map(node).collect() }
    }

    /// `ln m(s)`, by the barycentric formula.
    pub(super) fn ln(&self, s: f64) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for node in &self.nodes {
            if s == node.at {
                return node.value;
            }
            let share = node.weight / (s - node.at);
            sum += share * node.value;
            total += share;
        }
        sum / total
    }
}

/// The relative standard error of the mean distance, a quotient of two averages over directions.
fn relative_error(lengths: &[f64], weights: &[f64], directions: &[Vec<f64>]) -> f64 {
    let exponents = || directions.iter().flat_map(|volumes| volumes.iter().zip(weights).map(|(v, w)| v + w));
    let largest = exponents().fold(f64::NEG_INFINITY, f64::max);
    let (mut mass, mut moment) = (0.0, 0.0);
    let parts: Vec<(f64, f64)> = directions
        .iter()
        .map(|volumes| {
            let terms = || volumes.iter().zip(weights).map(|(v, w)| (v + w - largest).exp());
            let part = (terms().sum::<f64>(), terms().zip(lengths).map(|(t, s)| t * s).sum::<f64>());
            mass += part.0;
            moment += part.1;
            part
        })
        .collect();
    let mean = moment / mass;
    parts.iter().map(|(mass, moment)| (moment - mean * mass).powi(2)).sum::<f64>().sqrt() / moment
}

/// `ln((1/n) Σ e^{xᵢ})`.
fn log_mean(exponents: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = exponents.clone().fold(f64::NEG_INFINITY, f64::max);
    let (sum, count) = exponents.fold((0.0, 0.0), |(sum, count), x| (sum + (x - largest).exp(), count + 1.0));
    largest + (sum / count).ln()
}
