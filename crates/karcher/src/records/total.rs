//! What a sum over records comes to.

use crate::points::CHUNK;

/// A sum over records: confidential, and mergeable with that of other records.
///
/// ```
/// use karcher::{Points, manifold::Sphere, records::{Observations, Term}};
/// let circle = Sphere::new(1)?;
/// let points = Points::new(&circle, vec![0.6, 0.8, 0.6, -0.8])?;
/// let total = Observations::new(&points).sum(&circle, &Term::Log { base: vec![1.0, 0.0] })?;
/// assert_eq!(total.count(), 2);
/// assert!(total.into_sum().iter().all(|x| x.abs() < 1e-15)); // so the base is the Fréchet mean
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Total {
    count: u64,
    sum: Vec<f64>,
}

impl Total {
    pub(crate) fn new(count: u64, sum: Vec<f64>) -> Self {
        Self { count, sum }
    }

    /// The sum over these and other records. The order in which totals are merged changes the last digits.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Term}};
    /// let line = Euclidean::new(1)?;
    /// let sum = |values: Vec<f64>| Observations::new(&Points::new(&line, values)?).sum(&line, &Term::FlatCoordinates);
    /// assert_eq!(sum(vec![1.0, 2.0])?.merge(sum(vec![3.0])?), sum(vec![1.0, 2.0, 3.0])?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn merge(mut self, other: Total) -> Total {
        self.count += other.count;
        self.sum.iter_mut().zip(other.sum).for_each(|(a, b)| *a += b);
        self
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum.
    pub fn sum(&self) -> &[f64] {
        &self.sum
    }

    /// The sum, to be worked on.
    pub fn into_sum(self) -> Vec<f64> {
        self.sum
    }

    /// The sum over the number of records.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Term}};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![1.0, 2.0])?;
    /// assert_eq!(Observations::new(&points).sum(&line, &Term::FlatCoordinates)?.mean(), [1.5]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn mean(self) -> Vec<f64> {
        let n = self.count as f64;
        self.sum.into_iter().map(|x| x / n).collect()
    }
}

/// How far the mean of `n` vectors, added up in chunks, may be from the exact one, as a share of the length of the
/// longest: a chunk is added one by one, and the chunks' sums after that, which makes `CHUNK + n/CHUNK` roundings of
/// `2⁻⁵²` at most; the 8 are for the division and the formulas around.
pub(crate) fn error_of_sums(n: usize) -> f64 {
    (CHUNK + n / CHUNK + 8) as f64 * f64::EPSILON
}
