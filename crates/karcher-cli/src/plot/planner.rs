//! `karcher plan --html`: a page with the expected errors for other radii, numbers of records and budgets.

use crate::Failure;
use crate::length::{Radii, two_digits};
use crate::output::progress_bar;
use crate::plan_curves::CurveSetting;
use karcher::mechanism::{Candidate, best};
use karcher::privacy::{Definition, Guarantee};
use karcher_io::OutputFile;
use karcher_report::{
    BallPicture, PlannedError, PlannedMechanism, PlannedStart, Planner, PlannerAxis, known_error, parameter,
    with_parameter,
};
use rayon::prelude::*;
use std::path::Path;

/// Points on each side of the planned radius, the last about three times as large.
const RADII: i32 = 4;
/// Points on each side of the planned number of records and budget, the last ten times as large.
const STEPS: i32 = 4;

/// Options that the axes of the page replace, or that write something.
const REPLACED: [&str; 10] =
    ["--radius", "--n", "--n-guess", "--error", "--epsilon", "--delta", "--mu", "--rho", "--html", "--plot"];
const FLAGS: [&str; 3] = ["--json", "--force", "--rehearse"];

/// Writes the page of a plan, if a file is wanted. It follows from public numbers alone, as the plan does.
pub fn write_planner<'a>(
    path: Option<&Path>,
    force: bool,
    setting: impl FnOnce() -> CurveSetting<'a>,
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    if !matches!(path.extension().and_then(|e| e.to_str()), Some("html" | "htm")) {
        return Err(format!("--html {}: the extension must be .html", path.display()).into());
    }
    let file = OutputFile::create(path, force, &[]).map_err(|error| format!("--html: {error}"))?;
    let page = planner(&setting())?.page();
    file.write_whole(page.as_bytes()).map_err(|error| format!("--html: {error}").into())
}

/// The plans at a point of the grid, or why there are none.
type Found = Result<Vec<Candidate>, String>;

/// The page: a plan for each point of the grid.
fn planner(setting: &CurveSetting<'_>) -> Result<Planner, Failure> {
    let radii: Vec<Option<Radii>> = match setting.radii {
        Some(radii) => around(RADII, 0.5 / f64::from(RADII))
            .map(|factor| Some(if factor == 1.0 { radii.clone() } else { radii.times(factor) }))
            .collect(),
        None => vec![None],
    };
    let mut numbers: Vec<usize> = around(STEPS, 1.0 / f64::from(STEPS))
        .map(|factor| if factor == 1.0 { setting.n } else { two_digits(factor * setting.n as f64).round() as usize })
        .filter(|n| *n > 0)
        .collect();
    numbers.dedup();
    let (_, planned) = parameter(setting.budget);
    let budgets = around(STEPS, 1.0 / f64::from(STEPS)).filter_map(|factor| match factor == 1.0 {
        true => Some(setting.budget),
        false => with_parameter(setting.budget, two_digits(factor * planned)).ok(),
    });
    let budgets: Vec<Guarantee> = budgets.collect();
    let grid: Vec<(&Option<Radii>, usize, Guarantee)> = radii
        .iter()
        .flat_map(|radius| numbers.iter().map(move |n| (radius, *n)))
        .flat_map(|(radius, n)| budgets.iter().map(move |budget| (radius, n, *budget)))
        .collect();
    let bar = progress_bar(grid.len());
    let found: Vec<Found> = grid
        .par_iter()
        .map(|(radius, n, budget)| {
            let found = (setting.candidates)(radius.as_ref(), *n, *budget).map_err(|failure| failure.to_string());
            bar.inc(1);
            found
        })
        .collect();
    bar.finish_and_clear();
    let names = found
        .iter()
        .flatten()
        .next()
        .map_or_else(Vec::new, |all| all.iter().map(|candidate| candidate.mechanism.name().name()).collect());
    let mechanisms = names.iter().enumerate().map(|(i, name)| PlannedMechanism {
        name: (*name).to_owned(),
        errors: found.iter().map(|found| error(found, i, setting)).collect(),
    });
    Ok(Planner {
        title: setting.title.clone(),
        error: setting.error.to_owned(),
        unit: setting.unit.1.to_owned(),
        unit_size: setting.unit.0,
        axes: [of_radius(setting, &radii)?, of_number(setting, &numbers), of_budget(setting.budget, &budgets)],
        mechanisms: mechanisms.collect(),
        best: found.iter().map(|found| best(found.as_ref().ok()?, setting.policy)).collect(),
        command: command(std::env::args().skip(1)),
        python: setting.python.as_ref().map(|more| python(setting, more)),
        picture: match setting.radius {
            None => BallPicture::None,
            Some(_) if setting.manifold.as_str() == "sphere:2" => BallPicture::Globe,
            Some(_) => BallPicture::Disc,
        },
        start: start(std::env::args().skip(1)).map(|options| PlannedStart { space: setting.manifold.clone(), options }),
    })
}

/// Factors around 1, evenly on a logarithmic scale.
fn around(steps: i32, power: f64) -> impl Iterator<Item = f64> {
    (-steps..=steps).map(move |i| 10_f64.powf(f64::from(i) * power))
}

/// The error of a mechanism, or why there is none.
fn error(found: &Found, i: usize, setting: &CurveSetting<'_>) -> Result<PlannedError, String> {
    let candidate = &found.as_ref().map_err(String::clone)?[i];
    let plan = candidate.plan.as_ref().map_err(ToString::to_string)?;
    let error = known_error(&**plan).ok_or("no bound of its bias is known here")?;
    let summary = plan.summary();
    let mut notes = vec![];
    notes.extend(setting.policy.refuses(&**plan).map(|reason| format!("on request: {reason}")));
    if summary.at_most {
        notes.push("approximate upper bound".to_owned());
    }
    if summary.rehearsed.is_some() {
        notes.push("simulated with a made-up cloud".to_owned());
    }
    if plan.bias_bound() > 0.0 {
        notes.push("with the bound of its bias".to_owned());
    }
    Ok(PlannedError { error: error / setting.unit.0, note: notes.join("; ") })
}

fn of_radius(setting: &CurveSetting<'_>, radii: &[Option<Radii>]) -> Result<PlannerAxis, Failure> {
    let Some(fixed) = setting.radius else { return Ok(PlannerAxis::default()) };
    let manifold = setting.manifold.manifold()?;
    let lengths = radii.iter().map(|radii| match radii {
        Some(radii) => Ok::<_, Failure>(radii.on(&*manifold)?.enclosing()),
        None => Ok(fixed),
    });
    let lengths = lengths.collect::<Result<Vec<f64>, _>>()?;
    let typed = |(radii, length): (&Option<Radii>, &f64)| match radii {
        Some(radii) => radii.typed(),
        None => setting.length.words(*length),
    };
    let name = if setting.python.iter().flatten().any(|more| more.starts_with("ball=")) { "within" } else { "radius" };
    Ok(PlannerAxis {
        name: "Radius of the ball".to_owned(),
        values: lengths.iter().map(|length| length / setting.unit.0).collect(),
        words: radii.iter().zip(&lengths).map(|both| format!("radius {}", typed(both))).collect(),
        options: radii
            .iter()
            .map(|radii| radii.as_ref().map_or(String::new(), |r| format!("--radius {}", r.typed())))
            .collect(),
        python: lengths.iter().map(|length| format!("{name}={length}")).collect(),
        planned: radii.iter().position(|radii| radii.as_ref() == setting.radii).unwrap_or(0),
    })
}

fn of_number(setting: &CurveSetting<'_>, numbers: &[usize]) -> PlannerAxis {
    let name = setting.name_of_n;
    let (axis, words) = if name == "n" {
        ("Number of records", "records")
    } else {
        ("Guess of the number of records", "records, as a guess")
    };
    PlannerAxis {
        name: axis.to_owned(),
        values: numbers.iter().map(|n| *n as f64).collect(),
        words: numbers.iter().map(|n| format!("{n} {words}")).collect(),
        options: numbers.iter().map(|n| format!("--{} {n}", name.replace('_', "-"))).collect(),
        python: numbers.iter().map(|n| format!("{name}={n}")).collect(),
        planned: numbers.iter().position(|n| *n == setting.n).unwrap_or(0),
    }
}

fn of_budget(planned: Guarantee, budgets: &[Guarantee]) -> PlannerAxis {
    let named = |budget: &Guarantee| match budget.definition() {
        Definition::Pure { epsilon } => vec![("epsilon", epsilon)],
        Definition::Approximate { epsilon, delta } => vec![("epsilon", epsilon), ("delta", delta)],
        Definition::Gaussian { mu } => vec![("mu", mu)],
        Definition::Concentrated { rho } => vec![("rho", rho)],
    };
    let all = |budget: &Guarantee, prefix: &str, between: &str, join: &str| {
        let each = named(budget).into_iter().map(|(name, x)| format!("{prefix}{name}{between}{x}"));
        each.collect::<Vec<_>>().join(join)
    };
    let symbol = parameter(planned).0;
    let words = |budget: &Guarantee| match budget.definition() {
        Definition::Approximate { epsilon, delta } => format!("ε = {epsilon} with δ = {delta:e}"),
        Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
            format!("{symbol} = {}", parameter(*budget).1)
        }
    };
    PlannerAxis {
        name: format!("Budget {symbol}"),
        values: budgets.iter().map(|budget| parameter(*budget).1).collect(),
        words: budgets.iter().map(words).collect(),
        options: budgets.iter().map(|budget| all(budget, "--", " ", " ")).collect(),
        python: budgets.iter().map(|budget| all(budget, "", "=", ", ")).collect(),
        planned: budgets.iter().position(|budget| *budget == planned).unwrap_or(0),
    }
}

/// The command as it was typed, without the options that the axes of the page replace.
fn command(typed: impl Iterator<Item = String>) -> String {
    let mut words = vec!["karcher".to_owned()];
    let mut is_replaced = false;
    for word in typed {
        let option = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if std::mem::take(&mut is_replaced) || FLAGS.contains(&option) {
            continue;
        }
        if REPLACED.contains(&option) {
            is_replaced = !word.contains('=');
            continue;
        }
        words.push(quoted(&word));
    }
    words.join(" ")
}

/// The options of `karcher start` for the statistic and the ball of a plan, as it was typed, if it takes all of them.
fn start(typed: impl Iterator<Item = String>) -> Option<String> {
    let (mut statistic, mut place, mut has_ball) = (None, String::new(), false);
    let mut words = typed.skip(1).flat_map(|word| match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => vec![option.to_owned(), value.to_owned()],
        _ => vec![word],
    });
    while let Some(option) = words.next() {
        if FLAGS.contains(&option.as_str()) {
            continue;
        }
        if option == "--spread" {
            if statistic.replace("mean-and-spread").is_some() {
                return None;
            }
            continue;
        }
        let value = words.next()?;
        has_ball |= ["--radius", "--within"].contains(&option.as_str());
        match (option.as_str(), value.as_str()) {
            ("--ball", "auto") | ("--manifold", _) => {}
            ("--statistic", "mean" | "frechet-mean") if statistic.is_none() => {}
            ("--statistic", "median" | "geometric-median") if statistic.is_none() => statistic = Some("median"),
            ("--within" | "--expected-spread", value) => place += &format!(" {option} {}", quoted(value)),
            ("--n-guess", _) => return None,
            (option, _) if REPLACED.contains(&option) => {}
            _ => return None,
        }
    }
    if !has_ball {
        place = " --anywhere".to_owned();
    }
    Some(format!("--statistic {}{place}", statistic.unwrap_or("mean")))
}

/// A word of a command for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.,:/=+°".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The call in Python before and after the arguments of the axes.
fn python(setting: &CurveSetting<'_>, more: &[String]) -> [String; 2] {
    let more: String = more.iter().map(|argument| format!(", {argument}")).collect();
    let before = format!("import karcher\n\nplan = karcher.plan(\"{}\", ", setting.manifold);
    [before, format!("{more})\nprint(plan.best, plan[plan.best].expected_distance)")]
}
