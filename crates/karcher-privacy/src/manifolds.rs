//! Manifolds and the spaces of constant curvature that stand for them.

use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::noise::Law;
use crate::profile::ConstantCurvature;
use karcher_geometry::manifold::{CurvatureBounds, Manifold, Model};
use std::f64::consts::PI;

impl ConstantCurvature {
    /// The space that a manifold is isometric to, if there is one ([`Manifold::model`]): not SPD(k) with the
    /// affine-invariant metric for `k ≥ 2` and `kendall:K` for `K ≥ 4`, nor, from two dimensions on, projective space,
    /// rotations and subspaces, which are not simply connected. The law is that of the noise whose privacy is
    /// asked for; only the refusal speaks of it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where there is none.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Kendall, SpdAffineInvariant};
    /// use karcher_privacy::{ConstantCurvature, noise::Law};
    /// let triangles = ConstantCurvature::of(&Kendall::new(3)?, Law::Gaussian)?;
    /// assert_eq!((triangles.dimension(), triangles.curvature()), (2, 4.0)); // the shapes of triangles are a sphere
    /// assert!(ConstantCurvature::of(&SpdAffineInvariant::new(2)?, Law::Gaussian).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(manifold: &dyn Manifold, law: Law) -> Result<Self> {
        match manifold.model() {
            Model::Flat => return Self::new(manifold.dim(), 0.0),
            Model::Circle { length } => return Self::new(1, (2.0 * PI / length).powi(2)),
            Model::Sphere { curvature } | Model::Hyperbolic { curvature } => {
                return Self::new(manifold.dim(), curvature);
            }
            Model::Other => (),
        }
        let (mechanism, instead) = match law {
            Law::Gaussian => ("gaussian", "Gaussian noise there; use the chart mechanism or the private Karcher flow"),
            Law::Laplace => {
                ("exactly profiled laplace", "Laplace noise there; what holds is pure epsilon = sensitivity / scale")
            }
        };
        let CurvatureBounds { lower, upper } = manifold.curvature();
        let what = if lower == upper { "it is not simply connected" } else { "its curvature is not constant" };
        let reason = format!("{what}, and no one-dimensional integral gives the privacy of {instead}");
        Err(Error::Unsupported { mechanism, space: manifold.space().clone(), reason })
    }
}

/// [`ConstantCurvature::gaussian_scale`] on the space that a manifold is isometric to.
///
/// # Errors
/// [`Error::Unsupported`] where there is no such space ([`ConstantCurvature::of`]), and those of
/// [`ConstantCurvature::gaussian_scale`].
///
/// ```
/// use karcher_geometry::manifold::{Hyperbolic, Sphere};
/// use karcher_privacy::{Guarantee, curved_gaussian_scale};
/// let guarantee = Guarantee::gaussian(1.0)?;
/// let flat = 0.1; // Δ/μ
/// assert!(curved_gaussian_scale(&Sphere::new(2)?, 0.1, &guarantee)? < flat);
/// assert!(curved_gaussian_scale(&Hyperbolic::new(2)?, 0.1, &guarantee)? > flat);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn curved_gaussian_scale(manifold: &dyn Manifold, sensitivity: f64, guarantee: &Guarantee) -> Result<f64> {
    ConstantCurvature::of(manifold, Law::Gaussian)?.gaussian_scale(sensitivity, guarantee)
}

/// [`ConstantCurvature::gaussian_guarantee`] on the space that a manifold is isometric to.
///
/// # Errors
/// As for [`curved_gaussian_scale`].
///
/// ```
/// use karcher_geometry::manifold::{Euclidean, Sphere};
/// use karcher_privacy::{Definition, Guarantee, curved_gaussian_guarantee};
/// assert_eq!(curved_gaussian_guarantee(&Euclidean::new(2)?, 0.25, 0.5)?, Guarantee::gaussian(0.5)?);
/// let on_sphere = curved_gaussian_guarantee(&Sphere::new(2)?, 0.25, 0.5)?;
/// let Definition::Gaussian { mu } = on_sphere.definition() else { panic!() };
/// assert!(mu < 0.5); // geodesics that come together make noise more private
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn curved_gaussian_guarantee(manifold: &dyn Manifold, sensitivity: f64, scale: f64) -> Result<Guarantee> {
    ConstantCurvature::of(manifold, Law::Gaussian)?.gaussian_guarantee(sensitivity, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifold_finds_its_space() {
        use karcher_geometry::manifold::{
            Euclidean, Hyperbolic, Kendall, Manifold, SpdAffineInvariant, SpdLogEuclidean, Sphere,
        };
        let cases: [(Box<dyn Manifold>, usize, f64); 9] = [
            (Box::new(Euclidean::new(3).unwrap()), 3, 0.0),
            (Box::new(Sphere::new(1).unwrap()), 1, 1.0),
            (Box::new(Sphere::new(4).unwrap()), 4, 1.0),
            (Box::new(Hyperbolic::new(1).unwrap()), 1, 0.0),
            (Box::new(Hyperbolic::new(3).unwrap()), 3, -1.0),
            (Box::new(SpdLogEuclidean::new(3).unwrap()), 6, 0.0),
            (Box::new(SpdAffineInvariant::new(1).unwrap()), 1, 0.0),
            (Box::new(Kendall::new(3).unwrap()), 2, 4.0),
            (Box::new(Sphere::new(2).unwrap()), 2, 1.0),
        ];
        for (manifold, dimension, curvature) in cases {
            let space = ConstantCurvature::of(manifold.as_ref(), Law::Gaussian).unwrap();
            assert_eq!(space, ConstantCurvature::new(dimension, curvature).unwrap(), "{:?}", manifold.space());
        }
        let refused: [Box<dyn Manifold>; 2] =
            [Box::new(SpdAffineInvariant::new(2).unwrap()), Box::new(Kendall::new(4).unwrap())];
        for manifold in refused {
            let error = |law| ConstantCurvature::of(manifold.as_ref(), law).unwrap_err().to_string();
            let (gaussian, laplace) = (error(Law::Gaussian), error(Law::Laplace));
            assert!(gaussian.contains("chart") && gaussian.contains("Karcher flow"), "{gaussian}");
            assert!(laplace.contains("sensitivity / scale") && !laplace.contains("use the laplace"), "{laplace}");
        }
    }
}
