//! `karcher continue`: the release of the next period of a series.

use crate::Failure;
use crate::failure::say;
use crate::input::Input;
use crate::output::{print_json, write_out};
use crate::plot::SeriesPicture;
use crate::{releasing, run, series};
use clap::{ArgMatches, Command, FromArgMatches};
use karcher::facts::{Style, facts, text};
use karcher::records::ExactSum;
use karcher::release::{PublishedRelease, ReleasedCount, StatisticName};
use karcher::series::{Published, SeriesKey, SeriesPlan, SeriesState};
use karcher::{Key, ReleaseSpec};
use karcher_io::OutputFile;
use serde::Deserialize;
use std::path::PathBuf;

/// Release the next period of a series, from the records that joined in it.
///
/// The release is about everyone who has joined so far, or about the last periods of a window. It is added to the state.
/// Records that come late belong to the period in which they come. Give --empty for a period without records.
///
/// With --person, records of someone who was in as many periods as the series takes are left out, whatever they hold.
///
/// A command that was interrupted can be repeated: it makes the same release, with the same noise.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher continue monthly-state.json examples/vessels.csv --columns latitude,longitude \\
      --layout latlon --label January")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Public state, which karcher series wrote.
    #[arg(value_name = "STATE.json")]
    state: PathBuf,
    #[command(flatten)]
    input: Joined,
    /// No record joined in this period.
    #[arg(long)]
    empty: bool,
    /// Confidential key. By default it is next to the state, with the end .key.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Public name of the period.
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// File for a picture of the series so far, .svg or .png.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Let --plot replace a file.
    #[arg(long, requires = "plot", help_heading = "Output")]
    force: bool,
    /// Print the release as one JSON object, with all numbers.
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Print all facts: also the noise, the ball and what the proof covers.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    details: bool,
}

/// The records, where there are some.
struct Joined(Option<Input>);

impl clap::Args for Joined {
    fn augment_args(command: Command) -> Command {
        Input::augment_args(command).mut_arg("files", |files| files.required(false).conflicts_with("empty"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Joined {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = given.contains_id("files");
        Ok(Self(is_given.then(|| Input::from_arg_matches(given)).transpose()?))
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.empty == args.input.0.is_some() {
        return Err("the records are missing: give the files of those who joined, or --empty".into());
    }
    let name = args.state.display().to_string();
    let key_file = args.key.clone().unwrap_or_else(|| series::key_of(&args.state));
    let key = SeriesKey::open(&key_file); // before the state is read: no other program goes on meanwhile
    let mut state = read_state(&name)?;
    let (plan, mut key) = (state.plan()?, key?);
    let input = args.input.0.as_ref();
    let own = [&args.state, &key_file];
    let read: Vec<&str> =
        input.into_iter().flat_map(Input::files).chain(own.iter().filter_map(|path| path.to_str())).collect();
    let picture = SeriesPicture::open(args.plot.as_deref(), args.force, &read)?;
    let files: Vec<&str> = input.into_iter().flat_map(Input::files).collect();
    let file = OutputFile::create(&args.state, true, &files)?;
    if key.is_ahead_of(&state) {
        say("note: this period was entered before, and is published as it was entered; nothing was read now");
    } else {
        let (sum, persons) = match input {
            Some(input) => joined(&plan, &key, input)?,
            None => (plan.nothing(), vec![]),
        };
        key.enter(&plan, &state, &sum, persons)?;
    }
    state.publish(&plan, &key, args.label.clone())?;
    if let (Some(input), Some(release)) = (input, state.published.last_mut().and_then(|of| of.release.as_mut())) {
        input.flag(release, plan.spec().adjacency);
    }
    file.write_whole((serde_json::to_string_pretty(&state)? + "\n").as_bytes())?;
    if let Some(published) = state.published.last() {
        print(published, args)?;
    }
    picture.map_or(Ok(()), |picture| picture.draw(&state))
}

/// The state in a file.
pub fn read_state(name: &str) -> Result<SeriesState, Failure> {
    let text = std::fs::read_to_string(name).map_err(|error| format!("{name} cannot be read ({error})"))?;
    let json = karcher::audit::Verification::read(&text).map_err(|reason| format!("{name}: {reason}"))?;
    Ok(SeriesState::read(&json).map_err(|reason| format!("{name}: {reason}"))?)
}

/// The exact sum over the records that joined, and the persons among them.
fn joined(plan: &SeriesPlan, key: &SeriesKey, input: &Input) -> Result<(ExactSum, Vec<Key>), Failure> {
    let spec: &ReleaseSpec = plan.spec();
    if spec.statistic == StatisticName::Count {
        return Ok((ExactSum::counting(input.source().count()? as u64), vec![]));
    }
    run::check_unit(spec.unit, input)?;
    let manifold = spec.manifold()?;
    let opened = input.open(spec.adjacency, &*manifold, releasing::extra(spec, None)?)?;
    let (records, persons) = input.of_period(opened, spec, plan.round().query(), key.left_out(plan))?;
    Ok((records.map_or_else(|| Ok(plan.nothing()), |records| plan.sum(&*records))?, persons))
}

fn print(published: &Published, args: &Args) -> Result<(), Failure> {
    let Some(release) = &published.release else {
        return write_out(b"no one has joined yet, so there is nothing to release\n");
    };
    if args.json {
        return print_json(release);
    }
    let facts = match release["statistic"] == StatisticName::Count.name() {
        true => ReleasedCount::deserialize(release)?.facts(),
        false => {
            let release = PublishedRelease::deserialize(release)?;
            facts(&release, &Style::of(&release.provenance))
        }
    };
    write_out(text(&facts, args.details).as_bytes())
}
