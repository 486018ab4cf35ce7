//! The citation.

use crate::html::Shown;
use maud::{Markup, html};

/// The version that made the page. Those of CITATION.cff are the same.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const AUTHORS: &str = "The karcher developers";
const WHAT: &str = "Differentially private statistics of records that live on Riemannian manifolds";

/// The citation of the program.
pub fn cited(versions: &[&str]) -> Markup {
    let mut others: Vec<&str> = versions.iter().copied().filter(|version| *version != VERSION).collect();
    others.sort_unstable();
    others.dedup();
    let entry = format!(
        "@software{{karcher,\n  author  = {{{{{AUTHORS}}}}},\n  title   = {{karcher: {WHAT}}},\n  \
         version = {{{VERSION}}}\n}}"
    );
    html! {
        p { "State the first sentences of each release and, for several, the guarantee of all together. Cite the program:" }
        p {
            (AUTHORS) ". " cite { "karcher: " (WHAT) } ", version " (VERSION)
            ", under the licenses MIT and Apache-2.0."
        }
        @if !others.is_empty() {
            p { "Version " (Shown(&others.join(", "))) " made some of these releases: cite it too." }
        }
        pre tabindex="0" { code { (entry) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_citation_is_that_of_the_repository() {
        let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../CITATION.cff")).unwrap();
        for line in [format!("version: {VERSION}"), format!("  - name: {AUTHORS}"), "title: karcher".to_owned()] {
            assert!(file.lines().any(|known| known == line), "{line}");
        }
    }
}
