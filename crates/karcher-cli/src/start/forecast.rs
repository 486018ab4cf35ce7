//! The expected error, by `karcher plan`.

use super::knowledge::Knowledge;
use super::readings::Reading;
use crate::Failure;
use crate::length::{Length, two_digits};
use crate::output::digits;
use serde_json::Value;
use std::process::Command;

/// What `karcher plan` says of a release.
pub struct Forecast {
    /// The same in words.
    pub told: String,
    /// What a user should know of it.
    pub notes: Vec<String>,
}

impl Forecast {
    /// The forecast of a release.
    pub fn of(knowledge: &Knowledge, reading: &Reading) -> Result<Self, Failure> {
        let plan: Value = serde_json::from_str(&own_command(&knowledge.plan(reading))?)?;
        let all = plan["mechanisms"].as_array().map(Vec::as_slice).unwrap_or_default();
        let error_of = |candidate: &Value| candidate["expected_distance"].as_f64();
        let best = all.iter().find(|candidate| candidate["mechanism"] == plan["best"]);
        let error = best.and_then(error_of).ok_or("karcher plan gave no expected error")?;
        let words = |error| Length::plain(error).told_in(reading.layout(), &*reading.manifold).words(two_digits(error));
        let told = words(error);
        let mut notes = vec![];
        if let Some(radius) = plan["radius"].as_f64().filter(|radius| error > 0.5 * radius) {
            notes.push(format!(
                "the noise is as large as the ball ({}): take more records, a larger budget, a smaller ball, or a \
                 space with fewer dimensions",
                digits(radius)
            ));
        }
        let other = all.iter().find(|candidate| candidate["statistic"] == "extrinsic-mean").and_then(error_of);
        if let Some(other) = other.filter(|other| *other < error) {
            notes.push(format!("without a ball (--anywhere) the extrinsic mean is expected nearer: {}", words(other)));
        }
        Ok(Self { told, notes })
    }

    /// It, as it is shown.
    pub fn words(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("\nnote: {note}"));
        format!("\nexpected error: {}{}", self.told, notes.collect::<String>())
    }
}

/// What a command of this program prints.
pub fn own_command(arguments: &[String]) -> Result<String, Failure> {
    let answer = Command::new(std::env::current_exe()?).args(arguments).output()?;
    if !answer.status.success() {
        let reason = String::from_utf8_lossy(&answer.stderr).into_owned();
        let reason = reason.trim().trim_start_matches("error: ").to_owned();
        return Err(reason.into());
    }
    Ok(String::from_utf8(answer.stdout)?)
}
