//! The released numbers as rows of a table.

use super::{Fact, Numbers};
use crate::manifold::{Manifold, Shape};

/// The cells of a row: names of columns and numbers.
pub type Cells = Vec<(String, f64)>;

/// The released numbers of facts as cells, a row each: one, or as many as there are clusters. Points have the names of
/// their coordinates.
///
/// ```
/// # use karcher::{Ball, Points, ReleaseContext, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}};
/// # use karcher::{facts::{Style, cells, facts}, privacy::Guarantee, release::PublishedRelease};
/// # let sphere = std::sync::Arc::new(Sphere::new(2)?);
/// # let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
/// # let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
/// # let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?;
/// let release = PublishedRelease::from(plan.run(&records, &mut ReleaseContext::seeded(1))?);
/// let rows = cells(&facts(&release, &Style::of(&release.provenance)), Some(&*sphere));
/// assert_eq!(rows[0].iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["value_x", "value_y", "value_z"]);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn cells(facts: &[Fact], space: Option<&dyn Manifold>) -> Vec<Cells> {
    let numbers = facts.iter().flat_map(|fact| &fact.numbers).flat_map(|(name, numbers)| match numbers {
        Numbers::One(x) => vec![(name.clone(), *x)],
        Numbers::Point(numbers) => {
            let names = coordinates(space, numbers.len());
            names.into_iter().zip(numbers).map(|(axis, x)| (format!("{name}_{axis}"), *x)).collect()
        }
    });
    let mut rows: Vec<Cells> = vec![];
    for (name, x) in numbers {
        match rows.last_mut() {
            // a name that is there begins the next row
            Some(row) if row.iter().all(|(known, _)| *known != name) => row.push((name, x)),
            _ => rows.push(vec![(name, x)]),
        }
    }
    rows
}

/// The names of a point's numbers: x, y, z of directions and axes, w, x, y, z of rotations, x1, y1, … of landmarks;
/// elsewhere their places, from 0.
fn coordinates(space: Option<&dyn Manifold>, len: usize) -> Vec<String> {
    let letters = |all: &str| all.chars().take(len).map(String::from).collect();
    let Some(space) = space.filter(|space| space.point_len() == len) else { return places(&[len]) };
    let name = space.space().as_str();
    let is_one = !name.contains(['*', '^']);
    match (space.shape(), name.split(':').next()) {
        (Shape::Landmarks(count), _) if is_one => {
            (1..=count).flat_map(|k| [format!("x{k}"), format!("y{k}")]).collect()
        }
        (_, Some("rotations")) if name == "rotations:3" => letters("wxyz"),
        (_, Some("sphere" | "projective")) if is_one && len <= 3 => letters("xyz"),
        (Shape::HermitianPositiveDefinite(k), _) => {
            let parts = |place| [format!("{place}_real"), format!("{place}_imag")];
            places(&[k, k]).iter().flat_map(parts).collect()
        }
        (shape, _) => places(&shape.axes()),
    }
}

/// The places in an array of these axes: `0_0`, `0_1`, …
fn places(axes: &[usize]) -> Vec<String> {
    axes.iter().fold(vec![], |above: Vec<String>, &len| {
        let of = |place: &String| (0..len).map(|i| format!("{place}_{i}")).collect::<Vec<_>>();
        if above.is_empty() { (0..len).map(|i| i.to_string()).collect() } else { above.iter().flat_map(of).collect() }
    })
}
