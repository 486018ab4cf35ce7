//! Pictures of releases, from `--plot` and by themselves.

mod command;
mod file;
mod plan;

pub use command::{Args, run};
pub use file::{Picture, draw_after};
pub use plan::draw_plan;
