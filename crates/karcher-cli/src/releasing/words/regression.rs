//! A private geodesic and its predictions, in words and as numbers.

use crate::output::{digits, digits_down, digits_up, point, told};
use crate::predictions::{Prediction, as_json, as_table, predictions};
use crate::releasing::{Described, Lines, line};
use crate::saving::Content;
use crate::{Failure, center};
use karcher::manifold::Layout;
use karcher::release::PrivateGeodesic;
use serde_json::Value;

/// What `--output` writes: footpoint and shooting vector, or the predictions.
pub fn content(mut json: Value, geodesic: &PrivateGeodesic, predictions: &[Prediction], layout: &Layout) -> Content {
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

/// The release in words.
pub fn describe(described: &Described<'_>, asked: Vec<Prediction>) -> Result<Lines, Failure> {
    let Described { release, manifold, layout, told: known, saving } = described;
    let private = release.geodesic().ok_or("a regression releases a geodesic")?;
    let (geodesic, radius, row) = (private.geodesic(), known.radius, manifold.shape().row_len());
    // a file of predictions has no geodesic
    let kept = saving.filter(|saving| saving.is_whole() || asked.is_empty());
    let short = |value: &[f64]| point(value, row, kept.is_some());
    let range = private.predictor_range;
    // a later step of a descent may clip residuals to less, and then has less noise in proportion
    let at_most = if release.steps().is_some_and(|steps| steps.len() > 1) { "at most " } else { "" };
    let mut lines = vec![
        line("footpoint", format!("{} where the predictor is {}", short(&geodesic.footpoint), digits(range.middle()))),
        line(
            "shooting vector",
            format!("{} from {} to {}", short(&geodesic.velocity), digits(range.low()), digits(range.high())),
        ),
    ];
    if let Some(saving) = kept.filter(|_| short(&geodesic.footpoint) != point(&geodesic.footpoint, row, false)) {
        lines.push(line("", format!("(abridged: all numbers are in {})", saving.name())));
    }
    let shown = match asked.is_empty() {
        true => predictions(private, *manifold, &[range.low(), range.middle(), range.high()]),
        false => asked,
    };
    for (i, Prediction { at, value }) in shown.into_iter().enumerate() {
        let place = told(layout, &value).unwrap_or_else(|| short(&value));
        let outside = if (range.low()..=range.high()).contains(&at) { "" } else { ", outside the range" };
        lines.push(line(if i == 0 { "predictions" } else { "" }, format!("{place} at {}{outside}", digits(at))));
    }
    lines.extend(described.promise());
    lines.push(line("mechanism", format!("{}, scale {at_most}{}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{at_most}{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let [slope, residual] = known.bounds;
    lines.push(line(
        "bounds",
        format!(
            "ball of radius {}{}, slope {}, residuals {}",
            radius.words(release.ball().radius()),
            center::around(release.ball(), *manifold, layout, known.is_default_center),
            slope.words(private.slope_bound),
            residual.words(private.residual_bound)
        ),
    ));
    let expected = radius.words(release.expected_distance());
    lines.push(line(
        "expected error",
        format!("about {expected}, the root mean square distance to the least-squares geodesic over the range"),
    ));
    Ok(lines)
}
