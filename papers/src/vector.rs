//! Vectors and matrices as lists of numbers.

/// `‖x‖`, of a matrix the Frobenius norm.
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `‖x − y‖`, of matrices in the Frobenius norm.
pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// `x/‖x‖`.
pub fn unit(x: &[f64]) -> Vec<f64> {
    let norm = norm(x);
    x.iter().map(|x| x / norm).collect()
}
