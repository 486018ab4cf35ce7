//! Coordinates at the edge of a window.

use super::frame::border;
use super::page::{Form, GREY, Ink, PALE, Panel};
use super::view::{View, label, multiples, ticks};
use std::f64::consts::PI;

/// About so many pixels are between two ticks.
const APART: f64 = 60.0;

/// A grid of round numbers with a frame around it. Angles are in a unit, and begin again beyond half a turn.
pub fn draw(panel: &mut Panel, view: &View, angles: Option<f64>) {
    let window = view.window;
    let (right, bottom) = (window.left + window.width, window.top + window.height);
    for axis in [0, 1] {
        let side = if axis == 0 { window.width } else { window.height };
        let (low, high) = view.range(axis);
        let about = (side / APART).max(2.0);
        let all = match angles {
            Some(unit) if unit != 1.0 => {
                degree_ticks((unit * low, unit * high), about).iter().map(|x| x / unit).collect()
            }
            _ => ticks((low, high), about),
        };
        for tick in all {
            let mut place = view.middle;
            place[axis] = tick;
            let [x, y] = view.on_page(place);
            let line = if axis == 0 { [[x, window.top], [x, bottom]] } else { [[window.left, y], [right, y]] };
            panel.add("grid", Form::Path(line.to_vec(), false), Ink::line(PALE, 0.8));
            let name = label(angles.map_or(tick, |unit| unit * turned(tick)));
            // not where the words of the other axis are, or behind the edge
            let at = if axis == 0 { [x + 3.0, bottom - 5.0] } else { [window.left + 4.0, y - 3.0] };
            let room = 8.0 * name.chars().count() as f64;
            if (axis == 0 && at[0] > window.left + 24.0 && at[0] + room < right)
                || (axis == 1 && at[1] < bottom - 20.0 && at[1] > window.top + 12.0)
            {
                panel.say(at, 10.0, GREY, name);
            }
        }
    }
    border(panel, &window, GREY);
}

/// Ticks of a line, with a frame around its window.
pub fn draw_line(panel: &mut Panel, view: &View) {
    let window = view.window;
    let bottom = window.top + window.height;
    for tick in ticks(view.range(0), window.width / APART) {
        let [x, _] = view.on_page([tick, 0.0]);
        panel.add("grid", Form::Path(vec![[x, window.top], [x, bottom]], false), Ink::line(PALE, 0.8));
        panel.say([x + 3.0, bottom - 5.0], 10.0, GREY, label(tick));
    }
    border(panel, &window, GREY);
}

/// Round numbers of degrees, which divide a turn where they are many.
fn degree_ticks((low, high): (f64, f64), about: f64) -> Vec<f64> {
    match [15.0, 30.0, 45.0, 60.0, 90.0].into_iter().find(|step| (high - low) / step <= about) {
        Some(step) if high - low > 60.0 => multiples(step, (low, high)),
        _ => ticks((low, high), about),
    }
}

/// An angle between minus half a turn and half a turn.
fn turned(angle: f64) -> f64 {
    if (-PI..=PI).contains(&angle) { angle } else { angle - 2.0 * PI * (angle / (2.0 * PI)).round() }
}
