//! `karcher components`: the private principal components of a file of records about their private mean.

use crate::Failure;
use crate::fields::Takes;
use crate::mean::{CENTERS, CHOICES, Common};
use karcher::field::Field;
use karcher::release::StatisticName;
use karcher::spec::Components;

/// The private mean of the records in a file, and the directions of their largest variation about it.
///
/// The mean gets half of the budget; the second moment of the records' logarithms at it gets the other half. (With
/// --spread the two divide what the spread leaves.) The second moment is a symmetric matrix of d(d+1)/2 numbers, each
/// with noise, so it takes many records. The noise level is printed: a component below it is noise.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher components examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --mu 2")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    common: Common<OfComponents>,
}

/// What `karcher components` takes.
pub struct OfComponents;

impl Takes for OfComponents {
    const STATISTICS: &'static [StatisticName] = CENTERS;
    const CHOICES: &'static [StatisticName] = CHOICES;

    fn takes(field: &Field) -> bool {
        let is_apart = field.path == "components" || field.path.starts_with("groups");
        !is_apart && CENTERS.iter().any(|statistic| field.is_of(*statistic))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.common.release(|spec| {
        spec.components.get_or_insert(Components::default());
        Ok(())
    })
}
