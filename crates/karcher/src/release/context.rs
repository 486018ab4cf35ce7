//! The release context: it adds randomness to a private value, and makes releases.

use super::{BudgetReservation, Flag, LedgerEntry, Numerics, Promise, Provenance, Release, Value};
use crate::error::Result;
use crate::noise::Generator;

/// A release context: it holds the right to release and the randomness. Only it makes a [`Release`].
///
/// ```
/// use karcher::{ReleaseContext, BudgetReservation, sampler::Generator};
/// let context = ReleaseContext::new(BudgetReservation::untracked(), Generator::from_os()?);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct ReleaseContext {
    reservation: BudgetReservation,
    generator: Generator,
}

/// A release context that was opened for one release and all of its parts. Only running a
/// [`Plan`](crate::mechanism::Plan) opens one.
#[derive(Debug)]
pub struct OpenRelease<'a> {
    generator: &'a mut Generator,
    is_seeded: bool,
    entry: Option<LedgerEntry>,
    promise: Promise,
    /// Whether other processes compute the sums.
    is_remote: bool,
}

impl ReleaseContext {
    /// A release context with a reservation and a generator of noise.
    pub fn new(reservation: BudgetReservation, generator: Generator) -> Self {
        Self { reservation, generator }
    }

    /// A release context with an untracked reservation, and randomness from the operating system.
    ///
    /// # Errors
    /// [`PrivacyError::NoEntropy`](crate::error::PrivacyError::NoEntropy) when the operating system gives none.
    ///
    /// ```
    /// use karcher::ReleaseContext;
    /// assert!(!ReleaseContext::from_os()?.into_generator().is_seeded());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn from_os() -> Result<Self> {
        Ok(Self::new(BudgetReservation::untracked(), Generator::from_os()?))
    }

    /// A release context whose noise is reproducible, **hence not private**: for tests and figures.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::Flag};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let records = Points::new(&*line, vec![0.2; 100])?;
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?;
    /// let release = |seed| plan.run(&records, &mut ReleaseContext::seeded(seed));
    /// assert_eq!(release(1)?.value(), release(1)?.value());
    /// assert!(release(1)?.flags().contains(&Flag::Seeded)); // whoever knows the seed knows the noise
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn seeded(seed: u64) -> Self {
        Self::new(BudgetReservation::untracked(), Generator::seeded(seed))
    }

    /// The generator, for other draws after the releases.
    pub fn into_generator(self) -> Generator {
        self.generator
    }

    /// The randomness, for the noise of your own mechanism in an audit.
    pub fn generator(&mut self) -> &mut Generator {
        &mut self.generator
    }

    /// The rest of the reservation, and the generator.
    ///
    /// ```
    /// use karcher::ReleaseContext;
    /// let (reservation, generator) = ReleaseContext::seeded(1).into_parts();
    /// assert!(ReleaseContext::new(reservation, generator).into_generator().is_seeded());
    /// ```
    pub fn into_parts(self) -> (BudgetReservation, Generator) {
        (self.reservation, self.generator)
    }

    /// Opens the release context for a release with this promise, which uses the reservation. Other processes may
    /// compute the sums of the records.
    ///
    /// # Errors
    /// [`Error::NotPermitted`](crate::Error::NotPermitted) where the reservation was used or does not cover the
    /// promise. Also where an account counted it and the noise is reproducible.
    pub(crate) fn open(&mut self, promise: Promise, is_remote: bool) -> Result<OpenRelease<'_>> {
        let is_seeded = self.generator.is_seeded();
        let entry = self.reservation.open(&promise, is_seeded)?;
        Ok(OpenRelease { generator: &mut self.generator, is_seeded, entry, promise, is_remote })
    }
}

impl<'a> OpenRelease<'a> {
    /// The context in which a stated release is made again. Nothing is drawn, so the generator is not used.
    pub(crate) fn again(promise: Promise, stated: &Provenance, unused: &'a mut Generator) -> Self {
        let [is_seeded, is_remote] = [Flag::Seeded, Flag::RemoteSums].map(|flag| stated.flags.contains(&flag));
        Self { generator: unused, is_seeded, entry: stated.ledger.clone(), promise, is_remote }
    }

    /// The context of a release of a series, whose noise was drawn before.
    pub(crate) fn of_series(
        promise: Promise,
        is_seeded: bool,
        entry: Option<LedgerEntry>,
        unused: &'a mut Generator,
    ) -> Self {
        Self { generator: unused, is_seeded, entry, promise, is_remote: false }
    }

    /// The randomness, for the noise on a private value.
    pub fn generator(&mut self) -> &mut Generator {
        self.generator
    }

    /// The release's entry in the account, if an account counts it.
    pub(crate) fn entry(&self) -> Option<LedgerEntry> {
        self.entry.clone()
    }

    /// The promise for which the context was opened.
    pub(crate) fn promise(&self) -> &Promise {
        &self.promise
    }

    /// The context of a part of the release, whose promise the whole must cover.
    ///
    /// # Errors
    /// [`Error::NotPermitted`](crate::Error::NotPermitted) where the whole does not cover the part.
    pub(crate) fn for_part(&mut self, promise: Promise) -> Result<OpenRelease<'_>> {
        self.promise.check_covers(&promise)?;
        let (is_seeded, entry, is_remote) = (self.is_seeded, self.entry.clone(), self.is_remote);
        Ok(OpenRelease { generator: &mut *self.generator, is_seeded, entry, promise, is_remote })
    }

    /// A release of a value, with the flags that the randomness implies, its entry in the account, and its privacy
    /// unit.
    ///
    /// # Errors
    /// [`Error::NotPermitted`](crate::Error::NotPermitted) where the context was opened for a release that promises
    /// more.
    pub(crate) fn release(&self, mut provenance: Provenance, value: Value) -> Result<Release> {
        let mut flags = vec![];
        if provenance.numerics != Numerics::Exact {
            flags.push(Flag::IdealizedNumerics);
        }
        if self.is_seeded {
            flags.push(Flag::Seeded);
        }
        flags.append(&mut provenance.flags);
        flags.extend(self.is_remote.then_some(Flag::RemoteSums));
        provenance.flags = flags;
        provenance.ledger = self.entry.clone();
        provenance.unit = self.promise.unit();
        self.promise.check_covers(&provenance.promise())?;
        Ok(Release { provenance, value })
    }
}
