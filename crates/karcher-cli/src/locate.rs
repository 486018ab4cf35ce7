//! `karcher locate`: a private ball that holds most of the records.

use crate::Failure;
use crate::center;
use crate::input::Input;
use crate::length::Length;
use crate::located::Aim;
use crate::opened::Extra;
use crate::options::{Budget, space_help};
use crate::output_options::Delivery;
use crate::releasing::{self, Told};
use crate::whole_number;
use karcher::release::{Adjacency, PrivacyUnit, StatisticName};
use karcher::{ReleaseSpec, Space};

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
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Radius of the public outer ball, in units of distance (radians on a sphere), or with a unit: 20deg, 2000km.
    /// Default: the whole space if it is bounded (spheres, shapes); required elsewhere.
    #[arg(long, value_name = "R")]
    within: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::OUTER_HELP)]
    center: Option<String>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    aim: Aim,
    /// Number of steps of the flow that finds the center, up to 1,000. Default: the number that does best in a
    /// simulation, or no flow if medians of coordinates do better.
    #[arg(long, value_name = "T", value_parser = whole_number::steps)]
    steps: Option<usize>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let mut opened = args.input.open(Adjacency::ReplaceOne, &*manifold, Extra::default())?;
    let (center, input) = (args.center.as_deref(), (&args.input, &opened));
    let ball = center::outer_ball(center, args.within, args.aim.quantile, input, &*manifold)?;
    let (ball, radius) = ball.resolve(&mut opened)?;
    let mut spec = ReleaseSpec::new(StatisticName::Ball, args.budget.guarantee()?);
    spec.manifold = Some(args.manifold.clone());
    spec.ball = Some(ball);
    spec.steps = args.steps;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    let told = Told {
        other_files: args.center.iter().map(String::as_str).collect(),
        radius,
        bounds: [radius; 2],
        is_default_center: args.center.is_none(),
        predict_at: &[],
        plot: None,
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
