//! The facts of a record that its owner randomized, and of the mean of many.

use super::numbers::{point, point_rows, short, short_down, short_up};
use super::{Fact, Of, around, text};
use crate::release::{Collected, RandomizedRecord, also_words};
use std::fmt;

pub(super) fn facts(of: &Of<'_>, record: &RandomizedRecord) -> Vec<Fact> {
    let (how, numbers) = (of.how, &record.coordinates[..]);
    let randomized = format!("{} in the tangent space at the center", point(numbers, numbers.len(), true));
    let mut facts = vec![
        Fact::answer("randomized", randomized).with_point("coordinate", numbers),
        Fact::answer("guarantee", format!("{}, any point of the ball instead of it", how.guarantee)),
        Fact::detail("space", format!("{}, {}", how.manifold, how.how_many())),
    ];
    facts.extend(also_words(&how.also).map(|words| Fact::detail("also", words)));
    facts.extend(of.expected_error(false));
    facts.extend([
        Fact::detail("mechanism", format!("{}, scale {}", how.mechanism, short_down(how.scale))),
        Fact::detail("sensitivity", format!("{}, twice the radius", short_up(how.sensitivity.value))),
        of.ball(),
    ]);
    facts
}

impl Collected {
    /// Its facts.
    pub fn facts(&self) -> Vec<Fact> {
        let space = self.manifold.manifold().ok();
        let row = space.as_ref().map_or(self.value.len(), |space| space.shape().row_len());
        let layout = space.as_ref().and_then(|space| space.layouts().into_iter().next());
        let around = around(&self.ball, space.as_deref(), layout.as_ref());
        let names = std::iter::once("collected mean").chain(std::iter::repeat(""));
        let rows = point_rows(&self.value, row, false);
        let bias = match self.bias_bound {
            Some(0.0) => "none: the space is flat".to_owned(),
            Some(bound) => format!("at most {}, whatever the number of people", short_up(bound)),
            None => "not known: in so large a ball the mean need not be unique".to_owned(),
        };
        let people = if self.n == 1 { "1 person".to_owned() } else { format!("{} people", self.n) };
        let guarantee = format!("{} for each {}, by the noise that each person added", self.guarantee, self.unit);
        let mut facts: Vec<Fact> = names.zip(rows).map(|(name, row)| Fact::answer(name, row)).collect();
        facts.first_mut().into_iter().for_each(|first| *first = first.clone().with_point("value", &self.value));
        facts.extend([
            Fact::answer("guarantee", guarantee),
            Fact::answer("expected error", format!("about {} of noise", short_up(self.expected_distance))),
            Fact::answer("bias", bias),
            Fact::answer("space", format!("{}, {people}", self.manifold)),
            Fact::detail("noise", format!("scale {} each", short_down(self.scale))),
            Fact::detail("ball", format!("radius {}{around}", short(self.ball.radius()))),
        ]);
        facts.extend(self.flags.iter().map(|flag| Fact::note(flag.to_string())));
        facts
    }
}

/// The answer, and what a reader has to know. The alternate form, `{:#}`, has all details.
impl fmt::Display for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(&self.facts(), f.alternate()).trim_end())
    }
}
