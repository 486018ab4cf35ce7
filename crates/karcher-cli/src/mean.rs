//! `karcher mean`: the private Fréchet mean of a file of records.

mod groups;

use crate::account::Account;
use crate::failure::library_error;
use crate::input::Input;
use crate::length::Length;
use crate::located::{self, Aim};
use crate::mechanism::{Choice, Chosen, Outdone};
use crate::neighbours::Neighbours;
use crate::opened::{Extra, Opened};
use crate::options::{Budget, Center, NO_BUDGET, space_help, warn_if_weak};
use crate::output::{aligned, digits_down, digits_up, point, point_rows, progress_bar, told};
use crate::plot::{Picture, draw_after};
use crate::saving::{Content, Saving, hand_over};
use crate::{Failure, center, spread};
use clap::ArgGroup;
use indicatif::ProgressBar;
use karcher::error::GeometryError;
use karcher::manifold::Shape;
use karcher::mechanism::{LocatedMean, PrivateFrechetMean, PrivateLocation, Request};
use karcher::privacy::Guarantee;
use karcher::records::{Records, SumQuery};
use karcher::release::{MechanismName, PartName, Region, StatisticName};
use karcher::{Ball, Manifold, Release, Space};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

/// The private mean of the records in a file.
///
/// It is the Fréchet mean: the point whose squared distances to the records have the smallest sum. Each row is one
/// person's record. Records are clipped to a public ball: choose its center and radius from knowledge of the field,
/// never by looking at these records, so that it holds most of them. A smaller ball means less noise.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 4 \\
      --adjacency add-remove --n-guess 20 --by country --groups China,India,Japan")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    spread: spread::Options,
    #[command(flatten)]
    groups: groups::By,
}

/// What a mean takes, whatever is released beside it.
#[derive(clap::Args)]
#[command(group = ArgGroup::new("written").multiple(true))]
pub struct Common {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    /// Radius of the public ball: records farther from its center are moved to its edge. In units of distance (radians
    /// on a sphere), or with a unit: 20deg, 2000km (on sphere:2, the Earth).
    /// May be left out, like the center, with --shrink-trace. With --ball there is none.
    #[arg(long, value_name = "R", conflicts_with = "ball")]
    radius: Option<Length>,
    /// The ball that karcher locate wrote to a file, or `auto`: a part of the budget then locates one within
    /// --within, and the rest is spent on the mean in it.
    #[arg(long, value_name = "BALL.json|auto")]
    ball: Option<String>,
    /// With --ball auto: radius of the public outer ball around --center in which the ball is sought, which may be a
    /// thousand times as large as where the records are. Default: the whole space on spheres, shapes and other bounded
    /// spaces; elsewhere it is required.
    #[arg(long, value_name = "R", requires = "ball")]
    within: Option<Length>,
    #[command(flatten)]
    aim: Aim,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    /// A public guess of how far the records are from their mean (the root of their mean squared distance), a length
    /// like the radius. Then auto also considers two stages, first a smaller ball with a part of the budget, and takes
    /// them where a rehearsal expects less error of them. Of a median the expected error is then that of a cloud of this
    /// spread, not of the worst of many. The guarantee does not depend on the guess.
    #[arg(long, value_name = "S")]
    expected_spread: Option<Length>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    neighbours: Neighbours,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    input: Input,
    /// Do not clip: the records are known to lie in the ball. The guarantee then holds only if they do.
    #[arg(long)]
    assume_in_ball: bool,
    /// Print the release as one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the result to a file too: .json the whole release, .npy or .csv the value. Long values are then abridged
    /// in what is printed.
    #[arg(long, value_name = "FILE", group = "written")]
    output: Option<PathBuf>,
    /// Draw the release too, as .svg or .png: what it says, and nothing else. There are pictures on sphere:2,
    /// projective:2, hyperbolic:2, euclidean:2, torus:2, kendall:K and matrices, on circles, tori, euclidean:1 and
    /// euclidean:3.
    #[arg(long, value_name = "FILE", group = "written")]
    plot: Option<PathBuf>,
    /// Let --output and --plot replace a file.
    #[arg(long, requires = "written")]
    force: bool,
    #[command(flatten)]
    account: Account,
}

/// What is released beside a mean, and how the whole is told.
pub trait Companions {
    /// What else is asked for.
    fn ask(&self, request: Request) -> Result<Request, Failure>;

    /// The probability of the region.
    fn region(&self) -> f64 {
        0.95
    }

    /// What it adds to the table.
    fn lines(&self, release: &Release, region: Option<Region>, radius: Length) -> Vec<(String, String)>;

    /// The numbers that `.npy` and `.csv` files hold, with their axes, if they are not those of the value.
    fn values(&self, _release: &Release) -> Option<(Vec<f64>, Vec<usize>)> {
        None
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.spread.check()?;
    match args.groups.groups()? {
        Some(groups) => groups.release(&args.common, &args.spread),
        None => release(&args.common, &args.spread),
    }
}

/// Releases a mean, and what is asked for beside it.
pub fn release(args: &Common, beside: &dyn Companions) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    let guess = args.neighbours.guess()?;
    let opened = args.input.open(&args.neighbours, &*manifold, Extra::Nothing)?;
    let (place, radius) = args.place(&manifold, &opened)?;
    if let (Some(guess), Place::Known(ball)) = (guess, &place) {
        // nothing is missing for a plan, so that what cannot be is refused before a file is opened
        let ask = |request| args.ask(request, beside);
        args.choice.plan(&manifold, ball.clone(), args.assume_in_ball, guess, budget, ask)?;
    }
    let read_files = [args.input.files(), args.center.iter().chain(&args.ball).map(String::as_str).collect()].concat();
    args.account.check(&read_files, &[args.output.as_deref(), args.plot.as_deref()], args.neighbours.adjacency())?;
    let saving = Saving::open(args.output.as_deref(), args.force, &read_files)?;
    let statistic = StatisticName::FrechetMean;
    let picture = Picture::open(args.plot.as_deref(), &*manifold, statistic, args.force, &read_files)?;

    let queries = place.first_query(&manifold)?;
    let records = args.input.records(opened, (&manifold, place.public_ball()), &queries)?;
    let n = guess.unwrap_or(records.count());
    let (release, region) = args.release(place, &manifold, (&*records, n), budget, beside)?;
    let counted = args.account.settle(&release);
    let mut content = content(&release, region, &*manifold, beside)?;
    args.input.flag(&mut content.json, &args.neighbours);
    let printed = if args.json {
        format!("{}\n", content.json)
    } else {
        let mut lines = describe(&release, &*manifold, args, radius, saving.as_ref())?;
        let more = beside.lines(&release, region, radius).into_iter().chain(counted);
        let at = lines.iter().position(|(name, _)| name == "note").unwrap_or(lines.len());
        lines.splice(at..at, more);
        lines.extend(args.outdone(&release, &manifold, n, beside).map(|outdone| {
            let words = format!("{}; --mechanism auto takes what is proved for the bits", outdone.words(radius));
            ("note".to_owned(), words)
        }));
        aligned(&lines)
    };
    hand_over(saving, &content, &printed)?;
    draw_after(picture, &content.json)
}

/// Where the records are.
enum Place {
    /// In a ball that somebody knows.
    Known(Ball),
    /// In one that is to be found.
    Within(Box<PrivateLocation>),
}

impl Place {
    fn public_ball(&self) -> &Ball {
        match self {
            Place::Known(ball) => ball,
            Place::Within(location) => location.ball(),
        }
    }

    /// What most mechanisms ask of the records first.
    fn first_query(&self, manifold: &Arc<dyn Manifold>) -> Result<Vec<SumQuery>, Failure> {
        match self {
            Place::Known(ball) => {
                let mean = PrivateFrechetMean::new(Arc::clone(manifold), ball.clone())?;
                Ok(vec![mean.first_query()?])
            }
            Place::Within(_) => Ok(vec![]), // in a ball that is not known yet
        }
    }
}

impl Common {
    /// The ball, or where it is sought; and the radius as it was given.
    fn place(&self, manifold: &Arc<dyn Manifold>, opened: &Opened<'_>) -> Result<(Place, Length), Failure> {
        let (center, input) = (self.center.as_deref(), (&self.input, opened));
        if self.aim.quantile.is_some() && self.ball.as_deref() != Some(located::AUTO) {
            return Err(
                "--quantile belongs to --ball auto: a ball that is given aims at no share of the records".into()
            );
        }
        let (ball, radius) = match self.ball.as_deref() {
            Some(located::AUTO) => {
                self.check_auto()?;
                let (outer, radius) = center::outer_ball(center, self.within, input, &**manifold)?;
                let location = self.aim.of(PrivateLocation::new(manifold.clone(), outer)?)?;
                return Ok((Place::Within(Box::new(location)), radius));
            }
            Some(file) => {
                if center.is_some() || self.within.is_some() {
                    return Err("--ball: a file says where the ball is; leave out --center and --within".into());
                }
                let ball = located::from_file(file, &**manifold)?;
                let radius = Length::plain_told_in(ball.radius(), &opened.layout, manifold);
                (ball, radius)
            }
            None if self.within.is_some() => {
                return Err("--within belongs to --ball auto: without it --radius says where the records are".into());
            }
            None => center::ball(center, self.radius, input, &**manifold)?,
        };
        if self.choice.statistic == Center::Mean
            && self.expected_spread.is_none()
            && self.choice.mechanism != Chosen::Mechanism(MechanismName::KarcherFlow)
        {
            // a radius that no file could mend is refused before it is read
            PrivateFrechetMean::new(manifold.clone(), ball.clone())?.bound(self.choice.bound).sensitivity(1)?;
        }
        Ok((Place::Known(ball), radius))
    }

    /// Refuses what does not go with a ball that is located.
    fn check_auto(&self) -> Result<(), Failure> {
        if self.choice.statistic == Center::Median {
            return Err("--ball auto is for means: a median needs no small ball; give --radius, however large".into());
        }
        if self.neighbours.hide_the_number() {
            return Err("--ball auto: there is no proof for it with --adjacency add-remove; give --radius".into());
        }
        if self.assume_in_ball {
            return Err("--assume-in-ball: nobody knows that of a ball that is located".into());
        }
        if self.expected_spread.is_some() {
            return Err("--expected-spread: with --ball auto a ball is located in any case; karcher plan --ball auto \
                        says beforehand what is to be expected"
                .into());
        }
        if self.choice.mechanism == Chosen::Mechanism(MechanismName::TwoStage) {
            return Err("--mechanism two-stage: --ball auto has two stages already; give --radius".into());
        }
        Ok(())
    }

    /// What is asked for, beside the statistic.
    fn ask(&self, request: Request, beside: &dyn Companions) -> Result<Request, Failure> {
        let spread = self.expected_spread.map(|spread| spread.on(&self.manifold, "--expected-spread")).transpose()?;
        Ok(beside.ask(request.adjacency(self.neighbours.adjacency()))?.expected_spread(spread)?)
    }

    /// What outdoes the mechanism of a release, judged by the public quantities that it tells.
    fn outdone(
        &self,
        release: &Release,
        manifold: &Arc<dyn Manifold>,
        n: usize,
        beside: &dyn Companions,
    ) -> Option<Outdone> {
        let located = release.provenance().located.as_ref();
        let spent = located.and_then(|located| located.ball.parts.iter().find(|part| part.part == PartName::Mean));
        let budget = spent.map_or(release.guarantee(), |part| part.guarantee);
        let ask = |request: Request| beside.ask(request.adjacency(self.neighbours.adjacency()));
        self.choice.outdone(manifold, release.ball().clone(), n, budget, ask)
    }

    /// Plans and runs, and says where the mean is. All that can be refused is refused before the records are looked at.
    fn release(
        &self,
        place: Place,
        manifold: &Arc<dyn Manifold>,
        (records, n): (&dyn Records, usize),
        budget: Guarantee,
        beside: &dyn Companions,
    ) -> Result<(Release, Option<Region>), Failure> {
        let ask = |request| self.ask(request, beside);
        let plan = match place {
            Place::Known(ball) => self.choice.plan(manifold, ball, self.assume_in_ball, n, budget, ask)?,
            Place::Within(location) => {
                // a sentence of the command itself is one about public options, whatever the ball is
                let said = RefCell::new(None);
                // the last plan is the one that is run
                let region = RefCell::new(None);
                let plan_in = |ball: Ball, left: Guarantee| {
                    let plan = self.choice.plan(manifold, ball, false, n, left, ask).map_err(|failure| {
                        library_error(&failure).unwrap_or_else(|| {
                            said.replace(Some(failure));
                            GeometryError::NoRecords.into()
                        })
                    })?;
                    region.replace(plan.summary().region(beside.region()));
                    Ok(plan)
                };
                let mean = LocatedMean::new(&location, n, budget, &plan_in);
                let mean = mean.map_err(|error| said.take().unwrap_or_else(|| error.into()))?;
                let mean = mean.at_weakest(self.choice.accepts().weakest());
                warn_if_weak(budget, n);
                mean.check(records)?;
                let release =
                    mean.run(records, &mut self.account.context(&mean.event().of(records.unit()))?, &plan_in)?;
                // a located ball without a mean in it has none
                let region = region.take().filter(|_| release.statistic() == StatisticName::FrechetMean);
                return Ok((release, region));
            }
        };
        if plan.name() == MechanismName::TwoStage && beside.region() != 0.95 {
            return Err(OWN_REGION.into());
        }
        warn_if_weak(budget, n);
        plan.check(records)?;
        let mut context = self.account.context(&plan.summary().event().of(records.unit()))?;
        let bar = plan.summary().chain_steps.map(progress_bar);
        let tell = |more: usize| bar.iter().for_each(|bar| bar.inc(more as u64));
        let release = plan.run_with_progress(records, &mut context, &tell)?;
        bar.iter().for_each(ProgressBar::finish_and_clear);
        // that of a mean in two stages is known when the second is planned
        let region = plan.region_of(&release, beside.region()).or_else(|| release.region().cloned());
        Ok((release, region))
    }
}

const OWN_REGION: &str = "--region: of a mean in two stages it is that of 95 %";

/// What `--output` writes.
fn content(
    release: &Release,
    region: Option<Region>,
    manifold: &dyn Manifold,
    beside: &dyn Companions,
) -> Result<Content, Failure> {
    let values = release.value().to_vec();
    let row = manifold.shape().row_len();
    let shape = if row < values.len() { vec![values.len() / row, row] } else { vec![row] };
    let (values, shape) = beside.values(release).unwrap_or((values, shape));
    let mut json = serde_json::to_value(release)?;
    if let Some(region) = region {
        json["region"] = serde_json::to_value(region)?;
    }
    Ok(Content { json, values, shape, names: None, labels: vec![] })
}

const MEAN: &str = "the mean of the clipped records";
const MEDIAN: &str = "the geometric median, as far as a rehearsal tells, which is no bound";
const END_OF_FLOW: &str = "where the flow ends without noise";
const UNKNOWN_BIAS: &str = "unknown: in so large a ball the flow may end far from the mean";

/// What the expected error of a release is a distance to, and the bias beside it.
fn accuracy(release: &Release, radius: Length) -> (&'static str, Option<String>) {
    match release.bias_bound() {
        Some(bias) => (MEAN, Some(format!("at most about {} beside that", radius.words(bias)))),
        None if release.mechanism() == MechanismName::KarcherFlow => (END_OF_FLOW, Some(UNKNOWN_BIAS.to_owned())),
        None if release.statistic() == StatisticName::FrechetMean => (MEAN, None),
        None => (MEDIAN, None),
    }
}

/// The release in words.
fn describe(
    release: &Release,
    manifold: &dyn Manifold,
    args: &Common,
    radius: Length,
    saving: Option<&Saving>,
) -> Result<Vec<(String, String)>, Failure> {
    let line = |name: &str, value: String| (name.to_owned(), value);
    let (value, layout) = (release.value(), args.input.layout(manifold)?);
    let row = manifold.shape().row_len();
    let (whole, abridged) = (point(value, row, false), point(value, row, saving.is_some()));
    // a matrix as a matrix
    let rows = |numbers: &[f64], abridged: bool| match manifold.shape() {
        Shape::Landmarks(_) => vec![point(numbers, row, abridged)],
        _ => point_rows(numbers, row, abridged),
    };
    let name = match release.statistic() {
        StatisticName::GeometricMedian => "private median",
        StatisticName::Ball => "private center", // of the located ball, should there be no mean in it
        _ => "private mean",
    };
    let below = |name: &'static str| std::iter::once(name).chain(std::iter::repeat(""));
    let printed = below(name).zip(rows(value, saving.is_some()));
    let mut lines: Vec<_> = printed.map(|(name, row)| line(name, row)).collect();
    if let Some(saving) = saving.filter(|_| whole != abridged) {
        lines.push(line("", format!("(abridged: all {} numbers are in {})", value.len(), saving.name())));
    }
    // what the other formats do not hold
    let kept = saving.is_some_and(Saving::is_whole);
    if let Some(logarithm) = release.logarithm() {
        lines.extend(below("its logarithm").zip(rows(logarithm, kept)).map(|(name, row)| line(name, row)));
    }
    lines.extend(told(&layout, value).map(|place| line("", place)));
    if let Some(noisy) = release.noisy_value().filter(|noisy| *noisy != value) {
        lines.extend(below("before denoising").zip(rows(noisy, kept)).map(|(name, row)| line(name, row)));
    }
    lines.push(line("space", format!("{}, {}", release.manifold(), release.provenance().how_many())));
    lines.push(line("guarantee", format!("{}, {}", release.guarantee(), release.provenance().neighbours())));
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let ball = release.ball();
    let located = release.provenance().located.as_ref();
    let is_default = args.center.is_none() && args.ball.is_none() && located.is_none();
    let around = center::around(ball, manifold, &layout, is_default);
    lines.push(line("ball", format!("radius {}{around}", radius.words(ball.radius()))));
    if let Some(located) = located {
        let outer = located::within(&located.within, manifold, &layout, radius, args.center.is_none());
        lines.push(line("located", format!("within {outer}; radius {}", located::radius(&located.ball, radius))));
        lines.push(line("spent", located::spent(&located.ball)));
    }
    let at_most = match release.mechanism() {
        MechanismName::Kng => "at most ",
        MechanismName::MedianFlow if args.expected_spread.is_some() => "about ",
        MechanismName::MedianFlow => "at most about ",
        _ => "",
    };
    let guessed = release.provenance().n_guess.map(|n| format!(", for the guess of {n} records"));
    let expected =
        format!("{at_most}{} on average{}", radius.words(release.expected_distance()), guessed.unwrap_or_default());
    let (truth, bias) = accuracy(release, radius);
    lines.push(line("expected error", format!("{expected}, the distance to {truth}")));
    lines.extend(bias.map(|bias| line("bias", bias)));
    lines.extend(release.flags().iter().map(|flag| line("note", flag.to_string())));
    lines.extend(args.input.notes(&args.neighbours).into_iter().map(|note| line("note", note.to_owned())));
    Ok(lines)
}
