//! Names of columns that contradict the layout that records are read in.

use crate::error::Failure;
use crate::manifold::named_layout;
use karcher::Manifold;
use karcher::manifold::{Layout, Verdict, Wording};
use pyo3::pyfunction;

/// Refuses names that say something else than a layout, by default the first, with the arguments that would be right.
/// They are columns of a DataFrame in the argument `frame`, or of a table; `trust` overrules them. Those that are
/// `multiplied` may be in any unit, where there is an argument for it.
pub fn check_names(
    space: &dyn Manifold,
    (names, all): (&[String], Vec<String>),
    layout: Option<&str>,
    (frame, multiplied): (Option<&str>, Option<Vec<usize>>),
    trust: &str,
) -> Result<(), Failure> {
    let layouts = space.layouts();
    let Some(layout) = chosen(space, layout)? else { return Ok(()) };
    let arguments = Arguments { frame, may_multiply: multiplied.is_some() };
    let layout = layout.in_any_unit(multiplied.unwrap_or_default()).among(all);
    let names = &written_out(names, layout.numbers());
    let Verdict::Contradiction(found) = layout.check_names(&layouts, names) else { return Ok(()) };
    Err(Failure::Sentence(format!(
        "the columns {} contradict the layout {}, which takes {}: {}, or {trust} if the names are wrong",
        shown(names.iter().map(String::as_str)),
        layout.name(),
        found.takes,
        found.advice(names, &arguments),
    )))
}

/// The names of the numbers of a record, where the one of a column of lists ends in `[]`: so many numbers are in the
/// list that all names are `numbers`.
fn written_out(names: &[String], numbers: usize) -> Vec<String> {
    let len = (numbers + 1).saturating_sub(names.len());
    let numbers_of = |name: &String| match name.strip_suffix("[]") {
        Some(list) => (0..len).map(|i| format!("{list}[{i}]")).collect(),
        None => vec![name.clone()],
    };
    match names.iter().filter(|name| name.ends_with("[]")).count() {
        1 => names.iter().flat_map(numbers_of).collect(),
        _ => names.to_vec(),
    }
}

/// Refuses lists of lists, or tensors, of other axes than those of a layout, by default the first.
pub fn check_axes(space: &dyn Manifold, axes: &[usize], layout: Option<&str>) -> Result<(), Failure> {
    let layouts = space.layouts();
    let Some(layout) = chosen(space, layout)? else { return Ok(()) };
    let numbers = axes.iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
    match layout.check_array(&layouts, axes) {
        Verdict::Contradiction(found) if numbers == Some(layout.numbers()) => Err(Failure::Sentence(format!(
            "the lists contradict the layout {}, which takes {}: {}, or trust_layout=True if their numbers are so \
             arranged",
            layout.name(),
            found.takes,
            found.advice(&[] as &[&str], &Arguments { frame: None, may_multiply: false }),
        ))),
        _ => Ok(()),
    }
}

/// The layout of a name, or the first.
fn chosen(space: &dyn Manifold, name: Option<&str>) -> Result<Option<Layout>, Failure> {
    name.map_or_else(|| Ok(space.layouts().into_iter().next()), |name| named_layout(space, name).map(Some))
}

/// The words of the package.
struct Arguments<'a> {
    frame: Option<&'a str>,
    may_multiply: bool,
}

impl Wording for Arguments<'_> {
    fn layout(&self, name: &str) -> String {
        format!("layout='{name}'")
    }

    fn columns(&self, names: &[&str]) -> String {
        let list = shown(names.iter().map(|name| format!("'{name}'")));
        self.frame.map_or_else(|| format!("columns=[{list}]"), |frame| format!("{frame}[[{list}]]"))
    }

    fn factors(&self, factors: &[(Option<&str>, f64)]) -> String {
        let by = |(name, factor): &(Option<&str>, f64)| format!("'{}': {factor}", name.unwrap_or_default());
        let by = match factors {
            [(None, factor)] => factor.to_string(),
            some => format!("{{{}}}", shown(some.iter().map(by))),
        };
        match self.may_multiply {
            true => format!("multiply_by={by}"),
            false => format!("names without the unit, and multiply by {by} before"),
        }
    }

    fn and(&self) -> &'static str {
        " and "
    }

    fn shown(&self, name: &str) -> String {
        shown([name].into_iter())
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

/// Whether the numbers of a record are parts with names of their own, which a release states.
#[pyfunction]
pub fn names_parts(space: &str) -> bool {
    space.parse().is_ok_and(|space| karcher::release::names_parts(&space))
}
