//! A release in words: the lines that the command, Python and R print.
//!
//! The value comes first, then the space, the guarantee, the noise, the ball and the expected error. Promises,
//! sensitivities and regions are rounded up, noise that was drawn is rounded down.

mod ball;
mod clusters;
mod components;
mod expected_error;
mod extrinsic;
mod features;
mod lengths;
mod located_ball;
mod mean;
pub mod numbers;
mod plan;
mod record;
mod regression;
mod spread;
mod variance;

pub use ball::around;
pub use lengths::Lengths;
pub use mean::{EXTRINSIC, MEAN, accuracy};
pub use spread::notes as spread_notes;

use crate::manifold::{Layout, Manifold};
use crate::mechanism::Estimate;
use crate::release::{Provenance, PublishedRelease, Value, also_words};
use numbers::{aligned, digits_down, digits_up, point, point_rows, told};
use std::fmt;

/// Lines of a table: a name, empty where the line above goes on, and words.
pub type Lines = Vec<(String, String)>;

/// A line of a table.
pub fn line(name: impl Into<String>, words: impl Into<String>) -> (String, String) {
    (name.into(), words.into())
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
}

/// A release, its space if the library has it, and how to print it.
struct Described<'a> {
    how: &'a Provenance,
    space: Option<&'a dyn Manifold>,
    style: &'a Style<'a>,
}

impl Described<'_> {
    /// Numbers in a row of a point.
    fn row(&self, numbers: &[f64]) -> usize {
        self.space.map_or(numbers.len(), |space| space.shape().row_len())
    }

    /// A point on one line.
    fn point(&self, numbers: &[f64], abridged: bool) -> String {
        point(numbers, self.row(numbers), abridged)
    }

    /// A point in the layout of the records, if results are printed in it.
    fn told(&self, numbers: &[f64]) -> Option<String> {
        told(self.style.layout.as_ref()?, numbers)
    }

    /// Says where all numbers of a point are, if it is abridged.
    fn abridged(&self, numbers: &[f64]) -> Option<(String, String)> {
        let place = self.style.kept.name().filter(|_| self.point(numbers, false) != self.point(numbers, true))?;
        Some(line("", format!("(abridged: all {} numbers are in {place})", numbers.len())))
    }

    /// Space, number of records, guarantee, and who has to be honest: of every release.
    fn promise(&self) -> Lines {
        let how = self.how;
        let mut lines = vec![
            line("space", format!("{}, {}", how.manifold, how.how_many())),
            line("guarantee", format!("{}, {}", how.guarantee, how.neighbours())),
        ];
        lines.extend(also_words(&how.also).map(|words| line("also", words)));
        lines.extend(how.trust.as_ref().map(|trust| line("trust", format!("{trust} has to be honest"))));
        lines
    }

    /// The scale of the noise and the sensitivity, at most where later steps may have less.
    fn noise(&self, at_most: &str) -> Lines {
        let (how, sensitivity) = (self.how, &self.how.sensitivity);
        vec![
            line("mechanism", format!("{}, scale {at_most}{}", how.mechanism, digits_down(how.scale))),
            line("sensitivity", format!("{at_most}{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)),
        ]
    }

    /// A number of records, in words, where it is a guess.
    fn guessed(&self) -> String {
        // with a public number there is none
        self.how.n_guess.map(|n| format!(", for the guess of {n} records")).unwrap_or_default()
    }
}

/// A release in words, without the notes that its flags are.
pub fn lines(release: &PublishedRelease, style: &Style<'_>) -> Lines {
    let how = &release.provenance;
    let space = how.manifold.manifold().ok();
    let of = Described { how, space: space.as_deref(), style };
    match &release.value {
        Value::Point(value) => mean::describe(&of, value),
        Value::Geodesic(value) => regression::describe(&of, value),
        Value::Features(value) => features::describe(&of, value, release),
        Value::Ball(value) => located_ball::describe(&of, value),
        Value::Variance(value) => variance::describe(&of, value),
        Value::Clusters(value) => clusters::describe(&of, value),
        Value::Record(value) => record::describe(&of, value),
    }
}

/// What a reader has to know beyond the guarantee.
pub fn notes(release: &PublishedRelease) -> Lines {
    let mut notes = match &release.value {
        Value::Point(point) => point.spread.as_deref().map(spread::notes).unwrap_or_default(),
        Value::Geodesic(_)
        | Value::Features(_)
        | Value::Ball(_)
        | Value::Variance(_)
        | Value::Clusters(_)
        | Value::Record(_) => vec![],
    };
    notes.extend(release.provenance.flags.iter().map(|flag| line("note", flag.to_string())));
    notes
}

impl fmt::Display for PublishedRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [lines(self, &Style::of(&self.provenance)), notes(self)].concat();
        f.write_str(aligned(&lines).trim_end())
    }
}

impl fmt::Display for crate::Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PublishedRelease::from(self.clone()).fmt(f)
    }
}
