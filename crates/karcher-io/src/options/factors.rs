//! Public constants that numbers are multiplied by, for units.

use crate::error::{Error, Result};
use crate::options::columns::{find, trim_name};
use std::fmt;
use std::str::FromStr;

/// A constant that multiplies all numbers of a record, `1000`, or those of one column, `hour=15`.
///
/// ```
/// use karcher_io::{ConvertOptions, ReadOptions, layout, read_bytes, to_points};
/// let space: karcher::Space = "torus:1*euclidean:1".parse()?;
/// let manifold = space.manifold()?;
/// let table = read_bytes("a.csv", b"hour,temp\n6,20\n".to_vec(), &ReadOptions::default())?;
/// let options = ConvertOptions { multiply_by: vec!["hour=15".parse()?], ..Default::default() };
/// let points = to_points(table, &manifold, &layout(&manifold, Some("degrees*vectors"))?, &options)?;
/// assert_eq!(points.view().values(), [std::f64::consts::FRAC_PI_2, 20.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    column: Option<String>,
    by: f64,
}

impl Factor {
    /// A constant that multiplies all numbers.
    ///
    /// # Errors
    /// [`Error::InvalidFactor`] for 0 and what is not finite.
    pub fn of_all(by: f64) -> Result<Self> {
        match by.is_finite() && by != 0.0 {
            true => Ok(Self { column: None, by }),
            false => Err(Error::InvalidFactor { value: by }),
        }
    }

    /// Whether it multiplies all numbers.
    pub fn is_of_all(&self) -> bool {
        self.column.is_none()
    }

    /// The constant.
    pub fn by(&self) -> f64 {
        self.by
    }

    /// The factor of each column.
    pub(crate) fn of_columns(
        factors: &[Self],
        file: &str,
        columns: usize,
        names: Option<&[String]>,
    ) -> Result<Vec<f64>> {
        let mut product = vec![1.0; columns];
        for Self { column, by } in factors {
            let meant = match column {
                Some(name) => find(file, columns, names, name)?,
                None => 0..columns,
            };
            product[meant].iter_mut().for_each(|x| *x *= by);
        }
        match product.iter().find(|x| !x.is_finite() || **x == 0.0) {
            Some(value) => Err(Error::InvalidFactor { value: *value }),
            None => Ok(product),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{column}={}", self.by),
            None => self.by.fmt(f),
        }
    }
}

impl FromStr for Factor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (column, number) = match text.rsplit_once('=') {
            Some((column, number)) => (Some(trim_name(column).to_owned()), number),
            None => (None, text),
        };
        let by = number.trim().parse().ok().filter(|_| column.as_ref().is_none_or(|name| !name.is_empty()));
        let by = by.ok_or_else(|| Error::UnreadableFactor { text: text.to_owned() })?;
        Ok(Self { column, ..Self::of_all(by)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(factors: &[&str], names: &[&str]) -> Result<Vec<f64>> {
        let factors: Vec<Factor> = factors.iter().map(|text| text.parse().unwrap()).collect();
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Factor::of_columns(&factors, "f.csv", names.len(), Some(&names))
    }

    #[test]
    fn factors_of_all_and_of_a_column_are_multiplied() {
        assert_eq!(of(&[], &["a", "b"]), Ok(vec![1.0, 1.0]));
        assert_eq!(of(&["2", "b=15"], &["a", "b"]), Ok(vec![2.0, 30.0]));
        assert_eq!(of(&["a = -0.5", "a=b=3"], &["a", "a=b"]), Ok(vec![-0.5, 3.0]));
        assert_eq!(of(&["x=2"], &["x[0]", "x[1]", "y"]), Ok(vec![2.0, 2.0, 1.0]));
    }

    #[test]
    fn factors_of_nothing_are_refused() {
        assert!(matches!(of(&["c=2"], &["a", "b"]), Err(Error::UnknownColumn { .. })));
        let factor = [Factor { column: Some("a".to_owned()), by: 2.0 }];
        assert!(matches!(Factor::of_columns(&factor, "f.csv", 1, None), Err(Error::NoColumnNames { .. })));
        assert!(matches!(of(&["1e300", "1e300"], &["a"]), Err(Error::InvalidFactor { .. })));
        for text in ["0", "a=inf", "nan"] {
            assert!(matches!(text.parse::<Factor>(), Err(Error::InvalidFactor { .. })), "{text}");
        }
        for text in ["", "x", "=2", "a=", "a=b"] {
            assert!(matches!(text.parse::<Factor>(), Err(Error::UnreadableFactor { .. })), "{text}");
        }
    }
}
