//! The Rust code of docs/reference/rust.md, "Records in memory".

use karcher::audit::Verification;
use karcher::release::StatisticName;
use karcher::spec::BallSpec;
use karcher::{Points, ReleaseContext, ReleaseSpec, Space, privacy::Guarantee, sampler::Generator};
use karcher_ledger::Ledger;

/// A verified release as JSON. The numbers are x, y and z of each record, one record after the other.
pub fn mean_direction(numbers: Vec<f64>, ledger: &Ledger) -> Result<String, Box<dyn std::error::Error>> {
    let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(0.5)?);
    spec.manifold = Some(Space::named("sphere:2"));
    spec.ball = Some(BallSpec::Known { center: vec![0.0, 0.0, 1.0], radius: 0.8 });
    let records = Points::new(&*spec.manifold()?, numbers)?;
    let plan = spec.plan(records.len())?;
    println!("{plan}");
    plan.check(&records)?; // records that the plan refuses spend nothing
    let reservation = ledger.reservation(&plan.summary().event())?;
    let release = plan.run(&records, &mut ReleaseContext::new(reservation, Generator::from_os()?))?;
    ledger.released(&release)?;
    println!("left: {}", ledger.book()?.left());

    let text = serde_json::to_string(&release)?;
    let verification = Verification::of(&Verification::read(&text)?);
    assert!(verification.complete && verification.findings.is_empty());
    Ok(text)
}
