//! `karcher start`: from the header of a file to a specification, a command, and a sentence for a protocol.
//!
//! It asks what only the user knows, and leaves the rest to the commands: the forecast is that of `karcher plan`, and
//! the specification that of `--spec-only`.

mod forecast;
mod knowledge;
mod questions;
mod readings;

use crate::failure::{Failure, shown};
use crate::options::Budget;
use crate::output::write_out;
use crate::whole_number;
use forecast::{Forecast, own_command};
use karcher::Space;
use karcher_io::{Format, OutputFile, ReadOptions, Stream};
use knowledge::Knowledge;
use questions::Questions;
use readings::Reading;
use std::path::PathBuf;

/// From a file to a specification, by questions about what only you know.
///
/// It looks at the header, the shape and the types of the file, and at nothing else. The first two lines of a text file
/// decide whether it has a header. It proposes a space and a
/// layout by the names of the columns, and asks: who is a person, what is known about where records lie, the budget,
/// what the result is for. It shows the expected error while you choose. Then it writes the specification, and prints
/// the command that releases it and a sentence for a protocol. Options answer questions beforehand, for scripts. Spends
/// no budget.
#[derive(clap::Args)]
#[command(after_help = "Example, without any question:
  karcher start examples/cities.csv --manifold sphere:2 --one-record-each --statistic mean \\
      --center 25,80 --radius 0.9 --n 100 --epsilon 1 --output spec.json")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// File of the records.
    #[arg(value_name = "FILE")]
    file: String,
    /// Format of the file, if its name does not show it.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Space of the records: one of those that are proposed, or another one.
    #[arg(long, value_name = "SPACE", value_parser = clap::value_parser!(Space))]
    manifold: Option<Space>,
    /// Layout of a record in the file.
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<String>,
    /// Columns of a record, by name or number from 1.
    #[arg(long, value_name = "LIST")]
    columns: Option<String>,
    /// Column of the persons' keys, if a person has several records.
    #[arg(long, value_name = "COLUMN", conflicts_with = "one_record_each")]
    person: Option<String>,
    /// Every person has one record.
    #[arg(long)]
    one_record_each: bool,
    /// What is released.
    #[arg(long, value_name = "NAME")]
    statistic: Option<knowledge::Purpose>,
    /// A point that records are expected around, as karcher mean takes it.
    #[arg(long, value_name = "POINT", allow_hyphen_values = true)]
    center: Option<String>,
    /// Distance from the center within which most records lie, as karcher mean takes it: 0.5, 20deg, 2000km.
    #[arg(long, value_name = "DISTANCE", conflicts_with_all = ["anywhere", "within"])]
    radius: Option<String>,
    /// Records may lie anywhere in the space.
    #[arg(long, conflicts_with = "within")]
    anywhere: bool,
    /// Nothing is known but a distance from the center that no record exceeds: a ball is located privately in it.
    #[arg(long, value_name = "DISTANCE", requires = "expected_spread")]
    within: Option<String>,
    /// A guess of how far from their mean records are, for the forecast of a ball that is located.
    #[arg(long, value_name = "DISTANCE")]
    expected_spread: Option<String>,
    /// Number of records, or of persons, about.
    #[arg(long, value_name = "N", value_parser = whole_number::records)]
    n: Option<usize>,
    #[command(flatten)]
    budget: Budget,
    /// File for the specification.
    #[arg(short, long, value_name = "FILE", default_value = "spec.json")]
    output: PathBuf,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.output.extension().is_none_or(|extension| extension != "json") {
        return Err(format!("--output {}: a specification is a .json file", args.output.display()).into());
    }
    let output =
        OutputFile::create(&args.output, args.force, &[&args.file]).map_err(|error| format!("--output: {error}"))?;
    let options = ReadOptions { format: args.format, may_be_empty: true, ..ReadOptions::default() };
    let file = Stream::open(&[&args.file], &options)?;
    let questions = Questions::new();
    questions.say(&about(&args.file, &file));
    let reading = Reading::of(&file, args, &questions)?;
    let mut knowledge = Knowledge::of(args, &file, &reading, &questions)?;
    let forecast = loop {
        let forecast = Forecast::of(&knowledge, &reading);
        match &forecast {
            Ok(forecast) => questions.say(&forecast.words()),
            Err(reason) if questions.can_ask() => questions.say(&format!("\nThis has no plan: {reason}")),
            Err(_) => break forecast?,
        }
        if !knowledge.is_changed(&reading, &questions)? {
            break forecast?;
        }
    };
    let format = args.format.iter().flat_map(|format| ["--format".to_owned(), format.to_string()]).collect::<Vec<_>>();
    let records = operand(&args.file);
    let release = [knowledge.release(&records, &reading), format.clone()].concat();
    let spec = own_command(&[&release[..], &["--spec-only".to_owned()]].concat())?;
    let name = output.name().to_owned();
    output.write_whole(spec.as_bytes())?;
    let run =
        [vec!["run".to_owned(), name.clone(), args.file.clone()], reading.columns(), knowledge.persons()].concat();
    let lines = [
        format!("{name} has the specification. No budget is spent."),
        format!("Release it:\n  {}", typed(&run)),
        format!("The same without {name}:\n  {}", typed(&release)),
        format!("For a protocol:\n  {}", knowledge.sentence(&forecast, &reading)),
    ];
    let lines = lines.map(|text| text.lines().map(shown).collect::<Vec<_>>().join("\n"));
    write_out((lines.join("\n\n") + "\n").as_bytes())
}

/// What the file says of itself, in words.
fn about(name: &str, file: &Stream) -> String {
    let columns = match (file.names(), file.axes()) {
        (Some(names), _) => format!("the columns {}", names.join(", ")),
        (None, []) => format!("{} columns without names", file.numbers()),
        (None, axes) => {
            format!("an array of shape ({})", axes.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
        }
    };
    format!("{name} has {columns}. Nothing else of it is looked at.")
}

/// A file as an argument, which is no option.
fn operand(file: &str) -> String {
    if file.starts_with('-') && file != "-" { format!("./{file}") } else { file.to_owned() }
}

/// A command as it is typed in a shell.
fn typed(arguments: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/+=@%".contains(c);
    let quoted = |argument: &String| match !argument.is_empty() && argument.chars().all(plain) {
        true if !argument.starts_with('=') => argument.clone(),
        _ => format!("'{}'", argument.replace('\'', r"'\''")),
    };
    std::iter::once("karcher".to_owned()).chain(arguments.iter().map(quoted)).collect::<Vec<_>>().join(" ")
}
