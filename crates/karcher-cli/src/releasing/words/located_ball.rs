//! A located ball, in words.

use crate::output::{digits_down, point_rows, told};
use crate::releasing::{Described, Lines, line};
use crate::{Failure, located};
use std::path::Path;

/// Refuses a file that does not hold all of a ball.
pub fn check_output(path: Option<&Path>) -> Result<(), Failure> {
    match path.filter(|path| path.extension().is_none_or(|extension| extension != "json")) {
        Some(path) => {
            Err(format!("--output {}: a ball is written as .json, which holds all of it", path.display()).into())
        }
        None => Ok(()),
    }
}

/// The release in words.
pub fn describe(described: &Described<'_>) -> Result<Lines, Failure> {
    let Described { release, manifold, layout, told: known, saving } = described;
    let ball = release.located().ok_or("a location releases a ball")?;
    let rows = point_rows(&ball.center, manifold.shape().row_len(), saving.is_some());
    let names = std::iter::once("private center").chain(std::iter::repeat(""));
    let mut lines: Lines = names.zip(rows).map(|(name, row)| line(name, row)).collect();
    lines.extend(told(layout, &ball.center).map(|place| line("", place)));
    lines.push(line("private radius", located::radius(ball, known.radius)));
    lines.extend(described.promise());
    lines.push(line("spent", located::spent(ball, false)));
    let scale = digits_down(release.scale());
    let how = match release.steps() {
        Some(steps) => format!("{} steps, the last of scale {scale}", steps.len()),
        None => format!("medians of {} coordinates, each on places of length {scale}", manifold.dim()),
    };
    lines.push(line("mechanism", format!("{}, {how}", release.mechanism())));
    let outer = located::within(release.ball(), *manifold, layout, known.radius, known.is_default_center);
    lines.push(line("sought within", outer));
    Ok(lines)
}
