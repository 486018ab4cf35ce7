//! The public center of the ball: `--center`.
//!
//! A typed center, and a file with one record, is a record: it has the layout, the columns and the units of the
//! records. So `--multiply-by` applies to it too, unless `--shrink-trace` takes the units away. A release that
//! `karcher` wrote is a point of the space, in the units of the release.

use crate::Failure;
use crate::input::Input;
use crate::length::{Length, Radii};
use crate::opened::Opened;
use karcher::manifold::{Layout, Shape};
use karcher::release::StatisticName;
use karcher::spec::{BallAdvice, BallSpec, PublicBall};
use karcher::{Error, Manifold, Space};
use karcher_io::{self as io, Error as ReadError, ReadOptions, Rounding, Table, point_from_rounded, read};
use serde_json::Value;

/// A public ball as options give it: its numbers, in the space's units, and its radius as it was typed.
pub struct TypedBall {
    /// What the core resolves.
    pub ball: PublicBall,
    /// The radius as it was typed, of the outer ball where one is located.
    pub radius: Option<Length>,
    /// The numbers of the center as they were typed: angles of results are written near them.
    pub near: Option<Vec<f64>>,
}

/// The ball of `--center` and `--radius`; without them the ball that holds every matrix that `--shrink-trace` makes.
pub fn ball(
    center: Option<&str>,
    radius: Option<Radii>,
    (input, opened): (&Input, &Opened<'_>),
    manifold: &dyn Manifold,
) -> Result<TypedBall, Failure> {
    let near = typed_numbers(center, opened)?;
    let (center, radius) = match (center, input.shrunk_ball(manifold)?) {
        (None, Some((scale, holds_all))) => {
            let center = identity(manifold)?.into_iter().map(|x| x * scale).collect();
            (Some(center), Some(radius.unwrap_or(Length::plain(holds_all).into())))
        }
        _ => (given_center(center, (input, opened), manifold)?, radius),
    };
    let number = radius.as_ref().map(|radius| radius.on(manifold)).transpose()?;
    let told = radius.map(|radius| radius.told());
    Ok(TypedBall { ball: PublicBall { center, radius: number, ..PublicBall::default() }, radius: told, near })
}

/// The outer ball of `--center` and `--within`, in which a ball is sought.
pub fn outer_ball(
    center: Option<&str>,
    within: Option<Length>,
    quantile: Option<f64>,
    (input, opened): (&Input, &Opened<'_>),
    manifold: &dyn Manifold,
) -> Result<TypedBall, Failure> {
    let near = typed_numbers(center, opened)?;
    let center = given_center(center, (input, opened), manifold)?;
    let number = within.map(|within| within.on(manifold.space(), "--within")).transpose()?;
    let ball = PublicBall { center, locate: true, within: number, quantile, ..PublicBall::default() };
    Ok(TypedBall { ball, radius: within, near })
}

impl TypedBall {
    /// The ball of a statistic, which may have the whole space as its default.
    pub fn of(mut self, statistic: StatisticName) -> Self {
        self.ball.everywhere = statistic.description().takes_whole_space;
        self
    }

    /// The ball with the defaults of the space, and its radius for printing.
    pub fn resolve(self, opened: &mut Opened<'_>) -> Result<(BallSpec, Length), Failure> {
        if let Some(near) = &self.near {
            opened.layout = opened.layout.clone().near(near);
        }
        let manifold = opened.manifold;
        let without_center = format!("{LOCATE}{}", more_centers(manifold));
        let advice = BallAdvice { without_radius: LOCATE, without_center: &without_center, origin: ORIGIN };
        let ball = self.ball.resolve_with(manifold, advice).map_err(|error| match error {
            // columns that contradict the layout explain the mistake better
            error @ Error::Field { name: "center", .. } => opened.or_columns(error.into()),
            error => error.into(),
        })?;
        let radius = match &ball {
            BallSpec::Locate { within, .. } => *within,
            BallSpec::Known { radius, .. } => *radius,
            // several radii are told one by one
            _ => f64::INFINITY,
        };
        let radius = self.radius.unwrap_or(Length::plain(radius)).told_in(&opened.layout, manifold);
        Ok((ball, radius))
    }
}

/// How a ball is located.
const LOCATE: &str = "or locate a ball privately (karcher locate, or karcher mean --ball auto)";

/// How the origin is given.
const ORIGIN: &str = " (--center origin)";

/// Other ways to give a center of matrices.
fn more_centers(manifold: &dyn Manifold) -> &'static str {
    match manifold.shape() {
        Shape::PositiveDefinite(_) => {
            "; S*identity is a multiple of the identity matrix, such as 1e-10*identity for covariances of EEG in \
             volts; with --shrink-trace neither --center nor --radius is needed"
        }
        Shape::HermitianPositiveDefinite(_) => {
            "; S*identity is a multiple of the identity matrix, such as 1e-10*identity"
        }
        _ => "",
    }
}

/// The center that was given, as a point of the space.
fn given_center(
    center: Option<&str>,
    of_records: (&Input, &Opened<'_>),
    manifold: &dyn Manifold,
) -> Result<Option<Vec<f64>>, Failure> {
    center.map(|center| resolve(center, of_records, manifold)).transpose()
}

/// The numbers of a center that was typed, in the units of the records.
fn typed_numbers(center: Option<&str>, opened: &Opened<'_>) -> Result<Option<Vec<f64>>, Failure> {
    center.and_then(numbers).map(|numbers| opened.in_units(numbers)).transpose()
}

/// The center as a point of the space. If columns contradict the layout, that error comes first, because it explains
/// more.
fn resolve(center: &str, (input, opened): (&Input, &Opened<'_>), manifold: &dyn Manifold) -> Result<Vec<f64>, Failure> {
    point_of(center, (input, opened), manifold).map_err(|failure| opened.or_columns(failure))
}

fn point_of(
    center: &str,
    (input, opened): (&Input, &Opened<'_>),
    manifold: &dyn Manifold,
) -> Result<Vec<f64>, Failure> {
    let layout = opened.layout.clone();
    let (values, layout) = if center == "origin" {
        return Ok(origin(manifold));
    } else if let Some(multiple) = multiple_of_identity(center) {
        let unit = opened.unit()?;
        (identity(manifold)?.into_iter().map(|x| x * multiple * unit).collect(), io::layout(manifold, None)?)
    } else if let Some(numbers) = numbers(center) {
        (opened.in_units(numbers)?, layout)
    } else {
        from_file(center, (input, opened), manifold, layout)?
    };
    point_from_rounded(manifold, &layout, &values, input.rounding()).map_err(|error| match error {
        ReadError::WrongColumns { space, expected, found, .. } => format!(
            "--center: it must hold {expected} numbers, as a record on {space} in the layout {} does, not {found}",
            layout.name()
        )
        .into(),
        other => format!("--center: {other}").into(),
    })
}

fn origin(manifold: &dyn Manifold) -> Vec<f64> {
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    origin
}

/// `S` of `S*identity`.
fn multiple_of_identity(center: &str) -> Option<f64> {
    let number = center.trim().strip_suffix("identity")?.trim_end().strip_suffix('*')?;
    number.trim().parse().ok()
}

fn identity(manifold: &dyn Manifold) -> Result<Vec<f64>, Failure> {
    match manifold.shape() {
        Shape::PositiveDefinite(_) | Shape::HermitianPositiveDefinite(_) => Ok(origin(manifold)),
        _ => Err(format!(
            "--center: multiples of the identity matrix are points of spaces of positive definite matrices, not of {}",
            manifold.space()
        )
        .into()),
    }
}

/// Numbers separated by commas.
fn numbers(center: &str) -> Option<Vec<f64>> {
    center.split(',').map(|x| x.trim().parse().ok()).collect()
}

/// The center that a file holds, and its layout.
fn from_file(
    center: &str,
    (input, opened): (&Input, &Opened<'_>),
    manifold: &dyn Manifold,
    layout: Layout,
) -> Result<(Vec<f64>, Layout), Failure> {
    let space = manifold.space();
    let of_space = io::layout(manifold, None)?;
    if center.to_ascii_lowercase().ends_with(".json") {
        return Ok((from_release(center, space)?, of_space));
    }
    let unreadable = |error: ReadError| {
        format!(
            "--center {center}: expected numbers separated by commas (25,80), S*identity, `origin` or a readable \
             file ({error})"
        )
    };
    // one line of numbers is a record, even where it could be a header
    let options = || ReadOptions { complex: io::takes_complex(manifold, &of_space), ..ReadOptions::default() };
    let headless = || read(center, &ReadOptions { header: Some(false), ..options() });
    let whole = read(center, &options()).or_else(|error| headless().map_err(|_| error));
    let (point_len, record_len) = (manifold.point_len(), layout.numbers());
    if let Ok(whole) = &whole {
        // what --output writes: rows of a matrix or landmarks below one another, an array of one axis
        let is_written = whole.columns == manifold.shape().row_len() || whole.columns == 1;
        if is_written && whole.rows > 1 && whole.values.len() == point_len {
            if !opened.has_units_of_space() {
                return Err(format!(
                    "--center {center}: its units are ambiguous with --multiply-by: give the release as .json \
                     (not multiplied), or a file with one record in a row (multiplied)"
                )
                .into());
            }
            return Ok((whole.values.clone(), of_space));
        }
        // a unit vector is neither a latitude with a longitude nor a vector in some unit
        let is_one_record = point_len != record_len && whole.rows == 1;
        if is_one_record && is_point_of_no_unit(manifold, &of_space, &whole.values) {
            return Ok((whole.values.clone(), of_space));
        }
    }
    let table = match input.columns() {
        None => whole.map_err(unreadable)?,
        Some(columns) => columns_of_records(center, columns, whole, [record_len, point_len])?,
    };
    if table.rows != 1 {
        return Err(format!("--center {center}: the file must hold one record, it holds {}", table.rows).into());
    }
    // a record of another length than a point's cannot be taken for one
    let is_point = table.values.len() == point_len && point_len != record_len;
    let layout = if is_point { of_space } else { layout };
    input.check_table(&table, manifold, &layout).map_err(|failure| format!("--center {center}: {failure}"))?;
    let _ = opened.center.set(table.like().clone());
    Ok((opened.in_units(table.values)?, layout))
}

/// Whether numbers are a point, and their multiples are not: then they are in no unit.
fn is_point_of_no_unit(manifold: &dyn Manifold, of_space: &Layout, values: &[f64]) -> bool {
    let is_point = |values: &[f64]| point_from_rounded(manifold, of_space, values, Rounding::Usual).is_ok();
    is_point(values) && !is_point(&values.iter().map(|x| 2.0 * x).collect::<Vec<_>>())
}

/// The columns that are chosen for the records. A file without them is taken whole if it has just as many numbers as a
/// record or a point, the lengths in `whole_lens`.
fn columns_of_records(
    center: &str,
    columns: &str,
    whole: Result<Table, ReadError>,
    whole_lens: [usize; 2],
) -> Result<Table, Failure> {
    let chosen = ReadOptions { columns: Some(columns.to_owned()), ..ReadOptions::default() };
    match (read(center, &chosen), whole) {
        (Ok(table), _) => Ok(table),
        (Err(_), Ok(whole)) if whole.rows == 1 && whole_lens.contains(&whole.columns) => Ok(whole),
        (Err(error), _) => Err(format!(
            "--center {center}: {error}; --columns applies to it, unless it holds just the {} numbers of one record",
            whole_lens[0]
        )
        .into()),
    }
}

/// The value of a release of `karcher mean --output FILE.json`, the footpoint of one of `karcher regress`, or the
/// center of a ball of `karcher locate`.
fn from_release(center: &str, space: &Space) -> Result<Vec<f64>, Failure> {
    let text =
        std::fs::read_to_string(center).map_err(|error| format!("--center {center}: it cannot be read ({error})"))?;
    let not_ours = || {
        format!("--center {center}: it holds no release: expected what karcher wrote with --output FILE.json or --json")
    };
    let release: Value = serde_json::from_str(&text).map_err(|_| not_ours())?;
    let (Some(found), Some(values)) = (
        release["manifold"].as_str(),
        release["value"].as_array().or(release["footpoint"].as_array()).or(release["center"].as_array()),
    ) else {
        return Err(not_ours().into());
    };
    if found != space.as_str() {
        return Err(format!("--center {center}: it is a release on {found}, not on {space}").into());
    }
    values.iter().map(|x| x.as_f64().ok_or_else(|| not_ours().into())).collect()
}
