//! `karcher regress --predict-at`: what a private geodesic predicts, which is free.

use crate::output::in_degrees;
use karcher::release::PrivateGeodesic;
use karcher::{Manifold, Space};
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

/// What a geodesic predicts at values of the predictor.
pub fn predictions(geodesic: &PrivateGeodesic, manifold: &dyn Manifold, at: &[f64]) -> Vec<Prediction> {
    at.iter().map(|&at| Prediction { at, value: geodesic.predict(manifold, at) }).collect()
}

/// The predictions as a JSON array.
pub fn as_json(predictions: &[Prediction]) -> Value {
    predictions.iter().map(|p| json!({"predictor": p.at, "value": p.value})).collect()
}

/// The predictions as a table: the predictor, then the point, in degrees for those whose records are. Names and rows.
pub fn as_table(predictions: &[Prediction], space: Space, layout: Layout) -> (Vec<String>, Vec<Vec<f64>>) {
    let named = |p: &Prediction| -> Vec<(String, f64)> {
        match in_degrees(space, layout, &p.value) {
            Some(angles) => angles.into_iter().map(|(name, angle)| (name.to_owned(), angle)).collect(),
            None => p.value.iter().enumerate().map(|(i, &x)| (format!("x{}", i + 1), x)).collect(),
        }
    };
    let names = predictions.first().map_or(vec![], |p| named(p).into_iter().map(|(name, _)| name).collect());
    let row = |p: &Prediction| std::iter::once(p.at).chain(named(p).into_iter().map(|(_, x)| x)).collect();
    ([vec!["predictor".to_owned()], names].concat(), predictions.iter().map(row).collect())
}
