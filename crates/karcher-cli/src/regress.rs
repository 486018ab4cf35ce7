//! `karcher regress`: private regression of a file of records, on one predictor or on features.

use crate::Failure;
use crate::center;
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::{Length, Radii};
use crate::output_options::{Delivery, Plotting};
use crate::releasing::{self, Told};
use clap::Command;
use karcher::field::Field;
use karcher::release::{PrivacyUnit, StatisticName};

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
    /// Column of the predictor, by name or number from 1.
    #[arg(long, value_name = "COLUMN", requires = "predictor-range", conflicts_with = "term")]
    predictor: Option<String>,
    #[command(flatten)]
    fields: Fields<Regression>,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
    #[command(flatten)]
    input: Input,
    /// Where to predict: values of the predictor, separated by commas, or with --term one value for each column,
    /// age=40,sex=F. Printed, and in the JSON. May be given several times. Predictions cost no privacy.
    #[arg(long, value_name = "X,...", allow_hyphen_values = true)]
    predict_at: Vec<String>,
}

/// What `karcher regress` takes.
pub struct Regression;

impl Takes for Regression {
    const STATISTICS: &'static [StatisticName] = &[StatisticName::GeodesicRegression, StatisticName::FeatureRegression];

    fn takes(field: &Field) -> bool {
        field.path != "ball" && Self::STATISTICS.iter().any(|statistic| field.is_of(*statistic))
    }

    fn adapt(command: Command) -> Command {
        command
            .mut_arg("predictor-range", |range| range.requires("slope-bound"))
            .mut_arg("slope-bound", |bound| bound.requires("predictor"))
            .mut_arg("basis", |basis| basis.requires("term"))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let fields = &args.fields;
    let manifold = fields.manifold()?;
    let is_on_features = fields.has("term");
    let mut spec = fields.spec(Regression::STATISTICS[usize::from(is_on_features)])?;
    spec.unit = if args.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
    let extra = spec.clone();
    let mut opened =
        args.input.open(spec.adjacency, &*manifold, releasing::extra(&extra, args.predictor.as_deref())?)?;
    let center = fields.text("center");
    let ball = center::ball(center, fields.get::<Radii>("radius").cloned(), (&args.input, &opened), &*manifold)?;
    let (ball, radius) = ball.resolve(&mut opened)?;
    spec.ball = Some(ball);
    let bound =
        |option: &str| fields.get::<Length>(option).copied().unwrap_or(radius).told_in(&opened.layout, &*manifold);
    let told = Told {
        other_files: center.into_iter().chain(fields.text("basis")).collect(),
        radius,
        bounds: ["slope-bound", "residual-bound"].map(bound),
        is_default_center: center.is_none(),
        predict_at: &args.predict_at,
        plot: args.plotting.plot.as_deref(),
    };
    releasing::release(&spec, &args.input, opened, &args.delivery, &told)
}
