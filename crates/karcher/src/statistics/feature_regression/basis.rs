//! A public basis of tangent vectors, in which responses are fitted.

use crate::error::{Error, Result};
use crate::records::Centered;
use crate::vector::{add_scaled, dot, norm};

/// A vector depends on those before it if its part orthogonal to them is shorter than this fraction of it.
const INDEPENDENT: f64 = 1e-6;

/// An orthonormal basis, in coordinates of the frame at the image of the ball's center.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Basis {
    /// The vectors as they were given.
    given: Vec<Vec<f64>>,
    rows: Vec<f64>,
    dim: usize,
}

impl Basis {
    /// The span of tangent vectors at the center of a ball, in the numbers of the space. Their parts that are not
    /// tangent are left out, and vectors that depend on those before them.
    ///
    /// # Errors
    /// [`Error::Field`] for vectors of another length, and where none is tangent.
    pub(super) fn new(centered: &Centered, vectors: &[Vec<f64>]) -> Result<Self> {
        let (manifold, ball) = (centered.manifold(), centered.of());
        let (len, dim) = (manifold.point_len(), manifold.dim());
        let refused = |reason: String| Err(Error::Field { name: "basis", reason });
        let most = 4 * dim + 64;
        if !(1..=most).contains(&vectors.len()) {
            return refused(format!("it has {} vectors, and may have 1 to {most}", vectors.len()));
        }
        let mut rows: Vec<f64> = vec![];
        for (i, vector) in vectors.iter().enumerate() {
            if vector.len() != len || !norm(vector).is_finite() {
                return refused(format!("vector {} must have {len} finite numbers", i + 1));
            }
            let mut row = in_frame(centered, vector, ball.radius());
            let whole = norm(&row);
            // twice, so that rounding leaves no part
            for _ in 0..2 {
                for other in rows.chunks_exact(dim) {
                    let along = dot(&row, other);
                    add_scaled(&mut row, -along, other);
                }
            }
            let left = norm(&row);
            if left > INDEPENDENT * whole {
                rows.extend(row.iter().map(|x| x / left));
            }
        }
        if rows.is_empty() {
            return refused("none of its vectors is tangent at the center".to_owned());
        }
        Ok(Self { given: vectors.to_vec(), rows, dim })
    }

    /// The dimension of the span.
    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.dim
    }

    /// The vectors as they were given.
    pub(super) fn given(&self) -> &[Vec<f64>] {
        &self.given
    }

    /// The orthonormal rows, one after the other.
    pub(super) fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// `Σ cⱼ·uⱼ`.
    pub(super) fn combined(&self, along: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.dim];
        for (c, u) in along.iter().zip(self.rows.chunks_exact(self.dim)) {
            add_scaled(&mut sum, *c, u);
        }
        sum
    }
}

/// The direction of a tangent vector at the ball's center in the frame at its image: isometries keep logarithms.
fn in_frame(centered: &Centered, vector: &[f64], radius: f64) -> Vec<f64> {
    let (manifold, center) = (centered.manifold(), centered.of().center());
    let mut coordinates = vec![0.0; manifold.dim()];
    manifold.to_frame(center, vector, &mut coordinates);
    let length = norm(&coordinates);
    let reach = radius.min(0.5 * manifold.injectivity_radius()).min(1.0);
    if length > 0.0 {
        coordinates.iter_mut().for_each(|c| *c *= reach / length);
    }
    let (mut v, mut end) = (vec![0.0; center.len()], vec![0.0; center.len()]);
    manifold.from_frame(center, &coordinates, &mut v);
    manifold.exp(center, &v, &mut end);
    centered.held(&end)
}
