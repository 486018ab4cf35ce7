//! The paths of a regression: predictions over the range of a predictor, with the regions of these.

use super::page::{AMBER, BLUE, Color};
use super::view::label;
use crate::{Error, Result};
use karcher::features::{CovariateColumn, Features, Term};
use karcher::mechanism::FeatureModel;
use karcher::release::{PrivateGeodesic, PublishedRelease, Value};
use karcher::{Manifold, PredictorRange};

/// So many predictions make a path.
const STEPS: u32 = 60;
/// Levels beyond these have no path of their own.
const MOST: usize = 4;
/// The colors of paths, one for each level (Okabe and Ito 2008).
pub const COLORS: [Color; MOST] = [BLUE, Color(0, 120, 90), Color(170, 80, 140), AMBER];

/// Predictions over the range of a predictor, in the order of the range. Without a predictor there is one alone.
#[derive(Debug, Clone)]
pub struct Path {
    /// The level that distinguishes it from other paths, as `sex = F`.
    pub level: Option<String>,
    /// Its color.
    pub color: Color,
    /// The predictions.
    pub points: Vec<Prediction>,
}

/// A prediction.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The value of the predictor.
    pub at: f64,
    /// The predicted point.
    pub point: Vec<f64>,
    /// The radius within which the prediction of least squares is with 95 % confidence. A geodesic has none.
    pub radius: Option<f64>,
}

/// The paths of a regression, and what they are over.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The name of the predictor, if there is one.
    pub predictor: Option<String>,
    /// Fixed values of other covariates, as `weight = 70`.
    pub others: Vec<String>,
    /// The paths.
    pub paths: Vec<Path>,
}

impl Paths {
    /// The paths of a release: one of a geodesic, and one for each level of the first covariate with levels. Other
    /// covariates are in the middle of their range, or at their first level. `None` without predictions.
    ///
    /// # Errors
    /// Those of a release whose moments contradict its space.
    pub fn of(release: &PublishedRelease, manifold: &dyn Manifold) -> Result<Option<Self>> {
        match &release.value {
            Value::Geodesic(line) => Ok(Some(of_geodesic(line, manifold))),
            Value::Features(value) if !value.features.is_matrix() => on_features(release, &value.features).map(Some),
            Value::Features(_)
            | Value::Point(_)
            | Value::Ball(_)
            | Value::Variance(_)
            | Value::Covariance(_)
            | Value::Clusters(_)
            | Value::Record(_)
            | Value::Score(_)
            | Value::Selection(_)
            | Value::Quantiles(_) => Ok(None),
        }
    }

    /// The predictions at the ends of the paths.
    pub fn ends(&self) -> Vec<Vec<f64>> {
        let ends = self.paths.iter().flat_map(|path| [path.points.first(), path.points.last()]);
        ends.flatten().map(|prediction| prediction.point.clone()).collect()
    }

    /// The first, the middle and the last prediction of the first path.
    pub fn three(&self) -> Vec<&Prediction> {
        let Some(path) = self.paths.first() else { return vec![] };
        let last = path.points.len().saturating_sub(1);
        let mut places = vec![0, last / 2, last];
        places.dedup();
        places.into_iter().filter_map(|i| path.points.get(i)).collect()
    }

    /// Where a prediction is, in words.
    pub fn place(&self, prediction: &Prediction) -> String {
        match &self.predictor {
            Some(name) => format!("where {name} is {}", label(prediction.at)),
            None => "the prediction".to_owned(),
        }
    }

    /// Whether predictions have regions.
    pub fn has_regions(&self) -> bool {
        self.paths.iter().flat_map(|path| &path.points).any(|prediction| prediction.radius.is_some())
    }
}

fn of_geodesic(line: &PrivateGeodesic, manifold: &dyn Manifold) -> Paths {
    let point = |at: f64| Prediction { at, point: line.predict(manifold, at), radius: None };
    let points = places(line.predictor_range).map(point).collect();
    let paths = vec![Path { level: None, color: BLUE, points }];
    Paths { predictor: Some("the predictor".to_owned()), others: vec![], paths }
}

/// Values of a predictor from end to end.
fn places(range: PredictorRange) -> impl Iterator<Item = f64> {
    let place = move |i: u32| range.low() + (range.high() - range.low()) * f64::from(i) / f64::from(STEPS);
    (0..=STEPS).map(place)
}

fn on_features(release: &PublishedRelease, features: &Features) -> Result<Paths> {
    let model = FeatureModel::of(release).map_err(|error| Error::new(error.to_string()))?;
    let columns = features.columns();
    let ranges: Vec<(&str, PredictorRange)> = features.terms().iter().flat_map(Term::ranges).collect();
    let range =
        |column: &CovariateColumn| ranges.iter().find(|(name, _)| *name == column.name).map(|(_, range)| *range);
    let moves = columns.iter().position(|column| column.levels.is_none());
    let differs = columns.iter().position(|column| column.levels.is_some());
    let shown = differs.and_then(|i| columns[i].levels.as_ref()).map_or(1, |levels| levels.len().clamp(1, MOST));
    let middle = |column: &CovariateColumn| match &column.levels {
        Some(_) => 0.0,
        None => range(column).map_or(f64::NAN, |range| range.middle()),
    };
    let predicted = |at: f64, level: usize| -> Result<Prediction> {
        let mut numbers: Vec<f64> = columns.iter().map(middle).collect();
        if let Some(i) = moves {
            numbers[i] = at;
        }
        if let Some(i) = differs {
            numbers[i] = level as f64;
        }
        let found = model.predict(&features.row_of(&numbers)).map_err(|error| Error::new(error.to_string()))?;
        Ok(Prediction { at, point: found.point, radius: Some(found.region.radius) })
    };
    let over: Vec<f64> = match moves.and_then(|i| range(&columns[i])) {
        Some(range) => places(range).collect(),
        None => vec![0.0],
    };
    let named = |i: usize, level: usize| {
        let levels = columns[i].levels.as_ref()?;
        Some(format!("{} = {}", columns[i].name, levels.get(level)?))
    };
    let path = |level: usize| {
        let points = over.iter().map(|at| predicted(*at, level)).collect::<Result<_>>()?;
        Ok(Path { level: differs.and_then(|i| named(i, level)), color: COLORS[level % MOST], points })
    };
    let fixed = columns.iter().enumerate().filter(|(i, _)| Some(*i) != moves && Some(*i) != differs);
    let others = fixed.filter_map(|(i, column)| match &column.levels {
        Some(_) => named(i, 0),
        None => Some(format!("{} = {}", column.name, label(middle(column)))),
    });
    Ok(Paths {
        predictor: moves.map(|i| columns[i].name.clone()),
        others: others.collect(),
        paths: (0..shown).map(path).collect::<Result<_>>()?,
    })
}

/// A color that is paler on white, without transparency: discs of a band lie upon one another.
pub fn paler(Color(red, green, blue): Color) -> Color {
    let mixed = |c: u8| (255.0 - 0.2 * (255.0 - f64::from(c))).round() as u8;
    Color(mixed(red), mixed(green), mixed(blue))
}
