//! Options that several commands share.

use crate::Failure;
use crate::failure::say;
use crate::fields::described;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use karcher::ReleaseSpec;
use karcher::field::{Field, FieldOption};
use karcher::manifold::FAMILIES;
use karcher::privacy::{GaussianCalibration, Guarantee};

/// The privacy budget: one of pure ε, (ε, δ), μ-GDP, ρ-zCDP.
#[derive(Debug)]
pub struct Budget {
    pub epsilon: Option<f64>,
    pub delta: Option<f64>,
    pub mu: Option<f64>,
    pub rho: Option<f64>,
}

/// The options of a budget.
const NUMBERS: [&str; 4] = ["epsilon", "delta", "mu", "rho"];

impl Args for Budget {
    fn augment_args(command: Command) -> Command {
        let options = NUMBERS.iter().filter_map(|name| Field::of_option(name)?.option);
        let arg = |option: FieldOption| described(&option).value_parser(number).conflicts_with_all(option.excludes);
        command.args(options.map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Budget {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self::of(given))
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::of(given);
        Ok(())
    }
}

/// The help of `--manifold` for commands that read records.
pub fn space_help() -> String {
    let families = FAMILIES.iter().map(|family| format!("{}:{} ({})", family.name, family.size, family.about));
    let families = families.collect::<Vec<_>>().join(", ");
    format!(
        "Space of the records: {families}; or a power of one, such as sphere:2^5, or a product of them, such as \
         sphere:2*euclidean:1"
    )
}

/// A number as users type it.
pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "expected a number".to_owned())
}

impl Budget {
    /// The one that is given.
    pub fn of(given: &ArgMatches) -> Self {
        let [epsilon, delta, mu, rho] = NUMBERS.map(|name| given.try_get_one(name).ok().flatten().copied());
        Self { epsilon, delta, mu, rho }
    }

    /// Whether there is a budget; a δ alone is none.
    pub fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.mu.is_some() || self.rho.is_some()
    }

    /// The budget as a guarantee.
    pub fn guarantee(&self) -> Result<Guarantee, Failure> {
        Ok(ReleaseSpec::budget_of(self.epsilon, self.delta, self.mu, self.rho)?)
    }
}

/// Warns, before anything is spent, that a budget protects hardly anyone. `n` is public.
pub fn warn_if_weak(budget: Guarantee, n: usize) {
    budget.caveats(n).iter().for_each(|caveat| say(&format!("warning: {caveat}")));
}

/// How Gaussian noise is calibrated to (ε, δ).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Calibration {
    /// The smallest sufficient noise, for every ε and δ.
    Analytic,
    /// The textbook formula, for ε below 1 only.
    Classical,
}

impl From<Calibration> for GaussianCalibration {
    fn from(calibration: Calibration) -> Self {
        match calibration {
            Calibration::Analytic => GaussianCalibration::Analytic,
            Calibration::Classical => GaussianCalibration::Classical,
        }
    }
}
