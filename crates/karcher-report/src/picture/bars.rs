//! Pictures of compositions: a bar for each part with its interval, next to that of the public center.

use super::components;
use super::frame::{self, MAP, Sample, Words};
use super::page::{AMBER, BLACK, Form, GREY, Ink, Page, Panel, Place, Rectangle};
use super::region::Region;
use super::subject;
use super::view::{label, label_within, shortened};
use karcher::Manifold;
use karcher::release::PublishedRelease;
use std::f64::consts::PI;

/// The most parts that have a bar each.
pub const MOST: usize = 40;
/// The share of a part's room that its two bars take.
const FILLED: f64 = 0.8;
/// More parts than these have no numbers above their bars.
const NUMBERED: usize = 8;
/// The width of a letter below a bar.
const LETTER: f64 = 6.0;
/// Steps toward the least or the largest share in a region.
const STEPS: usize = 100;

/// The picture of a mean.
pub fn draw(release: &PublishedRelease, manifold: &dyn Manifold, region: Option<&Region>) -> Page {
    let layouts = manifold.layouts();
    let proportions = layouts.iter().find(|layout| layout.name() == "proportions");
    let parts = |point: &[f64]| proportions.map_or_else(|| point.to_vec(), |layout| layout.write(point));
    let (center, value) = (subject::center(release).map(parts), parts(subject::point(release)));
    let intervals = region.map(|region| intervals(&region.middle, region.radius, manifold)).unwrap_or_default();
    let ends = intervals.iter().map(|interval| &interval[1]);
    let largest = value.iter().chain(center.iter().flatten()).chain(ends).copied().fold(f64::MIN_POSITIVE, f64::max);
    let bottom = MAP.top + MAP.height - 20.0;
    let (room, height) = (MAP.width / value.len() as f64, MAP.height - 60.0);
    let letters = ((room / LETTER) as usize).saturating_sub(1);
    let mut panel = Panel::default();
    let floor = vec![[MAP.left, bottom], [MAP.left + MAP.width, bottom]];
    panel.add("axis", Form::Path(floor, false), Ink::line(GREY, 1.0));
    for (i, share) in value.iter().enumerate() {
        let left = MAP.left + room * (i as f64 + 0.5 - FILLED / 2.0);
        let width = room * FILLED / 2.0;
        let up = |share: f64| bottom - height * share / largest;
        let bar = |share: f64, left: f64| {
            Form::Path(Rectangle { left, top: up(share), width, height: bottom - up(share) }.corners(), true)
        };
        panel.add("value", bar(*share, left), frame::value().paler());
        if let Some(center) = &center {
            panel.add("center", bar(center[i], left + width), faint());
        }
        let mut top = up(*share);
        if let Some([low, high]) = intervals.get(i).copied() {
            let (x, cap) = (left + 0.5 * width, (0.2 * width).min(5.0));
            for line in bracket(x, cap, [up(low), up(high)]) {
                panel.add("interval", Form::Path(line.to_vec(), false), Ink::line(BLACK, 1.3));
            }
            top = top.min(up(high));
        }
        let part = subject::part(&release.provenance, i, value.len());
        let name = part.filter(|_| letters > 2).map_or_else(|| (i + 1).to_string(), |name| shortened(name, letters));
        let half = 0.5 * LETTER * name.chars().count() as f64;
        panel.say([left + width - half, bottom + 15.0], 11.0, BLACK, name);
        if value.len() <= NUMBERED {
            let error = intervals.get(i).map_or(0.0, |[low, high]| 0.5 * (high - low));
            let text = if error > 0.0 { label_within(*share, error) } else { label(*share) };
            panel.say([left, top - 6.0], 11.0, BLACK, text);
        }
    }
    let (mut page, mut words) = (frame::page(release), Words::default());
    page.panels.push(panel);
    words.explain(Sample::Area(frame::value().paler()), subject::name(release));
    words.center(&release.provenance, Sample::Area(faint()));
    match (subject::located(release), region) {
        (Some(ball), _) => {
            words.say(format!("private radius {}", subject::length(&release.provenance, ball.radius)));
        }
        (None, Some(region)) => {
            let sample = Sample::Line(Ink::line(BLACK, 1.3));
            words.explain(sample, format!("with {} here, all parts at once:", region.percent()));
            words.say(region.holds);
            words.say(frame::within(&release.provenance, region));
        }
        (None, None) => words.say(frame::NO_LAW),
    }
    components::leave_out(&mut words, release);
    words.facts(&release.provenance);
    frame::add_words(&mut page, words, false);
    page
}

fn faint() -> Ink {
    Ink::fill(AMBER, 0.12).with_line(AMBER, 1.0)
}

/// A line between two heights, with a cap at each end.
fn bracket(x: f64, cap: f64, [low, high]: [f64; 2]) -> [[Place; 2]; 3] {
    [[[x, low], [x, high]], [[x - cap, low], [x + cap, low]], [[x - cap, high], [x + cap, high]]]
}

/// For each part, the least and the largest share of the compositions within a distance of one. So all parts of a
/// composition in the region are in their intervals at once.
fn intervals(middle: &[f64], radius: f64, manifold: &dyn Manifold) -> Vec<[f64; 2]> {
    let is_of_roots = manifold.space().as_str().starts_with("simplex-fisher-rao");
    let of = |i: usize| if is_of_roots { of_root(middle[i], radius) } else { of_ratios(middle, radius, i) };
    (0..middle.len()).map(of).collect()
}

/// The squares of `cos θ` for angles within `radius/2` of that of a root: distances on the sphere of radius 2.
fn of_root(root: f64, radius: f64) -> [f64; 2] {
    let angle = root.clamp(-1.0, 1.0).acos();
    let ends = [(angle - 0.5 * radius).max(0.0), (angle + 0.5 * radius).min(PI)];
    let [a, b] = ends.map(|angle| angle.cos().powi(2));
    let crosses = (ends[0]..=ends[1]).contains(&(0.5 * PI));
    [if crosses { 0.0 } else { a.min(b) }, a.max(b)]
}

/// The range of `pᵢ` where centered log-ratios `z` are within `radius` of those of `middle`.
///
/// `f(z) = ln pᵢ = zᵢ − ln Σ e^{zⱼ}` is concave, with gradient `eᵢ − p`. Steps to where the ball reaches farthest along
/// the gradient rise to its largest value. Against it they fall to a local least one; the least of these, started from
/// each other part, is the end.
fn of_ratios(middle: &[f64], radius: f64, i: usize) -> [f64; 2] {
    let logs: Vec<f64> = middle.iter().map(|p| p.max(f64::MIN_POSITIVE).ln()).collect();
    let share = |z: &[f64]| {
        let most = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let each: Vec<f64> = z.iter().map(|x| (x - most).exp()).collect();
        let sum: f64 = each.iter().sum();
        each.into_iter().map(|x| x / sum).collect::<Vec<f64>>()
    };
    let ends = |sign: f64, first: Vec<f64>| {
        let mut p = first;
        for _ in 0..STEPS {
            let gradient: Vec<f64> = p.iter().enumerate().map(|(j, p)| f64::from(u8::from(j == i)) - p).collect();
            let length = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length < 1e-12 {
                break;
            }
            let moved: Vec<f64> = logs.iter().zip(&gradient).map(|(z, g)| z + sign * radius * g / length).collect();
            p = share(&moved);
        }
        p[i]
    };
    let toward = |j: usize| {
        let mut p = vec![1e-3 / middle.len() as f64; middle.len()];
        p[j] = 1.0;
        p
    };
    let others = (0..middle.len()).filter(|j| *j != i).map(|j| ends(-1.0, toward(j)));
    [others.chain([ends(-1.0, middle.to_vec())]).fold(f64::INFINITY, f64::min), ends(1.0, middle.to_vec())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use karcher::manifold::{Scaled, SimplexAitchison};

    /// Compositions of three parts within a radius, in 4,000 directions.
    fn within(manifold: &dyn Manifold, middle: &[f64], radius: f64) -> Vec<Vec<f64>> {
        let at = |k: usize| {
            let (angle, length) = (2.0 * PI * k as f64 / 4_000.0, radius * (1 + k % 40) as f64 / 40.0);
            let (mut tangent, mut point) = (vec![0.0; middle.len()], vec![0.0; middle.len()]);
            manifold.from_frame(middle, &[length * angle.cos(), length * angle.sin()], &mut tangent);
            manifold.exp(middle, &tangent, &mut point);
            point
        };
        (0..4_000).map(at).collect()
    }

    #[test]
    fn intervals_hold_the_shares_of_the_region_and_no_more() {
        let aitchison = SimplexAitchison::new(3).unwrap();
        let fisher_rao = Scaled::simplex_fisher_rao(3).unwrap();
        let middle = [0.6, 0.3, 0.1];
        let roots = middle.map(f64::sqrt);
        for radius in [0.05, 0.4, 1.5] {
            for (space, middle, is_root) in
                [(&aitchison as &dyn Manifold, &middle, false), (&fisher_rao as &dyn Manifold, &roots, true)]
            {
                let shares = |point: Vec<f64>| point.into_iter().map(move |x| if is_root { x * x } else { x });
                let all: Vec<Vec<f64>> =
                    within(space, middle, radius).into_iter().map(|p| shares(p).collect()).collect();
                for (i, [low, high]) in intervals(middle, radius, space).into_iter().enumerate() {
                    let of = || all.iter().map(|p| p[i]);
                    let (least, most) = (of().fold(1.0, f64::min), of().fold(0.0, f64::max));
                    let slack = 2e-3 * (high - low);
                    assert!(low <= least + 1e-9 && most <= high + 1e-9, "{radius} {i}: {low} {least} {most} {high}");
                    let reaches_zero = is_root && low == 0.0;
                    assert!((least - low < slack || reaches_zero) && high - most < slack, "{radius} {i}");
                }
            }
        }
    }
}
