//! `karcher regress --predict-at`: the predictions of a private geodesic, which are free.

use crate::output::told_by_name;
use karcher::Manifold;
use karcher::manifold::Layout;
use karcher::release::PrivateGeodesic;
use karcher_io::{decimal_year, year_of_number};
use serde_json::{Value, json};

/// A value of the predictor, and the prediction there.
pub struct Prediction {
    /// The predictor, as it stands in the data.
    pub at: f64,
    /// The point.
    pub value: Vec<f64>,
}

/// A value of the predictor as users type it.
pub fn predictor_value(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().or_else(|| decimal_year(text.trim()));
    number.ok_or_else(|| "expected a number or a date such as 2026-03-31".to_owned())
}

/// The ends of the predictor's range, where both may be dates in eight digits: 20260331.
pub fn range_ends(low: f64, high: f64) -> (f64, f64) {
    match (year_of_number(low), year_of_number(high)) {
        (Some(low), Some(high)) => (low, high),
        _ => (low, high),
    }
}

/// An end of the predictor's range as users type it.
pub fn range_end(text: &str) -> Result<f64, String> {
    predictor_value(text).map_err(|expected| match text.contains(',') {
        true => format!("{expected}: separate the two ends by a blank, as in --predictor-range 20 80"),
        false => expected,
    })
}

/// What a geodesic predicts at values of the predictor.
pub fn predictions(geodesic: &PrivateGeodesic, manifold: &dyn Manifold, at: &[f64]) -> Vec<Prediction> {
    at.iter().map(|&at| Prediction { at, value: geodesic.predict(manifold, at) }).collect()
}

/// The predictions as a JSON array.
pub fn as_json(predictions: &[Prediction]) -> Value {
    predictions.iter().map(|p| json!({"predictor": p.at, "value": p.value})).collect()
}

/// The predictions as a table of names and rows: the predictor, then the point. The point is in the layout of the
/// records if results are printed in it.
pub fn as_table(predictions: &[Prediction], layout: &Layout) -> (Vec<String>, Vec<Vec<f64>>) {
    let as_it_is = |p: &Prediction| p.value.iter().enumerate().map(|(i, &x)| (format!("x{}", i + 1), x)).collect();
    // all of them or none, so that a column means one thing
    let told: Option<Vec<Vec<(String, f64)>>> = predictions.iter().map(|p| told_by_name(layout, &p.value)).collect();
    let named = told.unwrap_or_else(|| predictions.iter().map(as_it_is).collect());
    let names = named.first().map_or(vec![], |row| row.iter().map(|(name, _)| name.clone()).collect());
    let rows = predictions.iter().zip(named);
    let rows = rows.map(|(p, row)| std::iter::once(p.at).chain(row.into_iter().map(|(_, x)| x)).collect());
    ([vec!["predictor".to_owned()], names].concat(), rows.collect())
}
