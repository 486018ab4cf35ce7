//! The whole page.

use crate::document::Document;
use crate::facts::numerics;
use crate::html::Shown;
use crate::section::{Drawn, section};
use crate::{cite, total};
use base64::Engine as _;
use karcher::release::{Adjacency, Numerics, PrivacyUnit};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The style of a page. In a notebook it applies to a part of the page, which keeps its own colors.
pub const STYLE: &str = include_str!("style.css");
/// The colors of a page by itself, and its style in print.
pub const PAGE_STYLE: &str = include_str!("page.css");

/// The beginning of every page: empty elements, as XML writes them. Nothing is fetched, and no script runs but the one
/// with this text, even if markup got in.
pub fn head(script: Option<&str>) -> String {
    let allowed = script.map_or_else(String::new, |text| {
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
        format!("script-src 'sha256-{hash}'; ")
    });
    format!(
        "<meta charset=\"utf-8\"/>\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {allowed}style-src \
        'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\
        <meta name=\"color-scheme\" content=\"light dark\"/>"
    )
}

/// A page about releases that a person can send: one file, which fetches nothing and runs no script. It is a function
/// of these documents and options alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Report<'a> {
    /// The documents to show, in this order.
    pub documents: &'a [Document],
    /// The title. `None` derives it from the documents.
    pub title: Option<&'a str>,
    /// A ledger, whose entries and total are shown.
    #[cfg(feature = "ledger")]
    pub ledger: Option<&'a karcher_ledger::Book>,
}

impl Report<'_> {
    /// The page, in HTML that is XML as well.
    pub fn page(&self) -> String {
        let title = self.title.map_or_else(|| self.own_title(), str::to_owned);
        let total = total::of(self.documents);
        let is_long = self.documents.len() > 1 || self.account().is_some();
        let page = html! {
            (DOCTYPE)
            html lang="en" xmlns="http://www.w3.org/1999/xhtml" {
                head {
                    (PreEscaped(head(None)))
                    title { (Shown(&title)) }
                    style { (PreEscaped(STYLE)) (PreEscaped(PAGE_STYLE)) }
                }
                body class="karcher" {
                    header {
                        h1 { (Shown(&title)) }
                        p {
                            "These statistics were released with differential privacy: random noise hides what any one "
                            (self.protected()) " contributed. This page shows only what was published."
                        }
                    }
                    @if is_long { (self.contents(total.is_some())) }
                    main {
                        @for (i, document) in self.documents.iter().enumerate() {
                            (section(document, &self.called(document), &format!("release-{}", i + 1), 2, Drawn::Inline))
                        }
                        @if let Some(total) = total { (total) }
                        @if let Some(account) = self.account() { (account) }
                        (self.read())
                        (self.not_protected())
                        section id="cite" aria-labelledby="cite-heading" {
                            h2 id="cite-heading" { "How to cite" }
                            (cite::cited(&self.documents.iter().flat_map(Document::versions).collect::<Vec<_>>()))
                        }
                    }
                    footer {
                        p {
                            "Made by karcher " (env!("CARGO_PKG_VERSION")) " from its JSON files. The page fetches \
                            nothing and runs no script. It is not signed: its sender answers for it."
                        }
                    }
                }
            }
        };
        page.into_string() + "\n"
    }

    /// The section about the ledger, if there is one.
    fn account(&self) -> Option<Markup> {
        #[cfg(feature = "ledger")]
        return self.ledger.map(|book| crate::account::so_far(book, self.documents));
        #[cfg(not(feature = "ledger"))]
        None
    }

    /// The name of a document.
    fn called(&self, document: &Document) -> String {
        if self.documents.len() > 1 { document.title_of_several() } else { document.title() }
    }

    fn own_title(&self) -> String {
        match self.documents {
            [_] => "A private release".to_owned(),
            many => format!("{} private releases", many.len()),
        }
    }

    /// The unit and the neighbours that the guarantees protect.
    fn protected(&self) -> &'static str {
        let persons = self.documents.iter().all(|document| document.protects().unit == PrivacyUnit::Person);
        if persons && !self.documents.is_empty() { "person" } else { "record" }
    }

    fn contents(&self, has_total: bool) -> Markup {
        html! {
            nav aria-label="Contents" {
                ol {
                    @for (i, document) in self.documents.iter().enumerate() {
                        li { a href={ "#release-" (i + 1) } { (Shown(&self.called(document))) } }
                    }
                    @if has_total { li { a href="#total" { "All of these releases together" } } }
                    @if self.account().is_some() { li { a href="#ledger" { "The ledger so far" } } }
                    li { a href="#not-protected" { "What is not protected" } }
                    li { a href="#cite" { "How to cite" } }
                }
            }
        }
    }

    /// A glossary of the words on the page.
    fn read(&self) -> Markup {
        let said: Vec<Numerics> = self.documents.iter().flat_map(Document::numerics).collect();
        let kinds =
            [Numerics::Exact, Numerics::Idealized, Numerics::Mcmc].into_iter().filter(|kind| said.contains(kind));
        html! {
            section id="words" aria-labelledby="words-heading" {
                h2 id="words-heading" { "What the words mean" }
                dl {
                    dt { "ball" }
                    dd {
                        "Records outside it were moved to its edge (clipped) before anything else. It was public, or \
                        found with a part of the budget."
                    }
                    dt { "region" }
                    dd {
                        "It holds the mean of the clipped records with the stated probability, over the draw of the \
                        noise. It does not cover clipping or sampling from a population."
                    }
                    dt { "expected error" }
                    dd { "The average distance by which noise moves the value, before denoising. It depends on public numbers alone." }
                    @for kind in kinds {
                        dt { "numerics: " (kind.name()) }
                        dd { (numerics(kind)) }
                    }
                }
            }
        }
    }

    /// The limits of the guarantees on the page.
    fn not_protected(&self) -> Markup {
        let any = |holds: &dyn Fn(&Document) -> bool| self.documents.iter().any(holds);
        html! {
            section id="not-protected" aria-labelledby="not-protected-heading" {
                h2 id="not-protected-heading" { "What is not protected" }
                ul {
                    @if any(&|document| document.protects().adjacency == Adjacency::ReplaceOne) {
                        li { "The number of records or persons, if a release states it without noise." }
                    }
                    @if any(&|document| document.protects().unit == PrivacyUnit::Record) {
                        li {
                            "A person with several records. For k records the guarantee is weaker, as for groups."
                        }
                    }
                    li {
                        "Groups of people, such as a family. For k of them the guarantee has k times the epsilon or \
                        mu, and k² times the rho. A delta grows faster."
                    }
                    li {
                        "Facts about the whole group. Anyone can learn the approximate mean, with or without any one \
                        record."
                    }
                    li {
                        "Choices that were made by looking at the records. Ball, units, columns, budget and mechanism \
                        must come from public knowledge. No page can show whether they did."
                    }
                    li { "Errors in the proofs or the program: no one outside the project has reviewed them." }
                    li { "Other releases about the same people, on this page or elsewhere: their budgets add up." }
                    li {
                        "The run itself: its time, its memory, its messages about unreadable records, and the machine."
                    }
                }
            }
        }
    }
}

impl Document {
    /// The section of a page, for embedding in a notebook. It takes the colors around it.
    ///
    /// ```
    /// use karcher::mechanism::CountPlan;
    /// use karcher::{ReleaseContext, privacy::Guarantee};
    /// use karcher_report::Document;
    /// let count = CountPlan::new(Guarantee::pure(1.0)?)?.run_on(100, &mut ReleaseContext::from_os()?)?;
    /// let fragment = Document::read("count.json", &serde_json::to_string(&count)?)?.fragment();
    /// assert!(fragment.starts_with("<div class=\"karcher\"") && fragment.contains("Private number of records"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fragment(&self) -> String {
        let mut name = DefaultHasher::new();
        self.json.hash(&mut name);
        let id = format!("karcher-{:016x}", name.finish());
        let page = html! {
            div class="karcher" lang="en" {
                style { (PreEscaped(STYLE)) }
                (section(self, &self.title(), &id, 3, Drawn::Image))
            }
        };
        page.into_string()
    }
}
