//! What all parties agree on: a round of a release, and who reports.

use crate::error::{Result, unusable};
use crate::key::PublicKey;
use karcher::ReleaseSpec;
use karcher::mechanism::{CountPlan, Plan, Round, RoundState, Rounds};
use karcher::records::SumQuery;
use karcher::release::{Adjacency, PrivacyEvent, StatisticName};
use karcher::spec::Trust;
use prio::vdaf::prio3::{Prio3, Prio3SumVec, optimal_chunk_length};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Who reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Sites that are trusted with the records of their own people; each reports its sum.
    Sites,
    /// Persons, each with one record. A proof shows that no report is out of range.
    Persons,
}

/// Most records of a release and of a site, so that no sum wraps around.
pub(crate) const MOST_RECORDS: usize = 1 << 36;

/// A round of a release. Reporters, aggregators and the collector each make it from the same public values.
#[derive(Debug, Clone)]
pub struct Task {
    agreed: Agreed,
    planned: Planned,
    round: Round,
    digest: [u8; 32],
}

/// What is planned: a statistic in rounds, or the number of records in one.
#[derive(Debug, Clone)]
pub(crate) enum Planned {
    Statistic(Arc<dyn Plan>),
    Count(Arc<CountPlan>),
}

/// The public values.
#[derive(Debug, Clone, Serialize)]
struct Agreed {
    spec: ReleaseSpec,
    n: usize,
    mode: Mode,
    name: String,
    keys: [PublicKey; 2],
    state: RoundState,
}

impl Task {
    /// The first round of a release of `n` records in all. (With add-remove neighbours, `n` is that of the
    /// specification.) The specification gets `trust`, so that each aggregator adds noise. The name tells releases of
    /// one specification apart: aggregators take part in each once.
    ///
    /// # Errors
    /// As for [`ReleaseSpec::plan`]; for persons with add-remove neighbours; for keys of one aggregator, or of two that
    /// share no key.
    pub fn new(spec: ReleaseSpec, n: usize, mode: Mode, name: impl Into<String>, keys: [PublicKey; 2]) -> Result<Self> {
        if !keys[0].goes_with(&keys[1]) {
            let reason = "are of one aggregator, or of two that share no key: make both with the same key of the two";
            return Err(unusable("the public keys", reason));
        }
        let spec = ReleaseSpec { trust: Some(Trust::OneOfTwo), ..spec };
        let n = spec.n_guess.unwrap_or(n);
        if n > MOST_RECORDS {
            return Err(unusable("the number of records", format!("is {n}, and sums of 2^36 at most are added up")));
        }
        if mode == Mode::Persons && spec.adjacency == Adjacency::AddRemove {
            let reason = "is add-remove: aggregators see how many persons report; take replace-one";
            return Err(unusable("the adjacency", reason));
        }
        let planned = if spec.statistic == StatisticName::Count {
            Planned::Count(Arc::new(spec.count_plan()?))
        } else {
            Planned::Statistic(Arc::from(spec.plan(n)?))
        };
        Self::of(Agreed { spec, n, mode, name: name.into(), keys, state: RoundState::default() }, planned)
    }

    /// The round after a state that [`combine`](crate::combine) found.
    ///
    /// # Errors
    /// Where the plan has no further round.
    pub fn after(self, state: RoundState) -> Result<Self> {
        Self::of(Agreed { state, ..self.agreed }, self.planned)
    }

    fn of(agreed: Agreed, planned: Planned) -> Result<Self> {
        let (state, rounds) = (&agreed.state, planned.rounds()?);
        if state.rounds() >= rounds {
            return Err(unusable("the state", format!("is that after {} of {rounds} rounds", state.rounds())));
        }
        if !state.numbers().iter().all(|x| x.is_finite()) {
            return Err(unusable("the state", "has numbers that are not finite"));
        }
        let (round, digest) = (planned.round(state)?, digest(&agreed));
        Ok(Self { agreed, planned, round, digest })
    }

    /// The specification.
    pub fn spec(&self) -> &ReleaseSpec {
        &self.agreed.spec
    }

    /// Who reports.
    pub fn mode(&self) -> Mode {
        self.agreed.mode
    }

    /// The public keys of the first and of the second aggregator.
    pub fn keys(&self) -> &[PublicKey; 2] {
        &self.agreed.keys
    }

    /// The number of records that the release is planned for.
    pub fn records(&self) -> usize {
        self.agreed.n
    }

    /// What was released in earlier rounds.
    pub fn state(&self) -> &RoundState {
        &self.agreed.state
    }

    /// The privacy event that an account may record before noise is added.
    pub fn event(&self) -> PrivacyEvent {
        match &self.planned {
            Planned::Statistic(plan) => plan.summary().event().of(self.spec().unit),
            Planned::Count(plan) => plan.event(),
        }
    }

    /// What is planned.
    pub(crate) fn planned(&self) -> &Planned {
        &self.planned
    }

    /// How many rounds the release takes.
    pub fn rounds(&self) -> usize {
        self.planned.rounds().unwrap_or(0)
    }

    /// Whether this is the last of them.
    pub fn is_last(&self) -> bool {
        self.state().rounds() + 1 == self.rounds()
    }

    /// The round: a query and noise.
    pub(crate) fn round(&self) -> &Round {
        &self.round
    }

    /// What a reporter asks of its records.
    pub fn query(&self) -> &SumQuery {
        self.round.query()
    }

    /// The most records of a report. A confidential number has the same room whatever was planned, so that no sum of a
    /// site is cut off: a cut in some of its integers would change their ratios, and so the mean.
    pub(crate) fn room(&self) -> usize {
        match (self.mode(), self.spec().adjacency) {
            (Mode::Persons, _) => 1,
            (Mode::Sites, Adjacency::AddRemove) => MOST_RECORDS,
            (Mode::Sites, _) => self.records(),
        }
    }

    /// What is added to each integer, so that it is not negative; and the largest integer then. A record may count more
    /// in the integer for their number.
    pub(crate) fn range(&self) -> (u128, u128) {
        let each = self.round.each().map_or(0, i128::unsigned_abs);
        let shift = self.room().max(1) as u128 * self.round.largest().max(each);
        (shift, 2 * shift)
    }

    /// An integer as one that is not negative. That of records within the [room](Self::room) is within the range.
    pub(crate) fn in_range(&self, integer: i128) -> u128 {
        let shift = self.range().0 as i128; // at most 2⁸⁷
        (integer.clamp(-shift, shift) + shift) as u128
    }

    /// The verifiable sharing of vectors of that range.
    pub(crate) fn sharing(&self, len: usize) -> Result<Prio3SumVec> {
        let (_, most) = self.range();
        let bits = (u128::BITS - most.leading_zeros()) as usize;
        Prio3::new_sum_vec(2, most, len, optimal_chunk_length(bits * len)).map_err(|error| unusable("the task", error))
    }

    /// The digest of the release that this is a round of.
    pub(crate) fn release_digest(&self) -> [u8; 32] {
        digest(&Agreed { state: RoundState::default(), ..self.agreed.clone() })
    }

    /// The digest of everything that is agreed on.
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

fn digest(of: &Agreed) -> [u8; 32] {
    // a structure of plain fields serialises
    Sha256::digest(serde_json::to_vec(of).unwrap_or_default()).into()
}

impl Planned {
    fn rounds(&self) -> Result<usize> {
        match self {
            Planned::Statistic(plan) => Ok(in_rounds(&**plan)?.rounds()),
            Planned::Count(_) => Ok(1),
        }
    }

    fn round(&self, state: &RoundState) -> Result<Round> {
        Ok(match self {
            Planned::Statistic(plan) => in_rounds(&**plan)?.round(state)?,
            Planned::Count(plan) => plan.round()?,
        })
    }
}

/// The plan in rounds.
pub(crate) fn in_rounds(plan: &dyn Plan) -> Result<&dyn Rounds> {
    plan.in_rounds().ok_or_else(|| unusable("the specification", "has no plan of sums"))
}
