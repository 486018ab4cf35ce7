//! `karcher regress`: private geodesic regression of a file of records on one predictor.

use crate::account::Account;
use crate::input::Input;
use crate::length::Length;
use crate::mechanism::{Chosen, chosen};
use crate::neighbours::Neighbours;
use crate::opened::Extra;
use crate::options::{Budget, NO_BUDGET, Numerics, space_help, warn_if_weak};
use crate::output::{aligned, digits, digits_down, digits_up, point, told};
use crate::plot::{Picture, draw_after};
use crate::predictions::{Prediction, as_json, as_table, predictions, predictor_value, range_end, range_ends};
use crate::saving::{Content, Saving, hand_over};
use crate::{Failure, center, count};
use clap::ArgGroup;
use karcher::manifold::Layout;
use karcher::mechanism::{PrivateRegression, Request};
use karcher::release::{PrivateGeodesic, StatisticName};
use karcher::{Manifold, PredictorRange, Release, Space};
use karcher_io::year_of_number;
use std::path::PathBuf;

/// The private regression of the records in a file on one predictor, such as age.
///
/// Each row is one person's record and predictor. The model is a geodesic, the straight line of the space, that is
/// followed with constant velocity; on euclidean:D it is linear regression of D responses. Footpoint (what it predicts
/// in the middle of the predictor's range) and shooting vector (its velocity per length of the range) are released.
/// Predictor range, ball, slope bound and residual bound are public: choose them from knowledge of the field, never by
/// looking at these records.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher regress examples/vessels.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --predictor day --predictor-range 0 120 --center 50,-40 --radius 0.5 \\
      --slope-bound 0.6 --residual-bound 0.2 --epsilon 1")]
#[command(allow_negative_numbers = true, group = ArgGroup::new("written").multiple(true))]
pub struct Args {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// The column of the predictor, by name or number from 1.
    #[arg(long, value_name = "COLUMN")]
    predictor: String,
    /// Public range of the predictor; values outside count as its ends.
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], required = true, value_parser = range_end)]
    predictor_range: Vec<f64>,
    /// Radius of the public ball: records farther from its center are moved to its edge. In units of distance (radians
    /// on a sphere), or with a unit: 20deg, 2000km (on sphere:2, the Earth).
    /// May be left out, like the center, with --shrink-trace.
    #[arg(long, value_name = "R")]
    radius: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    /// Public bound of the distance the geodesic goes over the range of the predictor. It must be below the injectivity
    /// radius: π on sphere:D, π/2 on kendall:K.
    #[arg(long, value_name = "V")]
    slope_bound: Length,
    /// Public bound of the distance between a record and the geodesic, to which residuals are clipped: the smaller, the
    /// less noise. Default: what no residual exceeds, 2R + V/2 or the diameter of the space.
    #[arg(long, value_name = "B")]
    residual_bound: Option<Length>,
    #[command(flatten)]
    budget: Budget,
    /// The mechanism. auto takes the one with the smallest expected error that keeps the budget and that --numerics
    /// accepts.
    #[arg(long, default_value = "auto", value_parser = chosen(&[StatisticName::GeodesicRegression]))]
    mechanism: Chosen,
    /// Steps of the descent, up to 100. Default: the number that promises the smallest error.
    #[arg(long, value_name = "T", value_parser = count::steps)]
    steps: Option<usize>,
    /// What the proof of a mechanism that auto takes may speak of.
    #[arg(long, default_value = "exact")]
    numerics: Numerics,
    #[command(flatten)]
    neighbours: Neighbours,
    #[command(flatten)]
    input: Input,
    /// Print the release as one JSON object.
    #[arg(long)]
    json: bool,
    /// Values of the predictor to predict at, separated by commas: printed, and in JSON. Predictions cost no privacy.
    #[arg(long, value_name = "X,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = predictor_value)]
    predict_at: Vec<f64>,
    /// Write the result to a file too: .json the whole release; .npy or .csv footpoint and shooting vector, with
    /// --predict-at the predictions instead, each behind its value of the predictor. Long values are then abridged in
    /// what is printed.
    #[arg(long, value_name = "FILE", group = "written")]
    output: Option<PathBuf>,
    /// Draw the release too, as .svg or .png: what it says, and nothing else. There are pictures on sphere:2,
    /// projective:2, hyperbolic:2, euclidean:2, torus:2, kendall:K and matrices of 2 and 3 rows.
    #[arg(long, value_name = "FILE", group = "written")]
    plot: Option<PathBuf>,
    /// Let --output and --plot replace a file.
    #[arg(long, requires = "written")]
    force: bool,
    #[command(flatten)]
    account: Account,
}

/// Whether eight digits are a date, as no number of the range has as many.
fn holds_years(range: PredictorRange) -> bool {
    range.high() < 1e7
}

/// Values of the predictor. Some may be dates in eight digits.
fn predict_at(at: &[f64], range: PredictorRange) -> Vec<f64> {
    let value = |x: &f64| Some(*x).filter(|_| holds_years(range)).and_then(year_of_number).unwrap_or(*x);
    at.iter().map(value).collect()
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(x) = args.predict_at.iter().find(|x| !x.is_finite()) {
        return Err(format!("--predict-at {x}: expected finite numbers").into());
    }
    let manifold = args.manifold.manifold()?;
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    let [low, high] = args.predictor_range[..] else {
        return Err("--predictor-range: give its lower and its upper end".into());
    };
    let (low, high) = range_ends(low, high);
    let range = PredictorRange::new(low, high)?;
    let predictor = Extra::Predictor { column: &args.predictor, eight_digits_are_numbers: !holds_years(range) };
    let opened = args.input.open(&args.neighbours, &*manifold, predictor)?;
    let (ball, radius) = center::ball(args.center.as_deref(), args.radius, (&args.input, &opened), &*manifold)?;
    let slope_bound = args.slope_bound.on(&args.manifold, "--slope-bound")?;
    let mut regression = PrivateRegression::new(manifold.clone(), ball.clone(), range, slope_bound)?;
    if let Some(bound) = args.residual_bound {
        regression = regression.residual_bound(bound.on(&args.manifold, "--residual-bound")?)?;
    }
    let read_files = [args.input.files(), args.center.iter().map(String::as_str).collect()].concat();
    args.account.check(&read_files, &[args.output.as_deref(), args.plot.as_deref()], args.neighbours.adjacency())?;
    let saving = Saving::open(args.output.as_deref(), args.force, &read_files)?;
    let statistic = StatisticName::GeodesicRegression;
    let picture = Picture::open(args.plot.as_deref(), &*manifold, statistic, args.force, &read_files)?;

    let guess = args.neighbours.guess()?;
    let asked = |n: usize| {
        let request = Request::new(regression.clone(), n, budget).adjacency(args.neighbours.adjacency());
        args.mechanism.plan(&request.steps(args.steps).numerics(args.numerics.into()))
    };
    if let Some(guess) = guess {
        asked(guess)?; // nothing is missing for a plan, so that what cannot be is refused before a file is opened
    }
    let records = args.input.observations(opened, (&manifold, &ball), range)?;
    // all that can be refused is refused before the records are looked at
    let n = guess.unwrap_or(records.count());
    let plan = asked(n)?;
    warn_if_weak(budget, n);
    plan.check(&*records)?;
    let event = plan.summary().event().of(records.unit());
    let release = plan.run(&*records, &mut args.account.context(&event)?)?;
    let counted = args.account.settle(&release);
    let geodesic = release.geodesic().ok_or("a regression releases a geodesic")?;
    let predictions = predictions(geodesic, &*manifold, &predict_at(&args.predict_at, range));
    let layout = args.input.layout(&*manifold)?;
    let mut content = content(&release, geodesic, &predictions, &layout)?;
    args.input.flag(&mut content.json, &args.neighbours);
    let printed = if args.json {
        format!("{}\n", content.json)
    } else {
        let told = (&release, geodesic);
        let mut lines = describe(told, &*manifold, &layout, args, radius, predictions, saving.as_ref());
        let at = lines.iter().position(|(name, _)| name == "note").unwrap_or(lines.len());
        lines.splice(at..at, counted);
        aligned(&lines)
    };
    hand_over(saving, &content, &printed)?;
    draw_after(picture, &content.json)
}

/// What `--output` writes.
fn content(
    release: &Release,
    geodesic: &PrivateGeodesic,
    predictions: &[Prediction],
    layout: &Layout,
) -> Result<Content, Failure> {
    let mut json = serde_json::to_value(release)?;
    if predictions.is_empty() {
        let geodesic = geodesic.geodesic();
        let shape = vec![2, geodesic.footpoint.len()];
        return Ok(Content {
            json,
            values: [geodesic.footpoint, geodesic.velocity].concat(),
            shape,
            names: None,
            labels: vec![],
        });
    }
    json["predictions"] = as_json(predictions);
    let (names, rows) = as_table(predictions, layout);
    Ok(Content {
        json,
        shape: vec![rows.len(), names.len()],
        values: rows.concat(),
        names: Some(names),
        labels: vec![],
    })
}

/// The release in words.
fn describe(
    (release, private): (&Release, &PrivateGeodesic),
    manifold: &dyn Manifold,
    layout: &Layout,
    args: &Args,
    radius: Length,
    asked: Vec<Prediction>,
    saving: Option<&Saving>,
) -> Vec<(String, String)> {
    let line = |name: &str, value: String| (name.to_owned(), value);
    let geodesic = private.geodesic();
    let row = manifold.shape().row_len();
    let kept = saving.filter(|saving| saving.is_whole() || asked.is_empty()); // a file of predictions has no geodesic
    let short = |value: &[f64]| point(value, row, kept.is_some());
    let range = private.predictor_range;
    // a later step of a descent may clip residuals to less, and then has less noise in proportion
    let at_most = if release.steps().is_some_and(|steps| steps.len() > 1) { "at most " } else { "" };
    let mut lines = vec![
        line("footpoint", format!("{} where the predictor is {}", short(&geodesic.footpoint), digits(range.middle()))),
        line(
            "shooting vector",
            format!("{} from {} to {}", short(&geodesic.velocity), digits(range.low()), digits(range.high())),
        ),
    ];
    if let Some(saving) = kept.filter(|_| short(&geodesic.footpoint) != point(&geodesic.footpoint, row, false)) {
        lines.push(line("", format!("(abridged: all numbers are in {})", saving.name())));
    }
    let shown = if asked.is_empty() {
        predictions(private, manifold, &[range.low(), range.middle(), range.high()])
    } else {
        asked
    };
    for (i, Prediction { at, value }) in shown.into_iter().enumerate() {
        let place = told(layout, &value).unwrap_or_else(|| short(&value));
        let outside = if (range.low()..=range.high()).contains(&at) { "" } else { ", outside of the range" };
        lines.push(line(if i == 0 { "predictions" } else { "" }, format!("{place} at {}{outside}", digits(at))));
    }
    lines.extend([
        line("space", format!("{}, {}", release.manifold(), release.provenance().how_many())),
        line("guarantee", format!("{}, {}", release.guarantee(), release.provenance().neighbours())),
        line("mechanism", format!("{}, scale {at_most}{}", release.mechanism(), digits_down(release.scale()))),
    ]);
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{at_most}{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    lines.push(line(
        "bounds",
        format!(
            "ball of radius {}{}, slope {}, residuals {}",
            radius.words(release.ball().radius()),
            center::around(release.ball(), manifold, layout, args.center.is_none()),
            args.slope_bound.words(private.slope_bound),
            args.residual_bound.unwrap_or(radius).words(private.residual_bound)
        ),
    ));
    let expected = radius.words(release.expected_distance());
    lines.push(line(
        "expected error",
        format!("about {expected}, the root mean square distance to the least-squares geodesic over the range"),
    ));
    lines.extend(release.flags().iter().map(|flag| line("note", flag.to_string())));
    lines.extend(args.input.notes(&args.neighbours).into_iter().map(|note| line("note", note.to_owned())));
    lines
}
