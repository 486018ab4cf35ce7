//! The collector: it closes both aggregators, gets their noisy sums, and adds them.

use crate::Outcome;
use crate::wire::{Agreed, Collected, ask, read};
use karcher::release::PublishedRelease;
use karcher_aggregate::{Combined, NoisyShare, combine};
use std::path::Path;
use std::time::Instant;

pub fn run(task: &str, ports: [&str; 2]) -> Outcome<()> {
    let task = read::<Agreed>(Path::new(task))?.task()?;
    for port in ports {
        ask("POST", port, "/close", b"")?;
    }
    let sum = |port| -> Outcome<NoisyShare> { Ok(serde_json::from_slice(&ask("POST", port, "/sum", b"")?)?) };
    let sums = [sum(ports[0])?, sum(ports[1])?];
    let started = Instant::now();
    let Combined::Release(release) = combine(&task, &sums)? else {
        return Err("the specification takes several rounds: this example is for those of one".into());
    };
    let seconds = started.elapsed().as_secs_f64();
    let published: PublishedRelease = serde_json::from_str(&serde_json::to_string(&release)?)?;
    let collected = Collected {
        reports: sums[0].reports(),
        seconds,
        value: release.value().to_vec(),
        expected_distance: release.expected_distance(),
        findings: published.verify().iter().map(|finding| finding.reason.clone()).collect(),
    };
    println!("{}", serde_json::to_string(&collected)?);
    Ok(())
}
