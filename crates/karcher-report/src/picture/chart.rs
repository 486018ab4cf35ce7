//! Charts of regressions in one dimension: the prediction over its predictor, with its band.

use super::frame::{self, MAP, Sample, Words};
use super::page::{AMBER, BLACK, Form, GREY, Ink, PALE, Page, Panel, Place, Rectangle};
use super::regression::{Paths, paler};
use super::subject;
use super::view::{label, ticks};
use karcher::Manifold;
use karcher::release::{Provenance, PublishedRelease};
use std::f64::consts::PI;

/// The place of the curves: to the left and below are the numbers of the axes.
pub const WINDOW: Rectangle = Rectangle { left: MAP.left + 56.0, top: MAP.top, width: MAP.width - 56.0, height: 420.0 };
/// About so many pixels are between two ticks.
const APART: f64 = 60.0;

/// The unit of the numbers of a space of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The numbers of a line.
    Line,
    /// Angles, of a vector or as they are.
    Circle {
        /// Whether a point is a vector.
        is_vector: bool,
    },
}

/// The picture of paths with a predictor.
pub fn draw(release: &PublishedRelease, manifold: &dyn Manifold, paths: &Paths, scale: Scale) -> Page {
    let unit = scale.unit(&release.provenance);
    let curves: Vec<Vec<f64>> =
        paths.paths.iter().map(|path| scale.heights(path.points.iter().map(|p| &p.point[..]))).collect();
    let ends = |curve: &[f64], i: usize| {
        let path = &paths.paths[i];
        let each = path.points.iter().zip(curve).map(|(p, y)| (p.radius.unwrap_or(0.0), *y));
        each.flat_map(|(radius, y)| [unit * (y - radius), unit * (y + radius)]).collect::<Vec<f64>>()
    };
    let heights = curves.iter().enumerate().flat_map(|(i, curve)| ends(curve, i));
    let places = paths.paths.iter().flat_map(|path| path.points.iter().map(|p| p.at));
    let axes = Axes { x: range(places, 0.0), y: range(heights, 0.04) };
    let name = paths.predictor.clone().unwrap_or_default();
    let mut panels = vec![axes.grid(&name), Panel::new(WINDOW)];
    let panel = &mut panels[1];
    for (path, curve) in paths.paths.iter().zip(&curves) {
        let edge = |sign: f64| {
            let each = path.points.iter().zip(curve).filter_map(move |(p, y)| Some((p.at, y + sign * p.radius?)));
            each.map(|(x, y)| axes.place(x, unit * y)).collect::<Vec<Place>>()
        };
        let (below, above) = (edge(-1.0), edge(1.0));
        let band = below.into_iter().chain(above.into_iter().rev()).collect();
        panel.add("band", Form::Path(band, true), Ink::fill(path.color, 0.18));
    }
    for (path, curve) in paths.paths.iter().zip(&curves) {
        let line = path.points.iter().zip(curve).map(|(p, y)| axes.place(p.at, unit * y)).collect();
        panel.add("path", Form::Path(line, false), Ink::line(path.color, 2.0));
    }
    let ball = &release.provenance.ball;
    let mut shows_ball = false;
    if scale == Scale::Line && !subject::is_everywhere(&release.provenance) {
        for end in [-1.0, 1.0].map(|sign| ball.center()[0] + sign * ball.radius()) {
            if (axes.y.0..=axes.y.1).contains(&end) {
                let ends = [axes.x.0, axes.x.1].map(|x| axes.place(x, end)).to_vec();
                panel.add("ball", Form::Path(ends, false), Ink::line(AMBER, 1.3).dashed());
                shows_ball = true;
            }
        }
    }
    let mut page = frame::page(release);
    page.panels.extend(panels);
    frame::add_words(&mut page, words(release, manifold, paths, (scale, shows_ball)), false);
    page
}

fn words(
    release: &PublishedRelease,
    manifold: &dyn Manifold,
    paths: &Paths,
    (scale, shows_ball): (Scale, bool),
) -> Words {
    let mut words = Words::default();
    explain(&mut words, paths);
    if scale != Scale::Line {
        let unit = if scale.unit(&release.provenance) == 1.0 { "radians" } else { "degrees" };
        words.say(format!("angles in {unit}, without jumps between turns"));
    }
    let how = &release.provenance;
    match shows_ball {
        true => words.explain(
            Sample::Line(Ink::line(AMBER, 1.3).dashed()),
            format!("ends of the public ball, radius {}", subject::length(how, how.ball.radius())),
        ),
        false if how.ball.radius() < manifold.diameter() => {
            words.say(format!("ball's radius {}", subject::length(how, how.ball.radius())));
        }
        false => (),
    }
    words.facts(how);
    words
}

/// Explains the paths and their band.
pub fn explain(words: &mut Words, paths: &Paths) {
    for path in &paths.paths {
        let name = path.level.clone().unwrap_or_else(|| "private prediction".to_owned());
        words.explain(Sample::Line(Ink::line(path.color, 2.0)), name);
    }
    for other in &paths.others {
        words.say(format!("for {other}"));
    }
    if let (true, Some(path)) = (paths.has_regions(), paths.paths.first()) {
        words.explain(Sample::Area(Ink::fill(paler(path.color), 1.0)), "with ≈ 95 % here, at each place by itself:");
        words.say("the prediction of least squares");
    }
}

impl Scale {
    /// The unit of an angle in the layout of the records; 1 for other numbers.
    fn unit(self, release: &Provenance) -> f64 {
        match self {
            Scale::Line => 1.0,
            Scale::Circle { is_vector } => subject::angle_unit(release, is_vector),
        }
    }

    /// The numbers of points, angles without jumps.
    fn heights<'a>(self, points: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
        let mut heights: Vec<f64> = vec![];
        for point in points {
            let own = match self {
                Scale::Circle { is_vector: true } => point[1].atan2(point[0]),
                Scale::Line | Scale::Circle { is_vector: false } => point[0],
            };
            let turns = match (self, heights.last()) {
                (Scale::Circle { .. }, Some(last)) => ((last - own) / (2.0 * PI)).round(),
                (Scale::Line, _) | (Scale::Circle { .. }, None) => 0.0,
            };
            heights.push(own + 2.0 * PI * turns);
        }
        heights
    }
}

/// Two axes with evenly spaced numbers.
pub struct Axes {
    /// The ends of the horizontal one.
    pub x: (f64, f64),
    /// The ends of the vertical one.
    pub y: (f64, f64),
}

impl Axes {
    /// Where a place is on the page.
    pub fn place(&self, x: f64, y: f64) -> Place {
        let share = |at: f64, (low, high): (f64, f64)| (at - low) / (high - low);
        let Rectangle { left, top, width, height } = WINDOW;
        [left + width * share(x, self.x), top + height * (1.0 - share(y, self.y))]
    }

    /// Ticks with their numbers, and the name of the predictor.
    pub fn grid(&self, name: &str) -> Panel {
        let Rectangle { left, top, width, height } = WINDOW;
        let (bottom, mut panel) = (top + height, Panel::default());
        for tick in ticks(self.x, width / APART) {
            let [x, _] = self.place(tick, self.y.0);
            panel.add("grid", Form::Path(vec![[x, top], [x, bottom]], false), Ink::line(PALE, 0.8));
            let text = label(tick);
            panel.say([x - 3.0 * text.chars().count() as f64, bottom + 16.0], 10.5, GREY, text);
        }
        for tick in ticks(self.y, height / APART) {
            let [_, y] = self.place(self.x.0, tick);
            panel.add("grid", Form::Path(vec![[left, y], [left + width, y]], false), Ink::line(PALE, 0.8));
            let text = label(tick);
            panel.say([left - 6.0 - 5.8 * text.chars().count() as f64, y + 4.0], 10.5, GREY, text);
        }
        frame::border(&mut panel, &WINDOW, GREY);
        panel.say([left + width / 2.0 - 3.0 * name.chars().count() as f64, bottom + 35.0], 12.5, BLACK, name);
        panel
    }
}

/// The least and the largest of numbers, with a share of their distance on each side.
pub fn range(numbers: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = numbers.filter(|x| x.is_finite()).fold(ends, |(low, high), x| (low.min(x), high.max(x)));
    match high - low {
        length if length > 0.0 => (low - room * length, high + room * length),
        _ if low.is_finite() => (low - 0.5, low + 0.5),
        _ => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_go_on_over_a_turn() {
        let points: Vec<[f64; 1]> = [3.0, 3.1, -3.1, -3.0].map(|x| [x]).to_vec();
        let heights = Scale::Circle { is_vector: false }.heights(points.iter().map(|x| &x[..]));
        assert!(heights.windows(2).all(|pair| pair[1] > pair[0] && pair[1] - pair[0] < 0.2), "{heights:?}");
        assert_eq!(Scale::Line.heights(points.iter().map(|x| &x[..])), [3.0, 3.1, -3.1, -3.0]);
    }
}
