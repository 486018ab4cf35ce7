//! The published part of a release, which an audit sees.

use super::published_part::{self, PublishedPart};
use crate::mechanism::noise::exact::moved;
use crate::privacy::Guarantee;
use crate::release::{NoiseDraw, NoiseOf, PositionKind, Release, ReleasedQuantiles};

/// The published part of a release, which an audit sees.
///
/// ```
/// use karcher::audit::Published;
/// let as_it_is = Published::from(vec![0.25, 1.0 / 3.0]);
/// assert_eq!(as_it_is.lattice, None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The numbers of the published point, before denoising: the denoised point is a function of them.
    pub value: Vec<f64>,
    /// The step of the lattice that the release states for the point, in coordinates of the frame at the ball's center.
    /// Without a lattice, its coordinates are compared with multiples of the resolution of double precision at the
    /// ball's edge.
    pub lattice: Option<f64>,
    /// The guarantee of the point by itself, if it is less than that of the whole release.
    pub guarantee: Option<Guarantee>,
    /// The noise that the release states for the point, and for the number of records. Its privacy profile is tested.
    pub noise: Vec<NoiseDraw>,
    /// The parts in addition to the point.
    pub parts: Vec<PublishedPart>,
}

impl From<&Release> for Published {
    fn from(release: &Release) -> Self {
        // a variance has no point of its own
        let point = if release.variance().is_some() { release.ball().center() } else { release.value() };
        let value = match release.quantiles() {
            Some(found) => at_position(release, found),
            None => release.noisy_value().unwrap_or(point).to_vec(),
        };
        let of_part = release.spread().map(|spread| spread.mean_guarantee);
        let of_part = of_part.or(release.components().map(|components| components.mean_guarantee));
        // the promise of a mean in a located ball, given the ball
        let guarantee = of_part.filter(|_| release.located().is_none());
        // a located ball has a plan of its own, with other noise each time
        let own = |draw: &&NoiseDraw| matches!(draw.quantity, NoiseOf::Value | NoiseOf::Count);
        let noise = match release.located() {
            None => release.provenance().noise.iter().filter(own).cloned().collect(),
            Some(_) => vec![],
        };
        let parts = published_part::of_release(release);
        Self { value, lattice: Some(release.lattice()), guarantee, noise, parts }
    }
}

/// The point at the mean position of quantiles: that of a record at such a place in the ball.
fn at_position(release: &Release, found: &ReleasedQuantiles) -> Vec<f64> {
    let center = release.ball().center();
    let Ok(manifold) = release.ball().space().manifold() else { return center.to_vec() };
    let mean = found.quantiles.iter().sum::<f64>() / found.quantiles.len() as f64;
    let mut coordinates = vec![0.0; manifold.dim()];
    coordinates[0] = if found.positions == PositionKind::Number { mean - center[0] } else { mean };
    moved(&*manifold, center.to_vec(), &coordinates)
}

/// A point that is published as it is.
impl From<Vec<f64>> for Published {
    fn from(value: Vec<f64>) -> Self {
        Self { value, lattice: None, guarantee: None, noise: vec![], parts: vec![] }
    }
}
