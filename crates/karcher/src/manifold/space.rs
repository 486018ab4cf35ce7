//! The names of the spaces, the same everywhere: command line, JSON, Python.

use super::{Euclidean, Hyperbolic, Kendall, Manifold, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// A space by name, for example `sphere:2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// `euclidean:D`: `R^D`; a point is `D` numbers.
    Euclidean(usize),
    /// `sphere:D`: the unit sphere `S^D`; a point is `D + 1` numbers of unit norm.
    Sphere(usize),
    /// `hyperbolic:D`: the hyperboloid in `R^{D,1}`; a point is `D + 1` numbers, the time-like one first.
    Hyperbolic(usize),
    /// `spd-log-euclidean:K`: symmetric positive definite `K×K` matrices, log-Euclidean metric; a point is `K²`
    /// numbers.
    SpdLogEuclidean(usize),
    /// `spd-affine-invariant:K`: the same with the affine-invariant metric.
    SpdAffineInvariant(usize),
    /// `kendall:K`: shapes of `K` planar landmarks; a point is `2K` numbers `x₁ y₁ x₂ y₂ …`, centered, of unit norm.
    Kendall(usize),
}

impl Space {
    /// The space itself.
    ///
    /// # Errors
    /// [`Error::InvalidSize`] when there is no such space, for example `kendall:2`.
    pub fn manifold(self) -> Result<Box<dyn Manifold>, Error> {
        Ok(match self {
            Space::Euclidean(d) => Box::new(Euclidean::new(d)?),
            Space::Sphere(d) => Box::new(Sphere::new(d)?),
            Space::Hyperbolic(d) => Box::new(Hyperbolic::new(d)?),
            Space::SpdLogEuclidean(k) => Box::new(SpdLogEuclidean::new(k)?),
            Space::SpdAffineInvariant(k) => Box::new(SpdAffineInvariant::new(k)?),
            Space::Kendall(k) => Box::new(Kendall::new(k)?),
        })
    }

    fn parts(self) -> (&'static str, usize) {
        match self {
            Space::Euclidean(d) => ("euclidean", d),
            Space::Sphere(d) => ("sphere", d),
            Space::Hyperbolic(d) => ("hyperbolic", d),
            Space::SpdLogEuclidean(k) => ("spd-log-euclidean", k),
            Space::SpdAffineInvariant(k) => ("spd-affine-invariant", k),
            Space::Kendall(k) => ("kendall", k),
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (family, size) = self.parts();
        write!(f, "{family}:{size}")
    }
}

impl FromStr for Space {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownManifold { name: name.to_owned() };
        let (family, size) = name.trim().split_once(':').ok_or_else(unknown)?;
        let size: usize = size.parse().map_err(|_| unknown())?;
        match family {
            "euclidean" => Ok(Space::Euclidean(size)),
            "sphere" => Ok(Space::Sphere(size)),
            "hyperbolic" => Ok(Space::Hyperbolic(size)),
            "spd-log-euclidean" => Ok(Space::SpdLogEuclidean(size)),
            "spd-affine-invariant" => Ok(Space::SpdAffineInvariant(size)),
            "kendall" => Ok(Space::Kendall(size)),
            _ => Err(unknown()),
        }
    }
}

impl serde::Serialize for Space {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
