//! How the cells of a column are read.

use crate::error::Result;
use crate::options::{Covariate, ReadOptions};

/// How the cells of a column are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Numbers,
    /// As numbers or dates.
    Dates,
    /// As texts, in a column of texts.
    Levels,
}

impl Kind {
    /// How many kinds there are.
    #[cfg(feature = "parquet")]
    pub(crate) const ALL: usize = 3;
}

/// The kind of each column of a file, up to the last that does not hold mere numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds(Vec<Kind>);

impl Kinds {
    /// Those of `columns` columns. The last `chosen` ones are the [covariates](ReadOptions::chosen).
    pub(crate) fn new(
        file: &str,
        options: &ReadOptions,
        (columns, names): (usize, Option<&[String]>),
        chosen: &[usize],
    ) -> Result<Self> {
        let dates = options.dates_selection()?.map(|dates| dates.resolve(file, columns, names)).transpose()?;
        let dates = dates.into_iter().flatten().map(|at| (at, Kind::Dates));
        let covariates = options.covariates.iter().rev().zip(chosen.iter().rev());
        let kind = |covariate: &Covariate| match (&covariate.levels, covariate.dates) {
            (Some(_), _) => Kind::Levels,
            (None, true) => Kind::Dates,
            (None, false) => Kind::Numbers,
        };
        let mut kinds = vec![];
        for (at, kind) in dates.chain(covariates.map(|(covariate, &at)| (at, kind(covariate)))) {
            kinds.resize(kinds.len().max(at + 1), Kind::Numbers);
            kinds[at] = kind;
        }
        Ok(Self(kinds))
    }

    /// The kind of a column of the file.
    pub(crate) fn of(&self, column: usize) -> Kind {
        self.0.get(column).copied().unwrap_or_default()
    }

    /// The columns of a kind, in the order of the file.
    pub(crate) fn columns(&self, kind: Kind) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(move |(_, of)| **of == kind).map(|(column, _)| column)
    }
}
