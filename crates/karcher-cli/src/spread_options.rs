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
    /// private mean, and the fraction of them outside the ball. It shows whether the records have a useful mean, and
    /// where the mean of the population is.
    #[arg(long)]
    spread: bool,
    /// Distance at which the distances of the spread are cut off, a length like the radius. Default: twice the radius
    /// of the ball.
    #[arg(long, value_name = "C", requires = "spread")]
    spread_clip: Option<Length>,
    /// Probability that the region holds the mean of the clipped records. The region is printed, and written as JSON.
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = number)]
    region: f64,
}

/// The probability of a region by default.
const REGION: f64 = 0.95;

impl Options {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--spread", self.spread),
            ("--spread-clip", self.spread_clip.is_some()),
            ("--region", self.region != REGION),
        ];
        given.into_iter().find_map(|(option, given)| given.then_some(option))
    }

    /// Fills in the spread and the region.
    pub fn fill(&self, spec: &mut ReleaseSpec) -> Result<(), Failure> {
        let space = spec.manifold()?.space().clone();
        let clip = self.spread_clip.map(|clip| clip.on(&space, "--spread-clip")).transpose()?;
        spec.spread = self.spread.then_some(Spread { clip });
        spec.region = Some(self.region).filter(|region| *region != REGION);
        Ok(())
    }
}
