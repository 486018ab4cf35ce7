//! A genuine release is not contradicted by its specification, and an edited one is.

mod bases;
mod edits;
mod genuine;
mod law;
mod leaves;
mod planted;
mod specs;
mod untrusted;
