//! The plan of a specification, whose releases carry it.

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::{CurvatureBounds, Manifold};
use crate::mechanism::plan::aggregated::Aggregated;
use crate::mechanism::plan::rounds;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    Candidate, CountPlan, LocatedMean, Plan, PlanSummary, PrivateDescent, PrivateExtrinsicMean, Request, Round,
    RoundState, Rounds, Statistic, best,
};
use crate::records::{Records, SumQuery};
use crate::release::{MechanismName, OpenRelease, PublishedRelease, Release, StatisticName};
use crate::spec::{MechanismChoice, NumericsPolicy, ReleaseSpec, Trust, field};
use std::sync::Arc;

/// Largest power of two that is tried as the number of records where that is not known.
const LARGEST_TRIAL: u32 = 20;

/// A plan with the specification that asked for it.
#[derive(Debug)]
struct Specified {
    plan: Box<dyn Plan>,
    spec: ReleaseSpec,
}

impl ReleaseSpec {
    /// The public ball: the known one, the outer one in which a ball is sought, or the whole space for an extrinsic
    /// mean.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) where there is none.
    pub fn public_ball(&self) -> Result<Ball> {
        let manifold = self.manifold()?;
        match &self.ball {
            Some(ball) => ball.public(manifold.space()),
            None if self.statistic == StatisticName::ExtrinsicMean => {
                Ok(PrivateExtrinsicMean::new(manifold)?.ball().clone())
            }
            None if self.score.is_some() || self.candidates.is_some() => {
                Ok((self.statistic.description().of)(self)?.ball().clone())
            }
            None => Err(field("ball", "is missing: give a center and a radius")),
        }
    }

    /// The space of the records: that of the value, of responses with their features, or of a descent's own.
    ///
    /// # Errors
    /// As for [`manifold`](ReleaseSpec::manifold) and [`on_features`](ReleaseSpec::on_features).
    ///
    /// ```
    /// use karcher::ReleaseSpec;
    /// let spec: ReleaseSpec = serde_json::from_str(
    ///     r#"{"spec": 1, "statistic": "feature-regression", "manifold": "euclidean:1", "budget": {"definition": "pure",
    ///         "epsilon": 1.0}, "ball": {"center": [0.0], "radius": 1.0}, "features": ["levels:sex:F,M"]}"#,
    /// )?;
    /// assert_eq!(spec.space_of_records()?.space().as_str(), "euclidean:1*euclidean:4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn space_of_records(&self) -> Result<Arc<dyn Manifold>> {
        match (&self.features, &self.descent) {
            (Some(_), _) => Ok(Arc::clone(self.on_features()?.records())),
            (_, Some(descent)) => Ok(descent.records.manifold()?),
            _ => self.manifold(),
        }
    }

    /// The public ball of the records, in which those of one person are averaged.
    ///
    /// # Errors
    /// As for [`public_ball`](ReleaseSpec::public_ball) and [`on_features`](ReleaseSpec::on_features).
    pub fn ball_of_records(&self) -> Result<Ball> {
        match (&self.features, &self.descent) {
            (Some(_), _) => Ok(self.on_features()?.ball_of_records().clone()),
            (_, Some(descent)) => Ok(Ball::at_origin(&*descent.records.manifold()?, 1.0)?),
            _ => self.public_ball(),
        }
    }

    /// What the mechanism will ask of the records first, where that is known: records on a stream answer it while they
    /// are counted.
    ///
    /// # Errors
    /// As for [`check`](ReleaseSpec::check).
    pub fn first_queries(&self) -> Result<Vec<SumQuery>> {
        self.check()?;
        Ok((self.statistic.description().first_query)(self)?.into_iter().collect())
    }

    /// The title of a picture or a page of its plans.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) without a space.
    ///
    /// ```
    /// let mean = karcher::release::StatisticName::FrechetMean.description();
    /// let spec: karcher::ReleaseSpec = serde_json::from_str(mean.example)?;
    /// assert_eq!(spec.title_of_plans()?, "Planned Fréchet mean on euclidean:2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn title_of_plans(&self) -> Result<String> {
        let with = match (&self.spread, &self.components) {
            (None, None) => "",
            (Some(_), None) => " with its spread",
            (None, Some(_)) => " with its components",
            (Some(_), Some(_)) => " with its spread and its components",
        };
        Ok(format!("Planned {}{with} on {}", self.statistic.description().noun, self.manifold()?.space()))
    }

    /// Whether a release of `n` records asks them for so few sums that they may be converted anew for each of them: for
    /// one, or for several on a flat space. It touches no records.
    ///
    /// # Errors
    /// As for [`plan`](ReleaseSpec::plan).
    ///
    /// ```
    /// use karcher::release::StatisticName::{FrechetVariance, GeometricMedian};
    /// let asks_few = |statistic: karcher::release::StatisticName| -> Result<bool, Box<dyn std::error::Error>> {
    ///     let spec: karcher::ReleaseSpec = serde_json::from_str(statistic.description().example)?;
    ///     Ok(spec.asks_few_sums(1_000)?)
    /// };
    /// assert!(asks_few(FrechetVariance)? && !asks_few(GeometricMedian)?); // one sum, and one a step
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn asks_few_sums(&self, n: usize) -> Result<bool> {
        fn sums(plan: &dyn Plan) -> Option<&dyn Rounds> {
            plan.in_rounds().or_else(|| sums(plan.wrapped()?))
        }
        let plan = self.plan(n)?;
        let sums = sums(&*plan).filter(|_| !plan.summary().reads_single_records());
        let CurvatureBounds { lower, upper } = plan.summary().manifold.curvature();
        Ok(sums.is_some_and(|sums| sums.rounds() == 1 || lower == 0.0 && upper == 0.0))
    }

    /// The request for `n` records, or for the guess of them where the number is confidential. Where a ball is to be
    /// located, it is the request in the outer ball.
    ///
    /// # Errors
    /// As for [`check`](ReleaseSpec::check) and the statistic.
    pub fn request(&self, n: usize) -> Result<Request> {
        self.check()?;
        self.request_for((self.statistic.description().of)(self)?, n)
    }

    /// The request for a statistic that this specification asks for.
    fn request_for(&self, statistic: Arc<dyn Statistic>, n: usize) -> Result<Request> {
        if self.groups.is_some() {
            return Err(field("groups", "each group has a plan of its own"));
        }
        let request = Request::of(statistic, self.n_guess.unwrap_or(n), self.budget);
        request
            .adjacency(self.adjacency)
            .steps(self.steps)
            .calibration(self.calibration)
            .numerics(self.numerics)
            .spread(self.spread)
            .components(self.components)
            .region(self.region)
            .expected_spread(self.expected_spread)
    }

    /// The plan for `n` records, or for the guess of them where the number is confidential. It touches no records and
    /// spends nothing. Its release carries the specification.
    ///
    /// # Errors
    /// As for [`check`](ReleaseSpec::check); why no mechanism applies.
    ///
    /// ```
    /// use karcher::{ReleaseSpec, mechanism::Plan};
    /// let spec: ReleaseSpec = serde_json::from_str(
    ///     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "budget": {"definition": "pure",
    ///         "epsilon": 1.0}, "ball": {"center": [0.0], "radius": 1.0}, "mechanism": "laplace"}"#,
    /// )?;
    /// assert!((spec.plan(1_000)?.scale() / 0.002 - 1.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self, n: usize) -> Result<Box<dyn Plan>> {
        self.plan_for(&self.request(n)?, n)
    }

    /// The same with noise of one law in all directions.
    pub(crate) fn isotropic_plan(&self, n: usize) -> Result<Box<dyn Plan>> {
        self.plan_for(&self.request(n)?.isotropic(), n)
    }

    fn plan_for(&self, request: &Request, n: usize) -> Result<Box<dyn Plan>> {
        let named = self.mechanism.name();
        if let Some(trust) = self.trust {
            // the best with the noise of all parties; without any, the reason
            let mut all = if named.is_none() { self.candidates(n)? } else { vec![] };
            let plan: Box<dyn Plan> = match best(&all, NumericsPolicy::Exact) {
                Some(chosen) => all.swap_remove(chosen).plan?,
                None => Box::new(Aggregated::new(self, trust, n)?),
            };
            return Ok(Box::new(Specified { plan, spec: self.clone() }));
        }
        let plan: Box<dyn Plan> = match named.or(self.statistic.only_mechanism()) {
            named if self.statistic == StatisticName::FrechetMean && self.locates() => {
                Box::new(LocatedMean::new(&self.location()?, request, named)?)
            }
            Some(name) => request.plan_by(name)?,
            None => {
                self.check_bound(request)?;
                request.plan()?
            }
        };
        Ok(Box::new(Specified { plan, spec: self.clone() }))
    }

    /// Checks all that can be checked without records: the fields, and a plan. The plan is for the guess of the number
    /// of records. Without a guess there must be a plan for some power of two: many records need too little noise for
    /// a Markov chain, and few records too much for other mechanisms.
    ///
    /// # Errors
    /// As for [`plan`](ReleaseSpec::plan).
    ///
    /// ```
    /// use karcher::ReleaseSpec;
    /// let spec: ReleaseSpec = serde_json::from_str(
    ///     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "budget": {"definition": "pure",
    ///         "epsilon": 1.0}, "ball": {"center": [0.0], "radius": 1.0}, "mechanism": "karcher-flow"}"#,
    /// )?;
    /// assert!(spec.check().is_ok()); // its fields go together
    /// assert_eq!(spec.check_plan().unwrap_err().parameter(), Some("epsilon")); // the flow never gives pure ε
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_plan(&self) -> Result<()> {
        if self.statistic == StatisticName::Count {
            return self.count_plan().map(drop);
        }
        if let Some(groups) = &self.groups {
            self.check()?;
            let mut each = (0..groups.names.len()).map(|at| self.of_group(at)).collect::<Result<Vec<_>>>()?;
            each.dedup(); // groups with one guess have one plan
            return each.iter().try_for_each(ReleaseSpec::check_plan);
        }
        if self.n_guess.is_some() {
            return self.plan(0).map(drop);
        }
        self.plan(1 << LARGEST_TRIAL).map(drop).or_else(|refused| {
            let has_plan = (0..LARGEST_TRIAL).rev().any(|power| self.plan(1 << power).is_ok());
            if has_plan { Ok(()) } else { Err(refused) }
        })
    }

    /// The specification of one group, counted from 0.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) where there is no such group.
    pub fn of_group(&self, group: usize) -> Result<Self> {
        let groups = self.groups.as_ref();
        let Some(guess) = groups.and_then(|groups| groups.n_guess.get(group)) else {
            return Err(field("groups", format!("there is no group with the number {}", group + 1)));
        };
        Ok(Self { n_guess: Some(*guess), groups: None, ..self.clone() })
    }

    /// The plan of a count.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for another statistic, and as for [`check`](ReleaseSpec::check).
    pub fn count_plan(&self) -> Result<CountPlan> {
        self.check()?;
        match self.statistic {
            StatisticName::Count => {
                let plan = CountPlan::new(self.budget)?;
                self.trust.map_or(Ok(plan.clone()), |trust| plan.trusting(trust))
            }
            other => Err(field("statistic", format!("a {other} is no count"))),
        }
    }

    /// Every mechanism with its plan for `n` records, or why it does not apply. With `trust` they are the plans of
    /// aggregators.
    ///
    /// # Errors
    /// As for [`request`](ReleaseSpec::request); for an option that `auto` does not take.
    pub fn candidates(&self, n: usize) -> Result<Vec<Candidate>> {
        let request = self.request(n)?;
        if self.statistic.only_mechanism().is_none() {
            request.check_auto()?;
            self.check_bound(&request)?;
        }
        let candidates = request.candidates();
        if self.trust.is_none() {
            return Ok(candidates);
        }
        let of_two = |Candidate { mechanism, .. }: Candidate| {
            let named = Self { mechanism: MechanismChoice::Named(mechanism.name()), ..self.clone() };
            Candidate { mechanism, plan: named.plan(n) }
        };
        Ok(candidates.into_iter().map(of_two).collect())
    }

    /// Refuses a bound that is asked for and does not exist in the ball. Two stages use it in a smaller ball.
    fn check_bound(&self, request: &Request) -> Result<()> {
        if self.bound.is_none() || self.expected_spread.is_some() { Ok(()) } else { request.sensitivity().map(drop) }
    }

    /// The plan of a descent for `n` records with its gradient. Its release carries the specification.
    ///
    /// # Errors
    /// As for [`plan`](ReleaseSpec::plan); [`Error::Field`](crate::Error::Field) for another statistic.
    pub fn plan_descent(&self, n: usize, descent: PrivateDescent) -> Result<Box<dyn Plan>> {
        if self.descent.as_ref() != Some(descent.descent()) || self.public_ball()? != *descent.ball() {
            return Err(field("descent", "is another one than that of the gradient"));
        }
        self.check()?;
        let request = self.request_for(Arc::new(descent), n)?;
        Ok(Box::new(Specified { plan: request.plan_by(MechanismName::RiemannianDescent)?, spec: self.clone() }))
    }
}

impl Sealed for Specified {}

impl Specified {
    /// The release with the specification, and the region that it asks for.
    fn specified(&self, release: Release) -> Release {
        let region = self.spec.region.and_then(|probability| self.plan.region_of(release.private_count(), probability));
        release.specified(&self.spec, region)
    }

    /// The plan in rounds.
    fn inner(&self) -> Result<&dyn Rounds> {
        self.plan.in_rounds().ok_or_else(rounds::none)
    }
}

impl Rounds for Specified {
    fn rounds(&self) -> usize {
        self.plan.in_rounds().map_or(0, Rounds::rounds)
    }

    fn round(&self, state: &RoundState) -> Result<Round> {
        self.inner()?.round(state)
    }

    fn trust(&self) -> Option<Trust> {
        self.spec.trust
    }

    fn after(&self, state: RoundState, noisy: Vec<f64>) -> Result<RoundState> {
        self.inner()?.after(state, noisy)
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        Ok(self.specified(self.inner()?.conclude(state, context)?))
    }
}

impl Plan for Specified {
    fn summary(&self) -> &PlanSummary {
        self.plan.summary()
    }

    fn wrapped(&self) -> Option<&dyn Plan> {
        Some(&*self.plan)
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        Ok(self.specified(self.plan.draw(records, context, progress)?))
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        Ok(self.specified(self.plan.again(stated, context)?))
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        self.plan.in_rounds().map(|_| self as &dyn Rounds)
    }

    fn check(&self, records: &dyn Records) -> Result<()> {
        let unit = records.unit();
        if unit != self.spec.unit {
            let reason =
                format!("the records are one each of a {unit}, and the specification protects a {}", self.spec.unit);
            return Err(field("unit", reason));
        }
        self.plan.check(records)
    }
}
