//! What a reporter sends.

use crate::error::{Result, unusable};
use crate::key::{PublicKey, Sealed, bytes, random, text};
use crate::task::Task;
use karcher::records::ExactSum;
use prio::codec::Encode;
use prio::vdaf::Client;
use serde::{Deserialize, Serialize};

/// The report of a site or a person: two shares, each encrypted to one aggregator. Neither tells anything alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub(crate) task: String,
    pub(crate) id: String,
    pub(crate) public: String,
    pub(crate) shares: [Sealed; 2],
}

/// The context of the share of an aggregator: what it is bound to.
pub(crate) fn context(task: &Task, id: &str, public: &str, to: usize) -> Vec<u8> {
    [&task.digest()[..], id.as_bytes(), public.as_bytes(), &[to as u8]].concat()
}

impl Report {
    /// The random number by which reports are told apart.
    pub(crate) fn nonce(&self) -> Result<[u8; 16]> {
        bytes("a report", &self.id)?.try_into().map_err(|_| unusable("a report", "has no number of 16 bytes"))
    }
}

impl Task {
    /// The report of the answer to the [query](Task::query) about the reporter's records.
    ///
    /// # Errors
    /// For the answer to another query; for a sum that is out of the range of the task; for keys that are none.
    pub fn report(&self, sum: &ExactSum, to: &[PublicKey; 2]) -> Result<Report> {
        if to[0] == to[1] {
            return Err(unusable("the keys", "are those of one aggregator: take the keys of two"));
        }
        let round = self.round()?;
        let nothing = round.query().nothing();
        if (sum.integers().len(), sum.quantum()) != (nothing.integers().len(), nothing.quantum()) {
            return Err(unusable("the sum", "is the answer to another query than that of the task"));
        }
        let (shift, most) = self.range();
        let shifted = |z: i128| u128::try_from(z + i128::try_from(shift).ok()?).ok().filter(|z| *z <= most);
        let measurement: Vec<u128> =
            round.integers(sum).into_iter().map(shifted).collect::<Option<_>>().ok_or_else(|| {
                unusable("the sum", "is of more records than the task has room for; say how many there are in all")
            })?;
        let nonce = random::<16>()?;
        let sharing = self.sharing(measurement.len())?;
        let failed = |error: prio::vdaf::VdafError| unusable("the report", error);
        let (public, shares) = sharing.shard(&self.digest(), &measurement, &nonce).map_err(failed)?;
        let encoded = |what: &dyn Fn() -> Result<Vec<u8>, prio::codec::CodecError>| {
            what().map_err(|error| unusable("the report", error))
        };
        let (id, public) = (text(&nonce), text(&encoded(&|| public.get_encoded())?));
        let sealed = |i: usize| to[i].seal(&encoded(&|| shares[i].get_encoded())?, &context(self, &id, &public, i));
        let shares = [sealed(0)?, sealed(1)?];
        Ok(Report { task: text(&self.digest()), id, public, shares })
    }
}
