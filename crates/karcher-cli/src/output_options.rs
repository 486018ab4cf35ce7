//! `--json`, `--output`, `--force`, `--spec-only`, `--ledger`: where a release goes.

use crate::Failure;
use crate::ledger_and_seed::LedgerAndSeed;
use crate::output::print_text;
use clap::ArgGroup;
use karcher::ReleaseSpec;
use karcher::facts::{Fact, text};
use serde_json::Value;
use std::path::PathBuf;

/// What is printed of a release.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Printing {
    /// Print the release as one JSON object, with all numbers.
    #[arg(long)]
    pub json: bool,
    /// Print all facts: also the noise, the ball and what the proof covers.
    #[arg(long, conflicts_with = "json")]
    pub details: bool,
    /// Print sentences that state the release in a paper. With --output, which keeps its numbers.
    #[arg(long, requires = "output", conflicts_with_all = ["json", "details"])]
    pub sentence: bool,
}

impl Printing {
    /// Whether facts are printed.
    pub fn is_text(&self) -> bool {
        !self.json && !self.sentence
    }

    /// What is printed: the JSON, the facts, or the sentence for a paper.
    pub fn printed(&self, json: &Value, facts: &[Fact], sentence: impl FnOnce() -> String) -> String {
        match (self.json, self.sentence) {
            (true, _) => format!("{json}\n"),
            (false, true) => sentence() + "\n",
            (false, false) => text(facts, self.details),
        }
    }
}

/// Where a release goes, and what counts it.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
#[command(group = ArgGroup::new("written").multiple(true))]
pub struct Delivery {
    #[command(flatten)]
    pub printing: Printing,
    /// File for the result: .json the whole release; .npy or .csv the value. Of a regression these hold the predictions
    /// with --predict-at, and without it the coefficients, or the footpoint and the shooting vector. Of a covariance
    /// they hold the mean, and below it the matrix. Long values are then abridged in what is printed.
    #[arg(short, long, value_name = "FILE", group = "written")]
    pub output: Option<PathBuf>,
    /// Let --output and --plot replace a file.
    #[arg(long, requires = "written")]
    pub force: bool,
    /// Print the specification as JSON instead of running it, for karcher run. Reads no record, and spends no budget.
    #[arg(long, conflicts_with_all = ["json", "details", "sentence", "written"])]
    pub spec_only: bool,
    #[command(flatten)]
    pub account: LedgerAndSeed,
}

/// A picture of a release.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Plotting {
    /// File for a picture of the release, .svg or .png. There are pictures on sphere:2, projective:2, hyperbolic:2,
    /// euclidean:2, torus:2, kendall:K and matrices; of means also on circles, tori, euclidean:1 and euclidean:3. Of
    /// regressions there are some on lines and circles, and with --term on every space.
    #[arg(long, value_name = "FILE", group = "written")]
    pub plot: Option<PathBuf>,
}

/// Prints a specification.
pub fn print_spec(spec: &ReleaseSpec) -> Result<(), Failure> {
    spec.check_plan()?;
    let text = serde_json::to_string_pretty(spec)? + "\n";
    print_text(&text).map_err(|error| format!("the specification could not be printed ({error})").into())
}
