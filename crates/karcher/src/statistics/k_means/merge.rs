//! Merges the cells of a first partition into clusters: processing of released numbers.
//!
//! The cells' centers, weighted by their noisy numbers of records, stand for the records. Weighted k-medoids finds `k`
//! of them: seeds by k-means++ (Arthur and Vassilvitskii 2007), then alternating steps, the best of many starts. Each
//! medoid then moves to the weighted mean of its cells, by one step. It needs distances alone, so it works on every
//! space; and it costs no privacy, however many starts there are.

use crate::manifold::Manifold;
use crate::mechanism::noise::exact::moved;
use crate::vector::add_scaled;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Starts, and the medoids that all of them have together at most: more clusters have fewer starts.
const STARTS: usize = 32;
const MEDOIDS: usize = 2048;

/// Alternating steps of a start.
const STEPS: usize = 32;

/// The centers of `k` clusters of weighted points, `k` of them or fewer where fewer points have weight.
pub(super) fn merged(space: &dyn Manifold, points: &[Vec<f64>], weights: &[f64], k: usize) -> Vec<Vec<f64>> {
    let flat: Vec<f64> = points.concat();
    let mut squares = vec![0.0; points.len() * points.len()];
    space.dist_matrix(&flat, &flat, &mut squares);
    // two points without a distance are far apart
    squares.iter_mut().for_each(|d| *d = if d.is_nan() { f64::MAX.sqrt() } else { (*d * *d).min(f64::MAX.sqrt()) });
    let table = Table { squares: &squares, weights };
    let mut rng = ChaCha8Rng::seed_from_u64(k as u64);
    let starts = (0..(MEDOIDS / k.max(1)).clamp(2, STARTS)).map(|_| table.alternated(table.seeds(k, &mut rng)));
    let best = starts.min_by(|a, b| table.cost(a).total_cmp(&table.cost(b))).unwrap_or_default();
    let mut sums: Vec<(f64, Vec<f64>)> = best.iter().map(|_| (0.0, vec![0.0; space.dim()])).collect();
    let mut log = vec![0.0; space.dim()];
    for (i, point) in points.iter().enumerate() {
        let Some(at) = table.nearest(i, &best) else { continue };
        let view = crate::points::PointsView::unchecked(space.space(), point.len(), point);
        space.frame_logs(&points[best[at]], view, &mut log);
        if log.iter().all(|c| c.is_finite()) {
            sums[at].0 += weights[i];
            add_scaled(&mut sums[at].1, weights[i], &log);
        }
    }
    let mean = |(medoid, (weight, sum)): (&usize, &(f64, Vec<f64>))| {
        let step: Vec<f64> = sum.iter().map(|s| if *weight > 0.0 { s / weight } else { 0.0 }).collect();
        moved(space, points[*medoid].clone(), &step)
    };
    best.iter().zip(&sums).map(mean).collect()
}

/// Squared distances of weighted points.
struct Table<'a> {
    squares: &'a [f64],
    weights: &'a [f64],
}

impl Table<'_> {
    fn square(&self, i: usize, j: usize) -> f64 {
        self.squares[i * self.weights.len() + j]
    }

    /// The place in a list of the point that is nearest to one, and the first of equals.
    fn nearest(&self, i: usize, list: &[usize]) -> Option<usize> {
        (0..list.len()).min_by(|a, b| self.square(i, list[*a]).total_cmp(&self.square(i, list[*b])))
    }

    /// The weighted sum of squared distances to the nearest of a list.
    fn cost(&self, list: &[usize]) -> f64 {
        let own = |i: usize| self.nearest(i, list).map_or(0.0, |at| self.weights[i] * self.square(i, list[at]));
        (0..self.weights.len()).map(own).sum()
    }

    /// One point after the other, each with a probability proportional to its weight and the square of its distance to
    /// those before.
    fn seeds(&self, k: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut chosen: Vec<usize> = vec![];
        while chosen.len() < k {
            let apart = |i: usize| chosen.iter().map(|j| self.square(i, *j)).reduce(f64::min).unwrap_or(1.0);
            let chances: Vec<f64> = (0..self.weights.len()).map(|i| self.weights[i] * apart(i)).collect();
            let mut left = chances.iter().sum::<f64>() * rng.random::<f64>();
            let at = chances.iter().position(|chance| {
                left -= chance;
                left < 0.0 && *chance > 0.0
            });
            // rounding may leave a rest
            let Some(next) = at.or_else(|| chances.iter().rposition(|chance| *chance > 0.0)) else { break };
            chosen.push(next);
        }
        chosen
    }

    /// Medoids after alternating steps: each is the point of its cluster with the least sum of squares to the others.
    fn alternated(&self, mut medoids: Vec<usize>) -> Vec<usize> {
        for _ in 0..STEPS {
            let mut own: Vec<Vec<usize>> = vec![vec![]; medoids.len()];
            for i in (0..self.weights.len()).filter(|i| self.weights[*i] > 0.0) {
                if let Some(at) = self.nearest(i, &medoids) {
                    own[at].push(i);
                }
            }
            let sum = |m: usize, of: &[usize]| of.iter().map(|i| self.weights[*i] * self.square(*i, m)).sum::<f64>();
            let next = medoids.iter().zip(&own).map(|(medoid, of)| {
                of.iter().copied().min_by(|a, b| sum(*a, of).total_cmp(&sum(*b, of))).unwrap_or(*medoid)
            });
            let next: Vec<usize> = next.collect();
            if next == medoids {
                break;
            }
            medoids = next;
        }
        medoids
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;

    /// Three groups of cells on a line, one cell of no weight between two.
    #[test]
    fn groups_of_cells_become_clusters_at_their_weighted_means() {
        let line = Euclidean::new(1).unwrap();
        let points: Vec<Vec<f64>> = [0.0, 0.1, 0.5, 1.0, 1.2, 5.0].map(|x| vec![x]).into();
        let mut found = merged(&line, &points, &[3.0, 1.0, 0.0, 1.0, 1.0, 2.0], 3);
        found.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let expected = [0.025, 1.1, 5.0];
        assert!(found.iter().zip(expected).all(|(x, y)| (x[0] - y).abs() < 1e-12), "{found:?}");
        // fewer points with weight than clusters
        assert_eq!(merged(&line, &points, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 2).len(), 1);
    }
}
