//! The content of a ledger, read from its lines with a check of each.

use crate::chain::{self, START};
use crate::store::{Home, Line};
use karcher::error::PrivacyError;
use karcher::privacy::{Definition, Filter, Guarantee};
use karcher::release::{Adjacency, PrivacyUnit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The content of a ledger.
///
/// ```
/// use karcher::privacy::{Definition, Guarantee};
/// use karcher_ledger::Ledger;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("budget.db");
/// let book = Ledger::create(&path, "trial of 2026", Guarantee::gaussian(1.0)?)?.book()?;
/// assert_eq!((book.data.as_str(), book.entries.len()), ("trial of 2026", 0));
/// assert_eq!(book.left(), Definition::Gaussian { mu: 1.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Book {
    /// The ledger's own name, which it got at random.
    pub ledger: String,
    /// The name that the owner gave the data.
    pub data: String,
    /// The unit that the counted releases protect: a record, or a person.
    pub unit: PrivacyUnit,
    /// The time of its creation, in UTC.
    pub time: String,
    /// The neighbours for which its total is stated.
    pub adjacency: Adjacency,
    /// Every request.
    pub entries: Vec<Entry>,
    /// The privacy filter that composes all guarantees.
    pub(crate) filter: Filter,
    /// The file that it is in.
    pub(crate) home: Option<Home>,
    /// The hash of every line.
    pub(crate) hashes: Vec<String>,
}

/// A request for a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Its number, from 1, which its release has too.
    pub entry: u64,
    /// The number of its line.
    #[serde(skip)]
    pub(crate) line: i64,
    /// The time of the request, in UTC.
    pub time: String,
    /// Its status.
    pub status: Status,
    /// The requested guarantee.
    pub guarantee: Guarantee,
    /// Its cost, in the definition of the total. `None` for a refused request, which costs nothing.
    pub counts_as: Option<Definition>,
    /// The public properties of the release before its noise was drawn: the fields of
    /// [`PrivacyEvent`](karcher::release::PrivacyEvent).
    pub event: Value,
    /// The reason for a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Entry {
    /// The names of [`cells`](Entry::cells).
    pub const COLUMNS: [&'static str; 9] =
        ["entry", "time", "status", "guarantee", "statistic", "mechanism", "space", "records", "unit"];

    /// The entry as a row of a table for people.
    pub fn cells(&self) -> [String; 9] {
        let own = self.guarantee.definition();
        let guarantee = match self.counts_as.filter(|cost| *cost != own) {
            Some(cost) => format!("{own} ({cost})"),
            None => own.to_string(),
        };
        // where the parts have several mechanisms, all of them
        let mechanisms = || {
            let parts = self.event["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut names: Vec<&str> = parts.iter().filter_map(|part| part["mechanism"].as_str()).collect();
            names.dedup();
            if names.is_empty() { "–".to_owned() } else { names.join(", ") }
        };
        let told = |field: &str| match &self.event[field] {
            Value::String(text) => text.clone(),
            Value::Null => "–".to_owned(), // a count has no space, and a number may be confidential
            other => other.to_string(),
        };
        let groups = self.event["groups"].as_u64().map(|k| format!(" × {k}")).unwrap_or_default();
        [
            self.entry.to_string(),
            self.time.clone(),
            self.status.name().to_owned(),
            guarantee,
            if self.is_foreign() { told("release") } else { told("statistic") + &groups },
            match self.event["mechanism"].is_null() {
                _ if self.is_foreign() => told("library"),
                true => mechanisms(),
                false => told("mechanism"),
            },
            told("manifold"),
            told("n"),
            told("unit"),
        ]
    }
}

/// The status of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It counts as spent. The release may not be made yet, or the program ended before it reported the release.
    Reserved,
    /// It counts as spent, and the release was made.
    Released,
    /// It was refused, and costs nothing.
    Refused,
}

impl Status {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Status::Reserved => "reserved",
            Status::Released => "released",
            Status::Refused => "refused",
        }
    }
}

/// The field of an event with the name of the batch that it counts, where a batch is counted once.
pub(crate) const BATCH: &str = "batch";

/// The events, with the content of their lines.
pub mod event {
    use super::{Adjacency, Deserialize, Guarantee, PrivacyUnit, Serialize};

    /// The first line.
    pub const NEW: &str = "new";
    /// The same where the total is about one record added or removed. (A karcher without this event refuses such a
    /// ledger.)
    pub const NEW_ADD_REMOVE: &str = "new-add-remove";
    /// A request that was granted.
    pub const RESERVED: &str = "reserved";
    /// The same where it counts as two steps: its promise is about one record added or removed, the total about a
    /// record in place of another.
    pub const RESERVED_AS_TWO: &str = "reserved-as-two";
    /// The same where it counts once for each of several classes, because a person may be in all. It was written before
    /// parts had their own guarantees.
    pub const RESERVED_FOR_EACH: &str = "reserved-for-each";
    /// The same where each part counts by itself, because a person may be in all of them. (A karcher without parts
    /// refuses such a ledger.)
    pub const RESERVED_PARTS: &str = "reserved-parts";
    /// A release that was made.
    pub const RELEASED: &str = "released";
    /// A request that was not granted.
    pub const REFUSED: &str = "refused";
    /// A release of another program, which counts even beyond the total. (A karcher without this event refuses such a
    /// ledger.)
    pub const FOREIGN: &str = "foreign";
    /// A copy that became the ledger.
    pub const ADOPTED: &str = "adopted";

    /// The content of [`NEW`].
    #[derive(Serialize, Deserialize)]
    pub struct New {
        pub ledger: String,
        pub data: String,
        /// Left out for records, as in files from before persons were supported.
        #[serde(default, skip_serializing_if = "is_record")]
        pub unit: PrivacyUnit,
        pub budget: Guarantee,
        pub karcher: String,
        pub home: Option<super::Home>,
    }

    fn is_record(unit: &PrivacyUnit) -> bool {
        *unit == PrivacyUnit::Record
    }

    /// The counted fields of [`RESERVED`] and [`REFUSED`].
    #[derive(Deserialize)]
    pub struct Requested {
        pub guarantee: Guarantee,
        #[serde(default)]
        pub also: Vec<Guarantee>,
        #[serde(default)]
        pub adjacency: Adjacency,
        #[serde(default)]
        pub groups: Option<u64>,
        #[serde(default)]
        pub spent_by_each: bool,
        #[serde(default)]
        pub parts: Vec<Part>,
    }

    /// The counted fields of a part.
    #[derive(Deserialize)]
    pub struct Part {
        pub guarantee: Guarantee,
    }

    /// The content of [`RELEASED`].
    #[derive(Serialize, Deserialize)]
    pub struct Released {
        /// The line of the request.
        #[serde(rename = "entry")]
        pub line: i64,
    }

    /// The content of [`ADOPTED`].
    #[derive(Serialize, Deserialize)]
    pub struct Adopted {
        pub home: Option<super::Home>,
    }
}

/// What costs hardly less than the stated guarantee, by the rounding of a scale, is not counted instead.
const LARGEST_RATIO: f64 = 1.0 - 1e-9;

/// The reason why a ledger for add-remove neighbours refuses releases for replace-one neighbours.
const NOT_COUNTED: &str = "the ledger is for add-remove neighbours, and a replace-one release reveals the number of \
                           records; release with add-remove adjacency, or count in a ledger for replace-one";

/// The cost of a request.
pub(crate) enum Costs {
    /// One guarantee, so many times.
    Times(Guarantee, u64),
    /// A guarantee for each part.
    Each(Vec<Guarantee>),
}

impl Costs {
    /// Counts the cost as spent, or refuses all of it.
    pub(crate) fn spend_from(&self, filter: &mut Filter) -> karcher::Result<()> {
        match self {
            Costs::Times(cost, times) => filter.spend_times(*cost, *times)?,
            Costs::Each(costs) => filter.spend_all(costs)?,
        }
        Ok(())
    }

    /// Counts the cost of an earlier release, even beyond the total.
    pub(crate) fn record_in(&self, filter: &mut Filter) -> karcher::Result<()> {
        match self {
            Costs::Times(cost, _) => filter.record(*cost)?,
            Costs::Each(costs) => costs.iter().try_for_each(|cost| filter.record(*cost))?,
        }
        Ok(())
    }

    fn in_definition_of(&self, filter: &Filter) -> Option<Definition> {
        match self {
            Costs::Times(cost, times) => filter.counts_as_times(*cost, *times).ok(),
            Costs::Each(costs) => filter.counts_as_all(costs).ok(),
        }
    }
}

/// A mistake in a line.
type Mistake = String;

impl Book {
    /// Reads the content of lines, or returns the first mistake in them.
    pub(crate) fn read(lines: &[Line]) -> Result<Self, Mistake> {
        let mut before = START.to_owned();
        for (line, number) in lines.iter().zip(1..) {
            if line.number != number {
                return Err(format!("line {number} is missing"));
            }
            if chain::link(&before, line.number, &line.time, &line.event, &line.content) != line.hash {
                return Err(format!("line {number} was changed, or one before it"));
            }
            before.clone_from(&line.hash);
        }
        let Some((first, rest)) = lines.split_first() else {
            return Err("it has no lines".to_owned());
        };
        let adjacency = match first.event.as_str() {
            event::NEW => Adjacency::ReplaceOne,
            event::NEW_ADD_REMOVE => Adjacency::AddRemove,
            _ => return Err("line 1 does not say what it is the ledger of".to_owned()),
        };
        let new: event::New = content(first)?;
        let mut book = Self {
            ledger: new.ledger,
            data: new.data,
            unit: new.unit,
            time: first.time.clone(),
            adjacency,
            entries: vec![],
            filter: Filter::new(new.budget).map_err(|error| format!("line 1: {error}"))?,
            home: new.home,
            hashes: lines.iter().map(|line| line.hash.clone()).collect(),
        };
        rest.iter().try_for_each(|line| book.take(line))?;
        Ok(book)
    }

    pub(crate) fn take(&mut self, line: &Line) -> Result<(), Mistake> {
        match line.event.as_str() {
            event::RESERVED | event::RESERVED_AS_TWO | event::RESERVED_FOR_EACH | event::RESERVED_PARTS => {
                let (entry, costs) = self.requested(line, Status::Reserved)?;
                let spent = costs.and_then(|costs| costs.spend_from(&mut self.filter));
                spent.map_err(|error| format!("line {}: {error}", line.number))?;
                self.entries.push(entry);
            }
            event::REFUSED => {
                let (entry, _) = self.requested(line, Status::Refused)?;
                self.entries.push(entry);
            }
            event::FOREIGN => {
                let (entry, costs) = self.requested(line, Status::Released)?;
                let counted = costs.and_then(|costs| costs.record_in(&mut self.filter));
                counted.map_err(|error| format!("line {}: {error}", line.number))?;
                self.entries.push(entry);
            }
            event::RELEASED => {
                let event::Released { line: requested } = content(line)?;
                let known = self.entries.binary_search_by_key(&requested, |entry| entry.line).ok();
                let known = known.and_then(|at| self.entries.get_mut(at));
                let Some(known) = known.filter(|known| known.status == Status::Reserved) else {
                    return Err(format!("line {}: line {requested} reserved nothing", line.number));
                };
                known.status = Status::Released;
            }
            event::ADOPTED => self.home = content::<event::Adopted>(line)?.home,
            other => return Err(format!("line {}: `{other}` is no event that this karcher knows", line.number)),
        }
        Ok(())
    }

    /// The entry of a request, and its cost.
    fn requested(&self, line: &Line, status: Status) -> Result<(Entry, karcher::Result<Costs>), Mistake> {
        let event::Requested { guarantee, also, adjacency, groups, spent_by_each, parts } = content(line)?;
        let is_of_parts = match line.event.as_str() {
            event::RESERVED_PARTS => true,
            event::REFUSED => spent_by_each && !parts.is_empty(),
            _ => false,
        };
        let costs = if is_of_parts {
            if parts.is_empty() {
                return Err(format!("line {}: it reserved parts, and has none", line.number));
            }
            let guarantees: Vec<Guarantee> = parts.iter().map(|part| part.guarantee).collect();
            self.costs(&guarantees, adjacency)
        } else {
            let times = groups.filter(|_| spent_by_each).unwrap_or(1);
            self.cost(self.least(guarantee, if groups.is_none() { &also } else { &[] }, adjacency), adjacency)
                .map(|cost| Costs::Times(cost, times))
        };
        let mut event: Value = content(line)?;
        let reason = event.as_object_mut().and_then(|fields| fields.remove("refused"));
        let counts_as = costs.as_ref().ok().and_then(|costs| costs.in_definition_of(&self.filter));
        let entry = Entry {
            entry: self.entries.len() as u64 + 1,
            line: line.number,
            time: line.time.clone(),
            status,
            guarantee,
            counts_as,
            event,
            reason: reason.and_then(|reason| reason.as_str().map(str::to_owned)),
        };
        Ok((entry, costs))
    }

    /// The one of several guarantees of a release, for some neighbours, that costs least, if it is worth counting. A
    /// total `(ε, δ)`, of two numbers, counts the first.
    pub(crate) fn least(&self, stated: Guarantee, also: &[Guarantee], adjacency: Adjacency) -> Guarantee {
        let cost = |guarantee: &Guarantee| match self.filter.counts_as(self.cost(*guarantee, adjacency).ok()?).ok()? {
            Definition::Pure { epsilon: x } | Definition::Gaussian { mu: x } | Definition::Concentrated { rho: x } => {
                Some(x)
            }
            Definition::Approximate { .. } => None,
        };
        let costs = also.iter().filter_map(|guarantee| Some((guarantee, cost(guarantee)?)));
        let least = costs.min_by(|(_, a), (_, b)| a.total_cmp(b));
        let of_stated = cost(&stated);
        let is_worth = |of: f64| of_stated.is_none_or(|stated| of < LARGEST_RATIO * stated);
        least.filter(|(_, cost)| is_worth(*cost)).map_or(stated, |(least, _)| *least)
    }

    /// Converts guarantees for some neighbours to those of the ledger, each counted by itself.
    pub(crate) fn costs(&self, guarantees: &[Guarantee], adjacency: Adjacency) -> karcher::Result<Costs> {
        guarantees.iter().map(|guarantee| self.cost(*guarantee, adjacency)).collect::<Result<_, _>>().map(Costs::Each)
    }

    /// Converts a guarantee for some neighbours to those of the ledger. Replacing a record takes two steps: one removal
    /// and one addition. No number of replacements adds or removes a record.
    pub(crate) fn cost(&self, guarantee: Guarantee, adjacency: Adjacency) -> karcher::Result<Guarantee> {
        match (self.adjacency, adjacency) {
            (Adjacency::ReplaceOne, Adjacency::ReplaceOne) | (Adjacency::AddRemove, Adjacency::AddRemove) => {
                Ok(guarantee)
            }
            (Adjacency::ReplaceOne, Adjacency::AddRemove) => Ok(guarantee.of_two_steps()?),
            (Adjacency::AddRemove, Adjacency::ReplaceOne) => {
                Err(PrivacyError::OverBudget { reason: NOT_COUNTED.to_owned() }.into())
            }
        }
    }

    /// The steps by which a record is replaced, in words: a release for add-remove neighbours counts for each.
    pub const TWO_STEPS: &str = "one removal and one addition";

    /// The cost of the entry of a number, where it counts as [two steps](Book::TWO_STEPS).
    pub fn cost_of_two_steps(&self, number: u64) -> Option<Definition> {
        let entry = self.entry(number)?;
        let counts_twice = self.adjacency == Adjacency::ReplaceOne && entry.event["adjacency"] == "add-remove";
        entry.counts_as.filter(|_| counts_twice)
    }

    /// The total budget.
    pub fn total(&self) -> Guarantee {
        self.filter.total()
    }

    /// The guarantee of all counted releases together ([`Filter::promise`]).
    pub fn promise(&self) -> Guarantee {
        self.filter.promise()
    }

    /// The spent part of the total, rounded up; 0 if no release counts.
    pub fn spent(&self) -> Definition {
        self.filter.spent()
    }

    /// The remaining budget, rounded down; 0 where imported releases spent more than the total.
    pub fn left(&self) -> Definition {
        self.filter.left()
    }

    /// The entry that counts a batch.
    pub(crate) fn of_batch(&self, batch: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.status != Status::Refused && entry.event[BATCH] == batch)
    }

    /// The entry of a number.
    pub(crate) fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// Lines of the file.
    pub(crate) fn lines(&self) -> u64 {
        self.hashes.len() as u64
    }

    /// The hash of a line, from 1; for 0 that before the first.
    pub(crate) fn hash(&self, line: u64) -> Option<String> {
        match line.checked_sub(1) {
            None => Some(START.to_owned()),
            Some(index) => self.hashes.get(usize::try_from(index).ok()?).cloned(),
        }
    }
}

fn content<T: serde::de::DeserializeOwned>(line: &Line) -> Result<T, Mistake> {
    serde_json::from_str(&line.content).map_err(|error| format!("line {}: {error}", line.number))
}
