//! `karcher kmeans`: private clusters of the records in a file.

use crate::Failure;
use crate::center;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::Radii;
use crate::opened::Extra;
use crate::output_options::Delivery;
use crate::releasing::{self, Told};
use clap::Command;
use karcher::field::Field;
use karcher::release::{PrivacyUnit, StatisticName};

/// The private centers of clusters of the records in a file.
///
/// Each record belongs to the nearest center. A few noisy steps of Lloyd's algorithm move the centers to the means of
/// their records. The first steps have eight times as many cells, which are then merged: this avoids poor starting
/// centers. Records outside the public ball are moved to its edge.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher kmeans examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --clusters 4 --center 25,50 --radius 1.5 --mu 2")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    fields: Fields<Clusters>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
}

/// What `karcher kmeans` takes.
pub struct Clusters;

impl Takes for Clusters {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::KMeans];
    const REQUIRED: &'static [&'static str] = &["manifold", "clusters"];

    fn takes(field: &Field) -> bool {
        !["ball", "mechanism", "numerics"].contains(&field.path) && field.is_of(StatisticName::KMeans)
    }

    fn adapt(command: Command) -> Command {
        command.mut_arg("clusters", |clusters| clusters.short('k'))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let fields = &args.fields;
    let manifold = fields.manifold()?;
    let mut spec = fields.spec(StatisticName::KMeans)?;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    let mut opened = args.input.open(spec.adjacency, &*manifold, Extra::default())?;
    let center = fields.text("center");
    let ball = center::ball(center, fields.get::<Radii>("radius").cloned(), (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.of(spec.statistic).resolve(&mut opened)?;
    spec.ball = Some(ball);
    let told = Told {
        other_files: center.into_iter().chain(fields.text("first-centers")).collect(),
        radius,
        bounds: [radius; 2],
        is_default_center: center.is_none(),
        predict_at: &[],
        plot: None,
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
