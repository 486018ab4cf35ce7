//! Five sites, two aggregators and a collector, as processes of their own that talk by HTTP.
//!
//! ```sh
//! cargo run --release -p karcher-aggregate --example federated                        # seconds
//! cargo run --release -p karcher-aggregate --example federated -- --persons 100000    # the measurement
//! ```
//!
//! Without a role it starts all of them, on this machine, and prints what they cost and what they withstand. The roles:
//!
//! ```text
//! federated aggregator PORT FOLDER OTHER     an aggregator, next to the one at port OTHER
//! federated site FOLDER PORT PORT            a site reports its records to both
//! federated collector TASK PORT PORT         closes both, adds their sums, prints the release
//! federated liar TASK PORT PORT              sends what no honest reporter sends
//! ```
//!
//! A real deployment adds TLS, and says who may report, close and collect. HTTP in the clear is for one machine.

mod aggregator;
mod all;
mod collector;
mod liar;
mod site;
mod wire;

use std::process::ExitCode;

/// A result whose error is a sentence.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const USAGE: &str = "expected no arguments, --persons N, or a role: aggregator PORT FOLDER OTHER [hold], \
                     site FOLDER PORT PORT, collector TASK PORT PORT, liar TASK PORT PORT";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[&str]) -> Outcome<()> {
    match args {
        ["aggregator", port, folder, other] => aggregator::run(port, folder, other, false),
        ["aggregator", port, folder, other, "hold"] => aggregator::run(port, folder, other, true),
        ["site", folder, first, second] => site::run(folder, [first, second]),
        ["collector", task, first, second] => collector::run(task, [first, second]),
        ["liar", task, first, second] => liar::run(task, [first, second]),
        [] | ["all"] => all::run(2_000),
        ["--persons", n] | ["all", "--persons", n] => {
            let n = n.parse().ok().filter(|n| (5..=10_000_000).contains(n));
            all::run(n.ok_or("--persons: expected a number from 5 to 10000000")?)
        }
        _ => Err(USAGE.into()),
    }
}
