//! `karcher plan`: the expected accuracy of each mechanism, before any budget is spent.

use crate::failure::say;
use crate::length::{Length, Radii};
use crate::neighbours::Neighbours;
use crate::options::{Budget, Numerics, warn_if_weak};
use crate::output::{aligned, digits, print_json, progress_bar, write_out};
use crate::plan_curves::{Candidates, CurveSetting};
use crate::plot::{draw_plan, write_planner};
use crate::{Failure, located, mechanism, plan_regression, plan_table, whole_number};
use clap::{ArgGroup, ValueEnum};
use karcher::error::GeometryError;
use karcher::features::{Features, Term};
use karcher::mechanism::{
    Candidate, ErrorForecast, ExpectedError, Rehearsal, Request, best, fewest_records, least_epsilon,
};
use karcher::privacy::Guarantee;
use karcher::release::{
    Adjacency, CenterMethod, DetectableDifference, Flag, MechanismName, ReleasedBound, StatisticName,
};
use karcher::sensitivity::Bound;
use karcher::spec::{BallSpec, Components, NumericsPolicy, PublicBall, Radius, Spread};
use karcher::statistics::BallUse;
use karcher::{Manifold, PredictorRange, ReleaseSpec, Space};
use serde_json::{Value, json};
use std::path::PathBuf;

/// How accurate a private mean or regression will be, before any budget is spent.
///
/// For every mechanism that keeps the budget, it prints the expected distance of the private mean to the mean of the
/// clipped records. For the others it prints why they do not apply. With --slope-bound or --term it plans a regression.
/// With --error instead of --n or the budget, it finds the smallest that reaches that error. Reads no data and spends
/// nothing.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --delta 1e-6
  karcher plan --manifold sphere:2 --radius 2000km --epsilon 1 --error 20km
  karcher plan --manifold sphere:2 --radius 2000km --n 1e4 --spread --error 100km
  karcher plan --manifold spd-log-euclidean:3 --radius 2 --n 500 --mu 1 \\
      --term linear:age:20:80 --term levels:sex:F,M")]
#[command(allow_negative_numbers = true)]
#[command(group = ArgGroup::new("written").multiple(true))]
pub struct Args {
    /// Space, for example sphere:2, spd-log-euclidean:3, kendall:50.
    #[arg(long, value_name = "SPACE")]
    pub manifold: Space,
    /// Number of records (of persons for --person), for example 1e4. With --error and no budget, the smallest ε is
    /// found for it.
    #[arg(long, value_name = "N", value_parser = whole_number::records, required_unless_present_any = ["error", "n_guess"])]
    n: Option<usize>,
    #[command(flatten)]
    pub neighbours: Neighbours,
    /// Radius of the public ball, in units of distance (radians on a sphere), or with a unit: 20deg, 2000km. Without a
    /// ball the extrinsic mean is planned, where the space has one.
    #[arg(long, value_name = "R", conflicts_with = "ball")]
    radius: Option<Radii>,
    /// Ball from a file that karcher locate wrote, for its radius; or `auto`. With auto, the plan is for karcher mean
    /// --ball auto, a mean in a ball that is located within --within; it needs --expected-spread.
    #[arg(long, value_name = "BALL.json|auto", requires_if(located::AUTO, "expected_spread"))]
    pub ball: Option<String>,
    /// Radius of the public outer ball, for --ball auto. Default: the whole space if it is bounded (spheres, shapes);
    /// required elsewhere.
    #[arg(long, value_name = "R", requires = "ball")]
    within: Option<Length>,
    /// Public guess of the root mean square distance of the records to their mean, a length like the radius. With it
    /// two stages are planned too: a part of the budget first finds a smaller ball. Their error is simulated with a
    /// made-up normal cloud of that spread. So are the errors of a median and of a ball, which are otherwise simulated
    /// with the worst of many clusters.
    #[arg(long, value_name = "S")]
    pub expected_spread: Option<Length>,
    #[command(flatten)]
    budget: Budget,
    /// Error to reach, a distance like the radius. With --spread or --components: the smallest spread, or deviation
    /// along a component, that exceeds the noise level. With a budget and no --n, the smallest number of records is
    /// found for it.
    #[arg(long, value_name = "DISTANCE")]
    error: Option<Length>,
    /// Statistic to plan; with --slope-bound it is a regression.
    #[arg(long, default_value = "mean", value_name = "STATISTIC", conflicts_with = "slope_bound")]
    statistic: Planned,
    /// Plan a mean with its spread, as karcher mean --spread releases it.
    #[arg(long, conflicts_with_all = ["components", "slope_bound"])]
    spread: bool,
    /// Plan a mean with its principal components, as karcher components releases them.
    #[arg(long, conflicts_with = "slope_bound")]
    components: bool,
    /// Distance at which distances are cut off, with --spread. Default: twice the radius of the ball.
    #[arg(long, value_name = "C")]
    spread_clip: Option<Length>,
    /// Length to which logarithms are shortened, with --components. Default: the radius of the ball.
    #[arg(long, value_name = "C")]
    components_clip: Option<Length>,
    /// Theorem for how far one record can move the mean: published, averaged-hessian, sharp or optimal. Default: the
    /// one with the smallest number, optimal.
    #[arg(long, value_name = "BOUND")]
    pub bound: Option<Bound>,
    /// Public bound of the distance that the geodesic covers over the range of the predictor: plans a regression
    /// (karcher regress).
    #[arg(long, value_name = "V")]
    pub slope_bound: Option<Length>,
    /// Public bound of the distance between a record and the geodesic. Default: a bound that no residual exceeds.
    #[arg(long, value_name = "B", requires = "slope_bound")]
    pub residual_bound: Option<Length>,
    /// Term of a regression on features, as for karcher regress: linear:age:20:80. May be given several times.
    #[arg(long, value_name = "TERM", conflicts_with_all = ["slope_bound", "residual_bound", "statistic", "spread", "components"])]
    pub term: Vec<Term>,
    /// Kind of proof that the best mechanism must have.
    #[arg(long, default_value = "exact")]
    pub numerics: Numerics,
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
const NO_RADIUS: &str = "--radius is missing: say how far from the center of the public ball a record may be; or locate \
                         a ball (--ball auto)";

/// What is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Planned {
    /// The Fréchet mean (karcher mean).
    Mean,
    /// The geometric median (karcher mean --statistic median), in a ball of any size.
    Median,
    /// A located ball (karcher locate); the radius is that of the outer ball.
    Ball,
    /// The mean with its spread: the same as --spread.
    #[value(hide = true)]
    Spread,
    /// The mean with the principal components about it: the same as --components.
    #[value(hide = true)]
    Components,
}

impl Planned {
    /// The name of the statistic.
    fn statistic(self) -> StatisticName {
        match self {
            Planned::Mean | Planned::Spread | Planned::Components => StatisticName::FrechetMean,
            Planned::Median => StatisticName::GeometricMedian,
            Planned::Ball => StatisticName::Ball,
        }
    }

    /// The same in words.
    fn name(self) -> &'static str {
        match self {
            Planned::Mean => "mean",
            Planned::Spread => "mean with its spread",
            Planned::Components => "mean with its components",
            Planned::Median => "geometric median",
            Planned::Ball => "ball",
        }
    }

    /// The condition that an error has to meet.
    fn aim(self, error: &str) -> String {
        match self {
            Planned::Spread => format!("for a spread of {error} to exceed the noise level"),
            Planned::Components => format!("for a deviation of {error} along a component to exceed the noise level"),
            _ => format!("for an expected error of at most {error}"),
        }
    }

    /// The meaning of the printed errors.
    fn title(self) -> &'static str {
        match self {
            Planned::Mean | Planned::Spread | Planned::Components => "distance to the mean of the clipped records",
            Planned::Median => "distance to the median, simulated with made-up clusters",
            Planned::Ball => "distance of the ball's center from the median, simulated with made-up clusters",
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.n == Some(0) {
        return Err(GeometryError::NoRecords.into());
    }
    let adjacency = args.neighbours.adjacency();
    let policy: NumericsPolicy = args.numerics.into();
    let spec = args.spec()?;
    let request_in = |radii: Option<&Radii>, n: usize, budget| -> Result<Request, Failure> {
        let n_guess = Some(n).filter(|_| adjacency == Adjacency::AddRemove);
        let mut spec = ReleaseSpec { budget, n_guess, ..spec.clone() };
        if let Some(radii) = radii {
            let manifold = spec.manifold()?;
            spec.ball = Some(args.ball_of(&radii.on(&*manifold)?, &*manifold)?);
        }
        Ok(spec.request(n)?)
    };
    let request = |n: usize, budget| request_in(None, n, budget);
    if args.is_of_regression() {
        let expected = |n: usize, budget| Ok(request(n, budget)?.plan()?.expected_distance());
        let plan = Plan::new(args, &expected)?;
        args.draw(&plan, &|radii, n, budget| Ok(request_in(radii, n, budget)?.candidates()))?;
        return plan_regression::run(args, &request(plan.n, plan.budget)?, &plan);
    }
    let radius = args.given_radius(&*spec.manifold()?)?;
    let planned = |request: &Request| match args.is_located() {
        true => request.plan_by(MechanismName::TwoStage),
        false => request.plan(),
    };
    let expected = |n: usize, budget| {
        let plan = planned(&request(n, budget)?)?;
        Ok(plan.forecasts().first().map_or_else(|| plan.error_bound(), ErrorForecast::told_from_noise))
    };
    let plan = Plan::new(args, &expected)?;
    let candidates = |radii: Option<&Radii>, n: usize, budget| -> Result<Vec<Candidate>, Failure> {
        let mut all = request_in(radii, n, budget)?.candidates();
        if args.is_located() {
            all.retain(|candidate| candidate.mechanism.name() == MechanismName::TwoStage);
        }
        Ok(all)
    };
    let mut all = candidates(None, plan.n, plan.budget)?;
    let best = match args.is_located() {
        true => Some(0), // there is no other
        false => best(&all, policy),
    };
    let best_name = best.map(|i| all[i].mechanism.name().name());
    if all.iter().all(|candidate| candidate.plan.is_err()) {
        planned(&request(plan.n, plan.budget)?)?; // says why
    }
    args.draw(&plan, &candidates)?;
    // another statistic, for comparison
    if let (StatisticName::FrechetMean, Planned::Mean, false) = (spec.statistic, args.planned(), args.is_located()) {
        let mut other = ReleaseSpec { ball: None, bound: None, ..spec.clone() };
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
            "manifold": args.manifold, (args.name_of_n()): plan.n, "radius": radius.enclosing(), "budget": plan.budget, "best": best_name,
            "adjacency": adjacency, "mechanisms": entries,
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
    let title = match spec.statistic.description().ball {
        BallUse::None => "distance to the extrinsic mean of the records",
        BallUse::Clips | BallUse::Outer | BallUse::Searched | BallUse::ClipsGradients => args.planned().title(),
    };
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
        let goal = args.error.map(|error| error.on(&args.manifold, "--error")).transpose()?;
        check_says_something(args)?;
        let line = |name: &str, words: String| vec![(name.to_owned(), words)];
        let budget = args.budget.guarantee();
        let given = args.given_n()?;
        let plan = match (given, args.budget.is_given(), goal) {
            (Some(n), true, None) => Self { n, budget: budget?, lines: vec![], goal },
            (None, true, Some(error)) => {
                let budget = budget?;
                let n = fewest_records(error, budget, expected)?;
                let lines = line("records", format!("{n} are needed {}", args.planned().aim(&told(args, error))));
                Self { n, budget, lines, goal }
            }
            (Some(n), false, Some(error)) => {
                let budget = least_epsilon(error, n, args.budget.delta, expected)?;
                let lines = line("budget", format!("{budget} is needed {}", args.planned().aim(&told(args, error))));
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
    /// What is planned: the statistic with its companions.
    fn planned(&self) -> Planned {
        match self.statistic {
            Planned::Mean if self.spread => Planned::Spread,
            Planned::Mean if self.components => Planned::Components,
            statistic => statistic,
        }
    }

    /// The specification of the plan, without a number of records. Its ball is around the origin, because no plan
    /// depends on the center.
    fn spec(&self) -> Result<ReleaseSpec, Failure> {
        let manifold = self.manifold.manifold()?;
        let length = |given: Option<Length>, name| given.map(|clip| clip.on(&self.manifold, name)).transpose();
        let belongs = |given: bool, name: &str, to: &str| match given {
            true => Err(Failure::from(format!("{name} goes with {to}"))),
            false => Ok(()),
        };
        let is = |planned: Planned| !self.is_of_regression() && self.planned() == planned;
        belongs(self.spread_clip.is_some() && !is(Planned::Spread), "--spread-clip", "--spread")?;
        let has_clip = self.components_clip.is_some();
        belongs(has_clip && !is(Planned::Components), "--components-clip", "--components")?;
        let is_of_mean = self.rehearse || self.ball.is_some() || self.bound.is_some() || self.expected_spread.is_some();
        if self.is_of_regression() && is_of_mean {
            return Err("--ball, --bound, --expected-spread and --rehearse belong to the mean; leave them out with \
                        --slope-bound and --term"
                .into());
        }
        // any budget: that of the plan takes its place
        let mut spec = ReleaseSpec::new(self.planned().statistic(), Guarantee::pure(1.0)?);
        spec.manifold = Some(self.manifold.clone());
        spec.adjacency = self.neighbours.adjacency();
        spec.numerics = self.numerics.into();
        spec.bound = self.bound;
        spec.expected_spread = length(self.expected_spread, "--expected-spread")?;
        spec.spread = is(Planned::Spread).then_some(Spread { clip: length(self.spread_clip, "--spread-clip")? });
        let clip = length(self.components_clip, "--components-clip")?;
        spec.components = is(Planned::Components).then_some(Components { clip });
        if self.slope_bound.is_some() {
            spec.statistic = StatisticName::GeodesicRegression;
            spec.predictor_range = Some(PredictorRange::new(0.0, 1.0)?); // any: predictors are scaled
            spec.slope_bound = length(self.slope_bound, "--slope-bound")?;
            spec.residual_bound = length(self.residual_bound, "--residual-bound")?;
        }
        if !self.term.is_empty() {
            spec.statistic = StatisticName::FeatureRegression;
            spec.features = Some(Features::new(self.term.clone())?);
        }
        let given = PublicBall { locate: self.has_ball(), ..PublicBall::default() };
        if spec.take_no_ball(&given)? {
            return Ok(spec);
        }
        let may_be_everywhere = spec.statistic.description().takes_whole_space && manifold.diameter().is_finite();
        if !self.has_ball() && !may_be_everywhere {
            return Err(NO_RADIUS.into());
        }
        spec.ball = Some(self.ball_of(&self.given_radius(&*manifold)?, &*manifold)?);
        Ok(spec)
    }

    /// The ball of a radius around the origin, or the outer one of a ball that is planned.
    fn ball_of(&self, radius: &Radius, manifold: &dyn Manifold) -> Result<BallSpec, Failure> {
        let mut origin = vec![0.0; manifold.point_len()];
        manifold.origin(&mut origin);
        let ball = radius.ball(manifold, origin)?;
        Ok(match self.planned() {
            Planned::Ball => BallSpec::Locate { center: ball.center().to_vec(), within: ball.radius(), quantile: None },
            _ => BallSpec::from(&ball),
        })
    }

    /// Whether a regression is planned.
    fn is_of_regression(&self) -> bool {
        self.slope_bound.is_some() || !self.term.is_empty()
    }

    /// Draws the curves of the plan and writes its page, if --plot and --html ask for them.
    fn draw(&self, plan: &Plan, candidates: &Candidates<'_>) -> Result<(), Failure> {
        if self.plot.is_none() && self.html.is_none() {
            return Ok(());
        }
        let manifold = self.manifold.manifold()?;
        let (what, error) = match self.slope_bound {
            Some(_) => ("regression", plan_regression::TITLE),
            None if !self.term.is_empty() => ("regression on features", plan_regression::TITLE_OF_FEATURES),
            None => (self.planned().name(), self.planned().title()),
        };
        let own = if manifold.distances_are_angles() { "radians" } else { "units of the space" };
        let length = self.radius();
        let radius = self.given_radius(&*manifold)?.enclosing();
        let setting = || CurveSetting {
            manifold: self.manifold.clone(),
            radius: Some(radius).filter(|_| self.has_ball()),
            radii: self.radius.as_ref(),
            length,
            n: plan.n,
            name_of_n: self.name_of_n(),
            budget: plan.budget,
            policy: self.numerics.into(),
            title: format!("Planned {what} on {}", self.manifold),
            words: format!("{} = {}, {}, radius {}", self.name_of_n(), plan.n, plan.budget, length.words(radius)),
            error,
            unit: length.told_unit().unwrap_or((1.0, own)),
            python: self.python(),
            candidates,
        };
        draw_plan(self.plot.as_deref(), self.force, setting)?;
        write_planner(self.html.as_deref(), self.force, setting)
    }

    /// The arguments of `karcher.plan` in Python other than the space, the radius, the number of records and the
    /// budget. It plans no regression.
    fn python(&self) -> Option<Vec<String>> {
        if self.is_of_regression()
            || matches!(self.given_radius(&*self.manifold.manifold().ok()?), Ok(Radius::Factors(_)))
        {
            return None;
        }
        let length =
            |name: &str, length: Option<Length>| Some(format!("{name}={}", length?.on(&self.manifold, name).ok()?));
        let text = |name: &str, text: Option<&str>| Some(format!("{name}=\"{}\"", text?));
        let statistic = match self.planned() {
            Planned::Mean => None,
            Planned::Median => Some("median"),
            Planned::Ball => Some("ball"),
            Planned::Spread => Some("spread"),
            Planned::Components => Some("components"),
        };
        let bound = self.bound.map(|bound| bound.to_string());
        let is_any = NumericsPolicy::from(self.numerics) == NumericsPolicy::Any;
        let given = [
            text("statistic", statistic),
            length("clip", self.spread_clip.or(self.components_clip)),
            text("ball", self.is_located().then_some(located::AUTO)),
            length("expected_spread", self.expected_spread),
            text("bound", bound.as_deref()),
            text("numerics", is_any.then_some("any")),
            text("adjacency", (self.neighbours.adjacency() == Adjacency::AddRemove).then_some("add-remove")),
        ];
        Some(given.into_iter().flatten().collect())
    }

    /// The number of records that was given, or the guess of it.
    fn given_n(&self) -> Result<Option<usize>, Failure> {
        let is_confidential = self.neighbours.adjacency() == Adjacency::AddRemove;
        match (self.n, is_confidential, &self.neighbours.n_guess[..]) {
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
        if self.neighbours.adjacency() == Adjacency::AddRemove { "n_guess" } else { "n" }
    }

    /// Whether something is said of a ball.
    fn has_ball(&self) -> bool {
        self.radius.is_some() || self.ball.is_some() || self.within.is_some()
    }

    /// Whether a ball is to be located.
    fn is_located(&self) -> bool {
        self.ball.as_deref() == Some(located::AUTO)
    }

    /// The radius of the public ball, or of the outer one, as it was given.
    pub fn radius(&self) -> Length {
        // without any, the whole space is searched, and its size has no typed unit
        let radius = self.radius.as_ref().map(Radii::told);
        radius.or(self.within).unwrap_or(Length::plain(f64::INFINITY))
    }

    /// The same in the space's own unit of distance.
    fn given_radius(&self, manifold: &dyn Manifold) -> Result<Radius, Failure> {
        if self.is_located() && self.planned() != Planned::Mean {
            return Err("--ball auto is for means; --statistic ball plans the ball alone, with --radius".into());
        }
        if self.expected_spread.is_some() && matches!(self.planned(), Planned::Spread | Planned::Components) {
            return Err("--expected-spread does not go with --spread or --components: leave one out".into());
        }
        if let Some(file) = self.ball.as_deref().filter(|_| !self.is_located()) {
            if self.within.is_some() {
                return Err("--within belongs to --ball auto: leave it out with a file".into());
            }
            return Ok(located::from_file(file, manifold)?.radius().into());
        }
        if !self.has_ball() && manifold.diameter().is_infinite() {
            return Err(NO_RADIUS.into());
        }
        if self.within.is_none() && self.radius.is_none() {
            let space = &self.manifold;
            return match manifold.diameter() {
                diameter if diameter.is_finite() => Ok(diameter.into()),
                _ => Err(format!("--within is missing: {space} is unbounded; say how far the records may be").into()),
            };
        }
        match &self.radius {
            Some(radius) => radius.on(manifold),
            None => Ok(self.radius().on(&self.manifold, "--within")?.into()),
        }
    }
}

/// Refuses an error as large as the one without any record. For a mean that is the radius. A geodesic is farther from
/// the center by up to half of the slope bound.
fn check_says_something(args: &Args) -> Result<(), Failure> {
    let Some(error) = args.error else { return Ok(()) };
    if matches!(args.planned(), Planned::Spread | Planned::Components) {
        return Ok(());
    }
    let slope = args.slope_bound.map(|bound| bound.on(&args.manifold, "--slope-bound")).transpose()?;
    let known = args.given_radius(&*args.manifold.manifold()?)?.enclosing() + 0.5 * slope.unwrap_or(0.0);
    let goal = error.on(&args.manifold, "--error")?;
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
