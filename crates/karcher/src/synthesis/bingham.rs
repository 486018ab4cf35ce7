//! Bingham's law of axes, with the density `∝ e^{−Σ λⱼxⱼ²}` on the unit sphere of `R^q` in its principal frame.
//!
//! By rejection from an angular central Gaussian law (Kent, Ganeiber and Mardia 2018, section 4). `y` has independent
//! normal numbers of the variances `1/(1 + 2λⱼ/b)`. `x = y/‖y‖` has the density `∝ (1 + 2u/b)^{−q/2}`, `u = Σ λⱼxⱼ²`. It is
//! accepted with the probability
//!
//! ```text
//! e^{−u}·(1 + 2u/b)^{q/2}·e^{(q−b)/2}·(b/q)^{q/2},
//! ```
//!
//! which is 1 at `u = (q − b)/2` and less elsewhere. Every `b > 0` is right, and `Σ 1/(b + 2λⱼ) = 1` accepts most often.

use super::Law;
use crate::sampler::Generator;
use crate::vector::{dot, norm};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Bingham's law on the unit sphere.
#[derive(Debug)]
pub(super) struct Bingham {
    lambda: Vec<f64>,
    b: f64,
}

impl Bingham {
    /// Concentrations `0 = λ₁ ≤ …`. `None` unless they are numbers from 0 on.
    pub(super) fn new(lambda: Vec<f64>) -> Option<Self> {
        if lambda.is_empty() || !lambda.iter().all(|lambda| (0.0..1e150).contains(lambda)) {
            return None;
        }
        let (mut low, mut high) = (0.0, lambda.len() as f64);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            let is_below = lambda.iter().map(|lambda| 1.0 / (middle + 2.0 * lambda)).sum::<f64>() > 1.0;
            *(if is_below { &mut low } else { &mut high }) = middle;
        }
        Some(Self { lambda, b: high })
    }

    /// A unit vector in the principal frame.
    pub(super) fn draw_unit(&self, generator: &mut Generator) -> Vec<f64> {
        let (q, b) = (self.lambda.len() as f64, self.b);
        loop {
            let number = |lambda: &f64| generator.sample::<f64, _>(StandardNormal) / (1.0 + 2.0 * lambda / b).sqrt();
            let mut x: Vec<f64> = self.lambda.iter().map(number).collect();
            let length = norm(&x);
            x.iter_mut().for_each(|x| *x /= length);
            let u: f64 = self.lambda.iter().zip(&x).map(|(lambda, x)| lambda * x * x).sum();
            let accepted = 0.5 * (q - b) - u + 0.5 * q * ((1.0 + 2.0 * u / b) * b / q).ln();
            if accepted >= generator.random::<f64>().ln() {
                return x;
            }
        }
    }
}

/// Bingham's law of axes, or of rotations as quaternions, in a frame of unit vectors.
#[derive(Debug)]
pub(super) struct Axes {
    law: Bingham,
    /// The numbers of the frame's vectors, one row for each number of a point.
    rows: Vec<Vec<f64>>,
}

impl Axes {
    /// The law of concentrations in an orthonormal frame, the first vector of it the axis where the density is largest.
    pub(super) fn new(law: Bingham, frame: &[Vec<f64>]) -> Self {
        let rows = (0..frame.len()).map(|i| frame.iter().map(|vector| vector[i]).collect()).collect();
        Self { law, rows }
    }
}

impl Law for Axes {
    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let x = self.law.draw_unit(generator);
        out.iter_mut().zip(&self.rows).for_each(|(out, row)| *out = dot(row, &x));
    }

    fn about(&self) -> String {
        let lambda: Vec<String> = self.law.lambda.iter().skip(1).map(|lambda| format!("{lambda:.4}")).collect();
        format!("Bingham law, λ = {}", lambda.join(", "))
    }
}
