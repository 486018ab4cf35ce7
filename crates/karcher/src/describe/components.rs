//! The principal components about a mean, in words.

use super::numbers::digits;
use super::{Lengths, Lines, digits_down, line, point};
use crate::release::PrivateComponents;

/// The components in words.
pub(super) fn describe(components: &PrivateComponents, radius: Lengths) -> Lines {
    let mut lines = vec![];
    let told = components.above_noise();
    for i in 0..told {
        let deviation = radius.words(components.variances[i].sqrt());
        let share = 100.0 * components.explained_variance_ratio[i];
        let words = format!("deviation {deviation}, {share:.1} % of the variance, along");
        lines.push(line(format!("component {}", i + 1), words));
        let direction = &components.directions[i];
        lines.push(line("", point(direction, direction.len(), true)));
    }
    let noise = radius.words(components.noise_level.sqrt());
    let all = components.variances.len();
    let words = format!("{told} of {all} components exceed the noise level, a deviation of about {noise}");
    lines.push(line("noise", words));
    if let Some(region) = &components.population_region {
        let axes: Vec<String> = region.semi_axes.iter().map(|axis| radius.words_up(*axis)).collect();
        let words = format!(
            "with about 95 % confidence, the mean of the population, clipped to the ball, is in an ellipsoid about the \
             private mean: its axes are the {all} components, its semi-axes {}",
            axes.join(", ")
        );
        lines.push(line("population", words));
    }
    let scale = digits_down(components.scale);
    let words = format!("{} scale {scale}, logarithms up to {}", components.mechanism, digits(components.clip));
    lines.push(line("second moment", words));
    lines
}
