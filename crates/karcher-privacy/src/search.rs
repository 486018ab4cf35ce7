//! Inverting monotone functions: bisection over the floating-point numbers themselves.
//!
//! Positive numbers are ordered as their bit patterns are. So 63 evaluations of a predicate find two neighbouring
//! numbers between which it changes, over the whole range and without a tolerance. The number returned satisfies the
//! predicate, even where rounding makes the predicate not quite monotone.

/// The smallest normal positive number for which `holds`, a predicate that stays true once true; `None` if it never is.
pub(crate) fn smallest(holds: impl Fn(f64) -> bool) -> Option<f64> {
    if holds(f64::MIN_POSITIVE) {
        return Some(f64::MIN_POSITIVE);
    }
    if !holds(f64::MAX) {
        return None;
    }
    let (mut fails, mut succeeds) = (f64::MIN_POSITIVE.to_bits(), f64::MAX.to_bits());
    while succeeds - fails > 1 {
        let middle = fails + (succeeds - fails) / 2;
        if holds(f64::from_bits(middle)) {
            succeeds = middle;
        } else {
            fails = middle;
        }
    }
    Some(f64::from_bits(succeeds))
}

/// The largest normal positive number for which `holds`, a predicate that stays false once false; `None` if it never
/// is.
pub(crate) fn largest(holds: impl Fn(f64) -> bool) -> Option<f64> {
    match smallest(|x| !holds(x)) {
        None => Some(f64::MAX),
        Some(first) if first == f64::MIN_POSITIVE => None,
        Some(first) => Some(first.next_down()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_is_found_to_the_last_bit() {
        assert_eq!(smallest(|x| x >= 0.3), Some(0.3));
        assert_eq!(largest(|x| x < 0.3), Some(0.3f64.next_down()));
    }

    #[test]
    fn a_predicate_without_a_boundary_has_the_ends() {
        assert_eq!(smallest(|_| true), Some(f64::MIN_POSITIVE));
        assert_eq!(smallest(|_| false), None);
        assert_eq!(largest(|_| true), Some(f64::MAX));
        assert_eq!(largest(|_| false), None);
    }
}
