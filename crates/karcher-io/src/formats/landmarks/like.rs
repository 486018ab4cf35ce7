//! What files say of the order and the unit of their numbers, and must say alike.

use super::labels::Labels;
use crate::error::{Error, Result};
use crate::printable::printable;

/// Labels of landmarks, names of columns, and whether coordinates have a scale. Files that are read together, with a
/// template and a center, must not contradict each other in these. All of it is known before a statistic.
///
/// ```
/// use karcher_io::{ReadOptions, read_bytes};
/// let file = |label: &str| format!("# columns = x,y,z,label\n1,2,3,{label}\n4,5,6,bregma\n").into_bytes();
/// let atlas = read_bytes("atlas.fcsv", file("nasion"), &ReadOptions::default())?;
/// let options = ReadOptions { like: atlas.like().clone(), ..ReadOptions::default() };
/// assert!(read_bytes("a.fcsv", file("nasion"), &options).is_ok());
/// let error = read_bytes("a.fcsv", file("lambda"), &options).unwrap_err().to_string();
/// assert!(error.starts_with("a.fcsv: landmark 1 is labelled `lambda`, and `nasion` in atlas.fcsv"));
/// # Ok::<(), karcher_io::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Like {
    pub(crate) labels: Option<Labels>,
    /// Names of columns, and their file.
    pub(crate) names: Option<(Vec<String>, String)>,
    /// Whether specimens have `SCALE=`, and the file that says so.
    pub(crate) is_scaled: Option<(bool, String)>,
}

impl Like {
    /// The same where sizes do not matter, as that of a template.
    #[must_use]
    pub fn without_scale(&self) -> Self {
        Self { is_scaled: None, ..self.clone() }
    }

    /// This one, completed by what another says.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            labels: self.labels.or(other.labels),
            names: self.names.or(other.names),
            is_scaled: self.is_scaled.or(other.is_scaled),
        }
    }

    /// Refuses columns of `file` that have the names of these in another order.
    pub(crate) fn check_names(&self, file: &str, names: &[String]) -> Result<()> {
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        match &self.names {
            Some((others, of)) if others != names && sorted(others) == sorted(names) => {
                let at = names.iter().zip(others).position(|(a, b)| a != b).unwrap_or(0);
                let (column, found, other) = (at + 1, printable(&names[at]), printable(&others[at]));
                let reason = format!("column {column} is `{found}`, and `{other}` in {}", printable(of));
                Err(Error::OtherLabels { file: file.to_owned(), reason })
            }
            _ => Ok(()),
        }
    }

    /// Refuses labels of `file` that contradict these.
    pub(crate) fn check_labels(&self, file: &str, labels: Option<&Labels>) -> Result<()> {
        let found = labels.zip(self.labels.as_ref()).and_then(|(labels, of_others)| labels.contradiction(of_others));
        found.map_or(Ok(()), |reason| Err(Error::OtherLabels { file: file.to_owned(), reason }))
    }
}
