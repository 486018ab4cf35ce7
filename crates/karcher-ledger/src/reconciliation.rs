//! Whether a ledger counted releases for what they are.

use crate::{Book, Entry, Status};
use karcher::audit::{Booking, Finding};
use serde::Serialize;
use serde_json::Value;

/// Relative difference of numbers that count as equal: platforms round differently.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

/// The fields of an event that are compared where an entry covers one release and its whole event is known.
const WHOLE: [&str; 14] = [
    "statistic",
    "guarantee",
    "manifold",
    "n",
    "n_guess",
    "unit",
    "adjacency",
    "mechanism",
    "ball",
    "scale",
    "sensitivity",
    "numerics",
    "flags",
    "parts",
];

/// The fields that an entry of several releases states once.
const COMMON: [&str; 5] = ["statistic", "manifold", "unit", "adjacency", "ball"];

/// The fields that it states of each release.
const OF_PART: [&str; 7] = ["guarantee", "n", "n_guess", "mechanism", "scale", "numerics", "flags"];

/// A comparison of releases with a ledger: an entry covers one release, or one for each of its groups or classes.
///
/// The releases of several files are compared one after the other, so that two files with one entry are found. Two
/// releases are different if their JSON differs; predictions of a regression do not count.
///
/// ```
/// use karcher::{ReleaseContext, audit::Booking, mechanism::CountPlan, privacy::Guarantee, sampler::Generator};
/// use karcher_ledger::{Ledger, Reconciliation};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("budget.db");
/// let ledger = Ledger::create(&path, "trial of 2026", Guarantee::pure(1.0)?)?;
/// let plan = CountPlan::new(Guarantee::pure(0.5)?)?;
/// let mut context = ReleaseContext::new(ledger.reservation(&plan.event())?, Generator::from_os()?);
/// let release = plan.run_on(1_000, &mut context)?;
/// ledger.released_entry(release.ledger.as_ref().expect("it was counted"))?;
///
/// let book = ledger.book()?;
/// let mut reconciliation = Reconciliation::new(&book);
/// let mut json = serde_json::to_value(&release)?;
/// assert_eq!(reconciliation.findings("count.json", &Booking::all(&json)), []);
/// json["noisy_value"] = 990.5.into(); // another release of the same entry, which no run draws
/// let found = reconciliation.findings("other.json", &Booking::all(&json));
/// assert!(found[0].reason.contains("count.json"), "{}", found[0]);
/// assert_eq!(reconciliation.not_given(), []); // the file of the one entry was given
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reconciliation<'a> {
    book: &'a Book,
    claims: Vec<Claim>,
}

/// A release that an entry covers.
#[derive(Debug)]
struct Claim {
    entry: u64,
    /// The part of the entry, from 0.
    part: usize,
    file: String,
    release: Value,
}

/// An entry of a ledger with releases that were not compared.
///
/// ```
/// use karcher_ledger::NotGiven;
/// let given = [NotGiven { entry: 2, releases: 1, given: 0 }, NotGiven { entry: 3, releases: 2, given: 0 }];
/// assert_eq!(NotGiven::sentences(&given), ["entries 2, 3 are in none of these files"]);
/// let in_part = [NotGiven { entry: 4, releases: 3, given: 1 }];
/// assert_eq!(NotGiven::sentences(&in_part), ["entry 4 has 3 releases, and these files have 1 of them"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NotGiven {
    /// The number of the entry.
    pub entry: u64,
    /// The releases that it covers.
    pub releases: usize,
    /// Those that were compared.
    pub given: usize,
}

impl NotGiven {
    /// Sentences for people.
    pub fn sentences(entries: &[Self]) -> Vec<String> {
        let none: Vec<String> =
            entries.iter().filter(|entry| entry.given == 0).map(|entry| entry.entry.to_string()).collect();
        let whole = match &none[..] {
            [] => None,
            [one] => Some(format!("entry {one} is in none of these files")),
            several => Some(format!("entries {} are in none of these files", several.join(", "))),
        };
        let in_part = entries.iter().filter(|entry| entry.given > 0).map(|Self { entry, releases, given }| {
            format!("entry {entry} has {releases} releases, and these files have {given} of them")
        });
        whole.into_iter().chain(in_part).collect()
    }
}

impl<'a> Reconciliation<'a> {
    /// Compares releases with this ledger.
    pub fn new(book: &'a Book) -> Self {
        Self { book, claims: vec![] }
    }

    /// The contradictions between the ledger and the releases of a file.
    pub fn findings(&mut self, file: &str, bookings: &[Booking]) -> Vec<Finding> {
        let mut found: Vec<Finding> = bookings.iter().filter_map(|booking| self.claim(file, booking).err()).collect();
        // the groups of a file are all that its entry covers
        let is_of_groups = bookings.iter().any(|booking| !booking.place.is_empty());
        let first = bookings.first().and_then(|booking| self.book.entry(booking.entry_in(&self.book.ledger)?.entry));
        if let Some(entry) = first.filter(|_| is_of_groups && found.is_empty()) {
            let covered = covers(entry);
            if covered != bookings.len() {
                let reason =
                    format!("entry {} covers {covered} releases, and the file has {}", entry.entry, bookings.len());
                found.push(Finding { field: "groups".to_owned(), reason });
            }
        }
        found
    }

    /// The entries with releases that are in none of the files so far.
    pub fn not_given(&self) -> Vec<NotGiven> {
        let is_own = |entry: &&Entry| entry.status == Status::Released && !entry.is_foreign();
        let released = self.book.entries.iter().filter(is_own);
        let counted = released.map(|entry| {
            let given = self.claims.iter().filter(|claim| claim.entry == entry.entry).count();
            NotGiven { entry: entry.entry, releases: covers(entry), given }
        });
        counted.filter(|entry| entry.given < entry.releases).collect()
    }

    /// Notes that an entry covers a release, or returns the reason why it does not.
    fn claim(&mut self, file: &str, booking: &Booking) -> Result<(), Finding> {
        let failed = |field: &str, reason: String| Finding { field: format!("{}{field}", booking.place), reason };
        let Some(at) = booking.entry_in(&self.book.ledger) else {
            return Err(failed("ledger", "the release names no entry of a ledger".to_owned()));
        };
        if at.ledger != self.book.ledger {
            let reason = format!("the release names {}, and this ledger is {}", at.ledger, self.book.ledger);
            return Err(failed("ledger.ledger", reason));
        }
        let wrong = |reason: String| failed("ledger.entry", reason);
        let number = at.entry;
        let entry = self.book.entry(number).ok_or_else(|| wrong(format!("the ledger has no entry {number}")))?;
        if entry.status != Status::Released {
            return Err(wrong(format!("entry {number} is {}, and not released", entry.status.name())));
        }
        let parts = parts_for(entry, booking).map_err(wrong)?;
        let claims: Vec<&Claim> = self.claims.iter().filter(|claim| claim.entry == number).collect();
        if claims.iter().any(|claim| claim.release == booking.release) {
            return Ok(()); // a copy
        }
        let is_free = |part: &usize| claims.iter().all(|claim| claim.part != *part);
        let Some(part) = parts.into_iter().find(is_free) else {
            let files: Vec<&str> = claims.iter().map(|claim| claim.file.as_str()).collect();
            return Err(wrong(format!("entry {number} covers another release, in {}", files.join(", "))));
        };
        self.claims.push(Claim { entry: number, part, file: file.to_owned(), release: booking.release.clone() });
        Ok(())
    }
}

/// The number of releases that an entry covers.
fn covers(entry: &Entry) -> usize {
    entry.event["groups"].as_u64().and_then(|groups| groups.try_into().ok()).unwrap_or(1)
}

/// The parts of an entry that a release may be, or the reason why it is none.
fn parts_for(entry: &Entry, booking: &Booking) -> Result<Vec<usize>, String> {
    let number = entry.entry;
    if entry.event["groups"].is_null() {
        // ledgers of earlier versions have one guarantee of each release
        let also = (!entry.event["also"].is_null()).then_some("also");
        let fields: Vec<&str> = WHOLE.into_iter().chain(also).collect();
        return match differences(&fields, &entry.event, booking) {
            differing if differing.is_empty() => Ok(vec![0]),
            differing => Err(other(number, &differing, &entry.event, booking)),
        };
    }
    // groups in different balls have no common one
    let common: Vec<&str> = COMMON.into_iter().filter(|field| !entry.event[*field].is_null()).collect();
    let differing = differences(&common, &entry.event, booking);
    if !differing.is_empty() {
        return Err(other(number, &differing, &entry.event, booking));
    }
    let Some(parts) = entry.event["parts"].as_array() else {
        return Ok((0..covers(entry)).collect()); // ledgers before 0.2 have no parts
    };
    let fits = |part: &Value| differences(&OF_PART, part, booking).is_empty();
    let fitting: Vec<usize> = (0..parts.len()).filter(|i| fits(&parts[*i])).collect();
    match fitting.is_empty() {
        false => Ok(fitting),
        true => Err(format!("entry {number} covers {} releases, and this is none of them", parts.len())),
    }
}

/// The fields in which a release is not what an event says.
fn differences<'a>(fields: &[&'a str], event: &Value, booking: &Booking) -> Vec<&'a str> {
    let is_known = |field: &&str| booking.is_whole || booking.event.get(*field).is_some();
    let differs = |field: &&str| !is_alike(&event[*field], &booking.event[*field]);
    fields.iter().copied().filter(is_known).filter(differs).collect()
}

/// The reason of an entry that is of another release.
fn other(number: u64, differing: &[&str], event: &Value, booking: &Booking) -> String {
    let named = |field: &str| format!("`{field}`");
    match differing {
        [field] if event[*field].to_string().len() + booking.event[*field].to_string().len() < 80 => {
            let (counted, stated) = (&event[*field], &booking.event[*field]);
            format!("entry {number} has {} {counted}, and the release has {stated}", named(field))
        }
        fields => {
            let fields: Vec<String> = fields.iter().map(|field| named(field)).collect();
            format!("entry {number} is of a release with another {}", fields.join(", "))
        }
    }
}

/// Whether JSON values are the same, except for rounding.
fn is_alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => match (x.as_f64(), y.as_f64()) {
            (Some(x), Some(y)) => (x - y).abs() <= ROUNDING * x.abs().max(y.abs()),
            _ => x == y,
        },
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_alike(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| is_alike(x, y)))
        }
        _ => a == b,
    }
}
