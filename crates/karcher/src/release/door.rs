//! The one way out: where randomness meets a private value, and where a release is made.

use super::{Flag, Provenance, Release, Value};
use crate::numerics::Generator;

/// The right to make releases. **Nobody keeps accounts of an untracked one**: what two releases of the same records add
/// up to is for their owner to know ([`compose`](crate::privacy::compose)).
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
    pub fn from_os() -> crate::Result<Self> {
        Ok(Self::new(Permit::untracked(), Generator::from_os()?))
    }

    /// A door whose noise is reproducible, **hence not private**: for tests and figures.
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
        let mut flags = vec![Flag::IdealizedNumerics];
        if self.generator.is_seeded() {
            flags.push(Flag::Seeded);
        }
        flags.append(&mut provenance.flags);
        provenance.flags = flags;
        Release { provenance, value }
    }
}
