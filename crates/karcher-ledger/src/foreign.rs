//! Releases of other programs about the same people, as JSON: they spend the same budget.

use crate::book::{Book, Entry, Status};
use crate::error::{Error, Result};
use karcher::privacy::{Definition, Guarantee};
use karcher::release::{Adjacency, PrivacyUnit};
use serde::{Deserialize, Serialize};

/// A release of another program, or of another ledger, that a ledger counts.
///
/// Releases are the same if all fields are, so that importing a file twice counts it once.
///
/// ```
/// use karcher_ledger::ForeignRelease;
/// let text = r#"{"release": "histogram of ages", "library": "OpenDP 0.16.0", "data": "trial of 2026",
///     "guarantee": {"definition": "pure", "epsilon": 0.5}, "unit": "record", "adjacency": "add-remove",
///     "date": "2026-11-27"}"#;
/// let release: ForeignRelease = serde_json::from_str(text)?;
/// assert_eq!((release.library.as_str(), release.id), ("OpenDP 0.16.0", None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignRelease {
    /// Name of the release.
    pub release: String,
    /// The library that made it, with its version.
    pub library: String,
    /// The guarantee.
    pub guarantee: Guarantee,
    /// The unit that it protects.
    pub unit: PrivacyUnit,
    /// The neighbours.
    pub adjacency: Adjacency,
    /// Name of the data, as in the ledger.
    pub data: String,
    /// The day or time of the release.
    pub date: String,
    /// Identifier, where the other fields do not tell releases apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The number of releases that an import counted, and of those that had been counted before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Imported {
    /// Releases that count from now on.
    pub counted: usize,
    /// Releases that the ledger had already.
    pub known: usize,
}

impl Book {
    /// The counted releases, for another ledger. Where parts count one by one, the guarantee is their sum in the
    /// definition of the total.
    ///
    /// # Errors
    /// [`Error::NotExported`] for a counted release without a guarantee that another ledger could count.
    pub fn export(&self) -> Result<Vec<ForeignRelease>> {
        self.counted().map(|one| self.exported(one).ok_or(Error::NotExported { entry: one.entry })).collect()
    }

    /// Those of the counted releases that another ledger could count.
    pub(crate) fn exportable(&self) -> Vec<ForeignRelease> {
        self.counted().filter_map(|entry| self.exported(entry)).collect()
    }

    fn counted(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.status != Status::Refused)
    }

    fn exported(&self, entry: &Entry) -> Option<ForeignRelease> {
        if entry.is_foreign() {
            return serde_json::from_value(entry.event.clone()).ok();
        }
        let field = |name: &str| serde_json::from_value(entry.event[name].clone());
        let is_sum = entry.event["spent_by_each"] == true;
        Some(ForeignRelease {
            release: entry.event["statistic"].as_str().unwrap_or("release").to_owned(),
            library: "karcher".to_owned(),
            guarantee: if is_sum { guarantee_of(entry.counts_as?)? } else { entry.guarantee },
            unit: entry.event["unit"].as_str().and_then(|unit| unit.parse().ok()).unwrap_or(self.unit),
            adjacency: if is_sum { self.adjacency } else { field("adjacency").ok().unwrap_or_default() },
            data: self.data.clone(),
            date: entry.time.clone(),
            id: Some(format!("{}/{}", self.ledger, entry.entry)),
        })
    }
}

/// A definition as a guarantee: (ε, 0) is ε.
fn guarantee_of(definition: Definition) -> Option<Guarantee> {
    let found = match definition {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, delta: 0.0 } => Guarantee::pure(epsilon),
        Definition::Approximate { epsilon, delta } => Guarantee::approximate(epsilon, delta),
        Definition::Gaussian { mu } => Guarantee::gaussian(mu),
        Definition::Concentrated { rho } => Guarantee::concentrated(rho),
    };
    found.ok()
}

impl Entry {
    /// Whether it is of another program.
    pub fn is_foreign(&self) -> bool {
        self.event["library"].is_string()
    }
}
