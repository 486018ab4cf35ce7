//! Releases by a specification.

use crate::failure::Failure;
use crate::job::{Numbers, whole};
use crate::records::{layout_of, points};
use karcher::features::Features;
use karcher::manifold::Layout;
use karcher::nonprivate::Persons;
use karcher::records::{Observations, Records};
use karcher::release::{PrivacyEvent, Promise, PublishedRelease, Release, ReleaseContext, names_parts};
use karcher::sampler::Generator;
use karcher::{Manifold, Points, ReleaseSpec};
use karcher_ledger::Ledger;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// The release that a call asks for: all that can be refused is refused before the records are looked at.
pub fn release(request: &Value, numbers: &Numbers) -> Result<Value, Failure> {
    let spec = crate::specification::specification(request)?;
    let space = spec.manifold()?;
    let layout = checked_layout(request, &*space)?;
    let account = Account::of(request, &numbers.is_interrupted)?;
    let rows = numbers.records.len() / layout.numbers();
    let persons = numbers.keys.as_ref().map(|of| of.iter().max().map_or(0, |last| *last as usize + 1));
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
    let release = with_records(&spec, (&records, predictors.as_deref(), numbers.keys.as_deref()), |records| {
        plan.check(records)?;
        let mut context = account.context(&plan.summary().event().of(records.unit()))?;
        Ok(plan.run(records, &mut context)?)
    })?;
    account.settle(&release);
    told(&release, &*space, request)
}

/// A release for each group of a public list, within one budget: a record is in one group at most (user guide, U3).
/// Records of other groups are left out.
pub fn groups(request: &Value, numbers: &Numbers) -> Result<Value, Failure> {
    let spec = crate::specification::specification(request)?;
    let Some(groups) = &spec.groups else { return Err(Failure::new("there are no groups: give by and groups")) };
    let space = spec.manifold()?;
    let layout = checked_layout(request, &*space)?;
    let account = Account::of(request, &numbers.is_interrupted)?;
    let each = 0..groups.names.len();
    let plans = each.clone().map(|i| spec.of_group(i)?.plan(0)).collect::<Result<Vec<_>, _>>()?;

    let ball = spec.public_ball()?;
    let substitute = (request["on_invalid"] == json!("replace-with-center")).then(|| ball.center());
    let records = points(&*space, &layout, &numbers.records, (substitute, spec.adjacency))?;
    let keys = numbers.keys.as_deref().unwrap_or_default();
    let of_group = |group: usize| {
        let own = records.view().iter().zip(keys).filter(|(_, key)| **key == group as u64);
        let values = own.flat_map(|(point, _)| point.to_vec()).collect::<Vec<f64>>();
        if values.is_empty() { Ok(Points::none(&*space)) } else { Points::new(&*space, values) }
    };
    let records = each.map(of_group).collect::<Result<Vec<_>, _>>()?;
    let records: Vec<Observations<'_>> = records.iter().map(|points| Observations::new(points.view())).collect();
    plans.iter().zip(&records).try_for_each(|(plan, records)| plan.check(records))?;
    let events: Vec<PrivacyEvent> = plans.iter().map(|plan| plan.summary().event()).collect();
    let mut context = account.context(&PrivacyEvent::of_disjoint(&events)?)?;
    let releases = plans.iter().zip(&records).map(|(plan, records)| plan.run(records, &mut context));
    let releases = releases.collect::<Result<Vec<Release>, _>>()?;
    releases.first().into_iter().for_each(|release| account.settle(release)); // all have the same entry
    let promises: Vec<Promise> = releases.iter().map(|release| release.provenance().promise()).collect();
    let together = Promise::of_disjoint(&promises)?;
    let replaced = together.guarantee().of_two_steps().ok();
    let text = format!("{}, {}, of all groups together", together.guarantee(), together.adjacency());
    let told = releases.iter().map(|release| told(release, &*space, request));
    Ok(json!({
        "groups": told.collect::<Result<Vec<_>, _>>()?, "guarantee": together.guarantee(), "text": text,
        "replace_one": replaced, "replaced": replaced.map(|guarantee| guarantee.to_string()),
        "notes": together.flags().iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

/// The layout of the records, whose columns do not contradict it.
fn checked_layout(request: &Value, space: &dyn Manifold) -> Result<Layout, Failure> {
    let layout = layout_of(space, request["layout"].as_str())?;
    let width = layout.numbers();
    if request["width"].as_u64() != u64::try_from(width).ok() {
        let found = request["width"].as_u64().unwrap_or_default();
        let layouts = space.layouts().iter().map(|l| format!("\"{}\" ({})", l.name(), l.numbers())).collect::<Vec<_>>();
        let (space, known) = (space.space(), layouts.join(", "));
        return Err(Failure::new(format!(
            "a record has {found} numbers, and {space} takes {width}: choose columns, or a layout out of {known}"
        )));
    }
    crate::names::check(space, &layout, "x", request)?;
    Ok(layout)
}

/// A release for R: its JSON, its sentences, and what is drawn.
fn told(release: &Release, space: &dyn Manifold, request: &Value) -> Result<Value, Failure> {
    let layout = request["layout"].as_str();
    let mut fields = serde_json::to_value(release)?;
    if let Some(name) = layout {
        fields["layout"] = json!(name);
    }
    if request["columns"].is_array() && names_parts(space.space()) {
        fields["columns"] = request["columns"].clone();
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

/// What counts a release and draws its noise.
struct Account<'a> {
    ledger: Option<Ledger>,
    seed: Option<u64>,
    is_interrupted: &'a AtomicBool,
}

impl<'a> Account<'a> {
    fn of(request: &Value, is_interrupted: &'a AtomicBool) -> Result<Self, Failure> {
        let ledger = request["ledger"].as_str().map(Ledger::open).transpose()?;
        let seed = whole(request, "random_state")?;
        if seed.is_some() && ledger.is_some() {
            return Err(Failure::new(
                "random_state does not go with a ledger: a reproducible release keeps no guarantee that could be counted",
            ));
        }
        Ok(Self { ledger, seed, is_interrupted })
    }

    /// Counts an event before anything is drawn, and not if the caller was interrupted before that.
    fn context(&self, event: &PrivacyEvent) -> Result<ReleaseContext, Failure> {
        Ok(match (&self.ledger, self.seed) {
            (_, Some(seed)) => ReleaseContext::seeded(seed),
            (None, None) => ReleaseContext::from_os()?,
            (Some(ledger), None) => {
                let generator = Generator::from_os()?; // which could fail
                if self.is_interrupted.load(Ordering::SeqCst) {
                    return Err(Failure::new("interrupted: nothing was counted"));
                }
                ReleaseContext::new(ledger.reservation(event)?, generator)
            }
        })
    }

    /// Says in the ledger that a release was made. It counts as spent either way.
    fn settle(&self, release: &Release) {
        if let (Some(ledger), Some(at)) = (&self.ledger, release.provenance().ledger.as_ref()) {
            let _ = ledger.released_entry(at);
        }
    }
}
