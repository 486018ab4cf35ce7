//! `karcher mean`: the private Fréchet mean, or the geometric median, of a file of records.

use crate::Failure;
use crate::center::{self, TypedBall};
use crate::fields::{Fields, Takes};
use crate::input::Input;
use crate::length::{Length, Radii};
use crate::located;
use crate::opened::Opened;
use crate::output_options::{Delivery, Plotting};
use crate::releasing::{self, Told};
use clap::Command;
use karcher::features::Features;
use karcher::field::{Field, Kind};
use karcher::release::{PrivacyUnit, StatisticName};
use karcher::spec::{BallSpec, PublicBall};
use karcher::{Manifold, ReleaseSpec};

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
    common: Common<Mean>,
}

/// What a mean takes, with or without companion statistics.
#[derive(clap::Args)]
pub struct Common<T: Takes> {
    #[command(flatten)]
    fields: Fields<T>,
    #[command(flatten)]
    delivery: Delivery,
    #[command(flatten)]
    plotting: Plotting,
    #[command(flatten)]
    input: Input,
}

/// The statistics of a mean, with the mechanisms of all.
pub const CENTERS: &[StatisticName] =
    &[StatisticName::FrechetMean, StatisticName::GeometricMedian, StatisticName::ExtrinsicMean];

/// The statistics that `--statistic` chooses from. The third is taken where there is no ball.
pub const CHOICES: &[StatisticName] = &[StatisticName::FrechetMean, StatisticName::GeometricMedian];

/// The option that makes a mean one in a span.
const BASIS: &str = "basis";

/// What `karcher mean` takes.
pub struct Mean;

impl Takes for Mean {
    const STATISTICS: &'static [StatisticName] = CENTERS;
    const CHOICES: &'static [StatisticName] = CHOICES;

    fn takes(field: &Field) -> bool {
        let is_of_components = field.path.starts_with("components");
        field.path == BASIS || !is_of_components && CENTERS.iter().any(|statistic| field.is_of(*statistic))
    }

    fn adapt(command: Command) -> Command {
        command.mut_arg(BASIS, |basis| basis.help_heading("Mechanism").conflicts_with_all(["ball", "spread"]))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.common.release(|spec| args.common.in_basis(spec))
}

impl<T: Takes> Common<T> {
    /// Makes the mean one in the span of a basis, if there is one.
    fn in_basis(&self, spec: &mut ReleaseSpec) -> Result<(), Failure> {
        if spec.basis.is_none() {
            return Ok(());
        }
        if spec.statistic != StatisticName::FrechetMean {
            return Err("--basis belongs to the mean: leave out --statistic median".into());
        }
        let regression = StatisticName::FeatureRegression;
        for (field, option) in self.fields.given() {
            let of_mechanism = ["mechanism", "steps", "calibration", "bound", "denoise"].contains(&field.path);
            if of_mechanism {
                return Err(format!("with --basis the mechanism is linear: leave out --{}", option.name).into());
            }
            if !field.is_of(regression) && field.kind != Kind::Statistic {
                return Err(format!("--{} does not go with --basis: leave out one of them", option.name).into());
            }
        }
        spec.statistic = regression;
        spec.features = Some(Features::new(vec![])?);
        Ok(())
    }

    /// Releases what the options ask for; `more` fills in what the command adds to a mean.
    pub fn release(&self, more: impl Fn(&mut ReleaseSpec) -> Result<(), Failure>) -> Result<(), Failure> {
        let (manifold, fields) = (self.fields.manifold()?, &self.fields);
        let mut spec = fields.spec(fields.statistic())?;
        spec.unit = if self.input.has_persons() { PrivacyUnit::Person } else { PrivacyUnit::Record };
        more(&mut spec)?;
        if spec.groups.is_some() && self.plotting.plot.is_some() {
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
        let (center, ball) = (fields.text("center"), fields.text("ball"));
        let told = Told {
            other_files: center.into_iter().chain(ball).collect(),
            radius,
            bounds: [radius; 2],
            is_default_center: center.is_none() && ball.is_none_or(|ball| ball == located::AUTO),
            predict_at: &[],
            plot: self.plotting.plot.as_deref(),
        };
        releasing::release(&spec, &self.input, opened, &self.delivery, &told)
    }

    /// Whether something is said of a ball, as the core asks for it.
    fn given_ball(&self) -> PublicBall {
        let is_given = ["center", "radius", "ball", "within", "quantile"].iter().any(|option| self.fields.has(option));
        PublicBall { locate: is_given, ..PublicBall::default() }
    }

    /// The ball, or where it is sought; and the radius as it was given.
    fn ball(
        &self,
        statistic: StatisticName,
        manifold: &dyn Manifold,
        opened: &mut Opened<'_>,
    ) -> Result<(BallSpec, Length), Failure> {
        let center = self.fields.text("center");
        let (within, quantile) = (self.fields.get::<Length>("within").copied(), self.fields.get("quantile").copied());
        match self.fields.text("ball") {
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
                let radius = self.fields.get::<Radii>("radius").cloned();
                let typed = center::ball(center, radius, (&self.input, opened), manifold)?;
                let within = within.map(|within| within.on(manifold.space(), "--within")).transpose()?;
                TypedBall { ball: PublicBall { within, quantile, ..typed.ball }, ..typed }.of(statistic).resolve(opened)
            }
        }
    }
}
