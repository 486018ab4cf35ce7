//! What follows from a noisy embedded mean: how concentrated the records are, where the mean of their population is, and
//! whether they are spread evenly. All of it is processing of public numbers and of the public law of the noise.
//!
//! Let `m̃ = m + N` be the noisy mean of `n` embedded records, each of length `r`, and `τ` the standard deviation of a
//! number of `N`.
//!
//! * **Mean resultant length** `R̄ = ‖m‖/r`. `‖m̃‖² − Eτ²` is `‖m‖²` without bias. The law of `‖m + N‖` depends on `‖m‖`
//!   alone, and grows with it (Anderson 1955): the interval holds all `‖m‖` for which `‖m̃‖` is no extreme value. With a
//!   confidential number of records it is the law of `‖(n/ñ)·m + N‖`, `n = ñ − N₀`.
//! * **Population.** The mean direction of a sample has, in each of its `d` tangent coordinates, a variance of
//!   `1/(nκR̄)` under the von Mises–Fisher law. Noise is added in made-up draws: the radius is the 95 % quantile of the
//!   length of both, over `R̄`. In three dimensions Fisher's formula replaces the
//!   first. An axis with the moments `t₁ > t₂ ≥ …` is moved towards the `j`-th by `E₁ⱼ/(t₁ − tⱼ)` to first order, and
//!   `E x₁²xⱼ² ≤ tⱼ`.
//! * **Any population.** The tangent coordinates of a mean direction have variances that sum to `(1 − ρ²)/n` at most, `ρ` of
//!   the population, estimated by `(1 − R̄²)/(n − 1)`. Of
//!   all normal vectors with variances of such a sum, those along one line are longest at 5 % (Székely and Bakirov 2003).
//! * **Uniformity.** Evenly spread records have an embedded mean of covariance `r²/(nE)·I` (Schur's lemma: the isometries
//!   act irreducibly), asymptotically normal, and noise is independent of it.

use super::bingham::{bingham, matrix_fisher};
use super::concentration::{complex_watson, von_mises_fisher, watson};
use super::frechet;
use super::spread_of_noise::{PROBABILITY, Rehearsal, Spherical, eigenvalue_off, off_at_most};
use crate::embedding::{EmbeddedForm, Embedding};
use crate::manifold::Manifold;
use crate::release::{
    Concentration, ConcentrationLaw, Concentrations, Coverage, DirectionalSummary, Region, RegionCenter, Uniformity,
};
use crate::vector::norm;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::f64::consts::{FRAC_PI_2, PI};

/// Standard deviations of noise by which a mean resultant length counts as shorter where it says how far a sample is from
/// its population.
const CAREFUL: f64 = 0.5;

/// A released mean of embedded records.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmbeddedMean<'a> {
    pub(super) manifold: &'a dyn Manifold,
    pub(super) embedding: &'a dyn Embedding,
    pub(super) mean: &'a [f64],
    /// The number of records, public or private.
    pub(super) n: f64,
    pub(super) noise: Spherical,
    /// One for each factor.
    pub(super) rehearsals: &'a [Rehearsal],
}

/// The summaries of the factors.
pub(super) fn infer(of: EmbeddedMean<'_>) -> Vec<DirectionalSummary> {
    let mut rest = of.mean;
    let parts = of.embedding.split().into_iter().zip(names(of.manifold)).zip(of.rehearsals);
    let summaries = parts.map(|((embedding, space), rehearsal)| {
        let (own, others) = rest.split_at(embedding.dim());
        rest = others;
        Factor { embedding: &*embedding, mean: own, n: of.n, noise: of.noise, rehearsal }.summary(space)
    });
    summaries.collect()
}

/// The names of the factors; an angle of a torus is a torus of its own.
fn names(manifold: &dyn Manifold) -> Vec<String> {
    let factors = manifold.factors();
    if !factors.is_empty() {
        return factors.iter().flat_map(|factor| names(&**factor)).collect();
    }
    let space = manifold.space().as_str();
    match manifold.embedding().map_or(1, |embedding| embedding.split().len()) {
        1 => vec![space.to_owned()],
        angles => vec!["torus:1".to_owned(); angles],
    }
}

/// A part of an embedded mean.
struct Factor<'a> {
    embedding: &'a dyn Embedding,
    mean: &'a [f64],
    n: f64,
    noise: Spherical,
    rehearsal: &'a Rehearsal,
}

impl Factor<'_> {
    fn summary(&self, space: String) -> DirectionalSummary {
        let (radius, length, dim) = (self.embedding.radius(), norm(self.mean), self.mean.len());
        let square = (length * length - dim as f64 * self.noise.deviation().powi(2)) / (radius * radius);
        let resultant = square.max(0.0).sqrt().min(1.0);
        let interval = self.rehearsal.interval(length, self.noise, radius).map(|end| (end / radius).min(1.0));
        let off = off_at_most(self.embedding, self.noise, PROBABILITY);
        let moments = self.moments();
        let p_value = self.rehearsal.p_value(length, self.noise.scale, radius / self.n.sqrt());
        // records that may be spread evenly have no direction, and noise that may hide it leaves none
        let has_direction = p_value <= 1.0 - PROBABILITY && self.embedding.reach(self.mean, off).is_some();
        let population_region = has_direction.then(|| self.population_region(resultant, &moments)).flatten();
        // made-up draws may make the one that assumes nothing smaller by chance
        let any_population_region = has_direction.then(|| self.any_population_region(resultant)).flatten();
        let wider = |any: Region| match population_region {
            Some(region) if region.radius > any.radius => region,
            _ => any,
        };
        DirectionalSummary {
            frechet_mean_within: self.frechet_mean_within(interval),
            concentrations: self.concentrations(&space),
            any_population_region: any_population_region.map(wider),
            space,
            mean_resultant_length: resultant,
            mean_resultant_length_interval: interval,
            square_without_bias: square,
            concentration: self.concentration(resultant, interval, &moments),
            population_region,
            ellipse: moments.semi_axes(self.embedding),
            uniformity: Uniformity { statistic: length / radius, p_value },
        }
    }

    /// The moments of an axis.
    fn moments(&self) -> Moments {
        let values = self.embedding.eigenvalues(self.mean);
        let (copies, is_line) = match self.embedding.form() {
            EmbeddedForm::Real { k: 1, .. } => (1.0, true),
            EmbeddedForm::Complex { .. } => (2.0, true),
            _ => (1.0, false),
        };
        if !is_line || values.len() < 2 {
            return Moments::default();
        }
        let noise = self.noise.deviation().powi(2);
        // an entry off the diagonal, real or complex, has the mean square τ²·copies/2
        let entry = 0.5 * copies * noise;
        let gaps: Vec<f64> = values[1..].iter().map(|value| values[0] - value).collect();
        let raised: f64 = gaps.iter().map(|gap| if *gap > 0.0 { entry / gap } else { 0.0 }).sum();
        let towards = values[1..].iter().zip(&gaps);
        let variances = towards
            .flat_map(|(value, gap)| {
                let variance = (value.clamp(0.0, 1.0) / self.n + entry) / (copies * gap * gap);
                std::iter::repeat_n(variance, copies as usize)
            })
            .collect();
        Moments { first: Some((values[0] - raised).clamp(0.0, 1.0)), variances }
    }

    fn concentration(&self, resultant: f64, interval: [f64; 2], moments: &Moments) -> Option<Concentration> {
        let (law, of): (_, Box<dyn Fn(f64) -> Option<f64>>) = match self.embedding.form() {
            EmbeddedForm::Vector(p) => {
                (ConcentrationLaw::VonMisesFisher, Box::new(move |length| von_mises_fisher(p, length)))
            }
            EmbeddedForm::Real { n, k: 1 } => (ConcentrationLaw::Watson, Box::new(move |square| watson(n, square))),
            EmbeddedForm::Complex { n } => {
                (ConcentrationLaw::ComplexWatson, Box::new(move |square| complex_watson(n, square)))
            }
            _ => return None,
        };
        let (value, [low, high]) = match moments.first {
            Some(first) => {
                let off = eigenvalue_off(self.embedding, self.noise, PROBABILITY);
                let noisy = self.embedding.eigenvalues(self.mean).first().copied()?;
                (first, [noisy - off, noisy + off])
            }
            None => (resultant, interval),
        };
        Some(Concentration { law, kappa: of(value)?, interval: (of(low).unwrap_or(0.0), of(high)) })
    }

    /// The concentrations of Bingham's law, or of the matrix Fisher law of rotations, with intervals to the first order.
    fn concentrations(&self, space: &str) -> Option<Concentrations> {
        let EmbeddedForm::Real { k: 1, .. } = self.embedding.form() else { return None };
        let mut found = bingham(&self.embedding.eigenvalues(self.mean))?;
        let is_rotation = space.starts_with("rotations:");
        if is_rotation {
            found = matrix_fisher(&found);
        }
        // no eigenvalue is farther off, and each may be off by itself
        let most = eigenvalue_off(self.embedding, self.noise, PROBABILITY);
        let ends = |(i, value): (usize, &f64)| {
            let off = most * found.derivative.row(i).iter().map(|x| x.abs()).sum::<f64>();
            // those of Bingham's law are not negative
            let least = if is_rotation { f64::NEG_INFINITY } else { 0.0 };
            [(value - off).max(least), value + off]
        };
        Some(Concentrations {
            law: if is_rotation { ConcentrationLaw::MatrixFisher } else { ConcentrationLaw::Bingham },
            values: found.values.iter().copied().collect(),
            intervals: found.values.iter().enumerate().map(ends).collect(),
        })
    }

    /// How far a Fréchet mean of the records can be from their extrinsic mean.
    fn frechet_mean_within(&self, [shortest, _]: [f64; 2]) -> Option<f64> {
        match self.embedding.form() {
            EmbeddedForm::Vector(_) => Some(frechet::of_directions(shortest)? / self.embedding.stretch()),
            EmbeddedForm::Real { k: 1, .. } | EmbeddedForm::Complex { .. } => {
                let values = self.embedding.eigenvalues(self.mean);
                let off = eigenvalue_off(self.embedding, self.noise, PROBABILITY);
                let (first, second) = (*values.first()?, *values.get(1)?);
                let angle = frechet::of_axes((first - off).clamp(0.0, 1.0), first - second - 2.0 * off)?;
                Some(angle * 2.0_f64.sqrt() / self.embedding.stretch())
            }
            _ => None,
        }
    }

    /// The region for the mean direction of the population, whatever its law is.
    fn any_population_region(&self, resultant: f64) -> Option<Region> {
        let EmbeddedForm::Vector(_) = self.embedding.form() else { return None };
        let careful = (resultant - CAREFUL * self.noise.deviation()).max(0.0);
        // records along a line, half of them to either side, have a mean that is longer in 5 %
        if self.n * careful * careful <= chi_square(1.0, PROBABILITY) {
            return None;
        }
        // (1 − ρ²)/n of the population, with E R̄² = ρ² + (1 − ρ²)/n
        let sampled = ((1.0 - careful * careful) / (self.n - 1.0).max(1.0)).sqrt();
        let angle = self.rehearsal.off_along_a_line(self.noise, sampled) / resultant;
        region_of(angle / self.embedding.stretch(), FRAC_PI_2 / self.embedding.stretch())
    }

    /// The region for the mean of the population.
    fn population_region(&self, resultant: f64, moments: &Moments) -> Option<Region> {
        let (radius, largest) = match self.embedding.form() {
            EmbeddedForm::Vector(p) => {
                let d = (p - 1) as f64;
                let quantile = chi_square(d, PROBABILITY).sqrt();
                // noise may make records look closer together than they are: with R̄ itself, 20 records of R̄ = 0.97 and
                // ε = 10, the region would hold the mean in 89 %
                let careful = (resultant - CAREFUL * self.noise.deviation()).max(0.0);
                // of the population: that of a sample is longer by sampling, E R̄² = ρ² + (1 − ρ²)/n
                let of_population = ((self.n * careful * careful - 1.0) / (self.n - 1.0).max(1.0)).max(0.0).sqrt();
                let sampling = match (p, von_mises_fisher(p, of_population)) {
                    (_, Some(0.0)) => return None,
                    (_, None) => 0.0,
                    (3, _) => fisher_cone(self.n, careful) / quantile,
                    (_, Some(kappa)) => 1.0 / (self.n * kappa * of_population).sqrt(),
                };
                let off = self.rehearsal.off_all_around(self.noise, sampling * resultant);
                let unit = 1.0 / self.embedding.stretch(); // a distance for each radian
                (unit * off / resultant, unit * FRAC_PI_2)
            }
            _ => (moments.radius()? * 2.0_f64.sqrt() / self.embedding.stretch(), PI),
        };
        region_of(radius, largest)
    }
}

/// A region that holds asymptotically, if it is narrow enough to be of use.
fn region_of(radius: f64, largest: f64) -> Option<Region> {
    (radius < largest).then_some(Region {
        probability: PROBABILITY,
        radius,
        center: RegionCenter::Value,
        coverage: Coverage::Asymptotically,
    })
}

/// The first moment of an axis, and the variances of its tangent coordinates.
#[derive(Debug, Default)]
struct Moments {
    first: Option<f64>,
    variances: Vec<f64>,
}

impl Moments {
    /// The length of a normal vector with these variances that is exceeded with 5 %, by a law with the same two moments.
    fn radius(&self) -> Option<f64> {
        let (sum, squares): (f64, f64) =
            self.variances.iter().fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
        (sum > 0.0 && sum.is_finite()).then(|| (squares / sum * chi_square(sum * sum / squares, PROBABILITY)).sqrt())
    }

    /// The semi-axes of the ellipse with 95 % confidence.
    fn semi_axes(&self, embedding: &dyn Embedding) -> Vec<f64> {
        let quantile = chi_square(self.variances.len().max(1) as f64, PROBABILITY);
        let unit = 2.0_f64.sqrt() / embedding.stretch();
        let mut axes: Vec<f64> = self.variances.iter().map(|v| unit * (quantile * v).sqrt()).collect();
        if axes.iter().any(|axis| !axis.is_finite() || *axis > std::f64::consts::FRAC_PI_2 * unit) {
            return vec![];
        }
        axes.sort_by(|a, b| b.total_cmp(a));
        axes
    }
}

/// Fisher's cone of confidence of 95 %: `cos α = 1 − (n − R)/R·(20^{1/(n−1)} − 1)`, `R = n·R̄` (Fisher 1953).
fn fisher_cone(n: f64, resultant: f64) -> f64 {
    let cosine = 1.0 - (1.0 - resultant) / resultant * (20.0_f64.ln() / (n - 1.0).max(1.0)).exp_m1();
    if cosine < -1.0 { std::f64::consts::PI } else { cosine.acos() }
}

/// The quantile of the `χ²` law.
fn chi_square(freedom: f64, probability: f64) -> f64 {
    ChiSquared::new(freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(probability))
}
