//! The fewest records, or the least ε, that reach an error.
//!
//! Errors decrease with ε and with the number of records, until rounding dominates at about a billion. The result
//! reaches the goal, and slightly less does not.

use crate::error::Error;
use crate::facts::numbers::four_digits;
use crate::mechanism::MOST_RECORDS;
use crate::privacy::Guarantee;

/// The error that is expected of so many records under a budget, or the reason for which there is no plan.
pub type ExpectedError<'a, E> = dyn Fn(usize, Guarantee) -> Result<f64, E> + 'a;

/// Rounding adds less than this to an error; it must not cost an extra record.
const SLACK: f64 = 1e-9;

/// The smallest number of records for which the expected error is at most `goal`.
///
/// # Errors
/// [`Error::InvalidParameter`] for a goal that is not positive or that no number of records reaches; and why there is
/// no plan for any.
///
/// ```
/// use karcher::{Ball, Error, manifold::Euclidean, privacy::Guarantee};
/// use karcher::mechanism::{PrivateFrechetMean, Request, fewest_records};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let expected = |n, budget| Ok::<f64, Error>(Request::new(mean.clone(), n, budget).plan()?.error_bound());
/// assert_eq!(fewest_records(0.01, Guarantee::pure(0.5)?, &expected)?, 400); // 2r/(n·ε)
/// # Ok::<(), Error>(())
/// ```
pub fn fewest_records<E: From<Error>>(
    goal: f64,
    budget: Guarantee,
    expected: &ExpectedError<'_, E>,
) -> Result<usize, E> {
    check(goal)?;
    let reaches = |n: usize| expected(n, budget).is_ok_and(|error| error <= goal * (1.0 + SLACK));
    // about inversely proportional: from a guess that is rather too small, doubled or halved
    let guess = expected(1000, budget).map_or(1000.0, |error| 125.0 * error / goal);
    let mut high = (guess as usize).clamp(1, MOST_RECORDS);
    while !reaches(high) {
        if high == MOST_RECORDS {
            expected(high, budget)?; // says why, if that does not depend on the number
            return Err(out_of_reach(goal, "no number of records reaches it, because of rounding".to_owned()));
        }
        high = high.saturating_mul(2).min(MOST_RECORDS);
    }
    let mut low = high / 2;
    while low > 0 && reaches(low) {
        (low, high) = (low / 2, low);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reaches(middle) { high = middle } else { low = middle }
    }
    Ok(high)
}

/// The largest ε that the search considers.
const MOST_EPSILON: f64 = 1e4;

/// Precision of the search for the smallest ε, as a ratio.
const NEAR: f64 = 1.0001;

/// The smallest ε, with the given δ if there is one, for which the expected error is at most `goal`, rounded up to four
/// digits.
///
/// # Errors
/// As for [`fewest_records`].
///
/// ```
/// use karcher::{Ball, Error, manifold::Euclidean, privacy::Guarantee};
/// use karcher::mechanism::{PrivateFrechetMean, Request, least_epsilon};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let expected = |n, budget| Ok::<f64, Error>(Request::new(mean.clone(), n, budget).plan()?.error_bound());
/// let found = least_epsilon(0.01, 400, None, &expected)?;
/// assert!((found.epsilon(1e-9)? - 0.5).abs() < 1e-3);
/// # Ok::<(), Error>(())
/// ```
pub fn least_epsilon<E: From<Error>>(
    goal: f64,
    n: usize,
    delta: Option<f64>,
    expected: &ExpectedError<'_, E>,
) -> Result<Guarantee, E> {
    check(goal)?;
    let budget = |epsilon: f64| -> Result<Guarantee, Error> {
        Ok(match delta {
            None => Guarantee::pure(epsilon)?,
            Some(delta) => Guarantee::approximate(epsilon, delta)?,
        })
    };
    let reaches =
        |epsilon: f64| budget(epsilon).is_ok_and(|b| expected(n, b).is_ok_and(|error| error <= goal * (1.0 + SLACK)));
    let at_most = expected(n, budget(MOST_EPSILON)?)?;
    if at_most > goal * (1.0 + SLACK) {
        let words = format!("with {n} records no ε up to {MOST_EPSILON} reaches it: {at_most} is expected there");
        return Err(out_of_reach(goal, words));
    }
    let guess = expected(n, budget(1.0)?).map_or(1.0, |error| error / goal);
    let mut high = guess.clamp(1e-9, MOST_EPSILON);
    while !reaches(high) {
        high = (2.0 * high).min(MOST_EPSILON);
    }
    let mut low = 0.5 * high;
    while low > 1e-12 && reaches(low) {
        (low, high) = (0.5 * low, low);
    }
    while high / low > NEAR {
        let middle = (low * high).sqrt();
        if reaches(middle) { high = middle } else { low = middle }
    }
    Ok(budget(up(high))?)
}

/// Four significant digits of a number not below `x`.
fn up(x: f64) -> f64 {
    let unit = 10f64.powi(x.log10().floor() as i32 - 3);
    let rounded = four_digits(x);
    if rounded < x { four_digits(x + unit) } else { rounded }
}

fn check(goal: f64) -> Result<(), Error> {
    if goal > 0.0 && goal.is_finite() {
        return Ok(());
    }
    Err(Error::InvalidParameter { name: "error", value: goal, requirement: "it must be a positive number".to_owned() })
}

fn out_of_reach<E: From<Error>>(goal: f64, requirement: String) -> E {
    Error::InvalidParameter { name: "error", value: goal, requirement }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_reaches_the_goal_is_found() {
        let law = |n: usize, budget: Guarantee| -> Result<f64, Error> {
            let epsilon = budget.epsilon(0.5)?; // of a pure guarantee: itself, or less
            if n < 7 { Err(Error::NoConvergence) } else { Ok(3.0 / (n as f64 * epsilon)) }
        };
        let one = Guarantee::approximate(1.0, 0.5).unwrap();
        for goal in [0.01, 0.3, 0.000_123_4] {
            let n = fewest_records(goal, one, &law).unwrap();
            assert!(law(n, one).unwrap() <= goal && law(n - 1, one).unwrap() > goal, "{n}");
        }
        assert_eq!(fewest_records(2.9, one, &law).unwrap(), 7, "fewer have no mechanism");
        let found = least_epsilon(0.01, 100, Some(0.5), &law).unwrap();
        assert!((found.epsilon(0.5).unwrap() / 3.0 - 1.0).abs() < 1e-3 && law(100, found).unwrap() <= 0.01, "{found}");
    }

    #[test]
    fn goals_out_of_reach_are_refused() {
        let never = |_: usize, _: Guarantee| -> Result<f64, Error> { Ok(0.5) };
        let one = Guarantee::pure(1.0).unwrap();
        assert!(fewest_records(0.4, one, &never).unwrap_err().to_string().contains("no number of records"));
        assert!(least_epsilon(0.4, 10, None, &never).unwrap_err().to_string().contains("0.5"));
        for goal in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(fewest_records(goal, one, &never).is_err() && least_epsilon(goal, 9, None, &never).is_err());
        }
    }
}
