//! Random walks: a density and symmetric proposals, all that [`Metropolis`](super::Metropolis) needs.

use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use crate::noise::Generator;
use crate::vector::norm;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Largest distance of a tangent vector from its tangent space, relative to its length: callers may hold rounded
/// numbers.
const TANGENT_TOLERANCE: f64 = 1e-6;

/// A density together with symmetric proposals: the law to draw from and how to move about in it.
///
/// A state is a slice of numbers. Densities are with respect to a reference measure for which proposals are symmetric:
/// `q(x → y) = q(y → x)`.
///
/// ```
/// use karcher::{Result, sampler::{Generator, Metropolis, RandomWalk}};
/// use rand::RngExt;
///
/// /// The geometric law of ratio ½ on 0, 1, 2, …: steps of one to either side, of equal chance.
/// struct Geometric;
///
/// impl RandomWalk for Geometric {
///     fn dim(&self) -> usize {
///         1
///     }
///     fn check_state(&self, _state: &[f64]) -> Result<()> {
///         Ok(())
///     }
///     fn log_density(&self, state: &[f64]) -> f64 {
///         if state[0] >= 0.0 { -state[0] * 2.0_f64.ln() } else { f64::NEG_INFINITY }
///     }
///     fn propose(&self, state: &[f64], _step: f64, generator: &mut Generator, out: &mut [f64]) -> bool {
///         out[0] = state[0] + if generator.random() { 1.0 } else { -1.0 };
///         true
///     }
/// }
///
/// let chains = Metropolis::new(100, 10_000).step(1.0).sample(&Geometric, &[vec![0.0]], &mut Generator::seeded(1))?;
/// let zeros = chains.scalars(|x| x[0])[0].iter().filter(|x| **x == 0.0).count();
/// assert!((zeros as f64 / 10_000.0 - 0.5).abs() < 0.05);
/// # Ok::<(), karcher::Error>(())
/// ```
pub trait RandomWalk: Sync {
    /// Dimension of the space: the number of independent normal numbers in a proposal.
    fn dim(&self) -> usize;

    /// Whether `state` is a state; the only check of a start that a caller passes.
    ///
    /// # Errors
    /// The error in it.
    fn check_state(&self, state: &[f64]) -> Result<()>;

    /// Logarithm of the density, up to a constant; `−∞` outside of its support. (`NaN` and `+∞` are taken for `−∞`.)
    fn log_density(&self, state: &[f64]) -> f64;

    /// Writes to `out` (as long as `state`) a proposal whose distance from `state` is proportional to `step`.
    ///
    /// `false` rejects the move: the chain then stays where it is, as if the density at the proposal were 0. Rejections
    /// must be symmetric too: a move from x to y exactly when the one from y to x is.
    #[must_use]
    fn propose(&self, state: &[f64], step: f64, generator: &mut Generator, out: &mut [f64]) -> bool;
}

/// A random walk over a density on a manifold, with respect to the Riemannian volume: `x ↦ Exp_x(t·σ·v)`, `v` standard
/// normal in an orthonormal frame at `x`, `t` the step that is tuned (user guide, \[E4\]).
///
/// The proposal is symmetric. Its density at `y` is the sum, over all geodesics from `x` to `y` that take unit time, of
/// the normal density at their initial velocity `v` divided by `θ(v) = |det D Exp_x(v)|`. Each of them, run backwards,
/// is one from `y` to `x`, with the same length and the same `θ` (a property of Jacobi fields). So the two sums are
/// equal term by term. This holds also on spheres and shape spaces, where a proposal goes past the cut locus and there
/// is more than one term.
///
/// A proposal that is not a point in double precision (a matrix that is not positive definite any more) is refused.
#[derive(Debug, Clone)]
pub struct ManifoldWalk<'a, F> {
    manifold: &'a dyn Manifold,
    scale: f64,
    log_density: F,
}

impl<'a, F: Fn(&[f64]) -> f64 + Sync> ManifoldWalk<'a, F> {
    /// `scale` is about the standard deviation of the law in each direction, in units of distance; tuning mends a wrong
    /// one. `log_density` takes a point; up to a constant, `−∞` outside the support. (On shape spaces it must not
    /// depend on how the configuration is turned.)
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless the scale is a positive number.
    ///
    /// ```
    /// use karcher::{manifold::Sphere, sampler::{Generator, ManifoldWalk, RandomWalk}};
    /// let sphere = Sphere::new(2)?;
    /// let northern = ManifoldWalk::new(&sphere, 0.5, |x: &[f64]| if x[2] > 0.0 { 0.0 } else { f64::NEG_INFINITY })?;
    /// assert_eq!((northern.dim(), northern.log_density(&[0.0, 0.6, -0.8])), (2, f64::NEG_INFINITY));
    /// let mut proposal = [0.0; 3];
    /// assert!(northern.propose(&[0.0, 0.0, 1.0], 1.0, &mut Generator::seeded(1), &mut proposal));
    /// assert!(northern.check_state(&proposal).is_ok()); // a point of the sphere
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: &'a dyn Manifold, scale: f64, log_density: F) -> Result<Self> {
        check_scale("scale", scale)?;
        Ok(Self { manifold, scale, log_density })
    }
}

impl<F: Fn(&[f64]) -> f64 + Sync> RandomWalk for ManifoldWalk<'_, F> {
    fn dim(&self) -> usize {
        self.manifold.dim()
    }

    fn check_state(&self, state: &[f64]) -> Result<()> {
        Ok(self.manifold.check_point(state)?)
    }

    fn log_density(&self, state: &[f64]) -> f64 {
        (self.log_density)(state)
    }

    fn propose(&self, state: &[f64], step: f64, generator: &mut Generator, out: &mut [f64]) -> bool {
        let coordinates = normal(self.manifold.dim(), step * self.scale, generator);
        let mut v = vec![0.0; state.len()];
        self.manifold.from_frame(state, &coordinates, &mut v);
        self.manifold.exp(state, &v, out);
        self.manifold.check_point(out).is_ok()
    }
}

/// A random walk over a density on the tangent bundle `{(p, v): v ∈ T_pM}`, with respect to the Riemannian volume for
/// `p` times the Euclidean one of `T_pM` for `v` (user guide, \[E4\]). A state is the numbers of `p`, then those of
/// `v`.
///
/// `p′ = Exp_p(t·σ·u)` and `v′ = P v + t·σᵥ·w`, with `P` the parallel transport along the shortest geodesic from `p` to
/// `p′`, and `u`, `w` standard normal in orthonormal frames at `p` and `p′`.
///
/// The proposal is symmetric. Its density at `(p′, v′)` is that of `p′`, which is symmetric as for [`ManifoldWalk`],
/// times a function of `‖v′ − P v‖`. And `‖v − P⁻¹v′‖` is the same because `P` is an isometry and `P⁻¹` the transport
/// of the way back. (`P` depends on `p` and `p′` alone: a move that went past the cut locus makes no difference.
/// Proposals at the cut locus, of probability 0, are rejected.)
#[derive(Debug, Clone)]
pub struct TangentBundleWalk<'a, F> {
    manifold: &'a dyn Manifold,
    scale: f64,
    tangent_scale: f64,
    log_density: F,
}

impl<'a, F: Fn(&[f64], &[f64]) -> f64 + Sync> TangentBundleWalk<'a, F> {
    /// `scale` and `tangent_scale` are about the standard deviations of the law in each direction of the point and of
    /// the tangent vector. `log_density` takes a point and a tangent vector there; up to a constant, `−∞` outside the
    /// support. (On shape spaces it must not depend on how the two are turned together.)
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless the scales are positive numbers.
    ///
    /// ```
    /// use karcher::{manifold::Sphere, sampler::{Generator, RandomWalk, TangentBundleWalk}};
    /// let circle = Sphere::new(1)?;
    /// let short = |_p: &[f64], v: &[f64]| -50.0 * (v[0] * v[0] + v[1] * v[1]);
    /// let walk = TangentBundleWalk::new(&circle, 0.5, 0.1, short)?;
    /// assert!(walk.check_state(&[1.0, 0.0, 0.0, 0.3]).is_ok());
    /// let mut proposal = [0.0; 4];
    /// assert!(walk.propose(&[1.0, 0.0, 0.0, 0.3], 1.0, &mut Generator::seeded(1), &mut proposal));
    /// assert!((proposal[0] * proposal[2] + proposal[1] * proposal[3]).abs() < 1e-14); // v is tangent at the new p
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: &'a dyn Manifold, scale: f64, tangent_scale: f64, log_density: F) -> Result<Self> {
        check_scale("scale", scale)?;
        check_scale("tangent scale", tangent_scale)?;
        Ok(Self { manifold, scale, tangent_scale, log_density })
    }
}

impl<F: Fn(&[f64], &[f64]) -> f64 + Sync> RandomWalk for TangentBundleWalk<'_, F> {
    fn dim(&self) -> usize {
        2 * self.manifold.dim()
    }

    fn check_state(&self, state: &[f64]) -> Result<()> {
        let (p, v) = state.split_at(self.manifold.point_len().min(state.len()));
        self.manifold.check_point(p)?;
        let invalid = |reason: &str| {
            let reason = format!("its tangent vector {reason}");
            Err(GeometryError::InvalidPoint { space: self.manifold.space().clone(), reason }.into())
        };
        if v.len() != p.len() {
            return invalid(&format!("is {} numbers, it must be {}", v.len(), p.len()));
        }
        let mut coordinates = vec![0.0; self.manifold.dim()];
        let mut tangent = v.to_vec();
        self.manifold.to_frame(p, v, &mut coordinates);
        self.manifold.from_frame(p, &coordinates, &mut tangent);
        tangent.iter_mut().zip(v).for_each(|(t, v)| *t -= v);
        if norm(&tangent) <= TANGENT_TOLERANCE * norm(v) {
            Ok(())
        } else {
            invalid("is not tangent to the space there")
        }
    }

    fn log_density(&self, state: &[f64]) -> f64 {
        let (p, v) = state.split_at(self.manifold.point_len());
        (self.log_density)(p, v)
    }

    fn propose(&self, state: &[f64], step: f64, generator: &mut Generator, out: &mut [f64]) -> bool {
        let manifold = self.manifold;
        let (p, v) = state.split_at(manifold.point_len());
        let (next, next_v) = out.split_at_mut(manifold.point_len());
        let mut coordinates = normal(manifold.dim(), step * self.scale, generator);
        let change = normal(manifold.dim(), step * self.tangent_scale, generator);
        manifold.from_frame(p, &coordinates, next_v);
        manifold.exp(p, next_v, next);
        let mut carried = vec![0.0; v.len()];
        if manifold.check_point(next).is_err() || manifold.transport(p, next, v, &mut carried).is_err() {
            return false;
        }
        // by way of coordinates, which removes what rounding took off the tangent space
        manifold.to_frame(next, &carried, &mut coordinates);
        coordinates.iter_mut().zip(change).for_each(|(c, w)| *c += w);
        manifold.from_frame(next, &coordinates, next_v);
        next_v.iter().all(|x| x.is_finite())
    }
}

fn check_scale(name: &'static str, value: f64) -> Result<()> {
    if (1e-100..=1e100).contains(&value) {
        return Ok(());
    }
    let requirement = "it must be a positive number (from 1e-100 to 1e100)".to_owned();
    Err(Error::InvalidParameter { name, value, requirement })
}

/// Independent normal numbers.
fn normal(dim: usize, scale: f64, generator: &mut Generator) -> Vec<f64> {
    (0..dim).map(|_| scale * generator.sample::<f64, _>(StandardNormal)).collect()
}
