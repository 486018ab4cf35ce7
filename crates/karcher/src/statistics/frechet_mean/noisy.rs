//! The mean with noise around it: the plans of the Laplace and Gaussian mechanisms.

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::plan::rounds;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    Denoiser, Denoising, Gain, Neighbour, Noise, Plan, PlanSummary, PrivateFrechetMean, Round, RoundState, Rounds,
};
use crate::noise::Law;
use crate::points::check_space;
use crate::records::Records;
use crate::release::{
    Flag, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, Release, StatisticName,
};
use crate::sensitivity::Sensitivity;

/// The Fréchet mean of `n` records with calibrated noise around it.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{Noise, NoisyMean, Plan, PrivateFrechetMean}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let noise = Noise::laplace(line, mean.sensitivity(100)?.value(), Guarantee::pure(1.0)?)?;
/// let plan = NoisyMean::new(mean, 100, noise)?;
/// assert_eq!((plan.guarantee(), plan.bias_bound(), plan.is_exact()), (Guarantee::pure(1.0)?, 0.0, true));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NoisyMean {
    mean: PrivateFrechetMean,
    noise: Noise,
    summary: PlanSummary,
}

impl NoisyMean {
    /// The mean of `n` records with noise that was calibrated before.
    ///
    /// # Errors
    /// [`Error::Geometry`] for noise of another space. [`Error::InvalidParameter`] for noise that was calibrated to a
    /// smaller sensitivity than the mean has.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{Noise, NoisyMean, PrivateFrechetMean}, sampler::Law};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let noise = Noise::of_scale(line, Law::Laplace, 0.01, 0.01)?;
    /// assert!(NoisyMean::new(mean.clone(), 1_000, noise.clone()).is_ok()); // Δ = 0.002
    /// assert!(NoisyMean::new(mean, 100, noise).is_err()); // Δ = 0.02
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(mean: PrivateFrechetMean, n: usize, noise: Noise) -> Result<Self> {
        let sensitivity = mean.sensitivity(n)?;
        check_space("noise", mean.manifold().space(), noise.manifold.space())?;
        mean.check_denoising(noise.law().into())?;
        if noise.sensitivity() < sensitivity.value() {
            let requirement = format!("the noise must be calibrated to at least {}", sensitivity.value());
            return Err(Error::InvalidParameter { name: "sensitivity", value: noise.sensitivity(), requirement });
        }
        Ok(Self::called(noise.law().into(), mean, n, noise, sensitivity))
    }

    /// The same under the name of a mechanism that uses such noise.
    pub(super) fn called(
        mechanism: MechanismName,
        mean: PrivateFrechetMean,
        n: usize,
        noise: Noise,
        sensitivity: Sensitivity,
    ) -> Self {
        let mut flags: Vec<Flag> = mean.assumptions(mean.rounding_allowance());
        flags.extend(noise.integrated.then_some(Flag::EstimatedIntegrals));
        let described = PlanSummary::new(
            mechanism,
            (StatisticName::FrechetMean, mean.manifold(), mean.ball()),
            n,
            noise.guarantee(),
            noise.scale(),
            sensitivity.into(),
            noise.expected_distance(),
        );
        let flat = mean.manifold().flat_chart().is_some();
        let numerics = if flat { Numerics::Exact } else { Numerics::Idealized };
        let denoising = if flat { mean.denoising(noise.law(), noise.scale()) } else { Denoising::None };
        let space = mean.manifold().space();
        let (law, scale, moved) = (noise.law(), noise.scale(), sensitivity.value());
        let draw = match space.manifold() {
            // a reader does not know the space, but noise on a vector
            Err(_) if flat => NoiseDraw::on_vector(NoiseOf::Value, law, mean.manifold().dim(), scale, moved),
            _ => NoiseDraw::on(NoiseOf::Value, law, space, scale, moved),
        };
        let distance = Some(noise.distance().clone());
        let summary = PlanSummary { distance, noise: vec![draw], numerics, denoising, ..described.flagged(flags) };
        Self { mean, noise, summary }
    }

    /// Whether the mean is that of coordinates, and the noise a vector of integers.
    fn is_flat(&self) -> bool {
        self.mean.manifold().flat_chart().is_some()
    }

    fn denoiser(&self) -> Option<Denoiser> {
        self.mean.denoiser(self.noise.law(), self.noise.scale())
    }
}

impl Sealed for NoisyMean {}

impl Rounds for NoisyMean {
    fn round(&self, _: &RoundState) -> Result<Round> {
        self.mean.round_of_sum(self.noise.law(), &self.summary)
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        self.mean.release_sum(state.numbers(), self.denoiser(), &self.summary, context)
    }
}

impl Plan for NoisyMean {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn denoise(&self, coordinates: &mut [f64], _: Option<&PrivateCount>) {
        self.denoiser().filter(|_| self.is_flat()).iter().for_each(|denoiser| denoiser.apply(coordinates));
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        if self.is_flat() {
            return rounds::draw(self, records, context);
        }
        self.summary.begin(records, context)?;
        let mean = self.mean.summarize(records)?.value;
        let mut draw = mean.clone();
        self.noise.isotropic.sample(&mean, context.generator(), &mut draw)?;
        self.mean.publish(&draw, None, &self.summary, context)
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        self.is_flat().then_some(self)
    }

    fn lattice(&self) -> f64 {
        let summary = &self.summary;
        if self.is_flat() { self.mean.quantum_of_mean(summary.n) } else { self.mean.lattice(summary).step() }
    }

    fn gains(&self) -> Option<[Gain; 3]> {
        self.denoiser().filter(|_| self.is_flat()).map(|denoiser| denoiser.gains())
    }

    fn expected_distance_at(&self, off: f64) -> f64 {
        let denoiser = self.denoiser().filter(|_| self.is_flat());
        self.expected_distance() * denoiser.map_or(1.0, |denoiser| denoiser.left(off))
    }

    fn audit_score(&self, from: Neighbour<'_>, x: &[f64]) -> f64 {
        let distance = self.mean.manifold().dist(from.mean, x);
        match self.noise.law() {
            Law::Laplace => distance,
            Law::Gaussian => distance.powi(2),
        }
    }
}
