//! The chart mechanism: the mean with noise in the tangent space at the ball's public center (user guide, M6).
//!
//! `Exp_{m₀}(Log_{m₀} x̄ + N)`, `N` flat Laplace or Gaussian noise on `T_{m₀}M ≅ R^d`. The base point is public, so
//! everything after the noise is processing. The space needs no special property: no integrability, no homogeneity, no
//! constant distance to the cut locus, no integral, no Markov chain.
//!
//! * The **sensitivity** of `Log_{m₀} x̄` is no larger than that of the mean itself, `2·tan(√κ·r)/(√κ·n)`, and `2r/n`
//!   where `κ ≤ 0` ([`chart_mean`]).
//! * The **error**: where no curvature is negative `Exp_{m₀}` shortens distances, so it is at most that of flat noise.
//!   Otherwise it stretches them, the more the farther the mean is from the center. The plan states the expected
//!   distance for the worst mean of the ball.
//! * **In the bits.** Where the space is flat the mean is a sum, and exact. Otherwise the coordinates of the computed
//!   mean are rounded to a lattice `ℓ·Z^d`. This moves two of them apart by `√d·ℓ` at most, and that is added to the
//!   sensitivity. Then integers are released with exact noise either way.

use crate::Lattice;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::noisy_mean;
use crate::mechanism::noise::shortest;
use crate::mechanism::noise::sum_and_count::Choice;
use crate::mechanism::plan::rounds;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    Denoiser, Gain, Mechanism, Plan, PlanSummary, PrivateFrechetMean, Request, Round, RoundState, Rounds,
};
use crate::noise::Law;
use crate::privacy::Guarantee;
use crate::privacy::rounding::{add_up, mul_up, sqrt_up};
use crate::records::Records;
use crate::release::{
    MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName,
};
use crate::sampler::wrapped_distance;
use crate::sensitivity::chart_mean;
use crate::statistics::frechet_mean::add_remove::AddRemoveMean;
use crate::statistics::frechet_mean::expected::expected_at;

/// `chart`: flat noise in the tangent space at the center of the ball.
#[derive(Debug)]
pub struct Chart;

impl Mechanism for Chart {
    fn name(&self) -> MechanismName {
        MechanismName::Chart
    }

    fn about(&self) -> &'static str {
        "Noise in the tangent space at the center of the ball, drawn in integers: on every space, for every budget"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["tolerance", "assume_in_ball", "denoise"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        let mean = request.asked(self.name())?;
        Ok(Box::new(ChartMean::new(mean, request.n(), request.budget())?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(AddRemoveMean::new(self.name(), request, Choice::Shortest)?))
    }
}

/// The chart mechanism for the mean of `n` records, with everything decided that does not need them.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{ChartMean, Plan, PrivateFrechetMean}, privacy::Guarantee};
/// use karcher::release::Numerics;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let chart = ChartMean::new(&mean, 1_000, Guarantee::pure(1.0)?)?;
/// assert_eq!((chart.guarantee(), chart.numerics()), (Guarantee::pure(1.0)?, Numerics::Exact));
/// // as little noise as the mean itself would take
/// assert!(chart.scale() < mean.sensitivity(1_000)?.value() * (1.0 + 1e-6));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChartMean {
    mean: PrivateFrechetMean,
    law: Law,
    /// `ℓ`, where the mean is not a sum.
    lattice: Option<f64>,
    summary: PlanSummary,
}

impl ChartMean {
    /// The mechanism for a budget: with Laplace or Gaussian noise, whichever is expected to be shorter.
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`](crate::Error::RadiusTooLarge) where the mean need not be unique or cannot be computed,
    /// [`Error::Geometry`](crate::Error::Geometry) for no records.
    ///
    /// ```
    /// use karcher::{Ball, manifold::SpdAffineInvariant, mechanism::{ChartMean, Plan, PrivateFrechetMean}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let matrices = Arc::new(SpdAffineInvariant::new(10)?);
    /// let mean = PrivateFrechetMean::new(matrices.clone(), Ball::at_origin(&*matrices, 2.0)?)?;
    /// let chart = ChartMean::new(&mean, 1_000, Guarantee::approximate(1.0, 1e-6)?)?;
    /// assert!(chart.expected_distance() < 0.13); // Gaussian noise
    /// // Laplace noise keeps every budget, also where δ is next to nothing
    /// assert!(ChartMean::new(&mean, 1_000, Guarantee::approximate(1.0, 1e-310)?).is_ok());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(mean: &PrivateFrechetMean, n: usize, budget: Guarantee) -> Result<Self> {
        let mean = mean.clone().bound(None); // the theorem is one about the smallest bound
        let (manifold, radius) = (mean.manifold(), mean.ball().radius());
        mean.sensitivity(n)?; // refuses what has no unique mean, or none that can be computed
        let tolerance = if mean.is_flat() { 0.0 } else { mean.inexact_gradient()? };
        let exact = mean.moved(|manifold, radius| chart_mean(manifold, radius, n, tolerance));
        let exact = exact.map_err(|error| mean.of_given_tolerance(error))?;
        let side = sqrt_up(manifold.dim() as f64);
        let lattice = (!mean.is_flat()).then(|| Lattice::finest(exact / side, radius));
        // logarithm and rounding of either mean: an error for each, and half a diagonal
        let apart = |step| add_up(2.0 * mean.logarithm_error(), mul_up(side, step));
        let sensitivity = lattice.map_or(exact, |step| add_up(exact, apart(step)));
        let noise = shortest(manifold.dim(), sensitivity, budget)?;
        let distance = wrapped_distance(manifold, mean.centered().radius_of_negative(), noise.law(), noise.scale())?;
        // a sum needs no allowance
        let flags = mean.assumptions(mean.rounding_allowance().filter(|_| !mean.is_flat()));
        let described = PlanSummary::new(
            MechanismName::Chart,
            (StatisticName::FrechetMean, manifold, mean.ball()),
            n,
            noise.guarantee(),
            noise.scale(),
            ReleasedSensitivity { value: sensitivity, bound: ReleasedBound::Chart },
            distance.mean(),
        );
        let denoising = mean.denoising(noise.law(), noise.scale());
        let numerics = Numerics::Exact;
        let draw = NoiseDraw::on_vector(NoiseOf::Value, noise.law(), manifold.dim(), noise.scale(), sensitivity);
        let noise_of_all = vec![draw];
        let summary = PlanSummary {
            distance: Some(distance),
            noise: noise_of_all,
            numerics,
            denoising,
            ..described.flagged(flags)
        };
        Ok(Self { law: noise.law(), mean, lattice, summary })
    }

    fn denoiser(&self) -> Option<Denoiser> {
        self.mean.denoiser(self.law, self.summary.scale)
    }
}

impl Sealed for ChartMean {}

impl Rounds for ChartMean {
    fn round(&self, _: &RoundState) -> Result<Round> {
        self.mean.round_of_sum(self.law, &self.summary)
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        self.mean.release_sum(state.numbers(), self.denoiser(), &self.summary, context)
    }
}

impl Plan for ChartMean {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn denoise(&self, coordinates: &mut [f64], _: Option<&PrivateCount>) {
        self.denoiser().iter().for_each(|denoiser| denoiser.apply(coordinates));
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let Some(step) = self.lattice else { return rounds::draw(self, records, context) };
        self.summary.begin(records, context)?;
        let total = self.mean.on_lattice(&self.mean.summarize(records)?.value, step);
        let coordinates = noisy_mean(&total, self.law, self.summary.scale, context.generator())?;
        self.mean.publish_coordinates(&coordinates, step, self.denoiser().as_ref(), &self.summary, context)
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        self.lattice.is_none().then_some(self)
    }

    fn lattice(&self) -> f64 {
        self.lattice.unwrap_or_else(|| self.mean.quantum_of_mean(self.summary.n))
    }

    fn gains(&self) -> Option<[Gain; 3]> {
        self.denoiser().map(|denoiser| denoiser.gains())
    }

    /// Negative curvature stretches distances less near the center.
    fn expected_distance_at(&self, off: f64) -> f64 {
        expected_at(&self.mean, off, (self.law, self.summary.scale), self.denoiser(), &self.summary)
    }
}
