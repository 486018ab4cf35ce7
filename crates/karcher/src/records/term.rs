//! What can be summed over records.

use super::Pull;
use crate::error::{Error, Result};
use crate::manifold::{Geodesic, Manifold, add_scaled, norm};
use crate::points::PointsView;

/// What is added up over the records `xᵢ`, with the numbers `tᵢ` beside them where there are some: predictors, or
/// weights.
///
/// Each record contributes by itself, and every contribution of a private sum is bounded, so that one record moves the
/// sum by no more than twice the bound. A term is public but for base points that are private intermediate values.
///
/// ```
/// use karcher::{Points, manifold::Euclidean, records::{Observations, Term}};
/// let line = Euclidean::new(1)?;
/// let sum = |far: f64| {
///     let points = Points::new(&line, vec![0.5, far])?;
///     Observations::new(&points).sum(&line, &Term::ClippedLog { base: vec![0.0], clip: 1.0 })
/// };
/// // however far a record is, it moves the sum by no more than twice the bound
/// assert!((sum(1e6)?.sum()[0] - sum(-1e6)?.sum()[0]).abs() <= 2.0);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Term {
    /// Flat coordinates, `tᵢ·xᵢ`, on spaces that have them.
    FlatCoordinates,
    /// `tᵢ·Log_m(xᵢ)` in ambient coordinates.
    Log {
        /// `m`.
        base: Vec<f64>,
    },
    /// `clip_c(Log_m xᵢ)` in coordinates of the frame at `m`: no longer than `c` whatever the record is. One without a
    /// logarithm, at the cut locus of `m`, counts as `m`.
    ClippedLog {
        /// `m`.
        base: Vec<f64>,
        /// `c`.
        clip: f64,
    },
    /// `(2r·t, √32·r·t², y, 2t·y)`, `y = clip_r(Log_m xᵢ)` in coordinates of the frame at `m` (user guide, R2).
    Moments {
        /// `m`.
        base: Vec<f64>,
        /// `r`.
        radius: f64,
    },
    /// `(A†ē, w·t·B†ē)` of the residual `ē` at `Exp_p(t·v)`, clipped to `τ`, in coordinates of the frame at `p`, and
    /// clipped to a length as a whole (user guide, R1′ and R3). The second clipping changes nothing in real arithmetic:
    /// it makes privacy independent of the geometry before it. A record without a residual, at the cut locus of its
    /// prediction, counts as 0.
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
    /// `(A†e, t·B†e, ½‖e‖²)` of the residual `e` at `Exp_p(t·v)`, not clipped.
    Energy {
        /// `p` and `v`.
        geodesic: Geodesic,
    },
    /// `(c − c̄, (t − t̄)·(c − c̄))` of flat coordinates `c`: what is left of sums of squares without cancellation.
    Deviations {
        /// `c̄`.
        mean: Vec<f64>,
        /// `t̄`.
        number: f64,
    },
}

/// Records whose logarithms are computed at once.
const GROUP: usize = 32;

impl Term {
    /// Numbers in the sum.
    pub(super) fn len(&self, manifold: &dyn Manifold) -> usize {
        let d = manifold.dim();
        match self {
            Term::FlatCoordinates | Term::ClippedLog { .. } => d,
            Term::Log { .. } => manifold.point_len(),
            Term::Moments { .. } => 2 * d + 2,
            Term::Score { .. } | Term::Deviations { .. } => 2 * d,
            Term::Energy { .. } => 2 * d + 1,
        }
    }

    /// Refuses a term that has no meaning on a space.
    pub(super) fn check(&self, manifold: &dyn Manifold) -> Result<()> {
        match self {
            Term::Log { base } | Term::ClippedLog { base, .. } | Term::Moments { base, .. } => {
                manifold.check_point(base)
            }
            Term::Score { geodesic, .. } | Term::Energy { geodesic } => {
                manifold.check_point(&geodesic.footpoint)?;
                manifold.check_tangent(&geodesic.footpoint, &geodesic.velocity)
            }
            Term::Deviations { mean, .. } if mean.len() != manifold.dim() => {
                let space = manifold.space().clone();
                Err(Error::WrongLength { space, expected: manifold.dim(), found: mean.len() })
            }
            Term::FlatCoordinates | Term::Deviations { .. } if manifold.flat_chart().is_none() => {
                let reason = "the space has no flat coordinates".to_owned();
                Err(Error::Unsupported {
                    mechanism: "sum of flat coordinates",
                    space: manifold.space().clone(),
                    reason,
                })
            }
            _ => Ok(()),
        }
    }

    /// Writes the sum of the records' contributions to `out`, which is 0. Without numbers weights are 1 and
    /// predictors 0.
    ///
    /// # Errors
    /// [`Error::CutLocus`](crate::Error::CutLocus) where a logarithm that is not clipped does not exist.
    pub(super) fn add(
        &self,
        manifold: &dyn Manifold,
        records: PointsView<'_>,
        numbers: Option<&[f64]>,
        out: &mut [f64],
    ) -> Result<()> {
        let number = |i: usize| numbers.map_or(0.0, |t| t[i]);
        match self {
            Term::FlatCoordinates => {
                if let Some(chart) = manifold.flat_chart() {
                    chart.flat_sum(records, numbers, out);
                }
            }
            Term::Log { base } => manifold.log_sum(base, records, numbers, out)?,
            Term::ClippedLog { base, clip } => frame_logs(manifold, base, records, |_, c| {
                let length = norm(c);
                if length.is_finite() {
                    add_scaled(out, (clip / length).min(1.0), c);
                }
            }),
            Term::Moments { base, radius } => {
                let d = manifold.dim();
                frame_logs(manifold, base, records, |i, y| {
                    let t = number(i);
                    shorten(y, *radius);
                    out[0] += 2.0 * radius * t;
                    out[1] += 32.0_f64.sqrt() * radius * t * t;
                    add_scaled(&mut out[2..2 + d], 1.0, y);
                    add_scaled(&mut out[2 + d..], 2.0 * t, y);
                });
            }
            Term::Score { geodesic, clip, weight, length } => {
                let mut pull = Pull::new(manifold, geodesic);
                for (i, y) in records.iter().enumerate() {
                    if pull.of(number(i), y, *clip).is_err() {
                        continue;
                    }
                    pull.coordinates[manifold.dim()..].iter_mut().for_each(|b| *b *= weight);
                    shorten(&mut pull.coordinates, *length);
                    add_scaled(out, 1.0, &pull.coordinates);
                }
            }
            Term::Energy { geodesic } => {
                let mut pull = Pull::new(manifold, geodesic);
                let last = out.len() - 1; // 2d + 1 numbers
                for (i, y) in records.iter().enumerate() {
                    let residual = pull.of(number(i), y, f64::INFINITY)?;
                    add_scaled(&mut out[..last], 1.0, &pull.coordinates);
                    out[last] += 0.5 * residual * residual;
                }
            }
            Term::Deviations { mean, number: center } => {
                let d = manifold.dim();
                let mut coordinates = vec![0.0; records.len() * d];
                if let Some(chart) = manifold.flat_chart() {
                    chart.all_to_flat(records, &mut coordinates);
                }
                for (i, c) in coordinates.chunks_exact(d).enumerate() {
                    for j in 0..d {
                        let apart = c[j] - mean[j];
                        out[j] += apart;
                        out[d + j] += (number(i) - center) * apart;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Gives each record's number and the coordinates of its logarithm to `each`.
fn frame_logs(manifold: &dyn Manifold, base: &[f64], records: PointsView<'_>, mut each: impl FnMut(usize, &mut [f64])) {
    let d = manifold.dim();
    let mut logs = vec![0.0; GROUP.min(records.len()) * d];
    for (g, group) in records.chunks(GROUP).enumerate() {
        let logs = &mut logs[..group.len() * d];
        manifold.frame_logs(base, group, logs);
        for (i, c) in logs.chunks_exact_mut(d).enumerate() {
            each(g * GROUP + i, c);
        }
    }
}

/// Shortens `v` to length `bound` if it is longer; to 0 if it is no vector of finite numbers.
pub(crate) fn shorten(v: &mut [f64], bound: f64) {
    let length = norm(v);
    if !length.is_finite() {
        v.fill(0.0);
    } else if length > bound {
        v.iter_mut().for_each(|v| *v *= bound / length);
    }
}
