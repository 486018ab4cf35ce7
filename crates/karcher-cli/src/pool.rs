//! `karcher pool`: one mean from the releases of several sites.

use crate::Failure;
use crate::compare::{listed, named};
use crate::length::Length;
use crate::located::read_releases;
use crate::output::{aligned, point_rows, print_json, short, told, write_out};
use crate::plot::open_sites;
use karcher::Manifold;
use karcher::audit::check_specified;
use karcher::manifold::Layout;
use karcher::release::{Adjacency, PooledMean, PublishedRelease, RegionCenter, SpreadSource, Symbols, pool};
use karcher::statistics::BallUse;
use karcher_io::OutputFile;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Most sites whose weights are printed one by one.
const PLENTY: usize = 12;

/// One mean from the releases of several sites, about different people, without any protocol between the sites.
///
/// It reads no records and spends no budget. Each release weighs by its number of records and by its noise, which are
/// public. You must know that each person is at one site only. Then the weakest guarantee of all releases covers each
/// person.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher pool examples/site-a.json examples/site-b.json examples/site-c.json
  karcher pool examples/site-a.json examples/site-b.json --spread 0.3 --output pooled.json
  karcher pool examples/site-a.json examples/site-b.json --plot sites.svg")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Releases that karcher mean --output FILE.json wrote, one of each site; FILE.json:GROUP for one group of a site
    /// that released --by groups.
    #[arg(value_names = ["A.json", "B.json"], num_args = 1.., required = true)]
    releases: Vec<String>,
    /// Public guess of the root mean square distance of records from their mean, a length as for --radius. It sets the
    /// weights, and gives a region for the population. Without it the spreads of the releases count, if they have any;
    /// else noise alone decides the weights.
    #[arg(long, value_name = "LENGTH")]
    spread: Option<Length>,
    /// File for the pooled mean, a .json file.
    #[arg(short, long, value_name = "FILE.json", group = "written")]
    output: Option<PathBuf>,
    /// File for a forest plot, .svg or .png: the distance of each site from the mean over sites.
    #[arg(long, value_name = "FILE", group = "written")]
    plot: Option<PathBuf>,
    /// Let --output and --plot replace a file.
    #[arg(long, requires = "written")]
    force: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let releases = args.releases.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?;
    let names = &args.releases;
    let spread = match (args.spread, releases.first()) {
        (Some(length), Some(first)) => Some(length.on(&first.provenance.manifold, "--spread")?),
        _ => None,
    };
    let output = args.output.as_deref().map(|path| open(path, args.force, names)).transpose()?;
    let picture = open_sites(args.plot.as_deref(), args.force, names)?;
    let all: Vec<&PublishedRelease> = releases.iter().collect();
    let found = check_specified(&all).and_then(|()| pool(&all, spread)).map_err(|error| match error.parameter() {
        Some(_) => error.into(),
        None => named(&error, names),
    })?;
    let manifold = found.manifold.manifold()?;
    let layout = layout(&*manifold, &releases[0]);
    let unit = args.spread.unwrap_or(Length::plain(0.0));
    let unit = layout.as_ref().map_or(unit, |layout| unit.told_in(layout, &*manifold));
    if let Some(picture) = picture {
        let own = (1.0, if manifold.distances_are_angles() { "radians" } else { "" });
        picture.draw_sites(&found, &in_short(names), unit.told_unit().unwrap_or(own))?;
    }
    let mut object = json!(found);
    object["sites"] = json!(names);
    if let Some(file) = output {
        file.write_whole((serde_json::to_string_pretty(&object)? + "\n").as_bytes())?;
    }
    if args.json {
        return print_json(&object);
    }
    write_out(aligned(&lines(&found, names, &*manifold, (layout, unit))).as_bytes())
}

/// The release in a file, or that of one group. A whole file of groups is of one site.
fn read(name: &str) -> Result<PublishedRelease, Failure> {
    let mut all = read_releases(name, "what karcher mean --output FILE.json wrote")?;
    match (all.pop(), all.is_empty()) {
        (Some((found, release)), true) if found == name => Ok(release),
        (last, _) => {
            let groups = all
                .into_iter()
                .chain(last)
                .map(|(group, _)| group.rsplit(".json:").next().unwrap_or_default().to_owned());
            let groups: Vec<String> = groups.collect();
            let words =
                format!("{name} has a release for each group of one site: pooling takes one release of each site");
            Err(format!("{words}; name a group, {name}:GROUP, of {}", groups.join(", ")).into())
        }
    }
}

/// The file of `--output`.
fn open(path: &Path, force: bool, read: &[String]) -> Result<OutputFile, Failure> {
    if path.extension().is_none_or(|extension| extension != "json") {
        return Err(
            format!("--output {}: a pooled mean is one JSON object; choose a name with .json", path.display()).into()
        );
    }
    let read: Vec<&str> = read.iter().map(String::as_str).collect();
    Ok(OutputFile::create(path, force, &read).map_err(|error| format!("--output: {error}"))?)
}

/// The result in words.
fn lines(
    found: &PooledMean,
    names: &[String],
    manifold: &dyn Manifold,
    (layout, unit): (Option<Layout>, Length),
) -> Vec<(String, String)> {
    let line = |name: &str, words: String| (name.to_owned(), words);
    let below = std::iter::once("pooled mean").chain(std::iter::repeat(""));
    let rows = point_rows(&found.value, manifold.shape().row_len(), true);
    let mut lines: Vec<(String, String)> = below.zip(rows).map(|(name, row)| line(name, row)).collect();
    lines.extend(layout.and_then(|layout| told(&layout, &found.value)).map(|place| line("", place)));
    let about = if found.adjacency == Adjacency::AddRemove { "about " } else { "" };
    let (sites, people) = (names.len(), format!("{about}{:.0} {}s", found.n, found.unit));
    lines.push(line("sites", format!("{sites}, {people}; each person must be at one site only")));
    match sites {
        ..=PLENTY => {
            for (name, weight) in names.iter().zip(&found.weights) {
                lines.push(line("weight", format!("{} of {name}", short(*weight))));
            }
        }
        _ => {
            let (least, most) = found.weights.iter().fold((1.0_f64, 0.0_f64), |(a, b), w| (a.min(*w), b.max(*w)));
            lines.push(line("weights", format!("from {} to {}", short(least), short(most))));
        }
    }
    lines.push(line(
        "spread",
        match found.spread_source {
            SpreadSource::Given => format!("{}, as given", unit.words(found.spread)),
            SpreadSource::Released => format!("{}, from the releases", unit.words(found.spread)),
            SpreadSource::Unknown => {
                "unknown, so noise alone decides the weights; give --spread if you know it".to_owned()
            }
        },
    ));
    lines.push(line("noise", format!("{}, root mean square", unit.words_up(found.noise_error))));
    let what = match found.statistic.description().ball {
        BallUse::None => "the weighted extrinsic mean of the sites",
        BallUse::Clips | BallUse::Outer | BallUse::Searched | BallUse::ClipsGradients => {
            "the weighted mean of the sites' means of clipped records"
        }
    };
    let about = |center: RegionCenter| if center == RegionCenter::NoisyValue { " of the noisy value" } else { "" };
    if let Some(region) = found.region {
        let (radius, words, about) = (unit.words_up(region.radius), region.words(), about(region.center));
        lines.push(line("region", format!("{what} is within {radius}{about}, {words}")));
    }
    if let Some(region) = found.population_region {
        let (radius, words, about) = (unit.words_up(region.radius), region.words(), about(region.center));
        let what = "the weighted mean of the sites' populations, clipped to the ball, is within";
        lines.push(line("population", format!("{what} {radius}{about}, {words}")));
    }
    if let Some(over) = &found.over_sites {
        let below = std::iter::once("over sites").chain(std::iter::repeat(""));
        let rows = point_rows(&over.value, manifold.shape().row_len(), true);
        lines.extend(below.zip(rows).map(|(name, row)| line(name, row)));
        let (radius, words) = (unit.words_up(over.region.radius), over.region.words());
        lines.push(line("", format!("the mean over sites is within {radius} of this point, {words}")));
        let (tau, share) = (unit.words(over.between_sites), 100.0 * over.i_squared);
        let errors = match found.spread_source {
            SpreadSource::Given | SpreadSource::Released => "noise and sampling",
            SpreadSource::Unknown => "noise; --spread takes out sampling as well",
        };
        let words =
            format!("between sites {tau}, root mean square; {share:.0} % of them are not explained by {errors}");
        lines.push(line("differences", words));
    } else if sites > 1 {
        lines.push(line("note", "the sites are so far apart that they have no mean over sites".to_owned()));
    }
    let neighbours = found.adjacency.of_unit(found.unit);
    lines.push(line(
        "guarantee",
        match found.guarantee {
            Some(guarantee) => format!("{guarantee}, {neighbours}, for everything that the sites released"),
            None => {
                let each: Vec<String> =
                    found.guarantees.iter().map(|guarantee| Symbols(*guarantee).to_string()).collect();
                format!("of one site each, {neighbours}: {}", listed(&each))
            }
        },
    ));
    lines.push(line("numerics", found.numerics.name().to_owned()));
    if found.adjacency == Adjacency::ReplaceOne {
        let words = "a person who is replaced stays at the same site: the number of each site is public";
        lines.push(line("note", words.to_owned()));
    }
    if !found.same_ball {
        lines.push(line("note", "the sites clipped records to different balls, each to its own".to_owned()));
    }
    lines.extend(found.flags.iter().map(|flag| line("note", flag.to_string())));
    lines
}

/// The names of sites in a picture: those of their files, with the group if there is one. Files of one name in several
/// folders keep their paths.
fn in_short(names: &[String]) -> Vec<String> {
    let short = |name: &String| {
        let (file, group) = name.split_once(".json").unwrap_or((name, ""));
        file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned() + group
    };
    let found: Vec<String> = names.iter().map(short).collect();
    let distinct = found.iter().collect::<std::collections::BTreeSet<_>>().len() == found.len();
    if distinct { found } else { names.to_vec() }
}

/// The layout in which the first site had its records.
fn layout(manifold: &dyn Manifold, release: &PublishedRelease) -> Option<Layout> {
    let name = release.provenance.layout.as_deref()?;
    manifold.layouts().into_iter().find(|layout| layout.name() == name)
}
