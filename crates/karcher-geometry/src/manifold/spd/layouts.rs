//! Layouts of symmetric matrices: whole, as a triangle, as correlations.

use super::super::layout::Entries;
use super::super::remedy::is_singular;
use super::super::{AtypicalOrigin, CURVED_POINT_TOLERANCE, Layout, Remedy};
use super::check_matrix;
use crate::error::Short;

/// The reason why the identity is no center of most matrices.
pub(in crate::manifold) const ATYPICAL_IDENTITY: AtypicalOrigin = AtypicalOrigin {
    because: "which matrices are typical depends on their units",
    instead: "a matrix from an atlas or an earlier study",
    origin: "the identity if the matrices are normalised",
};

/// The layouts of `K×K` matrices, whatever their metric.
///
/// | name | numbers |
/// | --- | --- |
/// | `full` | the matrix row by row |
/// | `upper-row` | the upper triangle row by row, `a₁₁ a₁₂ … a₂₂ a₂₃ …` |
/// | `upper-column` | the upper triangle column by column, `a₁₁ a₁₂ a₂₂ a₁₃ …` |
/// | `diagonal-first` | the diagonal, then the strict upper triangle row by row, `Dxx Dyy Dzz Dxy Dxz Dyz` |
/// | `correlation-upper-row` | the strict upper triangle row by row; the diagonal is 1 |
/// | `correlation-upper-column` | the strict upper triangle column by column; the diagonal is 1 |
///
/// Columns that are named by their entries, `Dxy` or `c[1,2]`, contradict a layout with another order; `(i, j)` is
/// `(j, i)`.
pub(super) fn of_matrices(k: usize) -> Vec<Layout> {
    let ones = diagonal(k).map(|place| (place, 1.0)).collect::<Vec<_>>();
    vec![
        Layout::plain("full", k * k).of_entries(Entries::row_by_row(k, k).symmetric()).in_arrays(&[k, k]),
        places("upper-row", k, row_by_row(k, 0), vec![]),
        places("upper-column", k, column_by_column(k, 0), vec![]),
        places("diagonal-first", k, diagonal(k).chain(row_by_row(k, 1)), vec![]),
        places("correlation-upper-row", k, row_by_row(k, 1), ones.clone()).holding(move |p| check_unit_diagonal(k, p)),
        places("correlation-upper-column", k, column_by_column(k, 1), ones).holding(move |p| check_unit_diagonal(k, p)),
    ]
}

/// The layouts of `K×K` matrices whose diagonal is 1: `full`, and the two triangles without it.
pub(super) fn of_correlations(k: usize) -> Vec<Layout> {
    let of_correlations = |layout: &Layout| layout.is_plain() || layout.name().starts_with("correlation");
    let advised = |layout: Layout| {
        let reading = layout.clone();
        layout.advising(move |record, is_rounded| {
            let matrix = reading.read(record).ok().filter(|_| !is_rounded)?;
            let is_unit = check_unit_diagonal(k, &matrix).is_ok();
            if !is_unit && matrix.iter().step_by(k + 1).all(|x| *x > 0.0) && check_matrix(k, &matrix).is_ok() {
                return Some(Remedy::Projected { condition: "if it is a covariance matrix" });
            }
            (is_unit && is_singular(k, &matrix, record)).then_some(Remedy::Singular)
        })
    };
    of_matrices(k).into_iter().filter(of_correlations).map(advised).collect()
}

type Place = (usize, usize);

/// The layout that holds the entries in `places`, one after the other; their mirror images are the same, and the
/// entries `known` are no part of a record.
fn places(name: &'static str, k: usize, places: impl Iterator<Item = Place>, known: Vec<(Place, f64)>) -> Layout {
    let places: Vec<Place> = places.collect();
    let (numbers, written) = (places.len(), places.clone());
    let read = move |record: &[f64]| {
        let mut matrix = vec![0.0; k * k];
        for ((i, j), x) in places.iter().copied().zip(record.iter().copied()).chain(known.iter().copied()) {
            matrix[i * k + j] = x;
            matrix[j * k + i] = x;
        }
        Ok(matrix)
    };
    let entries = Entries::new(written.clone(), (k, k)).symmetric();
    Layout::new(name, numbers, read, move |p| written.iter().map(|(i, j)| p[i * k + j]).collect()).of_entries(entries)
}

/// Whether the correlations are all of a matrix.
pub(super) fn check_unit_diagonal(k: usize, p: &[f64]) -> Result<(), String> {
    match p.iter().step_by(k + 1).position(|x| (x - 1.0).abs() > CURVED_POINT_TOLERANCE) {
        None => Ok(()),
        Some(i) => Err(format!(
            "it is no matrix of correlations: entry ({0},{0}) is {1}, it must be 1{2}",
            i + 1,
            Short(p[i * (k + 1)]),
            if p[i * (k + 1)] == 0.0 { ": write ones on the diagonal" } else { "" }
        )),
    }
}

fn diagonal(k: usize) -> impl Iterator<Item = Place> {
    (0..k).map(|i| (i, i))
}

/// Places `(i, j)` with `j ≥ i + above`.
fn row_by_row(k: usize, above: usize) -> impl Iterator<Item = Place> {
    (0..k).flat_map(move |i| (i + above..k).map(move |j| (i, j)))
}

/// The same places, ordered by `j` first.
fn column_by_column(k: usize, above: usize) -> impl Iterator<Item = Place> {
    (0..k).flat_map(move |j| (0..(j + 1).saturating_sub(above)).map(move |i| (i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(k: usize, name: &str) -> Layout {
        of_matrices(k).into_iter().find(|layout| layout.name() == name).unwrap()
    }

    #[test]
    fn triangles_hold_the_same_matrix() {
        #[rustfmt::skip]
        let matrix = vec![11.0, 12.0, 13.0,
                          12.0, 22.0, 23.0,
                          13.0, 23.0, 33.0];
        for (name, record) in [
            ("full", &matrix[..]),
            ("upper-row", &[11.0, 12.0, 13.0, 22.0, 23.0, 33.0]),
            ("upper-column", &[11.0, 12.0, 22.0, 13.0, 23.0, 33.0]),
            ("diagonal-first", &[11.0, 22.0, 33.0, 12.0, 13.0, 23.0]),
        ] {
            let layout = layout(3, name);
            assert_eq!(layout.read(record), Ok(matrix.clone()), "{name}");
            assert_eq!((layout.write(&matrix), layout.check_holds(&matrix)), (record.to_vec(), Ok(())), "{name}");
        }
    }

    #[test]
    fn correlations_have_a_unit_diagonal() {
        let (by_row, by_column) = (layout(4, "correlation-upper-row"), layout(4, "correlation-upper-column"));
        let (row, column) = ([0.12, 0.13, 0.14, 0.23, 0.24, 0.34], [0.12, 0.13, 0.23, 0.14, 0.24, 0.34]);
        #[rustfmt::skip]
        let expected = vec![1.0, 0.12, 0.13, 0.14,
                            0.12, 1.0, 0.23, 0.24,
                            0.13, 0.23, 1.0, 0.34,
                            0.14, 0.24, 0.34, 1.0];
        assert_eq!((by_row.read(&row), by_column.read(&column)), (Ok(expected.clone()), Ok(expected.clone())));
        assert_eq!((by_row.write(&expected), by_column.write(&expected)), (row.to_vec(), column.to_vec()));
        let mut covariance = expected;
        covariance[5] = 2.0;
        let reason = by_row.check_holds(&covariance).unwrap_err();
        assert_eq!(reason, "it is no matrix of correlations: entry (2,2) is 2, it must be 1");
    }
}
