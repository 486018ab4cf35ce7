//! `karcher components`: the private principal components of a file of records about their private mean.

use crate::Failure;
use crate::length::Length;
use crate::mean::Common;
use crate::spread_options;
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
    common: Common,
    /// Length to which logarithms at the private mean are shortened, like the radius. With twice the radius there is
    /// also an ellipsoid for the mean of the population. Default: the radius of the ball.
    #[arg(long, value_name = "C")]
    components_clip: Option<Length>,
    #[command(flatten)]
    spread: spread_options::Options,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.common.release(|spec| {
        args.spread.fill(spec)?;
        let space = spec.manifold()?.space().clone();
        let clip = args.components_clip.map(|clip| clip.on(&space, "--components-clip")).transpose()?;
        spec.components = Some(Components { clip });
        Ok(())
    })
}
