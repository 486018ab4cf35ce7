//! The plan of a private score: a table of noisy sums of shares, and what follows from it (user guide, V2).

use super::PrivateScore;
use super::interval::{MISSED, OnNumbers, of_one};
use crate::error::{Error, Result};
use crate::mechanism::plan::again::{numbers, of_another_statistic};
use crate::mechanism::plan::budget::{as_pure, total_mu};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::plan::{publish, rounds};
use crate::mechanism::{Mechanism, Plan, PlanSummary, Request, Round, RoundState, Rounds, check_some};
use crate::noise::{Law, VectorNoise};
use crate::privacy::rounding::{div_up, mul_down, mul_up, sqrt_up};
use crate::privacy::{Definition, Guarantee};
use crate::records::{BOUND, Records, Summand};
use crate::release::{
    Adjacency, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, PublishedRelease, Release,
    ReleasedBound, ReleasedScore, ReleasedSensitivity, StatisticName, Value,
};
use crate::spec::Metric;
use std::f64::consts::{FRAC_2_PI, SQRT_2};

/// `table`: independent noise on the numbers of records in the cells of a table.
#[derive(Debug)]
pub struct Table;

impl Mechanism for Table {
    fn name(&self) -> MechanismName {
        MechanismName::Table
    }

    fn about(&self) -> &'static str {
        "Independent noise on the number of records in each cell of a table, for scores of predictions"
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(ScorePlan::new(request.asked(self.name())?, request)?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        self.plan(request) // it is for the neighbours that the request names
    }
}

/// The unit of a sum of shares.
const QUANTUM: f64 = 1.0 / BOUND;

/// R² below this is stated as this.
const LEAST_R2: f64 = -1.0;

/// The variance of a number that is spread evenly over a range of length 1, for the forecast of R².
const EVEN: f64 = 1.0 / 12.0;

/// A score with everything decided that does not need the records.
#[derive(Debug, Clone)]
struct ScorePlan {
    of: PrivateScore,
    noise: VectorNoise,
    summary: PlanSummary,
}

impl ScorePlan {
    /// The plan of a request.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records, and those of the noise.
    fn new(of: &PrivateScore, request: &Request) -> Result<Self> {
        let (n, budget, adjacency) = (request.n(), request.budget(), request.asked_adjacency());
        check_some(n)?;
        if of.score().metric == Metric::R2 && adjacency == Adjacency::AddRemove {
            let reason = "R² is planned for a public number of records; take replace-one".to_owned();
            let (mechanism, space) = (MechanismName::Table.name(), of.manifold().space().clone());
            return Err(Error::Unsupported { mechanism, space, reason });
        }
        // the change of all cells together by one record, in records; its root is the length of the change
        let moved = match adjacency {
            Adjacency::ReplaceOne => of.score().blocks().iter().map(|size| if *size > 1 { 2.0 } else { 1.0 }).sum(),
            Adjacency::AddRemove => of.score().blocks().len() as f64,
        };
        let laplace = |epsilon: f64| VectorNoise::new(Law::Laplace, div_up(mul_up(moved, BOUND), epsilon));
        let normal = |mu: f64| VectorNoise::new(Law::Gaussian, div_up(mul_up(sqrt_up(moved), BOUND), mu));
        let (noise, guarantee) = match budget.definition() {
            Definition::Pure { .. } => (laplace(as_pure(budget)?)?, budget),
            Definition::Gaussian { .. } | Definition::Concentrated { .. } => (normal(total_mu(budget)?)?, budget),
            Definition::Approximate { epsilon, .. } => {
                let pure = laplace(epsilon)?;
                let other = total_mu(budget).and_then(|mu| Ok(normal(mu)?));
                match other.ok().filter(|normal| normal.sigma() < SQRT_2 * pure.sigma()) {
                    Some(normal) => (normal, budget),
                    None => (pure, Guarantee::pure(epsilon)?),
                }
            }
        };
        let (law, scale) = (noise.law(), mul_down(noise.sigma(), QUANTUM));
        let cells = cells(of, adjacency);
        let draw = match law {
            Law::Laplace if cells == 1 => NoiseDraw::on_vector(NoiseOf::Value, law, 1, scale, moved),
            // on each cell by itself, of no single space
            Law::Laplace => NoiseDraw { space: None, ..NoiseDraw::on_vector(NoiseOf::Value, law, 1, scale, moved) },
            Law::Gaussian => NoiseDraw::on_vector(NoiseOf::Value, law, cells, scale, sqrt_up(moved)),
        };
        let sensitivity = ReleasedSensitivity { value: draw.sensitivity, bound: ReleasedBound::Shares };
        let summary = PlanSummary::new(
            MechanismName::Table,
            (StatisticName::Score, of.manifold(), of.ball()),
            n,
            guarantee,
            scale,
            sensitivity,
            expected(of, noise, n as f64),
        );
        let summary = PlanSummary { numerics: Numerics::Exact, adjacency, noise: vec![draw], ..summary };
        Ok(Self { of: of.clone(), noise, summary })
    }

    fn with_rest(&self) -> bool {
        self.summary.adjacency == Adjacency::AddRemove
    }

    /// The noisy number of records, which is in the cells of every block and its rest, where it is confidential.
    fn count(&self, counts: &[f64]) -> Option<PrivateCount> {
        let blocks = self.of.score().blocks().len() as f64;
        self.with_rest().then(|| {
            let noisy = counts.iter().sum::<f64>() / blocks;
            let half = OnNumbers::new(&self.noise, QUANTUM).of_sum(counts.len(), MISSED) / blocks;
            PrivateCount::within(half, noisy, self.summary.scale * (counts.len() as f64).sqrt() / blocks)
        })
    }

    /// The release that follows from noisy numbers of records.
    fn released(&self, counts: Vec<f64>, context: &OpenRelease<'_>) -> Result<Release> {
        let count = self.count(&counts);
        let score = self.of.score();
        let noise = OnNumbers::new(&self.noise, QUANTUM);
        let (found, interval) = match score.metric {
            Metric::R2 => self.r2(&counts, noise),
            Metric::BalancedAccuracy => balanced(&counts[..2 * score.labels.len()], noise),
            Metric::Accuracy | Metric::Confusion => self.share(&counts, noise),
            Metric::MeanLoss => {
                let bound = score.bound.unwrap_or(1.0);
                let (share, interval) = self.share(&counts, noise);
                (bound * share, interval.map(|end| bound * end))
            }
        };
        let value = ReleasedScore {
            metric: score.metric,
            labels: score.labels.clone(),
            bound: score.bound,
            range: score.range,
            score: found,
            score_interval: interval,
            noisy_counts: counts,
            half_width: of_one(&self.noise, QUANTUM),
        };
        publish(self, Value::Score(value), count, context)
    }

    /// The share of the records that are in the right cells: the diagonal of a confusion matrix, or the only cell.
    fn share(&self, counts: &[f64], noise: OnNumbers) -> (f64, [f64; 2]) {
        let labels = self.of.score().labels.len();
        let is_right = |i: usize| {
            self.of.score().metric != Metric::Confusion || i < labels * labels && i.is_multiple_of(labels + 1)
        };
        let is_right = |i: usize| is_right(i) && (!self.with_rest() || i + 1 < counts.len());
        let sum = |of: bool| -> f64 { (0..counts.len()).filter(|i| is_right(*i) == of).map(|i| counts[i]).sum() };
        let number = (0..counts.len()).filter(|i| is_right(*i)).count();
        let right = sum(true);
        if !self.with_rest() {
            let n = self.summary.n as f64;
            let (value, half) = ((right / n).clamp(0.0, 1.0), noise.of_sum(number, MISSED) / n);
            return (value, [-half, half].map(|half| (value + half).clamp(0.0, 1.0)));
        }
        let wrong = sum(false);
        let others = counts.len() - number;
        let interval = match (number, others) {
            (1, 1) => noise.of_ratio(right, wrong, MISSED),
            _ => {
                let [of_right, of_wrong] = [number, others].map(|numbers| noise.of_sum(numbers, 0.5 * MISSED));
                [of_right, -of_right]
                    .map(|more| ratio(right.max(0.0) - more, wrong.max(0.0) + more / of_right * of_wrong))
            }
        };
        within(ratio(right, wrong), interval)
    }

    /// `1 − Σe²/(Σv² − (Σv)²/n)`, with `Σv = Σv² + ½Σ2v(1 − v)`. The interval takes the extremes over the intervals
    /// of three noisy sums. Each of these misses with a third of 5 %.
    fn r2(&self, counts: &[f64], noise: OnNumbers) -> (f64, [f64; 2]) {
        let (n, half) = (self.summary.n as f64, noise.of_sum(1, MISSED / 3.0));
        let [errors, squares, mixed] = [0, 1, 2].map(|i| counts.get(i).copied().unwrap_or(0.0).clamp(0.0, n));
        let spread = |squares: f64, mixed: f64| squares - (squares + 0.5 * mixed).powi(2) / n;
        let of = |errors: f64, spread: f64| match spread > 0.0 {
            true => (1.0 - errors / spread).clamp(LEAST_R2, 1.0),
            false => LEAST_R2,
        };
        let ends = |x: f64| [(x - half).max(0.0), (x + half).min(n)];
        let ([few, many], [least, most], [low, high]) = (ends(errors), ends(squares), ends(mixed));
        // concave in the squares, and falling in the others
        let narrow = spread(least, high).min(spread(most, high));
        let wide = spread((0.5 * (n - low)).clamp(least, most), low);
        within(of(errors, spread(squares, mixed)), [of(many, narrow), if wide > 0.0 { of(few, wide) } else { 1.0 }])
    }
}

/// The numbers that get noise.
fn cells(of: &PrivateScore, adjacency: Adjacency) -> usize {
    let blocks = of.score().blocks();
    blocks.iter().sum::<usize>() + if adjacency == Adjacency::AddRemove { blocks.len() } else { 0 }
}

/// The mean distance of a score from the one without noise: for even classes that are all right, and for R² of actual
/// numbers that are spread evenly.
fn expected(of: &PrivateScore, noise: VectorNoise, n: f64) -> f64 {
    let (one, deviation) = match noise.law() {
        Law::Laplace => (noise.sigma(), SQRT_2 * noise.sigma()),
        Law::Gaussian => (FRAC_2_PI.sqrt() * noise.sigma(), noise.sigma()),
    };
    let labels = of.score().labels.len() as f64;
    // the mean length of a sum of several is about that of a normal number
    let of_sum = if labels < 2.0 { one } else { FRAC_2_PI.sqrt() * labels.sqrt() * deviation };
    let share = |x: f64| x * QUANTUM / n;
    match of.score().metric {
        Metric::Accuracy => share(one),
        Metric::MeanLoss => of.score().bound.unwrap_or(1.0) * share(one),
        Metric::BalancedAccuracy | Metric::Confusion => share(of_sum),
        Metric::R2 => share(one) / EVEN,
    }
}

/// `a/(a + b)` of numbers that count as 0 where they are negative; ½ where both do.
fn ratio(a: f64, b: f64) -> f64 {
    let (a, b) = (a.max(0.0), b.max(0.0));
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}

/// A number and an interval, which is made to hold it.
fn within(value: f64, [low, high]: [f64; 2]) -> (f64, [f64; 2]) {
    (value, [low.min(value), high.max(value)])
}

/// The mean over the labels of the share of right predictions.
fn balanced(counts: &[f64], noise: OnNumbers) -> (f64, [f64; 2]) {
    let labels = (counts.len() / 2) as f64;
    let of_label = |both: &[f64]| ratio(both[0], both[1]);
    let interval = |both: &[f64]| noise.of_ratio(both[0], both[1], MISSED / labels);
    let pairs = || counts.chunks_exact(2);
    let ends = pairs().map(interval).fold([0.0, 0.0], |[low, high], one| [low + one[0], high + one[1]]);
    within(pairs().map(of_label).sum::<f64>() / labels, ends.map(|end| end / labels))
}

impl Sealed for ScorePlan {}

impl Rounds for ScorePlan {
    fn round(&self, _: &RoundState) -> Result<Round> {
        let term = Summand::Shares { blocks: self.of.score().blocks(), rest: self.with_rest() };
        let ranges = match self.noise.law() {
            Law::Laplace => (0..cells(&self.of, self.summary.adjacency)).map(|i| (i..i + 1, self.noise)).collect(),
            Law::Gaussian => vec![(0..cells(&self.of, self.summary.adjacency), self.noise)],
        };
        Ok(Round::in_ranges(self.of.seen.query_of(term)?, ranges))
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        self.released(state.numbers().iter().map(|sum| sum * QUANTUM).collect(), context)
    }
}

impl Plan for ScorePlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        rounds::draw(self, records, context)
    }

    fn lattice(&self) -> f64 {
        QUANTUM
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Score(score) = &stated.value else { return Err(of_another_statistic()) };
        let cells = cells(&self.of, self.summary.adjacency);
        self.released(numbers("noisy_counts", &score.noisy_counts, cells, QUANTUM)?, context)
    }
}
