//! `karcher sensitivity`: how far one record can move the mean.

use crate::Failure;
use crate::length::Length;
use crate::output::{Report, digits_down, digits_up};
use crate::whole_number;
use karcher::mechanism::PrivateFrechetMean;
use karcher::sensitivity::{Bound, admissible_radius, frechet_mean};
use karcher::{Ball, Space};

/// How far one record can move the mean.
///
/// Prints every proven bound of the sensitivity of the Fréchet mean of n records in a ball. Refuses the radii that
/// karcher mean refuses. Touches no data.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  karcher sensitivity --manifold sphere:2 --radius 0.9 --n 100")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Space, for example sphere:2, spd-log-euclidean:3, kendall:50.
    #[arg(long, value_name = "SPACE")]
    manifold: Space,
    /// Radius of the ball to which records are clipped, in units of distance (radians on a sphere), or with a unit:
    /// 20deg, 2000km.
    #[arg(long, value_name = "R")]
    radius: Length,
    /// Number of records.
    #[arg(long, value_name = "N", value_parser = whole_number::records)]
    n: usize,
    /// Theorem of the bound: published, averaged-hessian, sharp or optimal. Default: the smallest, optimal.
    #[arg(long, value_name = "BOUND")]
    bound: Option<Bound>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let radius = args.radius.on(&args.manifold, "--radius")?;
    // the words in which karcher mean refuses a ball
    let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, radius)?)?;
    mean.bound(args.bound).sensitivity(args.n)?;
    let chosen = frechet_mean(&*manifold, radius, args.n, args.bound)?;
    let mut report = Report::default();
    report.add("manifold", &args.manifold, args.manifold.to_string())?;
    report.add("radius", radius, args.radius.words(radius))?;
    report.add("n", args.n, args.n.to_string())?;
    let words = format!("{} ({})", args.radius.words_up(chosen.value()), chosen.bound());
    report.add("sensitivity", chosen, words)?;
    let mut all = serde_json::Map::new();
    for bound in Bound::ALL {
        let value = frechet_mean(&*manifold, radius, args.n, Some(bound)).ok().map(|s| s.value());
        all.insert(bound.to_string(), serde_json::to_value(value)?);
    }
    let words: Vec<String> = Bound::ALL
        .iter()
        .map(|&bound| match frechet_mean(&*manifold, radius, args.n, Some(bound)) {
            Ok(s) => format!("{bound} {}", digits_up(s.value())),
            Err(_) => format!("{bound} only below radius {}", digits_down(admissible_radius(&*manifold, bound))),
        })
        .collect();
    report.add("bounds", all, words.join(", "))?;
    report.print(args.json)
}
