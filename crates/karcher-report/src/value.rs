//! The numbers of a release.

use crate::html::{columns, folded_on_screen, number};
use karcher::Manifold;
use karcher::facts::angles;
use karcher::manifold::Shape;
use maud::{Markup, html};

/// More numbers than this are in the JSON alone.
const MOST: usize = 1_024;

/// More numbers than this are in a folded section.
const PLENTY: usize = 64;

/// The numbers of a point, in the shape of its space; in a row if the library lacks the space. `layout` is that of the
/// records.
pub fn point(caption: &str, numbers: &[f64], manifold: Option<&dyn Manifold>, layout: Option<&str>) -> Markup {
    let shape =
        manifold.map(Manifold::shape).filter(|_| manifold.is_some_and(|space| space.point_len() == numbers.len()));
    let table = match shape {
        _ if numbers.len() > MOST => {
            return html! { p { (caption) ": " (numbers.len()) " numbers, which are in the JSON below." } };
        }
        Some(Shape::Matrix { columns, .. } | Shape::PositiveDefinite(columns) | Shape::Matrices { columns, .. })
            if columns > 1 =>
        {
            let heads = std::iter::once("row".to_owned()).chain((1..=columns).map(|i| i.to_string()));
            table(caption, &heads.collect::<Vec<_>>(), numbers.chunks(columns))
        }
        Some(Shape::HermitianPositiveDefinite(k)) => {
            let of_column = |i: usize| [format!("Re {i}"), format!("Im {i}")];
            let heads: Vec<String> = std::iter::once("row".to_owned()).chain((1..=k).flat_map(of_column)).collect();
            table(caption, &heads, numbers.chunks(2 * k))
        }
        Some(Shape::Landmarks(_)) => table(caption, &["landmark", "x", "y"].map(str::to_owned), numbers.chunks(2)),
        _ => table(caption, &["coordinate", "value"].map(str::to_owned), numbers.chunks(1)),
    };
    html! {
        @if numbers.len() > PLENTY {
            (folded_on_screen(&format!("{caption}: {} numbers", numbers.len()), &table))
        } @else {
            (table)
        }
        @if let Some(angles) = manifold.and_then(|space| angles(space, numbers, layout)) {
            p { "As angles that is " (angles) "." }
        }
    }
}

/// Rows of numbers, each with its caption.
fn table<'a>(caption: &str, heads: &[String], rows: impl Iterator<Item = &'a [f64]>) -> Markup {
    let rows = rows.zip(1..);
    let rows = rows.map(|(row, i)| std::iter::once(i.to_string()).chain(row.iter().map(|x| number(*x))).collect());
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    columns(caption, &heads, &rows.collect::<Vec<_>>())
}
