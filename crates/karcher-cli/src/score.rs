//! `karcher score`: how well fixed predictions agree with the confidential labels in a file.

use crate::Failure;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::Length;
use crate::opened::{Extra, Scored};
use crate::output_options::Delivery;
use crate::releasing::{self, Told};
use clap::Command;
use karcher::release::{PrivacyUnit, StatisticName};

/// The private score of fixed predictions, such as an accuracy or a confusion matrix.
///
/// Each row has an actual label and a predicted one. The model is fixed: it is public, or was released before, and its
/// predictions of a row depend on no other row. The list of labels is public. A record with another label, or without
/// one, counts as wrong, and nothing else is said of it. A text file must begin with a header.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher score examples/predictions.csv --label actual --prediction predicted \\
      --metric balanced-accuracy --labels left,right --person subject --epsilon 1
  karcher score examples/predictions.csv --label hours --prediction predicted_hours \\
      --metric r2 --range 4 12 --mu 1")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Column of the actual labels, or numbers, by name or number from 1.
    #[arg(long, value_name = "COLUMN")]
    label: String,
    /// Column of the predicted ones.
    #[arg(long, value_name = "COLUMN")]
    prediction: String,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    fields: Fields<Scores>,
}

/// What `karcher score` takes.
pub struct Scores;

/// Options of records that are points.
const OF_POINTS: [&str; 11] = [
    "columns",
    "layout",
    "missing",
    "multiply-by",
    "normalize",
    "on-invalid",
    "shrink",
    "shrink-trace",
    "template",
    "tolerance",
    "trust-layout",
];

impl Takes for Scores {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::Score];
    const REQUIRED: &'static [&'static str] = &["metric"];

    fn adapt(command: Command) -> Command {
        let id = |name: &str| name.replace('-', "_");
        OF_POINTS.iter().fold(command, |command, name| command.mut_arg(id(name), |arg| arg.hide(true)))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.input.refuse_for_scores()?;
    let mut spec = args.fields.spec(StatisticName::Score)?;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    let score = spec.score.clone().ok_or("--metric is missing")?;
    if score.is_of_labels() && score.labels.is_empty() {
        return Err("--labels is missing: give the public list of labels, such as left,right".into());
    }
    let manifold = spec.manifold()?;
    let scored = Scored { score: &score, label: &args.label, prediction: &args.prediction };
    let extra = Extra { scored: Some(scored), ..Extra::default() };
    let opened = args.input.open(spec.adjacency, &*manifold, extra)?;
    let radius = Length::plain(f64::INFINITY).told_in(&opened.layout, &*manifold);
    let told = Told {
        other_files: vec![],
        radius,
        bounds: [radius; 2],
        is_default_center: false,
        predict_at: &[],
        plot: None,
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
