//! A private regression on features, in words.

use super::{Described, Lines, line};
use crate::mechanism::{Estimate, FeatureModel};
use crate::release::{Change, PrivateFeatureRegression, PublishedRelease};

/// That of every region and interval here.
const CONFIDENCE: &str = "95 % confidence";

pub(super) fn describe(of: &Described<'_>, value: &PrivateFeatureRegression, release: &PublishedRelease) -> Lines {
    let lengths = of.style.lengths;
    let mean = of.style.predictions.is_empty().then(|| mean_in_basis(value, release)).flatten();
    let mut lines = vec![];
    for (i, (at, found)) in mean.iter().chain(&of.style.predictions).enumerate() {
        let place = of.told(&found.point).unwrap_or_else(|| of.point(&found.point, of.style.kept.name().is_some()));
        let doubt = if found.little_information { ", little information" } else { "" };
        let [within, population] = [&found.region, &found.population_region].map(|it| lengths.words_up(it.radius));
        let (name, words) = match at.is_empty() {
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
    lines.extend(mean.iter().chain(&of.style.predictions).next().and_then(|(_, found)| of.abridged(&found.point)));
    // of a matrix of features, whose terms have no names
    if value.effects.is_empty() && !value.is_mean() {
        lines.push(line("features", value.coefficients.len().to_string()));
    }
    for (i, effect) in value.effects.iter().enumerate() {
        let Change { value, interval: [low, high] } = effect.shown();
        let doubt = if effect.little_information { ", little information" } else { "" };
        let words = format!(
            "{} from {} to {}: {}, from {} to {} with {CONFIDENCE}{doubt}",
            effect.term,
            effect.from,
            effect.to,
            lengths.words(value),
            lengths.words_down(low),
            lengths.words_up(high)
        );
        lines.push(line(if i == 0 { "effects" } else { "" }, words));
    }
    for (i, test) in value.term_tests.iter().enumerate() {
        let doubt = if test.little_information { ", little information" } else { "" };
        let words = format!("that {} has no effect: {}{doubt}", test.term, test.p());
        lines.push(line(if i == 0 { "tests" } else { "" }, words));
    }
    let regression = of.how.spec.as_deref().and_then(|spec| spec.on_features().ok());
    if let Some(curvature) =
        regression.and_then(|regression| regression.curvature_error()).filter(|curvature| *curvature > 0.0)
    {
        let from = if value.is_mean() { "the Fréchet mean" } else { "geodesic regression" };
        let words = format!("from {from}, simulated in this ball: it is fitted in one tangent space");
        lines.push(line("curvature", format!("about {} {words}", lengths.words(curvature))));
    }
    let from = if value.is_mean() { "the mean" } else { "their predictions" };
    let residuals = match value.residual_spread {
        0.0 => "below the noise".to_owned(),
        spread => format!("{} from {from}, root mean square", lengths.words(spread)),
    };
    lines.push(line("residuals", residuals));
    lines.extend(of.promise());
    lines.extend(of.noise(""));
    lines.push(of.ball());
    let expected = lengths.words(of.how.expected_distance);
    let what = if value.is_mean() { "the mean, simulated" } else { "a prediction, simulated with even covariates" };
    lines.push(line("expected error", format!("about {expected} of {what}")));
    lines
}

/// The mean in a basis, which is the one prediction of a regression without terms.
fn mean_in_basis(value: &PrivateFeatureRegression, release: &PublishedRelease) -> Option<(String, Estimate)> {
    let estimate = value.is_mean().then(|| FeatureModel::of(release).ok()?.predict(&value.features.row_of(&[])).ok());
    Some((String::new(), estimate.flatten()?))
}
