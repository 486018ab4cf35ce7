//! Numbers with their intervals, a row each, over one axis.

use super::frame::{self, MAP, Words};
use super::page::{BLACK, Form, GREY, Ink, PALE, Panel, Rectangle};
use super::view::{View, label, shortened, ticks};

/// Rows beyond these are counted only.
const MOST: usize = 16;
/// The height of a row, and the size of its words.
const ROW: f64 = 27.0;
const SIZE: f64 = 11.5;
/// The width of the names, and the letters for which it has room.
const NAMES: f64 = 170.0;
const LETTERS: usize = 27;

/// A row: its name, the number, and the ends of its interval if there is one.
pub struct Row {
    /// The name.
    pub name: String,
    /// The number.
    pub number: f64,
    /// Its interval.
    pub interval: Option<[f64; 2]>,
    /// The paint of the number.
    pub ink: Ink,
}

/// The line of an interval, in the color of its number.
pub fn interval(number: Ink) -> Ink {
    number.fill.map_or(number, |(color, _)| Ink::line(color, 2.0))
}

impl Words {
    /// Says how many rows are not drawn, if there are such.
    pub fn left_out(&mut self, rows: usize) {
        if rows > MOST {
            self.say(format!("{} more are not drawn", rows - MOST));
        }
    }
}

/// The rows over an axis that has zero, and their names.
pub fn panels(rows: &[Row]) -> [Panel; 2] {
    let lengths = rows.iter().flat_map(|row| row.interval.into_iter().flatten().chain([row.number, 0.0]));
    let (low, high) = lengths.filter(|x| x.is_finite()).fold((0.0_f64, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let room = 0.04 * (high - low).max(f64::MIN_POSITIVE);
    let drawn = rows.len().min(MOST);
    let height = ROW * drawn.max(1) as f64;
    let window = Rectangle { left: MAP.left + NAMES, top: MAP.top, width: MAP.width - NAMES, height };
    // the shorter side of a view is what its half is about
    let half = 0.5 * (high - low) + room;
    let half = half * window.width.min(window.height) / window.width;
    let view = View { window, middle: [0.5 * (low + high), 0.0], half };
    let (mut panel, mut names) = (Panel::new(window), Panel::default());
    let bottom = window.top + window.height;
    for tick in ticks((low - room, high + room), window.width / 60.0) {
        let [x, _] = view.on_page([tick, 0.0]);
        let ink = Ink::line(if tick == 0.0 { GREY } else { PALE }, if tick == 0.0 { 1.2 } else { 0.8 });
        panel.add("grid", Form::Path(vec![[x, window.top], [x, bottom]], false), ink);
        let text = label(tick);
        names.say([x - 3.0 * text.chars().count() as f64, bottom + 16.0], 10.5, GREY, text);
    }
    for (i, row) in rows.iter().take(MOST).enumerate() {
        let y = window.top + ROW * (i as f64 + 0.5);
        let x = |number: f64| view.on_page([number, 0.0])[0];
        if let Some([from, to]) = row.interval {
            panel.add("interval", Form::Path(vec![[x(from), y], [x(to), y]], false), interval(row.ink));
        }
        panel.add("effect", Form::Circle([x(row.number), y], 4.5), row.ink);
        names.say([MAP.left, y + 4.0], SIZE, BLACK, shortened(&row.name, LETTERS));
    }
    frame::border(&mut panel, &window, GREY);
    [panel, names]
}
