//! `karcher mean`: the private Fréchet mean, or the geometric median, of a file of records.

use crate::center::{self, TypedBall};
use crate::group_options::By;
use crate::input::Input;
use crate::length::{Length, Radii};
use crate::located::{self, Aim};
use crate::mechanism::Choice;
use crate::neighbours::Neighbours;
use crate::opened::Opened;
use crate::options::{Budget, Calibration, space_help};
use crate::output_options::{Delivery, Plotting};
use crate::releasing::{self, Told};
use crate::{Failure, basis, spread_options};
use karcher::features::Features;
use karcher::release::{PrivacyUnit, StatisticName};
use karcher::spec::{BallSpec, MechanismChoice, PublicBall};
use karcher::{Manifold, ReleaseSpec, Space};

/// The private mean of the records in a file.
///
/// It is the Fréchet mean: the point with the smallest sum of squared distances to the records. Each row is one
/// person's record. Records outside the public ball are moved to its edge. Choose the ball from knowledge of the field,
/// never from these records, so that it holds most of them. A smaller ball means less noise.
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
    spread: spread_options::Options,
    #[command(flatten)]
    groups: By,
    /// File of a public basis, .npy or .csv: tangent vectors at the center of the ball, one a row, with the numbers of
    /// a point. The mean is taken in their span, in the tangent space at the center. The noise then has the dimension
    /// of the span.
    #[arg(long, value_name = "FILE", help_heading = "Mechanism", conflicts_with_all = ["ball", "spread"])]
    basis: Option<String>,
}

/// What a mean takes, with or without companion statistics.
#[derive(clap::Args)]
pub struct Common {
    #[arg(long, value_name = "SPACE", help = space_help())]
    manifold: Space,
    #[arg(long, value_name = "VALUES|FILE", allow_hyphen_values = true, help = center::HELP)]
    center: Option<String>,
    /// Radius of the public ball. Records farther from its center are moved to its edge. Units are those of distance
    /// (radians on a sphere), or given: 20deg, 2000km (on sphere:2, the Earth). On a product one radius for each factor
    /// may be given, as in 30deg,2: each factor is then clipped by itself. Optional with --shrink-trace, like the
    /// center.
    #[arg(long, value_name = "R", conflicts_with = "ball")]
    radius: Option<Radii>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
    /// Ball from a file that karcher locate wrote, or `auto`. With auto, a part of the budget locates a ball within
    /// --within; the rest is spent on the mean in it.
    #[arg(long, value_name = "BALL.json|auto", help_heading = "Ball")]
    ball: Option<String>,
    /// Radius of the public outer ball around --center, for --ball auto. It may be a thousand times as large as the
    /// region of the records. Default: the whole space if it is bounded (spheres, shapes); required elsewhere.
    #[arg(long, value_name = "R", requires = "ball", help_heading = "Ball")]
    within: Option<Length>,
    #[command(flatten)]
    aim: Aim,
    /// Public guess of the root mean square distance of the records to their mean, a length like the radius. With it,
    /// auto also considers two stages: a part of the budget first finds a smaller ball. It takes them if a simulation
    /// expects less error. The expected error of a median is then that of a cloud of this spread. The guarantee does
    /// not depend on the guess.
    #[arg(long, value_name = "S", help_heading = "Ball")]
    expected_spread: Option<Length>,
    /// No clipping: you know that all records lie in the ball. The guarantee holds only if they do.
    #[arg(long, help_heading = "Ball")]
    assume_in_ball: bool,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    neighbours: Neighbours,
    #[command(flatten)]
    input: Input,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.common.release(|spec| {
        args.spread.fill(spec)?;
        args.groups.fill(spec, &args.common.neighbours)?;
        if let Some(file) = &args.basis {
            args.refuse_beside_basis()?;
            spec.statistic = StatisticName::FeatureRegression;
            spec.features = Some(Features::new(vec![])?);
            spec.basis = Some(basis::from_file(file, &*args.common.manifold.manifold()?)?);
        }
        Ok(())
    })
}

impl Args {
    /// Rejects options that have no effect in the span of a basis.
    fn refuse_beside_basis(&self) -> Result<(), Failure> {
        let (common, choice) = (&self.common, &self.common.choice);
        if choice.statistic() != StatisticName::FrechetMean {
            return Err("--basis belongs to the mean: leave out --statistic median".into());
        }
        let of_mechanism = [
            ("--mechanism", choice.mechanism != MechanismChoice::Auto),
            ("--steps", choice.steps.is_some()),
            ("--bound", choice.bound.is_some()),
            ("--denoise", choice.denoise.is_some()),
            ("--calibration", choice.calibration == Calibration::Classical),
        ];
        if let Some((option, _)) = of_mechanism.into_iter().find(|(_, given)| *given) {
            return Err(format!("with --basis the mechanism is linear: leave out {option}").into());
        }
        let others = [
            ("--expected-spread", common.expected_spread.is_some()),
            ("--assume-in-ball", common.assume_in_ball),
            ("--within", common.within.is_some()),
            ("--quantile", common.aim.quantile.is_some()),
        ];
        let given = others.into_iter().filter_map(|(option, given)| given.then_some(option));
        match given.chain(self.spread.given()).next() {
            Some(option) => Err(format!("{option} does not go with --basis: leave out one of them").into()),
            None => Ok(()),
        }
    }
}

impl Common {
    /// Releases what the options ask for; `more` fills in what the command adds to a mean.
    pub fn release(&self, more: impl Fn(&mut ReleaseSpec) -> Result<(), Failure>) -> Result<(), Failure> {
        let manifold = self.manifold.manifold()?;
        let mut spec = ReleaseSpec::new(self.choice.statistic(), self.budget.guarantee()?);
        spec.manifold = Some(self.manifold.clone());
        spec.unit = if self.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
        spec.assume_in_ball = self.assume_in_ball;
        let spread = self.expected_spread.map(|spread| spread.on(&self.manifold, "--expected-spread"));
        spec.expected_spread = spread.transpose()?;
        self.choice.fill(&mut spec);
        spec.adjacency = self.neighbours.adjacency();
        more(&mut spec)?;
        if spec.groups.is_none() {
            self.neighbours.fill(&mut spec)?;
        } else if self.plotting.plot.is_some() {
            return Err("--plot does not go with --by: write --output GROUPS.json and draw one group of it, karcher \
                        plot GROUPS.json:GROUP"
                .into());
        }
        // the layout of a center depends on the numbers of a record alone
        let groups = spec.groups.clone();
        let mut opened = self.input.open(spec.adjacency, &*manifold, releasing::extra_of_groups(groups.as_ref()))?;
        let radius = if spec.take_no_ball(&self.given_ball())? {
            self.input.refuse_center()?;
            Length::plain(manifold.diameter()).told_in(&opened.layout, &*manifold)
        } else {
            let (ball, radius) = self.ball(spec.statistic, &*manifold, &mut opened)?;
            spec.ball = Some(ball);
            radius
        };
        let other_files = self.center.iter().chain(&self.ball).map(String::as_str).collect();
        let told = Told {
            other_files,
            radius,
            bounds: [radius; 2],
            is_default_center: self.center.is_none() && self.ball.as_deref().is_none_or(|ball| ball == located::AUTO),
            predict_at: &[],
            plot: self.plotting.plot.as_deref(),
        };
        releasing::release(&spec, &self.input, opened, &self.delivery, &told)
    }

    /// Whether something is said of a ball, as the core asks for it.
    fn given_ball(&self) -> PublicBall {
        let is_given = self.center.is_some() || self.radius.is_some() || self.ball.is_some() || self.within.is_some();
        PublicBall { locate: is_given || self.aim.quantile.is_some(), ..PublicBall::default() }
    }

    /// The ball, or where it is sought; and the radius as it was given.
    fn ball(
        &self,
        statistic: StatisticName,
        manifold: &dyn Manifold,
        opened: &mut Opened<'_>,
    ) -> Result<(BallSpec, Length), Failure> {
        let center = self.center.as_deref();
        let (within, quantile) = (self.within, self.aim.quantile);
        match self.ball.as_deref() {
            Some(located::AUTO) => {
                center::outer_ball(center, within, quantile, (&self.input, opened), manifold)?.resolve(opened)
            }
            Some(file) => {
                if center.is_some() || within.is_some() || quantile.is_some() {
                    return Err(
                        "--ball: a file has the center and the radius; leave out --center, --within and --quantile"
                            .into(),
                    );
                }
                let ball = located::from_file(file, manifold)?;
                let radius = Length::plain(ball.radius()).told_in(&opened.layout, manifold);
                Ok((BallSpec::from(&ball), radius))
            }
            None => {
                let typed = center::ball(center, self.radius.clone(), (&self.input, opened), manifold)?;
                let within = within.map(|within| within.on(manifold.space(), "--within")).transpose()?;
                TypedBall { ball: PublicBall { within, quantile, ..typed.ball }, ..typed }.of(statistic).resolve(opened)
            }
        }
    }
}
