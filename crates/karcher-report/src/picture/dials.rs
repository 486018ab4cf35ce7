//! Pictures on the circle and on tori of other dimensions than two: a dial for each angle.

use super::components;
use super::frame::{self, MAP, Sample, Words};
use super::page::{AMBER, BLACK, BLUE, Form, GREY, Ink, Page, Panel, Place};
use super::region::Region;
use super::subject;
use super::view::{label_up, label_within};
use karcher::release::PublishedRelease;
use std::f64::consts::PI;

/// The angles of a point: of a torus its numbers, of the circle the angle of its vector.
fn angles(point: &[f64], is_circle: bool) -> Vec<f64> {
    if is_circle { vec![point[1].atan2(point[0])] } else { point.to_vec() }
}

/// The picture: dials in rows, 0 to the right, angles counterclockwise.
pub fn draw(release: &PublishedRelease, region: Option<&Region>, is_circle: bool) -> Page {
    let ball = &release.provenance.ball;
    let value = angles(subject::point(release), is_circle);
    let located = subject::located(release);
    let is_everywhere = subject::is_everywhere(&release.provenance);
    let center = angles(ball.center(), is_circle);
    let middles = region.map_or(vec![], |region| angles(&region.middle, is_circle));
    let unit = subject::angle_unit(&release.provenance, is_circle);
    let sign = if unit == 1.0 { "" } else { "°" };
    let columns = (value.len() as f64).sqrt().ceil().max(1.0);
    let side = MAP.width / columns;
    let mut panel = Panel::default();
    for (i, (&value, &center)) in value.iter().zip(&center).enumerate() {
        let (column, row) = (i as f64 % columns, (i as f64 / columns).floor());
        let dial = Dial {
            middle: [MAP.left + (column + 0.5) * side, MAP.top + (row + 0.5) * side - 6.0],
            radius: 0.5 * side - 22.0,
        };
        panel.add("edge", Form::Circle(dial.middle, dial.radius), Ink::line(GREY, 1.0));
        for quarter in 0..4 {
            let angle = f64::from(quarter) * PI / 2.0;
            let tick = vec![dial.at(angle, 0.96), dial.at(angle, 1.04)];
            panel.add("grid", Form::Path(tick, false), Ink::line(GREY, 1.0));
        }
        if !is_everywhere {
            panel.add("ball", dial.arc(center, ball.radius(), 0.72, 0.88), frame::ball());
            frame::cross(&mut panel, "center", dial.at(center, 0.8), AMBER);
        }
        if let Some(located) = located {
            panel.add("located", dial.arc(value, located.radius, 0.89, 1.11), frame::region());
        }
        let (mut error, mut off) = (String::new(), 0.0);
        if let (Some(region), Some(&middle)) = (region, middles.get(i)) {
            let radius = region.radius.min(PI);
            panel.add("region", dial.arc(middle, radius, 0.89, 1.11), frame::region());
            if let Some(radius) = region.population {
                panel.add("population", dial.arc(middle, radius.min(PI), 0.89, 1.11), frame::population());
            }
            off = unit * radius;
            error = format!(" ± {}{sign}", label_up(two_digits(off)));
        }
        let hand = vec![dial.middle, dial.at(value, 1.0)];
        panel.add("hand", Form::Path(hand, false), Ink::line(BLUE, 1.5));
        panel.add("value", Form::Circle(dial.at(value, 1.0), 4.5), frame::value());
        let name = if is_circle { String::new() } else { format!("angle {}: ", i + 1) };
        let words = format!("{name}{}{sign}{error}", label_within(unit * value, off));
        let at = [dial.middle[0] - 3.0 * words.chars().count() as f64, dial.middle[1] + 0.5 * side + 2.0];
        panel.say(at, 12.0, BLACK, words);
    }
    let (mut page, mut words) = (frame::page(release), Words::default());
    page.panels.push(panel);
    words.value(release, Sample::Dot(frame::value()), Sample::Area(frame::region()));
    words.region(release, region, Sample::Area(frame::region()));
    words.ball(&release.provenance, Sample::Area(frame::ball()));
    components::leave_out(&mut words, release);
    words.facts(&release.provenance);
    words.say("0 to the right, angles counterclockwise");
    if unit == 1.0 {
        words.say("angles in radians");
    }
    if !is_circle {
        words.say("ball and region: projected on each angle");
    }
    frame::add_words(&mut page, words, false);
    page
}

/// Two significant digits, not less than the number.
fn two_digits(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    if unit > 0.0 { (x / unit * (1.0 - 1e-12)).ceil() * unit } else { x }
}

/// A circle on the page.
struct Dial {
    middle: Place,
    radius: f64,
}

impl Dial {
    fn at(&self, angle: f64, share: f64) -> Place {
        let (sin, cos) = angle.sin_cos();
        [self.middle[0] + share * self.radius * cos, self.middle[1] - share * self.radius * sin]
    }

    /// The part of a ring within a distance of an angle.
    fn arc(&self, middle: f64, radius: f64, inner: f64, outer: f64) -> Form {
        let angle = |i: i32| middle + radius.min(PI) * f64::from(i) / 90.0;
        let out = (-90..=90).map(|i| self.at(angle(i), outer));
        let back = (-90..=90).rev().map(|i| self.at(angle(i), inner));
        Form::Path(out.chain(back).collect(), true)
    }
}
