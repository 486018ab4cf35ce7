//! Facts about public data files, read from the folder `KARCHER_DATA`.

#[path = "../tests/common/public_data.rs"]
mod public_data;

use crate::convert::converted;
use crate::{ConvertOptions, ReadOptions, Table, read};
use nalgebra::{DMatrix, DMatrixView, SymmetricEigen};

fn data(file: &str) -> Option<String> {
    public_data::folder()?.join(file).to_str().map(str::to_owned)
}

fn table(file: &str, columns: &str) -> Option<Table> {
    let options = ReadOptions { columns: Some(columns.to_owned()), ..Default::default() };
    Some(read(&data(file)?, &options).unwrap())
}

/// The points of `table`, unchecked.
fn points(table: &Table, space: &str, layout: &str, multiply_by: f64) -> Vec<Vec<f64>> {
    let options =
        ConvertOptions { multiply_by: vec![crate::Factor::of_all(multiply_by).unwrap()], ..Default::default() };
    let values = converted(table, (space, layout), &options, |_| Ok(())).unwrap();
    let point_len = space.parse::<karcher::Space>().unwrap().manifold().unwrap().point_len();
    values.chunks_exact(point_len).map(<[f64]>::to_vec).collect()
}

fn smallest_eigenvalue(matrix: &[f64], k: usize) -> f64 {
    let matrix: DMatrix<f64> = DMatrixView::from_slice(matrix, k, k).into_owned();
    assert_eq!(matrix, matrix.transpose());
    SymmetricEigen::new(matrix).eigenvalues.min()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn tokyo_is_10850_kilometres_from_new_york() {
    let Some(table) = table("sphere/cities.csv", "lat,lng") else { return };
    let cities = points(&table, "sphere:2", "latlon", 1.0);
    assert_eq!((cities.len(), table.lines[0]), (50, 2));
    let distance = 6371.0 * dot(&cities[0], &cities[1]).acos();
    assert!((distance - 10850.0).abs() < 20.0, "{distance}");
}

#[test]
fn latitude_and_longitude_agree_with_published_vectors() {
    let Some(degrees) = table("sphere/us_cities.csv", "latitude,longitude") else { return };
    let Some(vectors) = table("sphere/us_cities.csv", "x,y,z") else { return };
    let converted = points(&degrees, "sphere:2", "latlon", 1.0).concat();
    assert_eq!(vectors.rows, 60);
    assert!(converted.iter().zip(&vectors.values).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn every_paleomagnetic_pole_is_on_the_sphere() {
    let Some(table) = table("sphere/paleomagnetic_poles.csv", "PLAT,PLONG") else { return };
    let poles = points(&table, "sphere:2", "latlon", 1.0);
    assert_eq!(poles.len(), 9513);
    assert!(poles.iter().all(|p| (dot(p, p) - 1.0).abs() < 1e-12));
}

#[test]
fn diffusion_tensors_are_positive_definite() {
    let Some(table) = table("spd/dti64_spd_tensors.csv", "1-6") else { return };
    let tensors = points(&table, "spd-log-euclidean:3", "diagonal-first", 1e3);
    assert_eq!(tensors.len(), 968);
    assert!(tensors.iter().all(|a| smallest_eigenvalue(a, 3) > 0.0));
    // Row by row, diffusivities would land off the diagonal.
    let misread = points(&table, "spd-log-euclidean:3", "upper-row", 1e3);
    assert!(misread.iter().any(|a| smallest_eigenvalue(a, 3) < 0.0));
}

#[test]
fn eeg_covariances_are_positive_definite_column_by_column_only() {
    let Some(table) = table("spd/erp_upper.csv", "2-529") else { return };
    let covariances = points(&table, "spd-log-euclidean:32", "upper-column", 1e25);
    assert_eq!(covariances.len(), 216);
    assert!(covariances.iter().all(|a| smallest_eigenvalue(a, 32) > 0.0));
    let misread = points(&table, "spd-log-euclidean:32", "upper-row", 1e25);
    assert!(misread.iter().all(|a| smallest_eigenvalue(a, 32) < 0.0));
}

#[test]
fn connectomes_are_positive_definite_row_by_row_only() {
    let Some(table) = table("spd/train_FNC.csv", "2-379") else { return };
    let smallest = |layout| {
        let matrices = points(&table, "spd-log-euclidean:28", layout, 1.0);
        assert_eq!(matrices.len(), 86);
        matrices.iter().map(|a| smallest_eigenvalue(a, 28)).fold(f64::INFINITY, f64::min)
    };
    assert!((smallest("correlation-upper-row") - 0.0023).abs() < 1e-4);
    assert!(smallest("correlation-upper-column") < 0.0);
}

/// `arccos |⟨z, w⟩|` with landmarks as complex numbers: Kendall's distance.
fn shape_distance(z: &[f64], w: &[f64]) -> f64 {
    let pairs = || z.chunks_exact(2).zip(w.chunks_exact(2));
    let real: f64 = pairs().map(|(z, w)| z[0] * w[0] + z[1] * w[1]).sum();
    let imaginary: f64 = pairs().map(|(z, w)| z[1] * w[0] - z[0] * w[1]).sum();
    real.hypot(imaginary).min(1.0).acos()
}

#[test]
fn outlines_of_the_corpus_callosum_are_alike() {
    let Some(table) = table("shapes/corpus_callosum_50pts.csv", "4-103") else { return };
    let summaries = points(&table, "kendall:50", "blocked", 1.0);
    assert_eq!(summaries.len(), 647);
    // None is further than 0.12 from their mean.
    assert!(summaries.iter().all(|summary| shape_distance(&summaries[0], summary) < 0.24));
}

#[test]
fn handwritten_digits_keep_their_slopes() {
    let Some(table) = table("shapes/digit3.csv", "1-26") else { return };
    let digits = points(&table, "kendall:13", "blocked", 1.0);
    assert_eq!(digits.len(), 30);
    // The first digit's first stroke goes from (9, -27) to (12, -31).
    let slope = (digits[0][3] - digits[0][1]) / (digits[0][2] - digits[0][0]);
    assert!((slope + 4.0 / 3.0).abs() < 1e-12, "{slope}");
}

#[test]
fn archive_of_images_holds_bytes_and_digits() {
    let Some(file) = data("images/mnist.npz") else { return };
    let error = read(&file, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("its arrays are test_x, test_y, train_x, train_y"), "{error}");
    let images = read(&format!("{file}:test_x"), &ReadOptions::default()).unwrap();
    assert_eq!((images.rows, images.columns), (10_000, 28 * 28));
    assert!(images.values.iter().all(|x| (0.0..=255.0).contains(x)));
    let labels = read(&format!("{file}:test_y"), &ReadOptions::default()).unwrap();
    assert_eq!((labels.rows, labels.columns), (10_000, 1));
    assert!((0..10).all(|digit| labels.values.contains(&f64::from(digit))));
}
