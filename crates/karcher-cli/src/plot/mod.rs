//! Pictures of releases and plans, and the page of a plan.

mod command;
mod file;
mod plan;
mod planner;
mod series;
mod sites;

pub use command::{Args, run};
pub use file::{Picture, draw_after};
pub use plan::draw_plan;
pub use planner::write_planner;
pub use series::SeriesPicture;
pub use sites::open_sites;
