//! Common parts of all pictures: the title, the words next to the map, and the style of marks.

use super::page::{AMBER, BLACK, BLUE, Color, Form, GREY, Ink, Page, Panel, Place, Rectangle};
use super::region::Region;
use super::regression::Paths;
use super::subject;
use super::view::{View, label};
use karcher::release::{Provenance, PublishedRelease, RegionCenter, StatisticName};

/// Width and height of a picture.
const SIZE: (f64, f64) = (900.0, 560.0);
/// The place of the map.
pub const MAP: Rectangle = Rectangle { left: 24.0, top: 76.0, width: 460.0, height: 460.0 };
/// The place of the close-up.
pub const CLOSE_UP: Rectangle = Rectangle { left: 516.0, top: 76.0, width: 220.0, height: 220.0 };
/// The place of words, without a close-up above them.
const WORDS: Place = [516.0, 92.0];
const LINE: f64 = 19.0;
const SMALL: f64 = 12.5;

/// The ball.
pub fn ball() -> Ink {
    Ink::fill(AMBER, 0.07).with_line(AMBER, 1.3)
}

/// The region.
pub fn region() -> Ink {
    Ink::fill(BLUE, 0.2).with_line(BLUE, 1.3)
}

/// The region for the mean of the population.
pub fn population() -> Ink {
    region().hollow().dashed()
}

/// The value.
pub fn value() -> Ink {
    Ink::fill(BLUE, 1.0)
}

/// The line of a regression.
pub fn geodesic() -> Ink {
    Ink::line(BLUE, 2.0)
}

/// The sample of an explained mark.
#[derive(Debug, Clone, Copy)]
pub enum Sample {
    /// As a line.
    Line(Ink),
    /// As an area.
    Area(Ink),
    /// As a dot.
    Dot(Ink),
    /// As a cross.
    Cross(Color),
}

/// The words without a region.
pub const NO_LAW: &str = "no region: the law of this noise is not known";
const NO_DIRECTION: &str = "no region: noise may hide the direction";

/// The point that a region contains.
pub fn held(how: &str, what: &str) -> String {
    format!("{how}: {what}")
}

/// The size of a region.
pub fn within(release: &Provenance, region: &Region) -> String {
    let what = match region.center {
        RegionCenter::NoisyValue => "the noisy mean",
        RegionCenter::Value => "the private mean",
    };
    format!("within {} of {what}", subject::length_up(release, region.radius))
}

/// The words next to a map.
#[derive(Debug, Clone, Default)]
pub struct Words(Vec<(Option<Sample>, String)>);

impl Words {
    /// Explains a sample.
    pub fn explain(&mut self, sample: Sample, text: impl Into<String>) {
        self.0.push((Some(sample), text.into()));
    }

    /// Goes on with the last sentence, or begins one without a sample.
    pub fn say(&mut self, text: impl Into<String>) {
        self.0.push((None, text.into()));
    }

    /// Explains the value, and the ball around it if that is what was located.
    pub fn value(&mut self, release: &PublishedRelease, sample: Sample, around: Sample) {
        self.explain(sample, subject::name(release));
        if let Some(ball) = subject::located(release) {
            self.explain(around, format!("private ball, radius {}", subject::length(&release.provenance, ball.radius)));
            self.say(format!("its radius aims at {:.0} % of the records", 100.0 * ball.quantile));
        }
    }

    /// Explains the public ball, or the located one that stands in its place, and its center.
    pub fn ball(&mut self, release: &Provenance, sample: Sample) {
        let name = subject::ball_name(release);
        if release.statistic == StatisticName::ExtrinsicMean {
            return; // it takes no ball
        }
        if subject::is_everywhere(release) {
            return self.say(format!("{name}: the whole space"));
        }
        self.explain(sample, format!("{name}, radius {}", subject::length(release, release.ball.radius())));
        self.explain(Sample::Cross(AMBER), "its center");
    }

    /// Explains a drawing of the center of the public ball, with the radius, as [`ball`](Words::ball) does.
    pub fn center(&mut self, release: &Provenance, sample: Sample) {
        if subject::is_everywhere(release) {
            return self.ball(release, sample);
        }
        self.explain(sample, format!("center of the {}", subject::ball_name(release)));
        self.say(format!("ball's radius {}", subject::length(release, release.ball.radius())));
    }

    /// Explains the region, if there is one.
    pub fn region(&mut self, release: &PublishedRelease, region: Option<&Region>, sample: Sample) {
        match region {
            // a ball has no mean
            _ if subject::located(release).is_some() => (),
            None if release.provenance.statistic == StatisticName::ExtrinsicMean => self.say(NO_DIRECTION),
            None => self.say(NO_LAW),
            Some(region) => {
                self.explain(sample, held(&format!("with {} here", region.percent()), region.holds));
                self.say(within(&release.provenance, region));
                if let Some(radius) = region.population {
                    let length = subject::length_up(&release.provenance, radius);
                    self.explain(Sample::Area(population()), "with about 95 % here: the mean of the population");
                    self.say(format!("clipped like the records, within {length}"));
                }
            }
        }
    }

    /// The rest of a regression whose first path is drawn: its level, fixed values of other covariates, and the
    /// largest region of a prediction.
    pub fn fixed(&mut self, release: &Provenance, paths: &Paths) {
        let radii = paths.three().into_iter().filter_map(|prediction| prediction.radius);
        if let Some(radius) = radii.reduce(f64::max) {
            self.say("with ≈ 95 % least squares predicts within");
            self.say(format!("{} of each", subject::length_up(release, radius)));
        }
        let level = paths.paths.first().and_then(|path| path.level.clone());
        level.iter().chain(&paths.others).for_each(|other| self.say(format!("for {other}")));
    }

    /// Explains facts that every release needs.
    pub fn facts(&mut self, release: &Provenance) {
        self.say(format!("expected distance {}", subject::length_up(release, release.expected_distance)));
        if let Some(bias) = release.bias_bound {
            self.say(format!("bias at most about {}", subject::length_up(release, bias)));
        }
        for flag in &release.flags {
            let name = serde_json::to_value(flag).ok().and_then(|name| name.as_str().map(str::to_owned));
            self.say(format!("flag: {}", name.unwrap_or_default()));
        }
    }

    /// The words on a panel, from a place downwards.
    pub fn panel(self, at: Place) -> Panel {
        let mut panel = Panel::default();
        for (i, (sample, text)) in self.0.into_iter().enumerate() {
            let (left, base) = (at[0], at[1] + LINE * i as f64);
            let (middle, y) = (left + 12.0, base - 4.0);
            match sample {
                Some(Sample::Line(ink)) => {
                    panel.add("legend", Form::Path(vec![[left, y], [left + 24.0, y]], false), ink);
                }
                Some(Sample::Area(ink)) => {
                    let area = Rectangle { left, top: y - 6.0, width: 24.0, height: 12.0 };
                    panel.add("legend", Form::Path(area.corners(), true), ink);
                }
                Some(Sample::Dot(ink)) => panel.add("legend", Form::Circle([middle, y], 4.0), ink),
                Some(Sample::Cross(color)) => {
                    cross(&mut panel, "legend", [middle, y], color);
                }
                None => (),
            }
            panel.say([left + 34.0, base], SMALL, BLACK, text);
        }
        panel
    }
}

/// A cross on a page.
pub fn cross(panel: &mut Panel, class: &'static str, [x, y]: Place, color: Color) {
    for (dx, dy) in [(4.5, 4.5), (4.5, -4.5)] {
        panel.add(class, Form::Path(vec![[x - dx, y - dy], [x + dx, y + dy]], false), Ink::line(color, 1.5));
    }
}

/// The page of a release with its title, without anything below.
pub fn page(release: &PublishedRelease) -> Page {
    let provenance = &release.provenance;
    let how = format!("{}, {}, by {}", provenance.how_many(), provenance.guarantee, provenance.mechanism);
    titled(subject::title(provenance), how)
}

/// A page with a title and what stands below it.
pub fn titled(title: String, how: String) -> Page {
    let mut head = Panel::default();
    head.say([24.0, 34.0], 19.0, BLACK, title.clone());
    head.say([24.0, 56.0], SMALL, GREY, how.clone());
    Page { size: SIZE, title: format!("{title}: {how}"), panels: vec![head] }
}

/// Marks on a map what a close-up shows, with a square that is not smaller than the dot in it.
pub fn mark_close_up(panel: &mut Panel, view: &View, close: &View, middle: Place) {
    let ([x, y], half) = (view.on_page(middle), (close.half * view.scale()).max(9.0));
    border(panel, &Rectangle { left: x - half, top: y - half, width: 2.0 * half, height: 2.0 * half }, GREY);
}

/// Says below a close-up how much larger it is.
pub fn explain_close_up(page: &mut Page, view: &View, close: &View, (of, more): (&str, &str)) {
    let times = label((close.scale() / view.scale() * 10.0).round() / 10.0);
    let mut below = Panel::default();
    let at = [CLOSE_UP.left, CLOSE_UP.top + CLOSE_UP.height + 16.0];
    below.say(at, 11.0, GREY, format!("close-up{of}, {times} times as large{more}"));
    page.panels.push(below);
}

/// Adds words to a page: to the right of the map, below the close-up if there is one.
pub fn add_words(page: &mut Page, words: Words, below_close_up: bool) {
    let down = if below_close_up { CLOSE_UP.height + 44.0 } else { 0.0 };
    page.panels.push(words.panel([WORDS[0], WORDS[1] + down]));
}

/// A frame around a window.
pub fn border(panel: &mut Panel, window: &Rectangle, color: Color) {
    panel.add("frame", Form::Path(window.corners(), true), Ink::line(color, 1.0));
}
