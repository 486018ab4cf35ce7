//! What follows from a noisy embedded mean: how concentrated the records are, where the mean of their population is,
//! and whether they are spread evenly. All of it is processing of public numbers and of the public law of the noise.
//!
//! Let `m̃ = m + N` be the noisy mean of `n` embedded records, each of length `r`, and `τ` the standard deviation of a
//! number of `N`.
//!
//! * **Mean resultant length** `R̄ = ‖m‖/r`. `‖m̃‖² − Eτ²` is `‖m‖²` without bias. The law of `‖m + N‖` depends on
//!   `‖m‖` alone, and grows with it (Anderson 1955): the interval holds all `‖m‖` for which `‖m̃‖` is no extreme value.
//!   With noise of the nuclear norm the law depends on the eigenvalues of `m` too, and the interval is that for several.
//!   With a confidential number of records it is the law of `‖(n/ñ)·m + N‖`, `n = ñ − N₀`.
//! * **Concentration.** `κ` of directions is that of `R̄`. That of axes is the one of the first moment without the
//!   noise's share. The moment is moved to where `R̄` leaves room for it, so that `κ = 0` where `R̄ = 0`.
//! * **Population.** The mean direction of a sample has, in each of its `d` tangent coordinates, a variance of
//!   `1/(nκR̄)` under the von Mises–Fisher law. Noise is added in made-up draws: the radius is the 95 % quantile of the
//!   length of both, over `R̄`. In three dimensions Fisher's formula counts where it is larger, in two Student's. An
//!   axis with the moments `t₁ > t₂ ≥ …` is moved towards the `j`-th by `E₁ⱼ/(t₁ − tⱼ)` to first order, and
//!   `E x₁²xⱼ² ≤ tⱼ`.
//! * **Any population.** The tangent coordinates of a mean direction have variances that sum to `(1 − ρ²)/n` at most,
//!   `ρ` of the population, estimated by `(1 − R̄²)/(n − 1)` and lengthened by Student's ratio. Of all normal vectors
//!   with variances of such a sum, those along one line are longest at 5 % (Székely and Bakirov 2003).
//! * **No direction.** Where noise or an even spread may hide the direction, the region is the whole factor. So it is
//!   where the region would be too wide for its approximation. A probability is that of the stated regions only if all
//!   are stated.
//! * **Uniformity.** Evenly spread records have an embedded mean of covariance `r²/(nE)·I` (Schur's lemma: the
//!   isometries act irreducibly), asymptotically normal, and noise is independent of it.

use super::bingham::{bingham, matrix_fisher};
use super::concentration::{LARGEST, complex_watson, von_mises_fisher, watson};
use super::frechet;
use super::spread_of_noise::{PROBABILITY, Rehearsal, Spherical, eigenvalue_off, off_at_most};
use crate::embedding::{EmbeddedForm, Embedding};
use crate::manifold::Manifold;
use crate::release::{
    Concentration, ConcentrationLaw, Concentrations, Coverage, DirectionalSummary, Region, RegionCenter, Uniformity,
};
use crate::vector::norm;
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};
use std::f64::consts::FRAC_PI_2;

/// Standard deviations of noise by which a mean resultant length counts as shorter where it says how far a sample is
/// from its population.
const CAREFUL: f64 = 0.5;

/// Intervals to the first order of the noise are for moments of more than so many times the noise.
const FIRST_ORDER: f64 = 4.0;

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
    let parts = of.embedding.split().into_iter().zip(spaces(of.manifold)).zip(of.rehearsals);
    let summaries = parts.map(|((embedding, (space, diameter)), rehearsal)| {
        let (own, others) = rest.split_at(embedding.dim());
        rest = others;
        Factor { embedding: &*embedding, mean: own, n: of.n, noise: of.noise, diameter, rehearsal }.summary(space)
    });
    summaries.collect()
}

/// The names and diameters of the factors; an angle of a torus is a torus of its own.
fn spaces(manifold: &dyn Manifold) -> Vec<(String, f64)> {
    let factors = manifold.factors();
    if !factors.is_empty() {
        return factors.iter().flat_map(|factor| spaces(&**factor)).collect();
    }
    let space = manifold.space().as_str();
    match manifold.embedding().map_or(1, |embedding| embedding.split().len()) {
        1 => vec![(space.to_owned(), manifold.diameter())],
        angles => vec![("torus:1".to_owned(), manifold.diameter() / (angles as f64).sqrt()); angles],
    }
}

/// A part of an embedded mean.
struct Factor<'a> {
    embedding: &'a dyn Embedding,
    mean: &'a [f64],
    n: f64,
    noise: Spherical,
    diameter: f64,
    rehearsal: &'a Rehearsal,
}

impl Factor<'_> {
    fn summary(&self, space: String) -> DirectionalSummary {
        let (radius, length, dim) = (self.embedding.radius(), norm(self.mean), self.mean.len());
        let square = (length * length - dim as f64 * self.noise.deviation().powi(2)) / (radius * radius);
        let resultant = square.max(0.0).sqrt().min(1.0);
        let interval =
            self.rehearsal.interval(length, self.noise, radius, &self.spectra()).map(|end| (end / radius).min(1.0));
        let off = off_at_most(self.embedding, self.noise, PROBABILITY);
        let moments = self.moments();
        let p_value = self.rehearsal.p_value(length, self.noise.scale, radius / self.n.sqrt());
        // records that may be spread evenly have no direction, and noise that may hide it leaves none
        let has_direction = p_value <= 1.0 - PROBABILITY && self.embedding.reach(self.mean, off).is_some();
        let or_all = |radius: f64| if has_direction { radius.min(self.diameter) } else { self.diameter };
        let population = self.of_law(resultant, &moments).map(or_all);
        // made-up draws may make the one that assumes nothing smaller by chance
        let any_population = self.of_any_law(resultant).map(|radius| or_all(radius).max(population.unwrap_or(0.0)));
        DirectionalSummary {
            frechet_mean_within: self.frechet_mean_within(interval),
            concentrations: self.concentrations(&space),
            any_population_region: any_population.map(region_of),
            space,
            mean_resultant_length: resultant,
            mean_resultant_length_interval: interval,
            square_without_bias: square,
            concentration: self.concentration(resultant, interval, &moments),
            population_region: population.map(region_of),
            ellipse: moments.semi_axes(
                self.embedding,
                population.filter(|radius| *radius < self.diameter),
                self.diameter,
            ),
            uniformity: Uniformity { statistic: length / radius, p_value },
        }
    }

    /// The eigenvalues that a matrix without noise may have: those of the noisy one, and those of a point.
    fn spectra(&self) -> Vec<Vec<f64>> {
        let point = match self.embedding.form() {
            EmbeddedForm::Real { n, k } => (0..n).map(|i| f64::from(u8::from(i < k))).collect(),
            EmbeddedForm::Complex { n } => (0..n).map(|i| f64::from(u8::from(i == 0))).collect(),
            EmbeddedForm::Vector(_) | EmbeddedForm::Several => return vec![],
        };
        vec![self.embedding.eigenvalues(self.mean), point]
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
                let values = self.embedding.eigenvalues(self.mean);
                let noisy = *values.first()?;
                let [least, most] = first_moments(resultant, values.len());
                let first = first.max(least).min(most);
                (first, [first.min(noisy - off), first.max(noisy + off)])
            }
            None => (resultant, interval),
        };
        let kappa = of(value).unwrap_or(LARGEST);
        Some(Concentration { law, kappa, interval: (of(low).unwrap_or(0.0), of(high)) })
    }

    /// The concentrations of Bingham's law, or of the matrix Fisher law of rotations, with intervals to the first
    /// order.
    fn concentrations(&self, space: &str) -> Option<Concentrations> {
        let EmbeddedForm::Real { k: 1, .. } = self.embedding.form() else { return None };
        let moments = self.embedding.eigenvalues(self.mean);
        // noise may make a moment negative, and no law has such a one
        let raised: Vec<f64> = moments.iter().map(|moment| moment.max(self.noise.deviation())).collect();
        let mut found = bingham(&raised)?;
        let is_rotation = space.starts_with("rotations:");
        if is_rotation {
            found = matrix_fisher(&found);
        }
        // no eigenvalue is farther off, and each may be off by itself
        let most = eigenvalue_off(self.embedding, self.noise, PROBABILITY);
        let is_known = moments.last().is_some_and(|least| *least > FIRST_ORDER * most);
        let ends = |(i, value): (usize, &f64)| {
            let off = most * found.derivative.row(i).iter().map(|x| x.abs()).sum::<f64>();
            // those of Bingham's law are not negative
            let least = if is_rotation { -f64::MAX } else { 0.0 };
            if is_known { [(value - off).max(least), value + off] } else { [least, f64::MAX] }
        };
        Some(Concentrations {
            law: if is_rotation { ConcentrationLaw::MatrixFisher } else { ConcentrationLaw::Bingham },
            values: found.values.iter().copied().collect(),
            intervals: found.values.iter().enumerate().map(ends).collect(),
        })
    }

    /// How far a Fréchet mean of the records can be from their extrinsic mean.
    fn frechet_mean_within(&self, [shortest, _]: [f64; 2]) -> Option<f64> {
        let unit = 1.0 / self.embedding.stretch();
        let within = match self.embedding.form() {
            EmbeddedForm::Vector(_) => frechet::of_directions(shortest).map(|angle| unit * angle),
            EmbeddedForm::Real { k: 1, .. } | EmbeddedForm::Complex { .. } => {
                let values = self.embedding.eigenvalues(self.mean);
                let off = eigenvalue_off(self.embedding, self.noise, PROBABILITY);
                let (first, second) = (*values.first()?, *values.get(1)?);
                let angle = frechet::of_axes((first - off).clamp(0.0, 1.0), first - second - 2.0 * off);
                angle.map(|angle| unit * angle * 2.0_f64.sqrt())
            }
            EmbeddedForm::Real { .. } | EmbeddedForm::Several => return None,
        };
        Some(within.map_or(self.diameter, |within| within.min(self.diameter)))
    }

    /// The radius of the region for the mean direction of the population, whatever its law is: infinite where none is
    /// known.
    fn of_any_law(&self, resultant: f64) -> Option<f64> {
        let EmbeddedForm::Vector(_) = self.embedding.form() else { return None };
        let careful = (resultant - CAREFUL * self.noise.deviation()).max(0.0);
        // records along a line, half of them to either side, have a mean that is longer in 5 %
        if self.n * careful * careful <= chi_square(1.0, PROBABILITY) {
            return Some(f64::INFINITY);
        }
        // (1 − ρ²)/n of the population, with E R̄² = ρ² + (1 − ρ²)/n
        let sampled = ((1.0 - careful * careful) / (self.n - 1.0).max(1.0)).sqrt();
        let angle = self.rehearsal.off_along_a_line(self.noise, sampled * student(self.n)) / resultant;
        Some(up_to(angle / self.embedding.stretch(), FRAC_PI_2 / self.embedding.stretch()))
    }

    /// The radius of the region for the mean of the population: infinite where none is known. `None` for subspaces.
    fn of_law(&self, resultant: f64, moments: &Moments) -> Option<f64> {
        let unit = 1.0 / self.embedding.stretch(); // a distance for each radian
        match self.embedding.form() {
            EmbeddedForm::Vector(p) => {
                let d = (p - 1) as f64;
                // noise may make records look closer together than they are: with R̄ itself, 20 records of R̄ = 0.97
                // and ε = 10, the region would hold the mean in 89 %
                let careful = (resultant - CAREFUL * self.noise.deviation()).max(0.0);
                // of the population: that of a sample is longer by sampling, E R̄² = ρ² + (1 − ρ²)/n
                let of_population = ((self.n * careful * careful - 1.0) / (self.n - 1.0).max(1.0)).max(0.0).sqrt();
                // 1/√(nκρ), with κ = 0 of evenly spread records
                let kappa = von_mises_fisher(p, of_population).unwrap_or(f64::INFINITY);
                let of_law = 1.0 / (self.n * kappa * of_population).sqrt();
                let few = match p {
                    2 => of_law * student(self.n),
                    3 => fisher_cone(self.n, careful) / chi_square(d, PROBABILITY).sqrt(),
                    _ => 0.0,
                };
                let off = self.rehearsal.off_all_around(self.noise, of_law.max(few) * resultant);
                Some(up_to(unit * off / resultant, unit * FRAC_PI_2))
            }
            EmbeddedForm::Real { k: 1, .. } | EmbeddedForm::Complex { .. } => {
                let radius = moments.radius().map(|radius| unit * radius * 2.0_f64.sqrt());
                Some(up_to(radius.unwrap_or(f64::INFINITY), 0.5 * self.diameter))
            }
            EmbeddedForm::Real { .. } | EmbeddedForm::Several => None,
        }
    }
}

/// A radius, if the approximation reaches so far; else infinity.
fn up_to(radius: f64, largest: f64) -> f64 {
    if radius < largest { radius } else { f64::INFINITY }
}

/// A region that holds asymptotically.
fn region_of(radius: f64) -> Region {
    Region { probability: PROBABILITY, radius, center: RegionCenter::Value, coverage: Coverage::Asymptotically }
}

/// The first moments that axes of `R^p` or `C^p` with a mean resultant length can have. Their moments `t` are not
/// negative and sum to 1, and `R̄² = (p·Σ tᵢ² − 1)/(p − 1)`: so `t₁ ≥ Σ tᵢ²`, and `t₁` is largest where the others are
/// equal, as Watson's law has them.
fn first_moments(resultant: f64, p: usize) -> [f64; 2] {
    let (even, rest) = (1.0 / p as f64, 1.0 - 1.0 / p as f64);
    [even + (rest * resultant * resultant).max(even * resultant), even + rest * resultant]
}

/// The first moment of an axis, and the variances of its tangent coordinates.
#[derive(Debug, Default)]
struct Moments {
    first: Option<f64>,
    variances: Vec<f64>,
}

impl Moments {
    /// The length of a normal vector with these variances that is exceeded with 5 %, by a law with the same two
    /// moments.
    fn radius(&self) -> Option<f64> {
        let (sum, squares): (f64, f64) =
            self.variances.iter().fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
        (sum > 0.0 && sum.is_finite()).then(|| (squares / sum * chi_square(sum * sum / squares, PROBABILITY)).sqrt())
    }

    /// The semi-axes of the ellipse with 95 % confidence: the diameter where no region is known.
    fn semi_axes(&self, embedding: &dyn Embedding, region: Option<f64>, diameter: f64) -> Vec<f64> {
        let quantile = chi_square(self.variances.len().max(1) as f64, PROBABILITY);
        let unit = 2.0_f64.sqrt() / embedding.stretch();
        let mut axes: Vec<f64> = self.variances.iter().map(|v| unit * (quantile * v).sqrt()).collect();
        if region.is_none() || axes.iter().any(|axis| axis.is_nan() || *axis > 0.5 * diameter) {
            axes.fill(diameter);
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

/// How much longer Student's interval of `n` numbers is than that of the normal law.
fn student(n: f64) -> f64 {
    let freedom = (n - 1.0).clamp(1.0, 1e4);
    let quantile =
        StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(0.5 + 0.5 * PROBABILITY));
    (quantile / chi_square(1.0, PROBABILITY).sqrt()).max(1.0)
}

/// The quantile of the `χ²` law.
fn chi_square(freedom: f64, probability: f64) -> f64 {
    ChiSquared::new(freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(probability))
}
