//! One document on a page.

use crate::document::{Content, Document, Group, Prediction};
use crate::guarantee::{Protects, explained};
use crate::html::{Shown, facts, folded, folded_on_screen, heading, number};
use crate::parts::{Of, counted};
use crate::picture::Picture;
use crate::provenance::{flagged, made, numerics, space};
use crate::value::point;
use crate::{all_digits, as_release, sentence};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use karcher::Manifold;
use karcher::audit::Verification;
use karcher::release::{Collected, Flag, PrivateCount, PublishedRelease, ReleasedCount, Value};
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
            @if !matches!(document.content, Content::Release(..)) { p class="lead" { (Shown(&sentence::of(document))) } }
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
    let of = Of { how, manifold: manifold.as_deref(), level };
    html! {
        p class="lead" { (Shown(&sentence::of_release(release))) }
        (picture(release, manifold.as_deref(), id, drawn))
        @if is_whole {
            (heading(level, "What is guaranteed"))
            p { strong { (capital(&how.guarantee.to_string())) } ", for " (how.neighbours()) "." }
            (explained(how.guarantee, Protects { unit: how.unit, adjacency: how.adjacency }))
        }
        (heading(level, "What was released"))
        p { (Shown(&of.at_a_glance())) }
        @match &release.value {
            Value::Point(mean) => (of.mean(mean)),
            Value::Geodesic(line) => (of.geodesic(line, predictions)),
            Value::Features(regression) => (of.on_features(regression, predictions)),
            Value::Ball(ball) => (of.ball(ball)),
            Value::Variance(variance) => (of.variance(variance)),
            Value::Clusters(found) => (of.clusters(found)),
            Value::Record(record) => (of.record(record)),
        }
        @if let Some(count) = &how.private_count { (counted(count, "How many records there are")) }
        (flagged(level, &how.flags))
        (heading(level, "How it was made"))
        (made(how, manifold.as_deref()))
    }
}

/// The picture of a release, if there is one. An invalid point is not drawn.
fn picture(release: &PublishedRelease, manifold: Option<&dyn Manifold>, id: &str, drawn: Drawn) -> Markup {
    let are_points = |manifold: &dyn Manifold| {
        let value = match &release.value {
            Value::Point(point) => &point.value,
            Value::Geodesic(line) => &line.footpoint,
            Value::Ball(ball) => &ball.center,
            Value::Features(_) | Value::Variance(_) | Value::Clusters(_) | Value::Record(_) => return false,
        };
        [value.as_slice(), release.provenance.ball.center()].iter().all(|point| manifold.check_point(point).is_ok())
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
                    Drawn::Image => {
                        img alt=(Shown(&picture.words()))
                            src=(address(&picture.svg()));
                    }
                }
                figcaption { "The release as a picture, drawn from its JSON alone." }
            }
        }
    }
}

/// An SVG file as an address, a fifth shorter than in base 64. What an address or an attribute does not hold is
/// escaped.
fn address(svg: &[u8]) -> String {
    let written = |c: char| match c {
        '%' | '#' | '"' | '<' | '>' | '&' | '\n' => format!("%{:02X}", u32::from(c)),
        _ => c.to_string(),
    };
    let escaped: String = String::from_utf8_lossy(svg).chars().map(written).collect();
    format!("data:image/svg+xml;charset=utf-8,{escaped}")
}

/// A number of records by itself.
fn count_alone(release: &ReleasedCount, level: u8) -> Markup {
    let ReleasedCount { value, noisy_value, scale, interval, guarantee, unit, adjacency, .. } = release;
    let count = PrivateCount { value: *value, noisy_value: *noisy_value, scale: *scale, interval: *interval };
    let mut rows = vec![
        ("guarantee", guarantee.to_string()),
        ("protects", format!("one {unit}")),
        ("neighbours", format!("{} ({})", adjacency.of_unit(*unit), adjacency.name())),
        ("mechanism", release.mechanism.name().to_owned()),
        ("scale of the noise", number(*scale)),
        ("numerics", numerics(release.numerics).0.to_owned()),
    ];
    for at in release.ledger.iter().chain(&release.ledgers) {
        rows.push(("ledger", format!("entry {} of {}", at.entry, at.ledger)));
    }
    rows.push(("made by", format!("karcher {}, schema {}", release.karcher, release.schema)));
    let flags: &[Flag] = if release.seeded { &[Flag::Seeded] } else { &[] };
    html! {
        (heading(level, "What is guaranteed"))
        p { strong { (capital(&guarantee.to_string())) } ", for " (adjacency.of_unit(*unit)) "." }
        (explained(*guarantee, Protects { unit: *unit, adjacency: *adjacency }))
        (heading(level, "What was released"))
        (counted(&count, "How many records there are"))
        (flagged(level, flags))
        (heading(level, "How it was made"))
        (facts("As it is published", &rows))
    }
}

/// A mean of records that people randomized at home.
fn collected(all: &Collected, id: &str, level: u8, drawn: Drawn) -> Markup {
    let manifold = all.manifold.manifold().ok();
    let bias = match all.bias_bound {
        Some(0.0) => "none: the space is flat".to_owned(),
        Some(bias) => format!("at most {}, whatever the number of people", number(bias)),
        None => "not known: in so large a ball the mean need not be unique".to_owned(),
    };
    let rows = [
        ("statistic", all.statistic.to_string()),
        ("space", space(&all.manifold)),
        ("people", all.n.to_string()),
        ("guarantee", all.guarantee.to_string()),
        ("protects", format!("one {}", all.unit)),
        ("scale of the noise", format!("{} on each record", number(all.scale))),
        ("public ball", format!("radius {}", number(all.ball.radius()))),
        ("expected error", format!("about {} of noise", number(all.expected_distance))),
        ("bias", bias),
    ];
    let release = as_release(all.clone()).ok();
    html! {
        p { "Each person added noise before anything was collected. The collector knows no more than a reader of this page." }
        @if let Some(release) = &release { (picture(release, manifold.as_deref(), id, drawn)) }
        (heading(level, "What is guaranteed"))
        p {
            strong { (capital(&all.guarantee.to_string())) }
            ", for each " (all.unit) ", by the noise that everybody added."
        }
        (explained(all.guarantee, Protects { unit: all.unit, adjacency: karcher::release::Adjacency::ReplaceOne }))
        (heading(level, "What was released"))
        (point("The collected mean", &all.value, manifold.as_deref(), None))
        (flagged(level, &all.flags))
        (heading(level, "How it was made"))
        (facts("As it is published", &rows))
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
