//! The facts of an extrinsic mean: how the records are spread about it.

use super::numbers::{short, short_down, short_up};
use super::{Fact, Level, Of};
use crate::release::{Concentration, Concentrations, DirectionalSummary, PrivacyUnit, PrivateEmbeddedMean};

/// The answer has the facts of so many factors.
const FEW: usize = 1;

pub(super) fn facts(of: &Of<'_>, extrinsic: &PrivateEmbeddedMean) -> Vec<Fact> {
    let factors = &extrinsic.factors;
    let mut facts = vec![];
    for (i, factor) in factors.iter().enumerate() {
        // two angles are told apart by their places
        let on = match factors.iter().filter(|other| other.space == factor.space).count() {
            _ if factors.len() == 1 => String::new(),
            1 => format!("on {}, ", factor.space),
            _ => format!("on factor {} ({}), ", i + 1, factor.space),
        };
        let own = of_factor(of, factor, &on).into_iter();
        facts.extend(own.map(|fact| match fact.level {
            Level::Answer if factors.len() > FEW => fact.at(Level::Detail),
            _ => fact,
        }));
    }
    facts.push(Fact::detail("estimand", "the extrinsic (chordal) mean, not the Fréchet mean; it takes no ball"));
    facts
}

/// The facts of a factor, which begin with its space where there are several.
fn of_factor(of: &Of<'_>, factor: &DirectionalSummary, on: &str) -> Vec<Fact> {
    let of_records = match of.how.unit {
        PrivacyUnit::Person => " of the means of each person's records",
        PrivacyUnit::Record => "",
    };
    let lengths = of.lengths;
    let [low, high] = factor.mean_resultant_length_interval;
    let resultant = format!(
        "{on}the mean resultant length{of_records} is {}, from {} to {} with 95 % confidence",
        short(factor.mean_resultant_length),
        short_down(low),
        short_up(high)
    );
    let mut facts = vec![Fact::answer("resultant", resultant).clause()];
    let concentration = factor.concentration.as_ref();
    facts.extend(
        concentration.map(|found| Fact::answer("concentration", on.to_owned() + &concentrated(found)).clause()),
    );
    facts.extend(factor.population_region.as_ref().map(|region| {
        let words = match factor.is_everywhere(region.radius) {
            true => format!("{on}the population's mean may be anywhere: few records, a wide spread or much noise"),
            false => {
                format!(
                    "{on}the population's mean is within α₉₅ = {} {}",
                    lengths.words_up(region.radius),
                    region.words()
                )
            }
        };
        Fact::answer("population", words).clause()
    }));
    let test = format!("{on}{}", factor.uniformity.p());
    facts.push(match factor.uniformity.p_value > 0.05 {
        true => Fact::note(format!(
            "{on}the records may be spread evenly ({}): no direction is known",
            factor.uniformity.p()
        )),
        false => Fact::detail("uniformity", format!("{test}: the records are not spread evenly")),
    });
    let several = factor.concentrations.as_ref();
    facts.extend(several.map(|found| Fact::detail("concentrations", on.to_owned() + &concentrations(found))));
    facts.extend(factor.any_population_region.as_ref().map(|region| {
        let words = format!("{on}whatever its law, the population's mean is within");
        Fact::detail("any population", format!("{words} {} {}", lengths.words_up(region.radius), region.words()))
    }));
    if let [longest, .., shortest] = factor.ellipse[..] {
        let (longest, shortest) = (lengths.words_up(longest), lengths.words_up(shortest));
        let words = format!("{on}semi-axes from {longest} to {shortest} with about 95 % confidence");
        facts.push(Fact::detail("ellipse", words));
    }
    facts.extend(factor.frechet_mean_within.map(|apart| {
        let from = "from the extrinsic mean of the records, with at least 95 % confidence";
        Fact::detail("Fréchet mean", format!("{on}no farther than {} {from}", lengths.words_up(apart)))
    }));
    facts
}

fn concentrations(found: &Concentrations) -> String {
    let end = |end: f64, digits: fn(f64) -> String| match end.abs() < f64::MAX {
        true => digits(end),
        false => format!("{}infinity", if end < 0.0 { "−" } else { "" }),
    };
    let words = |(value, [low, high]): (&f64, &[f64; 2])| {
        format!("{} ({} to {})", short(*value), end(*low, short_down), end(*high, short_up))
    };
    let words: Vec<String> = found.values.iter().zip(&found.intervals).map(words).collect();
    format!("{}, {} law, with about 95 % confidence each", words.join(", "), found.law)
}

fn concentrated(found: &Concentration) -> String {
    let (low, high) = found.interval;
    let high = high.map_or("infinity".to_owned(), short_up);
    let kappa = short(found.kappa);
    format!("the {} law has κ = {kappa}, from {} to {high} with 95 % confidence", found.law, short_down(low))
}
