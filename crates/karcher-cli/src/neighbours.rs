//! `--adjacency` and `--n-guess`: which data sets count as neighbours.

use crate::Failure;
use crate::whole_number;
use clap::ValueEnum;
use karcher::ReleaseSpec;
use karcher::release::Adjacency;

/// Which data sets count as neighbours.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "Neighbouring data sets")]
pub struct Neighbours {
    /// Pairs of data sets that the guarantee makes hard to distinguish. With add-remove the number of records is
    /// confidential, too.
    #[arg(long, default_value = "replace-one", value_name = "WHICH")]
    adjacency: Which,
    /// Public guess of the number of records, with --adjacency add-remove. The release is planned for it; the guarantee
    /// does not depend on it. With --by, one guess for all groups, or one for each: 500,20,80.
    #[arg(long, value_name = "N", value_parser = whole_number::records, value_delimiter = ',')]
    pub n_guess: Vec<usize>,
}

/// The adjacency, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Pairs that differ in the value of one record. The number of records is public.
    ReplaceOne,
    /// Pairs in which one has a record more. The number of records is confidential.
    AddRemove,
}

impl From<Which> for Adjacency {
    fn from(which: Which) -> Self {
        match which {
            Which::ReplaceOne => Adjacency::ReplaceOne,
            Which::AddRemove => Adjacency::AddRemove,
        }
    }
}

impl Neighbours {
    /// The adjacency.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency.into()
    }

    /// Fills in the adjacency, and the guess of a release without groups.
    pub fn fill(&self, spec: &mut ReleaseSpec) -> Result<(), Failure> {
        spec.adjacency = self.adjacency();
        spec.n_guess = match self.n_guess[..] {
            [] => None,
            [guess] => Some(guess),
            ref several => {
                let words = format!("--n-guess has {} numbers: several are for the groups of --by", several.len());
                return Err(words.into());
            }
        };
        Ok(())
    }
}
