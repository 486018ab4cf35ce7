//! The mark that distinguishes the library's spaces from those of its users.

use super::Manifold;

/// An argument that only the library's spaces can name.
#[derive(Debug, Clone, Copy)]
pub struct OwnSpace(());

impl dyn Manifold + '_ {
    /// Whether this crate declares the space. Releases on a space of your own say so.
    ///
    /// ```
    /// use karcher_geometry::{Manifold, manifold::Sphere};
    /// let sphere: &dyn Manifold = &Sphere::new(2)?;
    /// assert!(sphere.is_of_library());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn is_of_library(&self) -> bool {
        self.is_own(OwnSpace(()))
    }
}
