//! `karcher ledger`: the account of what releases about one data set have spent.

use crate::Failure;
use crate::failure::say;
use crate::neighbours::Which;
use crate::options::Budget;
use crate::output::{Report, print_json, print_lines, write_out};
use clap::Subcommand;
use karcher::release::{Adjacency, PrivacyUnit};
use karcher_ledger::{Book, Entry, Ledger};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Keeps account of what releases about one data set spend of a budget.
///
/// With --ledger FILE a command counts its budget in the file before it draws noise, and is refused when not enough is
/// left. What was counted stays spent, whatever happens afterwards. Budgets may depend on earlier results.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher ledger new cities.db --data cities-2026 --epsilon 3
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --ledger cities.db
  karcher ledger show cities.db
  karcher ledger check cities.db")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make the ledger of a data set. The total is fixed for ever, in one definition.
    #[command(allow_negative_numbers = true)]
    New {
        /// The file, which must not exist.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The name of the data. You promise that whatever is counted here is about these people, and that all that is
        /// released about them is counted here: no program can check it.
        #[arg(long, value_name = "NAME")]
        data: String,
        /// What the releases protect: a record, or a person with all records (--person).
        #[arg(long, value_name = "record|person", default_value_t = PrivacyUnit::Record)]
        unit: PrivacyUnit,
        /// The neighbours that the total is about. With replace-one, releases for add-remove neighbours count as two
        /// steps, because a record in place of another is one removed and one added. With add-remove, others are
        /// refused: they tell the number of records.
        #[arg(long, default_value = "replace-one", value_name = "WHICH")]
        adjacency: Which,
        #[command(flatten)]
        budget: Budget,
    },
    /// Print what was spent and what is left, and every entry with what is known of its release.
    Show {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Check that the file is whole: the database, the chain of hashes, the sums, and that it is no copy and no older
    /// state.
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Accept a file that was copied, restored or moved to another disk. You promise that no other copy is in use, and
    /// that nothing was released with the former one since.
    Adopt {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.action {
        Action::New { file, data, unit, adjacency, budget } => {
            let total = budget.guarantee()?;
            let book = Ledger::create_for((*unit, (*adjacency).into()), file, data, total)?.book()?;
            print_lines(&[
                ("ledger".to_owned(), file.display().to_string()),
                ("data".to_owned(), book.data.clone()),
                ("unit".to_owned(), book.unit.to_string()),
                ("total".to_owned(), told_total(&book)),
            ])
        }
        Action::Show { file, json } => {
            let ledger = Ledger::open(file)?;
            let book = ledger.book()?;
            ledger.check()?.iter().for_each(|problem| say(&format!("warning: {problem}")));
            if *json { print_json(&as_json(&book)) } else { write_out(as_table(&book).as_bytes()) }
        }
        Action::Check { file, json } => check(&Ledger::unchecked(file), *json),
        Action::Adopt { file } => Ok(Ledger::unchecked(file).adopt()?),
    }
}

fn check(ledger: &Ledger, json: bool) -> Result<(), Failure> {
    let problems = ledger.check()?;
    let mut report = Report::default();
    let words = if problems.is_empty() { "whole".to_owned() } else { problems.join("; ") };
    report.add("problems", &problems, words)?;
    if let Ok(book) = ledger.book() {
        report.add("entries", book.entries.len(), book.entries.len().to_string())?;
        report.add("spent", book.spent(), format!("{} of {}", book.spent(), book.total().definition()))?;
    }
    report.print(json)?;
    if problems.is_empty() { Ok(()) } else { Err(format!("{} is not whole", ledger.path().display()).into()) }
}

/// The total, and its neighbours where they are not the usual ones.
fn told_total(book: &Book) -> String {
    match book.adjacency {
        Adjacency::ReplaceOne => book.total().definition().to_string(),
        other => format!("{}, {other}", book.total().definition()),
    }
}

fn as_json(book: &Book) -> Value {
    json!({
        "ledger": book.ledger,
        "data": book.data,
        "unit": book.unit,
        "time": book.time,
        "adjacency": book.adjacency,
        "total": book.total(),
        "promise": book.promise(),
        "spent": book.spent(),
        "left": book.left(),
        "entries": book.entries,
    })
}

fn as_table(book: &Book) -> String {
    let lines = [
        ("data", book.data.clone()),
        ("ledger", format!("{}, made {}", book.ledger, book.time)),
        ("unit", book.unit.to_string()),
        ("total", told_total(book)),
        ("spent", book.spent().to_string()),
        ("left", book.left().to_string()),
    ];
    let lines = lines.map(|(name, words)| (name.to_owned(), words));
    let mut rows = vec![Entry::COLUMNS.map(str::to_owned).to_vec()];
    rows.extend(book.entries.iter().map(|entry| entry.cells().to_vec()));
    if rows.len() == 1 {
        return crate::output::aligned(&lines);
    }
    crate::output::aligned(&lines) + "\n" + &crate::output::in_columns(&rows)
}
