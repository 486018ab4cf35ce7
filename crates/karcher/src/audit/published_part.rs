//! Parts of a release: its point's companion statistics, and other numbers with noise and a guarantee of their own.
//!
//! Such a number is drawn when the point `m̃` is public. So its promise is a promise *given* `m̃`, while an audit sees
//! releases with many different `m̃`. A pivot makes it testable: the noisy number minus its value without noise for the
//! *first* data set at that very `m̃`. For releases of the first data set the pivot is the noise alone, whose law does
//! not depend on `m̃`. So if the promise bounds `P(E | m̃)` for every `m̃`, for an event `E` of the pivot, it also
//! bounds its mean over `m̃`: `P′(E) = E′ P′(E | m̃) ≤ E′ (e^ε·P(E | m̃)) = e^ε·P(E)`. The same holds from the other
//! side, and for every other definition, whose trade-off function at `P(E)` bounds each `P′(E | m̃)`.
//!
//! A radius has no pivot, so it is audited together with the center.

use super::neighbours::Neighbours;
use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::points::PointsView;
use crate::privacy::{Guarantee, compose};
use crate::release::{PartName, PrivateBall, PrivateComponents, PrivateCount, PrivateSpread, Release};
use crate::vector::{add_scaled, norm};
use std::f64::consts::SQRT_2;

/// A part of a release in addition to its point, and the guarantee that it claims by itself.
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
    /// The guarantee, given the parts released before it; for a radius, the guarantee of it and its center.
    pub guarantee: Guarantee,
    /// The published number.
    pub number: PublishedNumber,
}

/// A number published with a point, and how it is computed from records.
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
        /// The private number of records by which the sum was divided, where the number is confidential.
        over: Option<f64>,
    },
    /// The fraction of records outside of a ball, as it was drawn.
    FractionOutside {
        /// The number.
        noisy_value: f64,
        /// The ball.
        ball: Ball,
        /// As for a mean square.
        over: Option<f64>,
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
    /// The mean of embedded records.
    EmbeddedMean {
        /// Its numbers, as they were drawn.
        embedded_mean: Vec<f64>,
        /// As for a mean square.
        over: Option<f64>,
    },
    /// The mean of `(a·u, u·uᵀ)`, `u = clip_r(x − c)/r`, of vectors.
    Moments {
        /// Its numbers, as they were drawn.
        moments: Vec<f64>,
        /// The center `c` and the radius `r`.
        ball: Ball,
        /// `a`.
        weight: f64,
        /// The guess by which the sum was divided, where the number of records is confidential.
        over: Option<f64>,
    },
    /// The number of records, with the point released together with it.
    Count {
        /// The number, as it was drawn.
        noisy_value: f64,
        /// The point, before denoising.
        point: Vec<f64>,
        /// The center of the ball.
        center: Vec<f64>,
        /// Ratio of a record's vector to the component that counts the record.
        ratio: f64,
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
    /// Its name in an audit.
    pub fn name(&self) -> &'static str {
        match self.number {
            PublishedNumber::MeanSquare { .. } => "mean square",
            PublishedNumber::FractionOutside { .. } => "fraction outside",
            PublishedNumber::SecondMoment { .. } => "second moment",
            PublishedNumber::Center { .. } => "center",
            PublishedNumber::EmbeddedMean { .. } => "embedded mean",
            PublishedNumber::Moments { .. } => "moments",
            PublishedNumber::Count { .. } => "count",
            PublishedNumber::Radius { .. } => "ball",
        }
    }

    /// Names of its scores, which are as many as [`scores`](PublishedPart::scores).
    pub(super) fn score_names(&self) -> &'static [&'static str] {
        match self.number {
            PublishedNumber::MeanSquare { .. } => &["mean square", "lowest bit of the mean square"],
            PublishedNumber::FractionOutside { .. } => &["fraction outside", "lowest bit of the fraction outside"],
            PublishedNumber::SecondMoment { .. } => {
                &["second moment along what changed", "first variance", "last variance", "lowest bit of the variances"]
            }
            PublishedNumber::Center { .. } => &[
                "distances of the center",
                "number 1 of the center",
                "number 2 of the center",
                "lowest bit of the center",
            ],
            PublishedNumber::EmbeddedMean { .. } => &[
                "embedded mean along what changed",
                "embedded mean nearer to one",
                "number 1 of the embedded mean",
                "number 2 of the embedded mean",
                "lowest bit of the embedded mean",
            ],
            PublishedNumber::Moments { .. } => &[
                "moments along what changed",
                "moments nearer to one",
                "first of the moments",
                "last of the moments",
                "lowest bit of the moments",
            ],
            PublishedNumber::Count { .. } => {
                &["sum and count", "count", "lowest bit of the count", "count over the first number"]
            }
            PublishedNumber::Radius { .. } => &["records within the radius", "radius"],
        }
    }

    /// The number of leading scores that are tested against the part's own guarantee. They depend on this part alone,
    /// given the parts released before it.
    pub(super) fn own(&self) -> usize {
        match self.number {
            PublishedNumber::Center { .. }
            | PublishedNumber::Radius { .. }
            | PublishedNumber::EmbeddedMean { .. }
            | PublishedNumber::Moments { .. }
            | PublishedNumber::Count { .. } => self.score_names().len(),
            _ => 1,
        }
    }

    /// The scores. A part drawn given a released point has its pivot first.
    pub(super) fn scores(&self, manifold: &dyn Manifold, pair: &Neighbours, lowest: fn(&[f64]) -> f64) -> Vec<f64> {
        let first = pair.data[0].view();
        let changed = pair.changed();
        match &self.number {
            PublishedNumber::MeanSquare { noisy_value, base, clip, over } => {
                let square = |x: &[f64]| manifold.dist(base, x).min(*clip).powi(2);
                vec![pivot(*noisy_value, *over, first, changed, square), lowest(&[*noisy_value])]
            }
            PublishedNumber::FractionOutside { noisy_value, ball, over } => {
                let outside = |x: &[f64]| f64::from(u8::from(manifold.dist(ball.center(), x) > ball.radius()));
                vec![pivot(*noisy_value, *over, first, changed, outside), lowest(&[*noisy_value])]
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
            PublishedNumber::EmbeddedMean { embedded_mean, over } => {
                let Some(embedding) = manifold.embedding() else { return vec![f64::NAN; self.score_names().len()] };
                let mut embedded = vec![0.0; embedding.dim()];
                let mut sums = [0, 1].map(|_| vec![0.0; embedding.dim()]);
                for (sum, data) in sums.iter_mut().zip(&pair.data) {
                    for x in data.view().iter() {
                        embedding.embed(x, &mut embedded);
                        add_scaled(sum, 1.0, &embedded);
                    }
                }
                let times = over.unwrap_or(first.len() as f64);
                let noisy: Vec<f64> = embedded_mean.iter().map(|x| x * times).collect();
                let apart = |k: usize| -> Vec<f64> { noisy.iter().zip(&sums[k]).map(|(y, x)| y - x).collect() };
                let along: f64 = apart(0).iter().zip(sums[1].iter().zip(&sums[0])).map(|(y, (b, a))| y * (b - a)).sum();
                let number = |k: usize| embedded_mean.get(k).copied().unwrap_or(f64::NAN);
                vec![along, norm(&apart(0)) - norm(&apart(1)), number(0), number(1), lowest(embedded_mean)]
            }
            PublishedNumber::Moments { moments, ball, weight, over } => {
                let of = |x: &[f64]| {
                    let u = clipped_log(manifold, ball.center(), x, ball.radius());
                    with_square(&u.iter().map(|u| u / ball.radius()).collect::<Vec<f64>>(), *weight)
                };
                // a missing record contributes nothing
                let [a, b] = changed.map(|x| if x.is_empty() { vec![0.0; moments.len()] } else { of(x) });
                let mut sum = vec![0.0; moments.len()];
                first.iter().for_each(|x| add_scaled(&mut sum, 1.0, &of(x)));
                let times = over.unwrap_or(first.len() as f64);
                let off: Vec<f64> = moments.iter().zip(&sum).map(|(z, s)| z * times - s).collect();
                let step: Vec<f64> = b.iter().zip(&a).map(|(b, a)| b - a).collect();
                let along: f64 = off.iter().zip(&step).map(|(x, s)| x * s).sum();
                let rest: Vec<f64> = off.iter().zip(&step).map(|(x, s)| x - s).collect();
                let ends = [moments.first(), moments.last()].map(|z| z.copied().unwrap_or(f64::NAN));
                vec![along, norm(&off) - norm(&rest), ends[0], ends[1], lowest(moments)]
            }
            PublishedNumber::Count { noisy_value, point, center, ratio } => {
                // the sum of logarithms at the center is the number times that of the point. The score is how much
                // nearer it is to the sum of the first data set, where one record differs
                let log = |x: &[f64]| clipped_log(manifold, center, x, f64::INFINITY);
                let (at, n) = (log(point), *noisy_value);
                let far = |k: usize| {
                    let (mean, m) = (log(&pair.means[k]), pair.data[k].len() as f64);
                    let apart: Vec<f64> = at.iter().zip(&mean).map(|(y, x)| y * n.max(1.0) - x * m).collect();
                    (manifold.norm(center, &apart) * ratio).hypot(n - m)
                };
                vec![far(1) - far(0), n, lowest(&[n]), at.first().map_or(f64::NAN, |y| n * y)]
            }
            PublishedNumber::Radius { center, radius } => {
                let within = first.iter().filter(|x| manifold.dist(center, x) <= *radius).count();
                vec![within as f64, *radius]
            }
        }
    }
}

/// A noisy mean minus the mean of the first data set, in the direction in which the second one's is.
///
/// Where the second data set lacks a record, the number is the quotient of a noisy sum by a number that is public by
/// then. So its pivot is the sum minus that of the first data set; the removed value is 0 or more.
fn pivot(
    noisy: f64,
    over: Option<f64>,
    first: PointsView<'_>,
    changed: [&[f64]; 2],
    of: impl Fn(&[f64]) -> f64,
) -> f64 {
    let sum: f64 = first.iter().map(&of).sum();
    let off = match over {
        None => noisy - sum / first.len() as f64,
        Some(n) => noisy * n - sum,
    };
    // a missing record contributes nothing
    let [a, b] = changed.map(|x| if x.is_empty() { 0.0 } else { of(x) });
    if b < a { -off } else { off }
}

/// `(a·u, u·uᵀ)`, what is off the diagonal times `√2`.
fn with_square(u: &[f64], weight: f64) -> Vec<f64> {
    let mut z: Vec<f64> = u.iter().map(|u| weight * u).collect();
    for (i, x) in u.iter().enumerate() {
        z.push(x * x);
        z.extend(u[i + 1..].iter().map(|y| SQRT_2 * x * y));
    }
    z
}

/// `clip_c(Log x)`; 0 where there is no logarithm, or no `x`.
fn clipped_log(manifold: &dyn Manifold, base: &[f64], x: &[f64], clip: f64) -> Vec<f64> {
    let mut v = vec![0.0; base.len()];
    if x.len() != base.len() || manifold.log(base, x, &mut v).is_err() {
        v.fill(0.0);
    }
    let length = manifold.norm(base, &v);
    if length > clip {
        v.iter_mut().for_each(|v| *v *= clip / length);
    }
    v
}

/// The parts of a release in addition to its point, in the order in which they were drawn.
pub(super) fn of_release(release: &Release) -> Vec<PublishedPart> {
    let mut parts = vec![];
    let over = release.private_count().map(PrivateCount::divisor);
    if let Some(count) = release.private_count() {
        let ball = release.ball();
        let point = release.noisy_value().unwrap_or(release.value());
        let has_point = release.variance().is_none() && release.quantiles().is_none();
        let point = if point.len() == ball.center().len() && has_point { point } else { ball.center() };
        let dim = ball.space().manifold().map_or(1, |manifold| manifold.dim());
        parts.push(PublishedPart {
            guarantee: release.spread().map_or(release.guarantee(), |spread| spread.mean_guarantee),
            number: PublishedNumber::Count {
                noisy_value: count.noisy_value,
                point: point.to_vec(),
                center: ball.center().to_vec(),
                ratio: (dim as f64).sqrt().sqrt() / ball.radius(),
            },
        });
    }
    if let Some(extrinsic) = release.extrinsic() {
        let embedded_mean = extrinsic.embedded_mean.clone();
        parts.push(PublishedPart {
            guarantee: release.guarantee(),
            number: PublishedNumber::EmbeddedMean { embedded_mean, over },
        });
    }
    if let Some(variance) = release.variance() {
        let square = variance.mean_square;
        let base = release.ball().center().to_vec();
        parts.push(PublishedPart {
            guarantee: square.guarantee,
            number: PublishedNumber::MeanSquare { noisy_value: square.noisy_value, base, clip: variance.clip, over },
        });
    }
    if let Some(covariance) = release.covariance() {
        let guess = release.provenance().n_guess.map(|n| n as f64);
        parts.push(PublishedPart {
            guarantee: release.guarantee(),
            number: PublishedNumber::Moments {
                moments: covariance.noisy_moments.clone(),
                ball: release.ball().clone(),
                weight: covariance.weight.value(),
                over: guess,
            },
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
    let (square, share) = (spread.mean_square, spread.fraction_outside);
    let base = release.value().to_vec();
    let over = release.private_count().map(PrivateCount::divisor);
    [
        PublishedPart {
            guarantee: square.guarantee,
            number: PublishedNumber::MeanSquare { noisy_value: square.noisy_value, base, clip: spread.clip, over },
        },
        PublishedPart {
            guarantee: share.guarantee,
            number: PublishedNumber::FractionOutside {
                noisy_value: share.noisy_value,
                ball: release.ball().clone(),
                over,
            },
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
