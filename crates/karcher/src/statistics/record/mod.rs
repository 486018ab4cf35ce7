//! The local model: a person randomizes the record at home, and no one else ever sees it (user guide, U4).
//!
//! Any two points of the ball are neighbours. A report is a vector of coordinates at the public center whose mean is
//! `v = clip_r(Log_{m₀} x)`, in one of two ways. Both are exact to the bits, on every space and in a ball of any size:
//!
//! * `v + N`, with exact Laplace or Gaussian noise for a sensitivity of `2r`, of the [sum](Summand::ClippedLog) of one
//!   record;
//! * `(r/m)·V`, with a [private direction](PrivateDirection) `V` for `v/‖v‖`, taken with probability `(1 + ‖v‖/r)/2`,
//!   or
//!   for `−v/‖v‖` (user guide, U4′). Its mean squared error is `r²/m² − ‖v‖²`.
//!
//! The way with the smaller error at the center is taken. The vector is released, and not its point under `Exp`: the
//! noise in a mean of vectors vanishes as their number grows, but a mean of points would be biased.

pub(crate) mod collect;
mod description;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::{check_one_radius, multiple, noisy_mean};
use crate::mechanism::noise::shortest;
use crate::mechanism::plan::again::of_another_statistic;
use crate::mechanism::plan::budget::as_pure;
use crate::mechanism::plan::publish;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, PrivateFrechetMean, Request};
use crate::noise::{Generator, Law, PrivateDirection};
use crate::privacy::rounding::{div_up, mul_up};
use crate::privacy::{Definition, Guarantee};
use crate::records::{BOUND, ExactSum, Records, quantum};
use crate::release::{
    MechanismName, NoiseDraw, NoiseLaw, NoiseOf, Numerics, OpenRelease, PublishedRelease, RandomizedRecord, Release,
    ReleasedBound, ReleasedSensitivity, StatisticName, Value,
};
use crate::spec::field;
use crate::vector::norm;
use rand::RngExt;
use std::sync::Arc;

/// The randomizer of one record, with everything decided that does not need it.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, mechanism::{Plan, Randomizer, collect}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let ball = Ball::at_origin(&*sphere, 0.5)?;
/// let randomizer = Randomizer::new(sphere.clone(), ball, Guarantee::pure(2.0)?)?;
/// let at_home = |x: Vec<f64>| randomizer.run(&Points::new(&*sphere, x)?, &mut ReleaseContext::from_os()?);
/// let report = at_home(vec![0.96, 0.28, 0.0])?;
/// assert_eq!((report.n(), report.sensitivity().value >= 1.0), (Some(1), true)); // 2r
/// let reports = (0..1_000).map(|_| Ok(at_home(vec![0.96, 0.28, 0.0])?.into()));
/// let mean = collect(&reports.collect::<karcher::Result<Vec<_>>>()?)?;
/// assert!((mean.value[1] - 0.28).abs() < 10.0 * mean.expected_distance);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Randomizer {
    mean: PrivateFrechetMean,
    way: Way,
    summary: PlanSummary,
}

/// The way in which a vector is randomized.
#[derive(Debug, Clone, Copy)]
enum Way {
    Noise(Law),
    Direction(PrivateDirection),
}

/// `privunit`: a random direction that is more often on the side of the record. [`Randomizer`] plans it.
#[derive(Debug)]
pub struct PrivUnit;

impl Mechanism for PrivUnit {
    fn name(&self) -> MechanismName {
        MechanismName::PrivUnit
    }

    fn about(&self) -> &'static str {
        "A random direction at the center of the ball, more often on the side of the record; in the local model"
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Err(request.not_for(self.name())) // a request is for many records
    }
}

impl Randomizer {
    /// The randomizer for records of a public ball, in the way with the smaller error at its center. A budget `(ε, δ)`
    /// gets pure ε where a direction is better, and one of μ or ρ the pure ε that implies it.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for a ball of another space. Also
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a radius or a budget that over- or underflows.
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, budget: Guarantee) -> Result<Self> {
        check_one_radius(&ball)?;
        let mean = PrivateFrechetMean::new(manifold, ball)?;
        let (dim, radius) = (mean.manifold().dim(), mean.ball().radius());
        let sensitivity = mul_up(2.0, radius);
        let noise = shortest(dim, sensitivity, budget)?;
        let square = root_mean_square(noise.law(), noise.scale(), dim);
        let of_direction = direction(dim, budget).filter(|(report, _, _)| radius / report.mean() < square);
        let (way, epsilon, kept) = match of_direction {
            Some((report, epsilon, kept)) => (Way::Direction(report), epsilon, kept),
            None => (Way::Noise(noise.law()), f64::NAN, noise.guarantee()),
        };
        let (mechanism, law, scale, expected, distance) = match way {
            Way::Noise(law) => {
                let distance = Some(noise.distance().clone());
                (MechanismName::Chart, NoiseLaw::from(law), noise.scale(), noise.expected_distance(), distance)
            }
            Way::Direction(report) => {
                let scale = div_up(sensitivity, epsilon);
                (MechanismName::PrivUnit, NoiseLaw::PrivUnit, scale, radius / report.mean(), None)
            }
        };
        let described = PlanSummary::new(
            mechanism,
            (StatisticName::Record, mean.manifold(), mean.ball()),
            1,
            kept,
            scale,
            ReleasedSensitivity { value: sensitivity, bound: ReleasedBound::ClippedGradient },
            expected,
        );
        let draws = vec![NoiseDraw::on_vector(NoiseOf::Value, law, dim, scale, sensitivity)];
        let summary = PlanSummary { distance, noise: draws, numerics: Numerics::Exact, ..described };
        Ok(Self { mean, way, summary })
    }

    pub(crate) fn mean(&self) -> &PrivateFrechetMean {
        &self.mean
    }

    /// The root mean square of the error in one coordinate, for a record at the center of the ball.
    pub(crate) fn deviation(&self) -> f64 {
        let dim = self.summary.manifold.dim();
        let all = match self.way {
            Way::Noise(law) => root_mean_square(law, self.summary.scale, dim),
            Way::Direction(_) => self.summary.expected_distance,
        };
        all / (dim as f64).sqrt()
    }

    /// Whether different reports may be equal.
    pub(crate) fn repeats(&self) -> bool {
        matches!(self.way, Way::Direction(_)) && self.summary.manifold.dim() == 1
    }

    /// `(r/m)·V` on the lattice.
    fn directed(&self, report: &PrivateDirection, total: &ExactSum, generator: &mut Generator) -> Result<Vec<f64>> {
        let step = self.lattice();
        let length = total.integers().iter().map(|u| (*u as f64 / BOUND).powi(2)).sum::<f64>().sqrt();
        // the law for −u is that of −V
        let sign = if generator.random::<f64>() < 0.5 + 0.5 * length { 1.0 } else { -1.0 };
        let direction = report.direction(total.integers(), generator)?;
        Ok(direction.iter().map(|v| (sign * self.summary.expected_distance * v / step).round() * step).collect())
    }
}

/// `√E‖N‖²`.
fn root_mean_square(law: Law, scale: f64, dim: usize) -> f64 {
    let d = dim as f64;
    match law {
        Law::Laplace => scale * (d * (d + 1.0)).sqrt(),
        Law::Gaussian => scale * d.sqrt(),
    }
}

/// The private direction that keeps a budget, with its ε and its guarantee.
fn direction(dim: usize, budget: Guarantee) -> Option<(PrivateDirection, f64, Guarantee)> {
    let (epsilon, kept) = match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => (epsilon, Guarantee::pure(epsilon)),
        Definition::Gaussian { .. } | Definition::Concentrated { .. } => (as_pure(budget).ok()?, Ok(budget)),
    };
    Some((PrivateDirection::new(dim, epsilon).ok()?, epsilon, kept.ok()?))
}

impl Randomizer {
    fn released(&self, coordinates: Vec<f64>, context: &OpenRelease<'_>) -> Result<Release> {
        publish(self, Value::Record(RandomizedRecord { coordinates }), None, context)
    }

    /// The report that coordinates in a file are: on the lattice, and of the length that all reports have.
    pub(crate) fn reported(&self, stated: &[f64]) -> Result<Vec<f64>> {
        if stated.len() != self.summary.manifold.dim() {
            return Err(field("coordinates", "there must be one for each dimension of the space"));
        }
        let longer = match self.way {
            Way::Direction(_) => norm(stated) / self.summary.expected_distance,
            Way::Noise(_) => 1.0,
        };
        let is_as_long = (longer - 1.0).abs() <= 1e-9;
        let scaled = |c: &f64| if is_as_long { *c } else { c / longer };
        Ok(stated.iter().map(|c| multiple(scaled(c), self.lattice())).collect())
    }
}

impl Sealed for Randomizer {}

impl Plan for Randomizer {
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
        let total = self.mean.first_sum(records)?;
        let coordinates = match &self.way {
            Way::Noise(law) => noisy_mean(&total, *law, self.summary.scale, context.generator())?,
            Way::Direction(report) => self.directed(report, &total, context.generator())?,
        };
        self.released(coordinates, context)
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Record(record) = &stated.value else { return Err(of_another_statistic()) };
        self.released(self.reported(&record.coordinates)?, context)
    }

    fn lattice(&self) -> f64 {
        quantum(self.mean.ball().radius())
    }
}
