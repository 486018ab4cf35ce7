//! The registry: from names to spaces. A space joins the library by its file and one line here.

use super::family::{Family, number};
use super::product::check_numbers;
use super::{Manifold, Product};
use crate::error::{Error, Result};
use crate::space::Space;
use std::str::FromStr;
use std::sync::Arc;

/// Every family of the library, in the order in which they are listed.
pub const FAMILIES: &[&Family] = &[
    &super::euclidean::FAMILY,
    &super::sphere::FAMILY,
    &super::hyperbolic::FAMILY,
    &super::spd::LOG_EUCLIDEAN,
    &super::spd::AFFINE_INVARIANT,
    &super::spd::LOG_CHOLESKY,
    &super::spd::OFF_LOG,
    &super::kendall::FAMILY,
    &super::landmarks::LANDMARKS,
    &super::landmarks::SIZE_AND_SHAPE,
    &super::projective::FAMILY,
    &super::rotations::FAMILY,
    &super::torus::FAMILY,
    &super::grassmann::FAMILY,
    &super::simplex_aitchison::FAMILY,
    &super::poses::FAMILY,
    &super::simplex_fisher_rao::FAMILY,
    &super::hpd::LOG_EUCLIDEAN,
    &super::hpd::AFFINE_INVARIANT,
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

/// The space of a name: one without `*`, or several of them with `*` in between.
fn manifold(name: &str) -> Result<Arc<dyn Manifold>> {
    if name.contains('*') {
        let mut numbers = 0;
        let factors = name.split('*').map(|name| {
            let factor = factor(name)?;
            // before the next one takes memory
            numbers += factor.point_len();
            check_numbers(numbers).map(|()| factor)
        });
        return Ok(Arc::new(Product::new(factors.collect::<Result<_>>()?)?));
    }
    factor(name)
}

/// The space of a name without `*`: `FAMILY:SIZE`, or `FAMILY:SIZE^K`.
fn factor(name: &str) -> Result<Arc<dyn Manifold>> {
    let Some((base, exponent)) = name.split_once('^') else { return single(name, name) };
    let exponent = number(exponent.trim()).ok_or_else(|| unknown(name))?;
    Ok(Arc::new(Product::power(single(base, name)?, exponent)?))
}

/// The space of `FAMILY:SIZE`, which is a part of the name `whole`.
fn single(name: &str, whole: &str) -> Result<Arc<dyn Manifold>> {
    let (family, size) = name.trim().split_once(':').ok_or_else(|| unknown(whole))?;
    let family = FAMILIES.iter().find(|known| known.name == family).ok_or_else(|| unknown(whole))?;
    (family.parse)(size).unwrap_or_else(|| {
        let expected = format!("{}:{}, for example {}", family.name, family.size, family.examples[0]);
        Err(Error::UnknownManifold { name: whole.trim().to_owned(), expected })
    })
}

/// Names that are as near as this to a family's (Jaro–Winkler similarity) may mean it.
const NEAR: f64 = 0.8;

/// The error for a name, with the families that it may mean. A power may be wrong elsewhere, so it gets all of them.
fn unknown(name: &str) -> Error {
    let typed = name.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    let means = |family: &&&Family| {
        let begins_so = typed.len() > 1 && family.name.starts_with(&typed);
        !name.contains('^') && (begins_so || strsim::jaro_winkler(family.name, &typed) > NEAR)
    };
    let near: Vec<&Family> = FAMILIES.iter().filter(means).copied().collect();
    let name_of = |family: &&Family| format!("{}:{}", family.name, family.size);
    let expected = match near[..] {
        [] => {
            let names: Vec<String> = FAMILIES.iter().map(name_of).collect();
            format!("{}, a power of one, such as sphere:2^5, or a product of them", names.join(", "))
        }
        [one] => format!("{}, for example {}", name_of(&one), one.examples[0]),
        ref several => several.iter().map(name_of).collect::<Vec<_>>().join(" or "),
    };
    Error::UnknownManifold { name: name.trim().to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_get_those_that_they_may_mean() {
        let refused = |name: &str| manifold(name).unwrap_err().to_string();
        assert_eq!(refused("spher:2"), "unknown manifold `spher:2`: expected sphere:D, for example sphere:2");
        assert_eq!(refused("Sphere:2"), "unknown manifold `Sphere:2`: expected sphere:D, for example sphere:2");
        let spd = refused("spd:3");
        assert!(spd.ends_with("spd-log-euclidean:K or spd-affine-invariant:K or spd-log-cholesky:K"), "{spd}");
        assert!(refused("aitchison").contains("simplex-aitchison:K") && refused("").contains("sphere:2^5"));
        for family in FAMILIES {
            let (cut, doubled) = (&family.name[..family.name.len() - 1], format!("{}s:3", family.name));
            for typo in [cut, &doubled] {
                assert!(refused(typo).contains(&format!("{}:", family.name)), "{typo}: {}", refused(typo));
            }
        }
    }
}
