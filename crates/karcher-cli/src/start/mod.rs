//! `karcher start`: from the header of a file to a specification, a command, and a sentence for a protocol.
//!
//! It asks what only the user knows, and leaves the rest to the commands: the forecast is that of `karcher plan`, and
//! the specification that of `--spec-only`.

mod forecast;
mod header;
mod knowledge;
mod questions;
mod readings;

use crate::failure::{Failure, shown};
use crate::input::TextFiles;
use crate::options::Budget;
use crate::output::write_out;
use crate::whole_number;
use forecast::{Forecast, own_command};
use header::Header;
use karcher::Space;
use karcher_io::{Factor, Format, OutputFile};
use knowledge::Knowledge;
use questions::Questions;
use readings::Reading;
use std::path::PathBuf;

/// From a file to a specification, by questions about what only you know.
///
/// It looks at the header, the shape and the types of the file, and at nothing else. The first two lines of a text file
/// decide whether it has a header. Where the type of a column of lists has no length, that of the first list counts. It
/// proposes a space and a layout by the names of the columns, and asks: who is a person, what is known about where
/// records lie, the budget, what the result is for. It shows the expected error while you choose. Then it writes the
/// specification, and prints the command that releases it and a sentence for a protocol. Options answer questions
/// beforehand, for scripts. Spends no budget.
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
    /// Public constant that multiplies every number of the records, or those of one column, as karcher mean takes it.
    #[arg(long, value_name = "[COLUMN=]FACTOR", allow_hyphen_values = true)]
    multiply_by: Vec<Factor>,
    /// Take the numbers as --layout says, even if the names of the columns contradict it.
    #[arg(long)]
    trust_layout: bool,
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
    #[arg(long, conflicts_with_all = ["center", "within"])]
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
    #[command(flatten, next_help_heading = "Reading text files")]
    text: TextFiles,
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
    let format = args.format.iter().flat_map(|format| ["--format".to_owned(), format.to_string()]).collect::<Vec<_>>();
    let questions = Questions::new();
    let header = Header::of(args)?;
    questions.say(&header.words());
    let reading = Reading::of(&header, args, &questions)?;
    let file = File { name: args.file.clone(), options: [format, args.text.typed(), args.numbers()].concat() };
    let mut knowledge = Knowledge::of(args, &header, (&file, &reading), &questions)?;
    let forecast = loop {
        let forecast = Forecast::of(&knowledge, &reading);
        match &forecast {
            Ok(forecast) => questions.say(&forecast.words()),
            Err(reason) if questions.can_ask() => questions.say(&format!("\nThis has no plan: {reason}")),
            Err(_) => break forecast?,
        }
        if !knowledge.is_changed((&file, &reading), &questions)? {
            break forecast?;
        }
    };
    let release = knowledge.release(&file, &reading);
    let spec = own_command(&[&release[..], &["--spec-only".to_owned()]].concat())?;
    let name = output.name().to_owned();
    output.write_whole(spec.as_bytes())?;
    let begin = vec!["run".to_owned(), name.clone(), file.operand()];
    let run = [begin, reading.columns(), knowledge.persons(), file.options.clone()].concat();
    let page = [&knowledge.plan(&reading)[..], &["--html".to_owned(), "plan.html".to_owned()]].concat();
    let lines = [
        format!("{name} has the specification. No budget is spent."),
        format!("Release it:\n  {}", typed(&run)),
        format!("The same without {name}:\n  {}", typed(&release)),
        format!("Try other numbers on a page:\n  {}", typed(&page)),
        format!("For a protocol:\n  {}", knowledge.sentence(&forecast, &reading)),
    ];
    let lines = lines.map(|text| text.lines().map(shown).collect::<Vec<_>>().join("\n"));
    write_out((lines.join("\n\n") + "\n").as_bytes())
}

impl Args {
    /// The options by which numbers become points.
    fn numbers(&self) -> Vec<String> {
        let factors = self.multiply_by.iter().map(|factor| format!("--multiply-by={factor}"));
        factors.chain(self.trust_layout.then(|| "--trust-layout".to_owned())).collect()
    }
}

/// The file, and the options by which it is read.
pub struct File {
    name: String,
    /// The format, how a text file is written, and how numbers become points.
    pub options: Vec<String>,
}

impl File {
    /// The file as an argument, which is no option.
    pub fn operand(&self) -> String {
        if self.name.starts_with('-') && self.name != "-" { format!("./{}", self.name) } else { self.name.clone() }
    }
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
