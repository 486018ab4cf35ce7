//! Public features of covariates: a vector `φ(x)` of norm at most 1 for a regression (user guide, R5).
//!
//! A [`Term`] makes a block of numbers of one covariate. [`Features`] put an intercept and the blocks of all terms side
//! by side, each with the same weight:
//!
//! ```text
//! φ = (1, b₁, …, b_T)/√(T + 1),   ‖b_t‖ ≤ 1.
//! ```
//!
//! | term | block | why its norm is at most 1 |
//! | --- | --- | --- |
//! | `linear:age:20:80` | `s`, the covariate scaled to `[−1, 1]` | `\|s\| ≤ 1` |
//! | `poly:age:20:80:3` | Chebyshev polynomials `T₁(s), …, T₃(s)`, over `√3` | `\|T_k\| ≤ 1` |
//! | `spline:age:20:80:6` | the `6 + 2` cubic B-splines on 6 evenly spaced knots | none is negative, and their sum is 1 |
//! | `levels:sex:F,M` | 1 for the level of the record, 0 for the others and for "other" | one number is 1 |
//! | `product:TERM*TERM` | all products of a number of each | lengths multiply |
//!
//! A row depends on its own record and on public terms alone. A covariate beyond its range counts as the end of it, one
//! that is no number as the middle, and an unknown level as "other".
//!
//! A record of a regression on features is a point of the product of its space and `R^q`: the response and its row. So
//! records with features are read, grouped, streamed and summed as all others.

mod term;

pub use term::{Covariate, Term};

use crate::error::{Error, Result};
use crate::list::{split, unquoted};
use crate::manifold::{Euclidean, Manifold, Product};
use crate::points::{Points, PointsView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
pub use term::level_of;
use term::{MOST, refused};

/// Features of a regression: an intercept and the blocks of some terms, or a matrix with a row for each record.
///
/// In JSON they are a list of terms, or `{"matrix": q}` with the number of columns.
///
/// ```
/// use karcher::features::{Covariate, Features};
/// let features = Features::new(vec!["linear:age:20:80".parse()?, "levels:sex:F,M".parse()?])?;
/// let row = features.row(&|name| if name == "age" { Covariate::Number(80.0) } else { Covariate::Level("F") });
/// assert_eq!(features.names(), ["intercept", "age", "sex=F", "sex=M", "sex=other"]);
/// let third = f64::sqrt(1.0 / 3.0);
/// assert_eq!(row, [third, third, third, 0.0, 0.0]);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Features {
    terms: Vec<Term>,
    /// The columns of a matrix; without terms only.
    matrix: usize,
}

/// Features as they are written.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    /// The texts of terms, so that an error says what is wrong with one.
    Terms(Vec<String>),
    Matrix(OfMatrix),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMatrix {
    matrix: usize,
}

impl TryFrom<Written> for Features {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        match written {
            Written::Terms(terms) => Self::new(terms.iter().map(|term| term.parse()).collect::<Result<_>>()?),
            Written::Matrix(OfMatrix { matrix }) => Self::matrix(matrix),
        }
    }
}

impl From<Features> for Written {
    fn from(features: Features) -> Self {
        match features.matrix {
            0 => Written::Terms(features.terms.iter().map(Term::to_string).collect()),
            matrix => Written::Matrix(OfMatrix { matrix }),
        }
    }
}

/// A column of covariates. With levels, a record's number is the place of its level in the list; another level has the
/// number of levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CovariateColumn {
    /// The name of the column.
    pub name: String,
    /// The public levels, for a column of levels.
    pub levels: Option<Vec<String>>,
}

/// The level of all that are not listed.
const OTHER: &str = "other";

/// A value of a covariate, at which a regression predicts. In JSON it is a number or a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CovariateValue {
    /// A number.
    Number(f64),
    /// A level.
    Level(String),
}

/// Values of covariates from a text: `age=40,sex=F`. A name or a level with a comma or an equals sign is written in
/// double quotes.
///
/// # Errors
/// [`Error::Field`] for a part without a name or a value, and for a name that stands twice.
///
/// ```
/// use karcher::features::{CovariateValue, covariate_values};
/// let values = covariate_values("age=40, site=\"A,B\"")?;
/// assert_eq!(values["age"], CovariateValue::Number(40.0));
/// assert_eq!(values["site"], CovariateValue::Level("A,B".to_owned()));
/// assert!(covariate_values("age").is_err());
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn covariate_values(text: &str) -> Result<BTreeMap<String, CovariateValue>> {
    let refused = |reason: String| Err(Error::Field { name: "predict_at", reason });
    let mut values = BTreeMap::new();
    for part in split(text, ',') {
        let [name, value] = split(part, '=')[..] else {
            return refused(format!("has {part}: give a value for each column, age=40,sex=F"));
        };
        let (name, value) = (unquoted(name), unquoted(value));
        if name.is_empty() || value.is_empty() {
            return refused(format!("has {part}: give a value for each column, age=40,sex=F"));
        }
        if values.insert(name.clone(), CovariateValue::of(value)).is_some() {
            return refused(format!("has two values for {name}"));
        }
    }
    Ok(values)
}

impl CovariateValue {
    /// A number where the text is one, else a level.
    fn of(text: String) -> Self {
        match text.parse() {
            Ok(number) => CovariateValue::Number(number),
            Err(_) => CovariateValue::Level(text),
        }
    }
}

impl fmt::Display for CovariateValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CovariateValue::Number(x) => write!(f, "{x}"),
            CovariateValue::Level(level) => f.write_str(level),
        }
    }
}

impl Features {
    /// The features of some terms; without any, the intercept alone.
    ///
    /// # Errors
    /// [`Error::Field`] for a term of no meaning, a term given twice, and more than ten thousand features. Also for a
    /// column of both numbers and levels, or of two lists of levels.
    pub fn new(terms: Vec<Term>) -> Result<Self> {
        let terms = terms.into_iter().map(Term::checked).collect::<Result<Vec<_>>>()?;
        if let Some(i) = (1..terms.len()).find(|i| terms[..*i].contains(&terms[*i])) {
            return refused(&format!("{} is given twice: leave one out", terms[i]));
        }
        let features = Self { terms, matrix: 0 };
        match features.width() {
            width if width > MOST => refused(&format!("all terms have {MOST} features at most")),
            _ => {
                let columns = features.columns();
                match (1..columns.len()).find(|i| columns[..*i].iter().any(|c| c.name == columns[*i].name)) {
                    Some(i) => refused(&format!(
                        "the column {} is used in two ways: as numbers, or with one list of levels",
                        columns[i].name
                    )),
                    None => Ok(features),
                }
            }
        }
    }

    /// Rows of a matrix with so many columns. Rows longer than 1 will be shortened; none gets an intercept.
    ///
    /// # Errors
    /// [`Error::Field`] for no columns, and for more than ten thousand.
    ///
    /// ```
    /// use karcher::features::Features;
    /// assert_eq!(Features::matrix(3)?.names(), ["column 1", "column 2", "column 3"]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn matrix(columns: usize) -> Result<Self> {
        match columns {
            0 => refused("the matrix of features has no columns"),
            1..=MOST => Ok(Self { terms: vec![], matrix: columns }),
            _ => refused(&format!("a matrix of features has {MOST} columns at most")),
        }
    }

    /// Whether they are rows of a matrix.
    pub fn is_matrix(&self) -> bool {
        self.matrix > 0
    }

    /// Whether they are the intercept alone, which is the same for all records.
    pub fn is_constant(&self) -> bool {
        self.matrix == 0 && self.terms.is_empty()
    }

    /// The terms; none of a matrix.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The number of features, the intercept of terms among them.
    pub fn width(&self) -> usize {
        match self.matrix {
            0 => self.terms.iter().fold(1, |width, term| width.saturating_add(term.width())),
            columns => columns,
        }
    }

    /// The names of the features.
    pub fn names(&self) -> Vec<String> {
        match self.matrix {
            0 => std::iter::once("intercept".to_owned()).chain(self.terms.iter().flat_map(Term::names)).collect(),
            columns => (1..=columns).map(|j| format!("column {j}")).collect(),
        }
    }

    /// The row of a record, from its covariates by name: of norm at most 1, up to rounding.
    pub fn row<'a>(&self, of: &dyn Fn(&str) -> Covariate<'a>) -> Vec<f64> {
        let (blocks, weight) = (self.terms.iter().flat_map(|term| term.block(of)), self.weight());
        std::iter::once(1.0).chain(blocks).map(|x| weight * x).collect()
    }

    /// The weight of the intercept and of each block.
    pub(crate) fn weight(&self) -> f64 {
        (1.0 / (self.terms.len() as f64 + 1.0)).sqrt()
    }

    /// The norm of coefficients whose predictions reach the edge of a ball of radius 1: of the intercept of terms
    /// alone, or of rows that spread over all columns of a matrix.
    pub(crate) fn usual_norm(&self) -> f64 {
        match self.matrix {
            0 => 1.0 / self.weight(),
            columns => (columns as f64).sqrt(),
        }
    }

    /// The columns that the terms read, each once.
    ///
    /// ```
    /// use karcher::features::Features;
    /// let features = Features::new(vec!["poly:age:20:80:2".parse()?, "product:linear:age:20:80*levels:sex:F,M".parse()?])?;
    /// let names: Vec<String> = features.columns().into_iter().map(|column| column.name).collect();
    /// assert_eq!(names, ["age", "sex"]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn columns(&self) -> Vec<CovariateColumn> {
        let mut columns: Vec<CovariateColumn> = vec![];
        for column in self.terms.iter().flat_map(Term::covariates) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }

    /// The row of a record, from a number for each of its [`columns`](Features::columns).
    ///
    /// ```
    /// use karcher::features::Features;
    /// let features = Features::new(vec!["linear:age:20:80".parse()?, "levels:sex:F,M".parse()?])?;
    /// let third = f64::sqrt(1.0 / 3.0);
    /// assert_eq!(features.row_of(&[50.0, 1.0]), [third, 0.0, 0.0, third, 0.0]); // 50 years, M
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn row_of(&self, numbers: &[f64]) -> Vec<f64> {
        self.rows_of(numbers, 1)
    }

    /// The rows of `n` records, one after the other, from the numbers of each.
    ///
    /// ```
    /// use karcher::features::Features;
    /// let features = Features::new(vec!["linear:age:20:80".parse()?])?;
    /// let half = f64::sqrt(0.5);
    /// assert_eq!(features.rows_of(&[50.0, 80.0], 2), [half, 0.0, half, half]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn rows_of(&self, numbers: &[f64], n: usize) -> Vec<f64> {
        let columns = self.columns();
        let row = |i: usize| {
            let own = numbers.get(i * columns.len()..).unwrap_or_default();
            self.row(&|name| {
                let place = columns.iter().position(|column| column.name == name);
                let number = place.and_then(|place| own.get(place)).copied().unwrap_or(f64::NAN);
                match place.and_then(|place| columns[place].levels.as_ref()) {
                    Some(levels) if number >= 0.0 => {
                        levels.get(number as usize).map_or(Covariate::Number(f64::NAN), |level| Covariate::Level(level))
                    }
                    _ => Covariate::Number(number),
                }
            })
        };
        (0..n).flat_map(row).collect()
    }

    /// The row of covariates that a prediction is wanted for: a value for each column, by name.
    ///
    /// # Errors
    /// [`Error::Field`] for a column that is missing or that no term reads, and for a number that is not finite. Also
    /// for a level that is not listed; `other` stands for all of those.
    ///
    /// ```
    /// use karcher::features::{Features, covariate_values};
    /// let features = Features::new(vec!["linear:age:20:80".parse()?, "levels:sex:F,M".parse()?])?;
    /// assert_eq!(features.row_at(&covariate_values("age=50,sex=F")?)?, features.row_of(&[50.0, 0.0]));
    /// let error = features.row_at(&covariate_values("age=50")?).unwrap_err();
    /// assert_eq!(error.to_string(), "predict_at: lacks sex: give a value of each of age, sex");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn row_at(&self, values: &BTreeMap<String, CovariateValue>) -> Result<Vec<f64>> {
        let columns = self.columns();
        let names = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        let refused = |reason: String| Err(Error::Field { name: "predict_at", reason });
        if let Some(unknown) = values.keys().find(|name| columns.iter().all(|column| column.name != **name)) {
            return refused(format!("has {unknown}, which no term reads: give values of {names}"));
        }
        let mut numbers = vec![];
        for CovariateColumn { name, levels } in &columns {
            let value = values.get(name);
            numbers.push(match (value, levels) {
                (None, _) => return refused(format!("lacks {name}: give a value of each of {names}")),
                (Some(CovariateValue::Number(x)), None) if x.is_finite() => *x,
                (Some(value), None) => return refused(format!("has {value} for {name}, which takes a number")),
                (Some(value), Some(levels)) => {
                    let level = value.to_string();
                    match level_of(levels, &level) {
                        Some(place) => place as f64,
                        None if level == OTHER => levels.len() as f64,
                        None => {
                            let known = levels.join(", ");
                            return refused(format!("has {level} for {name}: its levels are {known} and {OTHER}"));
                        }
                    }
                }
            });
        }
        Ok(self.row_of(&numbers))
    }

    /// The space of records: responses in a space, each with its row.
    ///
    /// # Errors
    /// [`Error::Geometry`] for more than a million numbers in a point.
    ///
    /// ```
    /// use karcher::{features::Features, manifold::{Manifold, Sphere}};
    /// use std::sync::Arc;
    /// let space = Features::matrix(3)?.space_of_records(Arc::new(Sphere::new(2)?))?;
    /// assert_eq!(space.space().as_str(), "sphere:2*euclidean:3");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn space_of_records(&self, responses: Arc<dyn Manifold>) -> Result<Arc<dyn Manifold>> {
        Ok(Arc::new(Product::new(vec![responses, Arc::new(Euclidean::new(self.width())?)])?))
    }

    /// Records: each response with its row, of `rows` one after the other. A row with a number that is not finite
    /// becomes 0.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless there is a row for each response.
    ///
    /// ```
    /// use karcher::{Points, features::Features, manifold::Euclidean};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let responses = Points::new(&*line, vec![5.0, 6.0])?;
    /// let records = Features::matrix(2)?.records(line, responses.view(), &[1.0, 0.0, 0.0, 1.0])?;
    /// assert_eq!(records.view().values(), [5.0, 1.0, 0.0, 6.0, 0.0, 1.0]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn records(&self, space: Arc<dyn Manifold>, responses: PointsView<'_>, rows: &[f64]) -> Result<Points> {
        let (q, n, len) = (self.width(), responses.len(), responses.point_len());
        responses.check_space(space.space())?;
        if rows.len() != n * q {
            let requirement = format!("there must be a row of {q} for each of {n} records");
            return Err(Error::InvalidParameter { name: "number_of_features", value: rows.len() as f64, requirement });
        }
        let joint = self.space_of_records(space)?;
        let mut values = Vec::with_capacity(n * (len + q));
        for (response, row) in responses.iter().zip(rows.chunks_exact(q)) {
            values.extend_from_slice(response);
            let is_finite = row.iter().all(|x| x.is_finite());
            values.extend(row.iter().map(|x| if is_finite { *x } else { 0.0 }));
        }
        Ok(Points::unchecked(joint.space(), len + q, values))
    }
}
