//! The Rust code of docs/how-to/embed-in-a-service.md.

use karcher::mechanism::Plan;
use karcher::privacy::Guarantee;
use karcher::release::StatisticName;
use karcher::sampler::Generator;
use karcher::spec::BallSpec;
use karcher::{Points, ReleaseContext, ReleaseSpec, Space};
use karcher_ledger::Ledger;

const LARGEST_EPSILON: f64 = 0.8; // of one question
const NO_ANSWER: &str = "the service cannot answer";

/// A release as JSON, or a sentence that may be shown to anybody.
pub fn answer(ledger: &Ledger, records: &Points, radius: f64, epsilon: f64) -> Result<String, String> {
    if epsilon > LARGEST_EPSILON {
        return Err(format!("epsilon is at most {LARGEST_EPSILON}"));
    }
    let plan = plan(records.len(), radius, epsilon).map_err(shown)?;
    plan.check(records).map_err(shown)?; // what it refuses spends nothing
    let reservation = ledger.reservation(&plan.summary().event()).map_err(refused)?;
    let mut context = ReleaseContext::new(reservation, Generator::from_os().map_err(shown)?);
    let release = plan.run(records, &mut context).map_err(shown)?;
    ledger.released(&release).map_err(refused)?;
    serde_json::to_string(&release).map_err(|_| NO_ANSWER.to_owned())
}

/// Public quantities alone. The release carries the specification, so that anybody can verify it.
fn plan(n: usize, radius: f64, epsilon: f64) -> karcher::Result<Box<dyn Plan>> {
    let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(epsilon)?);
    spec.manifold = Some(Space::named("euclidean:2"));
    spec.ball = Some(BallSpec::Known { center: vec![0.0, 0.0], radius });
    spec.plan(n)
}

fn refused(error: karcher_ledger::Error) -> String {
    match error {
        karcher_ledger::Error::Refused { .. } => "not enough of the budget is left".to_owned(),
        _ => NO_ANSWER.to_owned(), // the file is not there, or damaged: log it for the owner
    }
}

fn shown(error: impl Into<karcher::Error>) -> String {
    let error = error.into();
    if error.depends_on_records() { NO_ANSWER.to_owned() } else { error.to_string() }
}
