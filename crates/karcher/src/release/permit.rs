//! The right to make a release, and who gives it.

use super::{Adjacency, Flag, MechanismName, Numerics, ReleasedSensitivity, StatisticName, Unit};
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::privacy::Guarantee;
use crate::space::Space;
use serde::{Deserialize, Serialize};

/// The right to make one release with one guarantee, which an [`Account`] has counted as spent; or any number of
/// releases that nobody counts.
///
/// It cannot be copied, and a [`Door`](super::Door) uses it up.
///
/// ```
/// use karcher::{Door, Permit, sampler::Generator};
/// let generator = Door::new(Permit::untracked(), Generator::seeded(1)).into_generator();
/// assert!(generator.is_seeded());
/// ```
#[derive(Debug)]
pub struct Permit(State);

#[derive(Debug)]
enum State {
    Untracked,
    Reserved(Guarantee, Unit, LedgerEntry),
    Used,
}

/// Where a release stands in the books of whoever counts what was spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The ledger's own name, which it got at random.
    pub ledger: String,
    /// The number of the entry in it, from 1.
    pub entry: u64,
}

/// Whoever counts what was spent, such as the ledger of the crate `karcher-ledger`.
///
/// ```
/// use karcher::privacy::{Filter, Guarantee};
/// use karcher::release::{Account, Announcement, LedgerEntry};
/// use std::cell::RefCell;
///
/// /// Counts as long as the program runs.
/// struct Memory(RefCell<Filter>);
///
/// impl Account for Memory {
///     type Error = karcher::Error;
///     fn reserve(&self, announced: &Announcement) -> karcher::Result<LedgerEntry> {
///         let mut filter = self.0.borrow_mut();
///         filter.spend(announced.guarantee)?;
///         Ok(LedgerEntry { ledger: "memory".to_owned(), entry: filter.count() })
///     }
/// }
///
/// use karcher::{Ball, Door, Permit, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::sampler::Generator;
/// use std::sync::Arc;
/// let account = Memory(RefCell::new(Filter::new(Guarantee::pure(1.0)?)?));
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 100, Guarantee::pure(0.5)?).plan()?;
/// let records = Points::new(&*line, vec![0.2; 100])?;
/// let permit = Permit::reserve(&account, &plan.outline().announcement())?;
/// let mut door = Door::new(permit, Generator::from_os()?);
/// assert_eq!(plan.run(&records, &mut door)?.provenance().ledger.as_ref().map(|at| at.entry), Some(1));
/// assert!(plan.run(&records, &mut door).is_err()); // one release a permit
/// # Ok::<(), karcher::Error>(())
/// ```
pub trait Account {
    /// Why a release is refused.
    type Error;

    /// Counts the guarantee as spent, so that nothing takes that back, a crash neither, or refuses. Noise is drawn
    /// after it has returned.
    ///
    /// # Errors
    /// Whatever depends on public quantities alone: above all, that not enough is left.
    fn reserve(&self, announced: &Announcement) -> Result<LedgerEntry, Self::Error>;
}

/// What is known of a release before any noise is drawn, hence public: what an account may write down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    /// What will be guaranteed.
    pub guarantee: Guarantee,
    /// What is computed of the records.
    pub statistic: StatisticName,
    /// The space; a count has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifold: Option<Space>,
    /// Number of records, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<usize>,
    /// The guess of it, where it is confidential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_guess: Option<usize>,
    /// What the guarantee protects.
    pub unit: Unit,
    /// Which data sets count as neighbours.
    pub adjacency: Adjacency,
    /// The public ball, but of a count; of a mean whose ball is located, the outer ball in which that is sought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<Ball>,
    /// The mechanism; of a mean whose ball is located, that of the location.
    pub mechanism: MechanismName,
    /// Its noise scale.
    pub scale: f64,
    /// The sensitivity that the scale comes from.
    pub sensitivity: ReleasedSensitivity,
    /// What the proof will speak of.
    pub numerics: Numerics,
    /// What a reader has to know beyond the guarantee, whatever the records are.
    pub flags: Vec<Flag>,
    /// Number of groups or classes, if it announces a release of each with this guarantee, of which the first is
    /// described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// Whether they compose, because a person may be in several of them: the guarantee is then spent by each. Otherwise
    /// no record is in two of them, and it is spent once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent_by_each: bool,
}

impl Announcement {
    /// The same of a release that protects such units. The one of an [outline](crate::mechanism::Outline) is of
    /// records: a plan does not know whose the records are that it is run on.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use karcher::release::Unit;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let announced = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?.outline().announcement();
    /// assert_eq!((announced.unit, announced.of(Unit::Person).unit), (Unit::Record, Unit::Person));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn of(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// The same of a release of each of several groups that have no record in common, or, if it is `spent_by_each`, of
    /// which one may be of a person who is in others too.
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee};
    /// let one = CountPlan::new(Guarantee::pure(0.5)?)?.announcement();
    /// assert_eq!((one.times(), one.clone().in_groups(3, false).times(), one.in_groups(3, true).times()), (1, 1, 3));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn in_groups(self, groups: usize, spent_by_each: bool) -> Self {
        Self { groups: Some(groups), spent_by_each, ..self }
    }

    /// How often the guarantee is spent.
    pub fn times(&self) -> u64 {
        if self.spent_by_each { self.groups.unwrap_or(1) as u64 } else { 1 }
    }
}

impl Permit {
    /// A permit for any number of releases that no account knows of. What they add up to is for their owner to know
    /// ([`compose`](crate::privacy::compose)).
    pub fn untracked() -> Self {
        Self(State::Untracked)
    }

    /// A permit for one release, once an account has counted its guarantee.
    ///
    /// # Errors
    /// Those of [`Account::reserve`].
    pub fn reserve<A: Account + ?Sized>(account: &A, announced: &Announcement) -> Result<Self, A::Error> {
        Ok(Self(State::Reserved(announced.guarantee, announced.unit, account.reserve(announced)?)))
    }

    /// Uses the permit for a release with a guarantee, of units that it protects: where it stands in the account.
    pub(super) fn open(&mut self, guarantee: Guarantee, unit: Unit, seeded: bool) -> Result<Option<LedgerEntry>> {
        let refused = |reason: String| Err(Error::NotPermitted { reason });
        match &self.0 {
            State::Untracked => Ok(None),
            State::Used => refused("its permit has been used; reserve another one for each release".to_owned()),
            State::Reserved(..) if seeded => {
                refused("its noise is reproducible, so it keeps no guarantee that an account could count".to_owned())
            }
            State::Reserved(reserved, ..) if *reserved != guarantee => {
                refused(format!("its permit is for {reserved}, and it spends {guarantee}"))
            }
            State::Reserved(_, reserved, _) if *reserved != unit => {
                refused(format!("its permit is for a release that protects a {reserved}, and it protects a {unit}"))
            }
            State::Reserved(..) => match std::mem::replace(&mut self.0, State::Used) {
                State::Reserved(.., entry) => Ok(Some(entry)),
                State::Untracked | State::Used => Ok(None), // it is reserved
            },
        }
    }
}
