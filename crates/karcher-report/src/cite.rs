//! The citation of the program.

use crate::html::Shown;
use maud::{Markup, html};

/// The version that made the page. Those of CITATION.cff are the same.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The year in which this version was published.
const YEAR: &str = "2026";
/// Where the program is, empty before it has an address.
const URL: &str = env!("CARGO_PKG_REPOSITORY");
const AUTHORS: &str = "The karcher developers";
const WHAT: &str = "Differentially private statistics of records that live on Riemannian manifolds";

/// The citation of the program as an entry for BibTeX.
///
/// ```
/// assert!(karcher_report::citation().starts_with("@software{karcher,"));
/// ```
pub fn citation() -> String {
    let url = Some(URL).filter(|url| !url.is_empty());
    let url = url.map_or_else(String::new, |url| format!("  url     = {{{url}}},\n"));
    format!(
        "@software{{karcher,\n  author  = {{{{{AUTHORS}}}}},\n  title   = {{karcher: {WHAT}}},\n  year    = {{{YEAR}}},\n\
         {url}  version = {{{VERSION}}}\n}}"
    )
}

/// The citation of the program, on a page.
pub fn cited(versions: &[&str]) -> Markup {
    let mut others: Vec<&str> = versions.iter().copied().filter(|version| *version != VERSION).collect();
    others.sort_unstable();
    others.dedup();
    html! {
        p { "State the first sentences of each release and, for several, the guarantee of all together. Cite the program:" }
        p {
            (AUTHORS) " (" (YEAR) "). " cite { "karcher: " (WHAT) } ", version " (VERSION)
            ", under the licenses MIT and Apache-2.0."
        }
        @if !others.is_empty() {
            p { "Version " (Shown(&others.join(", "))) " made some of these releases: cite it too." }
        }
        pre tabindex="0" { code { (citation()) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_citation_is_that_of_the_repository() {
        let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../CITATION.cff")).unwrap();
        let title = format!("  title: \"karcher: {WHAT}\"");
        let own = [format!("version: {VERSION}"), format!("  - name: {AUTHORS}"), "title: karcher".to_owned()];
        for line in own.into_iter().chain([title, format!("  year: {YEAR}")]) {
            assert!(file.lines().any(|known| known == line), "{line}");
        }
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to/publish-in-a-paper.md");
        assert!(std::fs::read_to_string(page).unwrap().contains(&citation()));
    }
}
