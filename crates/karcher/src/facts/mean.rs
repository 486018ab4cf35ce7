//! The facts of a private mean, a median or a minimizer.

use super::{Fact, Kept, Level, Of, components, extrinsic, located_ball, spread};
use crate::release::{PrivatePoint, Region, RegionCenter, StatisticName};

impl Of<'_> {
    /// The radius of a region, what it is around, and its probability.
    pub(super) fn within(&self, region: &Region) -> String {
        let about = match region.center {
            RegionCenter::NoisyValue => "the value before denoising",
            RegionCenter::Value => "it",
        };
        format!("{} of {about} {}", self.lengths.words_up(region.radius), region.words())
    }
}

pub(super) fn facts(of: &Of<'_>, found: &PrivatePoint) -> Vec<Fact> {
    let (how, style, value) = (of.how, of.style, &found.value[..]);
    let name = match how.statistic {
        StatisticName::ExtrinsicMean => "extrinsic mean",
        statistic => statistic.description().point,
    };
    let mut facts = of.value((name, "value"), value);
    // what other places do not hold
    let kept = matches!(style.kept, Kept::All(_));
    facts.extend(found.logarithm.iter().flat_map(|logarithm| of.rows("its logarithm", logarithm, kept)));
    facts.extend(found.region.as_ref().map(|region| {
        let words = match found.extrinsic {
            Some(_) if region.radius >= how.ball.radius() => {
                "the extrinsic mean of the records may be anywhere: noise may hide the direction".to_owned()
            }
            Some(_) => format!("the extrinsic mean of the records is within {}", of.within(region)),
            None => format!("the mean of the clipped records is within {}", of.within(region)),
        };
        Fact::answer("region", words).clause()
    }));
    facts.extend(of.promise());
    facts.extend(of.expected_error(found.region.is_some()));
    if let Some(extrinsic) = &found.extrinsic {
        facts.extend(extrinsic::facts(of, extrinsic));
    } else {
        facts.extend(balls(of, found));
    }
    facts.extend(found.spread.iter().flat_map(|found| spread::facts(of, found)));
    facts.extend(found.components.iter().flat_map(|found| components::facts(of, found)));
    let noisy = found.noisy_value.as_ref().filter(|noisy| **noisy != value);
    let noisy = noisy.iter().flat_map(|noisy| of.rows("before denoising", noisy, kept));
    facts.extend(noisy.map(|fact| fact.at(Level::Detail)));
    facts.extend(of.noise(""));
    facts
}

/// The ball of the mean, and how it was located.
fn balls(of: &Of<'_>, found: &PrivatePoint) -> Vec<Fact> {
    let ball = &of.how.ball;
    let Some(located) = &of.how.located else { return vec![of.ball()] };
    let is_reduced = ball.radius() < located.ball.radius;
    let reduced = if is_reduced { ": the largest for a mean, as the located radius is too large" } else { "" };
    let size = ball.radius_in_words(|r| of.lengths.words(r));
    let (outer, sought) = (located_ball::within(of, &located.within), located_ball::radius(of, &located.ball));
    vec![
        Fact::answer("located ball", format!("{size}{}{reduced}", of.around(ball, ""))),
        Fact::detail("sought within", format!("{outer}; radius {sought}")),
        Fact::detail("spent", located_ball::spent(&located.ball, found.spread.is_some())),
    ]
}
