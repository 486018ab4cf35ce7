//! Files of records that are opened when their names of columns, or their records, are needed.

use crate::Failure;
use crate::input::Input;
use karcher::Manifold;
use karcher::manifold::Layout;
use karcher::release::Adjacency;
use karcher::spec::Score;
use karcher_io::{Covariate, Error, Factor, Like, Stream};
use std::cell::OnceCell;

/// Columns that are read in addition to the numbers of a record.
#[derive(Default)]
pub struct Extra<'a> {
    /// The predictor of a geodesic regression.
    pub predictor: Option<&'a str>,
    /// The covariates of a regression on features.
    pub covariates: Vec<Covariate>,
    /// Whether eight digits in these columns may be numbers and no dates.
    pub eight_digits_are_numbers: bool,
    /// The group that a record is in.
    pub group: Option<&'a str>,
    /// The columns of a score, whose rows are the records.
    pub scored: Option<Scored<'a>>,
}

/// The columns of a score.
#[derive(Clone, Copy)]
pub struct Scored<'a> {
    /// The score.
    pub score: &'a Score,
    /// The column of the actual values.
    pub label: &'a str,
    /// The column of the predicted ones.
    pub prediction: &'a str,
}

impl Scored<'_> {
    /// The columns as they are read: places of labels in the list, or numbers.
    pub fn columns(&self) -> [Covariate; 2] {
        let levels = self.score.is_of_labels().then(|| self.score.labels.clone());
        [self.label, self.prediction].map(|column| Covariate {
            column: column.to_owned(),
            levels: levels.clone(),
            dates: false,
        })
    }
}

/// The files, whose columns do not contradict the layout once they are opened.
pub struct Opened<'a> {
    pub input: &'a Input,
    pub adjacency: Adjacency,
    pub manifold: &'a dyn Manifold,
    pub extra: Extra<'a>,
    pub layout: Layout,
    /// What the file of a center says of its landmarks.
    pub center: OnceCell<Like>,
    pub stream: OnceCell<Stream>,
}

impl Opened<'_> {
    fn stream(&self) -> Result<&Stream, Failure> {
        if self.stream.get().is_none() {
            let center = self.center.get().cloned().unwrap_or_default();
            let stream = self.input.stream(self.adjacency, self.manifold, (&self.extra, &self.layout, center))?;
            let _ = self.stream.set(stream);
        }
        self.stream.get().ok_or_else(|| "the files are not open".into())
    }

    /// The files and the layout.
    pub fn into_stream(self) -> Result<(Stream, Layout), Failure> {
        self.stream()?;
        let Self { stream, layout, .. } = self;
        Ok((stream.into_inner().ok_or("the files are not open")?, layout))
    }

    /// What is wrong with a center, unless it is that the columns contradict the layout.
    pub fn or_columns(&self, of_center: Failure) -> Failure {
        let is_of_columns = |failure: &Failure| {
            let error = failure.downcast_ref::<Error>();
            let columns = |error: &Error| {
                matches!(
                    error,
                    Error::ColumnsSayOtherwise { .. } | Error::ShapeSaysOtherwise { .. } | Error::WrongColumns { .. }
                )
            };
            error.is_some_and(columns)
        };
        self.stream().err().filter(is_of_columns).unwrap_or(of_center)
    }

    /// What turns each number of a center that is typed like a record into the units of the space.
    fn units(&self) -> Result<Vec<f64>, Failure> {
        let factors = self.input.center_factors();
        match factors.iter().all(Factor::is_of_all) {
            true => Ok(vec![factors.iter().map(Factor::by).product(); self.layout.numbers()]),
            false => Ok(self.stream()?.factors(factors)?),
        }
    }

    /// The numbers of a center that is typed like a record, in the units of the space.
    pub fn in_units(&self, mut values: Vec<f64>) -> Result<Vec<f64>, Failure> {
        values.iter_mut().zip(self.units()?).for_each(|(x, unit)| *x *= unit);
        Ok(values)
    }

    /// Whether the units of records are those of the space.
    pub fn has_units_of_space(&self) -> bool {
        self.input.center_factors().iter().all(|factor| factor.by() == 1.0)
    }

    /// The unit that all numbers have.
    ///
    /// # Errors
    /// Where columns have units of their own.
    pub fn unit(&self) -> Result<f64, Failure> {
        let factors = self.input.center_factors();
        match factors.iter().all(Factor::is_of_all) {
            true => Ok(factors.iter().map(Factor::by).product()),
            false => Err("--center: the columns have units of their own: give the numbers of the center".into()),
        }
    }
}
