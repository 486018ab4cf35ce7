//! `--adjacency` and `--n-guess`: which data sets a release makes hard to tell apart.

use crate::Failure;
use crate::count;
use clap::ValueEnum;
use karcher::release::Adjacency;

/// Which data sets count as neighbours.
#[derive(clap::Args, Debug, Clone)]
pub struct Neighbours {
    /// Which data sets are to be hard to tell apart. With add-remove the number of records is confidential, too.
    #[arg(long, default_value = "replace-one", value_name = "WHICH")]
    adjacency: Which,
    /// With --adjacency add-remove: a public guess of the number of records, which the release is planned for. The
    /// guarantee does not depend on it. With --by one for all groups, or one for each: 500,20,80.
    #[arg(long, value_name = "N", value_parser = count::records, value_delimiter = ',')]
    n_guess: Vec<usize>,
}

/// The adjacency, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Those that differ in the value of one record. The number of records is public.
    ReplaceOne,
    /// Those of which one has a record more. The number of records is confidential.
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
    /// For what goes with a public number of records only.
    pub const REPLACE_ONE: Self = Self { adjacency: Which::ReplaceOne, n_guess: Vec::new() };

    /// For what needs no guess.
    pub const ADD_REMOVE: Self = Self { adjacency: Which::AddRemove, n_guess: Vec::new() };

    /// The adjacency.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency.into()
    }

    /// Whether the number of records is confidential.
    pub fn hide_the_number(&self) -> bool {
        self.adjacency == Which::AddRemove
    }

    /// Whether there is a guess.
    pub fn has_guess(&self) -> bool {
        !self.n_guess.is_empty()
    }

    /// The guess, where the number of records is confidential.
    pub fn guess(&self) -> Result<Option<usize>, Failure> {
        match self.guesses()? {
            [] => Ok(None),
            [guess] => Ok(Some(*guess)),
            several => {
                Err(format!("--n-guess has {} numbers: several are for the groups of --by", several.len()).into())
            }
        }
    }

    /// The guesses for so many groups.
    pub fn guesses_for(&self, groups: usize) -> Result<Vec<usize>, Failure> {
        match self.guesses()? {
            [guess] => Ok(vec![*guess; groups]),
            several if several.len() == groups => Ok(several.to_vec()),
            several => {
                let words = format!("--n-guess has {} numbers, and there are {groups} groups", several.len());
                Err(format!("{words}: give one for all of them, or one for each").into())
            }
        }
    }

    /// The guesses; none where the number of records is public.
    fn guesses(&self) -> Result<&[usize], Failure> {
        match (self.adjacency, &self.n_guess[..]) {
            (Which::ReplaceOne, []) => Ok(&[]),
            (Which::ReplaceOne, _) => {
                Err("--n-guess belongs to --adjacency add-remove: without it the number of records is public".into())
            }
            (Which::AddRemove, []) => Err("--n-guess is missing: with --adjacency add-remove the number of records \
                                           is confidential, so say about how many there may be, from what is public"
                .into()),
            (Which::AddRemove, guesses) => Ok(guesses),
        }
    }
}
