//! Whole numbers as users type them: `10000`, `1e4`, `10_000`; and the largest that each option takes.
//!
//! The limits are public and far above what a computer does in a day. Beyond them a command would fill the memory or
//! never end, so it refuses with a sentence.

/// Most records that are planned for.
const RECORDS: f64 = 1e15;

/// Most releases that an audit makes from each data set.
const RELEASES: f64 = 1e7;

/// A number of records.
pub fn records(text: &str) -> Result<usize, String> {
    whole(text, RECORDS)
}

/// A whole number up to another one.
pub fn up_to(text: &str, most: usize) -> Result<usize, String> {
    whole(text, most as f64)
}

/// A number of releases.
pub fn releases(text: &str) -> Result<usize, String> {
    whole(text, RELEASES)
}

/// A whole number from 0 to `most`.
fn whole(text: &str, most: f64) -> Result<usize, String> {
    let plain = text.trim().replace('_', "");
    let number: f64 = plain.parse().map_err(|_| "expected a whole number, for example 10000 or 1e4".to_owned())?;
    if !(number >= 0.0 && number.fract() == 0.0) || (number == 0.0 && plain.bytes().any(|b| (b'1'..=b'9').contains(&b)))
    {
        return Err("expected a whole number that is not negative, for example 10000 or 1e4".to_owned());
    }
    if number > most {
        return Err(format!("the largest number that can be given is {most}"));
    }
    Ok(number as usize) // exact: whole, and below 2^53
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_in_every_notation() {
        for (text, number) in [
            ("0", 0),
            ("100", 100),
            ("1e4", 10_000),
            ("10_000", 10_000),
            ("2.5e3", 2_500),
            ("1e15", 1_000_000_000_000_000),
        ] {
            assert_eq!(records(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_number_or_too_large_is_refused() {
        for text in ["", "-1", "1.5", "NaN", "inf", "1e16", "1e400", "five", "1e-3", "1e-400", "18446744073709551616"] {
            assert!(records(text).is_err(), "{text}");
        }
        assert!(up_to("1001", 1000).is_err() && up_to("1000", 1000) == Ok(1000));
        assert!(releases("10000001").is_err() && releases("1e7") == Ok(10_000_000));
    }
}
