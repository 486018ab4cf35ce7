//! The private Karcher flow: a few noisy gradient steps towards the Fréchet mean (user guide, M5; Han, Mishra,
//! Jawanpuria and Gao 2024, Differentially private Riemannian optimization).
//!
//! `m_{j+1} = Exp_{m_j}(η·(ḡ_j + N_j))`, `ḡ_j = (1/n) Σ clip_{c_j}(Log_{m_j} xᵢ)`, `j = 0, …, T − 1`, from the public
//! center `m₀` of the ball, with `N_j` normal in `T_{m_j}` of covariance `σ_j² I`. Replacing a record moves `ḡ_j` by at
//! most `2c_j/n`, whatever the curvature, so a step is `2c_j/(nσ_j)`-GDP and the steps compose to `√(Σ μ_j²)`-GDP. No
//! bound on radius or curvature, no Markov chain.
//!
//! **Everything is chosen from public quantities** (space, ball, `n`, budget), as follows. Records are first clipped to
//! the ball. The step size `η` leaves the least of the start's distance from the mean, whatever the records are, and
//! shrinks earlier errors by `q` (`contraction.rs`). The noise of step `j` contributes `η·q^{T−1−j}·σ_j` to
//! the result. So the budget is best split as `μ_j² ∝ q^{T−1−j}·c_j` (no step gets less than a fifth of that at
//! `q = 1`). At `m₀` no logarithm is longer than `c₀ = r`; later ones may be, and are clipped to `r` or to `2r`. The
//! number of steps, up to ten, and that clip are those with the smallest sum of noise and bias.
//!
//! **One record added or removed** (user guide, U2) moves a step's sum by at most `c_j`. The number of records is then
//! released first, with the fraction `1/(1 + T·√d)` of `μ²`, and all sums are divided by that private number. For one
//! step this fraction has the least error for the worst mean. Later steps are short, and a wrong number changes them
//! less.

use crate::error::{Error, GeometryError, Result};
use crate::manifold::{Euclidean, Manifold};
use crate::mechanism::noise::exact::{in_quanta, moved};
use crate::mechanism::noise::number::NumberNoise;
use crate::mechanism::plan::REGION;
use crate::mechanism::plan::budget::total_mu;
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, rest};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    Denoiser, Gain, Mechanism, Plan, PlanSummary, PrivateFrechetMean, Request, Round, RoundState, Rounds, check_some,
};
use crate::noise::{Law, VectorNoise};
use crate::privacy::Guarantee;
use crate::records::{Summand, quantum};
use crate::release::{
    Adjacency, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, Region, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName, Step,
};
use crate::sampler::Isotropic;
use crate::statistics::frechet_mean::contraction::Contraction;
use crate::vector::norm;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The numbers of steps that [`KarcherFlow::new`] considers.
const CONSIDERED: RangeInclusive<usize> = 1..=10;

/// The largest number of steps that a request may ask for.
const LARGEST_STEPS: usize = 10_000;

/// The least fraction of an early step. Little of its noise may remain in the result. But if it threw the iterate out
/// of the records' reach, the clipped logarithms would no longer lead back to the mean.
const LEAST_SHARE: f64 = 0.2;

/// Reason for a ball in which the mean need not be unique, or cannot be computed.
const NO_TARGET: &str = "in so large a ball, it is not known where the flow ends";

/// Covers the error of an integral for the mean of a law.
const QUADRATURE: f64 = 1.0 - 1e-6;

/// Covers the rounding of a few products on the way from a clip to a scale.
const OUTWARD: f64 = 1.0 + 1e-12;

/// `karcher-flow`: noisy gradient steps towards the mean.
#[derive(Debug)]
pub struct Flow;

impl Mechanism for Flow {
    fn name(&self) -> MechanismName {
        MechanismName::KarcherFlow
    }

    fn about(&self) -> &'static str {
        "A few noisy steps from the center of the ball towards the mean, on every space: (ε, δ), μ or ρ"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["steps", "denoise"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        let mean = request.asked(self.name())?;
        let n = (request.n(), request.asked_adjacency());
        let mut flow = match request.asked_steps() {
            Some(steps) => KarcherFlow::planned(mean, n, request.budget(), steps..=steps)?,
            None => KarcherFlow::planned(mean, n, request.budget(), CONSIDERED)?,
        };
        if request.sensitivity().is_err() {
            flow.summary.by_name = Some(NO_TARGET);
            flow.summary.bias_bound = None;
        }
        Ok(Box::new(flow))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        self.plan(request) // which looks at the neighbours
    }
}

/// A private Karcher flow with all its steps decided before any record is read.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{KarcherFlow, Plan, PrivateFrechetMean}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let flow = KarcherFlow::with_steps(&mean, 1_000, Guarantee::gaussian(1.0)?, 2)?;
/// // step j is 2c_j/(n·σ_j)-GDP, and all of them together are μ-GDP
/// let spent: f64 = flow.steps().iter().map(|step| (2.0 * step.clip / (1_000.0 * step.scale)).powi(2)).sum();
/// assert!((spent.sqrt() - 1.0).abs() < 1e-6);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KarcherFlow {
    mean: PrivateFrechetMean,
    step_size: f64,
    steps: Vec<Step>,
    /// The scale of the noise of all steps in the result.
    arriving: f64,
    /// Noise on the number of records, where that is confidential.
    count: Option<NumberNoise>,
    summary: PlanSummary,
}

impl KarcherFlow {
    /// The flow for `n` records and a budget of (ε, δ), μ-GDP or ρ-zCDP, with the number of steps that minimizes the
    /// error bound.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for pure ε, which Gaussian noise never gives. [`Error::RadiusTooLarge`] beyond the
    /// injectivity radius, where a ball is the whole space. [`Error::Geometry`] for no records.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{KarcherFlow, Plan, PrivateFrechetMean}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let best = KarcherFlow::new(&mean, 1_000, Guarantee::gaussian(1.0)?)?;
    /// let one_step = KarcherFlow::with_steps(&mean, 1_000, Guarantee::gaussian(1.0)?, 1)?;
    /// assert!(best.error_bound() <= one_step.error_bound());
    /// assert!(KarcherFlow::new(&mean, 1_000, Guarantee::pure(1.0)?).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(mean: &PrivateFrechetMean, n: usize, guarantee: Guarantee) -> Result<Self> {
        Self::planned(mean, (n, Adjacency::ReplaceOne), guarantee, CONSIDERED)
    }

    /// The flow with a given number of steps.
    ///
    /// # Errors
    /// As for [`KarcherFlow::new`], and [`Error::InvalidParameter`] for no steps and for more than 10,000. All steps
    /// share the budget, and with far fewer of them another step adds more noise than it gains.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{KarcherFlow, PrivateFrechetMean}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let flow = |steps| KarcherFlow::with_steps(&mean, 1_000, Guarantee::gaussian(1.0)?, steps);
    /// assert_eq!(flow(4)?.steps().len(), 4);
    /// assert!(flow(0).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn with_steps(mean: &PrivateFrechetMean, n: usize, guarantee: Guarantee, steps: usize) -> Result<Self> {
        Self::planned(mean, (n, Adjacency::ReplaceOne), guarantee, steps..=steps)
    }

    /// The best flow for so many records, or, where their number is confidential, for a guess, of those with these
    /// numbers of steps: the first of equals.
    fn planned(
        mean: &PrivateFrechetMean,
        (n, adjacency): (usize, Adjacency),
        guarantee: Guarantee,
        considered: RangeInclusive<usize>,
    ) -> Result<Self> {
        // the flow clips always, and computes no mean
        let mean = mean.clone().bound(None).tolerance(None).assume_in_ball(false);
        let (manifold, radius) = (mean.manifold(), mean.ball().radius());
        check_some(n)?;
        if radius > manifold.injectivity_radius() {
            return Err(Error::RadiusTooLarge {
                space: manifold.space().clone(),
                radius,
                limit: manifold.injectivity_radius(),
                limit_of: "a ball is less than the whole space",
            });
        }
        if !(1..=LARGEST_STEPS).contains(considered.start()) {
            let requirement = format!("the flow takes from 1 to {LARGEST_STEPS} steps");
            return Err(Error::InvalidParameter { name: "steps", value: *considered.start() as f64, requirement });
        }
        let contraction = Contraction::new(&**manifold, radius);
        let mut best: Option<Self> = None;
        for steps in considered {
            let step_size = contraction.step_size(steps);
            for clip in [radius, 2.0 * radius] {
                let by = (&contraction, step_size);
                best = Self::with_clip(&mean, (n, adjacency), guarantee, steps, clip, by, best.as_ref())?.or(best);
            }
        }
        best.ok_or_else(|| GeometryError::NoRecords.into()) // there is a number of steps
    }

    /// The flow that clips logarithms to `clip` after the first step, if its error bound is below that of another one.
    fn with_clip(
        mean: &PrivateFrechetMean,
        (n, adjacency): (usize, Adjacency),
        guarantee: Guarantee,
        steps: usize,
        clip: f64,
        (contraction, step_size): (&Contraction, f64),
        than: Option<&Self>,
    ) -> Result<Option<Self>> {
        let (manifold, radius) = (mean.manifold(), mean.ball().radius());
        let dim = manifold.dim() as f64;
        // the change of a step's sum, in clips; and the rest of the budget for the steps
        let mu = total_mu(guarantee)?;
        let (moves, mu, count) = match adjacency {
            Adjacency::ReplaceOne => (2.0, mu, None),
            Adjacency::AddRemove => {
                let budget = as_normal(guarantee)?;
                let share = 1.0 / (1.0 + steps as f64 * dim.sqrt());
                let (of_count, of_steps) =
                    (BudgetFraction::even(share).from(budget)?, BudgetFraction::even(rest(share)).from(budget)?);
                let of_count = NumberNoise::new(1.0, of_count)?;
                (1.0, total_mu(of_steps)?, Some(of_count))
            }
        };
        let shrink = contraction.shrink(step_size);

        let clips: Vec<f64> = (0..steps).map(|j| if j == 0 { radius } else { clip }).collect();
        // the part of a unit of noise per unit of clip that remains in the result
        let arrives: Vec<f64> = (0..steps).map(|j| shrink.powi((steps - 1 - j) as i32)).collect();
        let shares: Vec<f64> = arrives.iter().zip(&clips).map(|(a, c)| a.max(LEAST_SHARE) * c).collect();
        let total: f64 = shares.iter().sum();
        let scale = |(c, share): (&f64, &f64)| Step {
            clip: *c,
            scale: OUTWARD * moves * c / (n as f64 * mu * (share / total).sqrt()),
        };
        let steps: Vec<Step> = clips.iter().zip(&shares).map(scale).collect();

        let variance: f64 = steps.iter().zip(&arrives).map(|(s, a)| (step_size * a * s.scale).powi(2)).sum();
        // the error of the first step to the worst mean because of a wrong number; later steps are short
        let astray = count.map_or(0.0, |count| step_size * arrives[0] * radius * count.scale() / n as f64);
        let variance = variance + astray * astray / dim;
        let bias_bound = match steps[..] {
            [.., before, _] => {
                let astray = step_size * before.scale * (manifold.dim() as f64).sqrt();
                contraction.bias_of_clipped(step_size, steps.len(), clip, astray)
            }
            _ => contraction.bias(step_size, steps.len()),
        };
        let (bias_bound, furthest) = (bias_bound.min(manifold.diameter()), manifold.diameter());
        // a law takes much longer than a bound of its mean, E‖N‖ ≥ σ·√(d − ½) (Watson 1959), which decides as a rule
        let least = QUADRATURE * variance.sqrt() * (dim - 0.5).sqrt();
        let is_worse = |than: &Self| least.is_normal() && least.min(furthest) + bias_bound >= than.error_bound();
        if than.is_some_and(is_worse) {
            return Ok(None);
        }
        let flat = Arc::new(Euclidean::new(manifold.dim())?);
        let distance = Isotropic::new(flat, Law::Gaussian, variance.sqrt())?.distance()?.within(furthest);
        let last = steps[steps.len() - 1]; // there is at least one
        let described = PlanSummary::new(
            MechanismName::KarcherFlow,
            (StatisticName::FrechetMean, mean.manifold(), mean.ball()),
            n,
            guarantee,
            last.scale,
            ReleasedSensitivity { value: moves * last.clip / n as f64, bound: ReleasedBound::ClippedGradient },
            distance.mean(),
        );
        let of_step = |step: &Step| {
            let moved = moves * step.clip / n as f64;
            NoiseDraw::on_vector(NoiseOf::Value, Law::Gaussian, manifold.dim(), step.scale, moved)
        };
        let noise = count.iter().map(NumberNoise::of_count).chain(steps.iter().map(of_step)).collect();
        let summary = PlanSummary {
            distance: Some(distance),
            bias_bound: Some(bias_bound),
            steps: Some(steps.clone()),
            noise,
            numerics: Numerics::Exact,
            denoising: mean.denoising(Law::Gaussian, variance.sqrt()),
            adjacency,
            ..described
        };
        let flow = Self { mean: mean.clone(), step_size, steps, arriving: variance.sqrt(), count, summary };
        Ok(Some(flow).filter(|flow| than.is_none_or(|than| flow.error_bound() < than.error_bound())))
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step size `η`.
    pub fn step_size(&self) -> f64 {
        self.step_size
    }

    /// The denoiser of the remaining noise, as coordinates at the center, for so many records.
    fn denoiser(&self, n: f64) -> Option<Denoiser> {
        self.mean.denoiser(Law::Gaussian, self.arriving_of(n))
    }

    /// The scale of the remaining noise, for so many records.
    fn arriving_of(&self, n: f64) -> f64 {
        if self.count.is_some() { self.arriving * (self.summary.n as f64 / n) } else { self.arriving }
    }

    /// The region for a private number of records: the remaining noise is proportional to its scale.
    fn region_for(&self, count: &PrivateCount, probability: f64) -> Option<Region> {
        let planned = self.summary.region(probability)?;
        let bias = self.summary.bias_bound.unwrap_or(0.0);
        let noise = (planned.radius - bias).max(0.0) * self.summary.n as f64 / count.divisor();
        Some(Region { radius: (noise + bias).min(self.mean.manifold().diameter()), ..planned })
    }

    /// `Exp_m(η·(ḡ + N))`. Clipping, sum and noise are those of coordinates in the frame at `m`, in integers: what
    /// follows is processing.
    fn advance(&self, m: Vec<f64>, step: Step, noisy: &[f64], count: Option<&PrivateCount>) -> Vec<f64> {
        let n = count.map_or(self.summary.n as f64, PrivateCount::divisor);
        let quantum = quantum(step.clip);
        let mut direction: Vec<f64> = noisy[..self.summary.manifold.dim()].iter().map(|t| t * quantum / n).collect();
        // a number that is too small makes the mean longer than any mean of clipped logarithms
        let shorter = count.map_or(1.0, |_| (step.clip / norm(&direction)).min(1.0));
        direction.iter_mut().for_each(|d| *d = *d * shorter * self.step_size);
        moved(self.mean.centered().space(), m, &direction)
    }

    /// The point after the steps that were taken, and the private number of records.
    fn reached(&self, state: &RoundState) -> (Vec<f64>, Option<PrivateCount>) {
        let (point, noisy) = state.reached(self.mean.centered().center());
        (point, self.count.zip(noisy).map(|(noise, noisy)| noise.count(noisy)))
    }
}

impl Rounds for KarcherFlow {
    fn rounds(&self) -> usize {
        self.steps.len()
    }

    fn round(&self, state: &RoundState) -> Result<Round> {
        let step = self.steps[state.rounds().min(self.steps.len() - 1)]; // there is at least one
        // at the center, clipping logarithms is clipping records
        let query = match state.rounds() {
            0 => self.mean.first_query()?,
            _ => self.mean.query_of_clipped(Summand::ClippedLog { base: self.reached(state).0, clip: step.clip })?,
        };
        // the scale is for the guess, and so the noise on the sum does not depend on the number
        let scale = in_quanta(step.scale, self.summary.n as f64, query.term().quantum());
        let (noise, dim) = (VectorNoise::new(Law::Gaussian, scale)?, self.summary.manifold.dim());
        Ok(match self.count.filter(|_| state.rounds() == 0) {
            Some(count) => Round::counted(query, 1, vec![(dim..dim + 1, count.noise), (0..dim, noise)]),
            None => Round::new(query, noise),
        })
    }

    fn after(&self, state: RoundState, noisy: Vec<f64>) -> Result<RoundState> {
        let (at, known) = self.reached(&state);
        let counted = self.count.zip(noisy.get(self.summary.manifold.dim()));
        let count = known.or(counted.map(|(noise, number)| noise.count(*number)));
        let step = self.steps[state.rounds().min(self.steps.len() - 1)];
        let mut numbers = self.advance(at, step, &noisy, count.as_ref());
        numbers.extend(count.map(|count| count.noisy_value));
        Ok(state.next(numbers))
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (at, count) = self.reached(state);
        let n = count.as_ref().map_or(self.summary.n as f64, PrivateCount::divisor);
        let release = self.mean.publish(&at, self.denoiser(n).as_ref(), &self.summary, context)?;
        Ok(match count {
            Some(count) => release.with_count(count, self.region_for(&count, REGION)),
            None => release,
        })
    }
}

impl Sealed for KarcherFlow {}

impl Plan for KarcherFlow {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    fn denoise(&self, coordinates: &mut [f64], count: Option<&PrivateCount>) {
        let denoiser = self.denoiser(count.map_or(self.summary.n as f64, PrivateCount::divisor));
        denoiser.iter().for_each(|denoiser| denoiser.apply(coordinates));
    }

    fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        self.count.map(|noise| noise.count(noisy.round()))
    }

    fn region_of(&self, count: Option<&PrivateCount>, probability: f64) -> Option<Region> {
        match count {
            Some(count) => self.region_for(count, probability),
            None => self.summary.region(probability),
        }
    }

    fn gains(&self) -> Option<[Gain; 3]> {
        self.denoiser(self.summary.n as f64).map(|denoiser| denoiser.gains())
    }

    fn expected_distance_at(&self, off: f64) -> f64 {
        self.expected_distance() * self.denoiser(self.summary.n as f64).map_or(1.0, |denoiser| denoiser.left(off))
    }

    /// Infinite where the ball is so large that the end of the flow is unknown.
    fn bias_bound(&self) -> f64 {
        self.summary.bias_bound.unwrap_or(f64::INFINITY)
    }

    /// No point is farther away than the diameter.
    fn error_bound(&self) -> f64 {
        (self.expected_distance() + self.bias_bound()).min(self.mean.manifold().diameter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::ball::Ball;
    use crate::points::Points;
    use crate::records::Observations;

    fn space(name: &str) -> Arc<dyn Manifold> {
        name.parse::<Space>().unwrap().manifold().unwrap()
    }

    /// The privacy of later steps rests on this: wherever the iterate is, a record moves the mean of the clipped
    /// logarithms by at most `2c/n`.
    #[test]
    fn one_record_moves_the_mean_of_clipped_logarithms_by_no_more_than_claimed() {
        let clip = 0.3;
        for name in
            ["euclidean:3", "sphere:2", "hyperbolic:3", "spd-affine-invariant:3", "spd-log-euclidean:2", "kendall:5"]
        {
            let m = &*space(name);
            let mut origin = vec![0.0; m.point_len()];
            m.origin(&mut origin);
            let reach = m.injectivity_radius().min(8.0);
            let at = |from: &[f64], i: u32, length: f64| {
                let mut c: Vec<f64> = (0..m.dim()).map(|j| (f64::from(i) * 1.7 + j as f64 * 2.3).sin()).collect();
                let size = norm(&c);
                c.iter_mut().for_each(|c| *c *= length / size);
                let (mut v, mut x) = (vec![0.0; m.point_len()], vec![0.0; m.point_len()]);
                m.from_frame(from, &c, &mut v);
                m.exp(from, &v, &mut x);
                x
            };
            let iterate = at(&origin, 40, 0.4 * reach);
            let mean_of = |records: Vec<f64>| {
                let term = Summand::ClippedLog { base: iterate.clone(), clip };
                Observations::new(&Points::new(m, records).unwrap()).sum(m, &term).unwrap().mean()
            };
            let records: Vec<Vec<f64>> = (0..24).map(|i| at(&origin, i, reach * f64::from(i % 8) / 8.0)).collect();
            let others = [&records[0], &records[9], &records[18]].map(Clone::clone).concat();
            let means: Vec<Vec<f64>> = records.iter().map(|x| mean_of([&others[..], x].concat())).collect();
            let mut furthest = 0.0_f64;
            for (x, a) in records.iter().zip(&means) {
                furthest = furthest.max(m.dist(&iterate, x));
                for b in &means {
                    let moved = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(moved <= 2.0 * clip / 4.0 * (1.0 + 1e-12), "{name}: {moved}");
                }
            }
            assert!(furthest > 2.0 * clip, "{name}: nothing to clip");
        }
    }

    /// The number of steps and the clip minimize the error bound, and depend on the budget.
    #[test]
    fn steps_and_clips_are_the_best_ones() {
        let (mut steps, mut clips) = (vec![], vec![]);
        for (name, radius) in
            [("sphere:2", 1.2), ("hyperbolic:2", 2.0), ("spd-affine-invariant:3", 2.0), ("kendall:6", 0.7)]
        {
            let m = space(name);
            let ball = Ball::at_origin(&*m, radius).unwrap();
            let mean = PrivateFrechetMean::new(Arc::clone(&m), ball).unwrap();
            for mu in [0.01, 0.1, 1.0, 100.0] {
                let budget = Guarantee::gaussian(mu).unwrap();
                let flow = KarcherFlow::new(&mean, 200, budget).unwrap();
                for t in CONSIDERED {
                    let other = KarcherFlow::with_steps(&mean, 200, budget, t).unwrap();
                    assert!(flow.error_bound() <= other.error_bound(), "{name}, mu {mu}, {t} steps");
                    clips.extend(other.steps().get(1).map(|step| step.clip > 1.5 * radius));
                    let contraction = Contraction::new(&*m, radius);
                    let eta = contraction.step_size(t);
                    for clip in [radius, 2.0 * radius] {
                        let clipped = KarcherFlow::with_clip(
                            &mean,
                            (200, Adjacency::ReplaceOne),
                            budget,
                            t,
                            clip,
                            (&contraction, eta),
                            None,
                        );
                        let clipped = clipped.unwrap().unwrap();
                        assert!(
                            other.error_bound() <= clipped.error_bound(),
                            "{name}, mu {mu}, {t} steps, clip {clip}"
                        );
                    }
                }
                steps.push(flow.steps().len());
            }
        }
        steps.sort();
        steps.dedup();
        assert!(steps.len() > 2, "{steps:?}");
        assert!(clips.contains(&true) && clips.contains(&false), "{clips:?}");
    }

    /// `1/σ₀² + Σ (c_j/(nσ_j))² ≤ μ²`, and hardly less: the number of records and the steps' sums together.
    #[test]
    fn the_number_and_the_steps_spend_the_budget() {
        let m = space("sphere:2");
        let mean = PrivateFrechetMean::new(Arc::clone(&m), Ball::at_origin(&*m, 0.9).unwrap()).unwrap();
        for mu in [0.01, 0.3, 2.0] {
            for steps in [1, 3, 10] {
                let budget = Guarantee::gaussian(mu).unwrap();
                let flow = KarcherFlow::planned(&mean, (500, Adjacency::AddRemove), budget, steps..=steps).unwrap();
                let of_steps: f64 = flow.steps().iter().map(|step| (step.clip / (500.0 * step.scale)).powi(2)).sum();
                let spent = (of_steps + flow.count.unwrap().scale().powi(-2)).sqrt() / mu;
                assert!(spent <= 1.0 && spent > 1.0 - 1e-6, "{mu} {steps}: {spent}");
            }
        }
        let pure = Guarantee::pure(1.0).unwrap();
        let refused = KarcherFlow::planned(&mean, (500, Adjacency::AddRemove), pure, 2..=2).unwrap_err();
        assert!(refused.to_string().starts_with("epsilon is 1: "), "{refused}"); // the budget that was given
    }

    /// No point is farther away than the diameter, however wide the noise.
    #[test]
    fn no_error_exceeds_the_diameter() {
        let m = space("sphere:2");
        let ball = Ball::at_origin(&*m, 0.9).unwrap();
        let mean = PrivateFrechetMean::new(m, ball).unwrap();
        let flow = KarcherFlow::new(&mean, 100, Guarantee::approximate(1e-8, 1e-300).unwrap()).unwrap();
        let pi = std::f64::consts::PI;
        assert!(
            flow.expected_distance() <= pi && flow.distance().unwrap().quantile(0.95) <= pi && flow.error_bound() <= pi
        );
    }
}
