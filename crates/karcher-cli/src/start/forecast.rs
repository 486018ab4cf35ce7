//! The expected error, by `karcher plan`.

use super::knowledge::Knowledge;
use super::readings::Reading;
use crate::Failure;
use crate::length::{Length, two_digits};
use crate::output::digits;
use karcher::facts::numbers::four_digits_up;
use serde_json::Value;
use std::process::Command;

/// The share of the error from which on another metric is named.
const LESS: f64 = 0.8;

/// What `karcher plan` says of a release.
pub struct Forecast {
    /// The same in words.
    pub told: String,
    /// What a user should know of it.
    pub notes: Vec<String>,
}

/// The errors of a plan.
struct Planned {
    error: f64,
    radius: Option<f64>,
    /// That of the extrinsic mean, which needs no ball.
    extrinsic: Option<f64>,
}

impl Planned {
    fn of(knowledge: &Knowledge, reading: &Reading) -> Result<Self, Failure> {
        let command = [&knowledge.plan(reading)[..], &["--json".to_owned()]].concat();
        let plan: Value = serde_json::from_str(&own_command(&command)?)?;
        let all = plan["mechanisms"].as_array().map(Vec::as_slice).unwrap_or_default();
        let error_of = |candidate: &Value| candidate["expected_distance"].as_f64();
        let best = all.iter().find(|candidate| candidate["mechanism"] == plan["best"]);
        let error = best.and_then(error_of).ok_or("karcher plan gave no expected error")?;
        let extrinsic = all.iter().find(|candidate| candidate["statistic"] == "extrinsic-mean").and_then(error_of);
        Ok(Self { error, radius: plan["radius"].as_f64(), extrinsic })
    }
}

impl Forecast {
    /// The forecast of a release.
    pub fn of(knowledge: &Knowledge, reading: &Reading) -> Result<Self, Failure> {
        let Planned { error, radius, extrinsic } = Planned::of(knowledge, reading)?;
        let words =
            |error| Length::plain(error).told_in(reading.layout(), &*reading.manifold).words(four_digits_up(error));
        let mut notes = vec![];
        if let Some(radius) = radius.filter(|radius| error > 0.5 * radius) {
            notes.push(format!(
                "the noise is more than half of the ball ({}): take more records, a larger budget, a smaller ball, or \
                 a space with fewer dimensions",
                digits(radius)
            ));
        }
        if let Some(other) = extrinsic.filter(|other| *other < error && knowledge.may_lie_anywhere()) {
            notes.push(format!("without a ball (--anywhere) the extrinsic mean is expected nearer: {}", words(other)));
        }
        let others = reading.with_other_metrics().into_iter().filter_map(|other| {
            let planned = Planned::of(knowledge, &other).ok()?.error;
            (planned < LESS * error).then_some((planned, other))
        });
        if let Some((least, other)) = others.min_by(|a, b| a.0.total_cmp(&b.0)) {
            let (space, least) = (other.manifold.space(), digits(two_digits(least)));
            notes.push(format!("on {space}, another metric, a ball of this radius has less noise: {least}"));
        }
        Ok(Self { told: words(error), notes })
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
        // below a wrong use there is advice on the command, which no one typed
        let reason = reason.trim().trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().to_owned();
        return Err(reason.into());
    }
    Ok(String::from_utf8(answer.stdout)?)
}
