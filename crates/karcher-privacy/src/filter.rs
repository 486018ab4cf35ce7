//! A privacy filter: it refuses releases that would exceed a total fixed in advance (user guide, \[L1\]).
//!
//! The releases may be chosen one after the other, **their budgets too**, after seeing all earlier results. That is
//! more than [`compose_at`](super::compose_at) allows, whose bound is tighter, and the two must not be mixed.
//!
//! **Exact sums** (\[L2\]). A number counts as the shortest decimal that is read as that number, in units of 10⁻³⁰,
//! rounded up; squares of `μ` are exact before that. So ten times 0.1 are 1, although the doubles sum to more, and they
//! may be spent from 1. The doubles of all guarantees then exceed the decimal total by less than two units in the last
//! place of the total, which [`Filter::promise`] adds.

use super::guarantee::{Definition, Guarantee};
use crate::error::{Error, Result};
use std::fmt;

/// One divided by the unit, as a power of ten.
const DIGITS: i32 = 30;

/// The largest `ε`, `μ²` or `ρ` of a total: beyond it nothing is promised, and sums might leave the range of integers.
const MOST: f64 = 1e6;

/// The smallest.
const LEAST: f64 = 1e-12;

/// Counts the amounts that releases spend of a total, and refuses those for which not enough is left.
///
/// The total is pure, approximate, Gaussian or concentrated. A guarantee of another definition counts as the one that
/// it implies in the definition of the total: a pure one in every total, a Gaussian one as `ρ = μ²/2`. The others are
/// refused, because they imply nothing there, or nothing without a choice of `δ`.
///
/// ```
/// use karcher_privacy::{Definition, Filter, Guarantee};
/// let mut filter = Filter::new(Guarantee::pure(1.0)?)?;
/// for _ in 0..10 {
///     filter.spend(Guarantee::pure(0.1)?)?;
/// }
/// assert_eq!(filter.left(), Definition::Pure { epsilon: 0.0 });
/// let refused = filter.spend(Guarantee::pure(1e-9)?).unwrap_err();
/// assert_eq!(refused.to_string(), "not enough is left: requested epsilon 1e-9, spent epsilon 1.0 of 1.0, left epsilon 0.0");
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    total: Guarantee,
    limit: Cost,
    spent: Cost,
    count: u64,
}

/// `ε`, `μ²` or `ρ`, and `δ`, in units of 10⁻³⁰.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Cost {
    loss: u128,
    delta: u128,
}

impl Filter {
    /// A filter with nothing spent.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a total with `ε`, `μ²` or `ρ` above 10⁶, which promises nothing, or below
    /// 10⁻¹², or with a `δ` below 10⁻³⁰.
    ///
    /// ```
    /// use karcher_privacy::{Filter, Guarantee};
    /// assert!(Filter::new(Guarantee::gaussian(1.0)?).is_ok());
    /// assert!(Filter::new(Guarantee::pure(1e7)?).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn new(total: Guarantee) -> Result<Self> {
        let (name, value, loss, delta) = match total.definition() {
            Definition::Pure { epsilon } => ("epsilon", epsilon, epsilon, None),
            Definition::Approximate { epsilon, delta } => ("epsilon", epsilon, epsilon, Some(delta)),
            Definition::Gaussian { mu } => ("mu", mu, mu * mu, None),
            Definition::Concentrated { rho } => ("rho", rho, rho, None),
        };
        let refused = |name, value, requirement: &str| {
            Err(Error::InvalidParameter { name, value, requirement: requirement.to_owned() })
        };
        if !(LEAST..=MOST).contains(&loss) {
            return refused(name, value, "the total of a budget must be from 1e-12 to 1e6 (of mu its square)");
        }
        if let Some(delta) = delta.filter(|delta| *delta < 1e-30) {
            return refused("delta", delta, "the total of a budget must have at least 1e-30");
        }
        let Some(limit) = Cost::of(total.definition(), Round::Down) else {
            return refused(name, value, "the total of a budget must be from 1e-12 to 1e6 (of mu its square)");
        };
        Ok(Self { total, limit, spent: Cost::default(), count: 0 })
    }

    /// The total.
    pub fn total(&self) -> Guarantee {
        self.total
    }

    /// The number of guarantees spent.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The promise of all releases together: the total, two units in the last place up, for the difference between
    /// decimal numbers and doubles. Where more was [recorded](Filter::record), it is that.
    ///
    /// ```
    /// use karcher_privacy::{Filter, Guarantee};
    /// let filter = Filter::new(Guarantee::pure(1.0)?)?;
    /// assert_eq!(filter.promise(), Guarantee::pure(1.0 + 2.0 * f64::EPSILON)?);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn promise(&self) -> Guarantee {
        let up = |x: f64| x.next_up().next_up();
        let Cost { loss, delta } = self.spent;
        let is_beyond = loss > self.limit.loss || delta > self.limit.delta;
        let most = Cost { loss: loss.max(self.limit.loss), delta: delta.max(self.limit.delta) };
        let kept = if is_beyond { most.as_definition(self.total, Round::Up) } else { self.total.definition() };
        let raised = match kept {
            Definition::Pure { epsilon } => Guarantee::pure(up(epsilon)),
            Definition::Approximate { epsilon, delta } => Guarantee::approximate(up(epsilon), up(delta)),
            Definition::Gaussian { mu } => Guarantee::gaussian(up(mu)),
            Definition::Concentrated { rho } => Guarantee::concentrated(up(rho)),
        };
        raised.unwrap_or(self.total) // only a δ next to 1, which promises nothing, cannot be raised
    }

    /// The cost of a guarantee, in the definition of the total.
    ///
    /// # Errors
    /// [`Error::OverBudget`] where it implies nothing in it.
    ///
    /// ```
    /// use karcher_privacy::{Definition, Filter, Guarantee};
    /// let filter = Filter::new(Guarantee::concentrated(1.0)?)?;
    /// assert_eq!(filter.counts_as(Guarantee::gaussian(0.5)?)?, Definition::Concentrated { rho: 0.125 });
    /// assert!(filter.counts_as(Guarantee::approximate(0.5, 1e-6)?).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn counts_as(&self, guarantee: Guarantee) -> Result<Definition> {
        self.counts_as_times(guarantee, 1)
    }

    /// The cost of a guarantee that is spent this many times.
    ///
    /// # Errors
    /// As for [`counts_as`](Filter::counts_as), and where it is more than any total.
    ///
    /// ```
    /// use karcher_privacy::{Definition, Filter, Guarantee};
    /// let filter = Filter::new(Guarantee::concentrated(1.0)?)?;
    /// assert_eq!(filter.counts_as_times(Guarantee::gaussian(0.5)?, 3)?, Definition::Concentrated { rho: 0.375 });
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn counts_as_times(&self, guarantee: Guarantee, times: u64) -> Result<Definition> {
        let one = self.one_counts_as(guarantee)?;
        if times == 1 {
            return Ok(one);
        }
        let all = Cost::of(one, Round::Up).and_then(|cost| cost.times(times));
        let too_much = || Error::OverBudget { reason: format!("{one} for each of {times} is more than any total") };
        Ok(all.ok_or_else(too_much)?.as_definition(self.total, Round::Up))
    }

    /// The cost of several guarantees together.
    ///
    /// # Errors
    /// As for [`counts_as`](Filter::counts_as), and where the sum is more than any total.
    ///
    /// ```
    /// use karcher_privacy::{Definition, Filter, Guarantee};
    /// let filter = Filter::new(Guarantee::approximate(2.0, 1e-6)?)?;
    /// let parts = [Guarantee::pure(0.5)?, Guarantee::approximate(0.25, 1e-7)?];
    /// assert_eq!(filter.counts_as_all(&parts)?, Definition::Approximate { epsilon: 0.75, delta: 1e-7 });
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn counts_as_all(&self, guarantees: &[Guarantee]) -> Result<Definition> {
        match guarantees {
            [one] => self.one_counts_as(*one),
            all => Ok(self.cost_of(all)?.as_definition(self.total, Round::Up)),
        }
    }

    fn cost_of(&self, guarantees: &[Guarantee]) -> Result<Cost> {
        if guarantees.is_empty() {
            return Err(Error::OverBudget { reason: "a release without a guarantee cannot be counted".to_owned() });
        }
        let too_much = || Error::OverBudget {
            reason: format!("what {} releases spend together is more than any total", guarantees.len()),
        };
        guarantees.iter().try_fold(Cost { loss: 0, delta: 0 }, |sum, guarantee| {
            let one = Cost::of(self.one_counts_as(*guarantee)?, Round::Up);
            one.and_then(|one| sum.plus(one)).ok_or_else(too_much)
        })
    }

    fn one_counts_as(&self, guarantee: Guarantee) -> Result<Definition> {
        use Definition::{Approximate, Concentrated, Gaussian, Pure};
        let implied = match (self.total.definition(), guarantee.definition()) {
            (Pure { .. }, cost @ Pure { .. }) => Ok(cost),
            (Approximate { .. }, cost @ Approximate { .. }) => Ok(cost),
            (Approximate { .. }, Pure { epsilon }) => Ok(Approximate { epsilon, delta: 0.0 }),
            (Gaussian { .. }, Pure { .. } | Gaussian { .. }) => guarantee.to_gaussian().map(|g| g.definition()),
            (Concentrated { .. }, Pure { .. } | Gaussian { .. } | Concentrated { .. }) => {
                guarantee.to_concentrated().map(|g| g.definition())
            }
            (total, asked) => {
                return Err(Error::OverBudget {
                    reason: format!(
                        "this budget counts {}, and a release with {} has no such guarantee{}; ask for {}",
                        Kind(total),
                        asked,
                        match (total, asked) {
                            (Approximate { .. }, _) => " without a choice of delta",
                            _ => "",
                        },
                        Accepted(total),
                    ),
                });
            }
        };
        implied.map_err(|error| Error::OverBudget { reason: error.to_string() })
    }

    /// Counts a guarantee as spent, or refuses and counts nothing.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if not enough is left, with the request, the amount spent and the amount left.
    pub fn spend(&mut self, guarantee: Guarantee) -> Result<()> {
        self.spend_times(guarantee, 1)
    }

    /// Counts a guarantee as spent this many times, or refuses and counts nothing.
    ///
    /// # Errors
    /// As for [`spend`](Filter::spend).
    ///
    /// ```
    /// use karcher_privacy::{Filter, Guarantee};
    /// let mut filter = Filter::new(Guarantee::pure(1.0)?)?;
    /// assert!(filter.spend_times(Guarantee::pure(0.1)?, 11).is_err());
    /// filter.spend_times(Guarantee::pure(0.1)?, 10)?; // exactly
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn spend_times(&mut self, guarantee: Guarantee, times: u64) -> Result<()> {
        let cost = self.counts_as_times(guarantee, times)?;
        let one = Cost::of(self.one_counts_as(guarantee)?, Round::Up);
        let how = if cost == guarantee.definition() {
            String::new()
        } else if times != 1 {
            format!(" ({} for each of {times})", guarantee.definition())
        } else {
            format!(" ({} by itself)", guarantee.definition())
        };
        self.add(one.and_then(|one| one.times(times)), times, &format!("{cost}{how}"))
    }

    /// Counts several guarantees as spent, or refuses and counts none.
    ///
    /// # Errors
    /// As for [`spend`](Filter::spend).
    ///
    /// ```
    /// use karcher_privacy::{Filter, Guarantee};
    /// let mut filter = Filter::new(Guarantee::pure(1.0)?)?;
    /// let [small, large] = [Guarantee::pure(0.25)?, Guarantee::pure(0.75)?];
    /// assert!(filter.spend_all(&[small, large, small]).is_err());
    /// filter.spend_all(&[small, large])?;
    /// assert_eq!(filter.count(), 2);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn spend_all(&mut self, guarantees: &[Guarantee]) -> Result<()> {
        if let [one] = guarantees {
            return self.spend(*one);
        }
        let requested = self.counts_as_all(guarantees)?;
        let count = guarantees.len() as u64;
        self.add(Some(self.cost_of(guarantees)?), count, &format!("{requested} for {count} releases"))
    }

    /// Counts a guarantee that was spent elsewhere already, even beyond the total. Nothing is left then, every later
    /// request is refused, and [`promise`](Filter::promise) is what was spent.
    ///
    /// # Errors
    /// [`Error::OverBudget`] where the guarantee implies nothing in the definition of the total, or the sum promises
    /// nothing.
    ///
    /// ```
    /// use karcher_privacy::{Definition, Filter, Guarantee};
    /// let mut filter = Filter::new(Guarantee::pure(1.0)?)?;
    /// filter.record(Guarantee::pure(1.5)?)?;
    /// let [spent, left] = [1.5, 0.0].map(|epsilon| Definition::Pure { epsilon });
    /// assert_eq!((filter.spent(), filter.left()), (spent, left));
    /// assert_eq!(filter.promise(), Guarantee::pure(1.5 + 2.0 * f64::EPSILON)?);
    /// assert!(filter.spend(Guarantee::pure(1e-9)?).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn record(&mut self, guarantee: Guarantee) -> Result<()> {
        let nothing = || Error::OverBudget { reason: "the releases together have no guarantee".to_owned() };
        let sum = self.spent.plus(self.cost_of(&[guarantee])?).filter(|sum| sum.delta < 10u128.pow(DIGITS as u32));
        self.spent = sum.ok_or_else(nothing)?;
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    fn add(&mut self, cost: Option<Cost>, times: u64, requested: &str) -> Result<()> {
        let sum = cost.and_then(|cost| self.spent.plus(cost));
        let Some(sum) = sum.filter(|sum| sum.loss <= self.limit.loss && sum.delta <= self.limit.delta) else {
            return Err(Error::OverBudget {
                reason: format!(
                    "not enough is left: requested {requested}, spent {} of {}, left {}",
                    self.spent(),
                    Numbers(self.total.definition()),
                    self.left(),
                ),
            });
        };
        self.spent = sum;
        self.count = self.count.saturating_add(times);
        Ok(())
    }

    /// The amount spent, rounded up; 0 where nothing was.
    pub fn spent(&self) -> Definition {
        self.spent.as_definition(self.total, Round::Up)
    }

    /// The amount left, rounded down: it can be spent. 0 where more than the total was recorded.
    pub fn left(&self) -> Definition {
        let left = Cost {
            loss: self.limit.loss.saturating_sub(self.spent.loss),
            delta: self.limit.delta.saturating_sub(self.spent.delta),
        };
        left.as_definition(self.total, Round::Down)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Round {
    Up,
    Down,
}

impl Cost {
    /// `None` beyond the range of integers.
    fn of(cost: Definition, round: Round) -> Option<Self> {
        let (loss, delta) = match cost {
            Definition::Pure { epsilon } => (units(epsilon, 1, round)?, 0),
            Definition::Approximate { epsilon, delta } => (units(epsilon, 1, round)?, units(delta, 1, round)?),
            Definition::Gaussian { mu } => (units(mu, 2, round)?, 0),
            Definition::Concentrated { rho } => (units(rho, 1, round)?, 0),
        };
        Some(Self { loss, delta })
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(Self { loss: self.loss.checked_add(other.loss)?, delta: self.delta.checked_add(other.delta)? })
    }

    fn times(self, times: u64) -> Option<Self> {
        let times = times.into();
        Some(Self { loss: self.loss.checked_mul(times)?, delta: self.delta.checked_mul(times)? })
    }

    fn as_definition(self, total: Guarantee, round: Round) -> Definition {
        let number = |units| number(units, 1, round);
        match total.definition() {
            Definition::Pure { .. } => Definition::Pure { epsilon: number(self.loss) },
            Definition::Approximate { .. } => {
                Definition::Approximate { epsilon: number(self.loss), delta: number(self.delta) }
            }
            Definition::Gaussian { .. } => Definition::Gaussian { mu: self::number(self.loss, 2, round) },
            Definition::Concentrated { .. } => Definition::Concentrated { rho: number(self.loss) },
        }
    }
}

/// A number's shortest decimal form to a power (1 or 2), in units of 10⁻³⁰. `None` beyond the range of integers, and
/// for NaN.
fn units(x: f64, power: u32, round: Round) -> Option<u128> {
    let text = format!("{x:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let digits: u128 = mantissa.replace('.', "").parse().ok()?; // at most 17 digits
    let shift = power as i32 * (exponent.parse::<i32>().ok()? - decimals as i32) + DIGITS;
    let digits = digits.checked_pow(power)?;
    match u32::try_from(shift) {
        _ if digits == 0 => Some(0),
        Ok(shift) => digits.checked_mul(10u128.checked_pow(shift)?),
        Err(_) => Some(match (10u128.checked_pow(shift.unsigned_abs()), round) {
            (Some(unit), Round::Up) => digits.div_ceil(unit),
            (Some(unit), Round::Down) => digits / unit,
            (None, Round::Up) => 1,
            (None, Round::Down) => 0,
        }),
    }
}

/// The number nearest to this many units, or to their root, of those on one side: the inverse of [`units`].
fn number(amount: u128, power: u32, round: Round) -> f64 {
    if amount == 0 {
        return 0.0;
    }
    let unit = 10u128.pow(DIGITS as u32);
    let near: f64 = format!("{}.{:030}", amount / unit, amount % unit).parse().unwrap_or(f64::INFINITY);
    let near = if power == 2 { near.sqrt() } else { near };
    // one too far, so that none is left out
    let mut near = if round == Round::Up { near.next_down() } else { near.next_up() };
    let beyond = |x: f64| match round {
        Round::Up => units(x, power, Round::Down).is_some_and(|units| units < amount),
        Round::Down => units(x, power, Round::Up).is_none_or(|units| units > amount),
    };
    while beyond(near) {
        near = if round == Round::Up { near.next_up() } else { near.next_down() };
    }
    near
}

/// `0.5`.
struct Numbers(Definition);

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Definition::Pure { epsilon: x } | Definition::Gaussian { mu: x } | Definition::Concentrated { rho: x } => {
                write!(f, "{x:?}")
            }
            both @ Definition::Approximate { .. } => both.fmt(f),
        }
    }
}

/// The amounts that a total counts.
struct Kind(Definition);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Definition::Pure { .. } => "epsilon",
            Definition::Approximate { .. } => "epsilon and delta",
            Definition::Gaussian { .. } => "mu",
            Definition::Concentrated { .. } => "rho",
        })
    }
}

/// The amounts that can be spent of a total.
struct Accepted(Definition);

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Definition::Pure { .. } => "epsilon alone",
            Definition::Approximate { .. } => "epsilon, or epsilon and delta",
            Definition::Gaussian { .. } => "mu, or epsilon alone",
            Definition::Concentrated { .. } => "rho, mu, or epsilon alone",
        })
    }
}

#[cfg(test)]
mod tests;
