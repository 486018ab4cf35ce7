//! Curves of a plan: the expected error against the number of records, and against the budget. All of it is public.

use super::frame::{Sample, Words, border};
use super::page::{AMBER, BLACK, BLUE, Color, Form, GREY, Ink, PALE, Page, Panel, Place, Rectangle};
use super::view::label;
use crate::{Error, Result};
use karcher::ReleaseSpec;
use karcher::mechanism::{Candidate, Plan};
use karcher::privacy::{Definition, Guarantee};
use karcher::release::{Adjacency, MechanismName};
use karcher::spec::{BallSpec, MechanismChoice};

/// The expected error at one number of records, or for one budget.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// The number of records, or the parameter of the budget.
    pub at: f64,
    /// The expected error.
    pub error: f64,
    /// The error that is exceeded with probability 0.05, where its law is known.
    pub quantile_95: Option<f64>,
}

/// The expected errors of one mechanism.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The name of the mechanism.
    pub mechanism: String,
    /// The errors, in the order of the axis.
    pub points: Vec<Expected>,
}

/// Curves over one axis.
#[derive(Debug, Clone)]
pub struct Curves {
    /// The name of the axis: `n` or `ε`.
    pub axis: String,
    /// The planned place on the axis.
    pub planned: f64,
    /// A curve for each mechanism that applies.
    pub curves: Vec<Curve>,
}

/// Everything that the picture of a plan shows.
#[derive(Debug, Clone)]
pub struct PlanCurves {
    /// The statistic and the space.
    pub title: String,
    /// The public numbers of the plan, in words.
    pub setting: String,
    /// The meaning of the errors, with their unit.
    pub error: String,
    /// The curves over the number of records, and over the budget.
    pub over: [Curves; 2],
}

/// Points of a curve on each side of the plan, over a factor of ten.
const STEPS: i32 = 6;

impl Curves {
    /// The curves over the number of records, whose axis has a name, and over the budget: a point for each number that
    /// can be planned. Errors are in a unit. They follow from public numbers alone, as a plan does.
    pub fn of(
        (records, n): (&str, usize),
        budget: Guarantee,
        unit: f64,
        candidates: &dyn Fn(usize, Guarantee) -> Vec<Candidate>,
    ) -> [Self; 2] {
        let factors = || (-STEPS..=STEPS).map(|i| 10_f64.powf(f64::from(i) / f64::from(STEPS)));
        let mut numbers: Vec<usize> = factors().map(|factor| (factor * n as f64).round() as usize).collect();
        numbers.retain(|n| *n > 0);
        numbers.dedup();
        let (name, planned) = parameter(budget);
        let over_n = numbers.into_iter().map(|n| (n as f64, candidates(n, budget)));
        let over_budget = factors().map(|factor| {
            let found = with_parameter(budget, planned * factor).map(|budget| candidates(n, budget));
            (planned * factor, found.unwrap_or_default())
        });
        [
            Self { axis: records.to_owned(), planned: n as f64, curves: curves(over_n, unit) },
            Self { axis: name.to_owned(), planned, curves: curves(over_budget, unit) },
        ]
    }
}

impl PlanCurves {
    /// The curves of a specification for a number of records, or a guess of it where that is confidential.
    ///
    /// # Errors
    /// Those of the specification's space.
    ///
    /// ```
    /// use karcher::{privacy::Guarantee, release::StatisticName, spec::ReleaseSpec};
    /// use karcher_report::PlanCurves;
    /// let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(1.0)?);
    /// spec.manifold = Some("sphere:2".parse()?);
    /// spec.ball = Some(karcher::spec::BallSpec::Known { center: vec![0.0, 0.0, 1.0], radius: 0.9 });
    /// let plan = PlanCurves::of_spec(&spec, 100)?;
    /// assert_eq!(plan.title, "Planned Fréchet mean on sphere:2");
    /// assert!(plan.over[0].curves.iter().any(|curve| curve.mechanism == "chart"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_spec(spec: &ReleaseSpec, n: usize) -> Result<Self> {
        let space = spec.manifold()?;
        let (name, axis) = match spec.adjacency == Adjacency::AddRemove {
            true => ("n_guess", "guess of the number of records"),
            false => ("n", "number of records n"),
        };
        let about = spec.statistic.description();
        let ball = spec.public_ball().ok().filter(|ball| ball.radius() < space.diameter());
        let radius = ball.map(|ball| format!(", radius {}", label(ball.radius()))).unwrap_or_default();
        let found = |n, budget| {
            let n_guess = (spec.adjacency == Adjacency::AddRemove).then_some(n);
            let mut all = ReleaseSpec { budget, n_guess, ..spec.clone() }.candidates(n).unwrap_or_default();
            match (&spec.ball, &spec.mechanism) {
                (_, MechanismChoice::Named(name)) => all.retain(|one| one.mechanism.name() == *name),
                (Some(BallSpec::Locate { .. }), _) => all.retain(|one| one.mechanism.name() == MechanismName::TwoStage),
                _ => (),
            }
            all
        };
        Ok(Self {
            title: spec.title_of_plans()?,
            setting: format!("{name} = {n}, {}{radius}", spec.budget),
            error: format!("expected {}, in {}", about.error, about.unit.name_on(&*space)),
            over: Curves::of((axis, n), spec.budget, 1.0, &found),
        })
    }
}

/// A curve for each mechanism, through the places where it applies and its error is known.
fn curves(places: impl Iterator<Item = (f64, Vec<Candidate>)>, unit: f64) -> Vec<Curve> {
    let mut curves: Vec<Curve> = vec![];
    for (at, candidates) in places {
        for candidate in candidates {
            let Ok(plan) = candidate.plan else { continue };
            let Some(error) = known_error(&*plan) else { continue };
            let quantile_95 = plan.distance().map(|law| (law.quantile(0.95) + plan.bias_bound()) / unit);
            let point = Expected { at, error: error / unit, quantile_95 };
            let mechanism = candidate.mechanism.name().to_string();
            match curves.iter_mut().find(|curve| curve.mechanism == mechanism) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { mechanism, points: vec![point] }),
            }
        }
    }
    curves
}

/// The expected error of a plan with the bound of its bias. Without that bound nothing is known of a flow's error.
pub fn known_error(plan: &dyn Plan) -> Option<f64> {
    let bias = plan.bias_bound();
    bias.is_finite().then(|| plan.expected_distance() + bias)
}

/// The parameter of a budget, and its number.
pub fn parameter(budget: Guarantee) -> (&'static str, f64) {
    match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => ("ε", epsilon),
        Definition::Gaussian { mu } => ("μ", mu),
        Definition::Concentrated { rho } => ("ρ", rho),
    }
}

/// A budget with another parameter; a δ stays.
///
/// # Errors
/// For a parameter that is no budget.
pub fn with_parameter(budget: Guarantee, parameter: f64) -> Result<Guarantee> {
    let found = match budget.definition() {
        Definition::Pure { .. } => Guarantee::pure(parameter),
        Definition::Approximate { delta, .. } => Guarantee::approximate(parameter, delta),
        Definition::Gaussian { .. } => Guarantee::gaussian(parameter),
        Definition::Concentrated { .. } => Guarantee::concentrated(parameter),
    };
    found.map_err(|error| Error::new(error.to_string()))
}

const WIDTH: f64 = 900.0;
/// The upper edge of the curves, their height, and the width of each panel.
const TOP: f64 = 92.0;
const HEIGHT: f64 = 330.0;
const ACROSS: f64 = 384.0;
/// About so many pixels are between two ticks.
const APART: f64 = 56.0;
/// One color for each mechanism (Okabe and Ito 2008).
const COLORS: [Color; 5] = [BLUE, AMBER, Color(0, 120, 90), Color(170, 80, 140), BLACK];

/// The picture.
pub fn draw(plan: &PlanCurves) -> Page {
    let names = mechanisms(plan);
    let errors = plan.over.iter().flat_map(|over| &over.curves).flat_map(|curve| &curve.points);
    let errors = range(errors.flat_map(|point| [Some(point.error), point.quantile_95]).flatten());
    let mut head = Panel::default();
    head.say([24.0, 34.0], 19.0, BLACK, plan.title.clone());
    head.say([24.0, 56.0], 12.5, GREY, plan.setting.clone());
    head.say([24.0, TOP - 8.0], 11.0, GREY, plan.error.clone());
    let mut panels = vec![head];
    for (over, left) in plan.over.iter().zip([64.0, WIDTH - 24.0 - ACROSS]) {
        let window = Rectangle { left, top: TOP, width: ACROSS, height: HEIGHT };
        let places = over.curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.at));
        let log = Log { window, x: range(places.chain([over.planned])), y: errors };
        panels.extend([log.grid(&over.axis), log.curves(over, &names)]);
    }
    let mut words = Words::default();
    names.iter().enumerate().for_each(|(i, name)| words.explain(Sample::Line(ink(i)), explained(name)));
    words.explain(Sample::Area(Ink::fill(GREY, 0.25)), "up to the error that is exceeded with probability 5 %");
    words.explain(Sample::Line(Ink::line(GREY, 1.3).dashed()), "as planned");
    panels.push(words.panel([64.0, TOP + HEIGHT + 62.0]));
    let height = TOP + HEIGHT + 62.0 + 19.0 * (names.len() + 2) as f64;
    Page { size: (WIDTH, height), title: format!("{}: {}", plan.title, plan.setting), panels }
}

/// The mechanisms of both panels, each once.
fn mechanisms(plan: &PlanCurves) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for curve in plan.over.iter().flat_map(|over| &over.curves) {
        if !names.contains(&curve.mechanism.as_str()) {
            names.push(&curve.mechanism);
        }
    }
    names
}

/// The line of a mechanism. Curves may lie upon one another, and the first has gaps and is the highest.
fn ink(i: usize) -> Ink {
    let line = Ink::line(COLORS[i % COLORS.len()], 1.8);
    if i.is_multiple_of(3) { line.dashed() } else { line }
}

/// A mechanism in words.
fn explained(name: &str) -> String {
    let is_flow = name == MechanismName::KarcherFlow.name();
    if is_flow { format!("{name}, with the bound of its bias") } else { name.to_owned() }
}

/// The smallest and the largest of positive numbers.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let positive = numbers.filter(|x| *x > 0.0 && x.is_finite());
    let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    if low < high { (low, high) } else { (0.5 * high.max(1e-300), 2.0 * high.max(1e-300)) }
}

/// A window with two logarithmic axes.
struct Log {
    window: Rectangle,
    x: (f64, f64),
    y: (f64, f64),
}

impl Log {
    fn place(&self, x: f64, y: f64) -> Place {
        let share = |at: f64, (low, high): (f64, f64)| (at / low).ln() / (high / low).ln();
        // a little room above and below the curves
        let up = 0.04 + 0.92 * share(y, self.y);
        let Rectangle { left, top, width, height } = self.window;
        [left + width * share(x, self.x), top + height * (1.0 - up)]
    }

    /// Ticks with their numbers, and the name of the axis.
    fn grid(&self, axis: &str) -> Panel {
        let Rectangle { left, top, width, height } = self.window;
        let (bottom, mut panel) = (top + height, Panel::default());
        for tick in ticks(self.x, width / APART) {
            let [x, _] = self.place(tick, self.y.0);
            panel.add("grid", Form::Path(vec![[x, top], [x, bottom]], false), Ink::line(PALE, 0.8));
            let name = label(tick);
            panel.say([x - 3.0 * name.chars().count() as f64, bottom + 16.0], 10.5, GREY, name);
        }
        for tick in ticks(self.y, height / APART) {
            let [_, y] = self.place(self.x.0, tick);
            panel.add("grid", Form::Path(vec![[left, y], [left + width, y]], false), Ink::line(PALE, 0.8));
            let name = label(tick);
            panel.say([left - 6.0 - 5.8 * name.chars().count() as f64, y + 4.0], 10.5, GREY, name);
        }
        border(&mut panel, &self.window, GREY);
        panel.say([left + width / 2.0 - 3.0 * axis.chars().count() as f64, bottom + 36.0], 12.5, BLACK, axis);
        panel
    }

    /// The curves, each with its band and a dot where it was planned.
    fn curves(&self, over: &Curves, names: &[&str]) -> Panel {
        let mut panel = Panel::new(self.window);
        let [x, _] = self.place(over.planned, self.y.0);
        let (top, bottom) = (self.window.top, self.window.top + self.window.height);
        panel.add("planned", Form::Path(vec![[x, top], [x, bottom]], false), Ink::line(GREY, 1.3).dashed());
        let inks = |curve: &Curve| ink(names.iter().position(|name| *name == curve.mechanism).unwrap_or_default());
        for curve in &over.curves {
            let Some((color, _)) = inks(curve).line else { continue };
            let known = || curve.points.iter().filter_map(|point| Some((point, point.quantile_95?)));
            let below = known().map(|(point, _)| self.place(point.at, point.error));
            let above = known().rev().map(|(point, most)| self.place(point.at, most));
            panel.add("band", Form::Path(below.chain(above).collect(), true), Ink::fill(color, 0.12));
        }
        for curve in over.curves.iter().rev() {
            let ink = inks(curve);
            let places = curve.points.iter().map(|point| self.place(point.at, point.error)).collect();
            panel.add("error", Form::Path(places, false), ink);
            let planned = curve.points.iter().find(|point| (point.at / over.planned - 1.0).abs() < 1e-9);
            if let (Some(point), Some((color, _))) = (planned, ink.line) {
                panel.add("dot", Form::Circle(self.place(point.at, point.error), 3.5), Ink::fill(color, 1.0));
            }
        }
        panel
    }
}

/// Round numbers between two others on a logarithmic axis, at most about as many as asked for.
fn ticks((low, high): (f64, f64), about: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let among = |within: &[f64], step: usize| -> Vec<f64> {
        let powers = (first..=last).filter(|power| power.rem_euclid(step as i32) == 0);
        let all =
            powers.flat_map(|power| within.iter().map(move |x| format!("{x}e{power}").parse().unwrap_or(f64::NAN)));
        all.filter(|x| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(x)).collect()
    };
    let choices = [(&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0][..], 1), (&[1.0, 2.0, 5.0], 1), (&[1.0, 3.0], 1)];
    let steps = (1..).map(|step| (&[1.0][..], step));
    let mut found = choices.into_iter().chain(steps).map(|(within, step)| among(within, step));
    found.find(|ticks| ticks.len() as f64 <= about.max(2.0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_logarithm_are_round_and_few() {
        assert_eq!(ticks((10.0, 1000.0), 7.0), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        assert_eq!(ticks((0.1, 10.0), 5.0), [0.1, 0.3, 1.0, 3.0, 10.0]);
        assert_eq!(ticks((1e-3, 1e5), 5.0), [1e-2, 1.0, 1e2, 1e4]);
        assert_eq!(ticks((1e-3, 1e9), 5.0).len(), 5);
    }

    #[test]
    fn an_error_that_falls_as_one_over_n_is_a_straight_line() {
        let point = |at: f64| Expected { at, error: 3.0 / at, quantile_95: Some(9.0 / at) };
        let over = |axis: &str| Curves {
            axis: axis.to_owned(),
            planned: 100.0,
            curves: vec![Curve { mechanism: "laplace".to_owned(), points: [10.0, 100.0, 1000.0].map(point).to_vec() }],
        };
        let [title, setting, error] = ["Plan", "n = 100", "error"].map(str::to_owned);
        let page = draw(&PlanCurves { title, setting, error, over: [over("n"), over("ε")] });
        let marks = || page.panels.iter().flat_map(|panel| &panel.marks);
        let of = |class: &'static str| marks().filter(move |mark| mark.class == class).map(|mark| &mark.form);
        for form in of("error") {
            let Form::Path(places, false) = form else { panic!("{form:?}") };
            assert_eq!(places.len(), 2, "the middle is on the line between the ends");
        }
        assert_eq!((of("error").count(), of("band").count(), of("dot").count(), of("planned").count()), (2, 2, 2, 2));
        // the dot of the planned number is on the dashed line
        for (dot, line) in of("dot").zip(of("planned")) {
            let (Form::Circle([x, _], _), Form::Path(line, _)) = (dot, line) else { panic!("{dot:?} {line:?}") };
            assert!((x - line[0][0]).abs() < 1e-9);
        }
        assert!(page.words().contains(&"laplace") && page.words().contains(&"as planned"));
    }
}
