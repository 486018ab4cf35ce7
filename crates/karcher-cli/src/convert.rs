//! `karcher convert`: between definitions of privacy.

use crate::Failure;
use crate::options::Budget;
use crate::output::{Report, digits_down, digits_up};
use karcher::privacy::{Definition, mu_for, rho_for};

/// A guarantee in other definitions of privacy.
///
/// Results are rounded to the safe side. For (ε, δ) it prints the μ and ρ that imply it. Reads no data.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  karcher convert --mu 0.5 --at-delta 1e-6")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    budget: Budget,
    /// δ at which the smallest ε is sought.
    #[arg(long, value_name = "D")]
    at_delta: Option<f64>,
    /// ε at which the smallest δ is sought.
    #[arg(long, value_name = "E")]
    at_epsilon: Option<f64>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let guarantee = args.budget.guarantee()?;
    let mut report = Report::default();
    report.add("guarantee", guarantee, guarantee.to_string())?;
    if let Definition::Approximate { epsilon, delta } = guarantee.definition() {
        let (mu, rho) = (mu_for(epsilon, delta)?, rho_for(epsilon, delta)?);
        report.add("implied_by_mu", mu, format!("{} (μ-GDP that implies it)", digits_down(mu)))?;
        report.add("implied_by_rho", rho, format!("{} (ρ-zCDP that implies it)", digits_down(rho)))?;
    }
    if let Ok(gaussian) = guarantee.to_gaussian()
        && let Definition::Gaussian { mu } = gaussian.definition()
    {
        add(&mut report, "mu", mu)?;
    }
    if let Ok(concentrated) = guarantee.to_concentrated()
        && let Definition::Concentrated { rho } = concentrated.definition()
    {
        add(&mut report, "rho", rho)?;
    }
    if let Some(delta) = args.at_delta {
        let epsilon = guarantee.epsilon(delta)?;
        report.add("epsilon", epsilon, format!("{} at δ {}", digits_up(epsilon), digits_up(delta)))?;
    }
    if let Some(epsilon) = args.at_epsilon {
        let delta = guarantee.delta(epsilon)?;
        report.add("delta", delta, format!("{} at ε {}", digits_up(delta), digits_up(epsilon)))?;
    }
    report.print(args.json)
}

/// Adds a parameter that the guarantee implies, unless it is larger than numbers can be.
fn add(report: &mut Report, name: &str, value: f64) -> Result<(), Failure> {
    if value.is_finite() { report.add(name, value, digits_up(value)) } else { Ok(()) }
}
