//! The source of randomness, passed in explicitly everywhere.

use crate::error::{Error, Result};
use rand::rngs::SysRng;
use rand::{CryptoRng, SeedableRng, TryCryptoRng, TryRng};
use rand_chacha::ChaCha20Rng;
use std::convert::Infallible;

/// A ChaCha20 generator that remembers whether it is reproducible.
///
/// Deliberately not `Clone`: two releases with the same noise would give the records away.
///
/// ```
/// use karcher_privacy::noise::Generator;
/// use rand::Rng;
/// let (mut one, mut other) = (Generator::from_os()?, Generator::from_os()?);
/// assert_ne!([one.next_u64(), one.next_u64()], [other.next_u64(), other.next_u64()]);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug)]
pub struct Generator {
    rng: ChaCha20Rng,
    seeded: bool,
}

impl Generator {
    /// Seeded with 256 bits from the operating system: the only generator for releases that are to be private.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] when the operating system gives none.
    ///
    /// ```
    /// use karcher_privacy::noise::Generator;
    /// assert!(!Generator::from_os()?.is_seeded());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn from_os() -> Result<Self> {
        let rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|e| Error::NoEntropy { reason: e.to_string() })?;
        Ok(Self { rng, seeded: false })
    }

    /// The generator of a key of 256 bits: equal keys give equal draws. It is as private as
    /// [`from_os`](Self::from_os) if the key is secret, looks random to everyone else, and is used for one release.
    ///
    /// ```
    /// use karcher_privacy::noise::Generator;
    /// use rand::Rng;
    /// let (mut one, mut again) = (Generator::from_key([7; 32]), Generator::from_key([7; 32]));
    /// assert_eq!(one.next_u64(), again.next_u64());
    /// assert!(!one.is_seeded());
    /// ```
    pub fn from_key(key: [u8; 32]) -> Self {
        Self { rng: ChaCha20Rng::from_seed(key), seeded: false }
    }

    /// Reproducible, **hence not private**: for tests and figures. Every release made with it carries the flag
    /// `seeded`.
    ///
    /// ```
    /// use karcher_privacy::noise::Generator;
    /// use rand::Rng;
    /// let (mut one, mut again) = (Generator::seeded(7), Generator::seeded(7));
    /// assert_eq!(one.next_u64(), again.next_u64());
    /// assert!(one.is_seeded());
    /// ```
    pub fn seeded(seed: u64) -> Self {
        Self { rng: ChaCha20Rng::seed_from_u64(seed), seeded: true }
    }

    /// Another generator, seeded with 256 bits from this one: for one of several chains, so that its draws do not
    /// depend on the number of threads.
    ///
    /// ```
    /// use karcher_privacy::noise::Generator;
    /// assert!(Generator::seeded(1).split().is_seeded());
    /// ```
    pub fn split(&mut self) -> Self {
        Self { rng: ChaCha20Rng::from_rng(&mut self.rng), seeded: self.seeded }
    }

    /// Whether the generator was made by [`Generator::seeded`], or split from one that was.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }
}

impl TryRng for Generator {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> std::result::Result<u32, Infallible> {
        self.rng.try_next_u32()
    }

    fn try_next_u64(&mut self) -> std::result::Result<u64, Infallible> {
        self.rng.try_next_u64()
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> std::result::Result<(), Infallible> {
        self.rng.try_fill_bytes(out)
    }
}

impl TryCryptoRng for Generator {}

const _: () = {
    const fn is_cryptographic<R: CryptoRng>() {}
    is_cryptographic::<Generator>();
};

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn a_split_generator_differs_and_remembers_the_seed() {
        let mut parent = Generator::seeded(1);
        let (mut one, mut two) = (parent.split(), parent.split());
        assert!(one.is_seeded() && two.is_seeded());
        assert!(!Generator::from_os().unwrap().split().is_seeded());
        let [a, b, c]: [u128; 3] = [parent.random(), one.random(), two.random()];
        assert!(a != b && b != c && a != c);
    }
}
