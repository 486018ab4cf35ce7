//! Rows of numbers as points.

use crate::failure::Failure;
use karcher::manifold::{Layout, Remedy, remedy};
use karcher::release::Adjacency;
use karcher::{Manifold, Points};

/// The layout of a name, or the first one, in which points are what they are.
pub fn layout_of(space: &dyn Manifold, name: Option<&str>) -> Result<Layout, Failure> {
    let layouts = space.layouts();
    let names = || layouts.iter().map(Layout::name).collect::<Vec<_>>().join(", ");
    let unknown =
        |name| Failure::new(format!("layout \"{name}\" is not one of {}: expected {}", space.space(), names()));
    let found = match name {
        Some(name) => layouts.iter().find(|layout| layout.name() == name),
        None => layouts.first(),
    };
    found.cloned().ok_or_else(|| unknown(name.unwrap_or_default()))
}

/// The point that a row of a layout holds, or why it holds none. A point is what it is.
pub fn point(space: &dyn Manifold, layout: &Layout, row: &[f64]) -> Result<Vec<f64>, String> {
    if row.iter().any(|x| x.is_nan()) {
        return Err("a number is missing (NA)".to_owned());
    }
    let is_point = layout.is_plain() && space.check_point(row).is_ok();
    let found = if is_point { row.to_vec() } else { layout.read(row)? };
    space.check_point(&found).map_err(|error| error.to_string())?;
    Ok(found)
}

/// The remedy for a row that holds no point, in the words of the package.
fn advice(remedy: Remedy) -> String {
    match remedy {
        Remedy::Rounded(_) => {
            "; if numbers were rounded, put them onto the space first: divide vectors and quaternions by their norm, \
             proportions by their sum, average a symmetric matrix and its transpose, and replace a rotation matrix M \
             by with(svd(M), u %*% t(v))"
                .to_owned()
        }
        Remedy::Projected { condition } => format!("; {condition}, put it onto the space first"),
        Remedy::InLayout { layout, projected: false, condition } => {
            format!("; {condition}, give layout = \"{layout}\"")
        }
        Remedy::InLayout { layout, projected: true, condition } => {
            format!("; {condition}, give x / rowSums(x) with layout = \"{layout}\"")
        }
        Remedy::Angles => "; if some of its columns are angles, give these alone, with a layout of angles".to_owned(),
        Remedy::Singular => "; if it is singular, mix it with the identity first".to_owned(),
    }
}

/// All rows as points. Those that hold none are refused, or become the substitute.
pub fn points(
    space: &dyn Manifold,
    layout: &Layout,
    values: &[f64],
    (substitute, adjacency): (Option<&[f64]>, Adjacency),
) -> Result<Points, Failure> {
    if values.is_empty() && adjacency == Adjacency::AddRemove {
        return Ok(Points::none(space));
    }
    let mut all = Vec::with_capacity(values.len() / layout.numbers() * space.point_len());
    for (i, row) in values.chunks_exact(layout.numbers()).enumerate() {
        match (point(space, layout, row), substitute) {
            (Ok(point), _) => all.extend(point),
            (Err(_), Some(substitute)) => all.extend_from_slice(substitute),
            (Err(reason), None) => {
                let advice = remedy(space, layout, row).map_or_else(String::new, |remedy| advice(remedy));
                return Err(Failure::of_record(i + 1, &format!("{reason}{advice}")));
            }
        }
    }
    Ok(Points::new(space, all)?)
}
