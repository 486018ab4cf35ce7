//! An aggregator: it checks reports, adds up its shares, and adds its noise, once.

use crate::error::{Result, unusable};
use crate::journal::{self, Journal};
use crate::key::{SecretKey, bytes, text};
use crate::noise::BatchNoise;
use crate::report::{Report, context};
use crate::residue::element;
use crate::task::{Mode, Task};
use karcher::noise::Generator;
use karcher::release::{Adjacency, LedgerEntry};
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
    /// The entry in a ledger that counted the release, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ledger: Option<LedgerEntry>,
}

/// Counts the budget of a batch with a key, or returns the reason why not.
pub(crate) type Book<'a> = &'a mut dyn FnMut(&str) -> Result<LedgerEntry, String>;

/// The sum of an aggregator's shares, without noise. It never leaves the aggregator: with the other one's it is the sum
/// of the records.
pub struct SumOfShares {
    task: Task,
    from: usize,
    nonces: Vec<[u8; 16]>,
    sum: Vec<Field128>,
    noise: BatchNoise,
}

impl fmt::Debug for SumOfShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the sum of the shares of {} reports", self.nonces.len())
    }
}

impl SumOfShares {
    /// How many reports were added up.
    pub fn reports(&self) -> usize {
        self.nonces.len()
    }

    #[cfg(test)]
    pub(crate) fn sum(&self) -> &[Field128] {
        &self.sum
    }

    /// Adds noise, once: the result is in the journal before it is returned. For the same reports it is the same again,
    /// also without the journal.
    ///
    /// # Errors
    /// Where this round was added up from other reports, and for the journal of another key.
    pub fn with_noise(self, journal: &mut Journal) -> Result<NoisyShare> {
        let generator = &mut self.noise.generator();
        self.add_noise(journal, None, generator)
    }

    /// The same; before, `book` counts the budget of the release, unless this was done in an earlier round. It gets a
    /// key of the batch: budget that was counted with this key must not be counted again.
    ///
    /// # Errors
    /// Those of `book`, and as for [`with_noise`](Self::with_noise).
    pub fn with_noise_booked(
        self,
        journal: &mut Journal,
        mut book: impl FnMut(&str) -> Result<LedgerEntry, String>,
    ) -> Result<NoisyShare> {
        let generator = &mut self.noise.generator();
        self.add_noise(journal, Some(&mut book), generator)
    }

    /// The same with noise of a generator.
    pub(crate) fn add_noise(
        self,
        journal: &mut Journal,
        book: Option<Book<'_>>,
        generator: &mut Generator,
    ) -> Result<NoisyShare> {
        let task = &self.task;
        journal.check_owner(&task.keys()[self.from])?;
        let batch: [u8; 32] = Sha256::digest([&task.digest()[..], self.nonces.as_flattened()].concat()).into();
        let book = book.map(|book| move || book(self.noise.tag()));
        let sent = journal.once(&task.at(), (&batch, &self.nonces), book, |entry| {
            let noise = task.round().noise(generator);
            let noisy = self.sum.iter().zip(&noise).map(|(share, noise)| *share + element(noise));
            let share: Vec<u8> = noisy.flat_map(|share| u128::from(share).to_le_bytes()).collect();
            let share = NoisyShare {
                task: text(&task.digest()),
                from: self.from,
                reports: self.nonces.len(),
                batch: text(&batch),
                share: text(&share),
                ledger: entry,
            };
            serde_json::to_string(&share).map_err(|error| unusable("the sum", error))
        })?;
        journal::read(&sent)
    }
}

impl NoisyShare {
    /// How many reports were added up.
    pub fn reports(&self) -> usize {
        self.reports
    }

    /// The entry in a ledger that counted the release, if one did.
    pub fn ledger(&self) -> Option<&LedgerEntry> {
        self.ledger.as_ref()
    }
}

/// The number of a report with right proofs, its digest, its number of records, and the share.
type Verified = ([u8; 16], [u8; 32], Option<u64>, OutputShare<Field128>);

/// A report that was opened, with the state of its verification.
struct Opened {
    nonce: [u8; 16],
    /// The digest of the report, as this aggregator got it.
    digest: [u8; 32],
    /// The public share.
    public: Vec<u8>,
    records: Option<u64>,
    state: Prio3VerifyState<Field128, 32>,
    verifier: Prio3VerifierShare<Field128, 32>,
}

impl Aggregator {
    /// An aggregator with its private key.
    pub fn new(key: SecretKey) -> Self {
        Self { key }
    }

    /// Checks reports, for the other aggregator. Left out are reports that cannot be opened, those of other tasks,
    /// copies, and those that were added up before.
    ///
    /// # Errors
    /// For a task of other aggregators, and where the journal cannot be read.
    pub fn check(&self, task: &Task, reports: &[Report], journal: &Journal) -> Result<Checked> {
        let from = self.place(task)?;
        let opened = self.opened(task, reports, journal)?;
        let encoded = |(id, opened): (&String, &Opened)| {
            let share = opened.verifier.get_encoded().map_err(|error| unusable("a report", error))?;
            Ok((id.clone(), text(&[share, opened.public.clone()].concat())))
        };
        let reports = opened.iter().map(encoded).collect::<Result<_>>()?;
        Ok(Checked { task: text(&task.digest()), from, reports })
    }

    /// Adds up the shares of all reports that both aggregators have and whose proofs are right.
    ///
    /// # Errors
    /// Where there is none, where sites report another number of records than the task is for, and for more persons
    /// than it is for.
    pub fn add_up(&self, task: &Task, reports: &[Report], other: &Checked, journal: &Journal) -> Result<SumOfShares> {
        let from = self.place(task)?;
        let opened = self.opened(task, reports, journal)?;
        if other.task != text(&task.digest()) || other.from != 1 - from {
            return Err(unusable("what the other aggregator checked", "is of another task, or of this aggregator"));
        }
        let sharing = task.sharing(task.round().len())?;
        let output = |(id, opened): (String, Opened)| {
            let theirs = bytes("a proof", other.reports.get(&id)?).ok()?;
            let theirs = theirs.strip_suffix(&opened.public[..])?;
            let own = opened.verifier.get_encoded().ok()?;
            if !has_seed_parts(&opened.public, if from == 0 { [&own, theirs] } else { [theirs, &own] }) {
                return None;
            }
            let theirs = Prio3VerifierShare::get_decoded_with_param(&opened.state, theirs).ok()?;
            let both = if from == 0 { [opened.verifier, theirs] } else { [theirs, opened.verifier] };
            let message = sharing.verifier_shares_to_message(&task.digest(), &(), both).ok()?;
            match sharing.verify_next(&task.digest(), opened.state, message).ok()? {
                VerifyTransition::Finish(share) => Some((opened.nonce, opened.digest, opened.records, share)),
                VerifyTransition::Continue(..) => None, // Prio3 takes one round
            }
        };
        let right: Vec<Verified> = opened.into_par_iter().filter_map(output).collect();
        if right.is_empty() {
            return Err(unusable("the reports", "have no report with right proofs that both aggregators hold"));
        }
        // a person's report is of one record or of none; a number that is not stated is confidential
        let stated = right.iter().map(|(_, _, records, _)| records.map(u128::from)).sum::<Option<u128>>();
        let n = task.records() as u128;
        let refused = |reason: String| Err(unusable("the reports", reason));
        match (task.mode(), stated) {
            (Mode::Persons, _) if right.len() as u128 > n => {
                return refused(format!("are {}, and the task is for {n} persons", right.len()));
            }
            (Mode::Sites, Some(records)) if records != n => {
                return refused(format!(
                    "are of {records} records together, and the task is for {n}: wait for all sites, or agree on another n"
                ));
            }
            _ => (),
        }
        let nonces = right.iter().map(|(nonce, ..)| *nonce).collect();
        let digests: Vec<[u8; 32]> = right.iter().map(|(_, digest, ..)| *digest).collect();
        let noise = BatchNoise::new(&self.key, task, from, &digests)?;
        let shares = right.into_iter().map(|(.., share)| share);
        let sum = sharing.aggregate(&(), shares).map_err(|error| unusable("the reports", error))?;
        Ok(SumOfShares { task: task.clone(), from, nonces, sum: sum.as_ref().to_vec(), noise })
    }

    /// The place of this aggregator among the two.
    fn place(&self, task: &Task) -> Result<usize> {
        let own = self.key.public();
        let place = task.keys().iter().position(|key| *key == own);
        place.ok_or_else(|| unusable("the public keys", "are those of other aggregators: neither is of this key"))
    }

    /// The reports that can be opened, by their numbers: of copies the first.
    fn opened(&self, task: &Task, reports: &[Report], journal: &Journal) -> Result<BTreeMap<String, Opened>> {
        let (from, digest, at) = (self.place(task)?, text(&task.digest()), task.at());
        journal.check_owner(&task.keys()[from])?;
        let sharing = task.sharing(task.round().len())?;
        let verify = self.key.verify()?;
        let mut first = BTreeMap::new();
        for report in reports.iter().filter(|report| report.task == digest) {
            if let Ok(nonce) = report.nonce()
                && !journal.knows(&nonce, &at)?
            {
                first.entry(report.id.clone()).or_insert(report);
            }
        }
        let open = |(id, report): (String, &Report)| Some((id, self.open(task, report, from, &sharing, &verify)?));
        Ok(first.into_par_iter().filter_map(open).collect())
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
        let bound = (&*report.id, &*report.public, report.records);
        let is_stated = task.spec().adjacency == Adjacency::ReplaceOne;
        if report.records.is_some() != is_stated {
            return None;
        }
        let share = self.key.open(&report.shares[from], &context(task, bound, from)).ok()?;
        let share = Prio3InputShare::get_decoded_with_param(&(sharing, from), &share).ok()?;
        let public = bytes("a report", &report.public).ok()?;
        let decoded = Prio3PublicShare::get_decoded_with_param(sharing, &public).ok()?;
        let started = sharing.verify_init(verify, &task.digest(), from, &(), &nonce, &decoded, &share);
        let (state, verifier) = started.ok()?;
        let digest = report.digest(from).ok()?;
        Some(Opened { nonce, digest, public, records: report.records, state, verifier })
    }
}

/// Whether the public share of a report has the seed parts that both aggregators found, which end their messages.
///
/// Prio3 lets each aggregator compare its own alone, so a reporter could make a report that only one of them takes.
/// Then their batches would differ. With this both have one verdict: they decide by the same bytes.
fn has_seed_parts(public: &[u8], messages: [&[u8]; 2]) -> bool {
    match messages.map(<[u8]>::last_chunk::<32>) {
        [Some(first), Some(second)] => public == [*first, *second].as_flattened(),
        _ => false,
    }
}
