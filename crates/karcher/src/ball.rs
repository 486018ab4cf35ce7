//! The public ball that bounds the records.

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::{Points, PointsView};

/// A closed geodesic ball `B_r(m₀)`. **Centre and radius are public**: they are printed with every release and must come
/// from the user's knowledge of the field, never from the records.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Ball {
    center: Vec<f64>,
    radius: f64,
}

/// A clipped record lies within `radius·(1 + CLIP_SLACK)` of the centre in spite of rounding; sensitivities allow for it.
pub const CLIP_SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

impl Ball {
    /// The ball of a radius around a centre.
    ///
    /// # Errors
    /// When the centre is not a point of the manifold, or the radius is not a positive number.
    pub fn new(manifold: &dyn Manifold, mut center: Vec<f64>, radius: f64) -> Result<Self> {
        manifold.check_point(&center)?;
        manifold.normalize(&mut center);
        if !(radius > 0.0 && radius.is_finite()) {
            let requirement =
                "it must be a positive number: the distance from the center within which records are kept".to_owned();
            return Err(Error::InvalidParameter { name: "radius", value: radius, requirement });
        }
        Ok(Self { center, radius })
    }

    /// The ball around the manifold's [`origin`](Manifold::origin).
    ///
    /// # Errors
    /// As for [`Ball::new`].
    pub fn at_origin(manifold: &dyn Manifold, radius: f64) -> Result<Self> {
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        Self::new(manifold, center, radius)
    }

    /// The centre `m₀`.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// The radius `r`.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Pulls a point outside the ball to its boundary: `Exp_{m₀}(min(1, r/ρ(m₀,x))·Log_{m₀}x)` (user guide, C1).
    ///
    /// The result is within `r·(1 + 2⁻⁴⁰)` of the centre as [`Manifold::dist`] measures it. A point at the cut locus of the
    /// centre, or one that rounding would leave outside, becomes the centre. One record's result depends on that record
    /// alone, so neighbouring data sets stay neighbours.
    pub fn clip(&self, manifold: &dyn Manifold, x: &[f64], out: &mut [f64]) {
        let limit = self.radius * (1.0 + CLIP_SLACK);
        let distance = manifold.dist(&self.center, x);
        if distance <= limit {
            out.copy_from_slice(x);
            return;
        }
        let mut v = vec![0.0; x.len()];
        if manifold.log(&self.center, x, &mut v).is_ok() {
            // a second try a little inside, where rounding in Exp took the first one out
            for radius in [self.radius, self.radius * (1.0 - 1e-6)] {
                let scaled: Vec<f64> = v.iter().map(|v| v * (radius / distance)).collect();
                manifold.exp(&self.center, &scaled, out);
                if manifold.dist(&self.center, out) <= limit && manifold.check_point(out).is_ok() {
                    return;
                }
            }
        }
        out.copy_from_slice(&self.center);
    }

    /// [`clip`](Ball::clip) of every record.
    pub fn clip_all<'a>(&self, manifold: &dyn Manifold, points: impl Into<PointsView<'a>>) -> Points {
        points.into().map(manifold.point_len(), |records, out| {
            for (x, out) in records.iter().zip(out.chunks_exact_mut(manifold.point_len())) {
                self.clip(manifold, x, out);
            }
        })
    }
}
