//! The private median flow: noisy steps of public length towards the geometric median (user guide, B1).
//!
//! `m_{j+1} = π_R(Exp_{m_j}(η_j·(ḡ_j + N_j)))`, `ḡ_j = (1/n) Σ uᵢ`, `uᵢ = Log_{m_j} xᵢ/‖Log_{m_j} xᵢ‖` (0 where there
//! is none), from the public center `m₀` of the outer ball, `π_R` the projection onto it. The `uᵢ` are unit vectors, so
//! replacing a record moves `ḡ_j` by at most `2/n`, **however large the ball is and whatever the curvature**. A far
//! record counts no more than a near one.
//!
//! **Budget.** All `T` steps get the same part of it: `N_j` normal with `σ = 2√T/(nμ)`, so that a step is `μ/√T`-GDP
//! and the steps compose to `μ`; or for pure ε of Laplace's law with `σ = 2T/(nε)`, so that a step is `ε/T`-private.
//! The sums are exact and so is the noise ([X1], [X2]); `m_j` is an earlier output, and everything after the noise is
//! processing.
//!
//! **Everything is chosen from public quantities**: step sizes and their number by a simulation
//! (`schedule.rs`).
//!
//! [X1]: crate::records::Summand
//! [X2]: crate::noise::VectorNoise

use crate::error::{Error, Result};
use crate::mechanism::noise::exact::{moved, noisy_mean};
use crate::mechanism::plan::again;
use crate::mechanism::plan::budget::total_mu;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, PrivateGeometricMedian, Request, check_some};
use crate::noise::Law;
use crate::privacy::{Definition, Guarantee};
use crate::records::{PreparedRecords, Records, Summand};
use crate::release::{
    MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PublishedRelease, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName, Step,
};
use crate::statistics::geometric_median::schedule::{Schedule, after, bend};
use statrs::function::gamma::ln_gamma;

/// The largest number of steps that can be asked for.
const LARGEST_STEPS: usize = 10_000;

/// Covers the rounding of a few products on the way to a scale.
const OUTWARD: f64 = 1.0 + 1e-12;

/// `median-flow`: noisy steps of public length towards the geometric median.
#[derive(Debug)]
pub struct MedianFlow;

impl Mechanism for MedianFlow {
    fn name(&self) -> MechanismName {
        MechanismName::MedianFlow
    }

    fn about(&self) -> &'static str {
        "Noisy steps of public length towards the geometric median, on every space and in a ball of any size"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["steps", "expected_spread"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        let median = request.asked(self.name())?;
        let flow = FlowToMedian::new(median, request.n(), request.budget(), request.asked_steps())?;
        Ok(Box::new(flow.expecting(request.asked_spread())))
    }
}

/// A median flow with all its steps decided before any record is read.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{FlowToMedian, Plan, PrivateGeometricMedian}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let median = PrivateGeometricMedian::new(sphere.clone(), Ball::at_origin(&*sphere, 3.0)?)?;
/// let flow = FlowToMedian::new(&median, 1_000, Guarantee::gaussian(1.0)?, Some(8))?;
/// // step j is 2η_j/(n·σ_j)-GDP, σ_j in units of distance, and all of them together are μ-GDP
/// let steps = flow.summary().steps.clone().unwrap_or_default();
/// let spent: f64 = steps.iter().map(|step| (2.0 * step.clip / (1_000.0 * step.scale)).powi(2)).sum();
/// assert!((spent.sqrt() - 1.0).abs() < 1e-6);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FlowToMedian {
    median: PrivateGeometricMedian,
    law: Law,
    /// `σ`, of the noise on the mean of unit vectors.
    sigma: f64,
    /// `η_j`.
    lengths: Vec<f64>,
    /// The figure of its rehearsal.
    figure: f64,
    summary: PlanSummary,
}

impl FlowToMedian {
    /// The flow for `n` records and a budget, with the number of steps that does best in a rehearsal, or a given one.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records. [`Error::InvalidParameter`] for no steps and for more than 10,000, and for a
    /// budget that overflows.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{FlowToMedian, Plan, PrivateGeometricMedian}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let median = |radius| PrivateGeometricMedian::new(plane.clone(), Ball::at_origin(&*plane, radius)?);
    /// let flow = |radius| FlowToMedian::new(&median(radius)?, 1_000, Guarantee::pure(1.0)?, None);
    /// // in a ball that is a thousand times as large as many steps are taken, a thousand times as long
    /// let (near, far) = (flow(1.0)?, flow(1_000.0)?);
    /// assert!((far.scale() / near.scale() / 1_000.0 - 1.0).abs() < 1e-9);
    /// assert!(FlowToMedian::new(&median(1.0)?, 1_000, Guarantee::pure(1.0)?, Some(0)).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(median: &PrivateGeometricMedian, n: usize, budget: Guarantee, steps: Option<usize>) -> Result<Self> {
        check_some(n)?;
        if let Some(steps) = steps.filter(|steps| !(1..=LARGEST_STEPS).contains(steps)) {
            let requirement = format!("the flow takes from 1 to {LARGEST_STEPS} steps");
            return Err(Error::InvalidParameter { name: "steps", value: steps as f64, requirement });
        }
        let manifold = median.manifold();
        let (d, count) = (manifold.dim() as f64, n as f64);
        let (law, all) = match budget.definition() {
            Definition::Pure { epsilon } => (Law::Laplace, epsilon),
            Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
                (Law::Gaussian, total_mu(budget)?)
            }
        };
        // the scale of the noise on the mean of unit vectors, and its root mean square length
        let sigma = |steps: usize| match law {
            Law::Laplace => OUTWARD * 2.0 * steps as f64 / (count * all),
            Law::Gaussian => OUTWARD * 2.0 * (steps as f64).sqrt() / (count * all),
        };
        let length = |steps: usize| sigma(steps) * mean_square_length(law, d).sqrt();
        // on a compact space no point is farther away than the diameter
        let reach = median.ball().radius().min(manifold.diameter());
        let bend = bend(&**manifold, reach);
        let schedule = match steps {
            Some(steps) => Schedule::of(steps, bend, length(steps)),
            None => Schedule::best(bend, length),
        };
        let sigma = sigma(schedule.steps.len());
        let lengths: Vec<f64> = schedule.steps.iter().map(|step| reach * step).collect();
        let steps: Vec<Step> = lengths.iter().map(|eta| Step { clip: *eta, scale: eta * sigma }).collect();
        let last = steps[steps.len() - 1]; // there is at least one
        let described = PlanSummary::new(
            MechanismName::MedianFlow,
            (StatisticName::GeometricMedian, manifold, median.ball()),
            n,
            budget,
            last.scale,
            ReleasedSensitivity { value: 2.0 * last.clip / count, bound: ReleasedBound::UnitGradient },
            (reach * schedule.distance).min(manifold.diameter()),
        );
        let step = NoiseDraw::on_vector(NoiseOf::Value, law, manifold.dim(), sigma, 2.0 / count);
        let noise = vec![NoiseDraw { draws: steps.len(), ..step }];
        let summary = PlanSummary { at_most: true, steps: Some(steps), noise, numerics: Numerics::Exact, ..described };
        Ok(Self { median: median.clone(), law, sigma, lengths, figure: schedule.figure, summary })
    }

    /// The same plan with the expected error of a rehearsal with a cloud of a spread, if one is given, instead of the
    /// worst of many.
    fn expecting(mut self, spread: Option<f64>) -> Self {
        if let Some(spread) = spread {
            (self.summary.expected_distance, self.summary.at_most) = (self.rehearse(spread), false);
        }
        self
    }

    /// The figure by which it is compared with other ways to find a center: less is better.
    pub(crate) fn figure(&self) -> f64 {
        self.figure
    }

    /// Root mean square distance between the end of the flow and the median of a made-up normal cloud. The cloud lies
    /// halfway to the edge of the ball, or at the edge where curvature is negative and distance matters most.
    ///
    /// `spread` is the root mean square distance of the cloud from its center, `s = spread/√d` in each coordinate. At
    /// distance `D` it attracts with a strength of about `D/√(D² + c²)`, `c = s·√2·Γ(d/2 + 1)/Γ((d + 1)/2)`, which is
    /// right near the center and from afar.
    pub(crate) fn rehearse(&self, spread: f64) -> f64 {
        let manifold = &*self.summary.manifold;
        let d = manifold.dim() as f64;
        let core = spread * (2.0 / d).sqrt() * (ln_gamma(0.5 * d + 1.0) - ln_gamma(0.5 * (d + 1.0))).exp();
        let noise = self.sigma * mean_square_length(self.law, d).sqrt();
        let reach = self.median.ball().radius().min(manifold.diameter());
        let (core, bend) = (core / reach, bend(manifold, reach));
        let pull = |distance: f64| distance / distance.hypot(core);
        let from = if bend > 0.0 { 1.0 } else { 0.5 };
        let settled = self.lengths.iter().fold(from, |left, eta| after(left, eta / reach, pull(left), noise, bend));
        (reach * settled).min(manifold.diameter())
    }

    /// The end of the flow relative to the ball's center, computed from noisy sums. **Private.**
    pub(crate) fn end(&self, seen: &PreparedRecords<'_>, context: &mut OpenRelease<'_>) -> Result<Vec<f64>> {
        let centered = self.median.seen().centered();
        let mut m = centered.center().to_vec();
        for eta in &self.lengths {
            let total = seen.sum(centered.space(), &Summand::UnitLog { base: m.clone() })?;
            let mut direction = noisy_mean(&total, self.law, self.sigma, context.generator())?;
            direction.iter_mut().for_each(|d| *d *= eta);
            m = moved(centered.space(), m, &direction);
            centered.pull(&mut m);
        }
        Ok(m)
    }
}

/// The mean squared length of noise of scale 1 on a vector of `d` numbers.
fn mean_square_length(law: Law, d: f64) -> f64 {
    match law {
        Law::Laplace => d * (d + 1.0),
        Law::Gaussian => d,
    }
}

impl Sealed for FlowToMedian {}

impl Plan for FlowToMedian {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.summary.begin(records, context)?;
        let seen = self.median.seen().carry(records)?;
        let end = self.end(&seen, context)?;
        let (coordinates, step) = self.median.coordinates(&end, &self.summary);
        let mut summary = self.summary.clone();
        summary.flags.extend(self.median.at_edge(&coordinates));
        self.median.seen().publish_coordinates(&coordinates, step, None, &summary, context)
    }

    fn lattice(&self) -> f64 {
        self.median.lattice(&self.summary).step()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let most = again::farthest(&self.summary, self.lattice());
        again::point(self, stated, (most, |coordinates| self.median.at_edge(coordinates)), context)
    }
}
