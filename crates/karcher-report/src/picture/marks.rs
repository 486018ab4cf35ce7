//! The marks of a picture as JSON, for devices of other programs: R draws them.

use super::page::{Color, Form, Ink, Mark, Page, Panel, Rectangle};
use serde_json::{Value, json};

/// The size, the title and the panels of a page, the lowest first. A panel has a window, to which its marks are
/// clipped, unless that is the page.
pub fn json(page: &Page) -> Value {
    let (width, height) = page.size;
    let panels: Vec<Value> = page.panels.iter().map(panel).collect();
    json!({"width": width, "height": height, "title": page.title, "panels": panels})
}

fn panel(panel: &Panel) -> Value {
    let window = panel.window.map(|Rectangle { left, top, width, height }| json!([left, top, width, height]));
    let marks: Vec<Value> = panel.marks.iter().map(mark).collect();
    json!({"window": window, "marks": marks})
}

/// A line of places, a circle or words, with the ink.
fn mark(Mark { class, form, ink }: &Mark) -> Value {
    let axis = |places: &[[f64; 2]], axis: usize| places.iter().map(|place| place[axis]).collect::<Vec<f64>>();
    let mut found = match form {
        Form::Path(places, closed) => {
            json!({"form": "path", "x": axis(places, 0), "y": axis(places, 1), "closed": closed})
        }
        Form::Circle([x, y], radius) => json!({"form": "circle", "x": x, "y": y, "radius": radius}),
        Form::Text([x, y], size, text) => json!({"form": "text", "x": x, "y": y, "size": size, "text": text}),
    };
    let Ink { fill, line, dashed } = ink;
    found["class"] = json!(class);
    found["fill"] = json!(fill.map(|(color, _)| hexadecimal(color)));
    found["opacity"] = json!(fill.map(|(_, opacity)| opacity));
    found["line"] = json!(line.map(|(color, _)| hexadecimal(color)));
    found["line_width"] = json!(line.map(|(_, width)| width));
    found["dashed"] = json!(dashed);
    found
}

fn hexadecimal(Color(red, green, blue): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
