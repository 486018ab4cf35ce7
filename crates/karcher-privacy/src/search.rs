//! Inverting monotone functions: bisection over the floating-point numbers themselves.
//!
//! Positive numbers are ordered as their bit patterns are. So 63 evaluations of a predicate find two neighbouring
//! numbers between which it changes, over the whole range and without a tolerance. The number returned satisfies the
//! predicate, even where rounding makes the predicate not quite monotone.
//!
//! Where an evaluation is slow, interpolation between logarithms finds a scale to a given precision.

use crate::error::Result;

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

/// An excess is not distinguished from lower ones: that of a value 0 is infinite.
const SUFFICES: f64 = 100.0;

/// The smallest scale up to `most`, to a relative `precision` from above, at which a falling function of it is at most
/// `target`.
pub(crate) fn smallest_scale(
    start: f64,
    most: f64,
    target: f64,
    precision: f64,
    value: impl Fn(f64) -> Result<f64>,
) -> Result<Option<f64>> {
    let excess = |scale| -> Result<f64> {
        let value = value(scale)?;
        let excess = (value / target).ln().max(-SUFFICES);
        Ok(if value <= target { excess.min(0.0) } else { excess.max(f64::MIN_POSITIVE) })
    };
    match bracket(start, most, excess)? {
        Some([low, high]) => Ok(Some(first_within(low, high, precision, excess)?)),
        None => Ok(None),
    }
}

/// A scale and the `excess` at it: the logarithm of the value over the target, at most 0 where the scale suffices.
type Tried = (f64, f64);

/// A scale that does not suffice and one up to `most` that does, from `start` in growing steps; `None` if `most` does
/// not.
fn bracket(start: f64, most: f64, excess: impl Fn(f64) -> Result<f64>) -> Result<Option<[Tried; 2]>> {
    let tried = |scale: f64| -> Result<Tried> { Ok((scale, excess(scale)?)) };
    let mut high = tried(start.min(most))?;
    let mut low = high;
    let mut factor = 1.01;
    while high.1 > 0.0 {
        if high.0 >= most {
            return Ok(None);
        }
        low = high;
        high = tried((high.0 * factor).min(most))?;
        factor *= factor;
    }
    while low.1 <= 0.0 && low.0 > 0.0 {
        high = low;
        low = tried(low.0 / factor)?;
        factor *= factor;
    }
    Ok(Some([low, high]))
}

/// The smallest scale that suffices, to a relative `precision` from above, between one that does not and one that does:
/// by interpolation between the logarithms, projected so that it takes no more steps than bisection would (Oliveira and
/// Takahashi 2020, the ITP method).
fn first_within(
    (mut low, mut below): Tried,
    (mut high, mut above): Tried,
    precision: f64,
    excess: impl Fn(f64) -> Result<f64>,
) -> Result<f64> {
    let width = (high / low).ln();
    let mut slack = precision * ((width / precision).log2().ceil() + 1.0).exp2();
    while high > low * (1.0 + precision) {
        let width = (high / low).ln();
        slack *= 0.5;
        let middle = 0.5 * width;
        let line = width * below / (below - above); // from low, in logarithms
        let towards = (middle - line).signum();
        let truncated = line + towards * (0.2 * width * width).min((middle - line).abs());
        let radius = (slack - middle).max(0.0);
        let step = if (truncated - middle).abs() <= radius { truncated } else { middle - towards * radius };
        let inside = |at: f64| at > low && at < high;
        let at = [step, middle].map(|step| low * step.exp()).into_iter().find(|at| inside(*at));
        let Some(at) = at else { break };
        let value = excess(at)?;
        if value <= 0.0 {
            (high, above) = (at, value);
        } else {
            (low, below) = (at, value);
        }
    }
    Ok(high)
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
