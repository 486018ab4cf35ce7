//! The facts of the principal components about a mean.

use super::numbers::{point, short, short_down};
use super::{Fact, Level, Of};
use crate::release::PrivateComponents;

pub(super) fn facts(of: &Of<'_>, components: &PrivateComponents) -> Vec<Fact> {
    let lengths = of.lengths;
    let (above, all) = (components.above_noise(), components.variances.len());
    let mut facts = vec![];
    for (i, direction) in components.directions.iter().enumerate() {
        let deviation = lengths.words(components.variances[i].sqrt());
        let share = 100.0 * components.explained_variance_ratio[i];
        let along = point(direction, direction.len(), true);
        let words = format!("deviation {deviation}, {share:.1} % of the variance, along {along}");
        let level = if i < above { Level::Answer } else { Level::Detail };
        facts.push(Fact::answer(format!("component {}", i + 1), words).at(level));
    }
    let noise = lengths.words(components.noise_level.sqrt());
    let words = format!("{above} of {all} components exceed the noise level, a deviation of about {noise}");
    facts.push(Fact::answer("noise", words));
    if let Some(region) = &components.population_region {
        let axes: Vec<String> = region.semi_axes.iter().map(|axis| lengths.words_up(*axis)).collect();
        let words = format!(
            "with about 95 % confidence, the mean of the population, clipped to the ball, is in an ellipsoid about the \
             private mean: its axes are the {all} components, its semi-axes {}",
            axes.join(", ")
        );
        facts.push(Fact::detail("population", words));
    }
    let scale = short_down(components.scale);
    let words = format!("{} scale {scale}, logarithms up to {}", components.mechanism, short(components.clip));
    facts.push(Fact::detail("second moment", words));
    facts
}
