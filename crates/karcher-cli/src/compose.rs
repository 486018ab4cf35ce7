//! `karcher compose`: the total guarantee of several releases.

use crate::Failure;
use crate::output::{Report, digits_up};
use karcher::privacy::{Definition, Guarantee, compose, compose_at, shuffled_rounds};

/// The total guarantee of several releases about the same records.
///
/// Results are rounded up. With --at-delta it prints the smallest ε at that δ for releases with budgets that are fixed
/// in advance. A second number holds if budgets may depend on earlier results. Reads no data.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    karcher compose --of epsilon=0.3*10 --of mu=0.3*10 --at-delta 1e-6\n  \
    karcher compose --of epsilon=0.5,delta=1e-7*4 --of epsilon=1 --at-delta 1e-6\n  \
    karcher compose --of rho=0.05*3 --of rho=0.1\n  \
    karcher compose --of epsilon=1 --shuffled 10000 --at-delta 1e-6")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Releases to add: epsilon=E, epsilon=E,delta=D, mu=U or rho=P, and *COUNT for several of them. May be repeated.
    #[arg(long = "of", value_name = "BUDGET[*COUNT]", required = true, value_parser = releases)]
    of: Vec<Releases>,
    /// Total δ at which the smallest ε is sought.
    #[arg(long = "at-delta", alias = "delta", value_name = "D", value_parser = crate::options::number)]
    delta: Option<f64>,
    /// Number of people who each sent one report of every --of through a shuffler that hides who sent which.
    #[arg(long, value_name = "N", requires = "delta", value_parser = crate::whole_number::records)]
    shuffled: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Some releases with the same guarantee.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Releases {
    each: Guarantee,
    count: usize,
}

/// Far more than in any use, so that a slip of the keyboard does not fill the memory.
const MOST: usize = 100_000;

/// `BUDGET[*COUNT]`.
fn releases(text: &str) -> Result<Releases, String> {
    let (budget, count) = match text.split_once('*') {
        None => (text, 1),
        Some((budget, count)) => match count.trim().parse() {
            Ok(count) if (1..=MOST).contains(&count) => (budget, count),
            _ => return Err(format!("after * there must be a number of releases, from 1 to {MOST}")),
        },
    };
    let mut given: [(&str, Option<f64>); 4] = [("epsilon", None), ("delta", None), ("mu", None), ("rho", None)];
    for part in budget.split(',') {
        let expected = || format!("expected epsilon=E, epsilon=E,delta=D, mu=U or rho=P, not `{}`", part.trim());
        let (name, value) = part.split_once('=').ok_or_else(expected)?;
        let known = given.iter_mut().find(|(known, _)| *known == name.trim()).ok_or_else(expected)?;
        if known.1.is_some() {
            return Err(format!("{} is given twice", known.0));
        }
        known.1 = Some(crate::options::number(value)?);
    }
    let each = match given.map(|(_, value)| value) {
        [Some(epsilon), None, None, None] => Guarantee::pure(epsilon),
        [Some(epsilon), Some(delta), None, None] => Guarantee::approximate(epsilon, delta),
        [None, None, Some(mu), None] => Guarantee::gaussian(mu),
        [None, None, None, Some(rho)] => Guarantee::concentrated(rho),
        _ => return Err("a budget is one of these: epsilon=E, epsilon=E,delta=D, mu=U or rho=P".to_owned()),
    };
    Ok(Releases { each: each.map_err(|error| error.to_string())?, count })
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let releases: usize = args.of.iter().map(|some| some.count).sum();
    if releases > MOST {
        return Err(format!("--of counts {releases} releases: at most {MOST} are added up").into());
    }
    let list: Vec<Guarantee> = args.of.iter().flat_map(|some| std::iter::repeat_n(some.each, some.count)).collect();
    let mut report = Report::default();
    if let (Some(people), Some(delta)) = (args.shuffled, args.delta) {
        report.add("shuffled", people, people.to_string())?;
        report.add("rounds", releases, releases.to_string())?;
        if let Definition::Approximate { epsilon, .. } = shuffled_rounds(people, &list, delta)?.definition() {
            let text = format!(
                "{} at δ {}, if the shuffler hides who sent which report",
                digits_up(epsilon),
                digits_up(delta)
            );
            report.add("epsilon", epsilon, text)?;
            report.add("delta", delta, digits_up(delta))?;
        }
        return report.print(args.json);
    }
    report.add("releases", releases, releases.to_string())?;
    if let Some(delta) = args.delta
        && let Definition::Approximate { epsilon, .. } = compose_at(&list, delta)?.definition()
    {
        let text = format!("{} at δ {}, if all budgets are fixed in advance", digits_up(epsilon), digits_up(delta));
        report.add("epsilon", epsilon, text)?;
        report.add("delta", delta, digits_up(delta))?;
    }
    match compose(&list) {
        Ok(together) => {
            let text = format!("{}, also if budgets are chosen after seeing earlier results", told(together));
            match args.delta {
                Some(_) => report.add("adaptive", together, text)?,
                None => report.add_as("together", "adaptive", together, text)?,
            }
            if let Some(delta) = args.delta
                && let Some(epsilon) = adaptive_epsilon(&list, together, delta)
            {
                let text = format!("{} at δ {}, of the same guarantee", digits_up(epsilon), digits_up(delta));
                report.add("adaptive_epsilon", epsilon, text)?;
            }
        }
        // guarantees without a common sum have one at a δ
        Err(_) if args.delta.is_some() => {}
        Err(_) if args.of.iter().any(|some| is_approximate(some.each)) && args.of.len() > 1 => {
            return Err("(ε, δ) adds up with μ or ρ only at a total δ: give --at-delta".into());
        }
        Err(error) => return Err(error.into()),
    }
    report.print(args.json)
}

/// A guarantee with seven digits, none of them too small.
fn told(guarantee: Guarantee) -> String {
    match guarantee.definition() {
        Definition::Pure { epsilon } => format!("epsilon {}", digits_up(epsilon)),
        Definition::Approximate { epsilon, delta } => {
            format!("epsilon {}, delta {}", digits_up(epsilon), digits_up(delta))
        }
        Definition::Gaussian { mu } => format!("mu {}", digits_up(mu)),
        Definition::Concentrated { rho } => format!("rho {}", digits_up(rho)),
    }
}

/// The smallest ε at a δ by the sums that hold also for budgets that depend on earlier results: that of the guarantees
/// as they are, and of the Gaussian and of the concentrated ones that they all imply.
fn adaptive_epsilon(list: &[Guarantee], together: Guarantee, delta: f64) -> Option<f64> {
    let sum_of = |implied: fn(&Guarantee) -> karcher::privacy::Result<Guarantee>| {
        compose(&list.iter().map(implied).collect::<karcher::privacy::Result<Vec<_>>>().ok()?).ok()
    };
    let sums = [Some(together), sum_of(Guarantee::to_gaussian), sum_of(Guarantee::to_concentrated)];
    sums.into_iter().flatten().filter_map(|sum| sum.epsilon(delta).ok()).reduce(f64::min)
}

fn is_approximate(guarantee: Guarantee) -> bool {
    matches!(guarantee.definition(), Definition::Approximate { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_with_their_counts() {
        let pure = |epsilon, count| Ok(Releases { each: Guarantee::pure(epsilon).unwrap(), count });
        assert_eq!(releases("epsilon=0.3*10"), pure(0.3, 10));
        assert_eq!(releases(" epsilon = 0.3 * 2 "), pure(0.3, 2));
        assert_eq!(releases("epsilon=0.3"), pure(0.3, 1));
        let approximate = Guarantee::approximate(0.5, 1e-7).unwrap();
        assert_eq!(releases("delta=1e-7,epsilon=0.5*4"), Ok(Releases { each: approximate, count: 4 }));
        assert_eq!(releases("mu=1").unwrap().each, Guarantee::gaussian(1.0).unwrap());
        assert_eq!(releases("rho=0.1*3").unwrap().count, 3);
    }

    #[test]
    fn what_is_no_budget_is_refused_in_a_sentence() {
        for (text, words) in [
            ("0.3*10", "expected epsilon=E"),
            ("sigma=1", "expected epsilon=E"),
            ("epsilon=0.3*0", "from 1 to 100000"),
            ("epsilon=0.3*many", "from 1 to 100000"),
            ("epsilon=0.3*1e3", "from 1 to 100000"),
            ("epsilon=0.3,epsilon=0.4", "given twice"),
            ("epsilon=0.3,mu=1", "one of these"),
            ("delta=1e-6", "one of these"),
            ("epsilon=-1", "epsilon is -1"),
            ("epsilon=x", "expected a number"),
            ("", "expected epsilon=E"),
        ] {
            let error = releases(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
