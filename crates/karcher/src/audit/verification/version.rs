//! The version of the library that made a release.

/// Whether a release is of the version that verifies it.
///
/// Two versions may have different proofs. A sharper bound makes noise smaller, and `auto` may then choose another
/// mechanism. So a release of another version must have enough noise, and not the same noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// This version: every number is the same.
    This,
    /// An earlier version: no scale is smaller.
    Another,
}

impl Version {
    /// The version of a release: another one only if it is an earlier version of this library. Rules for a version that
    /// is not known would let a release choose them.
    pub(super) fn of(stated: &str) -> Self {
        match (numbers(stated), numbers(THIS)) {
            (Some(stated), Some(this)) if stated < this => Version::Another,
            _ => Version::This,
        }
    }
}

/// The first version whose releases have specifications.
const FIRST_WITH_SPEC: [u64; 3] = [0, 2, 0];

/// Whether a version writes specifications.
pub(super) fn writes_spec(stated: &str) -> bool {
    numbers(stated).is_none_or(|stated| stated >= FIRST_WITH_SPEC)
}

/// The version that verifies.
pub(super) const THIS: &str = env!("CARGO_PKG_VERSION");

/// The three numbers of a version.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}
