//! The provenance of a private value, which every release states.

use super::{
    Adjacency, Flag, LedgerEntry, Located, MechanismName, NoiseDraw, NoiseOf, Numerics, PrivateCount, Promise,
    StatisticName, kept,
};
use crate::Space;
use crate::ball::Ball;
use crate::privacy::Guarantee;
use crate::records::PrivacyUnit;
use crate::sensitivity::{Bound, Sensitivity};
use crate::series::SeriesPeriod;
use crate::spec::{ReleaseSpec, Trust};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The version of a release's fields. A version may get new fields; existing ones stay and keep their meaning.
pub const SCHEMA: u32 = 3;

/// The provenance of a private value: a complete record of how it was made. All of it is public, except the private
/// count. (`n` is given only where neighbouring data sets differ in one record's value, not in their number.)
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, release::SCHEMA};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan()?;
/// let release = plan.run(&Points::new(&*line, vec![0.1, 0.2])?, &mut ReleaseContext::from_os()?)?;
/// let how = release.provenance();
/// assert_eq!((how.schema, how.n, how.guarantee), (SCHEMA, Some(2), Guarantee::pure(1.0)?));
/// assert!(how.lattice <= 1e-6 * how.scale); // rounding to the lattice is small against the noise
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of these fields, [`SCHEMA`].
    pub schema: u32,
    /// The version of this library.
    pub karcher: Cow<'static, str>,
    /// The statistic of the records.
    pub statistic: StatisticName,
    /// The space of records and value.
    pub manifold: Space,
    /// Number of records, where it is public, with [`Adjacency::ReplaceOne`]. Where the [unit](Provenance::unit) is a
    /// person, it is the number of contributions, one for each person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<usize>,
    /// The public guess of the number of records in the plan, where the number is confidential: with
    /// [`Adjacency::AddRemove`]. All other fields use the guess where they would depend on the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_guess: Option<usize>,
    /// The approximate number of records: with [`Adjacency::AddRemove`] the number is released with noise of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_count: Option<PrivateCount>,
    /// The guarantee.
    pub guarantee: Guarantee,
    /// Guarantees that the same noise also implies, where the guarantee is an `(ε, δ)` of Laplace noise: pure ε,
    /// μ-GDP and ρ-zCDP (user guide, N1, N3). An account may book one of them instead, not in addition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Guarantee>,
    /// The privacy unit.
    pub unit: PrivacyUnit,
    /// Which data sets count as neighbours.
    pub adjacency: Adjacency,
    /// The mechanism.
    pub mechanism: MechanismName,
    /// The noise scale `σ`, in units of distance. Where several parties add noise, it is that of its sum. Where medians
    /// of coordinates found the center of a ball, the length of one of their places.
    pub scale: f64,
    /// The sensitivity that the scale was computed from.
    pub sensitivity: ReleasedSensitivity,
    /// All noise of the release, draw by draw: the guarantee follows from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<NoiseDraw>,
    /// The ball to which records were clipped, public or located. For a median or a ball, it is the public outer ball,
    /// to which they were not clipped.
    pub ball: Ball,
    /// The subject of the guarantee: the released bits, or real numbers.
    pub numerics: Numerics,
    /// The step of the lattice on which the value lies (before denoising), in coordinates of the frame at the ball's
    /// center (user guide, Q1 and X1): a millionth of the noise's scale or less. With [`Numerics::Exact`] and
    /// [`Adjacency::ReplaceOne`] it is the quantum of the integers that were released.
    pub lattice: f64,
    /// The mean distance between the private value and the one without privacy, from public quantities alone.
    pub expected_distance: f64,
    /// For a Karcher flow, upper bound of the distance between its end without noise and the mean of the clipped
    /// records. Absent where the ball is so large that no bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias_bound: Option<f64>,
    /// For a Karcher flow, a median flow and a regression by descent, the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
    /// For a mean whose ball was located with a part of the budget: how it was located, and the cost of each part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub located: Option<Located>,
    /// The entry in the ledger that counted the release, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerEntry>,
    /// The entries in the ledgers of aggregators who added the noise, of each that has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledgers: Vec<LedgerEntry>,
    /// The name of the [layout](crate::manifold::Layout) in which files had the records, where one was chosen. Pictures
    /// know latitudes and longitudes by it; nothing else depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Cow<'static, str>>,
    /// The columns that held the records, where they were chosen by name and [name parts](names_parts). Pictures show
    /// these names; nothing else depends on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The public [template](crate::manifold::Template) onto which each record of landmarks was rotated, if one was
    /// chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<Vec<f64>>,
    /// The specification that asked for the release, where it was made from one: what it takes to repeat it, with new
    /// noise, and to check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Box<ReleaseSpec>>,
    /// Who has to be honest for the guarantee, where aggregators who see no sum added the noise. `noise` is that of one
    /// of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// Which release of a series it is, if it is one. `guarantee` and `noise` are those of the whole series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesPeriod>,
    /// What a reader has to know beyond the guarantee.
    pub flags: Vec<Flag>,
}

/// Whether the numbers of a record are parts with names of their own, as those of compositions, which a release states.
/// Elsewhere a release is the same whatever the columns are called.
///
/// ```
/// use karcher::release::names_parts;
/// assert!(names_parts(&"simplex-aitchison:3".parse()?) && !names_parts(&"euclidean:3".parse()?));
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn names_parts(space: &Space) -> bool {
    space.as_str().starts_with("simplex-")
}

impl Provenance {
    /// Whether a regression on features has no terms: it is the mean in the span of a public basis.
    pub fn is_mean_in_basis(&self) -> bool {
        let features = self.spec.as_ref().and_then(|spec| spec.features.as_ref());
        features.is_some_and(|features| features.is_constant())
    }

    /// All noise, as wide as that of all parties or periods together: what errors follow from.
    pub(crate) fn noise_together(&self) -> Cow<'_, [NoiseDraw]> {
        if let Some(series) = &self.series {
            let wider = |draw: &NoiseDraw| NoiseDraw { scale: draw.scale * series.growth, ..draw.clone() };
            return self.noise.iter().map(wider).collect();
        }
        let of_all = |draw: &NoiseDraw| if draw.quantity == NoiseOf::Value { self.scale } else { draw.scale };
        let wider = |draw: &NoiseDraw| NoiseDraw { scale: of_all(draw), ..draw.clone() };
        match self.trust {
            Some(_) => self.noise.iter().map(wider).collect(),
            None => Cow::Borrowed(&self.noise),
        }
    }

    /// The promise of the release.
    pub fn promise(&self) -> Promise {
        let own = Promise::new(self.guarantee, self.unit, self.adjacency, self.numerics, &self.flags);
        own.keeping(kept(&self.noise))
    }

    /// The definition of neighbouring data sets, in words.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.1, 0.2])?, &mut ReleaseContext::from_os()?)?;
    /// assert_eq!(release.provenance().neighbours(), "one record replaced by any other");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn neighbours(&self) -> &'static str {
        self.adjacency.of_unit(self.unit)
    }

    /// The number of records, or persons, in words; where it is confidential, the approximate number.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.1, 0.2])?, &mut ReleaseContext::from_os()?)?;
    /// assert_eq!(release.provenance().how_many(), "2 records");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn how_many(&self) -> String {
        let Some(count) = &self.private_count else { return self.unit.many(self.n.unwrap_or_default()) };
        let about = format!("about {:.0} {}s", count.value, self.unit);
        match count.whole_interval() {
            (low, Some(high)) => format!("{about}, from {low:.0} to {high:.0} with 95 % confidence"),
            (low, None) => format!("{about}, from {low:.0} on with 95 % confidence, far more than was guessed"),
        }
    }
}

/// The sensitivity that the noise was calibrated to, and the theorem that bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReleasedSensitivity {
    /// Upper bound, in units of distance; for a regression in those of its statistics.
    pub value: f64,
    /// Which bound it is.
    pub bound: ReleasedBound,
}

/// The theorem that bounds a sensitivity.
///
/// ```
/// use karcher::{release::ReleasedBound, sensitivity::Bound};
/// assert!(Bound::ALL.iter().all(|bound| ReleasedBound::from(*bound).name() == bound.name()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleasedBound {
    /// [`Bound::Published`] of the mean.
    Published,
    /// [`Bound::AveragedHessian`] of the mean.
    AveragedHessian,
    /// [`Bound::Sharp`] of the mean.
    Sharp,
    /// [`Bound::Optimal`] of the mean.
    Optimal,
    /// The bound of the mean's logarithm at the center of the ball.
    Chart,
    /// The bound of the mean of logarithms in a ball.
    GradientDiameter,
    /// The bound of the mean of clipped logarithms, for one step of a Karcher flow.
    ClippedGradient,
    /// The bound of the mean of unit vectors, times its length, for one step of a median flow.
    UnitGradient,
    /// The bound of a rank among the records, for medians of coordinates: 1, and no length.
    Rank,
    /// The bound of the moments of a regression.
    SufficientStatistics,
    /// The bound of the score of a regression with clipped residuals.
    ClippedResiduals,
    /// The bound of a mean of squared distances that are cut off.
    ClippedSquare,
    /// The bound of numbers of records and clipped logarithms at the nearest of several centers.
    NearestLogs,
    /// The bound of a vector and its square together.
    VectorAndSquare,
    /// The bound of sums of shares, of all together for Laplace noise and of their length for Gaussian noise.
    Shares,
    /// The bound of encoded numbers of records in cells, of all together for Laplace noise and of their length for Gaussian
    /// noise.
    RunningSums,
    /// The diameter of an embedded space, over the number of records.
    Embedding,
    /// The bound of a sum over the records and their number, together, for one record added or removed.
    SumAndCount,
}

impl ReleasedBound {
    /// The bound's name.
    pub fn name(self) -> &'static str {
        match self {
            ReleasedBound::Published => "published",
            ReleasedBound::AveragedHessian => "averaged-hessian",
            ReleasedBound::Sharp => "sharp",
            ReleasedBound::Optimal => "optimal",
            ReleasedBound::Chart => "chart",
            ReleasedBound::GradientDiameter => "gradient-diameter",
            ReleasedBound::ClippedGradient => "clipped-gradient",
            ReleasedBound::UnitGradient => "unit-gradient",
            ReleasedBound::Rank => "rank",
            ReleasedBound::SufficientStatistics => "sufficient-statistics",
            ReleasedBound::ClippedResiduals => "clipped-residuals",
            ReleasedBound::ClippedSquare => "clipped-square",
            ReleasedBound::NearestLogs => "nearest-logs",
            ReleasedBound::VectorAndSquare => "vector-and-square",
            ReleasedBound::Shares => "shares",
            ReleasedBound::RunningSums => "running-sums",
            ReleasedBound::Embedding => "embedding",
            ReleasedBound::SumAndCount => "sum-and-count",
        }
    }
}

impl fmt::Display for ReleasedBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Bound> for ReleasedBound {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Published => ReleasedBound::Published,
            Bound::AveragedHessian => ReleasedBound::AveragedHessian,
            Bound::Sharp => ReleasedBound::Sharp,
            Bound::Optimal => ReleasedBound::Optimal,
        }
    }
}

impl From<Sensitivity> for ReleasedSensitivity {
    fn from(sensitivity: Sensitivity) -> Self {
        Self { value: sensitivity.value(), bound: sensitivity.bound().into() }
    }
}

/// One step of an iteration: the length to which vectors are clipped, and the scale of the noise on their mean. In a
/// median flow vectors are unit vectors times the length of the step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// `c_j`.
    pub clip: f64,
    /// `σ_j`.
    pub scale: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for name in MechanismName::ALL {
            assert_eq!(serde_json::to_value(name).unwrap(), name.name());
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        for name in StatisticName::ALL {
            assert_eq!(serde_json::to_value(name).unwrap(), name.name());
        }
        for bound in Bound::ALL.map(ReleasedBound::from) {
            assert_eq!(serde_json::to_value(bound).unwrap(), bound.name());
        }
        assert!("laplac".parse::<MechanismName>().unwrap_err().to_string().contains("karcher-flow"));
    }
}
