//! `karcher covariance`: the private mean and covariance of a file of vectors.

use crate::Failure;
use crate::center;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::Radii;
use crate::opened::Extra;
use crate::output_options::{Delivery, Plotting};
use crate::releasing::{self, Told};
use karcher::field::Field;
use karcher::release::{PrivacyUnit, StatisticName};

/// The private mean and covariance of the vectors in a file, with their principal components.
///
/// Both come from one noisy sum, with less noise than if the budget were divided between them. Records outside the
/// public ball are moved to its edge. The noise level is printed: a component below it is noise.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher covariance examples/days.csv --columns sleep,work,leisure --manifold euclidean:3 \\
      --center 35,20,40 --radius 30 --mu 2")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    fields: Fields<Vectors>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
}

/// What `karcher covariance` takes.
pub struct Vectors;

impl Takes for Vectors {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::Covariance];

    fn takes(field: &Field) -> bool {
        field.path != "ball" && field.is_of(StatisticName::Covariance)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let fields = &args.fields;
    let manifold = fields.manifold()?;
    let mut spec = fields.spec(StatisticName::Covariance)?;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    let mut opened = args.input.open(spec.adjacency, &*manifold, Extra::default())?;
    let center = fields.text("center");
    let ball = center::ball(center, fields.get::<Radii>("radius").cloned(), (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.of(spec.statistic).resolve(&mut opened)?;
    spec.ball = Some(ball);
    let told = Told {
        other_files: center.into_iter().collect(),
        radius,
        bounds: [radius; 2],
        is_default_center: center.is_none(),
        predict_at: &[],
        plot: args.plotting.plot.as_deref(),
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
