//! `--by COLUMN --groups A,B,C`: the private mean of each group, every one with the whole budget (user guide, U3).

use crate::neighbours::Neighbours;
use karcher::ReleaseSpec;
use karcher::spec::GroupsSpec;

/// Which groups there are.
#[derive(clap::Args)]
#[command(next_help_heading = "Groups")]
pub struct By {
    /// Release the mean of every group of --groups: the column that says which group a record is in, by name or number
    /// from 1; in an .npz file the name of an array. Every group has the whole budget, because a record is in one
    /// group at most; so it takes --adjacency add-remove, and --n-guess is about the number of records of a group.
    #[arg(long, value_name = "COLUMN", requires = "groups")]
    by: Option<String>,
    /// The groups of --by: a public list, and not what the column happens to hold. Records in no group of the list are
    /// left out, and nothing says how many; a group without records is released like any other.
    #[arg(long, value_name = "A,B,C", requires = "by", allow_hyphen_values = true)]
    groups: Option<String>,
}

impl By {
    /// Fills in the groups, if there are any.
    pub fn fill(&self, spec: &mut ReleaseSpec, neighbours: &Neighbours) {
        if let (Some(by), Some(groups)) = (&self.by, &self.groups) {
            spec.groups = Some(GroupsSpec::new(by, groups, &neighbours.n_guess));
        }
    }
}
