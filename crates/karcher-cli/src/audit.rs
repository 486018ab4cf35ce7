//! `karcher audit`: tries to refute a mechanism's guarantee.

use crate::Failure;
use crate::fields::{Fields, Takes};
use crate::length::Radii;
use crate::located;
use crate::output::{Report, digits, digits_down, progress_bar};
use crate::whole_number;
use clap::Command;
use karcher::ReleaseSpec;
use karcher::audit::{AuditedPart, AuditedProfile, Effort, PAIRS, WIDER_PAIRS, audit};
use karcher::error::GeometryError;
use karcher::field::Field;
use karcher::mechanism::Plan;
use karcher::release::{Adjacency, PrivacyUnit, StatisticName};
use karcher::sampler::Generator;
use karcher::spec::PublicBall;
use karcher::statistics::BallUse;

/// Try to refute a guarantee on made-up data.
///
/// It runs a mechanism many times on made-up neighbouring data sets that are as easy to distinguish as possible. It
/// reports the privacy loss that the results prove, and the score that proves it. A score is the likelihood ratio, or a
/// property of the published numbers. The profile compares delta at every epsilon with that of the stated noise. A
/// lower bound above the promise means a defect (exit code 1). One below it proves nothing; it comes near if the bounds
/// behind the mechanism are tight. The audit is not conclusive, and fails with exit code 1, if so few releases cannot
/// prove more than the promise. It reads no data and spends no budget.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  karcher audit --mechanism laplace --manifold sphere:2 --n 20 --radius 0.5 --epsilon 1"
)]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Number of records in the made-up data sets.
    #[arg(long, value_name = "N", value_parser = whole_number::records)]
    n: usize,
    #[command(flatten)]
    fields: Fields<Audit>,
    /// Number of releases from each data set, at most 10 million. More of them bring the lower bound closer to the
    /// truth. Default: 100,000.
    #[arg(long, value_name = "COUNT", value_parser = whole_number::releases)]
    releases: Option<usize>,
    /// Probability that the lower bound is wrong.
    #[arg(long, value_name = "P", default_value_t = 1e-6)]
    error_probability: f64,
    /// Seed of the audit's randomness.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Default number of releases from each data set.
const RELEASES: usize = 100_000;

/// Most numbers in a data set that is made up; there are two for each pair.
const MOST_NUMBERS: usize = 5_000_000;

impl Args {
    /// The specification of the audited release: made-up records lie around the origin of the space.
    fn spec(&self) -> Result<ReleaseSpec, Failure> {
        let fields = &self.fields;
        let manifold = fields.manifold()?;
        let mut spec = fields.spec(fields.statistic())?;
        spec.n_guess = Some(self.n).filter(|_| spec.adjacency == Adjacency::AddRemove);
        let mut origin = vec![0.0; manifold.point_len()];
        manifold.origin(&mut origin);
        let radius = fields.get::<Radii>("radius").map(|radius| radius.on(&*manifold)).transpose()?;
        let (is_searched, within) = (spec.statistic.description().ball == BallUse::Searched, fields.length("within")?);
        let has_ball = radius.is_some() || fields.has("ball") || is_searched;
        // a ball that is searched has one radius, that of the outer one
        let (radius, within) = match (is_searched, within, radius) {
            (true, None, Some(radius)) => (None, Some(radius.enclosing())),
            (_, within, radius) => (radius, within),
        };
        let ball = PublicBall {
            center: has_ball.then_some(origin),
            radius,
            locate: fields.has("ball") || is_searched,
            within,
            quantile: None,
            everywhere: spec.statistic.description().takes_whole_space,
        };
        if !spec.take_no_ball(&ball)? {
            spec.ball = Some(ball.resolve(&*manifold)?);
        }
        Ok(spec)
    }
}

/// What `karcher audit` takes.
pub struct Audit;

impl Takes for Audit {
    const STATISTICS: &'static [StatisticName] = StatisticName::OF_BALLS;
    const CHOICES: &'static [StatisticName] = StatisticName::OF_BALLS;

    fn takes(field: &Field) -> bool {
        let apart =
            ["ball.center", "ball.quantile", "n_guess", "region", "tolerance", "expected_spread", "assume_in_ball"];
        let is_apart = apart.contains(&field.path) || field.path.starts_with("groups");
        !is_apart && Self::STATISTICS.iter().any(|statistic| field.is_of(*statistic))
    }

    fn adapt(command: Command) -> Command {
        command
            .mut_arg("manifold", |space| space.help("Space, for example sphere:2, spd-log-euclidean:3, kendall:50"))
            .mut_arg("adjacency", |adjacency| {
                adjacency.help(
                    "Neighbours among the made-up data sets. With add-remove one of them has a record less, --n is the \
                     guess, and the noisy number of records is audited, too",
                )
            })
            .mut_arg("ball", |ball| {
                ball.value_name("auto").value_parser([located::AUTO]).help(
                    "Audit of a mean in a ball that is located first, as in karcher mean --ball auto: its center and \
                     radius are audited, too",
                )
            })
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let spec = args.spec()?;
    if args.n == 0 {
        return Err(GeometryError::NoRecords.into());
    }
    if args.n.saturating_mul(spec.manifold()?.point_len()) > MOST_NUMBERS {
        return Err(format!(
            "--n {} is too large: made-up data sets have at most {MOST_NUMBERS} numbers; choose fewer records",
            args.n
        )
        .into());
    }
    let plan = spec.plan(args.n)?;
    if args.releases.is_none() && !plan.is_exact() {
        return Err("kng draws by a Markov chain here, which is too slow for 100,000 releases: give --releases".into());
    }
    let releases = args.releases.unwrap_or(RELEASES);
    let effort = Effort { releases, error_probability: args.error_probability };
    let pairs = match spec.locates() || spec.spread.is_some() || spec.components.is_some() {
        true => PAIRS + WIDER_PAIRS,
        false => PAIRS,
    };
    let bar = progress_bar(releases.saturating_mul(2 * pairs));
    let found = audit(&*plan, effort, &mut Generator::seeded(args.seed), &|more| bar.inc(more as u64))?;
    bar.finish_and_clear();
    let mechanism = plan.name().name();

    let mut report = Report::default();
    let space = args.fields.space()?;
    report.add("manifold", space, space.to_string())?;
    report.add("mechanism", mechanism, mechanism)?;
    report.add("claim", found.claim, found.claim.to_string())?;
    let proved = format!(
        "{} (proved with error probability {})",
        digits_down(found.lower_bound),
        digits(args.error_probability)
    );
    report.add("lower_bound", found.lower_bound, proved)?;
    let records = PrivacyUnit::Record.many(args.n);
    report.add("data", found.data, format!("{}, {records}, {} releases each", found.data, found.releases))?;
    report.add("score", found.score, found.score)?;
    if !found.parts.is_empty() {
        report.add("parts", &found.parts, "each by itself, given what is released before it")?;
        found.parts.iter().for_each(|part| report.tell(part.part, words(part)));
    }
    if let Some(profile) = &found.profile {
        report.add("profile", profile, profile_words(profile))?;
    }
    let provable = format!("{} at most, with so many releases", digits_down(found.provable));
    report.add("provable", found.provable, provable)?;
    let conclusive = if found.conclusive { "yes" } else { "NO: too few releases to prove more than the promise" };
    report.add("conclusive", found.conclusive, conclusive)?;
    let passed = if found.passed {
        "yes: no more than the promise"
    } else if found.refuted() {
        "NO"
    } else {
        "unknown"
    };
    report.add("passed", found.passed, passed)?;
    report.print(args.json)?;
    if found.passed {
        Ok(())
    } else if found.refuted() {
        Err("the mechanism leaks more than it promises; please report this".into())
    } else {
        let few = "the audit is not conclusive: so few releases cannot prove more than the promise; give more";
        Err(format!("{few} --releases").into())
    }
}

/// What was found of the privacy profile.
fn profile_words(profile: &AuditedProfile) -> String {
    let AuditedProfile { epsilon, delta, stated, passed, .. } = profile;
    let verdict = if *passed { "" } else { ": MORE than its noise states" };
    let at = format!("at epsilon {}", digits(*epsilon));
    format!("delta {} or more {at}, {} by the stated noise{verdict}", digits_down(*delta), digits(*stated))
}

/// What was found of a part.
fn words(part: &AuditedPart) -> String {
    let AuditedPart { claim, lower_bound, data, score, passed, .. } = part;
    let verdict = if *passed { "" } else { ": MORE than the promise" };
    format!("{claim}; lower bound {}{verdict}, by {score}, {data}", digits_down(*lower_bound))
}
