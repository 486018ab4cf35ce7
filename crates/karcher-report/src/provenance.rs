//! The provenance of a private value, in a table, with remarks beyond the guarantee.

use crate::html::{Shown, columns, facts, folded_on_screen, heading, number};
use crate::picture::subject;
use crate::value::point;
use karcher::manifold::FAMILIES;
use karcher::privacy::Guarantee;
use karcher::release::{Flag, Located, NoiseDraw, Numerics, PartName, PrivateBall, Provenance, Step, also_words};
use karcher::statistics::Unit;
use karcher::{Manifold, Space};
use maud::{Markup, html};

/// A number of a release, also in degrees if it is an angle.
pub fn length(release: &Provenance, x: f64) -> String {
    number(x) + &subject::in_degrees(release, x)
}

/// The table of a private value's provenance.
pub fn made(release: &Provenance, manifold: Option<&dyn Manifold>) -> Markup {
    let mut rows = vec![
        ("statistic", release.statistic.name().to_owned()),
        ("space", space(&release.manifold)),
        (
            match release.unit {
                karcher::release::PrivacyUnit::Person => "persons",
                _ => "records",
            },
            release.how_many(),
        ),
    ];
    if let Some(guess) = release.n_guess {
        rows.push(("planned for", format!("{guess}, a public guess")));
    }
    if let Some(count) = &release.private_count {
        let drawn = format!("{}, of noise of scale {}", number(count.noisy_value), number(count.scale));
        rows.push(("number before processing", drawn));
    }
    rows.extend([
        ("guarantee", release.guarantee.to_string()),
        ("protects", format!("one {}", release.unit)),
        ("neighbours", format!("{} ({})", release.neighbours(), release.adjacency.name())),
        ("mechanism", release.mechanism.name().to_owned()),
        ("scale of the noise", number(release.scale)),
        ("sensitivity", format!("{} ({} bound)", number(release.sensitivity.value), release.sensitivity.bound)),
        (subject::ball_name(release), release.ball.radius_in_words(|r| length(release, r))),
        ("numerics", numerics(release.numerics).0.to_owned()),
        ("lattice", number(release.lattice)),
        ("expected error", expected(release)),
    ]);
    rows.extend(also_words(&release.also).map(|words| ("also", words)));
    if let Some(bias) = release.bias_bound {
        rows.push(("bias", format!("at most about {}", length(release, bias))));
    }
    if let Some(steps) = &release.steps {
        rows.push(("steps", steps.len().to_string()));
    }
    rows.extend(release.trust.map(|trust| ("has to be honest", trust.to_string())));
    for at in release.ledger.iter().chain(&release.ledgers) {
        rows.push(("ledger", format!("entry {} of {}", at.entry, at.ledger)));
    }
    rows.push(("made by", format!("karcher {}, schema {}", release.karcher, release.schema)));
    html! {
        (facts("As it is published", &rows))
        (folded_on_screen("The center of the ball", &point("The center of the ball", release.ball.center(), manifold, release.layout.as_deref())))
        @if let Some(steps) = &release.steps { (folded_on_screen("Every step", &table_of(steps))) }
        @if !release.noise.is_empty() { (folded_on_screen("Every draw of noise", &draws(&release.noise))) }
        @if let Some(located) = &release.located { (sought(release, located, manifold)) }
    }
}

/// The name of a space, and the kind of its points.
pub fn space(space: &Space) -> String {
    let about = |factor: &str| {
        let family = factor.split(':').next().unwrap_or_default();
        FAMILIES.iter().find(|known| known.name == family).map(|family| family.about)
    };
    match space.as_str().split('*').map(about).collect::<Option<Vec<_>>>() {
        Some(words) => format!("{space} ({})", words.join("; ")),
        None => format!("{space}, which this version of karcher does not know"),
    }
}

/// The expected distance of the noise.
fn expected(release: &Provenance) -> String {
    let words = match release.statistic.description().unit {
        Unit::SquareLength => number(release.expected_distance),
        Unit::Length => subject::length_up(release, release.expected_distance),
    };
    format!("{words} on average")
}

fn table_of(steps: &[Step]) -> Markup {
    let rows: Vec<Vec<String>> = steps
        .iter()
        .zip(1..)
        .map(|(step, i): (&Step, usize)| vec![i.to_string(), number(step.clip), number(step.scale)])
        .collect();
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

/// The origin of the ball of a mean.
fn sought(release: &Provenance, located: &Located, manifold: Option<&dyn Manifold>) -> Markup {
    html! {
        (facts("How the ball was found", &[
            ("sought within", format!("a public ball of radius {}", length(release, located.within.radius()))),
            ("center by", located.ball.center_method.name().to_owned()),
            ("radius", format!("{}: {}", length(release, located.ball.radius), aims(&located.ball))),
            ("radii to choose from", radii(release, &located.ball)),
        ]))
        (folded_on_screen("The center of the public ball", &point("Its center", located.within.center(), manifold, release.layout.as_deref())))
        (spent(&located.ball))
    }
}

/// The grid from which a radius was chosen.
pub fn radii(release: &Provenance, ball: &PrivateBall) -> String {
    let (largest, ratio) = (length(release, ball.radii.largest), number(ball.radii.ratio));
    format!("{}, the largest {largest}, each {ratio} times the one before", ball.radii.count)
}

/// The meaning of a located ball's radius.
pub fn aims(ball: &PrivateBall) -> String {
    format!("at most {} times the one that aims at {} of the records", number(ball.margin), number(ball.quantile))
}

/// The guarantee of each part.
pub fn spent(ball: &PrivateBall) -> Markup {
    let name = |part: PartName| match part {
        PartName::Center => "the center",
        PartName::Radius => "the radius",
        _ => "the mean",
    };
    let rows: Vec<Vec<String>> = ball
        .parts
        .iter()
        .map(|part| vec![name(part.part).to_owned(), part.guarantee.to_string(), numerics(part.numerics).0.to_owned()])
        .collect();
    columns("The budget of each part", &["spent on", "guarantee", "numerics"], &rows)
}

/// The same of any parts.
pub fn shared(parts: &[(&str, Guarantee)]) -> Markup {
    let rows: Vec<(&str, String)> = parts.iter().map(|(name, guarantee)| (*name, guarantee.to_string())).collect();
    facts("The budget of each part", &rows)
}

/// The flags, each with its sentence.
pub fn flagged(level: u8, flags: &[Flag]) -> Markup {
    html! {
        @if !flags.is_empty() {
            (heading(level, "Flags"))
            ul class="flags" {
                @for flag in flags { (item(*flag)) }
            }
        }
    }
}

fn item(flag: Flag) -> Markup {
    let sentence = flag.to_string();
    let (name, words) = sentence.split_once(": ").unwrap_or(("", &sentence));
    html! { li { strong { (Shown(name)) } ": " (Shown(words)) "." } }
}

/// The numerics that the proof of a guarantee covers: their name, and its meaning.
pub fn numerics(numerics: Numerics) -> (&'static str, &'static str) {
    match numerics {
        Numerics::Exact => (
            "exact",
            "The proof covers the exact output bits: sums over records are exact, and noise was drawn in integers.",
        ),
        Numerics::Idealized => (
            "idealized",
            "The proof covers real numbers, and the noise was drawn with floating-point numbers. Rounding to a public \
             lattice defeats the known attacks on last digits, without a proof.",
        ),
        Numerics::Mcmc => (
            "mcmc",
            "The proof covers the limit of a Markov chain, which stopped after a public number of steps. The guarantee \
             holds up to an unknown distance from that limit.",
        ),
    }
}
