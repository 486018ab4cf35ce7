//! From the numbers of records to points of a manifold.

use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::memory::reserve;
use crate::rounding::Rounding;
use crate::short::short;
use crate::shrinkage::Shrinkage;
use crate::table::Table;
use karcher::manifold::Kendall;
use karcher::{Manifold, Points};
use std::f64::consts::PI;

/// How to convert records to points.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertOptions {
    /// A public constant that multiplies every number before conversion, for units: `1e25` for the covariances of an
    /// EEG in square volts, `57.29577951308232` for latitudes and longitudes in radians. 1 by default.
    pub multiply_by: f64,
    /// What to do with a record that is not a point. [`OnInvalid::Error`] by default.
    pub invalid: OnInvalid,
    /// The point that takes the place of a record that lacks a value ([`Table::missing`]). None by default: such a
    /// record is invalid like any other.
    pub missing: Option<Vec<f64>>,
    /// How far off the space a record may be. [`Rounding::Usual`] by default.
    pub rounding: Rounding,
    /// What is done to matrices before it is checked whether they are positive definite. Nothing by default.
    pub shrinkage: Option<Shrinkage>,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self { multiply_by: 1.0, invalid: OnInvalid::Error, missing: None, rounding: Rounding::Usual, shrinkage: None }
    }
}

/// What to do with a record that is not a point of the manifold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OnInvalid {
    /// Refuse the input and say which record it was.
    Error,
    /// Put this point of the manifold in its place. The number of records stays the same and nothing tells whether it
    /// happened, so neighbouring inputs stay neighbours and the refusal of a record gives nothing away.
    ReplaceWith(Vec<f64>),
}

/// The records of `table`, held in `layout`, as points of `manifold`.
///
/// Landmarks are centered and scaled to unit norm, each record by itself. A record is multiplied, put in place, shrunk,
/// put onto the space, and checked, in this order.
///
/// # Errors
/// [`Error::LayoutMismatch`], [`Error::WrongColumns`], [`Error::ColumnsSayOtherwise`], [`Error::InvalidFactor`],
/// [`Error::InvalidShare`], [`Error::MatricesOnly`]; [`Error::OutOfMemory`]; [`Error::InvalidRecord`] with the file,
/// the record and what is wrong with it; [`Error::InvalidPoint`] when the replacement is not a point.
pub fn to_points(table: Table, manifold: &dyn Manifold, layout: Layout, options: &ConvertOptions) -> Result<Points> {
    let (space, point_len) = (manifold.space(), manifold.point_len());
    layout.check_columns(space, point_len, &table)?;
    if let Some(names) = &table.names {
        layout.check_names(names)?;
    }
    if let Some(shrinkage) = options.shrinkage {
        shrinkage.check(space)?;
    }
    options.rounding.check()?;
    let point = |record: &[f64]| {
        let mut point = convert(point_len, layout, record)?;
        if let Some(shrinkage) = options.shrinkage {
            shrinkage.shrink(&mut point)?;
        }
        let is_point = options.rounding.put_on(manifold, &mut point).and_then(|()| check_point(manifold, &point));
        is_point.map_err(|reason| match options.shrinkage {
            None if reason.contains("not positive definite") => format!(
                "{reason}; if it is a covariance matrix, --shrink mixes it with the identity, and --shrink-trace gives it \
                 the trace {} too",
                point_len.isqrt()
            ),
            _ => reason,
        })?;
        Ok(point)
    };
    let values = convert_records(&table, point_len, options, point, |point| check_point(manifold, point))?;
    Ok(Points::new(manifold, values)?)
}

/// One point, from numbers in `layout`: what a person types for a ball's center.
///
/// # Errors
/// [`Error::LayoutMismatch`], [`Error::WrongColumns`]; [`Error::InvalidPoint`] with what is wrong.
pub fn point_from_values(manifold: &dyn Manifold, layout: Layout, values: &[f64]) -> Result<Vec<f64>> {
    point_from_rounded(manifold, layout, values, Rounding::Usual)
}

/// [`point_from_values`] of numbers that may be farther off the space.
///
/// # Errors
/// As for [`point_from_values`]; [`Error::InvalidShare`].
pub fn point_from_rounded(
    manifold: &dyn Manifold,
    layout: Layout,
    values: &[f64],
    rounding: Rounding,
) -> Result<Vec<f64>> {
    layout.check_record_len(manifold.space(), manifold.point_len(), values.len())?;
    rounding.check()?;
    let invalid = |reason| Error::InvalidPoint { reason };
    let mut point = convert(manifold.point_len(), layout, values).map_err(invalid)?;
    rounding.put_on(manifold, &mut point).and_then(|()| check_point(manifold, &point)).map_err(invalid)?;
    manifold.normalize(&mut point);
    Ok(point)
}

/// The points that the records hold, one after the other, `point` of each record; `check` says why something is not a
/// point.
pub(crate) fn convert_records(
    table: &Table,
    point_len: usize,
    options: &ConvertOptions,
    point: impl Fn(&[f64]) -> Result<Vec<f64>, String>,
    check: impl Fn(&[f64]) -> Result<(), String>,
) -> Result<Vec<f64>> {
    let factor = options.multiply_by;
    if !factor.is_finite() || factor == 0.0 {
        return Err(Error::InvalidFactor { value: factor });
    }
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
        scaled.extend(record.iter().map(|x| factor * x));
        match (point(&scaled), in_place_of_invalid) {
            (Ok(point), _) => points.extend(point),
            (Err(_), Some(point)) => points.extend(point),
            (Err(reason), None) => {
                let (file, row) = table.place(i);
                let reason = match factor {
                    1.0 => reason,
                    _ => format!("{reason} (numbers are those of the file times {})", short(factor)),
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

/// The point that `record`, of the right length, holds, or why there is none.
fn convert(point_len: usize, layout: Layout, record: &[f64]) -> Result<Vec<f64>, String> {
    if let Some(x) = record.iter().find(|x| !x.is_finite()) {
        let advice = if x.is_nan() { ": --missing says what becomes of records that lack a value" } else { "" };
        return Err(format!("{x} is not a finite number{advice}"));
    }
    let k = point_len.isqrt();
    match layout {
        Layout::Vectors | Layout::Full => Ok(record.to_vec()),
        Layout::Latlon => unit_vector(record[0], record[1]),
        Layout::LatlonRadians => unit_vector_of_radians(record[0], record[1]),
        Layout::Degrees => on_circle(record[0].to_radians(), &format!("{} degrees is", short(record[0])), ""),
        Layout::Radians => on_circle(
            record[0],
            &format!("{} radians is", short(record[0])),
            "; if the numbers are degrees, give --layout degrees",
        ),
        Layout::UpperRow => Ok(symmetric(k, row_by_row(k, 0), record)),
        Layout::UpperColumn => Ok(symmetric(k, column_by_column(k, 0), record)),
        Layout::DiagonalFirst => Ok(symmetric(k, diagonal(k).chain(row_by_row(k, 1)), record)),
        Layout::CorrelationUpperRow => Ok(correlation(k, row_by_row(k, 1), record)),
        Layout::CorrelationUpperColumn => Ok(correlation(k, column_by_column(k, 1), record)),
        Layout::Interleaved => preshape(record.to_vec()),
        Layout::Blocked => {
            let (x, y) = record.split_at(record.len() / 2);
            preshape(x.iter().zip(y).flat_map(|(&x, &y)| [x, y]).collect())
        }
    }
}

/// `(cos φ cos λ, cos φ sin λ, sin φ)` of latitude φ and longitude λ in degrees.
fn unit_vector(latitude: f64, longitude: f64) -> Result<Vec<f64>, String> {
    // 90 degrees in radians are 90.00000000000001 back in degrees
    if latitude.abs() > 90.0 + 1e-9 {
        let swapped = if longitude.abs() <= 90.0 {
            "; if longitude comes first, choose the columns in the other order"
        } else {
            ""
        };
        return Err(format!("latitude {} is outside -90 to 90 degrees{swapped}", short(latitude)));
    }
    if longitude.abs() > 360.0 + 1e-9 {
        return Err(format!("longitude {} is outside -360 to 360 degrees", short(longitude)));
    }
    let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (latitude.to_radians().sin_cos(), longitude.to_radians().sin_cos());
    Ok(vec![cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])
}

/// [`unit_vector`] of radians, where the numbers in a sentence are those of the record.
fn unit_vector_of_radians(latitude: f64, longitude: f64) -> Result<Vec<f64>, String> {
    let slack = 1e-11;
    let degrees = "; if the numbers are degrees, give --layout latlon";
    if latitude.abs() > 0.5 * PI + slack {
        // what no longitude in radians could be is in degrees
        let advice = match latitude.abs() <= 2.0 * PI + slack && longitude.abs() <= 0.5 * PI + slack {
            true => "; if longitude comes first, choose the columns in the other order",
            false => degrees,
        };
        return Err(format!("latitude {} is outside -π/2 to π/2 radians{advice}", short(latitude)));
    }
    if longitude.abs() > 2.0 * PI + slack {
        return Err(format!("longitude {} is outside -2π to 2π radians{degrees}", short(longitude)));
    }
    unit_vector(latitude.to_degrees(), longitude.to_degrees())
}

/// `(cos φ, sin φ)` of an angle φ, where more than a few turns are a mistake of units.
fn on_circle(radians: f64, given: &str, advice: &str) -> Result<Vec<f64>, String> {
    if radians.abs() > 4.0 * PI + 1e-9 {
        return Err(format!("an angle of {given} more than two turns{advice}"));
    }
    Ok(vec![radians.cos(), radians.sin()])
}

fn diagonal(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).map(|i| (i, i))
}

/// Places `(i, j)` with `j ≥ i + above`.
fn row_by_row(k: usize, above: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |i| (i + above..k).map(move |j| (i, j)))
}

/// The same places, ordered by `j` first.
fn column_by_column(k: usize, above: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |j| (0..(j + 1).saturating_sub(above)).map(move |i| (i, j)))
}

/// The symmetric matrix with the numbers of `record` in `places` and their mirror images.
fn symmetric(k: usize, places: impl Iterator<Item = (usize, usize)>, record: &[f64]) -> Vec<f64> {
    let mut matrix = vec![0.0; k * k];
    for ((i, j), &x) in places.zip(record) {
        matrix[i * k + j] = x;
        matrix[j * k + i] = x;
    }
    matrix
}

fn correlation(k: usize, places: impl Iterator<Item = (usize, usize)>, record: &[f64]) -> Vec<f64> {
    let mut matrix = symmetric(k, places, record);
    for (i, j) in diagonal(k) {
        matrix[i * k + j] = 1.0;
    }
    matrix
}

/// Landmarks `x₁ y₁ x₂ y₂ …` centered and scaled to unit norm.
fn preshape(mut landmarks: Vec<f64>) -> Result<Vec<f64>, String> {
    Kendall::new(landmarks.len() / 2)
        .and_then(|kendall| kendall.preshape(&mut landmarks))
        .map_err(|error| error.to_string())?;
    Ok(landmarks)
}

/// The points of records as `layout` says, without a manifold: `check` says why one is not a point.
#[cfg(test)]
pub(crate) fn converted(
    table: &Table,
    point_len: usize,
    layout: Layout,
    options: &ConvertOptions,
    check: impl Fn(&[f64]) -> Result<(), String>,
) -> Result<Vec<f64>> {
    let point = |record: &[f64]| convert(point_len, layout, record).and_then(|point| check(&point).map(|()| point));
    convert_records(table, point_len, options, point, &check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(columns: usize, values: &[f64]) -> Table {
        Table::new("f.csv", columns, values.to_vec()).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn triangles_hold_the_same_matrix() {
        #[rustfmt::skip]
        let matrix = vec![11.0, 12.0, 13.0,
                          12.0, 22.0, 23.0,
                          13.0, 23.0, 33.0];
        for (layout, record) in [
            (Layout::Full, &matrix[..]),
            (Layout::UpperRow, &[11.0, 12.0, 13.0, 22.0, 23.0, 33.0]),
            (Layout::UpperColumn, &[11.0, 12.0, 22.0, 13.0, 23.0, 33.0]),
            (Layout::DiagonalFirst, &[11.0, 22.0, 33.0, 12.0, 13.0, 23.0]),
        ] {
            assert_eq!(convert(9, layout, record), Ok(matrix.clone()), "{layout}");
        }
    }

    #[test]
    fn correlations_have_a_unit_diagonal() {
        let row = convert(16, Layout::CorrelationUpperRow, &[0.12, 0.13, 0.14, 0.23, 0.24, 0.34]).unwrap();
        let column = convert(16, Layout::CorrelationUpperColumn, &[0.12, 0.13, 0.23, 0.14, 0.24, 0.34]).unwrap();
        #[rustfmt::skip]
        let expected = [1.0, 0.12, 0.13, 0.14,
                        0.12, 1.0, 0.23, 0.24,
                        0.13, 0.23, 1.0, 0.34,
                        0.14, 0.24, 0.34, 1.0];
        assert_eq!((&row[..], &column[..]), (&expected[..], &expected[..]));
    }

    #[test]
    fn latitude_and_longitude_are_measured_from_the_equator_and_greenwich() {
        for (record, expected) in [
            ([0.0, 0.0], [1.0, 0.0, 0.0]),
            ([0.0, 90.0], [0.0, 1.0, 0.0]),
            ([0.0, -90.0], [0.0, -1.0, 0.0]),
            ([90.0, 123.0], [0.0, 0.0, 1.0]),
            ([-45.0, 180.0], [-(0.5f64.sqrt()), 0.0, -(0.5f64.sqrt())]),
        ] {
            assert!(close(&convert(3, Layout::Latlon, &record).unwrap(), &expected), "{record:?}");
        }
        let error = convert(3, Layout::Latlon, &[90.5, 0.0]).unwrap_err();
        assert!(error.starts_with("latitude 90.5 is outside -90 to 90 degrees; if longitude comes first"), "{error}");
        let error = convert(3, Layout::Latlon, &[139.7, 135.0]).unwrap_err();
        assert_eq!(error, "latitude 139.7 is outside -90 to 90 degrees");
        assert!(convert(3, Layout::Latlon, &[0.0, -360.5]).is_err());
    }

    #[test]
    fn sentences_about_angles_have_the_numbers_of_the_file_and_name_the_other_unit() {
        for (layout, record, number, advice) in [
            (Layout::LatlonRadians, vec![50.07, 14.43], "latitude 50.07 is", "give --layout latlon"),
            (Layout::LatlonRadians, vec![0.7, 14.43], "longitude 14.43 is", "give --layout latlon"),
            (Layout::LatlonRadians, vec![2.9, 0.7], "latitude 2.9 is", "if longitude comes first"),
            (Layout::Radians, vec![270.0], "angle of 270 radians", "give --layout degrees"),
            (Layout::Latlon, vec![1e300, 200.0], "latitude 1e300 is", "degrees"),
        ] {
            let error = convert(3, layout, &record).unwrap_err();
            assert!(error.contains(number) && error.contains(advice), "{error}");
        }
        let ends = [PI / 2.0, 2.0 * PI];
        assert!(close(&convert(3, Layout::LatlonRadians, &ends).unwrap(), &[0.0, 0.0, 1.0]));
        let scaled = ConvertOptions { multiply_by: 60.0, ..Default::default() };
        let error = converted(&table(2, &[2.0, 0.0]), 3, Layout::Latlon, &scaled, |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("latitude 120 is") && error.contains("the file times 60"), "{error}");
    }

    #[test]
    fn matrices_that_are_not_positive_definite_are_refused_with_the_remedy() {
        let spd = karcher::Space::SpdLogEuclidean(2);
        for record in [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 2.0, 1.0]] {
            for rounding in [Rounding::Usual, Rounding::Any] {
                let options = ConvertOptions { rounding, ..Default::default() };
                let error = points(spd, 4, &record, options).unwrap_err().to_string();
                assert!(error.contains("--shrink mixes") && error.contains("--shrink-trace"), "{error}");
            }
        }
        let shrunk = ConvertOptions { shrinkage: Some(Shrinkage::Identity(0.1)), ..Default::default() };
        assert!(points(spd, 4, &[1.0, 1.0, 1.0, 1.0], shrunk).is_ok());
    }

    #[test]
    fn coincident_landmarks_have_no_shape() {
        for record in [[0.0; 6], [0.1, 0.2, 0.1, 0.2, 0.1, 0.2], [1e300, 1e-300, 1e300, 1e-300, 1e300, 1e-300]] {
            assert!(convert(6, Layout::Interleaved, &record).unwrap_err().contains("coincide"), "{record:?}");
        }
    }

    #[test]
    fn invalid_record_is_named_with_its_line() {
        let mut table = table(2, &[0.0, 0.0, 91.0, 0.0]);
        table.lines = vec![2, 4];
        let error = converted(&table, 3, Layout::Latlon, &ConvertOptions::default(), |_| Ok(())).unwrap_err();
        let expected = "f.csv: record 2 (line 4): latitude 91 is outside -90 to 90 degrees";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    #[test]
    fn invalid_records_are_replaced_one_by_one() {
        let table = table(2, &[0.0, 0.0, 91.0, 0.0, f64::NAN, 0.0, 0.0, 90.0, 0.0, 180.0]);
        let invalid = OnInvalid::ReplaceWith(vec![0.0, 0.0, 1.0]);
        let no_negative_x = |p: &[f64]| if p[0] < -0.5 { Err("x is negative".to_owned()) } else { Ok(()) };
        let options = ConvertOptions { invalid, ..Default::default() };
        let points = converted(&table, 3, Layout::Latlon, &options, no_negative_x).unwrap();
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
        let error = converted(&table(1, &[1.0]), 1, Layout::Vectors, &options, refuse).unwrap_err();
        assert_eq!(error, Error::InvalidPoint { reason: "not a point".to_owned() });
    }

    #[test]
    fn factor_multiplies_every_number_before_conversion() {
        let options = ConvertOptions { multiply_by: 180.0 / std::f64::consts::PI, ..Default::default() };
        let radians = table(2, &[0.0, std::f64::consts::FRAC_PI_2]);
        let points = converted(&radians, 3, Layout::Latlon, &options, |_| Ok(())).unwrap();
        assert!(close(&points, &[0.0, 1.0, 0.0]));

        for factor in [0.0, f64::NAN, f64::INFINITY] {
            let options = ConvertOptions { multiply_by: factor, ..Default::default() };
            let error = converted(&radians, 3, Layout::Latlon, &options, |_| Ok(())).unwrap_err();
            assert!(matches!(error, Error::InvalidFactor { .. }));
        }
        let options = ConvertOptions { multiply_by: 1e300, ..Default::default() };
        let error = converted(&table(1, &[1e300]), 1, Layout::Vectors, &options, |_| Ok(())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "f.csv: record 1: inf is not a finite number (numbers are those of the file times 1e300)"
        );
    }

    proptest! {
        #[test]
        fn landmarks_are_centered_of_unit_norm_and_free_of_place_and_size(
            x in prop::collection::vec(-1.0..1.0f64, 5),
            y in prop::collection::vec(-1.0..1.0f64, 5),
            exponent in -200..200i32,
            shift in -10.0..10.0f64,
        ) {
            prop_assume!(x.iter().any(|a| (a - x[0]).abs() > 0.1));
            let shape = convert(10, Layout::Blocked, &[x.clone(), y.clone()].concat()).unwrap();
            let sum = |offset| shape.iter().skip(offset).step_by(2).sum::<f64>();
            prop_assert!(sum(0).abs() < 1e-12 && sum(1).abs() < 1e-12);
            prop_assert!((shape.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);

            let size = 10f64.powi(exponent);
            let moved: Vec<f64> = x.iter().zip(&y).flat_map(|(x, y)| [(x + shift) * size, (y - shift) * size]).collect();
            prop_assert!(close(&convert(10, Layout::Interleaved, &moved).unwrap(), &shape));
        }
    }

    #[test]
    fn angles_of_the_circle_are_directions() {
        for (layout, angle) in [(Layout::Degrees, 450.0), (Layout::Radians, 2.5 * PI), (Layout::Degrees, -270.0)] {
            assert!(close(&convert(2, layout, &[angle]).unwrap(), &[0.0, 1.0]), "{layout}");
        }
        assert!(convert(2, Layout::Radians, &[90.0]).unwrap_err().contains("more than two turns"));
        let quarter = convert(3, Layout::LatlonRadians, &[PI / 2.0, 1.0]).unwrap();
        assert!(close(&quarter, &[0.0, 0.0, 1.0]), "{quarter:?}");
    }

    fn points(space: karcher::Space, columns: usize, values: &[f64], options: ConvertOptions) -> Result<Vec<f64>> {
        let manifold = space.manifold().unwrap();
        let points = to_points(table(columns, values), &*manifold, Layout::default_for(space), &options)?;
        Ok(points.view().values().to_vec())
    }

    #[test]
    fn records_rounded_to_four_decimals_are_refused_with_the_remedy_and_taken_with_it() {
        use karcher::Space;
        let third = 0.5774; // 1/√3, whose record has a norm of 1.00009
        for (space, columns, record) in [
            (Space::Sphere(2), 3, vec![third; 3]),
            (Space::Hyperbolic(2), 3, vec![1.3153, 0.3, -0.8]),
            (Space::SpdAffineInvariant(2), 4, vec![2.0, 0.3333, 0.3334, 1.0]),
        ] {
            let rounded = |rounding| ConvertOptions { rounding, ..Default::default() };
            let error = points(space, columns, &record, rounded(Rounding::Usual)).unwrap_err().to_string();
            assert!(error.contains("--tolerance") && error.contains("--normalize"), "{error}");
            let error = points(space, columns, &record, rounded(Rounding::Within(1e-6))).unwrap_err().to_string();
            assert!(error.contains("more than the tolerance 0.000001"), "{error}");
            for rounding in [Rounding::Within(2e-4), Rounding::Any] {
                let point = points(space, columns, &record, rounded(rounding)).unwrap();
                assert!(space.manifold().unwrap().check_point(&point).is_ok());
                assert!(point.iter().zip(&record).all(|(x, y)| (x - y).abs() < 2e-4), "{point:?}");
            }
        }
        // what has no point that belongs to it stays invalid
        for (space, columns, record) in [
            (Space::Sphere(2), 3, vec![0.0; 3]),
            (Space::Hyperbolic(2), 3, vec![-2.0, 1.0, 1.0]),
            (Space::SpdAffineInvariant(2), 4, vec![1.0, 2.0, 2.0, 1.0]),
        ] {
            let any = ConvertOptions { rounding: Rounding::Any, ..Default::default() };
            assert!(matches!(points(space, columns, &record, any), Err(Error::InvalidRecord { .. })), "{space}");
        }
        let direction = ConvertOptions { rounding: Rounding::Any, ..Default::default() };
        let point = points(Space::Sphere(2), 3, &[3e200, 0.0, 4e200], direction).unwrap();
        assert!(close(&point, &[0.6, 0.0, 0.8]), "{point:?}");
    }

    #[test]
    fn records_that_lack_a_value_become_the_center_and_others_do_not() {
        let euclidean = karcher::Space::Euclidean(1).manifold().unwrap();
        let mut table = table(1, &[1.0, f64::NAN, 3.0]);
        table.missing = vec![1];
        let options = ConvertOptions { missing: Some(vec![7.0]), ..Default::default() };
        let points = to_points(table.clone(), &*euclidean, Layout::Vectors, &options).unwrap();
        assert_eq!(points.view().values().to_vec(), [1.0, 7.0, 3.0]);
        table.values[2] = f64::NAN;
        let error = to_points(table, &*euclidean, Layout::Vectors, &options).unwrap_err().to_string();
        assert!(error.starts_with("f.csv: record 3: "), "{error}");
    }
}
