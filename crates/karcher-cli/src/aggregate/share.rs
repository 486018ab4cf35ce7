//! `karcher share`: what a site or a person reports to two aggregators.

use super::task::Options;
use crate::Failure;
use crate::input::Input;
use crate::releasing;
use crate::run;
use karcher::Points;
use karcher::records::{ExactSum, Observations};
use karcher::release::StatisticName;
use karcher_aggregate::{Mode, Report, Task};
use karcher_io::OutputFile;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Split what a site or a person contributes to a release into two encrypted shares.
///
/// One share alone reveals nothing. Each aggregator adds up one share of every reporter (karcher aggregate), and a
/// collector adds the two sums (karcher combine). The release is private if one of the aggregators is honest.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher aggregate keys both.key --of-both
  karcher aggregate keys a.key --shared both.key
  karcher aggregate keys b.key --shared both.key
  karcher share examples/vessels.json examples/vessels.csv --columns latitude,longitude \\
      --layout latlon --n 400 --to a.pub --to b.pub --output site.share")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    task: Options,
    #[command(flatten)]
    input: Input,
    /// File for the reports, one a line.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let task = args.task.task()?;
    run::check_unit(task.spec().unit, &args.input)?;
    args.input.refuse_template()?;
    if task.mode() == Mode::Persons && args.input.has_persons() {
        let reason = "--person does not go with --reporters persons, where each record is a report: a person with \
                      several would be protected less; give one record for each, or report as a site";
        return Err(reason.into());
    }
    let read = [args.input.files(), args.task.files()].concat();
    let file = OutputFile::create(&args.output, args.force, &read).map_err(|error| format!("--output: {error}"))?;
    let reports = match task.mode() {
        Mode::Sites => vec![of_site(&task, &args.input)?],
        Mode::Persons => of_persons(&task, &args.input)?,
    };
    let lines = reports.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(file.write_whole((lines.join("\n") + "\n").as_bytes())?)
}

/// The report of all records together.
fn of_site(task: &Task, input: &Input) -> Result<Report, Failure> {
    let (spec, query) = (task.spec(), task.query());
    if spec.statistic == StatisticName::Count {
        return Ok(task.report(&ExactSum::counting(input.source().count()? as u64))?);
    }
    let manifold = spec.manifold()?;
    let opened = input.open(spec.adjacency, &*manifold, releasing::extra(spec, None)?)?;
    let queries = std::slice::from_ref(query);
    let records = match &spec.features {
        Some(_) => input.with_features(opened, &spec.on_features()?, queries)?,
        None => input.records(opened, (&manifold, &spec.public_ball()?), queries)?,
    };
    Ok(task.report(&records.answer(query)?)?)
}

/// A report of each record.
fn of_persons(task: &Task, input: &Input) -> Result<Vec<Report>, Failure> {
    let (spec, query) = (task.spec(), task.query());
    let manifold = spec.manifold()?;
    let opened = input.open(spec.adjacency, &*manifold, releasing::extra(spec, None)?)?;
    let records = input.in_batches(opened, spec)?;
    let space = spec.space_of_records()?;
    let (reports, failed) = (Mutex::new(vec![]), Mutex::new(None));
    let report = |point: &[f64]| -> Result<Report, Failure> {
        let one = Points::new(&*space, point.to_vec())?;
        Ok(task.report(&query.answer(Observations::new(&one))?)?)
    };
    records.pass(&|batch: Observations<'_>| {
        for point in batch.points().iter() {
            match report(point) {
                Ok(report) => lock(&reports).push(report),
                Err(error) => *lock(&failed) = Some(error.to_string()),
            }
        }
        Ok(())
    })?;
    let first = lock(&failed).take();
    let reports = std::mem::take(&mut *lock(&reports));
    first.map_or(Ok(reports), |sentence| Err(sentence.into()))
}

/// What a lock holds, whatever became of another thread.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
