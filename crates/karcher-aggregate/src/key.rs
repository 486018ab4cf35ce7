//! Keys of aggregators, and encryption to them by HPKE (RFC 9180).

use crate::error::{Error, Result, unusable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hkdf::Hkdf;
use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeR, OpModeS, Serializable};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

type Private = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapsulated = <X25519HkdfSha256 as Kem>::EncappedKey;

/// Bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::NoEntropy(error.to_string()))?;
    Ok(bytes)
}

/// Bytes as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of a text.
pub(crate) fn bytes(what: &str, text: &str) -> Result<Vec<u8>> {
    STANDARD.decode(text).map_err(|error| unusable(what, format!("is not base64 ({error})")))
}

/// The public key of an aggregator, and the digest of the key that it shares with the other one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicKey {
    key: String,
    verify: String,
}

/// The private key of an aggregator, with the key that it shares with the other one. It is not printed.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretKey {
    private: String,
    /// What the noise of its batches is derived from.
    noise: String,
    public: PublicKey,
    verify: VerifyKey,
}

/// The key by which two aggregators check the proofs of reports: random, and known to no reporter. A report is bound to
/// its digest. For with a second key the messages about one report would tell its values.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifyKey {
    shared: String,
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the private key of {}", self.public.key)
    }
}

impl fmt::Debug for VerifyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key of two aggregators")
    }
}

impl VerifyKey {
    /// A new key.
    ///
    /// # Errors
    /// [`Error::NoEntropy`].
    pub fn generate() -> Result<Self> {
        Ok(Self { shared: text(&random::<32>()?) })
    }

    pub(crate) fn bytes(&self) -> Result<[u8; 32]> {
        let found = bytes("the key of the aggregators", &self.shared)?;
        found.try_into().map_err(|_| unusable("the key of the aggregators", "must have 32 bytes"))
    }

    fn digest(&self) -> Result<String> {
        Ok(text(&Sha256::digest(self.bytes()?)))
    }
}

/// An encrypted share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    encapsulated: String,
    ciphertext: String,
}

impl Sealed {
    /// Its texts.
    pub(crate) fn parts(&self) -> [&String; 2] {
        [&self.encapsulated, &self.ciphertext]
    }
}

impl SecretKey {
    /// A new key, with the one that the two aggregators share.
    ///
    /// # Errors
    /// [`Error::NoEntropy`].
    pub fn generate(verify: &VerifyKey) -> Result<Self> {
        let (private, public) = X25519HkdfSha256::derive_keypair(&random::<32>()?);
        let public = PublicKey { key: text(&public.to_bytes()), verify: verify.digest()? };
        let noise = text(&random::<32>()?);
        Ok(Self { private: text(&private.to_bytes()), noise, public, verify: verify.clone() })
    }

    /// The same with another secret.
    #[cfg(test)]
    pub(crate) fn with_noise(self, secret: &[u8; 32]) -> Self {
        Self { noise: text(secret), ..self }
    }

    /// 32 bytes for a purpose and a batch, by HKDF: without the key they look random.
    pub(crate) fn derived(&self, purpose: &str, batch: &[u8; 32]) -> Result<[u8; 32]> {
        let secret = bytes("the private key", &self.noise)?;
        if secret.len() != 32 {
            return Err(unusable("the private key", "has no secret of 32 bytes: make keys again"));
        }
        let mut derived = [0; 32];
        let info = [purpose.as_bytes(), batch];
        let expanded = Hkdf::<Sha256>::new(None, &secret).expand_multi_info(&info, &mut derived);
        expanded.map_err(|error| unusable("the private key", error))?;
        Ok(derived)
    }

    /// The key that is shared with the other aggregator. Everyone knows its digest.
    pub(crate) fn verify(&self) -> Result<[u8; 32]> {
        match self.verify.digest()? == self.public.verify {
            true => self.verify.bytes(),
            false => Err(unusable("the private key", "is not that of its public key: make keys again")),
        }
    }

    /// The key to encrypt to.
    pub fn public(&self) -> PublicKey {
        self.public.clone()
    }

    /// What is sealed for this key, in a context.
    pub(crate) fn open(&self, sealed: &Sealed, context: &[u8]) -> Result<Vec<u8>> {
        let refused = || unusable("a share", "is not encrypted to this key for this task");
        let private = Private::from_bytes(&bytes("the private key", &self.private)?)
            .map_err(|error| unusable("the private key", error))?;
        let encapsulated = Encapsulated::from_bytes(&bytes("a share", &sealed.encapsulated)?).map_err(|_| refused())?;
        let mut receiver = hpke::setup_receiver::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
            &OpModeR::Base,
            &private,
            &encapsulated,
            context,
        )
        .map_err(|_| refused())?;
        receiver.open(&bytes("a share", &sealed.ciphertext)?, b"").map_err(|_| refused())
    }
}

impl PublicKey {
    /// What stands for the key in a journal.
    pub(crate) fn id(&self) -> String {
        format!("{} {}", self.key, self.verify)
    }

    /// Whether the owners of two keys share the key by which they check proofs.
    pub(crate) fn goes_with(&self, other: &PublicKey) -> bool {
        self.verify == other.verify && self.key != other.key
    }

    /// Seals bytes for the owner of the key, in a context.
    pub(crate) fn seal(&self, plain: &[u8], context: &[u8]) -> Result<Sealed> {
        let public = Public::from_bytes(&bytes("the public key", &self.key)?)
            .map_err(|error| unusable("the public key", error))?;
        let (encapsulated, mut sender) =
            hpke::setup_sender::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(&OpModeS::Base, &public, context)
                .map_err(|error| unusable("the public key", error))?;
        let ciphertext = sender.seal(plain, b"").map_err(|error| unusable("a share", error))?;
        Ok(Sealed { encapsulated: text(&encapsulated.to_bytes()), ciphertext: text(&ciphertext) })
    }
}
