//! `--spread` and `--region`: the spread about a private mean, and the region of it.

use crate::Failure;
use crate::length::Length;
use crate::options::number;
use karcher::ReleaseSpec;
use karcher::spec::Spread;

/// The options about spread and region.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Companion statistics")]
pub struct Options {
    /// Release the spread too, with a quarter of the budget: the root mean square distance of the records to the
    /// private mean, and the share of them that lies outside of the ball. It tells whether there is a mean worth the
    /// name, and where the mean of the population is.
    #[arg(long)]
    spread: bool,
    /// Where the distances of the spread are cut off, a length like the radius. Default: twice the radius of the ball.
    #[arg(long, value_name = "C", requires = "spread")]
    spread_clip: Option<Length>,
    /// The probability with which the region that is printed, and written as JSON, holds the mean of the clipped
    /// records.
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = number)]
    region: f64,
}

impl Options {
    /// Fills in the spread and the region.
    pub fn fill(&self, spec: &mut ReleaseSpec) -> Result<(), Failure> {
        let space = spec.manifold()?.space().clone();
        let clip = self.spread_clip.map(|clip| clip.on(&space, "--spread-clip")).transpose()?;
        spec.spread = self.spread.then_some(Spread { clip });
        spec.region = Some(self.region).filter(|region| *region != 0.95);
        Ok(())
    }
}
