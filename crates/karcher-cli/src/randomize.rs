//! `karcher randomize`: one person adds the noise at home.

use crate::Failure;
use crate::center;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::ledger_and_seed::LedgerAndSeed;
use crate::length::Radii;
use crate::opened::Extra;
use crate::options::warn_if_weak;
use crate::output_options::Printing;
use crate::releasing::{DEFAULT_CENTER, as_written};
use crate::saving::{Content, Saving, hand_over};
use karcher::facts::{Style, facts};
use karcher::field::Field;
use karcher::mechanism::{Plan, Randomizer};
use karcher::release::{Adjacency, StatisticName};
use std::path::PathBuf;

/// One record with so much noise that its recipient need not be trusted.
///
/// A person runs it at home and sends the JSON to the collector, who runs karcher collect on many of them. The
/// JSON hides any point of the ball among all others. The error of the mean falls like 1/√n. That of karcher mean,
/// which adds noise once, falls like 1/n. The file holds one record, or, with --person, the records of one person,
/// which are one contribution.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher randomize examples/home.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 50,10 --radius 0.3 --epsilon 2 --output home.json")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    fields: Fields<Record>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    printing: Printing,
    /// File for the release, .json.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Let --output replace a file.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    account: LedgerAndSeed,
}

/// What `karcher randomize` takes.
pub struct Record;

impl Takes for Record {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::Record];

    fn takes(field: &Field) -> bool {
        ["manifold", "ball.center", "ball.radius"].contains(&field.path) || field.path.starts_with("budget.")
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let fields = &args.fields;
    let (manifold, center) = (fields.manifold()?, fields.text("center"));
    let budget = fields.budget().guarantee()?;
    let mut opened = args.input.open(Adjacency::ReplaceOne, &*manifold, Extra::default())?;
    let ball = center::ball(center, fields.get::<Radii>("radius").cloned(), (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.resolve(&mut opened)?;
    let ball = ball.public(manifold.space())?;
    let randomizer = Randomizer::new(manifold.clone(), ball.clone(), budget)?;
    if let Some(path) = &args.output
        && path.extension().is_none_or(|extension| extension != "json")
    {
        return Err(format!("--output {}: the extension must be .json, for karcher collect", path.display()).into());
    }
    let read_files = [args.input.files(), center.into_iter().collect()].concat();
    args.account.check(&read_files, &[args.output.as_deref()], Adjacency::ReplaceOne)?;
    let saving = Saving::open(args.output.as_deref(), args.force, &read_files)?;

    let records = args.input.records(opened, (&manifold, &ball), &[])?;
    if records.count() > 1 {
        return Err(
            "there is more than one record: give --person if all are one person's; for the mean of many people's \
             records use karcher mean"
                .into(),
        );
    }
    warn_if_weak(budget, 1);
    let event = randomizer.summary().event().of(records.unit());
    let release = randomizer.run(&*records, &mut args.account.context(&event)?)?;
    let counted = args.account.settle(&release);
    let mut json = serde_json::to_value(&release)?;
    args.input.flag(&mut json, Adjacency::ReplaceOne);
    let content = Content { json, values: vec![], shape: vec![], names: None, labels: vec![] };
    let published = as_written(&content.json, &release);
    let style = Style {
        layout: Some(args.input.layout(&*manifold)?),
        lengths: radius.lengths(),
        of_default_center: if center.is_none() { DEFAULT_CENTER } else { "" },
        ..Style::default()
    };
    let facts = [facts(&published, &style), counted].concat();
    let printed = args.printing.printed(&content.json, &facts, || published.sentence());
    hand_over(saving, &content, &printed)
}
