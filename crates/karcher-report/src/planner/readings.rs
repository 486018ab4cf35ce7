//! What the page knows of the names of columns: a table for its script, made of the library's spaces.

use karcher::Space;
use karcher::manifold::{FAMILIES, Layout, about};
use serde_json::{Value, json};

/// Spaces that are proposed, in addition to those of the examples and that of the plan.
const MORE: [&str; 2] = ["spd-log-euclidean:2", "simplex-aitchison:4"];

/// The spaces and their layouts, with the names of columns that each takes; the space of the plan comes first.
pub(super) fn table(own: &Space) -> Value {
    let examples = FAMILIES.iter().flat_map(|family| family.examples).chain(&MORE).copied();
    let others = examples.filter(|name| *name != own.as_str());
    let spaces = std::iter::once(own.as_str()).chain(others).filter_map(|name| {
        let manifold = name.parse::<Space>().ok()?.manifold().ok()?;
        let layouts: Vec<Value> = manifold.layouts().iter().map(layout).collect();
        Some(json!({ "space": name, "about": about(&*manifold), "layouts": layouts }))
    });
    spaces.collect()
}

/// A layout with its names. Symbols of less than three numbers say too little.
fn layout(layout: &Layout) -> Value {
    /// Longer records have no names here.
    const LONGEST: usize = 300;
    let names = if layout.numbers() <= LONGEST { layout.dictionary() } else { Default::default() };
    let symbols = if layout.numbers() > 2 { names.symbols } else { vec![] };
    json!({
        "name": layout.name(), "numbers": layout.numbers(), "words": names.words, "symbols": symbols,
        "array": layout.array(),
    })
}
