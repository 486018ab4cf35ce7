//! Spaces of two dimensions as flat maps.

use super::page::Place;
use super::view::multiples;
use karcher::Manifold;
use karcher::manifold::Hyperbolic;
use std::f64::consts::PI;

/// A projection of points to places of a map.
#[derive(Debug, Clone, Copy)]
pub enum Projection {
    /// A globe from far above a point, with the third axis upwards: `sphere:2`, and half of it for `projective:2`.
    Globe {
        /// East, north and up at the point.
        frame: [[f64; 3]; 3],
        /// Whether opposite points are one.
        axes: bool,
    },
    /// The Poincaré disc, with a point in its middle: `hyperbolic:2`. Far from its middle everything is at the edge.
    Disc {
        /// The point.
        middle: [f64; 3],
    },
    /// The plane itself.
    Plane,
    /// A square of two angles, whose opposite sides are one: `torus:2`.
    Torus,
    /// The equal-area net of the lower hemisphere: the first axis is north and up on the page, the second east, the
    /// third down. Points of the upper hemisphere are seen through (Schmidt 1925).
    Net {
        /// Whether opposite points are one.
        axes: bool,
    },
}

/// A line on a map: its places, and whether it is on the visible side.
pub type Run = (Vec<Place>, bool);

/// So many steps make a circle.
const STEPS: usize = 180;
/// The least distance between lines of a net, in degrees.
const FINEST_NET: f64 = 5.0;

impl Projection {
    /// A globe from above a point.
    pub fn globe(above: &[f64], axes: bool) -> Self {
        let up = unit([above[0], above[1], above[2]]);
        let [x, y, _] = up;
        // above a pole, with longitude 0 downwards
        let east = if x.hypot(y) > 1e-9 { unit([-y, x, 0.0]) } else { [0.0, 1.0, 0.0] };
        let north =
            [up[1] * east[2] - up[2] * east[1], up[2] * east[0] - up[0] * east[2], up[0] * east[1] - up[1] * east[0]];
        Self::Globe { frame: [east, north, up], axes }
    }

    /// The disc with a point in its middle.
    pub fn disc(middle: &[f64]) -> Self {
        Self::Disc { middle: [middle[0], middle[1], middle[2]] }
    }

    /// The same seen from above another point.
    pub fn above(&self, point: &[f64]) -> Self {
        match self {
            Self::Globe { axes, .. } => Self::globe(point, *axes),
            Self::Disc { .. } => Self::disc(point),
            Self::Plane | Self::Torus | Self::Net { .. } => *self,
        }
    }

    /// The place of a point, and whether it is on the visible side.
    pub fn place(&self, point: &[f64]) -> (Place, bool) {
        match self {
            Self::Globe { frame, axes } => {
                let [x, y, z] = frame.map(|axis| axis.iter().zip(point).map(|(a, p)| a * p).sum::<f64>());
                let turned = if *axes && z < 0.0 { -1.0 } else { 1.0 };
                ([turned * x, turned * y], z >= 0.0 || *axes)
            }
            Self::Disc { middle } => (on_disc(middle, point), true),
            Self::Plane | Self::Torus => ([point[0], point[1]], true),
            Self::Net { axes } => {
                let [x, y, z] = [point[0], point[1], point[2]];
                let scale = (1.0 + z.abs()).sqrt().recip();
                let turned = if *axes && z < 0.0 { -scale } else { scale };
                ([turned * y, turned * x], z >= 0.0 || *axes)
            }
        }
    }

    /// The circle of a radius about a point. It is closed if it is one run.
    pub fn circle(&self, manifold: &dyn Manifold, middle: &[f64], radius: f64) -> Vec<Run> {
        let turn = |i: usize| 2.0 * PI * i as f64 / STEPS as f64;
        if matches!(self, Self::Plane | Self::Torus) {
            let at = |i: usize| [middle[0] + radius * turn(i).cos(), middle[1] + radius * turn(i).sin()];
            return vec![((0..=STEPS).map(at).collect(), true)];
        }
        self.line((0..=STEPS).map(|i| {
            let (mut direction, mut point) = (vec![0.0; middle.len()], vec![0.0; middle.len()]);
            manifold.from_frame(middle, &[radius * turn(i).cos(), radius * turn(i).sin()], &mut direction);
            manifold.exp(middle, &direction, &mut point);
            point
        }))
    }

    /// A line through points, in runs: cut where it changes sides or goes round.
    pub fn line(&self, points: impl Iterator<Item = Vec<f64>>) -> Vec<Run> {
        let mut runs: Vec<Run> = vec![];
        for point in points {
            let (place, seen) = self.place(&point);
            let goes_on = runs.last().is_some_and(|(run, side)| {
                *side == seen && run.last().is_some_and(|last| self.is_beside(*last, place))
            });
            match runs.last_mut() {
                Some((run, _)) if goes_on => run.push(place),
                _ => runs.push((vec![place], seen)),
            }
        }
        runs
    }

    /// The parts of a line on the visible half of a globe. They end at the horizon, between two points.
    pub fn visible(&self, line: &[Vec<f64>]) -> Vec<Vec<Place>> {
        let Self::Globe { frame, .. } = self else { return vec![] };
        let seen = |point: &[f64]| frame.map(|axis| axis.iter().zip(point).map(|(a, p)| a * p).sum::<f64>());
        let mut runs: Vec<Vec<Place>> = vec![];
        let mut last: Option<[f64; 3]> = None;
        for here in line.iter().map(|point| seen(point)) {
            let horizon = last.filter(|from| (from[2] >= 0.0) != (here[2] >= 0.0)).map(|from| {
                let share = from[2] / (from[2] - here[2]);
                let [x, y] = [0, 1].map(|axis| from[axis] + share * (here[axis] - from[axis]));
                [x / x.hypot(y), y / x.hypot(y)]
            });
            if here[2] >= 0.0 {
                if last.is_none_or(|from| from[2] < 0.0) {
                    runs.push(horizon.into_iter().collect());
                }
                runs.last_mut().into_iter().for_each(|run| run.push([here[0], here[1]]));
            } else {
                runs.last_mut().into_iter().for_each(|run| run.extend(horizon));
            }
            last = Some(here);
        }
        runs
    }

    fn is_beside(&self, a: Place, b: Place) -> bool {
        let limit = match self {
            Self::Globe { .. } | Self::Net { .. } => 0.5,
            Self::Torus => PI,
            Self::Disc { .. } | Self::Plane => f64::INFINITY,
        };
        (a[0] - b[0]).hypot(a[1] - b[1]) < limit
    }

    /// Shifts between equivalent copies of the map.
    pub fn copies(&self) -> Vec<Place> {
        match self {
            Self::Torus => {
                let turns = [0.0, 2.0 * PI, -2.0 * PI];
                turns.into_iter().flat_map(|x| turns.map(|y| [x, y])).collect()
            }
            Self::Globe { .. } | Self::Disc { .. } | Self::Plane | Self::Net { .. } => vec![[0.0, 0.0]],
        }
    }

    /// The degrees between meridians where parallels are so many apart: more near a pole, where meridians meet.
    pub fn meridians(&self, step: f64) -> f64 {
        match self {
            Self::Globe { frame, .. } => meridians(frame[2], step),
            Self::Disc { .. } | Self::Plane | Self::Torus | Self::Net { .. } => step,
        }
    }

    /// Whether there are lines so many degrees apart. A net has no fine ones: they would meet in its middle.
    pub fn has_grid(&self, step: f64) -> bool {
        !matches!(self, Self::Net { .. }) || step >= FINEST_NET
    }

    /// Lines of a grid: on a globe the visible meridians and parallels, `step` degrees apart, on the disc circles about
    /// its middle and lines through it. The plane has the ticks of its axes.
    pub fn grid(&self, step: f64) -> Vec<Vec<Place>> {
        let runs: Vec<Run> = match self {
            Self::Globe { frame, .. } => {
                let (near, apart) = (nearby(frame[2], step), self.meridians(step));
                let parallel = |latitude: f64| self.line(near.1.iter().map(move |&x| geographic(latitude, x)));
                let meridian = |longitude: f64| self.line(near.0.iter().map(move |&y| geographic(y, longitude)));
                let inner = |x: &&f64| x.abs() < 90.0 - 1e-9;
                let parallels = coarse(&near.0, step).into_iter().filter(|x| inner(&x)).flat_map(parallel);
                parallels.chain(coarse(&near.1, apart).into_iter().flat_map(meridian)).collect()
            }
            Self::Disc { .. } => {
                let around = |i: usize, radius: f64| {
                    let angle = PI * i as f64 / 90.0;
                    [radius * angle.cos(), radius * angle.sin()]
                };
                let circles = (1..=5).map(|s| (f64::from(s) / 2.0).tanh());
                let circles = circles.map(|radius| ((0..=180).map(|i| around(i, radius)).collect(), true));
                let rays = (0..12).map(|k| (vec![[0.0, 0.0], around(15 * k, 1.0)], true));
                circles.chain(rays).collect()
            }
            Self::Net { .. } if self.has_grid(step) => {
                let at = |azimuth: f64, steepness: f64| {
                    let radius = 2f64.sqrt() * (0.5 * (90.0 - steepness).to_radians()).sin();
                    let (sin, cos) = azimuth.to_radians().sin_cos();
                    [radius * sin, radius * cos]
                };
                let circle = |steepness: f64| ((0..=180).map(|i| at(2.0 * f64::from(i), steepness)).collect(), true);
                let circles = multiples(step, (0.0, 90.0 - 1e-9)).into_iter().filter(|x| *x > 0.0).map(circle);
                let rays = multiples(step, (0.0, 360.0 - 1e-9)).into_iter().map(|x| (vec![[0.0; 2], at(x, 0.0)], true));
                circles.chain(rays).collect()
            }
            Self::Plane | Self::Torus | Self::Net { .. } => vec![],
        };
        runs.into_iter().filter(|(run, seen)| *seen && run.len() > 1).map(|(run, _)| run).collect()
    }
}

/// The place of a point on the Poincaré disc about another: in the direction of the logarithm, `tanh(ρ/2)` away.
fn on_disc(middle: &[f64], point: &[f64]) -> Place {
    let (mut tangent, mut place) = ([0.0; 3], [0.0; 2]);
    let Ok(plane) = Hyperbolic::new(2) else { return place };
    if plane.log(middle, point, &mut tangent).is_ok() {
        plane.to_frame(middle, &tangent, &mut place);
    }
    let length = place[0].hypot(place[1]);
    if length > 0.0 { place.map(|x| x * (0.5 * length).tanh() / length) } else { place }
}

/// Degrees between meridians about a point.
fn meridians(up: [f64; 3], step: f64) -> f64 {
    if step >= 10.0 {
        return step;
    }
    let latitude = up[2].clamp(-1.0, 1.0).asin().to_degrees();
    let across = latitude.to_radians().cos();
    let is_at_pole = latitude.abs() + STEPS_ABOUT * step >= 90.0;
    let wanted = step / across.max(1e-9);
    let power = 10f64.powf(wanted.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|x| x * power).find(|x| *x >= wanted * (1.0 - 1e-9));
    match () {
        () if is_at_pole => AT_POLE,
        () if across > 0.5 => step,
        () => round.unwrap_or(step).min(AT_POLE),
    }
}

/// So many steps of a grid about a point are drawn.
const STEPS_ABOUT: f64 = 8.0;
/// Degrees between meridians where a pole is in sight.
const AT_POLE: f64 = 30.0;

/// Latitudes and longitudes near a point in degrees, finely: all of them for coarse grids, else a few steps about it.
fn nearby(up: [f64; 3], step: f64) -> (Vec<f64>, Vec<f64>) {
    let fine = step / 10.0;
    if step >= 10.0 {
        return (multiples(fine.max(1.0), (-90.0, 90.0)), multiples(fine.max(1.0), (-180.0, 180.0)));
    }
    let (latitude, longitude) = (up[2].clamp(-1.0, 1.0).asin().to_degrees(), up[1].atan2(up[0]).to_degrees());
    let (low, high) = ((latitude - STEPS_ABOUT * step).max(-90.0), (latitude + STEPS_ABOUT * step).min(90.0));
    let apart = meridians(up, step);
    let across = STEPS_ABOUT * apart;
    let longitudes = match apart == AT_POLE || across >= 180.0 {
        true => multiples(1.0, (-180.0, 180.0)), // whole circles
        false => multiples(apart / 10.0, (longitude - across, longitude + across)),
    };
    (multiples(fine, (low, high)), longitudes)
}

/// The multiples of a step among finer ones.
fn coarse(fine: &[f64], step: f64) -> Vec<f64> {
    match (fine.first(), fine.last()) {
        (Some(&low), Some(&high)) => multiples(step, (low, high.min(low + 360.0 - 1e-9))),
        _ => vec![],
    }
}

/// A point of the globe.
pub fn geographic(latitude: f64, longitude: f64) -> Vec<f64> {
    let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
    vec![latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the pole circles are whole and meridians few; elsewhere a grid is as it was.
    #[test]
    fn a_grid_about_a_pole_has_whole_circles_and_few_meridians() {
        for latitude in [90.0, 89.95, -90.0] {
            let globe = Projection::globe(&geographic(latitude, 40.0), false);
            let lines = globe.grid(0.02);
            let circles = lines.iter().filter(|line| line.len() > 300);
            assert!(circles.clone().count() >= 7, "{latitude}");
            for circle in circles {
                let (first, last) = (circle[0], circle[circle.len() - 1]);
                assert!((first[0] - last[0]).hypot(first[1] - last[1]) < 1e-9, "{latitude}");
            }
            assert_eq!((globe.meridians(0.02), lines.len() < 60), (AT_POLE, true), "{latitude}");
        }
        let far_north = Projection::globe(&geographic(80.0, 10.0), false);
        assert_eq!((far_north.meridians(0.02), far_north.meridians(30.0)), (0.2, 30.0));
        assert_eq!(Projection::globe(&geographic(20.0, 10.0), false).meridians(0.5), 0.5);
    }
}
