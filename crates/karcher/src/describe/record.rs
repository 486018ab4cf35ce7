//! A record that its owner randomized, in words.

use super::{Described, Lines, digits_down, digits_up, line, point};
use crate::release::{RandomizedRecord, also_words};

pub(super) fn describe(of: &Described<'_>, record: &RandomizedRecord) -> Lines {
    let (how, numbers) = (of.how, &record.coordinates[..]);
    let mut lines = vec![
        line("randomized", format!("{} in the tangent space at the center", point(numbers, numbers.len(), true))),
        line("space", format!("{}, {}", how.manifold, how.how_many())),
        line("guarantee", format!("{}, any point of the ball instead of it", how.guarantee)),
    ];
    lines.extend(also_words(&how.also).map(|words| line("also", words)));
    lines.extend([
        line("mechanism", format!("{}, scale {}", how.mechanism, digits_down(how.scale))),
        line("sensitivity", format!("{}, twice the radius", digits_up(how.sensitivity.value))),
        of.ball(),
        line("expected error", format!("{} on average", of.style.lengths.words(how.expected_distance))),
    ]);
    lines
}
