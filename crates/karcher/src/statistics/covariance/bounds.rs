//! How far noise moves the mean and the eigenvalues, with a probability (user guide, D6).
//!
//! With the noisy mean `ũ = ū + e` in units of the radius, and the noisy second moment `M + N`, the noisy covariance is
//! `M − ū·ūᵀ` plus `N − ū·eᵀ − e·ūᵀ − e·eᵀ`. By Weyl's inequality no eigenvalue moves by more than the spectral norm of
//! that, at most `‖N‖ + 2·min(‖ū‖, ‖ũ‖)·‖e‖ + ‖e‖²`. Where the number of records is confidential, `N` and `e` also
//! contain `M` and `ū`, neither longer than 1, times the noise on the number.

use super::exceeded::{exceeded_by_border, exceeded_by_rest};
use crate::noise::Law;
use crate::statistics::extrinsic_mean::{Kind, Spherical};

/// The probability of the stated bounds.
pub(super) const PROBABILITY: f64 = 0.95;

/// The noise of a release, on the mean over its records.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoiseOnMoments {
    pub(super) spherical: Spherical,
    /// The dimension of the vectors.
    pub(super) dim: usize,
    /// The weight of the mean.
    pub(super) weight: f64,
    /// The quantum of a record.
    pub(super) quantum: f64,
}

impl NoiseOnMoments {
    /// The standard deviation of a number of the second moment, in units of the squared radius. With noise of the
    /// nuclear norm it is that of the numbers off the diagonal, and those on it have less.
    pub(super) fn deviation(&self) -> f64 {
        self.spherical.deviation()
    }

    /// The standard deviation of a coordinate of the mean, in units of the radius.
    pub(super) fn of_mean(&self) -> f64 {
        self.deviation() / self.weight
    }

    /// The root mean square Frobenius norm of the noise on the second moment, in units of the squared radius.
    pub(super) fn on_moment(&self) -> f64 {
        let d = self.dim as f64;
        let less = match self.spherical.kind {
            Kind::Isotropic(_) => 0.0,
            // the square of one on the diagonal is 1/(d + 1) less
            Kind::Nuclear(_) => d / (d + 1.0),
        };
        self.deviation() * (0.5 * d * (d + 1.0) - less).sqrt()
    }

    /// What all roundings of records to integers leave, as a length. A record on the edge of the ball is also moved
    /// inwards, by less than `2⁻³⁹`.
    fn rounding(&self) -> f64 {
        2.0 * (self.spherical.numbers as f64).sqrt() * self.quantum + (-38.0_f64).exp2()
    }

    /// The norm of noise, Lipschitz in the numbers with the constant 1, that is exceeded with a probability of at most
    /// `alpha`. `expected` bounds that of standard normal numbers. It is no longer than all noise.
    fn norm(&self, expected: f64, alpha: f64) -> f64 {
        let (noise, probability) = (self.spherical, 1.0 - alpha);
        noise.spectral_norm(expected, probability).min(noise.length(probability))
    }

    /// What noise on a confidential number of records adds, with a probability of at least `1 − alpha`.
    fn by_number(&self, alpha: f64) -> f64 {
        match self.spherical.lean {
            0.0 => 0.0,
            lean => lean * self.norm(0.0, alpha),
        }
    }

    /// The same of noise on the mean, in units of the radius: `√d` bounds the expected length of `d` standard normal
    /// numbers.
    fn on_mean(&self, alpha: f64) -> f64 {
        let length = match self.spherical.kind {
            Kind::Isotropic(Law::Gaussian) => Spherical { numbers: self.dim, ..self.spherical }.length(1.0 - alpha),
            Kind::Isotropic(Law::Laplace) => self.norm((self.dim as f64).sqrt(), alpha),
            Kind::Nuclear(_) => match exceeded_by_border(self.dim, alpha) {
                Some(unit) => self.spherical.scale * unit,
                None => self.spherical.length(1.0 - alpha),
            },
        };
        length / self.weight
    }

    /// The distance of the noisy mean from that of the clipped records, in units of the radius.
    pub(super) fn mean_radius(&self) -> f64 {
        let alpha = 1.0 - PROBABILITY;
        let noise = match self.spherical.lean {
            0.0 => self.on_mean(alpha),
            _ => self.on_mean(0.5 * alpha) + self.by_number(0.5 * alpha),
        };
        noise + self.rounding()
    }

    /// The distance of every noisy eigenvalue of the covariance from that of the clipped records, all at once, in units
    /// of the squared radius. `length` is that of the noisy mean.
    ///
    /// Take a symmetric matrix of standard normal numbers on the diagonal, `1/√2` as wide elsewhere. Its largest eigenvalue
    /// is at most `√(2d)` on average (Slepian), and 0 in one dimension.
    pub(super) fn half_width(&self, length: f64) -> f64 {
        let alpha = (1.0 - PROBABILITY) / if self.spherical.lean == 0.0 { 2.0 } else { 3.0 };
        let expected = if self.dim == 1 { 0.0 } else { (2.0 * self.dim as f64).sqrt() };
        let by_number = self.by_number(alpha) + self.rounding();
        let rest = match self.spherical.kind {
            Kind::Isotropic(_) => None,
            Kind::Nuclear(_) => exceeded_by_rest(self.dim, alpha),
        };
        let on_moment = rest.map_or_else(|| self.norm(expected, alpha), |unit| self.spherical.scale * unit) + by_number;
        let on_mean = self.on_mean(alpha) + by_number;
        on_moment + (2.0 * length.min(1.0) + on_mean) * on_mean
    }
}
