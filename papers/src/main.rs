//! The command `karcher-papers`: figures and tables of five papers, computed again and compared with the papers'
//! claims.

mod baseline;
mod figure;
mod item;
mod items;
mod page;
mod table;
mod vector;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use item::{Context, Item, Report, Verdict};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Figures and tables of five papers on differential privacy on manifolds, computed again: numbers (CSV), figures (SVG
/// and PNG), checks (JSON), and one page (HTML) with a verdict on each claim.
#[derive(Parser)]
#[command(name = "karcher-papers", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Name the items.
    List,
    /// Compute some items.
    Run {
        /// Their names.
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Compute all items.
    All {
        #[command(flatten)]
        options: Options,
    },
}

#[derive(clap::Args)]
struct Options {
    /// Fewer repetitions and sizes than the papers: seconds instead of minutes.
    #[arg(long)]
    quick: bool,
    /// Folder for the results.
    #[arg(long, value_name = "DIR", default_value = "papers/results")]
    output: PathBuf,
    /// Folder with public data sets (also as the environment variable KARCHER_DATA); items that need one that is not
    /// there are skipped.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// An error, as a sentence.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::List => {
            for item in &items::ALL {
                println!("{:<17}{}", item.name, item.title);
                println!("{:<17}{}", "", item.paper);
                if let Some(file) = item.needs {
                    println!("{:<17}needs {file} in --data DIR", "");
                }
            }
            Ok(())
        }
        Command::Run { names, options } => find(&names).and_then(|items| run(&items, &options)),
        Command::All { options } => run(&items::ALL.iter().collect::<Vec<_>>(), &options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn find(names: &[String]) -> Result<Vec<&'static Item>, Failure> {
    let one = |name: &String| {
        items::ALL
            .iter()
            .find(|item| item.name == *name)
            .ok_or_else(|| format!("there is no item {name}: karcher-papers list names them").into())
    };
    names.iter().map(one).collect()
}

fn run(items: &[&'static Item], options: &Options) -> Result<(), Failure> {
    std::fs::create_dir_all(&options.output)
        .map_err(|e| format!("cannot create the folder {}: {e}", options.output.display()))?;
    let mut reports = vec![];
    for item in items {
        let report = compute(item, options)?;
        report.write(&options.output)?;
        match &report.outcome.skipped {
            Some(reason) => eprintln!("{}: SKIPPED: {reason}", item.name),
            None => eprintln!("{}: {} ({:.0} s)", item.name, count(&report), report.seconds),
        }
        reports.push(report);
    }
    page::write(&options.output, &reports, options.quick)?;
    println!("{}", options.output.join("index.html").display());
    Ok(())
}

fn compute(item: &'static Item, options: &Options) -> Result<Report, Failure> {
    let bar = ProgressBar::new(0); // drawn on a terminal only
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {eta} left")?);
    bar.set_message(item.name);
    let context = Context::new(item.name, options.quick, data(options.data.as_deref())?, bar.clone());
    let start = std::time::Instant::now();
    let outcome = (item.run)(&context).map_err(|e| format!("{}: {e}", item.name))?;
    bar.finish_and_clear();
    Ok(Report { item, outcome, seconds: start.elapsed().as_secs_f64() })
}

/// The folder of data, if one is given.
fn data(folder: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let folder = folder.map(Path::to_owned).or_else(|| std::env::var_os("KARCHER_DATA").map(PathBuf::from));
    match folder {
        Some(folder) if !folder.is_dir() => Err(format!("the folder of data {} is not there", folder.display()).into()),
        folder => Ok(folder),
    }
}

/// `3 claims reproduced, 1 with a correction, 1 not reproduced`.
fn count(report: &Report) -> String {
    let of = |f: fn(&Verdict) -> bool| report.outcome.claims.iter().filter(|claim| f(&claim.verdict)).count();
    format!(
        "{} claims reproduced, {} with a correction, {} not reproduced",
        of(|v| matches!(v, Verdict::Reproduced)),
        of(|v| matches!(v, Verdict::Corrected(_))),
        of(|v| matches!(v, Verdict::NotReproduced(_)))
    )
}
