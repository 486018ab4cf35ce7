//! A page as an SVG file.

use super::page::{Color, Form, Ink, Mark, Page, Panel, Place, Rectangle};
use svg::node::Text as Content;
use svg::node::element::{Circle, ClipPath, Definitions, Description, Group, Path, Rectangle as Box, Text, Title};
use svg::{Document, Node};

/// The file. The same page makes the same bytes.
pub fn bytes(page: &Page) -> Vec<u8> {
    let (width, height) = page.size;
    let document = Document::new().set("width", number(width)).set("height", number(height));
    let mut bytes = drawn(document.set("role", "img").add(Title::new(page.title.as_str())), page, "").into_bytes();
    bytes.push(b'\n');
    bytes
}

/// The file as an address, a fifth shorter than in base 64. What an address or an attribute does not hold is escaped.
pub fn address(page: &Page) -> String {
    let written = |c: char| match c {
        '%' | '#' | '"' | '<' | '>' | '&' | '\n' => format!("%{:02X}", u32::from(c)),
        _ => c.to_string(),
    };
    let escaped: String = String::from_utf8_lossy(&bytes(page)).chars().map(written).collect();
    format!("data:image/svg+xml;charset=utf-8,{escaped}")
}

/// An element of a page of HTML, as large as its place there. Ids begin with a name that no other element has. The
/// words in the picture are its description, because screen readers treat it as one element.
pub fn inline(page: &Page, name: &str) -> String {
    let (title, words) = (format!("{name}-title"), format!("{name}-words"));
    let document = Document::new()
        .set("role", "img")
        .set("aria-labelledby", title.as_str())
        .set("aria-describedby", words.as_str())
        .add(Title::new(page.title.as_str()).set("id", title))
        .add(Description::new().set("id", words).add(Content::new(page.words().join("; "))));
    drawn(document, page, &format!("{name}-"))
}

/// A document with the panels of a page in it.
fn drawn(document: Document, page: &Page, name: &str) -> String {
    let (width, height) = page.size;
    let mut document = document
        .set("viewBox", format!("0 0 {} {}", number(width), number(height)))
        .set("font-family", "Helvetica, Arial, Liberation Sans, sans-serif");
    let everywhere = Rectangle { left: 0.0, top: 0.0, width, height };
    document.append(rectangle(&everywhere).set("class", "page").set("fill", "#ffffff"));
    for (i, panel) in page.panels.iter().enumerate() {
        document.append(group(&format!("{name}window-{i}"), panel));
    }
    document.to_string()
}

fn group(id: &str, panel: &Panel) -> Group {
    let mut group = Group::new().set("class", "panel");
    if let Some(window) = &panel.window {
        let clip = ClipPath::new().set("id", id).add(rectangle(window));
        group.append(Definitions::new().add(clip));
        group.assign("clip-path", format!("url(#{id})"));
    }
    panel.marks.iter().for_each(|mark| append(&mut group, mark));
    group
}

fn append(group: &mut Group, Mark { class, form, ink }: &Mark) {
    match form {
        Form::Path(places, closed) => {
            group.append(painted(Path::new().set("d", path(places, *closed)).set("class", *class), ink))
        }
        Form::Circle([x, y], radius) => {
            let circle = Circle::new().set("cx", number(*x)).set("cy", number(*y)).set("r", number(*radius));
            group.append(painted(circle.set("class", *class), ink));
        }
        Form::Text([x, y], size, text) => {
            let text = Text::new(text.as_str()).set("x", number(*x)).set("y", number(*y));
            group.append(painted(text.set("font-size", number(*size)).set("class", *class), ink));
        }
    }
}

/// An element with its ink.
fn painted<E: Node>(mut element: E, ink: &Ink) -> E {
    match ink.fill {
        Some((color, opacity)) => {
            element.assign("fill", hexadecimal(color));
            if opacity < 1.0 {
                element.assign("fill-opacity", number(opacity));
            }
        }
        None => element.assign("fill", "none"),
    }
    if let Some((color, width)) = ink.line {
        element.assign("stroke", hexadecimal(color));
        element.assign("stroke-width", number(width));
        element.assign("stroke-linejoin", "round");
        if ink.dashed {
            element.assign("stroke-dasharray", "5 4");
        }
    }
    element
}

fn rectangle(r: &Rectangle) -> Box {
    let (x, y, width, height) = (number(r.left), number(r.top), number(r.width), number(r.height));
    Box::new().set("x", x).set("y", y).set("width", width).set("height", height)
}

fn path(places: &[Place], closed: bool) -> String {
    let places = places.iter().map(|[x, y]| format!("{} {}", number(*x), number(*y)));
    format!("M{}{}", places.collect::<Vec<_>>().join("L"), if closed { "Z" } else { "" })
}

fn hexadecimal(Color(red, green, blue): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A number with two decimals, without trailing zeros.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
