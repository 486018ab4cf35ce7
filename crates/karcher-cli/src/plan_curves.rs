//! The setting of a plan, from which its curves are drawn.

use crate::Failure;
use crate::length::{Length, Radii};
use karcher::Space;
use karcher::mechanism::Candidate;
use karcher::privacy::Guarantee;
use karcher::spec::NumericsPolicy;

/// The mechanisms for another radius, number of records or budget. Without a radius it is that of the plan.
pub type Candidates<'a> = dyn Fn(Option<&Radii>, usize, Guarantee) -> Result<Vec<Candidate>, Failure> + Sync + 'a;

/// The public numbers of a plan, and the plans for others.
#[cfg_attr(not(feature = "plot"), expect(dead_code, reason = "a build without pictures draws no curves"))]
pub struct CurveSetting<'a> {
    /// The space.
    pub manifold: Space,
    /// The radius of the ball in the unit of the space, if there is a ball.
    pub radius: Option<f64>,
    /// The same as it was given, if other radii can take its place.
    pub radii: Option<&'a Radii>,
    /// The unit in which it was given.
    pub length: Length,
    /// The number of records.
    pub n: usize,
    /// The JSON field of that number: a guess where the number is confidential.
    pub name_of_n: &'static str,
    /// The budget.
    pub budget: Guarantee,
    /// The kind of proof that the best mechanism has.
    pub policy: NumericsPolicy,
    /// The statistic and the space.
    pub title: String,
    /// The setting in words.
    pub words: String,
    /// The meaning of the errors.
    pub error: &'static str,
    /// The unit of the errors, in that of the space, and its name.
    pub unit: (f64, &'static str),
    /// The arguments in Python that no other field has, if the plan has a call in Python.
    pub python: Option<Vec<String>>,
    /// The mechanisms for other numbers.
    pub candidates: &'a Candidates<'a>,
}

impl CurveSetting<'_> {
    /// The number of records in words.
    #[cfg_attr(not(feature = "plot"), expect(dead_code, reason = "a build without pictures draws no curves"))]
    pub fn records(&self) -> &'static str {
        if self.name_of_n == "n" { "number of records n" } else { "guess of the number of records" }
    }
}
