//! `karcher compare`: whether two groups of people differ, from the release about each.

use crate::Failure;
use crate::located::read_release;
use crate::output::{digits, digits_down, digits_up, print_json, print_lines};
use karcher::release::{PublishedRelease, compare};
use karcher::{Error, Manifold};

/// Whether the means of two groups of different people differ, from two releases of karcher mean --spread.
///
/// It reads no records and spends nothing. The level of 5 % is that of regions for the mean of a population: it holds
/// in the limit of many records. You must know that each person is in one group only. Then the guarantee of one release
/// protects each person.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/cities.csv --columns latitude --manifold euclidean:1 --center 40 \\
      --radius 40 --epsilon 2 --spread --output cities.json
  karcher mean examples/vessels.csv --columns latitude --manifold euclidean:1 --center 40 \\
      --radius 40 --epsilon 2 --spread --output vessels.json
  karcher compare cities.json vessels.json
  karcher mean examples/cities.csv --columns latitude --manifold euclidean:1 --center 40 \\
      --radius 40 --epsilon 4 --spread --adjacency add-remove --n-guess 20 --by country \\
      --groups China,India --output groups.json
  karcher compare groups.json:China groups.json:India")]
pub struct Args {
    /// Releases that karcher mean --spread --output FILE.json wrote; FILE.json:GROUP for one that was released --by
    /// groups.
    #[arg(value_names = ["A.json", "B.json"], num_args = 2, required = true)]
    releases: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let expected = "what karcher mean --spread --output FILE.json wrote";
    let releases = args.releases.iter().map(|name| read_release(name, expected)).collect::<Result<Vec<_>, _>>()?;
    let [a, b] = &releases[..] else { return Err("give two releases".into()) };
    let found = compare(a, b).map_err(|error| named(&error, &args.releases))?;
    if args.json {
        return print_json(&found);
    }
    let are_angles = a.provenance.manifold.manifold()?.distances_are_angles();
    let told = |distance: f64, rounded: fn(f64) -> String| match are_angles {
        true => format!("{} ({}°)", rounded(distance), rounded(distance.to_degrees())),
        false => rounded(distance),
    };
    let line = |name: &str, words: String| (name.to_owned(), words);
    let verdict = if found.differ {
        "the means of the two populations differ, at the level of 5 %".to_owned()
    } else {
        "no difference is found: there may be none, or too few records to see it through the noise".to_owned()
    };
    let records = |release: &PublishedRelease| match &release.provenance.private_count {
        Some(count) => format!("about {:.0}", count.value),
        None => digits(release.provenance.n.unwrap_or_default() as f64),
    };
    print_lines(&[
        line("distance", format!("{} between the private means", told(found.distance, digits_down))),
        line("threshold", format!("{}, exceeded by chance with at most about 5 %", told(found.threshold, digits_up))),
        line("records", format!("{} and {}, of different people", records(a), records(b))),
        line("verdict", verdict),
    ])
}

/// A refusal in which releases have the names of their files.
fn named(error: &Error, files: &[String]) -> Failure {
    let names = ["the first release", "the second release"].into_iter().zip(files);
    names.fold(error.to_string(), |text, (which, file)| text.replace(which, file)).into()
}
