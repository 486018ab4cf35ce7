//! The laws of spaces, against the library as others link it.

mod counterexamples;
mod laws;
