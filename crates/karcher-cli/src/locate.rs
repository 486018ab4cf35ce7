//! `karcher locate`: a private ball that holds most of the records.

use crate::Failure;
use crate::center;
use crate::count;
use crate::delivery::Delivery;
use crate::input::Input;
use crate::length::Length;
use crate::located::Aim;
use crate::opened::Extra;
use crate::options::{Budget, space_help};
use crate::releasing::{self, Told};
use karcher::release::{Adjacency, PrivacyUnit, StatisticName};
use karcher::{ReleaseSpec, Space};

/// A private ball that holds most of the records, for whoever does not know where they are.
///
/// The center is a private median, found within a public outer ball, which may be a thousand times as large as where
/// the records are; the radius is a private quantile of the distances to it. The result is a release: `karcher mean
/// --ball BALL.json` takes it for its public ball. The two budgets add up.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher locate examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --epsilon 0.5")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Radius of the public outer ball in which the center is sought, in units of distance (radians on a sphere), or
    /// with a unit: 20deg, 2000km. Default: the whole space on spheres, shapes and other bounded spaces; elsewhere it
    /// is required.
    #[arg(long, value_name = "R")]
    within: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::OUTER_HELP)]
    center: Option<String>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    aim: Aim,
    /// Steps of a flow that finds the center, up to 1,000. Default: the number that does best in a rehearsal, or no
    /// flow where medians of coordinates do better.
    #[arg(long, value_name = "T", value_parser = count::steps)]
    steps: Option<usize>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let opened = args.input.open(Adjacency::ReplaceOne, &*manifold, Extra::Nothing)?;
    let (center, input) = (args.center.as_deref(), (&args.input, &opened));
    let ball = center::outer_ball(center, args.within, args.aim.quantile, input, &*manifold)?;
    let (ball, radius) = ball.resolve(&opened)?;
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
