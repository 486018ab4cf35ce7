//! Files of records whose names of columns are known, and no record is.

use crate::Failure;
use karcher::manifold::Layout;
use karcher_io::Stream;

/// What is read beside the numbers of a record.
#[derive(Clone, Copy)]
pub enum Extra<'a> {
    Nothing,
    /// A predictor, where eight digits may be numbers and no date.
    Predictor {
        column: &'a str,
        eight_digits_are_numbers: bool,
    },
    /// The group that a record is in.
    Group {
        column: &'a str,
    },
}

/// The files, opened, with columns that do not contradict the layout.
pub struct Opened {
    pub stream: Stream,
    pub layout: Layout,
    /// What turns each number of a center that is typed like a record into the units of the space.
    pub units: Vec<f64>,
}

impl Opened {
    /// The numbers of a center that is typed like a record, in the units of the space.
    pub fn in_units(&self, mut values: Vec<f64>) -> Vec<f64> {
        values.iter_mut().zip(&self.units).for_each(|(x, unit)| *x *= unit);
        values
    }

    /// Whether the units of records are those of the space.
    pub fn has_units_of_space(&self) -> bool {
        self.units.iter().all(|unit| *unit == 1.0)
    }

    /// The unit that all numbers have.
    ///
    /// # Errors
    /// Where columns have units of their own.
    pub fn unit(&self) -> Result<f64, Failure> {
        match self.units.split_first() {
            Some((first, others)) if others.iter().all(|unit| unit == first) => Ok(*first),
            Some(_) => Err("--center: the columns have units of their own: give the numbers of the center".into()),
            None => Ok(1.0),
        }
    }
}
