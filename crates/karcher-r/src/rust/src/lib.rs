//! The compiled half of the R package `karcher`: lists and numbers in, a release as JSON out. Everything that a user
//! sees, and its documentation, is in R.
//!
//! R starts a [`job`] in threads of this crate and asks for its result until there is one, so that R itself hears
//! interrupts. No code of R runs in those threads, and no panic leaves them.

mod failure;
mod job;
mod ledger;
mod names;
mod picture;
mod plan;
mod predict;
mod records;
mod release;
mod specification;
mod tree;

use extendr_api::prelude::*;

extendr_module! {
    mod karcher;
    use job;
}
