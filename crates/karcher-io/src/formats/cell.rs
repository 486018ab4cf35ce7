//! Content of a cell of a record.

use crate::options::columns::trim_name;

/// Texts for a missing value, in lower case.
const MISSING: [&str; 8] = ["", "na", "n/a", "#n/a", "<na>", "null", "none", "?"];

/// Content of a cell of a record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Number(f64),
    Missing,
    NotANumber(String),
    /// A list of so many numbers, which are not as many as in others.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))] // lists are in columns of Arrow
    OfOtherLength(usize),
}

/// The content of a cell of a text.
pub(crate) fn number(cell: &[u8], decimal_comma: bool) -> Cell {
    // most cells have no blanks to remove
    if !decimal_comma && let Ok(number) = fast_float2::parse(cell) {
        return Cell::Number(number);
    }
    let text = String::from_utf8_lossy(cell);
    let cell = trim_name(&text);
    let number = match decimal_comma {
        true if cell.contains('.') => None, // a point between thousands, or a mistake
        true => cell.replacen(',', ".", 1).parse().ok(),
        false => cell.parse().ok(),
    };
    match number {
        Some(number) => Cell::Number(number),
        None if is_missing(cell) => Cell::Missing,
        None => Cell::NotANumber(cell.to_owned()),
    }
}

pub(crate) fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell.to_ascii_lowercase().as_str())
}
