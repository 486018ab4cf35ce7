//! `karcher compare`: whether groups of people differ, from the release about each.

use crate::Failure;
use crate::located::read_releases;
use crate::output::{digits, digits_down, digits_up, print_json, print_lines};
use karcher::Error;
use karcher::audit::check_specified;
use karcher::release::{Comparison, PublishedRelease, compare, simulated_p_value};
use serde_json::json;

/// Whether the means of two or more groups of different people differ, from releases of karcher mean --spread.
///
/// It reads no records and spends no budget. The law of the difference between equal populations is simulated from the
/// released spreads and the public law of the noise. The level of 5 % holds in the limit of many records. You must know
/// that each person is in one group only. Then the guarantee of one release protects each person.
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
  karcher compare groups.json
  karcher compare groups.json:China groups.json:India vessels.json")]
pub struct Args {
    /// Releases that karcher mean --spread --output FILE.json wrote; FILE.json:GROUP for one that was released --by
    /// groups. A FILE.json of groups alone stands for all of them.
    #[arg(value_names = ["A.json", "B.json"], num_args = 1.., required = true)]
    releases: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let expected = "what karcher mean --spread --output FILE.json wrote";
    let read = args.releases.iter().map(|name| read_releases(name, expected)).collect::<Result<Vec<_>, _>>()?;
    let (names, releases): (Vec<String>, Vec<PublishedRelease>) = read.into_iter().flatten().unzip();
    let all: Vec<&PublishedRelease> = releases.iter().collect();
    let found = check_specified(&all).and_then(|()| compare(&all)).map_err(|error| named(&error, &names))?;
    if args.json {
        let mut object = json!(found);
        object["groups"] = json!(names);
        return print_json(&object);
    }
    print_lines(&lines(&found, &names, &all)?)
}

/// The result in words.
fn lines(
    found: &Comparison,
    names: &[String],
    releases: &[&PublishedRelease],
) -> Result<Vec<(String, String)>, Failure> {
    let line = |name: &str, words: String| (name.to_owned(), words);
    let manifold = releases[0].provenance.manifold.manifold()?;
    let are_angles = manifold.distances_are_angles();
    let told = |distance: f64, rounded: fn(f64) -> String| match are_angles {
        true => format!("{} ({}°)", rounded(distance), rounded(distance.to_degrees())),
        false => rounded(distance),
    };
    let records = |release: &&PublishedRelease| match &release.provenance.private_count {
        Some(count) => format!("about {:.0}", count.value),
        None => digits(release.provenance.n.unwrap_or_default() as f64),
    };
    let numbers = listed(&releases.iter().map(records).collect::<Vec<String>>());
    let pairs = (0..names.len()).flat_map(|i| (i + 1..names.len()).map(move |j| (i, j)));
    let mut lines: Vec<(String, String)> = match found.distance {
        Some(distance) => {
            vec![line("distance", format!("{} between the private means", told(distance, digits_down)))]
        }
        None => pairs
            .map(|(i, j)| {
                let distance = told(found.distances[i][j], digits_down);
                line("distance", format!("{distance} between {} and {}", names[i], names[j]))
            })
            .collect(),
    };
    let statistic = told(found.statistic, digits_down);
    match found.distance {
        Some(_) if manifold.flat_chart().is_some() => {}
        Some(_) => lines.push(line("statistic", format!("{statistic}, in coordinates at the center of the ball"))),
        None => lines.push(line("statistic", format!("{statistic}, the weighted root mean square of the distances"))),
    }
    let all = if names.len() == 2 { "the two populations" } else { "the populations" };
    let verdict = match (found.differ, names.len()) {
        (true, 2) => format!("the means of {all} differ, at the level of 5 %"),
        (true, _) => format!("the means of {all} are not all equal, at the level of 5 %"),
        _ => "no difference is found: the means are equal, or too few records show it through the noise".to_owned(),
    };
    lines.push(line(
        "threshold",
        format!("{}, exceeded by chance with at most about 5 %", told(found.threshold, digits_up)),
    ));
    let p_value = simulated_p_value(found.p_value, found.draws);
    lines.push(line("p-value", format!("{p_value}, the probability of so large a difference of equal means")));
    lines.push(line("records", format!("{numbers}, of different people")));
    lines.push(line("verdict", verdict));
    Ok(lines)
}

/// Words with commas, and `and` before the last.
pub fn listed(words: &[String]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => words.concat(),
    }
}

/// A refusal in which releases have the names of their files.
pub fn named(error: &Error, names: &[String]) -> Failure {
    // from the last one on: the number of the first begins other numbers; names may look like numbers themselves
    let numbered = (0..names.len()).rev();
    let marked = numbered
        .fold(error.to_string(), |text, i| text.replace(&format!("release {}", i + 1), &format!("\u{0}{i}\u{0}")));
    let named = names.iter().enumerate();
    named.fold(marked, |text, (i, name)| text.replace(&format!("\u{0}{i}\u{0}"), name)).into()
}
