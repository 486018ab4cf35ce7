//! Numbers, points and tables of words in text.

use crate::manifold::{AngleUnit, Layout};
use karcher_geometry::error::{RoundedDown, RoundedUp};

/// Columns of a line of words.
const COLUMNS: usize = 100;

/// Names and values in two columns. Long lines of words go on below, with an empty name.
pub fn aligned(lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let names = |name| std::iter::once(name).chain(std::iter::repeat(""));
    let rows = lines
        .iter()
        .flat_map(|(name, value)| names(name.as_str()).zip(wrapped(value, COLUMNS.saturating_sub(width + 2))));
    rows.map(|(name, value)| format!("{name:<width$}  {value}\n")).collect()
}

/// Words on lines of at most so many columns; numbers alone stay on one line.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let len = |text: &str| text.chars().count();
    let is_word = |word: &str| word.contains(char::is_alphabetic) && word.trim_end_matches(';').parse::<f64>().is_err();
    if len(text) <= columns || !text.split(' ').any(is_word) {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = vec![];
    // "95 %" stays together
    for word in text.replace(" %", "\u{a0}%").split(' ').map(|word| word.replace('\u{a0}', " ")) {
        match lines.last_mut() {
            Some(line) if len(line) + 1 + len(&word) <= columns => *line += &format!(" {word}"),
            _ => lines.push(word),
        }
    }
    lines
}

/// Seven significant digits.
pub fn digits(x: f64) -> String {
    if !x.is_finite() {
        return x.to_string();
    }
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        let decimals = if x == 0.0 { 0 } else { (6 - x.abs().log10().floor() as i32).max(0) as usize };
        let text = format!("{x:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        let text = format!("{x:.6e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Seven significant digits of a number not below `x`, for a promise, a sensitivity or a scale that is to be used.
pub fn digits_up(x: f64) -> String {
    let text = digits(x);
    if !text.parse().is_ok_and(|read: f64| read < x) {
        return text;
    }
    let above = x + seventh_digit(x);
    // the largest numbers have nothing above them
    if above.is_finite() { digits(above) } else { format!("{x:e}") }
}

/// Seven significant digits of a number not above `x`, for a budget that is left, or for noise that was drawn.
pub fn digits_down(x: f64) -> String {
    let text = digits(x);
    if text.parse().is_ok_and(|read: f64| read > x) { digits(x - seventh_digit(x)) } else { text }
}

/// A number of four significant digits next to `x`, which is finite where `x` is.
pub fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().ok().filter(|near: &f64| near.is_finite()).unwrap_or(x)
}

/// Four significant digits.
pub fn short(x: f64) -> String {
    digits(four_digits(x))
}

/// Four significant digits of a number not below `x`, apart from the rounding of a unit.
pub fn short_up(x: f64) -> String {
    RoundedUp(x - 1e-12 * x.abs()).to_string()
}

/// A number of four significant digits not below `x`, apart from the rounding of a unit.
pub fn four_digits_up(x: f64) -> f64 {
    short_up(x).parse().ok().filter(|up: &f64| up.is_finite()).unwrap_or(x)
}

/// Four significant digits of a number not above `x`, apart from the rounding of a unit.
pub fn short_down(x: f64) -> String {
    RoundedDown(x + 1e-12 * x.abs()).to_string()
}

/// One unit of the seventh significant digit.
fn seventh_digit(x: f64) -> f64 {
    10f64.powi(x.abs().log10().floor() as i32 - 6)
}

/// Most numbers in a row, or rows, of a point that is printed in full when it may be abridged.
const PLENTY: usize = 8;

/// A point on one line: rows of a matrix or landmarks, separated by semicolons. Abridged, only the first and the last
/// of many are shown.
pub fn point(values: &[f64], row: usize, abridged: bool) -> String {
    point_rows(values, row, abridged).join("; ")
}

/// The rows of a point, which are abridged as in [`point`].
pub fn point_rows(values: &[f64], row: usize, abridged: bool) -> Vec<String> {
    let numbers = |r: &[f64]| ends(&r.iter().map(|&x| digits(x)).collect::<Vec<_>>(), abridged).join(" ");
    ends(&values.chunks(row.max(1)).map(numbers).collect::<Vec<_>>(), abridged)
}

/// The first ones and the last one, if there are many and abridging is wanted.
fn ends(all: &[String], abridged: bool) -> Vec<String> {
    match all {
        [first @ .., last] if abridged && all.len() > PLENTY => {
            first[..3].iter().cloned().chain(["…".to_owned(), last.clone()]).collect()
        }
        _ => all.to_vec(),
    }
}

/// A point in the layout of the records, if results are printed in it: `latitude 12.5000°, longitude …`.
pub fn told(layout: &Layout, value: &[f64]) -> Option<String> {
    told_to(layout, value, 4)
}

/// The same with so many decimals of angles in degrees.
pub fn told_to(layout: &Layout, value: &[f64], decimals: usize) -> Option<String> {
    let named = told_by_name(layout, value)?;
    if !shows_degrees(layout) {
        let numbers: Vec<f64> = named.into_iter().map(|(_, x)| x).collect();
        return Some(format!("{} {}", layout.name(), point(&numbers, numbers.len(), true)));
    }
    let has_names = !layout.column_names().is_empty();
    // numbers of several kinds, whose order the layout says
    let head = if has_names || layout.angle_unit().is_some() { String::new() } else { format!("{} ", layout.name()) };
    let words = named.iter().zip(layout.angle_units()).map(|((name, number), unit)| {
        let name = if has_names { format!("{name} ") } else { String::new() };
        match unit {
            Some(AngleUnit::Degrees) => format!("{name}{number:.decimals$}°"),
            Some(AngleUnit::Radians) | None => format!("{name}{}", digits(*number)),
        }
    });
    Some(head + &words.collect::<Vec<_>>().join(", "))
}

/// Whether points are printed with each of a few numbers in its unit, and some in degrees.
pub fn shows_degrees(layout: &Layout) -> bool {
    layout.numbers() <= PLENTY && layout.angle_units().any(|unit| unit == Some(AngleUnit::Degrees))
}

/// The names and the numbers of a point in the layout of the records. There are none if results are not printed in that
/// layout, or if it does not hold the point.
pub fn told_by_name(layout: &Layout, value: &[f64]) -> Option<Vec<(String, f64)>> {
    if !layout.is_told() || layout.check_holds(value).is_err() {
        return None;
    }
    let name = |i: usize| match layout.column_names().get(i) {
        Some(name) => (*name).to_owned(),
        None => format!("{}{}", layout.name(), i + 1),
    };
    Some(layout.write(value).into_iter().enumerate().map(|(i, x)| (name(i), x)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers_are_rounded_to_the_safe_side() {
        let numbers = (1..2000).map(|i| f64::from(i) / 7.0 * 10f64.powi(i % 40 - 20));
        for x in numbers.chain([1.0 / 3.0, 0.999_999_99, 9_999_999.6, 1e-300, 1e300, 0.1, 5e-5]) {
            let read = |text: String| text.parse::<f64>().unwrap();
            let (up, down) = (read(digits_up(x)), read(digits_down(x)));
            assert!(down <= x && x <= up, "{down} {x} {up}");
            assert!(up - down <= 1.001e-6 * x, "{down} {x} {up}");
        }
        for x in [f64::MAX, f64::MAX.next_down(), 1.797_693_1e308] {
            let read = digits_up(x).parse::<f64>().unwrap();
            assert!(read >= x && read.is_finite(), "{}", digits_up(x));
        }
        assert_eq!([digits_up(0.5), digits_down(0.5), digits_up(1.0 / 3.0)], ["0.5", "0.5", "0.3333334"]);
        assert_eq!([digits_up(0.0), digits_up(f64::INFINITY), digits_up(2e-308)], ["0", "inf", "2e-308"]);
    }

    #[test]
    fn long_lines_of_words_go_on_below_and_numbers_do_not() {
        let lines = |value: &str| aligned(&[("name".to_owned(), value.to_owned())]);
        let (words, numbers) = (lines(&"a word ".repeat(30)), lines(&"1.25e-7 ".repeat(60)));
        assert!(words.lines().count() > 2 && words.lines().all(|line| line.chars().count() <= COLUMNS), "{words}");
        assert!(words.lines().skip(1).all(|line| line.starts_with("      ")), "{words}");
        assert_eq!((numbers.lines().count(), lines("short").as_str()), (1, "name  short\n"));
        let percents = lines(&"of 100 % ".repeat(40));
        let fits = |line: &str| line.chars().count() <= COLUMNS && !line.trim_start().starts_with('%');
        assert!(percents.lines().all(fits), "{percents}");
    }

    #[test]
    fn only_long_points_are_abridged_and_only_on_request() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(point(&values, 100, true), "0 1 2 … 99");
        assert_eq!(point(&values, 2, true), "0 1; 2 3; 4 5; …; 98 99");
        assert_eq!(point_rows(&values, 10, true)[..2], ["0 1 2 … 9", "10 11 12 … 19"]);
        assert_eq!(point_rows(&values, 10, true).len(), 5);
        assert_eq!(point(&values, 100, false).split(' ').count(), 100);
        assert_eq!(point(&values[..8], 8, true), "0 1 2 3 4 5 6 7");
    }
}
