//! The plan of a series: everything that is decided before the first record.
//!
//! The noise is that of a plan of one release, for a part of the budget: `1/‖c‖` of `μ` or of `ε`. Its one sum `x` may
//! have ranges with noise of their own scale. One contribution moves the whole of `C·x`, in units of these scales, by at
//! most `‖c‖` times what it moves `x`. So the series keeps the budget (user guide, T1).

use super::factorisation::{Factorisation, Root, UNIT};
use super::key::SeriesKey;
use super::one_round::{SOME, chosen, guess, no_series, round_of};
use super::period::{PeriodPlan, SeriesPeriod};
use super::shape::SeriesShape;
use super::state::SeriesState;
use crate::error::Result;
use crate::mechanism::plan::budget::total_mu;
use crate::mechanism::{CountPlan, Plan, Round};
use crate::noise::Law;
use crate::privacy::rounding::div_down;
use crate::privacy::{Definition, Guarantee};
use crate::records::{ExactSum, PrivacyUnit, Records};
use crate::release::{Adjacency, LedgerEntry, PrivacyEvent, ReleaseContext, ReleasedCount, StatisticName};
use crate::spec::{ReleaseSpec, field};
use sha2::{Digest, Sha256};

/// The least probability of a region by a Laplace law in place of a sum of such draws. Below it the middle of the sum
/// is too thin; above it the tails are lighter.
const LEAST_OF_LAPLACE: f64 = 0.8;

/// How far noise may be from the one that a period states, relatively.
const APART: f64 = 1e-6;

/// A series with everything decided that does not need the records.
#[derive(Debug, Clone)]
pub struct SeriesPlan {
    /// The specification, with the mechanism that was chosen.
    pub(super) chosen: ReleaseSpec,
    pub(super) spec: ReleaseSpec,
    pub(super) shape: SeriesShape,
    factorisation: Factorisation,
    pub(super) law: Law,
    /// The length of a column, for all contributions of a person.
    norm: f64,
    /// The `μ` or `ε` of the noise for one period.
    part: Guarantee,
    /// The sum of a period, with the noise in its units.
    round: Round,
}

impl SeriesPlan {
    /// The plan of a series for a specification, whose budget is that of all releases together. Where the number of
    /// records is confidential, `n_guess` is the guess of those who join in one period.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for a statistic that is not computed from one sum, and for a shape that
    /// does not exist. As for [`ReleaseSpec::plan`].
    pub fn new(spec: &ReleaseSpec, shape: SeriesShape) -> Result<Self> {
        shape.check()?;
        spec.check()?;
        for (name, given) in [("trust", spec.trust.is_some()), ("groups", spec.groups.is_some())] {
            if given {
                return Err(field(name, "does not go with a series: leave it out"));
            }
        }
        if shape.contributions > 1 && spec.unit == PrivacyUnit::Record {
            let reason = "a record is in one period: protect persons (--person) for several contributions";
            return Err(field("contributions", reason));
        }
        let (law, budget) = match spec.budget.definition() {
            Definition::Pure { epsilon } => (Law::Laplace, epsilon),
            Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
                (Law::Gaussian, total_mu(spec.budget)?)
            }
        };
        if law == Law::Laplace && spec.region.is_some_and(|probability| probability < LEAST_OF_LAPLACE) {
            let reason = "a series with ε has regions of 0.8 and more, as its noise is a sum of draws; or give a μ";
            return Err(field("region", reason));
        }
        let error = |of: &Factorisation| {
            let norm = of.norm(law, shape.contributions, shape.every);
            norm * of.growth(law, 1, shape.periods, shape.window)
        };
        let [root, identity] = [Root::SquareRoot, Root::Identity].map(|root| Factorisation::new(root, shape.periods));
        // of Laplace noise, the weights of the square root are no equal draws
        let factorisation = if law == Law::Gaussian && error(&root) < error(&identity) { root } else { identity };
        let norm = factorisation.norm(law, shape.contributions, shape.every);
        let part = guarantee(law, div_down(budget, norm))?;
        let with_part = ReleaseSpec { budget: part, ..spec.clone() };
        let chosen = chosen(&with_part, law)?;
        let round = round_of(&chosen, guess(&chosen, SOME))?;
        if round.draws().any(|(_, own, _)| own != law.into()) {
            return Err(no_series(spec.statistic));
        }
        let plan = Self { chosen, spec: spec.clone(), shape, factorisation, law, norm, part, round };
        plan.check_noise()?;
        Ok(plan)
    }

    /// The releases of all periods state the noise that is drawn, whatever the numbers of records are.
    fn check_noise(&self) -> Result<()> {
        for (period, n) in [(1, SOME), (self.shape.periods, 4 * SOME)] {
            let growth = self.growth(period);
            let own = round_of(&self.spec_of(period)?, guess(&self.spec_of(period)?, n))?;
            let drawn = self.round.draws().map(|(_, _, sigma)| sigma * growth);
            let is_stated = own.draws().zip(drawn).all(|((.., sigma), drawn)| (sigma / drawn - 1.0).abs() < APART);
            if !is_stated || own.query() != self.round.query() || own.each() != self.round.each() {
                return Err(no_series(self.spec.statistic));
            }
        }
        Ok(())
    }

    /// What the series is asked for.
    pub fn spec(&self) -> &ReleaseSpec {
        &self.spec
    }

    /// Its periods.
    pub fn shape(&self) -> &SeriesShape {
        &self.shape
    }

    /// The matrix that encodes it.
    pub fn factorisation(&self) -> &Factorisation {
        &self.factorisation
    }

    /// The length by which the noise of one period is wider than that of one release.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// The sum of a period, as its records are asked for it.
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// What an account counts, once, before the first period.
    pub fn event(&self) -> Result<PrivacyEvent> {
        let event = match self.is_count() {
            true => self.chosen.count_plan()?.event(),
            false => self.chosen.plan(guess(&self.chosen, SOME))?.summary().event(),
        };
        let event = PrivacyEvent { guarantee: self.spec.budget, also: vec![], n: None, n_guess: None, ..event };
        Ok(PrivacyEvent { scale: None, sensitivity: None, ..event }.of(self.spec.unit))
    }

    /// The exact sum over the records of a period. **Confidential.**
    ///
    /// # Errors
    /// As for the release of its statistic; [`Error::Field`](crate::Error::Field) for records of another unit.
    pub fn sum(&self, records: &dyn Records) -> Result<ExactSum> {
        if records.unit() != self.spec.unit {
            let reason = format!(
                "the records are one each of a {}, and the series protects a {}",
                records.unit(),
                self.spec.unit
            );
            return Err(field("unit", reason));
        }
        records.answer(self.round.query())
    }

    /// The sum over no records.
    pub fn nothing(&self) -> ExactSum {
        if self.is_count() { ExactSum::counting(0) } else { self.round.query().nothing() }
    }

    /// The integers of a sum, as many as there is noise on.
    pub(super) fn integers(&self, sum: &ExactSum) -> Result<Vec<i128>> {
        let integers = self.round.integers(sum);
        match integers.len() == self.round.len() {
            true => Ok(integers),
            false => Err(field("sum", "it is the sum of another statistic")),
        }
    }

    /// The public state of a new series, and its key. The budget of all periods is spent from here on.
    ///
    /// # Errors
    /// [`Error::NotPermitted`](crate::Error::NotPermitted) where the reservation was used or does not cover the series.
    pub fn begin(&self, context: &mut ReleaseContext) -> Result<(SeriesState, SeriesKey)> {
        let is_seeded = context.generator().is_seeded();
        let mut open = context.open(self.event()?.promise(), false)?;
        let key = SeriesKey::generate(open.generator());
        Ok((SeriesState::new(self, &key, is_seeded, open.entry()), key))
    }

    /// How much wider the noise of a period's release is than that of one draw.
    pub(super) fn growth(&self, period: usize) -> f64 {
        let least = self.round.draws().map(|(range, ..)| range.len()).min().unwrap_or(1);
        self.factorisation.growth(self.law, least, period, self.shape.window)
    }

    /// The noise of the encoded sums, in their units.
    pub(super) fn noise(&self) -> Result<Round> {
        self.round.clone().widened(UNIT)
    }

    /// The specification of a release with the noise of a period.
    pub(super) fn spec_of(&self, period: usize) -> Result<ReleaseSpec> {
        let budget = guarantee(self.law, number(self.part) / self.growth(period))?;
        let n_guess = self.chosen.n_guess.map(|guess| guess.saturating_mul(self.shape.reach(period)));
        Ok(ReleaseSpec { budget, n_guess, ..self.chosen.clone() })
    }

    /// The release of a noisy number of records.
    pub(super) fn count(&self, period: usize, noisy: f64, made: (bool, Option<LedgerEntry>)) -> Result<ReleasedCount> {
        let plan = CountPlan::new(self.spec_of(period)?.budget)?;
        Ok(plan.in_series(noisy, (&self.spec, self.at(period)), made))
    }

    /// The count that follows from the noisy number of a stated one.
    pub(crate) fn count_again(&self, at: &SeriesPeriod, stated: &ReleasedCount) -> Result<ReleasedCount> {
        self.check_period(at)?;
        self.count(at.period, stated.noisy_value.round(), (stated.seeded, stated.ledger.clone()))
    }

    /// Which release it is.
    fn at(&self, period: usize) -> SeriesPeriod {
        SeriesPeriod { period, shape: self.shape.clone(), growth: self.growth(period) }
    }

    /// Refuses a period that the series does not have.
    fn check_period(&self, at: &SeriesPeriod) -> Result<()> {
        match (1..=self.shape.periods).contains(&at.period) {
            true => Ok(()),
            false => Err(field("period", format!("{}: the series has {} periods", at.period, self.shape.periods))),
        }
    }

    /// The plan of a stated release.
    pub(crate) fn stated(&self, at: &SeriesPeriod, n: usize) -> Result<PeriodPlan> {
        self.check_period(at)?;
        self.period(at.period, n)
    }

    /// The plan of the release of a period about `n` records, where their number is public.
    pub(crate) fn period(&self, period: usize, n: usize) -> Result<PeriodPlan> {
        let spec = self.spec_of(period)?;
        let request = spec.request(n)?.isotropic();
        let name = spec.mechanism.name().ok_or_else(|| no_series(spec.statistic))?;
        Ok(PeriodPlan::new(request.plan_by(name)?, self.spec.clone(), self.at(period), self.norm))
    }

    /// Whether only the number of records is released.
    pub(super) fn is_count(&self) -> bool {
        self.spec.statistic == StatisticName::Count
    }

    /// Whether the number of records is public.
    pub(super) fn tells_number(&self) -> bool {
        self.spec.adjacency == Adjacency::ReplaceOne
    }

    /// What its noise depends on.
    pub(super) fn digest(&self) -> [u8; 32] {
        let draws: Vec<_> = self.round.draws().collect();
        let text = format!("{:?} {:?} {draws:?}", self.shape, self.factorisation.root());
        Sha256::new()
            .chain_update(serde_json::to_vec(&self.spec).unwrap_or_default())
            .chain_update(text)
            .finalize()
            .into()
    }
}

/// The guarantee of noise of a law.
pub(super) fn guarantee(law: Law, parameter: f64) -> Result<Guarantee> {
    Ok(match law {
        Law::Laplace => Guarantee::pure(parameter)?,
        Law::Gaussian => Guarantee::gaussian(parameter)?,
    })
}

/// The parameter of such a guarantee.
fn number(of: Guarantee) -> f64 {
    match of.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        Definition::Gaussian { mu } => mu,
        Definition::Concentrated { rho } => rho,
    }
}
