//! Summands: functions of a record that can be summed.

use super::RecordScore;
use super::feature_moments::{
    LARGEST_WEIGHT, MomentWeights, feature_moment_len, feature_moment_quantum, feature_moments,
};
use super::gradient::Loss;
use super::mean_and_square::{SquareWeight, with_square, with_square_len, with_square_quantum};
use super::nearest::{add_nearest, add_nearest_squares};
use super::quantum::{BITS, add_all_bounded, bounded, quantum, round};
use super::shares::add_shares;
use super::squares::{moment_len, moment_quantum, second_moment, squared_length, squared_quantum};
use crate::embedding::EmbeddedForm;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::{Geodesic, Manifold};
use crate::points::PointsView;
use crate::vector::{dot, norm};
use std::ops::RangeInclusive;
use std::slice;

/// A summand: a function of a record `xᵢ`, and of its number `tᵢ` if it has one, a predictor or a weight.
///
/// Each record contributes, by itself, a vector of integers, in units of a quantum that the summand determines. Every
/// contribution of a private sum is bounded **in integers**. So one record moves the sum by no more than twice the
/// bound, to the last bit (user guide, X1). A summand is public, except for base points that are private intermediate
/// values.
///
/// ```
/// use karcher::{Points, manifold::Euclidean, records::{Observations, Summand}};
/// let line = Euclidean::new(1)?;
/// let sum = |far: f64| {
///     let points = Points::new(&line, vec![0.5, far])?;
///     Observations::new(&points).sum(&line, &Summand::ClippedLog { base: vec![0.0], clip: 1.0 })
/// };
/// // however far a record is, it moves the sum by no more than twice the bound
/// assert!(sum(1e6)?.integers()[0] - sum(-1e6)?.integers()[0] <= 2 << 50);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Summand {
    /// `tᵢ·Log_m(xᵢ)` (`tᵢ = 1` without numbers) in coordinates of the frame at `m`, each cut off at `bound`: the
    /// gradient of a mean, **not for releases**.
    Log {
        /// `m`.
        base: Vec<f64>,
        /// Bound of each coordinate.
        bound: f64,
    },
    /// `clip_c(Log_m xᵢ)` in coordinates of the frame at `m`: no longer than `c` whatever the record is. One without a
    /// logarithm, at the cut locus of `m`, counts as `m`. The quantum is `c·2⁻⁵⁰`, and no vector is longer than `2⁵⁰`.
    ClippedLog {
        /// `m`.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
    },
    /// `Log_m xᵢ/‖Log_m xᵢ‖` in coordinates of the frame at `m`: a unit vector whatever the record is, or 0 for one
    /// that lies at `m` or has no logarithm, at its cut locus. The quantum is `2⁻⁵⁰`, and no vector is longer than
    /// `2⁵⁰`.
    UnitLog {
        /// `m`.
        base: Vec<f64>,
    },
    /// For each radius `r` whether the record lies within `r` of `m`, as computed: 1 or 0. Sums are exact counts, and
    /// the quantum is 1.
    Within {
        /// `m`.
        base: Vec<f64>,
        /// The radii, in any order.
        radii: Vec<f64>,
    },
    /// One of `places` intervals of equal length from `−reach` to `reach`, for each coordinate of `Log_m xᵢ` in the
    /// frame at `m`: 1 for the interval that holds the coordinate and 0 for the others, the intervals of the first
    /// coordinate first. Coordinates beyond the ends are in the first or the last one. A record without a logarithm, at
    /// the cut locus of `m`, counts as `m`. Sums are exact counts, and the quantum is 1.
    Places {
        /// `m`.
        base: Vec<f64>,
        /// Distance of the ends of the intervals from 0.
        reach: f64,
        /// The number of intervals of a coordinate.
        places: usize,
    },
    /// One of `cells` intervals of equal length, which holds the position of the record: 1 for it and 0 for the others.
    /// The position is a coordinate of `Log_m xᵢ` on a line or a circle, times `sign`, from `−reach` to `reach`. With the
    /// sign 0 it is the distance from `m`, from 0 to `reach`. Positions beyond the ends are in the first or the last
    /// interval. A record opposite to `m` on a circle counts as `reach`. Sums are exact counts, and the quantum is 1.
    Positions {
        /// `m`.
        base: Vec<f64>,
        /// Distance of the ends of the intervals from `m`.
        reach: f64,
        /// The number of intervals.
        cells: usize,
        /// 1 or −1 for a coordinate, 0 for a distance.
        sign: i8,
    },
    /// `(2r·t, √32·r·t², y, 2t·y)`, `y = clip_r(Log_m xᵢ)` in coordinates of the frame at `m`, `t` clamped to `[−½, ½]`
    /// (user guide, R2). The quantum is `r·2⁻⁴⁸`. Each integer is within ⅔ of its exact value, at a `y` that is no
    /// longer than `r` in integers.
    Moments {
        /// `m`.
        base: Vec<f64>,
        /// `r`.
        radius: f64,
    },
    /// `(A†ē, w·t·B†ē)` of the residual `ē` at `Exp_p(t·v)`, clipped to `τ`, in coordinates of the frame at `p`, and
    /// clipped to a length as a whole (user guide, R1′ and R3). The second clipping changes nothing in real arithmetic:
    /// it makes privacy independent of the geometry before it. A record without a residual, at the cut locus of its
    /// prediction, counts as 0. The quantum is `2⁻⁵⁰` of the length.
    Score {
        /// `p` and `v`.
        geodesic: Geodesic,
        /// `τ`.
        clip: f64,
        /// `w`.
        weight: f64,
        /// The longest contribution.
        length: f64,
    },
    /// `min(ρ²(m, xᵢ), c²)`: a number from 0 to `c²`, so that one record moves the sum by no more than `2⁵⁰` quanta of
    /// `c²·2⁻⁵⁰`, half as much as a vector that may point anywhere. A record at the cut locus of `m` counts as `c²`.
    SquaredDistance {
        /// `m`.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
    },
    /// `v·vᵀ`, `v = clip_c(Log_m xᵢ)` in coordinates of the frame at `m`: the symmetric matrix row by row from the
    /// diagonal on, what is off the diagonal times `√2`, so that lengths are Frobenius norms. One record moves the sum
    /// by no more than `√2·2⁵⁰` quanta of `c²·2⁻⁵⁰/(1 − 2⁻²⁸)`, rounding included (proof in `records/squares.rs`). One
    /// at the cut locus of `m` counts as `m`.
    SecondMoment {
        /// `m`.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
    },
    /// `(a·u, u·uᵀ)`, `u = clip_r(Log_m xᵢ)/r` in coordinates of the frame at `m`: the vector, then the symmetric matrix as
    /// a [second moment](Summand::SecondMoment) has it (user guide, D6; proof for the integers in
    /// `records/mean_and_square.rs`). A record at the cut locus of `m` counts as `m`.
    VectorAndSquare {
        /// `m`.
        base: Vec<f64>,
        /// `r`.
        clip: f64,
        /// `a`.
        weight: SquareWeight,
    },
    /// `(φφᵀ, (ω/r)·φ ⊗ y, (ν/r²)·‖y‖²)` of a record of `SPACE*euclidean:q`: `y = clip_r(Log_m xᵢ)` of its response and its
    /// row `φ`, shortened to 1, in coordinates of the frame at `m` (user guide, R5). `φφᵀ` is written row by row from the
    /// diagonal on, what is off the diagonal times `√2`. A record whose response is at the cut locus of `m` counts as 0,
    /// its row too (proof for the integers in `records/feature_moments.rs`).
    FeatureMoments {
        /// `m`, with zeros for the row.
        base: Vec<f64>,
        /// `r`.
        radius: f64,
        /// `q`.
        features: usize,
        /// `ω` and `ν`.
        weights: MomentWeights,
        /// Orthonormal rows of as many numbers as a logarithm has coordinates: responses are their products with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        basis: Option<Vec<f64>>,
    },
    /// For each point `m_j` the number of records nearest to it, and the sum of their `clip_c(Log_{m_j} xᵢ)` in coordinates of
    /// the frame at `m_j`. The quantum of a logarithm is `c·2⁻⁵⁰`, and a record counts as `2⁵⁰`. Replacing a record moves the
    /// sum by no more than `2·2⁵⁰` (proof in `records/nearest.rs`). A record without a logarithm counts as `m_j`.
    NearestLogs {
        /// The points.
        bases: Vec<Vec<f64>>,
        /// `c`.
        clip: f64,
    },
    /// `min(ρ²(m, xᵢ), c²)` of the point `m` that is nearest to the record, in the quanta of a squared distance.
    NearestSquare {
        /// The points.
        bases: Vec<Vec<f64>>,
        /// `c`.
        clip: f64,
    },
    /// `clip_c(g(m, xᵢ))` of a user's [gradient](super::Gradient) `g` at `m`, a point of its own space, in coordinates of the
    /// frame there. A record whose vector is no tangent vector counts as 0. The quantum is `c·2⁻⁵⁰`. It cannot be serialised.
    #[serde(skip)]
    Gradient {
        /// `m`.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
        /// `g`.
        of: Loss,
    },
    /// `J(xᵢ)`, the [embedding](crate::manifold::Manifold::embedding) of the record, cut to a length. The quantum is
    /// `2⁻⁵⁰` of the length, and no vector is longer than `2⁵⁰`.
    Embedded {
        /// The length.
        bound: f64,
    },
    /// The numbers of a row of `euclidean:D`, in blocks: each from 0 to what those before it in its block leave of 1. With
    /// the rest of each block as one more number, if it is asked for. The quantum is `2⁻⁵⁰` (proof in `records/shares.rs`).
    Shares {
        /// How many numbers each block has.
        blocks: Vec<usize>,
        /// Whether there is the rest.
        rest: bool,
    },
}

/// Numbers in the logarithms that are computed at once: they stay in the processor's nearest cache.
const NUMBERS: usize = 2048;

/// Fewest and most records whose logarithms are computed at once.
const GROUP: RangeInclusive<usize> = 32..=512;

/// Lengths by which vectors may be bounded; their squares neither overflow nor underflow.
const LENGTHS: RangeInclusive<f64> = 1e-200..=1e200;
const SQUARED: RangeInclusive<f64> = 1e-140..=1e140;

/// Numbers of intervals into which a coordinate may be divided.
const INTERVALS: RangeInclusive<usize> = 1..=1 << 20;

/// The quantum of moments is this many times that of a vector of length `r`, because they are longer: `√5·r`.
const LONGER: f64 = 4.0;

impl Summand {
    /// Numbers in the sum.
    pub(super) fn len(&self, manifold: &dyn Manifold) -> usize {
        let d = manifold.dim();
        match self {
            Summand::Log { .. } | Summand::ClippedLog { .. } | Summand::UnitLog { .. } => d,
            Summand::Moments { .. } => 2 * d + 2,
            Summand::Score { .. } => 2 * d,
            Summand::SquaredDistance { .. } | Summand::NearestSquare { .. } => 1,
            Summand::NearestLogs { bases, .. } => bases.len() * (d + 1),
            Summand::SecondMoment { .. } => moment_len(d),
            Summand::VectorAndSquare { .. } => with_square_len(d),
            Summand::Gradient { of, .. } => of.manifold.dim(),
            Summand::Within { radii, .. } => radii.len(),
            Summand::Shares { blocks, rest } => blocks.iter().sum::<usize>() + if *rest { blocks.len() } else { 0 },
            Summand::Places { places, .. } => d * places,
            Summand::Positions { cells, .. } => *cells,
            Summand::Embedded { .. } => manifold.embedding().map_or(0, |embedding| embedding.dim()),
            Summand::FeatureMoments { features, basis, .. } => {
                let d = d.saturating_sub(*features);
                feature_moment_len(*features, basis.as_ref().map_or(d, |basis| basis.len() / d.max(1)))
            }
        }
    }

    /// The unit of the sum.
    pub(crate) fn quantum(&self) -> f64 {
        match self {
            Summand::Log { bound, .. } => quantum(*bound),
            Summand::ClippedLog { clip, .. } | Summand::NearestLogs { clip, .. } => quantum(*clip),
            Summand::Embedded { bound } => quantum(*bound),
            Summand::Gradient { clip, .. } => quantum(*clip),
            Summand::UnitLog { .. } | Summand::Shares { .. } => quantum(1.0),
            Summand::Moments { radius, .. } => LONGER * quantum(*radius),
            Summand::Score { length, .. } => quantum(*length),
            Summand::SquaredDistance { clip, .. } | Summand::NearestSquare { clip, .. } => squared_quantum(*clip),
            Summand::SecondMoment { clip, .. } => moment_quantum(*clip),
            Summand::VectorAndSquare { .. } => with_square_quantum(),
            Summand::FeatureMoments { weights, .. } => feature_moment_quantum(*weights),
            Summand::Within { .. } | Summand::Places { .. } | Summand::Positions { .. } => 1.0,
        }
    }

    /// Rejects a summand that has no meaning on a space.
    pub(super) fn check(&self, manifold: &dyn Manifold) -> Result<()> {
        let (bounds, limits) = match self {
            Summand::Log { bound, .. } | Summand::Embedded { bound } => (slice::from_ref(bound), LENGTHS),
            Summand::ClippedLog { clip, .. } | Summand::NearestLogs { clip, .. } | Summand::Gradient { clip, .. } => {
                (slice::from_ref(clip), LENGTHS)
            }
            Summand::UnitLog { .. } | Summand::Within { .. } | Summand::Shares { .. } => (&[][..], LENGTHS),
            Summand::Moments { radius, .. } | Summand::FeatureMoments { radius, .. } => {
                (slice::from_ref(radius), LENGTHS)
            }
            Summand::Places { reach, .. } | Summand::Positions { reach, .. } => (slice::from_ref(reach), LENGTHS),
            Summand::Score { length, .. } => (slice::from_ref(length), LENGTHS),
            Summand::SquaredDistance { clip, .. }
            | Summand::SecondMoment { clip, .. }
            | Summand::VectorAndSquare { clip, .. }
            | Summand::NearestSquare { clip, .. } => (slice::from_ref(clip), SQUARED),
        };
        if let Some(bound) = bounds.iter().find(|bound| !limits.contains(bound)) {
            let (least, most) = (limits.start(), limits.end());
            let requirement = format!("a length to which vectors are bounded must be from {least:e} to {most:e}");
            return Err(Error::InvalidParameter { name: "bound", value: *bound, requirement });
        }
        if let Summand::Positions { sign, .. } = self
            && *sign != 0
            && manifold.dim() != 1
        {
            let requirement = "a position with a sign is on a space of one dimension".to_owned();
            return Err(Error::InvalidParameter { name: "sign", value: f64::from(*sign), requirement });
        }
        if let Summand::Places { places, .. } | Summand::Positions { cells: places, .. } = self
            && !INTERVALS.contains(places)
        {
            let requirement = format!("a coordinate is divided into 1 to {} intervals", INTERVALS.end());
            return Err(Error::InvalidParameter { name: "places", value: *places as f64, requirement });
        }
        if let Summand::FeatureMoments { features, weights, basis, .. } = self {
            check_features(manifold, *features, *weights, basis.as_deref())?;
        }
        match self {
            Summand::Log { base, .. }
            | Summand::ClippedLog { base, .. }
            | Summand::UnitLog { base }
            | Summand::Moments { base, .. }
            | Summand::SquaredDistance { base, .. }
            | Summand::SecondMoment { base, .. }
            | Summand::VectorAndSquare { base, .. }
            | Summand::Within { base, .. }
            | Summand::FeatureMoments { base, .. }
            | Summand::Positions { base, .. }
            | Summand::Places { base, .. } => Ok(manifold.check_point(base)?),
            Summand::Embedded { .. } if manifold.embedding().is_none() => {
                let (space, reason) = (manifold.space().clone(), "the space has no embedding".to_owned());
                Err(Error::Unsupported { mechanism: "extrinsic", space, reason })
            }
            Summand::Embedded { .. } => Ok(()),
            Summand::Shares { blocks, .. } => {
                let (numbers, len) =
                    (blocks.iter().fold(0_usize, |all, size| all.saturating_add(*size)), manifold.point_len());
                if numbers == len && manifold.dim() == len && !blocks.contains(&0) {
                    return Ok(());
                }
                let requirement = format!("the blocks of a row of {len} numbers have as many together");
                Err(Error::InvalidParameter { name: "blocks", value: numbers as f64, requirement })
            }
            Summand::Gradient { base, of, .. } => Ok(of.manifold.check_point(base)?),
            Summand::NearestLogs { bases, .. } | Summand::NearestSquare { bases, .. } => {
                let numbers = bases.len().saturating_mul(manifold.dim() + 1);
                if bases.is_empty() || numbers > LARGEST {
                    let requirement = format!("records are assigned to 1 to {} points", LARGEST / (manifold.dim() + 1));
                    return Err(Error::InvalidParameter { name: "clusters", value: bases.len() as f64, requirement });
                }
                bases.iter().try_for_each(|base| Ok(manifold.check_point(base)?))
            }
            Summand::Score { geodesic, .. } => {
                manifold.check_point(&geodesic.footpoint)?;
                Ok(manifold.check_tangent(&geodesic.footpoint, &geodesic.velocity)?)
            }
        }
    }

    /// Adds the records' contributions to `sum`: of up to 4,096 records, so that no sum overflows. Without numbers
    /// weights are 1 and predictors 0.
    ///
    /// # Errors
    /// [`Error::Geometry`] where a logarithm that is not clipped does not exist.
    pub(super) fn add(
        &self,
        manifold: &dyn Manifold,
        records: PointsView<'_>,
        numbers: Option<&[f64]>,
        sum: &mut [i64],
    ) -> Result<()> {
        let number = |i: usize| numbers.map_or(0.0, |t| t[i]);
        let mut z = vec![0; sum.len()];
        let add = |sum: &mut [i64], z: &[i64]| sum.iter_mut().zip(z).for_each(|(sum, z)| *sum += z);
        match self {
            Summand::Log { base, bound } => {
                let mut exist = true;
                frame_logs(manifold, base, records, |i, c| {
                    if c.iter().any(|c| c.is_nan()) {
                        exist = false;
                        return;
                    }
                    let weight = numbers.map_or(1.0, |t| t[i]);
                    c.iter_mut().for_each(|c| *c = (weight * *c).clamp(-bound, *bound));
                    round(c, 1.0 / quantum(*bound), &mut z);
                    add(sum, &z);
                });
                if !exist {
                    return Err(GeometryError::CutLocus { space: manifold.space().clone() }.into());
                }
            }
            Summand::ClippedLog { base, clip } => frame_logs(manifold, base, records, |_, c| {
                bounded(c, *clip, &mut z);
                add(sum, &z);
            }),
            Summand::UnitLog { base } => frame_logs(manifold, base, records, |_, c| {
                to_unit(c);
                bounded(c, 1.0, &mut z);
                add(sum, &z);
            }),
            Summand::Moments { base, radius } => {
                let mut y = vec![0; manifold.dim()];
                frame_logs(manifold, base, records, |i, c| {
                    bounded(c, *radius, &mut y);
                    moments(number(i), &y, &mut z);
                    add(sum, &z);
                });
            }
            Summand::Score { geodesic, clip, weight, length } => {
                let mut pull = RecordScore::new(manifold, geodesic);
                for (i, y) in records.iter().enumerate() {
                    if pull.of(number(i), y, *clip).is_err() {
                        continue;
                    }
                    pull.coordinates[manifold.dim()..].iter_mut().for_each(|b| *b *= weight);
                    bounded(&mut pull.coordinates, *length, &mut z);
                    add(sum, &z);
                }
            }
            Summand::SquaredDistance { base, clip } => frame_logs(manifold, base, records, |_, c| {
                sum[0] += squared_length(c, *clip);
            }),
            Summand::NearestLogs { bases, clip } => add_nearest(manifold, (bases, *clip), records, sum),
            Summand::NearestSquare { bases, clip } => {
                add_nearest_squares(manifold, (bases, *clip), records, &mut sum[0]);
            }
            Summand::Gradient { base, clip, of } => of.add(base, *clip, records, sum),
            Summand::SecondMoment { base, clip } => {
                let mut y = vec![0; manifold.dim()];
                frame_logs(manifold, base, records, |_, c| {
                    bounded(c, *clip, &mut y);
                    second_moment(&y, &mut z);
                    add(sum, &z);
                });
            }
            Summand::VectorAndSquare { base, clip, weight } => {
                let mut y = vec![0; manifold.dim()];
                frame_logs(manifold, base, records, |_, c| {
                    bounded(c, *clip, &mut y);
                    with_square(&y, *weight, &mut z);
                    add(sum, &z);
                });
            }
            Summand::FeatureMoments { base, radius, features, weights, basis } => {
                let d = manifold.dim() - features;
                let mut along = vec![0.0; basis.as_ref().map_or(0, |basis| basis.len() / d)];
                let (mut y, mut phi) = (vec![0; if along.is_empty() { d } else { along.len() }], vec![0; *features]);
                frame_logs(manifold, base, records, |_, c| {
                    let (response, row) = c.split_at_mut(d);
                    let response = match basis {
                        Some(basis) => {
                            let rows = along.iter_mut().zip(basis.chunks_exact(d));
                            rows.for_each(|(along, u)| *along = dot(u, response));
                            &mut along[..]
                        }
                        None => response,
                    };
                    bounded(response, *radius, &mut y);
                    bounded(row, 1.0, &mut phi);
                    feature_moments(&phi, &y, *weights, &mut z);
                    add(sum, &z);
                });
            }
            Summand::Places { base, reach, places } => frame_logs(manifold, base, records, |_, c| {
                let counts = sum.chunks_exact_mut(*places);
                counts.zip(c).for_each(|(counts, c)| counts[place(*c, *reach, *places)] += 1);
            }),
            Summand::Positions { base, reach, cells, sign: 0 } => {
                for x in records.iter() {
                    // from 0 on, so that the middle of twice the intervals is at 0
                    let distance = manifold.dist(base, x);
                    sum[place(distance, *reach, 2 * cells) - cells] += 1;
                }
            }
            Summand::Positions { base, reach, cells, sign } => frame_logs(manifold, base, records, |_, c| {
                let position = if c[0].is_nan() { *reach } else { f64::from(*sign) * c[0] };
                sum[place(position, *reach, *cells)] += 1;
            }),
            Summand::Embedded { bound } => {
                let Some(embedding) = manifold.embedding() else { return Ok(()) }; // `check` refuses it
                if embedding.form() == EmbeddedForm::Vector(records.point_len()) {
                    add_all_bounded(records.values(), records.point_len(), *bound, sum);
                    return Ok(());
                }
                let mut embedded = vec![0.0; sum.len()];
                for x in records.iter() {
                    embedding.embed(x, &mut embedded);
                    bounded(&mut embedded, *bound, &mut z);
                    add(sum, &z);
                }
            }
            Summand::Shares { blocks, rest } => add_shares(blocks, *rest, records, sum),
            Summand::Within { base, radii } => {
                for x in records.iter() {
                    let distance = manifold.dist(base, x);
                    sum.iter_mut().zip(radii).for_each(|(count, r)| *count += i64::from(distance <= *r));
                }
            }
        }
        Ok(())
    }
}

/// The most numbers in moments of features: the proof of the sensitivity is for so many.
const LARGEST: usize = 4_000_000;

/// Rejects moments of features that are too large, or of weights for which there is no proof.
fn check_features(
    manifold: &dyn Manifold,
    features: usize,
    weights: MomentWeights,
    basis: Option<&[f64]>,
) -> Result<()> {
    let invalid = |name, value: f64, requirement: String| Err(Error::InvalidParameter { name, value, requirement });
    let d = manifold.dim();
    if !(1..d).contains(&features) {
        let requirement = format!("a record of {d} dimensions has 1 to {} features", d.saturating_sub(1));
        return invalid("number_of_features", features as f64, requirement);
    }
    let responses = basis.map_or(d - features, |basis| basis.len() / (d - features));
    if responses == 0 || basis.is_some_and(|basis| basis.len() != responses * (d - features)) {
        let requirement = format!("a basis has rows of {} numbers", d - features);
        return invalid("basis", basis.map_or(0, <[f64]>::len) as f64, requirement);
    }
    let numbers = feature_moment_len(features, responses);
    if numbers > LARGEST {
        let requirement = format!("at most {LARGEST} numbers are summed for one release: take fewer features");
        return invalid("number_of_moments", numbers as f64, requirement);
    }
    let MomentWeights { response, square } = weights;
    if !((1.0 / LARGEST_WEIGHT..=LARGEST_WEIGHT).contains(&response) && (0.0..=response).contains(&square)) {
        return invalid("weight", response, "the weight of squares is from 0 to that of responses".to_owned());
    }
    Ok(())
}

/// Writes the integers next to `(2t, √32·t², y, 2t·y)`, `y` in units of `2⁻⁵⁰`, in units of `2⁻⁴⁸`. All numbers below
/// are less than `2⁵²`. So a rounding of doubles is off by less than ⅛, and the one to integers by ½.
fn moments(t: f64, y: &[i64], z: &mut [i64]) {
    let t = if t.is_nan() { 0.0 } else { t.clamp(-0.5, 0.5) };
    let unit = 2.0_f64.powi(BITS) / LONGER;
    round(&[2.0 * t, 32.0_f64.sqrt() * t * t], unit, z);
    let (plain, weighted) = z[2..].split_at_mut(y.len());
    for ((plain, weighted), y) in plain.iter_mut().zip(weighted).zip(y) {
        let y = *y as f64 / LONGER;
        *plain = y.round() as i64;
        *weighted = (2.0 * t * y).round() as i64;
    }
}

/// The index of the interval, of `places` from `−reach` to `reach`, that holds a coordinate; NaN counts as 0.
fn place(c: f64, reach: f64, places: usize) -> usize {
    let c = if c.is_nan() { 0.0 } else { c };
    // the cast takes a negative number for 0
    ((0.5 * (c / reach + 1.0) * places as f64) as usize).min(places - 1)
}

/// Gives each record's number and the coordinates of its logarithm to `each`.
pub(crate) fn frame_logs(
    manifold: &dyn Manifold,
    base: &[f64],
    records: PointsView<'_>,
    mut each: impl FnMut(usize, &mut [f64]),
) {
    let d = manifold.dim();
    let size = (NUMBERS / d).clamp(*GROUP.start(), *GROUP.end());
    let mut logs = vec![0.0; size.min(records.len()) * d];
    for (g, group) in records.chunks(size).enumerate() {
        let logs = &mut logs[..group.len() * d];
        manifold.frame_logs(base, group, logs);
        for (i, c) in logs.chunks_exact_mut(d).enumerate() {
            each(g * size + i, c);
        }
    }
}

/// Scales `v` to length 1, up to rounding. 0 stays 0, and a vector so short that its inverse overflows becomes 0.
fn to_unit(v: &mut [f64]) {
    let largest = v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest < f64::MIN_POSITIVE {
        return v.fill(0.0);
    }
    v.iter_mut().for_each(|v| *v /= largest); // so that no square leaves the range of numbers
    let length = norm(v);
    v.iter_mut().for_each(|v| *v /= length);
}

/// Shortens `v` to length `bound` if it is longer, and to 0 if its numbers are not all finite.
pub(crate) fn shorten(v: &mut [f64], bound: f64) {
    let length = norm(v);
    if !length.is_finite() {
        v.fill(0.0);
    } else if length > bound {
        v.iter_mut().for_each(|v| *v *= bound / length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::points::Points;
    use crate::records::Observations;

    #[test]
    fn unit_logarithms_are_directions_and_no_record_counts_for_more() {
        let sphere = "sphere:2".parse::<Space>().unwrap().manifold().unwrap();
        let base = vec![1.0, 0.0, 0.0];
        let term = Summand::UnitLog { base: base.clone() };
        let sum = |records: Vec<f64>| {
            let points = Points::new(&*sphere, records).unwrap();
            Observations::new(&points).sum(&*sphere, &term).unwrap()
        };
        // near, far, at the base, and opposite to it, where there is no logarithm
        for (t, length) in [(1e-9, 1.0), (0.3, 1.0), (3.1, 1.0), (0.0, 0.0), (std::f64::consts::PI, 0.0)] {
            let x = if length == 0.0 { vec![f64::cos(t).round(), 0.0, 0.0] } else { vec![t.cos(), 0.0, t.sin()] };
            let total = sum(x);
            let square: i128 = total.integers().iter().map(|z| z * z).sum();
            assert!(square <= 1 << 100, "{t}");
            let found: f64 = total.mean().iter().map(|c| c * c).sum::<f64>().sqrt();
            assert!((found - length).abs() < 1e-11, "{t}: {found}");
        }
        let both = sum([vec![0.6, 0.8, 0.0], vec![0.6, -0.8, 0.0]].concat());
        assert_eq!(both.integers(), [0, 0], "opposite directions cancel exactly");
    }

    #[test]
    fn directions_of_extreme_vectors_are_unit_vectors() {
        for far in [1e-300, 1e-12, 1.0, 1e200, 1e300] {
            let mut v = [0.6 * far, -0.8 * far];
            to_unit(&mut v);
            assert!((v[0] - 0.6).abs() < 1e-15 && (v[1] + 0.8).abs() < 1e-15, "{far}: {v:?}");
        }
        let mut zero = [0.0, -0.0];
        to_unit(&mut zero);
        assert_eq!(zero, [0.0, 0.0]);
    }

    #[test]
    fn records_within_radii_are_counted_exactly() {
        let line = "euclidean:1".parse::<Space>().unwrap().manifold().unwrap();
        // more than one chunk, in which distances from 3 are 0, 1, …, 9999
        let points = Points::new(&*line, (0..10_000).map(|i| 3.0 + f64::from(i)).collect()).unwrap();
        let term = Summand::Within { base: vec![3.0], radii: vec![0.0, 0.5, 1.0, 5_000.0, 1e9, f64::NAN] };
        let total = Observations::new(&points).sum(&*line, &term).unwrap();
        assert_eq!((total.integers(), total.quantum()), (&[1, 1, 2, 5_001, 10_000, 0][..], 1.0));
        let none = Summand::Within { base: vec![f64::NAN], radii: vec![1.0] };
        assert!(Observations::new(&points).sum(&*line, &none).is_err());
    }

    #[test]
    fn records_are_counted_in_the_intervals_of_each_coordinate() {
        let plane = "euclidean:2".parse::<Space>().unwrap().manifold().unwrap();
        let term = |reach, places| Summand::Places { base: vec![1.0, -1.0], reach, places };
        // seen from (1, −1): ends, borders, what lies beyond, and one chunk more
        let far = [[-2.0, 2.0], [-1.0, 0.0], [0.0, 1.0], [1.999, -0.001], [1e300, -1e300]];
        let records = far.iter().cycle().take(5_000).flat_map(|[x, y]| [x + 1.0, y - 1.0]).collect();
        let points = Points::new(&*plane, records).unwrap();
        let total = Observations::new(&points).sum(&*plane, &term(2.0, 4)).unwrap();
        let thousands: Vec<i128> = total.integers().iter().map(|count| count / 1_000).collect();
        assert_eq!((thousands, total.quantum()), (vec![1, 1, 1, 2, 1, 1, 1, 2], 1.0));
        for (reach, places) in [(0.0, 4), (f64::NAN, 4), (2.0, 0), (2.0, 1 << 21)] {
            assert!(Observations::new(&points).sum(&*plane, &term(reach, places)).is_err(), "{reach} {places}");
        }
    }

    #[test]
    fn a_record_without_a_logarithm_counts_as_the_base() {
        let sphere = "sphere:2".parse::<Space>().unwrap().manifold().unwrap();
        let points = Points::new(&*sphere, vec![-1.0, 0.0, 0.0]).unwrap();
        let term = Summand::Places { base: vec![1.0, 0.0, 0.0], reach: 3.0, places: 3 };
        let total = Observations::new(&points).sum(&*sphere, &term).unwrap();
        assert_eq!(total.integers(), [0, 1, 0, 0, 1, 0]);
    }
}
