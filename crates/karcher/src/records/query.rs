//! Queries of a mechanism about records.

use super::grouped::kept_apart;
use super::in_memory::sum_of_chunks;
use super::{Centered, ExactSum, Grouped, Observations, PredictorRange, Preprocessing, Summand};
use crate::Space;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::points::{PointsView, check_space};
use crate::vector::widen;
use serde::{Deserialize, Serialize};

/// A query of a mechanism about records, in memory or remote. It consists of the preprocessing (ball for clipping,
/// range of the predictors) and the [`Summand`] to be added up.
///
/// It serialises, so that it can be sent to records on any machine that has the library. The answer is an [`ExactSum`]:
/// exact, so the same to the last bit however the records are divided, and mergeable in any order. **The second and
/// later queries of a release are confidential**: their base point is an intermediate value.
///
/// ```
/// use karcher::{Ball, Points, manifold::Euclidean, mechanism::PrivateFrechetMean};
/// use karcher::records::{Observations, SumQuery};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let query = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?.first_query()?;
/// let sent = serde_json::to_string(&query)?; // to two machines
/// let there = |values: Vec<f64>| -> Result<_, Box<dyn std::error::Error>> {
///     let query: SumQuery = serde_json::from_str(&sent)?;
///     Ok(query.answer(Observations::new(&Points::new(&*line, values)?))?)
/// };
/// let both = there(vec![0.25, 0.75])?.merge(there(vec![5.0])?)?;
/// assert!(both.count() == 3 && (both.mean()[0] - 2.0 / 3.0).abs() < 1e-11); // 5 was clipped to 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Sent", into = "Sent")]
pub struct SumQuery {
    view: Preprocessing,
    term: Summand,
}

/// Numbers that are widened at a time, of four records at least: they stay in the processor's nearest cache.
const SINGLES: usize = 4096;

/// Groups of so many numbers that are fetched from memory together.
const FETCHED: usize = 4;

/// Most records whose contributions are added up in 64 bits.
const MOST: usize = 4096;

/// Reads a number of each line of the cache, of the first `count` numbers. Nothing is done with them: so memory gives
/// all lines at once, and twice as fast as to a computation.
fn fetch(values: &[f32], count: usize) {
    let lines = values[..count.min(values.len())].iter().step_by(16);
    std::hint::black_box(lines.fold(0, |all, x| all ^ x.to_bits()));
}

/// The serialised form of a query.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Sent {
    ball: Ball,
    clip: bool,
    predictors: Option<PredictorRange>,
    term: Summand,
}

impl TryFrom<Sent> for SumQuery {
    type Error = Error;

    fn try_from(Sent { ball, clip, predictors, term }: Sent) -> Result<Self> {
        let manifold = ball.space().manifold()?;
        Self::new(Preprocessing { centered: Centered::new(&manifold, &ball)?, clip, predictors }, term)
    }
}

impl From<SumQuery> for Sent {
    fn from(SumQuery { view, term }: SumQuery) -> Self {
        Self { ball: view.centered.of().clone(), clip: view.clip, predictors: view.predictors, term }
    }
}

impl PartialEq for SumQuery {
    fn eq(&self, other: &Self) -> bool {
        self.term == other.term && Sent::from(self.clone()) == Sent::from(other.clone())
    }
}

impl SumQuery {
    pub(crate) fn new(view: Preprocessing, term: Summand) -> Result<Self> {
        term.check(view.centered.space())?;
        Ok(Self { view, term })
    }

    /// The space that the records are of.
    pub fn space(&self) -> &Space {
        self.view.centered.manifold().space()
    }

    /// The public ball to which records are clipped.
    pub fn ball(&self) -> &Ball {
        self.view.centered.of()
    }

    /// Whether records must come with predictors.
    pub fn has_predictors(&self) -> bool {
        self.view.predictors.is_some()
    }

    /// The summand.
    pub fn term(&self) -> &Summand {
        &self.term
    }

    /// Preprocessing of the records.
    pub(crate) fn view(&self) -> &Preprocessing {
        &self.view
    }

    /// The sum over no records, to which others can be added.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let query = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?.first_query()?;
    /// assert_eq!((query.nothing().count(), query.nothing().integers()), (0, &[0, 0][..]));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn nothing(&self) -> ExactSum {
        ExactSum::new(0, vec![0; self.term.len(self.view.centered.space())], self.term.quantum())
    }

    /// The sum over some of the records. **Confidential.**
    ///
    /// # Errors
    /// [`Error::Geometry`] for records of another space. [`Error::InvalidParameter`] without predictors where the query
    /// needs them.
    pub fn answer(&self, records: Observations<'_>) -> Result<ExactSum> {
        let Preprocessing { centered, clip, .. } = &self.view;
        let predictors = self.view.predictors_of(&records)?;
        let (space, points) = (centered.space(), records.points());
        let is_embedded = centered.is_identity() && matches!(self.term, Summand::Embedded { .. });
        let is_as_given = is_embedded || self.is_of_a_gradient();
        sum_of_chunks(points, (space, &self.term), |first, chunk, sum| {
            if is_as_given {
                return self.term.add(space, chunk, None, sum);
            }
            let mut values = vec![0.0; chunk.len() * space.point_len()];
            centered.see(chunk, *clip, &mut values);
            let numbers: Option<Vec<f64>> = predictors.map(|predictors| {
                let those = &predictors[first..][..chunk.len()];
                those.iter().map(|x| self.view.number(*x)).collect()
            });
            let seen = PointsView::unchecked(space.space(), space.point_len(), &values);
            self.term.add(space, seen, numbers.as_deref(), sum)
        })
    }

    /// Whether a gradient is summed, which takes records as they are.
    pub(crate) fn is_of_a_gradient(&self) -> bool {
        matches!(self.term, Summand::Gradient { .. })
    }

    /// The sum over persons of the mean gradient of their records. **Confidential.**
    pub(super) fn answer_of_persons(&self, persons: &Grouped) -> Result<ExactSum> {
        let Summand::Gradient { base, clip, of } = &self.term else { return Err(kept_apart()) };
        check_space("records", self.space(), persons.points().space())?;
        let mut sum = self.nothing().integers().to_vec();
        of.add_means(base, *clip, persons.points(), persons.ends(), &mut sum);
        Ok(ExactSum::new(persons.ends().len() as u64, sum, self.term.quantum()))
    }

    /// The sum over points whose numbers have single precision, one after the other, which are validated on the way. It
    /// is that over the same numbers in double precision ([`Points::new`](crate::Points::new)), to the last bit.
    /// **Confidential.** A few points at a time are kept in double precision, so that no copy is made.
    ///
    /// `None` where they have to be validated and summed apart: some may be no points, or the query moves them.
    ///
    /// ```
    /// use karcher::{Points, manifold::Sphere, mechanism::PrivateExtrinsicMean, records::Observations, vector::widened};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(8)?);
    /// let query = PrivateExtrinsicMean::new(sphere.clone())?.query()?;
    /// let singles = [1.0_f32 / 3.0; 18];
    /// let doubles = Points::new(&*sphere, widened(&singles))?;
    /// assert_eq!(query.answer_singles(&singles), Some(query.answer(Observations::new(&doubles))?));
    /// assert_eq!(query.answer_singles(&[1.0; 9]), None); // no point
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn answer_singles(&self, values: &[f32]) -> Option<ExactSum> {
        let centered = &self.view.centered;
        let (space, is_as_given) = (centered.space(), centered.is_identity());
        let len = space.point_len();
        if !is_as_given || !matches!(self.term, Summand::Embedded { .. }) || !values.len().is_multiple_of(len) {
            return None;
        }
        let rows = (SINGLES / len / 4 * 4).clamp(4, MOST);
        let (mut widened, mut sum) = (vec![0.0; rows * len], self.nothing().integers().to_vec());
        // sums of so many records do not overflow
        for records in values.chunks(MOST / rows * rows * len) {
            let mut part = vec![0; sum.len()];
            for (i, some) in records.chunks(rows * len).enumerate() {
                if i % FETCHED == 0 {
                    fetch(&records[i * rows * len..], FETCHED * rows * len);
                }
                let points = &mut widened[..some.len()];
                widen(some, points);
                if !space.normalize_points(points) {
                    return None;
                }
                let points = PointsView::unchecked(space.space(), len, points);
                self.term.add(space, points, None, &mut part).ok()?;
            }
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += i128::from(part));
        }
        Some(ExactSum::new((values.len() / len) as u64, sum, self.term.quantum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Generator, Law};
    use crate::points::Points;
    use crate::records::Records;
    use crate::sampler::Isotropic;

    /// For more records in memory than a chunk.
    #[test]
    fn what_is_asked_once_is_the_sum_over_records_that_are_kept() {
        for space in ["euclidean:3", "sphere:2", "spd-log-euclidean:3", "spd-affine-invariant:6", "kendall:5"] {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let law = Isotropic::new(manifold.clone(), Law::Gaussian, 0.2).unwrap();
            let (mut center, mut generator) = (vec![0.0; manifold.point_len()], Generator::seeded(3));
            manifold.origin(&mut center);
            let mut values = vec![0.0; 700 * center.len()];
            for x in values.chunks_exact_mut(center.len()) {
                law.sample(&center, &mut generator, x).unwrap();
            }
            let points = Points::new(&*manifold, values).unwrap();
            let ball = Ball::new(&*manifold, points.view().iter().next().unwrap().to_vec(), 0.3).unwrap();
            for clip in [false, true] {
                let centered = Centered::new(&manifold, &ball).unwrap();
                let term = Summand::ClippedLog { base: centered.center().to_vec(), clip: 0.3 };
                let query = SumQuery::new(Preprocessing { centered, clip, predictors: None }, term).unwrap();
                let records: [&dyn Records; 3] = [&points, &points.view(), &Observations::new(&points)];
                for records in records {
                    let kept = records.seen(query.view().clone()).unwrap().answer(&query).unwrap();
                    assert_eq!(records.answer(&query).unwrap(), kept, "{space} {clip}");
                }
            }
        }
    }
}
