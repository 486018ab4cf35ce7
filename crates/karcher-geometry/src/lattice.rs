//! Rounding of releases to a public lattice, seen from the ball's center (user guide, Q1).
//!
//! A mechanism's proof speaks of the law of a *point*, but a program holds numbers that say more. On shape spaces they
//! are a representative of the point, which turns with the way it was computed. Everywhere the pattern of the last
//! digits depends on where the draw started. So a private point `y` leaves as
//!
//! `Exp_{m₀}(ℓ·z)`, `z = round(Log_{m₀}(y)/ℓ) ∈ Z^d`
//!
//! in coordinates of the frame at the public center `m₀`. It is a function of the integers `z` and of public
//! quantities. `Log_{m₀}` depends on the point alone, not on its representative, and its rounding errors are far
//! smaller than `ℓ`. A tangent vector is carried to `m₀` together with its footpoint, rounded there, and carried back
//! to the rounded footpoint: both turn together.

use crate::manifold::{Geodesic, Manifold, norm};

/// The step, as a share of the noise's scale: rounding moves a value by less than a millionth of the noise.
const SHARE: f64 = 1.0 / (1_u64 << 20) as f64;

/// The least step, as a share of how far values reach: well above the rounding error of a logarithm.
const LEAST: f64 = 1.0 / (1_u64 << 44) as f64;

/// The share of the reach of `Exp` that is kept clear for rounding in `Log`.
const CLEAR: f64 = 1e-9;

/// A lattice `ℓ·Z^d`, `ℓ` a power of two, in a ball: points rounded to it are functions of the point, not of the
/// numbers that represent it (user guide, Q1).
///
/// ```
/// use karcher_geometry::{Lattice, manifold::Projective};
/// let (axes, center) = (Projective::new(1)?, [1.0, 0.0]);
/// let lattice = Lattice::new(&axes, 0.1, 0.8, 0.1);
/// let rounded = |p: [f64; 2]| Lattice::point(&axes, &center, &lattice.coordinates(&axes, &center, &p));
/// assert_eq!(rounded([0.8, 0.6]), rounded([-0.8, -0.6])); // one axis, bit by bit
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    step: f64,
    /// No coordinates are longer.
    limit: f64,
}

impl Lattice {
    /// The lattice for noise of a scale, in a ball of a radius, when the expected distance is about `expected`: all
    /// public.
    ///
    /// `ℓ` is the largest power of two up to `2⁻²⁰·min{σ, s}/sinhc(a·s)`, `s = r + 2·expected`, `a = √−κ₋`, but no less
    /// than `2⁻⁴⁴·s`. At distance `s`, `Exp_{m₀}` stretches by at most `sinhc(a·s) = sinh(a·s)/(a·s)`.
    ///
    /// `Exp` may end at [`max_step`](Manifold::max_step). A draw that would lie farther from the confidential mean then
    /// lies on a sphere around it. Its distance from the center would show where the mean is. So coordinates are
    /// shortened to `max_step − r`: every such draw is at least that far from the center, and comes out as the same
    /// multiple of its direction wherever the mean is.
    ///
    /// ```
    /// use karcher_geometry::{Lattice, manifold::Euclidean};
    /// let lattice = Lattice::new(&Euclidean::new(1)?, 1.0, 2.0, 0.5);
    /// assert_eq!(lattice.step(), 2f64.powi(-20));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(manifold: &dyn Manifold, scale: f64, radius: f64, expected: f64) -> Self {
        let reach = radius + 2.0 * expected.min(manifold.diameter());
        let x = (-manifold.curvature().lower).max(0.0).sqrt() * reach;
        let stretch = if x > 0.0 { x.sinh() / x } else { 1.0 };
        // noise wider than all bounds makes no value coarser than they are
        let noise = scale.min(reach);
        let max_step = if manifold.flat_chart().is_some() { f64::INFINITY } else { manifold.max_step() };
        Self {
            step: power_of_two((SHARE * noise / stretch).max(LEAST * reach)),
            limit: ((max_step - radius) * (1.0 - CLEAR)).max(0.0),
        }
    }

    /// The same lattice for functions of noisy sums: these are outputs, and may be any point.
    pub fn of_outputs(self) -> Self {
        Self { limit: f64::INFINITY, ..self }
    }

    /// The lattice of a step that was published: nothing is shortened on it.
    ///
    /// ```
    /// use karcher_geometry::Lattice;
    /// assert_eq!(Lattice::of_step(0.25).rounded(vec![0.3, -7.9]), [0.25, -8.0]);
    /// ```
    pub fn of_step(step: f64) -> Self {
        Self { step, limit: f64::INFINITY }
    }

    /// `ℓ`.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The coordinates at `center` of the lattice point next to `y`. A point at the cut locus, where no draw falls,
    /// counts as the center.
    ///
    /// ```
    /// use karcher_geometry::{Lattice, manifold::Euclidean};
    /// let (line, lattice) = (Euclidean::new(1)?, Lattice::new(&Euclidean::new(1)?, 1.0, 2.0, 0.5));
    /// assert_eq!(lattice.coordinates(&line, &[1.0], &[1.5 + 1e-9]), [0.5]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn coordinates(&self, space: &dyn Manifold, center: &[f64], y: &[f64]) -> Vec<f64> {
        let (mut v, mut c) = (vec![0.0; center.len()], vec![0.0; space.dim()]);
        // the smallest eigenvalues of a matrix that is singular in double precision are rounding errors, and must not
        // leave
        let mut y = y.to_vec();
        space.repair(&mut y);
        if space.log(center, &y, &mut v).is_ok() {
            space.to_frame(center, &v, &mut c);
        }
        let length = norm(&c);
        if length > self.limit {
            c.iter_mut().for_each(|c| *c *= self.limit / length);
        }
        self.round(&mut c);
        c
    }

    /// The point with these coordinates at `center`.
    ///
    /// ```
    /// use karcher_geometry::{Lattice, manifold::Euclidean};
    /// assert_eq!(Lattice::point(&Euclidean::new(1)?, &[1.0], &[0.5]), [1.5]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn point(space: &dyn Manifold, center: &[f64], coordinates: &[f64]) -> Vec<f64> {
        let (mut v, mut y) = (vec![0.0; center.len()], vec![0.0; center.len()]);
        space.from_frame(center, coordinates, &mut v);
        space.exp(center, &v, &mut y);
        y
    }

    /// The geodesic whose footpoint and velocity, carried to `center`, are on the lattice, next to the one given.
    pub fn geodesic(&self, space: &dyn Manifold, center: &[f64], geodesic: &Geodesic) -> Geodesic {
        let footpoint = Self::point(space, center, &self.coordinates(space, center, &geodesic.footpoint));
        let (mut v, mut c) = (vec![0.0; center.len()], vec![0.0; space.dim()]);
        if space.transport(&geodesic.footpoint, center, &geodesic.velocity, &mut v).is_ok() {
            space.to_frame(center, &v, &mut c);
        }
        self.round(&mut c);
        space.from_frame(center, &c, &mut v);
        let mut velocity = vec![0.0; center.len()];
        if space.transport(center, &footpoint, &v, &mut velocity).is_err() {
            velocity.fill(0.0);
        }
        Geodesic { footpoint, velocity }
    }

    /// The coordinates of the lattice point next to these noisy ones, which may be any numbers.
    pub fn rounded(&self, mut coordinates: Vec<f64>) -> Vec<f64> {
        self.round(&mut coordinates);
        coordinates
    }

    /// The step of a lattice for integers with exact noise: a power of two, 2⁻³⁰ of a length, but long enough that
    /// coordinates up to `reach` are integers below 2⁵⁰.
    ///
    /// ```
    /// use karcher_geometry::Lattice;
    /// assert_eq!(Lattice::finest(1.0, 1.0), 2f64.powi(-30));
    /// ```
    pub fn finest(length: f64, reach: f64) -> f64 {
        power_of_two((length / (1_u64 << 30) as f64).max(reach / (1_u64 << 49) as f64))
    }

    /// Rounds each number to a multiple of `ℓ`; NaN becomes 0, and so does −0.
    fn round(&self, coordinates: &mut [f64]) {
        for c in coordinates {
            *c = if c.is_finite() { (*c / self.step).round() * self.step + 0.0 } else { 0.0 };
        }
    }
}

/// The largest power of two that is not larger than a positive number.
fn power_of_two(x: f64) -> f64 {
    // the mantissa holds the part between powers of two; the lengths here are far from the smallest numbers
    f64::from_bits(x.clamp(1e-300, 1e300).to_bits() & !((1 << 52) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Hyperbolic, Sphere};

    #[test]
    fn a_step_is_the_largest_power_of_two_that_its_formula_allows() {
        let sphere = Sphere::new(2).unwrap();
        let exponent = |scale: f64, radius, expected| Lattice::new(&sphere, scale, radius, expected).step().log2();
        assert_eq!(exponent(1.0, 1.5, 0.1), -20.0);
        assert_eq!(exponent(0.7, 1.5, 0.1), -21.0);
        assert_eq!(exponent(1e6, 0.5, 0.25), -20.0); // noise beyond all bounds
        assert_eq!(exponent(1e-12, 0.5, 0.25), -44.0); // the least, of 0.5 + 2·0.25
        let hyperbolic = Hyperbolic::new(2).unwrap();
        let step = Lattice::new(&hyperbolic, 1.0, 4.0, 1.0).step();
        let limit = 2.0_f64.powi(-20) / (6.0_f64.sinh() / 6.0);
        assert!(step <= limit && 2.0 * step > limit, "{step} {limit}");
    }

    #[test]
    fn steps_on_a_compact_space_are_fine_however_wide_the_noise() {
        let sphere = Sphere::new(1).unwrap();
        assert_eq!(Lattice::new(&sphere, 1e6, 0.5, 1.5).step(), 2.0_f64.powi(-19)); // π·2⁻²⁰, rounded down
    }

    /// `Exp` stops at 300, wherever it starts: the result must not show that.
    #[test]
    fn draws_beyond_what_exp_reaches_come_out_alike_from_every_mean() {
        let space = Hyperbolic::new(2).unwrap();
        let (radius, center) = (1.0, [1.0, 0.0, 0.0]);
        let lattice = Lattice::new(&space, 0.9, radius, 200.0);
        let published = |mean: f64, length: f64| {
            let (mut v, mut y) = ([0.0; 3], [0.0; 3]);
            let mean = [mean.cosh(), mean.sinh(), 0.0];
            space.from_frame(&mean, &[length, 0.0], &mut v);
            space.exp(&mean, &v, &mut y);
            lattice.coordinates(&space, &center, &y)
        };
        for sign in [1.0, -1.0] {
            for mean in [-1.0, -0.3, 0.0, 1e-3, 1.0] {
                for length in [301.0, 310.0, 500.0] {
                    assert_eq!(published(mean, sign * length), published(0.0, sign * 300.0), "{mean} {length}");
                }
            }
            assert_ne!(published(0.3, sign * 100.0), published(0.0, sign * 100.0));
        }
    }

    #[test]
    fn coordinates_are_multiples_of_the_step_without_negative_zeros() {
        let lattice = Lattice { step: 0.25, limit: f64::INFINITY };
        let mut c = [0.3, -0.1, 0.126, -7.9, f64::NAN, f64::INFINITY, 1e300];
        lattice.round(&mut c);
        assert_eq!(c, [0.25, 0.0, 0.25, -8.0, 0.0, 0.0, 1e300]);
        assert!(c[1].is_sign_positive());
    }
}
