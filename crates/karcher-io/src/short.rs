//! Numbers as sentences show them.

/// A number with all its digits, in powers of ten where it would otherwise take many zeros.
pub(crate) fn short(x: f64) -> String {
    match x.abs() {
        size if size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite() => x.to_string(),
        _ => format!("{x:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_in_sentences_are_short_and_exact() {
        for x in [0.0, -0.5, 90.5, 1e-5, 1e-6, 1e300, -f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e15, 0.1 + 0.2] {
            assert_eq!(short(x).parse(), Ok(x));
            assert!(short(x).len() <= 24, "{}", short(x));
        }
        assert_eq!((short(1e300), short(90.5), short(f64::NAN)), ("1e300".into(), "90.5".into(), "NaN".into()));
    }
}
