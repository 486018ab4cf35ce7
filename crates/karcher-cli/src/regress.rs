//! `karcher regress`: private geodesic regression of a file of records on one predictor.

use crate::Failure;
use crate::input::Input;
use crate::options::{Budget, NO_BUDGET};
use crate::output::{check_output, degrees, digits, digits_down, digits_up, point, print_json, print_lines, row_len};
use clap::ValueEnum;
use karcher::mechanism::{
    JointRegression, LinearRegression, PredictorRange, PreparedRegression, PrivateRegression, RegressionDescent,
};
use karcher::privacy::Guarantee;
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, RegressionRelease, Space};
use karcher_io::{Layout, read_with_predictor, write_csv, write_npy};
use std::path::{Path, PathBuf};

/// The private geodesic through the records in a file, as a function of one predictor.
///
/// Each row is one person's record and predictor. The model is a geodesic with constant velocity; on euclidean:D it is linear regression of D
/// responses. Footpoint (what it predicts in the middle of the predictor's range) and shooting vector (its velocity per length of the range) are
/// released. Predictor range, ball, slope bound and residual bound are public: choose them from knowledge of the field, never by looking at
/// these records.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher regress examples/vessels.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --predictor day --predictor-range 0 120 --center 50,-40 --radius 0.5 \\
      --slope-bound 0.6 --residual-bound 0.2 --epsilon 1")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// CSV, TSV or other text, NPY, NPZ (FILE.npz:KEY) or, if built in, Parquet: one record a row.
    file: String,
    /// The space the records live on: euclidean:D, sphere:D, hyperbolic:D, spd-log-euclidean:K, spd-affine-invariant:K or
    /// kendall:K.
    #[arg(long, value_name = "SPACE")]
    manifold: Space,
    /// The column of the predictor, by name or number from 1.
    #[arg(long, value_name = "COLUMN")]
    predictor: String,
    /// Public range of the predictor; values outside count as its ends.
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], required = true)]
    predictor_range: Vec<f64>,
    /// Radius of the public ball, in units of distance (radians on a sphere).
    #[arg(long, value_name = "R")]
    radius: f64,
    /// Center of the public ball: numbers separated by commas in the file's layout, a file with one record, or `origin` (0, the
    /// first unit vector, the identity matrix, the regular polygon).
    #[arg(long, value_name = "VALUES|FILE", default_value = "origin", allow_hyphen_values = true)]
    center: String,
    /// Public bound of the distance the geodesic goes over the range of the predictor; below the injectivity radius.
    #[arg(long, value_name = "V")]
    slope_bound: f64,
    /// Public bound of the distance between a record and the geodesic, to which residuals are clipped: the smaller, the less noise. Default: what no
    /// residual exceeds, 2R + V/2 or the injectivity radius.
    #[arg(long, value_name = "T")]
    residual_bound: Option<f64>,
    #[command(flatten)]
    budget: Budget,
    /// The mechanism. auto takes the one with the smallest expected error that keeps the budget by exact draws.
    #[arg(long, default_value = "auto")]
    mechanism: Mechanism,
    /// Steps of the descent, up to 100. Default: the number that promises the smallest error.
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    #[command(flatten)]
    input: Input,
    /// Print the release as one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the result to a file: .json the whole release, .npy or .csv footpoint and shooting vector.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Reproducible noise, hence NOT private: for tests and demonstrations.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mechanism {
    /// The best of those that keep the budget by exact draws.
    Auto,
    /// Noisy sufficient statistics, on flat spaces: every budget.
    Linear,
    /// Noisy descent, on every space: every budget.
    GradientDescent,
    /// The K-norm gradient mechanism, on every space: pure ε, and budgets that it implies. By a Markov chain, hence approximate, but on lines.
    Kng,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        check_output(path, &[&args.file, &args.center])?;
    }
    if args.steps.is_some() && args.mechanism != Mechanism::GradientDescent {
        return Err("--steps belongs to --mechanism gradient-descent".into());
    }
    let manifold = args.manifold.manifold()?;
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    let ball = Ball::new(&*manifold, args.input.center(&args.center, &*manifold)?, args.radius)?;
    let [low, high] = args.predictor_range[..] else {
        return Err("--predictor-range: give its lower and its upper end".into());
    };
    let range = PredictorRange::new(low, high)?;
    let mut regression = PrivateRegression::new(&*manifold, ball.clone(), range, args.slope_bound)?;
    if let Some(bound) = args.residual_bound {
        regression = regression.residual_bound(bound)?;
    }

    let options = args.input.read_options()?;
    let (table, mut predictors) = read_with_predictor(&args.file, &args.predictor, &options)?;
    let points = args.input.points(table, &*manifold, &ball)?;
    if args.input.replaces_invalid() {
        predictors.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
    }
    // all that can be refused is refused before the records are looked at
    let prepared = prepare(args, &regression, points.len(), budget)?;
    let mut generator = match args.seed {
        Some(seed) => Generator::seeded(seed),
        None => Generator::from_os()?,
    };
    let release = prepared.release(&points, &predictors, &mut generator)?;
    // printed first: if the file cannot be written, the budget is not spent for nothing
    if args.json {
        print_json(&release)?
    } else {
        print_lines(&describe(&release, &*manifold, args.input.layout(args.manifold)))?
    }
    args.output.as_deref().map_or(Ok(()), |path| write(path, &release))
}

/// The chosen mechanism. Everything it depends on is public.
fn prepare<'a>(
    args: &Args,
    regression: &PrivateRegression<'a>,
    n: usize,
    budget: Guarantee,
) -> Result<PreparedRegression<'a>, Failure> {
    Ok(match args.mechanism {
        Mechanism::Auto => regression.auto(n, budget)?,
        Mechanism::Linear => PreparedRegression::Linear(LinearRegression::new(regression, n, budget)?),
        Mechanism::GradientDescent => PreparedRegression::Descent(match args.steps {
            Some(steps) => RegressionDescent::with_steps(regression, n, budget, steps)?,
            None => RegressionDescent::new(regression, n, budget)?,
        }),
        Mechanism::Kng => PreparedRegression::Joint(JointRegression::new(regression, n, budget)?),
    })
}

fn write(path: &Path, release: &RegressionRelease) -> Result<(), Failure> {
    let name = path.to_str().ok_or("--output: the path is not valid text")?;
    let geodesic = release.geodesic();
    let len = geodesic.footpoint.len();
    let both = [geodesic.footpoint, geodesic.velocity].concat();
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => std::fs::write(path, serde_json::to_string_pretty(release)? + "\n")
            .map_err(|e| format!("--output {name}: cannot be written ({e})"))?,
        Some("npy") => write_npy(name, &[2, len], &both)?,
        _ => write_csv(name, None, len, &both)?,
    }
    Ok(())
}

/// The release in words.
fn describe(release: &RegressionRelease, manifold: &dyn Manifold, layout: Layout) -> Vec<(String, String)> {
    let line = |name: &str, value: String| (name.to_owned(), value);
    let geodesic = release.geodesic();
    let row = row_len(release.manifold(), geodesic.footpoint.len());
    let range = release.predictor_range();
    // a later step of a descent may clip residuals to less, and then has less noise in proportion
    let at_most = if release.steps().is_some_and(|steps| steps.len() > 1) { "at most " } else { "" };
    let mut lines = vec![
        line(
            "footpoint",
            format!("{} where the predictor is {}", point(&geodesic.footpoint, row), digits(range.middle())),
        ),
        line(
            "shooting vector",
            format!("{} from {} to {}", point(&geodesic.velocity, row), digits(range.low()), digits(range.high())),
        ),
    ];
    for (i, x) in [range.low(), range.middle(), range.high()].into_iter().enumerate() {
        let value = release.predict(manifold, x);
        let place = degrees(release.manifold(), layout, &value).unwrap_or_else(|| point(&value, row));
        lines.push(line(if i == 0 { "predictions" } else { "" }, format!("{place} at {}", digits(x))));
    }
    lines.extend([
        line("space", format!("{}, {} records", release.manifold(), release.n())),
        line("guarantee", format!("{}, one record replaced by any other", release.guarantee())),
        line("mechanism", format!("{}, scale {at_most}{}", release.mechanism(), digits_down(release.scale()))),
    ]);
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{at_most}{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    lines.push(line(
        "bounds",
        format!(
            "ball of radius {}, slope {}, residuals {}",
            digits(release.ball().radius()),
            digits(release.slope_bound()),
            digits(release.residual_bound())
        ),
    ));
    let expected = digits(release.expected_distance());
    lines.push(line(
        "expected error",
        format!("about {expected}, the root mean square distance to the least-squares geodesic over the range"),
    ));
    for flag in release.flags() {
        lines.push(line("note", flag.to_string()));
    }
    lines
}
