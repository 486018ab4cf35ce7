//! The facts of a release in tables: the words of the command, and points in the shape of their space.

use crate::html::{Shown, columns, facts as table, folded_on_screen, heading, number};
use crate::value::point;
use karcher::Manifold;
use karcher::Space;
use karcher::facts::{Fact, Level, Numbers, Style, facts};
use karcher::manifold::{FAMILIES, Shape};
use karcher::release::{NoiseDraw, Numerics, Provenance, PublishedRelease, Step};
use maud::{Markup, html};

/// Points with no more numbers than this have no table of their own.
const FEW: usize = 6;

/// What was released, and what a reader has to know.
pub fn answer(facts: &[Fact], how: Option<(&Provenance, Option<&dyn Manifold>)>, level: u8) -> Markup {
    let (manifold, layout) = how.map_or((None, None), |(how, manifold)| (manifold, how.layout.as_deref()));
    let is_vector = manifold.is_none_or(|space| matches!(space.shape(), Shape::Vector(_)));
    let points = facts.iter().flat_map(|fact| fact.numbers.iter().map(move |(_, numbers)| (&fact.name, numbers)));
    let points = points.filter_map(|(name, numbers)| match numbers {
        Numbers::Point(numbers) if !is_vector || numbers.len() > FEW => Some((name, numbers)),
        Numbers::Point(_) | Numbers::One(_) => None,
    });
    let notes: Vec<&Fact> = facts.iter().filter(|fact| fact.level == Level::Note).collect();
    html! {
        (of_level("The answer", facts, Level::Answer))
        @for (name, numbers) in points {
            (point(if name.is_empty() { "The next" } else { name.as_str() }, numbers, manifold, layout))
        }
        @if !notes.is_empty() {
            (heading(level, "Flags"))
            ul class="flags" { @for note in notes { (item(&note.words)) } }
        }
    }
}

/// How a release was made.
pub fn made(release: &PublishedRelease, facts: &[Fact], manifold: Option<&dyn Manifold>) -> Markup {
    let how = &release.provenance;
    let center = |ball: &karcher::Ball| point("The center of the ball", ball.center(), manifold, how.layout.as_deref());
    html! {
        (details(facts))
        p { "The points are of " (Shown(&space(&how.manifold))) "." }
        (folded_on_screen("The center of the ball", &center(&how.ball)))
        @if let Some(located) = &how.located {
            (folded_on_screen("The center of the public outer ball", &center(&located.within)))
        }
        @if let Some(steps) = &how.steps { (folded_on_screen("Every step", &table_of(steps))) }
        @if !how.noise.is_empty() { (folded_on_screen("Every draw of noise", &draws(&how.noise))) }
    }
}

/// The facts that are shown on request elsewhere.
pub fn details(facts: &[Fact]) -> Markup {
    of_level("As it is published", facts, Level::Detail)
}

/// The facts of a release whose predictions are known.
pub fn of(release: &PublishedRelease, predictions: &[crate::document::Prediction]) -> Vec<Fact> {
    let style = Style {
        predict_at: predictions.iter().filter_map(|one| one.predictor).collect(),
        predictions: predictions.iter().filter_map(|one| Some((one.place(), one.estimate.clone()?))).collect(),
        ..Style::of(&release.provenance)
    };
    facts(release, &style)
}

/// The facts of a level: a row for each name.
fn of_level(caption: &str, facts: &[Fact], level: Level) -> Markup {
    let mut rows: Vec<(&str, String)> = vec![];
    for fact in facts.iter().filter(|fact| fact.level == level) {
        match rows.last_mut() {
            Some((_, words)) if fact.name.is_empty() => *words += &format!("\n{}", fact.words),
            _ => rows.push((fact.name.as_str(), fact.words.clone())),
        }
    }
    table(caption, &rows)
}

fn item(sentence: &str) -> Markup {
    match sentence.split_once(": ").filter(|(name, _)| !name.contains(' ')) {
        Some((name, words)) => html! { li { strong { (Shown(name)) } ": " (Shown(words)) "." } },
        None => html! { li { (Shown(sentence)) "." } },
    }
}

/// The name of a space, and the kind of its points.
fn space(space: &Space) -> String {
    let about = |factor: &str| {
        let family = factor.split(':').next().unwrap_or_default();
        FAMILIES.iter().find(|known| known.name == family).map(|family| family.about)
    };
    match space.as_str().split('*').map(about).collect::<Option<Vec<_>>>() {
        Some(words) => format!("{space} ({})", words.join("; ")),
        None => format!("{space}, which this version of karcher does not know"),
    }
}

fn table_of(steps: &[Step]) -> Markup {
    let row = |(step, i): (&Step, usize)| vec![i.to_string(), number(step.clip), number(step.scale)];
    let rows: Vec<Vec<String>> = steps.iter().zip(1..).map(row).collect();
    columns("The steps", &["step", "clip", "scale of the noise"], &rows)
}

/// All noise, draw by draw.
fn draws(noise: &[NoiseDraw]) -> Markup {
    let row = |draw: &NoiseDraw| {
        let space = draw.space.as_ref().map_or_else(|| "–".to_owned(), |space| space.to_string());
        let numbers = [number(draw.scale), number(draw.sensitivity), draw.draws.to_string()];
        [draw.quantity.to_string(), draw.law.to_string(), space].into_iter().chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = noise.iter().map(row).collect();
    columns("The noise", &["on", "law", "space", "scale", "sensitivity", "draws"], &rows)
}

/// What the proof of a guarantee covers.
pub fn numerics(numerics: Numerics) -> &'static str {
    match numerics {
        Numerics::Exact => {
            "The proof covers the exact output bits: sums over records are exact, and noise was drawn in integers."
        }
        Numerics::Idealized => {
            "The proof covers real numbers, and the noise was drawn with floating-point numbers. Rounding to a public \
             lattice defeats the known attacks on last digits, without a proof."
        }
        Numerics::Mcmc => {
            "The proof covers the limit of a Markov chain, which stopped after a public number of steps. The guarantee \
             holds up to an unknown distance from that limit."
        }
    }
}
