//! The facts of a private geodesic and its predictions.

use super::numbers::digits;
use super::{Fact, Kept, Numbers, Of};
use crate::release::PrivateGeodesic;

pub(super) fn facts(of: &Of<'_>, private: &PrivateGeodesic) -> Vec<Fact> {
    let style = of.style;
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
    let mut facts = vec![
        Fact::answer("footpoint", format!("{footpoint} where the predictor is {}", digits(range.middle())))
            .with_point("footpoint", &private.footpoint),
        Fact::answer(
            "shooting vector",
            format!("{} from {} to {}", short(&private.shooting_vector), digits(range.low()), digits(range.high())),
        )
        .with_point("shooting_vector", &private.shooting_vector)
        .with("predictor_low", Numbers::One(range.low()))
        .with("predictor_high", Numbers::One(range.high())),
    ];
    if let Some(place) = kept.filter(|_| footpoint != of.point(&private.footpoint, false)) {
        facts.push(Fact::answer("", format!("(abridged: all numbers are in {place})")));
    }
    let at = match style.predict_at.is_empty() {
        true => vec![range.low(), range.middle(), range.high()],
        false => style.predict_at.clone(),
    };
    let predicted = of.space.into_iter().flat_map(|space| at.iter().map(move |at| (at, private.predict(space, *at))));
    for (i, (at, value)) in predicted.enumerate() {
        let place = of.told(&value).unwrap_or_else(|| short(&value));
        let outside = if (range.low()..=range.high()).contains(at) { "" } else { ", outside the range" };
        let name = if i == 0 { "predictions" } else { "" };
        facts.push(Fact::answer(name, format!("{place} at {}{outside}", digits(*at))));
    }
    facts.extend(of.promise());
    facts.extend(of.expected_error(false));
    facts.extend(of.noise(at_most));
    let [slope, residual] = style.bounds.map(|unit| unit.alone());
    let words = format!(
        "ball of radius {}{}, slope {}, residuals {}",
        of.lengths.words(of.how.ball.radius()),
        of.around(&of.how.ball, style.of_default_center),
        slope.words(private.slope_bound),
        residual.words(private.residual_bound)
    );
    facts.push(Fact::detail("bounds", words));
    facts
}
