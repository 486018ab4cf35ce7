//! What a release depends on, as one public value: it can be written down, run, repeated and checked.

mod ball;
mod clusters;
mod descent;
mod groups;
mod mechanism;
mod options;
mod quantiles;
mod score;
mod trust;

pub use ball::{BallAdvice, BallSpec, PublicBall, Radius};
pub use clusters::Clusters;
pub use descent::Descent;
pub use groups::GroupsSpec;
pub use mechanism::MechanismChoice;
pub use options::{Components, Denoise, NumericsPolicy, Spread};
pub use quantiles::Quantiles;
pub use score::{Metric, Score};
pub use trust::Trust;

use crate::Space;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::field::{FIELDS, Field};
use crate::manifold::Manifold;
use crate::privacy::{GaussianCalibration, Guarantee};
use crate::records::{PredictorRange, PrivacyUnit};
use crate::release::{Adjacency, MechanismName, StatisticName};
use crate::sensitivity::Bound;
use crate::statistics::BallUse;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The version of a specification's fields. Fields may be added to a version; none changes its meaning or goes.
pub const SPEC: u32 = 1;

/// Everything public that a release depends on, except the number of records and the version of the library.
///
/// A specification has no seed, no path and no column of a file, except the column that assigns records to
/// [`groups`](ReleaseSpec::groups). It serialises to one JSON object; a field that is absent has its default.
///
/// ```
/// use karcher::{Points, ReleaseContext, manifold::Sphere, mechanism::Plan, privacy::Guarantee, spec::ReleaseSpec};
/// let text = r#"{
///     "spec": 1, "statistic": "frechet-mean", "manifold": "sphere:2",
///     "ball": {"center": [0.0, 0.0, 1.0], "radius": 0.7},
///     "budget": {"definition": "pure", "epsilon": 1.0}
/// }"#;
/// let spec: ReleaseSpec = serde_json::from_str(text)?;
/// let records = Points::new(&Sphere::new(2)?, [0.6, 0.0, 0.8].repeat(100))?;
/// let release = spec.plan(records.len())?.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert_eq!(release.guarantee(), Guarantee::pure(1.0)?);
/// assert_eq!(release.spec(), Some(&spec));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseSpec {
    /// The version of these fields, [`SPEC`].
    pub spec: u32,
    /// The statistic.
    pub statistic: StatisticName,
    /// The space of the records; a count has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifold: Option<Space>,
    /// The public ball, or how to find one; a count has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<BallSpec>,
    /// The privacy budget.
    pub budget: Guarantee,
    /// Which data sets count as neighbours.
    #[serde(default)]
    pub adjacency: Adjacency,
    /// With [`Adjacency::AddRemove`] a public guess of the number of records. With groups each has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_guess: Option<usize>,
    /// The unit of privacy.
    #[serde(default)]
    pub unit: PrivacyUnit,
    /// The public list of groups, each with a release of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsSpec>,
    /// The mechanism, or `auto`.
    #[serde(default)]
    pub mechanism: MechanismChoice,
    /// Steps of an iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
    /// Calibration of Gaussian noise on flat spaces to `(ε, δ)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<GaussianCalibration>,
    /// Bound of the mean's sensitivity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Norm of the gradient at which the iteration for the mean stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Proofs that a mechanism chosen by `auto` may rest on.
    #[serde(default)]
    pub numerics: NumericsPolicy,
    /// Denoising of noise on a vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denoise: Option<Denoise>,
    /// Whether the records are known to lie in the ball, so that they are not clipped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assume_in_ball: bool,
    /// A public guess of the root mean square distance of the records from their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_spread: Option<f64>,
    /// The spread about a mean, released with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// The principal components about a mean, released with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<Components>,
    /// Features of a regression on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Features>,
    /// Public tangent vectors at the center of the ball, in whose span a regression on features is fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Vec<Vec<f64>>>,
    /// Clusters of a k-means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Clusters>,
    /// Steps of a descent on a user's loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descent: Option<Descent>,
    /// The metric of a score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Names of the candidates of a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// Levels and grid of quantiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Quantiles>,
    /// Range of a regression's predictor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor_range: Option<PredictorRange>,
    /// Bound of the distance that the geodesic of a regression goes over the range of the predictor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope_bound: Option<f64>,
    /// Length to which a regression's residuals are clipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_bound: Option<f64>,
    /// Probability of the region around a mean; 0.95 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<f64>,
    /// Who has to be honest, where sums are added up by parties who see none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
}

impl ReleaseSpec {
    /// A statistic within a budget, with every other field at its default.
    ///
    /// ```
    /// use karcher::{privacy::Guarantee, release::StatisticName, spec::ReleaseSpec};
    /// let spec = ReleaseSpec::new(StatisticName::Count, Guarantee::pure(0.5)?);
    /// assert_eq!(spec.count_plan()?.scale(), 2.0);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(statistic: StatisticName, budget: Guarantee) -> Self {
        Self {
            spec: SPEC,
            statistic,
            manifold: None,
            ball: None,
            budget,
            adjacency: statistic.description().adjacency,
            n_guess: None,
            unit: PrivacyUnit::Record,
            groups: None,
            mechanism: MechanismChoice::Auto,
            steps: None,
            calibration: None,
            bound: None,
            tolerance: None,
            numerics: NumericsPolicy::Exact,
            denoise: None,
            assume_in_ball: false,
            expected_spread: None,
            spread: None,
            components: None,
            features: None,
            basis: None,
            clusters: None,
            descent: None,
            score: None,
            candidates: None,
            quantiles: None,
            predictor_range: None,
            slope_bound: None,
            residual_bound: None,
            region: None,
            trust: None,
        }
    }

    /// The budget of at most one definition.
    ///
    /// # Errors
    /// [`Error::Field`] for none, for several, and for a `δ` alone; those of [`Guarantee`] for numbers out of range.
    ///
    /// ```
    /// use karcher::{privacy::Guarantee, spec::ReleaseSpec};
    /// assert_eq!(ReleaseSpec::budget_of(Some(1.0), None, None, None)?, Guarantee::pure(1.0)?);
    /// let both = ReleaseSpec::budget_of(Some(1.0), None, Some(0.5), None).unwrap_err();
    /// assert_eq!(both.parameter(), Some("budget"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn budget_of(epsilon: Option<f64>, delta: Option<f64>, mu: Option<f64>, rho: Option<f64>) -> Result<Guarantee> {
        Ok(match (epsilon, delta, mu, rho) {
            (Some(epsilon), None, None, None) => Guarantee::pure(epsilon)?,
            (Some(epsilon), Some(delta), None, None) => Guarantee::approximate(epsilon, delta)?,
            (None, None, Some(mu), None) => Guarantee::gaussian(mu)?,
            (None, None, None, Some(rho)) => Guarantee::concentrated(rho)?,
            (None, None, None, None) => {
                return Err(field("budget", "is missing: give `epsilon`, `epsilon` with `delta`, `mu` or `rho`"));
            }
            (None, Some(_), _, _) => {
                return Err(field("delta", "belongs to `epsilon`: a δ alone is no budget; give both"));
            }
            _ => {
                return Err(field(
                    "budget",
                    "is given more than once: keep one of `epsilon` (with `delta`), `mu` and `rho`",
                ));
            }
        })
    }

    /// The space of the records. For a score and a choice it is that of rows, as `euclidean:4`, and has no field.
    ///
    /// # Errors
    /// [`Error::Field`] where none is named, [`Error::Geometry`] for a name that is not known.
    pub fn manifold(&self) -> Result<Arc<dyn Manifold>> {
        match &self.manifold {
            Some(space) => Ok(space.manifold()?),
            None if self.score.is_some() || self.candidates.is_some() => {
                Ok(Arc::clone((self.statistic.description().of)(self)?.manifold()))
            }
            None => Err(field("manifold", "is missing: name the space of the records, such as sphere:2")),
        }
    }

    /// The place in the JSON of a parameter that an [error](Error::parameter) names, if it is a field.
    ///
    /// ```
    /// use karcher::{privacy::Guarantee, release::StatisticName, spec::ReleaseSpec};
    /// let spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(0.5)?);
    /// assert_eq!(spec.place_of("radius").as_deref(), Some("ball.radius"));
    /// assert_eq!((spec.place_of("steps").as_deref(), spec.place_of("number_of_records")), (Some("steps"), None));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn place_of(&self, parameter: &str) -> Option<String> {
        Some(match parameter {
            "radius" | "clip" if self.locates() => "ball.within".to_owned(),
            "clip" if self.descent.is_none() => "ball.radius".to_owned(),
            name => Field::named(name)?.path.to_owned(),
        })
    }

    /// Whether a part of the budget locates the ball.
    pub fn locates(&self) -> bool {
        matches!(self.ball, Some(BallSpec::Locate { .. }))
    }

    /// Checks that the fields go together. Every plan begins with it.
    ///
    /// # Errors
    /// [`Error::Field`] and [`Error::Inapplicable`], which name the field.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, privacy::Guarantee, release::{Adjacency, StatisticName}};
    /// use karcher::{manifold::Manifold, spec::ReleaseSpec};
    /// let line = Euclidean::new(1)?;
    /// let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(1.0)?);
    /// spec.manifold = Some(line.space().clone());
    /// spec.ball = Some((&Ball::at_origin(&line, 1.0)?).into());
    /// spec.check()?;
    /// spec.adjacency = Adjacency::AddRemove;
    /// assert_eq!(spec.check().unwrap_err().parameter(), Some("n_guess"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        if self.spec != SPEC {
            return Err(field("spec", format!("is of version {}: this library reads version {SPEC}", self.spec)));
        }
        if self.statistic == StatisticName::Record {
            return Err(field("statistic", "a record is randomized at home (karcher randomize), not released here"));
        }
        self.check_number()?;
        self.check_options()?;
        if let Some(region) = self.region
            && !(region > 0.0 && region < 1.0)
        {
            let requirement = "it must be strictly between 0 and 1".to_owned();
            return Err(Error::InvalidParameter { name: "region", value: region, requirement });
        }
        match (self.statistic, self.statistic.description().ball) {
            (StatisticName::Count, _) => self.check_count(),
            (_, BallUse::None) => self.mechanism.check(&*self.manifold()?),
            (_, BallUse::Clips | BallUse::Outer | BallUse::Searched | BallUse::ClipsGradients) => self.check_ball(),
        }
    }

    /// Makes the mean that this specification asks for an extrinsic one where it needs no ball, and says whether it is
    /// one: where its mechanism is named, or where no ball is given and the space has an embedding.
    ///
    /// # Errors
    /// [`Error::Field`] for a ball together with the mechanism `extrinsic`, and without a ball for an option that needs
    /// one.
    ///
    /// ```
    /// use karcher::{manifold::{Manifold, Sphere}, privacy::Guarantee, release::StatisticName};
    /// use karcher::spec::{PublicBall, ReleaseSpec};
    /// let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(1.0)?);
    /// spec.manifold = Some(Sphere::new(2)?.space().clone());
    /// let ball = PublicBall { radius: Some(0.5.into()), ..PublicBall::default() };
    /// assert!(!spec.clone().take_no_ball(&ball)?);
    /// assert!(spec.take_no_ball(&PublicBall::default())? && spec.statistic == StatisticName::ExtrinsicMean);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn take_no_ball(&mut self, ball: &PublicBall) -> Result<bool> {
        let is_named = self.mechanism.name() == Some(MechanismName::Extrinsic);
        if self.statistic != StatisticName::FrechetMean || !(is_named || self.mechanism == MechanismChoice::Auto) {
            return Ok(self.statistic == StatisticName::ExtrinsicMean);
        }
        let extrinsic = Self { statistic: StatisticName::ExtrinsicMean, ..self.clone() };
        let has_ball = *ball != PublicBall::default();
        if is_named && has_ball {
            return Err(field("ball", "does not go with the mechanism extrinsic, which takes no ball: leave it out"));
        }
        let is_taken = is_named || !has_ball && self.manifold()?.embedding().is_some();
        if is_taken {
            match extrinsic.check_options() {
                Err(Error::Inapplicable { parameter, .. }) if !is_named => {
                    let reason = format!(
                        "is missing: `{parameter}` needs a ball; give a radius, or leave `{parameter}` out for the \
                         extrinsic mean"
                    );
                    return Err(field("radius", reason));
                }
                _ => *self = extrinsic,
            }
        }
        Ok(is_taken)
    }

    /// Refuses a guess without a confidential number, and a confidential number without a guess.
    fn check_number(&self) -> Result<()> {
        let guess_of = |what| {
            let reason = "is confidential with `adjacency` add-remove; give a public guess of it";
            field("n_guess", format!("is missing: the number of {what} {reason}"))
        };
        let persons = self.unit == PrivacyUnit::Person && self.statistic != StatisticName::Count;
        if persons && self.adjacency == Adjacency::AddRemove && self.groups.is_none() {
            return Err(field("unit", "there is no proof for persons with `adjacency` add-remove: take replace-one"));
        }
        match (self.adjacency, self.n_guess, &self.groups) {
            (Adjacency::ReplaceOne, Some(_), _) => {
                Err(field("n_guess", "belongs to `adjacency` add-remove: without it the number of records is public"))
            }
            (Adjacency::ReplaceOne, None, Some(_)) => {
                Err(field("adjacency", "which group a record is in is confidential: give add-remove, with `n_guess`"))
            }
            (Adjacency::AddRemove, Some(_), Some(_)) => {
                Err(field("n_guess", "with `groups` each group has its own guess: leave this one out"))
            }
            (Adjacency::AddRemove, None, None) if self.statistic != StatisticName::Count => Err(guess_of("records")),
            (Adjacency::AddRemove, None, Some(groups)) => {
                groups.check()?;
                if self.unit == PrivacyUnit::Person {
                    return Err(field(
                        "unit",
                        "a person may be in several of the `groups`: there is no proof for that",
                    ));
                }
                Ok(())
            }
            (Adjacency::ReplaceOne, None, None) | (Adjacency::AddRemove, Some(_) | None, None) => Ok(()),
        }
    }

    /// Refuses fields of other statistics, and a specification that lacks one of its own.
    fn check_options(&self) -> Result<()> {
        let mechanism = || self.statistic.with_article();
        for field in FIELDS.iter().filter(|field| field.parent().is_none() && field.is_given(self)) {
            if !field.is_of(self.statistic) {
                let (parameter, takers) = (field.path, field.takers());
                return Err(Error::Inapplicable { parameter, mechanism: mechanism(), takers });
            }
        }
        if self.trust.is_some() {
            let apart = [
                ("spread", self.spread.is_some()),
                ("components", self.components.is_some()),
                ("ball", self.locates()),
            ];
            if let Some((name, _)) = apart.into_iter().find(|(_, given)| *given) {
                return Err(field(
                    name,
                    "does not go with `trust`: aggregators add up for one statistic in a public ball",
                ));
            }
            if self.clusters.as_ref().is_some_and(|clusters| clusters.cost) {
                return Err(field("clusters", "has a `cost`, which does not go with `trust`: leave it out"));
            }
        }
        let of_this = FIELDS.iter().filter(|field| field.parent().is_none() && field.is_of(self.statistic));
        match of_this.filter(|field| field.is_required).find(|field| !field.is_given(self)) {
            Some(missing) => {
                Err(field(missing.path, format!("is missing: {} needs it: {}", mechanism(), missing.content)))
            }
            None if self.statistic == StatisticName::Minimizer && self.trust.is_some() => {
                Err(field("trust", "does not go with a minimizer, whose gradient is a function of one program"))
            }
            None => Ok(()),
        }
    }

    /// Refuses neighbours that a count has not.
    fn check_count(&self) -> Result<()> {
        match (self.adjacency, self.unit) {
            (Adjacency::AddRemove, PrivacyUnit::Record) => Ok(()),
            (Adjacency::AddRemove, PrivacyUnit::Person) => Err(field("unit", "records are counted, not persons")),
            (Adjacency::ReplaceOne, _) => {
                Err(field("adjacency", "the number of records is public with replace-one: a count takes add-remove"))
            }
        }
    }

    /// Refuses a ball of another space, and fields that contradict how the ball is found.
    fn check_ball(&self) -> Result<()> {
        let manifold = self.manifold()?;
        self.mechanism.check(&*manifold)?;
        let Some(ball) = &self.ball else { return Err(field("ball", "is missing: give a center and a radius")) };
        ball.public(manifold.space())?;
        if matches!(ball, BallSpec::Factors { .. })
            && (self.statistic != StatisticName::FrechetMean || self.spread.is_some())
        {
            return Err(field(
                "radius",
                "a radius for each factor goes with a mean, without `spread`: give one radius",
            ));
        }
        let is_located = matches!(ball, BallSpec::Locate { .. });
        match (self.statistic, is_located) {
            (StatisticName::Ball, false) => {
                return Err(field("ball", "a ball is located within a public outer ball: give `within`"));
            }
            (StatisticName::Ball, true) | (_, false) => return Ok(()),
            (StatisticName::FrechetMean, true) => (),
            (StatisticName::GeometricMedian, true) => {
                return Err(field("ball", "a median needs no small ball: give `radius`, however large"));
            }
            (other, true) => return Err(field("ball", format!("none is located for a {other}: give `radius`"))),
        }
        let conflicts = [
            ("groups", self.groups.is_some(), "no ball is located for groups"),
            ("adjacency", self.adjacency == Adjacency::AddRemove, "there is no proof for add-remove"),
            ("assume_in_ball", self.assume_in_ball, "a located ball need not hold all records"),
            ("expected_spread", self.expected_spread.is_some(), "locating a ball does not use it"),
            ("mechanism", self.mechanism == MechanismName::TwoStage.into(), "two-stage locates a ball by itself"),
        ];
        match conflicts.into_iter().find(|(_, given, _)| *given) {
            Some((name, _, why)) => Err(field(name, format!("does not go with `ball` auto: {why}; give `radius`"))),
            None => Ok(()),
        }
    }
}

/// The error of a field.
pub(crate) fn field(name: &'static str, reason: impl Into<String>) -> Error {
    Error::Field { name, reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Sphere;

    fn mean() -> ReleaseSpec {
        let sphere = Sphere::new(2).unwrap();
        let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(1.0).unwrap());
        spec.manifold = Some(sphere.space().clone());
        spec.ball = Some((&crate::Ball::at_origin(&sphere, 0.5).unwrap()).into());
        spec
    }

    /// What an edit of a valid specification is refused for.
    fn refused(edit: impl Fn(&mut ReleaseSpec)) -> Option<&'static str> {
        let mut spec = mean();
        spec.check().unwrap();
        edit(&mut spec);
        spec.check().unwrap_err().parameter()
    }

    #[test]
    fn an_error_names_the_field() {
        let within = || Some(BallSpec::Locate { center: vec![0.0, 0.0, 1.0], within: 3.2, quantile: None });
        assert_eq!(refused(|s| s.spec = 7), Some("spec"));
        assert_eq!(refused(|s| s.manifold = None), Some("manifold"));
        assert_eq!(refused(|s| s.ball = None), Some("ball"));
        let mut extrinsic = ReleaseSpec { statistic: StatisticName::ExtrinsicMean, ball: None, ..mean() };
        extrinsic.check().unwrap();
        extrinsic.denoise = Some(Denoise::None);
        let sentence = "denoise does not go with an extrinsic-mean; it belongs to a frechet-mean";
        assert_eq!(extrinsic.check().unwrap_err().to_string(), sentence);
        assert_eq!(refused(|s| s.n_guess = Some(3)), Some("n_guess"));
        assert_eq!(refused(|s| s.adjacency = Adjacency::AddRemove), Some("n_guess"));
        assert_eq!(refused(|s| s.region = Some(1.0)), Some("region"));
        assert_eq!(refused(|s| s.slope_bound = Some(1.0)), Some("slope_bound"));
        assert_eq!(refused(|s| s.statistic = StatisticName::Ball), Some("ball"));
        assert_eq!(refused(|s| s.statistic = StatisticName::Count), Some("manifold"));
        assert_eq!(refused(|s| s.statistic = StatisticName::GeodesicRegression), Some("predictor_range"));
        assert_eq!(refused(|s| s.mechanism = MechanismChoice::TangentGaussian), Some("mechanism"));
        assert_eq!(refused(|s| (s.ball, s.assume_in_ball) = (within(), true)), Some("assume_in_ball"));
        assert_eq!(refused(|s| (s.ball, s.expected_spread) = (within(), Some(1.0))), Some("expected_spread"));
        assert_eq!(refused(|s| (s.ball, s.statistic) = (within(), StatisticName::GeometricMedian)), Some("ball"));
        assert_eq!(
            refused(|s| {
                s.groups = Some(GroupsSpec { by: "sex".into(), names: vec!["F".into()], n_guess: vec![9] });
            }),
            Some("adjacency")
        );
    }

    #[test]
    fn a_specification_reads_back_what_it_writes() {
        let mut spec = mean();
        spec.spread = Some(Spread { clip: Some(0.1 + 0.2) });
        spec.mechanism = MechanismName::Chart.into();
        spec.numerics = NumericsPolicy::Any;
        spec.denoise = Some(Denoise::None);
        spec.bound = Some(Bound::Sharp);
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<ReleaseSpec>(&text).unwrap(), spec);
        let more = text.replacen("\"epsilon\"", "\"mu\":1.0,\"epsilon\"", 1);
        assert!(serde_json::from_str::<ReleaseSpec>(&more).unwrap_err().to_string().contains("unknown field `mu`"));
        let unknown = text.replacen("\"spread\"", "\"spreads\"", 1);
        assert!(serde_json::from_str::<ReleaseSpec>(&unknown).unwrap_err().to_string().contains("spreads"));
    }
}
