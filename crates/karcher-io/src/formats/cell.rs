//! Content of a cell of a record.

use std::borrow::Cow;

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
    let cell = unquoted(&text);
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

/// The text of a key or a level, with a point before the decimals of a number.
pub(crate) fn with_point(text: &str, decimal_comma: bool) -> Cow<'_, str> {
    match decimal_comma && matches!(number(text.as_bytes(), true), Cell::Number(_)) {
        true => Cow::Owned(text.replacen(',', ".", 1)),
        false => Cow::Borrowed(text),
    }
}

/// A cell without blanks and one pair of quotes around it. A quote without another is part of the cell: `30'` is half a
/// degree, and no 30.
fn unquoted(cell: &str) -> &str {
    let cell = cell.trim_start_matches('\u{feff}').trim();
    let between = |quote| cell.strip_prefix(quote)?.strip_suffix(quote);
    between('"').or_else(|| between('\'')).unwrap_or(cell).trim()
}

pub(crate) fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_of_quotes_is_taken_off_and_a_single_one_is_no_part_of_a_number() {
        for cell in ["30", " 30 ", "'30'", "\"30\"", "' 30 '", "\u{feff}30"] {
            assert_eq!(number(cell.as_bytes(), false), Cell::Number(30.0), "{cell}");
        }
        for cell in ["30'", "30\"", "'30", "\"30", "30''", "5'11\"", "'30\"", "30′", "30″", "30°", "12°30'"] {
            assert_eq!(number(cell.as_bytes(), false), Cell::NotANumber(cell.to_owned()), "{cell}");
            let with_comma = cell.replace("30", "30,5");
            assert!(matches!(number(with_comma.as_bytes(), true), Cell::NotANumber(_)), "{with_comma}");
        }
        for cell in ["", "NA", "'NA'", "\"\""] {
            assert_eq!(number(cell.as_bytes(), false), Cell::Missing, "{cell}");
        }
    }
}
