//! The collector: it adds two noisy sums, and makes the release.

use crate::aggregator::NoisyShare;
use crate::error::{Result, unusable};
use crate::key::{bytes, text};
use crate::residue::{element, integer};
use crate::task::{Planned, Task, in_rounds};
use karcher::mechanism::RoundState;
use karcher::noise::{Integer, nearest};
use karcher::release::ReleasedCount;
use karcher::{Release, ReleaseContext};
use prio::field::Field128;

/// What follows from the sums of two aggregators.
#[derive(Debug)]
pub enum Combined {
    /// The state of a plan that takes more rounds: public.
    Next(RoundState),
    /// The release.
    Release(Box<Release>),
    /// The number of records.
    Count(Box<ReleasedCount>),
}

/// The integers of a round, with the noise of both aggregators on them.
///
/// # Errors
/// For sums of another task, of one aggregator, or of different reports.
pub(crate) fn noisy_integers(task: &Task, shares: &[NoisyShare; 2]) -> Result<Vec<Integer>> {
    let digest = text(&task.digest());
    if shares.iter().any(|share| share.task != digest) {
        return Err(unusable("a sum", "is of another task: specification, number, mode, name or state differ"));
    }
    if shares[0].from == shares[1].from {
        return Err(unusable("the sums", "are both of one aggregator: give one of each"));
    }
    if (shares[0].reports, &shares[0].batch) != (shares[1].reports, &shares[1].batch) {
        return Err(unusable("the sums", "are of different reports: both aggregators must add up the same"));
    }
    let len = task.round().len();
    let elements = |share: &NoisyShare| {
        let all = bytes("a sum", &share.share)?;
        let (elements, rest) = all.as_chunks::<16>();
        if elements.len() != len || !rest.is_empty() {
            return Err(unusable("a sum", format!("must have {len} numbers of 16 bytes")));
        }
        Ok(elements.iter().map(|bytes| Field128::from(u128::from_le_bytes(*bytes))).collect::<Vec<_>>())
    };
    let [first, second] = [elements(&shares[0])?, elements(&shares[1])?];
    let (shift, _) = task.range();
    let shifts = element(&(Integer::from(shift) * Integer::from(shares[0].reports)));
    Ok(first.into_iter().zip(second).map(|(a, b)| integer(a + b - shifts)).collect())
}

/// Adds the sums of two aggregators. What follows is processing: it costs no privacy.
///
/// # Errors
/// For sums of another task, of one aggregator, or of different reports.
pub fn combine(task: &Task, shares: &[NoisyShare; 2]) -> Result<Combined> {
    let noisy: Vec<f64> = noisy_integers(task, shares)?.iter().map(nearest).collect();
    let mut context = ReleaseContext::from_os()?;
    let ledgers = shares.iter().filter_map(|share| share.ledger.clone()).collect();
    match task.planned() {
        Planned::Statistic(plan) => {
            let rounds = in_rounds(&**plan)?;
            let state = rounds.after(task.state().clone(), noisy)?;
            if state.rounds() < rounds.rounds() {
                return Ok(Combined::Next(state));
            }
            let release = rounds.release(&state, task.spec().unit, &mut context)?;
            Ok(Combined::Release(Box::new(release.counted_in(ledgers))))
        }
        Planned::Count(plan) => {
            let count = plan.release(noisy[0], &mut context)?; // there is one
            Ok(Combined::Count(Box::new(ReleasedCount { ledgers, ..count })))
        }
    }
}
