//! `karcher profile`: every (ε, δ) that noise of a given scale keeps.

use crate::Failure;
use crate::output::{Report, digits, digits_up};
use clap::ValueEnum;
use karcher::Space;
use karcher::privacy::{ConstantCurvature, Profile};
use karcher::sampler::Law;
use karcher::spec::MechanismChoice;
use serde_json::json;

/// All the guarantees of a given noise: for each ε the smallest δ (its privacy profile).
///
/// It needs a space of constant curvature, and integrates numerically. It also prints the smallest μ of the noise in
/// Gaussian differential privacy. Reads no data.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher profile --manifold hyperbolic:3 --mechanism gaussian --sensitivity 1 --scale 1 \\
      --epsilon 0.5 1 2")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Space, for example sphere:2, hyperbolic:3, spd-log-euclidean:3.
    #[arg(long, value_name = "SPACE")]
    manifold: Space,
    /// Law of the noise.
    #[arg(long)]
    mechanism: Mechanism,
    /// Sensitivity: largest distance that one record can move the statistic (see karcher sensitivity).
    #[arg(long, value_name = "D")]
    sensitivity: f64,
    /// Noise scale.
    #[arg(long, value_name = "S")]
    scale: f64,
    /// Values of ε, one or more.
    #[arg(long, value_name = "E", num_args = 1.., value_delimiter = ',', required = true)]
    epsilon: Vec<f64>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mechanism {
    /// Density ∝ exp(−distance/scale).
    Laplace,
    /// Density ∝ exp(−distance²/2 scale²).
    Gaussian,
    /// The law gaussian on flat spaces, by its name for SPD matrices.
    TangentGaussian,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let manifold = args.manifold.manifold()?;
    if args.mechanism == Mechanism::TangentGaussian {
        MechanismChoice::TangentGaussian.check(&*manifold)?;
    }
    let (name, law) = match args.mechanism {
        Mechanism::Laplace => ("laplace", Law::Laplace),
        Mechanism::Gaussian | Mechanism::TangentGaussian => ("gaussian", Law::Gaussian),
    };
    let profile = Profile::new(ConstantCurvature::of(&*manifold, law)?, law, args.scale, args.sensitivity)?;
    let mut report = Report::default();
    report.add("manifold", &args.manifold, args.manifold.to_string())?;
    report.add("mechanism", name, name)?;
    report.add("sensitivity", args.sensitivity, digits(args.sensitivity))?;
    report.add("scale", args.scale, digits(args.scale))?;
    // far out in hyperbolic space no μ can be certified
    let guarantee = profile.guarantee().ok();
    report.add("guarantee", guarantee, guarantee.map_or("no μ is certified".to_owned(), |g| g.to_string()))?;
    let deltas = args.epsilon.iter().map(|&e| profile.delta(e)).collect::<Result<Vec<f64>, _>>()?;
    let pairs: Vec<_> = args.epsilon.iter().zip(&deltas).map(|(e, d)| json!({"epsilon": e, "delta": d})).collect();
    let words: Vec<String> =
        args.epsilon.iter().zip(&deltas).map(|(&e, &d)| format!("ε {}: δ {}", digits_up(e), digits_up(d))).collect();
    report.add("profile", pairs, words.join(", "))?;
    report.print(args.json)
}
