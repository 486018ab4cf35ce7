//! The setting of a plan, from which its curves are drawn.

use crate::Failure;
use karcher::mechanism::Candidate;
use karcher::privacy::Guarantee;

/// The public numbers of a plan, and the plans for others.
#[cfg_attr(not(feature = "plot"), expect(dead_code, reason = "a build without pictures draws no curves"))]
pub struct CurveSetting<'a> {
    /// The number of records.
    pub n: usize,
    /// The name of that number: a guess where the number is confidential.
    pub records: &'a str,
    /// The budget.
    pub budget: Guarantee,
    /// The statistic and the space.
    pub title: String,
    /// The setting in words.
    pub words: String,
    /// The meaning of the errors, with their unit.
    pub error: String,
    /// The unit of the errors, in that of the space.
    pub unit: f64,
    /// The mechanisms for another number of records, or another budget.
    pub candidates: &'a dyn Fn(usize, Guarantee) -> Result<Vec<Candidate>, Failure>,
}
