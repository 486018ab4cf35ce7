//! A regression on features: everything follows from the noisy moments, whose numbers lie on the lattice.

use super::finding::Findings;
use super::numbers::numbers;
use super::place;
use crate::release::PrivateFeatureRegression;
use serde_json::json;

/// How much less precise statistics of tests are than moments, because residuals are small differences of these.
const DIFFERENCE: f64 = (1_u64 << 20) as f64;

/// Compares a regression in a ball of this radius with the one that follows from its stated moments.
pub(super) fn compare(
    stated: &PrivateFeatureRegression,
    again: &PrivateFeatureRegression,
    radius: f64,
    found: &mut Findings,
) {
    // the square is a difference of moments: as precise as the squared radius
    let sum = (stated.residual_spread.abs() + again.residual_spread).max(f64::MIN_POSITIVE);
    found.require("residual_spread", stated.residual_spread >= 0.0, "it is the root of a mean square, and negative");
    found.about("residual_spread", stated.residual_spread, again.residual_spread, radius * radius / sum);
    let mut again = again.clone();
    again.residual_spread = stated.residual_spread;
    for (i, (test, own)) in again.term_tests.iter_mut().zip(&stated.term_tests).enumerate() {
        let field = format!("term_tests[{i}].statistic");
        found.about(&field, own.statistic, test.statistic, DIFFERENCE * test.statistic.abs());
        test.statistic = own.statistic;
    }
    for (i, (stated, again)) in stated.moments.iter().zip(&again.moments).enumerate() {
        place::multiple(&format!("moments[{i}]"), *stated, *again, found);
    }
    let (stated, again) = (json!(stated), json!(again));
    for (field, own) in stated.as_object().into_iter().flatten().filter(|(field, _)| *field != "moments") {
        numbers(field, own, &again[field], found);
    }
}
