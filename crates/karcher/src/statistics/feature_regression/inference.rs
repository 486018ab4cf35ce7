//! Predictions and effects of a private regression on features, with regions (user guide, R5).
//!
//! All of it follows from the released moments and public numbers. With `w = M·x` the estimate of `xᵀB` is `wᵀC̃`, and
//!
//! ```text
//! wᵀC̃ − xᵀB = −wᵀ(N·B − N′) − (x − Ã·w)ᵀB,      B of least squares.
//! ```
//!
//! The first part is noise. Its law is simulated with the released `w` and `B`. The second part is what damping takes
//! away: at most `‖x − Ã·w‖·‖B‖`. `‖B‖` is the released one, or a usual one if that is larger, because noise may hide
//! all of `B`. The usual norm is that of coefficients whose predictions reach the edge of the ball. The error of the
//! sample adds `(wᵀÃw)/n` times the mean square of the residuals, if these are as large everywhere. An effect has the
//! largest `(wᵀφ)²` in place of `wᵀÃw`, which holds for all residuals. The direction is not known, so all of it lies in
//! the direction of the noise.

use super::basis::Basis;
use super::leverage::Leverage;
use super::model::{Model, Moments, product};
use super::significance::term_test;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::features::{Features, Term};
use crate::manifold::Manifold;
use crate::mechanism::components::carried_back;
use crate::mechanism::noise::exact::moved;
use crate::noise::{Generator, Law};
use crate::records::{Centered, shorten};
use crate::release::{
    Change, Coverage, Effect, PrivateCount, PrivateFeatureRegression as Released, PublishedRelease, Region,
    RegionCenter, TermTest, Value,
};
use crate::vector::{dot, norm};
use rand_distr::{ChiSquared, Distribution, Gamma, StandardNormal};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// Draws of a simulation, and normal numbers that all of them may have.
const DRAWS: usize = 4_000;
const NUMBERS: usize = 400_000;

/// The probability of regions and intervals.
const PROBABILITY: f64 = 0.95;

/// Seed of simulations: they are functions of public numbers.
const SEED: u64 = 0x6B61_7263_6865_7235;

/// A function says little where damping leaves out more of it, or where noise alone is larger, in units of the radius.
const MOST: f64 = 0.5;

/// The part of a term whose loss may show as an effect of another term.
const DAMPED: f64 = 0.2;

/// Records of a level below which a test of levels says little. A residual follows its fit: with 40 records at a level
/// a test at 5 % rejects in 6 %, with 10 in 9 %, with 3 in 20 %.
const RARE: f64 = 40.0;

/// A released regression on features, ready to predict.
///
/// See [`PrivateFeatureRegression`](super::PrivateFeatureRegression) for an example.
#[derive(Debug)]
pub struct FeatureModel {
    pub(super) model: Model,
    features: Features,
    centered: Centered,
    /// The number of records, or the private one.
    pub(super) n: f64,
    basis: Option<Basis>,
    draws: Draws,
}

/// A point that the model predicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The point.
    #[serde(rename = "value")]
    pub point: Vec<f64>,
    /// Region for the prediction of least squares without noise, shortened to the ball as this one.
    ///
    /// What noise hides counts with coefficients of the usual size: their predictions reach the edge of the ball. A
    /// covariate that uses a small part of its range may have larger ones, and the region is then too small. Choose
    /// ranges that the records fill.
    pub region: Region,
    /// The same for the prediction in the population of clipped responses, with residuals as large everywhere.
    pub population_region: Region,
    /// Whether the moments leave the prediction to noise, because such covariates are too rare.
    pub little_information: bool,
}

/// A linear function of the coefficients, and lengths that its errors exceed with 5 %.
struct Function {
    vector: Vec<f64>,
    by_noise: f64,
    in_population: f64,
    little_information: bool,
}

/// Draws of the noise on the moments, of standard deviation 1, and of the error of the sample.
#[derive(Debug)]
struct Draws {
    each: Vec<Draw>,
    /// `q` normal numbers `g` for each draw.
    rows: Vec<f64>,
    /// `‖Bᵀg‖²` of each.
    squares: Vec<f64>,
}

#[derive(Debug)]
struct Draw {
    /// The length of the noise over that of a normal one.
    mixed: f64,
    /// What `w` counts in the noise `‖w‖·g + own·w` on the design.
    own: f64,
    /// The noise on the responses, in the direction of the noise on the design.
    along: f64,
    /// The squared length of the rest of it: `χ²` with `d − 1` degrees of freedom.
    across: f64,
    /// The error of the sample, in the direction of `along`.
    sampled: f64,
}

impl Draws {
    fn new(moments: &Moments, coefficients: &[f64]) -> Self {
        let (q, d) = (moments.features, moments.dim);
        let count = (NUMBERS / q).clamp(DRAWS / 20, DRAWS);
        let mut generator = Generator::seeded(SEED);
        let across = ChiSquared::new(d as f64 - 1.0).ok();
        let mut mixed = mixing(moments);
        let mut each = Vec::with_capacity(count);
        let mut rows = Vec::with_capacity(count * q);
        for _ in 0..count {
            let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
            let [own, along, sampled] = [normal(), normal(), normal()];
            rows.extend((0..q).map(|_| normal()));
            let across = across.map_or(0.0, |law| law.sample(&mut generator));
            each.push(Draw { mixed: mixed(&mut generator), own, along, across, sampled });
        }
        let squares = rows.chunks_exact(q).map(|g| norm(&product(g, coefficients, q, d)).powi(2)).collect();
        Self { each, rows, squares }
    }
}

/// Draws the length of noise over that of a normal one of the same deviation: 1, or `√(2V/(D + 1))` for Laplace noise,
/// `V` of the gamma law of shape `(D + 1)/2`.
pub(super) fn mixing(moments: &Moments) -> impl FnMut(&mut Generator) -> f64 + use<> {
    let shape = 0.5 * (moments.numbers as f64 + 1.0);
    let law = Gamma::new(shape, 1.0).ok().filter(|_| moments.law == Law::Laplace);
    move |generator| law.map_or(1.0, |law| (law.sample(generator) / shape).sqrt())
}

/// A length that the draws exceed with 5 %, less two standard errors of so many draws.
fn quantile(mut lengths: Vec<f64>) -> f64 {
    lengths.sort_by(f64::total_cmp);
    let n = lengths.len() as f64;
    let rank = n * (PROBABILITY + 2.0 * (PROBABILITY * (1.0 - PROBABILITY) / n).sqrt());
    lengths.get(rank.ceil() as usize).or(lengths.last()).copied().unwrap_or(f64::INFINITY)
}

impl FeatureModel {
    /// The model of a release.
    ///
    /// # Errors
    /// [`Error::Field`] for a release of another statistic, and for moments of another size; those of its space and
    /// ball.
    pub fn of(release: &PublishedRelease) -> Result<Self> {
        let how = &release.provenance;
        let draws = how.noise_together();
        let (Value::Features(value), Some(draw)) = (&release.value, draws.first()) else {
            return Err(crate::spec::field("statistic", format!("a {} has no features", how.statistic)));
        };
        let manifold = how.manifold.manifold()?;
        let law = draw.law.on_numbers().unwrap_or(Law::Gaussian); // a mixture of draws is nearly normal
        let centered = Centered::new(&manifold, &how.ball)?;
        let basis = value.basis.as_ref().map(|basis| Basis::new(&centered, basis)).transpose()?;
        let numbers = value.moments.len() + usize::from(how.private_count.is_some());
        let moments = Moments {
            features: value.features.width(),
            dim: basis.as_ref().map_or(manifold.dim(), Basis::len),
            radius: how.ball.radius(),
            weights: value.moment_weights,
            law,
            numbers,
            deviation: deviation(law, numbers, draw.scale),
            is_constant: value.features.is_constant() && how.private_count.is_none(),
        };
        let n = how.private_count.as_ref().map(PrivateCount::divisor).or(how.n.map(|n| n as f64)).unwrap_or(1.0);
        let guess = how.n_guess.map_or(n, |guess| guess as f64);
        let of = ((&manifold, &how.ball), basis);
        Self::new(moments, value.features.clone(), of, &value.moments, (n, guess))
    }

    /// The model of noisy moments: of `n` records, over `guess` of them.
    pub(super) fn new(
        moments: Moments,
        features: Features,
        ((manifold, ball), basis): ((&Arc<dyn Manifold>, &Ball), Option<Basis>),
        z: &[f64],
        (n, guess): (f64, f64),
    ) -> Result<Self> {
        let (q, d) = (moments.features, moments.dim);
        let size = crate::records::feature_moment_len(q, d);
        if z.len() != size || !norm(z).is_finite() {
            let requirement = format!("the moments must be {size} finite numbers");
            return Err(Error::InvalidParameter { name: "moments", value: z.len() as f64, requirement });
        }
        // a mean over as many records as there are, for the mean square of the residuals
        let by = guess / n;
        let mean: Vec<f64> = z.iter().map(|z| z * by).collect();
        let moments = Moments { deviation: moments.deviation * by, ..moments };
        let model = Model::new(moments, &mean, n);
        let centered = Centered::new(manifold, ball)?;
        Ok(Self { draws: Draws::new(&moments, &model.coefficients), model, features, centered, n, basis })
    }

    /// `Ã` and `M`, row by row, and the standard deviations of the noise: of a number on the diagonal of `Ã`, which
    /// elsewhere is `1/√2` of it, and of each number of `C̃`. The errors of all linear functions of the coefficients
    /// follow from them (user guide, R5).
    ///
    /// ```
    /// # use karcher::{Ball, Points, ReleaseContext, features::Features, manifold::Euclidean, privacy::Guarantee};
    /// # use karcher::mechanism::{FeatureModel, PrivateFeatureRegression, Request};
    /// # use karcher::release::PublishedRelease;
    /// # use std::sync::Arc;
    /// # let line = Arc::new(Euclidean::new(1)?);
    /// # let regression = PrivateFeatureRegression::new(line.clone(), Ball::at_origin(&*line, 1.0)?, Features::matrix(2)?)?;
    /// # let records = Points::new(&**regression.records(), [0.5, 0.6, 0.8].repeat(1_000))?;
    /// let plan = Request::new(regression, 1_000, Guarantee::gaussian(1.0)?).plan()?;
    /// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
    /// let model = FeatureModel::of(&PublishedRelease::from(release))?;
    /// let (design, _, [of_design, _]) = model.design();
    /// assert!((design[1] - 0.48).abs() < 10.0 * of_design); // 0.6·0.8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn design(&self) -> (&[f64], &[f64], [f64; 2]) {
        let Model { moments, design, inverse, .. } = &self.model;
        (design, inverse, [moments.of_design(), moments.of_responses()])
    }

    /// The prediction for a row of features: `Exp_{m₀}(Σ φᵢ·Bᵢ)`, shortened to the ball.
    ///
    /// A row longer than 1 is shortened, as those of records are. The regions are balls around the prediction. On
    /// spaces of negative curvature they are as much larger as the space stretches tangent vectors.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a row of another size.
    pub fn predict(&self, row: &[f64]) -> Result<Estimate> {
        let function = self.function(&self.shortened(row)?, None);
        let radius = self.model.moments.radius;
        let (centered, point) = (&self.centered, self.point_of(function.vector));
        // both predictions lie in the ball
        let most = (2.0 * radius).min(centered.manifold().diameter());
        let region = |length: f64, coverage| Region {
            probability: PROBABILITY,
            radius: (length * self.stretch()).min(most),
            center: RegionCenter::Value,
            coverage,
        };
        Ok(Estimate {
            point,
            region: region(function.by_noise, Coverage::Approximately),
            population_region: region(function.in_population, Coverage::Asymptotically),
            little_information: function.little_information,
        })
    }

    /// The same point without its regions, which take most of the time.
    ///
    /// # Errors
    /// As for [`predict`](FeatureModel::predict).
    pub fn point(&self, row: &[f64]) -> Result<Vec<f64>> {
        Ok(self.point_of(self.model.combined(&self.shortened(row)?)))
    }

    /// A row, no longer than 1.
    fn shortened(&self, row: &[f64]) -> Result<Vec<f64>> {
        let q = self.model.moments.features;
        if row.len() != q || !norm(row).is_finite() {
            let requirement = format!("a row has {q} finite numbers");
            return Err(Error::InvalidParameter { name: "number_of_features", value: row.len() as f64, requirement });
        }
        let mut row = row.to_vec();
        shorten(&mut row, 1.0);
        Ok(row)
    }

    /// The point of a vector in the tangent space, shortened to the ball.
    fn point_of(&self, mut along: Vec<f64>) -> Vec<f64> {
        let centered = &self.centered;
        shorten(&mut along, self.model.moments.radius);
        let coordinates = self.coordinates(along);
        centered.back(&moved(centered.space(), centered.center().to_vec(), &coordinates))
    }

    /// The coordinates of a vector along the basis, where there is one.
    fn coordinates(&self, along: Vec<f64>) -> Vec<f64> {
        match &self.basis {
            Some(basis) => basis.combined(&along),
            None => along,
        }
    }

    /// `sinh(ar)/(ar)`, `a = √−κ₋`: two tangent vectors in the ball lead to points that are at most so much farther
    /// apart.
    fn stretch(&self) -> f64 {
        let t = (-self.centered.manifold().curvature().lower).max(0.0).sqrt() * self.centered.radius();
        if t > 0.0 { t.sinh() / t } else { 1.0 }
    }

    /// A linear function of the coefficients. Without leverages, its error in the population is that of residuals which
    /// are as large everywhere.
    fn function(&self, x: &[f64], leverage: Option<&Leverage>) -> Function {
        let Model { moments, residual_square, .. } = &self.model;
        let (w, q) = (self.model.inverse_of(x), moments.features);
        let designed = self.model.design_of(&w);
        let kept = dot(&w, &designed);
        let left: Vec<f64> = x.iter().zip(&designed).map(|(x, a)| x - a).collect();
        let (long, crossed) = (norm(&w), norm(&w) * moments.of_responses());
        let square = (residual_square + moments.of_square()).min(moments.radius.powi(2));
        let weight = leverage.map_or(0.0, |leverage| leverage.largest(&w, q)).max(kept);
        let sampled = (weight * square / self.n).sqrt();
        let (mut by_noise, mut in_population) = (vec![], vec![]);
        // Bᵀ·N·w = Bᵀ·(‖w‖·g + own·w), in these units, for noise on a symmetric matrix
        let scale = FRAC_1_SQRT_2 * moments.of_design();
        let of_w = product(&w, &self.model.coefficients, q, moments.dim);
        let of_coefficients = product(&self.model.coefficients, &of_w, moments.dim, 1);
        let own = norm(&of_w).powi(2);
        for ((draw, g), by_g) in self.draws.each.iter().zip(self.draws.rows.chunks_exact(q)).zip(&self.draws.squares) {
            let both = long * draw.own * dot(g, &of_coefficients);
            let square = long * long * by_g + 2.0 * both + draw.own.powi(2) * own;
            let along = draw.mixed * (scale * square.max(0.0).sqrt() + crossed * draw.along);
            let across = (draw.mixed * crossed).powi(2) * draw.across;
            by_noise.push((along * along + across).sqrt());
            in_population.push(((along + sampled * draw.sampled).powi(2) + across).sqrt());
        }
        let size = norm(&self.model.coefficients).max(moments.radius * self.features.usual_norm());
        let bias = norm(&left) * size;
        let (by_noise, in_population) = (quantile(by_noise) + bias, quantile(in_population) + bias);
        let is_hidden = norm(&left) > MOST * norm(x) || by_noise > MOST * norm(x) * moments.radius;
        Function { vector: self.model.combined(x), by_noise, in_population, little_information: is_hidden }
    }

    /// The released value: moments, coefficients, effects and tests.
    pub(super) fn release(&self, z: Vec<f64>) -> Released {
        let moments = &self.model.moments;
        let leverage = Leverage::of(&self.features);
        Released {
            moments: z,
            moment_weights: moments.weights,
            coefficients: self.model.coefficients.chunks_exact(moments.dim).map(<[f64]>::to_vec).collect(),
            residual_spread: self.model.residual_square.sqrt(),
            effects: self.effects(&leverage),
            term_tests: self.term_tests(&leverage),
            features: self.features.clone(),
            basis: self.basis.as_ref().map(|basis| basis.given().to_vec()),
        }
    }

    /// The tests of all terms.
    fn term_tests(&self, leverage: &Leverage) -> Vec<TermTest> {
        let terms = self.of_terms(|term, at| {
            let rows: Vec<Vec<f64>> = term.contrasts().iter().map(|block| self.placed(block, at)).collect();
            vec![(term.to_string(), rows, self.has_rare_level(term, at))]
        });
        let hidden: Vec<bool> = terms.iter().map(|(_, rows, _)| rows.iter().any(|row| self.is_damped(row))).collect();
        let others = |at: usize| hidden.iter().enumerate().any(|(i, is_hidden)| i != at && *is_hidden);
        let test = |(at, (term, rows, is_rare)): (usize, (String, Vec<Vec<f64>>, bool))| {
            term_test((self, leverage), (term, is_rare || others(at)), &rows)
        };
        terms.into_iter().enumerate().map(test).collect()
    }

    /// Whether a listed level has fewer than [`RARE`] records, by the noisy moments: the fit follows their residuals,
    /// and a test finds too many effects.
    fn has_rare_level(&self, term: &Term, at: usize) -> bool {
        let Term::Levels(_, levels) = term else { return false };
        let (design, q) = (&self.model.design, self.model.moments.features);
        let shares: Vec<f64> = (at..at + term.width()).map(|j| design[j * (q + 1)]).collect();
        let all: f64 = shares.iter().sum();
        shares[..levels.len()].iter().any(|share| self.n * share < RARE * all)
    }

    /// Whether damping takes a notable part of a linear function away.
    fn is_damped(&self, x: &[f64]) -> bool {
        let kept = self.model.design_of(&self.model.inverse_of(x));
        let left: Vec<f64> = x.iter().zip(kept).map(|(x, a)| x - a).collect();
        norm(&left) > DAMPED * norm(x)
    }

    /// The effects of all terms.
    fn effects(&self, leverage: &Leverage) -> Vec<Effect> {
        let centered = &self.centered;
        let reach = centered.radius().min(0.5 * centered.manifold().injectivity_radius()).min(1.0);
        self.of_terms(|term, at| {
            let effect = |(from, to, block): (String, String, Vec<f64>)| {
                let function = self.function(&self.placed(&block, at), Some(leverage));
                let distance = norm(&function.vector);
                let mut vector = vec![0.0; centered.of().center().len()];
                if distance > 0.0 {
                    let coordinates = self.coordinates(function.vector.clone());
                    vector = carried_back(
                        centered,
                        centered.center(),
                        &coordinates,
                        centered.of().center(),
                        reach / distance,
                    );
                    vector.iter_mut().for_each(|x| *x *= distance);
                }
                let interval = [-1.0, 1.0].map(|sign| (distance + sign * function.in_population).max(0.0));
                let change = self.sign(&function.vector, &vector).map(|sign| {
                    let value = sign * distance;
                    let interval = [-1.0, 1.0].map(|sign| value + sign * function.in_population);
                    Change { value, interval }
                });
                let (term, little_information) = (term.to_string(), function.little_information);
                Effect { term, from, to, vector, distance, interval, change, little_information }
            };
            term.effects().into_iter().map(effect).collect()
        })
    }

    /// The sign of a vector in one dimension: along the basis, or that of its number. Of two numbers it is 1 for a turn
    /// that is counterclockwise, and of more that of the largest one.
    fn sign(&self, along: &[f64], vector: &[f64]) -> Option<f64> {
        let [along] = along else { return None };
        let number = match (self.centered.of().center(), vector) {
            _ if self.basis.is_some() => *along,
            ([x, y], [u, v]) => x * v - y * u,
            _ => vector.iter().copied().fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most }),
        };
        Some(if number < 0.0 { -1.0 } else { 1.0 })
    }

    /// What is made of each term and the place of its block.
    fn of_terms<T>(&self, of: impl Fn(&Term, usize) -> Vec<T>) -> Vec<T> {
        let mut at = 1;
        let each = self.features.terms().iter().flat_map(|term| {
            let place = at;
            at += term.width();
            of(term, place)
        });
        each.collect()
    }

    /// A block of numbers at its place in a row, with its weight.
    fn placed(&self, block: &[f64], at: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.model.moments.features];
        row[at..].iter_mut().zip(block).for_each(|(out, x)| *out = x * self.features.weight());
        row
    }
}

/// The standard deviation of each of `numbers` numbers of noise of a scale.
pub(super) fn deviation(law: Law, numbers: usize, scale: f64) -> f64 {
    match law {
        Law::Laplace => scale * (numbers as f64 + 1.0).sqrt(),
        Law::Gaussian => scale,
    }
}
