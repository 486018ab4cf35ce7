//! The release that a file should have: what the plan of the stated specification makes of the stated noisy numbers.

use super::Finding;
use super::finding::{Findings, NO_SPEC};
use super::version::Version;
use crate::error::{Error, Result};
use crate::manifold::Template;
use crate::mechanism::plan::again;
use crate::mechanism::{FeatureModel, Plan, Randomizer};
use crate::release::{
    Flag, Located, MechanismName, NoiseDraw, NoiseLaw, Provenance, PublishedRelease, ReleasedCount,
    ReleasedSensitivity, StatisticName, Value,
};
use crate::series::SeriesPlan;
use crate::spec::{MechanismChoice, ReleaseSpec};
use serde_json::{Value as Json, json};

/// The release that should be there, or the stated one with the finding that there is none.
pub(super) fn release(stated: &PublishedRelease, found: &mut Findings) -> PublishedRelease {
    let how = &stated.provenance;
    match made(stated) {
        Ok(made) => {
            let made = as_stated(made, how, found);
            match Version::of(&how.karcher) {
                Version::This => made,
                Version::Another => of_earlier(made, stated),
            }
        }
        Err(Finding { field, reason }) => {
            found.add(field, reason);
            stated.clone()
        }
    }
}

/// The count that should be there.
pub(super) fn count(stated: &ReleasedCount, found: &mut Findings) -> ReleasedCount {
    let own = stated.clone();
    match stated.spec.as_ref().map(|spec| count_again(stated, spec)) {
        None => found.add("spec", NO_SPEC),
        Some(Err(error)) => found.add("spec", not_planned(&error)),
        Some(Ok(made)) => {
            let is_own = Version::of(&own.karcher) == Version::This;
            let interval = if is_own { made.interval } else { own.interval };
            let ReleasedCount { karcher, spec, ledgers, .. } = own;
            return ReleasedCount { karcher, spec, ledgers, interval, ..made };
        }
    }
    own
}

/// The count that a specification makes of the noisy number.
fn count_again(stated: &ReleasedCount, spec: &ReleaseSpec) -> Result<ReleasedCount> {
    match &stated.series {
        Some(at) => SeriesPlan::new(spec, at.shape.clone())?.count_again(at, stated),
        None => Ok(spec.count_plan()?.again(stated)),
    }
}

/// The release that a plan makes of the noisy numbers.
fn made(stated: &PublishedRelease) -> Result<PublishedRelease, Finding> {
    let how = &stated.provenance;
    let (plan, unit): (Result<Box<dyn Plan>>, _) = match &how.spec {
        Some(spec) => (plan_of(stated, spec), spec.unit),
        None if matches!(stated.value, Value::Record(_)) => {
            (at_home(how).map(|plan| Box::new(plan) as Box<dyn Plan>), how.unit)
        }
        None => return Err(Finding { field: "spec".to_owned(), reason: NO_SPEC.to_owned() }),
    };
    let field = if how.spec.is_some() { "spec" } else { "ball" };
    let plan = plan.map_err(|error| Finding { field: field.to_owned(), reason: not_planned(&error) })?;
    again::release(&*plan, stated, unit).map_err(|error| match error {
        Error::Field { name, reason } => Finding { field: name.to_owned(), reason },
        other => Finding { field: "value".to_owned(), reason: not_planned(&other) },
    })
}

/// The plan of a whole release.
///
/// For matrices the noise may also be that of the length, which keeps the same promise: builds without noise of the
/// nuclear norm drew it.
pub(super) fn plan_of(stated: &PublishedRelease, spec: &ReleaseSpec) -> Result<Box<dyn Plan>> {
    let how = &stated.provenance;
    let n = how.n.or(spec.n_guess).unwrap_or_default();
    if let Some(at) = &how.series {
        return Ok(Box::new(SeriesPlan::new(spec, at.shape.clone())?.stated(at, n)?));
    }
    let plan = whole_plan(how, spec, n, false)?;
    let has = |noise: &[NoiseDraw], law| noise.iter().any(|draw| draw.law == law);
    let is_of_length = has(&how.noise, NoiseLaw::Laplace) && !has(&how.noise, NoiseLaw::NuclearLaplace);
    match is_of_length && has(&plan.summary().noise, NoiseLaw::NuclearLaplace) {
        true => whole_plan(how, spec, n, true),
        false => Ok(plan),
    }
}

/// The plan of a release with the stated law, or with one law in all directions. `auto` of another version may have
/// chosen another mechanism: then the release names the one that is planned.
fn whole_plan(how: &Provenance, spec: &ReleaseSpec, n: usize, is_isotropic: bool) -> Result<Box<dyn Plan>> {
    let is_chosen = spec.mechanism == MechanismChoice::Auto
        && Version::of(&how.karcher) == Version::Another
        && !matches!(spec.statistic, StatisticName::GeometricMedian | StatisticName::Ball);
    if !is_chosen {
        return if is_isotropic { spec.isotropic_plan(n) } else { spec.plan(n) };
    }
    let is_within = how.located.is_some() && !spec.locates();
    let chosen = if is_within { MechanismName::TwoStage } else { how.mechanism };
    let plan = match spec.locates() {
        true => ReleaseSpec { mechanism: MechanismChoice::Named(chosen), ..spec.clone() }.plan(n)?,
        false if is_isotropic => spec.request(n)?.isotropic().candidate(chosen)?,
        false => spec.request(n)?.candidate(chosen)?,
    };
    match spec.numerics.refuses(&*plan) {
        Some(reason) => Err(crate::spec::field("mechanism", format!("`auto` does not choose it: {reason}"))),
        None => Ok(plan),
    }
}

/// The plan of a record that was randomized at home.
pub(super) fn at_home(how: &Provenance) -> Result<Randomizer> {
    Randomizer::new(how.manifold.manifold()?, how.ball.clone(), how.guarantee)
}

/// The same with what no plan knows, as it is stated.
fn as_stated(mut made: PublishedRelease, how: &Provenance, found: &mut Findings) -> PublishedRelease {
    let own = &mut made.provenance;
    own.karcher.clone_from(&how.karcher);
    own.spec.clone_from(&how.spec);
    own.ledgers.clone_from(&how.ledgers);
    own.layout.clone_from(&how.layout);
    own.columns.clone_from(&how.columns);
    own.template.clone_from(&how.template);
    own.flags.extend(how.flags.iter().filter(|flag| **flag == Flag::MissingDropped));
    if let Ok(manifold) = how.manifold.manifold() {
        let is_known = |layout| manifold.layouts().iter().any(|known| known.name() == layout);
        let is_layout = how.layout.as_ref().is_none_or(is_known);
        found.require("layout", is_layout, "the space has no layout of this name");
        let is_one = how.template.as_ref().is_none_or(|template| Template::new(&manifold, template).is_ok());
        found.require("template", is_one, "the space has no such template");
    }
    made
}

/// What an earlier version must have stated: the promise, and the noise that it takes.
fn of_earlier(made: PublishedRelease, stated: &PublishedRelease) -> PublishedRelease {
    let (made, how) = (made.provenance, stated.provenance.clone());
    let others = how.flags.iter().filter(|flag| !flag.is_assumption());
    let flags = made.flags.iter().filter(|flag| flag.is_assumption()).chain(others).copied().collect();
    let located = made.located.zip(how.located).map(|(made, own)| Located {
        within: made.within,
        ball: crate::release::PrivateBall { quantile: made.ball.quantile, ..own.ball },
    });
    let provenance = Provenance {
        flags,
        located,
        sensitivity: ReleasedSensitivity { bound: how.sensitivity.bound, ..made.sensitivity },
        lattice: how.lattice,
        expected_distance: how.expected_distance,
        bias_bound: how.bias_bound,
        steps: how.steps,
        private_count: how.private_count,
        ..made
    };
    PublishedRelease { provenance, value: stated.value.clone() }
}

/// The predictions of a release at the places that a file states.
pub(super) fn predictions(release: &PublishedRelease, stated: &Json) -> Result<Json, Finding> {
    let refused = |field: String, reason: String| Err(Finding { field, reason });
    let Some(all) = stated.as_array() else {
        return refused("predictions".to_owned(), "it must be a list of predictions".to_owned());
    };
    let at = |i: usize, name: &str| format!("predictions[{i}].{name}");
    let mut made = vec![];
    if let (Value::Geodesic(line), Ok(manifold)) = (&release.value, release.provenance.manifold.manifold()) {
        for (i, prediction) in all.iter().enumerate() {
            let Some(x) = prediction["predictor"].as_f64() else {
                return refused(at(i, "predictor"), "it must be a number".to_owned());
            };
            made.push(json!({ "predictor": prediction["predictor"], "value": line.predict(&*manifold, x) }));
        }
    } else if let Value::Features(value) = &release.value {
        let model = FeatureModel::of(release).map_err(|error| error.to_string());
        for (i, prediction) in all.iter().enumerate() {
            let again = serde_json::from_value(prediction["at"].clone())
                .map_err(|error| error.to_string())
                .and_then(|values| value.features.row_at(&values).map_err(|error| error.to_string()))
                .and_then(|row| {
                    model.as_ref().map_err(String::clone)?.predict(&row).map_err(|error| error.to_string())
                });
            match again {
                Ok(again) => made.push(json!(again)),
                Err(reason) => return refused(at(i, "at"), reason),
            }
            made[i]["at"] = prediction["at"].clone();
        }
    } else {
        let reason = "a release of another statistic than a regression has none".to_owned();
        return refused("predictions".to_owned(), reason);
    }
    Ok(made.into())
}

/// The sentence for a plan that does not exist.
pub(super) fn not_planned(error: &Error) -> String {
    format!("this version cannot plan such a release: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Points, ReleaseContext};

    /// A release with noise of the length is not contradicted where this build draws noise of the nuclear norm: builds
    /// without that noise made such releases. Noise of the length with the scale of the other law is.
    #[test]
    fn noise_of_the_length_is_no_contradiction() {
        let covariance = r#"{"spec": 1, "statistic": "covariance", "manifold": "euclidean:3",
            "ball": {"center": [0, 0, 0], "radius": 1}, "budget": {"definition": "pure", "epsilon": 1}}"#;
        let axes = r#"{"spec": 1, "statistic": "extrinsic-mean", "manifold": "projective:2",
            "budget": {"definition": "pure", "epsilon": 1}}"#;
        for text in [covariance, axes] {
            let spec: ReleaseSpec = serde_json::from_str(text).unwrap();
            let points = Points::new(&*spec.manifold().unwrap(), [0.6, 0.0, 0.8].repeat(50)).unwrap();
            let of = |plan: Box<dyn Plan>| -> PublishedRelease {
                plan.run(&points, &mut ReleaseContext::from_os().unwrap()).unwrap().into()
            };
            let [nuclear, mut length] = [spec.plan(50).unwrap(), spec.isotropic_plan(50).unwrap()].map(of);
            let law = |release: &PublishedRelease| release.provenance.noise[0].law;
            assert_eq!([&nuclear, &length].map(law), [NoiseLaw::NuclearLaplace, NoiseLaw::Laplace]);
            assert_eq!([&nuclear, &length].map(PublishedRelease::verify), [vec![], vec![]], "{text}");
            length.provenance.noise[0].scale *= 0.9;
            assert!(length.verify().iter().any(|finding| finding.field.starts_with("noise")), "{text}");
            let mut other = nuclear;
            other.provenance.noise[0].law = NoiseLaw::Laplace;
            assert!(!other.verify().is_empty(), "{text}");
        }
    }
}
