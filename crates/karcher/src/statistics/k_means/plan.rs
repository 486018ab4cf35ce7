//! `lloyd`: noisy steps of Lloyd's algorithm (user guide, K1).
//!
//! A step has `m` centers. Each record belongs to the nearest one, `m_j`, and adds `(1, clip_c(Log_{m_j} x)/c)` to the
//! sum of its block. With noise, the block has a number `ñ_j` and a vector `s̃_j`, and the center moves to
//!
//! ```text
//! π_r(Exp_{m_j}(v)),    v = c·s̃_j/max(ñ_j, τ),    shortened to c,
//! ```
//!
//! `τ` the deviation of the noise, `π_r` the projection onto the ball. Replacing a record changes the sum by 2, one
//! record more or less by `√2`, in units of `2⁵⁰` quanta ([`Summand::NearestLogs`]). The steps are composed.
//!
//! **Many cells first.** From random centers, Lloyd's algorithm often ends in a bad partition, and each start would
//! cost a part of the budget. So the first steps have eight times as many centers, up to 1,024, drawn in the ball.
//! Noise on a block does not depend on their number. Their noisy numbers and centers are then merged into `k` clusters,
//! from many starts, which is processing ([`merged`]). Steps with `k` centers follow.
//!
//! For μ, ρ and (ε, δ) the noise is normal. For pure ε it is Laplace noise on each block by itself: a record changes
//! one block or two, so that the sum of their changes, `2√2`, or `√2` for one record more or less, is what counts.

use super::merge::merged;
use crate::error::{Error, Result};
use crate::mechanism::noise::exact::{GAUSSIAN_95, moved, multiple};
use crate::mechanism::noise::number::NumberNoise;
use crate::mechanism::plan::again::{in_ball, missing, of_another_statistic};
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, rest};
use crate::mechanism::plan::publish;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, Request, Round, RoundState, Rounds, check_some};
use crate::noise::{Law, VectorNoise};
use crate::privacy::Definition;
use crate::privacy::rounding::{mul_down, mul_up, sqrt_up};
use crate::records::{BOUND, Summand, quantum};
use crate::release::{
    Adjacency, Cluster, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateClusters, PrivateCount,
    PublishedRelease, Release, ReleasedBound, ReleasedSensitivity, StatisticName, Step, Value,
};
use crate::spec::field;
use crate::statistics::k_means::PrivateKMeans;
use crate::vector::norm;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Cells for each cluster in the first steps.
const CELLS: usize = 8;

/// Most cells: finding clusters of them takes time that grows with the cube of their number.
const MOST_CELLS: usize = 1024;

/// Steps that do best on made-up clusters (`cargo run --release --example clusters`).
const STEPS: usize = 3;

/// Most steps that can be asked for.
const LARGEST_STEPS: usize = 1_000;

/// The part of the ball in which first centers are drawn.
const WITHIN: f64 = 0.8;

/// The length of later steps, as a part of the radius. The first is of all of it.
const LATER: f64 = 0.5;

/// The part of the budget for the cost.
const OF_COST: f64 = 0.125;

/// Deviations of noise beyond which a cell counts as one with records.
const CLEARLY: f64 = 1.5;

/// `lloyd`: steps of Lloyd's algorithm.
#[derive(Debug)]
pub struct Lloyd;

impl Mechanism for Lloyd {
    fn name(&self) -> MechanismName {
        MechanismName::Lloyd
    }

    fn about(&self) -> &'static str {
        "A few noisy steps of Lloyd's algorithm, first with many cells that are merged, on every space: every budget"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["steps"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(KMeansPlan::new(request.asked(self.name())?, request)?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        self.plan(request) // which looks at the neighbours
    }
}

/// A step: so many centers, the length of logarithms, and the noise in quanta.
#[derive(Debug, Clone, Copy)]
struct LloydStep {
    centers: usize,
    clip: f64,
    noise: VectorNoise,
}

/// A k-means with everything decided that does not need the records.
#[derive(Debug, Clone)]
pub(crate) struct KMeansPlan {
    of: PrivateKMeans,
    /// First centers, in the coordinates in which records are seen.
    starts: Vec<Vec<f64>>,
    steps: Vec<LloydStep>,
    /// Noise on the sum of squares, if the cost was requested.
    cost: Option<NumberNoise>,
    summary: PlanSummary,
}

impl KMeansPlan {
    /// The plan of a request.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records, [`Error::InvalidParameter`] for more steps than 1,000 and for too few, and
    /// for a budget that overflows.
    pub(crate) fn new(of: &PrivateKMeans, request: &Request) -> Result<Self> {
        let (n, adjacency, clusters) = (request.n(), request.asked_adjacency(), of.clusters());
        check_some(n)?;
        let (k, d, reach) = (clusters.number, of.manifold().dim(), of.reach());
        let count = request.asked_steps().unwrap_or(STEPS);
        let least = if clusters.centers.is_some() { 1 } else { 2 };
        if !(least..=LARGEST_STEPS).contains(&count) {
            let requirement = format!("Lloyd's algorithm takes from {least} to {LARGEST_STEPS} steps here");
            return Err(Error::InvalidParameter { name: "steps", value: count as f64, requirement });
        }
        let is_pure = matches!(request.budget().definition(), Definition::Pure { .. });
        let budget = as_normal(request.budget())?;
        let of_cost = if clusters.cost { OF_COST } else { 0.0 };
        let first = if clusters.centers.is_some() { 0 } else { (count - count / 3).min(count - 1) };
        let share = |at: usize| match first {
            0 => rest(of_cost) / count as f64,
            _ if at < first => 0.5 * rest(of_cost) / first as f64,
            _ => 0.5 * rest(of_cost) / (count - first) as f64,
        };
        // the change of a sum by one record, in units of 2⁵⁰
        let moved = match (is_pure, adjacency) {
            (true, Adjacency::ReplaceOne) => 2.0 * sqrt_up(2.0),
            (false, Adjacency::ReplaceOne) => 2.0,
            (_, Adjacency::AddRemove) => sqrt_up(2.0),
        };
        let noise_for = |moved, share| NumberNoise::new(moved, BudgetFraction::even(share).from(budget)?);
        let step = |at: usize| -> Result<LloydStep> {
            let centers = if at < first { cells(k) } else { k };
            let clip = if at == 0 { reach } else { LATER * reach };
            Ok(LloydStep { centers, clip, noise: noise_for(moved * BOUND, share(at))?.noise })
        };
        let steps = (0..count).map(step).collect::<Result<Vec<_>>>()?;
        let cost = clusters.cost.then(|| noise_for(BOUND, of_cost)).transpose()?;

        let unit = |clip: f64| quantum(clip) / n as f64;
        let draw = |step: &LloydStep| {
            let unit = unit(step.clip);
            let (scale, moved) = (mul_down(step.noise.sigma(), unit), mul_up(mul_up(moved, BOUND), unit));
            let all = NoiseDraw::on_vector(NoiseOf::Value, step.noise.law(), step.centers * (d + 1), scale, moved);
            // on blocks, of no single space
            NoiseDraw { space: all.space.filter(|_| !is_pure), ..all }
        };
        let last = steps[steps.len() - 1]; // there is at least one
        let expected = last.deviation(d) * quantum(last.clip) * (d as f64).sqrt() * k as f64 / n as f64;
        let described = PlanSummary::new(
            MechanismName::Lloyd,
            (StatisticName::KMeans, of.manifold(), of.ball()),
            n,
            request.budget(),
            last.noise.sigma() * unit(last.clip),
            ReleasedSensitivity { value: moved * BOUND * unit(last.clip), bound: ReleasedBound::NearestLogs },
            expected.min(of.manifold().diameter()),
        );
        let of_squares =
            cost.iter().map(|noise| noise.draw(NoiseOf::MeanSquare, BOUND, of.square_quantum() / n as f64));
        let summary = PlanSummary {
            steps: Some(steps.iter().map(|s| Step { clip: s.clip, scale: s.noise.sigma() * unit(s.clip) }).collect()),
            noise: steps.iter().map(draw).chain(of_squares).collect(),
            numerics: Numerics::Exact,
            adjacency,
            ..described
        };
        let mut plan = Self { of: of.clone(), starts: vec![], steps, cost, summary };
        plan.starts = match &clusters.centers {
            Some(centers) => centers.iter().map(|center| plan.within(of.seen.centered().place(center))).collect(),
            None => plan.drawn(cells(k)),
        };
        Ok(plan)
    }

    /// Public centers, uniform in the coordinates of a smaller ball. They depend on public numbers alone, and are the
    /// same in every run; no noise comes from here.
    fn drawn(&self, count: usize) -> Vec<Vec<f64>> {
        let centered = self.of.seen.centered();
        let d = centered.space().dim();
        let mut rng = ChaCha8Rng::seed_from_u64(count as u64);
        let mut one = || {
            let direction: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
            let length = WITHIN * self.of.reach() * rng.random::<f64>().powf(1.0 / d as f64) / norm(&direction);
            let step: Vec<f64> = direction.iter().map(|x| x * length).collect();
            moved(centered.space(), centered.center().to_vec(), &step)
        };
        (0..count).map(|_| one()).collect()
    }

    /// A point moved into the ball.
    fn within(&self, mut point: Vec<f64>) -> Vec<f64> {
        self.of.seen.centered().pull(&mut point);
        point
    }

    /// The centers after some steps, and their noisy numbers of records.
    fn reached(&self, state: &RoundState) -> (Vec<Vec<f64>>, Vec<f64>) {
        let len = self.of.seen.centered().space().point_len();
        match state.numbers() {
            [] => (self.starts.clone(), vec![]),
            // a state that others made may be short: its centers are then no points, and the query is refused
            numbers => {
                let (points, counts) = numbers.split_at(numbers.len() / (len + 1) * len);
                (points.chunks(len).map(<[f64]>::to_vec).collect(), counts.to_vec())
            }
        }
    }

    /// The centers and numbers after a step, from its noisy blocks.
    fn advanced(&self, centers: &[Vec<f64>], step: LloydStep, noisy: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let space = self.of.seen.centered().space();
        let least = (step.deviation(space.dim()) / BOUND).max(1.0);
        let blocks = noisy.chunks(space.dim() + 1).zip(centers);
        let one = |(block, center): (&[f64], &Vec<f64>)| {
            let number = block[0] / BOUND; // no block is empty
            let mut v: Vec<f64> = block[1..].iter().map(|s| s * quantum(step.clip) / number.max(least)).collect();
            let shorter = (step.clip / norm(&v)).min(1.0);
            v.iter_mut().for_each(|v| *v *= shorter);
            (self.within(moved(space, center.clone(), &v)), number)
        };
        blocks.map(one).unzip()
    }

    /// The centers of clusters of cells. Cells that noise alone explains do not count, unless too few others do.
    fn clusters_of(&self, cells: &[Vec<f64>], numbers: &[f64], step: LloydStep) -> Vec<Vec<f64>> {
        let (space, k) = (self.of.seen.centered().space(), self.of.clusters().number);
        let clear = CLEARLY * step.deviation(space.dim()) / BOUND;
        let clearly: Vec<f64> = numbers.iter().map(|n| if *n > clear { *n } else { 0.0 }).collect();
        let weights = match clearly.iter().filter(|n| **n > 0.0).count() >= k {
            true => clearly,
            false => numbers.iter().map(|n| n.max(1e-3 * clear)).collect(),
        };
        let mut centers = merged(space, cells, &weights, k);
        // too few cells differ: the rest begin at the first starts
        centers.extend(self.starts.iter().take(k - centers.len().min(k)).cloned());
        centers
    }

    /// The step of the cost that one quantum makes, for a private number of records.
    fn unit_of_cost(&self, count: Option<&PrivateCount>) -> f64 {
        self.of.square_quantum() / count.map_or(self.summary.n as f64, PrivateCount::divisor)
    }

    /// The clusters of centers with their noisy numbers, and the cost.
    fn found(
        &self,
        centers: impl Iterator<Item = (Vec<f64>, f64)>,
        noisy_cost: Option<f64>,
        count: Option<&PrivateCount>,
    ) -> PrivateClusters {
        let (unit, most) = (self.unit_of_cost(count), self.of.reach().powi(2));
        let cost = self.cost.zip(noisy_cost).map(|(noise, noisy)| {
            let number = noise.number(noisy, unit, [0.0, most]);
            match count {
                Some(count) => noise.over(number, self.of.square_quantum(), count, self.summary.n, most),
                None => number,
            }
        });
        let mut centers: Vec<(Vec<f64>, f64)> = centers.collect();
        centers.sort_by(|a, b| b.1.total_cmp(&a.1));
        let all: f64 = centers.iter().map(|(_, number)| number.max(0.0)).sum();
        let weight = |number: f64| if all > 0.0 { number.max(0.0) / all } else { 1.0 / centers.len() as f64 };
        let clusters = centers.iter().map(|(center, number)| Cluster {
            center: center.clone(),
            noisy_count: *number,
            weight: weight(*number),
        });
        PrivateClusters { clusters: clusters.collect(), cost }
    }

    /// The private number of records: the sum of those of all clusters.
    fn count_of(&self, noisy: f64) -> Option<PrivateCount> {
        let last = self.steps[self.steps.len() - 1];
        (self.summary.adjacency == Adjacency::AddRemove).then(|| {
            let k = last.centers as f64;
            let scale = last.noise.sigma() * k.sqrt() / BOUND;
            // the sum of several draws has lighter tails than one of its deviation
            let of_law = match last.noise.law() {
                Law::Gaussian => GAUSSIAN_95,
                Law::Laplace => 3.0 / 2.0_f64.sqrt(),
            };
            let half = of_law * k.sqrt() * last.deviation(self.summary.manifold.dim()) / BOUND + k / BOUND;
            PrivateCount::within(half, noisy, scale)
        })
    }
}

/// Cells in the first steps: eight for each cluster, and fewer for more than 128 clusters.
fn cells(k: usize) -> usize {
    (CELLS * k).min(MOST_CELLS).max(k)
}

impl LloydStep {
    /// The standard deviation of a number with noise, in quanta.
    fn deviation(&self, dim: usize) -> f64 {
        match self.noise.law() {
            Law::Laplace => self.noise.sigma() * (dim as f64 + 2.0).sqrt(),
            Law::Gaussian => self.noise.sigma(),
        }
    }
}

impl Rounds for KMeansPlan {
    fn rounds(&self) -> usize {
        self.steps.len() + usize::from(self.cost.is_some())
    }

    fn round(&self, state: &RoundState) -> Result<Round> {
        let (bases, _) = self.reached(state);
        let (seen, d) = (&self.of.seen, self.summary.manifold.dim());
        match (self.steps.get(state.rounds()), self.cost) {
            (Some(step), _) => {
                if bases.len() != step.centers {
                    let requirement = format!("the step has {} centers", step.centers);
                    return Err(Error::InvalidParameter { name: "state", value: bases.len() as f64, requirement });
                }
                let query = seen.query_of_clipped(Summand::NearestLogs { bases, clip: step.clip })?;
                let all = step.centers * (d + 1);
                let together = if step.noise.law() == Law::Gaussian { all } else { d + 1 };
                let draws = (0..all).step_by(together).map(|from| (from..from + together, step.noise));
                Ok(Round::in_ranges(query, draws.collect()))
            }
            (None, Some(cost)) => {
                let clip = self.of.reach();
                Ok(Round::new(seen.query_of_clipped(Summand::NearestSquare { bases, clip })?, cost.noise))
            }
            (None, None) => Err(Error::InvalidParameter {
                name: "rounds",
                value: state.rounds() as f64,
                requirement: format!("the plan takes {} rounds", self.rounds()),
            }),
        }
    }

    fn after(&self, state: RoundState, noisy: Vec<f64>) -> Result<RoundState> {
        let (at, numbers) = (state.rounds(), state.numbers());
        let Some(step) = self.steps.get(at).copied() else {
            let with_cost = numbers.iter().chain(&noisy).copied().collect();
            return Ok(state.next(with_cost));
        };
        let (mut centers, mut counts) = self.advanced(&self.reached(&state).0, step, &noisy);
        if self.steps.get(at + 1).is_some_and(|next| next.centers < step.centers) {
            centers = self.clusters_of(&centers, &counts, step);
            counts = vec![0.0; centers.len()]; // the next step counts
        }
        let numbers = centers.concat().into_iter().chain(counts).collect();
        Ok(state.next(numbers))
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (k, centered) = (self.of.clusters().number, self.of.seen.centered());
        let len = centered.space().point_len();
        let (points, rest) = state.numbers().split_at((k * len).min(state.numbers().len()));
        let centers = points.chunks_exact(len).map(|point| centered.back(point));
        let count = self.count_of(rest.iter().take(k).sum());
        let unit = self.unit_of_cost(count.as_ref());
        let value =
            self.found(centers.zip(rest.iter().copied()), rest.get(k).map(|noisy| noisy * unit), count.as_ref());
        publish(self, Value::Clusters(value), count, context)
    }
}

impl Sealed for KMeansPlan {}

impl Plan for KMeansPlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    /// The noisy sums of the steps are not stated, so a center may be any point of the ball.
    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Clusters(PrivateClusters { clusters, cost }) = &stated.value else {
            return Err(of_another_statistic());
        };
        if clusters.len() != self.of.clusters().number {
            return Err(field("clusters", "there are not as many as were asked for"));
        }
        let count = stated.provenance.private_count.as_ref();
        let noisy_cost = cost.as_ref().map(|cost| multiple(cost.noisy_value, self.unit_of_cost(count)));
        if self.cost.is_some() && noisy_cost.is_none() {
            return Err(missing("cost"));
        }
        let center = |cluster: &Cluster| in_ball("clusters", &cluster.center, &self.summary, self.lattice());
        let centers = clusters.iter().map(|cluster| Ok((center(cluster)?, cluster.noisy_count)));
        let centers: Vec<(Vec<f64>, f64)> = centers.collect::<Result<_>>()?;
        let again = self.count_of(clusters.iter().map(|cluster| cluster.noisy_count).sum());
        publish(self, Value::Clusters(self.found(centers.into_iter(), noisy_cost, count)), again, context)
    }
}
