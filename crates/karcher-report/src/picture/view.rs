//! Maps on the page: the transform from places of a map to places of the page.

use super::page::{Place, Rectangle};
use karcher::facts::numbers::{four_digits, four_digits_up};

/// A window, and its visible part of a map: a square about a place, with the second coordinate upwards.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The window.
    pub window: Rectangle,
    /// The place of the map that is in its middle.
    pub middle: Place,
    /// Half of the length of the map that is seen, across the shorter side of the window.
    pub half: f64,
}

impl View {
    /// Pixels for a unit of the map.
    pub fn scale(&self) -> f64 {
        self.window.width.min(self.window.height) / (2.0 * self.half)
    }

    /// A place of the map on the page.
    pub fn on_page(&self, place: Place) -> Place {
        let [x, y] = self.window.middle();
        [x + (place[0] - self.middle[0]) * self.scale(), y - (place[1] - self.middle[1]) * self.scale()]
    }

    /// Places of the map on the page.
    pub fn all_on_page(&self, places: &[Place]) -> Vec<Place> {
        places.iter().map(|&place| self.on_page(place)).collect()
    }

    /// The visible range of a coordinate: its least and its largest value.
    pub fn range(&self, axis: usize) -> (f64, f64) {
        let side = if axis == 0 { self.window.width } else { self.window.height };
        let half = side / (2.0 * self.scale());
        (self.middle[axis] - half, self.middle[axis] + half)
    }
}

/// The largest distance of places from one, along either axis.
pub fn reach(middle: Place, places: &[Place]) -> f64 {
    let far = |place: &Place| (place[0] - middle[0]).abs().max((place[1] - middle[1]).abs());
    places.iter().map(far).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

/// The square's middle and half side that hold all places.
pub fn square(places: &[Place]) -> (Place, f64) {
    let ends = |axis: usize| {
        let values = || places.iter().map(move |place| place[axis]).filter(|x| x.is_finite());
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let middle = |(low, high): (f64, f64)| if low <= high { low + (high - low) / 2.0 } else { 0.0 };
    let middle = [middle(ends(0)), middle(ends(1))];
    (middle, reach(middle, places).max(f64::MIN_POSITIVE))
}

/// Round numbers between two others, about as many as asked for.
pub fn ticks((low, high): (f64, f64), about: f64) -> Vec<f64> {
    let rough = (high - low) / about;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|x| x * power).find(|&step| step >= rough).unwrap_or(rough);
    multiples(step, (low, high))
}

/// The multiples of a step between two numbers, a thousand at most.
pub fn multiples(step: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    if !(step > 0.0 && last - first < 1000.0) {
        return vec![];
    }
    (0..=(last - first).max(-1.0) as i64).map(|i| (first + i as f64) * step).take_while(|x| *x <= high).collect()
}

/// A number for people: four significant digits.
pub fn label(x: f64) -> String {
    let rounded = four_digits(x);
    if rounded == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded}").replace('-', "−")
    } else {
        format!("{rounded:e}").replace('-', "−")
    }
}

/// A number with as many digits as its error leaves: the last one is between a hundredth and a tenth of it.
pub fn label_within(x: f64, error: f64) -> String {
    if !(error > 0.0 && error.is_finite() && x.is_finite()) {
        return label(x);
    }
    let decimals = 1.0 - error.log10().floor();
    if decimals > 15.0 {
        return label(x);
    }
    let unit = 10f64.powf(-decimals);
    let rounded = if decimals < 0.0 { (x / unit).round() * unit } else { x };
    let decimals = decimals.max(0.0) as usize;
    let text = format!("{rounded:.decimals$}");
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.' | '-'));
    if is_zero { text.replace('-', "") } else { text.replace('-', "−") }
}

/// A name, cut off where it has more letters than there is room for.
pub fn shortened(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// Four significant digits, rounded up: for upper bounds.
pub fn label_up(x: f64) -> String {
    label(four_digits_up(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_promised_is_rounded_away() {
        assert_eq!([label_up(-0.1195657), label_up(-1.0)], ["−0.1195", "−1"]);
        assert_eq!([label_up(0.1195657), label_up(0.12), label_up(123_456.0)], ["0.1196", "0.12", "123500"]);
        assert_eq!([four_digits_up(20.000000000000007), four_digits_up(0.30000000000000004)], [20.0, 0.3]);
        assert_eq!(
            [label_up(1.00001e-7), label_up(0.0), label_up(f64::MAX)],
            ["1.001e−7", "0", "1.7976931348623157e308"]
        );
    }

    #[test]
    fn digits_follow_the_error() {
        let labels = [(30.743_245, 4.42), (30.743_245, 1.17e-5), (-0.004, 0.3), (123_456.0, 800.0), (0.5, 0.0)];
        let expected = ["30.7", "30.743245", "0.00", "123460", "0.5"];
        assert_eq!(labels.map(|(x, error)| label_within(x, error)), expected);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((-1.1, 1.1), 5.0), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(ticks((103.0, 161.0), 6.0), [110.0, 120.0, 130.0, 140.0, 150.0, 160.0]);
        assert_eq!(ticks((0.0, 0.0), 5.0), [0.0; 0]);
        assert_eq!(multiples(1e-300, (0.0, 1.0)), [0.0; 0]);
        assert_eq!([label(0.30000000000000004), label(-1e9), label(-0.0)], ["0.3", "−1e9", "0"]);
    }
}
