//! A value made again from the noisy numbers that a release states.
//!
//! Everything in a value is a function of its noisy numbers, of public quantities and of the private count. So a reader
//! can round the noisy numbers to their lattice and apply that function. A genuine value comes out as it was.

use crate::Lattice;
use crate::error::Result;
use crate::manifold::FlatChart;
use crate::mechanism::noise::exact::multiple;
use crate::mechanism::noise::published::{error_at, published, unbounded};
use crate::mechanism::{Denoising, Plan, PlanSummary};
use crate::records::{Centered, shorten};
use crate::release::{Flag, MechanismName, PrivateCount, PrivatePoint, RandomizedRecord, Value};
use crate::vector::{add_scaled, norm};

/// The value of a plan without any of its own: a point, or the coordinates of a record. Others stay as they are.
pub(crate) fn value<P: Plan + ?Sized>(
    plan: &P,
    stated: &Value,
    count: Option<&PrivateCount>,
) -> Result<(Value, Vec<Flag>)> {
    match stated {
        Value::Point(point) => point_again(plan, point, count),
        Value::Record(record) => {
            let coordinates = Lattice::of_step(plan.lattice()).rounded(record.coordinates.clone());
            Ok((Value::Record(RandomizedRecord { coordinates }), vec![]))
        }
        other => Ok((other.clone(), vec![])),
    }
}

/// The nearest point whose coordinates at the center of a plan's ball lie on a lattice.
pub(crate) fn nearest(summary: &PlanSummary, lattice: f64, stated: &PrivatePoint) -> Result<Vec<f64>> {
    let centered = Centered::new(&summary.manifold, &summary.ball)?;
    let coordinates = noisy_coordinates(&centered, lattice, stated);
    Ok(published(&centered, &coordinates, summary.scale / 1024.0).value)
}

/// The noisy coordinates that a point states, or those of its numbers, on a lattice.
fn noisy_coordinates(centered: &Centered, lattice: f64, stated: &PrivatePoint) -> Vec<f64> {
    match &stated.noisy_coordinates {
        Some(coordinates) => coordinates.iter().map(|c| multiple(*c, lattice)).collect(),
        None => {
            let told = centered.held(stated.noisy_value.as_ref().unwrap_or(&stated.value));
            Lattice::of_step(lattice).rounded(told)
        }
    }
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

    /// Of a point and of its noisy point, by the noisy coordinates if they are stated.
    pub(crate) fn of_both<P: Plan + ?Sized>(
        plan: &P,
        stated: &PrivatePoint,
        count: Option<&PrivateCount>,
    ) -> [Self; 2] {
        let noisy_value = stated.noisy_value.as_ref().unwrap_or(&stated.value);
        match &stated.noisy_coordinates {
            None => [&stated.value, noisy_value].map(|point| Self::of(plan.summary(), point)),
            Some(noisy) => {
                let mut quiet = noisy.clone();
                plan.denoise(&mut quiet, count);
                [&quiet, noisy].map(|coordinates| Self::at(plan.summary(), |_| coordinates.clone()))
            }
        }
    }

    fn at(summary: &PlanSummary, coordinates: impl Fn(&Centered) -> Vec<f64>) -> Self {
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

/// Whether noise in coordinates may reach farther than the injectivity radius, so that a point does not tell them: with
/// a probability above `e^(−40)` in `d` dimensions, of a law with tails no heavier than exponential ones.
pub(crate) fn may_wrap(summary: &PlanSummary, count: Option<&PrivateCount>) -> bool {
    let injective = summary.manifold.injectivity_radius();
    if summary.mechanism != MechanismName::Chart || injective == f64::INFINITY {
        return false;
    }
    let d = summary.manifold.dim() as f64 + 1.0;
    // the number of records makes the noise of their sum longer, and adds its own
    let wider = count.map_or(1.0, |count| 2.0 * (summary.n as f64 / count.divisor()).max(1.0));
    summary.ball.radius() + summary.scale * wider * (d + 40.0 + (80.0 * d).sqrt()) >= injective
}

/// A point: its noisy coordinates are rounded, denoised and published. Its region is left to the caller. Where they are
/// not stated and the logarithm is, and nothing was denoised, they are read off it. A stated logarithm is computed
/// again whatever the error of the value: an error of a few last bits may be 0 next to it.
fn point_again<P: Plan + ?Sized>(
    plan: &P,
    stated: &PrivatePoint,
    count: Option<&PrivateCount>,
) -> Result<(Value, Vec<Flag>)> {
    let summary = plan.summary();
    let centered = Centered::new(&summary.manifold, &summary.ball)?;
    let tolerance = if stated.logarithm.is_some() { -1.0 } else { summary.scale / 1_024.0 };
    let at = |coordinates: &[f64]| published(&centered, coordinates, tolerance);
    let is_denoised = summary.denoising != Denoising::None;
    let is_by_logarithm = stated.noisy_coordinates.is_none() && !is_denoised;
    let of_logarithm = centered.chart().zip(stated.logarithm.as_ref()).filter(|_| is_by_logarithm);
    let (quiet, noisy_value) = match of_logarithm {
        Some(((chart, center), logarithm)) => (coordinates_of(chart, center, logarithm), None),
        None => {
            let noisy = noisy_coordinates(&centered, plan.lattice(), stated);
            let mut quiet = noisy.clone();
            plan.denoise(&mut quiet, count);
            (quiet, is_denoised.then(|| at(&noisy).value))
        }
    };
    let published = at(&quiet);
    let point = PrivatePoint {
        value: published.value,
        noisy_value,
        noisy_coordinates: stated.noisy_coordinates.clone(),
        logarithm: published.logarithm,
        region: None,
        spread: None,
        components: None,
        extrinsic: None,
    };
    Ok((Value::Point(point), vec![]))
}

/// The coordinates at the center of a matrix logarithm, which is linear in them: by its product with the logarithm of
/// each unit vector.
fn coordinates_of(chart: &dyn FlatChart, center: &[f64], logarithm: &[f64]) -> Vec<f64> {
    let along = |i: usize| {
        let unit: Vec<f64> = (0..center.len()).map(|j| f64::from(u8::from(i == j))).collect();
        let unit = chart.logarithm(&unit).unwrap_or_default();
        let square: f64 = unit.iter().map(|x| x * x).sum();
        if square > 0.0 { unit.iter().zip(logarithm).map(|(x, y)| x * y).sum::<f64>() / square } else { 0.0 }
    };
    let mut coordinates: Vec<f64> = (0..center.len()).map(along).collect();
    add_scaled(&mut coordinates, -1.0, center);
    coordinates
}
