//! The command `karcher`: differentially private statistics of records on Riemannian manifolds.

mod audit;
mod calibrate;
mod convert;
mod describe;
mod input;
#[cfg(unix)]
mod interrupt;
mod mean;
mod mechanism;
mod options;
mod output;
mod plan;
mod plan_regression;
mod profile;
mod regress;
mod sensitivity;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Publish a mean or a regression of confidential records that live on a curved space (directions, SPD matrices, shapes, hyperbolic
/// embeddings) with a proven differential privacy guarantee.
///
/// Nothing that depends on the records is printed except the private result. What you must choose is public: a ball that
/// holds most records, picked from knowledge of the field and not from the data, and the privacy budget.
#[derive(Parser)]
#[command(name = "karcher", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Mean(mean::Args),
    Regress(regress::Args),
    Sensitivity(sensitivity::Args),
    Calibrate(calibrate::Args),
    Profile(profile::Args),
    Plan(plan::Args),
    Convert(convert::Args),
    Audit(audit::Args),
    Describe(describe::Args),
}

fn main() -> ExitCode {
    #[cfg(unix)]
    interrupt::clean_up_when_interrupted();
    let result = match Cli::parse().command {
        Command::Mean(args) => mean::run(&args),
        Command::Regress(args) => regress::run(&args),
        Command::Sensitivity(args) => sensitivity::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Describe(args) => describe::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whatever went wrong, as a sentence.
type Failure = Box<dyn std::error::Error>;
