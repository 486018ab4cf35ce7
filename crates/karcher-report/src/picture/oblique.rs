//! Space seen obliquely, from where all three axes show.

use super::frame::{self, MAP};
use super::page::{BLACK, Form, Ink, PALE, Panel, Place};

/// The directions right and up on the page, in coordinates of space.
pub const SCREEN: [[f64; 3]; 2] = [[0.83205, 0.55470, 0.0], [-0.25318, 0.37976, 0.88976]];

/// The place of a point of space on a map.
pub fn place(point: [f64; 3]) -> Place {
    SCREEN.map(|axis| axis.iter().zip(point).map(|(a, x)| a * x).sum())
}

/// The axes of space in a corner of the map.
pub fn tripod(panel: &mut Panel) {
    frame::border(panel, &MAP, PALE);
    let from = [MAP.left + MAP.width - 60.0, MAP.top + MAP.height - 40.0];
    for i in 0..3 {
        let tip = |length: f64| [from[0] + length * SCREEN[0][i], from[1] - length * SCREEN[1][i]];
        panel.add("axis", Form::Path(vec![from, tip(30.0)], false), Ink::line(BLACK, 1.0));
        let [x, y] = tip(38.0);
        panel.say([x - 3.0, y + 4.0], 11.0, BLACK, ["x", "y", "z"][i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_is_orthonormal() {
        let product = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        assert!((product(SCREEN[0], SCREEN[0]) - 1.0).abs() < 1e-4 && product(SCREEN[0], SCREEN[1]).abs() < 1e-4);
        assert!((product(SCREEN[1], SCREEN[1]) - 1.0).abs() < 1e-4);
    }
}
