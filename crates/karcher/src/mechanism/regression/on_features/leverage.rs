//! The largest weight that a linear function of the records gives to one of them: it bounds the error of a sample whose
//! residuals may depend on the record.
//!
//! The error is `E = Σ aφᵢ·eᵢ/n` for residuals `eᵢ`. Its mean square is at most `max ‖aφ‖²` times the mean square of
//! the residuals, over n, and both are known. The terms are public, so are the rows `φ` that they can make.

use super::model::product;
use crate::features::{Covariate, Features, Term};
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
        let each: Vec<usize> = columns.iter().map(|column| places(features.terms(), &column.name)).collect();
        let all = each.iter().fold(1_usize, |all, places| all.saturating_mul(*places));
        if features.is_matrix() || all > ROWS || all * features.width() > NUMBERS {
            return Self { rows: vec![] };
        }
        let row = |mut at: usize| {
            let at: Vec<usize> = each.iter().map(|places| (at % places, at /= places).0).collect();
            features.row(&|name| {
                let Some(i) = columns.iter().position(|column| column.name == name) else {
                    return Covariate::Number(0.0);
                };
                match &columns[i].levels {
                    Some(levels) => {
                        levels.get(at[i]).map_or(Covariate::Number(f64::NAN), |level| Covariate::Level(level))
                    }
                    None => Covariate::Number(value(features.terms(), name, at[i] as f64 / (each[i] - 1) as f64)),
                }
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

/// The values of a column: all levels and "other", the ends of a range, or many places of it.
fn places(terms: &[Term], column: &str) -> usize {
    let of_term = |term: &Term| match term {
        Term::Levels(name, levels) if name == column => levels.len() + 1,
        Term::Linear(name, _) if name == column => 2,
        Term::Poly(name, _, count) | Term::Spline(name, _, count) if name == column => PLACES * count + 1,
        Term::Product(terms) => places(terms, column),
        Term::Levels(..) | Term::Linear(..) | Term::Poly(..) | Term::Spline(..) => 1,
    };
    terms.iter().map(of_term).max().unwrap_or(1)
}

/// The number at a part of the widest range of a column.
fn value(terms: &[Term], column: &str, part: f64) -> f64 {
    let ranges = terms.iter().flat_map(Term::ranges).filter(|(name, _)| *name == column).map(|(_, range)| range);
    let ends = ranges
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], range| [low.min(range.low()), high.max(range.high())]);
    ends[0] * (1.0 - part) + ends[1] * part
}
