//! The version of the library that made a release.

/// Whether a release is of the version that verifies it.
///
/// Two versions may have different proofs. A sharper bound makes noise smaller, and `auto` may then choose another
/// mechanism. So a release of another version must have enough noise, and not the same noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// This version: every number is the same.
    This,
    /// Another version: no scale is smaller.
    Another,
}

impl Version {
    /// The version of a release.
    pub(super) fn of(stated: &str) -> Self {
        if stated == env!("CARGO_PKG_VERSION") { Version::This } else { Version::Another }
    }
}
