//! A release made again from the noisy numbers that another one states.
//!
//! Everything in a release is a function of its noisy numbers and of public quantities. So a reader can round the noisy
//! numbers to their lattice and run the processing again: a genuine release comes out as it was. A part that the
//! numbers of a file do not tell is taken as it is stated, such as a point that doubles do not hold.

use crate::Lattice;
use crate::error::{Error, Result};
use crate::manifold::has_linear_numbers;
use crate::mechanism::noise::exact::multiple;
use crate::mechanism::noise::published::{error_at, point_of, unbounded};
use crate::mechanism::{Denoising, Plan, PlanSummary};
use crate::noise::Generator;
use crate::records::{Centered, PrivacyUnit, shorten};
use crate::release::{Flag, OpenRelease, PublishedRelease, Release, Value};
use crate::spec::field;
use crate::vector::norm;

/// Relative slack of a public bound, for rounding and the lattice.
const BOUND: f64 = 1e-6;

/// The release that a plan makes of the noisy numbers of a stated one, for a unit of privacy. Nothing is drawn.
///
/// # Errors
/// [`Error::Field`] for a field that the plan needs and that is missing, or is no point of its space.
pub(crate) fn release(plan: &dyn Plan, stated: &PublishedRelease, unit: PrivacyUnit) -> Result<PublishedRelease> {
    let mut unused = Generator::seeded(0);
    let promise = plan.summary().promise_to(unit);
    Ok(plan.again(stated, &OpenRelease::again(promise, &stated.provenance, &mut unused))?.into())
}

/// A field without which nothing can be made again.
pub(crate) fn missing(name: &'static str) -> Error {
    field(name, "it is missing, and the specification leads to one")
}

/// The refusal of a value of another statistic.
pub(crate) fn of_another_statistic() -> Error {
    field("value", "it has the fields of another statistic")
}

/// The same for a plan whose release is a point: from its noisy coordinates on.
///
/// These are no longer than `most`. `edge` is the flag that follows from the coordinates of the point.
pub(crate) fn point<P: Plan + ?Sized>(
    plan: &P,
    stated: &PublishedRelease,
    (most, edge): (f64, impl Fn(&[f64]) -> Option<Flag>),
    context: &OpenRelease<'_>,
) -> Result<Release> {
    let Value::Point(point) = &stated.value else { return Err(of_another_statistic()) };
    let (summary, claimed) = (plan.summary(), &stated.provenance.flags);
    let centered = Centered::new(&summary.manifold, &summary.ball)?;
    check_point("value", &point.value, summary)?;
    point.noisy_value.iter().try_for_each(|noisy| check_point("noisy_value", noisy, summary))?;
    let told = point.noisy_value.as_ref().unwrap_or(&point.value);
    let mut noisy = match &point.noisy_coordinates {
        Some(coordinates) if coordinates.len() != summary.manifold.dim() => {
            return Err(field("noisy_coordinates", "there must be one for each dimension of the space"));
        }
        Some(coordinates) => coordinates.iter().map(|c| multiple(*c, plan.lattice())).collect(),
        None => Lattice::of_step(plan.lattice()).rounded(centered.held(told)),
    };
    shorten(&mut noisy, most);
    let count = stated.provenance.private_count.as_ref();
    let quiet = (summary.denoising != Denoising::None).then(|| {
        let mut quiet = noisy.clone();
        plan.denoise(&mut quiet, count);
        quiet
    });
    // the flag may be that of the center of a located ball
    let needs_logarithm = claims_digits(claimed) && stated.provenance.located.is_none();
    // a logarithm is computed again whatever the error of the value: one of a few last bits may be 0 next to it
    let tolerance = if point.logarithm.is_some() || needs_logarithm { -1.0 } else { summary.scale / 1024.0 };
    let (mut made, mut flags) = point_of(&centered, (&noisy, quiet.as_deref()), tolerance, summary);

    let of_value = match (&point.noisy_coordinates, &quiet) {
        (None, _) => Precision::of(summary, &point.value),
        (Some(_), quiet) => Precision::at(summary, |_| quiet.as_ref().unwrap_or(&noisy).clone()),
    };
    // the noisy value has no flag of its own
    let of_noisy = match &point.noisy_coordinates {
        None => Precision::of(summary, told),
        Some(_) => Precision::at(summary, |_| noisy.clone()),
    };
    let is_center = [&point.value, told].iter().any(|own| *own == summary.ball.center());
    let is_beyond = of_value.flags_digits(claimed, is_center) || !of_noisy.is_held() && claims_digits(claimed);
    flags.retain(|flag| *flag != Flag::BeyondPrecision);
    flags.extend(is_beyond.then_some(Flag::BeyondPrecision));
    // a draw on a curved space, which nothing follows from, may be too far out for its numbers
    let is_exact = has_linear_numbers(&*summary.manifold) || point.noisy_coordinates.is_some();
    if !is_exact && (claims_digits(claimed) || !of_value.is_told()) {
        (made.value, made.logarithm) = (point.value.clone(), point.logarithm.clone());
    }
    let has_logarithm = is_beyond && (point.logarithm.is_some() || needs_logarithm || of_value.is_beyond());
    made.logarithm = made.logarithm.filter(|_| has_logarithm);
    let of_edge = match point.noisy_coordinates.is_some() || of_value.is_told() {
        true => edge(quiet.as_ref().unwrap_or(&noisy)),
        false => Some(Flag::CenterAtEdge).filter(|flag| claimed.contains(flag)),
    };
    flags.extend(of_edge);

    let release = context.release(summary.provenance(plan.lattice(), flags), Value::Point(made))?;
    Ok(match count.and_then(|count| plan.count_again(count.noisy_value)) {
        Some(again) => release.with_count(again, plan.region_of(count, crate::mechanism::plan::REGION)),
        None => release,
    })
}

/// So many stated noisy numbers of a field, as multiples of a unit.
pub(crate) fn numbers(name: &'static str, stated: &[f64], many: usize, unit: f64) -> Result<Vec<f64>> {
    if stated.len() != many || stated.iter().any(|number| !number.is_finite()) {
        return Err(field(name, format!("there must be {many} finite numbers")));
    }
    Ok(stated.iter().map(|number| multiple(*number, unit)).collect())
}

/// Refuses numbers that are no point of the space.
pub(crate) fn check_point(name: &'static str, x: &[f64], summary: &PlanSummary) -> Result<()> {
    summary.manifold.check_point(x).map_err(|error| field(name, error.to_string()))
}

/// A stated point that was rounded in the ball: moved into it if it clearly lies outside. Where numbers end, a distance
/// says nothing; the point does not decide whether they do.
pub(crate) fn in_ball(name: &'static str, x: &[f64], summary: &PlanSummary, lattice: f64) -> Result<Vec<f64>> {
    check_point(name, x, summary)?;
    let farthest = farthest(summary, lattice);
    let is_in = summary.manifold.dist(summary.ball.center(), x) <= farthest;
    let mut x = x.to_vec();
    if !is_in && Precision::within(summary, &x, farthest).is_told() {
        summary.ball.clip_in_place(&*summary.manifold, &mut x);
    }
    Ok(x)
}

/// The largest distance from the center of a point that was rounded in the ball.
pub(crate) fn farthest(summary: &PlanSummary, lattice: f64) -> f64 {
    summary.ball.radius() * (1.0 + BOUND) + lattice * (summary.manifold.dim() as f64).sqrt()
}

/// A bound with its slack.
pub(crate) fn with_slack(bound: f64) -> f64 {
    bound * (1.0 + BOUND)
}

/// Whether a release states the flag of digits that a double does not hold.
pub(crate) fn claims_digits(claimed: &[Flag]) -> bool {
    claimed.contains(&Flag::BeyondPrecision)
}

/// The errors with which numbers hold the coordinates of a point in unbounded factors, and of a few points farther out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precision {
    least: f64,
    largest: f64,
    /// The length of these coordinates, and the largest number of the center.
    size: f64,
    scale: f64,
}

impl Precision {
    /// Of a point in the ball of a plan.
    pub(crate) fn of(summary: &PlanSummary, point: &[f64]) -> Self {
        Self::at(summary, |centered| centered.held(point))
    }

    /// Of a point in the direction of another, no farther than `most` from the center. So a planted point, whose own
    /// numbers may tell nothing, excuses nothing.
    pub(crate) fn within(summary: &PlanSummary, point: &[f64], most: f64) -> Self {
        Self::at(summary, |centered| {
            let mut held = centered.held(point);
            if !norm(&held).is_finite() {
                held.fill(0.0);
                held[0] = most;
            }
            shorten(&mut held, most);
            held
        })
    }

    /// Of the point with such coordinates at the center of the ball.
    pub(crate) fn at(summary: &PlanSummary, coordinates: impl Fn(&Centered) -> Vec<f64>) -> Self {
        const FURTHER: [f64; 4] = [1.0, 1.127_379_167, 1.253_714_137, 1.381_976_598];
        let scale = summary.scale;
        let Ok(centered) = Centered::new(&summary.manifold, &summary.ball) else {
            return Self { least: 0.0, largest: f64::INFINITY, size: 0.0, scale };
        };
        let coordinates = coordinates(&centered);
        let growing: Vec<f64> = coordinates
            .iter()
            .zip(unbounded(&*summary.manifold))
            .filter(|(_, grows)| *grows)
            .map(|(c, _)| *c)
            .collect();
        if growing.is_empty() {
            return Self { least: 0.0, largest: 0.0, size: 0.0, scale };
        }
        let errors = FURTHER.map(|factor| {
            let error = error_at(&centered, &coordinates, factor);
            if error.is_nan() { f64::INFINITY } else { error }
        });
        let [least, largest] = [f64::min as fn(f64, f64) -> f64, f64::max]
            .map(|either| errors.into_iter().reduce(either).unwrap_or_default());
        let of_center = summary.ball.center().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        Self { least, largest, size: norm(&growing) + of_center, scale }
    }

    /// Whether the point is clearly [beyond precision](Flag::BeyondPrecision): a thousand times beyond the limit, which
    /// is a thousandth of the scale. The coordinates that decided are not known exactly, and one of them may be right
    /// by chance. Errors of a few last bits are 0 by chance more often.
    pub(crate) fn is_beyond(self) -> bool {
        self.least > self.scale.max(64.0 * self.size * f64::EPSILON)
    }

    /// Whether a release has the flag: where that is clear, and otherwise if it states it. Where no double holds a
    /// point, the center of the ball is published in its place.
    pub(crate) fn flags_digits(self, claimed: &[Flag], is_center: bool) -> bool {
        self.is_beyond() || claims_digits(claimed) && (is_center || !self.is_held())
    }

    /// Whether it clearly is not.
    pub(crate) fn is_held(self) -> bool {
        // the error of a point next to it may be 0 by chance
        self.largest.max(self.size * f64::EPSILON) <= 1e-6 * self.scale
    }

    /// Whether the point tells its coordinates to about the precision of its numbers. Very far out it does not: numbers
    /// end, and small eigenvalues are raised.
    pub(crate) fn is_told(self) -> bool {
        self.largest <= self.size / (1_u64 << 42) as f64
    }
}
