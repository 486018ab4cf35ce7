//! One document on a page.

use crate::document::{Content, Document, Group, Prediction};
use crate::guarantee::{Protects, explained};
use crate::html::{Shown, folded, folded_on_screen, heading};
use crate::picture::Picture;
use crate::value::point;
use crate::{all_digits, as_release, facts};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use karcher::Manifold;
use karcher::audit::Verification;
use karcher::privacy::Guarantee;
use karcher::release::{Adjacency, Collected, PublishedRelease, ReleasedCount, Value};
use maud::{Markup, PreEscaped, html};

/// Longest JSON that a page shows; a longer one has only a link.
const LONGEST: usize = 100_000;

/// The form of pictures.
#[derive(Debug, Clone, Copy)]
pub enum Drawn {
    /// A part of the page.
    Inline,
    /// An image: of SVG that is a part, a notebook from elsewhere shows the words alone.
    Image,
}

/// The section about a document; `id` is unique on the page.
pub fn section(document: &Document, title: &str, id: &str, level: u8, drawn: Drawn) -> Markup {
    let below = level + 1;
    html! {
        section id=(id) aria-label=(Shown(title)) {
            (heading(level, Shown(title)))
            @if document.is_seeded() {
                p class="warning" {
                    strong { "Not private." }
                    " The noise was made with a seed and can be subtracted: a test or a demonstration."
                }
            }
            @if !matches!(document.content, Content::Release(..)) { p class="lead" { (Shown(&document.sentence())) } }
            @if !matches!(document.content, Content::Collected(_)) { (contradictions(document)) }
            @match &document.content {
                Content::Release(release, predictions) => (released(release, predictions, true, id, below, drawn)),
                Content::Count(count) => (count_alone(count, below)),
                Content::Collected(all) => (collected(all, id, below, drawn)),
                Content::Groups(groups) => {
                    p { "Records in no group of this public list were left out." }
                    (heading(below, "What is guaranteed"))
                    p {
                        strong { (capital(&groups.guarantee.to_string())) } ", for " (groups.adjacency.of_unit(groups.unit))
                        ", of all groups together"
                        @if let Ok(replaced) = groups.guarantee.of_two_steps() {
                            "; " (replaced) ", where one record is replaced by any other, of whatever group"
                        }
                        "."
                    }
                    (explained(groups.guarantee, document.protects()))
                    @for (i, group) in groups.groups.iter().enumerate() {
                        (of_group(group, &format!("{id}-{i}"), below, drawn))
                    }
                }
            }
            (all_digits(document))
            (kept(document))
        }
    }
}

fn of_group(group: &Group, id: &str, level: u8, drawn: Drawn) -> Markup {
    html! {
        section id=(id) aria-label={ "Group " (Shown(&group.group)) } {
            (heading(level, html! { "Group " (Shown(&group.group)) }))
            (released(&group.release, &[], false, id, level + 1, drawn))
        }
    }
}

/// All about one release.
///
/// The guarantee is stated for all groups together, so the release of a group leaves it out.
fn released(
    release: &PublishedRelease,
    predictions: &[Prediction],
    is_whole: bool,
    id: &str,
    level: u8,
    drawn: Drawn,
) -> Markup {
    let how = &release.provenance;
    let manifold = how.manifold.manifold().ok();
    let manifold = manifold.as_deref();
    let facts = facts::of(release, predictions);
    html! {
        p class="lead" { (Shown(&release.sentence())) }
        (picture(release, manifold, id, drawn))
        @if is_whole { (guaranteed(how.guarantee, how.neighbours(), Protects { unit: how.unit, adjacency: how.adjacency }, level)) }
        (heading(level, "What was released"))
        p { (how.statistic.description().meaning) }
        (facts::answer(&facts, Some((how, manifold)), level))
        (heading(level, "How it was made"))
        (facts::made(release, &facts, manifold))
    }
}

/// The guarantee, and what it means.
fn guaranteed(guarantee: Guarantee, of: &str, protects: Protects, level: u8) -> Markup {
    html! {
        (heading(level, "What is guaranteed"))
        p { strong { (capital(&guarantee.to_string())) } ", for " (of) "." }
        (explained(guarantee, protects))
    }
}

/// The picture of a release, if there is one. An invalid point is not drawn.
fn picture(release: &PublishedRelease, manifold: Option<&dyn Manifold>, id: &str, drawn: Drawn) -> Markup {
    let are_points = |manifold: &dyn Manifold| {
        let value: &[f64] = match &release.value {
            Value::Point(point) => &point.value,
            Value::Geodesic(line) => &line.footpoint,
            Value::Ball(ball) => &ball.center,
            Value::Covariance(found) => &found.mean,
            Value::Features(_) | Value::Quantiles(_) => release.provenance.ball.center(),
            Value::Variance(_) | Value::Clusters(_) | Value::Record(_) | Value::Score(_) | Value::Selection(_) => {
                return false;
            }
        };
        [value, release.provenance.ball.center()].iter().all(|point| manifold.check_point(point).is_ok())
    };
    let picture = manifold.filter(|manifold| are_points(*manifold)).and_then(|_| Picture::of(release).ok());
    html! {
        @if let Some(picture) = picture {
            figure {
                @match drawn {
                    Drawn::Inline => {
                        div class="wide" role="region" aria-label="Picture" tabindex="0" {
                            (PreEscaped(picture.inline(id)))
                        }
                    }
                    Drawn::Image => (PreEscaped(picture.image())),
                }
                figcaption { "The release as a picture, drawn from its JSON alone." }
            }
        }
    }
}

/// A number of records by itself.
fn count_alone(release: &ReleasedCount, level: u8) -> Markup {
    let ReleasedCount { guarantee, unit, adjacency, .. } = release;
    let (facts, protects) = (release.facts(), Protects { unit: *unit, adjacency: *adjacency });
    html! {
        (guaranteed(*guarantee, adjacency.of_unit(*unit), protects, level))
        (heading(level, "What was released"))
        (facts::answer(&facts, None, level))
        (heading(level, "How it was made"))
        (facts::details(&facts))
    }
}

/// A mean of records that people randomized at home.
fn collected(all: &Collected, id: &str, level: u8, drawn: Drawn) -> Markup {
    let manifold = all.manifold.manifold().ok();
    let (facts, protects) = (all.facts(), Protects { unit: all.unit, adjacency: Adjacency::ReplaceOne });
    let release = as_release(all.clone()).ok();
    let of = format!("each {}, by the noise that everybody added", all.unit);
    html! {
        p { "Each person added noise before anything was collected. The collector knows no more than a reader of this page." }
        @if let Some(release) = &release { (picture(release, manifold.as_deref(), id, drawn)) }
        (guaranteed(all.guarantee, &of, protects, level))
        (heading(level, "What was released"))
        (facts::answer(&facts, None, level))
        (heading(level, "How it was made"))
        (facts::details(&facts))
        @let center = point("The center of the ball", all.ball.center(), manifold.as_deref(), None);
        (folded_on_screen("The center of the ball", &center))
    }
}

/// The same words with a capital letter.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The contradictions between a document and its specification, which an edit leaves behind. A collected mean has no
/// specification.
fn contradictions(document: &Document) -> Markup {
    let mut found = match Verification::read(&document.json) {
        Ok(json) => Verification::of(&json).findings,
        Err(reason) => Verification::failed(reason).findings,
    };
    found.retain(|finding| !finding.is_of_seed()); // the page says so already
    html! {
        @if !found.is_empty() {
            div class="warning" {
                p { strong { "Not verified." } " This file has no specification, or contradicts it. Ask for the original file." }
                ul { @for finding in &found { li { (Shown(&finding.to_string())) } } }
            }
        }
    }
}

/// All numbers of a document that is not too long.
fn all_digits(document: &Document) -> Markup {
    html! { @if document.json.len() <= LONGEST { (all_digits::table(&document.json)) } }
}

/// The JSON itself: to look at, and to keep.
fn kept(document: &Document) -> Markup {
    let name = document.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = if name.ends_with(".json") { name } else { "release.json" };
    html! {
        p {
            "All of it, for programs: "
            a download=(Shown(name)) href={ "data:application/json;base64," (STANDARD.encode(&document.json)) } {
                (Shown(name))
            }
        }
        @if document.json.len() <= LONGEST {
            (folded("The JSON", &html! { pre tabindex="0" { code { (Shown(&document.json)) } } }))
        }
    }
}
