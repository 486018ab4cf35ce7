//! The covariance of more vectors than fit in memory.

use nalgebra::{DMatrix, RowDVector};

/// Number, mean and products `∑ (φ − mean)(φ − mean)ᵀ` of vectors.
pub(crate) struct Moments {
    count: f64,
    mean: RowDVector<f64>,
    products: DMatrix<f64>,
}

impl Moments {
    /// Moments of the rows of a matrix, in two passes.
    pub(crate) fn of(mut vectors: DMatrix<f64>) -> Self {
        let mean = vectors.row_mean();
        for (mut column, mean) in vectors.column_iter_mut().zip(&mean) {
            column.add_scalar_mut(-mean);
        }
        Self { count: vectors.nrows() as f64, mean, products: vectors.tr_mul(&vectors) }
    }

    /// Merges both (Chan, Golub and LeVeque 1983): means are subtracted before squaring, so that no digits cancel.
    pub(crate) fn merge(self, other: Self) -> Self {
        let count = self.count + other.count;
        let difference = other.mean - &self.mean;
        let products =
            self.products + other.products + difference.tr_mul(&difference) * (self.count * other.count / count);
        Self { count, mean: self.mean + difference * (other.count / count), products }
    }

    /// `1/n ∑ (φ − mean)(φ − mean)ᵀ`.
    pub(crate) fn covariance(self) -> DMatrix<f64> {
        self.products / self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_covariance_of_the_whole() {
        // far from the origin, where the difference of mean square and squared mean would have no digit right
        let vectors = DMatrix::from_fn(1000, 2, |i, j| 1e8 + ((7 * i * i + j * i) % 13) as f64);
        let parts = [(0, 1), (1, 6), (7, 500), (507, 493)];
        let moments = parts.map(|(first, rows)| Moments::of(vectors.rows(first, rows).into_owned()));
        let parts = moments.into_iter().reduce(Moments::merge).unwrap().covariance();
        // exact: integers
        let small = vectors.map(|x| (x - 1e8) as i64);
        let covariance = |a: usize, b: usize| {
            let sum = |j: usize| small.column(j).sum();
            let product: i64 = small.column(a).iter().zip(&small.column(b)).map(|(x, y)| x * y).sum();
            (1000 * product - sum(a) * sum(b)) as f64 / 1e6
        };
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (found, expected) = (parts[(a, b)], covariance(a, b));
            assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{found} for {expected}");
        }
    }
}
