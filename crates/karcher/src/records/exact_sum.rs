//! Exact sums over records.

use crate::error::{Error, Result};

/// A sum over records: confidential, exact, and mergeable with that of other records.
///
/// It is a vector of integers, in units of a [`quantum`](ExactSum::quantum) that the summand determines. So it is the
/// same to the last bit for every order and every partition of the records (user guide, X1).
///
/// ```
/// use karcher::{Points, manifold::Sphere, records::{Observations, Summand}};
/// let circle = Sphere::new(1)?;
/// let points = Points::new(&circle, vec![0.6, 0.8, 0.6, -0.8])?;
/// let total = Observations::new(&points).sum(&circle, &Summand::ClippedLog { base: vec![1.0, 0.0], clip: 1.0 })?;
/// assert_eq!((total.count(), total.integers()), (2, &[0][..])); // so the base is the Fréchet mean
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ExactSum {
    count: u64,
    sum: Vec<i128>,
    quantum: f64,
}

impl ExactSum {
    pub(crate) fn new(count: u64, sum: Vec<i128>, quantum: f64) -> Self {
        Self { count, sum, quantum }
    }

    /// A sum of no numbers over `n` records: what a count asks for.
    ///
    /// ```
    /// use karcher::records::ExactSum;
    /// assert_eq!(ExactSum::counting(3).merge(ExactSum::counting(4))?.count(), 7);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn counting(n: u64) -> Self {
        Self::new(n, vec![], 1.0)
    }

    /// The sum over these and other records, in any order.
    ///
    /// # Errors
    /// [`Error::Incomparable`] for sums of different summands: another quantum, or another number of coordinates.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Summand}};
    /// let line = Euclidean::new(1)?;
    /// let term = Summand::ClippedLog { base: vec![0.0], clip: 10.0 };
    /// let sum = |values: Vec<f64>| Observations::new(&Points::new(&line, values)?).sum(&line, &term);
    /// assert_eq!(sum(vec![3.0])?.merge(sum(vec![0.1, 0.2])?)?, sum(vec![0.2, 3.0, 0.1])?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn merge(mut self, other: ExactSum) -> Result<ExactSum> {
        if (self.sum.len(), self.quantum) != (other.sum.len(), other.quantum) {
            let reason = "the two sums are of different terms: they can be added where both answer one question";
            return Err(Error::Incomparable { reason: reason.to_owned() });
        }
        self.count = self.count.saturating_add(other.count);
        self.sum.iter_mut().zip(other.sum).for_each(|(a, b)| *a = a.saturating_add(b));
        Ok(self)
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum, in quanta.
    pub fn integers(&self) -> &[i128] {
        &self.sum
    }

    /// The unit of [`integers`](ExactSum::integers).
    pub fn quantum(&self) -> f64 {
        self.quantum
    }

    /// The sum over the number of records.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Summand}};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![1.0, 2.0])?;
    /// let total = Observations::new(&points).sum(&line, &Summand::ClippedLog { base: vec![0.0], clip: 4.0 })?;
    /// assert_eq!(total.mean(), [1.5]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn mean(&self) -> Vec<f64> {
        let n = self.count as f64;
        self.sum.iter().map(|sum| *sum as f64 * self.quantum / n).collect()
    }
}
