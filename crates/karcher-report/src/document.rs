//! The documents of a page: JSON files of karcher, read back.

use crate::guarantee::Protects;
use crate::picture::subject;
use crate::{Error, Result};
use karcher::facts::{Cells, Style, cells, facts};
use karcher::features::CovariateValue;
use karcher::mechanism::Estimate;
use karcher::privacy::Guarantee;
use karcher::release::{
    Adjacency, Collected, Flag, LedgerEntry, MechanismName, Numerics, PrivacyUnit, PrivatePoint, Provenance,
    PublishedRelease, ReleasedBound, ReleasedCount, ReleasedSensitivity, SCHEMA, StatisticName, Symbols, Value,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A JSON file of karcher about one release, or one for each of several groups, with its name.
#[derive(Debug, Clone)]
pub struct Document {
    /// The name of its file.
    pub(crate) name: String,
    /// Its whole text, unchanged.
    pub(crate) json: String,
    /// Its content.
    pub(crate) content: Content,
}

/// The content of a document.
#[derive(Debug, Clone)]
pub enum Content {
    /// One release, with the predictions of its regression if the file has them.
    Release(Box<PublishedRelease>, Vec<Prediction>),
    /// A number of records by itself.
    Count(ReleasedCount),
    /// The mean of records that were randomized at home.
    Collected(Box<Collected>),
    /// A release for each of several groups.
    Groups(Groups),
}

/// The prediction of a regression: at a value of the predictor, or of covariates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Prediction {
    /// The value of the predictor, of a geodesic.
    #[serde(default)]
    pub predictor: Option<f64>,
    /// The values of the covariates, of a regression on features.
    #[serde(default)]
    pub at: BTreeMap<String, CovariateValue>,
    /// The point with its regions, of a regression on features.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

impl Prediction {
    /// The covariates in words.
    pub fn place(&self) -> String {
        self.at.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
    }
}

/// A release for each group of a public list, and their joint guarantee.
#[derive(Debug, Clone, Deserialize)]
pub struct Groups {
    /// The name of the column that says which group a record is in.
    pub by: String,
    /// The groups.
    pub groups: Vec<Group>,
    /// The joint guarantee of all releases.
    pub guarantee: Guarantee,
    /// The privacy unit.
    pub unit: PrivacyUnit,
    /// The neighbours.
    pub adjacency: Adjacency,
}

/// The release of a group.
#[derive(Debug, Clone, Deserialize)]
pub struct Group {
    /// Its name.
    pub group: String,
    /// The release about it.
    pub release: Box<PublishedRelease>,
}

/// The required form of a file.
const EXPECTED: &str = "a .json file that karcher wrote";

impl Document {
    /// Parses a text; `name` is the name of its file in errors and on pages.
    ///
    /// # Errors
    /// For a text that is not a release, a count, a collection or a list of groups.
    pub fn read(name: &str, json: &str) -> Result<Self> {
        let no_release = |problem: &dyn std::fmt::Display| {
            Error::new(format!("{name} is no release ({problem}): expected {EXPECTED}"))
        };
        let value: serde_json::Value = serde_json::from_str(json).map_err(|error| {
            Error::new(format!("{name} is no release, but no JSON at all ({error}): expected {EXPECTED}"))
        })?;
        if value.get("spec").is_some_and(serde_json::Value::is_number) {
            let advice = "`karcher run` makes a release of it";
            return Err(Error::new(format!("{name} is a specification, and no release yet: {advice}")));
        }
        let predictions = value.get("predictions").map(Vec::<Prediction>::deserialize).transpose();
        let content = if value.get("groups").is_some() {
            Groups::deserialize(value).map(Content::Groups)
        } else {
            match value.get("statistic").and_then(serde_json::Value::as_str) {
                Some("count") => ReleasedCount::deserialize(value).map(Content::Count),
                Some("collected-mean") => Collected::deserialize(value).map(|all| Content::Collected(Box::new(all))),
                _ => PublishedRelease::deserialize(value)
                    .and_then(|one| Ok(Content::Release(Box::new(one), predictions?.unwrap_or_default()))),
            }
        };
        let content = content.map_err(|error| no_release(&error))?;
        if let Content::Count(ReleasedCount { schema, .. }) = &content
            && *schema != SCHEMA
        {
            return Err(no_release(&format!("this is a count of schema {schema}; this version reads schema {SCHEMA}")));
        }
        if let Content::Collected(all) = &content {
            check_value(all).map_err(|error| no_release(&error))?;
        }
        if let Content::Groups(Groups { groups, .. }) = &content
            && groups.is_empty()
        {
            return Err(no_release(&"it has no groups"));
        }
        Ok(Self { name: name.to_owned(), json: json.to_owned(), content })
    }

    /// The release in it. A collected mean is one, too.
    ///
    /// # Errors
    /// For a count and for several groups; for a collected mean, those of [`as_release`].
    pub fn release(&self) -> Result<PublishedRelease> {
        match &self.content {
            Content::Release(release, _) => Ok((**release).clone()),
            Content::Collected(all) => as_release((**all).clone()),
            Content::Count(_) => {
                Err(Error::new("a count has no picture: there are of means, medians, balls, regressions and quantiles"))
            }
            Content::Groups(_) => Err(Error::new("each group has a picture of its own")),
        }
    }

    /// The released numbers of the document by names, a row of a table each: one, or as many as there are clusters or
    /// groups.
    pub fn cells(&self) -> Vec<Cells> {
        let of = |release: &PublishedRelease| {
            let how = &release.provenance;
            cells(&facts(release, &Style::of(how)), how.manifold.manifold().ok().as_deref())
        };
        match &self.content {
            Content::Release(release, _) => of(release),
            Content::Count(count) => cells(&count.facts(), None),
            Content::Collected(all) => cells(&all.facts(), all.manifold.manifold().ok().as_deref()),
            Content::Groups(groups) => groups.groups.iter().flat_map(|group| of(&group.release)).collect(),
        }
    }

    /// The document in a few sentences for a paper, with four digits: the value, the guarantee, the region, the ball
    /// and the flags.
    pub fn sentence(&self) -> String {
        match &self.content {
            Content::Release(release, _) => release.sentence(),
            Content::Count(count) => count.sentence(),
            Content::Collected(all) => all.sentence(),
            Content::Groups(groups) => {
                let names: Vec<&str> = groups.groups.iter().map(|group| group.group.as_str()).collect();
                format!(
                    "Private means were released for {} groups by {}: {} ({}, of all groups together).",
                    names.len(),
                    groups.by,
                    names.join(", "),
                    Symbols(groups.guarantee)
                )
            }
        }
    }

    /// The facts of the document in two columns: the answer and what a reader has to know, or all details.
    pub fn text(&self, details: bool) -> String {
        let of = |text: &dyn std::fmt::Display| if details { format!("{text:#}") } else { text.to_string() };
        match &self.content {
            Content::Release(release, _) => of(&**release),
            Content::Count(count) => of(count),
            Content::Collected(all) => of(&**all),
            Content::Groups(groups) => {
                let one = |group: &Group| format!("{}\n{}", group.group, of(&*group.release));
                groups.groups.iter().map(one).collect::<Vec<_>>().join("\n\n")
            }
        }
    }

    /// Its joint guarantee.
    pub(crate) fn guarantee(&self) -> Guarantee {
        match &self.content {
            Content::Release(release, _) => release.provenance.guarantee,
            Content::Count(count) => count.guarantee,
            Content::Collected(all) => all.guarantee,
            Content::Groups(groups) => groups.guarantee,
        }
    }

    /// The unit and the neighbours that it protects.
    pub(crate) fn protects(&self) -> Protects {
        let (unit, adjacency) = match &self.content {
            Content::Release(release, _) => (release.provenance.unit, release.provenance.adjacency),
            Content::Count(count) => (count.unit, count.adjacency),
            Content::Collected(all) => (all.unit, Adjacency::ReplaceOne),
            Content::Groups(groups) => (groups.unit, groups.adjacency),
        };
        Protects { unit, adjacency }
    }

    /// Its entry in the ledger that counted it, if any.
    pub(crate) fn entry(&self) -> Option<&LedgerEntry> {
        match &self.content {
            Content::Release(release, _) => release.provenance.ledger.as_ref(),
            Content::Count(count) => count.ledger.as_ref(),
            Content::Collected(_) => None,
            Content::Groups(groups) => groups.groups.first()?.release.provenance.ledger.as_ref(),
        }
    }

    /// The releases in it.
    pub(crate) fn releases(&self) -> Vec<&PublishedRelease> {
        match &self.content {
            Content::Release(release, _) => vec![release],
            Content::Groups(groups) => groups.groups.iter().map(|group| &*group.release).collect(),
            Content::Count(_) | Content::Collected(_) => vec![],
        }
    }

    /// The numerics that the proofs of all its parts cover.
    pub(crate) fn numerics(&self) -> Vec<Numerics> {
        match &self.content {
            Content::Count(count) => vec![count.numerics],
            Content::Collected(all) if all.flags.contains(&Flag::IdealizedNumerics) => vec![Numerics::Idealized],
            Content::Collected(_) => vec![Numerics::Exact],
            Content::Release(..) | Content::Groups(_) => {
                self.releases().into_iter().map(|release| release.provenance.numerics).collect()
            }
        }
    }

    /// Whether its noise can be reproduced, so that it is not private.
    pub(crate) fn is_seeded(&self) -> bool {
        match &self.content {
            Content::Count(count) => count.seeded,
            Content::Collected(all) => all.flags.contains(&Flag::Seeded),
            Content::Release(..) | Content::Groups(_) => {
                self.releases().into_iter().any(|release| release.provenance.flags.contains(&Flag::Seeded))
            }
        }
    }

    /// The versions of karcher that made its releases.
    pub(crate) fn versions(&self) -> Vec<&str> {
        match &self.content {
            Content::Count(count) => vec![&count.karcher],
            Content::Release(..) | Content::Groups(_) | Content::Collected(_) => {
                self.releases().into_iter().map(|release| &*release.provenance.karcher).collect()
            }
        }
    }

    /// Its kind, and the name of its file on pages that have several.
    pub(crate) fn title_of_several(&self) -> String {
        format!("{} ({})", self.title(), self.name)
    }

    /// Its kind, in a few words.
    pub(crate) fn title(&self) -> String {
        match &self.content {
            Content::Release(release, _) => subject::title(&release.provenance),
            Content::Count(count) => format!("Private number of {}s", count.unit),
            Content::Collected(all) => format!("Collected mean on {}", all.manifold),
            Content::Groups(groups) => {
                let what = groups.groups.first().map(|group| subject::title(&group.release.provenance));
                format!("{} in {} groups", what.unwrap_or_default(), groups.groups.len())
            }
        }
    }
}

/// Refuses a collection whose value has another length than a point of its ball.
fn check_value(collected: &Collected) -> Result<()> {
    let (center, value) = (collected.ball.center(), &collected.value);
    let is_of_space = collected.manifold == *collected.ball.space() && center.len() == value.len();
    if !is_of_space || value.iter().any(|x| !x.is_finite()) {
        return Err(Error::new(format!("the value must be {} finite numbers, as the ball's center is", center.len())));
    }
    Ok(())
}

/// A collected mean as a release: the whole of it gives each person the same guarantee.
///
/// # Errors
/// For a space that the library lacks, and for a value that is not a point of it.
pub fn as_release(collected: Collected) -> Result<PublishedRelease> {
    let manifold = collected.manifold.manifold()?;
    check_value(&collected)?;
    manifold
        .check_point(&collected.value)
        .map_err(|error| Error::new(format!("the value of the collection: {error}")))?;
    let point = PrivatePoint {
        value: collected.value,
        noisy_value: None,
        noisy_coordinates: None,
        logarithm: None,
        region: None,
        spread: None,
        components: None,
        extrinsic: None,
    };
    let provenance = Provenance {
        schema: SCHEMA,
        karcher: env!("CARGO_PKG_VERSION").into(),
        statistic: StatisticName::FrechetMean,
        manifold: collected.manifold,
        n: Some(collected.n),
        n_guess: None,
        private_count: None,
        guarantee: collected.guarantee,
        also: vec![],
        unit: collected.unit,
        adjacency: Adjacency::ReplaceOne,
        mechanism: MechanismName::Chart,
        scale: collected.scale,
        sensitivity: ReleasedSensitivity {
            value: 2.0 * collected.ball.radius(),
            bound: ReleasedBound::ClippedGradient,
        },
        noise: vec![], // each report has its own
        ball: collected.ball,
        numerics: Numerics::Exact,
        lattice: 0.0,
        expected_distance: collected.expected_distance,
        bias_bound: collected.bias_bound,
        steps: None,
        located: None,
        ledger: None,
        ledgers: vec![],
        layout: None,
        columns: vec![],
        template: None,
        trust: None,
        series: None,
        spec: None,
        flags: collected.flags,
    };
    Ok(PublishedRelease { provenance, value: Value::Point(point) })
}
