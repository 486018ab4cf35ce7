//! Pictures of 2 × 2 and 3 × 3 positive definite matrices: ellipses and ellipsoids with the eigenvalues as half-axes.

use super::components;
use super::frame::{self, MAP, Sample, Words};
use super::oblique::{self, SCREEN};
use super::page::{AMBER, BLUE, Color, Form, Ink, Page, Panel, Place};
use super::region::Region;
use super::regression::Paths;
use super::subject;
use super::view::{View, label, square};
use karcher::Manifold;
use karcher::release::PublishedRelease;
use std::f64::consts::PI;

/// So many matrices at the edge of the region are drawn.
const FAN: usize = 12;
const STEPS: usize = 120;

/// The picture.
pub fn draw(
    release: &PublishedRelease,
    manifold: &dyn Manifold,
    region: Option<&Region>,
    (k, paths): (usize, Option<&Paths>),
) -> Page {
    let matrices: Vec<Vec<f64>> = match paths {
        None => vec![subject::point(release).to_vec()],
        Some(paths) => paths.three().into_iter().map(|prediction| prediction.point.clone()).collect(),
    };
    let fan = region.map_or(vec![], |region| fan(manifold, region));
    let (center, outlines) = (outline(release.provenance.ball.center(), k), matrices.iter().map(|m| outline(m, k)));
    let outlines: Vec<Vec<Place>> = outlines.collect();
    let edges: Vec<Vec<Place>> = fan.iter().map(|m| outline(m, k)).collect();
    // a region may be far larger than its value
    let varied: Vec<Vec<Place>> = components::ends(release, manifold).iter().map(|end| outline(end, k)).collect();
    let (_, half) = square(&[outlines.concat(), varied.concat(), center.clone()].concat());
    let (_, wide) = square(&[outlines.concat(), varied.concat(), center.clone(), edges.concat()].concat());
    let view = View { window: MAP, middle: [0.0, 0.0], half: 1.12 * wide.min(3.0 * half) };
    let mut panel = Panel::new(MAP);
    if k == 2 {
        super::axes::draw(&mut panel, &view, None);
    }
    for edge in &edges {
        panel.add("region", Form::Path(view.all_on_page(edge), true), Ink::line(BAND, 1.0));
    }
    panel.add("center", Form::Path(view.all_on_page(&center), true), faint());
    for places in &varied {
        panel.add("component", Form::Path(view.all_on_page(places), true), components::ink(1));
    }
    let inks = inks(outlines.len());
    for ((places, ink), matrix) in outlines.iter().zip(&inks).zip(&matrices) {
        panel.add("value", Form::Path(view.all_on_page(places), true), *ink);
        if k == 3 && outlines.len() == 1 {
            for section in sections(matrix) {
                panel.add("section", Form::Path(view.all_on_page(&section), true), Ink::line(BLUE, 0.6));
            }
        }
    }
    if k == 3 {
        oblique::tripod(&mut panel);
    }
    let (mut page, mut words) = (frame::page(release), Words::default());
    page.panels.push(panel);
    match paths {
        Some(paths) => {
            for (prediction, ink) in paths.three().into_iter().zip(&inks) {
                words.explain(Sample::Area(*ink), paths.place(prediction));
            }
            words.fixed(&release.provenance, paths);
        }
        None => {
            words.explain(Sample::Area(inks[inks.len() - 1]), subject::name(release));
            if let Some(ball) = subject::located(release) {
                words.say(format!("private radius {}", label(ball.radius)));
            }
            words.region(release, region, Sample::Line(Ink::line(BAND, 3.0)));
            if region.is_some() {
                words.say(format!("({FAN} matrices at the edge of that region)"));
            }
        }
    }
    components::explain(&mut words, release, "first component: a deviation to each side");
    words.center(&release.provenance, Sample::Line(faint()));
    words.facts(&release.provenance);
    words.say("half-axes: eigenvectors, as long as eigenvalues");
    if k == 3 {
        words.say(format!("the square is {} wide", label(2.0 * view.half)));
    }
    frame::add_words(&mut page, words, false);
    page
}

/// The matrices at the edge of the region.
const BAND: Color = Color(176, 209, 230);

fn faint() -> Ink {
    Ink::line(AMBER, 1.4).dashed()
}

/// The inks of the matrices of a mean or of a regression; the last one is darkest.
fn inks(count: usize) -> Vec<Ink> {
    let shades = [Color(150, 197, 226), Color(75, 155, 202), BLUE];
    let first = shades.len() - count.clamp(1, shades.len());
    shades.into_iter().skip(first).map(|color| Ink::fill(color, 0.12).with_line(color, 2.0)).collect()
}

/// Matrices at the edge of a region, in directions that are spread evenly over the frame at its middle.
fn fan(manifold: &dyn Manifold, region: &Region) -> Vec<Vec<f64>> {
    let direction = |i: usize| -> Vec<f64> {
        // places on a sphere by irrational rotations of as many angles as there are dimensions
        let wave = |j: usize| (2.0 * PI * (i as f64 + 0.5) * ((j + 2) as f64).sqrt().fract() + j as f64).cos();
        let raw: Vec<f64> = (0..manifold.dim()).map(wave).collect();
        let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
        raw.into_iter().map(|x| x * region.radius / length).collect()
    };
    let at = |i: usize| {
        let (mut tangent, mut matrix) = (vec![0.0; region.middle.len()], vec![0.0; region.middle.len()]);
        manifold.from_frame(&region.middle, &direction(i), &mut tangent);
        manifold.exp(&region.middle, &tangent, &mut matrix);
        matrix
    };
    (0..FAN).map(at).collect()
}

/// The visible outline of the image of the unit ball under a matrix.
fn outline(matrix: &[f64], k: usize) -> Vec<Place> {
    if k == 2 {
        return circle().map(|[c, s]| [matrix[0] * c + matrix[1] * s, matrix[2] * c + matrix[3] * s]).collect();
    }
    // two rows of numbers; their products make the square of the outline's own matrix
    let rows = SCREEN.map(|axis| [0, 1, 2].map(|j| (0..3).map(|i| axis[i] * matrix[3 * i + j]).sum::<f64>()));
    let largest = rows.concat().into_iter().map(f64::abs).fold(f64::MIN_POSITIVE, f64::max);
    let rows = rows.map(|row| row.map(|x| x / largest));
    let product = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (a, b, d) = (product(rows[0], rows[0]), product(rows[0], rows[1]), product(rows[1], rows[1]));
    // the root of a 2×2 matrix of trace t and determinant s² is that matrix + s, over √(t + 2s)
    let s = (a * d - b * b).max(0.0).sqrt();
    let over = largest / (a + d + 2.0 * s).sqrt();
    let root = [(a + s) * over, b * over, (d + s) * over];
    circle().map(|[x, y]| [root[0] * x + root[1] * y, root[1] * x + root[2] * y]).collect()
}

/// The images of the circles in the three coordinate planes under the matrix: lines on the ellipsoid.
fn sections(matrix: &[f64]) -> Vec<Vec<Place>> {
    let seen = |point: [f64; 3]| -> Place {
        oblique::place([0, 1, 2].map(|i| (0..3).map(|j| matrix[3 * i + j] * point[j]).sum()))
    };
    let planes = [|[c, s]: Place| [c, s, 0.0], |[c, s]: Place| [c, 0.0, s], |[c, s]: Place| [0.0, c, s]];
    planes.into_iter().map(|plane| circle().map(|at| seen(plane(at))).collect()).collect()
}

fn circle() -> impl Iterator<Item = Place> {
    (0..STEPS).map(|i| 2.0 * PI * i as f64 / STEPS as f64).map(|angle| [angle.cos(), angle.sin()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_hold_the_image_of_the_ball_and_touch_it() {
        let matrix = [3.0, 0.5, 0.2, 0.5, 2.0, -0.3, 0.2, -0.3, 1.0];
        let outline = outline(&matrix, 3);
        for i in 0..24 {
            let angle = PI * f64::from(i) / 12.0;
            let toward = [angle.cos(), angle.sin()];
            // the farthest point of an ellipsoid in a direction is |M d| away
            let direction: Vec<f64> = (0..3).map(|j| toward[0] * SCREEN[0][j] + toward[1] * SCREEN[1][j]).collect();
            let image = (0..3).map(|r| (0..3).map(|c| matrix[3 * r + c] * direction[c]).sum::<f64>().powi(2));
            let expected = image.sum::<f64>().sqrt();
            let seen = outline.iter().map(|[x, y]| x * toward[0] + y * toward[1]).fold(0.0, f64::max);
            assert!((seen / expected - 1.0).abs() < 2e-3, "{seen} {expected}");
        }
    }
}
