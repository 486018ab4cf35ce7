//! `karcher kmeans`: private clusters of the records in a file.

use crate::Failure;
use crate::basis;
use crate::center;
use crate::input::Input;
use crate::length::Length;
use crate::neighbours::Neighbours;
use crate::opened::Extra;
use crate::options::{Budget, space_help};
use crate::output_options::Delivery;
use crate::releasing::{self, Told};
use crate::whole_number;
use karcher::release::{PrivacyUnit, StatisticName};
use karcher::spec::Clusters;
use karcher::{ReleaseSpec, Space};

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
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    /// Radius of the public ball that holds most records, in units of distance (radians on a sphere), or with a unit:
    /// 20deg, 2000km. Default: the whole space if it is bounded (spheres, shapes); required elsewhere.
    #[arg(long, value_name = "R")]
    radius: Option<Length>,
    /// Number of clusters.
    #[arg(long, short = 'k', value_name = "K", value_parser = whole_number::records)]
    clusters: usize,
    /// File of public first centers, .npy or .csv, one a row with the numbers of a point. Default: many cells drawn in
    /// the ball, which are merged.
    #[arg(long, value_name = "FILE")]
    first_centers: Option<String>,
    /// Number of steps. Default: 3.
    #[arg(long, value_name = "T", value_parser = whole_number::steps)]
    steps: Option<usize>,
    /// Release the cost too: the mean square of the distances to the nearest center. It takes an eighth of the budget.
    #[arg(long)]
    cost: bool,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    neighbours: Neighbours,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    delivery: Delivery,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let mut spec = ReleaseSpec::new(StatisticName::KMeans, args.budget.guarantee()?);
    spec.manifold = Some(args.manifold.clone());
    spec.steps = args.steps;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    args.neighbours.fill(&mut spec)?;
    let first = |file: &String| basis::rows_of_points("--first-centers", file, &*manifold);
    let centers = args.first_centers.as_ref().map(first).transpose()?;
    spec.clusters = Some(Clusters { number: args.clusters, centers, cost: args.cost });
    let mut opened = args.input.open(spec.adjacency, &*manifold, Extra::default())?;
    let ball = center::ball(args.center.as_deref(), args.radius.map(Into::into), (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.of(spec.statistic).resolve(&mut opened)?;
    spec.ball = Some(ball);
    let told = Told {
        other_files: args.center.iter().chain(&args.first_centers).map(String::as_str).collect(),
        radius,
        bounds: [radius; 2],
        is_default_center: args.center.is_none(),
        predict_at: &[],
        plot: None,
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
