//! Covariates of a regression: columns that are read in addition to the numbers of a record.

use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::options::columns::{ColumnsBy, Selection, select};
use crate::options::levels::Levels;
use crate::table::Table;

/// A covariate of a regression: one column, apart from those of the record.
///
/// The cells of a column without levels are numbers, or dates in ISO 8601, which become [years](crate::decimal_year).
/// With levels, a cell becomes the number of its level: 0, 1, …. A cell of no level becomes the number of levels.
///
/// A cell is a level if both are the same [`Key`](crate::Key): the level `1` is also 1.0 and true. A cell is missing as
/// in any other column, but a word such as `none` is a level if it is listed.
///
/// ```
/// use karcher_io::{Covariate, ReadOptions, read_all_with_covariates};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.csv");
/// std::fs::write(&path, "sex,x,age\nM,1,30\nF,2,40\nunknown,3,50\n")?;
/// let age = Covariate { column: "age".to_owned(), levels: None, dates: false };
/// let sex = Covariate { column: "sex".to_owned(), levels: Some(vec!["F".to_owned(), "M".to_owned()]), dates: false };
/// let options = ReadOptions::default();
/// let (table, covariates) = read_all_with_covariates(&[path.to_string_lossy()], &[age, sex], &options)?;
/// assert_eq!(table.values, [1.0, 2.0, 3.0]);
/// assert_eq!(covariates, [30.0, 1.0, 40.0, 0.0, 50.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covariate {
    /// The column, by name or by number from 1. A name with a comma is written in double quotes.
    pub column: String,
    /// The public levels, if the cells are levels and not numbers.
    pub levels: Option<Vec<String>>,
    /// Whether the cells may be dates, among them numbers of eight digits. Leave it out of columns with such numbers.
    pub dates: bool,
}

impl Covariate {
    /// The column, which is one.
    pub(crate) fn selection(&self, by: Option<ColumnsBy>) -> Result<Selection> {
        let one = Selection::parse(&self.column)?.by(by);
        match one.len() {
            Some(1) => Ok(one),
            _ => Err(self.refuse(NOT_ONE)),
        }
    }

    pub(crate) fn levels(&self) -> Result<Option<Levels>> {
        self.levels.as_deref().map(Levels::new).transpose().map_err(|reason| self.refuse(&reason))
    }

    /// Its position in a file.
    fn at(&self, by: Option<ColumnsBy>, file: &str, columns: usize, names: Option<&[String]>) -> Result<usize> {
        match self.selection(by)?.resolve(file, columns, names)?[..] {
            [at] => Ok(at),
            _ => Err(self.refuse(NOT_ONE)), // the name of a list
        }
    }

    fn refuse(&self, reason: &str) -> Error {
        Error::InvalidSelection { selection: self.column.clone(), reason: reason.to_owned() }
    }
}

const NOT_ONE: &str = "the covariate must be one column";

/// The same error about a covariate that the caller calls a predictor.
pub(crate) fn of_predictor(error: Error) -> Error {
    match error {
        Error::InvalidSelection { selection, reason } => {
            Error::InvalidSelection { selection, reason: reason.replacen("the covariate", "the predictor", 1) }
        }
        other => other,
    }
}

impl ReadOptions {
    /// Options that read one number more of each record.
    pub(crate) fn with_predictor(&self, predictor: &str) -> Self {
        self.with_covariates(&[Covariate { column: predictor.to_owned(), levels: None, dates: true }])
    }

    pub(crate) fn with_covariates(&self, covariates: &[Covariate]) -> Self {
        Self { covariates: covariates.to_vec(), ..self.clone() }
    }

    /// Refuses covariates that no file can have.
    pub(crate) fn check_covariates(&self) -> Result<()> {
        self.covariates.iter().try_for_each(|covariate| {
            covariate.selection(self.columns_by)?;
            covariate.levels().map(drop)
        })
    }

    /// The columns that are read of `columns` ones: those of the record, which were selected or are all others, and
    /// then the covariates. That of the keys of persons is in place `person`, and none of them.
    pub(crate) fn chosen(
        &self,
        file: &str,
        (columns, names): (usize, Option<&[String]>),
        person: Option<usize>,
    ) -> Result<Vec<usize>> {
        let selected = select(file, self.selection()?.as_ref(), columns, names)?;
        let mut selected = self.without_person(selected, person)?;
        let mut places = vec![];
        for covariate in &self.covariates {
            let at = covariate.at(self.columns_by, file, columns, names)?;
            if person == Some(at) {
                let of = if self.groups { "groups (--by)" } else { "persons' keys" };
                return Err(covariate.refuse(&format!("the covariate is the column of the {of}")));
            }
            if self.columns.is_some() && selected.contains(&at) {
                let reason = "the covariate is among the columns of the records: leave it out of one of them";
                return Err(covariate.refuse(reason));
            }
            if places.contains(&at) {
                return Err(covariate.refuse("the covariate is listed twice: list each column once"));
            }
            places.push(at);
        }
        if self.covariates_only {
            return Ok(places);
        }
        selected.retain(|at| !places.contains(at));
        match &self.covariates[..] {
            [one] if selected.is_empty() => Err(one.refuse("it is the only column: the records need others")),
            [first, ..] if selected.is_empty() => {
                Err(first.refuse("the covariates are the only columns: the records need others"))
            }
            _ => Ok([selected, places].concat()),
        }
    }
}

/// The records and their covariates, which are the last `covariates` columns of a table.
pub(crate) fn apart(mut table: Table, covariates: usize) -> (Table, Vec<f64>) {
    let (read, kept) = (table.columns, table.columns.saturating_sub(covariates));
    if covariates == 0 {
        return (table, vec![]);
    }
    let mut numbers = Vec::with_capacity(table.rows * (read - kept));
    for row in 0..table.rows {
        let begin = row * read;
        numbers.extend_from_slice(&table.values[begin + kept..begin + read]);
        table.values.copy_within(begin..begin + kept, row * kept);
    }
    table.values.truncate(table.rows * kept);
    table.columns = kept;
    if let Some(names) = &mut table.names {
        names.truncate(kept);
    }
    (table, numbers)
}

#[cfg(test)]
mod tests;
