//! The private location of a ball that nobody knows: a center by the median flow or by medians of coordinates, then a
//! radius by a private quantile of the distances to the released center (user guide, B1, B2 and B5).
//!
//! The center is an output by the time distances are measured, so the two guarantees add up. Nothing is refused once
//! records have been looked at: a radius that is too large for a mean is what the data say, and a flag says it.

pub(crate) mod center;
pub(crate) mod coordinate_medians;
pub(crate) mod located_mean;
pub(crate) mod radius;
pub(crate) mod rehearsed_ball;
pub(crate) mod two_stage;

use crate::Lattice;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::location::center::Center;
use crate::mechanism::location::coordinate_medians::CoordinateMedians;
use crate::mechanism::location::radius::PrivateRadius;
use crate::mechanism::noise::published::published;
use crate::mechanism::plan::budget::{Share, as_normal, as_pure, rest};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    FlowToMedian, Mechanism, Outline, Plan, PrivateFrechetMean, PrivateGeometricMedian, Request, check_number,
};
use crate::privacy::{Definition, Guarantee};
use crate::records::Records;
use crate::release::{
    AnnouncedPart, CenterBy, Flag, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenDoor, Part, PartName, PrivateBall,
    Release, StatisticName, Value,
};
use statrs::distribution::{ContinuousCDF, Normal};
use std::sync::Arc;

/// How a budget is shared out: public, and the same whatever the records are. The default is that of a center by a
/// median flow.
///
/// ```
/// use karcher::mechanism::Shares;
/// assert_eq!(Shares::default(), Shares { location: 0.25, center: 0.7 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Of a mean in a located ball, the share of the budget that locates it.
    pub location: f64,
    /// Of what locates a ball, the share of the center; the rest is the radius's.
    pub center: f64,
}

/// What did best of a few in a comparison with made-up clusters (user guide, B3).
impl Default for Shares {
    fn default() -> Self {
        Self { location: 0.25, center: 0.7 }
    }
}

/// The share of the records that the radius aims at, unless told otherwise.
const QUANTILE: f64 = 0.75;

/// The share of a normal cluster in the plane, or on a line, that the ball is to hold.
const HELD: f64 = 0.97;

/// How many times as large as the radius that aims at a share `q` the ball is, and 1 at least: what it takes from `q`
/// to 97 % of a normal law. In two dimensions that is `√(ln 0.03/ln(1 − q))`, 1.59 for ¾; on a line `Φ⁻¹(0.985)/Φ⁻¹((1
/// + q)/2)`, 1.89 for ¾. In more dimensions less than in two would do, for clusters that are as wide in all of them.
fn margin(quantile: f64, dimension: usize) -> f64 {
    let ratio = match dimension {
        1 => {
            let [held, aimed] = [HELD, quantile].map(|share| Normal::standard().inverse_cdf(0.5 * (1.0 + share)));
            held / aimed
        }
        _ => ((-HELD).ln_1p() / (-quantile).ln_1p()).sqrt(),
    };
    ratio.max(1.0)
}

/// Halvings of an interval of radii.
const HALVINGS: usize = 20;

/// A mean is of use where its sensitivity is at most this many times that in a flat space: `tan x ≤ 3x` on positively
/// curved ones, `x = √κ·r`, hence up to 1.32. Nearer to the limit `π/2` the noise would hide what a larger ball gains.
const STEEPEST: f64 = 3.0;

/// What is asked for when nobody knows the ball: one that holds most records, within a public outer ball.
///
/// The outer ball may be a thousand times as large as the one that is sought, and on a compact space the whole space.
///
/// ```
/// use karcher::{Ball, manifold::{Manifold, Sphere}, mechanism::{PrivateLocation, Request}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let everywhere = Ball::at_origin(&*sphere, sphere.diameter())?;
/// let location = PrivateLocation::new(sphere, everywhere)?;
/// let plan = Request::new(location, 1_000, Guarantee::pure(1.0)?).plan()?;
/// assert_eq!(plan.name().name(), "locate");
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateLocation {
    median: PrivateGeometricMedian,
    quantile: f64,
    /// What was asked for.
    shares: Option<Shares>,
}

impl PrivateLocation {
    /// The location of a ball within an outer one.
    ///
    /// # Errors
    /// As for [`PrivateGeometricMedian::new`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateLocation};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// assert!(PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?).is_ok());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, within: Ball) -> Result<Self> {
        Ok(Self { median: PrivateGeometricMedian::new(manifold, within)?, quantile: QUANTILE, shares: None })
    }

    /// The share of the records that the chosen radius aims at, between 0 and 1: ¾ unless told otherwise, so that fewer
    /// than a quarter of wild records cannot pull it. The ball is larger than that radius, so that it holds 97 % of a
    /// normal cluster in the plane: 1.59 times at ¾, 1.23 times at 0.9, not at all from 0.97 on; on a line 1.89 times
    /// and 1.32 times.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for what is no share, and for 1: noise hides the farthest record, so that no radius
    /// can be aimed at it.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateLocation};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?)?;
    /// assert!(location.clone().quantile(0.9).is_ok() && location.quantile(1.0).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn quantile(self, quantile: f64) -> Result<Self> {
        if quantile > 0.0 && quantile < 1.0 {
            return Ok(Self { quantile, ..self });
        }
        let requirement = "it must be a share of the records between 0 and 1; not 1, because noise hides the farthest \
                           record: 0.97 holds nearly all"
            .to_owned();
        Err(Error::InvalidParameter { name: "quantile", value: quantile, requirement })
    }

    /// How the budget is shared out, however the center is found. Unless this is called it is [`Shares::default`] for a
    /// median flow, and what `n·ε` and the dimension ask for where medians of coordinates find the center (user guide,
    /// B5).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a share that is not between 0 and 1.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateLocation, Shares}};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?)?;
    /// assert!(location.clone().shares(Shares { location: 0.5, center: 0.5 }).is_ok());
    /// assert!(location.shares(Shares { location: 1.0, center: 0.5 }).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn shares(self, shares: Shares) -> Result<Self> {
        for (name, value) in [("share_of_location", shares.location), ("share_of_center", shares.center)] {
            if !(value > 0.0 && value < 1.0) {
                let requirement = "it must be a share of the budget between 0 and 1".to_owned();
                return Err(Error::InvalidParameter { name, value, requirement });
            }
        }
        Ok(Self { shares: Some(shares), ..self })
    }

    /// The shares of `n` records and a budget where the center is found in this way.
    fn shares_of(&self, by: CenterBy, n: usize, budget: Guarantee) -> Shares {
        self.shares.unwrap_or_else(|| match (by, budget.definition()) {
            (CenterBy::CoordinateMedians, Definition::Pure { epsilon }) => {
                coordinate_medians::shares(self.manifold().dim(), n, epsilon)
            }
            _ => Shares::default(),
        })
    }

    fn margin(&self) -> f64 {
        margin(self.quantile, self.manifold().dim())
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.median.manifold()
    }

    /// The public outer ball.
    pub fn ball(&self) -> &Ball {
        self.median.ball()
    }
}

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

    fn statistics(&self) -> &'static [StatisticName] {
        &[StatisticName::Ball]
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["steps", "expected_spread"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        let location = request.location(self.name())?;
        let mut ball = LocateBall::new(location, request.n(), request.budget(), request.asked_steps())?;
        if let Some(spread) = request.asked_spread() {
            // in the place of the worst of many clusters
            (ball.outline.expected_distance, ball.outline.at_most) = (ball.rehearse_center(spread), false);
        }
        Ok(Box::new(ball))
    }
}

/// A location with everything decided that can be decided without the records.
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
    outline: Outline,
}

impl LocateBall {
    /// The location for `n` records and a budget, by the way to a center that does best in a rehearsal: medians of
    /// coordinates, or a median flow of so many steps. By a flow if a number of steps is given.
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
    /// assert_eq!(plan.outline().steps.as_ref().map(Vec::len), Some(12));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(location: &PrivateLocation, n: usize, budget: Guarantee, steps: Option<usize>) -> Result<Self> {
        check_number(n)?;
        let normal = as_normal(budget)?;
        let center_of = |by| Share::even(location.shares_of(by, n, normal).center).from(normal);
        let mut center = Center::Flow(FlowToMedian::new(&location.median, n, center_of(CenterBy::MedianFlow)?, steps)?);
        if steps.is_none() {
            let part = center_of(CenterBy::CoordinateMedians)?;
            center = center.or(CoordinateMedians::new(&location.median, n, part)?);
        }
        let shares = location.shares_of(center.by(), n, normal);
        let epsilon = as_pure(Share::even(rest(shares.center)).from(normal)?)?;
        // from a center in the outer ball every record of the outer ball is within twice its radius
        let largest = (2.0 * location.ball().radius()).min(location.manifold().diameter());
        let radius = PrivateRadius::new(largest, location.quantile, n, epsilon)?;
        let part = |part, guarantee| Part { part, guarantee, numerics: Numerics::Exact };
        let parts =
            [part(PartName::Center, center.outline().guarantee), part(PartName::Radius, Guarantee::pure(epsilon)?)];
        let outline = Outline {
            mechanism: MechanismName::Locate,
            statistic: StatisticName::Ball,
            guarantee: budget,
            noise: with_radius(center.outline(), epsilon),
            parts: parts.iter().map(|part| of_location(part, center.outline())).collect(),
            ..center.outline().clone()
        };
        Ok(Self { location: location.clone(), center, radius, parts, outline })
    }

    /// The location with a part of a budget of which the rest is a mean's, and the share that it gets.
    pub(super) fn with_part_of(location: &PrivateLocation, n: usize, budget: Guarantee) -> Result<(Self, f64)> {
        let with = |by| -> Result<(Self, f64)> {
            let part = location.shares_of(by, n, budget).location;
            Ok((Self::new(location, n, Share::even(part).from(as_normal(budget)?)?, None)?, part))
        };
        let (locate, part) = with(CenterBy::CoordinateMedians)?;
        if locate.center_by() == CenterBy::CoordinateMedians { Ok((locate, part)) } else { with(CenterBy::MedianFlow) }
    }

    /// How the center is found.
    pub fn center_by(&self) -> CenterBy {
        self.center.by()
    }

    /// What center and radius cost.
    pub fn parts(&self) -> [Part; 2] {
        self.parts
    }

    /// The balls around a center that may come out: with the margin, rising. The last ones may be the same.
    pub(super) fn radii(&self) -> Vec<f64> {
        let (radii, margin) = (self.radius.radii(), self.location.margin());
        radii.all().into_iter().map(|r| (margin * r).min(radii.largest)).collect()
    }

    /// The location of the records.
    pub(super) fn locate(
        &self,
        records: &dyn Records,
        door: &mut OpenDoor<'_>,
    ) -> Result<(PrivateBall, Vec<Flag>, f64)> {
        self.outline.begin(records, door)?;
        let seen = self.location.median.seen();
        let centered = seen.centered();
        let records = seen.carry(records)?;
        let end = self.center.end(&records, door)?;
        let (coordinates, lattice) = self.location.median.coordinates(&end, &self.outline);
        // from here on the center is an output
        let center = Lattice::point(centered.space(), centered.center(), &coordinates);
        let place = self.radius.place(centered.space(), &center, &records, door.generator())?;
        let published = published(centered, &coordinates, self.outline.scale / 1024.0);
        let located = PrivateBall {
            center: published.value,
            center_by: self.center_by(),
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
        flags.extend(self.location.median.at_edge(&coordinates));
        Ok((located, flags, lattice))
    }

    /// How far from the middle of a made-up cloud of a spread the center is found.
    pub(super) fn rehearse_center(&self, spread: f64) -> f64 {
        self.center.rehearse(spread)
    }

    /// The probability of each place of the grid, of a made-up cloud of which a share `within(r)` is within `r`.
    pub(super) fn rehearse_radius(&self, within: impl Fn(f64) -> f64) -> Vec<f64> {
        self.radius.rehearse(self.outline.n, within)
    }

    /// The radius of the ball for a place of the grid: with the margin, or as much of it as leaves a mean of use.
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

    /// Whether there is a mean of use in a ball of a radius. It depends on the radius alone: with more than `MANY`
    /// records the allowance for rounding would count for more than the curvature.
    pub(super) fn has_mean(&self, radius: f64) -> bool {
        const MANY: usize = 1 << 30;
        let Self { location, outline, .. } = self;
        let ball = Ball::new(&**location.manifold(), location.ball().center().to_vec(), radius);
        let mean =
            ball.map_err(Error::from).and_then(|ball| PrivateFrechetMean::new(Arc::clone(location.manifold()), ball));
        let n = outline.n.min(MANY);
        let flat = 2.0 * radius / n as f64;
        mean.and_then(|mean| mean.sensitivity(n)).is_ok_and(|most| most.value() <= STEEPEST * flat)
    }
}

/// The noise on the center, with that on the radius.
fn with_radius(center: &Outline, epsilon: f64) -> Vec<NoiseDraw> {
    let on_center = center.noise.iter().cloned().map(|draw| NoiseDraw { of: NoiseOf::Center, ..draw });
    on_center.chain([NoiseDraw::choices(NoiseOf::Radius, epsilon, 1)]).collect()
}

/// A part of the location, as it is announced.
fn of_location(part: &Part, center: &Outline) -> AnnouncedPart {
    let scale = Some(center.scale).filter(|_| part.part == PartName::Center);
    let mechanism = Some(MechanismName::Locate);
    AnnouncedPart { guarantee: part.guarantee, numerics: part.numerics, mechanism, scale, ..center.as_part() }
}

impl Sealed for LocateBall {}

impl Plan for LocateBall {
    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn draw(&self, records: &dyn Records, door: &mut OpenDoor<'_>, _: &(dyn Fn(usize) + Sync)) -> Result<Release> {
        let (ball, flags, lattice) = self.locate(records, door)?;
        door.release(self.outline.provenance(lattice, flags), Value::Ball(ball))
    }
}
