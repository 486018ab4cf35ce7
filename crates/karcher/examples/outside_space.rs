//! A space that the library lacks, made outside of it: the hours of a clock. The guide
//! walks through it ("Add a space").
//!
//! A point is one number, an hour from 0 to 24; a distance is in hours; midnight is next to 23:59. That is a circle of
//! length 24, which is all that privacy needs to know. First the laws, then a private mean of bedtimes.
//!
//! `cargo run -p karcher --example outside_space --features laws`

use karcher::geometry::{Error, Result};
use karcher::laws::{self, Options, Rng};
use karcher::manifold::{Called, CurvatureBounds, CutLocus, Homogeneity, Layout, Manifold, Model, Shape};
use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::release::Flag;
use karcher::{Ball, Points, ReleaseContext, Space};
use std::sync::Arc;

/// Hours on a circle of length 24.
#[derive(Debug, Clone)]
struct Clock {
    space: Space,
}

const DAY: f64 = 24.0;

/// The names of columns with hours, and of those with minutes.
const HOUR: Called = Called::new("hour", &["hour", "hours"], &["h"]);
const MINUTE: Called = Called::new("minute", &["minute", "minutes"], &["min"]);

/// The difference of two hours the short way round, from −12 to 12.
fn short_way(hours: f64) -> f64 {
    hours - DAY * (hours / DAY).round()
}

impl Manifold for Clock {
    fn space(&self) -> &Space {
        &self.space
    }

    // What it declares: the proofs rest on these.

    fn model(&self) -> Model {
        Model::Circle { length: DAY }
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: 0.0, upper: 0.0 } // there is no plane in one dimension
    }

    fn injectivity_radius(&self) -> f64 {
        DAY / 2.0
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::AtDistance(DAY / 2.0) // noon and midnight are joined by two shortest ways
    }

    fn diameter(&self) -> f64 {
        DAY / 2.0
    }

    fn homogeneity(&self) -> Homogeneity {
        Homogeneity::TwoPoint // turning and reversing the clock
    }

    // Points.

    fn dim(&self) -> usize {
        1
    }

    fn point_len(&self) -> usize {
        1
    }

    fn shape(&self) -> Shape {
        Shape::Vector(1)
    }

    fn layouts(&self) -> Vec<Layout> {
        let minutes = Layout::new("minutes", 1, |m| Ok(vec![m[0] / 60.0]), |p| vec![p[0] * 60.0]);
        vec![Layout::plain("hours", 1).called(&[HOUR]), minutes.called(&[MINUTE])]
    }

    fn origin(&self, out: &mut [f64]) {
        out[0] = 0.0;
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        match p {
            [hour] if (-1e-6..=DAY + 1e-6).contains(hour) => Ok(()),
            [hour] => {
                let reason = format!("{hour} is no hour from 0 to 24");
                Err(Error::InvalidPoint { space: self.space.clone(), reason })
            }
            _ => Err(Error::WrongLength { space: self.space.clone(), expected: 1, found: p.len() }),
        }
    }

    fn check_tangent(&self, _p: &[f64], v: &[f64]) -> Result<()> {
        match v {
            [hours] if hours.is_finite() => Ok(()),
            _ => {
                let reason = format!("{v:?} is no number of hours");
                Err(Error::InvalidTangent { space: self.space.clone(), reason })
            }
        }
    }

    fn normalize(&self, p: &mut [f64]) {
        let hour = p[0].rem_euclid(DAY);
        p[0] = if hour < DAY { hour } else { 0.0 }; // −1e−20 rounds to a whole day
    }

    fn project(&self, p: &mut [f64]) {
        self.normalize(p);
    }

    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p); // every point is one number from 0 to 24 and no other
        self.normalize(out);
    }

    // Geometry: that of a line, up to whole days.

    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        out[0] = p[0] + v[0];
        self.normalize(out);
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        out[0] = short_way(q[0] - p[0]);
        if DAY / 2.0 - out[0].abs() <= 1e-13 { Err(Error::CutLocus { space: self.space.clone() }) } else { Ok(()) }
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        short_way(q[0] - p[0]).abs()
    }

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        u[0] * v[0]
    }

    fn transport(&self, _p: &[f64], _q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        out[0] = v[0];
        Ok(())
    }

    fn jacobi(&self, _p: &[f64], _v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        (by_point[0], by_vector[0]) = (e[0], e[0]);
    }

    fn from_frame(&self, _p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        out[0] = coordinates[0];
    }

    fn to_frame(&self, _p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        coordinates[0] = v[0];
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    // Volume: there is no more of it on a circle than on a line.

    fn log_volume_density_in_frame(&self, _coordinates: &[f64]) -> f64 {
        0.0
    }

    fn log_volume_density_bound(&self, _s: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let clock = Clock { space: Space::named("clock") };

    // far enough to go round, with the isometries that there are
    let turn = |_: &mut dyn Rng, hours: &[&[f64]]| {
        hours.iter().map(|p| vec![(31.5 - p[0]).rem_euclid(DAY)]).collect::<Vec<_>>()
    };
    laws::check(&clock, &Options { reach: 2.0 * DAY, isometry: Some(&turn), ..Options::default() })?;
    println!("{} keeps all {} laws.", clock.space(), laws::LAWS.len());

    // 500 bedtimes between 21:30 and 1:30, every record within 4 hours of 23:00
    let bedtimes = (0..500).map(|i| (21.5 + 4.0 * f64::from(i) / 499.0).rem_euclid(DAY)).collect();
    let records = Points::new(&clock, bedtimes)?;
    let ball = Ball::new(&clock, vec![23.0], 4.0)?;
    let request = Request::new(PrivateFrechetMean::new(Arc::new(clock), ball)?, 500, Guarantee::pure(1.0)?);
    let plan = request.plan()?;
    let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
    // the guarantee rests on the declarations of the clock: release and privacy event are flagged
    assert!(release.flags().contains(&Flag::DeclaredSpace));
    assert_eq!(plan.summary().flags, [Flag::DeclaredSpace]);
    assert_eq!(plan.summary().event().flags, [Flag::DeclaredSpace]);
    let hour = release.value()[0];
    println!("Mean bedtime: {:02}:{:02}", hour.trunc(), (60.0 * hour.fract()).floor());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_clock_keeps_every_law_and_its_mean_is_released() {
        super::main().unwrap();
    }
}
