//! `locate`: the plan that finds a private ball.

use crate::Lattice;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::PrivateLocation;
use crate::mechanism::noise::published::published;
use crate::mechanism::plan::again::{self, Precision, claims_digits, of_another_statistic};
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, rest};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{FlowToMedian, Mechanism, Plan, PlanSummary, PrivateFrechetMean, Request, check_number};
use crate::privacy::Guarantee;
use crate::records::Records;
use crate::release::{
    CenterMethod, Flag, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, Part, PartName, PrivacyEventPart,
    PrivateBall, PublishedRelease, Release, StatisticName, Value,
};
use crate::statistics::ball::HALVINGS;
use crate::statistics::ball::STEEPEST;
use crate::statistics::ball::center::Center;
use crate::statistics::ball::coordinate_medians::CoordinateMedians;
use crate::statistics::ball::radius::PrivateRadius;
use std::sync::Arc;

/// `locate`: a ball that holds most records.
#[derive(Debug)]
pub struct Locate;

impl Mechanism for Locate {
    fn name(&self) -> MechanismName {
        MechanismName::Locate
    }

    fn about(&self) -> &'static str {
        "A private median for the center of a ball, then a private quantile of the distances to it for the radius"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["steps", "expected_spread"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        let location = request.asked(self.name())?;
        let mut ball = LocateBall::new(location, request.n(), request.budget(), request.asked_steps())?;
        if let Some(spread) = request.asked_spread() {
            // instead of the worst of many clusters
            (ball.summary.expected_distance, ball.summary.at_most) = (ball.rehearse_center(spread), false);
        }
        Ok(Box::new(ball))
    }
}

/// A location with everything decided that does not need the records.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{LocateBall, Plan, PrivateLocation}};
/// use karcher::privacy::{Guarantee, compose};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let location = PrivateLocation::new(plane.clone(), Ball::at_origin(&*plane, 100.0)?)?;
/// let plan = LocateBall::new(&location, 1_000, Guarantee::pure(1.0)?, None)?;
/// let parts = plan.parts().map(|part| part.guarantee);
/// assert!(compose(&parts)?.epsilon(1e-6)? <= 1.0);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LocateBall {
    location: PrivateLocation,
    center: Center,
    radius: PrivateRadius,
    parts: [Part; 2],
    summary: PlanSummary,
}

impl LocateBall {
    /// The location for `n` records and a budget. The center is found by medians of coordinates or by a median flow,
    /// whichever does better in a rehearsal. If a number of steps is given, it is a flow of so many steps.
    ///
    /// # Errors
    /// As for [`FlowToMedian::new`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{LocateBall, Plan, PrivateLocation}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?)?;
    /// let plan = LocateBall::new(&location, 1_000, Guarantee::gaussian(1.0)?, Some(12))?;
    /// assert_eq!(plan.summary().steps.as_ref().map(Vec::len), Some(12));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(location: &PrivateLocation, n: usize, budget: Guarantee, steps: Option<usize>) -> Result<Self> {
        check_number(n)?;
        let normal = as_normal(budget)?;
        let center_of = |by| BudgetFraction::even(location.shares_of(by, n, normal)?.center).from(normal);
        let mut center =
            Center::Flow(FlowToMedian::new(&location.median, n, center_of(CenterMethod::MedianFlow)?, steps)?);
        if steps.is_none() {
            let part = center_of(CenterMethod::CoordinateMedians)?;
            center = center.or(CoordinateMedians::new(&location.median, n, part)?);
        }
        let shares = location.shares_of(center.by(), n, normal)?;
        let of_radius = BudgetFraction::even(rest(shares.center)).from(normal)?;
        // from a center in the outer ball every record of the outer ball is within twice its radius
        let largest = (2.0 * location.ball().radius()).min(location.manifold().diameter());
        let radius = PrivateRadius::new(largest, location.quantile, n, of_radius)?;
        let part = |part, guarantee| Part { part, guarantee, numerics: Numerics::Exact };
        let parts = [part(PartName::Center, center.summary().guarantee), part(PartName::Radius, of_radius)];
        let summary = PlanSummary {
            mechanism: MechanismName::Locate,
            statistic: StatisticName::Ball,
            guarantee: budget,
            noise: with_radius(center.summary(), &radius),
            parts: parts.iter().map(|part| of_location(part, center.summary())).collect(),
            ..center.summary().clone()
        };
        Ok(Self { location: location.clone(), center, radius, parts, summary })
    }

    /// The location as the first part of a budget, and its fraction. The mean gets the rest.
    pub(super) fn with_part_of(location: &PrivateLocation, n: usize, budget: Guarantee) -> Result<(Self, f64)> {
        let with = |by| -> Result<(Self, f64)> {
            let part = location.shares_of(by, n, budget)?.location;
            Ok((Self::new(location, n, BudgetFraction::even(part).from(as_normal(budget)?)?, None)?, part))
        };
        let (locate, part) = with(CenterMethod::CoordinateMedians)?;
        if locate.center_method() == CenterMethod::CoordinateMedians {
            Ok((locate, part))
        } else {
            with(CenterMethod::MedianFlow)
        }
    }

    /// The way in which the center is found.
    pub fn center_method(&self) -> CenterMethod {
        self.center.by()
    }

    /// The cost of center and radius.
    pub fn parts(&self) -> [Part; 2] {
        self.parts
    }

    /// The possible radii around a center: with the margin, in rising order. The last ones may be the same.
    pub(super) fn radii(&self) -> Vec<f64> {
        let (radii, margin) = (self.radius.radii(), self.location.margin());
        radii.all().into_iter().map(|r| (margin * r).min(radii.largest)).collect()
    }

    /// The location of the records.
    pub(super) fn locate(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
    ) -> Result<(PrivateBall, Vec<Flag>, f64)> {
        self.summary.begin(records, context)?;
        let seen = self.location.median.seen();
        let centered = seen.centered();
        let records = seen.carry(records)?;
        let end = self.center.end(&records, context)?;
        let (coordinates, lattice) = self.location.median.coordinates(&end, &self.summary);
        // from here on the center is an output
        let center = Lattice::point(centered.space(), centered.center(), &coordinates);
        let place = self.radius.place(centered.space(), &center, &records, context.generator())?;
        let (located, flags) = self.ball_at(&coordinates, place);
        Ok((located, flags, lattice))
    }

    /// The ball with a center at these coordinates and the radius of a place of the grid, with its flags.
    fn ball_at(&self, coordinates: &[f64], place: usize) -> (PrivateBall, Vec<Flag>) {
        let centered = self.location.median.seen().centered();
        let published = published(centered, coordinates, self.summary.scale / 1024.0);
        let located = PrivateBall {
            center: published.value,
            center_method: self.center_method(),
            radius: self.around(place),
            quantile: self.location.quantile,
            margin: self.location.margin(),
            radii: self.radius.radii(),
            parts: self.parts.to_vec(),
        };
        let mut flags = vec![];
        flags.extend(published.beyond_precision.then_some(Flag::BeyondPrecision));
        flags.extend((!self.has_mean(self.radius.radii().at(place))).then_some(Flag::NoUsefulMean));
        flags.extend(self.radius.is_by_chance().then_some(Flag::TooFewRecords));
        flags.extend(self.location.median.at_edge(coordinates));
        (located, flags)
    }

    /// The ball that follows from a stated one, with its flags: around the nearest point of the lattice in the outer
    /// ball, with the nearest radius that the grid gives. A center whose digits a double does not hold is taken as it
    /// is stated.
    pub(super) fn ball_again(
        &self,
        stated: &PrivateBall,
        claimed: &[Flag],
        name: &'static str,
    ) -> Result<(PrivateBall, Vec<Flag>)> {
        let summary = &self.summary;
        let center = again::in_ball(name, &stated.center, summary, self.lattice())?;
        let held = self.location.median.seen().centered().held(&center);
        let place = self.place_of(stated.radius);
        let (mut ball, mut flags) = self.ball_at(&Lattice::of_step(self.lattice()).rounded(held), place);
        if claims_digits(claimed) && center == stated.center {
            ball.center = center;
        }
        let precision = Precision::of(summary, &stated.center);
        let is_beyond = precision.flags_digits(claimed, stated.center == summary.ball.center());
        flags.retain(|flag| *flag != Flag::BeyondPrecision);
        flags.extend(is_beyond.then_some(Flag::BeyondPrecision));
        if !precision.is_told() {
            flags.retain(|flag| *flag != Flag::CenterAtEdge);
            flags.extend(Some(Flag::CenterAtEdge).filter(|flag| claimed.contains(flag)));
        }
        Ok((ball, flags))
    }

    /// The place of the grid whose ball has the nearest radius. A ball is at least as large as the radius of its place,
    /// and at most the margin times as large.
    fn place_of(&self, radius: f64) -> usize {
        const SLACK: f64 = 1e-6;
        let (least, most) = (self.radius.radii().all(), self.radii());
        let off = |at: f64| (at - radius).abs();
        let nearest =
            |places: &mut dyn Iterator<Item = (usize, f64)>| places.min_by(|a, b| off(a.1).total_cmp(&off(b.1)));
        let may_be = |i: &usize| radius >= least[*i] * (1.0 - SLACK) && radius <= most[*i] * (1.0 + SLACK);
        let near = nearest(&mut (0..least.len()).filter(may_be).map(|i| (i, self.around(i))));
        near.or_else(|| nearest(&mut least.iter().copied().enumerate())).map_or(0, |(place, _)| place)
    }

    /// Expected distance between the found center and the middle of a made-up cloud of a spread.
    pub(super) fn rehearse_center(&self, spread: f64) -> f64 {
        self.center.rehearse(spread)
    }

    /// The probability of each place of the grid, for a made-up cloud with a fraction `within(r)` within `r`.
    pub(super) fn rehearse_radius(&self, within: impl Fn(f64) -> f64) -> Vec<f64> {
        self.radius.rehearse(self.summary.n, within)
    }

    /// The radius of the ball for a place of the grid. The margin is included in full, or as much of it as allows a
    /// useful mean.
    pub(super) fn around(&self, place: usize) -> f64 {
        let (mut low, mut high) = (self.radius.radii().at(place), self.radii()[place]);
        if self.has_mean(high) || !self.has_mean(low) {
            return high;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.has_mean(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// Whether the mean is useful in a ball of a radius. It depends on the radius alone: with more than `MANY` records
    /// the allowance for rounding would outweigh the curvature.
    pub(super) fn has_mean(&self, radius: f64) -> bool {
        const MANY: usize = 1 << 30;
        let Self { location, summary, .. } = self;
        let ball = Ball::new(&**location.manifold(), location.ball().center().to_vec(), radius);
        let mean =
            ball.map_err(Error::from).and_then(|ball| PrivateFrechetMean::new(Arc::clone(location.manifold()), ball));
        let n = summary.n.min(MANY);
        let flat = 2.0 * radius / n as f64;
        mean.and_then(|mean| mean.sensitivity(n)).is_ok_and(|most| most.value() <= STEEPEST * flat)
    }
}

/// The noise on the center, with that on the radius.
fn with_radius(center: &PlanSummary, radius: &PrivateRadius) -> Vec<NoiseDraw> {
    let on_center = center.noise.iter().cloned().map(|draw| NoiseDraw { quantity: NoiseOf::Center, ..draw });
    on_center.chain([radius.draws()]).collect()
}

/// The privacy event of a part of the location.
fn of_location(part: &Part, center: &PlanSummary) -> PrivacyEventPart {
    let scale = Some(center.scale).filter(|_| part.part == PartName::Center);
    let mechanism = Some(MechanismName::Locate);
    PrivacyEventPart { guarantee: part.guarantee, numerics: part.numerics, mechanism, scale, ..center.as_part() }
}

impl Sealed for LocateBall {}

impl Plan for LocateBall {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let (ball, flags, lattice) = self.locate(records, context)?;
        context.release(self.summary.provenance(lattice, flags), Value::Ball(ball))
    }

    fn lattice(&self) -> f64 {
        self.location.median.lattice(&self.summary).step()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Ball(ball) = &stated.value else { return Err(of_another_statistic()) };
        let (ball, flags) = self.ball_again(ball, &stated.provenance.flags, "center")?;
        context.release(self.summary.provenance(self.lattice(), flags), Value::Ball(ball))
    }
}
