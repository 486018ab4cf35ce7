//! `karcher regress`: private geodesic regression of a file of records on one predictor.

use crate::input::Input;
use crate::length::Length;
use crate::mechanism::chosen;
use crate::neighbours::Neighbours;
use crate::options::{Budget, Numerics, space_help};
use crate::output_options::{Delivery, Plotting};
use crate::predictions::{predictor_value, range_end, range_ends};
use crate::releasing::{self, Told};
use crate::{Failure, center, whole_number};
use karcher::release::{PrivacyUnit, StatisticName};
use karcher::spec::MechanismChoice;
use karcher::{PredictorRange, ReleaseSpec, Space};

/// The private regression of the records in a file on one predictor, such as age.
///
/// Each row is one person's record and predictor. The model is a geodesic, the straight line of the space, followed
/// with constant velocity; on euclidean:D it is linear regression of D responses. The release holds a footpoint, the
/// prediction in the middle of the predictor's range. It also holds a shooting vector, the velocity per length of the
/// range. Predictor range, ball, slope bound and residual bound are public: choose them from knowledge of the field,
/// never from these records.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher regress examples/vessels.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --predictor day --predictor-range 0 120 --center 50,-40 --radius 0.5 \\
      --slope-bound 0.6 --residual-bound 0.2 --epsilon 1")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Column of the predictor, by name or number from 1.
    #[arg(long, value_name = "COLUMN")]
    predictor: String,
    /// Public range of the predictor; values outside count as its ends.
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], required = true, value_parser = range_end)]
    predictor_range: Vec<f64>,
    /// Radius of the public ball. Records farther from its center are moved to its edge. Units are those of distance
    /// (radians on a sphere), or given: 20deg, 2000km (on sphere:2, the Earth). Optional with --shrink-trace, like the
    /// center.
    #[arg(long, value_name = "R")]
    radius: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    /// Public bound of the distance that the geodesic covers over the range of the predictor. It must be below the
    /// injectivity radius: π on sphere:D, π/2 on kendall:K.
    #[arg(long, value_name = "V")]
    slope_bound: Length,
    /// Public bound of the distance between a record and the geodesic. Residuals are clipped to it: a smaller bound
    /// means less noise. Default: a bound that no residual exceeds, 2R + V/2 or the diameter of the space.
    #[arg(long, value_name = "B")]
    residual_bound: Option<Length>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
    /// Mechanism of the release. auto takes the one with the smallest expected error that keeps the budget and that
    /// --numerics accepts.
    #[arg(
        long,
        default_value = "auto",
        value_parser = chosen(&[StatisticName::GeodesicRegression]),
        help_heading = "Mechanism"
    )]
    mechanism: MechanismChoice,
    /// Number of steps of the descent, up to 100. Default: the number that promises the smallest error.
    #[arg(long, value_name = "T", value_parser = whole_number::steps, help_heading = "Mechanism")]
    steps: Option<usize>,
    /// Kind of proof that auto requires of a mechanism.
    #[arg(long, default_value = "exact", help_heading = "Mechanism")]
    numerics: Numerics,
    #[command(flatten)]
    neighbours: Neighbours,
    #[command(flatten)]
    input: Input,
    /// Values of the predictor for predictions, separated by commas: printed, and in the JSON. Predictions cost no
    /// privacy.
    #[arg(long, value_name = "X,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = predictor_value)]
    predict_at: Vec<f64>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let [low, high] = args.predictor_range[..] else {
        return Err("--predictor-range: give its lower and its upper end".into());
    };
    let (low, high) = range_ends(low, high);
    let mut spec = ReleaseSpec::new(StatisticName::GeodesicRegression, args.budget.guarantee()?);
    spec.manifold = Some(args.manifold.clone());
    spec.predictor_range = Some(PredictorRange::new(low, high)?);
    spec.slope_bound = Some(args.slope_bound.on(&args.manifold, "--slope-bound")?);
    let residual_bound = args.residual_bound.map(|bound| bound.on(&args.manifold, "--residual-bound"));
    spec.residual_bound = residual_bound.transpose()?;
    spec.mechanism = args.mechanism;
    spec.steps = args.steps;
    spec.numerics = args.numerics.into();
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    args.neighbours.fill(&mut spec)?;
    let predictor = Some(args.predictor.as_str());
    let extra = spec.clone();
    let opened = args.input.open(spec.adjacency, &*manifold, releasing::extra(&extra, predictor)?)?;
    let ball = center::ball(args.center.as_deref(), args.radius, (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.resolve(&opened)?;
    spec.ball = Some(ball);
    let told = Told {
        other_files: args.center.iter().map(String::as_str).collect(),
        radius,
        bounds: [args.slope_bound, args.residual_bound.unwrap_or(radius)]
            .map(|bound| bound.told_in(&opened.layout, &*manifold)),
        is_default_center: args.center.is_none(),
        predict_at: &args.predict_at,
        plot: args.plotting.plot.as_deref(),
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
