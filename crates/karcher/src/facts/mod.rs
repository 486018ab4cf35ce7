//! The facts of a release: the released numbers in words, once, for every face.
//!
//! Each statistic lists its facts, the answer first. The command, Python and R print them in two columns, and a report
//! shows them in tables. The sentence for a paper is made of those that are clauses. Promises, sensitivities and
//! regions are rounded up, noise that was drawn is rounded down; all digits are in the JSON.

mod ball;
mod clusters;
mod components;
mod count;
mod covariance;
mod expected_error;
mod extrinsic;
mod features;
mod lengths;
mod local;
mod located_ball;
mod mean;
pub mod numbers;
mod place;
mod plan;
mod quantiles;
mod regression;
mod score;
mod sentence;
mod spread;
mod table;
mod variance;

pub use ball::around;
pub use expected_error::{accuracy, bias};
pub use lengths::Lengths;
pub use place::{angles, is_of_places, place};
pub use table::{Cells, cells};

use crate::manifold::{Layout, Manifold, Shape};
use crate::mechanism::Estimate;
use crate::release::{Provenance, PublishedRelease, StatisticName, Value, also_words};
use numbers::{aligned, point, point_rows, short_down, short_up, told_to};
use std::fmt;

/// One thing that a release says.
///
/// ```
/// use karcher::facts::{Fact, Level, text};
/// let facts = [Fact::detail("ball", "radius 1"), Fact::answer("private mean", "0.5")];
/// assert_eq!((facts[1].level, &*text(&facts, false)), (Level::Answer, "private mean  0.5\n"));
/// assert_eq!(text(&facts, true), "private mean  0.5\nball          radius 1\n");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its name; empty where it goes on with the fact above.
    pub name: String,
    /// The words, with numbers that are rounded to the side that they promise.
    pub words: String,
    /// Where it is shown.
    pub level: Level,
    /// Whether the words are a clause, which the sentence for a paper repeats.
    pub is_clause: bool,
    /// The released numbers in it, with all digits, by names.
    pub numbers: Vec<(String, Numbers)>,
}

/// Where a fact is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Always, and first.
    Answer,
    /// On request: how the release was made.
    Detail,
    /// Always, and last: what a reader has to know.
    Note,
}

/// Released numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// A number.
    One(f64),
    /// The coordinates of a point, or of a tangent vector.
    Point(Vec<f64>),
}

impl Fact {
    fn new(level: Level, name: impl Into<String>, words: impl Into<String>) -> Self {
        Self { name: name.into(), words: words.into(), level, is_clause: false, numbers: vec![] }
    }

    /// A fact of the answer.
    pub fn answer(name: impl Into<String>, words: impl Into<String>) -> Self {
        Self::new(Level::Answer, name, words)
    }

    /// A fact that is shown on request.
    pub fn detail(name: impl Into<String>, words: impl Into<String>) -> Self {
        Self::new(Level::Detail, name, words)
    }

    /// What a reader has to know.
    pub fn note(words: impl Into<String>) -> Self {
        Self::new(Level::Note, "note", words)
    }

    /// The same, repeated in the sentence for a paper.
    fn clause(self) -> Self {
        Self { is_clause: true, ..self }
    }

    fn at(self, level: Level) -> Self {
        Self { level, ..self }
    }

    fn with(mut self, name: impl Into<String>, numbers: Numbers) -> Self {
        self.numbers.push((name.into(), numbers));
        self
    }

    fn with_point(self, name: &str, point: &[f64]) -> Self {
        self.with(name, Numbers::Point(point.to_vec()))
    }

    fn with_interval(self, name: &str, value: f64, [low, high]: [f64; 2]) -> Self {
        let end = |end| format!("{name}_{end}");
        self.with(name, Numbers::One(value)).with(end("low"), Numbers::One(low)).with(end("high"), Numbers::One(high))
    }
}

/// Names and words, as [`numbers::aligned`] prints them.
pub type Lines = Vec<(String, String)>;

/// A name and words.
pub fn line(name: impl Into<String>, words: impl Into<String>) -> (String, String) {
    (name.into(), words.into())
}

/// Facts in two columns: the answer, the details if they are wanted, and the notes.
pub fn text(facts: &[Fact], details: bool) -> String {
    let mut shown: Vec<&Fact> = facts.iter().filter(|fact| details || fact.level != Level::Detail).collect();
    shown.sort_by_key(|fact| fact.level);
    aligned(&shown.into_iter().map(|fact| line(&fact.name, &fact.words)).collect::<Lines>())
}

/// How a release is printed: what its numbers do not depend on.
#[derive(Default)]
pub struct Style<'a> {
    /// The layout of points, and the one in which degrees are printed.
    pub layout: Option<Layout>,
    /// The unit of lengths.
    pub lengths: Lengths,
    /// The units of the bounds of a slope and of residuals.
    pub bounds: [Lengths; 2],
    /// What is said of a center that is the default one.
    pub of_default_center: &'a str,
    /// Where the numbers of long points are, which are then abridged.
    pub kept: Kept<'a>,
    /// Predictions of a regression on features, with the covariates in words.
    pub predictions: Vec<(String, Estimate)>,
    /// Values of the predictor at which a geodesic predicts. Without any, both ends and the middle of the range.
    pub predict_at: Vec<f64>,
}

/// Where all numbers of a release are.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub enum Kept<'a> {
    /// In the text alone.
    #[default]
    Here,
    /// The value, or the predictions, in a file of this name.
    Value(&'a str),
    /// Everything, in a place of this name.
    All(&'a str),
}

impl Kept<'_> {
    /// The name of the place that has the value.
    fn name(&self) -> Option<&str> {
        match self {
            Kept::Here => None,
            Kept::Value(name) | Kept::All(name) => Some(name),
        }
    }
}

impl Style<'_> {
    /// That of a release by itself: degrees where its records had them.
    pub fn of(how: &Provenance) -> Self {
        let layout = how.layout.as_deref().zip(how.manifold.manifold().ok());
        let layout = layout.and_then(|(name, space)| {
            let layout = space.layouts().into_iter().find(|layout| layout.name() == name)?;
            Some((Lengths::of(Some(&layout), &*space), layout))
        });
        let (lengths, layout) = layout.unzip();
        let lengths = lengths.unwrap_or_default();
        Self { layout, lengths, bounds: [lengths; 2], kept: Kept::All("the JSON of the release"), ..Self::default() }
    }

    /// That of the sentence for a paper: kilometers on the Earth, and degrees where distances are angles.
    fn of_paper(how: &Provenance) -> Self {
        let lengths = Lengths::of_paper(how);
        Self { lengths, bounds: [lengths; 2], ..Self::of(how) }
    }
}

/// A release, its space if the library has it, and how to print it.
struct Of<'a> {
    how: &'a Provenance,
    space: Option<&'a dyn Manifold>,
    style: &'a Style<'a>,
    lengths: Lengths,
}

impl Of<'_> {
    /// Numbers in a row of a point.
    fn row(&self, numbers: &[f64]) -> usize {
        self.space.map_or(numbers.len(), |space| space.shape().row_len())
    }

    /// A point on one line.
    fn point(&self, numbers: &[f64], abridged: bool) -> String {
        point(numbers, self.row(numbers), abridged)
    }

    /// A point on one line, in the layout of the records if results are printed in it. Long ones are abridged if they
    /// are kept elsewhere.
    fn place(&self, numbers: &[f64]) -> String {
        self.told(numbers).unwrap_or_else(|| self.point(numbers, self.style.kept.name().is_some()))
    }

    /// A released point below a name: in degrees where the records have them, with its coordinates on request.
    fn value(&self, (name, column): (&str, &str), value: &[f64]) -> Vec<Fact> {
        let abridged = self.style.kept.name().is_some();
        let mut facts: Vec<Fact> = match self.told(value) {
            Some(place) if self.in_degrees() => {
                let coordinates = self.rows("coordinates", value, abridged).into_iter();
                let details = coordinates.map(|fact| fact.at(Level::Detail));
                std::iter::once(Fact::answer(name, place)).chain(details).collect()
            }
            told => {
                let rows = self.rows(name, value, abridged);
                // next to a matrix, and to what an extrinsic mean has in its answer, it is a detail
                let is_short = rows.len() == 1 && self.how.statistic != StatisticName::ExtrinsicMean;
                let in_layout = |place| match is_short {
                    true => Fact::answer("", place),
                    false => Fact::detail("in the layout", place),
                };
                let place = told.map(in_layout);
                rows.into_iter().chain(self.abridged(value)).chain(place).collect()
            }
        };
        facts.first_mut().into_iter().for_each(|first| *first = first.clone().with_point(column, value));
        facts
    }

    /// The numbers of a point below a name: a row of a matrix a line, and landmarks on one.
    fn rows(&self, name: &str, numbers: &[f64], abridged: bool) -> Vec<Fact> {
        if self.space.is_some_and(|space| matches!(space.shape(), Shape::Landmarks(_))) {
            return vec![Fact::answer(name, self.point(numbers, abridged))];
        }
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        let rows = names.zip(point_rows(numbers, self.row(numbers), abridged));
        rows.map(|(name, row)| Fact::answer(name, row)).collect()
    }

    /// Whether points are printed with their angles in degrees.
    fn in_degrees(&self) -> bool {
        self.style.layout.as_ref().is_some_and(numbers::shows_degrees)
    }

    /// A point in the layout of the records, if results are printed in it. The digits of angles follow the expected
    /// error.
    fn told(&self, numbers: &[f64]) -> Option<String> {
        let decimals = 1.0 - self.how.expected_distance.to_degrees().log10().floor();
        told_to(
            self.style.layout.as_ref()?,
            numbers,
            if decimals.is_finite() { decimals.clamp(2.0, 9.0) as usize } else { 4 },
        )
    }

    /// Says where all numbers of a point are, if it is abridged.
    fn abridged(&self, numbers: &[f64]) -> Option<Fact> {
        let place = self.style.kept.name().filter(|_| self.point(numbers, false) != self.point(numbers, true))?;
        Some(Fact::answer("", format!("(abridged: all {} numbers are in {place})", numbers.len())))
    }

    /// An interval of lengths.
    fn between(&self, [low, high]: [f64; 2]) -> String {
        let (low, high) = (self.lengths.words_down(low), self.lengths.words_up(high));
        format!("from {low} to {high} with 95 % confidence")
    }

    /// Number of records, guarantee, and who has to be honest: of every release.
    fn promise(&self) -> Vec<Fact> {
        let how = self.how;
        // a confidential number is released with noise
        let level = if how.private_count.is_some() { Level::Answer } else { Level::Detail };
        let mut facts = vec![
            Fact::answer("guarantee", format!("{}, {}", how.guarantee, how.neighbours())),
            Fact::detail("space", format!("{}, {}", how.manifold, how.how_many())).at(level),
        ];
        facts.extend(also_words(&how.also).map(|words| Fact::detail("also", words)));
        facts.extend(how.series.as_ref().map(|at| Fact::answer("period", at.words())));
        facts.extend(how.trust.as_ref().map(|trust| Fact::answer("trust", format!("{trust} has to be honest"))));
        facts
    }

    /// The noise and the sensitivity, at most where later steps may have less.
    fn noise(&self, at_most: &str) -> Vec<Fact> {
        let (how, sensitivity) = (self.how, &self.how.sensitivity);
        vec![
            Fact::detail("mechanism", format!("{}, scale {at_most}{}", how.mechanism, short_down(how.scale))),
            Fact::detail(
                "sensitivity",
                format!("{at_most}{} ({} bound)", short_up(sensitivity.value), sensitivity.bound),
            ),
        ]
    }

    /// The program that made the release, and the subject of its proof.
    fn made(&self) -> Vec<Fact> {
        let how = self.how;
        let mut facts = vec![Fact::detail("numerics", how.numerics.name())];
        let entries = how.ledger.iter().chain(&how.ledgers);
        facts.extend(entries.map(|at| Fact::detail("ledger", format!("entry {} of {}", at.entry, at.ledger))));
        facts.push(Fact::detail("made by", format!("karcher {}, schema {}", how.karcher, how.schema)));
        facts
    }
}

/// The facts of a release.
pub fn facts(release: &PublishedRelease, style: &Style<'_>) -> Vec<Fact> {
    let how = &release.provenance;
    let space = how.manifold.manifold().ok();
    let of = Of { how, space: space.as_deref(), style, lengths: style.lengths.alone() };
    let own = match &release.value {
        Value::Point(value) => mean::facts(&of, value),
        Value::Geodesic(value) => regression::facts(&of, value),
        Value::Features(value) => features::facts(&of, value, release),
        Value::Ball(value) => located_ball::facts(&of, value),
        Value::Variance(value) => variance::facts(&of, value),
        Value::Covariance(value) => covariance::facts(&of, value),
        Value::Clusters(value) => clusters::facts(&of, value),
        Value::Record(value) => local::facts(&of, value),
        Value::Score(value) => score::facts(&of, value),
        Value::Selection(value) => score::selection(&of, value),
        Value::Quantiles(value) => quantiles::facts(&of, value),
    };
    let flags = how.flags.iter().map(|flag| Fact::note(flag.to_string()));
    own.into_iter().chain(of.made()).chain(flags).collect()
}

/// The answer, and what a reader has to know. The alternate form, `{:#}`, has all details.
impl fmt::Display for PublishedRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(&facts(self, &Style::of(&self.provenance)), f.alternate()).trim_end())
    }
}

impl fmt::Display for crate::Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PublishedRelease::from(self.clone()).fmt(f)
    }
}
