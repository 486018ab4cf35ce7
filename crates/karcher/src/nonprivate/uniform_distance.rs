//! The distance between a point of a compact space and a uniformly drawn one.

use crate::manifold::{CutLocus, Manifold};
use std::sync::Arc;

/// Nodes of a density, by the midpoint rule.
const NODES: usize = 2048;

/// Number of squared distances on the grid for a product.
const PLACES: usize = 2048;

/// The largest number of factors whose laws are added up.
const MOST_FACTORS: usize = 64;

/// The law of the distance between a point of a compact space and a uniformly drawn one.
///
/// Spheres, axes, rotations and shapes are two-point homogeneous: an isometry carries any two points to any others with
/// the same distance. There the density is the area of the sphere of that radius, `∝ s^{d−1}·θ(s)`. On products of such
/// spaces, tori among them, squared distances add up. The law is a convolution on a grid, accurate to a thousandth of
/// the squared diameter.
///
/// ```
/// use karcher::{manifold::{Euclidean, Sphere, Torus}, nonprivate::UniformDistance};
/// use std::f64::consts::PI;
/// let sphere = UniformDistance::new(&Sphere::new(2)?).ok_or("it is compact")?;
/// assert!((sphere.mean_square(PI) - (PI * PI - 4.0) / 2.0).abs() < 1e-6); // ½·∫ s²·sin s ds
/// assert!((sphere.share_beyond(PI / 3.0) - 0.75).abs() < 1e-3); // (1 + cos s)/2
/// let torus = UniformDistance::new(&Torus::new(3)?).ok_or("it is compact")?;
/// assert!((torus.mean_square(10.0) - PI * PI).abs() < 1e-5); // 3·π²/3
/// assert!(UniformDistance::new(&Euclidean::new(2)?).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct UniformDistance {
    /// Squared distances and their probabilities.
    squares: Vec<(f64, f64)>,
}

impl UniformDistance {
    /// The law on a space. `None` on spaces that are not compact, and where the law is not known: on `grassmann:N,K`
    /// except for lines, and on products of more than 64 factors.
    pub fn new(manifold: &dyn Manifold) -> Option<Self> {
        let factors: Vec<Arc<dyn Manifold>> = manifold.isometric_factors();
        let squares = match &factors[..] {
            [] => of_sphere_like(manifold)?,
            factors if factors.len() > MOST_FACTORS => return None,
            factors => {
                let top = factors.iter().map(|factor| factor.diameter().powi(2)).sum::<f64>();
                let laws = factors.iter().map(|factor| Some(Self::new(&**factor)?.squares));
                laws.collect::<Option<Vec<_>>>()?.into_iter().reduce(|a, b| sum(&a, &b, top))?
            }
        };
        Some(Self { squares })
    }

    /// `E min(ρ², c²)`, in units of squared distance.
    pub fn mean_square(&self, clip: f64) -> f64 {
        self.mean(|square| square.min(clip * clip))
    }

    /// The standard deviation of `min(ρ², c²)`.
    pub(crate) fn deviation(&self, clip: f64) -> f64 {
        let mean = self.mean_square(clip);
        self.mean(|square| (square.min(clip * clip) - mean).powi(2)).sqrt()
    }

    /// The probability of a distance larger than `radius`.
    pub fn share_beyond(&self, radius: f64) -> f64 {
        self.mean(|square| f64::from(u8::from(square > radius * radius)))
    }

    fn mean(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.squares.iter().map(|(square, probability)| probability * f(*square)).sum()
    }
}

/// The law on a space whose volume density depends on the distance alone.
fn of_sphere_like(manifold: &dyn Manifold) -> Option<Vec<(f64, f64)>> {
    let CutLocus::AtDistance(end) = manifold.cut_locus() else { return None };
    if !manifold.is_two_point_homogeneous() {
        return None;
    }
    let power = (manifold.dim() - 1) as f64;
    let step = end / NODES as f64;
    let log_density = |s: f64| power * s.ln() + manifold.log_volume_density_bound(s).0;
    let nodes: Vec<(f64, f64)> = (0..NODES).map(|i| step * (i as f64 + 0.5)).map(|s| (s * s, log_density(s))).collect();
    let peak = nodes.iter().fold(f64::NEG_INFINITY, |peak, (_, log)| peak.max(*log));
    let total: f64 = nodes.iter().map(|(_, log)| (log - peak).exp()).sum();
    Some(nodes.into_iter().map(|(square, log)| (square, (log - peak).exp() / total)).collect())
}

/// The law of a sum of independent numbers from 0 to `top`, on a grid. The mass between two grid points is split
/// between them, which keeps the mean.
fn sum(a: &[(f64, f64)], b: &[(f64, f64)], top: f64) -> Vec<(f64, f64)> {
    let step = top / (PLACES - 1) as f64;
    let mut probabilities = vec![0.0; PLACES + 1];
    for (x, p) in a.iter().filter(|(_, p)| *p > 0.0) {
        for (y, q) in b {
            let place = ((x + y) / step).min((PLACES - 1) as f64);
            let (below, share) = (place as usize, place.fract());
            probabilities[below] += p * q * (1.0 - share);
            probabilities[below + 1] += p * q * share;
        }
    }
    probabilities.into_iter().enumerate().map(|(i, p)| (i as f64 * step, p)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use std::f64::consts::PI;

    fn law(name: &str) -> Option<UniformDistance> {
        UniformDistance::new(&*name.parse::<Space>().unwrap().manifold().unwrap())
    }

    /// Integrals in closed form: of `s²` on the circle, the three-sphere (`sin²`), rotations (`sin²(s/2)` on [0, π]),
    /// axes of the plane and of space, shapes of triangles (a sphere of radius ½).
    #[test]
    fn mean_squares_are_the_integrals() {
        let axes = PI * PI / 4.0;
        for (name, expected) in [
            ("torus:1", PI * PI / 3.0),
            ("sphere:1", PI * PI / 3.0),
            ("sphere:3", PI * PI / 3.0 - 0.5),
            ("rotations:3", PI * PI / 3.0 + 2.0),
            ("projective:1", axes / 3.0),
            ("projective:2", PI - 2.0),
            ("kendall:3", (PI * PI - 4.0) / 8.0),
            ("torus:5", 5.0 * PI * PI / 3.0),
            ("sphere:2*torus:2", (PI * PI - 4.0) / 2.0 + 2.0 * PI * PI / 3.0),
        ] {
            let found = law(name).unwrap().mean_square(1e3);
            assert!((found / expected - 1.0).abs() < 1e-5, "{name}: {found}, not {expected}");
        }
    }

    /// `P(θ₁² + θ₂² > r²) = 1 − πr²/4π²` for `r ≤ π`, and the mean square cut off at `r` is by parts
    /// `∫₀^{r²} P(ρ² > u) du = r² − r⁴/8π`.
    #[test]
    fn squared_angles_add_up_on_the_torus() {
        let torus = law("torus:2").unwrap();
        for r in [0.5, 1.0, 2.0, 3.0_f64] {
            assert!((torus.share_beyond(r) - (1.0 - r * r / (4.0 * PI))).abs() < 1e-3, "{r}");
            assert!((torus.mean_square(r) - (r.powi(2) - r.powi(4) / (8.0 * PI))).abs() < 1e-4 * r * r, "{r}");
        }
    }

    #[test]
    fn there_is_no_uniform_law_on_spaces_without_end() {
        for name in ["euclidean:2", "hyperbolic:2", "spd-affine-invariant:2", "sphere:2*euclidean:1", "grassmann:5,2"] {
            assert!(law(name).is_none(), "{name}");
        }
        assert!(law("grassmann:5,1").is_some(), "axes under another name");
    }
}
