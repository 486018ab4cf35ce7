//! An item: one figure or table of a paper, computed again, with a verdict on each of the paper's claims about it.

use crate::Failure;
use crate::figure::Figure;
use crate::table::Table;
use indicatif::ProgressBar;
use karcher::sampler::Generator;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A figure or table of a paper.
pub struct Item {
    /// Its name on the command line.
    pub name: &'static str,
    /// The paper, in short.
    pub paper: &'static str,
    /// Its subject.
    pub title: &'static str,
    /// The data file that it needs; it is skipped without it.
    pub needs: Option<&'static str>,
    /// Its computation.
    pub run: fn(&Context) -> Result<Outcome, Failure>,
}

/// The context of an item.
pub struct Context {
    item: &'static str,
    quick: bool,
    data: Option<PathBuf>,
    bar: ProgressBar,
}

/// The outcome of an item.
#[derive(Default)]
pub struct Outcome {
    /// The claims of the paper, and their verdicts.
    pub claims: Vec<Claim>,
    /// All numbers behind the figure.
    pub table: Table,
    /// The figure.
    pub figure: Option<Figure>,
    /// Settings, and their differences from the paper's.
    pub notes: Vec<String>,
    /// The reason why nothing was computed.
    pub skipped: Option<String>,
}

/// A claim of a paper and its verdict.
pub struct Claim {
    /// The claim of the paper.
    pub says: String,
    /// The finding.
    pub found: String,
    /// Whether they agree.
    pub verdict: Verdict,
}

/// Whether a claim holds.
#[derive(Clone)]
pub enum Verdict {
    /// As printed.
    Reproduced,
    /// With a correction: which.
    Corrected(String),
    /// Not: why.
    NotReproduced(String),
}

/// An item with its outcome.
pub struct Report {
    /// The item.
    pub item: &'static Item,
    /// Its outcome.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
}

impl Context {
    /// For one item.
    pub fn new(item: &'static str, quick: bool, data: Option<PathBuf>, bar: ProgressBar) -> Self {
        Self { item, quick, data, bar }
    }

    /// The paper's setting, or a smaller one for a quick run.
    pub fn pick<T>(&self, paper: T, quick: T) -> T {
        if self.quick { quick } else { paper }
    }

    /// A generator of its own for each place that needs one, the same in every run.
    pub fn generator(&self, place: &str, index: usize) -> Generator {
        let text = format!("{} {place} {index}", self.item);
        // FNV-1a: any fixed function of the text will do
        let seed = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Generator::seeded(seed)
    }

    /// The file of a data set, if the folder of data has it.
    pub fn data(&self, file: &str) -> Option<String> {
        let path = self.data.as_ref()?.join(file);
        if path.exists() { path.to_str().map(str::to_owned) } else { None }
    }

    /// Sets the number of steps.
    pub fn expect(&self, steps: usize) {
        self.bar.set_length(steps as u64);
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Outcome {
    /// Nothing was computed.
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self { skipped: Some(reason.into()), ..Self::default() }
    }

    /// Adds a claim.
    pub fn claim(&mut self, says: impl Into<String>, found: impl Into<String>, verdict: Verdict) {
        self.claims.push(Claim { says: says.into(), found: found.into(), verdict });
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

impl Verdict {
    /// Reproduced if `holds`, else not, because of `reason`.
    pub fn when(holds: bool, reason: impl Into<String>) -> Self {
        if holds { Verdict::Reproduced } else { Verdict::NotReproduced(reason.into()) }
    }

    /// In words, and the reason.
    pub fn words(&self) -> (&'static str, &str) {
        match self {
            Verdict::Reproduced => ("reproduced", ""),
            Verdict::Corrected(correction) => ("reproduced with a correction", correction),
            Verdict::NotReproduced(reason) => ("not reproduced", reason),
        }
    }
}

impl Report {
    /// Writes numbers, figure and checks.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let path = |extension: &str| folder.join(format!("{}.{extension}", self.item.name));
        let save = |extension: &str, bytes: &[u8]| {
            let path = path(extension);
            std::fs::write(&path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
        };
        save("json", serde_json::to_string_pretty(&self.checks())?.as_bytes())?;
        if self.outcome.skipped.is_none() {
            save("csv", self.outcome.table.to_csv()?.as_bytes())?;
        }
        if let Some(figure) = &self.outcome.figure {
            save("svg", figure.to_svg()?.as_bytes())?;
            save("png", &figure.to_png()?)?;
        }
        Ok(())
    }

    fn checks(&self) -> Value {
        let claims: Vec<Value> = self.outcome.claims.iter().map(Claim::to_json).collect();
        json!({
            "item": self.item.name,
            "paper": self.item.paper,
            "title": self.item.title,
            "skipped": self.outcome.skipped,
            "claims": claims,
            "notes": self.outcome.notes,
        })
    }
}

impl Claim {
    fn to_json(&self) -> Value {
        let (verdict, reason) = self.verdict.words();
        json!({"paper": self.says, "found": self.found, "verdict": verdict, "reason": reason})
    }
}

/// Mean and standard deviation (over `n − 1`).
pub fn summary(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (square / (n - 1.0).max(1.0)).sqrt())
}

/// Three significant digits.
pub fn digits(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let magnitude = x.abs().log10().floor() as i32;
    if (-4..5).contains(&magnitude) { format!("{x:.*}", (2 - magnitude).max(0) as usize) } else { format!("{x:.2e}") }
}
