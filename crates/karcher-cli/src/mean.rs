//! `karcher mean`: the private Fréchet mean of a file of records.

use crate::input::Input;
use crate::length::Length;
use crate::mechanism::{Choice, Chosen};
use crate::options::{Budget, NO_BUDGET, space_help, warn_if_weak};
use crate::output::{aligned, digits_down, digits_up, point, point_rows, progress_bar, told};
use crate::plot::{Picture, draw_after};
use crate::saving::{Content, Saving, hand_over};
use crate::{Failure, center};
use clap::ArgGroup;
use indicatif::ProgressBar;
use karcher::manifold::Shape;
use karcher::mechanism::PrivateFrechetMean;
use karcher::release::{MechanismName, StatisticName};
use karcher::{Door, Manifold, Release, Space};
use std::path::PathBuf;

/// The private mean of the records in a file.
///
/// It is the Fréchet mean: the point whose squared distances to the records have the smallest sum. Each row is one
/// person's record. Records are clipped to a public ball: choose its center and radius from knowledge of the field,
/// never by looking at these records, so that it holds most of them. A smaller ball means less noise.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1")]
#[command(allow_negative_numbers = true, group = ArgGroup::new("written").multiple(true))]
pub struct Args {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Radius of the public ball: records farther from its center are moved to its edge. In units of distance (radians
    /// on a sphere), or with a unit: 20deg, 2000km (on sphere:2, the Earth).
    /// May be left out, like the center, with --shrink-trace.
    #[arg(long, value_name = "R", required_unless_present = "shrink_trace")]
    radius: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    input: Input,
    /// Do not clip: the records are known to lie in the ball. The guarantee then holds only if they do.
    #[arg(long)]
    assume_in_ball: bool,
    /// Print the release as one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the result to a file too: .json the whole release, .npy or .csv the value. Long values are then abridged
    /// in what is printed.
    #[arg(long, value_name = "FILE", group = "written")]
    output: Option<PathBuf>,
    /// Draw the release too, as .svg or .png: what it says, and nothing else. There are pictures on sphere:2,
    /// projective:2, hyperbolic:2, euclidean:2, torus:2, kendall:K and matrices, on circles, tori, euclidean:1 and
    /// euclidean:3.
    #[arg(long, value_name = "FILE", group = "written")]
    plot: Option<PathBuf>,
    /// Let --output and --plot replace a file.
    #[arg(long, requires = "written")]
    force: bool,
    /// Reproducible noise, hence NOT private: for tests and demonstrations.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    let (ball, radius) = center::ball(args.center.as_deref(), args.radius, &args.input, &*manifold)?;
    let mean = PrivateFrechetMean::new(manifold.clone(), ball.clone())?.assume_in_ball(args.assume_in_ball);
    if args.choice.mechanism != Chosen::Mechanism(MechanismName::KarcherFlow) {
        // a radius that no file could mend is refused before it is read
        mean.clone().bound(args.choice.bound).sensitivity(1)?;
    }
    let read_files = [args.input.files(), args.center.iter().map(String::as_str).collect()].concat();
    let saving = Saving::open(args.output.as_deref(), args.force, &read_files)?;
    let statistic = StatisticName::FrechetMean;
    let picture = Picture::open(args.plot.as_deref(), &*manifold, statistic, args.force, &read_files)?;

    let table = args.input.read()?;
    let points = args.input.points(table, &*manifold, &ball)?;
    // all that can be refused is refused before the records are looked at
    let plan = args.choice.plan(mean, points.len(), budget)?;
    warn_if_weak(budget, points.len());
    let mut door = args.seed.map_or_else(Door::from_os, |seed| Ok(Door::seeded(seed)))?;
    let bar = plan.outline().chain_steps.map(progress_bar);
    let tell = |more: usize| bar.iter().for_each(|bar| bar.inc(more as u64));
    let release = plan.run_with_progress(&points, &mut door, &tell)?;
    bar.iter().for_each(ProgressBar::finish_and_clear);
    let mut content = content(&release, &*manifold)?;
    args.input.flag(&mut content.json);
    let printed = if args.json {
        format!("{}\n", content.json)
    } else {
        aligned(&describe(&release, &*manifold, args, radius, saving.as_ref())?)
    };
    hand_over(saving, &content, &printed)?;
    draw_after(picture, &content.json)
}

/// What `--output` writes.
fn content(release: &Release, manifold: &dyn Manifold) -> Result<Content, Failure> {
    let values = release.value().to_vec();
    let row = manifold.shape().row_len();
    let shape = if row < values.len() { vec![values.len() / row, row] } else { vec![row] };
    Ok(Content { json: serde_json::to_value(release)?, values, shape, names: None })
}

const MEAN: &str = "the mean of the clipped records";
const END_OF_FLOW: &str = "where the flow ends without noise";
const UNKNOWN_BIAS: &str = "unknown: in so large a ball the flow may end far from the mean";

/// The release in words.
fn describe(
    release: &Release,
    manifold: &dyn Manifold,
    args: &Args,
    radius: Length,
    saving: Option<&Saving>,
) -> Result<Vec<(String, String)>, Failure> {
    let line = |name: &str, value: String| (name.to_owned(), value);
    let (value, layout) = (release.value(), args.input.layout(manifold)?);
    let row = manifold.shape().row_len();
    let (whole, abridged) = (point(value, row, false), point(value, row, saving.is_some()));
    // a matrix as a matrix
    let rows = |numbers: &[f64], abridged: bool| match manifold.shape() {
        Shape::Landmarks(_) => vec![point(numbers, row, abridged)],
        _ => point_rows(numbers, row, abridged),
    };
    let below = |name: &'static str| std::iter::once(name).chain(std::iter::repeat(""));
    let printed = below("private mean").zip(rows(value, saving.is_some()));
    let mut lines: Vec<_> = printed.map(|(name, row)| line(name, row)).collect();
    if let Some(saving) = saving.filter(|_| whole != abridged) {
        lines.push(line("", format!("(abridged: all {} numbers are in {})", value.len(), saving.name())));
    }
    // what the other formats do not hold
    let kept = saving.is_some_and(Saving::is_whole);
    if let Some(logarithm) = release.logarithm() {
        lines.extend(below("its logarithm").zip(rows(logarithm, kept)).map(|(name, row)| line(name, row)));
    }
    lines.extend(told(&layout, value).map(|place| line("", place)));
    if let Some(noisy) = release.noisy_value().filter(|noisy| *noisy != value) {
        lines.extend(below("before denoising").zip(rows(noisy, kept)).map(|(name, row)| line(name, row)));
    }
    lines.push(line("space", format!("{}, {} records", release.manifold(), release.n())));
    lines.push(line("guarantee", format!("{}, one record replaced by any other", release.guarantee())));
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let ball = release.ball();
    let around = center::around(ball, manifold, &layout, args.center.is_none());
    lines.push(line("ball", format!("radius {}{around}", radius.words(ball.radius()))));
    let at_most = if release.mechanism() == MechanismName::Kng { "at most " } else { "" };
    let expected = format!("{at_most}{} on average", radius.words(release.expected_distance()));
    let (truth, bias) = match release.bias_bound() {
        Some(bias) => (MEAN, Some(format!("at most about {} beside that", radius.words(bias)))),
        None if release.mechanism() == MechanismName::KarcherFlow => (END_OF_FLOW, Some(UNKNOWN_BIAS.to_owned())),
        None => (MEAN, None),
    };
    lines.push(line("expected error", format!("{expected}, the distance to {truth}")));
    lines.extend(bias.map(|bias| line("bias", bias)));
    if release.expected_distance() > ball.radius() {
        let words = "the expected error exceeds the radius of the ball: this value says next to nothing";
        lines.push(line("note", format!("{words}; use more records, a smaller ball or a larger budget")));
    }
    lines.extend(release.flags().iter().map(|flag| line("note", flag.to_string())));
    lines.extend(args.input.notes().into_iter().map(|note| line("note", note.to_owned())));
    Ok(lines)
}
