//! Privacy accounting: a ledger counts the budget that releases about one data set spend.
//!
//! A [`Ledger`] is one SQLite file. It has a total in one definition of privacy, and refuses a release that would
//! exceed it ([`Filter`](karcher::privacy::Filter)). Every release is **reserved before its noise is drawn**, in one
//! transaction that is on the disk when it returns. A program killed at any moment may have counted a release that it
//! never made, but never the reverse. Any number of processes may share a file.
//!
//! Nothing in the file depends on the records: an entry is written before any noise is drawn.
//!
//! ```
//! use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
//! use karcher::{privacy::Guarantee, sampler::Generator};
//! use karcher_ledger::Ledger;
//! use std::sync::Arc;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("budget.db");
//! let ledger = Ledger::create(&path, "trial of 2026", Guarantee::pure(1.0)?)?;
//!
//! let line = Arc::new(Euclidean::new(1)?);
//! let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
//! let plan = Request::new(mean, 100, Guarantee::pure(0.75)?).plan()?;
//! let reservation = ledger.reservation(&plan.summary().event())?;
//! let release = plan.run(&Points::new(&*line, vec![0.2; 100])?, &mut ReleaseContext::new(reservation, Generator::from_os()?))?;
//! ledger.released(&release)?;
//!
//! let refused = ledger.reservation(&plan.summary().event()).unwrap_err().to_string();
//! assert!(refused.ends_with("requested epsilon 0.75, spent epsilon 0.75 of 1.0, left epsilon 0.25"), "{refused}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod book;
mod chain;
mod error;
mod foreign;
mod ledger;
mod mark;
mod reconciliation;
mod store;

/// What the journals of aggregators have in common with ledgers: the chain of hashes, the mark, the identity of a file.
#[doc(hidden)]
pub mod file {
    pub use crate::chain::{START, link};
    pub use crate::mark::{Mark, advance, check};
    pub use crate::store::{Home, home};
}

pub use book::{Book, Entry, Status};
pub use error::{Error, Result};
pub use foreign::{ForeignRelease, Imported};
pub use ledger::Ledger;
pub use reconciliation::{NotGiven, Reconciliation};
