//! The predictions that a command writes into the release of a regression: they follow from its value.

use super::finding::Findings;
use super::numbers::numbers;
use super::{fields, place};
use crate::features::Features;
use crate::mechanism::FeatureModel;
use crate::release::{PublishedRelease, Value as Released};
use serde_json::{Value, json};

/// The field that has them.
pub(super) const PREDICTIONS: &str = "predictions";

/// Compares predictions with those of the geodesic.
pub(super) fn compare(release: &PublishedRelease, stated: &Value, found: &mut Findings) {
    let Some(stated) = stated.as_array() else { return found.add(PREDICTIONS, "it must be a list of predictions") };
    if let Released::Features(value) = &release.value {
        return of_features(release, &value.features, stated, found);
    }
    let (Released::Geodesic(line), Ok(manifold)) = (&release.value, release.provenance.manifold.manifold()) else {
        return found.add(PREDICTIONS, "a release of another statistic than a regression has none");
    };
    let size = [&line.footpoint[..], &line.shooting_vector].concat();
    for (i, prediction) in stated.iter().enumerate() {
        let of = |field: &str| format!("{PREDICTIONS}[{i}].{field}");
        fields::only(prediction, &["predictor", "value"], &of(""), found);
        let Some(at) = prediction["predictor"].as_f64() else {
            found.add(of("predictor"), "it must be a number");
            continue;
        };
        let numbers: Option<Vec<f64>> =
            prediction["value"].as_array().and_then(|all| all.iter().map(Value::as_f64).collect());
        match numbers {
            Some(value) => {
                place::follows(&of("value"), &value, &line.predict(&*manifold, at), &size, "geodesic", found)
            }
            None => found.add(of("value"), "it must be a list of numbers"),
        }
    }
}

/// Compares predictions of a regression on features with those of its model.
fn of_features(release: &PublishedRelease, features: &Features, stated: &[Value], found: &mut Findings) {
    let model = match FeatureModel::of(release) {
        Ok(model) => model,
        Err(error) => return found.add(PREDICTIONS, error.to_string()),
    };
    for (i, prediction) in stated.iter().enumerate() {
        let at = format!("{PREDICTIONS}[{i}].at");
        let again = serde_json::from_value(prediction["at"].clone())
            .map_err(|error| error.to_string())
            .and_then(|values| features.row_at(&values).map_err(|error| error.to_string()))
            .and_then(|row| model.predict(&row).map_err(|error| error.to_string()));
        match again {
            Ok(again) => {
                let mut again = json!(again);
                again["at"] = prediction["at"].clone();
                numbers(&format!("{PREDICTIONS}[{i}]"), prediction, &again, found);
            }
            Err(reason) => found.add(at, reason),
        }
    }
}
