//! The names of the spaces, the same everywhere: command line, JSON, Python.

use std::fmt;
use std::sync::Arc;

/// The name of a space, which determines it: `sphere:2`, `sphere:2*euclidean:1`.
///
/// It parses from text where the library has such a space, [`named`](Space::named) takes any: a space from outside has
/// the name that its [`Manifold`](crate::Manifold) gives. Two spaces are the same if their names are.
///
/// ```
/// use karcher_geometry::Space;
/// let space: Space = "sphere:2".parse()?;
/// assert_eq!(space.manifold()?.dim(), 2);
/// assert!("spher:2".parse::<Space>().is_err());
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Space(Arc<str>);

impl Space {
    /// A name, without a check that the library has such a space.
    ///
    /// ```
    /// use karcher_geometry::{Error, Space};
    /// let cone = Space::named("cone:1.5"); // somebody's own space
    /// assert_eq!(cone.as_str(), "cone:1.5");
    /// assert!(matches!(cone.manifold(), Err(Error::UnknownManifold { .. })));
    /// ```
    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for Space {
    fn eq(&self, name: &str) -> bool {
        *self.0 == *name
    }
}

impl serde::Serialize for Space {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Space {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::named(String::deserialize(deserializer)?))
    }
}
