//! The Rust code of docs/how-to/embed-in-a-service.md.

use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::sampler::Generator;
use karcher::{Ball, Points, ReleaseContext, manifold::Euclidean};
use karcher_ledger::Ledger;
use std::sync::Arc;

/// A release as JSON, or a sentence that may be shown to anybody.
pub fn answer(ledger: &Ledger, records: &Points, radius: f64, epsilon: f64) -> Result<String, String> {
    let made = || -> karcher::Result<_> {
        let plane = Arc::new(Euclidean::new(2)?);
        let ball = Ball::at_origin(&*plane, radius)?;
        let mean = PrivateFrechetMean::new(plane, ball)?;
        Request::new(mean, records.len(), Guarantee::pure(epsilon)?).plan() // public quantities alone
    };
    let plan = made().map_err(shown)?;
    let reservation = ledger.reservation(&plan.summary().event()).map_err(|_| "not enough of the budget is left")?;
    let mut context = ReleaseContext::new(reservation, Generator::from_os().map_err(shown)?);
    let release = plan.run(records, &mut context).map_err(shown)?;
    ledger.released(&release).map_err(|_| "the service cannot answer")?;
    serde_json::to_string(&release).map_err(|error| error.to_string())
}

fn shown(error: impl Into<karcher::Error>) -> String {
    let error = error.into();
    if error.depends_on_records() { "the service cannot answer".to_owned() } else { error.to_string() }
}
