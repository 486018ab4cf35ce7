//! Releases by a specification.

use crate::failure::Failure;
use crate::job::{Numbers, whole};
use crate::records::{layout_of, points};
use karcher::features::Features;
use karcher::mechanism::Plan;
use karcher::records::{Observations, Records};
use karcher::release::{PublishedRelease, Release, ReleaseContext};
use karcher::sampler::Generator;
use karcher::nonprivate::Persons;
use karcher::{Manifold, Points, ReleaseSpec};
use karcher_ledger::Ledger;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// The release that a call asks for: all that can be refused is refused before the records are looked at.
pub fn release(request: &Value, numbers: &Numbers) -> Result<Value, Failure> {
    let spec = crate::specification::specification(request)?;
    let space = spec.manifold()?;
    let name = request["layout"].as_str();
    let layout = layout_of(&*space, name)?;
    let width = layout.numbers();
    if request["width"].as_u64() != u64::try_from(width).ok() {
        let found = request["width"].as_u64().unwrap_or_default();
        let layouts = space.layouts().iter().map(|l| format!("\"{}\" ({})", l.name(), l.numbers())).collect::<Vec<_>>();
        let (space, known) = (space.space(), layouts.join(", "));
        return Err(Failure::new(format!(
            "a record has {found} numbers, and {space} takes {width}: choose columns, or a layout out of {known}"
        )));
    }
    crate::names::check(&*space, &layout, "x", request)?;
    let ledger = request["ledger"].as_str().map(Ledger::open).transpose()?;
    let seed = whole(request, "random_state")?;
    if seed.is_some() && ledger.is_some() {
        return Err(Failure::new(
            "random_state does not go with a ledger: a reproducible release keeps no guarantee that could be counted",
        ));
    }
    let rows = numbers.records.len() / width;
    let persons = numbers.persons.as_ref().map(|of| of.iter().max().map_or(0, |last| *last as usize + 1));
    let plan = spec.plan(persons.unwrap_or(rows))?;

    let ball = spec.public_ball()?;
    let replace = request["on_invalid"] == json!("replace-with-center");
    let substitute = replace.then(|| ball.center());
    let mut records = points(&*space, &layout, &numbers.records, (substitute, spec.adjacency))?;
    let mut predictors = numbers.predictors.clone();
    if let Some(features) = &spec.features {
        let rows = rows_of(features, predictors.take().unwrap_or_default(), records.len(), replace)?;
        let regression = spec.on_features()?;
        records = features.records(space.clone(), records.view(), &rows)?;
        if replace || persons.is_some() {
            records = regression.clipped(records.view())?;
        }
    }
    if let (Some(predictors), Some(range), true) = (&mut predictors, spec.predictor_range, replace) {
        predictors.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
    }
    let release = with_records(&spec, (&records, predictors.as_deref(), numbers.persons.as_deref()), |records| {
        run(&*plan, records, seed, ledger.as_ref(), &numbers.is_interrupted)
    })?;
    told(&release, (&*space, name))
}

/// A release for R: its JSON, its sentences, and what is drawn.
fn told(release: &Release, (space, layout): (&dyn Manifold, Option<&str>)) -> Result<Value, Failure> {
    let mut fields = serde_json::to_value(release)?;
    if let Some(name) = layout {
        fields["layout"] = json!(name);
    }
    let published: PublishedRelease = serde_json::from_value(fields.clone())?;
    let written: Option<Vec<f64>> = serde_json::from_value(fields["value"].clone()).ok();
    let layout = layout_of(space, layout)?;
    Ok(json!({
        "json": fields.to_string(), "text": published.to_string(), "details": format!("{published:#}"),
        "sentence": published.sentence(), "release": fields, "shape": space.shape().axes(),
        "written": written.map(|value| layout.write(&value)), "columns": layout.column_names(),
    }))
}

/// Does `work` with the records, or with what each person contributes.
fn with_records<R>(
    spec: &ReleaseSpec,
    (points, predictors, persons): (&Points, Option<&[f64]>, Option<&[u64]>),
    work: impl FnOnce(&dyn Records) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let mut records = Observations::new(points.view());
    if let Some(predictors) = predictors {
        records = records.with_predictors(predictors)?;
    }
    let Some(numbers) = persons else { return work(&records) };
    let mut persons = Persons::new(spec.space_of_records()?, &spec.ball_of_records()?)?;
    if let Some(range) = spec.predictor_range {
        persons = persons.predictors(range);
    }
    persons.add(numbers.iter().copied(), records)?;
    work(&persons.contributions()?)
}

/// The rows of features, of covariates or of a matrix.
fn rows_of(features: &Features, covariates: Vec<f64>, n: usize, replace: bool) -> Result<Vec<f64>, Failure> {
    let width = if features.is_matrix() { features.width() } else { features.columns().len().max(1) };
    if let (Some(i), false) = (covariates.iter().position(|x| !x.is_finite()), replace) {
        let advice = "on_invalid = \"replace-with-center\" takes the middle of its range";
        return Err(Failure::of_record(i / width + 1, &format!("a covariate is missing or not finite; {advice}")));
    }
    Ok(if features.is_matrix() { covariates } else { features.rows_of(&covariates, n) })
}

/// Makes the release of a plan, counted before it is drawn, and not if the caller was interrupted before that.
fn run(
    plan: &dyn Plan,
    records: &dyn Records,
    seed: Option<u64>,
    ledger: Option<&Ledger>,
    is_interrupted: &AtomicBool,
) -> Result<Release, Failure> {
    plan.check(records)?;
    let mut context = match (ledger, seed) {
        (_, Some(seed)) => ReleaseContext::seeded(seed),
        (None, None) => ReleaseContext::from_os()?,
        (Some(ledger), None) => {
            let generator = Generator::from_os()?; // which could fail
            if is_interrupted.load(Ordering::SeqCst) {
                return Err(Failure::new("interrupted: nothing was counted"));
            }
            ReleaseContext::new(ledger.reservation(&plan.summary().event().of(records.unit()))?, generator)
        }
    };
    let release = plan.run(records, &mut context)?;
    if let (Some(ledger), Some(at)) = (ledger, release.provenance().ledger.as_ref()) {
        let _ = ledger.released_entry(at); // it counts as spent either way
    }
    Ok(release)
}
