//! The command `karcher`: differentially private statistics of records on Riemannian manifolds.

#[cfg(feature = "aggregate")]
mod aggregate;
mod audit;
mod basis;
#[cfg_attr(not(feature = "ledger"), path = "booking_left_out.rs")]
mod booking;
mod brief_help;
mod calibrate;
mod center;
mod collect;
mod compare;
mod completions;
mod components;
mod compose;
mod convert;
mod count;
mod covariance;
#[cfg(feature = "describe")]
mod describe;
mod failure;
mod fields;
mod file_records;
mod going_on;
mod input;
#[cfg(unix)]
mod interrupt;
mod kmeans;
#[cfg(feature = "ledger")]
mod ledger;
mod ledger_and_seed;
mod length;
mod locate;
mod located;
mod man;
mod mean;
mod mechanism;
mod opened;
mod options;
mod output;
mod output_options;
mod plan;
mod plan_count;
mod plan_curves;
mod plan_regression;
mod plan_table;
#[cfg_attr(not(feature = "plot"), path = "plot_left_out.rs")]
mod plot;
mod pool;
mod predictions;
mod profile;
mod quantiles;
mod randomize;
mod regress;
mod releasing;
#[cfg(feature = "plot")]
mod report;
mod run;
mod saving;
mod score;
mod sensitivity;
mod series;
mod start;
mod synthesize;
mod threads;
mod verify;
mod whole_number;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::{Failure, say, sentence};
use std::process::ExitCode;

/// Publish a mean or a regression of confidential records that live on a curved space (directions, SPD matrices,
/// shapes, hyperbolic embeddings) with a proven differential privacy guarantee.
///
/// Only the private result depends on the records. You choose what is public: the privacy budget, and a ball that holds
/// most records. Pick the ball from knowledge of the field, not from the data.
///
/// Exit codes: 0 done; 1 refused or failed, with a sentence that gives the reason; 2 wrong usage.
#[derive(Parser)]
#[command(name = "karcher", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Start(start::Args),
    Mean(mean::Args),
    Components(components::Args),
    Count(count::Args),
    Covariance(covariance::Args),
    Compare(compare::Args),
    Pool(pool::Args),
    Kmeans(kmeans::Args),
    Quantiles(quantiles::Args),
    Synthesize(synthesize::Args),
    Locate(locate::Args),
    Regress(regress::Args),
    Run(run::Args),
    Score(score::Args),
    Series(series::Args),
    Continue(going_on::Args),
    Randomize(randomize::Args),
    Collect(collect::Args),
    #[cfg(feature = "aggregate")]
    Share(aggregate::share::Args),
    #[cfg(feature = "aggregate")]
    Aggregate(aggregate::Args),
    #[cfg(feature = "aggregate")]
    Combine(aggregate::combine::Args),
    Plan(plan::Args),
    Sensitivity(sensitivity::Args),
    Calibrate(calibrate::Args),
    Profile(profile::Args),
    Convert(convert::Args),
    Compose(compose::Args),
    #[cfg(feature = "ledger")]
    Ledger(ledger::Args),
    Audit(audit::Args),
    Verify(verify::Args),
    #[cfg(feature = "describe")]
    Describe(describe::Args),
    #[cfg(feature = "plot")]
    Plot(plot::Args),
    #[cfg(feature = "plot")]
    Report(report::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Command::Start(args) => start::run(args),
            Command::Mean(args) => mean::run(args),
            Command::Compare(args) => compare::run(args),
            Command::Pool(args) => pool::run(args),
            Command::Synthesize(args) => synthesize::run(args),
            Command::Components(args) => components::run(args),
            Command::Count(args) => count::run(args),
            Command::Covariance(args) => covariance::run(args),
            Command::Kmeans(args) => kmeans::run(args),
            Command::Quantiles(args) => quantiles::run(args),
            Command::Locate(args) => locate::run(args),
            Command::Regress(args) => regress::run(args),
            Command::Run(args) => run::run(args),
            Command::Score(args) => score::run(args),
            Command::Series(args) => series::run(args),
            Command::Continue(args) => going_on::run(args),
            Command::Randomize(args) => randomize::run(args),
            Command::Collect(args) => collect::run(args),
            #[cfg(feature = "aggregate")]
            Command::Share(args) => aggregate::share::run(args),
            #[cfg(feature = "aggregate")]
            Command::Aggregate(args) => aggregate::run(args),
            #[cfg(feature = "aggregate")]
            Command::Combine(args) => aggregate::combine::run(args),
            Command::Plan(args) => plan::run(args),
            Command::Sensitivity(args) => sensitivity::run(args),
            Command::Calibrate(args) => calibrate::run(args),
            Command::Profile(args) => profile::run(args),
            Command::Convert(args) => convert::run(args),
            Command::Compose(args) => compose::run(args),
            #[cfg(feature = "ledger")]
            Command::Ledger(args) => ledger::run(args),
            Command::Audit(args) => audit::run(args),
            Command::Verify(args) => verify::run(args),
            #[cfg(feature = "describe")]
            Command::Describe(args) => describe::run(args),
            #[cfg(feature = "plot")]
            Command::Plot(args) => plot::run(args),
            #[cfg(feature = "plot")]
            Command::Report(args) => report::run(args),
            Command::Completions(args) => completions::run(args),
            Command::Man(args) => man::run(args),
        }
    }
}

fn main() -> ExitCode {
    #[cfg(unix)]
    interrupt::clean_up_when_interrupted();
    let mut cli = brief_help::brief(Cli::command());
    let parsed = cli.try_get_matches_from_mut(fields::with_ends_apart(std::env::args_os()));
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (command, matches) = match parsed {
        Ok((parsed, matches)) => (parsed.command, matches),
        Err(answer) => return usage(&answer),
    };
    let failed = threads::with_threads(|| {
        command.run().err().map(|failure| match matches.subcommand() {
            Some((name, given)) => {
                cli.find_subcommand(name).map_or(failure.to_string(), |c| innermost(&failure, c, given))
            }
            None => failure.to_string(),
        })
    });
    match failed {
        None => ExitCode::SUCCESS,
        Some(sentence) => {
            say(&format!("error: {sentence}"));
            ExitCode::FAILURE
        }
    }
}

/// The sentence for a failure of a command, or of one within it.
fn innermost(failure: &Failure, command: &clap::Command, given: &clap::ArgMatches) -> String {
    match given.subcommand().and_then(|(name, given)| Some((command.find_subcommand(name)?, given))) {
        Some((command, given)) => innermost(failure, command, given),
        None => sentence(failure, command, given),
    }
}

/// Prints the help or the version (exit code 0, unless printing fails), or the error in the command line (2).
fn usage(answer: &clap::Error) -> ExitCode {
    if answer.use_stderr() {
        answer.render().to_string().trim_end().lines().for_each(say); // which also shows what would move the cursor
        failure::takers(answer).iter().for_each(|takers| say(&format!("note: {takers}")));
        return ExitCode::from(2);
    }
    match answer.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            say(&format!("error: standard output cannot be written to ({error})"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
