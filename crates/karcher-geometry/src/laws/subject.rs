//! The space under test, and random points and vectors on it.

use super::Options;
use crate::manifold::vector::{norm, scale};
use crate::manifold::{CurvatureBounds, Manifold};
use rand::RngExt;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::StandardNormal;

/// Rounding that the laws allow, relative to the size of the compared numbers.
pub(super) const TOLERANCE: f64 = 2e-10;

/// Units in the default [`reach`](Options::reach), on spaces without any length of their own.
pub(super) const UNITS_IN_REACH: f64 = 12.0;

/// A space, with operations that return their results.
pub(super) struct Subject<'a> {
    pub(super) manifold: &'a dyn Manifold,
    pub(super) options: &'a Options<'a>,
    /// The length by which samples and tolerances are measured ([`Options::reach`]). The laws then find the same in
    /// kilometres and in metres.
    pub(super) unit: f64,
    /// The norm of the numbers of a tangent vector of length `unit` at the origin: about the size of a point's numbers.
    pub(super) numbers: f64,
}

/// The random objects of a case: a point, another one, two tangent vectors at the first, `q = Exp_p(u)`, `‖v‖` one unit.
pub(super) struct Sample {
    pub(super) generator: ChaCha20Rng,
    /// A number from 0 to 1.
    pub(super) share: f64,
    pub(super) p: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) v: Vec<f64>,
}

impl<'a> Subject<'a> {
    /// The space, measured in its own unit.
    pub(super) fn new(manifold: &'a dyn Manifold, options: &'a Options<'a>) -> Self {
        let mut subject = Self { manifold, options, unit: 1.0, numbers: 1.0 };
        if manifold.dim() == 0 || manifold.point_len() == 0 {
            return subject; // no sample of it is drawn
        }
        let mut along = vec![0.0; manifold.dim()];
        along[0] = 1.0;
        let numbers = norm(&subject.vector(&subject.origin(), &along));
        // a law finds a frame that is wrong
        let numbers = if numbers.is_finite() && numbers > 0.0 { numbers } else { 1.0 };
        let CurvatureBounds { lower, upper } = manifold.curvature();
        let length = lower.abs().max(upper.abs()).sqrt().recip().min(manifold.injectivity_radius());
        let of_origin = norm(&subject.origin()) / numbers;
        subject.unit = match (length.is_finite() && length > 0.0, of_origin.is_finite() && of_origin > 0.0) {
            (true, _) => length,
            (false, true) => of_origin, // rounding is relative to the numbers of a point
            (false, false) => options.reach / UNITS_IN_REACH,
        };
        subject.numbers = numbers * subject.unit;
        subject
    }

    /// Rounding that a distance may have.
    pub(super) fn tolerance(&self) -> f64 {
        TOLERANCE * self.unit
    }

    /// How far from one another the points of a sample are: well inside the injectivity radius, and at most two units,
    /// where numbers are good to ten digits.
    pub(super) fn near(&self) -> f64 {
        (0.95 * self.manifold.injectivity_radius()).min(2.0 * self.unit).min(self.options.reach)
    }

    /// How far the laws look.
    pub(super) fn far(&self) -> f64 {
        self.options.reach.min(self.manifold.max_step())
    }

    /// The points and vectors of a case.
    pub(super) fn sample(&self, case: usize) -> Result<Sample, String> {
        if self.manifold.dim() == 0 || self.manifold.point_len() == 0 {
            return Err("it has no dimension, or its points no numbers".to_owned());
        }
        let mut generator =
            ChaCha20Rng::seed_from_u64(self.options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ case as u64);
        let share = generator.random::<f64>();
        let p = self.point(&mut generator, &self.origin(), self.near() * 0.5);
        let u = self.tangent(&mut generator, &p, self.near() * share);
        let v = self.tangent(&mut generator, &p, self.unit);
        let q = self.exp(&p, &u);
        Ok(Sample { generator, share, p, q, u, v })
    }

    pub(super) fn origin(&self) -> Vec<f64> {
        let mut p = vec![0.0; self.manifold.point_len()];
        self.manifold.origin(&mut p);
        p
    }

    /// Random coordinates of the given length: every other time in a random direction, else along an axis of the frame
    /// or halfway between two. A random direction misses the extremes there in high dimension.
    pub(super) fn direction(&self, generator: &mut dyn Rng, length: f64) -> Vec<f64> {
        let d = self.manifold.dim();
        let mut c: Vec<f64> = vec![0.0; d];
        match generator.random_range(0..4) {
            0 => c[generator.random_range(0..d)] = if generator.random() { 1.0 } else { -1.0 },
            1 => (0..2).for_each(|_| c[generator.random_range(0..d)] = if generator.random() { 1.0 } else { -1.0 }),
            _ => c.iter_mut().for_each(|c| *c = generator.sample(StandardNormal)),
        }
        let size = norm(&c);
        scale(&mut c, length / size);
        c
    }

    /// A tangent vector at `p` of the given length.
    pub(super) fn tangent(&self, generator: &mut dyn Rng, p: &[f64], length: f64) -> Vec<f64> {
        let c = self.direction(generator, length);
        self.vector(p, &c)
    }

    /// A point at the given distance from `p`.
    pub(super) fn point(&self, generator: &mut dyn Rng, p: &[f64], distance: f64) -> Vec<f64> {
        let v = self.tangent(generator, p, distance);
        self.exp(p, &v)
    }

    pub(super) fn exp(&self, p: &[f64], v: &[f64]) -> Vec<f64> {
        let mut q = vec![0.0; p.len()];
        self.manifold.exp(p, v, &mut q);
        q
    }

    pub(super) fn log(&self, p: &[f64], q: &[f64]) -> Result<Vec<f64>, String> {
        let mut v = vec![0.0; p.len()];
        self.manifold
            .log(p, q, &mut v)
            .map_err(|error| format!("at distance {}: {error}", self.manifold.dist(p, q)))?;
        Ok(v)
    }

    pub(super) fn transport(&self, p: &[f64], q: &[f64], v: &[f64]) -> Result<Vec<f64>, String> {
        let mut w = vec![0.0; p.len()];
        let carried = self.manifold.transport(p, q, v, &mut w);
        carried.map_err(|error| format!("at distance {}: {error}", self.manifold.dist(p, q)))?;
        Ok(w)
    }

    pub(super) fn coordinates(&self, p: &[f64], v: &[f64]) -> Vec<f64> {
        let mut c = vec![0.0; self.manifold.dim()];
        self.manifold.to_frame(p, v, &mut c);
        c
    }

    /// The tangent vector with these coordinates in the frame at `p`.
    pub(super) fn vector(&self, p: &[f64], c: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; p.len()];
        self.manifold.from_frame(p, c, &mut v);
        v
    }

    /// `‖u − v‖_p` relative to the larger of one unit and `‖u‖_p`.
    pub(super) fn error(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        let difference: Vec<f64> = u.iter().zip(v).map(|(u, v)| u - v).collect();
        self.manifold.norm(p, &difference) / self.manifold.norm(p, u).max(self.unit)
    }

    /// Points and vectors by other representatives.
    pub(super) fn turned<const N: usize>(
        &self,
        generator: &mut dyn Rng,
        vectors: [&[f64]; N],
    ) -> Result<[Vec<f64>; N], String> {
        match self.options.gauge {
            Some(gauge) => as_many(gauge(generator, &vectors)),
            None => Ok(vectors.map(<[f64]>::to_vec)),
        }
    }
}

/// The points that an isometry or a gauge returned, if they are `N`.
pub(super) fn as_many<const N: usize>(images: Vec<Vec<f64>>) -> Result<[Vec<f64>; N], String> {
    images.try_into().map_err(|images: Vec<_>| format!("of {N} points it made {}", images.len()))
}
