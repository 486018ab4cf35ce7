//! A Fréchet variance, in words.

use super::numbers::digits;
use super::{Described, Lines, digits_up, line};
use crate::release::PrivateVariance;

pub(super) fn describe(of: &Described<'_>, variance: &PrivateVariance) -> Lines {
    let lengths = of.style.lengths;
    let [low, high] = variance.root_mean_square_interval;
    let (low, high) = (lengths.words_down(low), lengths.words_up(high));
    let spread = format!("{}, the root mean square distance", lengths.words(variance.root_mean_square));
    let mut lines = vec![
        line("private spread", spread),
        line("", format!("from {low} to {high} with 95 % confidence")),
        line("mean square", digits(variance.mean_square.value)),
    ];
    lines.extend(of.promise());
    lines.extend(of.noise(""));
    lines.push(of.ball());
    let error = digits_up(of.how.expected_distance);
    lines.push(line("expected error", format!("{error} of the mean square, on average")));
    lines
}
