//! `karcher series`: begin a series of releases over time.

use crate::Failure;
use crate::ledger_and_seed::LedgerAndSeed;
use crate::output::{digits_up, in_columns, print_json, write_out};
use crate::run;
use crate::saving::refuse_folder_that_is_read;
use crate::whole_number;
use karcher::series::{NewKeyFile, SeriesForecast, SeriesPlan, SeriesShape};
use karcher_io::OutputFile;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Begin a series: a statistic of everyone who has joined so far, again in each period, for one budget.
///
/// It spends the whole budget, which a ledger counts once, and writes two files. The state is public, and has all
/// releases. The key is confidential: the noise is drawn from it, and it has the exact sums. karcher continue makes the
/// release of each period.
///
/// A record is in one period. With --contributions a person may be in several.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher series examples/monthly.json --periods 12 --plan 100
  karcher series examples/monthly.json --periods 12 --output monthly-state.json")]
pub struct Args {
    /// Specification: a .json file that --spec-only of another command prints. Its budget is that of all periods
    /// together. Its guess of the number of records, if there is one, is that of one period.
    #[arg(value_name = "SPEC.json")]
    spec: String,
    /// Number of periods.
    #[arg(long, value_name = "T", value_parser = whole_number::records)]
    periods: usize,
    /// Number of periods to which a person may contribute. Later records of a person are left out. For specifications
    /// that protect persons.
    #[arg(long, value_name = "K", default_value = "1", value_parser = whole_number::records)]
    contributions: usize,
    /// Number of periods from one contribution of a person to the next, at least: nearer ones are left out.
    #[arg(long, value_name = "PERIODS", default_value = "1", value_parser = whole_number::records)]
    every: usize,
    /// Number of periods that each release is about, the last ones. By default all so far.
    #[arg(long, value_name = "PERIODS", value_parser = whole_number::records)]
    window: Option<usize>,
    /// Print the expected error of each period if N records join in each, and of releases that are made apart. Begins
    /// nothing, and spends no budget.
    #[arg(long, value_name = "N", value_parser = whole_number::records, conflicts_with_all = ["output", "ledger", "seed"])]
    plan: Option<usize>,
    /// With --plan, print one JSON object.
    #[arg(long, requires = "plan")]
    json: bool,
    /// File for the public state, .json.
    #[arg(short, long, value_name = "STATE.json", required_unless_present = "plan")]
    output: Option<PathBuf>,
    /// File for the confidential key. By default that of the state, with the end .key.
    #[arg(long, value_name = "FILE", requires = "output")]
    key: Option<PathBuf>,
    #[command(flatten)]
    account: LedgerAndSeed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let spec = run::read(&args.spec)?;
    let Args { periods, contributions, every, window, .. } = *args;
    let plan = SeriesPlan::new(&spec, SeriesShape { periods, contributions, every, window })?;
    if let Some(joining) = args.plan {
        let joining = NonZeroUsize::new(joining).ok_or("--plan: 0 records have no error")?;
        return print_plan(&plan, &plan.forecasts(joining)?, args.json);
    }
    let Some(state) = &args.output else { return Err("--output is missing: the file of the state".into()) };
    let key = args.key.clone().unwrap_or_else(|| key_of(state));
    let read = [args.spec.as_str()];
    refuse_folder_that_is_read("--output", state, &read)?;
    args.account.check(&read, &[Some(state), Some(&key)], spec.adjacency)?;
    if key.symlink_metadata().is_ok() {
        return Err(
            format!("--key: {} exists, and a key never replaces a file: choose another name", key.display()).into()
        );
    }
    let file = OutputFile::create(state, false, &read).map_err(|error| format!("--output: {error}"))?;
    let new = NewKeyFile::new(&key)?;
    let mut context = args.account.context(&plan.event()?)?;
    let (begun, secret) = plan.begin(&mut context)?;
    secret.keep(new)?;
    file.write_whole((serde_json::to_string_pretty(&begun)? + "\n").as_bytes())?;
    let counted = args.account.settle_entry(begun.ledger.as_ref());
    let mut lines = vec![
        ("state".to_owned(), format!("{} (public)", state.display())),
        ("key".to_owned(), format!("{} (confidential: with it, the state tells the exact sums)", key.display())),
    ];
    lines.extend(counted.into_iter().map(|fact| (fact.name, fact.words)));
    crate::output::print_lines(&lines)
}

/// The usual file of a key.
pub fn key_of(state: &Path) -> PathBuf {
    state.with_extension("key")
}

fn print_plan(plan: &SeriesPlan, all: &[SeriesForecast], as_json: bool) -> Result<(), Failure> {
    if as_json {
        return print_json(&json!({
            "spec": plan.spec(), "shape": plan.shape(), "factorisation": plan.factorisation().root(), "norm": plan.norm(),
            "periods": all,
        }));
    }
    let mut rows = vec![["period", "records", "expected error", "releases apart"].map(str::to_owned).to_vec()];
    let row = |of: &SeriesForecast| {
        vec![of.period.to_string(), of.n.to_string(), digits_up(of.expected_error), digits_up(of.independent)]
    };
    rows.extend(all.iter().map(row));
    write_out(in_columns(&rows).as_bytes())
}
