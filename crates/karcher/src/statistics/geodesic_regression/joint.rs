//! Footpoint and velocity at once by the K-norm gradient mechanism (user guide, R1 and R1′).
//!
//! Density `∝ exp(−ε·‖s̄(p, v)‖/(2Δ))` on `K = {(p, v): p ∈ B_r(m₀), ‖v‖ ≤ V}` with respect to the Riemannian volume of
//! `p` times the Euclidean one of `T_pM`; `s̄ = (1/n)·Σ (A†ēᵢ, w·xᵢ·B†ēᵢ)` with residuals clipped to `τ`,
//! `Δ = (2τ/n)·√(‖A‖² + w²‖B‖²/4)`. Pure `ε`. On a line the draw is exact. On other spaces it is the last state of a
//! Markov chain whose number of steps depends on the dimension alone, and the release is flagged `mcmc-approximate`.

use super::line::LineSampler;
use super::{OUTWARD, PrivateRegression, score};
use crate::error::{Error, Result};
use crate::manifold::Geodesic;
use crate::mechanism::plan::budget::bounded_range;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{BY_CHAIN, Plan, PlanSummary};
use crate::noise::Generator;
use crate::privacy::Guarantee;
use crate::records::{InMemory, Records};
use crate::release::{
    Flag, MechanismName, NoiseDraw, NoiseLaw, NoiseOf, OpenRelease, PublishedRelease, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName,
};
use crate::sampler::{Metropolis, TangentBundleWalk};
use crate::vector::norm;
use statrs::function::gamma::ln_gamma;
use std::f64::consts::PI;

/// Largest ratio of the allowed width to that of the law from which a chain draws.
const NARROWEST: f64 = 1e3;

/// The mechanism, calibrated.
///
/// ```
/// use karcher::{Ball, PredictorRange, manifold::Euclidean, mechanism::{KngRegression, Plan, PrivateRegression}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let ball = Ball::at_origin(&*line, 1.0)?;
/// let regression = PrivateRegression::new(line, ball, PredictorRange::new(0.0, 1.0)?, 1.0)?;
/// let plan = KngRegression::new(&regression, 1_000, Guarantee::pure(1.0)?)?;
/// assert_eq!((plan.guarantee(), plan.name().name()), (Guarantee::pure(1.0)?, "kng"));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KngRegression {
    regression: PrivateRegression,
    summary: PlanSummary,
}

impl KngRegression {
    /// Calibrates the mechanism for `n` records. For μ and ρ it uses the largest bounded range ε that implies them, for
    /// (ε, δ) pure ε.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for fewer than two records. Also [`Error::Unsupported`] where a chain would have to
    /// find a law a thousand times narrower than the allowed set.
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Euclidean, mechanism::{KngRegression, Plan, PrivateRegression}};
    /// use karcher::privacy::{Guarantee, range_for_mu};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let ball = Ball::at_origin(&*line, 1.0)?;
    /// let regression = PrivateRegression::new(line, ball, PredictorRange::new(0.0, 1.0)?, 1.0)?;
    /// let gaussian = KngRegression::new(&regression, 1_000, Guarantee::gaussian(1.0)?)?;
    /// let pure = KngRegression::new(&regression, 1_000, Guarantee::pure(range_for_mu(1.0)?)?)?;
    /// assert!((gaussian.scale() / pure.scale() - 1.0).abs() < 1e-9); // a range that implies 1-GDP
    /// assert!(KngRegression::new(&regression, 1, Guarantee::pure(1.0)?).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(regression: &PrivateRegression, n: usize, budget: Guarantee) -> Result<Self> {
        regression.check_count(n)?;
        let epsilon = bounded_range(budget)?;
        let sensitivity = OUTWARD * 2.0 * regression.residual_bound * regression.leverage() / n as f64;
        let scale = 2.0 * sensitivity / epsilon;
        let exact = is_exact(regression, n, scale);
        if !exact && near(regression, scale) * NARROWEST < regression.reach() {
            let reason =
                "so little noise is needed that a Markov chain cannot be relied on; use the mechanism gradient-descent";
            let space = regression.manifold.space();
            return Err(Error::Unsupported { mechanism: "kng", space: space.clone(), reason: reason.to_owned() });
        }
        let chain = !exact;
        let described = PlanSummary::new(
            MechanismName::Kng,
            (StatisticName::GeodesicRegression, &regression.manifold, &regression.ball),
            n,
            budget,
            scale,
            ReleasedSensitivity { value: sensitivity, bound: ReleasedBound::ClippedResiduals },
            expected_distance(regression, scale),
        );
        let summary = PlanSummary {
            chain_steps: chain.then(|| chain_steps(2 * regression.manifold.dim())).map(|[first, then]| first + then),
            by_name: chain.then_some(BY_CHAIN),
            noise: vec![NoiseDraw::on(
                NoiseOf::Value,
                NoiseLaw::KNormGradient,
                regression.manifold.space(),
                scale,
                sensitivity,
            )],
            ..described.flagged(chain.then_some(Flag::McmcApproximate))
        };
        Ok(Self { regression: regression.clone(), summary })
    }

    /// The last state of a chain from the ball's center with velocity 0.
    fn chain(&self, records: InMemory<'_>, generator: &mut Generator) -> Result<Geodesic> {
        let (space, center) = (self.regression.centered.space(), self.regression.centered.center());
        let d = space.dim() as f64;
        // approximate standard deviations in each direction; the walk tunes them
        let deviation = self.scale() * (2.0 * d + 1.0).sqrt();
        let point_scale = deviation.min(self.regression.ball.radius() / d.sqrt());
        let slope_scale = (12.0 / self.regression.weight() * deviation).min(self.regression.slope_bound / d.sqrt());
        let walk = TangentBundleWalk::new(space, point_scale, slope_scale, |p: &[f64], v: &[f64]| {
            self.log_density(records, p, v)
        })?;
        let dim = 2 * space.dim();
        let [first, then] = chain_steps(dim);
        let metropolis = Metropolis::new(first, 1).thinning(then);
        let start = [center, &vec![0.0; center.len()]].concat();
        let chains = metropolis.sample(&walk, &[start], generator)?;
        let (p, v) = chains.last().split_at(center.len());
        Ok(Geodesic { footpoint: p.to_vec(), velocity: v.to_vec() })
    }

    /// `−‖s̄‖/σ` on `K`, `−∞` outside of it.
    fn log_density(&self, records: InMemory<'_>, p: &[f64], v: &[f64]) -> f64 {
        let (space, regression) = (self.regression.centered.space(), &self.regression);
        let inside = space.dist(regression.centered.center(), p) <= regression.ball.radius()
            && space.norm(p, v) <= regression.slope_bound;
        if !inside {
            return f64::NEG_INFINITY;
        }
        let at = Geodesic { footpoint: p.to_vec(), velocity: v.to_vec() };
        let length = regression.residual_bound * regression.leverage();
        let predictors = records.numbers.unwrap_or_default();
        let (clip, weight) = (regression.residual_bound, regression.weight());
        match score(space, &at, (records.points, predictors), clip, weight, length) {
            Ok(score) => -norm(&score) / self.scale(),
            Err(_) => f64::NEG_INFINITY, // never: what is clipped is bounded
        }
    }
}

impl Sealed for KngRegression {}

impl Plan for KngRegression {
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
        let seen = self.regression.seen(records)?;
        let data = seen.in_memory()?;
        let geodesic = if self.is_exact() {
            let predictors = data.numbers.unwrap_or_default(); // a regression's records have predictors
            let sampler = LineSampler::new(&self.regression, data.points.values(), predictors, self.scale());
            let (p, v) = sampler.sample(context.generator());
            Geodesic { footpoint: vec![p], velocity: vec![v] }
        } else {
            self.chain(data, context.generator())?
        };
        self.regression.publish(&geodesic, (self.regression.residual_bound, None), &self.summary, context)
    }

    fn lattice(&self) -> f64 {
        self.regression.lattice(&self.summary).step()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        self.regression.again(stated, (self.regression.residual_bound, None), &self.summary, context)
    }
}

/// Steps of a chain in so many dimensions before its first used state, and from there to the released state.
fn chain_steps(dim: usize) -> [usize; 2] {
    [10_000 + 200 * dim, 2_000 + 20 * dim]
}

/// Whether draws are exact: on lines, if the work for the worst records is bearable.
fn is_exact(regression: &PrivateRegression, n: usize, scale: f64) -> bool {
    regression.manifold.flat_chart().is_some()
        && regression.manifold.dim() == 1
        && LineSampler::worst_work(regression, n, scale) <= 1e11
}

/// The expected distance.
///
/// Near the least-squares geodesic the density decreases like a Laplace law in `R^{2d}`. Far from it clipped residuals
/// keep it above about `exp(−0.9·min(τ, r)/σ)`. If that is not little, or `K` large, the mass is there. The result is
/// the mean over both, each with its mass.
fn expected_distance(regression: &PrivateRegression, scale: f64) -> f64 {
    let d = regression.manifold.dim() as f64;
    let (radius, slope, weight) = (regression.ball.radius(), regression.slope_bound, regression.weight());
    let (near, far) = (near(regression, scale), regression.reach());
    if near >= far {
        return far;
    }
    // logarithms of ∫ exp(−‖(δp, w·δv/12)‖/σ) and of the volume of K times the density there
    let ball = |dim: f64, radius: f64| 0.5 * dim * PI.ln() - ln_gamma(0.5 * dim + 1.0) + dim * radius.ln();
    let peak = ball(2.0 * d, scale) + ln_gamma(2.0 * d + 1.0) + d * (12.0 / weight).ln();
    let plain = ball(d, radius) + ball(d, slope) - 0.9 * regression.residual_bound.min(radius) / scale;
    let share = 1.0 / (1.0 + (peak - plain).exp());
    ((1.0 - share) * near * near + share * far * far).sqrt()
}

/// The expected distance near the least-squares geodesic.
fn near(regression: &PrivateRegression, scale: f64) -> f64 {
    let (d, weight) = (regression.manifold.dim() as f64, regression.weight());
    scale * ((2.0 * d + 1.0) * d * (1.0 + 12.0 / (weight * weight))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ball;
    use crate::manifold::Euclidean;
    use crate::points::Points;
    use crate::records::{Observations, PredictorRange};
    use std::sync::Arc;

    /// On a line the chain and the exact sampler draw from the same law: two-sample Kolmogorov–Smirnov statistics of
    /// intercept, slope and score. A correct chain fails with probability 1e-4; one of half the scale always does.
    #[test]
    fn chain_and_exact_draws_agree_on_a_line() {
        let space = Arc::new(Euclidean::new(1).unwrap());
        let records = Points::new(&*space, vec![-0.5, -0.3, 0.1, 0.1, 0.4, 0.9]).unwrap();
        let predictors = [0.0, 0.1, 0.35, 0.5, 0.8, 1.0];
        let range = PredictorRange::new(0.0, 1.0).unwrap();
        let joint = |epsilon: f64| {
            let ball = Ball::at_origin(&*space, 1.0).unwrap();
            let regression = PrivateRegression::new(space.clone(), ball, range, 2.0).unwrap();
            let regression = regression.residual_bound(0.6).unwrap();
            KngRegression::new(&regression, 6, Guarantee::pure(epsilon).unwrap()).unwrap()
        };
        let mut generator = Generator::seeded(1);
        let draws = 80;
        let chain = joint(20.0);
        let observations = Observations::new(&records).with_predictors(&predictors).unwrap();
        let seen = chain.regression.seen(&observations).unwrap();
        let data = seen.in_memory().unwrap();
        let audit_score = |joint: &KngRegression, p: f64, v: f64| -joint.log_density(data, &[p], &[v]);
        let chained: Vec<[f64; 3]> = (0..draws)
            .map(|_| {
                let geodesic = chain.chain(data, &mut generator).unwrap();
                let (p, v) = (geodesic.footpoint[0], geodesic.velocity[0]);
                [p, v, audit_score(&chain, p, v)]
            })
            .collect();
        let mut exact = |epsilon: f64| -> Vec<[f64; 3]> {
            let scale = joint(epsilon).scale();
            let sampler = LineSampler::new(&chain.regression, data.points.values(), data.numbers.unwrap(), scale);
            let mut draw = || sampler.sample(&mut generator);
            (0..5000).map(|_| draw()).map(|(p, v)| [p, v, audit_score(&chain, p, v)]).collect()
        };
        let (same, other) = (exact(20.0), exact(40.0));
        let distance = |other: &[[f64; 3]], i: usize| {
            let share = |all: &[[f64; 3]], at: f64| all.iter().filter(|x| x[i] <= at).count() as f64 / all.len() as f64;
            chained.iter().map(|x| (share(&chained, x[i]) - share(other, x[i])).abs()).fold(0.0, f64::max)
        };
        let critical = 2.3 / (draws as f64).sqrt();
        for i in 0..3 {
            assert!(distance(&same, i) < critical, "{i}: {} {critical}", distance(&same, i));
        }
        assert!(distance(&other, 2) > critical, "{} {critical}", distance(&other, 2));
    }
}
