//! Pictures on `euclidean:1` and `euclidean:3`.

use super::axes;
use super::components;
use super::frame::{self, MAP, Sample, Words};
use super::page::{AMBER, BLACK, Form, GREY, Page, Panel, Place, Rectangle};
use super::region::Region;
use super::subject::{self, point};
use super::view::View;
use karcher::Manifold;
use karcher::release::PublishedRelease;

/// The largest part of a window that a region may leave to the ball: below, the ball's edge is invisible.
const SMALLEST: f64 = 12.0;

/// A picture of the line: the ball, and below a part of it if the region is small.
pub fn line(release: &PublishedRelease, manifold: &dyn Manifold, region: Option<&Region>) -> Page {
    let (ball, value) = (&release.provenance.ball, point(release));
    let (whole, near) = (whole(release), half(release, region));
    let upper = Rectangle { height: 130.0, top: 110.0, ..MAP };
    let mut panels = vec![interval_panel(release, manifold, region, upper, (ball.center()[0], whole))];
    if near < whole {
        let lower = Rectangle { top: 310.0, ..upper };
        panels.push(interval_panel(release, manifold, region, lower, (value[0], near)));
        let mut above = Panel::default();
        above.say([lower.left, lower.top - 8.0], 11.0, GREY, format!("near the {}", subject::name(release)));
        panels.push(above);
    }
    finished(release, region, panels, true)
}

/// A part of the line: its middle, and half of its length.
fn interval_panel(
    release: &PublishedRelease,
    manifold: &dyn Manifold,
    region: Option<&Region>,
    window: Rectangle,
    (middle, half): (f64, f64),
) -> Panel {
    let (center, value) = (release.provenance.ball.center(), point(release));
    // the window is wider than high, and its shorter side is what half is about
    let view = View { window, middle: [middle, 0.0], half: half * window.height / window.width };
    let mut panel = Panel::new(window);
    axes::draw_line(&mut panel, &view);
    let interval = |at: f64, radius: f64, height: f64| {
        let [[left, y], [right, _]] = [at - radius, at + radius].map(|x| view.on_page([x, 0.0]));
        let area = Rectangle { left, top: y - height / 2.0, width: right - left, height };
        Form::Path(area.corners(), true)
    };
    panel.add("ball", interval(center[0], release.provenance.ball.radius(), 70.0), frame::ball());
    frame::cross(&mut panel, "center", view.on_page([center[0], 0.0]), AMBER);
    if let Some(region) = region {
        panel.add("region", interval(region.middle[0], region.radius, 40.0), frame::region());
        if let Some(radius) = region.population {
            panel.add("population", interval(region.middle[0], radius, 40.0), frame::population());
        }
    }
    if let Some(located) = subject::located(release) {
        panel.add("located", interval(value[0], located.radius, 40.0), frame::region());
    }
    for line in components::lines(release, manifold) {
        let places: Vec<Place> = line.iter().map(|point| view.on_page([point[0], 0.0])).collect();
        panel.add("component", Form::Path(places, false), components::ink(0));
    }
    panel.add("value", Form::Circle(view.on_page([value[0], 0.0]), 4.5), frame::value());
    panel
}

/// A picture of space: three views of it, along its axes.
pub fn space(release: &PublishedRelease, manifold: &dyn Manifold, region: Option<&Region>) -> Page {
    let (ball, value, half) = (&release.provenance.ball, point(release), half(release, region));
    let around = if half < ball.radius() { value } else { ball.center() };
    let seen = |from: &[f64], axes: [usize; 2]| -> Place { [from[axes[0]], from[axes[1]]] };
    let panels = [([0, 1], 0.0, 0.0), ([0, 2], 0.0, 236.0), ([1, 2], 236.0, 236.0)].map(|(pair, right, down)| {
        let window = Rectangle { left: MAP.left + right, top: MAP.top + down, width: 224.0, height: 224.0 };
        let view = View { window, middle: seen(around, pair), half };
        let mut panel = Panel::new(window);
        axes::draw(&mut panel, &view, None);
        let disc = |at: &[f64], radius: f64| Form::Circle(view.on_page(seen(at, pair)), radius * view.scale());
        panel.add("ball", disc(ball.center(), ball.radius()), frame::ball());
        frame::cross(&mut panel, "center", view.on_page(seen(ball.center(), pair)), AMBER);
        if let Some(region) = region {
            panel.add("region", disc(&region.middle, region.radius), frame::region());
            if let Some(radius) = region.population {
                panel.add("population", disc(&region.middle, radius), frame::population());
            }
        }
        if let Some(located) = subject::located(release) {
            panel.add("located", disc(value, located.radius), frame::region());
        }
        for (i, line) in components::lines(release, manifold).iter().enumerate() {
            let places = line.iter().map(|point| view.on_page(seen(point, pair))).collect();
            panel.add("component", Form::Path(places, false), components::ink(i));
        }
        panel.add("value", Form::Circle(view.on_page(seen(value, pair)), 4.0), frame::value());
        let [first, second] = pair.map(|axis| axis + 1);
        let name = format!("x{first} to the right, x{second} upwards");
        panel.say([window.left + 40.0, window.top + 14.0], 10.5, BLACK, name);
        panel
    });
    finished(release, region, panels.to_vec(), half >= ball.radius())
}

/// Half of a window that shows the ball with the value.
fn whole(release: &PublishedRelease) -> f64 {
    let (ball, value) = (&release.provenance.ball, point(release));
    let off = value.iter().zip(ball.center()).map(|(x, c)| (x - c).abs()).fold(0.0, f64::max);
    1.15 * ball.radius().max(off.min(4.0 * ball.radius()))
}

/// The same, or less where the region, or the ball that was located, would be a dot.
fn half(release: &PublishedRelease, region: Option<&Region>) -> f64 {
    let whole = whole(release);
    let widest = |region: &Region| region.population.unwrap_or(0.0).max(region.radius);
    let radius = region.map(widest).or(subject::located(release).map(|ball| ball.radius));
    radius.map_or(whole, |radius| whole.min(SMALLEST * radius))
}

fn finished(release: &PublishedRelease, region: Option<&Region>, panels: Vec<Panel>, shows_ball: bool) -> Page {
    let (mut page, mut words) = (frame::page(release), Words::default());
    page.panels.extend(panels);
    words.value(release, Sample::Dot(frame::value()), Sample::Area(frame::region()));
    words.region(release, region, Sample::Area(frame::region()));
    components::explain(&mut words, release, "components: a deviation to each side");
    words.ball(&release.provenance, Sample::Area(frame::ball()));
    words.facts(&release.provenance);
    if !shows_ball {
        let ball = subject::ball_name(&release.provenance);
        words.say(format!("near the {}: the {ball} is larger than this", subject::name(release)));
    }
    frame::add_words(&mut page, words, false);
    page
}
