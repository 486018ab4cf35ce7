//! The largest weight that a linear function of the records gives to one of them: it bounds the error of a sample whose
//! residuals may depend on the record.
//!
//! The error is `E = Σ aφᵢ·eᵢ/n` for residuals `eᵢ`. Its mean square is at most `max ‖aφ‖²` times the mean square of
//! the residuals, over n, and both are known. The terms are public, so are the rows `φ` that they can make.

use super::model::product;
use crate::features::{Covariate, CovariateColumn, Features, Term};
use crate::linalg::eigen;
use crate::vector::norm;

/// Rows at most, and numbers in all of them.
const ROWS: usize = 4_096;
const NUMBERS: usize = 1 << 20;

/// Places on the range of a polynomial for each degree, or of a spline for each knot.
const PLACES: usize = 8;

/// Rows that make the longest `aφ`; none where they would be too many.
pub(super) struct Leverage {
    rows: Vec<Vec<f64>>,
}

impl Leverage {
    /// The rows that all terms can make.
    pub(super) fn of(features: &Features) -> Self {
        let columns = features.columns();
        let each: Vec<Vec<Covariate>> = columns.iter().map(|column| values(features.terms(), column)).collect();
        let all = each.iter().fold(1_usize, |all, values| all.saturating_mul(values.len()));
        if features.is_matrix() || all > ROWS || all * features.width() > NUMBERS {
            return Self { rows: vec![] };
        }
        let row = |mut at: usize| {
            let at: Vec<Covariate> = each.iter().map(|v| (v[at % v.len()], at /= v.len()).0).collect();
            features.row(&|name| {
                let place = columns.iter().position(|column| column.name == name);
                place.map_or(Covariate::Number(f64::NAN), |i| at[i])
            })
        };
        Self { rows: (0..all).map(row).collect() }
    }

    /// `max ‖aφ‖²` for a matrix of `q` columns: no row is longer than 1.
    pub(super) fn largest(&self, a: &[f64], q: usize) -> f64 {
        if self.rows.is_empty() {
            let k = a.len() / q;
            let transposed: Vec<f64> = (0..q).flat_map(|j| (0..k).map(move |i| a[i * q + j])).collect();
            return eigen(&product(a, &transposed, q, k), k).values.last().copied().unwrap_or(0.0);
        }
        self.rows.iter().map(|row| norm(&product(a, row, q, 1)).powi(2)).fold(0.0, f64::max)
    }
}

/// The values of a column between which no row is longer: all levels and "other", or the ends of each term's range. Of
/// a term that is not linear they are many places of its range.
fn values<'a>(terms: &[Term], column: &'a CovariateColumn) -> Vec<Covariate<'a>> {
    if let Some(levels) = &column.levels {
        let other = Covariate::Number(f64::NAN);
        return levels.iter().map(|level| Covariate::Level(level)).chain([other]).collect();
    }
    let mut all: Vec<f64> = terms.iter().flat_map(|term| numbers(term, &column.name)).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    all.into_iter().map(Covariate::Number).collect()
}

/// The same numbers of one term.
fn numbers(term: &Term, column: &str) -> Vec<f64> {
    let (range, last) = match term {
        Term::Linear(name, range) if name == column => (range, 1),
        Term::Poly(name, range, count) | Term::Spline(name, range, count) if name == column => (range, PLACES * count),
        Term::Product(terms) => return terms.iter().flat_map(|term| numbers(term, column)).collect(),
        Term::Levels(..) | Term::Linear(..) | Term::Poly(..) | Term::Spline(..) => return vec![],
    };
    let at = |i: usize| i as f64 / last as f64;
    (0..=last).map(|i| range.low() * (1.0 - at(i)) + range.high() * at(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all rows of a fine grid, for functions of several terms of one column.
    #[test]
    fn no_row_of_the_terms_is_longer() {
        let terms = ["linear:age:0:100", "linear:age:40:60", "spline:age:45:50:3", "levels:sex:F,M", "poly:dose:0:1:3"];
        let features = Features::new(terms.map(|term| term.parse().unwrap()).to_vec()).unwrap();
        let (leverage, q) = (Leverage::of(&features), features.width());
        for i in 0..40 {
            let a: Vec<f64> = (0..q).map(|j| ((31 * i + 7 * j * j) as f64).sin()).collect();
            let mut longest: f64 = 0.0;
            for age in 0..=2_000 {
                let of = |name: &str| match name {
                    "age" => Covariate::Number(f64::from(age) / 20.0),
                    "sex" => Covariate::Level(["F", "M", "x"][age as usize % 3]),
                    _ => Covariate::Number(f64::from(age * 7 % 101) / 100.0),
                };
                longest = longest.max(product(&a, &features.row(&of), q, 1)[0].powi(2));
            }
            let bound = leverage.largest(&a, q);
            // between the places of a curve a row is longer by little
            assert!(longest <= 1.02 * bound, "{i}: {longest} {bound}");
        }
    }
}
