//! What is released beside a point: numbers with noise of their own, each of which has a guarantee of its own.
//!
//! Such a number is drawn when the point `m̃` is public, so what it promises is a promise *given* `m̃`, while an audit
//! sees releases with many different `m̃`. It can be tested all the same, by a pivot: the noisy number minus what it is
//! without noise for the *first* data set at that very `m̃`. For releases of the first data set that is the noise
//! alone, whose law does not depend on `m̃`. So if `P(E | m̃)` is bounded by the promise for every `m̃`, for an event `E`
//! of the pivot, its mean over `m̃` is, too: `P′(E) = E′ P′(E | m̃) ≤ E′ (e^ε·P(E | m̃)) = e^ε·P(E)`, and the same from
//! the other side, and for every other definition, whose trade-off function at `P(E)` bounds each `P′(E | m̃)`.
//!
//! A radius has no pivot, so the center and it are audited together.

use super::neighbours::Neighbours;
use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::points::PointsView;
use crate::privacy::{Guarantee, compose};
use crate::release::{PartName, PrivateBall, PrivateComponents, PrivateSpread, Release};

/// A part of a release beside its point, and what it is said to guarantee by itself.
///
/// ```
/// use karcher::{audit::{PublishedNumber, PublishedPart}, privacy::Guarantee};
/// let radius = PublishedPart {
///     guarantee: Guarantee::pure(0.5)?,
///     number: PublishedNumber::Radius { center: vec![0.0, 0.0], radius: 2.0 },
/// };
/// assert_eq!(radius.name(), "ball");
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedPart {
    /// What it guarantees, given what is released before it; of a radius, with its center.
    pub guarantee: Guarantee,
    /// What is published.
    pub number: PublishedNumber,
}

/// What is published beside a point, and how it is computed of records.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PublishedNumber {
    /// The mean of `min(ρ²(base, xᵢ), c²)`, as it was drawn.
    MeanSquare {
        /// The number.
        noisy_value: f64,
        /// The released point.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
    },
    /// The share of records outside of a ball, as it was drawn.
    ShareOutside {
        /// The number.
        noisy_value: f64,
        /// The ball.
        ball: Ball,
    },
    /// The mean of `vᵢ·vᵢᵀ`, `vᵢ = clip_c(Log xᵢ)`, as a sum over eigenvectors.
    SecondMoment {
        /// The eigenvalues.
        variances: Vec<f64>,
        /// The eigenvectors: unit tangent vectors at the base.
        directions: Vec<Vec<f64>>,
        /// The released point.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
    },
    /// The center of a located ball.
    Center {
        /// The center.
        center: Vec<f64>,
    },
    /// The radius of a located ball.
    Radius {
        /// The center.
        center: Vec<f64>,
        /// The radius.
        radius: f64,
    },
}

impl PublishedPart {
    /// What an audit calls it.
    pub fn name(&self) -> &'static str {
        match self.number {
            PublishedNumber::MeanSquare { .. } => "mean square",
            PublishedNumber::ShareOutside { .. } => "share outside",
            PublishedNumber::SecondMoment { .. } => "second moment",
            PublishedNumber::Center { .. } => "center",
            PublishedNumber::Radius { .. } => "ball",
        }
    }

    /// Names of its scores, which are as many as [`scores`](PublishedPart::scores).
    pub(super) fn score_names(&self) -> &'static [&'static str] {
        match self.number {
            PublishedNumber::MeanSquare { .. } => &["mean square", "lowest bit of the mean square"],
            PublishedNumber::ShareOutside { .. } => &["share outside", "lowest bit of the share outside"],
            PublishedNumber::SecondMoment { .. } => {
                &["second moment along what changed", "first variance", "last variance", "lowest bit of the variances"]
            }
            PublishedNumber::Center { .. } => &[
                "distances of the center",
                "number 1 of the center",
                "number 2 of the center",
                "lowest bit of the center",
            ],
            PublishedNumber::Radius { .. } => &["records within the radius", "radius"],
        }
    }

    /// How many of its scores, the first ones, are held against its own guarantee: those that only it makes, given what
    /// is released before it.
    pub(super) fn own(&self) -> usize {
        match self.number {
            PublishedNumber::Center { .. } | PublishedNumber::Radius { .. } => self.score_names().len(),
            _ => 1,
        }
    }

    /// The scores: of what is drawn given a released point its pivot first.
    pub(super) fn scores(&self, manifold: &dyn Manifold, pair: &Neighbours, lowest: fn(&[f64]) -> f64) -> Vec<f64> {
        let first = pair.data[0].view();
        let changed = pair.changed();
        match &self.number {
            PublishedNumber::MeanSquare { noisy_value, base, clip } => {
                let square = |x: &[f64]| manifold.dist(base, x).min(*clip).powi(2);
                vec![pivot(*noisy_value, first, changed, square), lowest(&[*noisy_value])]
            }
            PublishedNumber::ShareOutside { noisy_value, ball } => {
                let outside = |x: &[f64]| f64::from(u8::from(manifold.dist(ball.center(), x) > ball.radius()));
                vec![pivot(*noisy_value, first, changed, outside), lowest(&[*noisy_value])]
            }
            PublishedNumber::SecondMoment { variances, directions, base, clip } => {
                let log = |x: &[f64]| clipped_log(manifold, base, x, *clip);
                let changed = changed.map(log);
                // ⟨M, A⟩ of the matrix A by which the second moments differ, for M = v·vᵀ and for what is published
                let inner = |u: &[f64], v: &[f64]| manifold.inner(base, u, v).powi(2);
                let along = |v: &[f64]| inner(v, &changed[1]) - inner(v, &changed[0]);
                let published: f64 = variances.iter().zip(directions).map(|(s, e)| s * along(e)).sum();
                let mean = first.iter().map(|x| along(&log(x))).sum::<f64>() / first.len() as f64;
                let [a, b] = [0, 1].map(|k| inner(&changed[k], &changed[k]));
                let length = (a + b - 2.0 * inner(&changed[0], &changed[1])).max(0.0).sqrt();
                let ends = [variances.first(), variances.last()].map(|x| x.copied().unwrap_or(f64::NAN));
                vec![(published - mean) / length, ends[0], ends[1], lowest(variances)]
            }
            PublishedNumber::Center { center } => {
                let [first, second] = [0, 1].map(|k| manifold.dist(&pair.means[k], center).powi(2));
                let number = |k: usize| center.get(k).copied().unwrap_or(f64::NAN);
                vec![second - first, number(0), number(1), lowest(center)]
            }
            PublishedNumber::Radius { center, radius } => {
                let within = first.iter().filter(|x| manifold.dist(center, x) <= *radius).count();
                vec![within as f64, *radius]
            }
        }
    }
}

/// A noisy mean minus the mean of the first data set, in the direction in which the second one's is.
fn pivot(noisy: f64, first: PointsView<'_>, changed: [&[f64]; 2], of: impl Fn(&[f64]) -> f64) -> f64 {
    let mean = first.iter().map(&of).sum::<f64>() / first.len() as f64;
    let [a, b] = changed.map(&of);
    if b < a { mean - noisy } else { noisy - mean }
}

/// `clip_c(Log x)`; 0 where there is none.
fn clipped_log(manifold: &dyn Manifold, base: &[f64], x: &[f64], clip: f64) -> Vec<f64> {
    let mut v = vec![0.0; base.len()];
    if manifold.log(base, x, &mut v).is_err() {
        v.fill(0.0);
    }
    let length = manifold.norm(base, &v);
    if length > clip {
        v.iter_mut().for_each(|v| *v *= clip / length);
    }
    v
}

/// The parts of a release beside its point, in the order in which they were drawn.
pub(super) fn of_release(release: &Release) -> Vec<PublishedPart> {
    let mut parts = vec![];
    if let Some(variance) = release.variance() {
        let square = variance.mean_square;
        let base = release.ball().center().to_vec();
        parts.push(PublishedPart {
            guarantee: square.guarantee,
            number: PublishedNumber::MeanSquare { noisy_value: square.noisy_value, base, clip: variance.clip },
        });
    }
    if let Some(ball) = release.located() {
        parts.extend(of_ball(ball));
    }
    if let Some(spread) = release.spread() {
        parts.extend(of_spread(spread, release));
    }
    if let Some(components) = release.components() {
        parts.push(of_components(components, release.value()));
    }
    parts
}

fn of_ball(ball: &PrivateBall) -> Vec<PublishedPart> {
    let guarantee = |name: PartName| ball.parts.iter().find(|part| part.part == name).map(|part| part.guarantee);
    let (Some(center), Some(radius)) = (guarantee(PartName::Center), guarantee(PartName::Radius)) else {
        return vec![];
    };
    let both = compose(&[center, radius]).unwrap_or(center); // which parts of one budget always do
    let number = PublishedNumber::Radius { center: ball.center.clone(), radius: ball.radius };
    vec![
        PublishedPart { guarantee: center, number: PublishedNumber::Center { center: ball.center.clone() } },
        PublishedPart { guarantee: both, number },
    ]
}

fn of_spread(spread: &PrivateSpread, release: &Release) -> [PublishedPart; 2] {
    let (square, share) = (spread.mean_square, spread.share_outside);
    let base = release.value().to_vec();
    [
        PublishedPart {
            guarantee: square.guarantee,
            number: PublishedNumber::MeanSquare { noisy_value: square.noisy_value, base, clip: spread.clip },
        },
        PublishedPart {
            guarantee: share.guarantee,
            number: PublishedNumber::ShareOutside { noisy_value: share.noisy_value, ball: release.ball().clone() },
        },
    ]
}

fn of_components(components: &PrivateComponents, base: &[f64]) -> PublishedPart {
    PublishedPart {
        guarantee: components.guarantee,
        number: PublishedNumber::SecondMoment {
            variances: components.variances.clone(),
            directions: components.directions.clone(),
            base: base.to_vec(),
            clip: components.clip,
        },
    }
}
