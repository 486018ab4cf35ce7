//! `karcher plan --plot`: the expected error against the number of records, and against the budget.

use super::Picture;
use crate::Failure;
use crate::plan_curves::CurveSetting;
use karcher::mechanism::Candidate;
use karcher::privacy::{Definition, Guarantee};
use karcher_report::{Curve, Curves, Expected, PlanCurves};
use std::path::Path;

/// Points of a curve on each side of the plan, over a factor of ten.
const STEPS: i32 = 6;

/// Draws the curves of a plan, if a file is wanted. They follow from public numbers alone, as the plan does.
pub fn draw_plan<'a>(
    path: Option<&Path>,
    force: bool,
    setting: impl FnOnce() -> CurveSetting<'a>,
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let picture = Picture::create("--plot", path, force, &[])?;
    let factors: Vec<f64> = (-STEPS..=STEPS).map(|i| 10_f64.powf(f64::from(i) / f64::from(STEPS))).collect();
    let setting = setting();
    let (n, budget) = (setting.n, setting.budget);
    let mut numbers: Vec<usize> = factors.iter().map(|factor| (factor * n as f64).round() as usize).collect();
    numbers.retain(|n| *n > 0);
    numbers.dedup();
    let (name, planned) = parameter(budget);
    let over_n = numbers.into_iter().map(|n| (n as f64, (setting.candidates)(n, budget)));
    let over_budget = factors.iter().map(|factor| {
        let found = scaled(budget, *factor).and_then(|budget| (setting.candidates)(n, budget));
        (planned * factor, found)
    });
    let over = [
        Curves { axis: setting.records.to_owned(), planned: n as f64, curves: curves(over_n, setting.unit) },
        Curves { axis: name.to_owned(), planned, curves: curves(over_budget, setting.unit) },
    ];
    let (title, error) = (setting.title.clone(), setting.error.clone());
    let curves = PlanCurves { title, setting: setting.words.clone(), error, over };
    picture.draw_curves(&curves)
}

/// A curve for each mechanism, through the places where it applies and its error is known.
fn curves(places: impl Iterator<Item = (f64, Result<Vec<Candidate>, Failure>)>, unit: f64) -> Vec<Curve> {
    let mut curves: Vec<Curve> = vec![];
    for (at, candidates) in places {
        // a number or a budget for which nothing can be planned has no point
        for candidate in candidates.unwrap_or_default() {
            let Ok(plan) = candidate.plan else { continue };
            // without a bound of its bias nothing is known of a flow's error
            let bias = plan.bias_bound();
            if !bias.is_finite() {
                continue;
            }
            let quantile_95 = plan.distance().map(|law| (law.quantile(0.95) + bias) / unit);
            let point = Expected { at, error: (plan.expected_distance() + bias) / unit, quantile_95 };
            let mechanism = candidate.mechanism.name().to_string();
            match curves.iter_mut().find(|curve| curve.mechanism == mechanism) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { mechanism, points: vec![point] }),
            }
        }
    }
    curves
}

/// The parameter of a budget, and its number.
fn parameter(budget: Guarantee) -> (&'static str, f64) {
    match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => ("ε", epsilon),
        Definition::Gaussian { mu } => ("μ", mu),
        Definition::Concentrated { rho } => ("ρ", rho),
    }
}

/// A budget whose parameter is multiplied; a δ stays.
fn scaled(budget: Guarantee, factor: f64) -> Result<Guarantee, Failure> {
    Ok(match budget.definition() {
        Definition::Pure { epsilon } => Guarantee::pure(factor * epsilon)?,
        Definition::Approximate { epsilon, delta } => Guarantee::approximate(factor * epsilon, delta)?,
        Definition::Gaussian { mu } => Guarantee::gaussian(factor * mu)?,
        Definition::Concentrated { rho } => Guarantee::concentrated(factor * rho)?,
    })
}
