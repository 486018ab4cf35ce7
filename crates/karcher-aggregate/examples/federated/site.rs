//! A site: it shares the sum of its records, or one report for each of its persons.

use crate::Outcome;
use crate::wire::{Agreed, Shared, ask, read};
use karcher::Points;
use karcher::records::Observations;
use karcher_aggregate::{Mode, Report};
use std::path::Path;
use std::time::Instant;

/// Reports in a message.
const AT_A_TIME: usize = 500;

pub fn run(folder: &str, ports: [&str; 2]) -> Outcome<()> {
    let folder = Path::new(folder);
    let task = read::<Agreed>(&folder.join("task.json"))?.task()?;
    let space = task.spec().space_of_records()?;
    let records = Points::new(&*space, read(&folder.join("records.json"))?)?;
    let query = task.query();
    let at_a_time = match task.mode() {
        Mode::Sites => records.len(),
        Mode::Persons => 1,
    };
    let clock = Clock::start();
    let mut reports: Vec<Report> = vec![];
    for part in records.view().chunks(at_a_time) {
        let part = Points::new(&*space, part.iter().flatten().copied().collect())?;
        reports.push(task.report(&query.answer(Observations::new(&part))?)?);
    }
    let seconds = clock.seconds();
    let mut bytes = [0, 0];
    for some in reports.chunks(AT_A_TIME) {
        for (i, port) in ports.into_iter().enumerate() {
            let parts = some.iter().map(|report| serde_json::to_string(&report.only_for(i)));
            let lines = parts.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n";
            bytes[i] += lines.len();
            ask("POST", port, "/reports", lines.as_bytes())?;
        }
    }
    println!("{}", serde_json::to_string(&Shared { reports: reports.len(), bytes, seconds })?);
    Ok(())
}

/// Counts the seconds that this thread has a processor. Where that is not known, those on the clock.
struct Clock {
    started: Instant,
    on_processor: Option<f64>,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), on_processor: on_processor() }
    }

    fn seconds(&self) -> f64 {
        match (self.on_processor, on_processor()) {
            (Some(then), Some(now)) => now - then,
            _ => self.started.elapsed().as_secs_f64(),
        }
    }
}

fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}
