//! Predictions of a regression, which cost no privacy.

use crate::failure::Failure;
use crate::job::Numbers;
use crate::records::layout_of;
use karcher::mechanism::FeatureModel;
use karcher::release::{PublishedRelease, Value as Released};
use serde_json::{Value, json};

/// Points at predictors, or at covariates with the radii of their regions.
pub fn predict(request: &Value, numbers: &Numbers) -> Result<Value, Failure> {
    let text = request["json"].as_str().unwrap_or_default();
    let release: PublishedRelease = serde_json::from_str(text)?;
    let space = release.provenance.manifold.manifold()?;
    let at = numbers.predictors.clone().unwrap_or_default();
    let (points, radii) = match &release.value {
        Released::Geodesic(geodesic) => (at.iter().map(|x| geodesic.predict(&*space, *x)).collect::<Vec<_>>(), None),
        Released::Features(value) => {
            let (features, model) = (&value.features, FeatureModel::of(&release)?);
            let n = usize::try_from(request["n"].as_u64().unwrap_or(1)).unwrap_or(1);
            let rows = if features.is_matrix() { at } else { features.rows_of(&at, n) };
            let found = rows.chunks_exact(features.width()).map(|row| model.predict(row));
            let found = found.collect::<Result<Vec<_>, _>>()?;
            let radii: Vec<f64> = found.iter().map(|estimate| estimate.region.radius).collect();
            (found.into_iter().map(|estimate| estimate.point).collect(), Some(radii))
        }
        _ => return Err(Failure::new("the release is no regression: only those predict")),
    };
    let layout = layout_of(&*space, request["layout"].as_str())?;
    let written: Vec<f64> = points.iter().flat_map(|point| layout.write(point)).collect();
    Ok(json!({
        "points": written, "radii": radii, "numbers": layout.numbers(), "columns": layout.column_names(),
    }))
}
