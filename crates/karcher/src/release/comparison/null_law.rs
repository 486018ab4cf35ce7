//! The law of the difference between private means of one population, simulated from released numbers alone (user
//! guide, D4).
//!
//! In normal coordinates at the center of the ball the error of a group's point is
//!
//! ```text
//! sampling + noise,     sampling ~ N(0, V·S/((n − 1)·H²)),   tr S = 1.
//! ```
//!
//! * The noise has its public law. With a confidential number of records it is that of a noisy vector divided by a
//!   noisy number, `(N − (m/c)·N₀)/ñ`, `m` the mean.
//! * `V` is the mean square. It was released with noise of a public law, so every draw takes another `V`: the noisy
//!   number minus a draw of its noise, given that it is a mean square of records in the ball.
//! * The shape `S` is unknown unless components were released. Then it is one direction, the same in all groups, or all
//!   directions alike: whichever is exceeded more often.

use crate::noise::Law;
use crate::release::vector_law::VectorLaw;
use crate::release::{MechanismName, NoisyNumber, PrivateComponents};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};
use statrs::function::erf::{erfc, erfc_inv};
use std::f64::consts::{FRAC_PI_2, SQRT_2};

/// The level of the test.
pub(super) const LEVEL: f64 = 0.05;

/// The public seed: the same releases give the same answer everywhere.
const SEED: u64 = 0x6b61_7263_6865_7221;

/// A number that was released with noise of a known law, as a law of the number without noise: that of the noise,
/// mirrored, between 0 and a largest value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown {
    pub(super) law: Law,
    pub(super) noisy: f64,
    pub(super) scale: f64,
    pub(super) most: f64,
}

impl Unknown {
    /// Of a released number, whose stated scale is `wider` times too small.
    pub(super) fn of(number: &NoisyNumber, wider: f64, most: f64) -> Self {
        let law = if number.mechanism == MechanismName::Gaussian { Law::Gaussian } else { Law::Laplace };
        Self { law, noisy: number.noisy_value, scale: number.scale * wider, most }
    }

    /// The middle, for weights.
    fn typical(&self) -> f64 {
        self.noisy.clamp(0.0, self.most)
    }

    /// The law, ready to be drawn from.
    fn drawable(self) -> Drawable {
        let (low, high) = (-self.noisy / self.scale, (self.most - self.noisy) / self.scale);
        if self.scale <= 0.0 || !(high - low).is_finite() {
            return Drawable { number: self, mirrored: false, ends: [0.0; 2], quantiles: None };
        }
        // quantiles of the tail are accurate below the middle
        let mirrored = low > 0.0;
        let (from, to) = if mirrored { (-high, -low) } else { (low, high) };
        let ends = [from.max(-600.0), to.min(600.0)];
        Drawable { number: self, mirrored, ends, quantiles: Some(ends.map(|x| self.below(x))) }
    }

    fn below(&self, x: f64) -> f64 {
        match self.law {
            Law::Laplace if x < 0.0 => 0.5 * x.exp(),
            Law::Laplace => 1.0 - 0.5 * (-x).exp(),
            Law::Gaussian => 0.5 * erfc(-x / SQRT_2),
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        match self.law {
            Law::Laplace if p < 0.5 => (2.0 * p).ln(),
            Law::Laplace => -(2.0 * (1.0 - p)).ln(),
            Law::Gaussian => -SQRT_2 * erfc_inv(2.0 * p),
        }
    }
}

/// An [`Unknown`] with the ends of its law in units of the scale, and their probabilities.
#[derive(Debug, Clone, Copy)]
struct Drawable {
    number: Unknown,
    mirrored: bool,
    ends: [f64; 2],
    /// `None` for a number without noise.
    quantiles: Option<[f64; 2]>,
}

impl Drawable {
    /// A draw, from a uniform number.
    fn draw(&self, uniform: f64) -> f64 {
        let Some([low, high]) = self.quantiles else { return self.number.typical() };
        let x = self.number.quantile(low + uniform * (high - low)).clamp(self.ends[0], self.ends[1]);
        let x = if self.mirrored { -x } else { x };
        (self.number.noisy + self.number.scale * x).clamp(0.0, self.number.most)
    }
}

/// One group: the law of the error of its point.
#[derive(Debug, Clone)]
pub(super) struct GroupLaw {
    pub(super) noise: VectorLaw,
    /// The records' mean square distance, and its upper end.
    pub(super) mean_square: Unknown,
    pub(super) upper: f64,
    /// The fraction of records outside, and the square of a distance that it counts with.
    pub(super) outside: Option<(Unknown, f64)>,
    /// The largest mean square of records in the ball.
    pub(super) most: f64,
    pub(super) n: f64,
    pub(super) bias: f64,
    /// The shares of the directions in the variance, the largest first, where components show them.
    pub(super) shares: Option<Vec<f64>>,
}

impl GroupLaw {
    /// The expected square of the error of a point at a distance from the center, for weights.
    pub(super) fn expected_square(&self, dim: usize, off: f64) -> f64 {
        let noise = self.noise.mean_square() * (dim as f64 + (self.noise.lean * off).powi(2));
        noise + self.mean_square.typical().min(self.most) / (self.n - 1.0)
    }
}

/// The shares of directions in the variance, cautiously: a variance counts above the level of noise only, and the
/// rest counts in the first direction.
pub(super) fn shares(components: &PrivateComponents, dim: usize) -> Option<Vec<f64>> {
    let sum: f64 = components.variances.iter().map(|variance| variance.max(0.0)).sum();
    if components.variances.len() != dim || !(sum > 0.0 && sum.is_finite()) {
        return None;
    }
    let above = |variance: &f64| (variance - components.noise_level).max(0.0) / sum;
    let mut shares: Vec<f64> = components.variances.iter().map(above).collect();
    let rest: f64 = shares.iter().skip(1).sum();
    *shares.first_mut()? = 1.0 - rest;
    Some(shares)
}

/// How the variance of a group is divided among directions if its shape is unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    OneDirection,
    AllAlike,
}

/// The law of the statistic of several groups of one population.
#[derive(Debug, Clone)]
pub(super) struct NullLaw {
    pub(super) groups: Vec<GroupLaw>,
    pub(super) weights: Vec<f64>,
    pub(super) dim: usize,
    /// Distance of the common mean from the center.
    pub(super) off: f64,
    /// The largest curvature, if it is positive, else 0.
    pub(super) curvature: f64,
}

/// Draws of the statistic, ascending, for each shape.
pub(super) struct Simulated(Vec<Vec<f64>>);

impl NullLaw {
    /// How much longer coordinates at the center may be than distances at the common mean: `s/sin s`.
    fn stretch(&self) -> f64 {
        let s = (self.curvature.sqrt() * self.off).min(3.0);
        if s > 0.0 { s / s.sin() } else { 1.0 }
    }

    /// How much the biases of all groups add to the statistic at most.
    pub(super) fn bias(&self) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (i, (group, weight)) in self.groups.iter().zip(&self.weights).enumerate() {
            for (other, of_other) in self.groups.iter().zip(&self.weights).skip(i + 1) {
                sum += weight * of_other * (group.bias + other.bias).powi(2);
                weights += weight * of_other;
            }
        }
        self.stretch() * (sum / weights).sqrt()
    }

    /// The number of draws: fewer where there are many numbers.
    pub(super) fn draws(&self) -> usize {
        match self.dim * self.groups.len() {
            ..=200 => 39_999,
            201..=5_000 => 9_999,
            _ => 1_999,
        }
    }

    /// The shapes that come into question.
    fn shapes(&self) -> &'static [Shape] {
        let known = self.dim == 1 || self.groups.iter().all(|group| group.shares.is_some());
        if known { &[Shape::OneDirection] } else { &[Shape::OneDirection, Shape::AllAlike] }
    }

    /// Draws of the statistic, without biases.
    pub(super) fn simulated(&self) -> Simulated {
        let drawn = |shape: &Shape| {
            let mut errors = self.errors(*shape);
            let mut draws: Vec<f64> = (0..self.draws()).map(|_| self.statistic(errors.next())).collect();
            draws.sort_by(f64::total_cmp);
            draws
        };
        Simulated(self.shapes().iter().map(drawn).collect())
    }

    /// The root weighted mean square of the distances between all pairs of points.
    pub(super) fn statistic(&self, points: &[Vec<f64>]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let of_pairs = 0.5 * (total * total - self.weights.iter().map(|weight| weight * weight).sum::<f64>());
        let mut sum = 0.0;
        for axis in 0..self.dim {
            let at = |(point, weight): (&Vec<f64>, &f64)| (point[axis], *weight);
            let mean = points.iter().zip(&self.weights).map(at).map(|(x, weight)| weight * x).sum::<f64>() / total;
            let square = |(x, weight): (f64, f64)| weight * (x - mean).powi(2);
            sum += points.iter().zip(&self.weights).map(at).map(square).sum::<f64>();
        }
        (sum * total / of_pairs).sqrt()
    }

    fn errors(&self, shape: Shape) -> Errors<'_> {
        let share = |group: &GroupLaw| match (&group.shares, shape) {
            (Some(shares), _) => shares.clone(),
            (None, Shape::OneDirection) => std::iter::once(1.0).chain(vec![0.0; self.dim - 1]).collect(),
            (None, Shape::AllAlike) => vec![1.0 / self.dim as f64; self.dim],
        };
        let prepared = |group: &GroupLaw| Prepared {
            roots: share(group).iter().map(|share| share.sqrt()).collect(),
            mean_square: group.mean_square.drawable(),
            outside: group.outside.map(|(fraction, square)| (fraction.drawable(), square)),
            // a Laplace vector is a normal one whose variance is a gamma variable
            lengths: match group.noise.law {
                Law::Laplace => Gamma::new(0.5 * (group.noise.numbers as f64 + 1.0), 2.0).ok(),
                Law::Gaussian => None,
            },
        };
        Errors {
            law: self,
            prepared: self.groups.iter().map(prepared).collect(),
            generator: ChaCha8Rng::seed_from_u64(SEED),
            points: vec![vec![0.0; self.dim]; self.groups.len()],
            known: false,
        }
    }

    /// The distance between the means of two such groups that the test finds with a probability, whichever shape the
    /// records have. The mean squares are the middles of their laws.
    pub(super) fn detectable(&self, power: f64) -> f64 {
        let threshold = self.simulated().threshold() + self.bias();
        let needed = |shape: &Shape| {
            let mut errors = Errors { known: true, ..self.errors(*shape) };
            let mut needed: Vec<f64> = (0..self.draws())
                .map(|_| {
                    let points = errors.next();
                    let difference = |axis: usize| points[0][axis] - points[1][axis];
                    let across: f64 = (1..self.dim).map(|axis| difference(axis).powi(2)).sum();
                    (threshold * threshold - across).max(0.0).sqrt() - difference(0)
                })
                .collect();
            needed.sort_by(f64::total_cmp);
            needed[(power * needed.len() as f64) as usize]
        };
        self.shapes().iter().map(needed).fold(0.0, f64::max)
    }
}

/// Draws of the errors of all groups.
struct Errors<'a> {
    law: &'a NullLaw,
    prepared: Vec<Prepared>,
    generator: ChaCha8Rng,
    points: Vec<Vec<f64>>,
    /// Whether the mean squares are known.
    known: bool,
}

/// What is computed once for all draws of a group.
struct Prepared {
    /// The roots of the shares of the directions.
    roots: Vec<f64>,
    mean_square: Drawable,
    outside: Option<(Drawable, f64)>,
    lengths: Option<Gamma<f64>>,
}

impl Errors<'_> {
    fn next(&mut self) -> &[Vec<f64>] {
        let stretch = self.law.stretch();
        let Self { law, prepared, generator, points, known } = self;
        for ((group, prepared), point) in law.groups.iter().zip(prepared.iter()).zip(points.iter_mut()) {
            let mut number = |law: &Drawable| match known {
                true => law.number.typical(),
                false => law.draw(generator.random()),
            };
            let in_ball = number(&prepared.mean_square).min(group.most);
            let by_outside = prepared.outside.as_ref().map_or(0.0, |(fraction, square)| number(fraction) * square);
            let variance = in_ball + by_outside;
            let bent = (law.curvature * variance.min(group.upper)).sqrt().min(0.999 * FRAC_PI_2);
            let steepness = if bent > 0.0 { bent / bent.tan() } else { 1.0 };
            let sampling = stretch * (variance / (group.n - 1.0)).sqrt() / steepness;
            let length = prepared.lengths.as_ref().map_or(1.0, |lengths| lengths.sample(generator).sqrt());
            let noise = &group.noise;
            let scale = noise.scale * length * if noise.in_chart { 1.0 } else { stretch };
            for (x, root) in point.iter_mut().zip(&prepared.roots) {
                *x = scale * generator.sample::<f64, _>(StandardNormal);
                if *root > 0.0 {
                    *x += sampling * root * generator.sample::<f64, _>(StandardNormal);
                }
            }
            if noise.lean > 0.0 {
                // towards the mean, and in the direction of the records
                point[0] += scale * noise.lean * law.off * generator.sample::<f64, _>(StandardNormal);
            }
        }
        points
    }
}

impl Simulated {
    /// The largest number of draws that may be at least as large as a statistic whose p-value is at most the level.
    fn allowed(draws: usize) -> usize {
        (LEVEL * (draws + 1) as f64 + 1e-9) as usize - 1
    }

    /// The statistic above which the p-value is at most 5 %.
    pub(super) fn threshold(&self) -> f64 {
        let of_shape = |draws: &Vec<f64>| draws[draws.len() - 1 - Self::allowed(draws.len())];
        self.0.iter().map(of_shape).fold(0.0, f64::max)
    }

    /// The p-value: the fraction of draws at least as large, the statistic counted among them.
    pub(super) fn p_value(&self, statistic: f64) -> f64 {
        let of_shape = |draws: &Vec<f64>| {
            let beyond = draws.len() - draws.partition_point(|draw| *draw < statistic);
            (beyond + 1) as f64 / (draws.len() + 1) as f64
        };
        self.0.iter().map(of_shape).fold(0.0, f64::max)
    }
}
