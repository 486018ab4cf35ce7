//! Options of a specification that are small types of their own.

use crate::release::Numerics;
use serde::{Deserialize, Serialize};

/// Proofs that a plan may rest on unless you name its mechanism.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{NumericsPolicy, PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher::release::Numerics;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 1.2)?)?;
/// let request = Request::new(mean, 50, Guarantee::pure(1.0)?);
/// assert_eq!(request.plan()?.numerics(), Numerics::Exact);
/// let any = request.clone().numerics(NumericsPolicy::Any).plan()?;
/// assert!(any.error_bound() <= request.plan()?.error_bound()); // there is more to choose from
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumericsPolicy {
    /// `exact`: only proofs about the released bits.
    #[default]
    Exact,
    /// `any`: also proofs about real numbers, whose release is the image of a computation in floating point.
    Any,
}

impl NumericsPolicy {
    /// Both.
    pub const ALL: [NumericsPolicy; 2] = [NumericsPolicy::Exact, NumericsPolicy::Any];

    /// The one of a name.
    ///
    /// ```
    /// use karcher::mechanism::NumericsPolicy;
    /// assert_eq!((NumericsPolicy::named("any"), NumericsPolicy::named("all")), (Some(NumericsPolicy::Any), None));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        NumericsPolicy::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            NumericsPolicy::Exact => "exact",
            NumericsPolicy::Any => "any",
        }
    }

    /// The weakest numerics of a plan that is chosen under it.
    ///
    /// ```
    /// use karcher::{mechanism::NumericsPolicy, release::Numerics};
    /// assert_eq!(NumericsPolicy::ALL.map(NumericsPolicy::weakest), [Numerics::Exact, Numerics::Idealized]);
    /// ```
    pub fn weakest(self) -> Numerics {
        match self {
            NumericsPolicy::Exact => Numerics::Exact,
            NumericsPolicy::Any => Numerics::Idealized,
        }
    }
}

/// What becomes of noise on a vector after it was drawn.
///
/// ```
/// use karcher::mechanism::Denoise;
/// assert_eq!(Denoise::named("none"), Some(Denoise::None));
/// assert!(Denoise::ALL.iter().all(|denoise| Denoise::named(denoise.name()) == Some(*denoise)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Denoise {
    /// `shrink`: the noisy value is shrunk towards the center of the ball (James and Stein) and projected onto the
    /// ball: on average nearer to the true one, for every true one, and free.
    Shrink,
    /// `none`: it stays as it is.
    None,
}

impl Denoise {
    /// Both.
    pub const ALL: [Denoise; 2] = [Denoise::Shrink, Denoise::None];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Denoise::Shrink => "shrink",
            Denoise::None => "none",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Denoise::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// Options for the spread, a companion statistic of a mean.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request, Spread}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let request = Request::new(mean, 1_000, Guarantee::pure(1.0)?);
/// let plan = request.clone().spread(Some(Spread::default())).plan()?;
/// assert_eq!(plan.guarantee(), Guarantee::pure(1.0)?); // of all three numbers together
/// assert!((plan.scale() / request.plan()?.scale() - 1.0 / 0.75).abs() < 1e-6); // the mean has three quarters of it
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// `c`, the public bound at which distances are cut off. By default it is twice the radius of the ball. So no
    /// record of the ball is cut off, wherever the released mean is in the ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
}

/// Options for principal components, companion statistics of a mean.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{Components, PrivateFrechetMean, Request}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let request = Request::new(mean, 1_000, Guarantee::pure(1.0)?);
/// let plan = request.clone().components(Some(Components::default())).plan()?;
/// assert!((plan.scale() / request.plan()?.scale() - 2.0).abs() < 1e-6); // the mean has half of the budget
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Components {
    /// `c`, to which logarithms at the released mean are shortened: public. By default the radius of the ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
}
