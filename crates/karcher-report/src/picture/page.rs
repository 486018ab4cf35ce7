//! Marks on a page, in pixels from its upper left corner: the common input of SVG and PNG files.

use super::thin;

/// A place on the page, or on a map before it is put onto the page.
pub type Place = [f64; 2];

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

/// Private values.
pub const BLUE: Color = Color(0, 114, 178);
/// Public: the ball.
pub const AMBER: Color = Color(213, 94, 0);
/// Words.
pub const BLACK: Color = Color(34, 34, 34);
/// Words of less weight, and frames.
pub const GREY: Color = Color(110, 110, 110);
/// Lines of a grid.
pub const PALE: Color = Color(214, 214, 214);

/// The paint of a mark.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ink {
    /// The color of the inside, and its opacity.
    pub fill: Option<(Color, f64)>,
    /// The color of the line, and its width.
    pub line: Option<(Color, f64)>,
    /// Whether the line has gaps.
    pub dashed: bool,
}

impl Ink {
    /// A line.
    pub fn line(color: Color, width: f64) -> Self {
        Self { line: Some((color, width)), ..Self::default() }
    }

    /// An inside.
    pub fn fill(color: Color, opacity: f64) -> Self {
        Self { fill: Some((color, opacity)), ..Self::default() }
    }

    /// The same with a line.
    pub fn with_line(self, color: Color, width: f64) -> Self {
        Self { line: Some((color, width)), ..self }
    }

    /// The same with gaps in its line.
    pub fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }

    /// The same with a paler inside, on which other marks show.
    pub fn paler(self) -> Self {
        Self { fill: self.fill.map(|(color, opacity)| (color, 0.55 * opacity)), ..self }
    }

    /// The same without its inside.
    pub fn hollow(self) -> Self {
        Self { fill: None, ..self }
    }
}

/// The form of a mark.
#[derive(Debug, Clone)]
pub enum Form {
    /// A line through places; closed, it has an inside.
    Path(Vec<Place>, bool),
    /// A circle about a place.
    Circle(Place, f64),
    /// Words that begin at a place of their base line, in a size.
    Text(Place, f64, String),
}

impl Form {
    /// Whether some of it may be in a window, for any width of its line.
    fn meets(&self, window: &Rectangle) -> bool {
        let (places, around): (&[Place], f64) = match self {
            Form::Path(places, _) => (places, 0.0),
            Form::Circle(at, radius) => (std::slice::from_ref(at), *radius),
            Form::Text(..) => return true,
        };
        let within = |axis: usize, low: f64, length: f64| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let (first, last) = places.iter().fold(ends, |(a, b), place| (a.min(place[axis]), b.max(place[axis])));
            last + around + LINE > low && first - around - LINE < low + length
        };
        within(0, window.left, window.width) && within(1, window.top, window.height)
    }
}

/// No line is wider on the page.
const LINE: f64 = 5.0;

/// Something on the page.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Its class: that of the element in an SVG file.
    pub class: &'static str,
    /// Its form.
    pub form: Form,
    /// Its paint.
    pub ink: Ink,
}

/// A rectangle: its left and upper edge, its width and its height.
#[derive(Debug, Clone, Copy)]
pub struct Rectangle {
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Rectangle {
    /// Its corners.
    pub fn corners(&self) -> Vec<Place> {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        vec![[self.left, self.top], [right, self.top], [right, bottom], [self.left, bottom]]
    }

    /// Its middle.
    pub fn middle(&self) -> Place {
        [self.left + self.width / 2.0, self.top + self.height / 2.0]
    }
}

/// Marks that are clipped to a window.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The window; without one it is the page.
    pub window: Option<Rectangle>,
    /// The marks, the lowest first.
    pub marks: Vec<Mark>,
}

/// No mark reaches farther from the corner of the page, in pixels.
const FARTHEST: f64 = 1e5;

impl Panel {
    /// A panel without marks.
    pub fn new(window: Rectangle) -> Self {
        Self { window: Some(window), marks: vec![] }
    }

    /// Adds a mark, unless its coordinates are NaN or it is out of sight.
    pub fn add(&mut self, class: &'static str, form: Form, ink: Ink) {
        let there = |place: &Place| place.iter().all(|x| x.is_finite());
        let near = |place: Place| place.map(|x| x.clamp(-FARTHEST, FARTHEST));
        let form = match form {
            Form::Path(places, closed) if places.len() > 1 && places.iter().all(there) => {
                Form::Path(places.into_iter().map(near).collect(), closed)
            }
            Form::Circle(at, radius) if there(&at) && radius > 0.0 => Form::Circle(near(at), radius.min(FARTHEST)),
            Form::Text(at, size, text) if there(&at) => Form::Text(near(at), size, text),
            _ => return,
        };
        if !self.window.is_none_or(|window| form.meets(&window)) {
            return;
        }
        let forms = match form {
            Form::Path(places, closed) => {
                let pieces = thin::pieces(places, closed, ink.fill.is_some(), self.window.as_ref(), LINE);
                pieces.into_iter().map(|(places, closed)| Form::Path(places, closed)).collect()
            }
            other => vec![other],
        };
        self.marks.extend(forms.into_iter().map(|form| Mark { class, form, ink }));
    }

    /// Adds words.
    pub fn say(&mut self, at: Place, size: f64, color: Color, text: impl Into<String>) {
        self.add("text", Form::Text(at, size, text.into()), Ink::fill(color, 1.0));
    }
}

/// A picture.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its width and height in pixels.
    pub size: (f64, f64),
    /// Its description, for screen readers.
    pub title: String,
    /// Its panels, the lowest first.
    pub panels: Vec<Panel>,
}

impl Page {
    /// The words on it, the lowest first.
    pub fn words(&self) -> Vec<&str> {
        let marks = self.panels.iter().flat_map(|panel| &panel.marks);
        marks
            .filter_map(|mark| if let Form::Text(_, _, text) = &mark.form { Some(text.as_str()) } else { None })
            .collect()
    }
}
