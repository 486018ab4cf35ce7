//! The mean of records whose number is confidential: a noisy vector divided by a noisy number (user guide, U2).
//!
//! * Where the space is flat the vector is the sum of the records' coordinates, none longer than the radius. Up to the
//!   law of the noise, `laplace`, `gaussian` and `chart` are the same there.
//! * On curved spaces it is `φ(n)·Log_{m₀} x̄`, and the number is `φ(n)`, with
//!
//!   ```text
//!   φ(n) = n − n²/M  for n ≤ M/2,  M/4 beyond,      M = 256 times the guess.
//!   ```
//!
//!   Their quotient is the mean in the chart for every `n`. `φ` is `n` up to 0.4 % where the guess is right. `φ` is
//!   there because a computed mean has a small error. Times `n`, which is unbounded, the error would be unbounded;
//!   times `φ(n) ≤ M/4` it is bounded, and that is added to the sensitivity. Let `w = n + t`, `u = φ/w`, and `P` the
//!   derivative of `w·Log_{m₀} x̄`, which is no longer than `B` ([`chart_sum`]). Then the derivative of `φ·Log_{m₀} x̄`
//!   is `u·P + (φ′ − u)·Log_{m₀} x̄`. For `η = w/M ≤ ½` it is no longer than `(1 − η)·B + η·r`, and beyond than
//!   `(B + r)/2`: never longer than `B ≥ r`; and `0 ≤ φ′ ≤ 1`.

use crate::Lattice;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::sum_and_count::{Choice, NoisySumAndCount, SumAndCountNoise};
use crate::mechanism::plan::rounds;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    Denoiser, Gain, Plan, PlanSummary, PrivateFrechetMean, Request, Round, RoundState, Rounds, no_add_remove,
};
use crate::noise::Generator;
use crate::privacy::GaussianCalibration;
use crate::privacy::rounding::{add_up, div_up, mul_up, sqrt_up};
use crate::records::{BOUND, Records, quantum};
use crate::release::{
    Adjacency, Flag, MechanismName, Numerics, OpenRelease, PrivateCount, Region, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName,
};
use crate::sampler::{DistanceLaw, wrapped_distance};
use crate::sensitivity::{chart_allowance, chart_sum};
use crate::statistics::frechet_mean::expected::expected_at;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// `M` over the guess.
const REACH: f64 = 256.0;

/// Covers the rounding of `φ(n)·v` for a coordinate `v`, as a fraction of the longest vector.
const PRODUCTS: f64 = 16.0 * f64::EPSILON;

/// The mean of records whose number is confidential, with everything decided that does not need them.
#[derive(Debug, Clone)]
pub(super) struct AddRemoveMean {
    mean: PrivateFrechetMean,
    /// The unit of the noisy vector.
    quantum: f64,
    /// `M`, where the vector is that of a computed mean.
    curved: Option<f64>,
    noise: SumAndCountNoise,
    /// The contribution to the error by the noise on the number.
    by_number: f64,
    /// Laws of the distance, for multiples of the scale by powers of `√2`.
    laws: Arc<Mutex<BTreeMap<i32, DistanceLaw>>>,
    summary: PlanSummary,
}

impl AddRemoveMean {
    /// The mechanism with a name, and its noise.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for noise around a mean on a curved space, where nothing is
    /// proved. Otherwise as for [`ChartMean::new`](crate::mechanism::ChartMean::new).
    pub(super) fn new(name: MechanismName, request: &Request, choice: Choice) -> Result<Self> {
        let (mean, n): (&PrivateFrechetMean, _) = (request.asked(name)?, request.n());
        let is_flat = mean.is_flat();
        let around = name != MechanismName::Chart;
        if around && mean.manifold().flat_chart().is_none() {
            return Err(no_add_remove(name, request));
        }
        let mean = if around { mean.clone() } else { mean.clone().bound(None) };
        let (manifold, radius) = (mean.manifold(), mean.ball().radius());
        mean.sensitivity(n)?; // refuses what has no unique mean, or none that can be computed
        let d = manifold.dim();
        let (quantum, curved, noise) = if is_flat {
            let noise = SumAndCountNoise::new(d, BOUND, request.budget(), choice)?;
            (quantum(radius), None, noise)
        } else {
            let most = REACH * n as f64;
            let exact = mean.moved(chart_sum)?;
            let tolerance = mean.inexact_gradient()?;
            let of_mean = mean.moved(|manifold, radius| chart_allowance(manifold, radius, tolerance))?;
            let of_one = add_up(of_mean, add_up(2.0 * mean.logarithm_error(), mul_up(radius, PRODUCTS)));
            let bound = add_up(exact, mul_up(0.25 * most, of_one));
            let side = sqrt_up(d as f64);
            let step = Lattice::finest(bound / side, radius);
            // half a diagonal at either end, and half a quantum of the number
            let in_steps = add_up(div_up(bound, step), side);
            let slack = add_up(1.0, mul_up(mul_up(0.25 * most, PRODUCTS), in_steps));
            (step, Some(most), SumAndCountNoise::with_slack(d, in_steps, slack, request.budget(), choice)?)
        };
        let unit = quantum / n as f64;
        let distance =
            wrapped_distance(manifold, mean.centered().radius_of_negative(), noise.law(), noise.equivalent() * unit)?;
        let by_number = noise.longer_by_number(n as f64);
        let mut flags = mean.assumptions(mean.rounding_allowance().filter(|_| !is_flat));
        flags.extend(noise.integrated.then_some(Flag::EstimatedIntegrals));
        let described = PlanSummary::new(
            name,
            (StatisticName::FrechetMean, manifold, mean.ball()),
            n,
            noise.guarantee,
            noise.sigma() * unit,
            ReleasedSensitivity { value: mul_up(noise.moved, unit), bound: ReleasedBound::SumAndCount },
            distance.mean() * by_number,
        );
        let summary = PlanSummary {
            distance: Some(distance),
            numerics: Numerics::Exact,
            denoising: mean.denoising(noise.law(), noise.equivalent() * unit),
            adjacency: Adjacency::AddRemove,
            noise: vec![noise.draw(unit)],
            ..described.flagged(flags)
        };
        Ok(Self { mean, quantum, curved, noise, by_number, laws: Arc::default(), summary })
    }

    /// The mechanism with Gaussian noise, if it is asked for by name.
    pub(super) fn gaussian(request: &Request) -> Result<Self> {
        let calibration = request.asked_calibration().unwrap_or(GaussianCalibration::Analytic);
        Self::new(MechanismName::Gaussian, request, Choice::Gaussian(calibration))
    }

    /// The vector and the number on a curved space, with noise on both.
    fn counted(&self, records: &dyn Records, most: f64, generator: &mut Generator) -> Result<NoisySumAndCount> {
        let n = records.count() as u64;
        let times = lowered(n as f64, most);
        let sum = match n {
            0 => vec![0; self.mean.manifold().dim()], // there is no mean
            _ => {
                let coordinates = self.mean.coordinates(&self.mean.summarize(records)?.value);
                coordinates.iter().map(|v| (times * v / self.quantum).round() as i128).collect()
            }
        };
        let number = self.noise.in_quanta(times);
        Ok(self.noise.release_scaled(&sum, number, generator))
    }

    /// The release of a noisy vector and number.
    fn publish(&self, counted: &NoisySumAndCount, context: &OpenRelease<'_>) -> Result<Release> {
        let count = self.count(counted.count);
        // a reader computes it again from this number, which many drawn ones have in common
        let count = if self.is_far(count.noisy_value) { self.count_of(count.noisy_value) } else { count };
        let lattice = Lattice::new(
            &**self.mean.manifold(),
            self.summary.scale,
            self.mean.ball().radius(),
            self.summary.expected_distance,
        );
        let coordinates = lattice.rounded(counted.mean(self.quantum));
        // what follows is a function of the published number
        let drawn = if self.is_far(count.noisy_value) { self.drawn(count.noisy_value) } else { counted.count };
        let denoiser = self.denoiser(drawn.max(1.0));
        let release =
            self.mean.publish_coordinates(&coordinates, lattice.step(), denoiser.as_ref(), &self.summary, context)?;
        Ok(release.with_count(count, self.region_for(&count, crate::mechanism::plan::REGION)))
    }

    /// The number of records that follows from a noisy one.
    fn count(&self, noisy: f64) -> PrivateCount {
        let count = self.noise.count(noisy);
        let Some(most) = self.curved else { return count };
        let noisy_value = raised(count.noisy_value, most);
        // `raised` is convex. So an interval whose upper side follows the secant to the one with 97.5 % holds at least
        // as often as promised. The same is true of the interval with 97.5 % that is made from it
        let wide = count.noisy_value + PrivateCount::OF_HALF * (count.interval[1] - count.noisy_value);
        let upper = match 4.0 * wide < most {
            true => noisy_value + (raised(wide, most) - noisy_value) / PrivateCount::OF_HALF,
            false => f64::MAX, // no number is too large
        };
        let interval = [raised(count.interval[0], most), upper.max(0.0)];
        PrivateCount { value: noisy_value.max(0.0), noisy_value, interval, ..count }
    }

    /// The number of records of a published noisy one.
    fn count_of(&self, noisy: f64) -> PrivateCount {
        let count = self.count(self.drawn(noisy));
        // `raised` of the drawn number has few digits there
        let most = self.curved.map_or(noisy, |most| noisy.min(0.5 * most));
        let noisy_value = if self.is_far(noisy) { most } else { count.noisy_value };
        PrivateCount { value: noisy_value.max(0.0), noisy_value, ..count }
    }

    /// The number that was drawn, of a noisy number of records: the divisor of the sum, unless it is below 1.
    fn drawn(&self, noisy: f64) -> f64 {
        self.curved.map_or(noisy, |most| lowered(noisy, most))
    }

    /// Whether a noisy number of records is so near `M/2` or beyond it that it does not determine the drawn one.
    fn is_far(&self, noisy: f64) -> bool {
        self.curved.is_some_and(|most| noisy > 0.45 * most)
    }

    /// The scale of the noise in the mean, for so many records.
    fn arriving(&self, n: f64) -> f64 {
        self.noise.equivalent() * self.quantum / n
    }

    fn denoiser(&self, n: f64) -> Option<Denoiser> {
        self.mean.denoiser(self.noise.law(), self.arriving(n))
    }

    /// The region for a private number of records.
    ///
    /// It is scaled from the law for the next larger one of a few scales, whose laws are computed once: negative
    /// curvature stretches shorter noise no more.
    fn region_for(&self, count: &PrivateCount, probability: f64) -> Option<Region> {
        let n = self.curved.map_or(count.divisor(), |most| lowered(count.divisor(), most));
        let wider = self.summary.n as f64 / n;
        let step = (2.0 * wider.log2()).ceil().clamp(-64.0, 128.0);
        let coarse = (0.5 * step).exp2();
        let known = self.laws.lock().ok()?.get(&(step as i32)).cloned();
        let distance = match known {
            Some(law) => law,
            None => {
                // the lock is not held here: this waits for other threads, which may need it
                let scale = self.arriving(self.summary.n as f64) * coarse;
                let (manifold, radius) = (self.mean.manifold(), self.mean.centered().radius_of_negative());
                let law = wrapped_distance(manifold, radius, self.noise.law(), scale).ok()?;
                self.laws.lock().ok()?.entry(step as i32).or_insert(law).clone()
            }
        };
        let region = PlanSummary { distance: Some(distance), ..self.summary.clone() }.region(probability)?;
        // a region that reaches the diameter covers everything
        let is_all = region.radius >= self.summary.manifold.diameter();
        Some(Region { radius: if is_all { region.radius } else { region.radius * wider / coarse }, ..region })
    }
}

/// The number by which a noisy vector was divided, for a private number of records and its public guess.
pub(crate) fn divisor(count: &PrivateCount, n_guess: f64, is_flat: bool) -> f64 {
    if is_flat { count.divisor() } else { lowered(count.divisor(), REACH * n_guess) }
}

/// `φ(n)`.
fn lowered(n: f64, most: f64) -> f64 {
    if n <= 0.5 * most { n - n * (n / most) } else { 0.25 * most }
}

/// The `n` with `φ(n) = x`, and `M/2` where there is none.
fn raised(x: f64, most: f64) -> f64 {
    if 4.0 * x >= most { 0.5 * most } else { 2.0 * x / (1.0 + (1.0 - 4.0 * x / most).sqrt()) }
}

impl Sealed for AddRemoveMean {}

impl Rounds for AddRemoveMean {
    fn round(&self, _: &RoundState) -> Result<Round> {
        Ok(self.noise.round(self.mean.first_query()?))
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        self.publish(&self.noise.concluded(state.numbers()), context)
    }
}

impl Plan for AddRemoveMean {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let Some(most) = self.curved else { return rounds::draw(self, records, context) };
        self.summary.begin(records, context)?;
        let counted = self.counted(records, most, context.generator())?;
        self.publish(&counted, context)
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        self.curved.is_none().then_some(self)
    }

    fn region_of(&self, count: Option<&PrivateCount>, probability: f64) -> Option<Region> {
        self.region_for(count?, probability)
    }

    fn denoise(&self, coordinates: &mut [f64], count: Option<&PrivateCount>) {
        let denoiser = self.denoiser(count.map_or(1.0, |count| self.drawn(count.noisy_value).max(1.0)));
        denoiser.iter().for_each(|denoiser| denoiser.apply(coordinates));
    }

    fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        Some(self.count_of(noisy))
    }

    fn gains(&self) -> Option<[Gain; 3]> {
        self.denoiser(self.summary.n as f64).map(|denoiser| denoiser.gains())
    }

    fn expected_distance_at(&self, off: f64) -> f64 {
        let n = self.summary.n as f64;
        let (arrives, denoiser) = ((self.noise.law(), self.arriving(n)), self.denoiser(n));
        self.by_number * expected_at(&self.mean, off, arrives, denoiser, &self.summary)
    }
}
