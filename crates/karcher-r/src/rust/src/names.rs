//! Names of columns and axes of arrays that contradict the layout in which they are read.

use crate::failure::Failure;
use karcher::Manifold;
use karcher::manifold::{Layout, Verdict, Wording};
use serde_json::Value;

/// Refuses columns, or an array, that say something else than their layout. `of` is the argument that they belong to.
pub fn check(space: &dyn Manifold, layout: &Layout, of: &str, given: &Value) -> Result<(), Failure> {
    let (layouts, each) = (space.layouts(), given["axes"].as_array().into_iter().flatten());
    let axes: Vec<usize> = each.filter_map(|n| usize::try_from(n.as_u64()?).ok()).collect();
    let texts = |key: &str| given[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    let (names, all): (Vec<&str>, Vec<String>) = (texts("names").collect(), texts("all").map(str::to_owned).collect());
    let (verdict, what) = match axes.is_empty() {
        true => (
            layout.clone().among(all).check_names(&layouts, &names),
            format!("the columns {} of {of}", names.join(", ")),
        ),
        false => {
            let shown: Vec<String> = axes.iter().map(ToString::to_string).collect();
            (layout.check_array(&layouts, &axes), format!("{of}, {},", shown.join(" x ")))
        }
    };
    let Verdict::Contradiction(found) = verdict else { return Ok(()) };
    let (own, takes, advice) = (layout.name(), &found.takes, found.advice(&names, &Arguments { of }));
    let own = match layout.array().filter(|_| !axes.is_empty()) {
        Some(axes) => format!("{own}, {}", axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")),
        None => format!("{own}, which takes {takes}"),
    };
    let trust = if axes.is_empty() { "; or unname() them if the names are wrong" } else { "" };
    Err(Failure::new(format!("{what} contradict the layout {own}: {advice}{trust}")))
}

/// The words of this package, about an argument.
struct Arguments<'a> {
    of: &'a str,
}

impl Wording for Arguments<'_> {
    fn layout(&self, name: &str) -> String {
        format!("layout = \"{name}\"")
    }

    fn columns(&self, names: &[&str]) -> String {
        let each = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        if self.of == "center" { format!("center[c({each})]") } else { format!("columns = c({each})") }
    }

    fn factors(&self, factors: &[(Option<&str>, f64)]) -> String {
        let by = |(name, factor): &(Option<&str>, f64)| format!("{} by {factor}", name.unwrap_or("all"));
        format!("multiply {} before", factors.iter().map(by).collect::<Vec<_>>().join(", "))
    }

    fn and(&self) -> &'static str {
        " and "
    }

    fn shown(&self, name: &str) -> String {
        name.to_owned()
    }
}
