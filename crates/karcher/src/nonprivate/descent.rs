//! Gradient descent to a Fréchet mean: a fast iteration without a guarantee, and a slow one that always converges.

use crate::error::Result;
use crate::manifold::Manifold;
use crate::records::{ExactSum, Summand};
use crate::vector::norm;

/// Largest number of halvings of a step of the fast iteration before it counts as stuck, and once the gradient is at
/// rounding.
const HALVINGS: usize = 30;
const HALVINGS_AT_ROUNDING: usize = 2;

/// A mean to compute, and the region of its iterates.
pub(crate) struct Descent<'a> {
    pub(crate) manifold: &'a dyn Manifold,
    /// The sum of a summand over the records.
    pub(crate) sum: &'a dyn Fn(&Summand) -> Result<ExactSum>,
    /// Bound of the length of all relevant logarithms, times their weights.
    pub(crate) bound: f64,
    /// Applied to each iterate: it returns one to its region that rounding, or too long a step, took out of it.
    pub(crate) settle: &'a dyn Fn(&mut [f64]),
}

/// A point and the descent direction there.
#[derive(Debug, Clone)]
pub(crate) struct Iterate {
    pub(crate) point: Vec<f64>,
    /// Minus the gradient, `(1/n)·Σ wᵢ·Log_m xᵢ`.
    descent: Vec<f64>,
    /// Its norm.
    pub(crate) size: f64,
    /// The number of steps from the start.
    pub(crate) steps: usize,
}

impl Iterate {
    /// A point with the coordinates of its descent direction.
    pub(crate) fn new(manifold: &dyn Manifold, point: Vec<f64>, coordinates: &[f64]) -> Self {
        let mut descent = vec![0.0; point.len()];
        manifold.from_frame(&point, coordinates, &mut descent);
        Self { point, descent, size: norm(coordinates), steps: 0 }
    }
}

impl Descent<'_> {
    /// A point with its gradient.
    pub(crate) fn at(&self, point: Vec<f64>) -> Result<Iterate> {
        let term = Summand::Log { base: point.clone(), bound: self.bound };
        let coordinates = (self.sum)(&term)?.mean();
        Ok(Iterate::new(self.manifold, point, &coordinates))
    }

    /// Barzilai–Borwein steps, halved where the gradient would not decrease, until it is at `stop`. Returns the last
    /// iterate, which has the smallest gradient, also where no step lowers it any more. Below `floor` rounding may be
    /// the reason, and fewer steps are tried.
    pub(crate) fn fast(&self, start: Iterate, stop: f64, floor: f64, iterations: usize) -> Iterate {
        let (mut now, mut step) = (start, 1.0);
        for _ in 0..iterations {
            if now.size <= stop {
                break;
            }
            let halvings = if now.size <= floor { HALVINGS_AT_ROUNDING } else { HALVINGS };
            let Some((next, taken)) = self.lower(&now, step, halvings) else { break };
            step = taken * self.barzilai_borwein(&now, &next);
            now = next;
        }
        now
    }

    /// Steps of a fixed size until the gradient is at `stop`, at most as many as given. Returns the last iterate.
    pub(crate) fn certain(&self, start: Iterate, step: f64, stop: f64, steps: usize) -> Iterate {
        let mut now = start;
        for _ in 0..steps {
            if now.size <= stop {
                break;
            }
            match self.step(&now, step) {
                Ok(next) if next.size.is_finite() => now = next,
                _ => break,
            }
        }
        now
    }

    /// `Exp_m(t·v)`, `v` minus the gradient.
    fn step(&self, from: &Iterate, t: f64) -> Result<Iterate> {
        let v: Vec<f64> = from.descent.iter().map(|g| t * g).collect();
        let mut next = vec![0.0; from.point.len()];
        self.manifold.exp(&from.point, &v, &mut next);
        (self.settle)(&mut next);
        Ok(Iterate { steps: from.steps + 1, ..self.at(next)? })
    }

    /// One step, halved until the gradient decreases: the next iterate and the step taken.
    fn lower(&self, now: &Iterate, mut step: f64, halvings: usize) -> Option<(Iterate, f64)> {
        for _ in 0..halvings {
            match self.step(now, step) {
                Ok(next) if next.size < now.size => return Some((next, step)),
                _ => step *= 0.5,
            }
        }
        None
    }

    /// The factor `⟨g,g⟩/⟨g, g − g′⟩` on the step, between a tenth and ten, with the new gradient `g′` transported
    /// back. It makes the step exact if the Hessian is a multiple of the identity.
    fn barzilai_borwein(&self, now: &Iterate, next: &Iterate) -> f64 {
        let (p, g) = (&now.point, &now.descent);
        let mut carried = vec![0.0; g.len()];
        if self.manifold.transport(&next.point, p, &next.descent, &mut carried).is_err() {
            return 1.0;
        }
        let along = self.manifold.inner(p, g, g);
        let change = along - self.manifold.inner(p, g, &carried);
        if change > 0.0 { (along / change).clamp(0.1, 10.0) } else { 10.0 }
    }
}

/// The gradient norm below which a gradient of logarithms of up to `reach` at `p` may consist of rounding: of the
/// numbers in `p`, and of the logarithms to their quantum.
pub(crate) fn rounding_floor(manifold: &dyn Manifold, p: &[f64], reach: f64) -> f64 {
    100.0 * resolution(manifold, p) + 4.0 * f64::EPSILON * (manifold.dim() as f64).sqrt() * reach
}

/// Distance by which a change of each number of `p` in its last digit moves the point: small on a sphere, large for a
/// nearly singular matrix.
pub(crate) fn resolution(manifold: &dyn Manifold, p: &[f64]) -> f64 {
    let k = (p.len() as f64).sqrt() as usize;
    // signs that are symmetric for a square matrix, and such that the change is not along `p`
    let sign = |i: usize| if k * k == p.len() { (i / k + i % k) % 2 } else { i % 2 };
    let change: Vec<f64> =
        p.iter().enumerate().map(|(i, p)| if sign(i) == 0 { f64::EPSILON * p } else { -f64::EPSILON * p }).collect();
    let mut coordinates = vec![0.0; manifold.dim()];
    manifold.to_frame(p, &change, &mut coordinates);
    coordinates.iter().fold(0.0, |sum: f64, c| sum + c * c).sqrt().max(f64::EPSILON * (manifold.dim() as f64).sqrt())
}
