//! `karcher calibrate`: from a budget to a noise scale, and back.

use crate::Failure;
use crate::options::{Budget, Calibration};
use crate::output::{Report, digits, digits_up};
use clap::ValueEnum;
use karcher::mechanism::Noise;
use karcher::privacy::{ConstantCurvature, Definition, Profile, flat_laplace_concentrated};
use karcher::sampler::Law;
use karcher::spec::MechanismChoice;
use karcher::{Manifold, Space};
use std::sync::Arc;

/// The noise that a privacy budget needs, or the guarantee of a given noise.
///
/// It also prints the average distance of the private value to the true one. Reads no data.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  karcher calibrate --manifold sphere:2 --mechanism laplace --sensitivity 0.02520317 \
                  --epsilon 0.5"
)]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Space, for example sphere:2, spd-log-euclidean:3, kendall:50.
    #[arg(long, value_name = "SPACE")]
    manifold: Space,
    /// Law of the noise.
    #[arg(long)]
    mechanism: Mechanism,
    /// Sensitivity: largest distance that one record can move the statistic (see karcher sensitivity).
    #[arg(long, value_name = "D")]
    sensitivity: f64,
    /// Noise scale, to find what it guarantees. With --epsilon too, it finds the δ at that ε.
    #[arg(long, value_name = "S", conflicts_with_all = ["delta", "mu", "rho"])]
    scale: Option<f64>,
    #[command(flatten)]
    budget: Budget,
    /// Calibration of Gaussian noise on flat spaces to (ε, δ).
    #[arg(long, default_value = "analytic")]
    calibration: Calibration,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mechanism {
    /// Riemannian Laplace noise, on every space; for pure ε, and on flat spaces for (ε, δ), the natural choice.
    Laplace,
    /// Riemannian Gaussian noise, on spaces of constant curvature: (ε, δ), μ-GDP or ρ-zCDP, on spheres also pure ε.
    Gaussian,
    /// The law gaussian on flat spaces, by its name for SPD matrices.
    TangentGaussian,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    let noise = noise(args, manifold.clone())?;
    let mut report = Report::default();
    report.add("manifold", &args.manifold, args.manifold.to_string())?;
    let name = if noise.law() == Law::Laplace { "laplace" } else { "gaussian" };
    report.add("mechanism", name, name)?;
    report.add("sensitivity", args.sensitivity, digits(args.sensitivity))?;
    // a typed scale is printed as it is; a computed one must not become smaller in print
    let scale = if args.scale.is_some() { digits(noise.scale()) } else { digits_up(noise.scale()) };
    report.add("scale", noise.scale(), scale)?;
    report.add("guarantee", noise.guarantee(), noise.guarantee().to_string())?;
    if let Some(mu) = own_mu(args, &*manifold, &noise) {
        report.add(
            "mu",
            mu,
            format!("{}, which the same noise also guarantees (use this to compose)", digits_up(mu)),
        )?;
    }
    if let Some(rho) = own_rho(&*manifold, &noise) {
        report.add("rho", rho, format!("{}, which it guarantees too (use this for a total in rho)", digits_up(rho)))?;
    }
    if let (Some(_), Some(epsilon)) = (args.scale, args.budget.epsilon) {
        let delta = delta(args, &*manifold, &noise, epsilon)?;
        report.add("epsilon", epsilon, digits_up(epsilon))?;
        report.add("delta", delta, digits_up(delta))?;
    }
    report.add("expected_distance", noise.expected_distance(), digits(noise.expected_distance()))?;
    report.print(args.json)
}

/// The smallest `μ` that is certified for noise with pure ε, and for Laplace noise, by its privacy profile. It is a
/// stronger guarantee than ε alone.
fn own_mu(args: &Args, manifold: &dyn Manifold, noise: &Noise) -> Option<f64> {
    if noise.law() == Law::Gaussian && !matches!(noise.guarantee().definition(), Definition::Pure { .. }) {
        return None;
    }
    let space = ConstantCurvature::of(manifold, noise.law()).ok()?;
    match Profile::new(space, noise.law(), noise.scale(), args.sensitivity).ok()?.guarantee().ok()?.definition() {
        Definition::Gaussian { mu } => Some(mu),
        Definition::Pure { .. } | Definition::Approximate { .. } | Definition::Concentrated { .. } => None,
    }
}

/// The exact `ρ` of Laplace noise with pure ε on a vector. It is less than ε alone implies.
fn own_rho(manifold: &dyn Manifold, noise: &Noise) -> Option<f64> {
    let Definition::Pure { .. } = noise.guarantee().definition() else { return None };
    manifold.flat_chart().filter(|_| noise.law() == Law::Laplace)?;
    match flat_laplace_concentrated(manifold.dim(), noise.sensitivity(), noise.scale()).ok()?.definition() {
        Definition::Concentrated { rho } => Some(rho),
        Definition::Pure { .. } | Definition::Approximate { .. } | Definition::Gaussian { .. } => None,
    }
}

/// The smallest `δ` known for the noise: by its privacy profile on spaces of constant curvature, else what its
/// guarantee implies.
fn delta(args: &Args, manifold: &dyn Manifold, noise: &Noise, epsilon: f64) -> Result<f64, Failure> {
    let implied = noise.guarantee().delta(epsilon)?;
    let law = if args.mechanism == Mechanism::Laplace { Law::Laplace } else { Law::Gaussian };
    let Ok(space) = ConstantCurvature::of(manifold, law) else { return Ok(implied) };
    Ok(Profile::new(space, law, noise.scale(), args.sensitivity)?.delta(epsilon)?.min(implied))
}

fn noise(args: &Args, manifold: Arc<dyn Manifold>) -> Result<Noise, Failure> {
    if args.calibration == Calibration::Classical && (args.mechanism == Mechanism::Laplace || args.scale.is_some()) {
        return Err("--calibration classical belongs to --mechanism gaussian with --epsilon and --delta".into());
    }
    if args.mechanism == Mechanism::TangentGaussian {
        MechanismChoice::TangentGaussian.check(&*manifold)?;
    }
    let law = if args.mechanism == Mechanism::Laplace { Law::Laplace } else { Law::Gaussian };
    if let Some(scale) = args.scale {
        return Ok(Noise::of_scale(manifold, law, args.sensitivity, scale)?);
    }
    let budget = args.budget.guarantee().map_err(|failure| match args.budget.is_given() {
        true => failure,
        false => {
            "no privacy budget: give --epsilon, --epsilon with --delta, --mu or --rho; or --scale, to find what it \
                  guarantees"
                .into()
        }
    })?;
    Ok(match law {
        Law::Laplace => Noise::laplace(manifold, args.sensitivity, budget)?,
        Law::Gaussian => Noise::gaussian(manifold, args.sensitivity, budget, args.calibration.into())?,
    })
}
