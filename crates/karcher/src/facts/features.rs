//! The facts of a private regression on features.

use super::{Fact, Numbers, Of};
use crate::features::Term;
use crate::mechanism::{Estimate, FeatureModel};
use crate::release::{Change, Effect, PrivateFeatureRegression, PublishedRelease};

/// That of every region and interval here.
const CONFIDENCE: &str = "with 95 % confidence";

pub(super) fn facts(of: &Of<'_>, value: &PrivateFeatureRegression, release: &PublishedRelease) -> Vec<Fact> {
    let mean = of.style.predictions.is_empty().then(|| mean_in_basis(value, release)).flatten();
    let predictions: Vec<&(String, Estimate)> = mean.iter().chain(&of.style.predictions).collect();
    let mut facts = predicted(of, &predictions);
    for (i, effect) in value.effects.iter().enumerate() {
        facts.push(Fact::answer(if i == 0 { "effects" } else { "" }, moved(of, effect)).clause());
    }
    for (i, test) in value.term_tests.iter().enumerate() {
        let words = format!(
            "the test that {} has no effect gives {}{}",
            named(&test.term),
            test.p(),
            doubt(test.little_information)
        );
        facts.push(Fact::answer(if i == 0 { "tests" } else { "" }, words).clause());
    }
    facts.extend(of.promise());
    facts.extend(of.expected_error(!predictions.is_empty() || !value.effects.is_empty()));
    let (names, numbers) = (value.features.names(), &value.coefficients);
    let features = Fact::detail("features", value.coefficients.len().to_string());
    let cells = names.iter().zip(numbers).flat_map(|(name, row)| row.iter().enumerate().map(move |at| (name, at)));
    facts.push(cells.fold(features, |fact, (name, (i, x))| fact.with(format!("{name}_{i}"), Numbers::One(*x))));
    let from = if value.is_mean() { "the mean" } else { "their predictions" };
    let residuals = match value.residual_spread {
        0.0 => "below the noise".to_owned(),
        spread => format!("{} from {from}, root mean square", of.lengths.words(spread)),
    };
    facts.push(Fact::detail("residuals", residuals));
    let regression = of.how.spec.as_deref().and_then(|spec| spec.on_features().ok());
    let curvature = regression.and_then(|regression| regression.curvature_error()).filter(|curvature| *curvature > 0.0);
    facts.extend(curvature.map(|curvature| {
        let from = if value.is_mean() { "the Fréchet mean" } else { "geodesic regression" };
        let words = format!("from {from}, simulated in this ball: it is fitted in one tangent space");
        Fact::detail("curvature", format!("about {} {words}", of.lengths.words(curvature)))
    }));
    facts.extend(of.noise(""));
    facts.push(of.ball());
    facts
}

/// Predictions at covariates in words, with their regions.
fn predicted(of: &Of<'_>, predictions: &[&(String, Estimate)]) -> Vec<Fact> {
    let (mut answers, mut details) = (vec![], vec![]);
    for (i, (at, found)) in predictions.iter().enumerate() {
        let place = of.place(&found.point);
        let [within, population] = [&found.region, &found.population_region].map(|it| of.lengths.words_up(it.radius));
        let (name, at, target) = match at.is_empty() {
            true => ("private mean", String::new(), "the mean in the basis"),
            false => ("predictions", format!(" at {at}"), "least squares"),
        };
        let doubt = doubt(found.little_information);
        let words = format!("{place}{at}, within {within} of {target} {CONFIDENCE}{doubt}");
        answers.push(Fact::answer(if i == 0 { name } else { "" }, words));
        let words = format!(
            "{}within {population} of that of the population {CONFIDENCE}, for many records and residuals of one size",
            if at.is_empty() { String::new() } else { format!("{},", at.trim_start()) + " " }
        );
        details.push(Fact::detail(if i == 0 { "population" } else { "" }, words));
    }
    answers.extend(predictions.first().and_then(|(_, found)| of.abridged(&found.point)));
    answers.into_iter().chain(details).collect()
}

/// How far a term moves the predictions.
fn moved(of: &Of<'_>, effect: &Effect) -> String {
    let Change { value, interval } = effect.shown();
    let (name, value, between) = (named(&effect.term), of.lengths.words(value), of.between(interval));
    let doubt = doubt(effect.little_information);
    format!("from {} to {}, {name} moves the prediction by {value}, {between}{doubt}", effect.from, effect.to)
}

/// A term by its column, if it has one.
fn named(term: &str) -> String {
    match term.parse::<Term>().ok().as_ref().map(Term::columns).as_deref() {
        Some([column]) => column.to_string(),
        _ => term.to_owned(),
    }
}

fn doubt(little_information: bool) -> &'static str {
    if little_information { ", little information" } else { "" }
}

/// The mean in a basis, which is the one prediction of a regression without terms.
fn mean_in_basis(value: &PrivateFeatureRegression, release: &PublishedRelease) -> Option<(String, Estimate)> {
    let estimate = value.is_mean().then(|| FeatureModel::of(release).ok()?.predict(&value.features.row_of(&[])).ok());
    Some((String::new(), estimate.flatten()?))
}
