//! Private statistics of records that no one collects (user guide, F1).
//!
//! The statistic is a sum of bounded integer vectors, with noise on it. Each [reporter](Task::report), a site with its
//! own records or a person with one, splits its vector into two shares by Prio3 (IETF, VDAF). Each of two
//! [`Aggregator`]s adds up one share of each reporter, and adds noise that is enough alone. [`combine`] adds the two
//! results.
//!
//! ```
//! use karcher::{Points, ReleaseSpec, manifold::Euclidean, records::Observations};
//! use karcher_aggregate::{Aggregator, Combined, Journal, Mode, SecretKey, Task, VerifyKey, combine};
//! let spec: ReleaseSpec = serde_json::from_str(
//!     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "ball": {"center": [0.0], "radius": 1.0},
//!         "budget": {"definition": "gaussian", "mu": 1.0}, "trust": "one of two aggregators"}"#,
//! )?;
//! let both = VerifyKey::generate()?; // the aggregators know it, and no one else
//! let keys = [SecretKey::generate(&both)?, SecretKey::generate(&both)?];
//! let public = [keys[0].public(), keys[1].public()];
//! let task = Task::new(spec, 3, Mode::Sites, "example", public)?; // three records in all
//! let line = Euclidean::new(1)?;
//! let site = |values: Vec<f64>| -> Result<_, Box<dyn std::error::Error>> {
//!     let sum = task.query().answer(Observations::new(&Points::new(&line, values)?))?;
//!     Ok(task.report(&sum)?)
//! };
//! let reports = vec![site(vec![0.5, 0.25])?, site(vec![0.75])?]; // two sites
//!
//! let [first, second] = keys.map(Aggregator::new);
//! let mut journals = [Journal::in_memory()?, Journal::in_memory()?];
//! let checked = [first.check(&task, &reports, &journals[0])?, second.check(&task, &reports, &journals[1])?];
//! let sums = [
//!     first.add_up(&task, &reports, &checked[1], &journals[0])?.with_noise(&mut journals[0])?,
//!     second.add_up(&task, &reports, &checked[0], &journals[1])?.with_noise(&mut journals[1])?,
//! ];
//! let Combined::Release(release) = combine(&task, &sums)? else { panic!("a mean on a line takes one round") };
//! println!("{release}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aggregator;
mod combined;
mod error;
mod files;
mod journal;
mod key;
mod noise;
mod report;
mod residue;
mod task;
#[cfg(test)]
mod tests;

pub use aggregator::{Aggregator, Checked, NoisyShare, SumOfShares};
pub use combined::{Combined, combine};
pub use error::{Error, Result};
pub use journal::Journal;
pub use key::{PublicKey, SecretKey, VerifyKey};
pub use report::Report;
pub use task::{Mode, Task};
