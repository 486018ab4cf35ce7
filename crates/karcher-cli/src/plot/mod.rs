//! Pictures of releases, from `--plot` and by themselves.

mod command;
mod file;

pub use command::{Args, run};
pub use file::{Picture, draw_after};
