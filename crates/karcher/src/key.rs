//! Keys of persons, groups, levels and classes: the one rule by which two of them are equal.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use std::fmt;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The most characters of a number that is written without an exponent.
const LONGEST: usize = 38;

/// The key of a person, a group, a level or a class.
///
/// Every format and every face reads a key as a text, and [`Key::of`] decides. Blanks around a text do not count. Texts
/// are compared in Unicode's normal form C, numbers by their value, and dates and times as moments in UTC. True and
/// false are 1 and 0. So `1`, `1.0`, `01` and `TRUE` are one key, and so are the two ways to write `é`.
///
/// ```
/// use karcher::Key;
/// for (one, other) in [("Zoe\u{308}", " Zo\u{eb}"), ("1.0", "01"), ("TRUE", "1"), ("2020-01-01 00:00", "2020-01-01")] {
///     assert_eq!(Key::of(one), Key::of(other));
/// }
/// assert_ne!(Key::of("ann"), Key::of("Ann"));
/// assert_eq!(Key::of(" "), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A whole number.
    Integer(i128),
    /// Any other text, as [`Key::of`] writes it.
    Text(String),
}

/// The text of the key, in one form for all that are equal.
///
/// ```
/// use karcher::Key;
/// assert_eq!(["-07.0", "5e-1", " ann"].map(|text| Key::of(text).unwrap().to_string()), ["-7", "0.5", "ann"]);
/// ```
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Integer(key) => key.fmt(f),
            Key::Text(key) => f.write_str(key),
        }
    }
}

impl Key {
    /// The key that a text is; `None` for a blank one, which is missing.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if text.is_empty() {
            return None;
        }
        Some(number(text).or_else(|| moment(text).map(Self::of_moment)).unwrap_or_else(|| Key::Text(composed(text))))
    }

    /// The key that a number is; `None` for NaN, which is missing.
    ///
    /// ```
    /// use karcher::Key;
    /// assert_eq!([7.0, 0.1, f64::NAN].map(Key::of_number), [Key::of("7"), Key::of("0.1"), None]);
    /// ```
    pub fn of_number(x: f64) -> Option<Self> {
        match x {
            _ if x.is_nan() => None,
            _ if x.fract() == 0.0 && x.abs() < 2f64.powi(53) => Some(Key::Integer(x as i128)),
            _ => Self::of(&x.to_string()),
        }
    }

    /// The key that a moment is, in UTC. Midnight is the date.
    pub fn of_moment(moment: NaiveDateTime) -> Self {
        let (date, time) = (moment.date(), moment.time());
        let day = format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day());
        let clock = || format!("T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
        Key::Text(match time.nanosecond() {
            0 if time == NaiveTime::MIN => day,
            0 => day + &clock(),
            parts => format!("{day}{}.{parts:09}", clock()),
        })
    }

    /// The key in bytes, which no other key has.
    ///
    /// ```
    /// use karcher::Key;
    /// assert_ne!(Key::of("a").unwrap().to_bytes(), Key::of("97").unwrap().to_bytes());
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Key::Integer(key) => [&[0][..], &key.to_le_bytes()].concat(),
            Key::Text(key) => [&[1], key.as_bytes()].concat(),
        }
    }

    /// Bytes of memory that a text takes in addition to the key itself, 0 for integers.
    ///
    /// ```
    /// use karcher::Key;
    /// assert_eq!([Key::Integer(7), Key::Text("ann".to_owned())].map(|key| key.bytes()), [0, 3]);
    /// ```
    pub fn bytes(&self) -> usize {
        match self {
            Key::Integer(_) => 0,
            Key::Text(key) => key.len(),
        }
    }

    /// The first of some names that is the key of an earlier one, with that one.
    ///
    /// ```
    /// use karcher::Key;
    /// assert_eq!(Key::repeated(["1", "2", "01"]), Some(("1", "01")));
    /// ```
    pub fn repeated<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, &'a str)> {
        let mut known = std::collections::BTreeMap::new();
        names.into_iter().find_map(|name| known.insert(Key::of(name), name).map(|earlier| (earlier, name)))
    }
}

/// A text in normal form C.
///
/// ```
/// assert_eq!(karcher::key::composed("e\u{301}"), "\u{e9}");
/// ```
pub fn composed(text: &str) -> String {
    if is_nfc(text) { text.to_owned() } else { text.nfc().collect() }
}

/// A number, or a truth value, exactly: its digits without zeros around them.
fn number(text: &str) -> Option<Key> {
    for (word, key) in [("true", Key::Integer(1)), ("false", Key::Integer(0))] {
        if text.eq_ignore_ascii_case(word) {
            return Some(key);
        }
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    if rest.eq_ignore_ascii_case("inf") || rest.eq_ignore_ascii_case("infinity") {
        return Some(Key::Text(format!("{sign}inf")));
    }
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some(Key::Integer(0));
    }
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    // the place of the last significant digit, as a power of 10
    let last = i64::from(exponent) + i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
    let width = i64::try_from(significant.len()).ok()?;
    Some(match usize::try_from(last) {
        Ok(zeros) if significant.len() + zeros <= LONGEST => {
            let whole = format!("{sign}{significant}{}", "0".repeat(zeros));
            whole.parse().map_or(Key::Text(whole), Key::Integer)
        }
        Err(_) if width - last <= LONGEST as i64 => {
            let padded = format!("{significant:0>width$}", width = usize::try_from(1 - last).unwrap_or(0));
            let (whole, fraction) = padded.split_at(padded.len() - usize::try_from(-last).unwrap_or(0));
            Key::Text(format!("{sign}{whole}.{fraction}"))
        }
        _ => Key::Text(format!("{sign}{significant}e{last}")),
    })
}

/// A date of ISO 8601 between dashes, with or without a time, in UTC.
///
/// ```
/// use karcher::key::moment;
/// assert_eq!(moment("2001-07-02T14:00:00+02:00"), moment("2001-07-02 12:00"));
/// assert_eq!(moment("20010702"), None);
/// ```
pub fn moment(text: &str) -> Option<NaiveDateTime> {
    // a year of four digits, so that dates in another order are not taken for ISO's
    if text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let midnight = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|date| date.and_time(Default::default()));
    if midnight.is_some() {
        return midnight;
    }
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let (time, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (time[..at].trim_end(), Some(&time[at..])),
        None => (time, None),
    };
    let seconds = if time.matches(':').count() == 1 { ":00" } else { "" };
    let zone = match zone {
        None | Some("Z" | "z") => "+00:00".to_owned(),
        Some(hours) if hours.len() == 3 => format!("{hours}:00"),
        Some(zone) => zone.to_owned(),
    };
    let whole = format!("{date}T{time}{seconds}{zone}");
    DateTime::parse_from_str(&whole, "%Y-%m-%dT%H:%M:%S%.f%:z").ok().map(|moment| moment.naive_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(text: &str) -> String {
        Key::of(text).map(|key| key.to_string()).unwrap_or_default()
    }

    #[test]
    fn texts_that_say_the_same_are_one_key() {
        for (same, texts) in [
            ("1", &["1", " 1 ", "1.0", "+1", "01", "1.", "TRUE", "true", "True", "10e-1", "1e0", "\u{a0}1"][..]),
            ("0", &["0", "-0", "0.0", "False", ".0", "0e9"]),
            ("-7", &["-7", "-7.00", "-007"]),
            ("0.5", &["0.5", ".5", "5e-1", "0.50"]),
            ("100000", &["100000", "1e+05", "1E5"]),
            ("12345678901234567890123", &["12345678901234567890123", "012345678901234567890123.0"]),
            ("inf", &["inf", "Inf", "Infinity", "+inf"]),
            ("15e299", &["1.5e300", "15e299", "0.15E+301"]),
            ("1e-300", &["1e-300", "0.1e-299"]),
            ("Zo\u{eb}", &["Zo\u{eb}", "Zoe\u{308}", "Zo\u{eb}\n", "\u{feff}Zo\u{eb}"]),
            ("2020-01-01", &["2020-01-01", "2020-01-01T00:00", "2020-01-01 00:00:00", "2020-01-01T02:00:00+02:00"]),
            ("2020-01-01T12:00:00", &["2020-01-01 12:00", "2020-01-01T12:00:00Z"]),
        ] {
            texts.iter().for_each(|text| assert_eq!(key(text), same, "{text}"));
        }
    }

    #[test]
    fn other_texts_are_others() {
        let words = "ann Ann 1 2 0.1 1,0 e5 - . 1e +-1 NA nan none 1_000 T inf -inf";
        let dates = "2020-01 2020 20200101 2020-01-01 01.01.2020";
        let numbers = "12345678901234567890123 12345678901234567890124 1e999999999999 \u{661}";
        let all: Vec<&str> = [words, dates, numbers].iter().flat_map(|some| some.split(' ')).collect();
        let keys: std::collections::BTreeSet<_> = all.iter().map(|text| Key::of(text)).collect();
        assert_eq!(keys.len(), all.len());
        assert_eq!(["", " ", "\u{3000}\t"].map(Key::of), [None, None, None]);
    }

    proptest! {
        /// The key of a number is that of its text, in any notation, and no two numbers are one.
        #[test]
        fn numbers_are_the_keys_of_their_texts(x in any::<f64>(), y in any::<f64>(), i in any::<i64>()) {
            prop_assert_eq!(Key::of_number(x), Key::of(&x.to_string()).filter(|_| !x.is_nan()));
            prop_assert_eq!(Key::of_number(x), Key::of(&format!("{x:e}")).filter(|_| !x.is_nan()));
            prop_assert_eq!(Key::of_number(x) == Key::of_number(y), x == y || x.is_nan() && y.is_nan());
            prop_assert_eq!(Key::of(&format!("{i:025}.000")), Some(Key::Integer(i.into())));
        }

        /// A key is the key of its own text.
        #[test]
        fn keys_are_in_one_form(text in "\\PC{0,12}", numeric in "[-+]?[0-9]{0,5}[.]?[0-9]{0,5}(e[-+]?[0-9]{1,3})?") {
            for text in [text, numeric] {
                let key = Key::of(&text);
                prop_assert_eq!(key.as_ref().and_then(|key| Key::of(&key.to_string())), key);
            }
        }
    }
}
