//! The plans of a request: by each mechanism, and the best of them.

use crate::error::{Error, Result};
use crate::mechanism::plan::companions::Planner;
use crate::mechanism::plan::request::Request;
use crate::mechanism::{Mechanism, Plan, check_number, mechanism, mechanisms_for};
use crate::release::{Adjacency, MechanismName, StatisticName};
use crate::spec::NumericsPolicy;
use rayon::prelude::*;

/// A mechanism that was considered.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// for candidate in Request::new(mean, 1_000, Guarantee::pure(1.0)?).candidates() {
///     match candidate.plan {
///         Ok(plan) => assert_eq!(plan.name(), candidate.mechanism.name()),
///         Err(why_not) => assert!(!why_not.depends_on_records()),
///     }
/// }
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct Candidate {
    /// The mechanism.
    pub mechanism: &'static dyn Mechanism,
    /// Its plan, or why it does not apply.
    pub plan: Result<Box<dyn Plan>>,
}

/// Error bounds that differ by less than this are rounding errors apart.
const TIE: f64 = 1e-6;

impl Request {
    /// The plan of a mechanism that is asked for by name.
    ///
    /// # Errors
    /// The reason for which it does not apply; [`Error::Inapplicable`] for an option that has no effect.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let request = Request::new(mean, 100, Guarantee::pure(1.0)?);
    /// assert_eq!(request.plan_by(MechanismName::Laplace)?.name(), MechanismName::Laplace);
    /// assert!(request.plan_by(MechanismName::Gaussian).is_err()); // it never gives pure ε on a line
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn plan_by(&self, name: MechanismName) -> Result<Box<dyn Plan>> {
        let mechanism = mechanism(name);
        if !mechanism.statistics().contains(&self.statistic.name()) {
            return Err(self.not_for(name));
        }
        self.check_options(name.name(), |parameter| mechanism.parameters().contains(&parameter))?;
        Planner::new(self)?.plan(mechanism)
    }

    /// The plan with the smallest [error bound](Plan::error_bound) among those that need not be asked for by name, and
    /// whose proof is [accepted](Request::numerics).
    ///
    /// # Errors
    /// When there is none, the reason for which the first mechanism that the space allows does not apply.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(50)?);
    /// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
    /// let best = |budget| Request::new(mean.clone(), 1_000, budget).plan().map(|plan| plan.name());
    /// assert_eq!(best(Guarantee::pure(1.0)?)?, MechanismName::Laplace);
    /// assert_eq!(best(Guarantee::gaussian(1.0)?)?, MechanismName::Gaussian);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn plan(&self) -> Result<Box<dyn Plan>> {
        self.check_auto()?;
        // what would not be taken is not planned, unless a reason is sought
        let refuses = |mechanism: &dyn Mechanism| self.accept == NumericsPolicy::Exact && mechanism.is_idealized(self);
        let mut candidates = self.candidates_but(refuses);
        if let Some(chosen) = best(&candidates, self.accept) {
            return candidates.swap_remove(chosen).plan;
        }
        let candidates = self.candidates();
        // prefer a reason that a user can act on
        let mut reasons: Vec<Error> = candidates.into_iter().filter_map(|candidate| candidate.plan.err()).collect();
        let chosen = reasons.iter().position(|reason| !reason.is_of_the_space()).unwrap_or(0);
        Err(reasons.swap_remove(chosen)) // a chain alone never applies: where there is one, another does not
    }

    /// The plan of a mechanism by its name, whatever options others take.
    pub(crate) fn candidate(&self, name: MechanismName) -> Result<Box<dyn Plan>> {
        let found = self.candidates_but(|mechanism| mechanism.name() != name).pop();
        found.map_or_else(|| Err(self.not_for(name)), |candidate| candidate.plan)
    }

    /// Every mechanism for the statistic, with its plan or why it does not apply; two stages only if a
    /// [spread](Request::expected_spread) is expected.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let candidates = Request::new(mean, 100, Guarantee::pure(1.0)?).candidates();
    /// let names: Vec<_> = candidates.iter().map(|candidate| candidate.mechanism.name().name()).collect();
    /// assert!(names.contains(&"chart") && !names.contains(&"two-stage"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn candidates(&self) -> Vec<Candidate> {
        self.candidates_but(|_| false)
    }

    /// The same without some.
    fn candidates_but(&self, leave_out: impl Fn(&dyn Mechanism) -> bool) -> Vec<Candidate> {
        let planner = self.check_number().and_then(|()| Planner::new(self));
        let mechanisms: Vec<&'static dyn Mechanism> = mechanisms_for(self.statistic.name())
            .filter(|mechanism| mechanism.name() != MechanismName::TwoStage || self.expected_spread.is_some())
            .filter(|mechanism| !leave_out(*mechanism))
            .collect();
        let plan = |mechanism| match &planner {
            Ok(planner) => planner.plan(mechanism),
            Err(error) => Err(error.clone()),
        };
        mechanisms.into_par_iter().map(|mechanism| Candidate { mechanism, plan: plan(mechanism) }).collect()
    }

    /// Rejects a guess of 0 records, and requests that no mechanism has a proof for under add/remove neighbours.
    fn check_number(&self) -> Result<()> {
        check_number(self.n)?;
        if self.adjacency == Adjacency::ReplaceOne {
            return Ok(());
        }
        if self.n == 0 {
            let requirement = "a guess of how many records there are must be 1 or more".to_owned();
            return Err(Error::InvalidParameter { name: "n_guess", value: 0.0, requirement });
        }
        if self.components.is_some() {
            let (mechanism, takers) = ("add-remove neighbours".to_owned(), "replace-one neighbours".to_owned());
            return Err(Error::Inapplicable { parameter: "components", mechanism, takers });
        }
        Ok(())
    }

    /// Rejects options that belong to a mechanism that you name.
    pub(crate) fn check_auto(&self) -> Result<()> {
        self.check_options("auto", |parameter| !matches!(parameter, "steps" | "calibration"))
    }

    /// Rejects options that have no effect.
    fn check_options(&self, name: &str, takes: impl Fn(&'static str) -> bool) -> Result<()> {
        self.check_number()?;
        let given = [
            ("steps", self.steps.is_some()),
            ("calibration", self.calibration.is_some()),
            ("expected_spread", self.expected_spread.is_some()),
        ];
        let given = given.into_iter().filter_map(|(parameter, given)| given.then_some(parameter));
        let given = given.chain(self.statistic.given());
        if let Some(parameter) = self.companions().parameters().next()
            && self.statistic.name() != StatisticName::FrechetMean
        {
            let takers = format!("a {}", StatisticName::FrechetMean);
            return Err(Error::Inapplicable { parameter, mechanism: name.to_owned(), takers });
        }
        let rehearses = mechanisms_for(self.statistic.name()).any(|m| m.parameters().contains(&"expected_spread"));
        for parameter in given {
            if !takes(parameter) || (parameter == "expected_spread" && !rehearses) {
                let takers = mechanisms_for(self.statistic.name()).filter(|m| m.parameters().contains(&parameter));
                let takers: Vec<&str> = takers.map(|m| m.name().name()).collect();
                let takers = match &takers[..] {
                    [] => format!("no mechanism for {}", self.statistic.name().with_article()),
                    takers => takers.join(", "),
                };
                return Err(Error::Inapplicable { parameter, mechanism: name.to_owned(), takers });
            }
        }
        Ok(())
    }
}

/// The index of the candidate with the smallest error bound, the first of equals. Candidates that must be asked for by
/// name, or whose proof is not accepted, do not count.
///
/// Two stages are rehearsed with a cloud halfway to the edge of the ball. So their error is compared with that of the
/// best single stage for the same cloud, not for the worst mean in the ball.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{NumericsPolicy, PrivateFrechetMean, Request, best}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let request = Request::new(mean, 1_000, Guarantee::gaussian(1.0)?);
/// let candidates = request.candidates();
/// let chosen = best(&candidates, NumericsPolicy::Exact).map(|place| candidates[place].mechanism.name());
/// assert_eq!(chosen, Some(request.plan()?.name()));
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn best(candidates: &[Candidate], accept: NumericsPolicy) -> Option<usize> {
    let mut best: Option<(usize, &dyn Plan)> = None;
    for (i, candidate) in candidates.iter().enumerate() {
        if let Ok(plan) = &candidate.plan
            && accept.refuses(&**plan).is_none()
            && best.is_none_or(|(_, least)| plan.error_bound() < comparable(least, &**plan) * (1.0 - TIE))
        {
            best = Some((i, &**plan));
        }
    }
    best.map(|(i, _)| i)
}

/// The error of a plan that another plan has to beat. Two stages come after all single ones.
fn comparable(plan: &dyn Plan, other: &dyn Plan) -> f64 {
    other.summary().rehearsed.map_or(plan.error_bound(), |rehearsed| rehearsed.of_one_stage(plan))
}
