//! Mechanisms: private releases of a statistic of confidential records. A [`Request`] states the statistic and the
//! budget. Each [`Mechanism`] of the list [`MECHANISMS`] plans it from public quantities alone. A [`Plan`] runs on
//! records, in a [`ReleaseContext`](crate::ReleaseContext).
//!
//! ```
//! use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
//! use std::sync::Arc;
//! let sphere = Arc::new(Sphere::new(2)?);
//! let records = Points::new(&*sphere, [0.6, 0.0, 0.8].repeat(100))?;
//! let ball = Ball::new(&*sphere, vec![0.0, 0.0, 1.0], 0.7)?; // public: chosen without looking at the records
//! let mean = PrivateFrechetMean::new(sphere, ball)?;
//! let plan = Request::new(mean, records.len(), Guarantee::pure(1.0)?).plan()?; // spends nothing
//! let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
//! println!("{:?} by {}, off by {} on average", release.value(), plan.name(), plan.expected_distance());
//! # Ok::<(), karcher::Error>(())
//! ```

pub(crate) mod components;
pub(crate) mod noise;
pub(crate) mod plan;

pub use noise::Noise;
pub(crate) use noise::denoise::Denoiser;
pub use noise::denoise::{Denoising, Gain};
pub use plan::candidates::{Candidate, best};
pub use plan::forecast::{ErrorForecast, Rehearsal, RehearsedBall};
pub use plan::request::Request;
pub use plan::sample_size::{ExpectedError, fewest_records, least_epsilon};
pub(crate) use plan::summary::{REACH_UNBENT, steepness};
pub use plan::{Neighbour, Plan, PlanSummary, Round, RoundState, Rounds};

pub use crate::spec::{Components, Denoise, NumericsPolicy, Spread};
pub use crate::statistics::Statistic;
pub use crate::statistics::ball::LocationBudget;
pub use crate::statistics::ball::locate::{Locate, LocateBall};
pub use crate::statistics::ball::located_mean::LocatedMean;
pub use crate::statistics::ball::two_stage::{TwoStage, TwoStageMean};
pub use crate::statistics::count::CountPlan;
pub use crate::statistics::extrinsic_mean::{Extrinsic, ExtrinsicMeanPlan};
pub(crate) use crate::statistics::feature_regression::DRAWS_OF_TESTS;
pub use crate::statistics::feature_regression::{Estimate, FeatureModel, FeatureRegressionPlan};
pub(crate) use crate::statistics::frechet_mean::add_remove::divisor as add_remove_divisor;
pub use crate::statistics::frechet_mean::chart::{Chart, ChartMean};
pub use crate::statistics::frechet_mean::flow::{Flow, KarcherFlow};
pub use crate::statistics::frechet_mean::gaussian::Gaussian;
pub use crate::statistics::frechet_mean::kng::{KNormGradient, Kng};
pub use crate::statistics::frechet_mean::laplace::Laplace;
pub use crate::statistics::frechet_mean::noisy::NoisyMean;
pub use crate::statistics::geodesic_regression::{
    GradientDescent, KngRegression, Linear, LinearRegression, RegressionDescent,
};
pub use crate::statistics::geometric_median::flow::{FlowToMedian, MedianFlow};
pub use crate::statistics::k_means::plan::Lloyd;
pub use crate::statistics::minimizer::plan::RiemannianDescent;
pub use crate::statistics::quantiles::plan::NoisyDistribution;
pub use crate::statistics::record::collect::collect;
pub use crate::statistics::record::{PrivUnit, Randomizer};
pub use crate::statistics::requests::*;
pub use crate::statistics::score::plan::Table;
pub use crate::statistics::selection::plan::NoisyChoice;

use crate::error::{Error, GeometryError, Result};
use crate::release::{Adjacency, MechanismName, StatisticName};
use std::fmt::Debug;
use std::sync::LazyLock;

/// The largest number of records that a release is planned for: a million times a thousand million, which doubles
/// represent exactly.
const MOST_RECORDS: usize = 1_000_000_000_000_000;

/// Rejects more records, before anything is drawn or reserved.
pub(crate) fn check_number(n: usize) -> Result<()> {
    if n <= MOST_RECORDS {
        return Ok(());
    }
    let requirement = "a release is planned for at most 10^15 of them; more have to be released in parts".to_owned();
    Err(Error::InvalidParameter { name: "number_of_records", value: n as f64, requirement })
}

/// Rejects a plan for no records.
pub(crate) fn check_some(n: usize) -> Result<()> {
    if n == 0 { Err(GeometryError::NoRecords.into()) } else { Ok(()) }
}

/// A way to release a statistic.
///
/// Each has one file with its proof, its planning and the run of its plan.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{Laplace, Mechanism, PrivateFrechetMean, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Laplace.plan(&Request::new(mean, 1_000, Guarantee::pure(0.5)?))?;
/// assert!((plan.scale() / (2.0 / 1_000.0 / 0.5) - 1.0).abs() < 1e-6); // Δ/ε with Δ = 2r/n
/// # Ok::<(), karcher::Error>(())
/// ```
pub trait Mechanism: Debug + Sync {
    /// Its name.
    fn name(&self) -> MechanismName;

    /// A description in a sentence for help texts.
    fn about(&self) -> &'static str;

    /// The statistics that it releases: those whose [descriptions](crate::statistics::Description) name it.
    fn statistics(&self) -> &'static [StatisticName] {
        released_by(self.name())
    }

    /// The optional parameters of a [`Request`] that it takes: by default none.
    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Decides everything that does not need the records.
    ///
    /// # Errors
    /// The reason for which it does not apply. Public: it depends on the request alone.
    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>>;

    /// The same for data sets that differ in one record added or removed, whose number is confidential; the request has
    /// a guess of it.
    ///
    /// # Errors
    /// The reason for which it does not apply; by default, that there is no proof.
    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Err(no_add_remove(self.name(), request))
    }

    /// Whether all plans for the request are [about real numbers](crate::release::Numerics), which is known before one
    /// is made. False where it is not known.
    ///
    /// ```
    /// use karcher::{Ball, manifold::{Euclidean, Manifold, Sphere}, mechanism::{Laplace, Mechanism, PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let is_idealized = |space: Arc<dyn Manifold>| {
    ///     let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 0.5)?)?;
    ///     Ok::<_, karcher::Error>(Laplace.is_idealized(&Request::new(mean, 100, Guarantee::pure(1.0)?)))
    /// };
    /// assert!(is_idealized(Arc::new(Sphere::new(2)?))? && !is_idealized(Arc::new(Euclidean::new(2)?))?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn is_idealized(&self, request: &Request) -> bool {
        let _ = request;
        false
    }
}

/// Whether a mean of so many records is asked for on a curved space: noise around it is drawn in floating point.
pub(crate) fn is_curved_mean(request: &Request) -> bool {
    let statistic = request.statistic();
    let is_curved_mean = statistic.name() == StatisticName::FrechetMean && statistic.manifold().flat_chart().is_none();
    is_curved_mean && request.asked_adjacency() == Adjacency::ReplaceOne
}

/// The error of a mechanism whose proof is for a public number of records.
pub(crate) fn no_add_remove(mechanism: MechanismName, request: &Request) -> Error {
    let takers = request.statistic().name().description().instead_of_add_remove;
    let reason = format!("there is no proof for add-remove neighbours; {takers} (replace-one)");
    let space = request.statistic().manifold().space().clone();
    Error::Unsupported { mechanism: mechanism.name(), space, reason }
}

/// The mechanisms of the registry, in a list and by name.
macro_rules! listed {
    ($($(#[$about:meta])* $variant:ident $name:literal $planner:ident;)*) => {
        /// Every mechanism, in the order of lists.
        ///
        /// ```
        /// use karcher::{mechanism::MECHANISMS, release::MechanismName};
        /// assert_eq!(MECHANISMS.map(|mechanism| mechanism.name()).len(), MechanismName::ALL.len());
        /// for mechanism in MECHANISMS {
        ///     assert!(!mechanism.statistics().is_empty() && !mechanism.about().is_empty());
        /// }
        /// ```
        pub const MECHANISMS: [&dyn Mechanism; MechanismName::ALL.len()] = [$(&$planner),*];

        /// The mechanism with this name.
        ///
        /// ```
        /// use karcher::{mechanism::mechanism, release::{MechanismName, StatisticName}};
        /// assert_eq!(mechanism(MechanismName::Kng).name(), MechanismName::Kng);
        /// assert_eq!(mechanism(MechanismName::Chart).statistics(), [StatisticName::FrechetMean]);
        /// ```
        pub fn mechanism(name: MechanismName) -> &'static dyn Mechanism {
            match name {
                $(MechanismName::$variant => &$planner,)*
            }
        }
    };
}
crate::registry::mechanisms!(listed);

/// Reason for which a plan with inexact draws is not taken unless you ask for it.
pub(crate) const BY_CHAIN: &str = "it draws by a Markov chain, so that the guarantee is approximate";

/// The statistics whose descriptions name a mechanism.
fn released_by(name: MechanismName) -> &'static [StatisticName] {
    static STATISTICS: LazyLock<Vec<Vec<StatisticName>>> = LazyLock::new(|| {
        let name_it = |mechanism| {
            StatisticName::ALL.into_iter().filter(move |of| of.description().mechanisms.contains(&mechanism)).collect()
        };
        MechanismName::ALL.into_iter().map(name_it).collect()
    });
    &STATISTICS[name as usize]
}

/// The mechanisms that release a statistic, in the order in which they are compared.
///
/// ```
/// use karcher::{mechanism::mechanisms_for, release::StatisticName};
/// let names: Vec<_> = mechanisms_for(StatisticName::FrechetMean).map(|m| m.name().name()).collect();
/// assert!(names.contains(&"chart") && !names.contains(&"locate"));
/// ```
pub fn mechanisms_for(statistic: StatisticName) -> impl Iterator<Item = &'static dyn Mechanism> {
    statistic.description().mechanisms.iter().map(|name| mechanism(*name))
}
