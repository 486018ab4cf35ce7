//! Features of covariates, and predictions of a regression on them.

use crate::arrays::{Array, array};
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::work::run;
use karcher::features::{CovariateColumn, Features, Term};
use karcher::mechanism::FeatureModel;
use karcher::release::PublishedRelease;
use karcher::{Key, PointsView};
use karcher_io::year_within;
use pyo3::prelude::*;

/// The name of a column, and its levels if it is one of levels.
type Column = (String, Option<Vec<String>>);

/// What features read and are: the columns of covariates, and the names of the features.
#[pyfunction]
pub fn feature_columns(features: &str) -> Result<(Vec<Column>, Vec<String>), Failure> {
    let features = read(features)?;
    let columns = features.columns().into_iter().map(|column| (column.name, column.levels)).collect();
    Ok((columns, features.names()))
}

/// The place of each text in a list of levels; the number of levels where it is none of them, and NaN where it is
/// missing.
#[pyfunction]
pub fn level_places(levels: Vec<String>, texts: Vec<Option<String>>) -> Vec<f64> {
    let keys: Vec<Option<Key>> = levels.iter().map(|level| Key::of(level)).collect();
    let place = |text: String| {
        let key = Key::of(&text);
        keys.iter().position(|level| key.is_some() && *level == key).unwrap_or(levels.len()) as f64
    };
    texts.into_iter().map(|text| text.map_or(f64::NAN, place)).collect()
}

/// Responses with their rows, each in its own ball, so that records of one person can be averaged. A response that is
/// no point becomes the center where such are replaced; its row stays.
#[pyfunction]
pub fn feature_records<'py>(
    py: Python<'py>,
    spec: &str,
    records: &Bound<'py, PyAny>,
    replace_invalid: bool,
) -> Result<Bound<'py, PyAny>, Failure> {
    let regression = crate::spec::read_spec(spec)?.on_features()?;
    let (space, center) = (regression.manifold().clone(), regression.ball().center().to_vec());
    let joint = regression.records().clone();
    let len = joint.point_len();
    let (n, values) = run(py, [Array::new(records)?], move |[values], _| {
        let mut values = values.to_vec();
        for record in values.chunks_exact_mut(len).filter(|_| replace_invalid) {
            let response = &mut record[..space.point_len()];
            if space.check_point(response).is_err() {
                response.copy_from_slice(&center);
            }
        }
        let records = PointsView::unchecked(joint.space(), len, &values);
        let clipped = regression.clipped(records)?.view().values().to_vec();
        Ok((values.len() / len, clipped))
    })?;
    array(py, values, Some(n), &[len])
}

/// The rows of features, from numbers for each column of the covariates: an array of shape `(n, q)`.
#[pyfunction]
pub fn feature_rows<'py>(
    py: Python<'py>,
    features: &str,
    covariates: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let features = read(features)?;
    let (highs, q) = (highest(&features), features.width());
    let (n, rows) = run(py, [Array::new(covariates)?], move |[values], _| {
        let n = values.len() / highs.len();
        let years: Vec<f64> = values.iter().zip(highs.iter().cycle()).map(|(x, high)| year_within(*x, *high)).collect();
        Ok((n, features.rows_of(&years, n)))
    })?;
    array(py, rows, Some(n), &[q])
}

/// The highest end of all ranges of each column. Levels have none, and no column counts as one.
fn highest(features: &Features) -> Vec<f64> {
    let ranges: Vec<_> = features.terms().iter().flat_map(Term::ranges).collect();
    let of_column = |column: CovariateColumn| {
        let own = ranges.iter().filter(|(name, _)| *name == column.name);
        if column.levels.is_some() { f64::INFINITY } else { own.map(|(_, range)| range.high()).fold(0.0, f64::max) }
    };
    let found: Vec<f64> = features.columns().into_iter().map(of_column).collect();
    if found.is_empty() { vec![f64::INFINITY] } else { found }
}

/// Predictions: points, the radii of the regions for least squares and for the population, and whether each says
/// little.
type Predictions<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<bool>);

/// The predictions of a release for rows of features.
#[pyfunction]
pub fn feature_predictions<'py>(
    py: Python<'py>,
    release: &str,
    rows: &Bound<'py, PyAny>,
) -> Result<Predictions<'py>, Failure> {
    let (release, model, shape) = read_model(release)?;
    let q = release_width(&release);
    let found = run(py, [Array::new(rows)?], move |[values], _| {
        Ok(values.chunks_exact(q).map(|row| model.predict(row)).collect::<Result<Vec<_>, _>>()?)
    })?;
    let n = found.len();
    let points = found.iter().flat_map(|estimate| estimate.point.clone()).collect();
    let radii = found.iter().map(|estimate| estimate.region.radius).collect();
    let of_population = found.iter().map(|estimate| estimate.population_region.radius).collect();
    let little = found.iter().map(|estimate| estimate.little_information).collect();
    Ok((
        array(py, points, Some(n), shape.shape())?,
        array(py, radii, Some(n), &[])?,
        array(py, of_population, Some(n), &[])?,
        little,
    ))
}

/// The points alone, which are fast.
#[pyfunction]
pub fn feature_points<'py>(
    py: Python<'py>,
    release: &str,
    rows: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let (release, model, manifold) = read_model(release)?;
    let q = release_width(&release);
    let points = run(py, [Array::new(rows)?], move |[values], _| {
        Ok(values.chunks_exact(q).map(|row| model.point(row)).collect::<Result<Vec<_>, _>>()?)
    })?;
    array(py, points.concat(), Some(points.len()), manifold.shape())
}

/// What the errors of a release follow from: `Ã` and `M`, of shape `(q, q)`, and the standard deviations of the noise
/// on `Ã` and `C̃`.
#[pyfunction]
pub fn feature_design<'py>(py: Python<'py>, release: &str) -> Result<([Bound<'py, PyAny>; 2], [f64; 2]), Failure> {
    let (release, model, _) = read_model(release)?;
    let (q, (design, inverse, deviations)) = (release_width(&release), model.design());
    let matrix = |values: &[f64]| array(py, values.to_vec(), Some(q), &[q]);
    Ok(([matrix(design)?, matrix(inverse)?], deviations))
}

/// A release, its model and its space.
fn read_model(release: &str) -> Result<(PublishedRelease, FeatureModel, PyManifold), Failure> {
    let release: PublishedRelease = serde_json::from_str(release)
        .map_err(|error| Failure::Sentence(format!("the text is not a release: {error}")))?;
    let model = FeatureModel::of(&release)?;
    let manifold = release.provenance.manifold.manifold()?.into();
    Ok((release, model, manifold))
}

/// The number of features of a release.
fn release_width(release: &PublishedRelease) -> usize {
    if let karcher::release::Value::Features(value) = &release.value { value.features.width() } else { 1 }
}

fn read(features: &str) -> Result<Features, Failure> {
    serde_json::from_str(features).map_err(|error| Failure::Sentence(format!("features: {error}")))
}
