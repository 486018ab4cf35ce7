//! Families of spaces, and the sizes in their names.

use super::Manifold;
use crate::error::Result;
use std::sync::Arc;

/// The parser of the text behind the colon.
type Parse = fn(&str) -> Option<Result<Arc<dyn Manifold>>>;

/// A family of spaces: the part of their names in front of the colon.
///
/// ```
/// use karcher_geometry::{Space, manifold::FAMILIES};
/// for family in FAMILIES {
///     for name in family.examples {
///         assert_eq!(name.parse::<Space>()?.as_str().split(':').next(), Some(family.name));
///     }
/// }
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug)]
pub struct Family {
    /// The part in front of the colon: `sphere`.
    pub name: &'static str,
    /// The part behind it: `D`.
    pub size: &'static str,
    /// The kind of points, for help texts.
    pub about: &'static str,
    /// A few spaces of it that have every layout there is in the family: `sphere:2`, `sphere:1`.
    pub examples: &'static [&'static str],
    /// The space of a size. `None` where the text is no size.
    pub(super) parse: Parse,
}

/// A size that is one number.
pub(super) fn number(size: &str) -> Option<usize> {
    size.parse().ok()
}

/// A size that is two numbers with a comma in between.
pub(super) fn two_numbers(size: &str) -> Option<(usize, usize)> {
    let (first, second) = size.split_once(',')?;
    Some((number(first)?, number(second)?))
}
