//! Pictures of compositions: a bar for each part, next to that of the public center.

use super::components;
use super::frame::{self, MAP, Sample, Words};
use super::page::{AMBER, BLACK, Form, GREY, Ink, Page, Panel, Rectangle};
use super::region::Region;
use super::subject;
use super::view::label;
use karcher::Manifold;
use karcher::release::PublishedRelease;

/// The most parts that have a bar each.
pub const MOST: usize = 40;
/// The share of a part's room that its two bars take.
const FILLED: f64 = 0.8;
/// More parts than these have no numbers above their bars.
const NUMBERED: usize = 8;

/// The picture of a mean.
pub fn draw(release: &PublishedRelease, manifold: &dyn Manifold, region: Option<&Region>) -> Page {
    let layouts = manifold.layouts();
    let proportions = layouts.iter().find(|layout| layout.name() == "proportions");
    let parts = |point: &[f64]| proportions.map_or_else(|| point.to_vec(), |layout| layout.write(point));
    let (center, value) = (subject::center(release).map(parts), parts(subject::point(release)));
    let largest = value.iter().chain(center.iter().flatten()).copied().fold(f64::MIN_POSITIVE, f64::max);
    let bottom = MAP.top + MAP.height - 20.0;
    let (room, height) = (MAP.width / value.len() as f64, MAP.height - 60.0);
    let mut panel = Panel::default();
    let floor = vec![[MAP.left, bottom], [MAP.left + MAP.width, bottom]];
    panel.add("axis", Form::Path(floor, false), Ink::line(GREY, 1.0));
    for (i, share) in value.iter().enumerate() {
        let left = MAP.left + room * (i as f64 + 0.5 - FILLED / 2.0);
        let width = room * FILLED / 2.0;
        let bar = |share: f64, left: f64| {
            let tall = height * share / largest;
            Form::Path(Rectangle { left, top: bottom - tall, width, height: tall }.corners(), true)
        };
        panel.add("value", bar(*share, left), frame::value());
        if let Some(center) = &center {
            panel.add("center", bar(center[i], left + width), faint());
        }
        panel.say([left + width - 3.0, bottom + 15.0], 11.0, BLACK, (i + 1).to_string());
        if value.len() <= NUMBERED {
            panel.say([left, bottom - height * share / largest - 6.0], 11.0, BLACK, label(*share));
        }
    }
    let (mut page, mut words) = (frame::page(release), Words::default());
    page.panels.push(panel);
    words.explain(Sample::Area(frame::value()), subject::name(release));
    words.center(&release.provenance, Sample::Area(faint()));
    match (subject::located(release), region) {
        (Some(ball), _) => {
            words.say(format!("private radius {}", subject::length(&release.provenance, ball.radius)));
        }
        (None, Some(region)) => {
            words.say(format!("with {} near it:", region.percent()));
            words.say(region.holds);
            words.say(frame::within(&release.provenance, region));
        }
        (None, None) => words.say(frame::NO_LAW),
    }
    components::leave_out(&mut words, release);
    words.facts(&release.provenance);
    frame::add_words(&mut page, words, false);
    page
}

fn faint() -> Ink {
    Ink::fill(AMBER, 0.12).with_line(AMBER, 1.0)
}
