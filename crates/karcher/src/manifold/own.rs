//! What tells the library's spaces from those of its users.

/// An argument that only the library's spaces can name.
#[derive(Debug, Clone, Copy)]
pub struct OwnSpace(pub(crate) ());
