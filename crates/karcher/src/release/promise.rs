//! The promise of a release, and of several releases together (user guide, P7).

use super::{Adjacency, Flag, Numerics, PrivacyUnit};
use crate::error::{Error, PrivacyError, Result};
use crate::privacy::{Definition, Guarantee, compose, parallel};
use karcher_geometry::error::RoundedUp;
use serde::Serialize;
use std::fmt;

/// The promise of a release: a guarantee with all assumptions that it depends on.
///
/// A plan, a privacy event and a release each have one. The promise of several releases is computed from all of theirs,
/// only by [`of_disjoint`](Promise::of_disjoint) or [`of_overlapping`](Promise::of_overlapping).
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher::release::Promise;
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let promise = |budget| Request::new(mean.clone(), 100, budget).plan().map(|plan| plan.summary().promise());
/// let (pure, approximate) = (promise(Guarantee::pure(1.0)?)?, promise(Guarantee::approximate(0.1, 1e-3)?)?);
/// assert!(approximate.guarantee() != pure.guarantee());
/// let both = Promise::of_disjoint(&[pure.clone(), approximate.clone()])?;
/// assert_eq!(both, Promise::of_disjoint(&[approximate, pure])?); // in any order
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Promise {
    guarantee: Guarantee,
    /// Guarantees that the release also implies: an account may count one of them instead.
    #[serde(skip)]
    also: Vec<Guarantee>,
    unit: PrivacyUnit,
    adjacency: Adjacency,
    numerics: Numerics,
    flags: Vec<Flag>,
}

impl Promise {
    pub(crate) fn new(
        guarantee: Guarantee,
        unit: PrivacyUnit,
        adjacency: Adjacency,
        numerics: Numerics,
        flags: &[Flag],
    ) -> Self {
        Self { guarantee, also: vec![], unit, adjacency, numerics, flags: union(flags) }
    }

    /// The same with guarantees that the release also implies.
    #[must_use]
    pub(crate) fn keeping(self, also: Vec<Guarantee>) -> Self {
        Self { also, ..self }
    }

    /// The same for another privacy unit: a plan does not know to whom its records belong.
    #[must_use]
    pub(crate) fn to(self, unit: PrivacyUnit) -> Self {
        Self { unit, ..self }
    }

    /// The same with numerics as weak as these, and with further flags.
    #[must_use]
    pub(crate) fn weakened(self, numerics: Numerics, flags: &[Flag]) -> Self {
        let flags = union(self.flags.iter().chain(flags));
        Self { numerics: self.numerics.weaker(numerics), flags, ..self }
    }

    /// The guarantee.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The privacy unit.
    pub fn unit(&self) -> PrivacyUnit {
        self.unit
    }

    /// Which data sets count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The subject of the proof: the weakest of all parts.
    pub fn numerics(&self) -> Numerics {
        self.numerics
    }

    /// The flags of all parts, each once.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The joint promise of releases about disjoint records, such as those of groups: a pair of neighbours changes one
    /// of them. It is the smallest guarantee that each of theirs implies (user guide, U3).
    ///
    /// # Errors
    /// [`Error::Incomparable`] for no releases, and for releases with different units or neighbours; as for
    /// [`parallel`].
    pub fn of_disjoint(parts: &[Self]) -> Result<Self> {
        Self::of_all(parts, parallel)
    }

    /// The joint promise of releases that may be about the same records or persons: their guarantees compose.
    ///
    /// # Errors
    /// As for [`of_disjoint`](Promise::of_disjoint) and [`compose`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use karcher::release::Promise;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let one = Request::new(mean, 100, Guarantee::pure(0.5)?).plan()?.summary().promise();
    /// assert_eq!(Promise::of_overlapping(&[one.clone(), one])?.guarantee(), Guarantee::pure(1.0)?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn of_overlapping(parts: &[Self]) -> Result<Self> {
        Self::of_all(parts, compose)
    }

    fn of_all(parts: &[Self], combine: fn(&[Guarantee]) -> Result<Guarantee, PrivacyError>) -> Result<Self> {
        let incomparable = |reason: &str| Err(Error::Incomparable { reason: reason.to_owned() });
        let Some(first) = parts.first() else { return incomparable("there are no releases to combine") };
        if parts.iter().any(|part| part.unit != first.unit) {
            return incomparable("some releases protect records and others persons; release all for one of them");
        }
        if parts.iter().any(|part| part.adjacency != first.adjacency) {
            return incomparable("the releases are for different neighbours; release all for one kind of adjacency");
        }
        let guarantees: Vec<Guarantee> = parts.iter().map(|part| part.guarantee).collect();
        Ok(Self {
            guarantee: combine(&guarantees)?,
            also: vec![],
            numerics: parts.iter().map(|part| part.numerics).fold(first.numerics, Numerics::weaker),
            flags: union(parts.iter().flat_map(|part| &part.flags)),
            ..*first
        })
    }

    /// Rejects a release that promises less than this, before it draws any noise.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] with the uncovered part: the guarantee, the neighbours, the unit, the numerics, or an
    /// assumption.
    pub(crate) fn check_covers(&self, release: &Promise) -> Result<()> {
        let refused = |reason: String| Err(Error::NotPermitted { reason });
        if !release.guarantee.implies(self.guarantee) {
            return refused(format!("its reservation is for {}, and it spends {}", self.guarantee, release.guarantee));
        }
        let is_kept = |other: &&Guarantee| {
            release.guarantee.implies(**other) || release.also.iter().any(|own| own.implies(**other))
        };
        if let Some(other) = self.also.iter().find(|other| !is_kept(other)) {
            return refused(format!("its reservation states {other} too, and it does not keep that"));
        }
        if release.unit != self.unit {
            let (own, other) = (self.unit, release.unit);
            return refused(format!(
                "its reservation is for a release that protects a {own}, and it protects a {other}"
            ));
        }
        if release.adjacency != self.adjacency {
            let (own, other) = (self.adjacency.name(), release.adjacency.name());
            return refused(format!("its reservation is for {own} neighbours, and it is for {other} neighbours"));
        }
        if self.numerics.weaker(release.numerics) != self.numerics {
            let (own, other) = (self.numerics.name(), release.numerics.name());
            return refused(format!("its reservation is for {own} numerics, and its own are {other}"));
        }
        match release.flags.iter().find(|flag| flag.is_assumption() && !self.flags.contains(flag)) {
            Some(flag) => refused(format!("its reservation does not state this flag: {flag}")),
            None => Ok(()),
        }
    }
}

/// In a few words, with four digits that are rounded up: `ε = 1, one person replaced, exact, no flags`.
///
/// ```
/// use karcher::{mechanism::CountPlan, privacy::Guarantee};
/// let promise = CountPlan::new(Guarantee::approximate(1.0 / 3.0, 1e-6)?)?.event().promise();
/// assert_eq!(promise.to_string(), "ε = 0.3334, one record added or removed, exact, no flags");
/// # Ok::<(), karcher::Error>(())
/// ```
impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Symbols(self.guarantee).fmt(f)?;
        let change = match self.adjacency {
            Adjacency::ReplaceOne => "replaced",
            Adjacency::AddRemove => "added or removed",
        };
        write!(f, ", one {} {change}, {}", self.unit, self.numerics.name())?;
        match &self.flags[..] {
            [] => f.write_str(", no flags"),
            [flag] => write!(f, ", flag {}", flag.name()),
            flags => write!(f, ", flags {}", flags.iter().map(|flag| flag.name()).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// A guarantee in the symbols of a paper, with four digits that are rounded up: `ε = 1, δ = 1e-6`.
///
/// ```
/// use karcher::{privacy::Guarantee, release::Symbols};
/// assert_eq!(Symbols(Guarantee::gaussian(0.5)?).to_string(), "μ = 0.5");
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Symbols(pub Guarantee);

impl fmt::Display for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.definition() {
            Definition::Pure { epsilon } => write!(f, "ε = {}", RoundedUp(epsilon)),
            Definition::Approximate { epsilon, delta } => {
                write!(f, "ε = {}, δ = {}", RoundedUp(epsilon), RoundedUp(delta))
            }
            Definition::Gaussian { mu } => write!(f, "μ = {}", RoundedUp(mu)),
            Definition::Concentrated { rho } => write!(f, "ρ = {}", RoundedUp(rho)),
        }
    }
}

/// Guarantees that hold besides the stated one, in words; `None` for none.
///
/// ```
/// use karcher::{privacy::Guarantee, release::also_words};
/// let also = [Guarantee::pure(1.25)?, Guarantee::gaussian(0.5)?];
/// assert_eq!(also_words(&also).as_deref(), Some("pure ε = 1.25, or μ = 0.5"));
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn also_words(also: &[Guarantee]) -> Option<String> {
    let words = |other: &Guarantee| match other.definition() {
        Definition::Pure { .. } => format!("pure {}", Symbols(*other)),
        Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
            Symbols(*other).to_string()
        }
    };
    (!also.is_empty()).then(|| also.iter().map(words).collect::<Vec<_>>().join(", or "))
}

/// Flags, each once, in a fixed order.
fn union<'a>(flags: impl IntoIterator<Item = &'a Flag>) -> Vec<Flag> {
    let mut all: Vec<Flag> = flags.into_iter().copied().collect();
    all.sort_by_key(|flag| *flag as u8);
    all.dedup();
    all
}
