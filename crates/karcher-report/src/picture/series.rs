//! A series over its periods: the released numbers with their bands.

use super::chart::{Axes, WINDOW, range};
use super::frame::{self, Sample, Words};
use super::page::{BLUE, Form, Ink, Page, Panel, Place};
use super::regression::COLORS;
use crate::{Error, Result};
use karcher::release::{PublishedRelease, Symbols, Value};
use karcher::series::SeriesState;
use serde::Deserialize;

/// The most coordinates of a point that are drawn.
const MOST: usize = 4;

/// A number of each period, with an interval.
struct Curve {
    name: String,
    points: Vec<(f64, f64, Option<[f64; 2]>)>,
}

/// The picture of a series so far.
pub fn draw(series: &SeriesState) -> Result<Page> {
    let curves = curves(series)?;
    let Some(first) = curves.first() else { return Err(Error::new("the series has no release yet")) };
    let last = series.shape.periods.max(2) as f64;
    let heights = curves.iter().flat_map(|curve| &curve.points);
    let heights = heights.flat_map(|(_, y, band)| band.unwrap_or([*y, *y]));
    let axes = Axes { x: (1.0, last), y: range(heights, 0.04) };
    let mut panels = vec![axes.grid("period"), Panel::new(WINDOW)];
    let ink = |at: usize| if curves.len() == 1 { BLUE } else { COLORS[at % COLORS.len()] };
    let panel = &mut panels[1];
    for (at, curve) in curves.iter().enumerate() {
        let edge = |end: usize| {
            let each = curve.points.iter().filter_map(move |(x, _, band)| Some((*x, (*band)?[end])));
            each.map(|(x, y)| axes.place(x, y)).collect::<Vec<Place>>()
        };
        let (below, above) = (edge(0), edge(1));
        let band: Vec<Place> = below.into_iter().chain(above.into_iter().rev()).collect();
        if band.len() > 2 {
            panel.add("band", Form::Path(band, true), Ink::fill(ink(at), 0.18));
        }
        let line = curve.points.iter().map(|(x, y, _)| axes.place(*x, *y)).collect();
        panel.add("path", Form::Path(line, false), Ink::line(ink(at), 2.0));
    }
    let mut words = Words::default();
    for (at, curve) in curves.iter().enumerate() {
        words.explain(Sample::Line(Ink::line(ink(at), 2.0)), curve.name.clone());
    }
    if first.points.iter().any(|(.., band)| band.is_some()) {
        words.explain(Sample::Area(Ink::fill(ink(0), 0.18)), "with ≈ 95 % here, in each period by itself:");
        words.say("the number without privacy");
    }
    words.say(format!("{} for all {} periods together", Symbols(series.spec.budget), series.shape.periods));
    if let Some(window) = series.shape.window {
        words.say(format!("each about the last {window} periods"));
    }
    if series.seeded {
        words.say("made with a seed: NOT private");
    }
    let noun = series.spec.statistic.description().noun;
    let space = series.spec.manifold.as_ref().map_or_else(String::new, |space| format!(" on {space}"));
    let so_far = format!("{} of {} periods", series.published.len(), series.shape.periods);
    let mut page = frame::titled(format!("Over time: {noun}{space}"), so_far);
    page.panels.extend(panels);
    frame::add_words(&mut page, words, false);
    Ok(page)
}

/// The numbers of the releases.
fn curves(series: &SeriesState) -> Result<Vec<Curve>> {
    let mut curves: Vec<Curve> = vec![];
    for published in &series.published {
        let Some(release) = &published.release else { continue };
        for (at, (name, number, band)) in numbers(release)?.into_iter().enumerate() {
            if curves.len() == at {
                curves.push(Curve { name, points: vec![] });
            }
            curves[at].points.push((published.period as f64, number, band));
        }
    }
    Ok(curves)
}

type Number = (String, f64, Option<[f64; 2]>);

/// The numbers of a release, each with a name and an interval.
fn numbers(release: &serde_json::Value) -> Result<Vec<Number>> {
    let unreadable = |error: serde_json::Error| Error::new(format!("a release of the series cannot be read: {error}"));
    if release["statistic"] == "count" {
        let count = karcher::release::ReleasedCount::deserialize(release).map_err(unreadable)?;
        return Ok(vec![("private count".to_owned(), count.value, Some(count.interval))]);
    }
    let release = PublishedRelease::deserialize(release).map_err(unreadable)?;
    match &release.value {
        Value::Variance(variance) => {
            let square = variance.mean_square;
            Ok(vec![("private variance".to_owned(), square.value, Some(square.interval))])
        }
        Value::Point(point) => {
            let (how, manifold) = (&release.provenance, release.provenance.manifold.manifold()?);
            let center = how.ball.center();
            let (mut v, mut coordinates) = (vec![0.0; center.len()], vec![0.0; manifold.dim()]);
            manifold.log(center, &point.value, &mut v)?;
            manifold.to_frame(center, &v, &mut coordinates);
            let band = |x: f64| point.region.map(|region| [x - region.radius, x + region.radius]);
            let name = |at: usize| match coordinates.len() {
                1 => "private mean, from the center of the ball".to_owned(),
                _ => format!("coordinate {} of the private mean", at + 1),
            };
            Ok(coordinates.iter().enumerate().take(MOST).map(|(at, x)| (name(at), *x, band(*x))).collect())
        }
        Value::Covariance(found) => {
            let band = |x: f64, half: f64| Some([x - half, x + half]);
            let of = |(at, x): (usize, &f64)| (format!("variance {}", at + 1), *x, band(*x, found.variance_half_width));
            Ok(found.variances.iter().enumerate().take(MOST).map(of).collect())
        }
        Value::Score(score) => Ok(vec![("private score".to_owned(), score.score, Some(score.score_interval))]),
        Value::Geodesic(_)
        | Value::Features(_)
        | Value::Ball(_)
        | Value::Clusters(_)
        | Value::Record(_)
        | Value::Selection(_)
        | Value::Quantiles(_) => {
            Err(Error::new("a series is drawn of means, variances, scores and counts, and not of regressions"))
        }
    }
}
