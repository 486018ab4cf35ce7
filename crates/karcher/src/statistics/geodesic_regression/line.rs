//! Exact draws of intercept and slope on a line (user guide, R2′).
//!
//! Density `∝ exp(−‖s̄(p, v)‖/σ)` on the rectangle `|p| ≤ r`, `|v| ≤ V`. On a cell of a subdivision a prediction
//! changes by at most `hᵢ = half₀ + |xᵢ|·half₁`, the clipped residual `ēᵢ` by at most
//! `δᵢ = max(clip(eᵢ + hᵢ) − ēᵢ, ēᵢ − clip(eᵢ − hᵢ))`, and the score by at most `(1/n)·Σ √(1 + w²xᵢ²)·δᵢ`. This bounds
//! the density from both sides. The upper bounds are a hat of constant pieces. Cells are halved until the two bounds
//! are close where the mass is. A draw from the hat is accepted with the quotient of density and hat. The subdivision
//! depends on the records, but the law of the draw is exact for any subdivision: no Markov chain.

use super::PrivateRegression;
use crate::noise::Generator;
use crate::points::CHUNK;
use rand::RngExt;

/// A cell is fine when `‖s̄‖/σ` varies by no more on it.
const FINE: f64 = 1.0;

/// Halving stops at this fraction of the hat's mass in cells that are not fine.
const ROUGH: f64 = 0.2;

/// `exp(−‖s̄‖/σ)` on the rectangle, ready to be drawn from.
pub(super) struct LineSampler {
    records: Vec<f64>,
    predictors: Vec<f64>,
    clip: f64,
    weight: f64,
    scale: f64,
    cells: Vec<Cell>,
}

/// A rectangle, and bounds of `‖s̄‖/σ` on it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    center: [f64; 2],
    half: [f64; 2],
    least: f64,
    largest: f64,
}

impl Cell {
    fn log_mass(&self) -> f64 {
        (self.half[0] * self.half[1]).ln() - self.least
    }
}

impl LineSampler {
    /// Approximate largest number of evaluations of one record. Where `‖s̄‖/σ` is small it has to vary slowly, and
    /// where it is large there is no mass, so that cells line up along curves. The worst records that a search found
    /// (all the same, at the end of the range) took three quarters of this.
    pub(super) fn worst_work(regression: &PrivateRegression, n: usize, scale: f64) -> f64 {
        let size = regression.leverage() * (regression.ball.radius() + 0.5 * regression.slope_bound);
        100.0 * n as f64 * (1.0 + size / scale)
    }

    pub(super) fn new(regression: &PrivateRegression, records: &[f64], predictors: &[f64], scale: f64) -> Self {
        // sorted, so that rounded sums are the same for any order of the records
        let mut pairs: Vec<(f64, f64)> = records.iter().copied().zip(predictors.iter().copied()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (records, predictors) = pairs.into_iter().unzip();
        let (clip, weight) = (regression.residual_bound, regression.weight());
        let mut this = Self { records, predictors, clip, weight, scale, cells: Vec::new() };
        let all = this.cell([0.0; 2], [regression.ball.radius(), regression.slope_bound]);
        this.cells.push(all);
        while this.refine() {}
        this
    }

    /// `‖s̄(p, v)‖/σ`.
    fn fall(&self, at: [f64; 2]) -> f64 {
        let cell = self.cell(at, [0.0; 2]);
        0.5 * (cell.least + cell.largest)
    }

    fn cell(&self, center: [f64; 2], half: [f64; 2]) -> Cell {
        let clip = |e: f64| e.clamp(-self.clip, self.clip);
        let (mut a, mut b, mut change) = (0.0, 0.0, 0.0);
        // in chunks, for the sake of rounding
        for (ys, xs) in self.records.chunks(CHUNK).zip(self.predictors.chunks(CHUNK)) {
            let mut sums = [0.0; 3];
            for (y, x) in ys.iter().zip(xs) {
                let (residual, h) = (y - center[0] - x * center[1], half[0] + x.abs() * half[1]);
                let e = clip(residual);
                sums[0] += e;
                sums[1] += x * e;
                sums[2] += 1.0_f64.hypot(self.weight * x) * (clip(residual + h) - e).max(e - clip(residual - h));
            }
            a += sums[0];
            b += sums[1];
            change += sums[2];
        }
        let scale = self.records.len() as f64 * self.scale;
        let (value, change) = (a.hypot(self.weight * b) / scale, change * (1.0 + 1e-9) / scale);
        Cell { center, half, least: (value - change).max(0.0), largest: value + change }
    }

    /// Halves cells that are not fine where the mass is; `false` when little mass is left in such cells.
    fn refine(&mut self) -> bool {
        let highest = self.highest();
        let mass = |c: &Cell| (c.log_mass() - highest).exp();
        let total: f64 = self.cells.iter().map(mass).sum();
        let is_rough = |c: &&Cell| c.largest - c.least > FINE;
        let rough: f64 = self.cells.iter().filter(is_rough).map(mass).sum();
        if rough <= ROUGH * total {
            return false;
        }
        let enough = ROUGH * rough / self.cells.len() as f64;
        let cells = std::mem::take(&mut self.cells);
        for cell in cells {
            if !is_rough(&&cell) || mass(&cell) < enough {
                self.cells.push(cell);
                continue;
            }
            // across the side that matters more
            let side = usize::from(cell.half[0] < 0.5 * cell.half[1]);
            let mut half = cell.half;
            half[side] *= 0.5;
            for sign in [-1.0, 1.0] {
                let mut center = cell.center;
                center[side] += sign * half[side];
                self.cells.push(self.cell(center, half));
            }
        }
        true
    }

    fn highest(&self) -> f64 {
        self.cells.iter().map(Cell::log_mass).fold(f64::NEG_INFINITY, f64::max)
    }

    /// One exact draw.
    pub(super) fn sample(&self, generator: &mut Generator) -> (f64, f64) {
        let highest = self.highest();
        let masses: Vec<f64> = self.cells.iter().map(|c| (c.log_mass() - highest).exp()).collect();
        let total: f64 = masses.iter().sum();
        loop {
            let mut u = generator.random::<f64>() * total;
            let mut chosen = &self.cells[0];
            for (cell, mass) in self.cells.iter().zip(&masses) {
                chosen = cell;
                if u < *mass {
                    break;
                }
                u -= mass;
            }
            let mut at = || -> [f64; 2] {
                std::array::from_fn(|i| chosen.center[i] + chosen.half[i] * (2.0 * generator.random::<f64>() - 1.0))
            };
            let [p, v] = at();
            if generator.random::<f64>() < (chosen.least - self.fall([p, v])).exp() {
                return (p, v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ball;
    use crate::manifold::Euclidean;
    use crate::mechanism::{KngRegression, Plan};
    use crate::privacy::Guarantee;
    use crate::records::PredictorRange;
    use std::sync::Arc;

    /// To the last bit: records that come from several threads are in any order.
    #[test]
    fn the_order_of_the_records_does_not_matter() {
        let space = Arc::new(Euclidean::new(1).unwrap());
        let ball = Ball::at_origin(&*space, 1.0).unwrap();
        let range = PredictorRange::new(0.0, 1.0).unwrap();
        let regression = PrivateRegression::new(space, ball, range, 1.0).unwrap();
        let mut records: Vec<(f64, f64)> = (1..=300).map(f64::from).map(|i| (i.sin(), 0.5 * (3.0 * i).cos())).collect();
        let cells = |records: &[(f64, f64)]| {
            let (ys, xs): (Vec<f64>, Vec<f64>) = records.iter().copied().unzip();
            format!("{:?}", LineSampler::new(&regression, &ys, &xs, 0.02).cells)
        };
        let one = cells(&records);
        records.reverse();
        assert_eq!(cells(&records), one);
        records.rotate_left(77);
        assert_eq!(cells(&records), one);
    }

    /// Records on which residuals are clipped nearly everywhere, and one replaced by a neighbour: flat pieces of the
    /// density must not be cut into small cells.
    #[test]
    fn work_does_not_explode_for_a_neighbour() {
        let space = Arc::new(Euclidean::new(1).unwrap());
        let range = PredictorRange::new(0.0, 1.0).unwrap();
        for n in [40, 400] {
            let ball = Ball::at_origin(&*space, 1.0).unwrap();
            let regression = PrivateRegression::new(space.clone(), ball, range, 1.0).unwrap();
            let regression = regression.residual_bound(0.1).unwrap();
            let joint = KngRegression::new(&regression, n, Guarantee::pure(2.0).unwrap()).unwrap();
            let xs: Vec<f64> = (0..n).map(|i| if i % 4 < 2 { 0.5 } else { -0.5 }).collect();
            let mut ys: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let mut most = 0;
            for kind in 0..3 {
                match kind {
                    0 => {}
                    1 => ys[1] = 1.0,
                    _ => ys.fill(0.0),
                }
                let sampler = LineSampler::new(&regression, &ys, &xs, joint.scale());
                sampler.sample(&mut Generator::seeded(1));
                most = most.max(sampler.cells.len());
            }
            assert!((most as f64) < LineSampler::worst_work(&regression, n, joint.scale()) / n as f64, "{n}: {most}");
            assert!(most < 20_000, "{n}: {most}");
        }
    }

    /// The law of draws against quadrature: Kolmogorov–Smirnov on `‖s̄‖`, intercept and slope. A correct sampler fails
    /// with probability 1e-4; a scale that is wrong by 20 % is found.
    #[test]
    fn draws_follow_their_density() {
        let space = Arc::new(Euclidean::new(1).unwrap());
        let ys = [-0.2, 0.1, 0.3, 0.15, 0.9, 0.6, 0.7, -0.9];
        let spread = [-0.5, -0.4, -0.25, -0.1, 0.1, 0.3, 0.4, 0.5];
        let (radius, slope) = (1.0, 2.0);
        let range = PredictorRange::new(0.0, 1.0).unwrap();
        // residuals clipped somewhere; never; predictors that are all the same; least squares far outside the rectangle
        let end = [0.46, 0.47, 0.47, 0.48, 0.48, 0.49, 0.49, 0.5];
        for (xs, clip, epsilon) in [(spread, 0.5, 20.0), (spread, 3.0, 30.0), ([-0.3; 8], 0.5, 8.0), (end, 3.0, 60.0)] {
            let ball = Ball::at_origin(&*space, radius).unwrap();
            let regression = PrivateRegression::new(space.clone(), ball, range, slope).unwrap();
            let regression = regression.residual_bound(clip).unwrap();
            let joint = KngRegression::new(&regression, 8, Guarantee::pure(epsilon).unwrap()).unwrap();
            assert!(joint.is_exact());
            let (weight, clip) = (regression.weight(), regression.residual_bound);
            let score = |p: f64, v: f64| {
                let (mut a, mut b) = (0.0, 0.0);
                for (y, x) in ys.iter().zip(xs) {
                    let e = (y - p - x * v).clamp(-clip, clip) / 8.0;
                    a += e;
                    b += weight * x * e;
                }
                a.hypot(b)
            };
            let sampler = LineSampler::new(&regression, &ys, &xs, joint.scale());
            let mut generator = Generator::seeded(11);
            let draws: Vec<[f64; 3]> = (0..10_000)
                .map(|_| {
                    let (p, v) = sampler.sample(&mut generator);
                    [score(p, v), p, v]
                })
                .collect();
            let statistic = |scale: f64, which: usize| {
                let mut nodes = Vec::new();
                let k = 500;
                for i in 0..k {
                    for j in 0..k {
                        let middle = |i: usize, length: f64| length * (2.0 * (i as f64 + 0.5) / k as f64 - 1.0);
                        let (p, v) = (middle(i, radius), middle(j, slope));
                        let s = score(p, v);
                        nodes.push(([s, p, v][which], (-s / scale).exp()));
                    }
                }
                // at edges between nodes, where the midpoint rule is exact to second order
                let largest = nodes.iter().map(|n| n.0).fold(0.0, f64::max);
                let least = if which == 0 { 0.0 } else { -[0.0, radius, slope][which] };
                let length = if which == 0 { largest } else { -2.0 * least };
                let total: f64 = nodes.iter().map(|n| n.1).sum();
                let mut worst: f64 = 0.0;
                for i in 1..100 {
                    let edge = least + length * i as f64 / 100.0;
                    let below: f64 = nodes.iter().filter(|n| n.0 < edge).map(|n| n.1).sum();
                    let observed = draws.iter().filter(|d| d[which] < edge).count() as f64 / draws.len() as f64;
                    worst = worst.max((below / total - observed).abs());
                }
                worst * (draws.len() as f64).sqrt()
            };
            for which in 0..3 {
                assert!(statistic(joint.scale(), which) < 2.5, "{which}: {}", statistic(joint.scale(), which));
            }
            assert!(statistic(1.2 * joint.scale(), 0) > 2.5, "{}", statistic(1.2 * joint.scale(), 0));
        }
    }
}
