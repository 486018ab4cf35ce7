//! `karcher ledger`: the spending of releases about one data set.

use crate::Failure;
use crate::failure::say;
use crate::fields::possible_values;
use crate::options::Budget;
use crate::output::{Report, print_json, print_lines, write_out};
use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use karcher::field::Field;
use karcher::privacy::Definition;
use karcher::release::{Adjacency, PrivacyUnit};
use karcher_ledger::{Book, Entry, ForeignRelease, Ledger};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Keeps a record of the budget that releases about one data set spend.
///
/// With --ledger FILE, a command counts its budget in the file before it draws noise. It is refused if not enough is
/// left. A counted budget stays spent, whatever happens afterwards. Budgets may depend on earlier results.
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

/// Reads the name of neighbouring data sets.
fn neighbours() -> impl TypedValueParser<Value = Adjacency> {
    let named = Field::named("adjacency").map(|field| possible_values(field.kind)).unwrap_or_default();
    // only names that are known come here
    PossibleValuesParser::new(named).map(|name| Adjacency::named(&name).unwrap_or_default())
}

#[derive(Subcommand)]
enum Action {
    /// Make the ledger of a data set. Its total and the definition of privacy are fixed.
    #[command(allow_negative_numbers = true)]
    New {
        /// File, which must not exist.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Name of the data. You promise that everything counted here is about these people, and that every release
        /// about them is counted here. No program can check it.
        #[arg(long, value_name = "NAME")]
        data: String,
        /// Unit that the releases protect: a record, or a person with all records (--person).
        #[arg(long, value_name = "record|person", default_value_t = PrivacyUnit::Record)]
        unit: PrivacyUnit,
        /// Neighbours of the total. With replace-one, releases for add-remove neighbours count as two steps: replacing
        /// a record is removing one and adding one. With add-remove, other releases are refused, because they publish
        /// the number of records.
        #[arg(long, default_value = "replace-one", value_name = "WHICH", value_parser = neighbours())]
        adjacency: Adjacency,
        #[command(flatten)]
        budget: Budget,
    },
    /// Print the budget that was spent and that is left, and every entry with its release.
    Show {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Check that the file is intact: the database, the chain of hashes and the sums. An older state is a problem. A
    /// copy is whole, and its owner has to accept it before it counts releases.
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Count releases that other programs made, from a list in JSON. They count even beyond the total, because they
    /// happened; every later release is then refused. What was imported before is not counted again.
    Import {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The list: each with release, library, guarantee, unit, adjacency, data and date.
        #[arg(value_name = "RELEASES")]
        releases: PathBuf,
    },
    /// Print the counted releases as such a list, for another ledger.
    Export {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Accept a file that was copied, restored or moved to another disk. You promise that no other copy is in use, and
    /// that no release used the former one since.
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
            let book = Ledger::create_for((*unit, *adjacency), file, data, total)?.book()?;
            print_lines(&[
                ("ledger".to_owned(), file.display().to_string()),
                ("data".to_owned(), book.data.clone()),
                ("unit".to_owned(), book.unit.to_string()),
                ("neighbours".to_owned(), book.adjacency.name().to_owned()),
                ("total".to_owned(), book.total().definition().to_string()),
            ])
        }
        Action::Show { file, json } => {
            let (ledger, book) = open(file)?;
            ledger.check_for_reader()?.iter().for_each(|problem| say(&format!("warning: {problem}")));
            if *json { print_json(&as_json(&book)) } else { write_out(as_table(&book).as_bytes()) }
        }
        Action::Check { file, json } => check(&Ledger::unchecked(file), *json),
        Action::Import { file, releases } => import(&Ledger::unchecked(file), releases),
        Action::Export { file } => print_json(&json!(open(file)?.1.export()?)),
        Action::Adopt { file } => Ok(Ledger::unchecked(file).adopt().map_err(|error| error.for_reader())?),
    }
}

fn import(ledger: &Ledger, path: &Path) -> Result<(), Failure> {
    let file = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{file} cannot be read ({error})"))?;
    let wrong = |error| format!("{file} is no list of releases: {error}; `karcher ledger export` prints one");
    let releases: Vec<ForeignRelease> = serde_json::from_str(&text).map_err(wrong)?;
    let imported = ledger.import(&releases).map_err(|error| error.for_reader())?;
    let book = ledger.book()?;
    print_lines(&[
        ("counted".to_owned(), format!("{} (known before: {})", imported.counted, imported.known)),
        ("spent".to_owned(), format!("{} of {}", shown(book.spent(), Way::Up), book.total().definition())),
        ("left".to_owned(), shown(book.left(), Way::Down)),
    ])
}

/// Opens a ledger to read it.
pub fn open(path: &Path) -> Result<(Ledger, Book), Failure> {
    let ledger = Ledger::unchecked(path);
    let book = ledger.book().map_err(|error| error.for_reader())?;
    Ok((ledger, book))
}

fn check(ledger: &Ledger, json: bool) -> Result<(), Failure> {
    let (problems, copy) = ledger.check_apart().map_err(|error| error.for_reader())?;
    let mut report = Report::default();
    let words = if problems.is_empty() { "whole".to_owned() } else { problems.join("; ") };
    report.add("problems", &problems, words)?;
    if let Some(copy) = copy {
        report.add("copy", true, copy)?;
    }
    if let Ok(book) = ledger.book() {
        report.add("entries", book.entries.len(), book.entries.len().to_string())?;
        report.add(
            "spent",
            book.spent(),
            format!("{} of {}", shown(book.spent(), Way::Up), book.total().definition()),
        )?;
    }
    report.print(json)?;
    if problems.is_empty() { Ok(()) } else { Err(format!("{} is not whole", ledger.path().display()).into()) }
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

/// An amount with twelve digits, which is on the safe side: what was spent is rounded up, and what is left down. JSON
/// has all digits.
fn shown(amount: Definition, way: Way) -> String {
    let twelve = |x: f64| twelve(x, way);
    match amount {
        Definition::Pure { epsilon } => Definition::Pure { epsilon: twelve(epsilon) },
        Definition::Approximate { epsilon, delta } => {
            Definition::Approximate { epsilon: twelve(epsilon), delta: twelve(delta) }
        }
        Definition::Gaussian { mu } => Definition::Gaussian { mu: twelve(mu) },
        Definition::Concentrated { rho } => Definition::Concentrated { rho: twelve(rho) },
    }
    .to_string()
}

/// Which way an amount is rounded.
#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

/// Twelve digits of a number that is not negative.
fn twelve(x: f64, way: Way) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let nearest = |x: f64| format!("{x:.11e}").parse().unwrap_or(x);
    let (near, unit) = (nearest(x), 10f64.powi(x.log10().floor() as i32 - 11));
    match way {
        Way::Up if near < x => nearest(x + unit),
        Way::Down if near > x => nearest(x - unit),
        _ => near,
    }
}

fn as_table(book: &Book) -> String {
    let lines = [
        ("data", book.data.clone()),
        ("ledger", format!("{}, made {}", book.ledger, book.time)),
        ("unit", book.unit.to_string()),
        ("neighbours", book.adjacency.name().to_owned()),
        ("total", book.total().definition().to_string()),
        ("spent", shown(book.spent(), Way::Up)),
        ("left", shown(book.left(), Way::Down)),
    ];
    let lines = lines.map(|(name, words)| (name.to_owned(), words));
    let mut rows = vec![Entry::COLUMNS.map(str::to_owned).to_vec()];
    rows.extend(book.entries.iter().map(|entry| entry.cells().to_vec()));
    if rows.len() == 1 {
        return crate::output::aligned(&lines);
    }
    crate::output::aligned(&lines) + "\n" + &crate::output::in_columns(&rows)
}
