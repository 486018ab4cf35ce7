//! Budget reservations: the right to make a release, and the accountants that grant it.

use super::{
    Adjacency, Flag, LedgerEntry, MechanismName, Numerics, PrivacyUnit, Promise, ReleasedSensitivity, StatisticName,
};
use crate::Space;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::privacy::Guarantee;
use serde::{Deserialize, Serialize};

/// A reservation of budget, which an [`Accountant`] has counted as spent, for one release or for one of each of several
/// parts. An untracked reservation allows any number of releases, and no account counts them.
///
/// It cannot be copied, and a [`ReleaseContext`](super::ReleaseContext) uses it up, part by part.
///
/// ```
/// use karcher::{ReleaseContext, BudgetReservation, sampler::Generator};
/// let generator = ReleaseContext::new(BudgetReservation::untracked(), Generator::seeded(1)).into_generator();
/// assert!(generator.is_seeded());
/// ```
#[derive(Debug)]
pub struct BudgetReservation(State);

#[derive(Debug)]
enum State {
    Untracked,
    /// Promises that the remaining releases may make.
    Reserved(Vec<Promise>, LedgerEntry),
}

/// An accountant: it counts spent budget, like the ledger of the crate `karcher-ledger`.
///
/// ```
/// use karcher::privacy::{Filter, Guarantee};
/// use karcher::release::{Accountant, PrivacyEvent, LedgerEntry};
/// use std::cell::RefCell;
///
/// /// Counts as long as the program runs.
/// struct Memory(RefCell<Filter>);
///
/// impl Accountant for Memory {
///     type Error = karcher::Error;
///     fn reserve(&self, event: &PrivacyEvent) -> karcher::Result<LedgerEntry> {
///         let mut filter = self.0.borrow_mut();
///         filter.spend_all(&event.costs())?;
///         Ok(LedgerEntry { ledger: "memory".to_owned(), entry: filter.count() })
///     }
/// }
///
/// use karcher::{Ball, ReleaseContext, BudgetReservation, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::sampler::Generator;
/// use std::sync::Arc;
/// let account = Memory(RefCell::new(Filter::new(Guarantee::pure(1.0)?)?));
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 100, Guarantee::pure(0.5)?).plan()?;
/// let records = Points::new(&*line, vec![0.2; 100])?;
/// let reservation = BudgetReservation::reserve(&account, &plan.summary().event())?;
/// let mut context = ReleaseContext::new(reservation, Generator::from_os()?);
/// assert_eq!(plan.run(&records, &mut context)?.provenance().ledger.as_ref().map(|at| at.entry), Some(1));
/// assert!(plan.run(&records, &mut context).is_err()); // one release for each reservation
/// # Ok::<(), karcher::Error>(())
/// ```
pub trait Accountant {
    /// Reason for refusing a release.
    type Error;

    /// Counts the guarantee as spent, permanently, even after a crash, or refuses. Noise is drawn after it has
    /// returned.
    ///
    /// # Errors
    /// Errors that depend on public quantities alone; above all, an insufficient remaining budget.
    fn reserve(&self, event: &PrivacyEvent) -> Result<LedgerEntry, Self::Error>;
}

/// A privacy event: everything that is known of a release before any noise is drawn. It is public, and an account may
/// record it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivacyEvent {
    /// The guarantee of the release.
    pub guarantee: Guarantee,
    /// Guarantees that its noise also implies: an account may count one of them instead. Only of a release with one
    /// part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Guarantee>,
    /// The statistic of the records.
    pub statistic: StatisticName,
    /// The space; a count has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifold: Option<Space>,
    /// Number of records, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<usize>,
    /// The public guess of the number, where it is confidential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_guess: Option<usize>,
    /// The privacy unit.
    pub unit: PrivacyUnit,
    /// Which data sets count as neighbours.
    pub adjacency: Adjacency,
    /// The public ball; a count has none. For a mean in a located ball, the outer ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<Ball>,
    /// The mechanism, where all parts have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<MechanismName>,
    /// The noise scale of a release that has one part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The sensitivity that the scale comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<ReleasedSensitivity>,
    /// The subject of the proof: the weakest of all parts.
    pub numerics: Numerics,
    /// The caveats in addition to the guarantee that do not depend on the records: the flags of all parts.
    pub flags: Vec<Flag>,
    /// The parts, if there are several: groups, classes, or a location and the mean in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PrivacyEventPart>,
    /// The number of groups or classes, if there is a release of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// Whether groups compose, because a person may be in several of them: an account then counts each part. Otherwise
    /// no record is in two of them, and the guarantee of all is counted once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent_by_each: bool,
}

/// The privacy event of a part of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivacyEventPart {
    /// The guarantee of the part.
    pub guarantee: Guarantee,
    /// Its mechanism; none where it is chosen later, from what an earlier part releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<MechanismName>,
    /// Number of records, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<usize>,
    /// The public guess of the number, where it is confidential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_guess: Option<usize>,
    /// The noise scale, where it is known before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The subject of its proof.
    pub numerics: Numerics,
    /// The caveats in addition to its guarantee.
    pub flags: Vec<Flag>,
}

impl PrivacyEvent {
    /// The same event for a release with another privacy unit. The event of a [plan](crate::mechanism::PlanSummary) is
    /// for records: a plan does not know to whom its records belong.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use karcher::release::PrivacyUnit;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let event = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?.summary().event();
    /// assert_eq!((event.unit, event.of(PrivacyUnit::Person).unit), (PrivacyUnit::Record, PrivacyUnit::Person));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn of(self, unit: PrivacyUnit) -> Self {
        match self.groups {
            None => Self { unit, ..self },
            Some(_) => self, // a person may be in several groups: units are those of the parts
        }
    }

    /// The promise; for several parts, their joint promise.
    pub fn promise(&self) -> Promise {
        let own = Promise::new(self.guarantee, self.unit, self.adjacency, self.numerics, &self.flags);
        own.keeping(self.also.clone())
    }

    /// One event for releases about disjoint records, such as those of groups: a pair of neighbours changes one of
    /// them. Every field is computed from all of them, in any order. The guarantee is the smallest one that each
    /// implies (user guide, U3).
    ///
    /// # Errors
    /// As for [`Promise::of_disjoint`].
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee, release::PrivacyEvent};
    /// let count = |epsilon| -> karcher::Result<_> { Ok(CountPlan::new(Guarantee::pure(epsilon)?)?.event()) };
    /// let all = PrivacyEvent::of_disjoint(&[count(0.5)?, count(2.0)?])?;
    /// assert_eq!((all.guarantee, all.costs()), (Guarantee::pure(2.0)?, vec![Guarantee::pure(2.0)?]));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn of_disjoint(parts: &[Self]) -> Result<Self> {
        Self::of_all(parts, Promise::of_disjoint, false)
    }

    /// One event for releases that may all be about the same persons, who are in several classes. The guarantees
    /// compose, and an account counts each.
    ///
    /// # Errors
    /// As for [`Promise::of_overlapping`].
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee, release::PrivacyEvent};
    /// let count = |epsilon| -> karcher::Result<_> { Ok(CountPlan::new(Guarantee::pure(epsilon)?)?.event()) };
    /// let all = PrivacyEvent::of_overlapping(&[count(0.5)?, count(2.0)?])?;
    /// assert_eq!((all.guarantee, all.costs().len()), (Guarantee::pure(2.5)?, 2));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn of_overlapping(parts: &[Self]) -> Result<Self> {
        Self::of_all(parts, Promise::of_overlapping, true)
    }

    fn of_all(parts: &[Self], combine: fn(&[Promise]) -> Result<Promise>, spent_by_each: bool) -> Result<Self> {
        let promise = combine(&parts.iter().map(Self::promise).collect::<Vec<_>>())?;
        let incomparable = |reason: &str| Error::Incomparable { reason: reason.to_owned() };
        let first = parts.first().ok_or_else(|| incomparable("there are no releases to combine"))?;
        if parts.iter().any(|part| (part.statistic, &part.manifold) != (first.statistic, &first.manifold)) {
            return Err(incomparable("the releases are of different statistics or spaces; release each by itself"));
        }
        // persons in several classes are not counted twice
        let disjoint = if spent_by_each { &[][..] } else { parts };
        let sum = |count: fn(&Self) -> Option<usize>| {
            disjoint.iter().map(count).sum::<Option<usize>>().filter(|_| !disjoint.is_empty())
        };
        Ok(Self {
            guarantee: promise.guarantee(),
            also: vec![],
            statistic: first.statistic,
            manifold: first.manifold.clone(),
            n: sum(|part| part.n),
            n_guess: sum(|part| part.n_guess),
            unit: promise.unit(),
            adjacency: promise.adjacency(),
            ball: common(parts, |part| part.ball.clone()),
            mechanism: common(parts, |part| part.mechanism),
            scale: None,
            sensitivity: None,
            numerics: promise.numerics(),
            flags: promise.flags().to_vec(),
            parts: parts.iter().map(PrivacyEventPart::of).collect(),
            groups: Some(parts.len()),
            spent_by_each,
        })
    }

    /// The guarantees that an account counts: that of all parts together, or, where groups compose, that of each.
    pub fn costs(&self) -> Vec<Guarantee> {
        match self.releases() {
            Releases::Each(parts) => parts.iter().map(|part| part.guarantee).collect(),
            Releases::One | Releases::OfAny(_) => vec![self.guarantee],
        }
    }

    /// The other guarantees of one release: an account may count the least, as the release has to keep all. Several
    /// releases have none, as their parts do not promise them.
    pub fn counts_also(&self) -> &[Guarantee] {
        match self.releases() {
            Releases::One => &self.also,
            Releases::OfAny(_) | Releases::Each(_) => &[],
        }
    }

    /// The promises that releases with this reservation may make: no more than is counted and recorded for all.
    fn promises(&self) -> Vec<Promise> {
        let of_part = |part: &PrivacyEventPart, guarantee| {
            let numerics = part.numerics.min(self.numerics);
            let flags: Vec<Flag> = part.flags.iter().filter(|flag| self.flags.contains(flag)).copied().collect();
            Promise::new(guarantee, self.unit, self.adjacency, numerics, &flags)
        };
        let within = |part: &PrivacyEventPart| {
            if part.guarantee.implies(self.guarantee) { part.guarantee } else { self.guarantee }
        };
        match self.releases() {
            Releases::One => vec![self.promise()],
            Releases::OfAny(parts) => parts.iter().map(|part| of_part(part, within(part))).collect(),
            Releases::Each(parts) => parts.iter().map(|part| of_part(part, part.guarantee)).collect(),
        }
    }

    /// The releases of the event: both the counted and the permitted promises follow from this.
    fn releases(&self) -> Releases<'_> {
        match (self.groups, self.spent_by_each) {
            (None, _) => Releases::One,
            (Some(_), false) => Releases::OfAny(&self.parts),
            (Some(_), true) => Releases::Each(&self.parts),
        }
    }
}

/// The releases of a privacy event.
enum Releases<'a> {
    /// One, whatever its parts are.
    One,
    /// One of each part, about disjoint records: the guarantee of all is counted once.
    OfAny(&'a [PrivacyEventPart]),
    /// One of each part, each counted.
    Each(&'a [PrivacyEventPart]),
}

impl PrivacyEventPart {
    pub(crate) fn of(event: &PrivacyEvent) -> Self {
        Self {
            guarantee: event.guarantee,
            mechanism: event.mechanism,
            n: event.n,
            n_guess: event.n_guess,
            scale: event.scale,
            numerics: event.numerics,
            flags: event.flags.clone(),
        }
    }
}

/// The common value of all parts, if they agree.
fn common<T: PartialEq>(parts: &[PrivacyEvent], of: impl Fn(&PrivacyEvent) -> Option<T>) -> Option<T> {
    let first = of(parts.first()?)?;
    parts.iter().all(|part| of(part).as_ref() == Some(&first)).then_some(first)
}

impl BudgetReservation {
    /// A reservation for any number of releases that no account counts. Their owner adds up their cost
    /// ([`compose`](crate::privacy::compose)).
    pub fn untracked() -> Self {
        Self(State::Untracked)
    }

    /// A reservation for one release, or for one of each part of an event of groups, once an account has counted the
    /// cost.
    ///
    /// # Errors
    /// The errors of [`Accountant::reserve`].
    pub fn reserve<A: Accountant + ?Sized>(account: &A, event: &PrivacyEvent) -> Result<Self, A::Error> {
        Ok(Self(State::Reserved(event.promises(), account.reserve(event)?)))
    }

    /// Uses the reservation, or its next part, for a release with this promise. Returns its entry in the account.
    pub(super) fn open(&mut self, promise: &Promise, seeded: bool) -> Result<Option<LedgerEntry>> {
        let refused = |reason: &str| Err(Error::NotPermitted { reason: reason.to_owned() });
        let State::Reserved(left, entry) = &mut self.0 else { return Ok(None) };
        if seeded {
            return refused("its noise is reproducible, so it keeps no guarantee that an account could count");
        }
        let Some(next) = left.first() else {
            return refused("its reservation has been used; reserve another one for each release");
        };
        next.check_covers(promise)?;
        left.remove(0);
        Ok(Some(entry.clone()))
    }
}
