//! Denoising: a free processing of flat noise in a chart that brings the noisy value nearer to the true one on average.
//!
//! `y = a + N` in `R^d`, with a confidential `a`, `‖a‖ ≤ r`, and public noise `N`: Gaussian `N(0, σ²I)`, or the Laplace
//! law of density `∝ e^{−‖z‖/σ}`. The published vector is
//!
//! ```text
//! π_r((1 − A/‖y‖²)₊·y),   A = (d − 2)·σ²          for Gaussian noise,    d ≥ 3,
//!                         A = (d − 2)·(d − 1)·σ²  for Laplace noise,     d ≥ 4,
//!                         A = 0                   in lower dimension,
//! ```
//!
//! `π_r` the projection onto the ball of radius `r`: the estimator of James and Stein, cut off at 0 and at the ball. It
//! depends on `y` and public quantities alone, so it costs no privacy.
//!
//! **Theorem.** For every `a` of the ball the mean squared distance of the published vector from `a` is at most that of
//! `y`, and less for `A > 0`.
//!
//! **Proof.** *1. Shrinking* (James and Stein 1961; for noise that is not Gaussian Brandwein and Strawderman 1990). Let
//! `f(‖z‖)` be the density of `N` and `G(s) = ∫_s^∞ u·f(u) du`, so that `∇G(‖z‖) = −z·f(‖z‖)`. Integration by parts
//! with `h(y) = y/‖y‖²`, whose divergence `(d − 2)/‖y‖²` is integrable for `d ≥ 3`, gives `E⟨N, h(a + N)⟩ =
//! E[q(‖N‖)·(d − 2)/‖y‖²]` with `q = G/f`: `σ²` for Gaussian noise and `σ(s + σ)` for Laplace noise. Hence
//!
//! ```text
//! E‖y − A·y/‖y‖² − a‖² = E‖N‖² − A·E[(2(d − 2)·q(‖N‖) − A)/‖y‖²].                                     (1)
//! ```
//!
//! For Gaussian noise the right side is least at `A = (d − 2)σ²` for every `a`, and below `E‖N‖²`.
//!
//! For Laplace noise write `R = ‖N‖` and `φ(R) = E[1/‖y‖² | R]`; `E[q·φ]/E[φ]` is the mean of the increasing function
//! `q` under the law of `R` with the weight `φ`. Now `R²·φ(R) = E[1/‖U + t·e‖²]` with `t = ‖a‖/R`, a unit vector `e`
//! and a uniform direction `U`. Turning `e` instead of `U`, this is an average over the sphere of radius `t` about `U`.
//! In dimension at least 4 the function `‖·‖⁻²` is superharmonic, so its averages over spheres do not rise with their
//! radius `t`, and `R²·φ(R)` does not fall with `R`. The law with the weight `φ = R⁻²·(R²φ)` is therefore
//! stochastically not smaller than that with the weight `R⁻²`, whence
//!
//! ```text
//! E[q·φ]/E[φ] ≥ E[q·R⁻²]/E[R⁻²] = (d − 1)·σ²,                                                         (2)
//! ```
//!
//! since `E[R⁻¹] = 1/((d − 1)σ)` and `E[R⁻²] = 1/((d − 1)(d − 2)σ²)` for the gamma law of `R`. So (1) is at most
//! `E‖N‖² − A·(2(d − 2)(d − 1)σ² − A)·E[1/‖y‖²]`: below `E‖N‖²` for `0 < A < 2(d − 2)(d − 1)σ²`, and least in the
//! middle of that range, which is taken. For `a = 0` equality holds in (2), and no other `A` is better there; for
//! `a → ∞` the best `A` would be `(d − 2)(d + 1)σ²`, because `φ` is constant in the limit and `E[q] = (d + 1)σ²`. (The
//! general theorem of Brandwein 1979 gives the smaller range up to `2(d − 2)²(d − 1)σ²/d`.)
//!
//! *2. Cutting off at 0.* Where `c = 1 − A/‖y‖²` is negative, 0 replaces `c·y`, and the squared distance changes by
//! `‖a‖² − ‖c·y − a‖² = −c²‖y‖² + 2c·⟨y, a⟩`. Given `‖y‖`, the mean of `⟨y, a⟩` is not negative: the density of `y`
//! decreases with `‖y − a‖`, so it is larger at `y` than at its mirror image `y − 2⟨y, a⟩·a/‖a‖²` if `⟨y, a⟩ > 0`. The
//! mean change is at most `−E[c²‖y‖²; c < 0] ≤ 0`.
//!
//! *3. Projecting.* `π_r` brings every point nearer to, or not farther from, every point of the ball. ∎
//!
//! [`Denoiser::gains`] computes the gain. Once `σ√d` (or `σ·d` for Laplace noise) exceeds `r`, a mean near the center
//! gains most. One at the edge still goes from `E‖N‖` down to about `r`.

use crate::noise::Law;
use gauss_quad::GaussLegendre;
use std::f64::consts::FRAC_PI_2;
use std::num::NonZeroUsize;

/// Panels and Gauss–Legendre nodes in each for the length of the noise, and nodes for its angle against `a`.
const PANELS: usize = 24;
const NODES: NonZeroUsize = NonZeroUsize::new(8).unwrap();
const ANGLES: usize = 64;

/// Shrinks a noisy vector towards 0 and projects it onto a ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Denoiser {
    law: Law,
    scale: f64,
    dim: usize,
    radius: f64,
    /// `√A/σ`: vectors up to `√A` long become 0.
    threshold: f64,
}

/// The gain from denoising: the root-mean-square distances of the noisy and of the denoised value from a true one, in
/// the chart at the center of the ball.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use std::sync::Arc;
/// let space = Arc::new(Euclidean::new(100)?);
/// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
/// let plan = Request::new(mean, 20, Guarantee::gaussian(1.0)?).plan()?;
/// for gain in plan.gains().ok_or("not denoised")? {
///     assert!((gain.noisy - 1.0).abs() < 1e-6); // σ·√d = 2·1/20·10, wherever the mean is
///     assert!(gain.denoised < 0.8); // the ball holds the mean, and most directions are noise
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Gain {
    /// `‖a‖`, the true value's distance from the center.
    pub at: f64,
    /// `√E‖N‖²`, the same for every `a`.
    pub noisy: f64,
    /// After denoising.
    pub denoised: f64,
}

/// The denoising that a plan applies to noise on a vector after it was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denoising {
    /// Nothing.
    None,
    /// The noisy value is projected onto the ball: no farther from any point in the ball.
    Projects,
    /// The value is shrunk and projected: nearer on average.
    Shrinks,
}

impl Denoiser {
    /// For noise of a law and scale `σ > 0` in `R^dim`, and values in the ball of the given radius about 0.
    pub(crate) fn new(law: Law, scale: f64, dim: usize, radius: f64) -> Self {
        let d = dim as f64;
        let threshold = match law {
            Law::Gaussian if dim >= 3 => (d - 2.0).sqrt(),
            Law::Laplace if dim >= 4 => ((d - 2.0) * (d - 1.0)).sqrt(),
            _ => 0.0,
        };
        Self { law, scale, dim, radius, threshold }
    }

    /// Replaces the noisy coordinates by the denoised ones, no longer than the radius up to rounding.
    pub(crate) fn apply(&self, coordinates: &mut [f64]) {
        let largest = coordinates.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
        if largest > 0.0 {
            let length = largest * coordinates.iter().map(|c| (c / largest).powi(2)).sum::<f64>().sqrt();
            let shrunk = 1.0 - (self.threshold * self.scale / length).powi(2);
            let factor = shrunk.max(0.0).min(self.radius / length);
            coordinates.iter_mut().for_each(|c| *c *= factor);
        }
    }

    /// Whether noise is shrunk, or only projected.
    pub(crate) fn kind(&self) -> Denoising {
        if self.threshold > 0.0 { Denoising::Shrinks } else { Denoising::Projects }
    }

    /// The gain for a mean at the center, halfway to the edge and at the edge of the ball, to 1 %.
    pub(crate) fn gains(&self) -> [Gain; 3] {
        [0.0, 0.5, 1.0].map(|share| {
            let at = share * self.radius;
            Gain { at, noisy: self.scale * self.noise(), denoised: self.scale * self.denoised(at / self.scale) }
        })
    }

    /// The error after denoising, compared with `√E‖N‖²`, for `‖a‖ = at`.
    pub(crate) fn left(&self, at: f64) -> f64 {
        self.denoised(at.min(self.radius) / self.scale) / self.noise()
    }

    /// `√E‖N‖²` in units of `σ`.
    fn noise(&self) -> f64 {
        let d = self.dim as f64;
        match self.law {
            Law::Gaussian => d.sqrt(),
            Law::Laplace => (d * (d + 1.0)).sqrt(),
        }
    }

    /// The same after denoising, for `‖a‖ = at`, in units of `σ`: an integral over the length `s` of the noise and its
    /// angle against `a`, whose densities are `∝ s^{d−1}·f(s)` and `∝ sin^{d−2}`.
    fn denoised(&self, at: f64) -> f64 {
        let power = self.dim as f64 - 1.0;
        let log_density = |s: f64| match self.law {
            Law::Gaussian => power * s.ln() - 0.5 * s * s,
            Law::Laplace => power * s.ln() - s,
        };
        // the mode, and a distance from it beyond which the mass is negligible
        let (mode, spread, tail) = match self.law {
            Law::Gaussian => (power.sqrt(), 9.0, 0.0),
            Law::Laplace => (power, 10.0 * (power + 1.0).sqrt(), 30.0),
        };
        let (low, high) = ((mode - spread).max(0.0), mode + spread + tail);
        let peak = if power > 0.0 { log_density(mode) } else { 0.0 };
        let density = |s: f64| if power > 0.0 { (log_density(s) - peak).exp() } else { log_density(s).exp() };
        let angles = angles(self.dim);
        let loss = |s: f64| angles.iter().map(|(cos, sin, weight)| weight * self.loss(at, s, *cos, *sin)).sum::<f64>();
        let rule = GaussLegendre::new(NODES);
        let edge = |i: usize| low + (high - low) * i as f64 / PANELS as f64;
        let over = |f: &dyn Fn(f64) -> f64| (0..PANELS).map(|i| rule.integrate(edge(i), edge(i + 1), f)).sum::<f64>();
        (over(&|s| density(s) * loss(s)) / over(&density)).sqrt()
    }

    /// The squared distance of the denoised vector from `a`, `‖a‖ = at`, if the noise is `s` long and at the given
    /// angle against `a`. It is `‖N − k·y‖²` if `k·y` is subtracted, which stays accurate where `a` is long.
    fn loss(&self, at: f64, s: f64, cos: f64, sin: f64) -> f64 {
        let (along, across) = (at + s * cos, s * sin);
        let length = along.hypot(across).max(f64::MIN_POSITIVE);
        let radius = self.radius / self.scale;
        let excess = s * (2.0 * at * cos + s) / (length + at) + (at - radius);
        let off = (self.threshold / length).powi(2).min(1.0).max(excess / length);
        (s * cos - off * along).powi(2) + ((1.0 - off) * across).powi(2)
    }
}

/// Cosines, sines and weights, which sum to 1, for the average over directions in `R^dim`.
fn angles(dim: usize) -> Vec<(f64, f64, f64)> {
    if dim == 1 {
        return vec![(1.0, 0.0, 0.5), (-1.0, 0.0, 0.5)];
    }
    let power = (dim - 2) as f64;
    let half = FRAC_PI_2.min(9.0 / power.max(1.0).sqrt());
    let step = 2.0 * half / ANGLES as f64;
    let place = |i: usize| FRAC_PI_2 - half + step * (i as f64 + 0.5);
    let weight = |angle: f64| if power > 0.0 { (power * angle.sin().ln()).exp() } else { 1.0 };
    let total: f64 = (0..ANGLES).map(|i| weight(place(i))).sum();
    (0..ANGLES).map(|i| (place(i).cos(), place(i).sin(), weight(place(i)) / total)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Generator;
    use crate::vector::unit_vector;
    use rand::RngExt;
    use rand_distr::{Gamma, StandardNormal};
    use rayon::prelude::*;

    /// One draw of the noise, for `σ = 1`.
    fn noise(law: Law, generator: &mut Generator, out: &mut [f64]) {
        match law {
            Law::Gaussian => out.iter_mut().for_each(|x| *x = generator.sample(StandardNormal)),
            Law::Laplace => {
                unit_vector(generator, out);
                let length: f64 = generator.sample(Gamma::new(out.len() as f64, 1.0).unwrap());
                out.iter_mut().for_each(|x| *x *= length);
            }
        }
    }

    /// Mean and variance of the squared distances without and with denoising, and of their difference, for each of the
    /// three true values. Their direction is random.
    fn simulate(denoiser: &Denoiser, draws: u64) -> [[(f64, f64); 3]; 3] {
        const PARTS: u64 = 16;
        let part = |seed: u64| {
            let mut generator = Generator::seeded(seed);
            let (mut n, mut e) = (vec![0.0; denoiser.dim], vec![0.0; denoiser.dim]);
            let mut sums = [[(0.0, 0.0); 3]; 3];
            unit_vector(&mut generator, &mut e);
            for _ in 0..draws / PARTS {
                noise(denoiser.law, &mut generator, &mut n);
                n.iter_mut().for_each(|x| *x *= denoiser.scale);
                for (share, sums) in [0.0, 0.5, 1.0].into_iter().zip(&mut sums) {
                    let a: Vec<f64> = e.iter().map(|e| share * denoiser.radius * e).collect();
                    let mut y: Vec<f64> = a.iter().zip(&n).map(|(a, n)| a + n).collect();
                    denoiser.apply(&mut y);
                    let noisy: f64 = n.iter().map(|n| n * n).sum();
                    let denoised: f64 = y.iter().zip(&a).map(|(y, a)| (y - a).powi(2)).sum();
                    for (sum, x) in sums.iter_mut().zip([noisy, denoised, denoised - noisy]) {
                        *sum = (sum.0 + x, sum.1 + x * x);
                    }
                }
            }
            sums
        };
        let mut total = [[(0.0, 0.0); 3]; 3];
        for sums in (0..PARTS).into_par_iter().map(part).collect::<Vec<_>>() {
            for (total, sums) in total.iter_mut().flatten().zip(sums.iter().flatten()) {
                *total = (total.0 + sums.0, total.1 + sums.1);
            }
        }
        let count = (draws / PARTS * PARTS) as f64;
        total.map(|row| row.map(|(sum, squares)| (sum / count, squares / count - (sum / count).powi(2))))
    }

    #[test]
    fn denoising_never_hurts_and_gains_are_those_of_simulation() {
        for law in [Law::Gaussian, Law::Laplace] {
            for dim in [1, 2, 3, 6, 97, 528] {
                let draws = if dim > 10 { 10_000 } else { 100_000 };
                // the length of the noise over the radius
                for ratio in [0.01, 0.3, 1.0, 5.0, 100.0] {
                    let unit = Denoiser::new(law, 1.0, dim, 1.0);
                    let denoiser = Denoiser::new(law, ratio * 2.0 / unit.noise(), dim, 2.0);
                    for (gain, row) in denoiser.gains().into_iter().zip(simulate(&denoiser, draws)) {
                        let [noisy, denoised, difference] = row;
                        let case = format!("{law:?}, dim {dim}, ratio {ratio}, {gain:?}");
                        let error = |variance: f64| 4.0 * (variance.max(0.0) / draws as f64).sqrt();
                        let rounding = 1e-12 * noisy.0;
                        assert!(difference.0 <= error(difference.1) + rounding, "{case}: worse by {difference:?}");
                        assert!((gain.noisy.powi(2) - noisy.0).abs() <= error(noisy.1) + rounding, "{case}: {noisy:?}");
                        let off = (gain.denoised.powi(2) - denoised.0).abs();
                        let share = 0.02 * gain.denoised.powi(2);
                        assert!(off <= error(denoised.1) + share + rounding, "{case}: {denoised:?}");
                        assert!(gain.denoised <= gain.noisy * (1.0 + 1e-3), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn constants_are_the_best_at_the_center() {
        // for the estimators 1 − A/‖y‖², without the positive part and the ball, by the integral of (1 − A/s²)²·s²
        for (law, dim) in [(Law::Gaussian, 6), (Law::Gaussian, 97), (Law::Laplace, 6), (Law::Laplace, 97)] {
            let threshold = Denoiser::new(law, 1.0, dim, 1.0).threshold;
            let random = &mut Generator::seeded(3);
            let (mut n, mut moments) = (vec![0.0; dim], [0.0; 2]);
            for _ in 0..40_000 {
                noise(law, random, &mut n);
                let squared: f64 = n.iter().map(|n| n * n).sum();
                // E‖y‖² − 2A + A²·E‖y‖⁻² is least at A = 1/E‖y‖⁻²
                moments = [moments[0] + 1.0, moments[1] + 1.0 / squared];
            }
            let best = (moments[0] / moments[1]).sqrt();
            assert!((threshold / best - 1.0).abs() < 0.03, "{law:?} {dim}: {threshold}, best {best}");
        }
    }

    #[test]
    fn denoised_vectors_are_in_the_ball_and_keep_their_direction() {
        for (law, scale) in [(Law::Gaussian, 1e-150), (Law::Laplace, 0.1), (Law::Gaussian, 1e150)] {
            for length in [0.0, 1e-300, 1e-3, 1.0, 7.0, 1e300] {
                let mut y = [0.6 * length, 0.0, -0.8 * length, 0.0];
                Denoiser::new(law, scale, 4, 2.0).apply(&mut y);
                assert!(y.iter().all(|y| y.is_finite()) && y[0].hypot(y[2]) <= 2.0 * (1.0 + 1e-15), "{y:?}");
                assert!((0.8 * y[0] + 0.6 * y[2]).abs() < 1e-15 && y[0] >= 0.0);
            }
        }
        let mut near = [1e-6, 2.0, 0.5];
        Denoiser::new(Law::Gaussian, 1e-9, 3, 10.0).apply(&mut near);
        assert!((near[1] - 2.0).abs() < 1e-15 && (near[2] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn gains_hold_their_digits_where_noise_is_far_below_the_radius() {
        for gain in Denoiser::new(Law::Gaussian, 1e-9, 5, 1e3).gains().into_iter().skip(1) {
            assert!(gain.denoised <= gain.noisy && gain.denoised > 0.5 * gain.noisy, "{gain:?}");
        }
    }

    #[test]
    #[ignore = "prints what denoising gains, for the record"]
    fn gains_in_figures() {
        let cases = [
            (Law::Gaussian, 97, 0.3, 0.03),
            (Law::Gaussian, 97, 0.3, 0.3),
            (Law::Gaussian, 97, 0.6, 0.6),
            (Law::Gaussian, 528, 9.0, 44.0),
            (Law::Laplace, 528, 9.0, 44.0),
            (Law::Laplace, 97, 0.3, 0.3),
        ];
        for (law, dim, radius, length) in cases {
            let scale = length / Denoiser::new(law, 1.0, dim, radius).noise();
            let start = std::time::Instant::now();
            let gains = Denoiser::new(law, scale, dim, radius).gains();
            println!("{law:?} {dim} radius {radius}: {gains:?} in {:?}", start.elapsed());
        }
    }
}
