//! The expected errors of a series, before it begins.

use super::plan::{SeriesPlan, guarantee};
use super::shape::SeriesShape;
use crate::error::Result;
use crate::mechanism::plan::budget::total_mu;
use crate::mechanism::{CountPlan, Plan};
use crate::noise::Law;
use crate::privacy::Definition;
use crate::spec::ReleaseSpec;
use serde::Serialize;
use std::num::NonZeroUsize;

/// The expected error of a period, against a release that spends its share of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesForecast {
    /// The period, from 1.
    pub period: usize,
    /// The number of records that its release is about.
    pub n: usize,
    /// The mean distance between the released value and the one without privacy.
    pub expected_error: f64,
    /// The same of releases that are made apart in each period, for the same budget together.
    pub independent: f64,
}

impl SeriesPlan {
    /// Expected errors, where so many records join in each period.
    ///
    /// # Errors
    /// As for [`ReleaseSpec::plan`].
    pub fn forecasts(&self, joining: NonZeroUsize) -> Result<Vec<SeriesForecast>> {
        let whole = match self.spec.budget.definition() {
            Definition::Pure { epsilon } => epsilon,
            Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
                total_mu(self.spec.budget)?
            }
        };
        let alone = ReleaseSpec { budget: guarantee(self.law, whole / self.norm_apart())?, ..self.chosen.clone() };
        let error = |spec: &ReleaseSpec, n: usize| -> Result<f64> {
            match self.is_count() {
                true => Ok(CountPlan::new(spec.budget)?.expected_distance()),
                false => Ok(spec.plan(n)?.error_bound()),
            }
        };
        // with the law that the series draws
        let of_period = |spec: &ReleaseSpec, n: usize| -> Result<f64> {
            match spec.mechanism.name().filter(|_| !self.is_count()) {
                Some(name) => Ok(spec.request(n)?.isotropic().plan_by(name)?.error_bound()),
                None => error(spec, n),
            }
        };
        let forecast = |period: usize| {
            let n = joining.get() * self.shape.reach(period);
            let spec = |of: ReleaseSpec| ReleaseSpec { n_guess: of.n_guess.map(|_| n), ..of };
            let expected_error = of_period(&spec(self.spec_of(period)?), n)?;
            Ok(SeriesForecast { period, n, expected_error, independent: error(&spec(alone.clone()), n)? })
        };
        (1..=self.shape.periods).map(forecast).collect()
    }

    /// How far someone moves the sums of releases that are made apart, all together, with each record moving one by 1.
    fn norm_apart(&self) -> f64 {
        let SeriesShape { periods, contributions, every, window } = self.shape;
        let joins = |at: usize| at.is_multiple_of(every) && at / every < contributions;
        let moved = (0..periods).map(|at| {
            let first = window.map_or(0, |window| (at + 1).saturating_sub(window));
            (first..=at).filter(|at| joins(*at)).count() as f64
        });
        match self.law {
            Law::Laplace => moved.sum(),
            Law::Gaussian => moved.map(|m| m * m).sum::<f64>().sqrt(),
        }
    }
}
