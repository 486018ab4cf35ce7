//! Coastlines behind releases of latitudes and longitudes. They are public, and the same for all releases.

use super::page::{Color, Form, Ink, Panel};
use super::projection::{Projection, geographic};
use super::thin::thin;
use super::view::View;
use karcher::facts::is_of_places;
use karcher::release::Provenance;

/// Land of Natural Earth, in the public domain; the README of the folder says how the file was made.
const LAND: &str = include_str!("../../coastlines/land.txt");

/// The coasts are off by a quarter of a degree; where less than so many radians are seen they would mislead.
const NARROWEST: f64 = 0.05;

/// Largest distance of a coast from that of the file, in pixels. A quarter of a degree is a pixel on half a globe.
const COARSE: f64 = 1.0;

/// The color of coasts, between that of frames and that of a grid.
const COAST: Color = Color(165, 165, 165);

/// Whether the records of a release are places on the Earth.
pub fn has_places(release: &Provenance) -> bool {
    release.layout.as_deref().is_some_and(is_of_places) && release.manifold.as_str() == "sphere:2"
}

/// Draws the coastlines of the visible half of a globe, if the records of a release are places on the Earth.
pub fn draw(panel: &mut Panel, view: &View, projection: &Projection, release: &Provenance) {
    let is_globe = matches!(projection, Projection::Globe { axes: false, .. });
    if !has_places(release) || !is_globe || view.half < NARROWEST {
        return;
    }
    for run in lines().flat_map(|line| projection.visible(&line)) {
        let places = thin(&view.all_on_page(&run), COARSE);
        panel.add("coast", Form::Path(places, false), Ink::line(COAST, 0.7));
    }
}

/// Coastlines of the Earth as points of the globe, from latitudes and longitudes in tenths of a degree.
fn lines() -> impl Iterator<Item = Vec<Vec<f64>>> {
    let point = |text: &str| {
        let (latitude, longitude) = text.split_once(',')?;
        Some(geographic(latitude.parse::<f64>().ok()? / 10.0, longitude.parse::<f64>().ok()? / 10.0))
    };
    LAND.lines().filter(|line| !line.starts_with('#')).map(move |line| line.split(' ').filter_map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_file_is_read() {
        let places = LAND.lines().skip(1).flat_map(|line| line.split(' ')).count();
        assert_eq!(lines().map(|line| line.len()).sum::<usize>(), places);
        assert!(places > 2000 && LAND.len() < 25_000, "{places}, {}", LAND.len());
    }

    #[test]
    fn no_step_between_places_is_a_jump() {
        for line in lines() {
            for pair in line.windows(2) {
                let cosine: f64 = pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
                assert!(cosine.acos().to_degrees() < 20.0, "{pair:?}");
            }
        }
    }

    #[test]
    fn coasts_end_at_the_horizon_and_none_is_seen_behind_it() {
        for above in [[25.0, 80.0], [-90.0, 0.0], [0.0, 180.0]] {
            let projection = Projection::globe(&geographic(above[0], above[1]), false);
            let mut cut = 0;
            for line in lines() {
                let is_ring = line.first() == line.last();
                for run in projection.visible(&line) {
                    assert!(run.iter().all(|[x, y]| x.hypot(*y) <= 1.0 + 1e-12));
                    let ends = [run[0], run[run.len() - 1]];
                    if is_ring && ends[0] != ends[1] {
                        cut += ends.iter().filter(|[x, y]| x.hypot(*y) > 1.0 - 1e-9).count();
                    }
                }
            }
            assert!(cut > 2, "{above:?}: {cut}");
        }
    }

    #[test]
    fn cairo_is_near_a_coast_and_the_middle_of_the_pacific_is_not() {
        let nearest = |latitude, longitude| {
            let here = geographic(latitude, longitude);
            let cosine = |p: &Vec<f64>| here.iter().zip(p).map(|(a, b)| a * b).sum::<f64>();
            lines().flatten().map(|p| cosine(&p)).fold(-1.0, f64::max).acos().to_degrees()
        };
        let far = nearest(-48.9, -123.4);
        assert!(nearest(30.0, 31.2) < 3.0 && far > 20.0, "{far}");
    }
}
