//! `karcher locate`: a private ball that holds most of the records.

use crate::Failure;
use crate::account::Account;
use crate::center;
use crate::count;
use crate::input::Input;
use crate::length::Length;
use crate::located::{self, Aim};
use crate::neighbours::Neighbours;
use crate::opened::Extra;
use crate::options::{Budget, NO_BUDGET, space_help, warn_if_weak};
use crate::output::{aligned, digits_down, point_rows, told};
use crate::saving::{Content, Saving, hand_over};
use karcher::mechanism::{PrivateLocation, Request};
use karcher::{Manifold, Release, Space};
use std::path::PathBuf;

/// A private ball that holds most of the records, for whoever does not know where they are.
///
/// The center is a private median, found within a public outer ball, which may be a thousand times as large as where
/// the records are; the radius is a private quantile of the distances to it. The result is a release: `karcher mean
/// --ball BALL.json` takes it for its public ball. The two budgets add up.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher locate examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --epsilon 0.5")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Radius of the public outer ball in which the center is sought, in units of distance (radians on a sphere), or
    /// with a unit: 20deg, 2000km. Default: the whole space on spheres, shapes and other bounded spaces; elsewhere it
    /// is required.
    #[arg(long, value_name = "R")]
    within: Option<Length>,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::OUTER_HELP)]
    center: Option<String>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    aim: Aim,
    /// Steps of a flow that finds the center, up to 1,000. Default: the number that does best in a rehearsal, or no
    /// flow where medians of coordinates do better.
    #[arg(long, value_name = "T", value_parser = count::steps)]
    steps: Option<usize>,
    #[command(flatten)]
    input: Input,
    /// Print the release as one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the release to a .json file too.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Let --output replace a file.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    account: Account,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    let neighbours = Neighbours::REPLACE_ONE;
    let opened = args.input.open(&neighbours, &*manifold, Extra::Nothing)?;
    let (outer, radius) = center::outer_ball(args.center.as_deref(), args.within, (&args.input, &opened), &*manifold)?;
    let location = args.aim.of(PrivateLocation::new(manifold.clone(), outer.clone())?)?;
    if let Some(path) = &args.output
        && path.extension().is_none_or(|extension| extension != "json")
    {
        return Err(format!("--output {}: a ball is written as .json, which holds all of it", path.display()).into());
    }
    let read_files = [args.input.files(), args.center.iter().map(String::as_str).collect()].concat();
    args.account.check(&read_files, &[args.output.as_deref()], Neighbours::REPLACE_ONE.adjacency())?;
    let saving = Saving::open(args.output.as_deref(), args.force, &read_files)?;

    let records = args.input.records(opened, (&manifold, &outer), &[])?;
    // all that can be refused is refused before the records are looked at
    let plan = Request::new(location, records.count(), budget).steps(args.steps).plan()?;
    warn_if_weak(budget, records.count());
    let event = plan.summary().event().of(records.unit());
    let release = plan.run(&*records, &mut args.account.context(&event)?)?;
    let counted = args.account.settle(&release);
    let mut json = serde_json::to_value(&release)?;
    args.input.flag(&mut json, &Neighbours::REPLACE_ONE);
    let content = Content { json, values: vec![], shape: vec![], names: None, labels: vec![] };
    let printed = if args.json {
        format!("{}\n", content.json)
    } else {
        let mut lines = describe(&release, &*manifold, args, radius)?;
        let at = lines.iter().position(|(name, _)| name == "note").unwrap_or(lines.len());
        lines.splice(at..at, counted);
        aligned(&lines)
    };
    hand_over(saving, &content, &printed)
}

/// The release in words.
fn describe(
    release: &Release,
    manifold: &dyn Manifold,
    args: &Args,
    radius: Length,
) -> Result<Vec<(String, String)>, Failure> {
    let line = |name: &str, value: String| (name.to_owned(), value);
    let layout = args.input.layout(manifold)?;
    let ball = release.located().ok_or("a location releases a ball")?;
    let rows = point_rows(&ball.center, manifold.shape().row_len(), args.output.is_some());
    let names = std::iter::once("private center").chain(std::iter::repeat(""));
    let mut lines: Vec<_> = names.zip(rows).map(|(name, row)| line(name, row)).collect();
    lines.extend(told(&layout, &ball.center).map(|place| line("", place)));
    lines.push(line("private radius", located::radius(ball, radius)));
    lines.push(line("space", format!("{}, {}", release.manifold(), release.provenance().how_many())));
    lines.push(line("guarantee", format!("{}, {}", release.guarantee(), release.provenance().neighbours())));
    lines.push(line("spent", located::spent(ball)));
    let scale = digits_down(release.scale());
    let how = match release.steps() {
        Some(steps) => format!("{} steps, the last of scale {scale}", steps.len()),
        None => format!("medians of {} coordinates, each on places of length {scale}", manifold.dim()),
    };
    lines.push(line("mechanism", format!("{}, {how}", release.mechanism())));
    let outer = located::within(release.ball(), manifold, &layout, radius, args.center.is_none());
    lines.push(line("sought within", outer));
    lines.extend(release.flags().iter().map(|flag| line("note", flag.to_string())));
    lines.extend(args.input.notes(&Neighbours::REPLACE_ONE).into_iter().map(|note| line("note", note.to_owned())));
    Ok(lines)
}
