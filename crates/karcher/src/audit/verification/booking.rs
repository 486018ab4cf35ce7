//! What a ledger should have counted for a release.

use super::document::Document;
use super::version::Version;
use super::{expected, groups, series};
use crate::mechanism::Plan;
use crate::release::{LedgerEntry, PrivacyEvent, PublishedRelease, Value as Released};
use crate::series::{SeriesPlan, SeriesState};
use serde_json::{Value, json};

/// What a ledger should have counted for a release.
///
/// ```
/// use karcher::{ReleaseContext, audit::Booking, mechanism::CountPlan, privacy::Guarantee};
/// let release = CountPlan::new(Guarantee::pure(0.5)?)?.run_on(1_000, &mut ReleaseContext::from_os()?)?;
/// let [booking] = &Booking::all(&serde_json::to_value(release)?)[..] else { panic!("one release") };
/// assert_eq!((booking.event["statistic"].as_str(), booking.is_whole), (Some("count"), true));
/// assert_eq!(booking.entry, None); // no ledger counted it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Booking {
    /// The path of the release in its file, with the dot behind it: `groups[1].release.`, or nothing.
    pub place: String,
    /// The entry that the release names.
    pub entry: Option<LedgerEntry>,
    /// The entries that it names in the ledgers of aggregators.
    pub of_aggregators: Vec<LedgerEntry>,
    /// The [`PrivacyEvent`] of the release, as JSON.
    pub event: Value,
    /// Whether that is the whole event, as its specification leads to it. Of releases by an earlier version and of
    /// those without a specification only some fields are known.
    pub is_whole: bool,
    /// The release, as this version writes it and without predictions: the same for every form of its file.
    pub release: Value,
}

impl Booking {
    /// The releases in a file, each with its booking. A file that has no release has none.
    pub fn all(json: &Value) -> Vec<Self> {
        if SeriesState::is_one(json) {
            return series::booking(json).into_iter().collect();
        }
        if !json["groups"].is_array() {
            return Self::of(String::new(), json).into_iter().collect();
        }
        groups::releases(json).filter_map(|(at, release)| Self::of(at, release)).collect()
    }

    /// The releases in a file, as this version writes them and without predictions. Two files with equal lists have the
    /// same releases, however they are formatted.
    ///
    /// ```
    /// use karcher::{ReleaseContext, audit::Booking, mechanism::CountPlan, privacy::Guarantee};
    /// let release = CountPlan::new(Guarantee::pure(1.0)?)?.run_on(1_000, &mut ReleaseContext::from_os()?)?;
    /// let json = serde_json::to_value(&release)?;
    /// let mut other = json.clone();
    /// other["guarantee"]["epsilon"] = 1.into(); // not 1.0
    /// assert_eq!(Booking::releases(&json), Booking::releases(&other));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn releases(json: &Value) -> Vec<Value> {
        let written = |json: &Value| Some(Document::read(json).ok()?.written());
        if SeriesState::is_one(json) {
            return vec![json.clone()];
        }
        if !json["groups"].is_array() {
            return written(json).into_iter().collect();
        }
        groups::releases(json).filter_map(|(_, release)| written(release)).collect()
    }

    fn of(place: String, json: &Value) -> Option<Self> {
        let document = Document::read(json).ok()?;
        let release = document.written();
        let (entry, of_aggregators, whole, known) = match document {
            Document::Count(count) => {
                let event = count.spec.as_ref().and_then(|spec| match &count.series {
                    Some(at) => SeriesPlan::new(spec, at.shape.clone()).ok()?.event().ok(),
                    None => Some(spec.count_plan().ok()?.event()),
                });
                let is_own = Version::of(&count.karcher) == Version::This;
                let known = json!({
                    "guarantee": count.guarantee, "statistic": count.statistic, "unit": count.unit,
                    "adjacency": count.adjacency,
                });
                (count.ledger, count.ledgers, event.filter(|_| is_own), known)
            }
            Document::Release(release) => {
                let (event, known) = (event(&release), known(&release));
                (release.provenance.ledger, release.provenance.ledgers, event, known)
            }
        };
        let (is_whole, event) = (whole.is_some(), whole.map_or(known, |event| json!(event)));
        Some(Self { place, entry, of_aggregators, event, is_whole, release })
    }

    /// The entry that the release names in the ledger of a name, or else in another one.
    pub fn entry_in(&self, ledger: &str) -> Option<&LedgerEntry> {
        let all = || self.entry.iter().chain(&self.of_aggregators);
        all().find(|at| at.ledger == ledger).or_else(|| all().next())
    }
}

/// The event that the specification of a release leads to, in this version.
fn event(release: &PublishedRelease) -> Option<PrivacyEvent> {
    let how = &release.provenance;
    if Version::of(&how.karcher) == Version::Another {
        return None;
    }
    let plan: Box<dyn Plan> = match (&how.spec, &how.series) {
        (Some(spec), Some(at)) => return SeriesPlan::new(spec, at.shape.clone()).ok()?.event().ok(),
        (Some(spec), None) => expected::plan_of(release, spec).ok()?,
        (None, _) if matches!(release.value, Released::Record(_)) => Box::new(expected::at_home(how).ok()?),
        (None, _) => return None,
    };
    Some(plan.summary().event().of(how.unit))
}

/// The fields of the event that a release states itself.
fn known(release: &PublishedRelease) -> Value {
    let how = &release.provenance;
    // a mean without a useful ball is a ball, of a part of the budget, and it was counted as a mean
    let asked = how.spec.as_ref().map_or(how.statistic, |spec| spec.statistic);
    let mut event = json!({
        "statistic": asked, "manifold": how.manifold, "n": how.n, "n_guess": how.n_guess, "unit": how.unit,
        "adjacency": how.adjacency, "ball": how.located.as_ref().map_or(&how.ball, |located| &located.within),
    });
    if asked == how.statistic {
        event["guarantee"] = json!(how.guarantee);
    }
    event
}
