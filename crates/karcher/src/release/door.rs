//! The one way out: where randomness meets a private value, and where a release is made.

use super::{Flag, Numerics, Provenance, Release, Value};
use crate::numerics::Generator;

/// The right to make releases. **Nobody keeps accounts of an untracked one**: what two releases of the same records add
/// up to is for their owner to know ([`compose`](crate::privacy::compose)).
///
/// ```
/// use karcher::{Door, Permit, sampler::Generator};
/// let generator = Door::new(Permit::untracked(), Generator::seeded(1)).into_generator();
/// assert!(generator.is_seeded());
/// ```
#[derive(Debug)]
pub struct Permit(());

impl Permit {
    /// A permit that no ledger knows of.
    pub fn untracked() -> Self {
        Self(())
    }
}

/// What every release goes through: it holds the right to release and the randomness, and nothing else makes a
/// [`Release`].
///
/// ```
/// use karcher::{Door, Permit, sampler::Generator};
/// let door = Door::new(Permit::untracked(), Generator::from_os()?);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct Door {
    _permit: Permit,
    generator: Generator,
}

impl Door {
    /// A door for releases with a permit, whose noise comes from a generator.
    pub fn new(permit: Permit, generator: Generator) -> Self {
        Self { _permit: permit, generator }
    }

    /// A door with an untracked permit, and randomness from the operating system.
    ///
    /// # Errors
    /// [`Error::NoEntropy`](crate::Error::NoEntropy) when it gives none.
    ///
    /// ```
    /// use karcher::Door;
    /// assert!(!Door::from_os()?.into_generator().is_seeded());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn from_os() -> crate::Result<Self> {
        Ok(Self::new(Permit::untracked(), Generator::from_os()?))
    }

    /// A door whose noise is reproducible, **hence not private**: for tests and figures.
    ///
    /// ```
    /// use karcher::{Ball, Door, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::Flag};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let records = Points::new(&*line, vec![0.2; 100])?;
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?;
    /// let release = |seed| plan.run(&records, &mut Door::seeded(seed));
    /// assert_eq!(release(1)?.value(), release(1)?.value());
    /// assert!(release(1)?.flags().contains(&Flag::Seeded)); // whoever knows the seed knows the noise
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn seeded(seed: u64) -> Self {
        Self::new(Permit::untracked(), Generator::seeded(seed))
    }

    /// The generator, for other draws after the releases.
    pub fn into_generator(self) -> Generator {
        self.generator
    }

    /// The randomness: for the noise on a private value, also of a mechanism of one's own that is audited.
    pub fn generator(&mut self) -> &mut Generator {
        &mut self.generator
    }

    /// A release of a value, with the flags that the randomness asks for.
    pub(crate) fn release(&self, mut provenance: Provenance, value: Value) -> Release {
        let mut flags = vec![];
        if provenance.numerics != Numerics::Exact {
            flags.push(Flag::IdealizedNumerics);
        }
        if self.generator.is_seeded() {
            flags.push(Flag::Seeded);
        }
        flags.append(&mut provenance.flags);
        provenance.flags = flags;
        Release { provenance, value }
    }
}
