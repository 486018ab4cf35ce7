//! Pictures on spaces of two dimensions: a map with the ball, the region and the value, and a close-up of the region
//! where it is small on the map.

use super::axes;
use super::chart;
use super::coast;
use super::components;
use super::frame::{self, CLOSE_UP, MAP, Sample, Words};
use super::page::{AMBER, BLACK, BLUE, Color, Form, GREY, Ink, PALE, Page, Panel, Place};
use super::projection::{Projection, Run};
use super::region::Region;
use super::regression::{Paths, Prediction, paler};
use super::subject;
use super::view::{View, label, reach};
use crate::Result;
use karcher::Manifold;
use karcher::release::{PublishedRelease, Value};
use std::f64::consts::{FRAC_PI_2, PI};

/// A region of so many pixels or more is seen without a close-up.
const PLENTY: f64 = 70.0;
/// The inside of open marks.
const WHITE: Color = Color(255, 255, 255);
/// Half of a window that shows a net and the letters at its edge.
const WITH_LETTERS: f64 = 1.14;
/// Usual distance between the lines of a globe's grid, in degrees.
const DEGREES: [f64; 8] = [30.0, 15.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2];

/// The content of a map.
struct Map<'a> {
    release: &'a PublishedRelease,
    manifold: &'a dyn Manifold,
    /// The region of a mean, or the ball that was located: its middle and its radius.
    disc: Option<(&'a [f64], f64)>,
    /// The wider region for the mean of the population.
    population: Option<(&'a [f64], f64)>,
    /// The paths of a regression.
    paths: Option<Paths>,
    /// Public points.
    public: &'a [Vec<f64>],
}

/// The picture.
pub fn draw(
    release: &PublishedRelease,
    manifold: &dyn Manifold,
    region: Option<&Region>,
    (projection, public): (Projection, &[Vec<f64>]),
) -> Result<Page> {
    let disc = match subject::located(release) {
        Some(ball) => Some((&ball.center[..], ball.radius)),
        None => region.map(|region| (&region.middle[..], region.radius)),
    };
    // a circle that has left the space shows nothing
    let [disc, population] = [disc, region.and_then(|region| Some((&region.middle[..], region.population?)))]
        .map(|disc| disc.filter(|(_, radius)| *radius < manifold.injectivity_radius()));
    let paths = Paths::of(release, manifold)?;
    let map = Map { release, manifold, disc, population, paths, public };
    // for a ball of half a globe or more, the view is from above the value. On a disc, a value far from the middle
    // would otherwise be at the edge, with all that is near it
    let ball = &release.provenance.ball;
    let above = if ball.radius() < FRAC_PI_2 { ball.center() } else { subject::point(release) };
    let projection = projection.above(above);
    let view = map.view(&projection);
    let mut main = Panel::new(MAP);
    map.draw(&mut main, &view, &projection);
    let mut page = frame::page(release);
    let widest = map.population.or(map.disc);
    let close = widest.and_then(|disc| Some((disc.0, map.close_up(disc, &view, &projection)?)));
    if let Some((middle, (close, _))) = &close {
        frame::mark_close_up(&mut main, &view, close, projection.place(middle).0);
    }
    page.panels.push(main);
    if let Some((_, (close, from_above))) = &close {
        let mut panel = Panel::new(CLOSE_UP);
        map.draw(&mut panel, close, from_above);
        frame::border(&mut panel, &CLOSE_UP, GREY);
        page.panels.push(panel);
        let grid = match from_above {
            Projection::Globe { .. } => format!(", {}", grid_words(from_above, close)),
            Projection::Disc { .. } | Projection::Plane | Projection::Torus | Projection::Net { .. } => String::new(),
        };
        frame::explain_close_up(&mut page, &view, close, ("", &grid));
    }
    frame::add_words(&mut page, map.words(&view, &projection, region), close.is_some());
    Ok(page)
}

impl Map<'_> {
    /// The visible part of the map: all of it, or a part about a small ball.
    fn view(&self, projection: &Projection) -> View {
        let ball = &self.release.provenance.ball;
        if is_most_of(projection, ball.radius()) || subject::is_everywhere(&self.release.provenance) {
            let half = match projection {
                Projection::Torus => PI,
                Projection::Net { .. } => WITH_LETTERS,
                Projection::Globe { .. } | Projection::Disc { .. } | Projection::Plane => 1.04,
            };
            return View { window: MAP, middle: [0.0; 2], half };
        }
        let places = places(projection.circle(self.manifold, ball.center(), ball.radius()));
        let (middle, _) = projection.place(ball.center());
        let around = reach(middle, &places);
        let (whole, full) = match projection {
            Projection::Globe { .. } | Projection::Disc { .. } => ([0.0; 2], 1.04),
            Projection::Net { .. } => ([0.0; 2], WITH_LETTERS),
            Projection::Torus => ([0.0; 2], PI),
            Projection::Plane => {
                let values = self.points().into_iter().map(|point| projection.place(&point).0).collect::<Vec<_>>();
                let far = reach(middle, &values).min(4.0 * around);
                return View { window: MAP, middle, half: 1.15 * around.max(far) };
            }
        };
        match around < 0.2 * full {
            true => View { window: MAP, middle, half: (5.0 * around).max(f64::MIN_POSITIVE) },
            false => View { window: MAP, middle: whole, half: full },
        }
    }

    /// The close-up of a disc that is too small on the map, and the map for it.
    fn close_up(
        &self,
        (about, radius): (&[f64], f64),
        view: &View,
        projection: &Projection,
    ) -> Option<(View, Projection)> {
        let projection = projection.above(about);
        let (middle, _) = projection.place(about);
        let around = reach(middle, &places(projection.circle(self.manifold, about, radius)));
        let values: Vec<Place> = self.points().iter().map(|point| projection.place(point).0).collect();
        let far = reach(middle, &values).min(3.0 * around);
        let half = 1.4 * around.max(far);
        let close = View { window: CLOSE_UP, middle, half };
        (around > 0.0 && around * view.scale() < PLENTY && close.scale() > 1.5 * view.scale())
            .then_some((close, projection))
    }

    /// The private points.
    fn points(&self) -> Vec<Vec<f64>> {
        match &self.paths {
            Some(paths) => paths.ends(),
            None => vec![subject::point(self.release).to_vec()],
        }
    }

    /// All marks, the lowest first.
    fn draw(&self, panel: &mut Panel, view: &View, projection: &Projection) {
        self.ground(panel, view, projection);
        let ball = &self.release.provenance.ball;
        let circle = |middle: &[f64], radius| projection.circle(self.manifold, middle, radius);
        for copy in projection.copies() {
            let moved = |place: Place| view.on_page([place[0] + copy[0], place[1] + copy[1]]);
            if !subject::is_everywhere(&self.release.provenance) {
                // beyond half of a globe the ball is outside of its circle
                let ink = if is_most_of(projection, ball.radius()) { frame::ball().hollow() } else { frame::ball() };
                lines(panel, "ball", &circle(ball.center(), ball.radius()), ink, moved);
                let (center, seen) = projection.place(ball.center());
                if seen {
                    frame::cross(panel, "center", moved(center), AMBER);
                }
            }
            if let Some((middle, radius)) = self.disc {
                let is_ball = subject::located(self.release).is_some();
                let class = if is_ball { "located" } else { "region" };
                if is_ball && is_most_of(projection, radius) {
                    // all that is seen from above its center is in it
                    panel.add(
                        class,
                        Form::Circle(moved([0.0; 2]), view.scale()),
                        Ink { line: None, ..frame::region() },
                    );
                }
                lines(panel, class, &circle(middle, radius), frame::region(), moved);
            }
            if let Some((middle, radius)) = self.population {
                lines(panel, "population", &circle(middle, radius), frame::population(), moved);
            }
            match &self.paths {
                Some(paths) => self.regression(panel, projection, paths, moved),
                None => {
                    for (i, line) in components::lines(self.release, self.manifold).into_iter().enumerate() {
                        let line = projection.line(line.into_iter());
                        lines(panel, "component", &line, components::ink(i), moved);
                    }
                    let (place, seen) = projection.place(subject::point(self.release));
                    let ink = if seen { frame::value() } else { frame::value().hollow().with_line(BLUE, 1.5) };
                    panel.add("value", Form::Circle(moved(place), 4.5), ink);
                }
            }
        }
    }

    /// The paths of a regression, each with the predictions at its ends.
    fn regression(
        &self,
        panel: &mut Panel,
        projection: &Projection,
        paths: &Paths,
        moved: impl Fn(Place) -> Place + Copy,
    ) {
        for path in &paths.paths {
            let line = projection.line(path.points.iter().map(|prediction| prediction.point.clone()));
            lines(panel, "geodesic", &line, Ink::line(path.color, 2.0), moved);
            let (first, last) = (path.points.first(), path.points.last());
            let hollow = Ink::fill(WHITE, 1.0).with_line(path.color, 1.5);
            let filled = Ink::fill(path.color, 1.0);
            let ends = [first.filter(|_| path.points.len() > 1).zip(Some(hollow)), last.zip(Some(filled))];
            for (prediction, ink) in ends.into_iter().flatten() {
                let (place, seen) = projection.place(&prediction.point);
                let ink = if seen { ink } else { Ink::line(path.color, 1.5) };
                panel.add("value", Form::Circle(moved(place), 4.5), ink);
            }
        }
    }

    /// The regions of all predictions: discs of one color, which together are a band.
    fn band(&self, panel: &mut Panel, view: &View, projection: &Projection) {
        for copy in projection.copies() {
            let moved = |place: Place| view.on_page([place[0] + copy[0], place[1] + copy[1]]);
            for path in self.paths.iter().flat_map(|paths| &paths.paths) {
                for prediction in path.points.iter().step_by(self.stride(&path.points)) {
                    let radius = prediction.radius.filter(|radius| *radius < self.manifold.injectivity_radius());
                    let Some(radius) = radius else { continue };
                    for (run, seen) in projection.circle(self.manifold, &prediction.point, radius) {
                        if seen {
                            let places = run.into_iter().step_by(5).map(moved).collect();
                            panel.add("band", Form::Path(places, true), Ink::fill(paler(path.color), 1.0));
                        }
                    }
                }
            }
        }
    }

    /// Of so many predictions one has its disc in a band: neighbours are apart by half the radius at most.
    fn stride(&self, points: &[Prediction]) -> usize {
        let [first, second, ..] = points else { return 1 };
        let apart = self.manifold.dist(&first.point, &second.point);
        let most = first.radius.map_or(1.0, |radius| radius / (2.0 * apart));
        if most.is_finite() { most.clamp(1.0, 10.0) as usize } else { 10 }
    }

    /// The background: the band of a regression, the edge of the map and its grid.
    fn ground(&self, panel: &mut Panel, view: &View, projection: &Projection) {
        self.band(panel, view, projection);
        for line in projection.grid(degrees(view)) {
            panel.add("grid", Form::Path(view.all_on_page(&line), false), Ink::line(PALE, 0.8));
        }
        coast::draw(panel, view, projection, &self.release.provenance);
        match projection {
            Projection::Plane => axes::draw(panel, view, None),
            Projection::Torus => {
                axes::draw(panel, view, Some(subject::angle_unit(&self.release.provenance, false)));
            }
            // far larger than the page in a close-up
            Projection::Globe { .. } | Projection::Disc { .. } | Projection::Net { .. } if view.half < 0.2 => {
                frame::border(panel, &view.window, GREY);
            }
            Projection::Globe { .. } | Projection::Disc { .. } | Projection::Net { .. } => {
                panel.add("edge", Form::Circle(view.on_page([0.0, 0.0]), view.scale()), Ink::line(GREY, 1.0));
            }
        }
        if let Projection::Net { .. } = projection {
            for (name, at) in [("N", [0.0, 1.0]), ("E", [1.0, 0.0]), ("S", [0.0, -1.0]), ("W", [-1.0, 0.0])] {
                let [x, y] = view.on_page(at.map(|x| 1.06 * x));
                panel.say([x - 4.5, y + 4.5], 13.0, BLACK, name);
            }
        }
        for point in self.public {
            let (place, seen) = projection.place(point);
            let ink = Ink::line(GREY, 0.8);
            let ink = if seen { Ink { fill: Some((GREY, 0.5)), ..ink } } else { ink };
            panel.add("public", Form::Circle(view.on_page(place), 2.5), ink);
        }
    }

    /// The direction of the third axis, which is the pole of geographic coordinates.
    fn third_axis(&self) -> &'static str {
        if coast::has_places(&self.release.provenance) { "north up" } else { "third axis up" }
    }

    /// The words next to the map.
    fn words(&self, view: &View, projection: &Projection, region: Option<&Region>) -> Words {
        let (release, mut words) = (&self.release.provenance, Words::default());
        match &self.paths {
            Some(paths) => explain(&mut words, self.release, paths),
            None => words.value(self.release, Sample::Dot(frame::value()), Sample::Area(frame::region())),
        }
        if !self.public.is_empty() {
            words.explain(Sample::Dot(Ink::fill(GREY, 0.5).with_line(GREY, 0.8)), "public points");
        }
        match region {
            _ if self.paths.is_some() => (),
            Some(region) if self.disc.is_none() => {
                words.say(format!("region of {}: all of the space", region.percent()))
            }
            region => words.region(self.release, region, Sample::Area(frame::region())),
        }
        components::explain(&mut words, self.release, "components: a deviation to each side");
        words.ball(release, Sample::Area(frame::ball()));
        words.facts(release);
        words.say(match projection {
            Projection::Globe { axes: false, .. } if release.ball.radius() < FRAC_PI_2 => {
                format!("seen from far above the center, {}", self.third_axis())
            }
            Projection::Globe { axes: false, .. } => {
                format!("one half, seen from far above the dot, {}", self.third_axis())
            }
            Projection::Globe { axes: true, .. } => "axes as points of half a sphere, third axis up".to_owned(),
            Projection::Disc { .. } if release.ball.radius() < FRAC_PI_2 => {
                "Poincaré disc about the center, circles 1 apart".to_owned()
            }
            Projection::Disc { .. } => "Poincaré disc about the dot, circles 1 apart".to_owned(),
            Projection::Plane => "distances are true".to_owned(),
            Projection::Torus if subject::angle_unit(release, false) == 1.0 => {
                "angles in radians; opposite sides are one".to_owned()
            }
            Projection::Torus => "angles in degrees; opposite sides are one".to_owned(),
            Projection::Net { axes: false } => "equal-area net: full marks on the lower hemisphere,".to_owned(),
            Projection::Net { axes: true } => "equal-area net of the lower hemisphere".to_owned(),
        });
        if let Projection::Net { axes: false } = projection {
            words.say("open and dashed ones on the upper one");
        }
        if let Projection::Globe { .. } = projection {
            let ball = Some(release.ball.radius()).filter(|_| !subject::is_everywhere(release));
            if ball.is_some_and(|radius| is_most_of(projection, radius)) {
                words.say("the ball is all but a cap with this edge");
            }
            if ball.into_iter().chain(self.disc.map(|disc| disc.1)).any(|radius| is_most_of(projection, radius)) {
                words.say("dashed: on the far side");
            }
        }
        if let Projection::Globe { .. } | Projection::Net { .. } = projection
            && projection.has_grid(degrees(view))
        {
            words.say(grid_words(projection, view));
        }
        words
    }
}

/// Whether a ball is more than half of a globe.
fn is_most_of(projection: &Projection, radius: f64) -> bool {
    matches!(projection, Projection::Globe { .. }) && radius > FRAC_PI_2
}

/// The distances between the lines of a globe's grid.
fn grid_words(projection: &Projection, view: &View) -> String {
    let (parallels, meridians) = (degrees(view), projection.meridians(degrees(view)));
    match parallels == meridians {
        true => format!("grid lines {}° apart", label(parallels)),
        false => format!("parallels {}° and meridians {}° apart", label(parallels), label(meridians)),
    }
}

/// Degrees between the lines of a globe's grid.
fn degrees(view: &View) -> f64 {
    let seen = (2.0 * view.half).to_degrees();
    DEGREES.into_iter().find(|step| seen / step >= 3.5).unwrap_or_else(|| {
        let power = 10f64.powf((seen / 3.5).log10().floor());
        [5.0, 2.0, 1.0].into_iter().map(|x| x * power).find(|step| seen / step >= 3.5).unwrap_or(power)
    })
}

/// The words of the paths of a regression.
fn explain(words: &mut Words, release: &PublishedRelease, paths: &Paths) {
    let ends = [paths.three().first().copied(), paths.three().last().copied()];
    if let Value::Geodesic(_) = &release.value {
        words.explain(Sample::Line(frame::geodesic()), "private geodesic");
    } else {
        chart::explain(words, paths);
    }
    if let (Some(path), [Some(low), Some(high)], Some(_)) = (paths.paths.first(), ends, &paths.predictor) {
        words.explain(Sample::Dot(Ink::fill(WHITE, 1.0).with_line(path.color, 1.5)), paths.place(low));
        words.explain(Sample::Dot(Ink::fill(path.color, 1.0)), paths.place(high));
    }
}

fn places(runs: Vec<Run>) -> Vec<Place> {
    runs.into_iter().flat_map(|(run, _)| run).collect()
}

/// A line that may be in several runs. It has an inside only if it is one run on the visible side.
fn lines(panel: &mut Panel, class: &'static str, runs: &[Run], ink: Ink, moved: impl Fn(Place) -> Place) {
    for (run, seen) in runs {
        let places: Vec<Place> = run.iter().copied().map(&moved).collect();
        let closed = runs.len() == 1 && ink.fill.is_some();
        let ink = if *seen && closed { ink } else { ink.hollow() };
        panel.add(class, Form::Path(places, closed), if *seen { ink } else { ink.dashed() });
    }
}
