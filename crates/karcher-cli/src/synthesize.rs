//! `karcher synthesize`: made-up records with the mean and the second moment of a release.

use crate::Failure;
use crate::failure::say;
use crate::length::Length;
use crate::located::read_releases;
use crate::whole_number::records;
use karcher::Manifold;
use karcher::manifold::Layout;
use karcher::release::{Flag, PublishedRelease};
use karcher::sampler::Generator;
use karcher::synthesis::{KEPT, Synthesis, Synthetic};
use karcher_io::{self as io, NpyWriter, OutputFile, write_rows};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Made-up records with the mean and the second moment of a release, for trials of your software.
///
/// It reads no records and spends no budget. Records are drawn from a law that is usual for the release: a normal law
/// of the tangent space, or that of von Mises and Fisher, Bingham or Watson. They show no more than the release.
/// Conclusions about people come from the release, not from them.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/gaze.csv --columns elevation,azimuth --layout elevation-azimuth \\
      --manifold sphere:2 --center 0,0 --radius 45deg --epsilon 2 --spread --spread-clip 45deg \\
      --output gaze.json
  karcher synthesize gaze.json --n 1000 --output made-up.csv
  karcher synthesize examples/site-a.json --n 5 --spread 0.3")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Release that karcher mean --spread, components, kmeans --cost or an extrinsic mean wrote with --output
    /// FILE.json. Several releases, or one of groups, give records with a column for the group, in the proportions of
    /// their numbers.
    #[arg(value_names = ["RELEASE.json", "MORE.json"], num_args = 1.., required = true)]
    releases: Vec<String>,
    /// Number of synthetic records.
    #[arg(long, value_name = "N", value_parser = records)]
    n: usize,
    /// Public guess of the root mean square distance of records from their mean, a length as for --radius. It takes the
    /// place of the released one.
    #[arg(long, value_name = "LENGTH")]
    spread: Option<Length>,
    /// Layout of the records that are written, as for karcher mean. Default: that of the records behind the release.
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// File for the records, .csv or .npy. Default: standard output, as CSV.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Let --output replace a file.
    #[arg(long, requires = "output")]
    force: bool,
    /// Seed of reproducible records. It has no effect on privacy.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let named = read(&args.releases)?;
    let space = &named[0].1.provenance.manifold;
    let spread = args.spread.map(|length| length.on(space, "--spread")).transpose()?;
    let synthesis = match &named[..] {
        [(_, release)] => Synthesis::of(release, spread)?,
        several => Synthesis::of_groups(several.iter().map(|(name, release)| (name.as_str(), release)), spread)?,
    };
    let manifold = &**synthesis.manifold();
    let of_records = named[0].1.provenance.layout.as_deref();
    let layout = io::layout(manifold, args.layout.as_deref().or(of_records))?;
    let output = args.output.as_deref().map(|path| open(path, args, named.len())).transpose()?;
    let mut generator = args.seed.map_or_else(Generator::from_os, |seed| Ok(Generator::seeded(seed)))?;
    let made_up = synthesis.draw(args.n, &mut generator)?;
    let table = Table { manifold, layout: &layout, names: labels(&named), made_up: &made_up };
    table.check()?;
    match output {
        Some((file, true)) => table.write_npy(file)?,
        Some((file, false)) => file.write_csv_rows(Some(&table.heads()), table.rows())?,
        None => match write_rows(std::io::stdout().lock(), Some(&table.heads()), table.rows()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(format!("standard output cannot be written to ({error})").into());
            }
            _ => {}
        },
    }
    match (&named[..], synthesis.clusters()) {
        ([_], [first, others @ ..]) if !others.is_empty() => {
            say(&format!("law: a mixture of {}, each a {}", 1 + others.len(), first.about())); // of a k-means
        }
        ([_], clusters) => clusters.iter().for_each(|cluster| say(&format!("law: {}", cluster.about()))),
        (several, clusters) => (several.iter().zip(clusters))
            .for_each(|((name, _), cluster)| say(&format!("law of {name}: {}", cluster.about()))),
    }
    say(&format!("note: {KEPT}"));
    if named.iter().any(|(_, release)| release.provenance.flags.contains(&Flag::Seeded)) {
        say("note: a release was made with a seed, so neither it nor these records are private");
    }
    Ok(())
}

/// The releases with their names: that of the group in one file of groups, or of the file.
fn read(files: &[String]) -> Result<Vec<(String, PublishedRelease)>, Failure> {
    let read = |file: &String| read_releases(file, "what karcher mean --spread --output FILE.json wrote");
    let mut named: Vec<_> = files.iter().map(read).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    if let ([file], true) = (files, named.len() > 1) {
        let prefix = format!("{file}:");
        named.iter_mut().for_each(|(name, _)| *name = name.replacen(&prefix, "", 1));
    }
    Ok(named)
}

/// The names of several groups.
fn labels(named: &[(String, PublishedRelease)]) -> Vec<&str> {
    if named.len() == 1 { vec![] } else { named.iter().map(|(name, _)| name.as_str()).collect() }
}

/// The file of `--output`, and whether it is an array.
fn open(path: &Path, args: &Args, groups: usize) -> Result<(OutputFile, bool), Failure> {
    let is_array = match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => false,
        Some("npy") if groups == 1 => true,
        Some("npy") => {
            return Err(
                format!("--output {}: an array has no column for the groups; choose .csv", path.display()).into()
            );
        }
        _ => return Err(format!("--output {}: the extension must be .csv or .npy", path.display()).into()),
    };
    let read: Vec<&str> = args.releases.iter().map(String::as_str).collect();
    let file = OutputFile::create(path, args.force, &read).map_err(|error| format!("--output: {error}"))?;
    Ok((file, is_array))
}

/// Synthetic records as they are written.
struct Table<'a> {
    manifold: &'a dyn Manifold,
    layout: &'a Layout,
    names: Vec<&'a str>,
    made_up: &'a Synthetic,
}

impl Table<'_> {
    /// Refuses a layout that does not hold all of a point.
    fn check(&self) -> Result<(), Failure> {
        let holds = |point| self.layout.check_holds(point);
        let refused = self.made_up.points.view().iter().try_for_each(holds).err();
        refused.map_or(Ok(()), |reason| {
            let default = self.manifold.layouts().first().map_or("vectors".to_owned(), |first| first.name().to_owned());
            let name = self.layout.name();
            Err(format!("--layout {name} does not hold a synthetic record: {reason}; choose --layout {default}").into())
        })
    }

    fn heads(&self) -> Vec<String> {
        let named = self.layout.column_names();
        let head = |i: usize| named.get(i).map_or_else(|| format!("x{}", i + 1), |name| (*name).to_owned());
        let group = (!self.names.is_empty()).then(|| "group".to_owned());
        group.into_iter().chain((0..self.layout.numbers()).map(head)).collect()
    }

    fn rows(&self) -> impl Iterator<Item = (Option<&str>, Vec<f64>)> {
        let groups = self.made_up.sizes.iter().enumerate().flat_map(|(i, size)| std::iter::repeat_n(i, *size));
        let written = self.made_up.points.view().iter().map(|point| self.layout.write(point));
        groups.map(|i| self.names.get(i).copied()).zip(written)
    }

    fn write_npy(&self, file: OutputFile) -> Result<(), Failure> {
        let shape = if self.layout.is_plain() { self.manifold.shape().axes() } else { vec![self.layout.numbers()] };
        let mut writer = NpyWriter::new(file, &shape)?;
        self.rows().try_for_each(|(_, row)| writer.push(&row))?;
        Ok(writer.finish()?)
    }
}
