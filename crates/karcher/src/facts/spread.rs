//! The facts of the spread of records.

use super::{Fact, Of};
use crate::release::{PrivacyUnit, PrivateSpread, UniformSpread};

/// A root mean square distance, with its interval.
pub(super) fn root_mean_square(of: &Of<'_>, root: f64, interval: [f64; 2]) -> String {
    format!("{}, the root mean square distance, {}", of.lengths.words(root), of.between(interval))
}

/// The length at which distances are cut off.
pub(super) fn cut_off(of: &Of<'_>, clip: f64) -> Fact {
    Fact::detail("cut off", format!("each at most {}", of.lengths.words(clip)))
}

/// The spread of records that are spread evenly.
pub(super) fn uniform(of: &Of<'_>, uniform: UniformSpread) -> Fact {
    let words = "if records were spread evenly over the whole space, the spread would be";
    Fact::detail("even spread", format!("{words} {}", of.lengths.words(uniform.root_mean_square)))
}

/// The note about records that may be spread evenly.
pub(super) fn scattered() -> Fact {
    Fact::note(
        "this release cannot distinguish these records from random points on the whole space: they have no useful \
         mean, and the choice of the ball mostly decides the value",
    )
}

/// What a spread adds to a mean.
pub(super) fn facts(of: &Of<'_>, spread: &PrivateSpread) -> Vec<Fact> {
    let of_records = match of.how.unit {
        PrivacyUnit::Person => "contributions",
        PrivacyUnit::Record => "records",
    };
    let (share, [low, high]) = (100.0 * spread.fraction_outside.value, spread.fraction_outside.interval_in_percent());
    let outside = format!(
        "{share:.1} % of the {of_records} are outside the ball, from {low:.1} % to {high:.1} % with 95 % confidence"
    );
    let mut facts = vec![
        Fact::answer("spread", root_mean_square(of, spread.root_mean_square, spread.root_mean_square_interval)),
        Fact::answer("outside", outside).clause(),
    ];
    facts.extend(spread.population_region.as_ref().map(|region| {
        let words = format!("the clipped population's mean is within {}", of.within(region));
        Fact::answer("population", words).clause()
    }));
    facts.extend(spread.clipping.map(|moved| {
        let words = format!("clipping moved the mean by at most about {}", of.lengths.words_up(moved));
        Fact::answer("clipping", words).clause()
    }));
    facts.push(cut_off(of, spread.clip));
    facts.extend(spread.uniform.map(|even| uniform(of, even)));
    facts.extend(spread.consistent_with_uniform.then(scattered));
    facts.extend((spread.fraction_outside.value > 0.5).then(|| {
        Fact::note(
            "more than half of the records lie outside the ball: the mean of the clipped records depends more on the \
             ball than on them",
        )
    }));
    facts
}
