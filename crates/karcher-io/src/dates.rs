//! Dates as numbers.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};

const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// The date of ISO 8601 `text` in years: the beginning of 2001 is 2001, the middle of it 2001.5.
///
/// Forms are `YYYY`, `YYYY-MM-DD` and `YYYY-MM-DDThh:mm:ss`, also with a blank instead of `T`, decimals of a second and
/// a final `Z`. `None` for anything else.
///
/// ```
/// use karcher_io::decimal_year;
/// assert_eq!(decimal_year("2001-07-02T12:00:00"), Some(2001.5));
/// assert_eq!(decimal_year("2.7.2001"), None);
/// ```
pub fn decimal_year(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok();
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    // a year of four digits, so that dates in another order are not taken for ISO's
    if text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let midnight = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|date| date.and_time(Default::default()));
    let time = |form| NaiveDateTime::parse_from_str(text, form).ok();
    midnight().or_else(|| time("%Y-%m-%dT%H:%M:%S%.f")).or_else(|| time("%Y-%m-%d %H:%M:%S%.f")).map(years)
}

/// A moment in years.
pub(crate) fn years(moment: NaiveDateTime) -> f64 {
    let days = if moment.date().leap_year() { 366.0 } else { 365.0 };
    let seconds = f64::from(moment.num_seconds_from_midnight()) + f64::from(moment.nanosecond()) * 1e-9;
    f64::from(moment.year()) + (f64::from(moment.ordinal0()) + seconds / SECONDS_OF_A_DAY) / days
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_is_as_long_as_its_days() {
        for (text, year) in [
            ("1851", 1851.0),
            ("2001-01-01", 2001.0),
            ("2001-12-31", 2001.0 + 364.0 / 365.0),
            ("2000-12-31", 2000.0 + 365.0 / 366.0),
            ("1900-03-01", 1900.0 + 59.0 / 365.0), // no leap year
            (" 2000-02-29T06:00:00Z ", 2000.0 + 59.25 / 366.0),
            ("2000-02-29 06:00:00.0", 2000.0 + 59.25 / 366.0),
        ] {
            assert_eq!(decimal_year(text), Some(year), "{text}");
        }
        for text in ["", "x", "20010101", "2001-02-29", "2001-13-01", "01-01-2001", "2001-01", "2001-01-01T25:00:00"] {
            assert_eq!(decimal_year(text), None, "{text}");
        }
    }
}
