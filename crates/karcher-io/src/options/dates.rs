//! Dates as numbers.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use karcher::key::moment;

const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// The date of ISO 8601 `text` in years: the beginning of 2001 is 2001, the middle of it 2001.5.
///
/// Forms are `YYYY`, `YYYYMMDD`, `YYYY-MM-DD`, and `YYYY-MM-DDThh:mm` with or without seconds and their decimals, also
/// with a blank instead of `T`. A time may end in `Z` or in its distance from UTC, `+02:00`, `+0200` or `+02`; a year
/// begins in UTC. `None` for anything else.
///
/// ```
/// use karcher_io::decimal_year;
/// assert_eq!(decimal_year("2001-07-02T12:00:00"), Some(2001.5));
/// assert_eq!(decimal_year("2001-07-02T14:00:00+02:00"), Some(2001.5));
/// assert_eq!(decimal_year("20010702"), decimal_year("2001-07-02"));
/// assert_eq!(decimal_year("2.7.2001"), None);
/// ```
pub fn decimal_year(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok();
    }
    compact(text).or_else(|| moment(text)).map(years)
}

/// The year of a date in eight digits, `20010702`.
pub(crate) fn compact_year(text: &str) -> Option<f64> {
    compact(text.trim()).map(years)
}

/// The year of a date in eight digits that was read as a number.
///
/// ```
/// use karcher_io::{decimal_year, year_of_number};
/// assert_eq!(year_of_number(20_010_702.0), decimal_year("2001-07-02"));
/// assert_eq!(year_of_number(20_019_999.0), None);
/// ```
pub fn year_of_number(x: f64) -> Option<f64> {
    ((1e7..1e8).contains(&x) && x.fract() == 0.0).then(|| compact_year(&x.to_string()))?
}

/// A number of a covariate: the year of a date in eight digits, unless its range has such numbers.
///
/// ```
/// use karcher_io::year_within;
/// assert_eq!([2010.0, 2e7].map(|high| year_within(20_010_101.0, high)), [2001.0, 20_010_101.0]);
/// ```
pub fn year_within(x: f64, high: f64) -> f64 {
    if high < EIGHT_DIGITS { year_of_number(x).unwrap_or(x) } else { x }
}

/// The first number of eight digits: a range that ends below it may hold years.
pub const EIGHT_DIGITS: f64 = 1e7;

fn compact(text: &str) -> Option<NaiveDateTime> {
    let is_one = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
    let date = is_one.then(|| NaiveDate::parse_from_str(text, "%Y%m%d").ok())?;
    date.map(|date| date.and_time(Default::default()))
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
            ("2000-02-29T06:00", 2000.0 + 59.25 / 366.0),
            ("2000-02-29T06:00Z", 2000.0 + 59.25 / 366.0),
            ("2000-02-29T06:00:00+00:00", 2000.0 + 59.25 / 366.0),
            ("2000-02-29 06:00:00.000000+00:00", 2000.0 + 59.25 / 366.0),
            ("2000-02-29T08:30:00+02:30", 2000.0 + 59.25 / 366.0),
            ("2000-02-29T01:00:00-0500", 2000.0 + 59.25 / 366.0),
            ("2000-02-29T01:00:00-05", 2000.0 + 59.25 / 366.0),
            ("2001-01-01T00:00:00+01:00", 2000.0 + (365.0 + 23.0 / 24.0) / 366.0), // still 2000 in UTC
            ("20000229", 2000.0 + 59.0 / 366.0),
        ] {
            assert_eq!(decimal_year(text), Some(year), "{text}");
        }
        for text in [
            "",
            "x",
            "20010229",
            "2001010",
            "200101011",
            "2001-02-29",
            "2001-13-01",
            "01-01-2001",
            "2001-01",
            "+2001010",
            "2001-01-01T25:00:00",
            "2001-01-01T",
            "2001-01-01T+00:00",
            "2001-01-01T12",
            "2001-01-01T12:00+x",
            "2001-01-01T12:00:00+25:00",
            "2001-01-01T12:00:00ZZ",
            "2001-01-01T12:00:00+é",
        ] {
            assert_eq!(decimal_year(text), None, "{text}");
        }
        assert_eq!(year_of_number(20_000_229.0), decimal_year("2000-02-29"));
        assert_eq!([20_010_229.0, 2000.0, 20_000_229.5, f64::NAN, -20_000_229.0].map(year_of_number), [None; 5]);
    }
}
