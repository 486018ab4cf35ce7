//! What a reporter sends.

use crate::error::{Result, unusable};
use crate::key::{Sealed, bytes, random, text};
use crate::task::Task;
use karcher::records::ExactSum;
use karcher::release::Adjacency;
use prio::codec::Encode;
use prio::vdaf::Client;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The report of a site or a person: two shares, each encrypted to one aggregator. Neither tells anything alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub(crate) task: String,
    pub(crate) id: String,
    /// The number of records, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) records: Option<u64>,
    pub(crate) public: String,
    pub(crate) shares: [Sealed; 2],
}

/// The context of the share of an aggregator: what it is bound to.
pub(crate) fn context(task: &Task, (id, public, records): (&str, &str, Option<u64>), to: usize) -> Vec<u8> {
    let records = records.map_or(u64::MAX, |records| records).to_le_bytes();
    [&task.digest()[..], &records, &[to as u8], id.as_bytes(), b" ", public.as_bytes()].concat()
}

impl Report {
    /// The random number of the report, as text. Copies have the same.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The report without the share of the other aggregator: what the first (0) or the second (1) aggregator needs of
    /// it.
    pub fn only_for(&self, place: usize) -> Self {
        let mut shares = [Sealed::default(), Sealed::default()];
        if let (Some(kept), Some(share)) = (shares.get_mut(place), self.shares.get(place)) {
            *kept = share.clone();
        }
        Self { shares, ..self.clone() }
    }

    /// Whether it is a report for a task: of its specification, number of records, mode, name, keys and state.
    pub fn is_for(&self, task: &Task) -> bool {
        self.task == text(&task.digest())
    }

    /// The digest of the report as one aggregator got it: all that its sum depends on.
    pub(crate) fn digest(&self, place: usize) -> Result<[u8; 32]> {
        let mut hash = Sha256::new();
        hash.update(self.records.map_or([0; 9], |records| {
            let mut bytes = [1; 9];
            bytes[1..].copy_from_slice(&records.to_le_bytes());
            bytes
        }));
        for part in [&self.id, &self.public].into_iter().chain(self.shares[place].parts()) {
            let part = bytes("a report", part)?;
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Ok(hash.finalize().into())
    }

    /// The random number by which reports are told apart.
    pub(crate) fn nonce(&self) -> Result<[u8; 16]> {
        bytes("a report", &self.id)?.try_into().map_err(|_| unusable("a report", "has no number of 16 bytes"))
    }
}

impl Task {
    /// The report of the answer to the [query](Task::query) about the reporter's records. With replace-one neighbours
    /// it states their number.
    ///
    /// # Errors
    /// For the answer to another query, for more records than there are in all where the number is public, and for more
    /// than 2³⁶.
    pub fn report(&self, sum: &ExactSum) -> Result<Report> {
        let round = self.round();
        let nothing = round.query().nothing();
        if (sum.integers().len(), sum.quantum()) != (nothing.integers().len(), nothing.quantum()) {
            return Err(unusable("the sum", "is the answer to another query than that of the task"));
        }
        let records = (self.spec().adjacency == Adjacency::ReplaceOne).then_some(sum.count());
        let room = self.room() as u64;
        if sum.count() > room {
            let has = format!("is of {} records", sum.count());
            return Err(unusable(
                "the sum",
                match records {
                    Some(_) => format!("{has}, and the task is for {room} in all"),
                    None => format!("{has}, and a site reports {room} at most: report as two sites"),
                },
            ));
        }
        let measurement: Vec<u128> = round.integers(sum).into_iter().map(|z| self.in_range(z)).collect();
        let nonce = random::<16>()?;
        let sharing = self.sharing(measurement.len())?;
        let failed = |error: prio::vdaf::VdafError| unusable("the report", error);
        let (public, shares) = sharing.shard(&self.digest(), &measurement, &nonce).map_err(failed)?;
        let encoded = |what: &dyn Fn() -> Result<Vec<u8>, prio::codec::CodecError>| {
            what().map_err(|error| unusable("the report", error))
        };
        let (id, public) = (text(&nonce), text(&encoded(&|| public.get_encoded())?));
        let bound = (&*id, &*public, records);
        let sealed = |i: usize| self.keys()[i].seal(&encoded(&|| shares[i].get_encoded())?, &context(self, bound, i));
        let shares = [sealed(0)?, sealed(1)?];
        Ok(Report { task: text(&self.digest()), id, records, public, shares })
    }
}
