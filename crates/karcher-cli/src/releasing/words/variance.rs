//! A Fréchet variance, in words.

use crate::output::{digits_down, digits_up};
use crate::releasing::{Described, Lines, line};
use crate::{Failure, center};

/// The release in words.
pub fn describe(described: &Described<'_>) -> Result<Lines, Failure> {
    let Described { release, manifold, layout, told, .. } = described;
    let variance = release.variance().ok_or("a variance releases a mean square")?;
    let [low, high] = variance.root_mean_square_interval.map(|end| told.radius.words(end));
    let mut lines = vec![
        line(
            "private spread",
            format!("{}, the root mean square distance", told.radius.words(variance.root_mean_square)),
        ),
        line("", format!("from {low} to {high} with 95 % confidence")),
    ];
    lines.extend(described.promise());
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let around = center::around(release.ball(), *manifold, layout, told.is_default_center);
    lines.push(line("ball", format!("{}{around}", release.ball().radius_in_words(|r| told.radius.words(r)))));
    Ok(lines)
}
