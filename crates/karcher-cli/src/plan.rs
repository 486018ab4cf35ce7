//! `karcher plan`: the expected accuracy of each mechanism, before any budget is spent.

use crate::failure::say;
use crate::fields::{Fields, Takes, choice};
use crate::length::{Length, Radii};
use crate::options::warn_if_weak;
use crate::output::{aligned, digits, print_json, progress_bar, write_out};
use crate::plan_curves::{Candidates, CurveSetting};
use crate::plot::{draw_plan, write_planner};
use crate::{Failure, located, mechanism, plan_count, plan_regression, plan_table, whole_number};
use clap::ArgGroup;
use clap::builder::{PossibleValue, PossibleValuesParser, Resettable};
use karcher::error::GeometryError;
use karcher::field::{FIELDS, Field};
use karcher::mechanism::{
    Candidate, ErrorForecast, ExpectedError, Plan as _, Randomizer, Rehearsal, Request, best, fewest_records,
    least_epsilon, mechanism as mechanism_of,
};
use karcher::privacy::Guarantee;
use karcher::release::{
    Adjacency, CenterMethod, DetectableDifference, Flag, MechanismName, ReleasedBound, StatisticName,
};
use karcher::sensitivity::Bound;
use karcher::spec::{BallSpec, NumericsPolicy, PublicBall, Radius};
use karcher::statistics::{BallUse, Unit};
use karcher::{Ball, Manifold, PredictorRange, ReleaseSpec, Space};
use serde_json::{Value, json};
use std::path::PathBuf;

/// How accurate a private statistic will be, before any budget is spent.
///
/// For every mechanism that keeps the budget, it prints the expected distance of the private value to the value without
/// noise: for a mean, to the mean of the clipped records. For the others it prints why they do not apply. With
/// --slope-bound or --term it plans a regression. With --error instead of --n or the budget, it finds the smallest that
/// reaches that error. Reads no data and spends no budget.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --delta 1e-6
  karcher plan --manifold sphere:2 --radius 2000km --epsilon 1 --error 20km
  karcher plan --manifold sphere:2 --radius 2000km --n 1e4 --spread --error 100km
  karcher plan --manifold spd-log-euclidean:3 --radius 2 --n 500 --mu 1 \\
      --term linear:age:20:80 --term levels:sex:F,M
  karcher plan --statistic k-means --manifold sphere:2 --clusters 4 --n 1000 --mu 2")]
#[command(allow_negative_numbers = true)]
#[command(group = ArgGroup::new("written").multiple(true))]
pub struct Args {
    #[command(flatten)]
    pub fields: Fields<Planned>,
    /// Number of records (of persons for --person), for example 1e4. With --error and no budget, the smallest ε is
    /// found for it.
    #[arg(long, value_name = "N", value_parser = whole_number::records)]
    n: Option<usize>,
    /// Error to reach, a distance like the radius. With --spread or --components: the smallest spread, or deviation
    /// along a component, that exceeds the noise level. With a budget and no --n, the smallest number of records is
    /// found for it.
    #[arg(long, value_name = "DISTANCE")]
    error: Option<Length>,
    /// Run Markov chains on made-up records, if kng draws by one, and report how well they converge.
    #[arg(long)]
    pub rehearse: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// File for a picture, .svg or .png: the expected error of each mechanism against the number of records, and
    /// against the budget.
    #[arg(long, value_name = "FILE", group = "written")]
    plot: Option<PathBuf>,
    /// File for a page with sliders, .html: the expected error of each mechanism for other radii, numbers of records
    /// and budgets. It works in a browser without a network.
    #[arg(long, value_name = "FILE", group = "written")]
    html: Option<PathBuf>,
    /// Let --plot and --html replace a file.
    #[arg(long, requires = "written")]
    force: bool,
}

/// The error without a ball, where one is needed.
const NO_RADIUS: &str = "--radius is missing: say how far from the center of the public ball a record may be; or \
                         locate a ball (--ball auto)";

/// What `karcher plan` takes: the fields of every statistic that change a plan.
pub struct Planned;

impl Takes for Planned {
    const STATISTICS: &'static [StatisticName] = &StatisticName::ALL;
    const CHOICES: &'static [StatisticName] = &StatisticName::ALL;
    const REQUIRED: &'static [&'static str] = &[];

    fn takes(field: &Field) -> bool {
        !["ball.center", "region"].contains(&field.path) && !field.path.starts_with("groups")
    }

    fn adapt(command: clap::Command) -> clap::Command {
        // the same as the flags of these names
        let companions = ["spread", "components"].map(|name| PossibleValue::new(name).hide(true));
        let names: Vec<PossibleValue> = StatisticName::ALL.map(choice).into_iter().chain(companions).collect();
        command
            .mut_arg("statistic", |arg| {
                arg.value_parser(PossibleValuesParser::new(names))
                    .help("Statistic to plan; with --slope-bound or --term it is a regression")
            })
            .mut_arg("radius", |arg| {
                arg.help(
                    "Radius of the public ball, in units of distance (radians on a sphere), or with a unit: 20deg, \
                     2000km. On products also one for each factor: 30deg,2. Without a ball the extrinsic mean is \
                     planned, where the space has one. Of a ball it is the radius of the outer one",
                )
            })
            .mut_arg("ball", |arg| {
                arg.requires_if(located::AUTO, "expected-spread").help(
                    "Ball from a file that karcher locate wrote, for its radius; or `auto`. With auto, the plan is for \
                     karcher mean --ball auto, a mean in a ball that is located within --within; it needs \
                     --expected-spread",
                )
            })
            .mut_arg("spread", |arg| arg.conflicts_with("components"))
            .mut_arg("spread-clip", |arg| arg.requires(Resettable::Reset))
            .mut_arg("components-clip", |arg| arg.requires(Resettable::Reset))
    }
}

/// The companion of a mean that is planned with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Companion {
    None,
    Spread,
    Components,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let statistic = args.statistic();
    if statistic == StatisticName::Count {
        return plan_count::run(args);
    }
    if args.n == Some(0) {
        return Err(GeometryError::NoRecords.into());
    }
    let adjacency = args.fields.adjacency();
    let spec = args.spec()?;
    // a mechanism that is named is taken, whatever its proof
    let policy = if spec.mechanism.name().is_some() { NumericsPolicy::Any } else { spec.numerics };
    let spec_in = |radii: Option<&Radii>, n: usize, budget| -> Result<ReleaseSpec, Failure> {
        let n_guess = Some(n).filter(|_| adjacency == Adjacency::AddRemove);
        let mut spec = ReleaseSpec { budget, n_guess, ..spec.clone() };
        if let Some(radii) = radii {
            let manifold = spec.manifold()?;
            spec.ball = Some(args.ball_of(&radii.on(&*manifold)?, &*manifold)?);
        }
        Ok(spec)
    };
    let request = |n: usize, budget| -> Result<Request, Failure> { Ok(spec_in(None, n, budget)?.request(n)?) };
    let candidates = |radii: Option<&Radii>, n: usize, budget| -> Result<Vec<Candidate>, Failure> {
        args.candidates(&spec_in(radii, n, budget)?, n)
    };
    // the plan that is taken, or the reason why there is none
    let planned = |n: usize, budget| -> Result<Box<dyn karcher::mechanism::Plan>, Failure> {
        if statistic == StatisticName::Record {
            return args.candidates(&spec_in(None, n, budget)?, n)?.swap_remove(0).plan.map_err(Into::into);
        }
        let named = spec.mechanism.name().or(spec.statistic.only_mechanism());
        match if args.is_located() { Some(MechanismName::TwoStage) } else { named } {
            Some(name) => Ok(request(n, budget)?.plan_by(name)?),
            None => Ok(request(n, budget)?.plan()?),
        }
    };
    if args.is_of_regression() {
        if args.rehearse {
            return Err("--rehearse does not go with a regression: leave it out".into());
        }
        let plan = Plan::new(args, &|n, budget| Ok(planned(n, budget)?.expected_distance()))?;
        args.draw(&plan, &candidates)?;
        let best = planned(plan.n, plan.budget)?.name();
        return plan_regression::run(
            args,
            &request(plan.n, plan.budget)?,
            &candidates(None, plan.n, plan.budget)?,
            best,
            &plan,
        );
    }
    let radius = args.given_radius(&spec)?;
    let expected = |n: usize, budget| {
        let plan = planned(n, budget)?;
        Ok(plan.forecasts().first().map_or_else(|| plan.error_bound(), ErrorForecast::told_from_noise))
    };
    let plan = Plan::new(args, &expected)?;
    let mut all = candidates(None, plan.n, plan.budget)?;
    let best = match args.is_located() {
        true => Some(0), // there is no other
        false => best(&all, policy),
    };
    let best_name = best.map(|i| all[i].mechanism.name().name());
    if all.iter().all(|candidate| candidate.plan.is_err()) {
        planned(plan.n, plan.budget)?; // says why
    }
    args.draw(&plan, &candidates)?;
    // another statistic, for comparison
    let is_plain = spec.mechanism.name().is_none() && !args.is_located();
    if let (StatisticName::FrechetMean, Companion::None, true) = (spec.statistic, args.companion(), is_plain) {
        let mut other = ReleaseSpec {
            ball: None,
            bound: None,
            denoise: None,
            assume_in_ball: false,
            steps: None,
            calibration: None,
            ..spec.clone()
        };
        if other.take_no_ball(&PublicBall::default())? {
            let n_guess = Some(plan.n).filter(|_| adjacency == Adjacency::AddRemove);
            let other = ReleaseSpec { budget: plan.budget, n_guess, ..other }.request(plan.n);
            all.extend(other.map(|request| request.candidates()).unwrap_or_default()); // of small spaces alone
        }
    }
    let forecasts = best.and_then(|i| all[i].plan.as_ref().ok()?.forecasts().first().copied());
    let detectable = best.and_then(|i| DetectableDifference::of(&**all[i].plan.as_ref().ok()?));
    let rehearsal = if args.rehearse { rehearse(&all)? } else { None };
    if args.json {
        let entries: Vec<Value> = all.iter().map(|candidate| entry(candidate, policy, rehearsal)).collect();
        let mut report = json!({
            "statistic": spec.statistic, "manifold": spec.manifold, (args.name_of_n()): plan.n,
            "radius": radius.enclosing(), "budget": plan.budget, "best": best_name, "adjacency": adjacency,
            "mechanisms": entries,
        });
        if let Radius::Factors(radii) = radius {
            report["radii"] = json!(radii);
        }
        if let Some(forecasts) = forecasts {
            report["forecast"] = json!(forecasts);
        }
        if let Some(detectable) = detectable {
            report["detectable_difference"] = json!(detectable);
        }
        plan.add_to(&mut report);
        return print_json(&report);
    }
    let mut above = plan.lines.clone();
    above.extend(forecasts.map(|forecasts| forecast_line(&forecasts, args.radius())));
    above.extend(detectable.map(|detectable| detectable_line(&detectable, args.radius())));
    let mut below = plan_table::rows(&all, policy, rehearsal, args.radius());
    below.extend(plan_table::not_applicable(&all));
    below.extend(plan_table::legend(&all, policy));
    if args.rehearse && rehearsal.is_none() {
        below.push(("rehearsal".to_owned(), "none needed: no mechanism here draws by a Markov chain".to_owned()));
    }
    if let Some(Ok(plan)) = best.map(|i| &all[i].plan)
        && plan.summary().noise_exceeds_ball()
    {
        below.push((
            "note".to_owned(),
            format!("the mechanism with the smallest error is flagged {}", Flag::NoiseExceedsBall),
        ));
    }
    if let Some(outdone) =
        Some(&all).filter(|_| policy == NumericsPolicy::Exact).and_then(|all| mechanism::outdone(all))
    {
        below.push(("note".to_owned(), outdone.words(args.radius())));
    }
    below.push(("best".to_owned(), best_name.map_or_else(|| by_name(&all, policy), str::to_owned)));
    let title = spec.statistic.description().error;
    write_out(format!("{}expected {title}\n{}", aligned(&above), aligned(&below)).as_bytes())
}

/// The setting of the plan: given, or found from the error to reach.
pub struct Plan {
    /// Number of records.
    pub n: usize,
    /// The budget.
    pub budget: Guarantee,
    /// What was found, in words.
    pub lines: Vec<(String, String)>,
    goal: Option<f64>,
}

impl Plan {
    fn new(args: &Args, expected: &ExpectedError<'_, Failure>) -> Result<Self, Failure> {
        let goal = args.goal()?;
        check_says_something(args)?;
        let line = |name: &str, words: String| vec![(name.to_owned(), words)];
        let given_budget = args.fields.budget();
        let budget = given_budget.guarantee();
        let given = args.given_n()?;
        let plan = match (given, given_budget.is_given(), goal) {
            (Some(n), true, None) => Self { n, budget: budget?, lines: vec![], goal },
            (None, true, Some(error)) => {
                let budget = budget?;
                let n = fewest_records(error, budget, expected)?;
                let lines = line("records", format!("{n} are needed {}", args.aim(&told(args, error))));
                Self { n, budget, lines, goal }
            }
            (Some(n), false, Some(error)) => {
                let budget = least_epsilon(error, n, given_budget.delta, expected)?;
                let lines = line("budget", format!("{budget} is needed {}", args.aim(&told(args, error))));
                Self { n, budget, lines, goal }
            }
            (Some(_), true, Some(_)) => {
                return Err("--error finds the number of records or ε: leave out --n or the budget".into());
            }
            (None, _, None) | (Some(_), false, None) => {
                return Err(budget.err().unwrap_or_else(|| "--n is missing: give it, or --error to find it".into()));
            }
            (None, false, Some(_)) => {
                return Err("--error: give a budget, to find the number of records, or --n, to find ε".into());
            }
        };
        warn_if_weak(plan.budget, plan.n);
        Ok(plan)
    }

    /// Adds the error that was to be reached to a report.
    pub fn add_to(&self, report: &mut Value) {
        if let Some(goal) = self.goal {
            report["error"] = json!(goal);
        }
    }
}

impl Args {
    /// The statistic that is planned. Options of a regression name one.
    pub fn statistic(&self) -> StatisticName {
        match self.fields.has("statistic") {
            true => self.fields.statistic(),
            false if self.fields.has("slope-bound") => StatisticName::GeodesicRegression,
            false if self.fields.has("term") => StatisticName::FeatureRegression,
            false => StatisticName::FrechetMean,
        }
    }

    /// The companion that is planned with a mean.
    fn companion(&self) -> Companion {
        match self.fields.text("statistic") {
            Some("spread") => Companion::Spread,
            Some("components") => Companion::Components,
            _ if self.fields.flag("spread") => Companion::Spread,
            _ if self.fields.flag("components") => Companion::Components,
            _ => Companion::None,
        }
    }

    /// The condition that an error has to meet.
    pub fn aim(&self, error: &str) -> String {
        match self.companion() {
            Companion::Spread => format!("for a spread of {error} to exceed the noise level"),
            Companion::Components => format!("for a deviation of {error} along a component to exceed the noise level"),
            Companion::None => format!("for an expected error of at most {error}"),
        }
    }

    /// The error to reach, in the unit of errors.
    fn goal(&self) -> Result<Option<f64>, Failure> {
        match self.error {
            Some(_) if is_of_rows(self.statistic()) => self.error_of_count(),
            Some(error) => Ok(Some(error.on(self.fields.space()?, "--error")?)),
            None => Ok(None),
        }
    }

    /// Refuses what does not go with a count.
    pub fn refuse_for_count(&self) -> Result<(), Failure> {
        let number = self.n.map(|_| "n");
        let foreign = self.fields.given().find(|(field, _)| !field.is_of(StatisticName::Count));
        let drawn = [("plot", self.plot.is_some()), ("html", self.html.is_some()), ("rehearse", self.rehearse)];
        let drawn = drawn.into_iter().find_map(|(option, given)| given.then_some(option));
        match number.or(foreign.map(|(_, option)| option.name)).or(drawn) {
            Some(option) => Err(format!(
                "--{option} does not go with a count, whose noise depends on the budget alone: leave it out"
            )
            .into()),
            None => Ok(()),
        }
    }

    /// The error to reach in records, or of a score, which is a plain number.
    pub fn error_of_count(&self) -> Result<Option<f64>, Failure> {
        let line: Space = "euclidean:1".parse()?;
        self.error.map(|error| error.on(&line, "--error")).transpose()
    }

    /// The specification of the plan, without a number of records. Its ball is around the origin, because no plan
    /// depends on the center.
    fn spec(&self) -> Result<ReleaseSpec, Failure> {
        let (fields, statistic) = (&self.fields, self.statistic());
        let is_given = |option: &str| fields.has(option);
        if is_given("spread-clip") && self.companion() != Companion::Spread {
            return Err("--spread-clip goes with --spread".into());
        }
        if is_given("components-clip") && self.companion() != Companion::Components {
            return Err("--components-clip goes with --components".into());
        }
        // any budget: that of the plan takes its place
        let mut spec = ReleaseSpec::new(statistic, Guarantee::pure(1.0)?);
        let needed = FIELDS.iter().filter(|field| field.is_of(statistic) && field.is_required);
        for (field, option) in needed.filter_map(|field| Some((field, field.option?))) {
            let is_part = field.parent().is_some_and(|(object, _)| ["clusters", "descent", "score"].contains(&object));
            if is_part && !is_given(option.name) {
                let words = format!("{} needs it: {}", statistic.with_article(), field.content);
                return Err(format!("--{} is missing: {words}", option.name).into());
            }
        }
        fields.fill(&mut spec)?;
        if is_of_rows(statistic) {
            return Ok(spec);
        }
        let manifold = fields.manifold()?;
        if statistic == StatisticName::GeodesicRegression && spec.predictor_range.is_none() {
            spec.predictor_range = Some(PredictorRange::new(0.0, 1.0)?); // any: predictors are scaled
        }
        match self.companion() {
            Companion::None => {}
            Companion::Spread => drop(spec.spread.get_or_insert_default()),
            Companion::Components => drop(spec.components.get_or_insert_default()),
        }
        let given = PublicBall { locate: self.has_ball(), ..PublicBall::default() };
        if spec.take_no_ball(&given)? {
            return Ok(spec);
        }
        let is_everywhere = statistic.description().takes_whole_space && manifold.diameter().is_finite();
        if !self.has_ball() && !is_everywhere {
            return Err(NO_RADIUS.into());
        }
        spec.ball = Some(self.ball_of(&self.given_radius(&spec)?, &*manifold)?);
        Ok(spec)
    }

    /// The mechanisms that are considered, each with its plan or the reason why it does not apply.
    fn candidates(&self, spec: &ReleaseSpec, n: usize) -> Result<Vec<Candidate>, Failure> {
        if spec.statistic == StatisticName::Record {
            let ball: Ball = spec.public_ball()?;
            let plan = Randomizer::new(spec.manifold()?, ball, spec.budget)?;
            return Ok(vec![Candidate { mechanism: mechanism_of(plan.name()), plan: Ok(Box::new(plan)) }]);
        }
        if let Some(name) = spec.mechanism.name() {
            let plan = spec.request(n)?.plan_by(name);
            return Ok(vec![Candidate { mechanism: mechanism_of(name), plan }]);
        }
        let is_of_one =
            ["steps", "calibration"].iter().any(|option| self.fields.given().any(|(_, o)| o.name == *option));
        let mut all = if is_of_one { spec.candidates(n)? } else { spec.request(n)?.candidates() };
        if self.is_located() {
            all.retain(|candidate| candidate.mechanism.name() == MechanismName::TwoStage);
        }
        Ok(all)
    }

    /// The ball of a radius around the origin, or the outer one of a ball that is planned.
    fn ball_of(&self, radius: &Radius, manifold: &dyn Manifold) -> Result<BallSpec, Failure> {
        let mut origin = vec![0.0; manifold.point_len()];
        manifold.origin(&mut origin);
        let ball = radius.ball(manifold, origin)?;
        if self.statistic().description().ball != BallUse::Searched {
            return Ok(BallSpec::from(&ball));
        }
        let quantile = self.fields.get("quantile").copied();
        Ok(BallSpec::Locate { center: ball.center().to_vec(), within: ball.radius(), quantile })
    }

    /// Whether a regression is planned.
    fn is_of_regression(&self) -> bool {
        matches!(self.statistic(), StatisticName::GeodesicRegression | StatisticName::FeatureRegression)
    }

    /// Draws the curves of the plan and writes its page, if --plot and --html ask for them.
    fn draw(&self, plan: &Plan, candidates: &Candidates<'_>) -> Result<(), Failure> {
        if self.plot.is_none() && self.html.is_none() {
            return Ok(());
        }
        let spec = self.spec()?;
        let manifold = spec.manifold()?;
        let space: Space = manifold.space().clone();
        let about = spec.statistic.description();
        let length = self.radius();
        let told = length.told_unit().filter(|_| about.unit == Unit::Length);
        let radius = self.given_radius(&spec)?.enclosing();
        let title = spec.title_of_plans()?;
        let setting = || CurveSetting {
            manifold: space.clone(),
            radius: Some(radius).filter(|_| self.has_ball()),
            radii: self.fields.get("radius"),
            length,
            n: plan.n,
            name_of_n: self.name_of_n(),
            budget: plan.budget,
            policy: spec.numerics,
            title: title.clone(),
            words: format!("{} = {}, {}, radius {}", self.name_of_n(), plan.n, plan.budget, length.words(radius)),
            error: about.error,
            unit: told.unwrap_or((1.0, about.unit.name_on(&*manifold))),
            python: self.python(&spec),
            candidates,
        };
        draw_plan(self.plot.as_deref(), self.force, setting)?;
        write_planner(self.html.as_deref(), self.force, setting)
    }

    /// The arguments of `karcher.plan` in Python other than the space, the radius, the number of records and the
    /// budget, if it has them all.
    fn python(&self, spec: &ReleaseSpec) -> Option<Vec<String>> {
        let known = [
            "statistic",
            "manifold",
            "radius",
            "within",
            "ball",
            "epsilon",
            "delta",
            "mu",
            "rho",
            "adjacency",
            "n-guess",
            "bound",
            "numerics",
            "expected-spread",
            "spread",
            "spread-clip",
            "components",
            "components-clip",
        ];
        let has_more = self.fields.given().any(|(_, option)| !known.contains(&option.name));
        if has_more || matches!(self.given_radius(spec), Ok(Radius::Factors(_))) {
            return None;
        }
        let length = |name: &str, option: &str| Some(format!("{name}={}", self.fields.length(option).ok()??));
        let text = |name: &str, text: Option<&str>| Some(format!("{name}=\"{}\"", text?));
        let statistic = match (self.statistic(), self.companion()) {
            (_, Companion::Spread) => Some("spread"),
            (_, Companion::Components) => Some("components"),
            (StatisticName::FrechetMean, Companion::None) => None,
            (statistic, Companion::None) if !StatisticName::OF_BALLS.contains(&statistic) => return None,
            (statistic, Companion::None) => Some(statistic.description().option),
        };
        let bound = spec.bound.map(|bound: Bound| bound.to_string());
        let given = [
            text("statistic", statistic),
            length("clip", "spread-clip").or_else(|| length("clip", "components-clip")),
            text("ball", self.is_located().then_some(located::AUTO)),
            length("expected_spread", "expected-spread"),
            text("bound", bound.as_deref()),
            text("numerics", (spec.numerics == NumericsPolicy::Any).then_some("any")),
            text("adjacency", (spec.adjacency == Adjacency::AddRemove).then_some("add-remove")),
        ];
        Some(given.into_iter().flatten().collect())
    }

    /// The number of records that was given, or the guess of it.
    fn given_n(&self) -> Result<Option<usize>, Failure> {
        let is_confidential = self.fields.adjacency() == Adjacency::AddRemove;
        if self.statistic() == StatisticName::Record {
            return match (self.n, self.error) {
                (None, None) => Ok(Some(1)),
                (Some(_), _) => {
                    Err("--n does not go with a record, which one person randomizes alone: leave it out".into())
                }
                (None, Some(_)) => Ok(Some(1)),
            };
        }
        match (self.n, is_confidential, &self.fields.n_guess()[..]) {
            (Some(_), true, _) => {
                Err("--n: with --adjacency add-remove the number of records is confidential; give --n-guess instead"
                    .into())
            }
            (_, _, [_, _, ..]) => Err("--n-guess has several numbers: those are for the groups of --by".into()),
            (_, false, [_]) => {
                Err("--n-guess belongs to --adjacency add-remove: without it the number of records is public".into())
            }
            // it may be the unknown
            (None, true, []) if self.error.is_none() => {
                Err("--n-guess is missing: with --adjacency add-remove the number of records is confidential".into())
            }
            (n, _, guess) => Ok(guess.first().copied().or(n)),
        }
    }

    /// The JSON field of the number of records.
    pub fn name_of_n(&self) -> &'static str {
        if self.fields.adjacency() == Adjacency::AddRemove { "n_guess" } else { "n" }
    }

    /// Whether something is said of a ball.
    fn has_ball(&self) -> bool {
        ["radius", "ball", "within"].iter().any(|option| self.fields.has(option))
    }

    /// Whether a ball is to be located.
    fn is_located(&self) -> bool {
        self.fields.text("ball") == Some(located::AUTO)
    }

    /// The radius of the public ball, or of the outer one, as it was given.
    pub fn radius(&self) -> Length {
        // without any, the whole space is searched, and its size has no typed unit
        let radius = self.fields.get::<Radii>("radius").map(Radii::told);
        radius.or(self.fields.get("within").copied()).unwrap_or(Length::plain(f64::INFINITY))
    }

    /// The same in the space's own unit of distance.
    fn given_radius(&self, spec: &ReleaseSpec) -> Result<Radius, Failure> {
        let (fields, manifold) = (&self.fields, spec.manifold()?);
        if self.is_located() && (self.statistic(), self.companion()) != (StatisticName::FrechetMean, Companion::None) {
            return Err("--ball auto is for means; --statistic ball plans the ball alone, with --radius".into());
        }
        if fields.has("expected-spread") && self.companion() != Companion::None {
            return Err("--expected-spread does not go with --spread or --components: leave one out".into());
        }
        if let Some(file) = fields.text("ball").filter(|_| !self.is_located()) {
            if fields.has("within") {
                return Err("--within belongs to --ball auto: leave it out with a file".into());
            }
            return Ok(located::from_file(file, &*manifold)?.radius().into());
        }
        if spec.statistic == StatisticName::ExtrinsicMean || is_of_rows(spec.statistic) {
            return Ok(spec.public_ball()?.radius().into());
        }
        if !self.has_ball() && manifold.diameter().is_infinite() {
            return Err(NO_RADIUS.into());
        }
        match (fields.get::<Radii>("radius"), fields.length("within")?, manifold.diameter()) {
            (Some(radius), _, _) => radius.on(&*manifold),
            (None, Some(within), _) => Ok(within.into()),
            (None, None, diameter) if diameter.is_finite() => Ok(diameter.into()),
            (None, None, _) => {
                let space = manifold.space();
                Err(format!("--within is missing: {space} is unbounded; say how far the records may be").into())
            }
        }
    }
}

/// Whether a record is a row that predictions and labels make, of no space that a user names.
fn is_of_rows(statistic: StatisticName) -> bool {
    matches!(statistic, StatisticName::Score | StatisticName::Selection)
}

/// Refuses an error as large as the one without any record. For a mean that is the radius. A geodesic is farther from
/// the center by up to half of the slope bound.
fn check_says_something(args: &Args) -> Result<(), Failure> {
    let (Some(error), Some(goal)) = (args.error, args.goal()?) else { return Ok(()) };
    let spec = args.spec()?;
    if args.companion() != Companion::None || spec.statistic.description().unit != Unit::Length {
        return Ok(());
    }
    let known = args.given_radius(&spec)?.enclosing() + 0.5 * spec.slope_bound.unwrap_or(0.0);
    if goal >= known && goal.is_finite() {
        return Err(format!(
            "--error {} is too large: without any record, the center of the ball is already within {}; give less",
            error.words(goal),
            error.words(known)
        )
        .into());
    }
    Ok(())
}

/// The forecast for a spread or for components, in words.
fn forecast_line(forecasts: &ErrorForecast, radius: Length) -> (String, String) {
    let least = radius.words(forecasts.told_from_noise());
    match forecasts {
        ErrorForecast::Spread { clip, mean_square, fraction_outside } => {
            let words = format!(
                "the mean square of distances, each at most {}, is off by at most {} with 95 % confidence: a spread \
                 above {least} exceeds the noise level; the fraction outside the ball is off by at most {:.1} %",
                radius.words(*clip),
                digits(*mean_square),
                100.0 * fraction_outside
            );
            ("spread".to_owned(), words)
        }
        ErrorForecast::Components { clip, .. } => {
            let words = format!(
                "noise alone makes deviations of about {least} along components: larger ones exceed the noise level; \
                 logarithms up to {}",
                radius.words(*clip)
            );
            ("components".to_owned(), words)
        }
        _ => (String::new(), String::new()),
    }
}

/// The difference that a comparison finds, in words.
fn detectable_line(detectable: &DetectableDifference, radius: Length) -> (String, String) {
    let words = format!(
        "karcher compare finds a difference of {} between two such groups with {:.0} %, if the spread of the records \
         is {}",
        radius.words(detectable.distance),
        100.0 * detectable.power,
        radius.words(detectable.assumed_spread)
    );
    ("difference".to_owned(), words)
}

/// The goal as it was given.
fn told(args: &Args, error: f64) -> String {
    args.error.map_or_else(|| digits(error), |goal| goal.words(error))
}

/// Runs the chains of a mechanism that draws by them on made-up records.
fn rehearse(all: &[Candidate]) -> Result<Option<Rehearsal>, Failure> {
    for plan in all.iter().filter_map(|candidate| candidate.plan.as_ref().ok()) {
        if let Some(steps) = plan.summary().chain_steps {
            say(&format!("rehearsing four chains of twice {steps} steps on made-up records; this may take minutes"));
            let bar = progress_bar(plan.rehearsal_steps());
            let rehearsal = plan.rehearse(&|more| bar.inc(more as u64))?;
            bar.finish_and_clear();
            return Ok(rehearsal);
        }
    }
    Ok(None)
}

/// The line for `best` if there is none.
fn by_name(all: &[Candidate], accept: NumericsPolicy) -> String {
    let asked = all.iter().filter_map(|candidate| {
        let reason = accept.refuses(&**candidate.plan.as_ref().ok()?)?;
        Some(format!("--mechanism {} has to be chosen by name: {reason}", candidate.mechanism.name()))
    });
    format!("none; {}", asked.collect::<Vec<_>>().join("; "))
}

fn entry(candidate: &Candidate, accept: NumericsPolicy, rehearsal: Option<Rehearsal>) -> Value {
    let name = candidate.mechanism.name();
    let plan = match &candidate.plan {
        Ok(plan) => plan,
        Err(error) => return json!({"mechanism": name, "reason": error.to_string()}),
    };
    let mut entry = json!({
        "mechanism": name,
        "guarantee": plan.guarantee(),
        "expected_distance": plan.expected_distance(),
        "bias_bound": plan.bias_bound(),
        "numerics": plan.numerics(),
    });
    if let Some(ratio) = plan.summary().of_best_unbiased() {
        entry["of_best_unbiased"] = json!(ratio);
    }
    if let Some(mu) = plan.summary().own_mu() {
        entry["mu"] = json!(mu);
    }
    if let Some(distance) = plan.distance() {
        entry["median"] = json!(distance.quantile(0.5));
        entry["quantile_95"] = json!(distance.quantile(0.95));
    }
    match &plan.summary().steps {
        Some(steps) => entry["steps"] = json!(steps),
        None => entry["scale"] = json!(plan.scale()),
    }
    if plan.summary().sensitivity.bound == ReleasedBound::Rank {
        entry["center_method"] = json!(CenterMethod::CoordinateMedians);
    }
    if let Some(steps) = plan.summary().chain_steps {
        entry["chain_steps"] = json!(steps);
        entry["rehearsal"] = json!(rehearsal);
    }
    if let Some(rehearsed) = plan.summary().rehearsed {
        entry["rehearsed"] = json!(rehearsed);
    }
    if let Some(gains) = plan.gains() {
        entry["denoised"] = json!(gains);
    }
    if plan.summary().statistic == StatisticName::ExtrinsicMean {
        entry["statistic"] = json!(StatisticName::ExtrinsicMean);
    }
    if let Some(reason) = accept.refuses(&**plan) {
        entry["by_name"] = json!(reason);
    }
    entry
}
