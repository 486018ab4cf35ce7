//! The registry: from names to spaces.

use super::{Manifold, Product, euclidean, grassmann, hyperbolic, kendall, projective, rotations, spd, sphere, torus};
use crate::error::{Error, Result};
use crate::space::Space;
use std::str::FromStr;
use std::sync::Arc;

/// What a family makes of the text behind the colon.
type Parse = fn(&str) -> Option<Result<Arc<dyn Manifold>>>;

/// A family of spaces: what stands in front of the colon of their names.
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
    /// What stands in front of the colon: `sphere`.
    pub name: &'static str,
    /// What stands behind it: `D`.
    pub size: &'static str,
    /// What the points are, for help texts.
    pub about: &'static str,
    /// A few spaces of it that have every layout there is in the family: `sphere:2`, `sphere:1`.
    pub examples: &'static [&'static str],
    /// The space of a size. `None` where the text is no size.
    pub(super) parse: Parse,
}

/// Every family of the library, in the order in which they are listed.
pub const FAMILIES: [&Family; 10] = [
    &euclidean::FAMILY,
    &sphere::FAMILY,
    &hyperbolic::FAMILY,
    &spd::LOG_EUCLIDEAN,
    &spd::AFFINE_INVARIANT,
    &kendall::FAMILY,
    &projective::FAMILY,
    &rotations::FAMILY,
    &torus::FAMILY,
    &grassmann::FAMILY,
];

impl Space {
    /// The space itself.
    ///
    /// # Errors
    /// [`Error::UnknownManifold`] for a name that is not one of the library's, [`Error::InvalidSize`] when there is no
    /// such space, for example `kendall:2`.
    ///
    /// ```
    /// use karcher_geometry::{Error, Space};
    /// let shapes = Space::named("kendall:3").manifold()?;
    /// assert_eq!((shapes.dim(), shapes.point_len()), (2, 6)); // three landmarks, up to moves, size and turns
    /// assert!(matches!(Space::named("kendall:2").manifold(), Err(Error::InvalidSize { minimum: 3, .. })));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn manifold(&self) -> Result<Arc<dyn Manifold>> {
        manifold(self.as_str())
    }
}

impl FromStr for Space {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(manifold(name)?.space().clone())
    }
}

/// The space of a name: `FAMILY:SIZE`, or several of them with `*` in between.
fn manifold(name: &str) -> Result<Arc<dyn Manifold>> {
    if name.contains('*') {
        let factors = name.split('*').map(factor).collect::<Result<_>>()?;
        return Ok(Arc::new(Product::new(factors)?));
    }
    factor(name)
}

/// The space of a name without `*`.
fn factor(name: &str) -> Result<Arc<dyn Manifold>> {
    let (family, size) = name.trim().split_once(':').ok_or_else(|| unknown(name))?;
    let family = FAMILIES.iter().find(|known| known.name == family).ok_or_else(|| unknown(name))?;
    (family.parse)(size).unwrap_or_else(|| Err(unknown(name)))
}

fn unknown(name: &str) -> Error {
    let names: Vec<String> = FAMILIES.iter().map(|family| format!("{}:{}", family.name, family.size)).collect();
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    let expected = format!("{}, {last}, or a product of them", others.join(", "));
    Error::UnknownManifold { name: name.trim().to_owned(), expected }
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
