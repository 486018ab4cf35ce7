//! The citation, and the statement for a paper.

use crate::document::{Content, Document};
use crate::html::{Shown, folded};
use karcher::release::Provenance;
use maud::{Markup, html};

/// The version that made the page. Those of CITATION.cff are the same.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const AUTHORS: &str = "The karcher developers";
const WHAT: &str = "Differentially private statistics of records that live on Riemannian manifolds";

/// The properties of a release that a paper should state.
pub fn stated(document: &Document) -> Markup {
    let sentence = match &document.content {
        Content::Release(release, _) => of(&release.provenance),
        Content::Groups(groups) => {
            let first = groups.groups.first().map(|group| of(&group.release.provenance));
            format!(
                "{} It is one of {} groups, of which all have this guarantee together.",
                first.unwrap_or_default(),
                groups.groups.len()
            )
        }
        Content::Count(count) => format!(
            "The number of {}s was released with {} ({}), by noise of the law {} of scale {}; karcher {}.",
            count.unit, count.guarantee, count.adjacency, count.mechanism, count.scale, count.karcher
        ),
        Content::Collected(all) => format!(
            "Each of {} people released one {} on {} with {} in the local model, clipped to a public ball of radius \
             {}; their mean was collected with karcher.",
            all.n,
            all.unit,
            all.manifold,
            all.guarantee,
            all.ball.radius()
        ),
    };
    folded("What to state in a paper", &html! { p { (Shown(&sentence)) } })
}

fn of(how: &Provenance) -> String {
    let flags: Vec<String> =
        how.flags.iter().map(|flag| flag.to_string().split(':').next().unwrap_or_default().to_owned()).collect();
    let flags = if flags.is_empty() { "none".to_owned() } else { flags.join(", ") };
    format!(
        "The {} of {} on {} was released with {} ({}), by the mechanism {} with noise of scale {}, in a ball of radius \
         {} that was {}; numerics {}, flags: {flags}; karcher {}.",
        how.statistic,
        how.how_many(),
        how.manifold,
        how.guarantee,
        how.neighbours(),
        how.mechanism,
        how.scale,
        how.ball.radius(),
        if how.located.is_some() { "located with a part of the budget" } else { "chosen beforehand" },
        crate::provenance::numerics(how.numerics).0,
        how.karcher,
    )
}

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
        p {
            (AUTHORS) ". " cite { "karcher: " (WHAT) } ", version " (VERSION)
            ", under the licenses MIT and Apache-2.0."
        }
        @if !others.is_empty() {
            p { "Of what is on this page some was made by version " (Shown(&others.join(", "))) ": cite that." }
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
