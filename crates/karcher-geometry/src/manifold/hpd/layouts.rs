//! Layouts of Hermitian matrices: whole, by entries or by parts, and as a triangle.

use super::super::Layout;

/// The layouts of `K×K` matrices, whatever their metric.
///
/// | name | numbers |
/// | --- | --- |
/// | `interleaved` | the matrix row by row, the real and the imaginary part of each entry: `Re h₁₁, Im h₁₁, Re h₁₂, …` |
/// | `blocked` | all real parts row by row, then all imaginary parts |
/// | `upper-row` | the upper triangle row by row: one number on the diagonal, two off it, `h₁₁, Re h₁₂, Im h₁₂, …, h₂₂, …` |
pub(super) fn of_matrices(k: usize) -> Vec<Layout> {
    let size = k * k;
    let interleave = move |r: &[f64]| Ok((0..size).flat_map(|i| [r[i], r[size + i]]).collect());
    let unravel = |p: &[f64]| [0, 1].iter().flat_map(|part| p.iter().skip(*part).step_by(2).copied()).collect();
    vec![
        Layout::plain("interleaved", 2 * size).in_arrays(&[k, k, 2]),
        Layout::new("blocked", 2 * size, interleave, unravel).in_arrays(&[2, k, k]),
        Layout::new("upper-row", size, move |r| Ok(from_triangle(k, r)), move |p| to_triangle(k, p)),
    ]
}

fn from_triangle(k: usize, record: &[f64]) -> Vec<f64> {
    let (mut h, mut next) = (vec![0.0; 2 * k * k], record.iter().copied());
    let mut number = || next.next().unwrap_or_default();
    for i in 0..k {
        h[2 * (i * k + i)] = number();
        for j in i + 1..k {
            let (re, im) = (number(), number());
            h[2 * (i * k + j)..][..2].copy_from_slice(&[re, im]);
            h[2 * (j * k + i)..][..2].copy_from_slice(&[re, 0.0 - im]);
        }
    }
    h
}

fn to_triangle(k: usize, h: &[f64]) -> Vec<f64> {
    let row = |i: usize| {
        let (first, end) = (2 * (i * k + i), 2 * (i + 1) * k);
        // the imaginary part of the diagonal is 0
        std::iter::once(h[first]).chain(h[first + 2..end].iter().copied())
    };
    (0..k).flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_hold_the_same_matrix() {
        // [[3, 1+2i], [1−2i, 4]]
        let matrix = vec![3.0, 0.0, 1.0, 2.0, 1.0, -2.0, 4.0, 0.0];
        for (name, record) in [
            ("interleaved", &matrix[..]),
            ("blocked", &[3.0, 1.0, 1.0, 4.0, 0.0, 2.0, -2.0, 0.0]),
            ("upper-row", &[3.0, 1.0, 2.0, 4.0]),
        ] {
            let layout = of_matrices(2).into_iter().find(|layout| layout.name() == name).unwrap();
            assert_eq!(layout.read(record), Ok(matrix.clone()), "{name}");
            assert_eq!(layout.write(&matrix), record, "{name}");
        }
    }
}
