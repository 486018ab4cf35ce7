//! Figures: panels of lines with bands, as SVG and PNG.

use crate::Failure;
use crate::table::Measured;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::register_font;
use std::ops::Range;

/// Pixels of a panel, without its legend.
const PANEL: (u32, u32) = (430, 330);
/// Pixels around the coordinate system: left, right, top, bottom.
const FRAME: (u32, u32, u32, u32) = (66, 16, 34, 46);
/// A PNG has so many pixels for each of them.
const ZOOM: u32 = 2;
/// Height of a row of the legend, and its first pixel from the left.
const LEGEND: (u32, u32) = (17, 20);

/// The Okabe–Ito colours, which colour-blind readers can tell apart.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

/// Panels in rows.
pub struct Figure {
    /// Panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels in a row.
    pub columns: usize,
}

/// One coordinate system.
pub struct Panel {
    /// Its title.
    pub title: String,
    /// What the axes show.
    pub x: Axis,
    /// What the axes show.
    pub y: Axis,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A label, and whether the axis is logarithmic.
pub struct Axis {
    /// The label.
    pub label: String,
    /// Whether equal steps are equal factors.
    pub logarithmic: bool,
    /// Whether its unit is as long as that of the other axis, if that is a length too.
    pub length: bool,
}

/// A line through points, perhaps with a band.
#[derive(Clone)]
pub struct Line {
    label: String,
    color: usize,
    points: Vec<(f64, f64)>,
    band: Vec<(f64, f64)>,
    bars: bool,
    markers: bool,
    joined: bool,
    dashed: bool,
}

impl Axis {
    /// Equal steps are equal differences.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), logarithmic: false, length: false }
    }

    /// Equal steps are equal factors.
    pub fn logarithmic(label: &str) -> Self {
        Self { label: label.to_owned(), logarithmic: true, length: false }
    }

    /// A length in a picture of a place or a shape.
    pub fn length(label: &str) -> Self {
        Self { length: true, ..Self::linear(label) }
    }
}

impl Line {
    /// A line without band, in the `color`-th colour.
    pub fn new(label: impl Into<String>, color: usize, points: Vec<(f64, f64)>) -> Self {
        Self {
            label: label.into(),
            color,
            points,
            band: vec![],
            bars: false,
            markers: false,
            joined: true,
            dashed: false,
        }
    }

    /// Means with markers and a band of `width` standard deviations.
    pub fn measured(label: impl Into<String>, color: usize, measured: &[Measured], width: f64) -> Self {
        let points = measured.iter().map(|m| (m.x, m.mean)).collect();
        let band = measured.iter().map(|m| (m.mean - width * m.deviation, m.mean + width * m.deviation)).collect();
        Self { band, markers: true, ..Self::new(label, color, points) }
    }

    /// Means with markers and error bars of a standard deviation each way.
    pub fn error_bars(label: impl Into<String>, color: usize, measured: &[Measured]) -> Self {
        let bars = measured.iter().map(|m| (m.mean - m.deviation, m.mean + m.deviation)).collect();
        Self::new(label, color, measured.iter().map(|m| (m.x, m.mean)).collect()).markers().bars(bars)
    }

    /// Points that are not joined.
    pub fn dots(label: impl Into<String>, color: usize, points: Vec<(f64, f64)>) -> Self {
        Self { markers: true, joined: false, ..Self::new(label, color, points) }
    }

    /// Means times `x`, and their bands: what remains of an error that falls like `1/x`.
    pub fn times_x(label: impl Into<String>, color: usize, measured: &[Measured], width: f64) -> Self {
        let times_x = |m: &Measured| Measured { x: m.x, mean: m.x * m.mean, deviation: m.x * m.deviation };
        Self::measured(label, color, &measured.iter().map(times_x).collect::<Vec<_>>(), width)
    }

    fn color(&self) -> RGBColor {
        COLORS[self.color % COLORS.len()]
    }

    /// Marks the points.
    #[must_use]
    pub fn markers(self) -> Self {
        Self { markers: true, ..self }
    }

    /// Leaves gaps, through which a line below shows.
    #[must_use]
    pub fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }

    /// Error bars from the lower to the upper number of each pair.
    #[must_use]
    pub fn bars(self, bars: Vec<(f64, f64)>) -> Self {
        Self { band: bars, bars: true, ..self }
    }
}

/// Counts in cells of equal width on the axis, as the corners of steps. Edges are multiples of the width (on a
/// logarithmic axis, in decades).
pub fn histogram(values: &[f64], width: f64, logarithmic: bool) -> Vec<(f64, f64)> {
    let cell = |x: f64| (if logarithmic { x.log10() } else { x } / width).floor() as i64;
    let edge = |cell: i64| {
        let place = cell as f64 * width;
        if logarithmic { 10f64.powf(place) } else { place }
    };
    let cells: Vec<i64> = values.iter().map(|x| cell(*x)).collect();
    let (first, last) = cells.iter().fold((i64::MAX, i64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    let mut points = vec![(edge(first), 0.0)];
    for cell in first..=last {
        let count = cells.iter().filter(|c| **c == cell).count() as f64;
        points.extend([(edge(cell), count), (edge(cell + 1), count)]);
    }
    points.push((edge(last + 1), 0.0));
    points
}

impl Figure {
    /// Panels side by side.
    pub fn row(panels: Vec<Panel>) -> Self {
        Self { columns: panels.len(), panels }
    }

    fn size(&self) -> (u32, u32) {
        let columns = self.columns.max(1);
        let height = PANEL.1 + self.legend_height();
        (PANEL.0 * columns as u32, height * self.panels.len().div_ceil(columns) as u32)
    }

    /// Every panel gets the height of the longest legend, so that all are alike.
    fn legend_height(&self) -> u32 {
        LEGEND.0 * self.panels.iter().map(|panel| panel.legend().len()).max().unwrap_or(0) as u32
    }

    /// As SVG.
    pub fn to_svg(&self) -> Result<String, Failure> {
        register()?;
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, self.size()), 1)?;
        Ok(svg)
    }

    /// As PNG.
    pub fn to_png(&self) -> Result<Vec<u8>, Failure> {
        register()?;
        let (width, height) = (ZOOM * self.size().0, ZOOM * self.size().1);
        let mut pixels = vec![255; (3 * width * height) as usize];
        self.draw(BitMapBackend::with_buffer(&mut pixels, (width, height)), ZOOM)?;
        let picture = image::RgbImage::from_raw(width, height, pixels).ok_or("a picture of the wrong size")?;
        let mut bytes = std::io::Cursor::new(vec![]);
        picture.write_to(&mut bytes, image::ImageFormat::Png)?;
        Ok(bytes.into_inner())
    }

    fn draw<B: DrawingBackend>(&self, backend: B, zoom: u32) -> Result<(), Failure> {
        let area = backend.into_drawing_area();
        let draw = || -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
            area.fill(&WHITE)?;
            let rows = self.panels.len().div_ceil(self.columns.max(1));
            for (panel, area) in self.panels.iter().zip(area.split_evenly((rows, self.columns.max(1)))) {
                let (chart, legend) = area.split_vertically(zoom * PANEL.1);
                panel.draw(&chart, zoom)?;
                panel.draw_legend(&legend, zoom)?;
            }
            area.present()
        };
        draw().map_err(|e| format!("the figure cannot be drawn: {e}").into())
    }
}

/// One font on every machine, so that figures look alike.
fn register() -> Result<(), Failure> {
    register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the font cannot be read".into())
}

impl Panel {
    /// Places and lines of the legend, row by row.
    fn legend(&self) -> Vec<Vec<(u32, &Line)>> {
        let mut rows: Vec<Vec<(u32, &Line)>> = vec![];
        let mut next = PANEL.0;
        for line in self.lines.iter().filter(|line| !line.label.is_empty()) {
            // a font that is missing has no widths; then every line gets its own row
            let text = ("sans-serif", 13).into_font().box_size(&line.label).map_or(PANEL.0, |size| size.0);
            let width = 22 + text + 14;
            if next + width > PANEL.0 {
                rows.push(vec![]);
                next = LEGEND.1;
            }
            rows.last_mut().expect("the first line opens a row").push((next, line));
            next += width;
        }
        rows
    }

    fn draw_legend<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        zoom: u32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let pixels = |n: u32| (zoom * n) as i32;
        for (i, row) in self.legend().into_iter().enumerate() {
            let y = i as u32 * LEGEND.0;
            for (x, line) in row {
                let (start, end, middle) = (pixels(x), pixels(x + 16), pixels(y + 7));
                let color = line.color();
                let pieces = match (line.joined, line.dashed) {
                    (false, _) => vec![],
                    (true, false) => vec![(start, end)],
                    (true, true) => vec![(start, pixels(x + 6)), (pixels(x + 10), end)],
                };
                for (start, end) in pieces {
                    area.draw(&PathElement::new(vec![(start, middle), (end, middle)], color.stroke_width(2 * zoom)))?;
                }
                if line.markers {
                    area.draw(&Circle::new((pixels(x + 8), middle), pixels(3), color.filled()))?;
                }
                area.draw(&Text::new(line.label.clone(), (pixels(x + 22), pixels(y)), ("sans-serif", 13 * zoom)))?;
            }
        }
        Ok(())
    }

    /// The ranges of both axes.
    fn scales(&self) -> (Scale, Scale) {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let bands = self.lines.iter().flat_map(|line| line.band.iter().flat_map(|&(low, high)| [low, high]));
        let mut x = Scale::around(points().map(|p| p.0), self.x.logarithmic);
        let mut y = Scale::around(points().map(|p| p.1).chain(bands), self.y.logarithmic);
        if self.x.length && self.y.length {
            let (width, height) = (PANEL.0 - FRAME.0 - FRAME.1, PANEL.1 - FRAME.2 - FRAME.3);
            let unit = (x.len() / f64::from(width)).max(y.len() / f64::from(height));
            x.widen(unit * f64::from(width));
            y.widen(unit * f64::from(height));
        }
        (x, y)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        zoom: u32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let (x, y) = self.scales();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 16 * zoom))
            .margin(8 * zoom)
            .margin_right(FRAME.1 * zoom)
            .x_label_area_size((FRAME.3 - 8) * zoom)
            .y_label_area_size((FRAME.0 - 8) * zoom)
            .build_cartesian_2d(x, y.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_labels(7)
            .label_style(("sans-serif", 13 * zoom))
            .draw()?;
        for line in &self.lines {
            let color = line.color();
            let at = |&(x, y): &(f64, f64)| (x, y);
            let inside = |value: f64| value.clamp(y.range.start, y.range.end);
            if line.bars {
                let bars = line.points.iter().zip(&line.band);
                chart.draw_series(bars.map(|(p, &(low, high))| {
                    PathElement::new(vec![(p.0, inside(low)), (p.0, inside(high))], color.stroke_width(zoom))
                }))?;
            } else if !line.band.is_empty() {
                let upper = line.points.iter().zip(&line.band).map(|(p, band)| (p.0, inside(band.1)));
                let lower = line.points.iter().zip(&line.band).rev().map(|(p, band)| (p.0, inside(band.0)));
                let summary: Vec<(f64, f64)> = upper.chain(lower).collect();
                chart.draw_series([Polygon::new(summary, color.mix(0.18))])?;
            }
            let joined = line.points.iter().filter(|_| line.joined).map(at);
            let style = color.stroke_width(2 * zoom);
            if line.dashed {
                chart.draw_series(DashedLineSeries::new(joined, 6 * zoom, 4 * zoom, style))?;
            } else {
                chart.draw_series(LineSeries::new(joined, style))?;
            }
            if line.markers {
                chart.draw_series(line.points.iter().map(|p| Circle::new(at(p), 3 * zoom, color.filled())))?;
            }
        }
        Ok(())
    }
}

/// An axis of plotters that is linear or logarithmic as the data decide at run time.
#[derive(Clone)]
struct Scale {
    range: Range<f64>,
    logarithmic: bool,
}

impl Scale {
    /// The range of the numbers and a little more.
    fn around(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let scale = |x: f64| if logarithmic { x.ln() } else { x };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in values.filter(|x| x.is_finite() && (!logarithmic || *x > 0.0)).map(scale) {
            (low, high) = (low.min(x), high.max(x));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        (low, high) = (low - margin, high + margin);
        let range = if logarithmic { low.exp()..high.exp() } else { low..high };
        Self { range, logarithmic }
    }

    fn len(&self) -> f64 {
        self.range.end - self.range.start
    }

    /// Makes the range of a linear axis so long, around its middle.
    fn widen(&mut self, len: f64) {
        let middle = 0.5 * (self.range.start + self.range.end);
        self.range = middle - 0.5 * len..middle + 0.5 * len;
    }

    /// How far along the axis a value is, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let Range { start, end } = self.range;
        if self.logarithmic {
            (value.max(f64::MIN_POSITIVE) / start).ln() / (end / start).ln()
        } else {
            (value - start) / (end - start)
        }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.share(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        if !self.logarithmic {
            return RangedCoordf64::from(self.range.clone()).key_points(hint);
        }
        let (low, high) = (self.range.start.log10(), self.range.end.log10());
        let digits: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let decades = low.floor() as i32..=high.ceil() as i32;
        let points = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
        points.filter(|x| self.range.contains(x)).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format(value: &f64) -> String {
        let x = (value * 1e9).round() / 1e9;
        if x == 0.0 {
            "0".to_owned()
        } else if (1e-3..1e5).contains(&x.abs()) {
            format!("{}", (x * 1e4).round() / 1e4)
        } else {
            format!("{value:e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_drawn_with_bands_bars_and_logarithms() {
        let measured = [Measured::new(1.0, &[2.0, 3.0]), Measured::new(10.0, &[20.0, 50.0])];
        let line = || Line::new("σ, ε, δ", 1, vec![(1.0, 1.0), (10.0, 30.0)]);
        let panel = |logarithmic| Panel {
            title: "μ of σ".to_owned(),
            x: Axis { logarithmic, ..Axis::linear("n") },
            y: Axis { logarithmic, ..Axis::linear("ρ") },
            lines: vec![
                Line::measured("a", 0, &measured, 2.0),
                line().bars(vec![(0.5, 2.0), (20.0, 40.0)]),
                line().markers(),
            ],
        };
        let figure = Figure::row(vec![panel(false), panel(true)]);
        let svg = figure.to_svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("σ, ε, δ") && svg.contains("<polygon"));
        let png = image::load_from_memory(&figure.to_png().unwrap()).unwrap().to_rgb8();
        assert_eq!(png.dimensions(), (2 * 860, 2 * 347)); // with a row for the legend
        let blue = png.pixels().filter(|p| p.0 == [0, 114, 178]).count();
        assert!(blue > 100, "{blue} pixels of the first line");
    }

    #[test]
    fn histograms_count_in_cells_whose_edges_are_multiples() {
        let linear = histogram(&[0.1, 0.25, 0.3, 0.9], 0.5, false);
        assert_eq!(linear, [(0.0, 0.0), (0.0, 3.0), (0.5, 3.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.0)]);
        let decades = histogram(&[0.99, 1.01, 5.0], 1.0, true);
        assert_eq!(decades, [(0.1, 0.0), (0.1, 1.0), (1.0, 1.0), (1.0, 2.0), (10.0, 2.0), (10.0, 0.0)]);
    }

    #[test]
    fn legends_are_below_and_wrap() {
        register().unwrap();
        let line = |label: &str| Line::new(label, 0, vec![(0.0, 0.0), (1.0, 1.0)]);
        let lines = vec![line("a"), line(""), line("b"), line(&"long ".repeat(15)), line("c")];
        let panel = Panel { title: String::new(), x: Axis::linear("x"), y: Axis::linear("y"), lines };
        let labels: Vec<usize> = panel.legend().iter().map(Vec::len).collect();
        assert_eq!(labels, [2, 1, 1]);
        assert_eq!(Figure::row(vec![panel]).size(), (430, 330 + 3 * 17));
    }

    #[test]
    fn lengths_have_the_same_unit_on_both_axes() {
        let lines = vec![Line::new("tall", 0, vec![(0.0, 0.0), (1.0, 9.0)])];
        let panel = Panel { title: String::new(), x: Axis::length("x"), y: Axis::length("y"), lines };
        let (x, y) = panel.scales();
        let unit = |scale: &Scale, pixels: u32| scale.len() / f64::from(pixels);
        let (width, height) = (PANEL.0 - FRAME.0 - FRAME.1, PANEL.1 - FRAME.2 - FRAME.3);
        assert!((unit(&x, width) / unit(&y, height) - 1.0).abs() < 1e-12);
        assert!(x.share(0.0) > 0.0 && x.share(1.0) < 1.0 && y.share(0.0) > 0.0 && y.share(9.0) < 1.0);
    }

    #[test]
    fn logarithmic_axes_map_equal_factors_to_equal_steps() {
        let scale = Scale { range: 0.01..100.0, logarithmic: true };
        assert_eq!([0.01, 0.1, 1.0, 10.0, 100.0].map(|x| scale.map(&x, (0, 400))), [0, 100, 200, 300, 400]);
        assert!(scale.map(&0.0, (0, 400)) < 0);
        let empty = Scale::around(std::iter::empty(), false);
        assert!(empty.range.start < empty.range.end);
    }
}
