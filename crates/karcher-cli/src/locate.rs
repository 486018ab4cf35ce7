//! `karcher locate`: a private ball that holds most of the records.

use crate::Failure;
use crate::center;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::Length;
use crate::opened::Extra;
use crate::output_options::Delivery;
use crate::releasing::{self, Told};
use karcher::field::Field;
use karcher::release::{Adjacency, PrivacyUnit, StatisticName};

/// A private ball that holds most of the records, if you do not know where they are.
///
/// The center is a private median within a public outer ball, which may be a thousand times as large as the region of
/// the records. The radius is a private quantile of the distances to the center. The result is a release: pass it to
/// `karcher mean --ball BALL.json` as the public ball. The two budgets add up.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher locate examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --epsilon 0.5")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    fields: Fields<Location>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
}

/// What `karcher locate` takes.
pub struct Location;

impl Takes for Location {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::Ball];

    fn takes(field: &Field) -> bool {
        let is_taken = ["manifold", "ball.within", "ball.center", "ball.quantile", "steps"].contains(&field.path);
        is_taken || field.path.starts_with("budget.")
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let fields = &args.fields;
    let manifold = fields.manifold()?;
    let mut spec = fields.spec(StatisticName::Ball)?;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    let mut opened = args.input.open(Adjacency::ReplaceOne, &*manifold, Extra::default())?;
    let (center, within) = (fields.text("center"), fields.get::<Length>("within").copied());
    let quantile = fields.get("quantile").copied();
    let ball = center::outer_ball(center, within, quantile, (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.resolve(&mut opened)?;
    spec.ball = Some(ball);
    let told = Told {
        other_files: center.into_iter().collect(),
        radius,
        bounds: [radius; 2],
        is_default_center: center.is_none(),
        predict_at: &[],
        plot: None,
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
