//! `karcher regress --predict-at`: the predictions of a private regression, which are free.

use crate::Failure;
use crate::output::told_by_name;
use crate::releasing::holds_years;
use karcher::features::{CovariateValue, Features, Term, covariate_values};
use karcher::manifold::Layout;
use karcher::mechanism::{Estimate, FeatureModel};
use karcher::release::{PrivateGeodesic, PublishedRelease};
use karcher::{Manifold, Release, ReleaseSpec};
use karcher_io::{decimal_year, year_of_number};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What `--predict-at` asks for.
pub enum Asked {
    /// Values of the predictor of a geodesic.
    Predictors(Vec<f64>),
    /// Covariates of a regression on features.
    Rows(Vec<Covariates>),
}

/// Covariates that a prediction is wanted for, and the row of features that they make.
#[derive(Clone)]
pub struct Covariates {
    values: BTreeMap<String, CovariateValue>,
    row: Vec<f64>,
    /// Those that lie outside of a range, and count as its end.
    outside: Vec<String>,
}

impl Covariates {
    /// Reads what was typed: dates are years, where eight digits in the column are.
    fn read(text: &str, features: &Features) -> Result<Self, Failure> {
        let mut values = covariate_values(text)?;
        let is_of_numbers = |name: &str| features.columns().iter().any(|it| it.name == name && it.levels.is_none());
        for (name, value) in values.iter_mut().filter(|(name, _)| is_of_numbers(name)) {
            let year = match value {
                CovariateValue::Level(text) => decimal_year(text),
                CovariateValue::Number(x) => year_of_number(*x).filter(|_| holds_years(features, name)),
            };
            year.into_iter().for_each(|year| *value = CovariateValue::Number(year));
        }
        let row = features.row_at(&values)?;
        let mut outside: Vec<String> = vec![];
        for (name, range) in features.terms().iter().flat_map(Term::ranges) {
            let is_outside = |x: &f64| !(range.low()..=range.high()).contains(x);
            if !outside.iter().any(|known| known == name)
                && matches!(values.get(name), Some(CovariateValue::Number(x)) if is_outside(x))
            {
                outside.push(name.to_owned());
            }
        }
        Ok(Self { values, row, outside })
    }

    /// Says which covariates count as an end of their range.
    pub fn notes(&self) -> String {
        match &self.outside[..] {
            [] => String::new(),
            outside => format!(", {} outside the range: it counts as its end", outside.join(" and ")),
        }
    }

    /// The covariates in words.
    pub fn words(&self) -> String {
        self.values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
    }
}

/// Covariates with the prediction of a regression on features.
pub struct PredictedRow {
    /// The covariates.
    pub at: Covariates,
    /// The prediction.
    pub estimate: Estimate,
}

impl PredictedRow {
    /// As JSON.
    pub fn json(&self) -> Result<Value, Failure> {
        let mut json = serde_json::to_value(&self.estimate)?;
        json["at"] = serde_json::to_value(&self.at.values)?;
        Ok(json)
    }
}

impl Asked {
    /// Reads what was typed, for the statistic of a specification.
    pub fn read(texts: &[String], spec: &ReleaseSpec) -> Result<Self, Failure> {
        match (&spec.features, spec.predictor_range) {
            (Some(features), _) => {
                if features.is_constant() && texts.is_empty() {
                    let (values, row) = (BTreeMap::new(), features.row_of(&[]));
                    return Ok(Self::Rows(vec![Covariates { values, row, outside: vec![] }])); // the mean
                }
                let read = |text: &String| Covariates::read(text, features);
                texts.iter().map(read).collect::<Result<_, _>>().map(Self::Rows)
            }
            (None, Some(_)) => {
                let numbers = texts.iter().flat_map(|text| text.split(',')).map(|text| {
                    let number =
                        predictor_value(text).map_err(|expected| format!("--predict-at {text}: {expected}"))?;
                    match number.is_finite() {
                        true => Ok(number),
                        false => Err(format!("--predict-at {number}: expected finite numbers").into()),
                    }
                });
                numbers.collect::<Result<_, Failure>>().map(Self::Predictors)
            }
            (None, None) if texts.is_empty() => Ok(Self::Predictors(vec![])),
            (None, None) => Err(format!("--predict-at belongs to a regression, not to a {}", spec.statistic).into()),
        }
    }
}

/// The predictions of a regression on features.
pub fn predicted_rows(release: &Release, asked: &[Covariates]) -> Result<Vec<PredictedRow>, Failure> {
    if asked.is_empty() {
        return Ok(vec![]);
    }
    let model = FeatureModel::of(&PublishedRelease::from(release.clone()))?;
    let predicted = |at: &Covariates| Ok(PredictedRow { estimate: model.predict(&at.row)?, at: at.clone() });
    asked.iter().map(predicted).collect()
}

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
