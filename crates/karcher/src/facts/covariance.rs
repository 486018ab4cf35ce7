//! The facts of a mean and a covariance.

use super::numbers::{point, short, short_up};
use super::{Fact, Level, Numbers, Of};
use crate::release::ReleasedCovariance;

/// Components that are listed one by one, and those of them in an answer.
const LISTED: usize = 10;
const ANSWERED: usize = 3;

pub(super) fn facts(of: &Of<'_>, found: &ReleasedCovariance) -> Vec<Fact> {
    let lengths = of.lengths;
    let (above, all) = (found.above_noise(), found.variances.len());
    let mut facts = of.value(("private mean", "value"), &found.mean);
    for (i, direction) in found.directions.iter().enumerate().take(LISTED) {
        let deviation = lengths.words(found.variances[i].max(0.0).sqrt());
        let share = 100.0 * found.explained_variance_ratio[i];
        let along = point(direction, direction.len(), true);
        let words = format!("deviation {deviation}, {share:.1} % of the variance, along {along}");
        let level = if i < above.min(ANSWERED) { Level::Answer } else { Level::Detail };
        let fact = Fact::answer(format!("component {}", i + 1), words).at(level);
        facts.push(fact.with(format!("variance_{}", i + 1), Numbers::One(found.variances[i])));
    }
    let noise = lengths.words(found.noise_level.sqrt());
    let words = format!("{above} of {all} components exceed the noise level, a deviation of about {noise}");
    facts.push(Fact::answer("noise", words));
    let mean = lengths.words_up(found.mean_radius);
    let words = format!("the mean of the clipped records is within {mean} of it with at least 95 % confidence");
    facts.push(Fact::answer("region", words).clause());
    let half = short_up(found.variance_half_width);
    let words =
        format!("each squared deviation is within {half} of the one without noise with at least 95 % confidence");
    facts.push(Fact::answer("intervals", words).clause());
    facts.extend(of.promise());
    facts.extend(of.expected_error(true));
    facts.extend(of.noise(""));
    facts
        .push(Fact::detail("weight", format!("{} of the mean next to the second moment", short(found.weight.value()))));
    facts.push(of.ball());
    facts
}
