//! The noise of a release, draw by draw, and its guarantee by the public calculus (user guide, P7).
//!
//! A release composes its draws: each is fresh, and the guarantee of each is fixed before the first one. So the
//! guarantee of a release follows from the list of its draws alone, and a reader can compute it again.

use crate::Space;
use crate::error::{Error, Result};
use crate::manifold::{Euclidean, Manifold};
use crate::noise::Law;
use crate::privacy::{
    ConstantCurvature, Definition, Guarantee, Profile, compose, compose_at, flat_laplace_concentrated,
    flat_laplace_delta, flat_laplace_epsilon, flat_laplace_guarantee, gaussian_guarantee_flat, laplace_guarantee,
    mu_for_range, rho_for_range,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Relative difference that rounding makes between a stated guarantee and one computed from decimal numbers.
const ROUNDING: f64 = 1e-9;

/// Draws of noise of one law and one scale.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher::release::{NoiseLaw, NoiseOf};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 100, Guarantee::pure(0.5)?).plan()?;
/// let release = plan.run(&Points::new(&*line, vec![0.2; 100])?, &mut ReleaseContext::from_os()?)?;
/// let [draw] = &release.provenance().noise[..] else { panic!("one draw") };
/// assert_eq!((draw.quantity, draw.law, draw.draws), (NoiseOf::Value, NoiseLaw::Laplace, 1));
/// assert!((draw.sensitivity / draw.scale - 0.5).abs() < 1e-12); // ε = Δ/σ
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseDraw {
    /// The quantity that gets the noise.
    pub quantity: NoiseOf,
    /// The law.
    pub law: NoiseLaw,
    /// The space of the law; for a vector, a Euclidean space. A choice among places has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Space>,
    /// The scale `σ`, in the unit of the sensitivity.
    pub scale: f64,
    /// Upper bound of the change that one record makes to the quantity, in the norm of the law.
    pub sensitivity: f64,
    /// The number of draws.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub draws: usize,
}

fn once() -> usize {
    1
}

fn is_once(draws: &usize) -> bool {
    *draws == 1
}

/// A quantity that gets noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseOf {
    /// The private value, or a step towards it.
    Value,
    /// The center of a located ball, or a step towards it.
    Center,
    /// The radius of a located ball.
    Radius,
    /// The number of records.
    Count,
    /// The mean square of the distances of a spread.
    MeanSquare,
    /// The fraction of the records outside the ball.
    FractionOutside,
    /// The second moment of components.
    SecondMoment,
}

impl fmt::Display for NoiseOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoiseOf::Value => "value",
            NoiseOf::Center => "center",
            NoiseOf::Radius => "radius",
            NoiseOf::Count => "count",
            NoiseOf::MeanSquare => "mean-square",
            NoiseOf::FractionOutside => "fraction-outside",
            NoiseOf::SecondMoment => "second-moment",
        })
    }
}

/// The law of noise, with the guarantee of one draw for a sensitivity `Δ` and a scale `σ`.
///
/// ```
/// use karcher::release::NoiseLaw;
/// assert_eq!(NoiseLaw::KNormGradient.to_string(), "k-norm-gradient");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseLaw {
    /// Density `∝ exp(−ρ/σ)` at distance `ρ`: pure, `ε = Δ/σ`; and the guarantee of its own profile.
    Laplace,
    /// Density `∝ exp(−ρ²/2σ²)`: on flat spaces Gaussian, `μ = Δ/σ`; on curved ones the guarantee of its profile.
    Gaussian,
    /// Density `∝ exp(−‖N‖∗/σ)`, `‖N‖∗` the nuclear norm of a symmetric or Hermitian matrix: pure, `ε = Δ/σ`, with the
    /// sensitivity in that norm.
    NuclearLaplace,
    /// The largest of scores with one-sided exponential noise: pure, `ε = 2Δ/σ`.
    Maximum,
    /// The largest of scores with Gumbel noise, the exponential mechanism: bounded range, `ε = 2Δ/σ`.
    Gumbel,
    /// Density `∝ exp(−‖gradient‖/σ)`: bounded range, `ε = 2Δ/σ`.
    KNormGradient,
    /// Uniform on the sphere, but `e^{−ε}` times as likely off a cap about a confidential direction: pure, `ε = Δ/σ`.
    #[serde(rename = "privunit")]
    PrivUnit,
}

impl NoiseLaw {
    /// The law of isotropic noise on numbers that it is, if it is one.
    pub(crate) fn on_numbers(self) -> Option<Law> {
        match self {
            NoiseLaw::Laplace => Some(Law::Laplace),
            NoiseLaw::Gaussian => Some(Law::Gaussian),
            NoiseLaw::NuclearLaplace
            | NoiseLaw::Maximum
            | NoiseLaw::Gumbel
            | NoiseLaw::KNormGradient
            | NoiseLaw::PrivUnit => None,
        }
    }
}

impl fmt::Display for NoiseLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoiseLaw::Laplace => "laplace",
            NoiseLaw::Gaussian => "gaussian",
            NoiseLaw::NuclearLaplace => "nuclear-laplace",
            NoiseLaw::Maximum => "maximum",
            NoiseLaw::Gumbel => "gumbel",
            NoiseLaw::KNormGradient => "k-norm-gradient",
            NoiseLaw::PrivUnit => "privunit",
        })
    }
}

impl From<Law> for NoiseLaw {
    fn from(law: Law) -> Self {
        match law {
            Law::Laplace => NoiseLaw::Laplace,
            Law::Gaussian => NoiseLaw::Gaussian,
        }
    }
}

impl NoiseDraw {
    /// One draw of noise on a space.
    pub(crate) fn on(of: NoiseOf, law: impl Into<NoiseLaw>, space: &Space, scale: f64, sensitivity: f64) -> Self {
        Self { quantity: of, law: law.into(), space: Some(space.clone()), scale, sensitivity, draws: 1 }
    }

    /// One draw of noise on a vector of `dimension` numbers.
    pub(crate) fn on_vector(
        of: NoiseOf,
        law: impl Into<NoiseLaw>,
        dimension: usize,
        scale: f64,
        sensitivity: f64,
    ) -> Self {
        let space = Euclidean::new(dimension).ok().map(|flat| flat.space().clone());
        Self { quantity: of, law: law.into(), space, scale, sensitivity, draws: 1 }
    }

    /// The length of an interval that holds the loss of one draw, where its law has one (user guide, P2).
    fn range(&self) -> Option<f64> {
        matches!(self.law, NoiseLaw::Gumbel | NoiseLaw::KNormGradient).then(|| 2.0 * self.sensitivity / self.scale)
    }

    /// The pure guarantee of one draw, where its law has one.
    fn pure(&self) -> Result<Option<Guarantee>> {
        Ok(match self.law {
            NoiseLaw::Laplace | NoiseLaw::NuclearLaplace | NoiseLaw::PrivUnit => {
                Some(laplace_guarantee(self.sensitivity, self.scale)?)
            }
            NoiseLaw::Maximum | NoiseLaw::Gumbel | NoiseLaw::KNormGradient => {
                Some(laplace_guarantee(2.0 * self.sensitivity, self.scale)?)
            }
            NoiseLaw::Gaussian => match self.curved(Law::Gaussian)? {
                // on spheres no loss is larger than Δ(2D − Δ)/2σ²
                Some(space) if space.curvature() > 0.0 => {
                    let moved = self.sensitivity.min(space.diameter());
                    let loss = moved * (2.0 * space.diameter() - moved) / (2.0 * self.scale * self.scale);
                    Some(Guarantee::pure(loss)?)
                }
                _ => None,
            },
        })
    }

    /// The Gaussian guarantee of one draw.
    fn gaussian(&self) -> Result<Guarantee> {
        let pure = self.pure()?.map(|pure| pure.to_gaussian()).transpose()?;
        let own = match self.law {
            NoiseLaw::Gaussian => match self.curved(Law::Gaussian)? {
                None => Some(gaussian_guarantee_flat(self.sensitivity, self.scale)?),
                Some(_) => Some(self.profile(Law::Gaussian)?.guarantee()?),
            },
            NoiseLaw::Laplace => self.of_laplace(),
            NoiseLaw::Gumbel | NoiseLaw::KNormGradient => {
                self.range().map(|range| mu_for_range(range).and_then(Guarantee::gaussian)).transpose()?
            }
            NoiseLaw::NuclearLaplace | NoiseLaw::Maximum | NoiseLaw::PrivUnit => None,
        };
        match (own, pure) {
            (Some(own), Some(pure)) if pure.implies(own) => Ok(pure),
            (Some(own), _) => Ok(own),
            (None, Some(pure)) => Ok(pure),
            (None, None) => Err(no_space()),
        }
    }

    /// The concentrated guarantee of one draw: by its pure `ε`, by its range, through its `μ`, or of Laplace noise on a
    /// vector by its own divergences (user guide, N3), whichever is least.
    fn concentrated(&self) -> Result<Guarantee> {
        if let (NoiseLaw::Laplace, Some(numbers)) = (self.law, self.vector()) {
            return Ok(flat_laplace_concentrated(numbers, self.sensitivity, self.scale)?); // no other is smaller
        }
        let own = match self.range() {
            Some(range) => Some(Guarantee::concentrated(rho_for_range(range)?)?),
            None => self.pure()?.map(|pure| pure.to_concentrated()).transpose()?,
        };
        let through = self.gaussian()?.to_concentrated()?;
        Ok(own.filter(|own| own.implies(through)).unwrap_or(through))
    }

    /// The smaller of two bounds of the `μ` of Laplace noise: by the errors of integrals, which are small next to a `μ`
    /// of moderate size, and on vectors by its profile, to one part in ten thousand.
    fn of_laplace(&self) -> Option<Guarantee> {
        let of_profile = self.profile(Law::Laplace).and_then(|profile| Ok(profile.guarantee()?)).ok();
        let of_vector =
            self.vector().and_then(|numbers| flat_laplace_guarantee(numbers, self.sensitivity, self.scale).ok());
        let both = of_profile.into_iter().chain(of_vector);
        both.reduce(|least, other| if other.implies(least) { other } else { least })
    }

    /// The space of a law that is not on a vector, if its curvature is constant.
    fn curved(&self, law: Law) -> Result<Option<ConstantCurvature>> {
        let Some(space) = &self.space else { return Ok(None) };
        let manifold = space.manifold()?;
        if manifold.flat_chart().is_some() {
            return Ok(None);
        }
        Ok(Some(ConstantCurvature::of(&*manifold, law)?).filter(|space| space.curvature() != 0.0))
    }

    /// The number of numbers, if the law is one on a vector.
    fn vector(&self) -> Option<usize> {
        let manifold = self.space.as_ref()?.manifold().ok()?;
        manifold.flat_chart().map(|_| manifold.dim())
    }

    fn profile(&self, law: Law) -> Result<Profile> {
        let manifold = self.space.as_ref().ok_or_else(no_space)?.manifold()?;
        let space = match manifold.flat_chart() {
            Some(_) => ConstantCurvature::of(&Euclidean::new(manifold.dim())?, law)?,
            None => ConstantCurvature::of(&*manifold, law)?,
        };
        Ok(Profile::new(space, law, self.scale, self.sensitivity)?)
    }
}

fn no_space() -> Error {
    Error::NotPermitted { reason: "noise of this law has no guarantee that is known without a space".to_owned() }
}

/// The smallest guarantee of all `noise` together in the definition of `stated`, for its `δ`: computed from laws,
/// scales and sensitivities alone.
///
/// # Errors
/// [`Error::NotPermitted`] where the noise has no guarantee in that definition.
///
/// ```
/// use karcher::privacy::Guarantee;
/// use karcher::release::{NoiseDraw, guarantee_of};
/// let draw = |scale: f64| -> NoiseDraw {
///     let rest = r#""law":"laplace","space":"euclidean:2","sensitivity":1.0"#;
///     let text = format!(r#"{{"quantity":"value","scale":{scale},{rest}}}"#);
///     serde_json::from_str(&text).expect("it is a draw")
/// };
/// let both = [draw(2.0), draw(4.0)];
/// assert_eq!(guarantee_of(&both, Guarantee::pure(1.0)?)?, Guarantee::pure(0.75)?); // 1/2 + 1/4
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn guarantee_of(noise: &[NoiseDraw], stated: Guarantee) -> Result<Guarantee> {
    const MOST: usize = 1_000_000;
    let refused = |reason: &str| Err(Error::NotPermitted { reason: reason.to_owned() });
    if noise.iter().any(|draw| draw.draws == 0) {
        return refused("a draw is listed that was made no time");
    }
    if noise.iter().try_fold(0_usize, |sum, draw| sum.checked_add(draw.draws)).is_none_or(|draws| draws > MOST) {
        return refused("it lists more than a million draws");
    }
    let not_pure = || Error::NotPermitted { reason: "one of its draws has no pure guarantee".to_owned() };
    let each = |of: &dyn Fn(&NoiseDraw) -> Result<Guarantee>| -> Result<Vec<Guarantee>> {
        let mut all = vec![];
        for draw in noise {
            all.extend(std::iter::repeat_n(of(draw)?, draw.draws));
        }
        Ok(all)
    };
    match stated.definition() {
        Definition::Pure { .. } => Ok(compose(&each(&|draw| draw.pure()?.ok_or_else(not_pure))?)?),
        Definition::Gaussian { .. } => Ok(compose(&each(&NoiseDraw::gaussian)?)?),
        Definition::Concentrated { .. } => Ok(compose(&each(&NoiseDraw::concentrated)?)?),
        Definition::Approximate { epsilon, delta } => {
            if keeps_in_shares(noise, epsilon, delta, false)? || keeps_in_shares(noise, epsilon, delta, true)? {
                return Ok(stated);
            }
            // draws of a bounded range by their μ, or by their pure ε
            let by = |is_normal: &dyn Fn(&NoiseDraw) -> bool| -> Result<Guarantee> {
                let native = each(&|draw| match draw.law == NoiseLaw::Gaussian || is_normal(draw) {
                    true => draw.gaussian(),
                    false => draw.pure()?.ok_or_else(not_pure),
                })?;
                Ok(compose_at(&native, delta)?)
            };
            let (by_mu, by_epsilon) = (by(&|draw| draw.range().is_some())?, by(&|_| false)?);
            Ok(if by_epsilon.implies(by_mu) { by_epsilon } else { by_mu })
        }
    }
}

/// Whether noise is `(ε, δ)` with equal fractions of `δ` for the Gaussian draws, and on request for those of Laplace
/// noise on vectors (user guide, N1). For the `ε` that the others leave, it uses the profile of a draw on a curved
/// space.
fn keeps_in_shares(noise: &[NoiseDraw], epsilon: f64, delta: f64, laplace: bool) -> Result<bool> {
    let is_vector = |draw: &NoiseDraw| laplace && draw.law == NoiseLaw::Laplace;
    let vector = |draw: &NoiseDraw| draw.vector().filter(|numbers| *numbers > 1 && is_vector(draw));
    let takes_delta = |draw: &&NoiseDraw| draw.law == NoiseLaw::Gaussian || vector(draw).is_some();
    let draws: usize = noise.iter().filter(takes_delta).map(|draw| draw.draws).sum();
    let (share, mut left, mut curved) = (delta / draws.max(1) as f64, epsilon, None);
    for draw in noise {
        let numbers = vector(draw);
        let own = match draw.law {
            NoiseLaw::Gaussian if draw.curved(Law::Gaussian)?.is_some() => {
                if draw.draws > 1 || curved.replace(draw).is_some() {
                    return Ok(false);
                }
                continue;
            }
            NoiseLaw::Gaussian => draw.gaussian()?.epsilon(share)?,
            NoiseLaw::Laplace
            | NoiseLaw::NuclearLaplace
            | NoiseLaw::Maximum
            | NoiseLaw::Gumbel
            | NoiseLaw::KNormGradient
            | NoiseLaw::PrivUnit => match (numbers, draw.pure()?.map(|pure| pure.definition())) {
                (Some(numbers), _) => {
                    flat_laplace_epsilon(numbers, draw.sensitivity, draw.scale, share * (1.0 + ROUNDING))?
                }
                (None, Some(Definition::Pure { epsilon })) => epsilon,
                (
                    None,
                    Some(
                        Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. },
                    )
                    | None,
                ) => return Ok(false),
            },
        };
        left -= draw.draws as f64 * own;
    }
    match curved {
        Some(draw) if left > 0.0 => Ok(draw.profile(Law::Gaussian)?.delta(left)? <= share * (1.0 + ROUNDING)),
        Some(_) => Ok(false),
        None => Ok(left >= -ROUNDING * epsilon),
    }
}

/// The guarantees that Laplace noise for a stated `(ε, δ)` also implies: pure ε, a `μ` and a `ρ`. None where some
/// other noise is drawn, and where the pure ε is the stated one.
pub(crate) fn also(noise: &[NoiseDraw], stated: Guarantee) -> Vec<Guarantee> {
    let Definition::Approximate { epsilon, .. } = stated.definition() else { return vec![] };
    let all = |of: &dyn Fn(&NoiseDraw) -> Option<Guarantee>| -> Option<Guarantee> {
        let each: Option<Vec<Guarantee>> = noise.iter().map(|draw| (draw.draws == 1).then(|| of(draw))?).collect();
        compose(&each?).ok()
    };
    let laplace = |draw: &NoiseDraw| draw.vector().filter(|_| draw.law == NoiseLaw::Laplace);
    let pure = all(&|draw| laplace(draw).and_then(|_| laplace_guarantee(draw.sensitivity, draw.scale).ok()));
    let Some((pure, Definition::Pure { epsilon: own })) = pure.map(|pure| (pure, pure.definition())) else {
        return vec![];
    };
    if own <= epsilon * (1.0 + ROUNDING) {
        return vec![];
    }
    let normal = all(&|draw| flat_laplace_guarantee(laplace(draw)?, draw.sensitivity, draw.scale).ok());
    let mean_loss = all(&|draw| flat_laplace_concentrated(laplace(draw)?, draw.sensitivity, draw.scale).ok());
    std::iter::once(pure).chain(normal).chain(mean_loss).collect()
}

/// The pure `ε` and the `ρ` of Laplace noise on vectors, which have proofs that rest on no integral (user guide, N3).
/// None where some other noise is drawn.
pub(crate) fn kept(noise: &[NoiseDraw]) -> Vec<Guarantee> {
    let is_of_vector = |draw: &NoiseDraw| draw.draws == 1 && draw.law == NoiseLaw::Laplace && draw.vector().is_some();
    if noise.is_empty() || !noise.iter().all(is_of_vector) {
        return vec![];
    }
    let together = |of: &dyn Fn(&NoiseDraw) -> Result<Guarantee>| -> Option<Guarantee> {
        compose(&noise.iter().map(of).collect::<Result<Vec<_>>>().ok()?).ok()
    };
    let pure = together(&|draw| Ok(laplace_guarantee(draw.sensitivity, draw.scale)?));
    pure.into_iter().chain(together(&NoiseDraw::concentrated)).collect()
}

/// Those of [`kept`] that an account may count instead of a stated pure ε or `(ε, δ)`, which does not imply them.
pub(crate) fn countable(noise: &[NoiseDraw], stated: Guarantee) -> Vec<Guarantee> {
    match stated.definition() {
        Definition::Pure { .. } | Definition::Approximate { .. } => {
            kept(noise).into_iter().filter(|other| !stated.implies(*other)).collect()
        }
        Definition::Gaussian { .. } | Definition::Concentrated { .. } => vec![],
    }
}

/// The privacy profile of stated noise, from laws, scales and sensitivities alone.
pub(crate) enum StatedProfile {
    /// One draw of Laplace noise on a vector.
    Vector { numbers: usize, scale: f64, sensitivity: f64 },
    /// One draw on a space of constant curvature.
    Curved { profile: Box<Profile>, largest_loss: f64 },
    /// Gaussian noise on vectors.
    Gaussian { guarantee: Guarantee, mu: f64 },
}

impl StatedProfile {
    /// `δ(ε)`.
    pub(crate) fn delta(&self, epsilon: f64) -> Result<f64> {
        Ok(match self {
            StatedProfile::Vector { numbers, scale, sensitivity } => {
                flat_laplace_delta(*numbers, *sensitivity, *scale, epsilon)?
            }
            StatedProfile::Curved { profile, .. } => profile.delta(epsilon)?,
            StatedProfile::Gaussian { guarantee, .. } => guarantee.delta(epsilon)?,
        })
    }

    /// A loss that is the largest, or that few releases exceed.
    pub(crate) fn largest_loss(&self) -> f64 {
        match self {
            StatedProfile::Vector { scale, sensitivity, .. } => sensitivity / scale,
            StatedProfile::Curved { largest_loss, .. } => *largest_loss,
            StatedProfile::Gaussian { mu, .. } => rare_loss(*mu),
        }
    }
}

/// The mean of a Gaussian loss and four of its standard deviations.
fn rare_loss(mu: f64) -> f64 {
    0.5 * mu * mu + 4.0 * mu
}

/// The profile of Gaussian noise on vectors, in any number of draws, or of one other draw with a profile that is known.
pub(crate) fn stated_profile(noise: &[NoiseDraw]) -> Option<StatedProfile> {
    let normal = |draw: &NoiseDraw| draw.law == NoiseLaw::Gaussian && draw.vector().is_some();
    if !noise.is_empty() && noise.iter().all(normal) {
        let of = |draw: &NoiseDraw| draw.sensitivity / draw.scale;
        let mu = noise.iter().map(|draw| of(draw).powi(2) * draw.draws as f64).sum::<f64>().sqrt();
        return Guarantee::gaussian(mu).ok().map(|guarantee| StatedProfile::Gaussian { guarantee, mu });
    }
    let [draw] = noise else { return None };
    let ratio = draw.sensitivity / draw.scale;
    let (law, largest_loss) = match draw.law {
        NoiseLaw::Laplace => (Law::Laplace, ratio),
        NoiseLaw::Gaussian => (Law::Gaussian, rare_loss(ratio)),
        NoiseLaw::NuclearLaplace
        | NoiseLaw::Maximum
        | NoiseLaw::Gumbel
        | NoiseLaw::KNormGradient
        | NoiseLaw::PrivUnit => return None,
    };
    match draw.vector().filter(|_| law == Law::Laplace && draw.draws == 1) {
        Some(numbers) => Some(StatedProfile::Vector { numbers, scale: draw.scale, sensitivity: draw.sensitivity }),
        None if draw.draws == 1 => {
            draw.profile(law).ok().map(|profile| StatedProfile::Curved { profile: Box::new(profile), largest_loss })
        }
        None => None,
    }
}

/// Whether a computed guarantee implies a stated one, except for rounding of the ninth digit.
pub(crate) fn keeps(found: Guarantee, stated: Guarantee) -> bool {
    let close = |found: f64, stated: f64| found <= stated * (1.0 + ROUNDING);
    match (found.definition(), stated.definition()) {
        (Definition::Pure { epsilon: found }, Definition::Pure { epsilon }) => close(found, epsilon),
        (Definition::Gaussian { mu: found }, Definition::Gaussian { mu }) => close(found, mu),
        (Definition::Concentrated { rho: found }, Definition::Concentrated { rho }) => close(found, rho),
        (Definition::Approximate { epsilon: found, delta: own }, Definition::Approximate { epsilon, delta }) => {
            close(found, epsilon) && close(own, delta)
        }
        (_, Definition::Approximate { epsilon, delta }) => {
            let own = || found.delta(epsilon * (1.0 + ROUNDING));
            found.implies(stated) || own().is_ok_and(|own| close(own, delta))
        }
        (_, Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. }) => {
            found.implies(stated)
        }
    }
}

/// Rejects noise that does not imply a guarantee, up to rounding in the ninth digit.
pub(crate) fn check_noise(noise: &[NoiseDraw], stated: Guarantee) -> Result<()> {
    let refused = |reason: String| Err(Error::NotPermitted { reason });
    if noise.is_empty() {
        return refused("it does not list its noise".to_owned());
    }
    let found = guarantee_of(noise, stated)?;
    if keeps(found, stated) { Ok(()) } else { refused(format!("its noise keeps {found}, and it states {stated}")) }
}
