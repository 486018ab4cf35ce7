//! The facts of the ball of a release.

use super::{Fact, Of, numbers};
use crate::Ball;
use crate::manifold::{Layout, Manifold};

/// The center of a ball in words, behind its radius: in degrees if the layout has them.
pub fn around(ball: &Ball, space: Option<&dyn Manifold>, layout: Option<&Layout>) -> String {
    let center = ball.center();
    match layout.and_then(|layout| numbers::told(layout, center)) {
        Some(place) => format!(" around {place}"),
        None if center.len() <= 9 => {
            let row = space.map_or(center.len(), |space| space.shape().row_len());
            format!(" around {}", numbers::point(center, row, false))
        }
        None => format!(" around a center of {} numbers", center.len()),
    }
}

impl Of<'_> {
    /// The center of a ball, and whether it is the default one.
    pub(super) fn around(&self, ball: &Ball, of_default: &str) -> String {
        around(ball, self.space, self.style.layout.as_ref()) + of_default
    }

    /// The ball to which records were clipped.
    pub(super) fn ball(&self) -> Fact {
        let radius = self.how.ball.radius_in_words(|r| self.lengths.words(r));
        Fact::detail("ball", format!("{radius}{}", self.around(&self.how.ball, self.style.of_default_center)))
    }
}
