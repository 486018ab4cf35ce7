//! `karcher count`: how many records there are, privately.

use crate::Failure;
use crate::input::Source;
use crate::options::{Budget, warn_if_weak};
use crate::output_options::{Delivery, print_spec};
use crate::saving::{Content, Saving, hand_over};
use karcher::ReleaseSpec;
use karcher::release::StatisticName;

/// The private number of records in a file.
///
/// Neighbours differ by one record added or removed, so the number itself is confidential, and 0 is a possible result.
/// The output is a whole number, with noise that is drawn exactly.
///
/// A record counts whatever it holds: neither a bad cell nor a short line is an error. Only --missing drop leaves out
/// records that lack a value. A text file must begin with a header, so that no record decides how others are read:
/// choose --columns by name, or give --header yes.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  karcher count examples/cities.csv --columns latitude --epsilon 1")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    delivery: Delivery,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let spec = ReleaseSpec::new(StatisticName::Count, args.budget.guarantee()?);
    release(&spec, &args.source, &args.delivery, &[])
}

/// Releases the number of records of files; nothing may be written over `other_files`.
pub fn release(spec: &ReleaseSpec, source: &Source, delivery: &Delivery, other_files: &[&str]) -> Result<(), Failure> {
    if delivery.spec_only {
        return print_spec(spec);
    }
    let plan = spec.count_plan()?;
    let read_files = [&source.files()[..], other_files].concat();
    delivery.account.check(&read_files, &[delivery.output.as_deref()], spec.adjacency)?;
    let saving = Saving::open(delivery.output.as_deref(), delivery.force, &read_files)?;
    let n = source.count()?;
    warn_if_weak(spec.budget, 1);
    let release = plan.run_on(n as u64, &mut delivery.account.context(&plan.event())?)?;
    let counted = delivery.account.settle_entry(release.ledger.as_ref());
    let content = Content {
        json: serde_json::to_value(&release)?,
        values: vec![release.value],
        shape: vec![1],
        names: Some(vec!["count".to_owned()]),
        labels: vec![],
    };
    let facts = [release.facts(), counted].concat();
    let printed = delivery.printing.printed(&content.json, &facts, || release.sentence());
    hand_over(saving, &content, &printed)
}
