//! Pictures of landmarks, those in space seen obliquely: the outline, the public center's, and the uncertainty of each
//! landmark.

use super::components;
use super::frame::{self, CLOSE_UP, MAP, Sample, Words};
use super::oblique;
use super::page::{AMBER, BLUE, Color, Form, GREY, Ink, PALE, Page, Panel, Place};
use super::region::Region;
use super::regression::Paths;
use super::subject;
use super::view::{View, reach, square};
use karcher::Manifold;
use karcher::release::PublishedRelease;

/// The law of a distance is cut into so many parts of one probability.
const PARTS: u32 = 400;
/// A circle of so many pixels is seen without a close-up.
const PLENTY: f64 = 14.0;
/// Halvings that find a radius.
const HALVINGS: u32 = 60;

/// The picture of landmarks with so many coordinates each.
pub fn draw(
    release: &PublishedRelease,
    manifold: &dyn Manifold,
    region: Option<&Region>,
    (axes, paths): (usize, Option<&Paths>),
) -> Page {
    let landmarks = |point: &[f64]| landmarks(point, axes);
    let center = subject::center(release).map(landmarks);
    // the outlines of a regression from the least to the largest value of the predictor
    let outlines: Vec<Vec<Place>> = match paths {
        None => vec![landmarks(subject::point(release))],
        Some(paths) => paths.three().into_iter().map(|prediction| landmarks(&prediction.point)).collect(),
    };
    let varied: Vec<Vec<Place>> = components::ends(release, manifold).iter().map(|end| landmarks(end)).collect();
    let (middle, half) = square(&[outlines.concat(), varied.concat(), center.clone().unwrap_or_default()].concat());
    let view = View { window: MAP, middle, half: 1.15 * half };
    let circles: Vec<(Place, f64)> = region.map_or(vec![], |region| {
        landmarks(&region.middle).into_iter().zip(landmark_radii(region, manifold, axes)).collect()
    });
    let inks = inks(outlines.len());
    let seen = |view: &View, color| {
        let mut panel = Panel::new(view.window);
        frame::border(&mut panel, &view.window, color);
        if let Some(center) = &center {
            outline(&mut panel, "center", &view.all_on_page(center), faint(), 1.8);
        }
        for &(at, radius) in &circles {
            panel.add("region", Form::Circle(view.on_page(at), radius * view.scale()), Ink::fill(BLUE, 0.2));
        }
        for places in &varied {
            panel.add("component", Form::Path(view.all_on_page(places), true), components::ink(1));
        }
        for (places, ink) in outlines.iter().zip(&inks) {
            outline(&mut panel, "value", &view.all_on_page(places), *ink, 2.6);
        }
        if axes == 3 && view.window.width == MAP.width {
            oblique::tripod(&mut panel);
        }
        panel
    };
    let (mut page, mut words) = (frame::page(release), Words::default());
    let mut main = seen(&view, PALE);
    let close = outlines.last().and_then(|outline| close_up(&circles, outline, &view));
    if let Some(close) = &close {
        frame::mark_close_up(&mut main, &view, close, close.middle);
    }
    page.panels.push(main);
    if let Some(close) = &close {
        page.panels.push(seen(close, GREY));
        frame::explain_close_up(&mut page, &view, close, (" of one landmark", ""));
    }
    match paths {
        Some(paths) => {
            for (prediction, ink) in paths.three().into_iter().zip(&inks) {
                words.explain(Sample::Line(*ink), paths.place(prediction));
            }
            words.fixed(&release.provenance, paths);
        }
        None => {
            words.explain(Sample::Line(frame::geodesic()), format!("{} shape", subject::name(release)));
            match (subject::located(release), region) {
                (Some(ball), _) => {
                    words.say(format!("private radius {}", subject::length(&release.provenance, ball.radius)));
                }
                (None, Some(region)) => {
                    let percent = region.percent();
                    words.explain(Sample::Dot(Ink::fill(BLUE, 0.3)), format!("with {percent} noise leaves a landmark"));
                    words.say("here, each by itself, about the noisy mean");
                    let radius = subject::length_up(&release.provenance, region.radius);
                    words.say(format!("(all: within {radius} with {percent})"));
                }
                (None, None) => words.region(release, None, Sample::Dot(frame::region())),
            }
        }
    }
    components::explain(&mut words, release, "first component: a deviation to each side");
    words.center(&release.provenance, Sample::Line(faint()));
    words.facts(&release.provenance);
    if is_turned(manifold) && center.is_some() {
        words.say("turned to fit the center best");
    }
    frame::add_words(&mut page, words, close.is_some());
    page
}

/// A close-up of the landmark with the largest circle, if no circle is larger than the dots.
fn close_up(circles: &[(Place, f64)], outline: &[Place], view: &View) -> Option<View> {
    let (i, &(middle, radius)) = circles.iter().enumerate().max_by(|(_, a), (_, b)| a.1.total_cmp(&b.1))?;
    let off = reach(middle, &[*outline.get(i)?]);
    let close = View { window: CLOSE_UP, middle, half: 1.4 * radius.max(off.min(3.0 * radius)) };
    (radius * view.scale() < PLENTY).then_some(close)
}

fn faint() -> Ink {
    Ink::line(AMBER, 1.2).dashed()
}

/// The inks of the outlines of a mean or of a regression; the last one is darkest.
fn inks(count: usize) -> Vec<Ink> {
    let shades = [Color(150, 197, 226), Color(75, 155, 202), BLUE];
    let first = shades.len() - count.min(shades.len());
    shades.into_iter().skip(first).map(|color| Ink::line(color, 2.0)).collect()
}

/// A closed line through landmarks, each with its dot.
fn outline(panel: &mut Panel, class: &'static str, places: &[Place], ink: Ink, dot: f64) {
    let color = ink.line.map_or(GREY, |(color, _)| color);
    panel.add("outline", Form::Path(places.to_vec(), true), ink);
    places.iter().for_each(|&at| panel.add(class, Form::Circle(at, dot), Ink::fill(color, 1.0)));
}

/// The places of landmarks with so many coordinates each.
fn landmarks(point: &[f64], axes: usize) -> Vec<Place> {
    let place = |x: &[f64]| if let [x, y, z] = *x { oblique::place([x, y, z]) } else { [x[0], x[1]] };
    point.chunks_exact(axes).map(place).collect()
}

/// Whether a shape is drawn as one of the outlines that are turns of each other.
fn is_turned(manifold: &dyn Manifold) -> bool {
    manifold.space().as_str().starts_with("kendall:")
}

/// For each landmark an upper bound of its shift on the page with the probability of the region. It holds to first
/// order in the distance of the shapes.
///
/// The noise has a uniformly distributed direction among those that leave the centroid at 0, and the size and the turn
/// where those are divided out: a unit vector of `R^m`, with `m` the dimension of the space. Landmark `j` shows the
/// component of that vector in a plane, times `aⱼ ≤ √(1 − 1/K)`; on `kendall:K` it is `aⱼ = √(1 − 1/K − |zⱼ|²)`. Such a
/// component exceeds `u` with probability `(1 − u²)^{(m−2)/2}`.
fn landmark_radii(region: &Region, manifold: &dyn Manifold, axes: usize) -> Vec<f64> {
    let k = (region.middle.len() / axes) as f64;
    let exceeds = |u: f64| if u < 1.0 { (1.0 - u * u).powf(0.5 * manifold.dim() as f64 - 1.0) } else { 0.0 };
    let lengths: Vec<f64> = match &region.law {
        Some(law) => {
            let quantiles = (0..PARTS).map(|i| law.quantile((f64::from(i) + 0.5) / f64::from(PARTS)));
            quantiles.filter(|s| *s > 0.0).collect()
        }
        None => vec![region.radius; PARTS as usize],
    };
    // of a landmark whose direction has length 1
    let chance = |s: f64| lengths.iter().map(|length| exceeds(s / length)).sum::<f64>() / f64::from(PARTS);
    let (mut low, mut high) = (0.0, lengths.last().copied().unwrap_or(0.0));
    for _ in 0..HALVINGS {
        let between = 0.5 * (low + high);
        if chance(between) > 1.0 - region.probability { low = between } else { high = between }
    }
    let divided_out = |x: &[f64]| if is_turned(manifold) { x.iter().map(|x| x * x).sum() } else { 0.0 };
    let seen = |x: &[f64]| (1.0 - 1.0 / k - divided_out(x)).max(0.0).sqrt();
    region.middle.chunks_exact(axes).map(|landmark| high * seen(landmark)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use karcher::manifold::{Euclidean, Kendall, SizeAndShape};
    use karcher::release::{Coverage, RegionCenter};
    use karcher::sampler::{Isotropic, Law};
    use std::sync::Arc;

    /// A region of normal noise, with deviation 0.01 in each of `dim` directions.
    fn region(middle: Vec<f64>, dim: usize) -> Region {
        let flat = Arc::new(Euclidean::new(dim).unwrap());
        let law = Isotropic::new(flat, Law::Gaussian, 0.01).unwrap().distance().unwrap();
        let (center, coverage) = (RegionCenter::Value, Coverage::Exactly);
        let radius = law.quantile(0.95);
        Region { middle, center, radius, probability: 0.95, coverage, law: Some(law), holds: "", population: None }
    }

    /// Each coordinate has variance `0.01²·a²` there.
    fn check(radii: Vec<f64>, a: f64) {
        let expected = 0.01 * a * (2.0 * 20.0_f64.ln()).sqrt();
        for radius in radii {
            assert!((radius / expected - 1.0).abs() < 0.01, "{radius} {expected}");
        }
    }

    #[test]
    fn normal_noise_leaves_a_landmark_as_the_rayleigh_law_says() {
        for k in [3, 4, 8, 50] {
            let turn = |j: usize| std::f64::consts::TAU * j as f64 / k as f64;
            let middle = (0..k).flat_map(|j| [turn(j).cos(), turn(j).sin()]).map(|x| x / (k as f64).sqrt()).collect();
            let shapes = Kendall::new(k).unwrap();
            check(landmark_radii(&region(middle, shapes.dim()), &shapes, 2), (1.0 - 2.0 / k as f64).sqrt());
            for axes in [2, 3] {
                let space = SizeAndShape::new(k, axes).unwrap();
                let region = region(vec![0.5; k * axes], space.dim());
                check(landmark_radii(&region, &space, axes), (1.0 - 1.0 / k as f64).sqrt());
            }
        }
    }
}
