//! `karcher compare`: whether two groups of people differ, from the release about each.

use crate::Failure;
use crate::output::{digits, digits_down, digits_up, print_json, print_lines};
use karcher::release::{PublishedRelease, compare};

/// Whether the means of two groups of different people differ, from two releases of karcher mean --spread.
///
/// It touches no records and spends nothing. The level of 5 % is that of regions for the mean of a population: right in
/// the limit of many records. That nobody is in both groups has to be known; then each person is protected by the
/// guarantee of one release.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/cities.csv --columns latitude --manifold euclidean:1 --center 40 \\
      --radius 40 --epsilon 2 --spread --output cities.json
  karcher mean examples/vessels.csv --columns latitude --manifold euclidean:1 --center 40 \\
      --radius 40 --epsilon 2 --spread --output vessels.json
  karcher compare cities.json vessels.json")]
pub struct Args {
    /// The releases: what karcher mean --spread --output FILE.json wrote.
    #[arg(value_names = ["A.json", "B.json"], num_args = 2, required = true)]
    releases: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let releases = args.releases.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?;
    let [a, b] = &releases[..] else { return Err("give two releases".into()) };
    let found = compare(a, b)?;
    if args.json {
        return print_json(&found);
    }
    let line = |name: &str, words: String| (name.to_owned(), words);
    let verdict = if found.differ {
        "the means of the two populations differ, at the level of 5 %".to_owned()
    } else {
        "no difference is found: there may be none, or too few records to see it through the noise".to_owned()
    };
    let records = |release: &PublishedRelease| digits(release.provenance.n as f64);
    print_lines(&[
        line("distance", format!("{} between the private means", digits_down(found.distance))),
        line("threshold", format!("{}, exceeded by chance with about 5 % at most", digits_up(found.threshold))),
        line("records", format!("{} and {}, of different people", records(a), records(b))),
        line("verdict", verdict),
    ])
}

fn read(name: &str) -> Result<PublishedRelease, Failure> {
    let text = std::fs::read_to_string(name).map_err(|error| format!("{name}: it cannot be read ({error})"))?;
    serde_json::from_str(&text).map_err(|error| {
        format!("{name}: it holds no release ({error}): expected what karcher mean --spread --output FILE.json wrote")
            .into()
    })
}
