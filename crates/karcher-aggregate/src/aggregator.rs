//! An aggregator: it checks reports, adds up its shares, and adds its noise, once.

use crate::error::{Result, unusable};
use crate::journal::Journal;
use crate::key::{SecretKey, VerifyKey, bytes, text};
use crate::report::{Report, context};
use crate::residue::element;
use crate::task::{Mode, Task};
use karcher::mechanism::Round;
use karcher::noise::Generator;
use prio::codec::{Encode, ParameterizedDecode};
use prio::field::Field128;
use prio::vdaf::prio3::{Prio3InputShare, Prio3PublicShare, Prio3SumVec, Prio3VerifierShare, Prio3VerifyState};
use prio::vdaf::{Aggregator as _, OutputShare, VerifyTransition};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

/// One of two aggregators.
#[derive(Debug, Clone)]
pub struct Aggregator {
    key: SecretKey,
    verify: VerifyKey,
}

/// What one aggregator tells the other about the proofs of reports. It tells nothing about their values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    task: String,
    from: usize,
    reports: BTreeMap<String, String>,
}

/// The sum of an aggregator's shares, with its noise: what it sends to the collector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoisyShare {
    pub(crate) task: String,
    pub(crate) from: usize,
    /// How many reports were added up.
    pub(crate) reports: usize,
    pub(crate) batch: String,
    pub(crate) share: String,
}

/// The sum of an aggregator's shares, without noise. It never leaves the aggregator: with the other one's it is the sum of
/// the records.
pub struct SumOfShares {
    task: Task,
    round: Round,
    from: usize,
    nonces: Vec<[u8; 16]>,
    sum: Vec<Field128>,
}

impl fmt::Debug for SumOfShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the sum of the shares of {} reports", self.nonces.len())
    }
}

impl SumOfShares {
    /// Adds noise, once: the result is in the journal before it is returned. For the same reports it is the same again.
    ///
    /// # Errors
    /// Where a report was in an earlier batch, and where this round was added up from other reports.
    pub fn with_noise(self, journal: &mut Journal) -> Result<NoisyShare> {
        self.with_noise_of(journal, &mut Generator::from_os().map_err(karcher::Error::from)?)
    }

    /// The same with noise of a generator.
    pub(crate) fn with_noise_of(self, journal: &mut Journal, generator: &mut Generator) -> Result<NoisyShare> {
        let task = &self.task;
        let batch: [u8; 32] = Sha256::digest([&task.digest()[..], self.nonces.as_flattened()].concat()).into();
        let (release, at) = (task.release_digest(), task.state().rounds() as u32); // far fewer rounds
        if let Some(sent) = journal.sent(&release, at, &batch)? {
            return serde_json::from_str(&sent).map_err(|error| unusable("the journal", error));
        }
        let noise = self.round.noise(generator);
        let noisy = self.sum.iter().zip(&noise).map(|(share, noise)| *share + element(noise));
        let share: Vec<u8> = noisy.flat_map(|share| u128::from(share).to_le_bytes()).collect();
        let (task, reports, batch_text) = (text(&task.digest()), self.nonces.len(), text(&batch));
        let share = NoisyShare { task, from: self.from, reports, batch: batch_text, share: text(&share) };
        let sent = serde_json::to_string(&share).map_err(|error| unusable("the sum", error))?;
        journal.write((&release, at), &batch, &self.nonces, &sent)?;
        Ok(share)
    }
}

/// A report that was opened, with the state of its verification.
struct Opened {
    nonce: [u8; 16],
    state: Prio3VerifyState<Field128, 32>,
    verifier: Prio3VerifierShare<Field128, 32>,
}

impl Aggregator {
    /// An aggregator with its private key, and the key that it shares with the other one.
    pub fn new(key: SecretKey, verify: VerifyKey) -> Self {
        Self { key, verify }
    }

    /// Checks reports, for the other aggregator. Reports that cannot be opened are left out; so are copies.
    ///
    /// # Errors
    /// For reports of another task, and where none is for this aggregator.
    pub fn check(&self, task: &Task, reports: &[Report]) -> Result<Checked> {
        let (from, opened) = self.opened(task, reports)?;
        let encoded = |(id, opened): (&String, &Opened)| {
            let share = opened.verifier.get_encoded().map_err(|error| unusable("a report", error))?;
            Ok((id.clone(), text(&share)))
        };
        let reports = opened.iter().map(encoded).collect::<Result<_>>()?;
        Ok(Checked { task: text(&task.digest()), from, reports })
    }

    /// Adds up the shares of all reports that both aggregators have and whose proofs are right, and adds noise. The
    /// result is in the journal before it is returned. For the same reports it is the same again.
    ///
    /// # Errors
    /// As for [`add_up`](Aggregator::add_up) and [`with_noise`](SumOfShares::with_noise).
    pub fn aggregate(
        &self,
        task: &Task,
        reports: &[Report],
        other: &Checked,
        journal: &mut Journal,
    ) -> Result<NoisyShare> {
        self.add_up(task, reports, other)?.with_noise(journal)
    }

    /// Adds up the shares of all reports that both aggregators have and whose proofs are right.
    ///
    /// # Errors
    /// Where there is none, and for more persons than the task is for.
    pub fn add_up(&self, task: &Task, reports: &[Report], other: &Checked) -> Result<SumOfShares> {
        let (from, opened) = self.opened(task, reports)?;
        if other.task != text(&task.digest()) || other.from != 1 - from {
            return Err(unusable("what the other aggregator checked", "is of another task, or of this aggregator"));
        }
        let round = task.round()?;
        let sharing = task.sharing(round.len())?;
        let output = |(id, opened): (String, Opened)| {
            let theirs = bytes("a proof", other.reports.get(&id)?).ok()?;
            let theirs = Prio3VerifierShare::get_decoded_with_param(&opened.state, &theirs).ok()?;
            let both = if from == 0 { [opened.verifier, theirs] } else { [theirs, opened.verifier] };
            let message = sharing.verifier_shares_to_message(&task.digest(), &(), both).ok()?;
            match sharing.verify_next(&task.digest(), opened.state, message).ok()? {
                VerifyTransition::Finish(share) => Some((opened.nonce, share)),
                VerifyTransition::Continue(..) => None, // Prio3 takes one round
            }
        };
        let right: Vec<([u8; 16], OutputShare<Field128>)> = opened.into_par_iter().filter_map(output).collect();
        if right.is_empty() {
            return Err(unusable("the reports", "are none that both aggregators have, with right proofs"));
        }
        if task.mode() == Mode::Persons && right.len() > task.records() {
            let reason = format!("are {}, and the task is for {} persons", right.len(), task.records());
            return Err(unusable("the reports", reason));
        }
        let nonces = right.iter().map(|(nonce, _)| *nonce).collect();
        let shares = right.into_iter().map(|(_, share)| share);
        let sum = sharing.aggregate(&(), shares).map_err(|error| unusable("the reports", error))?;
        Ok(SumOfShares { task: task.clone(), round, from, nonces, sum: sum.as_ref().to_vec() })
    }

    /// The place of this aggregator among the two, and the reports that can be opened, by their numbers.
    fn opened(&self, task: &Task, reports: &[Report]) -> Result<(usize, BTreeMap<String, Opened>)> {
        let own = self.key.public();
        let place = |report: &Report| report.shares.iter().position(|share| *share.to() == own);
        let digest = text(&task.digest());
        if reports.iter().any(|report| report.task != digest) {
            let reason = "is of another task: specification, number of records, mode, name or state differ";
            return Err(unusable("a report", reason));
        }
        let Some(from) = reports.iter().find_map(place) else {
            return Err(unusable("the reports", "are none that are encrypted to this key"));
        };
        let sharing = task.sharing(task.round()?.len())?;
        let verify = self.verify.bytes()?;
        let open = |report: &Report| {
            let opened = self.open(task, report, from, &sharing, &verify)?;
            Some((report.id.clone(), opened))
        };
        let opened = reports.par_iter().filter(|report| place(report) == Some(from)).filter_map(open);
        Ok((from, opened.collect()))
    }

    fn open(
        &self,
        task: &Task,
        report: &Report,
        from: usize,
        sharing: &Prio3SumVec,
        verify: &[u8; 32],
    ) -> Option<Opened> {
        let nonce = report.nonce().ok()?;
        let share = self.key.open(&report.shares[from], &context(task, &report.id, &report.public, from)).ok()?;
        let share = Prio3InputShare::get_decoded_with_param(&(sharing, from), &share).ok()?;
        let public = bytes("a report", &report.public).ok()?;
        let public = Prio3PublicShare::get_decoded_with_param(sharing, &public).ok()?;
        let started = sharing.verify_init(verify, &task.digest(), from, &(), &nonce, &public, &share);
        let (state, verifier) = started.ok()?;
        Some(Opened { nonce, state, verifier })
    }
}
