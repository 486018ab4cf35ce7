//! How an iteration ended.

use crate::error::{Error, Result};

/// The last iterate of an iteration, and how it ended.
///
/// ```
/// use karcher::{Error, Points, manifold::Sphere, nonprivate::FrechetMean};
/// let sphere = Sphere::new(2)?;
/// let points = Points::new(&sphere, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8])?;
/// let short = FrechetMean::new(&sphere).iterations(0).iterate(points.view())?;
/// assert!(!short.converged && short.last.len() == 3);
/// assert_eq!(short.into_converged(), Err(Error::NoConvergence));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Iterated<T> {
    /// The last iterate.
    pub last: T,
    /// The number of iterations; 1 where a formula gives the result.
    pub iterations: usize,
    /// Whether the tolerance was reached, or rounding hides any progress.
    pub converged: bool,
}

impl<T> Iterated<T> {
    /// The result of a formula.
    pub(super) fn by_formula(last: T) -> Self {
        Self { last, iterations: 1, converged: true }
    }

    /// The last iterate, if the iteration converged.
    ///
    /// # Errors
    /// [`Error::NoConvergence`] if it did not.
    pub fn into_converged(self) -> Result<T> {
        if self.converged { Ok(self.last) } else { Err(Error::NoConvergence) }
    }
}
