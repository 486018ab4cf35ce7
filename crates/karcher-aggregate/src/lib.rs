//! Private statistics of records that no one collects (user guide, F1).
//!
//! The statistic is a sum of bounded integer vectors, with noise on it. Each [reporter](Task::report), a site with its own
//! records or a person with one, splits its vector into two shares by Prio3 (IETF, VDAF). Each of two [`Aggregator`]s adds
//! up one share of each reporter, and adds noise that is enough alone. [`combine`] adds the two results.
//!
//! ```
//! use karcher::{Points, ReleaseSpec, manifold::Euclidean, records::Observations};
//! use karcher_aggregate::{Aggregator, Combined, Journal, Mode, SecretKey, Task, VerifyKey, combine};
//! let spec: ReleaseSpec = serde_json::from_str(
//!     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "ball": {"center": [0.0], "radius": 1.0},
//!         "budget": {"definition": "gaussian", "mu": 1.0}, "trust": "one of two aggregators"}"#,
//! )?;
//! let task = Task::new(spec, 3, Mode::Sites, "example")?; // three records in all
//! let keys = [SecretKey::generate()?, SecretKey::generate()?];
//! let to = [keys[0].public(), keys[1].public()];
//! let line = Euclidean::new(1)?;
//! let site = |values: Vec<f64>| -> Result<_, Box<dyn std::error::Error>> {
//!     let sum = task.query()?.answer(Observations::new(&Points::new(&line, values)?))?;
//!     Ok(task.report(&sum, &to)?)
//! };
//! let reports = vec![site(vec![0.5, 0.25])?, site(vec![0.75])?]; // two sites
//!
//! let verify = VerifyKey::generate()?; // the aggregators know it, and no one else
//! let aggregators = keys.map(|key| Aggregator::new(key, verify.clone()));
//! let checked = [aggregators[0].check(&task, &reports)?, aggregators[1].check(&task, &reports)?];
//! let shares = [0, 1].map(|i| {
//!     aggregators[i].aggregate(&task, &reports, &checked[1 - i], &mut Journal::in_memory().unwrap()).unwrap()
//! });
//! let Combined::Release(release) = combine(&task, &shares)? else { panic!("a mean on a line takes one round") };
//! println!("{release}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aggregator;
mod combined;
mod error;
mod journal;
mod key;
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
