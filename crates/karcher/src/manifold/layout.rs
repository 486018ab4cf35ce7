//! How points are written down: coordinates, units, triangles of matrices.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

type Read = Arc<dyn Fn(&[f64]) -> Result<Vec<f64>, String> + Send + Sync>;
type Write = Arc<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;

/// One way to write a point of a space down, by name: `latlon`, `upper-row`, `poincare`.
///
/// A space declares its layouts ([`Manifold::layouts`](crate::Manifold::layouts)), the one of its own numbers first.
#[derive(Clone)]
pub struct Layout {
    name: Cow<'static, str>,
    numbers: usize,
    columns: Vec<&'static str>,
    read: Read,
    write: Write,
}

impl Layout {
    /// The numbers of a point as they are.
    pub fn plain(name: impl Into<Cow<'static, str>>, numbers: usize) -> Self {
        Self::new(name, numbers, |record| Ok(record.to_vec()), <[f64]>::to_vec)
    }

    /// A layout of `numbers` numbers. `read` makes a point of them, or says in a sentence why it cannot; `write` is its
    /// inverse. Numbers that `read` gets are finite; what it makes is checked elsewhere.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        numbers: usize,
        read: impl Fn(&[f64]) -> Result<Vec<f64>, String> + Send + Sync + 'static,
        write: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), numbers, columns: vec![], read: Arc::new(read), write: Arc::new(write) }
    }

    /// The same layout, whose numbers have names: `latitude`, `longitude`.
    #[must_use]
    pub fn columns(self, columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), ..self }
    }

    /// The layout's name, as on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Numbers in a record.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// The names of the numbers, where they have some.
    pub fn column_names(&self) -> &[&'static str] {
        &self.columns
    }

    /// The point that a record holds, or why it holds none.
    ///
    /// # Errors
    /// A sentence.
    pub fn read(&self, record: &[f64]) -> Result<Vec<f64>, String> {
        (self.read)(record)
    }

    /// The record that holds a point.
    pub fn write(&self, point: &[f64]) -> Vec<f64> {
        (self.write)(point)
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} numbers)", self.name, self.numbers)
    }
}
