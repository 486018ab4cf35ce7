//! `karcher regress`: private regression of a file of records, on one predictor or on features.

use crate::group_options::By;
use crate::input::Input;
use crate::length::Length;
use crate::mechanism::chosen;
use crate::neighbours::Neighbours;
use crate::options::{Budget, Numerics, space_help};
use crate::output_options::{Delivery, Plotting};
use crate::predictions::{range_end, range_ends};
use crate::releasing::{self, Told};
use crate::{Failure, basis, center, whole_number};
use karcher::features::{Features, Term};
use karcher::release::{PrivacyUnit, StatisticName};
use karcher::spec::MechanismChoice;
use karcher::{PredictorRange, ReleaseSpec, Space};

/// The private regression of the records in a file, on one predictor such as age or on features of several covariates.
///
/// Each row is one person's record and predictor. The model is a geodesic, the straight line of the space, followed
/// with constant velocity; on euclidean:D it is linear regression of D responses. The release holds a footpoint, the
/// prediction in the middle of the predictor's range. It also holds a shooting vector, the velocity per length of the
/// range. With --term it is linear regression on features, in the tangent space at the center of the ball: the release
/// holds coefficients, effects with intervals, and a test for each term. Ranges, levels, ball, slope bound and residual
/// bound are public: choose them from knowledge of the field, never from these records.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher regress examples/vessels.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --predictor day --predictor-range 0 120 --center 50,-40 --radius 0.5 \\
      --slope-bound 0.6 --residual-bound 0.2 --epsilon 1
  karcher regress examples/vessels.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --term linear:day:0:120 --center 50,-40 --radius 0.5 --epsilon 1 \\
      --predict-at day=60")]
#[command(group = clap::ArgGroup::new("on").args(["predictor", "term"]).required(true).multiple(true))]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Column of the predictor, by name or number from 1.
    #[arg(long, value_name = "COLUMN", requires = "predictor_range")]
    predictor: Option<String>,
    /// Term of a linear regression on features, instead of --predictor. May be given several times: linear:age:20:80,
    /// poly:age:20:80:3 (a polynomial of degree 3), spline:age:20:80:6 (cubic, on 6 knots), levels:sex:F,M, and
    /// products such as product:linear:age:20:80*levels:sex:F,M. Ranges and levels are public: values outside count as
    /// the ends, and other levels as one more level. A column with a colon or a comma in its name is quoted:
    /// 'linear:"a:b,c":20:80'.
    #[arg(long, value_name = "TERM", conflicts_with_all = ["predictor", "predictor_range", "slope_bound", "residual_bound", "steps"])]
    term: Vec<Term>,
    /// Public range of the predictor; values outside count as its ends.
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], requires = "slope_bound", value_parser = range_end)]
    predictor_range: Vec<f64>,
    /// File of a public basis, .npy or .csv: tangent vectors at the center of the ball, one a row, with the numbers of
    /// a point. Responses are fitted in their span, with --term. The noise then has the dimension of the span.
    #[arg(long, value_name = "FILE", requires = "term")]
    basis: Option<String>,
    /// Radius of the public ball. Records farther from its center are moved to its edge. Units are those of distance
    /// (radians on a sphere), or given: 20deg, 2000km (on sphere:2, the Earth). Optional with --shrink-trace, like the
    /// center.
    #[arg(long, value_name = "R")]
    radius: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    /// Public bound of the distance that the geodesic covers over the range of the predictor. It must be below the
    /// injectivity radius: π on sphere:D, π/2 on kendall:K.
    #[arg(long, value_name = "V", requires = "predictor")]
    slope_bound: Option<Length>,
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
        value_parser = chosen(&[StatisticName::GeodesicRegression, StatisticName::FeatureRegression]),
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
    #[command(flatten)]
    by: By,
    /// Where to predict: values of the predictor, separated by commas, or with --term one value for each column,
    /// age=40,sex=F. Printed, and in the JSON. May be given several times. Predictions cost no privacy.
    #[arg(long, value_name = "X,...", allow_hyphen_values = true)]
    predict_at: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let mut spec = args.statistic()?;
    spec.manifold = Some(args.manifold.clone());
    spec.mechanism = args.mechanism;
    spec.numerics = args.numerics.into();
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    spec.adjacency = args.neighbours.adjacency();
    args.by.fill(&mut spec, &args.neighbours)?;
    if spec.groups.is_none() {
        args.neighbours.fill(&mut spec)?;
    }
    let extra = spec.clone();
    let mut opened =
        args.input.open(spec.adjacency, &*manifold, releasing::extra(&extra, args.predictor.as_deref())?)?;
    let ball = center::ball(args.center.as_deref(), args.radius.map(Into::into), (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.resolve(&mut opened)?;
    spec.ball = Some(ball);
    let told = Told {
        other_files: args.center.iter().chain(&args.basis).map(String::as_str).collect(),
        radius,
        bounds: [args.slope_bound, args.residual_bound]
            .map(|bound| bound.unwrap_or(radius).told_in(&opened.layout, &*manifold)),
        is_default_center: args.center.is_none(),
        predict_at: &args.predict_at,
        plot: args.plotting.plot.as_deref(),
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}

impl Args {
    /// The specification of the statistic: on one predictor, or on features.
    fn statistic(&self) -> Result<ReleaseSpec, Failure> {
        let budget = self.budget.guarantee()?;
        if !self.term.is_empty() {
            let mut spec = ReleaseSpec::new(StatisticName::FeatureRegression, budget);
            spec.features = Some(Features::new(self.term.clone())?);
            let basis = self.basis.as_deref().map(|file| basis::from_file(file, &*self.manifold.manifold()?));
            spec.basis = basis.transpose()?;
            return Ok(spec);
        }
        let [low, high] = self.predictor_range[..] else {
            return Err("--predictor-range: give its lower and its upper end".into());
        };
        let length = |given: Option<Length>, name| given.map(|bound| bound.on(&self.manifold, name)).transpose();
        let (low, high) = range_ends(low, high);
        let mut spec = ReleaseSpec::new(StatisticName::GeodesicRegression, budget);
        spec.predictor_range = Some(PredictorRange::new(low, high)?);
        spec.slope_bound = length(self.slope_bound, "--slope-bound")?;
        spec.residual_bound = length(self.residual_bound, "--residual-bound")?;
        spec.steps = self.steps;
        Ok(spec)
    }
}
