//! A private geodesic and its predictions, in words.

use super::numbers::digits;
use super::{Described, Kept, Lines, line};
use crate::release::PrivateGeodesic;

pub(super) fn describe(of: &Described<'_>, private: &PrivateGeodesic) -> Lines {
    let (style, radius) = (of.style, of.style.lengths);
    // a file of predictions has no geodesic
    let kept = match style.kept {
        Kept::Value(_) if !style.predict_at.is_empty() => None,
        Kept::Here | Kept::Value(_) | Kept::All(_) => style.kept.name(),
    };
    let short = |value: &[f64]| of.point(value, kept.is_some());
    let range = private.predictor_range;
    // a later step of a descent may clip residuals to less, and then has less noise in proportion
    let at_most = if of.how.steps.as_ref().is_some_and(|steps| steps.len() > 1) { "at most " } else { "" };
    let footpoint = short(&private.footpoint);
    let mut lines = vec![
        line("footpoint", format!("{footpoint} where the predictor is {}", digits(range.middle()))),
        line(
            "shooting vector",
            format!("{} from {} to {}", short(&private.shooting_vector), digits(range.low()), digits(range.high())),
        ),
    ];
    if let Some(place) = kept.filter(|_| footpoint != of.point(&private.footpoint, false)) {
        lines.push(line("", format!("(abridged: all numbers are in {place})")));
    }
    let at = match style.predict_at.is_empty() {
        true => vec![range.low(), range.middle(), range.high()],
        false => style.predict_at.clone(),
    };
    let predicted = of.space.into_iter().flat_map(|space| at.iter().map(move |at| (at, private.predict(space, *at))));
    for (i, (at, value)) in predicted.enumerate() {
        let place = of.told(&value).unwrap_or_else(|| short(&value));
        let outside = if (range.low()..=range.high()).contains(at) { "" } else { ", outside the range" };
        lines.push(line(if i == 0 { "predictions" } else { "" }, format!("{place} at {}{outside}", digits(*at))));
    }
    lines.extend(of.promise());
    lines.extend(of.noise(at_most));
    let [slope, residual] = style.bounds;
    let words = format!(
        "ball of radius {}{}, slope {}, residuals {}",
        radius.words(of.how.ball.radius()),
        of.around(&of.how.ball, style.of_default_center),
        slope.words(private.slope_bound),
        residual.words(private.residual_bound)
    );
    lines.push(line("bounds", words));
    let expected = radius.words(of.how.expected_distance);
    let what = "the root mean square distance to the least-squares geodesic over the range";
    lines.push(line("expected error", format!("about {expected}, {what}")));
    lines
}
