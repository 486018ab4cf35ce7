//! What the commands print: aligned lines for people, one JSON object for programs.

use crate::Failure;
use indicatif::{ProgressBar, ProgressStyle};
pub use karcher::facts::numbers::{
    aligned, digits, digits_down, digits_up, point, point_rows, short, short_down, told, told_by_name, wrapped,
};
use karcher::release::PrivateCount;
use serde_json::{Map, Value};
use std::io::{ErrorKind, Write};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Names and values, printed as an aligned table or as JSON.
#[derive(Default)]
pub struct Report {
    json: Map<String, Value>,
    lines: Vec<(String, String)>,
}

impl Report {
    /// Adds a field of the JSON object and its line in words.
    pub fn add(&mut self, name: &str, value: impl serde::Serialize, words: impl Into<String>) -> Result<(), Failure> {
        self.add_as(&name.replace('_', " "), name, value, words)
    }

    /// The same with another name in words.
    pub fn add_as(
        &mut self,
        in_words: &str,
        name: &str,
        value: impl serde::Serialize,
        words: impl Into<String>,
    ) -> Result<(), Failure> {
        self.json.insert(name.to_owned(), serde_json::to_value(value)?);
        self.lines.push((in_words.to_owned(), words.into()));
        Ok(())
    }

    /// Adds a line in words alone.
    pub fn tell(&mut self, name: &str, words: String) {
        self.lines.push((format!("  {name}"), words));
    }

    /// Prints it.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json { print_json(&self.json) } else { print_lines(&self.lines) }
    }
}

/// Prints one JSON object.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    write_out(format!("{}\n", serde_json::to_string(value)?).as_bytes())
}

/// Prints names and values in two columns.
pub fn print_lines(lines: &[(String, String)]) -> Result<(), Failure> {
    write_out(aligned(lines).as_bytes())
}

/// Rows of cells in columns, the first of them their heads.
pub fn in_columns(rows: &[Vec<String>]) -> String {
    let heads = rows.first().map_or(0, Vec::len);
    let width = |i: usize| rows.iter().filter_map(|row| Some(row.get(i)?.chars().count())).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Prints text that can be printed again: a closed pipe (`karcher … | head`) is no failure.
pub fn write_out(text: &[u8]) -> Result<(), Failure> {
    match print(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("standard output cannot be written to ({error})").into())
        }
        _ => Ok(()),
    }
}

/// Prints text that cannot be printed again: any failure to deliver it is an error.
pub fn print_text(text: &str) -> std::io::Result<()> {
    print(text.as_bytes())
}

fn print(text: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush())
}

/// A progress bar on a terminal, nothing elsewhere.
pub fn progress_bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {percent} %, {eta} left");
    let bar = ProgressBar::new(steps as u64); // draws to standard error, and only if that is a terminal
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// How much of some bytes has been read: on a terminal, once that has taken two seconds.
pub struct Reading {
    bytes: u64,
    begun: Instant,
    bar: OnceLock<ProgressBar>,
}

impl Reading {
    /// Begins to read.
    pub fn new(bytes: u64) -> Self {
        Self { bytes, begun: Instant::now(), bar: OnceLock::new() }
    }

    /// Records that so many bytes have been read.
    pub fn at(&self, bytes: u64) {
        if self.begun.elapsed() < Duration::from_secs(2) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}, {eta} left");
            let bar = ProgressBar::new(self.bytes); // draws to standard error, and only if that is a terminal
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        bar.set_position(bytes);
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.bar.get().into_iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// A private number in a table, with its interval.
pub fn about_so_many(count: &PrivateCount) -> String {
    match count.whole_interval() {
        (low, Some(high)) => format!("{:.0} ({low:.0} to {high:.0})", count.value),
        (low, None) => format!("{:.0} ({low:.0} or more)", count.value),
    }
}
