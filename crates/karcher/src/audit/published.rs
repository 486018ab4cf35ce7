//! What an audit sees of a release.

use super::parts::{self, PublishedPart};
use crate::privacy::Guarantee;
use crate::release::Release;

/// What an audit sees of a release.
///
/// ```
/// use karcher::audit::Published;
/// let as_it_is = Published::from(vec![0.25, 1.0 / 3.0]);
/// assert_eq!(as_it_is.lattice, None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The numbers of the published point: of the one before denoising, of which the other is a function.
    pub value: Vec<f64>,
    /// The step of the lattice on which the release says that the point lies, in coordinates of the frame at the ball's
    /// center. Without one its coordinates are compared with multiples of what double precision holds at the ball's
    /// edge.
    pub lattice: Option<f64>,
    /// What the point guarantees by itself, where that is less than all of the release.
    pub guarantee: Option<Guarantee>,
    /// What is released beside the point.
    pub parts: Vec<PublishedPart>,
}

impl From<&Release> for Published {
    fn from(release: &Release) -> Self {
        // a variance has no point of its own
        let point = if release.variance().is_some() { release.ball().center() } else { release.value() };
        let value = release.noisy_value().unwrap_or(point).to_vec();
        let beside = release.spread().map(|spread| spread.mean_guarantee);
        let beside = beside.or(release.components().map(|components| components.mean_guarantee));
        // a mean in a located ball promises that given the ball only
        let guarantee = beside.filter(|_| release.located().is_none());
        Self { value, lattice: Some(release.lattice()), guarantee, parts: parts::of_release(release) }
    }
}

/// A point that is published as it is.
impl From<Vec<f64>> for Published {
    fn from(value: Vec<f64>) -> Self {
        Self { value, lattice: None, guarantee: None, parts: vec![] }
    }
}
