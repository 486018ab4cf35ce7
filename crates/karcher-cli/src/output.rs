//! What the commands print: aligned lines for people, one JSON object for programs.

use crate::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use karcher::Space;
use karcher_io::Layout;
use serde_json::{Map, Value};

/// Names and values, printed as an aligned table or as JSON.
#[derive(Default)]
pub struct Report {
    json: Map<String, Value>,
    lines: Vec<(String, String)>,
}

impl Report {
    /// Adds a field of the JSON object and its line in words.
    pub fn add(&mut self, name: &str, value: impl serde::Serialize, words: impl Into<String>) -> Result<(), Failure> {
        self.json.insert(name.to_owned(), serde_json::to_value(value)?);
        self.lines.push((name.replace('_', " "), words.into()));
        Ok(())
    }

    /// Prints it.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json { print_json(&self.json) } else { print_lines(&self.lines) }
    }
}

/// Prints one JSON object.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    write_out(&format!("{}\n", serde_json::to_string(value)?))
}

/// Prints names and values in two columns.
pub fn print_lines(lines: &[(String, String)]) -> Result<(), Failure> {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let text: String = lines.iter().map(|(name, value)| format!("{name:<width$}  {value}\n")).collect();
    write_out(&text)
}

/// A closed pipe (`karcher … | head`) is no failure.
fn write_out(text: &str) -> Result<(), Failure> {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// A progress bar on a terminal, nothing elsewhere.
pub fn progress_bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {percent} %, {eta} left");
    let bar = ProgressBar::new(steps as u64); // draws to standard error, and only if that is a terminal
    style.map_or(bar.clone(), |style| bar.with_style(style))
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

/// Seven significant digits, of a number not below `x`: of a promise, a sensitivity or a scale that is to be used.
pub fn digits_up(x: f64) -> String {
    let text = digits(x);
    if !text.parse().is_ok_and(|read: f64| read < x) {
        return text;
    }
    let above = x + seventh_digit(x);
    // the largest numbers have nothing above them
    if above.is_finite() { digits(above) } else { format!("{x:e}") }
}

/// Seven significant digits, of a number not above `x`: of what may be spent at most, or of noise that was drawn.
pub fn digits_down(x: f64) -> String {
    let text = digits(x);
    if text.parse().is_ok_and(|read: f64| read > x) { digits(x - seventh_digit(x)) } else { text }
}

/// One in the place of the seventh significant digit.
fn seventh_digit(x: f64) -> f64 {
    10f64.powi(x.abs().log10().floor() as i32 - 6)
}

/// A point on one line, or on several when it is a matrix or a list of landmarks.
pub fn point(values: &[f64], row: usize) -> String {
    let rows: Vec<String> =
        values.chunks(row.max(1)).map(|r| r.iter().map(|&x| digits(x)).collect::<Vec<_>>().join(" ")).collect();
    rows.join("; ")
}

/// A point of `sphere:2` in degrees, for those whose records are in degrees.
pub fn degrees(space: Space, layout: Layout, value: &[f64]) -> Option<String> {
    if space != Space::Sphere(2) || layout != Layout::Latlon {
        return None;
    }
    let (latitude, longitude) = (value[2].asin().to_degrees(), value[1].atan2(value[0]).to_degrees());
    Some(format!("latitude {latitude:.4}°, longitude {longitude:.4}°"))
}

/// Numbers on a line when a point is written out: a matrix row, a landmark, or the whole point.
pub fn row_len(space: Space, point_len: usize) -> usize {
    match space {
        Space::SpdLogEuclidean(k) | Space::SpdAffineInvariant(k) => k,
        Space::Kendall(_) => 2,
        _ => point_len,
    }
}

/// Refuses to write over a file that is read.
pub fn check_not_read(output: &str, read: &[&str]) -> Result<(), Failure> {
    let place = std::fs::canonicalize(output).ok(); // none: a new file
    if place.is_some() && read.iter().any(|file| std::fs::canonicalize(file).ok() == place) {
        return Err(format!("{output} would take the place of what is read: choose another name").into());
    }
    Ok(())
}

/// Refuses a name that nothing can be written to, or a file that is read, before any record is.
pub fn check_output(path: &std::path::Path, read: &[&str]) -> Result<(), Failure> {
    check_not_read(&path.to_string_lossy(), read)?;
    match path.extension().and_then(|e| e.to_str()) {
        Some("json" | "npy" | "csv") => Ok(()),
        _ => Err(format!("--output {}: the extension must be .json, .npy or .csv", path.display()).into()),
    }
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
}
