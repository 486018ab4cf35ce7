//! The plan of private quantiles: a noisy distribution function on a public grid (user guide, D5).

use super::PrivateQuantiles;
use super::estimate::Distribution;
use crate::error::{Error, Result};
use crate::mechanism::noise::cumulative::Cumulative;
use crate::mechanism::plan::again::{numbers, of_another_statistic};
use crate::mechanism::plan::budget::{as_pure, total_mu};
use crate::mechanism::plan::publish;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, Request, Round, RoundState, Rounds, check_some};
use crate::noise::{Law, VectorNoise};
use crate::privacy::rounding::{div_up, mul_down};
use crate::privacy::{Definition, Guarantee};
use crate::release::{
    Adjacency, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, PublishedRelease, Release,
    ReleasedBound, ReleasedQuantiles, ReleasedSensitivity, StatisticName, Value,
};
use std::f64::consts::FRAC_2_PI;
use std::sync::Arc;

/// `distribution`: noise on running sums of the numbers of records in cells.
#[derive(Debug)]
pub struct NoisyDistribution;

impl Mechanism for NoisyDistribution {
    fn name(&self) -> MechanismName {
        MechanismName::Distribution
    }

    fn about(&self) -> &'static str {
        "Noise on the numbers of records in the cells of a grid, from which a distribution function follows"
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(QuantilesPlan::new(request.asked(self.name())?, request)?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        self.plan(request) // it is for the neighbours that the request names
    }
}

/// Quantiles with everything decided that does not need the records.
#[derive(Debug, Clone)]
struct QuantilesPlan {
    of: PrivateQuantiles,
    encoding: Arc<Cumulative>,
    noise: VectorNoise,
    summary: PlanSummary,
}

impl QuantilesPlan {
    /// The plan of a request.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records, and those of the noise.
    fn new(of: &PrivateQuantiles, request: &Request) -> Result<Self> {
        let (n, budget, adjacency) = (request.n(), request.budget(), request.asked_adjacency());
        check_some(n)?;
        let cells = of.quantiles().cells();
        let with = |law: Law, parameter: f64, guarantee: Guarantee| -> Result<_> {
            let encoding = Cumulative::shared(cells, law, adjacency)?;
            let noise = VectorNoise::new(law, div_up(encoding.moved() / encoding.unit(), parameter))?;
            let error = mean_error(of, &encoding, noise.sigma() * encoding.unit());
            Ok((encoding, noise, guarantee, error))
        };
        let (encoding, noise, guarantee, error) = match budget.definition() {
            Definition::Pure { .. } => with(Law::Laplace, as_pure(budget)?, budget)?,
            Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
                with(Law::Gaussian, total_mu(budget)?, budget)?
            }
            Definition::Approximate { epsilon, .. } => {
                let pure = with(Law::Laplace, epsilon, Guarantee::pure(epsilon)?)?;
                let normal = total_mu(budget).and_then(|mu| with(Law::Gaussian, mu, budget));
                normal.ok().filter(|normal| normal.3 < pure.3).unwrap_or(pure)
            }
        };
        let (law, scale) = (noise.law(), mul_down(noise.sigma(), encoding.unit()));
        let draw = match law {
            // on each number by itself, of no single space
            Law::Laplace => {
                let draw = NoiseDraw::on_vector(NoiseOf::Value, law, 1, scale, encoding.moved());
                NoiseDraw { space: None, ..draw }
            }
            Law::Gaussian => NoiseDraw::on_vector(NoiseOf::Value, law, encoding.len(), scale, encoding.moved()),
        };
        let [low, high] = of.range();
        let summary = PlanSummary::new(
            MechanismName::Distribution,
            (StatisticName::Quantiles, of.manifold(), of.ball()),
            n,
            guarantee,
            scale,
            ReleasedSensitivity { value: draw.sensitivity, bound: ReleasedBound::RunningSums },
            // of records spread evenly, and half of half a cell
            (high - low) * (error / n as f64 + 0.25 / cells as f64).min(0.5),
        );
        let summary = PlanSummary { numerics: Numerics::Exact, adjacency, noise: vec![draw], ..summary };
        Ok(Self { of: of.clone(), encoding, noise, summary })
    }

    fn is_known(&self) -> bool {
        self.summary.adjacency == Adjacency::ReplaceOne
    }

    /// The release that follows from noisy numbers, in records.
    fn released(&self, noisy: Vec<f64>, context: &OpenRelease<'_>) -> Result<Release> {
        let scale = self.noise.sigma() * self.encoding.unit();
        let found = Distribution {
            of: &self.of,
            encoding: &self.encoding,
            scale,
            sums: self.encoding.decoded(&noisy, self.summary.n as f64),
            is_known: self.is_known(),
        };
        let cells = found.cells();
        let between = |[low, high]: [usize; 2]| [self.of.below(low), self.of.above(high)];
        let value = ReleasedQuantiles {
            positions: self.of.kind(),
            position_range: self.of.range(),
            levels: self.of.quantiles().levels.clone(),
            quantiles: cells.iter().map(|cell| self.of.middle(cell.at)).collect(),
            intervals: cells.iter().map(|cell| between(cell.sample)).collect(),
            population_intervals: cells.iter().map(|cell| between(cell.population)).collect(),
            noisy_sums: noisy,
        };
        let count = (!self.is_known()).then(|| self.count(found.n(), scale));
        publish(self, Value::Quantiles(value), count, context)
    }

    /// The private number of records, which is the last running sum.
    fn count(&self, noisy: f64, scale: f64) -> PrivateCount {
        let noise = self.encoding.noise(0, 1.0, scale);
        PrivateCount::within(super::tail::half_width(&noise), noisy, noise.variance().sqrt())
    }
}

/// The mean distance of a running sum from the one without noise, in records, on average over the levels.
fn mean_error(of: &PrivateQuantiles, encoding: &Cumulative, scale: f64) -> f64 {
    let (levels, cells) = (&of.quantiles().levels, of.quantiles().cells() as f64);
    let error = |q: &f64| (FRAC_2_PI * encoding.noise((q * cells) as usize, *q, scale).variance()).sqrt();
    levels.iter().map(error).sum::<f64>() / levels.len() as f64
}

impl Sealed for QuantilesPlan {}

impl Rounds for QuantilesPlan {
    fn round(&self, _: &RoundState) -> Result<Round> {
        let all = self.encoding.len();
        let ranges = match self.noise.law() {
            Law::Laplace => (0..all).map(|i| (i..i + 1, self.noise)).collect(),
            Law::Gaussian => vec![(0..all, self.noise)],
        };
        Ok(Round::encoded(self.of.seen.query_of(self.of.term())?, Arc::clone(&self.encoding), ranges))
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        if state.numbers().len() != self.encoding.len() {
            let requirement = format!("the round has {} numbers", self.encoding.len());
            return Err(Error::InvalidParameter { name: "state", value: state.numbers().len() as f64, requirement });
        }
        self.released(state.numbers().iter().map(|sum| sum * self.encoding.unit()).collect(), context)
    }
}

impl Plan for QuantilesPlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    fn lattice(&self) -> f64 {
        self.encoding.unit()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Quantiles(found) = &stated.value else { return Err(of_another_statistic()) };
        self.released(numbers("noisy_sums", &found.noisy_sums, self.encoding.len(), self.encoding.unit())?, context)
    }
}
