//! `karcher plan --plot`: the expected error against the number of records, and against the budget.

use super::Picture;
use crate::Failure;
use crate::plan_curves::CurveSetting;
use karcher_report::{Curves, PlanCurves};
use std::path::Path;

/// Draws the curves of a plan, if a file is wanted. They follow from public numbers alone, as the plan does.
pub fn draw_plan<'a>(
    path: Option<&Path>,
    force: bool,
    setting: impl FnOnce() -> CurveSetting<'a>,
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let picture = Picture::create("--plot", path, force, &[])?;
    let setting = setting();
    // a number or a budget for which nothing can be planned has no point
    let candidates = |n, budget| (setting.candidates)(None, n, budget).unwrap_or_default();
    let over = Curves::of((setting.records(), setting.n), setting.budget, setting.unit.0, &candidates);
    let (title, error) = (setting.title.clone(), format!("expected {}, in {}", setting.error, setting.unit.1));
    picture.draw_curves(&PlanCurves { title, setting: setting.words.clone(), error, over })
}
