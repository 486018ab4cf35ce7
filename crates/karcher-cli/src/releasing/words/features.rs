//! A private regression on features, in words and as numbers.

use crate::output::{digits_down, digits_up, point, told};
use crate::predictions::PredictedRow;
use crate::releasing::{Described, Lines, line};
use crate::saving::Content;
use crate::{Failure, center};
use karcher::release::{Change, PrivateFeatureRegression};
use serde_json::Value;

/// That of every region and interval here.
const CONFIDENCE: &str = "95 % confidence";

/// What `--output` writes: the coefficients, or the predictions.
pub fn content(
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

/// The release in words.
pub fn describe(described: &Described<'_>, predictions: &[PredictedRow]) -> Result<Lines, Failure> {
    let Described { release, manifold, layout, told: known, saving } = described;
    let value = release.on_features().ok_or("a regression on features releases moments")?;
    let (radius, row) = (known.radius, manifold.shape().row_len());
    let mut lines = vec![];
    for (i, prediction) in predictions.iter().enumerate() {
        let found = &prediction.estimate;
        let place = told(layout, &found.point).unwrap_or_else(|| point(&found.point, row, saving.is_some()));
        let doubt = if found.little_information { ", little information" } else { "" };
        let [within, population] = [&found.region, &found.population_region].map(|it| radius.words_up(it.radius));
        let at = prediction.at.words() + &prediction.at.notes();
        let (name, words) = match prediction.at.is_empty() {
            true => ("private mean", format!("{place}, within {within} of the mean in the basis with {CONFIDENCE}")),
            false => {
                ("predictions", format!("{place} at {at}, within {within} of least squares with {CONFIDENCE}{doubt}"))
            }
        };
        lines.push(line(if i == 0 { name } else { "" }, words));
        lines.push(line(
            "",
            format!(
                "within {population} of that of the population with {CONFIDENCE}, for many records and residuals of \
                 one size"
            ),
        ));
    }
    for (i, effect) in value.effects.iter().enumerate() {
        let Change { value, interval: [low, high] } = effect.shown();
        let doubt = if effect.little_information { ", little information" } else { "" };
        let words = format!(
            "{} from {} to {}: {}, from {} to {} with {CONFIDENCE}{doubt}",
            effect.term,
            effect.from,
            effect.to,
            radius.words(value),
            radius.words_down(low),
            radius.words_up(high)
        );
        lines.push(line(if i == 0 { "effects" } else { "" }, words));
    }
    for (i, test) in value.term_tests.iter().enumerate() {
        let doubt = if test.little_information { ", little information" } else { "" };
        let words = format!("that {} has no effect: {}{doubt}", test.term, test.p());
        lines.push(line(if i == 0 { "tests" } else { "" }, words));
    }
    let regression = release.spec().and_then(|spec| spec.on_features().ok());
    if let Some(curvature) = regression.and_then(|of| of.curvature_error()).filter(|curvature| *curvature > 0.0) {
        let from = if value.is_mean() { "the Fréchet mean" } else { "geodesic regression" };
        let words = format!("from {from}, rehearsed in this ball: it is fitted in one tangent space");
        lines.push(line("curvature", format!("about {} {words}", radius.words(curvature))));
    }
    let from = if value.is_mean() { "the mean" } else { "their predictions" };
    let residuals = match value.residual_spread {
        0.0 => "below the noise".to_owned(),
        spread => format!("{} from {from}, root mean square", radius.words(spread)),
    };
    lines.push(line("residuals", residuals));
    lines.extend(described.promise());
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let around = center::around(release.ball(), *manifold, layout, known.is_default_center);
    lines.push(line("ball", format!("{}{around}", release.ball().radius_in_words(|r| radius.words(r)))));
    let expected = radius.words(release.expected_distance());
    let of = if value.is_mean() { "the mean, rehearsed" } else { "a prediction, rehearsed with even covariates" };
    lines.push(line("expected error", format!("about {expected} of {of}")));
    Ok(lines)
}
