//! Pictures of larger matrices: heat maps of the center and of the value, for comparison.

use super::components;
use super::frame::{self, Words};
use super::page::{BLACK, Color, Form, GREY, Ink, Page, Panel, Rectangle};
use super::region::Region;
use super::subject;
use super::view::label;
use karcher::release::PublishedRelease;

/// Larger matrices have too many cells to be told apart.
pub const LARGEST: usize = 128;
/// The places of the matrices, and of the scale below them.
const SIDE: f64 = 300.0;
const TOP: f64 = 92.0;
const LEFT: [f64; 2] = [24.0, 348.0];
const SCALE: Rectangle = Rectangle { left: 690.0, top: TOP, width: 18.0, height: SIDE };
/// Steps of the scale.
const STEPS: u32 = 60;

/// The picture of a mean; of complex matrices, of the moduli of their entries.
pub fn draw(release: &PublishedRelease, region: Option<&Region>, k: usize, is_complex: bool) -> Page {
    let moduli = |point: &[f64]| point.chunks_exact(2).map(|entry| entry[0].hypot(entry[1])).collect();
    let cells = |point: &[f64]| if is_complex { moduli(point) } else { point.to_vec() };
    let (center, value) = (cells(release.provenance.ball.center()), cells(subject::point(release)));
    let of_ball = format!("center of the {}", subject::ball_name(&release.provenance));
    let largest = value.iter().chain(&center).map(|x| x.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut page = frame::page(release);
    for ((matrix, name, class), left) in
        [(&center, &*of_ball, "center"), (&value, subject::name(release), "value")].into_iter().zip(LEFT)
    {
        let mut panel = Panel::default();
        panel.say([left, TOP - 7.0], 12.5, BLACK, name);
        let window = Rectangle { left, top: TOP, width: SIDE, height: SIDE };
        let cell = SIDE / k as f64;
        for (i, x) in matrix.iter().enumerate() {
            let (row, column) = ((i / k) as f64, (i % k) as f64);
            let at = Rectangle { left: left + column * cell, top: TOP + row * cell, width: cell, height: cell };
            panel.add(class, Form::Path(at.corners(), true), Ink::fill(color(x / largest), 1.0));
        }
        frame::border(&mut panel, &window, GREY);
        page.panels.push(panel);
    }
    page.panels.push(scale(largest));
    let mut words = Words::default();
    if is_complex {
        words.say("moduli of the entries");
    }
    words.say(format!("ball's radius {}", label(release.provenance.ball.radius())));
    match (subject::located(release), region) {
        (Some(ball), _) => words.say(format!("private radius {}", label(ball.radius))),
        (None, Some(region)) => {
            words.say(frame::held(&format!("with {} near it", region.percent()), region.holds));
            words.say(frame::within(&release.provenance, region));
        }
        (None, None) => words.say(frame::NO_LAW),
    }
    components::leave_out(&mut words, release);
    words.facts(&release.provenance);
    page.panels.push(words.panel([LEFT[0] - 34.0, TOP + SIDE + 32.0]));
    page
}

/// Blue is negative, white zero, red positive.
fn color(x: f64) -> Color {
    let (end, share) = if x < 0.0 { ([33.0, 102.0, 172.0], -x) } else { ([178.0, 24.0, 43.0], x) };
    let mixed = end.map(|c: f64| (255.0 + share.clamp(0.0, 1.0) * (c - 255.0)).round() as u8);
    Color(mixed[0], mixed[1], mixed[2])
}

/// The scale of colors.
fn scale(largest: f64) -> Panel {
    let mut panel = Panel::default();
    let height = SCALE.height / f64::from(STEPS);
    for i in 0..STEPS {
        let x = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(STEPS);
        let at = Rectangle { top: SCALE.top + f64::from(i) * height, height, ..SCALE };
        panel.add("scale", Form::Path(at.corners(), true), Ink::fill(color(x), 1.0));
    }
    frame::border(&mut panel, &SCALE, GREY);
    for x in [1.0, 0.5, 0.0, -0.5, -1.0] {
        let y = SCALE.top + (1.0 - x) / 2.0 * SCALE.height;
        panel.say([SCALE.left + SCALE.width + 6.0, y + 4.0], 11.0, BLACK, label(x * largest));
    }
    panel
}
