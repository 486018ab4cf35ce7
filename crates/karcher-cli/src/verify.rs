//! `karcher verify`: whether releases are what their own specifications lead to.

use crate::Failure;
use crate::output::{print_json, write_out};
use karcher::ReleaseSpec;
use karcher::audit::{Finding, is_compared_whole};
use karcher::privacy::Guarantee;
use karcher::release::{LedgerEntry, Promise, PublishedRelease, ReleasedCount, StatisticName};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Whether published releases agree with their own specifications.
///
/// Everything in a release, except the noisy numbers, follows from its specification, the number of records and the
/// version of karcher. So this command plans each release again and compares. It reads no records and spends nothing.
///
/// It cannot know the records or the noise: a value that was moved to another point of the lattice, with all that follows
/// from it, is not found.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --output directions.json
  karcher verify directions.json")]
pub struct Args {
    /// The releases: what a command wrote with --output FILE.json, --by groups and counts included.
    #[arg(value_name = "RELEASE.json", required = true)]
    releases: Vec<String>,
    /// The ledger that counted them: the entry of each must be there, for what it is.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A file with its findings.
#[derive(Serialize)]
struct Verified<'a> {
    file: &'a str,
    verified: bool,
    /// Whether all numbers were compared: those of an earlier version may differ.
    complete: bool,
    findings: Vec<Finding>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let counted = args.ledger.as_ref().map(ledger::open).transpose()?;
    let mut releases = vec![];
    for file in &args.releases {
        let json = read(file)?;
        let (mut findings, counts) = of_file(file, &json);
        if let (Some(ledger), Some(counts)) = (&counted, counts) {
            findings.extend(ledger.findings(&counts));
        }
        releases.push(Verified { file, verified: findings.is_empty(), complete: is_whole(&json), findings });
    }
    if args.json {
        print_json(&json!({ "releases": releases }))?;
    } else {
        write_out(releases.iter().map(told).collect::<String>().as_bytes())?;
    }
    match releases.iter().map(|release| release.findings.len()).sum() {
        0 => Ok(()),
        1 => Err("1 finding contradicts a specification".into()),
        count => Err(format!("{count} findings contradict a specification").into()),
    }
}

/// A line for a file without findings, or one for each finding.
fn told(release: &Verified<'_>) -> String {
    match &release.findings[..] {
        [] if !release.complete => {
            format!("{}: its noise is enough; an earlier version made it, so other numbers may differ\n", release.file)
        }
        [] => format!("{}: nothing contradicts its specification\n", release.file),
        findings => findings.iter().map(|finding| format!("{}: {finding}\n", release.file)).collect(),
    }
}

/// Whether all releases in a file are of this version.
fn is_whole(json: &Value) -> bool {
    let is_own = |release: &Value| release["karcher"].as_str().is_some_and(is_compared_whole);
    match json["groups"].as_array() {
        Some(groups) => groups.iter().all(|group| is_own(&group["release"])),
        None => is_own(json),
    }
}

/// What a ledger should say of a file.
#[cfg_attr(not(feature = "ledger"), expect(dead_code, reason = "only a ledger reads them"))]
struct Counted {
    entry: Option<LedgerEntry>,
    guarantee: Guarantee,
    /// Whether the release spent only a part of the counted guarantee.
    is_part: bool,
    statistic: String,
    fields: Value,
}

fn read(file: &str) -> Result<Value, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file} cannot be read ({error})"))?;
    serde_json::from_str(&text).map_err(|error| format!("{file} is no release, but no JSON at all ({error})").into())
}

/// The findings of a file.
pub fn findings_of(file: &str, json: &Value) -> Vec<Finding> {
    of_file(file, json).0
}

/// The findings of a file, and what a ledger should say of it.
fn of_file(file: &str, json: &Value) -> (Vec<Finding>, Option<Counted>) {
    if json["groups"].is_array() {
        return of_groups(json);
    }
    if json["spec"].is_number() {
        let reason = format!("{file} is a specification, and no release: karcher run makes one from it");
        return (vec![found("release", reason)], None);
    }
    if json["statistic"] == StatisticName::Count.name() {
        return match serde_json::from_value::<ReleasedCount>(json.clone()) {
            Err(error) => (vec![unread(file, &error)], None),
            Ok(count) => {
                let fields = json!({ "n": null, "unit": count.unit, "adjacency": count.adjacency });
                let (entry, statistic) = (count.ledger.clone(), count.statistic.to_string());
                (count.verify(), Some(Counted { entry, guarantee: count.guarantee, is_part: false, statistic, fields }))
            }
        };
    }
    match serde_json::from_value::<PublishedRelease>(json.clone()) {
        Err(error) => (vec![unread(file, &error)], None),
        Ok(release) => {
            let how = &release.provenance;
            // a mean whose located ball has no mean of use is a ball, and it was counted as a mean
            let asked = how.spec.as_ref().map_or(how.statistic, |spec| spec.statistic);
            let fields = json!({
                "n": how.n, "n_guess": how.n_guess, "unit": how.unit, "adjacency": how.adjacency, "manifold": how.manifold,
            });
            let (entry, statistic) = (how.ledger.clone(), asked.name().to_owned());
            let (guarantee, is_part) = (how.guarantee, how.statistic != asked);
            let mut findings = release.verify();
            findings.extend(of_predictions(&release, &json["predictions"]));
            (findings, Some(Counted { entry, guarantee, is_part, statistic, fields }))
        }
    }
}

/// The findings about predictions: they follow from the geodesic.
fn of_predictions(release: &PublishedRelease, stated: &Value) -> Vec<Finding> {
    let Some(stated) = stated.as_array() else { return vec![] };
    let wrong = |reason: &str| vec![found("predictions", reason)];
    let (karcher::release::Value::Geodesic(geodesic), Ok(manifold)) =
        (&release.value, release.provenance.manifold.manifold())
    else {
        return wrong("the release is no regression");
    };
    for prediction in stated {
        let Some(at) = prediction["predictor"].as_f64().filter(|at| at.is_finite()) else {
            return wrong("a predictor is no number");
        };
        if json!(geodesic.predict(&*manifold, at)) != prediction["value"] {
            return wrong(&format!("the one at {at} is not what the geodesic predicts"));
        }
    }
    vec![]
}

fn unread(what: &str, error: &serde_json::Error) -> Finding {
    found("release", format!("{what} is no release: {error}"))
}

fn found(field: impl Into<String>, reason: impl Into<String>) -> Finding {
    Finding { field: field.into(), reason: reason.into() }
}

/// The findings of the release of every group, and those about their common guarantee.
fn of_groups(json: &Value) -> (Vec<Finding>, Option<Counted>) {
    let (mut findings, mut releases) = (vec![], vec![]);
    let whole: Option<ReleaseSpec> = serde_json::from_value(json["spec"].clone()).ok();
    let groups = json["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    match &whole {
        None => findings.push(found("spec", "the file has none: it was made before specifications existed")),
        Some(spec) => {
            let names: Vec<&str> = groups.iter().map(|group| group["group"].as_str().unwrap_or_default()).collect();
            let asked = spec.groups.as_ref().map(|groups| groups.names.iter().map(String::as_str).collect());
            if asked != Some(names) {
                findings.push(found("groups", "they are not those of the specification"));
            }
            if let Err(error) = spec.check() {
                findings.push(found("spec", error.to_string()));
            }
            if spec.groups.as_ref().is_none_or(|groups| json["by"] != groups.by.as_str()) {
                findings.push(found("by", "it is not the column of the specification"));
            }
        }
    }
    for (i, group) in groups.iter().enumerate() {
        let of = |field: &str| format!("groups.{}.{field}", group["group"].as_str().unwrap_or("?"));
        match serde_json::from_value::<PublishedRelease>(group["release"].clone()) {
            Err(error) => findings.push(found(of("release"), format!("it is no release: {error}"))),
            Ok(release) => {
                let own = release.verify().into_iter();
                findings.extend(own.map(|finding| found(of(&finding.field), finding.reason)));
                let asked = whole.as_ref().and_then(|spec| spec.of_group(i).ok());
                if whole.is_some() && release.provenance.spec.as_deref() != asked.as_ref() {
                    findings.push(found(of("spec"), "it is not the one that the file has for this group"));
                }
                releases.push(release);
            }
        }
    }
    let promises: Vec<Promise> = releases.iter().map(|release| release.provenance.promise()).collect();
    let together = match Promise::of_disjoint(&promises) {
        Ok(together) => together,
        Err(error) => {
            findings.push(found("guarantee", error.to_string()));
            return (findings, None);
        }
    };
    let replaced = together.guarantee().of_two_steps().ok();
    for (field, expected) in [
        ("guarantee", json!(together.guarantee())),
        ("unit", json!(together.unit())),
        ("adjacency", json!(together.adjacency())),
        ("numerics", json!(together.numerics())),
        ("flags", json!(together.flags())),
        ("replace_one", json!(replaced)),
    ] {
        if json[field] != expected {
            findings.push(found(field, format!("it is {}, and the groups together have {expected}", json[field])));
        }
    }
    let entries: Vec<_> = releases.iter().map(|release| &release.provenance.ledger).collect();
    if entries.windows(2).any(|pair| pair[0] != pair[1]) {
        findings.push(found("ledger", "the groups name different entries, and they were counted once"));
    }
    let fields = json!({
        "n": null, "unit": together.unit(), "adjacency": together.adjacency(), "groups": releases.len(),
    });
    let entry = entries.first().and_then(|entry| (*entry).clone());
    let statistic = StatisticName::FrechetMean.name().to_owned();
    let guarantee = together.guarantee();
    (findings, Some(Counted { entry, guarantee, is_part: false, statistic, fields }))
}

#[cfg(feature = "ledger")]
mod ledger {
    //! Whether a ledger counted a release for what it is.

    use super::{Counted, Failure, Finding, found};
    use karcher_ledger::{Book, Ledger, Status};
    use std::path::PathBuf;

    /// A ledger that was read.
    pub struct Counts(Book);

    /// Reads a ledger, which must be whole.
    pub fn open(path: &PathBuf) -> Result<Counts, Failure> {
        Ok(Counts(Ledger::open(path).map_err(|error| format!("--ledger: {error}"))?.book()?))
    }

    impl Counts {
        /// What the ledger says otherwise of a release.
        pub fn findings(&self, counted: &Counted) -> Vec<Finding> {
            let Some(at) = &counted.entry else {
                return vec![found("ledger", "the release names no entry of a ledger")];
            };
            if at.ledger != self.0.ledger {
                return vec![found(
                    "ledger",
                    format!("it names the ledger {}, and this one is {}", at.ledger, self.0.ledger),
                )];
            }
            let Some(entry) = self.0.entries.iter().find(|entry| entry.entry == at.entry) else {
                return vec![found("ledger.entry", format!("the ledger has no entry {}", at.entry))];
            };
            let mut findings = vec![];
            if entry.status != Status::Released {
                let reason = format!("entry {} is {}, and not released", at.entry, entry.status.name());
                findings.push(found("ledger.entry", reason));
            }
            let is_counted = match counted.is_part {
                true => counted.guarantee.implies(entry.guarantee),
                false => counted.guarantee == entry.guarantee,
            };
            if !is_counted {
                let reason =
                    format!("the ledger counted {}, and the release spends {}", entry.guarantee, counted.guarantee);
                findings.push(found("guarantee", reason));
            }
            if entry.event["statistic"] != counted.statistic.as_str() {
                let reason = format!("the ledger counted a {}", entry.event["statistic"]);
                findings.push(found("statistic", reason));
            }
            for (field, stated) in counted.fields.as_object().into_iter().flatten() {
                if entry.event[field] != *stated {
                    let reason = format!("the ledger counted {}, and the release has {stated}", entry.event[field]);
                    findings.push(found(field, reason));
                }
            }
            findings
        }
    }
}

#[cfg(not(feature = "ledger"))]
mod ledger {
    //! What stands for a ledger where the feature is left out.

    use super::{Counted, Failure, Finding};
    use karcher::release::Adjacency;
    use std::path::PathBuf;

    /// There is none.
    pub enum Counts {}

    /// Refuses every ledger.
    pub fn open(path: &PathBuf) -> Result<Counts, Failure> {
        crate::booking::check(path, Adjacency::ReplaceOne)?;
        Err("--ledger: this karcher has no ledgers".into())
    }

    impl Counts {
        /// Never asked.
        pub fn findings(&self, _: &Counted) -> Vec<Finding> {
            match *self {}
        }
    }
}
