//! The singular value decomposition of one small matrix.

use nalgebra::DMatrix;

/// A number of sweeps far beyond what quadratic convergence takes.
const MAX_SWEEPS: usize = 60;

/// `A = Σⱼ σⱼ uⱼ vⱼᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Singular {
    /// The columns `uⱼ`. They are orthonormal where `A` has at least as many rows as columns; otherwise those with `σⱼ`
    /// above rounding are.
    pub(crate) left: DMatrix<f64>,
    /// `σ`, descending; one a column of `A`.
    pub(crate) values: Vec<f64>,
    /// The orthonormal columns `vⱼ`.
    pub(crate) right: DMatrix<f64>,
}

/// The singular value decomposition by one-sided Jacobi rotations: columns are rotated in pairs until they are
/// orthogonal, and end as `σⱼuⱼ`.
///
/// Singular vectors of small singular values are as orthogonal as those of large ones (Demmel and Veselić 1992,
/// Jacobi's method is more accurate than QR). Bidiagonalisation, as in nalgebra 0.35, may fail on matrices without full
/// rank.
pub(crate) fn singular(a: DMatrix<f64>) -> Singular {
    let (rows, count) = a.shape();
    let (mut left, mut right) = (a, DMatrix::identity(count, count));
    let tolerance = rows as f64 * f64::EPSILON;
    // columns that are 0 up to rounding cannot be made orthogonal, and need not be
    let least = tolerance * left.norm();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for q in 1..count {
            for p in 0..q {
                let (u, v) = (left.column(p), left.column(q));
                let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
                if uv.abs() <= tolerance * uu.sqrt() * vv.sqrt() || uu.min(vv).sqrt() <= least {
                    continue;
                }
                rotated = true;
                let d = vv - uu;
                let t = 2.0 * uv * 1.0_f64.copysign(d) / (d.abs() + d.hypot(2.0 * uv));
                rotate(&mut left, p, q, t);
                rotate(&mut right, p, q, t);
            }
        }
        if !rotated {
            break;
        }
    }
    let norms: Vec<f64> = left.column_iter().map(|u| u.norm()).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
    let values: Vec<f64> = order.iter().map(|&j| norms[j]).collect();
    let mut left = left.select_columns(&order);
    for (j, &value) in values.iter().enumerate() {
        if value > least {
            left.column_mut(j).scale_mut(1.0 / value);
        } else if j < rows {
            complete(&mut left, j);
        }
    }
    Singular { left, values, right: right.select_columns(&order) }
}

/// Rotates two columns by the angle whose tangent is `t`.
fn rotate(a: &mut DMatrix<f64>, p: usize, q: usize, t: f64) {
    let cos = 1.0 / t.hypot(1.0);
    let sin = t * cos;
    for i in 0..a.nrows() {
        let (x, y) = (a[(i, p)], a[(i, q)]);
        a[(i, p)] = cos * x - sin * y;
        a[(i, q)] = sin * x + cos * y;
    }
}

/// Makes column `j` a unit vector orthogonal to the columns before it: the rest of the axis that they take least of.
fn complete(a: &mut DMatrix<f64>, j: usize) {
    let taken = |i: usize| a.row(i).columns(0, j).norm_squared();
    let axis = (1..a.nrows()).fold(0, |best, i| if taken(i) < taken(best) { i } else { best });
    let before = a.columns(0, j).into_owned();
    let mut column = nalgebra::DVector::zeros(a.nrows());
    column[axis] = 1.0;
    // twice is enough
    for _ in 0..2 {
        column -= &before * before.tr_mul(&column);
        let size = column.norm();
        column.scale_mut(1.0 / size);
    }
    a.set_column(j, &column);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;
    use rand_distr::StandardNormal;

    #[test]
    fn matrices_of_every_rank_are_the_product_of_their_factors() {
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        for case in 0..4000 {
            let (count, rank) = (rng.random_range(1..6), rng.random_range(0..6));
            let rows = count + rng.random_range(0..3);
            let mut normal = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| rng.sample(StandardNormal));
            let low = |a: DMatrix<f64>, b: DMatrix<f64>| a * b;
            let a: DMatrix<f64> = match case % 4 {
                0 => normal(rows, count),
                1 => low(normal(rows, rank), normal(rank, count)),
                2 => DMatrix::identity(rows, count) + 1e-9 * low(normal(rows, rank), normal(rank, count)),
                _ => normal(rows, count).map(|x: f64| x.powi(15)),
            };
            let Singular { left, values, right } = singular(a.clone());
            let product = &left * DMatrix::from_diagonal(&values.clone().into()) * right.transpose();
            assert!((product - &a).norm() <= 1e-14 * a.norm(), "{a}");
            let identity = DMatrix::identity(count, count);
            assert!((left.tr_mul(&left) - &identity).norm() < 1e-13, "{a}{left}");
            assert!((right.tr_mul(&right) - &identity).norm() < 1e-13, "{a}{right}");
            assert!(values.is_sorted_by(|a, b| a >= b) && values.iter().all(|x| *x >= 0.0));
        }
    }
}
