//! Names of columns that contradict the layout that records are read in.

use crate::error::Failure;
use crate::manifold::named_layout;
use karcher::Manifold;
use karcher::manifold::{Contradiction, Layout, Verdict};

/// Refuses names that say something else than a layout, by default the first, with the arguments that would be right.
/// They are columns of a DataFrame in the argument `frame`, or of a table; `trust` overrules them.
pub fn check_names(
    space: &dyn Manifold,
    names: &[String],
    layout: Option<&str>,
    frame: Option<&str>,
    trust: &str,
) -> Result<(), Failure> {
    let layouts = space.layouts();
    let layout = match (layout, layouts.first()) {
        (Some(name), _) => named_layout(space, name)?,
        (None, Some(first)) => first.clone(),
        (None, None) => return Ok(()),
    };
    let Verdict::Contradiction(found) = layout.check_names(&layouts, names) else { return Ok(()) };
    let (layout, advice) = (layout.name(), advice(&found, names, frame, &layouts));
    Err(Failure::Sentence(format!(
        "the columns {} contradict the layout {layout}, which takes {}: {advice}, or {trust} if the names are wrong",
        shown(names.iter().map(String::as_str)),
        found.takes
    )))
}

fn advice(found: &Contradiction, names: &[String], frame: Option<&str>, layouts: &[Layout]) -> String {
    let layout = found.layout.as_ref().filter(|layout| layouts.iter().any(|known| known.name() == **layout));
    let layout = layout.map(|layout| format!("layout='{layout}'"));
    let columns = found.ordered(names).map(|names| {
        let list = shown(names.iter().map(|name| format!("'{name}'")));
        frame.map_or_else(|| format!("columns=[{list}]"), |frame| format!("{frame}[[{list}]]"))
    });
    if let Some(factor) = found.factor {
        return format!("multiply them by {factor}");
    }
    match [layout, columns].into_iter().flatten().collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => found.remedy.clone().unwrap_or_else(|| "choose other columns".to_owned()),
        arguments => format!("give {arguments}"),
    }
}

/// The names, some of many.
fn shown(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    const MOST: usize = 24;
    let names: Vec<_> = names.collect();
    let some = names.iter().take(MOST).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    let printed: String = some.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if names.len() > MOST { printed + ", …" } else { printed }
}
