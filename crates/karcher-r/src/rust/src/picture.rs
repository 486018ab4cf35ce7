//! Pictures of releases and plans: marks that R draws on its devices, or an SVG file as the command writes it.

use crate::failure::Failure;
use crate::job::{Numbers, whole};
use crate::specification::specification;
use karcher::release::PublishedRelease;
use karcher_report::{Picture, PlanCurves};
use serde_json::{Value, json};

/// The picture of a release.
pub fn of_release(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let release: PublishedRelease = serde_json::from_str(request["json"].as_str().unwrap_or_default())?;
    let drawn =
        if request["stereonet"] == json!(true) { Picture::stereonet(&release, &[]) } else { Picture::of(&release) };
    Ok(drawn_as(request, &drawn.map_err(|error| Failure::new(error.to_string()))?))
}

/// The curves of a plan.
pub fn of_plan(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let spec = specification(request)?;
    let n = whole(request, "n")?.and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
    let plan = PlanCurves::of_spec(&spec, n).map_err(|error| Failure::new(error.to_string()))?;
    Ok(drawn_as(request, &Picture::of_plan(&plan)))
}

fn drawn_as(request: &Value, picture: &Picture) -> Value {
    match request["svg"] == json!(true) {
        true => json!(String::from_utf8_lossy(&picture.svg())),
        false => picture.marks(),
    }
}
