//! What `--output` writes.

use super::Predictions;
use crate::Failure;
use crate::predictions::{PredictedRow, Prediction, as_json, as_table};
use crate::saving::Content;
use karcher::manifold::Layout;
use karcher::release::{PrivateFeatureRegression, PrivateGeodesic, ReleasedCovariance};
use karcher::{Manifold, Release};
use serde_json::Value;
use std::path::Path;

/// Refuses a file that does not hold all of a ball.
pub fn check_holds_ball(path: Option<&Path>) -> Result<(), Failure> {
    match path.filter(|path| path.extension().is_none_or(|extension| extension != "json")) {
        Some(path) => {
            Err(format!("--output {}: a ball is written as .json, which holds all of it", path.display()).into())
        }
        None => Ok(()),
    }
}

/// The numbers of a release and its JSON.
pub fn content(
    release: &Release,
    manifold: &dyn Manifold,
    predictions: &Predictions,
    layout: &Layout,
) -> Result<Content, Failure> {
    let json = serde_json::to_value(release)?;
    if let (Some(geodesic), Predictions::Points(points)) = (release.geodesic(), predictions) {
        return Ok(of_geodesic(json, geodesic, points, layout));
    }
    if let Some(value) = release.on_features() {
        let rows = if let Predictions::Rows(rows) = predictions { &rows[..] } else { &[] };
        return on_features(json, value, rows);
    }
    if let Some(found) = release.clusters() {
        let centers: Vec<f64> = found.clusters.iter().flat_map(|cluster| cluster.center.clone()).collect();
        let shape = vec![found.clusters.len(), centers.len() / found.clusters.len().max(1)];
        return Ok(Content { json, values: centers, shape, names: None, labels: vec![] });
    }
    if let Some(found) = release.covariance() {
        return Ok(of_covariance(json, found));
    }
    let values = release.value().to_vec();
    let row = manifold.shape().row_len();
    let (values, shape) = match release.components() {
        Some(components) => (components.directions.concat(), vec![components.directions.len(), release.value().len()]),
        None if release.variance().is_some() => (values, vec![1]),
        None if row < values.len() => (values.clone(), vec![values.len() / row, row]),
        None => (values, vec![row]),
    };
    Ok(Content { json, values, shape, names: None, labels: vec![] })
}

/// The mean, and below it the matrix.
fn of_covariance(json: Value, found: &ReleasedCovariance) -> Content {
    let numbered = (1..=found.mean.len()).map(|i| format!("x{i}"));
    let labels = std::iter::once("mean".to_owned()).chain(numbered.clone()).collect();
    let names = std::iter::once("row".to_owned()).chain(numbered).collect();
    let shape = vec![found.mean.len() + 1, found.mean.len()];
    let values = std::iter::once(&found.mean).chain(&found.covariance).flatten().copied().collect();
    Content { json, values, shape, names: Some(names), labels }
}

/// Footpoint and shooting vector, or the predictions.
fn of_geodesic(mut json: Value, geodesic: &PrivateGeodesic, predictions: &[Prediction], layout: &Layout) -> Content {
    if predictions.is_empty() {
        let geodesic = geodesic.geodesic();
        let shape = vec![2, geodesic.footpoint.len()];
        let values = [geodesic.footpoint, geodesic.velocity].concat();
        return Content { json, values, shape, names: None, labels: vec![] };
    }
    json["predictions"] = as_json(predictions);
    let (names, rows) = as_table(predictions, layout);
    let shape = vec![rows.len(), names.len()];
    Content { json, shape, values: rows.concat(), names: Some(names), labels: vec![] }
}

/// The coefficients, or the predictions.
fn on_features(
    mut json: Value,
    value: &PrivateFeatureRegression,
    predictions: &[PredictedRow],
) -> Result<Content, Failure> {
    let numbered = |count: usize| (1..=count).map(|i| format!("x{i}"));
    if predictions.is_empty() {
        let shape = vec![value.coefficients.len(), value.coefficients.first().map_or(0, Vec::len)];
        let names = std::iter::once("feature".to_owned()).chain(numbered(shape[1])).collect();
        let (values, labels) = (value.coefficients.concat(), value.features.names());
        return Ok(Content { json, values, shape, names: Some(names), labels });
    }
    json["predictions"] = predictions.iter().map(PredictedRow::json).collect::<Result<Value, Failure>>()?;
    let values: Vec<f64> = predictions.iter().flat_map(|p| p.estimate.point.clone()).collect();
    let shape = vec![predictions.len(), values.len() / predictions.len()];
    let names = std::iter::once("at".to_owned()).chain(numbered(shape[1])).collect();
    let labels = predictions.iter().map(|p| p.at.words()).collect();
    Ok(Content { json, values, shape, names: Some(names), labels })
}
