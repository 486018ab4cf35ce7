//! Conversion of records to points of a manifold.

use crate::advice::advised;
use crate::error::{Error, Result};
use crate::layout::{check_layout, check_len, check_record_len};
use crate::memory::reserve;
use crate::options::factors::Factor;
use crate::rounding::Rounding;
use crate::short::short;
use crate::shrinkage::Shrinkage;
use crate::table::Table;
use karcher::error::GeometryError;
use karcher::manifold::{Layout, Template};
use karcher::{Manifold, Points};

/// Options for converting records to points.
///
/// ```
/// use karcher_io::{ConvertOptions, Factor, Table, layout, to_points};
/// let numbers = karcher::manifold::SpdLogEuclidean::new(1)?;
/// let volts = Table::new("volts.csv", 1, vec![1e-6, 2e-6])?;
/// let options = ConvertOptions { multiply_by: vec![Factor::of_all(1e6)?], ..Default::default() };
/// let points = to_points(volts, &numbers, &layout(&numbers, None)?, &options)?;
/// assert!((points.view().values()[1] - 2.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertOptions {
    /// Public constants that multiply numbers before conversion, for units: `1e25` for the covariances of an EEG in
    /// square volts, `hour=15` for hours among other columns. None by default.
    pub multiply_by: Vec<Factor>,
    /// Treatment of a record that is not a point. [`OnInvalid::Error`] by default.
    pub invalid: OnInvalid,
    /// The point that replaces a record that lacks a value ([`Table::missing`]). None by default: such a record is
    /// invalid like any other.
    pub missing: Option<Vec<f64>>,
    /// Largest distance of a record from the space. [`Rounding::Usual`] by default.
    pub rounding: Rounding,
    /// Shrinkage of matrices before the check that they are positive definite. None by default.
    pub shrinkage: Option<Shrinkage>,
    /// The public template onto which landmarks are rotated, each record by itself. None by default.
    pub template: Option<Template>,
    /// Whether names of columns and axes of arrays may contradict the layout: in geodesy x is north. They may not by
    /// default.
    pub trust_layout: bool,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            multiply_by: vec![],
            invalid: OnInvalid::Error,
            missing: None,
            rounding: Rounding::Usual,
            shrinkage: None,
            template: None,
            trust_layout: false,
        }
    }
}

/// Treatment of a record that is not a point of the manifold.
///
/// ```
/// use karcher_io::{ConvertOptions, OnInvalid, Table, layout, to_points};
/// let circle = karcher::manifold::Sphere::new(1)?;
/// let table = Table::new("a.csv", 2, vec![0.6, 0.8, 5.0, 5.0])?;
/// let options = ConvertOptions { invalid: OnInvalid::ReplaceWith(vec![1.0, 0.0]), ..Default::default() };
/// let points = to_points(table, &circle, &layout(&circle, None)?, &options)?;
/// assert_eq!(points.view().values()[2..], [1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OnInvalid {
    /// Refuse the input and name the record.
    Error,
    /// Replace the record by this point of the manifold. The number of records stays the same and no output shows the
    /// replacement. So neighbouring inputs stay neighbours, and a refused record reveals nothing.
    ReplaceWith(Vec<f64>),
}

/// The records of `table`, held in `layout`, as points of `manifold`.
///
/// Landmarks are centered, on most spaces scaled to unit norm, and rotated onto a template if there is one, each record
/// by itself. A record is multiplied, put in place, shrunk or rotated, put onto the space, and checked, in this order.
///
/// # Errors
/// [`Error::WrongColumns`], [`Error::ColumnsSayOtherwise`], [`Error::ShapeSaysOtherwise`], [`Error::InvalidFactor`],
/// [`Error::InvalidShare`], [`Error::MatricesOnly`]; [`Error::OutOfMemory`]; [`Error::InvalidRecord`] with the file,
/// the record and its fault; [`Error::InvalidPoint`] when the replacement is not a point.
///
/// ```
/// use karcher_io::{ConvertOptions, Table, layout, to_points};
/// let sphere = karcher::manifold::Sphere::new(2)?;
/// let latlon = layout(&sphere, Some("latlon"))?;
/// let points = to_points(Table::new("a.csv", 2, vec![90.0, 0.0])?, &sphere, &latlon, &ConvertOptions::default())?;
/// assert!((points.view().values()[2] - 1.0).abs() < 1e-15); // the north pole
/// let error = to_points(Table::new("a.csv", 2, vec![95.0, 0.0])?, &sphere, &latlon, &ConvertOptions::default());
/// assert!(error.unwrap_err().to_string().contains("latitude 95 is outside -90 to 90 degrees"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_points(table: Table, manifold: &dyn Manifold, layout: &Layout, options: &ConvertOptions) -> Result<Points> {
    let point_len = manifold.point_len();
    let factors = table.factors(&options.multiply_by)?;
    let about = table.about();
    match options.trust_layout {
        true => check_len(manifold, layout, about)?,
        false => check_layout(manifold, layout, about, &factors)?,
    }
    if let Some(shrinkage) = options.shrinkage {
        shrinkage.check(manifold)?;
    }
    if let Some(template) = &options.template {
        template.check(manifold)?;
    }
    options.rounding.check()?;
    let numbers = |record: &[f64]| {
        let mut point = read(options.rounding, manifold, layout, record)?;
        if let Some(shrinkage) = options.shrinkage {
            shrinkage.shrink(&mut point)?;
        }
        if let Some(template) = &options.template {
            template.rotate(&mut point);
        }
        Ok(point)
    };
    let check = |point: &[f64]| check_point(manifold, point);
    let is_told = options.invalid == OnInvalid::Error; // a remedy takes more than the check
    let advise = |record: &[f64], reason| match is_told {
        true => advised(reason, (manifold, layout), record, about.names, options),
        false => reason,
    };
    // for unchanged records, Points checks each once; only the message for a wrong one takes more
    if options.rounding == Rounding::Usual && options.invalid == OnInvalid::Error {
        let is_changed = options.shrinkage.is_some() || options.template.is_some();
        let is_plain = layout.is_plain() && factors.iter().all(|x| *x == 1.0) && !is_changed;
        let values = match is_plain && options.missing.is_none() && table.values.iter().all(|x| x.is_finite()) {
            true => copied(&table)?,
            false => {
                let told = |record: &[f64]| numbers(record).map_err(|reason| advise(record, reason));
                convert_records(&table, point_len, (options, &factors), told, check)?
            }
        };
        let points = Points::new(manifold, values);
        if !matches!(points, Err(GeometryError::InvalidRecord { .. })) {
            return Ok(points?);
        }
    }
    let point = |record: &[f64]| {
        let put_on = |mut point: Vec<f64>| {
            options.rounding.put_on(manifold, &mut point)?;
            check_point(manifold, &point).map(|()| point)
        };
        numbers(record).and_then(put_on).map_err(|reason| advise(record, reason))
    };
    Ok(Points::new(manifold, convert_records(&table, point_len, (options, &factors), point, check)?)?)
}

/// The numbers of a table, which is still needed.
fn copied(table: &Table) -> Result<Vec<f64>> {
    let mut values = vec![];
    reserve(&table.source, &mut values, table.values.len())?;
    values.extend_from_slice(&table.values);
    Ok(values)
}

/// One point, from numbers in `layout`, such as a ball's center that a user types. Errors of rounding stay in it;
/// [`Ball::written`](karcher::Ball::written) removes them.
///
/// # Errors
/// [`Error::WrongColumns`]; [`Error::InvalidPoint`] with the fault.
///
/// ```
/// use karcher_io::{layout, point_from_values};
/// let sphere = karcher::manifold::Sphere::new(2)?;
/// let point = point_from_values(&sphere, &layout(&sphere, Some("latlon"))?, &[0.0, 90.0])?;
/// assert!((point[1] - 1.0).abs() < 1e-15);
/// assert!(point_from_values(&sphere, &layout(&sphere, None)?, &[1.0, 1.0, 0.0]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn point_from_values(manifold: &dyn Manifold, layout: &Layout, values: &[f64]) -> Result<Vec<f64>> {
    point_from_rounded(manifold, layout, values, Rounding::Usual)
}

/// [`point_from_values`] of numbers that may be farther off the space.
///
/// # Errors
/// As for [`point_from_values`]; [`Error::InvalidShare`].
///
/// ```
/// use karcher_io::{Rounding, layout, point_from_rounded};
/// let circle = karcher::manifold::Sphere::new(1)?;
/// let point = |rounding| point_from_rounded(&circle, &layout(&circle, None)?, &[0.707, 0.707], rounding);
/// assert!(point(Rounding::Usual).is_err());
/// assert!((point(Rounding::Within(1e-3))?[0] - 0.5_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn point_from_rounded(
    manifold: &dyn Manifold,
    layout: &Layout,
    values: &[f64],
    rounding: Rounding,
) -> Result<Vec<f64>> {
    check_record_len(manifold, layout, values.len())?;
    rounding.check()?;
    rounding.point(manifold, layout, values).map_err(|reason| {
        let options = ConvertOptions { rounding, ..Default::default() };
        Error::InvalidPoint { reason: advised(reason, (manifold, layout), values, None, &options) }
    })
}

/// Converts each record by `point`, after multiplying its numbers by the factors. `check` returns the reason why a
/// result is not a point.
pub(crate) fn convert_records(
    table: &Table,
    point_len: usize,
    (options, factors): (&ConvertOptions, &[f64]),
    point: impl Fn(&[f64]) -> Result<Vec<f64>, String>,
    check: impl Fn(&[f64]) -> Result<(), String>,
) -> Result<Vec<f64>> {
    let in_place_of_invalid = match &options.invalid {
        OnInvalid::ReplaceWith(point) => Some(point),
        OnInvalid::Error => None,
    };
    for replacement in [in_place_of_invalid, options.missing.as_ref()].into_iter().flatten() {
        check(replacement).map_err(|reason| Error::InvalidPoint { reason })?;
    }
    let mut missing = table.missing.iter().peekable();
    let mut points = vec![];
    reserve(&table.source, &mut points, table.rows.saturating_mul(point_len))?;
    let mut scaled = vec![];
    for (i, record) in table.records().enumerate() {
        let is_missing = missing.next_if(|&&record| record == i).is_some();
        if let Some(point) = options.missing.as_ref().filter(|_| is_missing) {
            points.extend(point);
            continue;
        }
        scaled.clear();
        scaled.extend(record.iter().zip(factors).map(|(x, factor)| factor * x));
        match (point(&scaled), in_place_of_invalid) {
            (Ok(point), _) => points.extend(point),
            (Err(_), Some(point)) => points.extend(point),
            (Err(reason), None) => {
                let (file, row) = table.place(i);
                let reason = match factors {
                    all if all.iter().all(|x| *x == 1.0) => reason,
                    [first, others @ ..] if others.iter().all(|x| x == first) => {
                        format!("{reason} (numbers are those of the file times {})", short(*first))
                    }
                    _ => format!("{reason} (numbers are those of the file times the factors of their columns)"),
                };
                return Err(Error::InvalidRecord { file: file.to_owned(), row, line: table.line(i), reason });
            }
        }
    }
    Ok(points)
}

fn check_point(manifold: &dyn Manifold, point: &[f64]) -> Result<(), String> {
    manifold.check_point(point).map_err(|e| e.to_string())
}

/// The numbers that a record holds, or the reason why it holds none.
fn read(rounding: Rounding, manifold: &dyn Manifold, layout: &Layout, record: &[f64]) -> Result<Vec<f64>, String> {
    if let Some(x) = record.iter().find(|x| !x.is_finite()) {
        let advice = if x.is_nan() { ": --missing says what becomes of records that lack a value" } else { "" };
        return Err(format!("{x} is not a finite number{advice}"));
    }
    rounding.read(manifold, layout, record)
}

/// The points of records in a layout of a space. `check` returns the reason why one is not a point.
#[cfg(test)]
pub(crate) fn converted(
    table: &Table,
    (space, layout): (&str, &str),
    options: &ConvertOptions,
    check: impl Fn(&[f64]) -> Result<(), String>,
) -> Result<Vec<f64>> {
    let manifold = space.parse::<karcher::Space>()?.manifold()?;
    let layout = crate::layout(&manifold, Some(layout))?;
    let numbers = |record: &[f64]| read(Rounding::Usual, &manifold, &layout, record);
    let point = |record: &[f64]| numbers(record).and_then(|point| check(&point).map(|()| point));
    let factors = table.factors(&options.multiply_by)?;
    convert_records(table, manifold.point_len(), (options, &factors), point, &check)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: usize, values: &[f64]) -> Table {
        Table::new("f.csv", columns, values.to_vec()).unwrap()
    }

    fn by(factor: f64) -> Vec<Factor> {
        vec![Factor::of_all(factor).unwrap()]
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn matrices_that_are_not_positive_definite_are_refused_with_the_remedy() {
        let spd = "spd-log-euclidean:2";
        // what is no covariance does not become one
        for (record, is_singular) in [([1.0, 1.0, 1.0, 1.0], true), ([1.0, 2.0, 2.0, 1.0], false)] {
            for rounding in [Rounding::Usual, Rounding::Any] {
                let options = ConvertOptions { rounding, ..Default::default() };
                let error = points(spd, 4, &record, options).unwrap_err().to_string();
                assert_eq!(error.contains("--shrink 0.01"), is_singular, "{error}");
            }
        }
        let shrunk = ConvertOptions { shrinkage: Some(Shrinkage::Identity(0.1)), ..Default::default() };
        assert!(points(spd, 4, &[1.0, 1.0, 1.0, 1.0], shrunk).is_ok());
    }

    #[test]
    fn invalid_record_is_named_with_its_line() {
        let mut table = table(2, &[0.0, 0.0, 91.0, 0.0]);
        table.lines = vec![2, 4];
        let error = converted(&table, ("sphere:2", "latlon"), &ConvertOptions::default(), |_| Ok(())).unwrap_err();
        let expected = "f.csv: record 2 (line 4): latitude 91 is outside -90 to 90 degrees";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    #[test]
    fn invalid_records_are_replaced_one_by_one() {
        let table = table(2, &[0.0, 0.0, 91.0, 0.0, f64::NAN, 0.0, 0.0, 90.0, 0.0, 180.0]);
        let invalid = OnInvalid::ReplaceWith(vec![0.0, 0.0, 1.0]);
        let no_negative_x = |p: &[f64]| if p[0] < -0.5 { Err("x is negative".to_owned()) } else { Ok(()) };
        let options = ConvertOptions { invalid, ..Default::default() };
        let points = converted(&table, ("sphere:2", "latlon"), &options, no_negative_x).unwrap();
        #[rustfmt::skip]
        let expected = [1.0, 0.0, 0.0,
                        0.0, 0.0, 1.0,
                        0.0, 0.0, 1.0,
                        0.0, 1.0, 0.0,
                        0.0, 0.0, 1.0];
        assert!(close(&points, &expected), "{points:?}");
    }

    #[test]
    fn replacement_must_be_a_point() {
        let options = ConvertOptions { invalid: OnInvalid::ReplaceWith(vec![]), ..Default::default() };
        let refuse = |_: &[f64]| Err("not a point".to_owned());
        let error = converted(&table(1, &[1.0]), ("euclidean:1", "vectors"), &options, refuse).unwrap_err();
        assert_eq!(error, Error::InvalidPoint { reason: "not a point".to_owned() });
    }

    #[test]
    fn sentences_about_multiplied_numbers_say_so() {
        let scaled = ConvertOptions { multiply_by: by(60.0), ..Default::default() };
        let latlon = ("sphere:2", "latlon");
        let error = converted(&table(2, &[2.0, 0.0]), latlon, &scaled, |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("latitude 120 is") && error.contains("the file times 60"), "{error}");
    }

    #[test]
    fn factor_multiplies_every_number_before_conversion() {
        let options = ConvertOptions { multiply_by: by(180.0 / std::f64::consts::PI), ..Default::default() };
        let radians = table(2, &[0.0, std::f64::consts::FRAC_PI_2]);
        let points = converted(&radians, ("sphere:2", "latlon"), &options, |_| Ok(())).unwrap();
        assert!(close(&points, &[0.0, 1.0, 0.0]));

        let options = ConvertOptions { multiply_by: by(1e300), ..Default::default() };
        let error = converted(&table(1, &[1e300]), ("euclidean:1", "vectors"), &options, |_| Ok(())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "f.csv: record 1: inf is not a finite number (numbers are those of the file times 1e300)"
        );
    }

    fn points(space: &str, columns: usize, values: &[f64], options: ConvertOptions) -> Result<Vec<f64>> {
        let manifold = space.parse::<karcher::Space>()?.manifold()?;
        let points = to_points(table(columns, values), &manifold, &crate::layout(&manifold, None)?, &options)?;
        Ok(points.view().values().to_vec())
    }

    #[test]
    fn records_rounded_to_four_decimals_are_refused_with_the_remedy_and_taken_with_it() {
        let third = 0.5774; // 1/√3, whose record has a norm of 1.00009
        for (space, columns, record) in [
            ("sphere:2", 3, vec![third; 3]),
            ("hyperbolic:2", 3, vec![1.3153, 0.3, -0.8]),
            ("spd-affine-invariant:2", 4, vec![2.0, 0.3333, 0.3334, 1.0]),
        ] {
            let rounded = |rounding| ConvertOptions { rounding, ..Default::default() };
            let error = points(space, columns, &record, rounded(Rounding::Usual)).unwrap_err().to_string();
            assert!(error.ends_with("if numbers were rounded, give --tolerance 1e-4"), "{error}");
            let error = points(space, columns, &record, rounded(Rounding::Within(1e-6))).unwrap_err().to_string();
            assert!(error.contains("more than the tolerance 0.000001"), "{error}");
            for rounding in [Rounding::Within(2e-4), Rounding::Any] {
                let point = points(space, columns, &record, rounded(rounding)).unwrap();
                let manifold = space.parse::<karcher::Space>().unwrap().manifold().unwrap();
                assert!(manifold.check_point(&point).is_ok());
                assert!(point.iter().zip(&record).all(|(x, y)| (x - y).abs() < 2e-4), "{point:?}");
            }
        }
        // a record without a corresponding point stays invalid
        for (space, columns, record) in [
            ("sphere:2", 3, vec![0.0; 3]),
            ("hyperbolic:2", 3, vec![-2.0, 1.0, 1.0]),
            ("spd-affine-invariant:2", 4, vec![1.0, 2.0, 2.0, 1.0]),
        ] {
            let any = ConvertOptions { rounding: Rounding::Any, ..Default::default() };
            assert!(matches!(points(space, columns, &record, any), Err(Error::InvalidRecord { .. })), "{space}");
        }
        let direction = ConvertOptions { rounding: Rounding::Any, ..Default::default() };
        let point = points("sphere:2", 3, &[3e200, 0.0, 4e200], direction).unwrap();
        assert!(close(&point, &[0.6, 0.0, 0.8]), "{point:?}");
    }

    #[test]
    fn landmarks_are_rotated_onto_the_template_each_by_itself() {
        let space = karcher::manifold::SizeAndShape::new(3, 2).unwrap();
        let template = Template::new(&space, &[0.0, 0.0, 3.0, 0.0, 0.0, 3.0]).unwrap();
        // a quarter of a turn, and moved
        let turned = [7.0, 7.0, 7.0, 10.0, 4.0, 7.0];
        let layout = crate::layout(&space, None).unwrap();
        let options = ConvertOptions { template: Some(template), ..Default::default() };
        let read = |values: &[f64]| {
            to_points(table(6, values), &space, &layout, &options).map(|points| points.view().values().to_vec())
        };
        let alone = read(&turned).unwrap();
        assert!(close(&alone, &[-1.0, -1.0, 2.0, -1.0, -1.0, 2.0]), "{alone:?}");
        let among = read(&[[1.0, 0.0, 0.0, 2.0, 5.0, 5.0], turned].concat()).unwrap();
        assert_eq!(among[6..], alone);
        let elsewhere = karcher::manifold::SizeAndShape::new(4, 2).unwrap();
        let of_four = crate::layout(&elsewhere, None).unwrap();
        assert!(to_points(table(8, &[1.0; 8]), &elsewhere, &of_four, &options).is_err());
    }

    #[test]
    fn records_that_lack_a_value_become_the_center_and_others_do_not() {
        let euclidean = karcher::manifold::Euclidean::new(1).unwrap();
        let layout = crate::layout(&euclidean, None).unwrap();
        let mut table = table(1, &[1.0, f64::NAN, 3.0]);
        table.missing = vec![1];
        let options = ConvertOptions { missing: Some(vec![7.0]), ..Default::default() };
        let points = to_points(table.clone(), &euclidean, &layout, &options).unwrap();
        assert_eq!(points.view().values().to_vec(), [1.0, 7.0, 3.0]);
        table.values[2] = f64::NAN;
        let error = to_points(table, &euclidean, &layout, &options).unwrap_err().to_string();
        assert!(error.starts_with("f.csv: record 3: "), "{error}");
    }
}
