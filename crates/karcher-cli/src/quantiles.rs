//! `karcher quantiles`: private quantiles of numbers, angles or distances of the records in a file.

use crate::Failure;
use crate::center;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::Radii;
use crate::output_options::{Delivery, Plotting};
use crate::releasing::{self, Told};
use karcher::field::Field;
use karcher::release::{PrivacyUnit, StatisticName};

/// Private quantiles of the records in a file: of numbers, of angles, or of distances.
///
/// On euclidean:1 they are quantiles of the numbers, on a circle those of the angles from the center. On other spaces,
/// and with --distances, they are quantiles of the distances to the center. All levels together cost the budget once.
/// Records outside the public ball are moved to its edge.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher quantiles examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 12000km --levels 0.25,0.5,0.75 --mu 1")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    fields: Fields<Quantiles>,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
    #[command(flatten)]
    input: Input,
}

/// What `karcher quantiles` takes.
pub struct Quantiles;

impl Takes for Quantiles {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::Quantiles];

    fn takes(field: &Field) -> bool {
        !["ball", "mechanism", "numerics"].contains(&field.path) && field.is_of(StatisticName::Quantiles)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let fields = &args.fields;
    let manifold = fields.manifold()?;
    let mut spec = fields.spec(StatisticName::Quantiles)?;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    if spec.groups.is_some() && args.plotting.plot.is_some() {
        return Err("--plot does not go with --by: write --output GROUPS.json and draw one group of it, karcher plot \
                    GROUPS.json:GROUP"
            .into());
    }
    let groups = spec.groups.clone();
    let mut opened = args.input.open(spec.adjacency, &*manifold, releasing::extra_of_groups(groups.as_ref()))?;
    let center = fields.text("center");
    let ball = center::ball(center, fields.get::<Radii>("radius").cloned(), (&args.input, &opened), &*manifold)?;
    let mut ball = ball.of(spec.statistic);
    // without a radius the space is the ball, but not around any point: one is not as good as any other
    ball.ball.everywhere &= center.is_some() || ball.ball.radius.is_some();
    let (ball, radius) = ball.resolve(&mut opened)?;
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
