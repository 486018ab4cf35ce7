//! `karcher sensitivity`: how far one record can move the mean.

use crate::Failure;
use crate::length::Radii;
use crate::output::{Report, digits, digits_down, digits_up};
use crate::whole_number;
use karcher::Space;
use karcher::mechanism::PrivateFrechetMean;
use karcher::sensitivity::{Bound, admissible_radius, frechet_mean_in};
use karcher::spec::Radius;

/// How far one record can move the mean.
///
/// Prints every proven bound of the sensitivity of the Fréchet mean of n records in a ball. Refuses the radii that
/// karcher mean refuses. Reads no data.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  karcher sensitivity --manifold sphere:2 --radius 0.9 --n 100")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Space, for example sphere:2, spd-log-euclidean:3, kendall:50.
    #[arg(long, value_name = "SPACE")]
    manifold: Space,
    /// Radius of the ball to which records are clipped, in units of distance (radians on a sphere), or with a unit:
    /// 20deg, 2000km. On products also one for each factor: 30deg,2.
    #[arg(long, value_name = "R")]
    radius: Radii,
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
    let radius = args.radius.on(&*manifold)?;
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let ball = radius.ball(&*manifold, origin)?;
    // the words in which karcher mean refuses a ball
    PrivateFrechetMean::new(manifold.clone(), ball.clone())?.bound(args.bound).sensitivity(args.n)?;
    let chosen = frechet_mean_in(&*manifold, &ball, args.n, args.bound)?;
    let told = args.radius.told();
    let mut report = Report::default();
    report.add("manifold", &args.manifold, args.manifold.to_string())?;
    report.add("radius", ball.radius(), told.words(ball.radius()))?;
    if let Radius::Factors(radii) = &radius {
        report.add("radii", radii, radii.iter().map(|x| digits(*x)).collect::<Vec<_>>().join(", "))?;
    }
    report.add("n", args.n, args.n.to_string())?;
    let words = format!("{} ({})", told.words_up(chosen.value()), chosen.bound());
    report.add("sensitivity", chosen, words)?;
    let (mut all, mut words) = (serde_json::Map::new(), vec![]);
    for bound in Bound::ALL {
        let found = frechet_mean_in(&*manifold, &ball, args.n, Some(bound)).ok().map(|s| s.value());
        words.push(match (found, &radius) {
            (Some(value), _) => format!("{bound} {}", digits_up(value)),
            (None, Radius::One(_)) => {
                format!("{bound} only below radius {}", digits_down(admissible_radius(&*manifold, bound)))
            }
            (None, Radius::Factors(_)) => format!("{bound} only for smaller radii"),
        });
        all.insert(bound.to_string(), serde_json::to_value(found)?);
    }
    report.add("bounds", all, words.join(", "))?;
    report.print(args.json)
}
