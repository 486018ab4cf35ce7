//! Terms: blocks of features of a covariate, of norm at most 1.

use super::CovariateColumn;
use super::OTHER;
use crate::PredictorRange;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::list::{items, quoted, split, unquoted};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What separates the parts of a term.
const SEPARATORS: &[char] = &[':', '*', ','];

/// A covariate of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Covariate<'a> {
    /// A number; NaN where it is missing.
    Number(f64),
    /// A level, as it is written.
    Level(&'a str),
}

/// A block of features, of norm at most 1. Its text is one of the table of this module.
///
/// ```
/// use karcher::features::{Covariate, Term};
/// let age: Term = "spline:age:20:80:6".parse()?;
/// assert_eq!((age.width(), age.columns()), (8, vec!["age"]));
/// let both: Term = "product:linear:age:20:80*levels:sex:F,M".parse()?;
/// let of = |name: &str| if name == "age" { Covariate::Number(65.0) } else { Covariate::Level("M") };
/// assert_eq!(both.block(&of), [0.0, 0.5, 0.0]); // of F, M and other
/// assert_eq!(both.to_string(), "product:linear:age:20:80*levels:sex:F,M");
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Term {
    /// `linear:COLUMN:LOW:HIGH`.
    Linear(String, PredictorRange),
    /// `poly:COLUMN:LOW:HIGH:DEGREE`.
    Poly(String, PredictorRange, usize),
    /// `spline:COLUMN:LOW:HIGH:KNOTS`, the ends of the range among the knots.
    Spline(String, PredictorRange, usize),
    /// `levels:COLUMN:LEVEL,LEVEL`.
    Levels(String, Vec<String>),
    /// `product:TERM*TERM`.
    Product(Vec<Term>),
}

/// The features of a block at most.
pub(super) const MOST: usize = 10_000;

/// The degree of splines.
const DEGREE: usize = 3;

impl Term {
    /// The number of features.
    pub fn width(&self) -> usize {
        match self {
            Term::Linear(..) => 1,
            Term::Poly(_, _, degree) => *degree,
            Term::Spline(_, _, knots) => knots + DEGREE - 1,
            Term::Levels(_, levels) => levels.len() + 1,
            Term::Product(terms) => terms.iter().fold(1, |width, term| width.saturating_mul(term.width())),
        }
    }

    /// The columns that it reads.
    pub fn columns(&self) -> Vec<&str> {
        match self {
            Term::Linear(column, _) | Term::Poly(column, ..) | Term::Spline(column, ..) | Term::Levels(column, _) => {
                vec![column]
            }
            Term::Product(terms) => terms.iter().flat_map(Term::columns).collect(),
        }
    }

    /// The ranges of the columns of numbers that it reads, by their names.
    ///
    /// ```
    /// use karcher::features::Term;
    /// let both: Term = "product:linear:age:20:80*levels:sex:F,M".parse()?;
    /// let ranges = both.ranges();
    /// assert_eq!((ranges.len(), ranges[0].0, ranges[0].1.high()), (1, "age", 80.0));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn ranges(&self) -> Vec<(&str, PredictorRange)> {
        match self {
            Term::Linear(column, range) | Term::Poly(column, range, _) | Term::Spline(column, range, _) => {
                vec![(column, *range)]
            }
            Term::Levels(..) => vec![],
            Term::Product(terms) => terms.iter().flat_map(Term::ranges).collect(),
        }
    }

    /// The columns that it reads, with their levels.
    pub(super) fn covariates(&self) -> Vec<CovariateColumn> {
        match self {
            Term::Product(terms) => terms.iter().flat_map(Term::covariates).collect(),
            Term::Levels(column, levels) => {
                vec![CovariateColumn { name: column.clone(), levels: Some(levels.clone()) }]
            }
            Term::Linear(column, _) | Term::Poly(column, ..) | Term::Spline(column, ..) => {
                vec![CovariateColumn { name: column.clone(), levels: None }]
            }
        }
    }

    /// The names of its features.
    ///
    /// ```
    /// use karcher::features::Term;
    /// let sex: Term = "levels:sex:F,M".parse()?;
    /// assert_eq!(sex.names(), ["sex=F", "sex=M", "sex=other"]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn names(&self) -> Vec<String> {
        let numbered =
            |letter: &str, column: &str| (1..=self.width()).map(|k| format!("{letter}{k}({column})")).collect();
        match self {
            Term::Linear(column, _) => vec![column.clone()],
            Term::Poly(column, ..) => numbered("T", column),
            Term::Spline(column, ..) => numbered("B", column),
            Term::Levels(column, levels) => {
                let levels = levels.iter().map(String::as_str).chain([OTHER]);
                levels.map(|level| format!("{column}={level}")).collect()
            }
            Term::Product(terms) => {
                let all = terms.iter().map(Term::names);
                let of_two = |a: Vec<String>, b: Vec<String>| pairs(&a, &b, |a, b| format!("{a}*{b}"));
                all.reduce(of_two).unwrap_or_default()
            }
        }
    }

    /// The block of a record, from its covariates by name.
    pub fn block<'a>(&self, of: &dyn Fn(&str) -> Covariate<'a>) -> Vec<f64> {
        // from −1 to 1
        let scaled = |column: &str, range: &PredictorRange| match of(column) {
            Covariate::Number(x) if !x.is_nan() => (2.0 * range.scaled(x)).clamp(-1.0, 1.0),
            _ => 0.0,
        };
        match self {
            Term::Linear(column, range) => vec![scaled(column, range)],
            Term::Poly(column, range, degree) => chebyshev(scaled(column, range), *degree),
            Term::Spline(column, range, knots) => splines(scaled(column, range), *knots),
            Term::Levels(column, levels) => {
                let own = match of(column) {
                    Covariate::Level(name) => level_of(levels, name),
                    Covariate::Number(_) => None,
                };
                let place = own.unwrap_or(levels.len());
                (0..=levels.len()).map(|j| f64::from(u8::from(j == place))).collect()
            }
            Term::Product(terms) => {
                let all = terms.iter().map(|term| term.block(of));
                all.reduce(|a, b| pairs(&a, &b, |a, b| a * b)).unwrap_or_default()
            }
        }
    }

    /// The differences that the term can make between records, as blocks: without "other", and without what all records
    /// have in common.
    pub(crate) fn contrasts(&self) -> Vec<Vec<f64>> {
        let width = self.width();
        let kept: Vec<usize> = self.is_listed().iter().enumerate().filter_map(|(j, own)| own.then_some(j)).collect();
        let unit = |j: usize, against: Option<usize>| {
            let mut block = vec![0.0; width];
            block[j] = 1.0;
            against.into_iter().for_each(|i| block[i] = -1.0);
            block
        };
        match kept[..] {
            // against "other"
            [only] if self.sums_to_one() => vec![unit(only, Some(width - 1).filter(|last| *last != only))],
            [first, ref rest @ ..] if self.sums_to_one() => rest.iter().map(|j| unit(*j, Some(first))).collect(),
            _ => kept.iter().map(|j| unit(*j, None)).collect(),
        }
    }

    /// Whether each feature belongs to listed levels alone.
    fn is_listed(&self) -> Vec<bool> {
        match self {
            Term::Levels(_, levels) => (0..=levels.len()).map(|j| j < levels.len()).collect(),
            Term::Product(terms) => {
                let all = terms.iter().map(Term::is_listed);
                all.reduce(|a, b| pairs(&a, &b, |a, b| *a && *b)).unwrap_or_default()
            }
            _ => vec![true; self.width()],
        }
    }

    /// Whether the numbers of a block sum to 1, whatever the record is.
    fn sums_to_one(&self) -> bool {
        match self {
            Term::Linear(..) | Term::Poly(..) => false,
            Term::Spline(..) | Term::Levels(..) => true,
            Term::Product(terms) => terms.iter().all(Term::sums_to_one),
        }
    }

    /// What changes from one level to another, and from one end of a range to the other: two values, and the difference
    /// of their blocks.
    pub(crate) fn effects(&self) -> Vec<(String, String, Vec<f64>)> {
        let difference = |from: Covariate<'_>, to: Covariate<'_>| -> Vec<f64> {
            let [from, to] = [from, to].map(|covariate| self.block(&|_| covariate));
            to.iter().zip(from).map(|(to, from)| to - from).collect()
        };
        match self {
            Term::Linear(_, range) | Term::Poly(_, range, _) | Term::Spline(_, range, _) => {
                let [from, to] = [range.low(), range.high()];
                vec![(from.to_string(), to.to_string(), difference(Covariate::Number(from), Covariate::Number(to)))]
            }
            Term::Levels(_, levels) => {
                let against = |to: &String| {
                    (levels[0].clone(), to.clone(), difference(Covariate::Level(&levels[0]), Covariate::Level(to)))
                };
                levels.iter().skip(1).map(against).collect()
            }
            Term::Product(_) => vec![],
        }
    }

    /// Rejects what has no meaning.
    pub(super) fn checked(self) -> Result<Self> {
        if let Term::Product(terms) = &self {
            terms.iter().try_for_each(|term| term.clone().checked().map(drop))?;
        }
        match &self {
            _ if self.covariates().iter().any(|column| column.name.is_empty()) => {
                refused("a column has no name: linear:age:20:80")
            }
            Term::Levels(column, levels) if levels.is_empty() => {
                refused(&format!("{column} has no levels: levels:sex:F,M"))
            }
            Term::Poly(_, _, degree) if *degree == 0 => refused("the degree of a polynomial is 0: poly:age:20:80:3"),
            Term::Spline(_, _, knots) if *knots < 2 => {
                refused("a spline has too few knots: 2 or more, the ends among them")
            }
            Term::Levels(_, levels) if levels.iter().any(|level| Key::of(level).is_none()) => {
                refused("a level is empty: levels:sex:F,M")
            }
            Term::Levels(_, levels) if levels.iter().any(|level| level == OTHER) => {
                refused("a level is called other, which is the name of all levels that are not listed: leave it out")
            }
            Term::Levels(_, levels) if levels.len() == 1 && levels[0].contains(';') => {
                refused("the only level has a semicolon: separate levels by commas, levels:sex:F,M")
            }
            Term::Levels(column, levels) => match Key::repeated(levels.iter().map(String::as_str)) {
                Some((first, again)) if first == again => {
                    refused(&format!("the level {again} of {column} is listed twice"))
                }
                Some((first, again)) => refused(&format!("the levels {first} and {again} of {column} are the same")),
                None => Ok(self),
            },
            Term::Product(terms) if terms.len() < 2 => refused("a product has too few terms: product:TERM*TERM"),
            Term::Product(terms) if terms.iter().any(|term| matches!(term, Term::Product(_))) => {
                refused("a product has a product for a term: list all of its terms")
            }
            _ if self.width() > MOST => refused(&format!("a term has {MOST} features at most")),
            _ => Ok(self),
        }
    }
}

/// The place of a level in a list, by its [`Key`]: 1 and 1.0 are the same, and 1 and true.
///
/// ```
/// use karcher::features::level_of;
/// let levels = ["0".to_owned(), "1".to_owned()];
/// assert_eq!((level_of(&levels, "1.0"), level_of(&levels, "False"), level_of(&levels, "2")), (Some(1), Some(0), None));
/// ```
pub fn level_of(levels: &[String], text: &str) -> Option<usize> {
    let key = Key::of(text)?;
    levels.iter().position(|level| Key::of(level).as_ref() == Some(&key))
}

/// `f` of each of `a` with each of `b`.
fn pairs<T, R>(a: &[T], b: &[T], f: impl Fn(&T, &T) -> R) -> Vec<R> {
    a.iter().flat_map(|a| b.iter().map(|b| f(a, b)).collect::<Vec<R>>()).collect()
}

pub(super) fn refused<T>(reason: &str) -> Result<T> {
    Err(Error::Field { name: "term", reason: reason.to_owned() })
}

/// `T₁(s), …, T_k(s)` over `√k`.
fn chebyshev(s: f64, degree: usize) -> Vec<f64> {
    let angle = s.acos();
    (1..=degree).map(|k| (k as f64 * angle).cos() / (degree as f64).sqrt()).collect()
}

/// The cubic B-splines on evenly spaced knots from −1 to 1, by the recursion of Cox and de Boor. Their knots go on
/// beyond the ends.
fn splines(s: f64, knots: usize) -> Vec<f64> {
    let mut values = vec![0.0; knots + DEGREE - 1];
    // in units of the distance of two knots, from the first
    let u = 0.5 * (s + 1.0) * (knots - 1) as f64;
    let piece = (u as usize).min(knots - 2);
    let t = u - piece as f64;
    // those that are not 0 on this piece; of degree k they are k + 1
    let own = &mut values[piece..=piece + DEGREE];
    own[0] = 1.0;
    for k in 1..=DEGREE {
        let mut left = 0.0;
        for (j, value) in own.iter_mut().take(k).enumerate() {
            let share = *value / k as f64;
            *value = left + ((j + 1) as f64 - t) * share;
            left = (t + (k - 1 - j) as f64) * share;
        }
        own[k] = left;
    }
    values
}

impl FromStr for Term {
    type Err = Error;

    /// A name with a colon, a comma or a star is written in double quotes.
    fn from_str(text: &str) -> Result<Self> {
        if let Some(terms) = text.trim().strip_prefix("product:") {
            let terms: Result<Vec<Term>> = split(terms, '*').into_iter().map(str::parse).collect();
            return Term::Product(terms?).checked();
        }
        let range = |low: &str, high: &str| match (low.trim().parse(), high.trim().parse()) {
            (Ok(low), Ok(high)) => PredictorRange::new(low, high).or_else(|_| {
                refused(&format!("the range is {low}:{high}: the lower end comes first, and no end is beyond 1e300"))
            }),
            _ => refused(&format!("the range {low}:{high} must be two numbers, linear:age:20:80")),
        };
        let count = |count: &str| match count.trim().parse() {
            Ok(count) if count <= MOST => Ok(count),
            _ => refused(&format!("{count} must be a whole number, of {MOST} at most")),
        };
        match split(text.trim(), ':')[..] {
            ["linear", column, low, high] => Term::Linear(unquoted(column), range(low, high)?),
            ["poly", column, low, high, degree] => Term::Poly(unquoted(column), range(low, high)?, count(degree)?),
            ["spline", column, low, high, knots] => Term::Spline(unquoted(column), range(low, high)?, count(knots)?),
            ["levels", column, levels] => {
                let levels = items(levels).or_else(|reason| refused(&reason))?;
                Term::Levels(unquoted(column), levels.into_iter().map(|level| level.text).collect())
            }
            _ => {
                return refused(&format!(
                    "{text} must be linear:COLUMN:LOW:HIGH, poly:COLUMN:LOW:HIGH:DEGREE, spline:COLUMN:LOW:HIGH:KNOTS, \
                     levels:COLUMN:LEVEL,LEVEL or product:TERM*TERM"
                ));
            }
        }
        .checked()
    }
}

impl TryFrom<String> for Term {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Term> for String {
    fn from(term: Term) -> Self {
        term.to_string()
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |name: &str, column: &str, range: &PredictorRange| {
            format!("{name}:{}:{}:{}", quoted(column, SEPARATORS), range.low(), range.high())
        };
        match self {
            Term::Linear(column, range) => write!(f, "{}", of("linear", column, range)),
            Term::Poly(column, range, degree) => write!(f, "{}:{degree}", of("poly", column, range)),
            Term::Spline(column, range, knots) => write!(f, "{}:{knots}", of("spline", column, range)),
            Term::Levels(column, levels) => {
                let levels: Vec<String> = levels.iter().map(|level| quoted(level, SEPARATORS)).collect();
                write!(f, "levels:{}:{}", quoted(column, SEPARATORS), levels.join(","))
            }
            Term::Product(terms) => {
                let terms: Vec<String> = terms.iter().map(Term::to_string).collect();
                write!(f, "product:{}", terms.join("*"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Features;
    use crate::vector::norm;
    use proptest::prelude::*;

    const TERMS: [&str; 6] = [
        "linear:x:-1:3",
        "poly:x:-1:3:5",
        "spline:x:-1:3:2",
        "spline:x:-1:3:9",
        "levels:g:a,b,c",
        "product:spline:x:-1:3:4*levels:g:a,b,c*poly:x:-1:3:2",
    ];

    fn covariates<'a>(x: f64, level: &'a str) -> impl Fn(&str) -> Covariate<'a> {
        move |name| if name == "x" { Covariate::Number(x) } else { Covariate::Level(level) }
    }

    proptest! {
        /// Whatever a record is, its row has norm at most 1.
        #[test]
        fn rows_have_norm_at_most_one(bits in any::<u64>(), near in -2.0..4.0, level in "[a-e]", is_near in any::<bool>()) {
            let x = if is_near { near } else { f64::from_bits(bits) };
            let of = covariates(x, &level);
            for term in TERMS {
                let term: Term = term.parse().unwrap();
                let block = term.block(&of);
                prop_assert_eq!((block.len(), term.names().len()), (term.width(), term.width()));
                prop_assert!(norm(&block) <= 1.0 + 1e-15, "{}: {:?}", term, block);
                prop_assert_eq!(term.to_string().parse::<Term>().unwrap(), term);
            }
            let all = Features::new(TERMS.iter().map(|term| term.parse().unwrap()).collect()).unwrap();
            let row = all.row(&of);
            prop_assert!(row.len() == all.width() && norm(&row) <= 1.0 + 1e-15);
        }
    }

    /// Those of `scipy.interpolate.BSpline.design_matrix` on the knots `linspace(-1, 1, 6)` and three beyond either
    /// end.
    #[test]
    fn splines_are_those_of_scipy() {
        let sixth = 1.0 / 6.0;
        for (s, first, expected) in [
            (-1.0, 0, [sixth, 4.0 * sixth, sixth, 0.0]),
            (-0.37, 1, [0.012794270833, 0.431096354167, 0.524424479167, 0.031684895833]),
            (0.1, 2, [0.002604166667, 0.315104166667, 0.611979166667, 0.0703125]),
            (0.99, 4, [2.604167e-6, 0.179471354167, 0.666049479167, 0.1544765625]),
            (1.0, 4, [0.0, sixth, 4.0 * sixth, sixth]),
        ] {
            let found = splines(s, 6);
            assert_eq!(found.len(), 8);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for (j, value) in found.iter().enumerate() {
                let expected = j.checked_sub(first).and_then(|j| expected.get(j)).copied().unwrap_or(0.0);
                assert!((value - expected).abs() < 1e-11, "{s} {j}: {value} {expected}");
            }
        }
    }

    #[test]
    fn polynomials_and_levels_are_known_ones() {
        let root = 3.0_f64.sqrt();
        let cubic: Term = "poly:x:0:2:3".parse().unwrap();
        // s = ½: T₁ = ½, T₂ = −½, T₃ = −1
        let found = cubic.block(&covariates(1.5, ""));
        for (found, expected) in found.iter().zip([0.5, -0.5, -1.0]) {
            assert!((root * found - expected).abs() < 1e-15);
        }
        let levels: Term = "levels:\"a:b\":x, \"y,z\"".parse().unwrap();
        assert_eq!(levels, Term::Levels("a:b".to_owned(), vec!["x".to_owned(), "y,z".to_owned()]));
        assert_eq!(levels.block(&covariates(0.0, "y,z")), [0.0, 1.0, 0.0]);
        assert_eq!(levels.block(&covariates(0.0, "w")), [0.0, 0.0, 1.0]);
        // beyond the range, and no number
        let linear: Term = "linear:x:0:2".parse().unwrap();
        let at = |x| linear.block(&covariates(x, ""))[0];
        assert_eq!([at(-7.0), at(f64::INFINITY), at(f64::NAN)], [-1.0, 1.0, 0.0]);
    }

    #[test]
    fn what_is_no_term_is_refused_in_a_sentence() {
        for text in [
            "",
            "age",
            "linear:age",
            "linear:age:20",
            "linear:age:80:20",
            "linear:age:a:b",
            "poly:age:0:1:0",
            "poly:age:0:1:-1",
            "poly:age:0:1:99999999",
            "spline:age:0:1:1",
            "levels:sex:",
            "levels:sex:F,F",
            "product:linear:x:0:1",
            "product:linear:x:0:1*product:linear:x:0:1*linear:x:0:1",
            "product:spline:x:0:1:200*spline:x:0:1:200",
        ] {
            let error = text.parse::<Term>().unwrap_err();
            assert!(error.parameter().is_some() && !error.to_string().contains('\n'), "{text}: {error}");
        }
        assert_eq!(Features::new(vec![]).unwrap().names(), ["intercept"]);
    }
}
