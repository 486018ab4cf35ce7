//! What is released beside a mean, about the same records: the mean first, with a part of the budget, and then, when it
//! is public, sums that depend on it.

use crate::error::{Error, GeometryError, Result};
use crate::mechanism::components::{Components, Moment};
use crate::mechanism::plan::budget::{Share, as_normal};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::variance::spread::{Spread, SpreadPlan};
use crate::mechanism::{Gain, Mechanism, Neighbour, Outline, Plan, PrivateFrechetMean, Rehearsal, Request};
use crate::privacy::Guarantee;
use crate::records::{Centered, Records, Seen, Term, Total};
use crate::release::{Adjacency, MechanismName, NoiseDraw, OpenDoor, Region, Release};
use serde::Serialize;
use std::fmt::Debug;
use std::sync::Arc;

/// What is asked for beside a mean, both of it or one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Beside {
    pub(super) spread: Option<Spread>,
    pub(super) components: Option<Components>,
}

impl Beside {
    /// The parameters by which something is asked for.
    pub(super) fn parameters(self) -> impl Iterator<Item = &'static str> {
        [("spread", self.spread.is_some()), ("components", self.components.is_some())]
            .into_iter()
            .filter_map(|(name, given)| given.then_some(name))
    }

    /// The shares of the mean, of the second moment, and of each of the two numbers of a spread: a quarter is for the
    /// spread, and half of what is left for the components. Laplace noise on a number needs no `δ`.
    fn shares(self) -> [Share; 3] {
        let left = if self.spread.is_some() { 0.75 } else { 1.0 };
        let number = Share { of: 0.125, of_delta: 0.0 };
        match self.components {
            Some(_) => {
                let half = Share { of: 0.5 * left, of_delta: 0.5 };
                [half, half, number]
            }
            None => [Share { of: left, of_delta: 1.0 }, Share { of: 0.0, of_delta: 0.0 }, number],
        }
    }

    /// What is added to a mean, and what is left for it.
    fn planned(self, mean: &PrivateFrechetMean, budget: Guarantee) -> Result<(Guarantee, Vec<Arc<dyn Addition>>)> {
        let [of_mean, of_moment, of_number] = self.shares();
        let mut additions: Vec<Arc<dyn Addition>> = vec![];
        if let Some(asked) = self.spread {
            additions.push(Arc::new(SpreadPlan::new(mean, asked, of_number.from(budget)?)?));
        }
        if let Some(asked) = self.components {
            additions.push(Arc::new(Moment::new(mean, asked, of_moment.from(budget)?)?));
        }
        Ok((of_mean.from(budget)?, additions))
    }
}

/// What is added to a release, decided before any record is seen.
pub(crate) trait Addition: Debug + Send + Sync {
    /// About how long its noise is expected to be, in its own units: what two ways to share out a budget are compared
    /// by.
    fn expected_noise(&self) -> f64;

    /// Adds it to the release of a mean, with fresh noise.
    fn to(
        &self,
        release: Release,
        of_mean: &dyn Plan,
        outline: &Outline,
        seen: &SeenMean<'_>,
        door: &mut OpenDoor<'_>,
    ) -> Result<Release>;

    /// The noise that it draws, for `n` records.
    fn noise(&self, n: usize) -> Vec<NoiseDraw>;

    /// What it will say of `n` records.
    fn foreseen(&self, n: usize) -> Foreseen;
}

/// What is known beforehand of what is released beside a mean, from public quantities.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{Foreseen, PrivateFrechetMean, Request, Spread}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let request = Request::new(mean, 1_000, Guarantee::pure(1.0)?).spread(Some(Spread::default()));
/// let [Foreseen::Spread { mean_square, .. }] = request.plan()?.foreseen()[..] else { panic!("a spread was asked for") };
/// // Laplace noise of scale c²/(n·ε/8), c = 2r = 1, exceeds ln 20 times that with 5 %
/// assert!((mean_square / (20.0_f64.ln() * 8.0 / 1_000.0) - 1.0).abs() < 1e-6);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Foreseen {
    /// Of a [`PrivateSpread`](crate::release::PrivateSpread).
    Spread {
        /// At which distances are cut off.
        clip: f64,
        /// How far the mean square is from the one without noise, with a probability of at most 5 %: a squared
        /// distance.
        mean_square: f64,
        /// The same of the share of the records outside the ball.
        share_outside: f64,
    },
    /// Of [`PrivateComponents`](crate::release::PrivateComponents).
    Components {
        /// To which logarithms are shortened.
        clip: f64,
        /// The scale of the noise on the second moment, a squared distance.
        scale: f64,
        /// About what noise alone makes of the largest variance.
        noise_level: f64,
    },
}

impl Foreseen {
    /// The distance that is told from 0: a spread, or a deviation along a component, that is smaller may be noise.
    pub fn told_from_noise(&self) -> f64 {
        match self {
            Foreseen::Spread { mean_square, .. } => mean_square.sqrt(),
            Foreseen::Components { noise_level, .. } => noise_level.sqrt(),
        }
    }
}

/// The records as they are, not clipped, seen from the center of the ball.
pub(crate) struct SeenMean<'a> {
    seen: Seen<'a>,
    centered: &'a Centered,
}

impl SeenMean<'_> {
    /// The sum of a term.
    pub(crate) fn sum(&self, term: &Term) -> Result<Total> {
        self.seen.sum(self.centered.space(), term)
    }

    /// Where a released point is seen.
    pub(crate) fn place(&self, value: &[f64]) -> Vec<f64> {
        self.centered.place(value)
    }

    /// The center of the ball.
    pub(crate) fn center(&self) -> Vec<f64> {
        self.centered.center().to_vec()
    }

    /// Where everything is carried.
    pub(crate) fn centered(&self) -> &Centered {
        self.centered
    }
}

/// The plan of a mechanism for the neighbours that are asked for.
fn by(mechanism: &dyn Mechanism, request: &Request) -> Result<Box<dyn Plan>> {
    match request.asked_adjacency() {
        Adjacency::ReplaceOne => mechanism.plan(request),
        Adjacency::AddRemove => mechanism.plan_add_remove(request),
    }
}

/// How mechanisms plan a request: as it is, or for the mean's part of its budget and with something beside.
///
/// There are two ways to share out `(ε, δ)`, as it is and as a `μ`. Every mechanism takes the one that makes the
/// product of all expected errors smaller, which is decided by public quantities.
#[derive(Clone)]
pub(super) struct Planner {
    asked: Request,
    budget: Guarantee,
    mean: Option<PrivateFrechetMean>,
    ways: Vec<Way>,
}

/// A way to share out the budget.
#[derive(Clone)]
struct Way {
    of_value: Request,
    additions: Vec<Arc<dyn Addition>>,
}

impl Planner {
    /// For a request that was looked at: nothing is beside a regression.
    pub(super) fn new(request: &Request) -> Result<Self> {
        let budget = request.budget();
        let Some((mean, beside)) = request.mean_and_beside() else {
            let way = Way { of_value: request.clone(), additions: vec![] };
            return Ok(Self { asked: request.clone(), budget, mean: None, ways: vec![way] });
        };
        let mut budgets = vec![budget];
        // there is none for a δ so small that it hides nothing in numbers; a calibration is one of (ε, δ)
        let normal = as_normal(budget).ok().filter(|normal| *normal != budget);
        budgets.extend(normal.filter(|_| request.asked_calibration().is_none()));
        let way = |budget| {
            let (of_mean, additions) = beside.planned(mean, budget)?;
            Ok(Way { of_value: request.alone(of_mean), additions })
        };
        let ways = budgets.into_iter().map(way).collect::<Result<_>>()?;
        Ok(Self { asked: request.clone(), budget, mean: Some(mean.clone()), ways })
    }

    /// The plan of a mechanism.
    pub(super) fn plan(&self, mechanism: &'static dyn Mechanism) -> Result<Box<dyn Plan>> {
        if mechanism.name() == MechanismName::TwoStage {
            return by(mechanism, &self.asked); // what is beside is in its second stage
        }
        let (mut best, mut why): (Option<(f64, Box<dyn Plan>)>, _) = (None, Error::from(GeometryError::NoRecords)); // there is a way
        for way in &self.ways {
            match by(mechanism, &way.of_value) {
                Ok(of_mean) => {
                    let noises = way.additions.iter().map(|addition| addition.expected_noise());
                    let cost = noises.product::<f64>() * of_mean.error_bound();
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, self.with_additions(of_mean, way)));
                    }
                }
                // of the budget as it was given
                Err(error) if matches!(why, Error::Geometry(GeometryError::NoRecords)) => why = error,
                Err(_) => (),
            }
        }
        best.map(|(_, plan)| plan).ok_or(why)
    }

    fn with_additions(&self, of_mean: Box<dyn Plan>, way: &Way) -> Box<dyn Plan> {
        let Some(mean) = self.mean.clone() else { return of_mean };
        let own = of_mean.outline();
        let added = way.additions.iter().flat_map(|addition| addition.noise(own.n));
        let noise = own.noise.iter().cloned().chain(added).collect();
        let outline = Outline { guarantee: self.budget, noise, ..own.clone() };
        Box::new(WithAdditions { of_mean, mean, additions: way.additions.clone(), outline })
    }
}

/// A plan for a mean, and what is added to its release.
#[derive(Debug)]
struct WithAdditions {
    of_mean: Box<dyn Plan>,
    mean: PrivateFrechetMean,
    additions: Vec<Arc<dyn Addition>>,
    outline: Outline,
}

impl Sealed for WithAdditions {}

impl Plan for WithAdditions {
    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn draw(
        &self,
        records: &dyn Records,
        door: &mut OpenDoor<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.outline.begin(records, door)?;
        let mut release = self.of_mean.draw(records, door, progress)?;
        let seen = SeenMean { seen: self.mean.carry(records)?, centered: self.mean.centered() };
        for addition in &self.additions {
            release = addition.to(release, &*self.of_mean, &self.outline, &seen, door)?;
        }
        Ok(release.with_all_of(self.outline.guarantee, &self.outline.noise))
    }

    fn fall(&self, from: Neighbour<'_>, x: &[f64]) -> f64 {
        self.of_mean.fall(from, x)
    }

    fn rehearse(&self, progress: &(dyn Fn(usize) + Sync)) -> Result<Option<Rehearsal>> {
        self.of_mean.rehearse(progress)
    }

    fn rehearsal_steps(&self) -> usize {
        self.of_mean.rehearsal_steps()
    }

    fn gains(&self) -> Option<[Gain; 3]> {
        self.of_mean.gains()
    }

    fn region_of(&self, release: &Release, probability: f64) -> Option<Region> {
        self.of_mean.region_of(release, probability)
    }

    fn foreseen(&self) -> Vec<Foreseen> {
        self.additions.iter().map(|addition| addition.foreseen(self.outline.n)).collect()
    }

    fn expected_distance_at(&self, off: f64) -> f64 {
        self.of_mean.expected_distance_at(off)
    }

    fn bias_bound(&self) -> f64 {
        self.of_mean.bias_bound()
    }

    fn error_bound(&self) -> f64 {
        self.of_mean.error_bound()
    }
}
