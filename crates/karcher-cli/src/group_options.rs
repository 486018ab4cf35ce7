//! `--by COLUMN --groups A,B,C`: the private mean of each group, every one with the whole budget (user guide, U3).

use crate::Failure;
use crate::neighbours::Neighbours;
use karcher::ReleaseSpec;
use karcher::spec::GroupsSpec;

/// Which groups there are.
#[derive(clap::Args)]
#[command(next_help_heading = "Groups")]
pub struct By {
    /// Column of the groups, by name or number from 1; in an .npz file the name of an array. The statistic of every
    /// group in --groups is released. Every group has the whole budget, because a record is in one group at most. It
    /// requires --adjacency add-remove; --n-guess is the number of records of a group.
    #[arg(long, value_name = "COLUMN", requires = "groups")]
    by: Option<String>,
    /// Groups to release, a public list that does not depend on the column: F,M or '"Korea, South",Japan'. Records in
    /// other groups are left out, and their number is not released. A group without records is released like any other.
    #[arg(long, value_name = "A,B,C", requires = "by", allow_hyphen_values = true)]
    groups: Option<String>,
}

impl By {
    /// Fills in the groups, if there are any.
    pub fn fill(&self, spec: &mut ReleaseSpec, neighbours: &Neighbours) -> Result<(), Failure> {
        if let (Some(by), Some(groups)) = (&self.by, &self.groups) {
            spec.groups = Some(GroupsSpec::new(by, groups, &neighbours.n_guess)?);
        }
        Ok(())
    }
}
