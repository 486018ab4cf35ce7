//! A user's gradient is tried on public records, before any confidential ones are read.

use super::extremes::batches;
use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::moved;
use crate::points::PointsView;
use crate::records::{Loss, TOGETHER};
use crate::spec::field;
use crate::vector::{norm, norm_of_difference};
use std::cmp::Ordering;

/// Numbers of records that are given to a function at once, besides all of them.
const SIZES: [usize; 5] = [1, 2, 3, 17, 100];

/// Numbers of records of one more call each, from the first record.
const FIRST: [usize; 10] = [5, 8, 12, 25, 36, 50, 75, 150, 200, 255];

/// Fewest records on which a function is tried: with equal ones it does not show that it depends on others.
const DIFFERENT: usize = 16;

/// The relative difference that rounding explains.
const ROUNDING: f64 = 1e-6;

/// The parts of the radius, and distances, at which two more points lie. At the center, which often is the origin,
/// products are exact whatever their order.
const AROUND: [(f64, f64); 2] = [(0.1, 0.3), (0.7, 2.0)];

/// How the vectors of records in a batch agree with those of each record alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Differ,
    UpToRounding,
    Equal,
}

/// A gradient at a point of the ball.
struct Trial<'a> {
    loss: &'a Loss,
    at: &'a [f64],
    examples: PointsView<'a>,
}

impl Trial<'_> {
    /// The vectors of records that are given at once, one after the other.
    fn at_once(&self, rows: &[&[f64]]) -> Vec<f64> {
        let values: Vec<f64> = rows.concat();
        let mut out = vec![0.0; rows.len() * self.at.len()];
        let records = PointsView::unchecked(self.examples.space(), self.examples.point_len(), &values);
        self.loss.gradient.gradients(self.at, records, &mut out);
        out
    }

    /// The least agreement of vectors. Two that are no tangent vectors agree: both count as 0.
    fn agreement(&self, found: &[f64], expected: &[f64]) -> Agreement {
        let is_none = |v: &[f64]| self.loss.manifold.check_tangent(self.at, v).is_err();
        let pairs = found.chunks_exact(self.at.len()).zip(expected.chunks_exact(self.at.len()));
        let agreements = pairs.map(|(found, expected)| {
            if found == expected || (is_none(found) && is_none(expected)) {
                Agreement::Equal
            } else if norm_of_difference(found, expected) <= ROUNDING * norm(expected).max(ROUNDING) {
                Agreement::UpToRounding
            } else {
                Agreement::Differ
            }
        });
        agreements.min().unwrap_or(Agreement::Equal)
    }

    /// The agreement of calls with some of the usual records with a call with all of them.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for vectors that are no tangent vectors, or that differ from call to call.
    fn on_usual(&self, rows: &[&[f64]]) -> Result<Agreement> {
        let (len, all) = (self.at.len(), self.at_once(rows));
        for (i, v) in all.chunks_exact(len).enumerate().take(self.examples.len()) {
            if let Err(error) = self.loss.manifold.check_tangent(self.at, v) {
                return Err(field(
                    "gradient",
                    format!("gives no tangent vector for the made-up record {}: {error}", i + 1),
                ));
            }
        }
        if self.at_once(rows) != all {
            return Err(field("gradient", "gives other vectors when it is called again".to_owned()));
        }
        let pieces = SIZES.into_iter().flat_map(|size| rows.chunks(size).zip(all.chunks(size * len)));
        let first = FIRST.into_iter().filter_map(|size| rows.get(..size).zip(all.get(..size * len)));
        let of_pieces = pieces.chain(first).map(|(rows, all)| self.agreement(&self.at_once(rows), all)).min();
        let backwards: Vec<&[f64]> = rows.iter().rev().copied().collect();
        let turned: Vec<f64> = all.chunks_exact(len).rev().flatten().copied().collect();
        Ok(self.agreement(&self.at_once(&backwards), &turned).min(of_pieces.unwrap_or(Agreement::Equal)))
    }

    /// The agreement of batches with each of their records alone.
    fn on_batches(&self, records: &[Vec<f64>], batches: &[Vec<usize>]) -> Agreement {
        let alone: Vec<Vec<f64>> = records.iter().map(|row| self.at_once(&[row])).collect();
        let agreements = batches.iter().map(|batch| {
            let rows: Vec<&[f64]> = batch.iter().map(|i| &records[*i][..]).collect();
            let expected: Vec<f64> = batch.iter().flat_map(|i| alone[*i].iter().copied()).collect();
            self.agreement(&self.at_once(&rows), &expected)
        });
        agreements.min().unwrap_or(Agreement::Equal)
    }
}

/// Whether the vector of each record depends on that record alone, to the last bit, where it is tried: at points of the
/// ball, on usual records, and then on extreme ones among them.
///
/// # Errors
/// [`Error::Field`](crate::Error::Field) where vectors depend on other records by more than rounding. Also where those
/// of usual records are no tangent vectors, or differ from call to call.
pub(super) fn is_of_rows_alone(
    loss: &Loss,
    records: &dyn Manifold,
    ball: &Ball,
    examples: PointsView<'_>,
) -> Result<bool> {
    let mut different: Vec<&[f64]> = examples.iter().collect();
    different.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    different.dedup();
    if different.len() < DIFFERENT {
        let reason = format!("is tried on {} different records, and needs {DIFFERENT} at least", different.len());
        return Err(field("gradient", reason));
    }
    // in a direction without a zero
    let direction: Vec<f64> = (0..loss.manifold.dim()).map(|i| (1.0 + 0.7 * i as f64).sin() + 0.1).collect();
    let along = |length: f64| {
        let step = length / norm(&direction);
        let coordinates: Vec<f64> = direction.iter().map(|x| x * step).collect();
        moved(&*loss.manifold, ball.center().to_vec(), &coordinates)
    };
    let around = AROUND.map(|(part, most)| along((part * ball.radius()).min(most)));
    let (center, edge) = (ball.center().to_vec(), along(-ball.radius()));
    // as many as there are in a call on real records
    let rows: Vec<&[f64]> = examples.iter().cycle().take(TOGETHER).collect();
    let trial = |at| Trial { loss, at, examples };
    let mut agreement = Agreement::Equal;
    for at in [&center, &around[0], &around[1]] {
        agreement = agreement.min(trial(at).on_usual(&rows)?);
    }
    loss.gradient.usual_records_end();
    let (extreme, batches) = batches(records, &rows);
    for at in [&center, &around[0], &around[1], &edge] {
        if agreement > Agreement::Differ {
            agreement = agreement.min(trial(at).on_batches(&extreme, &batches));
        }
    }
    match agreement {
        Agreement::Equal => Ok(true),
        Agreement::UpToRounding => Ok(false),
        Agreement::Differ => {
            Err(field("gradient", "gives a record a vector that depends on the other records of the call".to_owned()))
        }
    }
}
