//! `karcher regress --predict-at`: what a private geodesic predicts, which is free.

use karcher::{Manifold, RegressionRelease, Space};
use karcher_io::Layout;
use serde_json::{Value, json};

/// A value of the predictor and what is predicted there.
pub struct Prediction {
    /// The predictor, as it stands in the data.
    pub at: f64,
    /// The point.
    pub value: Vec<f64>,
}

/// A value of the predictor as users type it.
pub fn predictor_value(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().or_else(|| karcher_io::decimal_year(text.trim()));
    number.ok_or_else(|| "expected a number or a date such as 2026-03-31".to_owned())
}

/// What a release predicts at values of the predictor.
pub fn predictions(release: &RegressionRelease, manifold: &dyn Manifold, at: &[f64]) -> Vec<Prediction> {
    at.iter().map(|&at| Prediction { at, value: release.predict(manifold, at) }).collect()
}

/// The predictions as a JSON array.
pub fn as_json(predictions: &[Prediction]) -> Value {
    predictions.iter().map(|p| json!({"predictor": p.at, "value": p.value})).collect()
}

/// The predictions as a table: the predictor, then the point, in degrees for those whose records are. Names and rows.
pub fn as_table(predictions: &[Prediction], space: Space, layout: Layout) -> (Vec<String>, Vec<Vec<f64>>) {
    let in_degrees = crate::output::is_in_degrees(space, layout);
    let len = predictions.first().map_or(0, |p| p.value.len());
    let names = if in_degrees {
        vec!["latitude".to_owned(), "longitude".to_owned()]
    } else {
        (1..=len).map(|i| format!("x{i}")).collect()
    };
    let numbers = |p: &Prediction| if in_degrees { crate::output::latlon(&p.value).to_vec() } else { p.value.clone() };
    let rows = predictions.iter().map(|p| [&[p.at], &numbers(p)[..]].concat()).collect();
    ([vec!["predictor".to_owned()], names].concat(), rows)
}
