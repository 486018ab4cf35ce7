//! Runs a specification on the records of files: what every command that releases something does.

mod content;
mod groups;

use crate::Failure;
use crate::input::Input;
use crate::length::Length;
use crate::mechanism::outdone;
use crate::opened::{Extra, Opened};
use crate::options::warn_if_weak;
use crate::output::progress_bar;
use crate::output_options::Delivery;
use crate::plot::{Picture, draw_after};
use crate::predictions::{Asked, PredictedRow, Prediction, predicted_rows};
use crate::saving::{Saving, hand_over};
use indicatif::ProgressBar;
use karcher::facts::{Fact, Style, facts};
use karcher::features::{CovariateColumn, Features, Term};
use karcher::list::quoted;
use karcher::release::{PartName, PublishedRelease, StatisticName};
use karcher::spec::{BallSpec, GroupsSpec, MechanismChoice, NumericsPolicy};
use karcher::{Manifold, Release, ReleaseSpec};
use karcher_io::{Covariate, EIGHT_DIGITS, year_within};
use serde_json::Value;
use std::path::Path;

/// What is said of a center that is the default one.
pub const DEFAULT_CENTER: &str = " (the default center; --center chooses another)";

/// What a command adds to its specification, for printing: nothing that the release depends on.
pub struct Told<'a> {
    /// Files that are read besides the records: nothing may be written over them.
    pub other_files: Vec<&'a str>,
    /// The radius as it was given: its unit is that of printed distances.
    pub radius: Length,
    /// The same for the bounds of a regression, of its slope and its residuals.
    pub bounds: [Length; 2],
    /// Whether the center is the default one.
    pub is_default_center: bool,
    /// Where to predict, as it was typed.
    pub predict_at: &'a [String],
    /// The file of a picture.
    pub plot: Option<&'a Path>,
}

/// The columns that are read in addition to the numbers of a record.
pub fn extra<'a>(spec: &'a ReleaseSpec, predictor: Option<&'a str>) -> Result<Extra<'a>, Failure> {
    let extra = extra_of_groups(spec.groups.as_ref());
    Ok(match (spec.predictor_range, predictor, &spec.features) {
        (Some(range), Some(_), _) => {
            // no number of the range has as many digits as a date
            Extra { predictor, eight_digits_are_numbers: range.high() >= EIGHT_DIGITS, ..extra }
        }
        (Some(_), None, _) => return Err("--predictor is missing: the specification is one of a regression".into()),
        (None, Some(_), _) => {
            return Err(format!("--predictor belongs to a geodesic regression, not to a {}", spec.statistic).into());
        }
        (None, None, Some(features)) if features.is_matrix() => {
            return Err("the specification has a matrix of features, which only Python takes: give terms".into());
        }
        (None, None, Some(features)) => {
            let covariates = features.columns().into_iter().map(|CovariateColumn { name, levels }| {
                let dates = holds_years(features, &name);
                let column = quoted(&name, &[',']);
                Covariate { column, levels, dates }
            });
            Extra { covariates: covariates.collect(), ..extra }
        }
        (None, None, None) => extra,
    })
}

/// The column that assigns records to groups, if there are any.
pub fn extra_of_groups(groups: Option<&GroupsSpec>) -> Extra<'_> {
    Extra { group: groups.map(|groups| groups.by.as_str()), ..Extra::default() }
}

/// Whether eight digits in a column are a date, because no range of it has such a number.
pub fn holds_years(features: &Features, column: &str) -> bool {
    let mut ranges = features.terms().iter().flat_map(Term::ranges);
    ranges.all(|(name, range)| name != column || range.high() < EIGHT_DIGITS)
}

/// Releases the statistic of a specification. Everything that can be refused is refused before the records are read.
pub fn release(
    spec: &ReleaseSpec,
    input: &Input,
    opened: Opened<'_>,
    delivery: &Delivery,
    told: &Told<'_>,
) -> Result<(), Failure> {
    if delivery.spec_only {
        return crate::output_options::print_spec(spec);
    }
    spec.check_plan()?;
    let (manifold, ball) = (spec.manifold()?, spec.public_ball()?);
    let asked = Asked::read(told.predict_at, spec)?;
    if spec.groups.is_some() {
        if !told.predict_at.is_empty() {
            return Err("--predict-at does not go with groups: coefficients and effects of each are in --json".into());
        }
        if told.plot.is_some() {
            return Err("--plot does not go with groups: draw one group with karcher plot GROUPS.json:GROUP".into());
        }
        return groups::release(spec, input, opened, (delivery, told), asked);
    }
    let read_files = [input.files(), told.other_files.clone()].concat();
    delivery.account.check(&read_files, &[delivery.output.as_deref(), told.plot], spec.adjacency)?;
    if spec.statistic == StatisticName::Ball {
        content::check_holds_ball(delivery.output.as_deref())?;
    }
    let saving = Saving::open(delivery.output.as_deref(), delivery.force, &read_files)?;
    let picture = Picture::open(told.plot, &*manifold, spec.statistic, delivery.force, &read_files)?;

    let layout = opened.layout.clone();
    let is_scored = opened.extra.scored.is_some();
    let records = match (spec.predictor_range, &spec.features) {
        (Some(range), _) => input.observations(opened, (&manifold, &ball), range)?,
        (None, Some(_)) => input.with_features(opened, &spec.on_features()?, &spec.first_queries()?)?,
        (None, None) => match &spec.score {
            Some(score) if is_scored => input.scored(opened, score, (&manifold, &ball), &spec.first_queries()?)?,
            _ => input.records(opened, (&manifold, &ball), &spec.first_queries()?)?,
        },
    };
    let n = spec.n_guess.unwrap_or(records.count());
    let plan = spec.plan(n)?;
    warn_if_weak(spec.budget, n);
    plan.check(&*records)?;
    let mut context = delivery.account.context(&plan.summary().event().of(records.unit()))?;
    let bar = plan.summary().chain_steps.map(progress_bar);
    let progress = |more: usize| bar.iter().for_each(|bar| bar.inc(more as u64));
    let release = plan.run_with_progress(&*records, &mut context, &progress)?;
    bar.iter().for_each(ProgressBar::finish_and_clear);
    let counted = delivery.account.settle(&release);

    let predictions = match asked {
        Asked::Predictors(at) => Predictions::Points(predictions(&release, &*manifold, &at)),
        Asked::Rows(at) => Predictions::Rows(predicted_rows(&release, &at)?),
    };
    let mut content = content::content(&release, &*manifold, &predictions, &layout)?;
    input.flag(&mut content.json, spec.adjacency);
    let published = as_written(&content.json, &release);
    let style = Style {
        layout: Some(layout),
        lengths: told.radius.lengths(),
        bounds: told.bounds.map(Length::lengths),
        of_default_center: if told.is_default_center { DEFAULT_CENTER } else { "" },
        kept: saving.as_ref().map(Saving::kept).unwrap_or_default(),
        ..predictions.style()
    };
    let mut facts = [facts(&published, &style), counted].concat();
    facts.extend(better_by_name(spec, &release, n).map(|better| {
        let words = better.words(told.radius);
        Fact::note(format!("{words}; --mechanism auto requires a proof for the exact output bits"))
    }));
    let printed = delivery.printing.printed(&content.json, &facts, || published.sentence());
    hand_over(saving, &content, &printed)?;
    draw_after(picture, &content.json)
}

/// The release as its JSON has it, with how records were read.
pub fn as_written(json: &Value, release: &Release) -> PublishedRelease {
    serde_json::from_value(json.clone()).unwrap_or_else(|_| PublishedRelease::from(release.clone()))
}

/// Predictions of a regression.
enum Predictions {
    /// Of a geodesic.
    Points(Vec<Prediction>),
    /// On features.
    Rows(Vec<PredictedRow>),
}

impl Predictions {
    /// How they are printed.
    fn style(self) -> Style<'static> {
        let words = |row: PredictedRow| (row.at.words() + &row.at.notes(), row.estimate);
        match self {
            Self::Points(points) => {
                Style { predict_at: points.iter().map(|point| point.at).collect(), ..Style::default() }
            }
            Self::Rows(rows) => Style { predictions: rows.into_iter().map(words).collect(), ..Style::default() },
        }
    }
}

/// Predictions of a regression at values of the predictor, which may be dates in eight digits.
fn predictions(release: &Release, manifold: &dyn Manifold, at: &[f64]) -> Vec<Prediction> {
    let Some(geodesic) = release.geodesic() else { return vec![] };
    let at: Vec<f64> = at.iter().map(|x| year_within(*x, geodesic.predictor_range.high())).collect();
    crate::predictions::predictions(geodesic, manifold, &at)
}

/// A mechanism that has to be named, although it promises a far smaller error than the one that `auto` took for a mean:
/// judged by public quantities alone.
fn better_by_name(spec: &ReleaseSpec, release: &Release, n: usize) -> Option<crate::mechanism::Outdone> {
    let is_auto = spec.mechanism == MechanismChoice::Auto && spec.numerics == NumericsPolicy::Exact;
    // on other spaces noise in the chart is at most a little longer than noise around the mean
    let is_bent = spec.manifold().ok()?.curvature().lower < 0.0;
    if !is_auto || spec.statistic != StatisticName::FrechetMean || !is_bent {
        return None;
    }
    let located = release.provenance().located.as_ref();
    let of_mean = located.and_then(|located| located.ball.parts.iter().find(|part| part.part == PartName::Mean));
    let budget = of_mean.map_or(spec.budget, |part| part.guarantee);
    let in_ball =
        ReleaseSpec { ball: Some(BallSpec::from(release.ball())), budget, expected_spread: None, ..spec.clone() };
    outdone(&in_ball.candidates(n).ok()?)
}
