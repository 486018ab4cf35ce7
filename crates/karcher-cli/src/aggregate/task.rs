//! What reporters, aggregators and the collector agree on.

use crate::Failure;
use crate::run;
use crate::whole_number;
use karcher::mechanism::RoundState;
use karcher_aggregate::{Mode, PublicKey, Task};
use std::path::PathBuf;

/// The release that all parties take part in: the same options for all of them.
#[derive(clap::Args)]
#[command(next_help_heading = "The release")]
pub struct Options {
    /// Specification: a .json file that --spec-only of another command prints.
    #[arg(value_name = "SPEC.json", help_heading = "Arguments")]
    spec: String,
    /// Number of records of all reporters together, unless the specification has a guess of it.
    #[arg(long, value_name = "N", value_parser = whole_number::records)]
    n: Option<usize>,
    /// Who reports.
    #[arg(long, value_name = "WHO", default_value = "sites")]
    reporters: Who,
    /// Name of the release: aggregators take part once in each name of a specification.
    #[arg(long, value_name = "NAME", default_value = "")]
    name: String,
    /// Public keys of the two aggregators (.pub), in an order that all parties keep: --to a.pub --to b.pub.
    #[arg(long, value_name = "KEY.pub", required = true)]
    to: Vec<PathBuf>,
    /// State of a release in several rounds, which karcher combine wrote.
    #[arg(long, value_name = "STATE.json")]
    state: Option<PathBuf>,
}

/// Who reports.
#[derive(Debug, Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum Who {
    /// Sites that are trusted with the records of their own people. Each reports one sum.
    Sites,
    /// Persons with one record each. Every record of the files becomes a report, whose range is proved.
    Persons,
}

impl Options {
    /// The files that are read.
    pub fn files(&self) -> Vec<&str> {
        let others = self.to.iter().chain(&self.state).filter_map(|path| path.to_str());
        std::iter::once(self.spec.as_str()).chain(others).collect()
    }

    /// The task.
    pub fn task(&self) -> Result<Task, Failure> {
        let spec = run::read(&self.spec)?;
        if self.n.is_none() && spec.n_guess.is_none() {
            return Err("--n is missing: the number of records of all reporters together is public".into());
        }
        let mode = match self.reporters {
            Who::Sites => Mode::Sites,
            Who::Persons => Mode::Persons,
        };
        let [first, second] = &self.to[..] else {
            return Err("--to: give the public keys of two aggregators, one after the other".into());
        };
        let public = |path| json::<PublicKey>(path, "a public key: expected a .pub file of karcher aggregate keys");
        let task = Task::new(spec, self.n.unwrap_or(0), mode, &self.name, [public(first)?, public(second)?])?;
        match &self.state {
            Some(path) => Ok(task.after(json::<RoundState>(path, "the state that karcher combine wrote")?)?),
            None => Ok(task),
        }
    }
}

/// What a JSON file holds.
pub fn json<T: serde::de::DeserializeOwned>(path: &std::path::Path, expected: &str) -> Result<T, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name} cannot be read ({error})"))?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{name} is not {expected} ({error})"))?)
}
