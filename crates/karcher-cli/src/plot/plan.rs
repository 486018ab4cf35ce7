//! `karcher plan --plot`: the expected error against the number of records, and against the budget.

use super::Picture;
use crate::Failure;
use crate::plan_curves::CurveSetting;
use karcher::mechanism::{Candidate, Plan};
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
    let over_n = numbers.into_iter().map(|n| (n as f64, (setting.candidates)(None, n, budget)));
    let over_budget = factors.iter().map(|factor| {
        let found = with_parameter(budget, planned * factor).and_then(|budget| (setting.candidates)(None, n, budget));
        (planned * factor, found)
    });
    let over = [
        Curves { axis: setting.records().to_owned(), planned: n as f64, curves: curves(over_n, setting.unit.0) },
        Curves { axis: name.to_owned(), planned, curves: curves(over_budget, setting.unit.0) },
    ];
    let (title, error) = (setting.title.clone(), format!("expected {}, in {}", setting.error, setting.unit.1));
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
            let Some(error) = known_error(&*plan) else { continue };
            let quantile_95 = plan.distance().map(|law| (law.quantile(0.95) + plan.bias_bound()) / unit);
            let point = Expected { at, error: error / unit, quantile_95 };
            let mechanism = candidate.mechanism.name().to_string();
            match curves.iter_mut().find(|curve| curve.mechanism == mechanism) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { mechanism, points: vec![point] }),
            }
        }
    }
    curves
}

/// The expected error of a plan with the bound of its bias. Without that bound nothing is known of a flow's error.
pub(super) fn known_error(plan: &dyn Plan) -> Option<f64> {
    let bias = plan.bias_bound();
    bias.is_finite().then(|| plan.expected_distance() + bias)
}

/// The parameter of a budget, and its number.
pub(super) fn parameter(budget: Guarantee) -> (&'static str, f64) {
    match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => ("ε", epsilon),
        Definition::Gaussian { mu } => ("μ", mu),
        Definition::Concentrated { rho } => ("ρ", rho),
    }
}

/// A budget with another parameter; a δ stays.
pub(super) fn with_parameter(budget: Guarantee, parameter: f64) -> Result<Guarantee, Failure> {
    Ok(match budget.definition() {
        Definition::Pure { .. } => Guarantee::pure(parameter)?,
        Definition::Approximate { delta, .. } => Guarantee::approximate(parameter, delta)?,
        Definition::Gaussian { .. } => Guarantee::gaussian(parameter)?,
        Definition::Concentrated { .. } => Guarantee::concentrated(parameter)?,
    })
}
