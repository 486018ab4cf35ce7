//! `karcher mean`: the private Fréchet mean of a file of records.

use crate::Failure;
use crate::input::Input;
use crate::mechanism::{Choice, Mechanism};
use crate::options::{Budget, NO_BUDGET};
use crate::output::{
    check_output, degrees, digits, digits_down, digits_up, point, print_json, print_lines, progress_bar, row_len,
};
use karcher::mechanism::{Prepared, PrivateFrechetMean};
use karcher::sampler::Generator;
use karcher::{Ball, Release, Space};
use karcher_io::{Layout, read, write_csv, write_npy};
use std::path::PathBuf;

/// The private Fréchet mean of the records in a file.
///
/// Each row is one person's record. Records are clipped to a public ball: choose its center and radius from knowledge of
/// the field, never by looking at these records, so that it holds most of them. A smaller ball means less noise.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// CSV, TSV or other text, NPY, NPZ (FILE.npz:KEY) or, if built in, Parquet: one record a row.
    file: String,
    /// The space the records live on: euclidean:D, sphere:D, hyperbolic:D, spd-log-euclidean:K, spd-affine-invariant:K or
    /// kendall:K.
    #[arg(long, value_name = "SPACE")]
    manifold: Space,
    /// Radius of the public ball, in units of distance (radians on a sphere).
    #[arg(long, value_name = "R")]
    radius: f64,
    /// Center of the public ball: numbers separated by commas in the file's layout, a file with one record, or `origin` (0, the
    /// first unit vector, the identity matrix, the regular polygon).
    #[arg(long, value_name = "VALUES|FILE", default_value = "origin", allow_hyphen_values = true)]
    center: String,
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
    /// Write the result to a file: .json the whole release, .npy or .csv the value.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Reproducible noise, hence NOT private: for tests and demonstrations.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        check_output(path, &[&args.file, &args.center])?;
    }
    let manifold = args.manifold.manifold()?;
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    let ball = Ball::new(&*manifold, args.input.center(&args.center, &*manifold)?, args.radius)?;
    let private_mean =
        PrivateFrechetMean::new(&*manifold, ball.clone()).bound(args.choice.bound).assume_in_ball(args.assume_in_ball);
    if args.choice.mechanism != Mechanism::KarcherFlow {
        private_mean.sensitivity(1)?; // a radius that no file could mend is refused before it is read
    }

    let table = read(&args.file, &args.input.read_options()?)?;
    let points = args.input.points(table, &*manifold, &ball)?;
    // all that can be refused is refused before the records are looked at
    if args.assume_in_ball && args.choice.mechanism == Mechanism::KarcherFlow {
        return Err("--assume-in-ball: the Karcher flow always clips; leave it out".into());
    }
    let prepared = args.choice.prepare(&*manifold, &private_mean, points.len(), budget)?;
    let mut generator = match args.seed {
        Some(seed) => Generator::seeded(seed),
        None => Generator::from_os()?,
    };
    let release = match &prepared {
        Prepared::KNormGradient(kng) if kng.chain_steps().is_some() => {
            let bar = progress_bar(kng.chain_steps().unwrap_or(0));
            let release = kng.release_with_progress(&points, &mut generator, &|more| bar.inc(more as u64))?;
            bar.finish_and_clear();
            release
        }
        prepared => prepared.release(&private_mean, &points, &mut generator)?,
    };
    // printed first: if the file cannot be written, the budget is not spent for nothing
    if args.json {
        print_json(&release)?
    } else {
        print_lines(&describe(&release, args.input.layout(args.manifold), args.center == "origin"))?
    }
    args.output.as_deref().map_or(Ok(()), |path| write(path, &release))
}

fn write(path: &std::path::Path, release: &Release) -> Result<(), Failure> {
    let name = path.to_str().ok_or("--output: the path is not valid text")?;
    let row = row_len(release.manifold(), release.value().len());
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => std::fs::write(path, serde_json::to_string_pretty(release)? + "\n")
            .map_err(|e| format!("--output {name}: cannot be written ({e})"))?,
        Some("npy") if row < release.value().len() => {
            write_npy(name, &[release.value().len() / row, row], release.value())?
        }
        Some("npy") => write_npy(name, &[row], release.value())?,
        Some("csv") => write_csv(name, None, row, release.value())?,
        _ => return Err(format!("--output {name}: the extension must be .json, .npy or .csv").into()),
    }
    Ok(())
}

/// The release in words.
fn describe(release: &Release, layout: Layout, is_default_center: bool) -> Vec<(String, String)> {
    let line = |name: &str, value: String| (name.to_owned(), value);
    let value = release.value();
    let row = row_len(release.manifold(), value.len());
    // a matrix as a matrix
    let rows = if matches!(release.manifold(), Space::Kendall(_)) { value.len() } else { row };
    let names = std::iter::once("private mean").chain(std::iter::repeat(""));
    let mut lines: Vec<_> =
        names.zip(value.chunks(rows)).map(|(name, values)| line(name, point(values, row))).collect();
    lines.extend(degrees(release.manifold(), layout, value).map(|place| line("", place)));
    lines.push(line("space", format!("{}, {} records", release.manifold(), release.n())));
    lines.push(line("guarantee", format!("{}, one record replaced by any other", release.guarantee())));
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let ball = release.ball();
    let center = match degrees(release.manifold(), layout, ball.center()) {
        Some(place) => format!(" around {place}"),
        None if ball.center().len() <= 9 => format!(" around {}", point(ball.center(), row)),
        None => String::new(),
    };
    let default = if is_default_center { " (the default; --center chooses another)" } else { "" };
    lines.push(line("ball", format!("radius {}{center}{default}", digits(ball.radius()))));
    let at_most = if release.mechanism() == "kng" { "at most " } else { "" };
    let expected = format!("{at_most}{} on average", digits(release.expected_distance()));
    lines.push(line("expected error", format!("{expected}, the distance to the mean of the clipped records")));
    if let Some(bias) = release.bias_bound() {
        lines.push(line("bias", format!("at most about {} beside that", digits(bias))));
    }
    if release.expected_distance() > ball.radius() {
        let words = "the expected error exceeds the radius of the ball: this value says next to nothing";
        lines.push(line("note", format!("{words}; use more records, a smaller ball or a larger budget")));
    }
    for flag in release.flags() {
        lines.push(line("note", flag.to_string()));
    }
    lines
}
